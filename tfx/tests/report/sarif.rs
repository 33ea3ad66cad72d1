//! Tests that the SARIF report conforms to its schema.

use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;
use tfx::Source;
use tfx::options::Mode;
use tfx::report::Format;

use crate::report;

/// The OASIS schema of SARIF 2.1.0, as published with the standard.
const SCHEMA: &str = include_str!("data/sarif-schema-2.1.0.json");

fn schema() -> Validator {
    // The published pattern of `run.language` ends with an unmatched bracket. Logs of tfx do not
    // contain that property.
    let published = r"^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$";
    assert!(SCHEMA.contains(published));
    let fixed = SCHEMA.replace(published, "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    let schema: Value = serde_json::from_str(&fixed).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Returns the log of a program, after validating it.
fn log(source: &Source, mode: Mode) -> Value {
    let log: Value = serde_json::from_str(&report(source, mode, Format::Sarif)).unwrap();
    let wrong: Vec<String> = schema()
        .iter_errors(&log)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{log:#}");
    log
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().unwrap()
}

/// Two calls of a function with a round trip.
const INLINED: &str = r#"
func.func private @host(tensor<2xf32>) -> tensor<2xf32>
func.func private @step(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @host(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = func.call @step(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @step(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
"#;

#[test]
fn a_round_trip_has_its_legs_and_its_calls() {
    let log = log(&Source::new("a folder/ö.mlir", INLINED), Mode::RoundTrip);
    let [result] = results(&log) else {
        panic!("{log:#}")
    };
    assert_eq!(result["ruleId"], "round-trip");
    assert_eq!(result["level"], "warning");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20folder/%C3%B6.mlir");
    assert_eq!(place["region"]["startLine"], 5);
    assert_eq!(place["region"]["startColumn"], 8);
    let legs = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let lines = legs.as_array().unwrap().iter();
    let lines: Vec<_> = lines
        .map(|leg| leg["location"]["physicalLocation"]["region"]["startLine"].as_u64())
        .collect();
    assert_eq!(lines, [Some(4), Some(5), Some(6)]);
    let frame = &result["stacks"][0]["frames"][0]["location"];
    assert_eq!(
        frame["message"]["text"],
        "inlined here, the first of 2 places"
    );
}

#[test]
fn columns_are_letters() {
    let line = "  %x = tfx_host.string \"ünïcødé\" tfx_host.boo";
    let text = format!("func.func @f() {{\n{line}\n  return\n}}\n");
    let log = log(&Source::new("f.mlir", text), Mode::RoundTrip);
    let region = &results(&log)[0]["locations"][0]["physicalLocation"]["region"];
    let before = line.split("tfx_host.boo").next().unwrap();
    assert_eq!(region["startColumn"], before.chars().count() + 1, "{log:#}");
}

#[test]
fn all_diagnostics_conform_to_the_schema() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for name in [
        "train_linear_cpu",
        "regression",
        "simulator",
        "until_key_pressed",
        "conditional",
    ] {
        let source = Source::read(&examples.join(name).with_extension("mlir")).unwrap();
        for mode in [
            Mode::RoundTrip,
            Mode::HostToAccelerator,
            Mode::All,
            Mode::Nothing,
        ] {
            count += results(&log(&source, mode)).len();
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn an_error_is_a_result() {
    let log = log(
        &Source::new("bad.mlir", "func.func @f( {\n"),
        Mode::RoundTrip,
    );
    assert_eq!(results(&log)[0]["level"], "error");
}

#[test]
fn the_schema_rejects_invalid_logs() {
    let mut log = log(&Source::new("f.mlir", INLINED), Mode::All);
    log["runs"][0]["results"][0]["level"] = "loud".into();
    assert!(!schema().is_valid(&log));
    log["runs"][0]["results"][0]["level"] = "note".into();
    assert!(schema().is_valid(&log));
    log["runs"][0].as_object_mut().unwrap().remove("tool");
    assert!(!schema().is_valid(&log));
}
