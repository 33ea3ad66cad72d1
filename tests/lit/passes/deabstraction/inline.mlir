// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline)' --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline)' --split-input-file --mlir-print-local-scope --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// A body of one block replaces the call; private functions that become unused are erased. The location of an operation includes the call
// sites.

// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>)
// CHECK-NEXT:    %[[Y:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:    %[[Z:.*]] = tfx_tensor.op "Exp"(%[[Y]])
// CHECK-NEXT:    %[[W:.*]] = tfx_tensor.op "Neg"(%[[Z]])
// CHECK-NEXT:    return %[[W]]
// CHECK-NOT:   func.func
// LOC-LABEL: func.func @chain(
// LOC:         "Neg"{{.*}} loc(callsite("{{.*}}inline.mlir":[[#@LINE+14]]:8 at callsite("{{.*}}inline.mlir":[[#@LINE+9]]:8 at "{{.*}}inline.mlir":[[#@LINE+4]]:8)))
// LOC:         "Exp"{{.*}} loc(callsite("{{.*}}inline.mlir":[[#@LINE+9]]:8 at "{{.*}}inline.mlir":[[#@LINE+3]]:8))
// LOC:         "Neg"{{.*}} loc(callsite("{{.*}}inline.mlir":[[#@LINE+12]]:8 at "{{.*}}inline.mlir":[[#@LINE+3]]:8))
func.func @chain(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @outer(%x) : (tensor<f32>) -> tensor<f32>
  %z = func.call @inner(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @outer(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @inner(%x) : (tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.op "Exp"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A body of several blocks is inserted between the code before and after the call. The values of a single return are used directly.

// CHECK-LABEL: func.func @one_return(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: tensor<f32>)
// CHECK-NEXT:    %[[N:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[PRINT:.*]], ^[[END:.*]]
// CHECK-NEXT:  ^[[PRINT]]:
// CHECK-NEXT:    tfx_host.print
// CHECK-NEXT:    cf.br ^[[END]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    %[[Y:.*]] = tfx_tensor.op "Exp"(%[[N]])
// CHECK-NEXT:    cf.br ^[[AFTER:.*]]
// CHECK-NEXT:  ^[[AFTER]]:
// CHECK-NEXT:    %[[Z:.*]] = tfx_tensor.op "Neg"(%[[Y]])
// CHECK-NEXT:    return %[[Z]]
func.func @one_return(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %n = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %y = func.call @shown(%p, %n) : (i1, tensor<f32>) -> tensor<f32>
  %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @shown(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  cf.cond_br %p, ^print, ^end
^print:
  tfx_host.print "{}"(%x) : tensor<f32>
  cf.br ^end
^end:
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Several returns branch to the block after the call. Of two calls in one block, the second uses the result of the first.

// CHECK-LABEL: func.func @several_returns(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: tensor<f32>)
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[A1:.*]], ^[[B1:.*]]
// CHECK-NEXT:  ^[[A1]]:
// CHECK-NEXT:    cf.br ^[[AFTER1:.*]](%[[X]] : tensor<f32>)
// CHECK-NEXT:  ^[[B1]]:
// CHECK-NEXT:    %[[N1:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:    cf.br ^[[AFTER1]](%[[N1]] : tensor<f32>)
// CHECK-NEXT:  ^[[AFTER1]](%[[Y:.*]]: tensor<f32>):
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[A2:.*]], ^[[B2:.*]]
// CHECK-NEXT:  ^[[A2]]:
// CHECK-NEXT:    cf.br ^[[AFTER2:.*]](%[[Y]] : tensor<f32>)
// CHECK-NEXT:  ^[[B2]]:
// CHECK-NEXT:    %[[N2:.*]] = tfx_tensor.op "Neg"(%[[Y]])
// CHECK-NEXT:    cf.br ^[[AFTER2]](%[[N2]] : tensor<f32>)
// CHECK-NEXT:  ^[[AFTER2]](%[[Z:.*]]: tensor<f32>):
// CHECK-NEXT:    return %[[Z]]
// A public function stays.
// CHECK:       func.func @absolute(
func.func @several_returns(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %y = func.call @absolute(%p, %x) : (i1, tensor<f32>) -> tensor<f32>
  %z = func.call @absolute(%p, %y) : (i1, tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func @absolute(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  cf.cond_br %p, ^a, ^b
^a:
  return %x : tensor<f32>
^b:
  %n = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// A body that never returns: the code after the call is unreachable.

// CHECK-LABEL: func.func @never_returns(
// CHECK-NEXT:    tfx_host.abort "no"
// CHECK-NEXT:    tfx_host.unreachable
// CHECK-NEXT:  ^bb1(%[[Y:.*]]: tensor<f32>): // no predecessors
// CHECK-NEXT:    return %[[Y]]
func.func @never_returns() -> tensor<f32> {
  %y = func.call @fail() : () -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @fail() -> tensor<f32> {
  tfx_host.abort "no"
  tfx_host.unreachable
}

// -----

// In a function without tensors, calls of scalar code and of foreign functions stay. A function with an inout parameter is inlined even if it is scalar.

// CHECK-LABEL: func.func @host_code(
// CHECK-SAME:    %[[X:.*]]: i32)
// CHECK-NEXT:    %[[Y:.*]] = call @square(%[[X]])
// CHECK-NEXT:    %[[Z:.*]] = call @foreign(%[[Y]])
// CHECK-NEXT:    %[[V:.*]] = tfx_host.var
// CHECK-NEXT:    tfx_host.store %[[Z]], %[[V]]
// CHECK-NEXT:    %[[OLD:.*]] = tfx_host.load %[[V]]
// CHECK-NEXT:    %[[NEW:.*]] = arith.addi %[[OLD]], %[[X]]
// CHECK-NEXT:    tfx_host.store %[[NEW]], %[[V]]
// CHECK-NEXT:    %[[W:.*]] = tfx_host.load %[[V]]
// CHECK-NEXT:    return %[[W]]
// CHECK:       func.func private @square
// CHECK-NOT:   func.func private @add_to
func.func private @foreign(i32) -> i32
func.func @host_code(%x: i32) -> i32 {
  %y = func.call @square(%x) : (i32) -> i32
  %z = func.call @foreign(%y) : (i32) -> i32
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %z, %v : i32
  func.call @add_to(%v, %x) : (!tfx_host.ref<i32>, i32) -> ()
  %w = tfx_host.load %v : !tfx_host.ref<i32>
  return %w : i32
}
func.func private @square(%x: i32) -> i32 {
  %y = arith.muli %x, %x : i32
  return %y : i32
}
func.func private @add_to(%v: !tfx_host.ref<i32>, %x: i32) {
  %old = tfx_host.load %v : !tfx_host.ref<i32>
  %new = arith.addi %old, %x : i32
  tfx_host.store %new, %v : i32
  return
}

// -----

// PROGRAMS.md, higher-order: a closure with captures, by value and by reference, is passed through any number of calls and vanishes. A closure of scalar code
// is inlined like any other; one of a foreign function becomes a call of it.

// CHECK-LABEL: func.func @train(
// CHECK-SAME:    %[[X:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>, %[[I:.*]]: i32)
// CHECK-NEXT:    %[[N:.*]] = tfx_host.var
// CHECK-NEXT:    %[[S1:.*]] = tfx_tensor.op "Mul"(%[[X]], %[[R]])
// CHECK-NEXT:    tfx_host.store %[[I]], %[[N]]
// CHECK-NEXT:    %[[S2:.*]] = tfx_tensor.op "Mul"(%[[S1]], %[[R]])
// CHECK-NEXT:    tfx_host.store %[[I]], %[[N]]
// CHECK-NEXT:    %[[Q:.*]] = arith.muli %[[I]], %[[I]]
// CHECK-NEXT:    %[[F:.*]] = call @foreign(%[[Q]])
// CHECK-NEXT:    return %[[S2]], %[[F]]
// CHECK-NOT:   func.func private @twice
func.func private @foreign(i32) -> i32
func.func @train(%x: tensor<f32>, %rate: tensor<f32>, %i: i32) -> (tensor<f32>, i32) {
  %n = tfx_host.var : !tfx_host.ref<i32>
  %step = tfx_host.closure @step(%rate, %n, %i) : (tensor<f32>, !tfx_host.ref<i32>, i32) -> !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %y = func.call @through(%step, %x) : (!tfx_host.closure<(tensor<f32>) -> tensor<f32>>, tensor<f32>) -> tensor<f32>
  %square = tfx_host.closure @square() : () -> !tfx_host.closure<(i32) -> i32>
  %foreign = tfx_host.closure @foreign() : () -> !tfx_host.closure<(i32) -> i32>
  %j = tfx_host.apply %square(%i) : !tfx_host.closure<(i32) -> i32>
  %k = tfx_host.apply %foreign(%j) : !tfx_host.closure<(i32) -> i32>
  return %y, %k : tensor<f32>, i32
}
func.func private @through(%c: !tfx_host.closure<(tensor<f32>) -> tensor<f32>>, %x: tensor<f32>) -> tensor<f32> {
  %y = func.call @twice(%c, %x) : (!tfx_host.closure<(tensor<f32>) -> tensor<f32>>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @twice(%c: !tfx_host.closure<(tensor<f32>) -> tensor<f32>>, %x: tensor<f32>) -> tensor<f32> {
  %y = tfx_host.apply %c(%x) : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %z = tfx_host.apply %c(%y) : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  return %z : tensor<f32>
}
func.func private @step(%rate: tensor<f32>, %n: !tfx_host.ref<i32>, %i: i32, %x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Mul"(%x, %rate) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_host.store %i, %n : i32
  return %y : tensor<f32>
}
func.func private @square(%x: i32) -> i32 {
  %y = arith.muli %x, %x : i32
  return %y : i32
}

// -----

// A struct that contains a tensor at any depth makes a function tensor code; so does a tensor in a callee. A function that a closure names stays.

tfx_host.struct @Inner {x: tensor<f32>}
tfx_host.struct @Outer {inner: !tfx_host.struct<@Inner>}

// CHECK-LABEL: func.func @tensors_inside(
// CHECK-NOT:     call
// CHECK:         tfx_host.closure @same
// CHECK:       func.func private @same
// CHECK-NOT:   func.func private @by_call
func.func @tensors_inside(%o: !tfx_host.struct<@Outer>) -> !tfx_host.closure<escaping (!tfx_host.struct<@Outer>) -> !tfx_host.struct<@Outer>> {
  %s = func.call @same(%o) : (!tfx_host.struct<@Outer>) -> !tfx_host.struct<@Outer>
  func.call @by_call() : () -> ()
  %c = tfx_host.closure @same() : () -> !tfx_host.closure<escaping (!tfx_host.struct<@Outer>) -> !tfx_host.struct<@Outer>>
  return %c : !tfx_host.closure<escaping (!tfx_host.struct<@Outer>) -> !tfx_host.struct<@Outer>>
}
func.func private @same(%o: !tfx_host.struct<@Outer>) -> !tfx_host.struct<@Outer> {
  return %o : !tfx_host.struct<@Outer>
}
func.func private @by_call() {
  func.call @constant() : () -> ()
  return
}
func.func private @constant() {
  %c = tfx_tensor.const dense<0.0> : tensor<f32>
  return
}

// -----

// Of two functions that call each other, the second one is called from outside.

// CHECK-LABEL: func.func @outside(
// CHECK:         call @second
// CHECK:       func.func private @first(
// CHECK:         call @second
// CHECK:       func.func private @second(
// CHECK:         call @first
func.func @outside(%n: i64) -> i64 {
  %r = func.call @second(%n) : (i64) -> i64
  return %r : i64
}
func.func private @first(%n: i64) -> i64 {
  %one = arith.constant 1 : i64
  %less = arith.subi %n, %one : i64
  %r = func.call @second(%less) : (i64) -> i64
  return %r : i64
}
func.func private @second(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %end, ^end(%n : i64), ^more
^more:
  %m = func.call @first(%n) : (i64) -> i64
  cf.br ^end(%m : i64)
^end(%r: i64):
  return %r : i64
}
