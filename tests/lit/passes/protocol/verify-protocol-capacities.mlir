// RUN: tfx-translate --mlir-to-graphdef --text %s 2>/dev/null | FileCheck %s --check-prefix=GRAPHDEF
// RUN: tfx-opt --tfx-compile %s 2>/dev/null | FileCheck %s --check-prefix=IMAGE

// Both executors use the bound of a channel as its capacity: in the queues of the GraphDef, and in
// the table of the program image. A channel without a bound has the default of 8.

// GRAPHDEF:      name: "main_graph/channel_0"
// GRAPHDEF:      key: "capacity"
// GRAPHDEF-NEXT:   value {
// GRAPHDEF-NEXT:     i: 1
// GRAPHDEF:      name: "main_graph/channel_1"
// GRAPHDEF:      key: "capacity"
// GRAPHDEF-NEXT:   value {
// GRAPHDEF-NEXT:     i: 1
// GRAPHDEF:      name: "main_graph/channel_2"
// GRAPHDEF:      key: "capacity"
// GRAPHDEF-NEXT:   value {
// GRAPHDEF-NEXT:     i: 8

// IMAGE:       @tfx.channels.main_graph()
// IMAGE-DAG:     %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// IMAGE-DAG:     %[[EIGHT:.*]] = llvm.mlir.constant(8 : i32)
// IMAGE:         llvm.insertvalue %[[ONE]], %{{.*}}[3]
// IMAGE:         llvm.insertvalue %[[ONE]], %{{.*}}[3]
// IMAGE:         llvm.insertvalue %[[EIGHT]], %{{.*}}[3]
func.func private @h(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %x) -> (tensor<2xf32>) {
    %w = tfx_tensor.op "Neg"(%v) : (tensor<2xf32>) -> tensor<2xf32>
    %y = func.call @h(%w) : (tensor<2xf32>) -> tensor<2xf32>
    %z = tfx_tensor.op "Exp"(%y) : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  %s = scf.for %i = %zero to %n step %one iter_args(%v = %r) -> (tensor<2xf32>) {
    %w = tfx_tensor.op "Neg"(%v) : (tensor<2xf32>) -> tensor<2xf32>
    tfx_host.print "{}"(%w) : tensor<2xf32>
    scf.yield %w : tensor<2xf32>
  }
  return %s : tensor<2xf32>
}
