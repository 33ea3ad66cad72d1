// A branch on a host predicate that is evaluated after the start: one boolean.
//
// RUN: tfxc run %s 3 5 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 5 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 4 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 4 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 12.0
// RUN2: y = -6.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, i1{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op
// IR-NOT: scf.if

!T = tensor<f32>
// A recursive predicate stays on the host.
func.func private @odd(%n: i32) -> i1 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %done = arith.cmpi sle, %n, %zero : i32
  %r = scf.if %done -> i1 {
    %no = arith.constant false
    scf.yield %no : i1
  } else {
    %m = arith.subi %n, %one : i32
    %p = func.call @odd(%m) : (i32) -> i1
    %yes = arith.constant true
    %q = arith.xori %p, %yes : i1
    scf.yield %q : i1
  }
  return %r : i1
}
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %p = func.call @odd(%n) : (i32) -> i1
  %r = scf.if %p -> !T {
    %t = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
    scf.yield %t : !T
  } else {
    %e = tfx_tensor.op "Neg"(%b) : (!T) -> !T
    scf.yield %e : !T
  }
  return %r : !T
}
