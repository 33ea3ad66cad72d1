// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-constexpr{dynamic=host})' --split-input-file --verify-diagnostics | FileCheck %s
// RUN: not tfx-opt %s --pass-pipeline='builtin.module(tfx-constexpr{dynamic=graph})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tfx-opt %s --tfx-deabstract=dynamic=graph 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: expected 'error' or 'host', got 'graph'

// An operation with an attribute that is not a constant stays on the host. Its other attributes are folded.

// CHECK-LABEL: @some(
// CHECK-SAME:    %[[X:.*]]: tensor<*xf32>, %[[B:.*]]: i1)
// CHECK-NEXT:    tfx_tensor.op "MatMul"(%[[X]], %[[X]]) computed(transpose_b = %[[B]] : i1) {eager, transpose_a = true} :
func.func @some(%x: tensor<*xf32>,
                // expected-note @below {{parameter 1 of '@some'}}
                %b: i1) {
  %true = arith.constant true
  // expected-remark @below {{attribute "transpose_b" of "MatMul" is not a constant: it depends on parameter 1 of '@some', which is known only at run time; so the operation runs by itself on the host, outside of any graph}}
  // expected-note @below {{to keep it in a graph, make "transpose_b" a constant, or use an operation that takes it as a tensor, as built by tfx_tensor.from_scalar}}
  %y = tfx_tensor.op "MatMul"(%x, %x) computed(transpose_a = %true : i1, transpose_b = %b : i1) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// If all attributes are constants, the mark of the front end is removed.

// CHECK-LABEL: @none(
// CHECK-NEXT:    tfx_tensor.op "MatMul"(%{{.*}}, %{{.*}}) {transpose_b = true} :
func.func @none(%x: tensor<*xf32>) {
  %true = arith.constant true
  %y = tfx_tensor.op "MatMul"(%x, %x) computed(transpose_b = %true : i1) {eager} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// A function with such an operation, and a caller of it, are not graph functions; another function is.

// CHECK-LABEL: func.func private @outer(
// CHECK-NOT:     tfx.graph_function
// CHECK:         call @inner
func.func private @outer(%x: tensor<2xf32>) -> tensor<*xf32> attributes {tfx.graph_function} {
  %y = func.call @inner(%x) : (tensor<2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
// CHECK-LABEL: func.func private @inner(
// CHECK-NOT:     tfx.graph_function
// CHECK:         {eager}
func.func private @inner(%x: tensor<2xf32>) -> tensor<*xf32> attributes {tfx.graph_function} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %most = tfx_tensor.op "Max"(%x, %zero) : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
  // expected-note @below {{the tensor operation}}
  %alpha = tfx_tensor.to_scalar %most : tensor<f32> -> f32
  // expected-remark @below {{attribute "alpha" of "LeakyRelu" is not a constant: it depends on a tensor, which only the graph computes; so}}
  // expected-note @below {{to keep it in a graph}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %alpha : f32) : (tensor<2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
// CHECK-LABEL: func.func private @other(
// CHECK-SAME:    attributes {tfx.graph_function}
func.func private @other(%x: tensor<2xf32>) -> tensor<2xf32> attributes {tfx.graph_function} {
  return %x : tensor<2xf32>
}

// -----

// An unreachable operation needs no attribute, on the host either.

// CHECK-LABEL: @never(
// CHECK-NOT:     LeakyRelu
func.func @never(%x: tensor<*xf32>, %a: f32) {
  %false = arith.constant false
  cf.cond_br %false, ^dead, ^exit
^dead:
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %a : f32) : (tensor<*xf32>) -> tensor<*xf32>
  cf.br ^exit
^exit:
  return
}
