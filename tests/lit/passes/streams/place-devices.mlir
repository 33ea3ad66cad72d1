// Without streams, a program that names a CUDA device runs at one place, which is said.

// RUN: tfx-opt --tfx-place=merge=true --verify-diagnostics %s

tfx_tensor.graph @merged(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = tfx_comm.copy %x from <cpu> to <cpu:1> : tensor<8xf32>
  // expected-warning @below {{cuda:1 is not used: without streams, graphs run at one place}}
  // expected-note @below {{ask for streams, such as by '--streams 1' of tfxc}}
  %b = tfx_comm.copy %a from <cpu:1> to <cuda:1> : tensor<8xf32>
  %c = tfx_comm.copy %b from <cuda:1> to <cpu> : tensor<8xf32>
  tfx_tensor.return %c : tensor<8xf32>
}
