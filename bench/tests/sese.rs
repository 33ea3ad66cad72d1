//! Tests that the output of `tfx-sese` is never larger than that of upstream's structuring.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Sizes for which upstream's pass is fast.
const SIZES: &str = "50,300";

#[test]
fn output_is_never_larger_than_upstreams() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sese.json");
    let bench = Command::new(env!("CARGO_BIN_EXE_tfx-bench"))
        .args(["sese", "--sizes", SIZES, "--runs", "1", "--json"])
        .arg(&path)
        .output()
        .expect("the benchmark starts");
    assert!(
        bench.status.success(),
        "{}",
        String::from_utf8_lossy(&bench.stderr)
    );
    let rows = std::fs::read_to_string(&path).expect("the benchmark writes its rows");
    let rows: Vec<Value> = serde_json::from_str(&rows).expect("the rows are JSON");
    assert!(!rows.is_empty());
    for row in rows {
        let operations = |side: &str| {
            let counted = row[side]["Measured"]["operations"].as_u64();
            counted.unwrap_or_else(|| panic!("{side} is not counted in {row}"))
        };
        let (ours, upstream) = (operations("ours"), operations("upstream"));
        assert!(ours <= upstream, "{ours} operations in {row}");
        if row["shape"] == "multi-exit-loops" {
            assert!(ours < upstream, "{ours} operations, no fewer, in {row}");
        }
    }
}
