// TensorFlow's functional control flow, as imported graphs contain it inside of functions: the reference interpreter
// runs it as the executors do, at every depth.
//
// RUN: tfxc interpret %s 6 | FileCheck %s --check-prefixes=CHECK,SIX
// RUN: tfxc interpret %s 3 | FileCheck %s --check-prefixes=CHECK,THREE
// RUN: tfxc run %s 6 --executor embedded | FileCheck %s --check-prefixes=CHECK,SIX
// RUN: tfxc run %s 3 --executor embedded | FileCheck %s --check-prefixes=CHECK,THREE
// RUN: %if tensorflow %{ tfxc run %s 6 --executor tensorflow | FileCheck %s --check-prefixes=CHECK,SIX %}
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow | FileCheck %s --check-prefixes=CHECK,THREE %}
//
// SIX:        half 3, case 1, times 8, loop 4 6
// THREE:      half 3, case 3, times 8, loop 4 3
// CHECK-NEXT: number 1, none 0

!T = tensor<i32>
tfx_tensor.graph private @half(%x: !T) -> !T {
  %two = tfx_tensor.const dense<2> : !T
  %y = tfx_tensor.op "FloorDiv"(%x, %two) : (!T, !T) -> !T
  tfx_tensor.return %y : !T
}
tfx_tensor.graph private @same(%x: !T) -> !T {
  tfx_tensor.return %x : !T
}
tfx_tensor.graph private @one(%x: !T) -> !T {
  %one = tfx_tensor.const dense<1> : !T
  tfx_tensor.return %one : !T
}
tfx_tensor.graph private @none(%x: !T) -> !T {
  %none = tfx_tensor.const dense<0> : !T
  tfx_tensor.return %none : !T
}
tfx_tensor.graph private @less(%i: !T, %v: !T, %n: !T) -> tensor<i1> {
  %go = tfx_tensor.op "Less"(%i, %n) : (!T, !T) -> tensor<i1>
  tfx_tensor.return %go : tensor<i1>
}
// A Case in the body of a loop; the iteration arguments are swapped.
tfx_tensor.graph private @step(%i: !T, %v: !T, %n: !T) -> (!T, !T, !T) {
  %one = tfx_tensor.const dense<1> : !T
  %j = tfx_tensor.op "AddV2"(%i, %one) : (!T, !T) -> !T
  %four = tfx_tensor.const dense<4> : !T
  %p = tfx_tensor.op "Less"(%v, %four) : (!T, !T) -> tensor<i1>
  %w = tfx_tensor.op "StatelessIf"(%p, %v) {then_branch = @double, else_branch = @same, output_shapes = [[]]} : (tensor<i1>, !T) -> !T
  tfx_tensor.return %j, %w, %n : !T, !T, !T
}
tfx_tensor.graph private @double(%x: !T) -> !T {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (!T, !T) -> !T
  tfx_tensor.return %y : !T
}
tfx_tensor.graph private @twice(%x: !T) -> !T {
  %y = tfx_tensor.op "PartitionedCall"(%x) {f = @double} : (!T) -> !T
  %z = tfx_tensor.op "StatefulPartitionedCall"(%y) {f = @double} : (!T) -> !T
  tfx_tensor.return %z : !T
}
tfx_tensor.graph @g(%x: !T) -> (!T, !T, !T, !T, !T, !T, !T) {
  %zero = tfx_tensor.const dense<0> : !T
  %one = tfx_tensor.const dense<1> : !T
  %two = tfx_tensor.const dense<2> : !T
  %four = tfx_tensor.const dense<4> : !T
  %p = tfx_tensor.op "Less"(%four, %x) : (!T, !T) -> tensor<i1>
  %half = tfx_tensor.op "StatelessIf"(%p, %x) {then_branch = @half, else_branch = @same, output_shapes = [[]]} : (tensor<i1>, !T) -> !T
  // An index that is out of bounds selects the last branch.
  %index = tfx_tensor.op "Sub"(%x, %four) : (!T, !T) -> !T
  %case = tfx_tensor.op "Case"(%index, %x) {branches = [@none, @half, @one, @same], output_shapes = [[]]} : (!T, !T) -> !T
  %times = tfx_tensor.op "PartitionedCall"(%two) {f = @twice} : (!T) -> !T
  %loop:3 = tfx_tensor.op "StatelessWhile"(%zero, %one, %x) {cond = @less, body = @step, output_shapes = [[], [], []]} : (!T, !T, !T) -> (!T, !T, !T)
  // A condition may be a number.
  %yes = tfx_tensor.op "If"(%four, %x) {then_branch = @one, else_branch = @none, output_shapes = [[]]} : (!T, !T) -> !T
  %no = tfx_tensor.op "If"(%zero, %x) {then_branch = @one, else_branch = @none, output_shapes = [[]]} : (!T, !T) -> !T
  tfx_tensor.return %half, %case, %times, %loop#1, %loop#0, %yes, %no : !T, !T, !T, !T, !T, !T, !T
}
func.func @main(%n: i32) {
  %t = tfx_tensor.from_scalar %n : i32
  %p = tfx_comm.start @g(%t) : !T
  %half, %case, %times, %value, %count, %yes, %no = tfx_comm.finish %p : !T, !T, !T, !T, !T, !T, !T
  tfx_host.print "half {}, case {}, times {}, loop {} {}"(%half, %case, %times, %value, %count) : !T, !T, !T, !T, !T
  tfx_host.print "number {}, none {}"(%yes, %no) : !T, !T
  return
}
