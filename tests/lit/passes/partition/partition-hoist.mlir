// RUN: tfx-opt --tfx-partition --tfx-verify-protocol %s | FileCheck %s
// RUN: tfx-opt --tfx-partition=hoist-sends=false --tfx-verify-protocol %s | FileCheck %s --check-prefix=OFF
//
// Invariant values that are computed in loops and cross are computed and cross once.

!T = tensor<f32>

// Through nested loops and branches: the condition of each is evaluated once more, before the outer loop.
// CHECK-LABEL: tfx_tensor.graph @nested.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>
// CHECK-NOT:     #tfx_comm.channel<1
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:      scf.index_switch
// CHECK:           case 4 {
// CHECK:             arith.cmpi slt
// CHECK-NEXT:        scf.if
// CHECK:               tfx_tensor.op "AddV2"
// CHECK-NEXT:          tfx_comm.send %{{.*}} to 0
// CHECK:         scf.for
// CHECK-NOT:     tfx_tensor.op "AddV2"
// CHECK-LABEL: func.func @nested(
// CHECK:         scf.if
// CHECK:           scf.index_switch
// CHECK:           case 4 {
// CHECK:             scf.if
// CHECK:               tfx_comm.recv
// CHECK:         scf.for
// CHECK:           scf.index_switch
// CHECK:           case 4 {
// CHECK:             scf.for
// CHECK:               tfx_host.print
// OFF-LABEL: func.func @nested(
// OFF:         scf.for
// OFF:           scf.for
// OFF:             tfx_comm.recv
func.func @nested(%a: !T, %which: index, %n: i32, %m: i32) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> !T : i32 {
    scf.index_switch %which
    case 2 {
      scf.yield
    }
    case 4 {
      scf.for %j = %zero to %m step %one : i32 {
        %sum = tfx_tensor.op "AddV2"(%a, %a) : (!T, !T) -> !T
        tfx_host.print "{}"(%sum) : !T
      }
      scf.yield
    }
    default {
    }
    %u = tfx_tensor.op "Neg"(%v) : (!T) -> !T
    scf.yield %u : !T
  }
  return %r : !T
}

// Only out of the inner loop: the value changes in the outer one.
// CHECK-LABEL: tfx_tensor.graph @inner.graph(
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             tfx_tensor.op "Neg"
// CHECK-NEXT:        tfx_comm.send
// CHECK-NOT:       tfx_tensor.op "Neg"
// CHECK:           tfx_tensor.op "Exp"
func.func @inner(%a: !T, %n: i32, %m: i32) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> !T : i32 {
    scf.for %j = %zero to %m step %one : i32 {
      %neg = tfx_tensor.op "Neg"(%v) : (!T) -> !T
      tfx_host.print "{}"(%neg) : !T
    }
    %u = tfx_tensor.op "Exp"(%v) : (!T) -> !T
    scf.yield %u : !T
  }
  return %r : !T
}

// A loop that certainly runs an iteration needs no condition. Operations with state stay.
// CHECK-LABEL: tfx_tensor.graph @sure.graph(
// CHECK-NOT:     scf.if
// CHECK:         tfx_tensor.op "Neg"
// CHECK:         tfx_comm.send
// CHECK:         scf.for
// CHECK-NOT:       tfx_tensor.op "Neg"
// CHECK:           tfx_tensor.op "RandomUniform"
// CHECK-NEXT:      tfx_comm.send
func.func @sure(%a: !T, %shape: tensor<0xi32>) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %r = scf.for %i = %zero to %five step %one iter_args(%v = %a) -> !T : i32 {
    %neg = tfx_tensor.op "Neg"(%a) : (!T) -> !T
    %random = tfx_tensor.op "RandomUniform"(%shape) {dtype = f32} : (tensor<0xi32>) -> !T
    tfx_host.print "{} {}"(%neg, %random) : !T, !T
    %u = tfx_tensor.op "Exp"(%v) : (!T) -> !T
    scf.yield %u : !T
  }
  return %r : !T
}

// An inner loop that uses an iteration argument of the outer one changes with it. Only invariant values are hoisted.
// CHECK-LABEL: tfx_tensor.graph @captured.graph(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             tfx_tensor.op "Mul"
// CHECK:           tfx_comm.send
func.func @captured(%a: !T, %n: i32, %m: i32) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> !T : i32 {
    %power = scf.for %j = %zero to %m step %one iter_args(%w = %a) -> !T : i32 {
      %next = tfx_tensor.op "Mul"(%w, %v) : (!T, !T) -> !T
      scf.yield %next : !T
    }
    tfx_host.print "{}"(%power) : !T
    %u = tfx_tensor.op "Exp"(%v) : (!T) -> !T
    scf.yield %u : !T
  }
  return %r : !T
}

// Each arm on the path becomes a switch of one case, so that the size stays linear in their number. The mark
// of an operand is kept on each clone of an operation that has it.
// CHECK-LABEL: tfx_tensor.graph @arms.graph(
// CHECK:         scf.index_switch
// CHECK-NEXT:    case 2 {
// CHECK:         case 4 {
// CHECK:         default {
// CHECK-NEXT:      tfx_tensor.op "Tanh"
// CHECK:         scf.index_switch
// CHECK-NEXT:    case 2 {
// CHECK-NEXT:      tfx_tensor.op "Neg"
// CHECK:         default {
// CHECK:         scf.index_switch
// CHECK-NEXT:    case 4 {
// CHECK-NEXT:      tfx_tensor.op "Exp"
// CHECK:         default {
// CHECK:         scf.for
func.func @arms(%a: !T, %which: index) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %r = scf.for %i = %zero to %five step %one iter_args(%v = %a) -> !T : i32 {
    %marked = tfx_comm.to_accelerator %a : !T
    scf.index_switch %which
    case 2 {
      %x = tfx_tensor.op "Neg"(%marked) : (!T) -> !T
      tfx_host.print "{}"(%x) : !T
      scf.yield
    }
    case 4 {
      %x = tfx_tensor.op "Exp"(%marked) : (!T) -> !T
      tfx_host.print "{}"(%x) : !T
      scf.yield
    }
    default {
      %x = tfx_tensor.op "Tanh"(%marked) : (!T) -> !T
      tfx_host.print "{}"(%x) : !T
    }
    %u = tfx_tensor.op "Neg"(%v) : (!T) -> !T
    scf.yield %u : !T
  }
  return %r : !T
}

// The condition of the loop is evaluated first, for its initial values, with an unsigned comparison.
// CHECK-LABEL: tfx_tensor.graph @decides.graph(
// CHECK:         scf.if %{{.*}} {
// CHECK-NEXT:      tfx_tensor.op "Neg"
// CHECK:         scf.for unsigned
// CHECK:         arith.addi
// CHECK-NEXT:    arith.cmpi sgt
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tfx_tensor.op "Tanh"
// CHECK:         scf.while
// CHECK-LABEL: func.func @decides(
// CHECK:         %[[GO:.*]] = arith.cmpi ult
// CHECK:         tfx_comm.start @decides.graph(%{{.*}}, %{{.*}}, %[[GO]])
func.func @decides(%a: !T, %n: i32) -> (!T, !T) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for unsigned %i = %zero to %n step %one iter_args(%v = %a) -> !T : i32 {
    %x = tfx_tensor.op "Neg"(%a) : (!T) -> !T
    tfx_host.print "{}"(%x) : !T
    %u = tfx_tensor.op "Exp"(%v) : (!T) -> !T
    scf.yield %u : !T
  }
  %s:2 = scf.while (%k = %n, %v = %a) : (i32, !T) -> (i32, !T) {
    %next = arith.addi %k, %one : i32
    %go = arith.cmpi sgt, %next, %zero : i32
    scf.condition(%go) %k, %v : i32, !T
  } do {
  ^bb0(%k: i32, %v: !T):
    %x = tfx_tensor.op "Tanh"(%a) : (!T) -> !T
    tfx_host.print "{}"(%x) : !T
    %l = arith.subi %k, %one : i32
    %u = tfx_tensor.op "Exp"(%v) : (!T) -> !T
    scf.yield %l, %u : i32, !T
  }
  return %r, %s#1 : !T, !T
}
