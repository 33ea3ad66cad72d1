// Predicates that only the host has decide about a loop and a branch in it: two booleans to the graph in each iteration, one of them for the loop condition, nothing
// back, and no warning. (tools/tfxc/programs/conditions.mlir tests that the graph computes such conditions itself if it can.)
//
// RUN: tfxc run %s 5 --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 5 --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      r = [7. 7.]
// CHECK:      {{0 +to graph +i1 +6 +6 }}
// CHECK-NEXT: {{1 +to graph +i1 +5 +5 }}
// CHECK-NOT:  {{2 +to}}
//
// IR-NOT: {{warning|error}}
// IR:      tfx_tensor.graph @main.graph() -> tensor<2xf32> channels [#tfx_comm.channel<0, to_graph, i1>, #tfx_comm.channel<1, to_graph, i1>]
// IR:        scf.while (%{{.*}} = %{{.*}}) : (tensor<2xf32>) -> tensor<2xf32> {
// IR-NEXT:     tfx_comm.recv from 0 : i1
// IR:          %[[EVEN:.*]] = tfx_comm.recv from 1 : i1
// IR-NEXT:     scf.if %[[EVEN]]
// IR:      func.func @main(
// IR:        scf.while
// IR-NOT:      scf.if
// IR:        %[[R:.*]] = tfx_comm.finish
// IR-NEXT:   return %[[R]]

!T = tensor<2xf32>
// Tests whether n is even and not negative, by recursion: it stays on the host.
func.func private @even(%n: i32) -> i1 {
  %two = arith.constant 2 : i32
  %zero = arith.constant 0 : i32
  %small = arith.cmpi slt, %n, %two : i32
  %r = scf.if %small -> i1 {
    %e = arith.cmpi eq, %n, %zero : i32
    scf.yield %e : i1
  } else {
    %m = arith.subi %n, %two : i32
    %e = func.call @even(%m) : (i32) -> i1
    scf.yield %e : i1
  }
  return %r : i1
}
// Tests whether a is less than b, by recursion, too.
func.func private @less(%a: i32, %b: i32) -> i1 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %end = arith.cmpi sle, %b, %zero : i32
  %r = scf.if %end -> i1 {
    %no = arith.constant false
    scf.yield %no : i1
  } else {
    %start = arith.cmpi sle, %a, %zero : i32
    %s = scf.if %start -> i1 {
      %yes = arith.constant true
      scf.yield %yes : i1
    } else {
      %c = arith.subi %a, %one : i32
      %d = arith.subi %b, %one : i32
      %t = func.call @less(%c, %d) : (i32, i32) -> i1
      scf.yield %t : i1
    }
    scf.yield %s : i1
  }
  return %r : i1
}
func.func @main(%steps: i32) -> (!T {tfx.name = "r"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c1 = tfx_tensor.const dense<1.0> : !T
  %c2 = tfx_tensor.const dense<2.0> : !T
  %r0 = tfx_tensor.const dense<0.0> : !T
  cf.br ^header(%zero, %r0 : i32, !T)
^header(%step: i32, %r: !T):
  %go = func.call @less(%step, %steps) : (i32, i32) -> i1
  cf.cond_br %go, ^body, ^exit
^body:
  %even = func.call @even(%step) : (i32) -> i1
  cf.cond_br %even, ^a, ^b
^a:
  %ra = tfx_tensor.op "AddV2"(%r, %c1) : (!T, !T) -> !T
  cf.br ^latch(%ra : !T)
^b:
  %rb = tfx_tensor.op "AddV2"(%r, %c2) : (!T, !T) -> !T
  cf.br ^latch(%rb : !T)
^latch(%rn: !T):
  %next = arith.addi %step, %one : i32
  cf.br ^header(%next, %rn : i32, !T)
^exit:
  return %r : !T
}
