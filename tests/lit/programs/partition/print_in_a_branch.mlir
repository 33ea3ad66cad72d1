// A copy for a print in one arm is sent in that arm only.
//
// RUN: tfxc run %s 3 true 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 false 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: 6.0
// RUN1-NEXT: y = 12.0
// RUN2: y = 12.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i1, %{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, tensor<f32>{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR: scf.if
// IR-NEXT: tfx_comm.send
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %p: i1) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  scf.if %p {
    tfx_host.print "{}"(%b) : !T
  }
  %c = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
  return %c : !T
}
