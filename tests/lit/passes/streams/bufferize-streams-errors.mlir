// RUN: tfx-opt --tfx-bufferize-streams --split-input-file --verify-diagnostics %s

!t = tensor<8xf32>
tfx_tensor.graph @cuda(%x: !t) -> !t {
  %a = tfx_tensor.op "Exp"(%x) : (!t) -> !t
  // expected-error @below {{no executor of graphs has the device cuda:1}}
  // expected-note @below {{streams of graphs are threads of the CPU: write cpu, cpu:1 and so on}}
  %b = tfx_comm.copy %a from <cpu> to <cuda:1> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  tfx_tensor.return %c : !t
}
