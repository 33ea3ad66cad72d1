//! Diagnostics of deabstraction and their places, chains of calls included.

mod harness;

use harness::run;

#[test]
fn an_error_in_an_inlined_body_names_the_callers() {
    let text = "\
func.func @f() -> i32 {
  %v = tfx_host.var : !tfx_host.ref<i32>
  %x = func.call @read(%v) : (!tfx_host.ref<i32>) -> i32
  return %x : i32
}
func.func private @read(%v: !tfx_host.ref<i32>) -> i32 {
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  return %x : i32
}
";
    let outcome = run(text, &tfx_deabstraction::pipeline(&Default::default()));
    assert!(outcome.ir.is_none());
    assert_eq!(
        outcome.diagnostics,
        "t.mlir:7:8: error: variable is read before it is written\nt.mlir:2:8: note: the variable is declared here"
    );
    assert_eq!(outcome.chain, ["t.mlir:7:8", "t.mlir:3:8"]);
}

#[test]
fn a_failed_pass_reports_all_errors() {
    let text = "\
func.func @f() -> (i32, i32) {
  %v = tfx_host.var : !tfx_host.ref<i32>
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  return %x, %y : i32, i32
}
";
    let outcome = run(text, "func.func(tfx-ssa)");
    assert!(outcome.ir.is_none());
    let errors: Vec<_> = outcome
        .diagnostics
        .lines()
        .filter(|line| line.contains("error"))
        .collect();
    assert_eq!(errors.len(), 2, "{}", outcome.diagnostics);
    assert!(errors[0].starts_with("t.mlir:3:8") && errors[1].starts_with("t.mlir:4:8"));
}
