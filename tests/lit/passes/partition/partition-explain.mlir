// RUN: tfx-opt %s --tfx-partition=explain=arith.mulf -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: tfx-opt %s --tfx-partition=explain=39 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: tfx-opt %s --tfx-partition=explain=39:8 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: tfx-opt %s --tfx-partition=explain=rate -o /dev/null 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: tfx-opt %s --tfx-partition=explain=43 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: tfx-opt %s --tfx-partition=explain=Tanh -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING

// The reason why a value is copied, and why the other side does not compute it, up to the operation that only one side can run.

// NAME:      explain.mlir:[[#@LINE+30]]:8: remark: result of the graph: f32: it depends on values that only the graph has; the host needs it for 'tfx_host.print'
// NAME:      explain.mlir:{{.*}}:3: note: the host needs it here, for 'tfx_host.print'
// NAME:      explain.mlir:{{.*}}:8: note: the graph needs it here, for 'tfx_tensor.from_scalar'
// NAME:      explain.mlir:{{.*}}:8: note: the host does not compute it because it depends on this, which only the graph has
// NAME:      explain.mlir:{{.*}}:8: note: the host does not compute it because it depends on this, which only the graph has
// NAME:      explain.mlir:{{.*}}:8: note: replication stops here: "Exp" is a graph operation

// The choice of the minimum cut.
// NAME:      explain.mlir:{{.*}}:8: note: the minimum cut had a choice: only on the host, it would add 2 copies and save 2 copies
// NAME:      explain.mlir:[[#@LINE+20]]:8: note: only on the host, this would be copied to the host
// NAME:      explain.mlir:[[#@LINE+20]]:8: note: only on the host, this would be copied to the graph
// NAME:      explain.mlir:[[#@LINE+17]]:8: note: only on the host, this would not be copied to the graph
// NAME:      explain.mlir:[[#@LINE+18]]:8: note: only on the host, this would not be copied to the host
// NAME-NOT:  {{remark|note}}

// LINE:      explain.mlir:39:8: remark: in the graph: f32: it depends on values that only the graph has
// LINE-NOT:  remark

// CALL:      explain.mlir:{{.*}}:8: remark: received by the graph on channel 0: f32: the call of '@rate' has no equivalent in a graph; the graph needs it for 'arith.mulf'
// CALL:      explain.mlir:{{.*}}:8: note: the graph needs it here, for 'arith.mulf'
// CALL:      explain.mlir:{{.*}}:8: note: replication stops here: the call of '@rate' has no equivalent in a graph

// OPERATION: explain.mlir:43:3: remark: on the host: 'tfx_host.print' has no equivalent in a graph
// NOTHING:   remark: no value of a graph or its host program matches 'Tanh'

func.func private @rate() -> f32
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %y = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %r = func.call @rate() : () -> f32
  %s = tfx_tensor.to_scalar %y : tensor<f32> -> f32
  %p = arith.mulf %s, %r : f32
  %t = tfx_tensor.from_scalar %p : f32
  %z = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%p) : f32
  return %z : tensor<f32>
}
