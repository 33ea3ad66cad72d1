//! Tests of drawings: large programs, and deep ones.

use std::fmt::Write;
use std::time::{Duration, Instant};

use melior::Context;
use tfx::{Source, report};

/// Far more than a drawing takes, and less than any quadratic part would.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the drawing of a program, and the time that it took after extraction.
fn drawing(text: &str) -> (String, Duration) {
    let context = Context::new();
    tfx::prepare(&context);
    let source = Source::new("f.mlir", text);
    let mut program = source.parse(&context).expect("a program");
    program.extract().expect("a program");
    let start = Instant::now();
    (report::dot(&program), start.elapsed())
}

#[test]
fn ten_thousand_operations() {
    let mut text = "func.func @f(%v0: tensor<4xf32>) -> tensor<4xf32> {\n".to_owned();
    let count = 10_000;
    for index in 0..count {
        let next = index + 1;
        let types = "(tensor<4xf32>) -> tensor<4xf32>";
        writeln!(
            text,
            "%v{next} = tfx_tensor.op \"Neg\"(%v{index}) : {types}"
        )
        .unwrap();
    }
    writeln!(text, "return %v{count} : tensor<4xf32> }}").unwrap();
    let (picture, time) = drawing(&text);
    assert_eq!(picture.matches("[label=\"Neg\"").count(), count);
    assert!(picture.matches(" -> ").count() > count);
    assert!(time < PATIENCE, "{time:?}");
    assert_eq!(drawing(&text).0, picture);
}

#[test]
fn deep_nests() {
    let depth = 500;
    let text = format!(
        "func.func private @g()\nfunc.func @f(%c: i1) {{\n{}func.call @g() : () -> ()\n{}return }}",
        "scf.if %c {\n".repeat(depth),
        "}\n".repeat(depth)
    );
    let (picture, time) = drawing(&text);
    assert_eq!(picture.matches("[label=\"if\"").count(), depth);
    assert_eq!(picture.matches('{').count(), picture.matches('}').count());
    assert!(time < PATIENCE, "{time:?}");
}
