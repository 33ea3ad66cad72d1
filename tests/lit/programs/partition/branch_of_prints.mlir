// A branch that only the host needs is not in the graph.
//
// RUN: tfxc run %s 3 true 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 false 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: yes
// RUN1-NEXT: y = 12.0
// RUN2: no
// RUN2-NEXT: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-NOT: scf.if
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %p: i1) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  scf.if %p {
    tfx_host.print "yes"()
  } else {
    tfx_host.print "no"()
  }
  %c = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
  return %c : !T
}
