// Graphs in functional form: their protocol cannot be verified, which is not an internal error.
//
// RUN: tfx-opt %s --tfx-compile-graph -o %t.graphs.mlir
// RUN: not tfxc build %t.graphs.mlir -o %t.program 2>&1 | FileCheck %s --implicit-check-not=internal
// RUN: not test -e %t.program
// CHECK: functional.mlir.tmp.graphs.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'tfx_comm.send' inside of 'tfx_tensor.while', whose control flow is unknown: the protocol cannot be verified
// CHECK: note: communicate with a graph only inside of scf.if, scf.index_switch, scf.for or scf.while

func.func private @host(tensor<4xf32>) -> i1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^head(%x : tensor<4xf32>)
^head(%y: tensor<4xf32>):
  %z = tfx_tensor.op "Mul"(%y, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %go = func.call @host(%z) : (tensor<4xf32>) -> i1
  cf.cond_br %go, ^head(%z : tensor<4xf32>), ^end
^end:
  return %z : tensor<4xf32>
}
