// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition{print-plan=true})' --verify-diagnostics %s -o %t
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition{print-plan=table})' %s -o /dev/null 2>&1 | FileCheck %s

// CHECK-LABEL: plan of @f
// CHECK-NEXT:  {{.*}}print-plan.mlir:16:14 tensor<f32> input of the graph {{ *}}the host has it before the graph starts; the graph needs it for "Exp"
// CHECK-NEXT:  {{.*}}print-plan.mlir:18:8 {{ *}}tensor<f32> sent to the host on channel 0 {{ *}}"Exp" is a graph operation; the host needs it for the call of '@h'
// CHECK-NEXT:  {{.*}}print-plan.mlir:20:8 {{ *}}tensor<f32> received by the graph on channel 1 {{ *}}the call of '@h' has no equivalent in a graph; the graph needs it for "Neg"
// CHECK-NEXT:  {{.*}}print-plan.mlir:22:8 {{ *}}tensor<f32> in the graph {{ *}}"Neg" is a graph operation
// CHECK-NEXT:  {{.*}}print-plan.mlir:24:8 {{ *}}tensor<f32> result of the graph {{ *}}"Neg" is a graph operation; the host needs it for the call of '@h'
// CHECK-NEXT:  {{.*}}print-plan.mlir:26:8 {{ *}}tensor<f32> on the host {{ *}}the call of '@h' has no equivalent in a graph
// CHECK-LABEL: plan of @calls
// CHECK-LABEL: plan of @scalars

func.func private @h(tensor<f32>) -> tensor<f32>
// expected-remark @below {{input of the graph: tensor<f32>: the host has it before the graph starts; the graph needs it for "Exp"}}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark @below {{sent to the host on channel 0: tensor<f32>: "Exp" is a graph operation; the host needs it for the call of '@h'}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{received by the graph on channel 1: tensor<f32>: the call of '@h' has no equivalent in a graph}}
  %b = func.call @h(%a) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{in the graph: tensor<f32>}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{result of the graph: tensor<f32>}}
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{on the host: tensor<f32>}}
  %e = func.call @h(%d) : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}

// expected-remark @below {{input of the graph: tensor<f32>}}
func.func @calls(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark @below {{in the graph: tensor<f32>: a call of the graph function '@twice'}}
  %a = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{result of the graph: tensor<f32>: a call of the graph function '@twice'; the host needs it for the return}}
  %b = func.call @twice(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
// expected-remark @below {{graph function: calls of '@twice' stay calls, in the calling graphs}}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// expected-remark @below {{input of the graph: tensor<f32>}}
// expected-remark @below {{input of the graph: i32}}
func.func @scalars(%x: tensor<f32>, %n: i32) -> tensor<f32> {
  // expected-remark @below {{sent to the host on channel 0: tensor<f32>}}
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{replicated on both sides: i32: both sides need it, and each can compute it from the values that it has}}
  %m = arith.addi %n, %n : i32
  tfx_host.print "{} {}"(%m, %y) : i32, tensor<f32>
  // expected-remark @below {{moved to the graph: i32: only the graph needs it}}
  %k = arith.muli %m, %n : i32
  // expected-remark @below {{in the graph: tensor<i32>: only the graph needs it}}
  %t = tfx_tensor.from_scalar %k : i32
  // expected-remark @below {{in the graph: tensor<f32>}}
  %c = tfx_tensor.op "Cast"(%t) : (tensor<i32>) -> tensor<f32>
  // expected-remark @below {{result of the graph: tensor<f32>}}
  %z = tfx_tensor.op "Add"(%y, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
