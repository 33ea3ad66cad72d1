// Loops of stages become loops of the schedule, with `pipelines=true`, which `tfx-pipeline` unrolls.

// RUN: tfx-opt --split-input-file --tfx-place --tfx-bufferize-streams=pipelines=true %s | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-place --tfx-bufferize-streams=pipelines=true --tfx-pipeline --tfx-assign-streams=streams=1 --tfx-insert-events --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule %s | FileCheck %s --check-prefix=PIPELINE
// RUN: tfx-opt --split-input-file --tfx-place --tfx-bufferize-streams %s | FileCheck %s --check-prefix=RUNS
// RUN: tfx-opt --split-input-file --tfx-place "--tfx-bufferize-streams=pipelines=true explain=true" %s -o %t 2>&1 | FileCheck %s --check-prefix=REASON

!t = tensor<8xf32>

// Each iteration allocates the bytes of what it passes on, and frees those that it got.
// CHECK-LABEL: tfx_stream.schedule @sum.schedule(
// CHECK:         %[[SUM:.*]]:{{[0-9]+}} = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(
// CHECK:           %[[B:.*]] = tfx_stream.copy %[[T:.*]] %{{.*}} as %{{.*}} to %[[AT:.*]] :
// CHECK:           tfx_stream.launch %[[T]] @sum.kernel_{{.*}}(%{{.*}} read as %{{.*}}, %[[AT]] read as %[[B]], %[[NEXT:[^ ]*]] write)
// CHECK:           scf.yield {{.*}}%[[NEXT]]
// CHECK:         } {tfx_stream.pipeline}
// CHECK:         tfx_stream.copy %{{.*}} %[[SUM]]#
// CHECK:         tfx_stream.return

// The commands of the four microbatches.
// PIPELINE-LABEL: tfx_stream.schedule @sum.schedule(
// PIPELINE-NOT:     scf.for
// PIPELINE-COUNT-4: tfx_stream.launch %{{.*}} @sum.kernel_1(
// PIPELINE:         tfx_stream.return

// Without pipelines, the graph executes the loop, and each iteration is a run.
// RUNS-LABEL: tfx_tensor.graph @sum
// RUNS:         tfx_tensor.while
// RUNS:           tfx_tensor.call @sum.streams
tfx_tensor.graph @sum(%x: !t) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %seven = tfx_tensor.const dense<7> : tensor<i32>
  %zeros = tfx_tensor.const dense<0.0> : !t
  %r:2 = tfx_tensor.while (%i = %zero, %s = %zeros) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %more = tfx_tensor.op "Less"(%i, %seven) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %s: !t):
    %n = tfx_tensor.op "Cast"(%i) : (tensor<i32>) -> tensor<f32>
    %a = tfx_tensor.op "AddV2"(%x, %n) : (!t, tensor<f32>) -> !t
    %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
    %c = tfx_tensor.op "AddV2"(%s, %b) : (!t, !t) -> !t
    %next = tfx_tensor.op "AddV2"(%i, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %c : tensor<i32>, !t
  }
  tfx_tensor.return %r#1 : !t
}

// -----

!t = tensor<8xf32>

// Tensors that the iterations exchange, repeat, keep, or take from outside; no iteration at all.
// PIPELINE-LABEL: tfx_stream.schedule @exchanged.schedule(
// PIPELINE:         tfx_stream.return
tfx_tensor.graph @exchanged(%x: !t, %y: !t) -> (!t, !t, !t, !t, !t) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %ones = tfx_tensor.const dense<1.0> : !t
  %r:6 = tfx_tensor.while (%i = %zero, %a = %x, %b = %y, %c = %x, %d = %y, %e = %x)
      : (tensor<i32>, !t, !t, !t, !t, !t) -> (tensor<i32>, !t, !t, !t, !t, !t) {
    %more = tfx_tensor.op "Less"(%i, %three) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: !t, %b: !t, %c: !t, %d: !t, %e: !t):
    %f = tfx_comm.copy %b from <cpu> to <cpu:1> : !t
    %g = tfx_tensor.op "Neg"(%f) : (!t) -> !t
    %h = tfx_comm.copy %g from <cpu:1> to <cpu:1, "side"> : !t
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %b, %a, %g, %d, %h : tensor<i32>, !t, !t, !t, !t, !t
  }
  tfx_tensor.return %r#1, %r#2, %r#3, %r#4, %r#5 : !t, !t, !t, !t, !t
}

// -----

!t = tensor<8xf32>

// PIPELINE-LABEL: tfx_stream.schedule @never.schedule(
// PIPELINE:         tfx_stream.launch %{{.*}}(%{{[0-9]+}} write)
// PIPELINE-NOT:     tfx_stream.launch
// PIPELINE:         tfx_stream.return
tfx_tensor.graph @never(%x: !t) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %one, %a = %x) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %more = tfx_tensor.op "Less"(%i, %zero) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: !t):
    %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
    %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %c : tensor<i32>, !t
  }
  tfx_tensor.return %r#1 : !t
}

// -----

!t = tensor<8xf32>

// The number of iterations of the first loop is not known, and the second one has a nested loop
// with copies: the graph executes them.
// REASON: [[#@LINE+9]]:10: remark: this loop is no pipeline: its number of iterations is not known
// REASON: [[#@LINE+18]]:10: remark: this loop is no pipeline: copies are in a loop or a branch inside of it
// CHECK-LABEL: tfx_tensor.graph @others
// CHECK-COUNT-2: tfx_tensor.while
// CHECK-NOT:     tfx_stream.pipeline
tfx_tensor.graph @others(%x: !t, %n: tensor<i32>) -> (!t, !t) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %nine = tfx_tensor.const dense<9> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %a = %x) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %more = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: !t):
    %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
    %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %c : tensor<i32>, !t
  }
  %s:2 = tfx_tensor.while (%i = %zero, %a = %x) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %more = tfx_tensor.op "Less"(%i, %nine) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: !t):
    %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
    %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
    %p = tfx_tensor.op "Less"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %d = tfx_tensor.if %p : tensor<i1> -> !t {
      %e = tfx_comm.copy %c from <cpu:1> to <cpu:2> : !t
      tfx_tensor.yield %e : !t
    } else {
      tfx_tensor.yield %c : !t
    }
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %d : tensor<i32>, !t
  }
  tfx_tensor.return %r#1, %s#1 : !t, !t
}

// -----

!t = tensor<8xf32>

// A pipeline has the commands of all microbatches, so their number has a limit.
// REASON: remark: this loop is no pipeline: it has 4097 iterations, and a pipeline has at most 4096; put it into another loop
// CHECK-LABEL: tfx_tensor.graph @long
// CHECK:         tfx_tensor.while
tfx_tensor.graph @long(%x: !t) -> !t {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %many = tfx_tensor.const dense<4097> : tensor<i32>
  %r:2 = tfx_tensor.while (%i = %zero, %a = %x) : (tensor<i32>, !t) -> (tensor<i32>, !t) {
    %more = tfx_tensor.op "Less"(%i, %many) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %a: !t):
    %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
    %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
    %d = tfx_comm.copy %c from <cpu:1> to <cpu> : !t
    %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %next, %d : tensor<i32>, !t
  }
  tfx_tensor.return %r#1 : !t
}
