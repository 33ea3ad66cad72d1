// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-find-device-code{all=true},tfx-offload{device=cuda:1 explain=true})' %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-find-device-code{all=true},tfx-offload{device=cuda all=true},tfx-place)' %s | FileCheck %s --check-prefix=ALL
// RUN: tfx-opt --tfx-find-device-code=all=true --tfx-offload %s | FileCheck %s --check-prefix=NONE
// RUN: not tfx-opt --tfx-offload=device=gpu %s 2>&1 | FileCheck %s --check-prefix=DEVICE
// NONE-NOT: tfx_comm.copy %{{.*}} from <cpu> to <cuda>
// DEVICE: error: option 'device' of pass 'tfx-offload': expected none, or a CUDA device, such as cuda or cuda:1, got 'gpu'

!m = tensor<1024x1024xf32>
!s = tensor<4xf32>

// Two products are worth the copies. The host has a function that the device has not, so that what
// it gets is copied to it, and back. Each argument is copied once.
// CHECK-LABEL: tfx_tensor.graph @network
// CHECK-NEXT: %[[X:.*]] = tfx_comm.copy %{{.*}} from <cpu> to <cuda:1>
// CHECK-NEXT: %[[W:.*]] = tfx_comm.copy %{{.*}} from <cpu> to <cuda:1>
// CHECK-NEXT: %[[A:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[W]])
// CHECK-NEXT: %[[C:.*]] = tfx_comm.copy %[[A]] from <cuda:1> to <cpu>
// CHECK-NEXT: %[[S:.*]] = tfx_tensor.op "Sin"(%[[C]])
// CHECK-NEXT: %[[D:.*]] = tfx_comm.copy %[[S]] from <cpu> to <cuda:1>
// CHECK-NEXT: %[[B:.*]] = tfx_tensor.op "MatMul"(%[[A]], %[[D]])
// CHECK-NEXT: %[[R:.*]] = tfx_comm.copy %[[B]] from <cuda:1> to <cpu>
// CHECK-NEXT: tfx_tensor.return %[[R]]
// REMARK-DAG: offload.mlir:[[# @LINE + 1]]:1: remark: cuda:1 runs 2 of 3 operations: {{.*}} us expected, copies take {{.*}} us of it; {{.*}} us at the host
tfx_tensor.graph @network(%x: !m, %w: !m) -> !m {
  %a = tfx_tensor.op "MatMul"(%x, %w) : (!m, !m) -> !m
  %s = tfx_tensor.op "Sin"(%a) : (!m) -> !m
  %b = tfx_tensor.op "MatMul"(%a, %s) : (!m, !m) -> !m
  tfx_tensor.return %b : !m
}

// A copy takes longer than a sum of two tensors, unless all that can be moved is.
// CHECK-LABEL: tfx_tensor.graph @small
// CHECK-NOT: tfx_comm.copy
// ALL-LABEL: tfx_tensor.graph @small
// ALL-COUNT-2: tfx_comm.copy %{{.*}} from <cpu> to <cuda>
// ALL-NEXT: "AddV2"
// ALL-NEXT: tfx_comm.copy %{{.*}} from <cuda> to <cpu>
tfx_tensor.graph @small(%x: !m, %y: !m) -> !m {
  %a = tfx_tensor.op "AddV2"(%x, %y) : (!m, !m) -> !m
  tfx_tensor.return %a : !m
}

// A loop with a known number of iterations moves as a whole. A tensor of the host that it uses inside
// is copied once, not in each iteration.
// CHECK-LABEL: tfx_tensor.graph @loop
// CHECK: %[[X:.*]] = tfx_comm.copy %{{.*}} from <cpu> to <cuda:1>
// CHECK-NEXT: %[[W:.*]] = tfx_comm.copy %{{.*}} from <cpu> to <cuda:1>
// CHECK: tfx_tensor.while
// CHECK: "MatMul"(%{{.*}}, %[[W]])
// CHECK-NOT: tfx_comm.copy
// CHECK: %[[R:.*]] = tfx_comm.copy %{{.*}} from <cuda:1> to <cpu>
// CHECK-NEXT: tfx_tensor.return %[[R]]
tfx_tensor.graph @loop(%x: !m, %w: !m) -> !m {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %n = tfx_tensor.const dense<5> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %p = %x) : (tensor<i32>, !m) -> (tensor<i32>, !m) {
    %more = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %p: !m):
    %k = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a = tfx_tensor.op "MatMul"(%p, %w) : (!m, !m) -> !m
    %b = tfx_tensor.op "Tanh"(%a) : (!m) -> !m
    tfx_tensor.yield %k, %b : tensor<i32>, !m
  }
  tfx_tensor.return %r#1 : !m
}

// With an operation of the host inside, a loop stays at the host, and its body is divided.
// CHECK-LABEL: tfx_tensor.graph @body
// CHECK: tfx_tensor.while
// CHECK: "Less"
// CHECK-NOT: tfx_comm.copy
// CHECK: } do {
// CHECK: tfx_comm.copy %{{.*}} from <cpu> to <cuda:1>
// CHECK: "MatMul"
// CHECK-NEXT: %[[A:.*]] = tfx_tensor.op "MatMul"
// CHECK-NEXT: %[[C:.*]] = tfx_comm.copy %[[A]] from <cuda:1> to <cpu>
// CHECK-NEXT: "Sin"(%[[C]])
// REMARK-DAG: offload.mlir:[[# @LINE + 5]]:10: remark: cuda:1 runs 2 of 3 operations
tfx_tensor.graph @body(%x: !m, %w: !m) -> !m {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %n = tfx_tensor.const dense<5> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %p = %x) : (tensor<i32>, !m) -> (tensor<i32>, !m) {
    %more = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %p: !m):
    %k = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a = tfx_tensor.op "MatMul"(%p, %w) : (!m, !m) -> !m
    %b = tfx_tensor.op "MatMul"(%a, %a) : (!m, !m) -> !m
    %c = tfx_tensor.op "Sin"(%b) : (!m) -> !m
    tfx_tensor.yield %k, %c : tensor<i32>, !m
  }
  tfx_tensor.return %r#1 : !m
}

// A call moves with what it calls, which then is not divided itself. A call that stays has a callee
// that is divided.
// CHECK-LABEL: tfx_tensor.graph @calls
// CHECK: %[[A:.*]] = tfx_tensor.call @product
// CHECK-NEXT: %[[C:.*]] = tfx_comm.copy %[[A]] from <cuda:1> to <cpu>
// CHECK-NEXT: tfx_tensor.call @mixed(%[[C]])
// CHECK-LABEL: tfx_tensor.graph private @product
// CHECK-NOT: tfx_comm.copy
// CHECK-LABEL: tfx_tensor.graph private @mixed
// CHECK: tfx_comm.copy %{{.*}} from <cuda:1> to <cpu>
tfx_tensor.graph @calls(%x: !m) -> !m {
  %a = tfx_tensor.call @product(%x) : (!m) -> !m
  %b = tfx_tensor.call @mixed(%a) : (!m) -> !m
  tfx_tensor.return %b : !m
}

tfx_tensor.graph private @product(%x: !m) -> !m {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
  tfx_tensor.return %a : !m
}

tfx_tensor.graph private @mixed(%x: !m) -> !m {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
  %b = tfx_tensor.op "Sin"(%a) : (!m) -> !m
  tfx_tensor.return %b : !m
}

// A value that a branch of the host uses inside is copied to it.
// CHECK-LABEL: tfx_tensor.graph @captured
// CHECK: %[[A:.*]] = tfx_tensor.op "MatMul"
// CHECK-NEXT: %[[C:.*]] = tfx_comm.copy %[[A]] from <cuda:1> to <cpu>
// CHECK-NEXT: tfx_tensor.if
// CHECK-NEXT: "Sin"(%[[C]])
tfx_tensor.graph @captured(%x: !m, %c: tensor<i1>) -> !m {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
  %r = tfx_tensor.if %c : tensor<i1> -> !m {
    %s = tfx_tensor.op "Sin"(%a) : (!m) -> !m
    tfx_tensor.yield %s : !m
  } else {
    tfx_tensor.yield %a : !m
  }
  tfx_tensor.return %r : !m
}

// A branch moves as a whole, too, if the device has code for both arms. The host reads its condition.
// CHECK-LABEL: tfx_tensor.graph @branch
// CHECK: %[[X:.*]] = tfx_comm.copy %arg0 from <cpu> to <cuda:1>
// CHECK: tfx_tensor.if
// CHECK-NEXT: %[[A:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[X]])
// CHECK: } else {
// CHECK-NEXT: tfx_tensor.yield %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[R:.*]] = tfx_comm.copy %{{.*}} from <cuda:1> to <cpu>
// CHECK-NEXT: tfx_tensor.return %[[R]]
tfx_tensor.graph @branch(%x: !m, %c: tensor<i1>) -> !m {
  %r = tfx_tensor.if %c : tensor<i1> -> !m {
    %a = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
    tfx_tensor.yield %a : !m
  } else {
    tfx_tensor.yield %x : !m
  }
  tfx_tensor.return %r : !m
}

// What both sides use and is small has no copy, if the device has code for it. If the device runs all
// that it can, it runs this, too.
// CHECK-LABEL: tfx_tensor.graph @both
// CHECK: %[[N:.*]] = tfx_tensor.op "Neg"(%{{.*}})
// CHECK: %[[S:.*]] = tfx_tensor.op "Sin"(%{{.*}})
// CHECK: %[[C:.*]] = tfx_comm.copy %[[S]] from <cpu> to <cuda:1>
// CHECK: %[[A:.*]] = tfx_tensor.op "MatMul"
// CHECK-NEXT: %[[B:.*]] = tfx_tensor.op "AddV2"(%[[A]], %[[N]])
// CHECK-NEXT: "AddV2"(%[[B]], %[[C]])
// CHECK: "Cos"(%[[N]])
// ALL-LABEL: tfx_tensor.graph @both
// ALL: %[[X:.*]] = tfx_comm.copy %arg1 from <cpu> to <cuda>
// ALL: %[[N:.*]] = tfx_tensor.op "Neg"(%[[X]])
tfx_tensor.graph @both(%x: !m, %v: tensor<f32>) -> (!m, tensor<f32>) {
  %n = tfx_tensor.op "Neg"(%v) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.op "Sin"(%v) : (tensor<f32>) -> tensor<f32>
  %a = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
  %b = tfx_tensor.op "AddV2"(%a, %n) : (!m, tensor<f32>) -> !m
  %c = tfx_tensor.op "AddV2"(%b, %s) : (!m, tensor<f32>) -> !m
  %t = tfx_tensor.op "Cos"(%n) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.return %c, %t : !m, tensor<f32>
}

// The program decides about the places of a graph with copies.
// CHECK-LABEL: tfx_tensor.graph @placed
// CHECK-COUNT-1: tfx_comm.copy
// CHECK-NOT: tfx_comm.copy
tfx_tensor.graph @placed(%x: !m) -> !m {
  %a = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !m
  %c = tfx_tensor.op "MatMul"(%b, %b) : (!m, !m) -> !m
  tfx_tensor.return %c : !m
}
