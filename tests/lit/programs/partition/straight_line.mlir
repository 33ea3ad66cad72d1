// Two operations without host code between them: one input, one result.
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %c = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
  return %c : !T
}
