//! Tests of the page in a real browser: its layout and its appearance.
//!
//! ```text
//!   page + a script that measures ──browser──> the DOM, with the measures    no overlap of lanes
//!   page                          ──browser──> a picture                     like the stored one
//! ```
//!
//! The browser is Chromium's headless shell, which `scripts/setup browser` installs, or the one
//! that `TFX_BROWSER` names. Without a browser, these tests print a note and pass, unless
//! `TFX_BROWSER` is set.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tfx::Source;
use tfx::options::Mode;
use tfx::report::Format;

use crate::report;

/// The names of supported browsers, from the smallest.
const BROWSERS: [&str; 3] = ["chromium-headless-shell", "chromium", "google-chrome"];

/// Returns the browser, or prints a note and returns `None`.
fn browser() -> Option<OsString> {
    if let Some(named) = std::env::var_os("TFX_BROWSER") {
        return Some(named);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = BROWSERS
        .iter()
        .find(|name| folders.iter().any(|folder| folder.join(name).is_file()))
        .map(OsString::from);
    if found.is_none() {
        eprintln!("skipped: no browser found; 'scripts/setup browser' installs one");
    }
    found
}

/// Returns the output of the browser for a page in a window of the given size.
fn show(page: &Path, (width, height): (u32, u32), arguments: &[String]) -> Option<Vec<u8>> {
    let output = Command::new(browser()?)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ])
        .args([
            "--force-device-scale-factor=1",
            "--blink-settings=preferredColorScheme=1",
        ])
        .arg(format!("--window-size={width},{height}"))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser starts");
    assert!(output.status.success(), "{output:?}");
    Some(output.stdout)
}

fn example(name: &str) -> Source {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(name);
    let text = fs::read_to_string(file).unwrap();
    // A short name, so that the page does not depend on the location of the repository.
    Source::new(name, text)
}

/// A script that writes the positions of the page's elements, by class, into the page.
const MEASURE: &str = r#"<script>
const measure = selector => [...document.querySelectorAll(selector)].map(e => {
  const r = e.getBoundingClientRect();
  return {left: r.left, right: r.right, top: r.top, bottom: r.bottom, text: e.innerText,
          cut: e.scrollWidth > e.clientWidth + 1};
});
const found = {width: document.documentElement.scrollWidth, window: document.documentElement.clientWidth};
for (const s of [".row > .host", ".row > .between", ".row > .graph", ".row", ".transfer .between span", ".source tr", ".part"])
  found[s] = measure(s);
const pre = document.createElement("pre");
pre.id = "measured";
pre.textContent = JSON.stringify(found);
document.body.append(pre);
</script>"#;

/// Returns the measures of a page in a window of the given width.
fn measured(html: &str, width: u32) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    fs::write(&page, html.replace("</body>", &format!("{MEASURE}</body>"))).unwrap();
    let tree = show(&page, (width, 2000), &["--dump-dom".to_owned()])?;
    let tree = String::from_utf8(tree).unwrap();
    let (_, rest) = tree
        .split_once("<pre id=\"measured\">")
        .expect("the script ran");
    let (json, _) = rest.split_once("</pre>").unwrap();
    let json = json
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    Some(serde_json::from_str(&json).unwrap())
}

fn list<'v>(measures: &'v Value, selector: &str) -> &'v [Value] {
    measures[selector].as_array().unwrap()
}

fn number(measure: &Value, side: &str) -> f64 {
    measure[side].as_f64().unwrap()
}

#[test]
fn lanes_and_rows_do_not_overlap() {
    let html = report(&example("train_linear_cpu.mlir"), Mode::All, Format::Html);
    for width in [1200, 700, 400] {
        let Some(measures) = measured(&html, width) else {
            return;
        };
        let (hosts, betweens, graphs) = (
            list(&measures, ".row > .host"),
            list(&measures, ".row > .between"),
            list(&measures, ".row > .graph"),
        );
        assert!(hosts.len() > 10 && hosts.len() == betweens.len() && hosts.len() == graphs.len());
        for ((host, between), graph) in hosts.iter().zip(betweens).zip(graphs) {
            assert!(number(host, "right") <= number(between, "left") + 0.5);
            assert!(number(between, "right") <= number(graph, "left") + 0.5);
            assert!(number(host, "right") - number(host, "left") > 50.0);
            assert_eq!(host["cut"], false, "{host}");
            assert_eq!(graph["cut"], false, "{graph}");
        }
        // The channels of all rows are aligned, at any loop depth.
        let middle = |measure: &Value| (number(measure, "left") + number(measure, "right")) / 2.0;
        let channels = list(&measures, ".transfer .between span");
        assert_eq!(channels.len(), 6);
        for channel in channels {
            assert!(
                (middle(channel) - middle(&channels[0])).abs() < 1.0,
                "{channels:?}"
            );
        }
        for selector in [".row", ".source tr"] {
            for pair in list(&measures, selector).windows(2) {
                assert!(
                    number(&pair[0], "bottom") <= number(&pair[1], "top") + 0.5,
                    "{pair:?}"
                );
            }
        }
        // A wide element scrolls on its own, and the page does not.
        assert!(
            number(&measures, "width") <= number(&measures, "window"),
            "at {width}"
        );
    }
}

#[test]
fn loops_contain_their_operations() {
    let html = report(
        &example("train_linear_cpu.mlir"),
        Mode::RoundTrip,
        Format::Html,
    );
    let Some(measures) = measured(&html, 1200) else {
        return;
    };
    let parts = list(&measures, ".part");
    assert_eq!(parts.len(), 4);
    let inside = |inner: &Value, outer: &Value| {
        number(inner, "top") >= number(outer, "top")
            && number(inner, "bottom") <= number(outer, "bottom")
    };
    assert!(inside(&parts[1], &parts[0]) && inside(&parts[3], &parts[2]));
    assert!(!inside(&parts[2], &parts[0]));
    assert!(
        parts[0]["text"]
            .as_str()
            .unwrap()
            .contains("loop, 1000 iterations")
    );
    assert!(
        parts[0]["text"]
            .as_str()
            .unwrap()
            .contains("call @cpu_only")
    );
    assert!(parts[1]["text"].as_str().unwrap().contains("print"));
}

#[test]
fn program_text_is_escaped() {
    let text = "func.func @main() {\n  tfx_host.print \"</td><script>alert(1)</script><b>&amp;\"()\n  return\n}\n";
    let html = report(&Source::new("<i>.mlir", text), Mode::All, Format::Html);
    assert!(!html.contains("<script") && !html.contains("<i>"), "{html}");
    assert!(
        html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;&amp;amp;"),
        "{html}"
    );
}

#[test]
fn the_page_is_self_contained() {
    let html = report(&example("regression.mlir"), Mode::All, Format::Html);
    for outside in ["http:", "https:", "src=", "@import", "url(", "<link"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

// -------------------------------------------------------------------------------------------------
// The picture.

/// The size of the window: wide enough for the lanes, high enough for all but the end of the
/// source.
const WINDOW: (u32, u32) = (1200, 1600);
/// Pictures are compared by squares with this side, in pixels: the rendering of letters differs
/// between machines, their positions do not.
const SQUARE: usize = 20;
/// The maximal difference of the mean brightness of a square, of 255.
const SQUARE_TOLERANCE: f64 = 24.0;
/// The maximal share of squares that differ more.
const SHARE: f64 = 0.02;

/// Returns the path of the stored picture, which `TFX_UPDATE_PICTURES` updates; inspect the new
/// picture then.
fn stored_picture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/data/page.png")
}

#[test]
fn the_page_matches_the_stored_picture() {
    let html = report(
        &example("train_linear_cpu.mlir"),
        Mode::RoundTrip,
        Format::Html,
    );
    let folder = tempfile::tempdir().unwrap();
    let (page, picture) = (
        folder.path().join("page.html"),
        folder.path().join("page.png"),
    );
    fs::write(&page, html).unwrap();
    let argument = format!("--screenshot={}", picture.display());
    if show(&page, WINDOW, &[argument]).is_none() {
        return;
    }
    if std::env::var_os("TFX_UPDATE_PICTURES").is_some() {
        fs::copy(&picture, stored_picture()).unwrap();
    }
    let (ours, theirs) = (squares(&picture), squares(&stored_picture()));
    assert_eq!(ours.len(), theirs.len());
    let pairs = ours.iter().zip(&theirs);
    let off = pairs
        .filter(|(a, b)| (*a - *b).abs() > SQUARE_TOLERANCE)
        .count();
    let share = off as f64 / ours.len() as f64;
    assert!(
        share <= SHARE,
        "{:.1} % of the page differs from {}; if this is intentional, set TFX_UPDATE_PICTURES and inspect the new picture",
        share * 100.0,
        stored_picture().display()
    );
    // An empty page would differ only a little.
    let white = theirs.iter().filter(|mean| **mean > 254.0).count();
    assert!(white * 10 < theirs.len() * 9, "the picture is nearly empty");
}

/// Returns the mean brightness of each square.
fn squares(picture: &Path) -> Vec<f64> {
    let file = BufReader::new(File::open(picture).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let (width, height) = (info.width as usize, info.height as usize);
    let samples = info.color_type.samples();
    let brightness = |x: usize, y: usize| {
        let start = y * info.line_size + x * samples;
        let colors = &bytes[start..start + samples.min(3)];
        colors.iter().map(|color| f64::from(*color)).sum::<f64>() / colors.len() as f64
    };
    let mut means = Vec::new();
    for top in (0..height).step_by(SQUARE) {
        for left in (0..width).step_by(SQUARE) {
            let (bottom, right) = ((top + SQUARE).min(height), (left + SQUARE).min(width));
            let pixels = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
            let sum: f64 = pixels.map(|(x, y)| brightness(x, y)).sum();
            means.push(sum / ((bottom - top) * (right - left)) as f64);
        }
    }
    means
}
