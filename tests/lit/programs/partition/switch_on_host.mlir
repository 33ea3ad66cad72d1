// A switch of five cases on a number of the host: one number crosses, and no boolean.
//
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 1 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfxc run %s 2 2>&1 | FileCheck %s --check-prefix=RUN3
// RUN: %if tensorflow %{ tfxc run %s 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN3 %}
// RUN: tfxc run %s 3 2>&1 | FileCheck %s --check-prefix=RUN4
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN4 %}
// RUN: tfxc run %s 9 2>&1 | FileCheck %s --check-prefix=RUN5
// RUN: %if tensorflow %{ tfxc run %s 9 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN5 %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// RUN1: y = 2.0
// RUN2: y = 4.0
// RUN3: y = -2.0
// RUN4: y = 1.4142135
// RUN5: y = 1.0
//
// IR-NOT: {{warning|error}}
// IR-LABEL: tfx_tensor.graph @main.graph() -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, i32{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR-LABEL: func.func @main(
// IR-NOT: tfx_tensor.op

!T = tensor<f32>
// 1 + 2 + ... + n, by recursion: it stays on the host.
func.func private @sum(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %done = arith.cmpi sle, %n, %zero : i32
  %r = scf.if %done -> i32 {
    scf.yield %zero : i32
  } else {
    %m = arith.subi %n, %one : i32
    %p = func.call @sum(%m) : (i32) -> i32
    %q = arith.addi %p, %n : i32
    scf.yield %q : i32
  }
  return %r : i32
}
func.func @main(%n: i32) -> (!T {tfx.name = "y"}) {
  %two = tfx_tensor.const dense<2.0> : !T
  %i = tfx_tensor.op "Identity"(%two) : (!T) -> !T
  %s = func.call @sum(%n) : (i32) -> i32
  cf.switch %s : i32, [
    default: ^other,
    0: ^same,
    1: ^square,
    3: ^neg,
    6: ^sqrt
  ]
^same:
  cf.br ^end(%i : !T)
^square:
  %a = tfx_tensor.op "Square"(%i) : (!T) -> !T
  cf.br ^end(%a : !T)
^neg:
  %b = tfx_tensor.op "Neg"(%i) : (!T) -> !T
  cf.br ^end(%b : !T)
^sqrt:
  %c = tfx_tensor.op "Sqrt"(%i) : (!T) -> !T
  cf.br ^end(%c : !T)
^other:
  %d = tfx_tensor.op "Div"(%i, %i) : (!T, !T) -> !T
  cf.br ^end(%d : !T)
^end(%y: !T):
  return %y : !T
}
