// RUN: tfx-opt --tfx-pack-scalars %s | FileCheck %s

// Scalars that the graph receives in several blocks stay separate messages, though the host sends them together. Partition does not produce such a program.
// CHECK-LABEL: tfx_tensor.graph @apart(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, f32>, #tfx_comm.channel<1, to_graph, f32>]
// CHECK-NEXT:    tfx_comm.recv from 0 : f32
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      tfx_comm.recv from 1 : f32
tfx_tensor.graph @apart(%c: i1) -> f32 channels [#tfx_comm.channel<0, to_graph, f32>, #tfx_comm.channel<1, to_graph, f32>] {
  %a = tfx_comm.recv from 0 : f32
  %r = scf.if %c -> f32 {
    %b = tfx_comm.recv from 1 : f32
    %s = arith.addf %a, %b : f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  tfx_tensor.return %r : f32
}
// CHECK-LABEL: func.func @main
// CHECK:         tfx_comm.send %{{.*}} to %{{.*}} 0 : f32
// CHECK-NEXT:    tfx_comm.send %{{.*}} to %{{.*}} 1 : f32
func.func @main(%c: i1, %x: f32, %y: f32) -> f32 {
  %program = tfx_comm.start @apart(%c) : i1
  tfx_comm.send %x to %program 0 : f32
  tfx_comm.send %y to %program 1 : f32
  %r = tfx_comm.finish %program : f32
  return %r : f32
}
