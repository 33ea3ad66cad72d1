// RUN: not tfx-opt --pass-pipeline='builtin.module(tfx-verify-protocol{internal=true})' %s 2>&1 | FileCheck %s

// If partition produced both sides, an error is an internal error. All wrong programs are reported.

// CHECK:      internal-errors.mlir:[[#@LINE+7]]:3: error: internal error: a message on channel 0 is sent here and never received
// CHECK:      note: the host starts the graph '@no_receive' here
// CHECK:      internal-errors.mlir:[[#@LINE+5]]:3: note: this is a bug in tfx: please report it with this input
// CHECK:      error: internal error: some path neither finishes nor terminates this program
// CHECK:      error: internal error: the host waits for a message on channel 1 that the graph does not send

tfx_tensor.graph @no_receive(%x: f32) channels [#tfx_comm.channel<0, to_host, f32>, #tfx_comm.channel<1, to_host, f32>] {
  tfx_comm.send %x to 0 : f32
  tfx_tensor.return
}
func.func @one(%x: f32) {
  %program = tfx_comm.start @no_receive(%x) : f32
  tfx_comm.finish %program
  return
}
func.func @two(%x: f32) {
  %program = tfx_comm.start @no_receive(%x) : f32
  return
}
func.func @three(%x: f32) {
  %program = tfx_comm.start @no_receive(%x) : f32
  %y = tfx_comm.recv %program from 1 : f32
  %z = tfx_comm.recv %program from 0 : f32
  tfx_comm.finish %program
  return
}
