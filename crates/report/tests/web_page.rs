//! The page of a run: its text, and its behaviour in a browser.
//!
//! Without a browser, the tests that need one report that they were skipped.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "web_page/browser.rs"]
mod browser;
#[path = "web_page/in_browser.rs"]
mod in_browser;
#[path = "web_page/pictures.rs"]
mod pictures;
#[path = "web_page/samples.rs"]
mod samples;

use report::{LayerEdgeRecord, ProfileRecord, RunRecord, SpaceLayerRecord, SpaceRecord, page, svg};
use samples::{empty, hostile, hostile_names, rich, space, sweep};

/// The data in a page.
fn data(html: &str) -> serde_json::Value {
    let (_, after) = html.split_once("<script type=\"application/json\" id=\"page-data\">").unwrap();
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_refers_to_nothing_outside_of_itself() {
    let html = page(&rich());
    assert!(html.starts_with("<!doctype html>\n<html lang=\"en\">"));
    assert!(html.contains("content=\"default-src 'none'; script-src 'sha256-"));
    for word in ["http:", "https:", "src=", "@import", "innerHTML", "eval(", "document.write", "{{"] {
        let found = html.replace("http://www.w3.org/2000/svg", "").contains(word);
        assert!(!found, "{word}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let html = page(&hostile());
    // The page's own elements: a style, the data and the script.
    assert_eq!(html.matches("<script").count(), 2);
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("<img") && !html.contains("\u{202e}") && !html.contains("\u{2028}"));
    let texts = data(&html)["texts"].as_array().unwrap().clone();
    for name in hostile_names().iter().filter(|name| name.is_ascii()) {
        assert!(texts.iter().any(|text| text == name.as_str()), "{name}");
    }
    assert!(texts.iter().any(|text| text == "a\\u{202e}desrever\\u{202c}b"));
}

#[test]
fn the_page_of_100_000_layers_is_small() {
    let mut run = rich();
    run.search.profile = Some(ProfileRecord { sweeps: vec![sweep(1, 100_000, 50)] });
    let layer = |i: u32| SpaceLayerRecord {
        progress: u64::from(i),
        states: u64::from(i % 97),
        edges: vec![LayerEdgeRecord { to: i + 1, count: 3 }, LayerEdgeRecord { to: i / 2, count: 1 }],
        ..SpaceLayerRecord::default()
    };
    run.space = Some(SpaceRecord { layers: (0..100_000).map(layer).collect(), ..SpaceRecord::default() });
    let html = page(&run);
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    assert!(data(&html)["profile"][0]["points"].as_array().unwrap().len() <= 512);
}

#[test]
fn a_page_has_its_verdicts_without_scripts() {
    let html = page(&rich());
    for words in [
        "2 of 4 properties are violated",
        "Exit code 1: at least one property is violated.",
        "The search was stopped: the limit of 10,000,000 states is reached.",
        "<dd>11,845,035</dd>",
        "2.5 % of the distinct states",
        "1 action was never taken so far.",
        "holds for a trivial reason",
    ] {
        assert!(html.contains(words), "{words}");
    }
}

#[test]
fn a_run_that_never_started_has_a_page() {
    let mut run = empty("nothing.dve");
    run.exit_code = 2;
    let html = page(&run);
    assert!(html.contains("Nothing was checked") && !html.contains("id=\"profile\""));
}

#[test]
fn new_fields_may_be_missing_from_a_record() {
    let mut json = serde_json::to_value(empty("old.dve")).unwrap();
    json.as_object_mut().unwrap().remove("space");
    for field in ["profile", "actions", "rate"] {
        json["search"].as_object_mut().unwrap().remove(field);
    }
    assert_eq!(serde_json::from_value::<RunRecord>(json).unwrap(), empty("old.dve"));
}

/// Checks that elements are closed in order and that attributes are quoted.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "{}", &rest[..start]);
        let tag_end = rest[start..].find('>').unwrap() + start;
        let tag = &rest[start + 1..tag_end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap()),
        }
        rest = &rest[tag_end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
}

#[test]
fn drawings_are_well_formed() {
    assert_well_formed(&svg(&SpaceRecord::default()));
    assert_well_formed(&svg(hostile().space.as_ref().unwrap()));
    let large = space(40, 6);
    let picture = svg(&large);
    assert_eq!(picture.matches("data-state=").count(), large.states.len());
    // Only an edge to less progress is a regress edge.
    assert_eq!(picture.matches("class=\"edge regress\"").count(), 1);
    assert_well_formed(&picture);
    // Beyond the limit, a circle is a layer.
    let larger = svg(&space(60, 6));
    assert_eq!((larger.matches("data-state=").count(), larger.matches("<circle").count()), (0, 60));
    assert_well_formed(&larger);
}

#[test]
fn no_two_states_of_a_drawing_overlap() {
    let picture = svg(&space(30, 7));
    let places: std::collections::HashSet<&str> =
        picture.split("transform=\"translate(").skip(1).map(|rest| rest.split_once(')').unwrap().0).collect();
    assert_eq!(places.len(), 30 * 64);
}

#[test]
fn edges_to_missing_states_are_left_out() {
    let mut space = space(3, 1);
    space.edges[0].to = 4_000_000;
    let record = RunRecord { space: Some(space), ..rich() };
    assert_eq!(data(&page(&record))["space"]["edges"].as_array().unwrap().len() % 2, 0);
}
