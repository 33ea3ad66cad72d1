// Unused operations are erased, except those with state.
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 6.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-NOT: "Exp"
// IR: "RandomUniform"
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %shape = tfx_tensor.const dense<2> : tensor<1xi32>
  %d = tfx_tensor.op "Exp"(%x) : (!T) -> !T
  %r = tfx_tensor.op "RandomUniform"(%shape) : (tensor<1xi32>) -> tensor<2xf32>
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  return %b : !T
}
