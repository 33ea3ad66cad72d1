// RUN: %tfx-opt --split-input-file --verify-diagnostics %s
// RUN: %tfx-opt --split-input-file --verify-diagnostics=only-expected %S/Inputs/unexpected.mlir
// RUN: not %tfx-opt --split-input-file --verify-diagnostics %S/Inputs/unexpected.mlir 2>&1 | FileCheck %s

// CHECK: unexpected error: 'arith.addi' op
// expected-error @+1 {{custom op 'func.such' is unknown}}
func.such

// -----

func.func @f() -> i32 {
  // expected-note @+1 {{prior use here}}
  %a = arith.constant 1 : i64
  // expected-error @+1 {{use of value '%a' expects different type than prior uses: 'i32' vs 'i64'}}
  return %a : i32
}
