// Loops of a device are loops of its schedule: the host issues all iterations, and copies nothing
// back in between. All numbers are whole, or halves of them.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=1 tfxc run %s 3 --executor native --streams 1 | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=2 tfxc run %s 3 --executor native --streams 2 | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=3 tfxc run %s 0 --executor native --streams 3 > %t.zero
// RUN: tfxc run %s 0 --executor embedded | diff - %t.zero
// RUN: tfxc build %s --native --streams 2 -o %t.exe
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so %t.exe 3 --executor native | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 3 --executor native --streams 2 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: streams: 1 runs
// STATS-NEXT: CUDA devices: {{.*}}, 0 kernels on the host

!m = tensor<8x8xf32>

func.func @main(%n: f32 {tfx.name = "n"}) -> (!m {tfx.name = "one"}, !m {tfx.name = "two"},
    !m {tfx.name = "inner"}, !m {tfx.name = "none"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %scalar = tfx_tensor.from_scalar %n : f32
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %most = tfx_tensor.const dense<64.0> : tensor<f32>
  %dims = tfx_tensor.const dense<8> : tensor<2xi32>
  %x = tfx_tensor.op "Fill"(%dims, %scalar) : (tensor<2xi32>, tensor<f32>) -> !m
  %host = tfx_tensor.op "AddV2"(%x, %half) : (!m, tensor<f32>) -> !m

  %a = tfx_comm.copy %host from <cpu> to <cuda> : !m
  %b = tfx_comm.copy %x from <cpu> to <cuda> : !m

  // The iterations pass two tensors on in turn.
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%u = %a, %v = %b) -> (!m, !m) {
    %sum = tfx_tensor.op "AddV2"(%u, %v) : (!m, !m) -> !m
    %next = tfx_tensor.op "Minimum"(%sum, %most) : (!m, tensor<f32>) -> !m
    scf.yield %v, %next : !m, !m
  }

  // A loop in a loop, which uses the counters and a tensor from outside.
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a) -> (!m) {
    %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%v = %u) -> (!m) {
      %both = arith.addi %i, %j : index
      %i32 = arith.index_cast %both : index to i32
      %number = tfx_tensor.from_scalar %i32 : i32
      %f = tfx_tensor.op "Cast"(%number) : (tensor<i32>) -> tensor<f32>
      %w = tfx_tensor.op "AddV2"(%v, %f) : (!m, tensor<f32>) -> !m
      %least = tfx_tensor.op "Maximum"(%w, %b) : (!m, !m) -> !m
      scf.yield %least : !m
    }
    %mul = tfx_tensor.op "Mul"(%t, %half) : (!m, tensor<f32>) -> !m
    scf.yield %mul : !m
  }

  // A loop without an iteration.
  %z = scf.for %i = %c3 to %c3 step %c1 iter_args(%u = %b) -> (!m) {
    %more = tfx_tensor.op "AddV2"(%u, %a) : (!m, !m) -> !m
    scf.yield %more : !m
  }
  %last = tfx_tensor.op "AddV2"(%z, %r#0) : (!m, !m) -> !m
  %h0 = tfx_comm.copy %r#0 from <cuda> to <cpu> : !m
  %h1 = tfx_comm.copy %r#1 from <cuda> to <cpu> : !m
  %h2 = tfx_comm.copy %s from <cuda> to <cpu> : !m
  %h3 = tfx_comm.copy %last from <cuda> to <cpu> : !m
  return %h0, %h1, %h2, %h3 : !m, !m, !m, !m
}
