// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-legalize-graph))' --split-input-file %s | FileCheck %s

// A loop that counts toward a bound is known to end. Other loops are marked, and keep their position
// after the messages before them.

// CHECK-LABEL: tfx_tensor.graph @for
// CHECK-NOT: may_not_end
tfx_tensor.graph @for(%n: i32, %step: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %zero to %n step %step iter_args(%s = %zero) -> i32 : i32 {
    %t = arith.addi %s, %i : i32
    scf.yield %t : i32
  }
  tfx_tensor.return %r : i32
}

// CHECK-LABEL: tfx_tensor.graph @up
// CHECK-NOT: may_not_end
tfx_tensor.graph @up(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  tfx_tensor.return %r : i32
}

// Down to a bound, by a subtraction, with exchanged operands of the comparison and a negation.

// CHECK-LABEL: tfx_tensor.graph @down
// CHECK-NOT: may_not_end
tfx_tensor.graph @down(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %j = arith.subi %i, %one : i32
    %spent = arith.cmpi sge, %zero, %i : i32
    %go = arith.xori %spent, %true : i1
    scf.condition(%go) %j : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  tfx_tensor.return %r : i32
}

// A break: the loop continues only after the arm in which the counter is below the bound.

// CHECK-LABEL: tfx_tensor.graph @break
// CHECK-NOT: may_not_end
tfx_tensor.graph @break(%n: i32, %x: tensor<f32>) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %false = arith.constant false
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %more = arith.cmpi ult, %i, %n : i32
    %j, %go = scf.if %more -> (i32, i1) {
      %t = tfx_tensor.from_scalar %i : i32
      %f = tfx_tensor.op "Cast"(%t) : (tensor<i32>) -> tensor<f32>
      %l = tfx_tensor.op "Less"(%f, %x) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %b = tfx_tensor.to_scalar %l : tensor<i1> -> i1
      %k = arith.addi %i, %one : i32
      scf.yield %k, %b : i32, i1
    } else {
      scf.yield %zero, %false : i32, i1
    }
    scf.condition(%go) %j : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %i : i32
  }
  tfx_tensor.return %r : i32
}

// Steps of 3 do not skip the bound of 90, nor 0 as unsigned numbers.

// CHECK-LABEL: tfx_tensor.graph @steps
// CHECK-NOT: may_not_end
tfx_tensor.graph @steps() -> i8 {
  %zero = arith.constant 0 : i8
  %three = arith.constant 3 : i8
  %ninety = arith.constant 90 : i8
  %r = scf.while (%i = %zero) : (i8) -> i8 {
    %go = arith.cmpi sle, %i, %ninety : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    %j = arith.addi %i, %three : i8
    scf.yield %j : i8
  }
  %s = scf.while (%i = %r) : (i8) -> i8 {
    %go = arith.cmpi uge, %i, %three : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    %j = arith.subi %i, %three : i8
    scf.yield %j : i8
  }
  tfx_tensor.return %s : i8
}

// -----

// Loops that may not end: all numbers are at most 127; 126 + 3 is -127; the counter moves away from
// the bound; the bound grows; the counter is constant; another value counts; no unsigned number is
// less than 0; the counter comes from a tensor.

// CHECK-LABEL: tfx_tensor.graph @may_not
// CHECK-COUNT-8: attributes {tfx.may_not_end}
// CHECK-NOT: may_not_end
tfx_tensor.graph @may_not(%n: i8, %x: tensor<f32>, %y: tensor<f32>) -> (i8, tensor<f32>) {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %three = arith.constant 3 : i8
  %most = arith.constant 127 : i8
  %high = arith.constant 126 : i8
  %a = scf.while (%i = %zero) : (i8) -> i8 {
    %go = arith.cmpi sle, %i, %most : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    %j = arith.addi %i, %one : i8
    scf.yield %j : i8
  }
  %b = scf.while (%i = %a) : (i8) -> i8 {
    %go = arith.cmpi slt, %i, %most : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    %j = arith.addi %i, %three : i8
    scf.yield %j : i8
  }
  %c = scf.while (%i = %b) : (i8) -> i8 {
    %go = arith.cmpi slt, %i, %n : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    %j = arith.subi %i, %one : i8
    scf.yield %j : i8
  }
  %d:2 = scf.while (%i = %c, %m = %n) : (i8, i8) -> (i8, i8) {
    %go = arith.cmpi slt, %i, %m : i8
    scf.condition(%go) %i, %m : i8, i8
  } do {
  ^bb0(%i: i8, %m: i8):
    %j = arith.addi %i, %one : i8
    %k = arith.addi %m, %one : i8
    scf.yield %j, %k : i8, i8
  }
  %e = scf.while (%i = %d#0) : (i8) -> i8 {
    %go = arith.cmpi slt, %i, %n : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    scf.yield %i : i8
  }
  %f:2 = scf.while (%i = %e, %k = %zero) : (i8, i8) -> (i8, i8) {
    %go = arith.cmpi slt, %i, %n : i8
    scf.condition(%go) %i, %k : i8, i8
  } do {
  ^bb0(%i: i8, %k: i8):
    %j = arith.addi %k, %one : i8
    scf.yield %j, %i : i8, i8
  }
  %g = scf.while (%i = %f#0) : (i8) -> i8 {
    %go = arith.cmpi uge, %i, %zero : i8
    scf.condition(%go) %i : i8
  } do {
  ^bb0(%i: i8):
    %j = arith.subi %i, %one : i8
    scf.yield %j : i8
  }
  %h = scf.while (%t = %x) : (tensor<f32>) -> tensor<f32> {
    %l = tfx_tensor.op "Less"(%t, %y) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %go = tfx_tensor.to_scalar %l : tensor<i1> -> i1
    scf.condition(%go) %t : tensor<f32>
  } do {
  ^bb0(%t: tensor<f32>):
    %u = tfx_tensor.op "AddV2"(%t, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %u : tensor<f32>
  }
  tfx_tensor.return %g, %h : i8, tensor<f32>
}
