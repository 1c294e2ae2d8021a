//! The behaviour of a page in a browser.

use std::time::Duration;

use report::{AnswerRecord, ProfileRecord, RunRecord, page, svg};
use serde_json::json;

use super::browser::Browser;
use super::samples::{empty, hostile, property, rich, space, sweep, trace};

#[test]
fn charts_show_the_numbers_of_the_record() {
    let Some(browser) = Browser::start("charts") else { return };
    let run = rich();
    browser.open(&page(&run));
    browser.assert_no_trouble();
    assert_eq!(browser.text("h1"), "stop_and_wait.dve");
    // The table of the profile has all points of the first sweep, then of the second.
    let sweeps = &run.search.profile.as_ref().unwrap().sweeps;
    for (number, sweep) in sweeps.iter().enumerate().take(2) {
        browser.click(&format!(".sweeps button:nth-child({})", number + 1));
        browser.click("#profile .numbers > summary");
        browser.eval("new Promise(done => setTimeout(done, 50))");
        assert_eq!(browser.count("#profile tbody tr"), sweep.points.len() as u64);
        let row = browser.text("#profile tbody tr:nth-child(20)");
        let point = &sweep.points[19];
        let numbers = [point.layers, point.expanded, point.largest_layer, point.current, point.future];
        let rest = [point.persistent, point.held(), point.met];
        let cells = numbers.iter().chain(&rest).map(|&number| report::Count(number).to_string());
        assert_eq!(row, format!("{}{}", point.progress, cells.collect::<String>()));
    }
    // The cursor shows them in words.
    browser.focus("#profile .chart");
    browser.key("Home");
    browser.key("ArrowRight");
    let point = &sweeps[1].points[1];
    let told = browser.text("#profile .readout");
    assert!(
        told.starts_with(&format!("progress 3: {} in memory (current {},", point.held(), point.current)),
        "{told}"
    );
    // The line of full exploration has its true height.
    let words = browser.text("#profile .axis.strong");
    assert!(words.contains(&report::Count(sweeps[1].points.last().unwrap().met).to_string()), "{words}");
    for scale in 1..=3 {
        browser.click(&format!("#profile .choice button:nth-of-type({scale})"));
    }
    // The rate is the difference of two samples.
    browser.focus("#rate .chart");
    browser.key("End");
    let told = browser.text("#rate .readout");
    assert_eq!(told, "until 10 s: 9,200,000 explored, here 1,232,000 per second");
    browser.assert_no_trouble();
}

#[test]
fn actions_are_sorted_and_filtered() {
    let Some(browser) = Browser::start("actions") else { return };
    browser.open(&page(&rich()));
    let first = || browser.text("#actions tbody tr:first-child th");
    assert_eq!(first(), "Sender: ready -> waiting");
    browser.click("#actions thead th:nth-child(3) button");
    assert_eq!(
        (first().as_str(), browser.text("#actions tbody .number").as_str()),
        ("Sender: give up", "never")
    );
    assert_eq!(browser.text("#actions thead [aria-sort=ascending]"), "taken");
    browser.enter("#actions input", "link");
    assert_eq!(browser.count("#actions tbody tr"), 2);
    browser.assert_no_trouble();
}

#[test]
fn a_trace_is_walked_by_keyboard() {
    let Some(browser) = Browser::start("trace") else { return };
    browser.open(&page(&rich()));
    let selected = || browser.text("#trace-1 [aria-selected=true] .number");
    browser.focus("#trace-1 .steps");
    for (key, step) in [
        ("ArrowDown", "1"),
        ("j", "2"),
        ("k", "1"),
        ("ArrowUp", "0"),
        ("End", "14"),
        ("Home", "0"),
        ("PageDown", "10"),
    ] {
        browser.key(key);
        assert_eq!(selected(), step, "{key}");
    }
    let active = "document.querySelector('#trace-1 .steps').getAttribute('aria-activedescendant')";
    assert_eq!(browser.eval(active), json!("trace-1-step-10"));
    assert_eq!(browser.text("#trace-1-step-1 .change"), "Sender: ready → waiting");
    // The whole state after ten steps, with the changes of the tenth.
    browser.key("w");
    let state = browser.text("#trace-1 .whole");
    assert!(state.starts_with("State after step 10Senderwaiting"), "{state}");
    assert!(state.contains("Linkempty was full") && state.contains("limit16"), "{state}");
    // The filter keeps the steps that change such a variable, and the list has the focus again.
    browser.key("/");
    browser.enter("#trace-1 input", "sent");
    assert_eq!(browser.count("#trace-1 .step"), 1 + 3);
    assert_eq!(browser.count("#trace-1 .whole tr"), 1);
    browser.key("Enter");
    assert_eq!(browser.eval("document.activeElement.className"), json!("steps"));
    browser.key("?");
    assert_eq!(browser.eval("document.querySelector('#trace-1 .keys').hidden"), json!(false));
    browser.assert_no_trouble();
}

#[test]
fn the_loop_of_a_lasso_is_marked() {
    let Some(browser) = Browser::start("lasso") else { return };
    browser.open(&page(&rich()));
    browser.click(".answers li:nth-child(3) .to-trace");
    browser.eval("new Promise(done => setTimeout(done, 50))");
    assert_eq!(browser.count("#trace-2 .step.loop"), 12);
    assert_eq!(browser.text("#trace-2-step-8 .loop-note"), "↻ loop starts here");
    assert_eq!(browser.text("#trace-2-step-19 .loop-note"), "↻ back to step 8");
    browser.focus("#trace-2 .steps");
    browser.key("l");
    assert_eq!(browser.text("#trace-2 [aria-selected=true] .number"), "8");
    // The sequence chart has three processes, a channel, a bracket, and the same step marked.
    assert_eq!(browser.count("#trace-2 .lifeline"), 4);
    assert_eq!(browser.count("#trace-2 .lifeline.channel"), 1);
    assert_eq!(browser.count("#trace-2 .loop-bracket"), 1);
    assert_eq!(browser.count("#trace-2 .event"), 19);
    assert_eq!(browser.text("#trace-2 .event.now .number"), "8");
    assert_eq!(browser.count("#trace-2 .event .message"), 15);
    browser.assert_no_trouble();
}

#[test]
fn a_component_lists_its_states() {
    let Some(browser) = Browser::start("component") else { return };
    browser.open(&page(&rich()));
    browser.click("#trace-3 > summary");
    browser.eval("new Promise(done => setTimeout(done, 50))");
    browser.click("#trace-3 .component > summary");
    browser.eval("new Promise(done => setTimeout(done, 50))");
    assert_eq!(browser.count("#trace-3 .states li"), 12);
    assert!(browser.text("#trace-3 .component").ends_with("228 more"));
    browser.assert_no_trouble();
}

#[test]
#[allow(clippy::print_stderr, reason = "times are reported, not asserted")]
fn long_traces_and_many_layers_open_at_once() {
    let Some(browser) = Browser::start("long") else { return };
    let mut run = rich();
    run.search.profile = Some(ProfileRecord { sweeps: vec![sweep(1, 100_000, 50)] });
    let html = page(&run);
    let time = browser.open(&html);
    eprintln!("the page of 100,000 layers, {} bytes, was open after {time:?}", html.len());
    assert!(time < Duration::from_secs(20));
    assert_eq!(
        browser
            .eval("data100 = JSON.parse(document.getElementById('page-data').textContent).profile[0].layers"),
        json!(100_000)
    );
    run.space = Some(space(40, 6));
    let time = browser.open(&page(&run));
    eprintln!("the page of a picture of 1,960 states was open after {time:?}");
    run.space = None;
    run.traces[0] = trace(40_000, Some(39_000));
    let time = browser.open(&page(&run));
    eprintln!("the page of a trace of 40,000 steps was open after {time:?}");
    assert!(time < Duration::from_secs(20));
    browser.focus("#trace-1 .steps");
    browser.key("End");
    assert_eq!(browser.text("#trace-1 [aria-selected=true] .number"), "40000");
    assert!(browser.count("#trace-1 .step") <= 100);
    browser.key("w");
    // The last change of this variable is that of the last step.
    assert!(browser.text("#trace-1 .whole").contains("Sender.sent40000 was 39999"));
    assert!(browser.text("#trace-1 .where").ends_with("of 40,000"));
    browser.assert_no_trouble();
}

#[test]
fn the_sweep_is_animated_over_the_drawing() {
    let Some(browser) = Browser::start("sweep") else { return };
    let mut run = empty("phases.dve");
    run.space = Some(space(3, 1));
    browser.open(&page(&run));
    let counter = || browser.text("#space .counter");
    let with = |status: &str| browser.count(&format!("#space .drawing [data-status={status}]"));
    assert_eq!(with("unknown"), 12);
    let step = || browser.click("#space [aria-label='Step forward']");
    step();
    assert_eq!((with("persistent"), counter().as_str()), (1, "Stored now 1 / visited so far 1 · peak 1"));
    step();
    assert_eq!((with("persistent-current"), with("future")), (1, 0));
    // The initial state leads to two states of its layer and to one of the next.
    step();
    assert_eq!((with("persistent-current"), with("current"), with("future")), (1, 2, 1));
    assert_eq!(browser.text("#space .moment"), "Sweep 1, progress 0: state 0 is expanded.");
    browser.click("#space [aria-label='Step back']");
    assert_eq!((with("persistent-current"), with("current"), with("future")), (1, 0, 0));
    // The layer is dropped, except the initial state.
    browser.click("#space [aria-label='Go to the next layer']");
    assert_eq!((with("persistent"), with("forgotten")), (1, 3));
    // To the end: the edge from the last layer to the second makes one more state persistent, and a
    // second sweep.
    let slider = "(s => { s.value = s.max; s.dispatchEvent(new Event('input')); })(document.querySelector('#space input'))";
    browser.eval(slider);
    assert_eq!((with("persistent"), with("forgotten"), with("unknown")), (2, 10, 0));
    assert!(counter().starts_with("Stored now 2 / visited so far 12"), "{}", counter());
    assert!(browser.text("#space .moment").starts_with("Sweep 2, progress 20:"));
    browser.click("#space [aria-label='Back to the start']");
    assert_eq!(with("unknown"), 12);
    // The animation runs until it is paused.
    browser.eval("(s => { s.value = '20'; s.dispatchEvent(new Event('change')); })(document.querySelector('#space select'))");
    browser.click("#space .play");
    browser.eval("new Promise(done => setTimeout(done, 300))");
    browser.click("#space .play");
    assert!(with("unknown") < 12);
    browser.assert_no_trouble();
}

#[test]
fn a_picture_is_self_contained() {
    let Some(browser) = Browser::start("alone") else { return };
    let file = std::env::temp_dir().join(format!("sweepline-picture-{}.svg", std::process::id()));
    std::fs::write(&file, svg(&space(3, 1))).unwrap();
    browser.open_file(&file);
    assert_eq!(browser.count("[data-state]"), 12);
    let dashes = "getComputedStyle(document.querySelector('.edge.regress')).strokeDasharray";
    assert_eq!(browser.eval(dashes), json!("6px, 3px"));
    let ink = "getComputedStyle(document.querySelector('text')).fill";
    let light = browser.eval(ink);
    browser.prefer("prefers-color-scheme", "dark");
    assert_ne!(browser.eval(ink), light);
    std::fs::remove_file(file).unwrap();
    browser.assert_no_trouble();
}

#[test]
fn hostile_names_change_nothing() {
    let Some(browser) = Browser::start("hostile") else { return };
    browser.open(&page(&hostile()));
    for number in 1..=3 {
        browser.eval(&format!("document.querySelector('#trace-{number}').open = true"));
    }
    browser.eval("document.querySelectorAll('details').forEach(d => d.open = true); new Promise(done => setTimeout(done, 100))");
    browser.focus("#trace-1 .steps");
    for key in ["j", "j", "w", "End"] {
        browser.key(key);
    }
    browser.enter("#actions input", "<script>");
    browser.eval("document.querySelectorAll('#space button').forEach(b => b.click())");
    assert_eq!(browser.count("script"), 2);
    assert_eq!(browser.count("main img, main script, [onload], [onerror], [onmouseover], main b b, bdo"), 0);
    // Nothing makes the page wider than the window.
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    browser.assert_no_trouble();
}

#[test]
fn the_policy_blocks_foreign_scripts() {
    let Some(browser) = Browser::start("policy") else { return };
    let html = page(&rich()).replace("<footer>", "<script>window.broken = true;</script><footer>");
    browser.open(&html);
    assert_eq!(browser.eval("window.broken === undefined"), json!(true));
    // The other tests would fail with this error.
    let troubles = browser.troubles();
    assert!(troubles.len() == 1 && troubles[0].contains("Content Security Policy"), "{troubles:?}");
}

#[test]
fn the_theme_follows_the_system_until_it_is_chosen() {
    let Some(browser) = Browser::start("theme") else { return };
    let background = || browser.eval("getComputedStyle(document.body).backgroundColor");
    browser.open(&page(&rich()));
    let light = background();
    browser.prefer("prefers-color-scheme", "dark");
    let dark = background();
    assert_ne!(light, dark);
    browser.click("#theme button:nth-of-type(2)");
    assert_eq!(background(), light);
    browser.prefer("prefers-color-scheme", "light");
    browser.click("#theme button:nth-of-type(3)");
    assert_eq!(background(), dark);
    browser.click("#theme button:nth-of-type(1)");
    assert_eq!(background(), light);
    browser.assert_no_trouble();
}

#[test]
fn every_part_fits_a_narrow_screen_and_has_a_name() {
    let Some(browser) = Browser::start("narrow") else { return };
    browser.size(360, 800);
    browser.open(&page(&rich()));
    assert_eq!(browser.eval("document.documentElement.scrollWidth"), json!(360));
    let nameless = "[...document.querySelectorAll('button, input, select, [tabindex]')].filter(e => \
        !e.textContent.trim() && !e.getAttribute('aria-label')).length";
    assert_eq!(browser.eval(nameless), json!(0));
    // Heading levels increase by one.
    let jumps = "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1]).filter((n, i, all) => i && n > all[i-1] + 1).length";
    assert_eq!(browser.eval(jumps), json!(0));
    browser.assert_no_trouble();
}

#[test]
fn reduced_motion_shows_one_layer_at_a_time() {
    let Some(browser) = Browser::start("still") else { return };
    browser.prefer("prefers-reduced-motion", "reduce");
    browser.open(&page(&rich()));
    assert_eq!(browser.text("#space .play"), "▶ Play");
    browser.click("#space .play");
    browser.eval("new Promise(done => setTimeout(done, 1900))");
    assert_eq!(
        browser.text("#space .moment"),
        "Sweep 1, progress 0: 1 state waits in the layer with the least progress."
    );
    browser.assert_no_trouble();
}

#[test]
fn a_printed_page_has_no_buttons_and_no_dark_theme() {
    let Some(browser) = Browser::start("paper") else { return };
    browser.open(&page(&rich()));
    browser.click("#theme button:nth-of-type(3)");
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    assert_eq!(browser.eval("getComputedStyle(document.body).backgroundColor"), json!("rgb(255, 255, 255)"));
    let shown = "[...document.querySelectorAll('nav, .tools, .pager')].filter(e => getComputedStyle(e).display !== 'none').length";
    assert_eq!(browser.eval(shown), json!(0));
    browser.assert_no_trouble();
}

#[test]
fn an_empty_run_opens_without_errors() {
    let Some(browser) = Browser::start("empty") else { return };
    browser.open(&page(&empty("nothing.dve")));
    let mut run = RunRecord { traces: vec![trace(0, Some(0))], ..empty("still.dve") };
    run.properties = vec![property("x", AnswerRecord::Violated, Some(0))];
    run.search.profile = Some(ProfileRecord { sweeps: vec![sweep(1, 1, 0), sweep(2, 0, 0)] });
    browser.open(&page(&run));
    assert_eq!(browser.text("#trace-1-step-0 .loop-note"), "↻ this state repeats forever");
    browser.click(".sweeps button:nth-child(2)");
    browser.assert_no_trouble();
}
