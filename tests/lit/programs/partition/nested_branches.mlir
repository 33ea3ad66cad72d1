// Two host predicates, one in the branch of the other: the inner one crosses only where it is evaluated.
//
// RUN: tfxc run %s 3 5 2 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 5 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 5 3 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 5 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfxc run %s 3 4 3 2>&1 | FileCheck %s --check-prefix=RUN3
// RUN: %if tensorflow %{ tfxc run %s 3 4 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN3 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = -12.0
// RUN2: y = 144.0
// RUN3: y = 6.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph(%{{[^:]*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, i1{{(, capacity = [0-9]+)?}}>, #tfx_comm.channel<1, to_graph, i1{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR: %[[P:.*]] = tfx_comm.recv from 0
// IR-NEXT: scf.if %[[P]]
// IR: %[[Q:.*]] = tfx_comm.recv from 1
// IR-NEXT: scf.if %[[Q]]
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

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
func.func @main(%a: f32, %n: i32, %m: i32) -> (!T {tfx.name = "y"}) {
  %x = tfx_tensor.from_scalar %a : f32
  %b = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  %p = func.call @odd(%n) : (i32) -> i1
  %r = scf.if %p -> !T {
    %t = tfx_tensor.op "Add"(%b, %b) : (!T, !T) -> !T
    %q = func.call @odd(%m) : (i32) -> i1
    %i = scf.if %q -> !T {
      %u = tfx_tensor.op "Square"(%t) : (!T) -> !T
      scf.yield %u : !T
    } else {
      %v = tfx_tensor.op "Neg"(%t) : (!T) -> !T
      scf.yield %v : !T
    }
    scf.yield %i : !T
  } else {
    scf.yield %b : !T
  }
  return %r : !T
}
