// Loops over literal arrays become one copy of their body for each element, if the option requests it.
//
// RUN: split-file %s %t
// RUN: tfx-opt %t/unrolled.mlir --tfx-deabstract=unroll=true --split-input-file | FileCheck %t/unrolled.mlir --implicit-check-not=array --implicit-check-not=cf.switch
// RUN: tfx-opt %t/unrolled.mlir --tfx-deabstract=unroll=true --split-input-file | tfx-opt --split-input-file >/dev/null
// RUN: tfx-opt %t/unrolled.mlir --tfx-deabstract --split-input-file | FileCheck %t/unrolled.mlir --check-prefix=ASKED
// RUN: tfx-opt %t/stays.mlir --tfx-deabstract=unroll=true --split-input-file --verify-diagnostics | FileCheck %t/stays.mlir
// RUN: not tfx-opt --split-input-file %t/unrolled.mlir --tfx-deabstract=unrol=true 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tfx-opt --split-input-file %t/unrolled.mlir --tfx-deabstract=unroll=7 2>&1 | FileCheck %s --check-prefix=VALUE
//
// NAME: error: pipeline 'tfx-deabstract': unknown option 'unrol'; expected one of {{.*}}unroll
// VALUE: error: pipeline 'tfx-deabstract': option 'unroll': expected 'true' or 'false', got '7'

//--- unrolled.mlir

!T = tensor<2xf32>
!A = !tfx_host.array<!T>

// The index counts up to the number of elements.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[Y:[^:]*]]: {{[^,]*}}, %[[Z:[^:]*]]:
// CHECK-NEXT:    %[[A:.*]] = tfx_tensor.op "AddV2"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.op "AddV2"(%[[A]], %[[Y]])
// CHECK-NEXT:    %[[C:.*]] = tfx_tensor.op "AddV2"(%[[B]], %[[Z]])
// CHECK-NEXT:    return %[[C]]
// ASKED-LABEL: func.func @sum(
// ASKED:         cf.switch
func.func @sum(%x: !T, %y: !T, %z: !T) -> !T {
  %a = tfx_host.array(%x, %y, %z) : !A
  %n = tfx_host.array_count %a : !A
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (!T) {
    %e = tfx_host.array_get %a[%i] : !A
    %t = tfx_tensor.op "AddV2"(%s, %e) : (!T, !T) -> !T
    scf.yield %t : !T
  }
  return %r : !T
}

// -----

!T = tensor<2xf32>
!A = !tfx_host.array<!T>

// The loop may exit in the middle, and its values at that time are used after it. The last element is read at that exit.
// CHECK-LABEL: func.func @left(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[Y:[^:]*]]: {{[^,]*}}, %[[S:[^:]*]]: i1
// CHECK:         %[[A:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK:         cf.cond_br %[[S]], ^[[OUT:bb[0-9]+]](%[[A]], %[[X]] : {{.*}}), ^[[NEXT:bb[0-9]+]]
// CHECK:       ^[[OUT]](%[[N:.*]]: {{.*}}, %[[E:.*]]: {{.*}}):
// CHECK:         %[[R:.*]] = tfx_tensor.op "AddV2"(%[[N]], %[[E]])
// CHECK:         return %[[R]]
// CHECK:       ^[[NEXT]]:
// CHECK:         %[[B:.*]] = tfx_tensor.op "Neg"(%[[Y]])
// CHECK:         cf.cond_br %[[S]], ^[[OUT]](%[[B]], %[[Y]] : {{.*}}), ^[[NONE:bb[0-9]+]]
// CHECK:       ^[[NONE]]:
// CHECK:         return %[[X]]
func.func @left(%x: !T, %y: !T, %stop: i1) -> !T {
  %a = tfx_host.array(%x, %y) : !A
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 2 : i64
  cf.br ^header(%c0 : i64)
^header(%i: i64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^none
^body:
  %index = arith.index_cast %i : i64 to index
  %e = tfx_host.array_get %a[%index] : !A
  %t = tfx_tensor.op "Neg"(%e) : (!T) -> !T
  cf.cond_br %stop, ^out, ^latch
^latch:
  %next = arith.addi %i, %c1 : i64
  cf.br ^header(%next : i64)
^out:
  %r = tfx_tensor.op "AddV2"(%t, %e) : (!T, !T) -> !T
  return %r : !T
^none:
  return %x : !T
}

// -----

!T = tensor<2xf32>
!F = !tfx_host.closure<(!T) -> !T>
!Layers = !tfx_host.array<!F>
!Blocks = !tfx_host.array<!Layers>

// An array of arrays of closures: two loops; the inner one has as many iterations as its array has elements.
// CHECK-LABEL: func.func @layers(
// CHECK-SAME:    %[[X:[^:]*]]:
// CHECK-NEXT:    %[[A:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.op "Exp"(%[[A]])
// CHECK-NEXT:    %[[C:.*]] = tfx_tensor.op "Exp"(%[[B]])
// CHECK-NEXT:    return %[[C]]
func.func private @neg(%x: !T) -> !T {
  %r = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  return %r : !T
}
func.func private @exp(%x: !T) -> !T {
  %r = tfx_tensor.op "Exp"(%x) : (!T) -> !T
  return %r : !T
}
func.func @layers(%x: !T) -> !T {
  %f = tfx_host.closure @neg() : () -> !F
  %g = tfx_host.closure @exp() : () -> !F
  %one = tfx_host.array(%f) : !Layers
  %two = tfx_host.array(%g, %g) : !Layers
  %all = tfx_host.array(%one, %two) : !Blocks
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tfx_host.array_count %all : !Blocks
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (!T) {
    %block = tfx_host.array_get %all[%i] : !Blocks
    %m = tfx_host.array_count %block : !Layers
    %w = scf.for %j = %c0 to %m step %c1 iter_args(%u = %v) -> (!T) {
      %layer = tfx_host.array_get %block[%j] : !Layers
      %y = tfx_host.apply %layer(%u) : !F
      scf.yield %y : !T
    }
    scf.yield %w : !T
  }
  return %r : !T
}

// -----

!T = tensor<2xf32>
!A = !tfx_host.array<!T>

// The loop around it is not over the array: it stays.
// CHECK-LABEL: func.func @epochs(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[Y:[^:]*]]:
// CHECK:       ^[[HEADER:bb[0-9]+]](%{{.*}}: index, %[[V:.*]]: tensor<2xf32>):
// CHECK:         tfx_tensor.op "AddV2"(%[[V]], %[[X]])
// CHECK-NEXT:    tfx_tensor.op "AddV2"(%{{.*}}, %[[Y]])
// CHECK:         cf.br ^[[HEADER]]
// CHECK-NOT:     AddV2
// CHECK:         return
func.func @epochs(%x: !T, %y: !T) -> !T {
  %a = tfx_host.array(%x, %y) : !A
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %epoch = %c0 to %c10 step %c1 iter_args(%v = %x) -> (!T) {
    %w = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %v) -> (!T) {
      %e = tfx_host.array_get %a[%i] : !A
      %t = tfx_tensor.op "AddV2"(%s, %e) : (!T, !T) -> !T
      scf.yield %t : !T
    }
    scf.yield %w : !T
  }
  return %r : !T
}

// -----

!T = tensor<2xf32>
!A = !tfx_host.array<!T>

// A triangle: the trip count of the inner loop is known in each copy of the outer one. A loop with its test at the end runs at least once.
// CHECK-LABEL: func.func @triangle(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[Y:[^:]*]]:
// CHECK-NEXT:    %[[A:.*]] = tfx_tensor.op "AddV2"(%[[X]], %[[X]])
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.op "AddV2"(%[[A]], %[[X]])
// CHECK-NEXT:    %[[C:.*]] = tfx_tensor.op "AddV2"(%[[B]], %[[Y]])
// CHECK-NEXT:    return %[[C]]
func.func @triangle(%x: !T, %y: !T) -> !T {
  %a = tfx_host.array(%x, %y) : !A
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  cf.br ^outer(%c0, %x : index, !T)
^outer(%i: index, %v: !T):
  cf.br ^inner(%c0, %v : index, !T)
^inner(%j: index, %s: !T):
  %e = tfx_host.array_get %a[%j] : !A
  %t = tfx_tensor.op "AddV2"(%s, %e) : (!T, !T) -> !T
  %j1 = arith.addi %j, %c1 : index
  %again = arith.cmpi ule, %j1, %i : index
  cf.cond_br %again, ^inner(%j1, %t : index, !T), ^latch
^latch:
  %i1 = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %i1, %c2 : index
  cf.cond_br %more, ^outer(%i1, %t : index, !T), ^out
^out:
  return %t : !T
}

//--- stays.mlir

// CHECK-LABEL: func.func @trips_unknown(
// CHECK:         cf.switch
func.func @trips_unknown(%x: i32, %y: i32, %n: index) -> i32 {
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i32) {
    // expected-remark @below {{the loop that reads this element is not unrolled: its trip count is not a constant; count from a constant to the number of elements of the array}}
    %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
    %t = arith.addi %s, %e : i32
    scf.yield %t : i32
  }
  return %r : i32
}

// -----

// CHECK-LABEL: func.func @start_unknown(
// CHECK:         cf.switch
func.func @start_unknown(%x: i32, %y: i32, %n: index) -> i32 {
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %n to %c2 step %c1 iter_args(%s = %x) -> (i32) {
    // expected-remark @below {{the loop that reads this element is not unrolled: its trip count is not a constant; count from a constant to the number of elements of the array}}
    %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
    %t = arith.addi %s, %e : i32
    scf.yield %t : i32
  }
  return %r : i32
}

// -----

// CHECK-LABEL: func.func @entered_twice(
// CHECK:         cf.switch
func.func @entered_twice(%x: i32, %y: i32, %p: i1) -> i32 {
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  cf.cond_br %p, ^first(%c0 : index), ^second(%c1 : index)
^first(%i: index):
  // expected-remark @below {{the loop that reads this element is not unrolled: it has several entries}}
  %e = tfx_host.array_get %a[%i] : !tfx_host.array<i32>
  %i1 = arith.addi %i, %c1 : index
  cf.br ^second(%i1 : index)
^second(%j: index):
  %more = arith.cmpi ult, %j, %c2 : index
  cf.cond_br %more, ^first(%j : index), ^out
^out:
  return %x : i32
}

// -----

// CHECK-LABEL: func.func @table(
// CHECK:         cf.switch
func.func @table(%x: i32, %y: i32) -> i32 {
  %a = tfx_host.array(%x, %y) : !tfx_host.array<i32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 1000 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i32) {
    %j = arith.remui %i, %c2 : index
    // expected-remark @below {{the loop that reads this element is not unrolled: it has more than 256 iterations}}
    %e = tfx_host.array_get %a[%j] : !tfx_host.array<i32>
    %t = arith.addi %s, %e : i32
    scf.yield %t : i32
  }
  return %r : i32
}

