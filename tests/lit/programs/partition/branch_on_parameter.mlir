// A branch on a parameter: the graph has it, with an input as the condition; the host does not have it.
//
// RUN: tfxc run %s 3 true 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 false 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 12.0
// RUN2: y = -6.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i1, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op
// IR-NOT: scf.if

!T = tensor<f32>
func.func @main(%a: f32, %p: i1) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %r = scf.if %p -> !T {
    %t = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
    scf.yield %t : !T
  } else {
    %e = tfx_tensor.op "Neg"(%b) : (!T) -> !T
    scf.yield %e : !T
  }
  return %r : !T
}
