//! Screenshots of pages, written to the folder that SWEEPLINE_PICTURES names, if it is set. Run
//! records in this folder (`*.json`) get screenshots, too.

use std::fs;
use std::path::{Path, PathBuf};

use report::{page, read_run_record};
use serde_json::json;

use super::browser::Browser;
use super::samples::{hostile, rich, space};

/// Height of a screenshot, in pixels.
const SLICE: u64 = 1_400;
/// Maximum number of screenshots per page.
const MOST_SLICES: usize = 8;

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test reports it")]
fn screenshots_are_written_on_request() {
    let Some(folder) = std::env::var_os("SWEEPLINE_PICTURES").map(PathBuf::from) else {
        eprintln!("skipped: screenshots_are_written_on_request: SWEEPLINE_PICTURES is not set");
        return;
    };
    let Some(browser) = Browser::start("pictures") else { return };
    let mut large = rich();
    large.space = Some(space(14, 5));
    let mut layers = rich();
    layers.space = Some(space(60, 6));
    let mut pages = vec![("rich".into(), rich()), ("hostile".into(), hostile())];
    pages.extend([("large".into(), large), ("layers".into(), layers)]);
    for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|ending| ending == "json") {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            pages.push((name, read_run_record(&fs::read(&file).unwrap()).unwrap()));
        }
    }
    for (name, run) in pages {
        let file = folder.join(format!("{name}.html"));
        fs::write(&file, page(&run)).unwrap();
        for (kind, width, scheme) in
            [("light", 1200, "light"), ("dark", 1200, "dark"), ("narrow", 380, "light")]
        {
            browser.size(width, 900);
            browser.prefer("prefers-color-scheme", scheme);
            browser.open_file(&file);
            prepare(&browser);
            picture(&browser, &folder, &format!("{name}-{kind}"));
        }
        browser.assert_no_trouble();
    }
}

/// Unfolds all details, and moves to the middle of the animated sweep.
fn prepare(browser: &Browser) {
    browser.eval("document.querySelectorAll('details.trace').forEach(d => d.open = true)");
    browser.eval("(s => { if (s) { s.value = Math.floor(s.max * 0.62); s.dispatchEvent(new Event('input')); } })(document.querySelector('#space input'))");
    browser.eval("(b => { if (b) b.click(); })(document.querySelector('#trace-1 .tools button'))");
    browser.eval("(s => { if (s) s.children[4]?.click(); })(document.querySelector('#trace-1 .steps'))");
    browser.eval("new Promise(done => setTimeout(done, 400))");
}

/// Takes one screenshot per screen height of the page, so that the text stays legible.
fn picture(browser: &Browser, folder: &Path, name: &str) {
    let size = browser.eval("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]");
    let (width, height) = (size[0].as_u64().unwrap(), size[1].as_u64().unwrap());
    for (number, y) in (0..height).step_by(SLICE as usize).enumerate().take(MOST_SLICES) {
        let clip = json!({"x": 0, "y": y, "width": width, "height": SLICE.min(height - y), "scale": 1});
        let parameters = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let shot = browser.call("Page.captureScreenshot", parameters);
        fs::write(folder.join(format!("{name}-{number}.png")), decode(shot["data"].as_str().unwrap()))
            .unwrap();
    }
}

/// Decodes Base64, as far as screenshots need it.
fn decode(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    let text: Vec<u8> = text.bytes().filter(|&c| c != b'=').collect();
    for group in text.chunks(4) {
        let bits = group.iter().enumerate().map(|(i, &c)| u32::from(digit(c)) << (18 - 6 * i)).sum::<u32>();
        bytes.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}
