// RUN: tfx-opt --tfx-delay-effects %s | FileCheck %s
//
// The function of a queue's thread may abort where its result is taken. The effects that precede this in program order must
// happen, so nothing is delayed past it.

!Queue = !tfx_host.queue<tensor<4xf32>>
func.func private @next_batch() -> (tensor<4xf32>, i1) attributes {tfx.state = "loader"}
func.func private @log(tensor<4xf32>) attributes {tfx.state = "log"}
func.func private @checked() -> tensor<4xf32> {
  %b, %ok = func.call @next_batch() : () -> (tensor<4xf32>, i1)
  tfx_host.assert %ok, "the file is damaged"
  return %b : tensor<4xf32>
}
// CHECK-LABEL: func.func @taken(
// CHECK:       scf.for
// CHECK-NEXT:    %[[B:.*]] = tfx_host.next
// CHECK-NEXT:    %[[S:.*]] = tfx_tensor.op "Add"(%{{.*}}, %[[B]])
// CHECK-NEXT:    func.call @log(%[[S]])
// CHECK-NEXT:    scf.yield %[[S]]
func.func @taken(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %q = tfx_host.prefetch @checked() depth(2) : () -> !Queue
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = tfx_host.next %q : !Queue
    %s = tfx_tensor.op "Add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    func.call @log(%s) : (tensor<4xf32>) -> ()
    scf.yield %s : tensor<4xf32>
  }
  tfx_host.close %q : !Queue
  return %r : tensor<4xf32>
}
