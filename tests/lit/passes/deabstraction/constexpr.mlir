// Computed attributes become constant attributes; code that only they needed is erased.

// RUN: tfx-opt %s --tfx-constexpr --split-input-file --verify-roundtrip | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-constexpr,tfx-constexpr)' --split-input-file | FileCheck %s

// Each kind of attribute that can be computed. The other attributes are unchanged.

// CHECK-LABEL: func.func @kinds(
// CHECK-NEXT:    tfx_tensor.op "ArgMax"(%{{.*}}, %{{.*}}) {output_type = i32} :
// CHECK-NEXT:    tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [0, -1]} :
// CHECK-NEXT:    tfx_tensor.op "LeakyRelu"(%{{.*}}) {alpha = 1.250000e-01 : f32} :
// CHECK-NEXT:    tfx_tensor.op "MatMul"(%{{.*}}, %{{.*}}) {transpose_a = true, transpose_b = false} :
// CHECK-NEXT:    tfx_tensor.op "Conv2D"(%{{.*}}, %{{.*}}) {padding = "SAME", strides = [1, 2, 2, 1]} :
// CHECK-NEXT:    tfx_tensor.op "Placeholder"() {shape = [3, -1]} :
// CHECK-NEXT:    tfx_tensor.op "PaddingFIFOQueueV2"() {component_types = [f32, f32], shapes = {{\[\[}}2, 3], []]} :
// CHECK-NEXT:    return
func.func @kinds(%x: tensor<?x?xf32>, %i: tensor<4x4x4x4xf32>, %axis: tensor<i32>) {
  %m = tfx_tensor.op "ArgMax"(%x, %axis) {output_type = i32} : (tensor<?x?xf32>, tensor<i32>) -> tensor<?xi32>
  %zero = arith.constant 0 : i32
  %last = arith.constant -1 : i32
  %dims = tfx_host.array(%zero, %last) : !tfx_host.array<i32>
  %s = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i32>) : (tensor<?x?xf32>) -> tensor<*xf32>
  %half = arith.constant 0.5 : f32
  %quarter = arith.mulf %half, %half : f32
  %alpha = arith.mulf %half, %quarter : f32
  %l = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %alpha : f32) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %yes = arith.cmpi slt, %last, %zero : i32
  %p = tfx_tensor.op "MatMul"(%x, %x) computed(transpose_a = %yes : i1) {transpose_b = false} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %one = arith.constant 1 : index
  %two = arith.addi %one, %one : index
  %strides = tfx_host.array(%one, %two, %two, %one) : !tfx_host.array<index>
  %padding = tfx_host.string "SAME"
  %c = tfx_tensor.op "Conv2D"(%i, %i) computed(strides = %strides : !tfx_host.array<index>, padding = %padding : !tfx_host.string) : (tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) -> tensor<*xf32>
  %three = arith.constant 3 : i8
  %unknown = arith.constant 255 : i8
  %shape = tfx_host.array(%three, %unknown) : !tfx_host.array<i8>
  %h = tfx_tensor.op "Placeholder"() computed(shape = %shape : !tfx_host.array<i8>) : () -> tensor<?x?xf32>
  %three_ = arith.addi %one, %two : index
  %matrix = tfx_host.array(%two, %three_) : !tfx_host.array<index>
  %scalar = tfx_host.array() : !tfx_host.array<index>
  %shapes = tfx_host.array(%matrix, %scalar) : !tfx_host.array<!tfx_host.array<index>>
  %q = tfx_tensor.op "PaddingFIFOQueueV2"() computed(shapes = %shapes : !tfx_host.array<!tfx_host.array<index>>) {component_types = [f32, f32]} : () -> tensor<!tfx_tensor.resource>
  return
}

// -----

// Calls, and nested calls. A callee without calls is left to symbol-dce.

// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:    tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [6]}
// CHECK-NEXT:    return
func.func @calls(%x: tensor<*xf32>) {
  %three = arith.constant 3 : i64
  %six = func.call @twice(%three) : (i64) -> i64
  %dims = tfx_host.array(%six) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
func.func private @twice(%n: i64) -> i64 {
  %m = func.call @sum(%n, %n) : (i64, i64) -> i64
  return %m : i64
}
func.func private @sum(%a: i64, %b: i64) -> i64 {
  %c = arith.addi %a, %b : i64
  return %c : i64
}

// -----

// Recursion: results are cached, so there are a hundred calls and not 10^20.

// CHECK-LABEL: func.func @recursion(
// CHECK-NEXT:    tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [3736710778780434371]}
// CHECK-NEXT:    return
func.func @recursion(%x: tensor<*xf32>) {
  %n = arith.constant 100 : i64
  %f = func.call @fibonacci(%n) : (i64) -> i64
  %dims = tfx_host.array(%f) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
func.func private @fibonacci(%n: i64) -> i64 {
  %two = arith.constant 2 : i64
  %one = arith.constant 1 : i64
  %small = arith.cmpi slt, %n, %two : i64
  cf.cond_br %small, ^small, ^large
^small:
  return %n : i64
^large:
  %p = arith.subi %n, %one : i64
  %q = arith.subi %n, %two : i64
  %f = func.call @fibonacci(%p) : (i64) -> i64
  %g = func.call @fibonacci(%q) : (i64) -> i64
  %s = arith.addi %f, %g : i64
  return %s : i64
}

// -----

// A branch with a known condition, and one with an unknown condition that is irrelevant. The unneeded argument is erased.

// CHECK-LABEL: func.func @branches(
// CHECK:         cf.cond_br %{{.*}}, ^[[A:.*]], ^[[B:.*]]
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [7]}
func.func @branches(%x: tensor<*xf32>, %p: i1) {
  %four = arith.constant 4 : i64
  %seven = arith.constant 7 : i64
  %less = arith.cmpi slt, %seven, %four : i64
  cf.cond_br %less, ^then, ^else
^then:
  cf.br ^join(%four : i64)
^else:
  cf.cond_br %p, ^a, ^b
^a:
  cf.br ^c
^b:
  cf.br ^c
^c:
  cf.br ^join(%seven : i64)
// CHECK-NOT:   ({{.*}}: i64):
^join(%n: i64):
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// A switch.

// CHECK-LABEL: func.func @switches(
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [20]}
func.func @switches(%x: tensor<*xf32>) {
  %k = arith.constant -2 : i32
  %ten = arith.constant 10 : i64
  %twenty = arith.constant 20 : i64
  cf.switch %k : i32, [
    default: ^join(%ten : i64),
    3: ^join(%ten : i64),
    -2: ^join(%twenty : i64)
  ]
^join(%n: i64):
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// A loop without other work is erased, with its initial values.

// CHECK-LABEL: func.func @loop(
// CHECK-NEXT:    cf.br ^[[EXIT:.*]]
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [32]}
// CHECK-NEXT:    return
func.func @loop(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  cf.br ^header(%zero, %one : i64, i64)
^header(%i: i64, %n: i64):
  %go = arith.cmpi slt, %i, %five : i64
  cf.cond_br %go, ^body, ^exit
^body:
  %m = arith.addi %n, %n : i64
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j, %m : i64, i64)
^exit:
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// A loop with other work stays; only the computation of the attribute is erased. The tensor in it is irrelevant.

// CHECK-LABEL: func.func @work(
// CHECK:       ^[[HEADER:.*]](%[[I:.*]]: i64, %[[W:.*]]: tensor<f32>):
// CHECK:         tfx_tensor.op "Neg"(%[[W]])
// CHECK-NEXT:    arith.addi %[[I]]
// CHECK-NOT:     arith.muli
// CHECK:         tfx_tensor.op "LeakyRelu"(%[[W]]) {alpha = 8.000000e+00 : f32}
func.func @work(%x: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  %start = arith.constant 1.0 : f32
  cf.br ^header(%zero, %start, %x : i64, f32, tensor<f32>)
^header(%i: i64, %n: f32, %w: tensor<f32>):
  %go = arith.cmpi slt, %i, %three : i64
  cf.cond_br %go, ^body, ^exit
^body:
  %v = tfx_tensor.op "Neg"(%w) : (tensor<f32>) -> tensor<f32>
  %m = arith.addf %n, %n : f32
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j, %m, %v : i64, f32, tensor<f32>)
^exit:
  %y = tfx_tensor.op "LeakyRelu"(%w) computed(alpha = %n : f32) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A loop with two exits, a nested loop, and a value of the last iteration: 10 is the first i with 1 + ... + i >= 50, and 6 that with i * i > 30.

// CHECK-LABEL: func.func @exits(
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [10, 55, 6, 2]}
func.func @exits(%x: tensor<*xf32>, %p: i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %many = arith.constant 1000 : i64
  %fifty = arith.constant 50 : i64
  %thirty = arith.constant 30 : i64
  cf.br ^header(%zero, %zero : i64, i64)
^header(%i: i64, %sum: i64):
  %go = arith.cmpi slt, %i, %many : i64
  cf.cond_br %go, ^body, ^normal
^body:
  %j = arith.addi %i, %one : i64
  %next = arith.addi %sum, %j : i64
  %enough = arith.cmpi sge, %next, %fifty : i64
  cf.cond_br %enough, ^early, ^latch
^latch:
  cf.br ^header(%j, %next : i64, i64)
^normal:
  cf.br ^join(%zero, %one, %one : i64, i64, i64)
^early:
  cf.br ^join(%two, %j, %next : i64, i64, i64)
^join(%how: i64, %found: i64, %total: i64):
  cf.br ^outer(%zero : i64)
^outer(%a: i64):
  cf.br ^inner(%zero, %zero : i64, i64)
^inner(%b: i64, %square: i64):
  %more = arith.cmpi slt, %b, %a : i64
  cf.cond_br %more, ^add, ^test
^add:
  %s = arith.addi %square, %a : i64
  %c = arith.addi %b, %one : i64
  cf.br ^inner(%c, %s : i64, i64)
^test:
  %over = arith.cmpi sgt, %square, %thirty : i64
  %d = arith.addi %a, %one : i64
  cf.cond_br %over, ^done, ^outer(%d : i64)
^done:
  %dims = tfx_host.array(%found, %total, %a, %how) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// In a loop that cannot be evaluated, an attribute that is the same in each iteration is a constant: from before the loop, or from a branch and a loop in it.

// CHECK-LABEL: func.func @inside(
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [3, 8]}
func.func @inside(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  cf.br ^while(%three : i64)
^while(%same: i64):
  %stop = func.call @stop() : () -> i1
  cf.cond_br %stop, ^end, ^body
^body:
  cf.br ^header(%zero, %one : i64, i64)
^header(%i: i64, %n: i64):
  %go = arith.cmpi slt, %i, %same : i64
  cf.cond_br %go, ^double, ^exit
^double:
  %m = arith.addi %n, %n : i64
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j, %m : i64, i64)
^exit:
  %dims = tfx_host.array(%same, %n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  cf.br ^while(%same : i64)
^end:
  return
}
func.func private @stop() -> i1

// -----

// Other code need not be constant: a branch in the loop that is decided at run time, and a call.

// CHECK-LABEL: func.func @beside(
// CHECK:         call @log
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [3]}
func.func @beside(%x: tensor<*xf32>, %p: i1) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %three = arith.constant 3 : i64
  cf.br ^header(%zero : i64)
^header(%i: i64):
  %go = arith.cmpi slt, %i, %three : i64
  cf.cond_br %go, ^body, ^exit
^body:
  cf.cond_br %p, ^log, ^latch
^log:
  func.call @log(%i) : (i64) -> ()
  cf.br ^latch
^latch:
  %j = arith.addi %i, %one : i64
  cf.br ^header(%j : i64)
^exit:
  %dims = tfx_host.array(%i) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
func.func private @log(i64)

// -----

// A call that prints is evaluated, and stays.

// CHECK-LABEL: func.func @effects(
// CHECK:         call @show
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [2]}
func.func @effects(%x: tensor<*xf32>) {
  %one = arith.constant 1 : i64
  %n = func.call @show(%one) : (i64) -> i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
func.func private @show(%n: i64) -> i64 {
  tfx_host.print "{}"(%n) : i64
  %m = arith.addi %n, %n : i64
  return %m : i64
}

// -----

// The operation is unreachable, so its attribute need not exist: a division by zero has no value. The branch is folded.

// CHECK-LABEL: func.func @never(
// CHECK-NEXT:    cf.br ^[[END:.*]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return
func.func @never(%x: tensor<*xf32>) {
  %zero = arith.constant 0 : i64
  %some = arith.constant 10 : i64
  %positive = arith.cmpi sgt, %zero, %zero : i64
  cf.cond_br %positive, ^then, ^end
^then:
  %n = arith.divsi %some, %zero : i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  cf.br ^end
^end:
  return
}

// -----

// Scalars that are converted to tensors: the sizes of a shape are constants, and an unknown value is unchanged. An array is the value of a Const.

// CHECK-LABEL: func.func @shapes(
// CHECK-SAME:    %{{.*}}: tensor<f32>, %[[N:.*]]: i32
// CHECK-DAG:     %[[ROWS:.*]] = tfx_tensor.const dense<784> : tensor<i32>
// CHECK-DAG:     %[[COLUMNS:.*]] = tfx_tensor.const dense<10> : tensor<i32>
// CHECK-DAG:     %[[BATCH:.*]] = tfx_tensor.from_scalar %[[N]] : i32
// CHECK-DAG:     tfx_tensor.op "Pack"(%[[ROWS]], %[[COLUMNS]], %[[BATCH]])
// CHECK-DAG:     %[[DIMS:.*]] = tfx_tensor.const dense<[784, 10]> : tensor<2xi32>
// CHECK-DAG:     tfx_tensor.op "Fill"(%[[DIMS]], %{{.*}})
// CHECK-DAG:     tfx_tensor.op "Const"() {value = dense<[784, 10]> : tensor<2xi64>} : () -> tensor<?xi64>
// CHECK-NOT:     arith
func.func @shapes(%x: tensor<f32>, %n: i32) -> tensor<784x10xf32> {
  %side = arith.constant 28 : i32
  %ten = arith.constant 10 : i32
  %rows = arith.muli %side, %side : i32
  %a = tfx_tensor.from_scalar %rows : i32
  %b = tfx_tensor.from_scalar %ten : i32
  %c = tfx_tensor.from_scalar %n : i32
  %p = tfx_tensor.op "Pack"(%a, %b, %c) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  %sizes = tfx_host.array(%rows, %ten) : !tfx_host.array<i32>
  %dims = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i32>) : () -> tensor<2xi32>
  %y = tfx_tensor.op "Fill"(%dims, %x) : (tensor<2xi32>, tensor<f32>) -> tensor<784x10xf32>
  %wide = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i32>) : () -> tensor<?xi64>
  return %y : tensor<784x10xf32>
}

// -----

// A value computed in a loop from invariant values is the same after each iteration, whatever the trip count.

// CHECK-LABEL: func.func @same_in_each_iteration(
// CHECK:         tfx_tensor.op "Squeeze"(%{{.*}}) {squeeze_dims = [3]} :
func.func private @goes_on() -> i1
func.func @same_in_each_iteration(%x: tensor<*xf32>) -> tensor<*xf32> {
  %one = arith.constant 1 : i32
  cf.br ^loop
^loop:
  %two = arith.addi %one, %one : i32
  %three = arith.addi %two, %one : i32
  %more = func.call @goes_on() : () -> i1
  cf.cond_br %more, ^loop, ^exit
^exit:
  %dims = tfx_host.array(%three) : !tfx_host.array<i32>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i32>) : (tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
