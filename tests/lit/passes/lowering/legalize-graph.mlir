// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-legalize-graph))' --split-input-file %s | FileCheck %s

// Scalars become tensors of rank 0; the signature, on which the host depends, is unchanged.

// CHECK-LABEL: tfx_tensor.graph @scalars(%{{.*}}: i32, %{{.*}}: index) -> (i32, i1)
// CHECK-DAG: %[[A:.*]] = tfx_tensor.from_scalar %{{.*}} : i32
// CHECK-DAG: %[[N:.*]] = tfx_tensor.from_scalar %{{.*}} : index
// CHECK: %[[M:.*]] = tfx_tensor.op "Cast"(%[[N]]) : (tensor<i64>) -> tensor<i32>
// CHECK: %[[TWO:.*]] = tfx_tensor.const dense<2> : tensor<i32>
// CHECK: %[[P:.*]] = tfx_tensor.op "Mul"(%[[A]], %[[TWO]]) : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK: %[[S:.*]] = tfx_tensor.op "AddV2"(%[[P]], %[[M]])
// CHECK: %[[U:.*]] = tfx_tensor.op "Bitcast"(%[[S]]) : (tensor<i32>) -> tensor<ui32>
// CHECK: %[[V:.*]] = tfx_tensor.op "Bitcast"(%[[A]]) : (tensor<i32>) -> tensor<ui32>
// CHECK: %[[L:.*]] = tfx_tensor.op "Less"(%[[U]], %[[V]]) : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
// CHECK: %[[X:.*]] = tfx_tensor.to_scalar %[[S]] : tensor<i32> -> i32
// CHECK: %[[Y:.*]] = tfx_tensor.to_scalar %[[L]] : tensor<i1> -> i1
// CHECK: tfx_tensor.return %[[X]], %[[Y]] : i32, i1
tfx_tensor.graph @scalars(%a: i32, %n: index) -> (i32, i1) {
  %m = arith.index_cast %n : index to i32
  %two = arith.constant 2 : i32
  %p = arith.muli %a, %two : i32
  %s = arith.addi %p, %m : i32
  %l = arith.cmpi ult, %s, %a : i32
  tfx_tensor.return %s, %l : i32, i1
}

// -----

// Messages keep their types.

// CHECK-LABEL: tfx_tensor.graph @channels()
// CHECK: %[[R:.*]] = tfx_comm.recv from 0 : i32
// CHECK: %[[T:.*]] = tfx_tensor.from_scalar %[[R]] : i32
// CHECK: %[[N:.*]] = tfx_tensor.op "Neg"(%[[T]]) : (tensor<i32>) -> tensor<i32>
// CHECK: %[[S:.*]] = tfx_tensor.to_scalar %[[N]] : tensor<i32> -> i32
// CHECK: tfx_comm.send %[[S]] to 1 : i32
tfx_tensor.graph @channels() channels [#tfx_comm.channel<0, to_graph, i32>, #tfx_comm.channel<1, to_host, i32>] {
  %r = tfx_comm.recv from 0 : i32
  %t = tfx_tensor.from_scalar %r : i32
  %n = tfx_tensor.op "Neg"(%t) : (tensor<i32>) -> tensor<i32>
  %s = tfx_tensor.to_scalar %n : tensor<i32> -> i32
  tfx_comm.send %s to 1 : i32
  tfx_tensor.return
}

// -----

// CHECK-LABEL: tfx_tensor.graph @branch
// CHECK: %[[P:.*]] = tfx_tensor.from_scalar %{{.*}} : i1
// CHECK: tfx_tensor.if %[[P]] : tensor<i1> -> tensor<f32> {
// CHECK:   tfx_tensor.yield %{{.*}} : tensor<f32>
// CHECK: } else {
// CHECK:   tfx_tensor.op "Neg"
// CHECK: tfx_tensor.if %[[P]] : tensor<i1> {
// CHECK-NEXT: tfx_tensor.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: tfx_tensor.yield
tfx_tensor.graph @branch(%p: i1, %x: tensor<f32>) -> tensor<f32> {
  %r = scf.if %p -> tensor<f32> {
    scf.yield %x : tensor<f32>
  } else {
    %n = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %n : tensor<f32>
  }
  scf.if %p {
  }
  tfx_tensor.return %r : tensor<f32>
}

// -----

// The default is the last branch, which TensorFlow runs for all other numbers.

// CHECK-LABEL: tfx_tensor.graph @switch
// CHECK: %[[I:.*]] = tfx_tensor.from_scalar %{{.*}} : index
// CHECK: tfx_tensor.op "Equal"(%[[I]],
// CHECK: tfx_tensor.op "SelectV2"
// CHECK: tfx_tensor.op "Equal"(%[[I]],
// CHECK: %[[B:.*]] = tfx_tensor.op "SelectV2"
// CHECK: tfx_tensor.case %[[B]] : tensor<i32> -> tensor<f32> {
// CHECK-NEXT: "Neg"
// CHECK: }, {
// CHECK-NEXT: "Abs"
// CHECK: }, {
// CHECK-NEXT: tfx_tensor.yield
tfx_tensor.graph @switch(%i: index, %x: tensor<f32>) -> tensor<f32> {
  %r = scf.index_switch %i -> tensor<f32>
  case 4 {
    %n = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %n : tensor<f32>
  }
  case 9 {
    %a = tfx_tensor.op "Abs"(%x) : (tensor<f32>) -> tensor<f32>
    scf.yield %a : tensor<f32>
  }
  default {
    scf.yield %x : tensor<f32>
  }
  tfx_tensor.return %r : tensor<f32>
}

// -----

// A pure first region becomes the condition; the values that it uses from outside stay outside.

// CHECK-LABEL: tfx_tensor.graph @straight
// CHECK: %[[N:.*]] = tfx_tensor.from_scalar %{{.*}} : i32
// CHECK: tfx_tensor.while (%[[I:.*]] = %{{.*}}, %[[W:.*]] = %{{.*}}) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
// CHECK-NEXT: %[[GO:.*]] = tfx_tensor.op "Less"(%[[I]], %[[N]])
// CHECK-NEXT: tfx_tensor.yield %[[GO]] : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NOT: tfx_tensor.if
// CHECK: tfx_tensor.return
tfx_tensor.graph @straight(%n: i32, %w0: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end:2 = scf.while (%i = %zero, %w = %w0) : (i32, tensor<?xf32>) -> (i32, tensor<?xf32>) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %w : i32, tensor<?xf32>
  } do {
  ^bb0(%i: i32, %w: tensor<?xf32>):
    %t = tfx_tensor.op "Tanh"(%w) : (tensor<?xf32>) -> tensor<?xf32>
    %j = arith.addi %i, %one : i32
    scf.yield %j, %t : i32, tensor<?xf32>
  }
  tfx_tensor.return %end#1 : tensor<?xf32>
}

// -----

// A first region that receives runs once in each iteration: it is in the body, and there is one
// receive.

// CHECK-LABEL: tfx_tensor.graph @rotated
// CHECK-NOT: tfx_comm.recv
// CHECK: tfx_tensor.while (%[[GO:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i1>, tensor<?xf32>)
// CHECK-NEXT: tfx_tensor.yield %[[GO]]
// CHECK-NEXT: } do {
// CHECK: tfx_comm.recv from 0
// CHECK: tfx_tensor.if
// CHECK-NEXT: "Tanh"
// CHECK: } else {
// CHECK-NEXT: tfx_tensor.yield
// CHECK-NOT: tfx_comm.recv
// CHECK: tfx_tensor.return
tfx_tensor.graph @rotated(%x: tensor<?xf32>) -> tensor<?xf32> channels [#tfx_comm.channel<0, to_graph, i1>] {
  %r = scf.while (%s = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %go = tfx_comm.recv from 0 : i1
    scf.condition(%go) %s : tensor<?xf32>
  } do {
  ^bb0(%s: tensor<?xf32>):
    %t = tfx_tensor.op "Tanh"(%s) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  }
  tfx_tensor.return %r : tensor<?xf32>
}

// -----

// A random number in the first region is drawn once in each iteration, too.

// CHECK-LABEL: tfx_tensor.graph @random
// CHECK: do {
// CHECK: "RandomUniform"
// CHECK-NOT: "RandomUniform"
tfx_tensor.graph @random(%limit: tensor<f32>) -> index {
  %shape = tfx_tensor.const dense<> : tensor<0xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.while (%i = %zero) : (index) -> index {
    %u = tfx_tensor.op "RandomUniform"(%shape) : (tensor<0xi32>) -> tensor<f32>
    %p = tfx_tensor.op "Less"(%u, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %go = tfx_tensor.to_scalar %p : tensor<i1> -> i1
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %one : index
    scf.yield %j : index
  }
  tfx_tensor.return %r : index
}

// -----

// A value that is never read is zeros; unknown sizes are 0.

// CHECK-LABEL: tfx_tensor.graph @undefined
// CHECK: %[[Z:.*]] = tfx_tensor.const dense<{{.*}}> : tensor<0x2xf32>
// CHECK: tfx_tensor.op "Identity"(%[[Z]]) : (tensor<0x2xf32>) -> tensor<?x2xf32>
tfx_tensor.graph @undefined() -> tensor<?x2xf32> {
  %u = tfx_host.undef : tensor<?x2xf32>
  tfx_tensor.return %u : tensor<?x2xf32>
}

// -----

// Neither is what only such a value makes, which may have more sizes.

// CHECK-LABEL: tfx_tensor.graph @of_undefined
// CHECK-NOT: "ZerosLike"
// CHECK: %[[Z:.*]] = tfx_tensor.const dense<{{.*}}> : tensor<3xf64>
// CHECK: tfx_tensor.return %[[Z]] : tensor<3xf64>
tfx_tensor.graph @of_undefined() -> tensor<3xf64> {
  %u = tfx_host.undef : tensor<?xf64>
  %z = tfx_tensor.op "ZerosLike"(%u) : (tensor<?xf64>) -> tensor<3xf64>
  tfx_tensor.return %z : tensor<3xf64>
}

// -----

// A call in the first region: without state, it may run once more for the condition; any other call
// runs exactly once in each iteration, in the body. Both graphs depend on its scalar types.

// CHECK-LABEL: tfx_tensor.graph @calls
// CHECK: tfx_tensor.while
// CHECK:   %[[I:.*]] = tfx_tensor.to_scalar %{{.*}} : tensor<i32> -> i32
// CHECK:   %[[GO:.*]] = tfx_tensor.call @less(%[[I]]) {pure} : (i32) -> i1
// CHECK:   %[[T:.*]] = tfx_tensor.from_scalar %[[GO]] : i1
// CHECK:   tfx_tensor.yield
// CHECK: do {
// CHECK-NOT: tfx_tensor.call
// CHECK: tfx_tensor.while (%[[NEXT:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NEXT:   tfx_tensor.yield %[[NEXT]] : tensor<i1>
// CHECK-NEXT: do {
// CHECK: tfx_tensor.call @less(%{{.*}}) : (i32) -> i1
// CHECK-NOT: tfx_tensor.call
// CHECK: tfx_tensor.return
tfx_tensor.graph @calls(%zero: i32, %one: i32) -> i32 {
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %go = tfx_tensor.call @less(%i) {pure} : (i32) -> i1
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  %s = scf.while (%i = %r) : (i32) -> i32 {
    %go = tfx_tensor.call @less(%i) : (i32) -> i1
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.addi %i, %one : i32
    scf.yield %j : i32
  }
  tfx_tensor.return %s : i32
}
tfx_tensor.graph private @less(%i: i32) -> i1 {
  %ten = arith.constant 10 : i32
  %go = arith.cmpi slt, %i, %ten : i32
  tfx_tensor.return %go : i1
}
