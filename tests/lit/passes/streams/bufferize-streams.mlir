// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=gain=1000 %s | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=gain=1000 --tfx-assign-streams=streams=2 \
// RUN:   --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule \
// RUN:   --tfx-lower-streams %s | FileCheck %s --check-prefix=ALL
// RUN: tfx-opt --split-input-file --tfx-bufferize-streams=gain=1000 --tfx-bufferize-streams=gain=1000 %s \
// RUN:   | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-bufferize-streams %s | FileCheck %s --check-prefix=GAIN

// Two products and their sum: three kernels. The activation is in the kernel of its operand.
// CHECK-LABEL: tfx_tensor.graph @towers
// CHECK-NEXT:    %[[R:.*]] = tfx_tensor.call @towers.streams(%{{.*}}) {pure}
// CHECK-NEXT:    tfx_tensor.return %[[R]]
// CHECK:       tfx_tensor.graph private @towers.streams
// CHECK-SAME:    tfx.schedule = @towers.schedule
// CHECK-NEXT:    %[[A:.*]] = tfx_tensor.call @towers.kernel(
// CHECK-NEXT:    %[[B:.*]] = tfx_tensor.call @towers.kernel_0(
// CHECK-NEXT:    tfx_tensor.call @towers.kernel_1(%[[A]], %[[B]])
// CHECK:       tfx_stream.schedule @towers.schedule(%[[S:[^:]*]]: !tfx_stream.stream<cpu>,
// CHECK-SAME:    %[[X:[^:]*]]: !tfx_stream.buffer<1048576, host> {tfx_stream.access = "read"},
// CHECK-SAME:    %[[Y:[^:]*]]: !tfx_stream.buffer<1048576, host> {tfx_stream.access = "write"})
// CHECK:         %[[VX:.*]] = tfx_stream.input %[[X]]
// CHECK:         %[[P:.*]] = tfx_stream.alloc on %[[S]]
// CHECK:         %[[VP:.*]] = tfx_stream.launch %[[S]] @towers.kernel(%[[X]] read as %[[VX]], %[[P]] write) {cost = {{[0-9]+}} : i64}
// CHECK:         %[[Q:.*]] = tfx_stream.alloc on %[[S]]
// CHECK:         %[[VQ:.*]] = tfx_stream.launch %[[S]] @towers.kernel_0(%[[X]] read as %[[VX]], %[[Q]] write)
// CHECK:         tfx_stream.launch %[[S]] @towers.kernel_1(%[[P]] read as %[[VP]], %[[Q]] read as %[[VQ]], %[[Y]] write)
// CHECK-DAG:     tfx_stream.free %[[P]] on %[[S]]
// CHECK-DAG:     tfx_stream.free %[[Q]] on %[[S]]
// CHECK:       tfx_tensor.graph private @towers.kernel(
// CHECK-SAME:    attributes {tfx.kernel}
// CHECK:         "MatMul"
// CHECK-NEXT:    "Tanh"

// ALL:         tfx_stream.schedule @towers.schedule
// ALL-SAME:      tfx_stream.commands = "tfxs
// ALL:           tfx_stream.open
// ALL:           tfx_stream.wait

// By default, a schedule must save 20 us.
// GAIN:        tfx_stream.schedule @towers.schedule
// GAIN:        tfx_stream.schedule @apart.schedule
// GAIN-NOT:    tfx_stream.schedule @small
tfx_tensor.graph @towers(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = tfx_tensor.op "Tanh"(%a) : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = tfx_tensor.op "MatMul"(%x, %x) {transpose_a = true} : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = tfx_tensor.op "AddV2"(%b, %c) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  tfx_tensor.return %d : tensor<512x512xf32>
}

// -----

// Operations without a common value are one part: they run together.
// CHECK-LABEL: tfx_tensor.graph @apart
// CHECK-NEXT:    %[[R:.*]]:2 = tfx_tensor.call @apart.streams(
// CHECK:       tfx_tensor.graph private @apart.streams
// CHECK:       tfx_stream.schedule @apart.schedule
// CHECK-COUNT-2: tfx_stream.launch
tfx_tensor.graph @apart(%x: tensor<1000000xf32>, %y: tensor<1000000xi32>) -> (tensor<1000000xf32>, tensor<1000000xi32>) {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<1000000xf32>) -> tensor<1000000xf32>
  %b = tfx_tensor.op "Neg"(%y) : (tensor<1000000xi32>) -> tensor<1000000xi32>
  tfx_tensor.return %a, %b : tensor<1000000xf32>, tensor<1000000xi32>
}

// -----

// A loop is a kernel; a loop that has parallel kernels inside is not, and its body has a schedule.
// CHECK-LABEL: tfx_tensor.graph @loops
// CHECK:         tfx_tensor.while
// CHECK:           tfx_tensor.call @loops.streams_0(
// CHECK:         tfx_tensor.call @loops.streams(
// CHECK-DAG:   tfx_stream.schedule @loops.schedule(
// CHECK-DAG:   tfx_stream.schedule @loops.schedule_0(
// CHECK:       tfx_tensor.graph private @loops.kernel
// CHECK:         tfx_tensor.while
tfx_tensor.graph @loops(%n: tensor<i32>, %x: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %v = %x) : (tensor<i32>, tensor<512x512xf32>) -> (tensor<i32>, tensor<512x512xf32>) {
    %c = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<512x512xf32>):
    %j = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a = tfx_tensor.op "MatMul"(%v, %v) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %b = tfx_tensor.op "MatMul"(%x, %v) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    %w = tfx_tensor.op "AddV2"(%a, %b) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    tfx_tensor.yield %j, %w : tensor<i32>, tensor<512x512xf32>
  }
  %s:2 = tfx_tensor.while (%i = %zero, %v = %r#1) : (tensor<i32>, tensor<512x512xf32>) -> (tensor<i32>, tensor<512x512xf32>) {
    %c = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<512x512xf32>):
    %j = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = tfx_tensor.op "MatMul"(%v, %x) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    tfx_tensor.yield %j, %w : tensor<i32>, tensor<512x512xf32>
  }
  %t:2 = tfx_tensor.while (%i = %zero, %v = %r#1) : (tensor<i32>, tensor<512x512xf32>) -> (tensor<i32>, tensor<512x512xf32>) {
    %c = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<512x512xf32>):
    %j = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %w = tfx_tensor.op "MatMul"(%x, %v) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    tfx_tensor.yield %j, %w : tensor<i32>, tensor<512x512xf32>
  }
  tfx_tensor.return %r#1, %s#1, %t#1 : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
}

// -----

// 16 us of 32 us may be saved.
// CHECK-LABEL: tfx_tensor.graph @small
// CHECK:       tfx_stream.schedule @small.schedule
tfx_tensor.graph @small(%x: tensor<16000xf32>, %y: tensor<16000xf32>) -> (tensor<16000xf32>, tensor<16000xf32>) {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<16000xf32>) -> tensor<16000xf32>
  %b = tfx_tensor.op "Neg"(%y) : (tensor<16000xf32>) -> tensor<16000xf32>
  tfx_tensor.return %a, %b : tensor<16000xf32>, tensor<16000xf32>
}

// -----

// A chain, unknown sizes, state and strings have no schedule.
// CHECK-LABEL: tfx_tensor.graph @others
// CHECK-NOT:   tfx_stream.schedule
tfx_tensor.graph @others(%x: tensor<512x512xf32>, %u: tensor<?xf32>, %s: tensor<2x!tfx_tensor.string>, %n: tensor<2xi32>)
    -> (tensor<512x512xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2x!tfx_tensor.string>, tensor<?x?xf32>) {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = tfx_tensor.op "MatMul"(%a, %a) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = tfx_tensor.op "Neg"(%u) : (tensor<?xf32>) -> tensor<?xf32>
  %d = tfx_tensor.op "Exp"(%u) : (tensor<?xf32>) -> tensor<?xf32>
  %e = tfx_tensor.op "StringLower"(%s) : (tensor<2x!tfx_tensor.string>) -> tensor<2x!tfx_tensor.string>
  %f = tfx_tensor.op "RandomUniform"(%n) {dtype = f32} : (tensor<2xi32>) -> tensor<?x?xf32>
  tfx_tensor.return %b, %c, %d, %e, %f : tensor<512x512xf32>, tensor<?xf32>, tensor<?xf32>, tensor<2x!tfx_tensor.string>, tensor<?x?xf32>
}
