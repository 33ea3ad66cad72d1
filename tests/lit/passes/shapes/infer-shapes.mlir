// RUN: tfx-opt --tfx-infer-shapes --split-input-file %s | FileCheck %s
// RUN: %if tensorflow %{ tfx-opt --tfx-infer-shapes=shapes=tensorflow --split-input-file %s | FileCheck %s %}

// The inferred types replace the declared ones; a public function keeps its signature.

// CHECK-LABEL: func.func @straight(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[W:.*]]: tensor<2x4xf32>) -> tensor<*xf32>
// CHECK:         %[[Y:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[W]]) {transpose_b = true} : {{.*}} -> tensor<?x2xf32>
// CHECK:         %[[Z:.*]] = tfx_tensor.op "Neg"(%[[Y]]) : (tensor<?x2xf32>) -> tensor<*xf32>
// CHECK:         return %[[Z]] : tensor<*xf32>
func.func @straight(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>) -> tensor<*xf32> {
  %y = tfx_tensor.op "MatMul"(%x, %w) {transpose_b = true} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<*xf32>
  %z = tfx_tensor.op "Neg"(%y) : (tensor<*xf32>) -> tensor<*xf32>
  return %z : tensor<*xf32>
}

// -----

// A declared type is a fact for the operations that use the value.

// CHECK-LABEL: func.func @declared(
// CHECK:         "Where"({{.*}}) : (tensor<4xi1>) -> tensor<3x1xi64>
// CHECK:         "Squeeze"({{.*}}) : (tensor<3x1xi64>) -> tensor<3xi64>
func.func @declared(%p: tensor<4xi1>) {
  %w = tfx_tensor.op "Where"(%p) : (tensor<4xi1>) -> tensor<3x?xi64>
  %s = tfx_tensor.op "Squeeze"(%w) : (tensor<3x?xi64>) -> tensor<?xi64>
  tfx_host.print "{}"(%s) : tensor<?xi64>
  return
}

// -----

// An iteration argument has the join of the shapes of all iterations: a size that differs is
// unknown, the others are known. A fact that holds only inside of the loop is used there, although
// the type of the argument cannot express it.

// CHECK-LABEL: func.func @loop(
// CHECK:         %[[INIT:.*]] = tfx_tensor.op "Neg"({{.*}}) : (tensor<2x3xf32>) -> tensor<?x3xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[V:.*]] = %[[INIT]]) -> (tensor<?x3xf32>)
// CHECK:           "ConcatV2"(%[[V]], {{.*}}) : (tensor<?x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32>
// CHECK:         tfx_tensor.op "Exp"({{.*}}) : (tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK:         tfx_tensor.op "Square"(%[[INIT]]) : (tensor<?x3xf32>) -> tensor<2x3xf32>
func.func @loop(%x: tensor<2x3xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %init = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %init) -> tensor<*xf32> {
    %w = tfx_tensor.op "ConcatV2"(%v, %x, %axis) : (tensor<*xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<*xf32>
    scf.yield %w : tensor<*xf32>
  }
  %e = tfx_tensor.op "Exp"(%r) : (tensor<*xf32>) -> tensor<*xf32>
  %s = tfx_tensor.op "Square"(%init) : (tensor<*xf32>) -> tensor<*xf32>
  tfx_host.print "{} {}"(%e, %s) : tensor<*xf32>, tensor<*xf32>
  return
}

// -----

// A shape that no iteration changes is known completely; condition, body and result have one type.

// CHECK-LABEL: func.func @while(
// CHECK:         scf.while ({{.*}}) : (tensor<3x3xf32>) -> tensor<3x3xf32>
// CHECK:           scf.condition({{.*}}) {{.*}} : tensor<3x3xf32>
// CHECK:         ^bb0(%{{.*}}: tensor<3x3xf32>):
// CHECK:           scf.yield {{.*}} : tensor<3x3xf32>
func.func @while(%x: tensor<3x3xf32>) {
  %init = tfx_tensor.op "Neg"(%x) : (tensor<3x3xf32>) -> tensor<?x?xf32>
  %r = scf.while (%v = %init) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    %t = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %s = tfx_tensor.op "Sum"(%v, %t) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<f32>
    %z = tfx_tensor.const dense<0.0> : tensor<f32>
    %p = tfx_tensor.op "Less"(%s, %z) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %go = tfx_tensor.to_scalar %p : tensor<i1> -> i1
    scf.condition(%go) %v : tensor<?x?xf32>
  } do {
  ^bb0(%v: tensor<?x?xf32>):
    %w = tfx_tensor.op "MatMul"(%v, %v) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %w : tensor<?x?xf32>
  }
  tfx_host.print "{}"(%r) : tensor<?x?xf32>
  return
}

// -----

// Loops that an evaluation of each iteration would not leave: sizes that swap, a rank that grows,
// values that rotate through the iteration arguments. The last value is always 2 by 5, but the
// argument that it moves to must have one type with the previous value.

// CHECK-LABEL: func.func @wander(
// CHECK:         scf.for {{.*}} -> (tensor<?x?xf32>, tensor<*xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>)
func.func @wander(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %order = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %a = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %b = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %c = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %d = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %e = tfx_tensor.op "Neg"(%y) : (tensor<2x5xf32>) -> tensor<*xf32>
  %r:5 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b, %s = %c, %t = %d, %u = %e) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) {
    %pt = tfx_tensor.op "Transpose"(%p, %order) : (tensor<*xf32>, tensor<2xi32>) -> tensor<*xf32>
    %qe = tfx_tensor.op "ExpandDims"(%q, %zero) : (tensor<*xf32>, tensor<i32>) -> tensor<*xf32>
    scf.yield %pt, %qe, %t, %u, %u : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
  }
  tfx_host.print "{} {} {} {} {}"(%r#0, %r#1, %r#2, %r#3, %r#4) : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
  return
}

// -----

// The join of both arms; an undefined value joins with any type.

// CHECK-LABEL: func.func @arms(
// CHECK:         scf.if {{.*}} -> (tensor<2x?xf32>, tensor<2x3xf32>)
// CHECK:           scf.yield {{.*}} : tensor<2x?xf32>, tensor<2x3xf32>
// CHECK:           %[[U:.*]] = tfx_host.undef : tensor<2x3xf32>
// CHECK:           scf.yield {{.*}}, %[[U]] : tensor<2x?xf32>, tensor<2x3xf32>
func.func @arms(%p: i1, %x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  %r:2 = scf.if %p -> (tensor<*xf32>, tensor<*xf32>) {
    %a = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
    %b = tfx_tensor.op "Exp"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
    scf.yield %a, %b : tensor<*xf32>, tensor<*xf32>
  } else {
    %a = tfx_tensor.op "Neg"(%y) : (tensor<2x4xf32>) -> tensor<*xf32>
    %u = tfx_host.undef : tensor<*xf32>
    scf.yield %a, %u : tensor<*xf32>, tensor<*xf32>
  }
  tfx_host.print "{} {}"(%r#0, %r#1) : tensor<*xf32>, tensor<*xf32>
  return
}

// -----

// Branches between blocks.

// CHECK-LABEL: func.func @blocks(
// CHECK:       ^bb1(%{{.*}}: tensor<?x3xf32>, %{{.*}}: tensor<3x?xf32>):
func.func @blocks(%p: i1, %x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %b = tfx_tensor.op "Neg"(%y) : (tensor<4x3xf32>) -> tensor<?x?xf32>
  %order = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %c = tfx_tensor.op "Transpose"(%a, %order) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %d = tfx_tensor.op "Transpose"(%b, %order) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  cf.cond_br %p, ^end(%a, %c : tensor<?x?xf32>, tensor<?x?xf32>), ^end(%b, %d : tensor<?x?xf32>, tensor<?x?xf32>)
^end(%r: tensor<?x?xf32>, %s: tensor<?x?xf32>):
  tfx_host.print "{} {}"(%r, %s) : tensor<?x?xf32>, tensor<?x?xf32>
  return
}

// -----

// The signature of a function that only calls in this module name follows its calls and its body; a
// function that a closure names keeps its type.

// CHECK-LABEL: func.func private @inner(
// CHECK-SAME:    %{{.*}}: tensor<?x3xf32>) -> tensor<3x?xf32>
// CHECK:         return %{{.*}} : tensor<3x?xf32>
func.func private @inner(%x: tensor<*xf32>) -> tensor<*xf32> {
  %order = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %y = tfx_tensor.op "Transpose"(%x, %order) : (tensor<*xf32>, tensor<2xi32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
// CHECK-LABEL: func.func private @captured(
// CHECK-SAME:    %{{.*}}: tensor<*xf32>) -> tensor<*xf32>
func.func private @captured(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}
// CHECK-LABEL: func.func @outer(
// CHECK:         call @inner({{.*}}) : (tensor<?x3xf32>) -> tensor<3x?xf32>
// CHECK:         call @captured({{.*}}) : (tensor<*xf32>) -> tensor<*xf32>
func.func @outer(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %b = tfx_tensor.op "Neg"(%y) : (tensor<4x3xf32>) -> tensor<*xf32>
  %c = func.call @inner(%a) : (tensor<*xf32>) -> tensor<*xf32>
  %d = func.call @inner(%b) : (tensor<*xf32>) -> tensor<*xf32>
  %f = tfx_host.closure @captured() : () -> !tfx_host.closure<(tensor<*xf32>) -> tensor<*xf32>>
  %e = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %g = func.call @captured(%e) : (tensor<*xf32>) -> tensor<*xf32>
  tfx_host.print "{} {} {}"(%c, %d, %g) : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
  return
}

// -----

// Recursive functions: the join of the external and the recursive calls. A function without calls
// is unchanged.

// CHECK-LABEL: func.func private @again(
// CHECK-SAME:    %{{.*}}: tensor<?x3xf32>, %{{.*}}: i1) -> tensor<?x3xf32>
func.func private @again(%x: tensor<*xf32>, %p: i1) -> tensor<*xf32> {
  %r = scf.if %p -> tensor<*xf32> {
    %axis = tfx_tensor.const dense<0> : tensor<i32>
    %y = tfx_tensor.op "ConcatV2"(%x, %x, %axis) : (tensor<*xf32>, tensor<*xf32>, tensor<i32>) -> tensor<*xf32>
    %z = func.call @again(%y, %p) : (tensor<*xf32>, i1) -> tensor<*xf32>
    scf.yield %z : tensor<*xf32>
  } else {
    scf.yield %x : tensor<*xf32>
  }
  return %r : tensor<*xf32>
}
// CHECK-LABEL: func.func private @never(
// CHECK-SAME:    %{{.*}}: tensor<*xf32>) -> tensor<*xf32>
func.func private @never(%x: tensor<*xf32>) -> tensor<*xf32> {
  %y = func.call @never(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
// CHECK-LABEL: func.func @start(
func.func @start(%x: tensor<2x3xf32>, %p: i1) {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %b = func.call @again(%a, %p) : (tensor<*xf32>, i1) -> tensor<*xf32>
  tfx_host.print "{}"(%b) : tensor<*xf32>
  return
}

// -----

// Functional control flow and graph functions require only compatible types, so each value gets its
// own. The results of a public graph are refined.

// CHECK-LABEL: tfx_tensor.graph private @twice(%{{.*}}: tensor<?x3xf32>) -> tensor<?x3xf32>
tfx_tensor.graph private @twice(%x: tensor<*xf32>) -> tensor<*xf32> {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  tfx_tensor.return %y : tensor<*xf32>
}
// CHECK-LABEL: tfx_tensor.graph @main(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<i1>) -> tensor<?x3xf32>
// CHECK:         tfx_tensor.call @twice({{.*}}) {pure} : (tensor<2x3xf32>) -> tensor<?x3xf32>
// CHECK:         tfx_tensor.while (%[[V:.*]]: tensor<?x3xf32> = %{{.*}}) : (tensor<2x3xf32>) -> tensor<?x3xf32> {
// CHECK:         } do {
// CHECK:         ^bb0(%{{.*}}: tensor<?x3xf32>):
// CHECK:           "ConcatV2"({{.*}}) : {{.*}} -> tensor<?x3xf32>
// CHECK:         tfx_tensor.if {{.*}} -> tensor<?x3xf32> {
// CHECK:           tfx_tensor.yield %{{.*}} : tensor<2x3xf32>
tfx_tensor.graph @main(%x: tensor<2x3xf32>, %p: tensor<i1>) -> tensor<*xf32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %n = tfx_tensor.op "Neg"(%x) : (tensor<2x3xf32>) -> tensor<*xf32>
  %a = tfx_tensor.call @twice(%n) {pure} : (tensor<*xf32>) -> tensor<*xf32>
  %w = tfx_tensor.while (%v = %n) : (tensor<*xf32>) -> tensor<*xf32> {
    tfx_tensor.yield %p : tensor<i1>
  } do {
  ^bb0(%v: tensor<*xf32>):
    %l = tfx_tensor.op "ConcatV2"(%v, %n, %axis) : (tensor<*xf32>, tensor<*xf32>, tensor<i32>) -> tensor<*xf32>
    tfx_tensor.yield %l : tensor<*xf32>
  }
  %b = tfx_tensor.call @twice(%w) {pure} : (tensor<*xf32>) -> tensor<*xf32>
  %r = tfx_tensor.if %p : tensor<i1> -> tensor<*xf32> {
    tfx_tensor.yield %n : tensor<*xf32>
  } else {
    tfx_tensor.yield %b : tensor<*xf32>
  }
  tfx_tensor.return %r : tensor<*xf32>
}

// -----

// Both sides agree on the type of a message; the fact is used for the other values.

// CHECK-LABEL: tfx_tensor.graph @channels(
// CHECK:         %[[N:.*]] = tfx_tensor.op "Neg"({{.*}}) : (tensor<2xf32>) -> tensor<?xf32>
// CHECK:         tfx_comm.send %[[N]] to 0 : tensor<?xf32>
// CHECK:         tfx_tensor.op "Exp"(%[[N]]) : (tensor<?xf32>) -> tensor<2xf32>
tfx_tensor.graph @channels(%x: tensor<2xf32>) channels [#tfx_comm.channel<0, to_host, tensor<?xf32>>] {
  %n = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<?xf32>
  tfx_comm.send %n to 0 : tensor<?xf32>
  %e = tfx_tensor.op "Exp"(%n) : (tensor<?xf32>) -> tensor<?xf32>
  tfx_tensor.return
}

// -----

// Inference tracks integers that shapes depend on through the operations that compute them, as far
// as they are known.

// CHECK-LABEL: func.func @values(
// CHECK:         "Reshape"({{.*}}) : {{.*}} -> tensor<?x12xf32>
// CHECK:         "BroadcastGradientArgs"({{.*}}) : {{.*}} -> (tensor<0xi32>, tensor<1xi32>)
// CHECK:         "Sum"({{.*}}) : {{.*}} -> tensor<4xf32>
// CHECK:         "Fill"({{.*}}) : {{.*}} -> tensor<5x5xf32>
func.func @values(%x: tensor<?x3x4xf32>, %y: tensor<3x4xf32>, %b: tensor<4xf32>) {
  %shape = tfx_tensor.op "Shape"(%x) : (tensor<?x3x4xf32>) -> tensor<*xi32>
  %one = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %three = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %rest = tfx_tensor.op "StridedSlice"(%shape, %one, %three, %one) : (tensor<*xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<*xi32>
  %size = tfx_tensor.op "Prod"(%rest, %zero) : (tensor<*xi32>, tensor<i32>) -> tensor<*xi32>
  %any = tfx_tensor.const dense<-1> : tensor<i32>
  %to = tfx_tensor.op "Pack"(%any, %size) : (tensor<i32>, tensor<*xi32>) -> tensor<*xi32>
  %flat = tfx_tensor.op "Reshape"(%x, %to) : (tensor<?x3x4xf32>, tensor<*xi32>) -> tensor<*xf32>
  %sy = tfx_tensor.op "Shape"(%y) : (tensor<3x4xf32>) -> tensor<*xi32>
  %sb = tfx_tensor.op "Shape"(%b) : (tensor<4xf32>) -> tensor<*xi32>
  %axes:2 = tfx_tensor.op "BroadcastGradientArgs"(%sy, %sb) : (tensor<*xi32>, tensor<*xi32>) -> (tensor<*xi32>, tensor<*xi32>)
  %db = tfx_tensor.op "Sum"(%y, %axes#1) : (tensor<3x4xf32>, tensor<*xi32>) -> tensor<*xf32>
  %five = arith.constant 5 : i32
  %t = tfx_tensor.from_scalar %five : i32
  %pair = tfx_tensor.op "Pack"(%t, %t) : (tensor<i32>, tensor<i32>) -> tensor<*xi32>
  %f = tfx_tensor.const dense<0.0> : tensor<f32>
  %filled = tfx_tensor.op "Fill"(%pair, %f) : (tensor<*xi32>, tensor<f32>) -> tensor<*xf32>
  tfx_host.print "{} {} {}"(%flat, %db, %filled) : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
  return
}

// -----

// A loop counter is not a constant.

// CHECK-LABEL: func.func @counter(
// CHECK:         "Fill"({{.*}}) : {{.*}} -> tensor<?xf32>
func.func @counter(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %f = tfx_tensor.const dense<0.0> : tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %one) -> tensor<1xi32> {
    %w = tfx_tensor.op "AddV2"(%v, %one) : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %z = tfx_tensor.op "Fill"(%v, %f) : (tensor<1xi32>, tensor<f32>) -> tensor<*xf32>
    tfx_host.print "{}"(%z) : tensor<*xf32>
    scf.yield %w : tensor<1xi32>
  }
  return
}

// -----

// Generic functions, operations with computed attributes, and unreachable values are unchanged.

// CHECK-LABEL: func.func private @generic(
// CHECK:         "Neg"({{.*}}) : {{.*}} -> tensor<*xf32>
// CHECK-LABEL: func.func @computed(
// CHECK:         "Sum"({{.*}}) {{.*}} -> tensor<*xf32>
// CHECK-LABEL: func.func @unreached(
// CHECK:         "Neg"({{.*}}) : (tensor<?xf32>) -> tensor<3xf32>
func.func private @generic(%x: tensor<2xf32>) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %y = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<*xf32>
  return
}
func.func @computed(%x: tensor<2xf32>, %axis: tensor<i32>, %k: i1) {
  %y = tfx_tensor.op "Sum"(%x, %axis) computed(keep_dims = %k : i1) {eager} : (tensor<2xf32>, tensor<i32>) -> tensor<*xf32>
  return
}
func.func @unreached() {
  return
^dead(%x: tensor<?xf32>):
  %y = tfx_tensor.op "Neg"(%x) : (tensor<?xf32>) -> tensor<3xf32>
  cf.br ^dead(%x : tensor<?xf32>)
}
