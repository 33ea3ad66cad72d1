// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-strip-mine))' --split-input-file %s | FileCheck %s
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-strip-mine{explain=true}))' --split-input-file %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS
// A second run changes nothing.
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-strip-mine))' --split-input-file %s -o %t.once && tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-strip-mine))' --split-input-file %t.once | diff %t.once -

// The iterations without messages run in an inner loop, without the send and its operands; then the
// outer loop runs one iteration as before.

// CHECK-LABEL: tfx_tensor.graph @every_hundredth
// CHECK:      %[[OUT:.*]]:2 = scf.while (%[[I:.*]] = %{{.*}}, %[[W:.*]] = %{{.*}}) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
// CHECK-NEXT:   %[[Q:.*]]:2 = scf.while (%[[QI:.*]] = %[[I]], %[[QW:.*]] = %[[W]]) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
// CHECK-NEXT:     %[[GO:.*]] = arith.cmpi slt, %[[QI]], %[[N:.*]] : i32
// CHECK-NEXT:     %[[R:.*]] = arith.remsi %[[QI]], %{{.*}} : i32
// CHECK-NEXT:     %[[NOISY:.*]] = arith.cmpi eq, %[[R]], %{{.*}} : i32
// CHECK-NEXT:     %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:     %[[QUIET:.*]] = arith.xori %[[NOISY]], %[[TRUE]] : i1
// CHECK-NEXT:     %[[BOTH:.*]] = arith.andi %[[GO]], %[[QUIET]] : i1
// CHECK-NEXT:     scf.condition(%[[BOTH]]) %[[QI]], %[[QW]] : i32, tensor<4xf32>
// CHECK-NEXT:   } do {
// CHECK-NEXT:   ^bb0(%[[QI:.*]]: i32, %[[QW:.*]]: tensor<4xf32>):
// CHECK-NEXT:     %[[NEXT:.*]] = tfx_tensor.op "Mul"(%[[QW]], %[[QW]])
// CHECK-NEXT:     %[[INC:.*]] = arith.addi %[[QI]], %{{.*}} : i32
// CHECK-NEXT:     scf.yield %[[INC]], %[[NEXT]] : i32, tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[GO:.*]] = arith.cmpi slt, %[[Q]]#0, %[[N]] : i32
// CHECK-NEXT:   scf.condition(%[[GO]]) %[[Q]]#0, %[[Q]]#1 : i32, tensor<4xf32>
// CHECK-NEXT: } do {
// CHECK:        scf.if
// CHECK-NEXT:     tfx_tensor.op "Neg"
// CHECK-NEXT:     tfx_comm.send
// SAYS: strip-mine.mlir:[[#@LINE+9]]:12: remark: the iterations of this loop without messages run in an inner loop
// SAYS: strip-mine.mlir:[[#@LINE+16]]:5: note: an iteration has messages if this condition is true
tfx_tensor.graph @every_hundredth(%n: i32, %w0: tensor<4xf32>) -> tensor<4xf32>
    channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %hundred = arith.constant 100 : i32


  %end:2 = scf.while (%i = %zero, %w = %w0) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i, %w : i32, tensor<4xf32>
  } do {
  ^bb0(%i: i32, %w: tensor<4xf32>):
    %next = tfx_tensor.op "Mul"(%w, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = arith.remsi %i, %hundred : i32
    %show = arith.cmpi eq, %r, %zero : i32
    scf.if %show {
      %shown = tfx_tensor.op "Neg"(%next) : (tensor<4xf32>) -> tensor<4xf32>
      tfx_comm.send %shown to 0 : tensor<4xf32>
    }
    %inc = arith.addi %i, %one : i32
    scf.yield %inc, %next : i32, tensor<4xf32>
  }
  tfx_tensor.return %end#1 : tensor<4xf32>
}

// -----

// Two gates, one of which is quiet if its condition is true and has a result; and an `scf.for`,
// which becomes an `scf.while`.

// CHECK-LABEL: tfx_tensor.graph @two_gates
// CHECK:      %[[OUT:.*]]:2 = scf.while (%[[I:.*]] = %[[FROM:.*]], %[[W:.*]] = %{{.*}}) : (index, tensor<4xf32>)
// CHECK-NEXT:   %[[Q:.*]]:2 = scf.while (%[[QI:.*]] = %[[I]], %[[QW:.*]] = %[[W]])
// CHECK-NEXT:     %[[GO:.*]] = arith.cmpi slt, %[[QI]], %{{.*}} : index
// CHECK-NEXT:     %[[A:.*]] = arith.cmpi eq, %[[QI]], %{{.*}} : index
// CHECK:          %[[NOT:.*]] = arith.xori %[[A]],
// CHECK-NEXT:     %[[FIRST:.*]] = arith.andi %[[GO]], %[[NOT]] : i1
// CHECK-NEXT:     %[[B:.*]] = arith.cmpi ult, %[[QI]], %{{.*}} : index
// CHECK-NEXT:     %[[BOTH:.*]] = arith.andi %[[FIRST]], %[[B]] : i1
// CHECK-NEXT:     scf.condition(%[[BOTH]]) %[[QI]], %[[QW]]
// CHECK-NEXT:   } do {
// CHECK-NEXT:   ^bb0(%[[QI:.*]]: index, %[[QW:.*]]: tensor<4xf32>):
// CHECK-NEXT:     %[[HALF:.*]] = tfx_tensor.op "Abs"(%[[QW]])
// CHECK-NEXT:     %[[INC:.*]] = arith.addi %[[QI]], %{{.*}} : index
// CHECK-NEXT:     scf.yield %[[INC]], %[[HALF]]
// CHECK:      } do {
// CHECK:        scf.if
// CHECK:          tfx_comm.send
// CHECK:        scf.if
// CHECK:          tfx_tensor.op "Abs"
// CHECK:        } else {
// CHECK:          tfx_comm.recv
// CHECK:      tfx_tensor.return %[[OUT]]#1
tfx_tensor.graph @two_gates(%from: index, %to: index, %w0: tensor<4xf32>) -> tensor<4xf32>
    channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>, #tfx_comm.channel<1, to_graph, tensor<4xf32>>] {
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %end = scf.for %i = %from to %to step %one iter_args(%w = %w0) -> (tensor<4xf32>) {
    %a = arith.cmpi eq, %i, %seven : index
    scf.if %a {
      tfx_comm.send %w to 0 : tensor<4xf32>
    }
    %b = arith.cmpi ult, %i, %to : index
    %next = scf.if %b -> tensor<4xf32> {
      %abs = tfx_tensor.op "Abs"(%w) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %abs : tensor<4xf32>
    } else {
      %received = tfx_comm.recv from 1 : tensor<4xf32>
      scf.yield %received : tensor<4xf32>
    }
    scf.yield %next : tensor<4xf32>
  }
  tfx_tensor.return %end : tensor<4xf32>
}

// -----

// Forwarded values that the condition region computes are forwarded to the body of the quiet loop,
// too.

// CHECK-LABEL: tfx_tensor.graph @computed_by_the_header
// CHECK:      scf.while (%[[I:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK-NEXT:   %[[Q:.*]]:2 = scf.while (%[[QI:.*]] = %[[I]]) : (i32) -> (i32, i32) {
// CHECK-NEXT:     %[[INC:.*]] = arith.addi %[[QI]], %{{.*}} : i32
// CHECK-NEXT:     %[[GO:.*]] = arith.cmpi slt, %[[INC]], %{{.*}} : i32
// CHECK-NEXT:     %[[NOISY:.*]] = arith.cmpi eq, %[[INC]], %{{.*}} : i32
// CHECK:          scf.condition(%{{.*}}) %[[QI]], %[[INC]] : i32, i32
// CHECK-NEXT:   } do {
// CHECK-NEXT:   ^bb0(%{{.*}}: i32, %[[FORWARDED:.*]]: i32):
// CHECK-NEXT:     scf.yield %[[FORWARDED]] : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[INC:.*]] = arith.addi %[[Q]]#0, %{{.*}} : i32
// CHECK-NEXT:   %[[GO:.*]] = arith.cmpi slt, %[[INC]], %{{.*}} : i32
// CHECK-NEXT:   scf.condition(%[[GO]]) %[[INC]] : i32
tfx_tensor.graph @computed_by_the_header(%n: i32) -> i32 channels [#tfx_comm.channel<0, to_host, i32>] {
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %end = scf.while (%i = %one) : (i32) -> i32 {
    %inc = arith.addi %i, %one : i32
    %go = arith.cmpi slt, %inc, %n : i32
    scf.condition(%go) %inc : i32
  } do {
  ^bb0(%inc: i32):
    %is = arith.cmpi eq, %inc, %seven : i32
    scf.if %is {
      tfx_comm.send %inc to 0 : i32
    }
    scf.yield %inc : i32
  }
  tfx_tensor.return %end : i32
}

// -----

// Of nested loops, the inner one is split in the noisy iterations of the outer one; the quiet
// iterations do not contain it.

// CHECK-LABEL: tfx_tensor.graph @nested
// CHECK:      scf.while
// CHECK-NEXT:   scf.while
// CHECK-NOT:    tfx_comm.send
// CHECK:      } do {
// CHECK-NEXT: ^bb0
// CHECK-NEXT:   arith.addi
// CHECK-NEXT:   scf.yield
// CHECK:      } do {
// CHECK:        scf.if
// CHECK:          scf.while
// CHECK-NEXT:       scf.while
// CHECK:            scf.if
// CHECK:              tfx_comm.send
// CHECK-NOT:  scf.while
tfx_tensor.graph @nested(%n: i32) channels [#tfx_comm.channel<0, to_host, i32>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %end = scf.while (%i = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %is = arith.cmpi eq, %i, %seven : i32
    scf.if %is {
      %inner = scf.while (%j = %zero) : (i32) -> i32 {
        %go = arith.cmpi slt, %j, %i : i32
        scf.condition(%go) %j : i32
      } do {
      ^bb0(%j: i32):
        %found = arith.cmpi eq, %j, %one : i32
        scf.if %found {
          tfx_comm.send %j to 0 : i32
        }
        %next = arith.addi %j, %one : i32
        scf.yield %next : i32
      }
    }
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  tfx_tensor.return
}

// -----

// A loop without channels is unchanged.

// CHECK-LABEL: tfx_tensor.graph @quiet
// CHECK-COUNT-1: scf.while
// CHECK-NOT:     scf.while
tfx_tensor.graph @quiet(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = scf.while (%i = %zero) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  tfx_tensor.return %end : i32
}
