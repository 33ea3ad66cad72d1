// Constants are cloned to both sides and never cross, nor do values that are computed from them.
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: 7
// CHECK-NEXT: y = 10.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %three = arith.constant 3 : i32
  %four = arith.constant 4 : i32
  %n = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  %s = arith.addi %three, %four : i32
  tfx_host.print "{}"(%s) : i32
  %f = arith.sitofp %s : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %b = tfx_tensor.op "Neg"(%n) : (!T) -> !T
  %c = tfx_tensor.op "Add"(%b, %t) : (!T, !T) -> !T
  return %c : !T
}
