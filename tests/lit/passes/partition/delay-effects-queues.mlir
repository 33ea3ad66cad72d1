// RUN: tfx-opt --tfx-delay-effects %s | FileCheck %s
// The result is partitioned and proved.
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-verify-queues,tfx-delay-effects,tfx-partition,tfx-verify-protocol{internal=true})' %s -o %t
//
// Queues that threads fill, and effects that use results of the accelerator. A queue has the states of the function
// that its thread calls.

!Queue = !tfx_host.queue<tensor<4xf32>>
func.func private @next_batch() -> tensor<4xf32> attributes {tfx.state = "loader"}
func.func private @rewind(tensor<4xf32>) attributes {tfx.state = "loader"}
func.func private @log(tensor<4xf32>) attributes {tfx.state = "log"}

// The log is delayed past the operation that takes the next batch.
// CHECK-LABEL: func.func @taken(
// CHECK:       scf.for
// CHECK-NEXT:    %[[B:.*]] = tfx_host.next
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      func.call @log
// CHECK-NEXT:    }
// CHECK-NEXT:    tfx_tensor.op "Add"(%{{.*}}, %[[B]])
func.func @taken(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %q = tfx_host.prefetch @next_batch() depth(2) : () -> !Queue
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = tfx_host.next %q : !Queue
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    func.call @log(%s) : (tensor<4xf32>) -> ()
    scf.yield %s : tensor<4xf32>
  }
  tfx_host.close %q : !Queue
  return %r : tensor<4xf32>
}

// A queue keeps its order with other calls on the states of its function: @rewind waits for the accelerator, so all of
// them would be delayed, but the graph needs the batch.
// CHECK-LABEL: func.func @rewound(
// CHECK:       scf.for
// CHECK-NEXT:    tfx_host.prefetch
// CHECK-NEXT:    tfx_host.next
// CHECK-NEXT:    tfx_host.close
// CHECK-NEXT:    tfx_tensor.op "Add"
// CHECK-NEXT:    func.call @rewind
// CHECK-NEXT:    scf.yield
func.func @rewound(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %q = tfx_host.prefetch @next_batch() depth(2) : () -> !Queue
    %b = tfx_host.next %q : !Queue
    tfx_host.close %q : !Queue
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    func.call @rewind(%s) : (tensor<4xf32>) -> ()
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
