// An early return becomes a branch that the graph decides from an input.
//
// RUN: tfxc run %s 3 1 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 0 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 6.0
// RUN2: y = 36.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: i32, %{{[^:]*}}: tensor<f32>) -> tensor<f32> {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %p = arith.cmpi sgt, %n, %zero : i32
  cf.cond_br %p, ^out(%b : !T), ^on
^on:
  %s = tfx_tensor.op "Square"(%b) : (!T) -> !T
  cf.br ^out(%s : !T)
^out(%r: !T):
  return %r : !T
}
