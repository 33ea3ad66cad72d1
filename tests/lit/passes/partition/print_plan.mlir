// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition{print-plan=true})' --verify-diagnostics %s -o %t

func.func private @h(tensor<f32>) -> tensor<f32>
// expected-remark @below {{input of the graph: tensor<f32>}}
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // expected-remark @below {{sent to the host on channel 0: tensor<f32>}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{sent to the graph on channel 1: tensor<f32>}}
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
  // expected-remark @below {{in the graph: tensor<f32>, by a call of the graph function '@twice'}}
  %a = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
  // expected-remark @below {{result of the graph: tensor<f32>, by a call of the graph function '@twice'}}
  %b = func.call @twice(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
// expected-remark @below {{graph function: calls of '@twice' are calls in graphs}}
func.func private @twice(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %y = tfx_tensor.op "Add"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
