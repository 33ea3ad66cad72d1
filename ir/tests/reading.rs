//! Reading modules from memory.

use melior::Context;
use tfx_ir::diag::Collector;
use tfx_ir::module;

#[test]
fn a_text_ends_where_it_says() {
    let context = Context::new();
    let collector = Collector::new(&context);
    // What follows in memory must not become part of the last word.
    let memory = "module {}";
    assert!(module::parse(&context, &memory[..3], "cut.mlir").is_none());
    let reported = collector.take();
    assert!(reported[0].message.contains("'mod'"), "{reported:?}");
}

#[test]
fn an_error_that_quotes_invalid_utf8_is_reported() {
    let context = Context::new();
    let text = "module attributes {x.y = \"strange text\"} {}";
    let module = module::parse(&context, text, "whole.mlir").expect("a module");
    let mut bytes = module::bytecode(&module);
    let at = bytes.windows(7).position(|window| window == b"builtin");
    let at = at.expect("the name of the dialect");
    bytes[at..at + 3].fill(0xff);
    let collector = Collector::new(&context);
    assert!(module::parse_bytecode(&context, &bytes, "damaged.mlirbc").is_none());
    let reported = collector.take();
    assert!(
        reported.iter().any(|one| one.message.contains('\u{fffd}')),
        "{reported:?}"
    );
}
