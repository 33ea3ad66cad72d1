//! Tests that JSON output conforms to its schema.

use jsonschema::Validator;
use melior::Context;
use serde_json::Value;
use tfx::Source;
use tfx::options::{CompileOptions, Mode};
use tfx::report::{Format, json};

use crate::{report, report_with};

/// The schema of diagnostics and of reports.
const SCHEMA: &str = include_str!("../../../docs/tfxc.schema.json");

fn schema() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

/// Parses JSON, and validates it.
fn valid(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap();
    let wrong: Vec<String> = schema()
        .iter_errors(&value)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{value:#}");
    value
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// A round trip in a function that is inlined, with letters of several bytes.
const PROGRAM: &str = r#"
func.func private @host(tensor<2xf32>) -> tensor<2xf32>
func.func private @step(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @host(%a) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "ö"() %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = func.call @step(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}
"#;

#[test]
fn a_report_has_its_copies() {
    let source = Source::new("ö.mlir", PROGRAM);
    let report = valid(&report(&source, Mode::RoundTrip, Format::Json));
    let diagnostics = list(&report["diagnostics"]);
    let trip = diagnostics
        .iter()
        .find(|one| one["code"]["code"] == "round-trip")
        .unwrap();
    let span = &trip["spans"][0];
    assert_eq!(span["file_name"], "ö.mlir");
    assert_eq!(
        (&span["line_start"], &span["column_start"]),
        (&5.into(), &8.into())
    );
    assert_eq!(span["column_end"], 17);
    assert!(trip["rendered"].as_str().unwrap().contains("\n       ^\n"));
    assert!(list(&trip["children"]).len() > 2);
    let back = list(&trip["children"])
        .iter()
        .find(|note| note["spans"][0]["line_start"] == 6)
        .unwrap();
    assert_eq!(back["spans"][0]["column_start"], 29);
    assert_eq!(back["code"], Value::Null);

    let [program] = list(&report["programs"]) else {
        panic!("{report:#}")
    };
    let transfers = list(&program["transfers"]);
    assert_eq!(transfers.len(), 2);
    assert_eq!(transfers[0]["direction"], "to_host");
    assert_eq!(transfers[1]["round_trip"], true);
    assert_eq!(
        (&transfers[1]["bytes"], &transfers[1]["executions"]),
        (&8.into(), &1.into())
    );
    let kinds = list(&program["timeline"])
        .iter()
        .map(|row| row["kind"].as_str().unwrap());
    assert_eq!(kinds.filter(|kind| *kind == "transfer").count(), 2);
}

/// Two products that can run at the same time.
const TOWERS: &str = r#"
func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %b = tfx_tensor.op "MatMul"(%x, %x) {transpose_a = true} : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %c = tfx_tensor.op "AddV2"(%a, %b) : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %c : tensor<256x256xf32>
}
"#;

#[test]
fn a_report_has_its_schedules() {
    let source = Source::new("towers.mlir", TOWERS);
    let mut options = CompileOptions::default();
    let without = valid(&report_with(&source, options.clone(), Format::Json));
    assert_eq!(without["schedules"], Value::Null);
    options.streams.streams = 2;
    let report = valid(&report_with(&source, options, Format::Json));
    let [schedule] = list(&report["schedules"]) else {
        panic!("{report:#}")
    };
    assert_eq!(schedule["span"]["line_start"], 3);
    assert_eq!(
        (&schedule["kernels"], &schedule["copies"]),
        (&3.into(), &0.into())
    );
    assert_eq!(list(&schedule["streams"]), ["cpu", "cpu"]);
    let [arena] = list(&schedule["arenas"]) else {
        panic!("{report:#}")
    };
    assert_eq!(arena["bytes"], arena["bound"]);
    // The two products overlap.
    let simulation = &schedule["simulation"];
    let time = simulation["time"].as_u64().unwrap();
    let busy = simulation["devices"][0]["busy"].as_u64().unwrap();
    assert!(time > 0 && busy <= time, "{simulation:#}");
}

#[test]
fn all_examples_conform_to_the_schema() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut count = 0;
    for file in std::fs::read_dir(examples).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|end| end == "mlir") {
            for mode in [Mode::RoundTrip, Mode::All] {
                let source = Source::read(&path).unwrap();
                let report = valid(&report(&source, mode, Format::Json));
                count += list(&report["programs"]).len();
            }
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn each_diagnostic_is_a_line() {
    let source = Source::new("bad.mlir", "func.func @f() {\n  return %x : i32\n}\n");
    let context = Context::new();
    tfx::prepare(&context);
    let error = source.parse(&context).unwrap_err();
    let text = json::error(error, &source);
    assert_eq!(text.lines().count(), 1);
    let error = valid(&text);
    assert_eq!(error["level"], "error");
    assert_eq!(error["code"]["code"], "compile");
    assert_eq!(error["spans"][0]["text"][0]["text"], "  return %x : i32");

    let error = tfx::Error::new(tfx::ErrorKind::File, "cannot read 'a'");
    let error = valid(&json::error(error, &source));
    assert_eq!(error["spans"], Value::Array(Vec::new()));
    assert_eq!(error["rendered"], "error: cannot read 'a'\n");
}
