// The same with a print in each iteration: the host receives one boolean in each iteration, and not the tensor.
//
// RUN: tfxc run %s 30 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 30 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: again
// CHECK-NEXT: again
// CHECK-NEXT: y = 120.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, i1{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %limit = arith.constant 100.0 : f32
  %r = scf.while (%v = %x) : (!T) -> !T {
    %s = tfx_tensor.to_scalar %v : !T -> f32
    %go = arith.cmpf olt, %s, %limit : f32
    scf.condition(%go) %v : !T
  } do {
  ^bb0(%v: !T):
    tfx_host.print "again"()
    %w = tfx_tensor.op "Add"(%v, %v) : (!T, !T) -> !T
    scf.yield %w : !T
  }
  return %r : !T
}
