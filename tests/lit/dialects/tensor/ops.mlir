// Each operation and type of tfx_tensor, in each form of its syntax, is printed as it was written
// and parses back from the custom form, the generic form and bytecode. The custom form loses no
// information: after a round trip, the generic form is unchanged.

// RUN: tfx-opt %s | FileCheck %s
// RUN: tfx-opt %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --emit-bytecode %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s -o %t.first
// RUN: tfx-opt %s | tfx-opt --mlir-print-op-generic -o %t.second
// RUN: diff %t.first %t.second
// RUN: tfx-opt --mlir-print-debuginfo %s | tfx-opt --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCATION

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

!Strings = tensor<?x!tfx_tensor.string>

// CHECK-LABEL: func.func private @types
// CHECK-SAME: (tensor<?x!tfx_tensor.string>, tensor<!tfx_tensor.resource>, tensor<*x!tfx_tensor.variant>, !tfx_tensor.string)
func.func private @types(!Strings, tensor<!tfx_tensor.resource>, tensor<*x!tfx_tensor.variant>, !tfx_tensor.string)

//===----------------------------------------------------------------------===//
// Operations and values
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @operations
func.func @operations(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>, %names: !Strings, %any: tensor<*xf32>) {
  // CHECK: tfx_tensor.op "NoOp"() : () -> ()
  tfx_tensor.op "NoOp"() : () -> ()
  // CHECK: tfx_tensor.op "MatMul"(%{{.*}}, %{{.*}}) {transpose_b = true} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  %y = tfx_tensor.op "MatMul"(%x, %w) {transpose_b = true} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  // CHECK: tfx_tensor.op "Neg"(%{{.*}}) {device = "/device:CPU:0"} : (tensor<*xf32>) -> tensor<*xf32>
  %neg = tfx_tensor.op "Neg"(%any) {device = "/device:CPU:0"} : (tensor<*xf32>) -> tensor<*xf32>
  // Attributes of each kind of TensorFlow: list, type, shape, function, tensor, string, numbers.
  // CHECK: tfx_tensor.op "Any"() {b = false, f = 1.500000e+00 : f32, fn = @double, i = 3 : i64, list = [1, 2], s = "a\22b", shape = #tfx_host.type_param<"T">, t = f32, v = dense<1> : tensor<2xi32>} : () -> tensor<f32>
  %all = tfx_tensor.op "Any"() {list = [1, 2], t = f32, fn = @double, v = dense<1> : tensor<2xi32>, s = "a\"b", i = 3, f = 1.5 : f32, b = false, shape = #tfx_host.type_param<"T">} : () -> tensor<f32>
  // Computed attributes and a constant one; a name that is not a keyword is quoted.
  // CHECK: tfx_tensor.op "Any"(%{{.*}}) computed(axis = %{{.*}} : i64, "a b" = %{{.*}} : !tfx_host.array<i64>) {keep = true} : (tensor<?x4xf32>) -> tensor<f32>
  %axis = arith.constant 1 : i64
  %sizes = tfx_host.array(%axis) : !tfx_host.array<i64>
  %computed = tfx_tensor.op "Any"(%x) computed(axis = %axis : i64, "a b" = %sizes : !tfx_host.array<i64>) {keep = true} : (tensor<?x4xf32>) -> tensor<f32>
  // CHECK: %{{.*}}:2 = tfx_tensor.op "TopKV2"(%{{.*}}, %{{.*}}) : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)
  %k = tfx_tensor.const dense<2> : tensor<i32>
  %values, %indices = tfx_tensor.op "TopKV2"(%x, %k) : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)
  // CHECK: tfx_tensor.op "VarHandleOp"() {dtype = f32, shared_name = "v"} : () -> tensor<!tfx_tensor.resource>
  %v = tfx_tensor.op "VarHandleOp"() {dtype = f32, shared_name = "v"} : () -> tensor<!tfx_tensor.resource>
  // CHECK: tfx_tensor.op "StringLength"(%{{.*}}) : (tensor<?x!tfx_tensor.string>) -> tensor<?xi32>
  %n = tfx_tensor.op "StringLength"(%names) : (!Strings) -> tensor<?xi32>
  // tfx-check-operations reports names that TensorFlow does not have.
  // CHECK: tfx_tensor.op "a name"() : () -> ()
  tfx_tensor.op "a name"() : () -> ()
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: tfx_tensor.const dense<5.000000e-01> : tensor<f32>
  %a = tfx_tensor.const dense<0.5> : tensor<f32>
  // CHECK: tfx_tensor.const dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
  %b = tfx_tensor.const dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK: tfx_tensor.const dense<> : tensor<0x3xf32>
  %c = tfx_tensor.const dense<> : tensor<0x3xf32>
  // CHECK: tfx_tensor.const dense<["a", "b"]> : tensor<2x!tfx_tensor.string>
  %d = tfx_tensor.const dense<["a", "b"]> : tensor<2x!tfx_tensor.string>
  // CHECK: tfx_tensor.const dense<true> : tensor<3xi1> {note}
  %e = tfx_tensor.const dense<true> : tensor<3xi1> {note}
  // CHECK: tfx_tensor.const sparse<0, 1> : tensor<4xi32>
  %f = tfx_tensor.const sparse<0, 1> : tensor<4xi32>
  // CHECK: tfx_tensor.const dense_resource<weights> : tensor<2xf32>
  %g = tfx_tensor.const dense_resource<weights> : tensor<2xf32>
  // CHECK: tfx_tensor.const dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %h = tfx_tensor.const dense<(1.0, 2.0)> : tensor<complex<f32>>
  return
}

// CHECK-LABEL: func.func @scalars
func.func @scalars(%i: i64, %b: i1, %f: bf16, %n: index) {
  // CHECK: [[T:%.*]] = tfx_tensor.from_scalar %{{.*}} : i64
  %t = tfx_tensor.from_scalar %i : i64
  // CHECK: tfx_tensor.from_scalar %{{.*}} {note} : i1
  %u = tfx_tensor.from_scalar %b {note} : i1
  // CHECK: tfx_tensor.from_scalar %{{.*}} : bf16
  %v = tfx_tensor.from_scalar %f : bf16
  // An index becomes a tensor of i64.
  // CHECK: [[N:%.*]] = tfx_tensor.from_scalar %{{.*}} : index
  %w = tfx_tensor.from_scalar %n : index
  // CHECK: tfx_tensor.op "AddV2"([[T]], [[N]]) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %sum = tfx_tensor.op "AddV2"(%t, %w) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  // CHECK: tfx_tensor.to_scalar [[T]] : tensor<i64> -> i64
  %x = tfx_tensor.to_scalar %t : tensor<i64> -> i64
  // CHECK: tfx_tensor.to_scalar [[T]] {note} : tensor<i64> -> index
  %y = tfx_tensor.to_scalar %t {note} : tensor<i64> -> index
  // Tensors with one element of any rank, and unranked tensors.
  // CHECK: tfx_tensor.to_scalar %{{.*}} : tensor<1x1xf32> -> f32
  // CHECK: tfx_tensor.to_scalar %{{.*}} : tensor<?xf32> -> f32
  // CHECK: tfx_tensor.to_scalar %{{.*}} : tensor<*xf32> -> f32
  %one:3 = tfx_tensor.op "Any"() : () -> (tensor<1x1xf32>, tensor<?xf32>, tensor<*xf32>)
  %z0 = tfx_tensor.to_scalar %one#0 : tensor<1x1xf32> -> f32
  %z1 = tfx_tensor.to_scalar %one#1 : tensor<?xf32> -> f32
  %z2 = tfx_tensor.to_scalar %one#2 : tensor<*xf32> -> f32
  return
}

//===----------------------------------------------------------------------===//
// Functional control flow
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @ifs
func.func @ifs(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<?xf32>) {
  // CHECK: tfx_tensor.if %{{.*}} : tensor<i1> {
  // CHECK-NEXT: tfx_tensor.yield{{$}}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tfx_tensor.yield {note}{{$}}
  // CHECK-NEXT: }{{$}}
  tfx_tensor.if %p : tensor<i1> {
    tfx_tensor.yield
  } else {
    tfx_tensor.yield {note}
  }
  // The static sizes of the two regions may differ.
  // CHECK: tfx_tensor.if %{{.*}} : tensor<i1> -> tensor<?xf32> {
  // CHECK-NEXT: tfx_tensor.yield {note} %{{.*}} : tensor<2xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tfx_tensor.yield %{{.*}} : tensor<?xf32>
  // CHECK-NEXT: } {note}
  %r = tfx_tensor.if %p : tensor<i1> -> tensor<?xf32> {
    tfx_tensor.yield {note} %x : tensor<2xf32>
  } else {
    tfx_tensor.yield %y : tensor<?xf32>
  } {note}
  // CHECK: %{{.*}}:2 = tfx_tensor.if %{{.*}} : tensor<i1> -> tensor<*xf32>, tensor<i1> {
  // CHECK-NEXT: tfx_tensor.yield %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<i1>
  %s:2 = tfx_tensor.if %p : tensor<i1> -> tensor<*xf32>, tensor<i1> {
    tfx_tensor.yield %x, %p : tensor<2xf32>, tensor<i1>
  } else {
    %no = tfx_tensor.const dense<false> : tensor<i1>
    tfx_tensor.yield %y, %no : tensor<?xf32>, tensor<i1>
  }
  return
}

// CHECK-LABEL: func.func @cases
func.func @cases(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>) {
  // CHECK: tfx_tensor.case %{{.*}} : tensor<i32> {
  // CHECK-NEXT: tfx_tensor.yield
  // CHECK-NEXT: }{{$}}
  tfx_tensor.case %i : tensor<i32> {
    tfx_tensor.yield
  }
  // CHECK: %{{.*}}:2 = tfx_tensor.case %{{.*}} : tensor<i32> -> tensor<f32>, tensor<i32> {
  // CHECK: }, {
  // CHECK: }, {
  // CHECK: } {note}
  %r:2 = tfx_tensor.case %i : tensor<i32> -> tensor<f32>, tensor<i32> {
    tfx_tensor.yield %x, %i : tensor<f32>, tensor<i32>
  }, {
    tfx_tensor.yield %y, %i : tensor<f32>, tensor<i32>
  }, {
    %sum = tfx_tensor.op "AddV2"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfx_tensor.yield %sum, %i : tensor<f32>, tensor<i32>
  } {note}
  return
}

// CHECK-LABEL: func.func @whiles
func.func @whiles(%p: tensor<i1>, %n: tensor<i32>, %x: tensor<2xf32>) {
  // CHECK: tfx_tensor.while () : () -> () {
  // CHECK-NEXT: tfx_tensor.yield %{{.*}} : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: tfx_tensor.yield
  // CHECK-NEXT: } attributes {note}
  tfx_tensor.while () : () -> () {
    tfx_tensor.yield %p : tensor<i1>
  } do {
    tfx_tensor.yield
  } attributes {note}
  // CHECK: tfx_tensor.while (%[[I:.*]] = %{{.*}}) : (tensor<i32>) -> tensor<i32> {
  // CHECK-NEXT: tfx_tensor.op "Less"(%[[I]], %{{.*}}) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: } do {
  // CHECK-NEXT: ^bb0(%[[J:.*]]: tensor<i32>):
  // CHECK-NEXT: tfx_tensor.op "AddV2"(%[[J]], %[[J]])
  %r = tfx_tensor.while (%i = %n) : (tensor<i32>) -> tensor<i32> {
    %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%j: tensor<i32>):
    %next = tfx_tensor.op "AddV2"(%j, %j) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next : tensor<i32>
  }
  // The body may yield a type with fewer static sizes.
  // CHECK: %{{.*}}:2 = tfx_tensor.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<2xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<i1>) {
  // CHECK: ^bb0(%{{.*}}: tensor<?xf32>, %{{.*}}: tensor<i1>):
  %s:2 = tfx_tensor.while (%a = %x, %b = %p) : (tensor<2xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<i1>) {
    tfx_tensor.yield %b : tensor<i1>
  } do {
  ^bb0(%a: tensor<?xf32>, %b: tensor<i1>):
    tfx_tensor.yield %a, %b : tensor<?xf32>, tensor<i1>
  }
  // The type of a condition argument is written if it differs from that of the initial value.
  // CHECK: tfx_tensor.while (%[[A:.*]]: tensor<?xf32> = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<2xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<i1>) {
  // CHECK-NEXT: tfx_tensor.op "GoOn"(%[[A]]) : (tensor<?xf32>) -> tensor<i1>
  // CHECK: ^bb0(%{{.*}}: tensor<*xf32>, %{{.*}}: tensor<i1>):
  %t:2 = tfx_tensor.while (%a: tensor<?xf32> = %x, %b: tensor<i1> = %p) : (tensor<2xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<i1>) {
    %go = tfx_tensor.op "GoOn"(%a) : (tensor<?xf32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%a: tensor<*xf32>, %b: tensor<i1>):
    tfx_tensor.yield %a, %b : tensor<*xf32>, tensor<i1>
  }
  return
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

// CHECK: tfx_tensor.graph @nothing() {
// CHECK-NEXT: tfx_tensor.return{{$}}
// CHECK-NEXT: }
tfx_tensor.graph @nothing() {
  tfx_tensor.return
}

// CHECK: tfx_tensor.graph private @double(%[[X:.*]]: tensor<f32>) -> tensor<f32> attributes {note = "kept"} {
// CHECK-NEXT: %[[Y:.*]] = tfx_tensor.op "AddV2"(%[[X]], %[[X]])
// CHECK-NEXT: tfx_tensor.return {note} %[[Y]] : tensor<f32>
tfx_tensor.graph private @double(%x: tensor<f32>) -> tensor<f32> attributes {note = "kept"} {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_tensor.return {note} %y : tensor<f32>
}

// CHECK: tfx_tensor.graph public @"two of them"(%{{.*}}: tensor<f32> {tf.name = "x"}, %{{.*}}: tensor<*xi1>) -> (tensor<f32>, tensor<*xi1> {tf.name = "p"}) {
// CHECK: tfx_tensor.return %{{.*}}, %{{.*}} : tensor<f32>, tensor<*xi1>
tfx_tensor.graph public @"two of them"(%x: tensor<f32> {tf.name = "x"}, %p: tensor<*xi1>) -> (tensor<f32>, tensor<*xi1> {tf.name = "p"}) {
  tfx_tensor.return %x, %p : tensor<f32>, tensor<*xi1>
}

// CHECK: tfx_tensor.graph nested @no_channels() channels [] {
tfx_tensor.graph nested @no_channels() channels [] {
  tfx_tensor.return
}

// CHECK: tfx_tensor.graph @channels(%{{.*}}: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, i1, capacity = 4>] attributes {note} {
tfx_tensor.graph @channels(%x: tensor<f32>) -> tensor<f32>
    channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, i1, capacity = 4>] attributes {note} {
  tfx_tensor.return %x : tensor<f32>
}

// CHECK: tfx_tensor.graph @calls(
tfx_tensor.graph @calls(%x: tensor<f32>, %p: tensor<*xi1>) -> tensor<f32> {
  // CHECK: tfx_tensor.call @nothing() : () -> ()
  tfx_tensor.call @nothing() : () -> ()
  // CHECK: [[Y:%.*]] = tfx_tensor.call @double(%{{.*}}) {note} : (tensor<f32>) -> tensor<f32>
  %y = tfx_tensor.call @double(%x) {note} : (tensor<f32>) -> tensor<f32>
  // CHECK: tfx_tensor.call @nothing() {pure} : () -> ()
  tfx_tensor.call @nothing() {pure} : () -> ()
  // CHECK: %{{.*}}:2 = tfx_tensor.call @"two of them"([[Y]], %{{.*}}) : (tensor<f32>, tensor<*xi1>) -> (tensor<f32>, tensor<*xi1>)
  %z:2 = tfx_tensor.call @"two of them"(%y, %p) : (tensor<f32>, tensor<*xi1>) -> (tensor<f32>, tensor<*xi1>)
  // CHECK: tfx_tensor.call @calls({{.*}}) {arg_attrs = [{}, {tf.name = "p"}], res_attrs = [{}]} : (tensor<f32>, tensor<*xi1>) -> tensor<f32>
  %w = tfx_tensor.call @calls(%y, %p) {arg_attrs = [{}, {tf.name = "p"}], res_attrs = [{}]} : (tensor<f32>, tensor<*xi1>) -> tensor<f32>
  tfx_tensor.return %w : tensor<f32>
}

// A graph may have several blocks before it is structured.
// CHECK: tfx_tensor.graph @blocks(
// CHECK: cf.br ^[[B:bb[0-9]+]](%{{.*}} : tensor<f32>)
// CHECK: ^[[B]](%{{.*}}: tensor<f32>):
tfx_tensor.graph @blocks(%x: tensor<f32>) -> tensor<f32> {
  cf.br ^end(%x : tensor<f32>)
^end(%y: tensor<f32>):
  tfx_tensor.return %y : tensor<f32>
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

// LOCATION: tfx_tensor.graph @located(%{{.*}}: tensor<f32> loc("f.src":1:9)) attributes {note} {
// LOCATION-NEXT: tfx_tensor.return loc([[RETURN:#loc[0-9]*]])
// LOCATION-NEXT: } loc([[GRAPH:#loc[0-9]*]])
tfx_tensor.graph @located(%x: tensor<f32> loc("f.src":1:9)) attributes {note} {
  tfx_tensor.return loc("f.src":2:3)
} loc("f.src":1:1)
// LOCATION-DAG: [[RETURN]] = loc("f.src":2:3)
// LOCATION-DAG: [[GRAPH]] = loc("f.src":1:1)

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
