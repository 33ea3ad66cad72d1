// The loss decides when training ends: the comparison runs in the graph and nothing crosses.
//
// RUN: tfxc run %s --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: w = 0.25
// CHECK: no channels
//
// IR-NOT: warning
// IR-LABEL: tfx_tensor.graph @main.graph() -> tensor<f32> {
// IR:         scf.while
// IR:           arith.cmpf ogt
// IR-LABEL: func.func @main()
// IR-NEXT:    tfx_comm.start
// IR-NEXT:    tfx_comm.finish
// IR-NEXT:    return

func.func @step(%w: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %n = tfx_tensor.op "Mul"(%w, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %l = tfx_tensor.op "Square"(%n) : (tensor<f32>) -> tensor<f32>
  return %n, %l : tensor<f32>, tensor<f32>
}
func.func @main() -> (tensor<f32> {tfx.name = "w"}) {
  %w0 = tfx_tensor.const dense<8.0> : tensor<f32>
  %limit = arith.constant 0.1 : f32
  cf.br ^loop(%w0 : tensor<f32>)
^loop(%w: tensor<f32>):
  %n, %l = func.call @step(%w) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %loss = tfx_tensor.to_scalar %l : tensor<f32> -> f32
  %again = arith.cmpf ogt, %loss, %limit : f32
  cf.cond_br %again, ^loop(%n : tensor<f32>), ^exit
^exit:
  return %n : tensor<f32>
}
