// The host prints a scalar that is computed from three scalars of the graph: only the printed one crosses.
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: -27.0
// CHECK-NEXT: y = 9.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, f32{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %c = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %d = tfx_tensor.op "Neg"(%c) : (!T) -> !T
  %s = tfx_tensor.to_scalar %b : !T -> f32
  %t = tfx_tensor.to_scalar %c : !T -> f32
  %u = tfx_tensor.to_scalar %d : !T -> f32
  %v = arith.subf %u, %s : f32
  %w = arith.subf %v, %s : f32
  %z = arith.subf %w, %s : f32
  tfx_host.print "{}"(%z) : f32
  %n = tfx_tensor.op "Add"(%c, %d) : (!T, !T) -> !T
  %o = tfx_tensor.op "Add"(%n, %c) : (!T, !T) -> !T
  return %o : !T
}
