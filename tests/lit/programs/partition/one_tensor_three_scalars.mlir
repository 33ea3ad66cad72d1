// The host prints three scalars that are computed from one scalar of the graph: only that scalar crosses.
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: 12.0 36.0 -6.0
// CHECK-NEXT: y = -6.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, f32{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %s = tfx_tensor.to_scalar %b : !T -> f32
  %c = arith.addf %s, %s : f32
  %d = arith.mulf %s, %s : f32
  %e = arith.negf %s : f32
  tfx_host.print "{} {} {}"(%c, %d, %e) : f32, f32, f32
  %n = tfx_tensor.op "Neg"(%b) : (!T) -> !T
  return %n : !T
}
