// RUN: tfx-opt %s --tfx-specialize --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tfx-opt %s --tfx-compile --split-input-file 2>/dev/null | FileCheck %s --check-prefix=COMPILED

// A public generic function that nothing calls with type arguments stays, with the declarations that it needs; no code is generated for it. Tables and private functions are erased.

// CHECK:       tfx_host.protocol private @Layer {call: (!tfx_host.param<"Self">) -> f32 = @default}
// CHECK-NOT:   tfx_host.protocol
// CHECK-NOT:   tfx_host.witness_table
// CHECK:       func.func @library(
// CHECK:       func.func private @default(
// CHECK:       func.func private @helper(
// CHECK-NOT:   func.func
// COMPILED-NOT: tfx_host
// COMPILED-NOT: {{@library|@helper|@default}}
tfx_host.protocol private @Layer {call: (!tfx_host.param<"Self">) -> f32 = @default}
tfx_host.protocol @Unneeded {}
tfx_host.witness_table @W : i32 conforms @Layer {}
// expected-remark @below {{no code is generated for generic function '@library', because nothing calls it with type arguments; call it with tfx_host.call, or make it private}}
func.func @library(%l: !tfx_host.param<"L">, %p: i1) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.param<"L">>
  scf.if %p {
    tfx_host.store %l, %v : !tfx_host.param<"L">
  }
  cf.cond_br %p, ^a, ^b
^a:
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"L"> (%l) : (!tfx_host.param<"L">) -> f32
  return %y : f32
^b:
  %z = tfx_host.call @helper<[!tfx_host.param<"L">]>(%l) : (!tfx_host.param<"L">) -> f32
  return %z : f32
}
func.func private @default(%l: !tfx_host.param<"L">) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}
func.func private @helper(%l: !tfx_host.param<"L">) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"L">]} {
  %t = tfx_tensor.const dense<1.0> : tensor<f32>
  %x = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  %zero = tfx_tensor.to_scalar %x : tensor<f32> -> f32
  return %zero : f32
}
func.func private @nobody(%l: !tfx_host.param<"L">) attributes {tfx_host.type_params = [#tfx_host.type_param<"L">]} {
  return
}

// -----

// One that is called with type arguments stays, too, and is not reported.

// CHECK:       func.func @used(
// CHECK:       func.func private @"used<i32>"(
// COMPILED:    llvm.func internal @main
func.func @used(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}
func.func @main(%x: i32) -> i32 {
  %y = tfx_host.call @used<[i32]>(%x) : (i32) -> i32
  return %y : i32
}
