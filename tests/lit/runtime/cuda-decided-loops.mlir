// Loops of a device whose number of iterations is not known: up to an argument, which the host
// decides without the device, until what the device computes is large enough, and nests of these.
// All numbers are whole, or halves of them.
//
// RUN: tfxc run %s 0 20 --executor embedded > %t.embedded0
// RUN: tfxc run %s 1 140 --executor embedded > %t.embedded1
// RUN: tfxc run %s 5 1200 --executor embedded > %t.embedded5
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=1 tfxc run %s 0 20 --executor native --streams 1 2>%t.warnings | diff %t.embedded0 -
// RUN: count 0 < %t.warnings
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=2 tfxc run %s 1 140 --executor native --streams 2 | diff %t.embedded1 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=3 tfxc run %s 5 1200 --executor native --streams 1 | diff %t.embedded5 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=4 tfxc run %s 5 1200 --executor native --streams 2 | diff %t.embedded5 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=5 tfxc run %s 5 1200 --executor native --streams 3 | diff %t.embedded5 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_VERIFY_EACH=1 tfxc run %s 5 1200 --executor native --streams 2 | diff %t.embedded5 -
// RUN: tfxc build %s --native --streams 2 -o %t.exe
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so %t.exe 5 1200 --executor native | diff %t.embedded5 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 5 1200 --executor native --streams 2 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 5 1200 --executor native --streams 1 --streams-explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// STATS: streams: 1 runs
// STATS-NEXT: CUDA devices: {{.*}}, 0 kernels on the host
// EXPLAIN-COUNT-2: remark: the host waits for the device in each iteration of this loop, while the device runs the next one: its condition depends on what the device computes
// EXPLAIN-NOT: the host waits for the device

!m = tensor<16x16xf32>

func.func @main(%n: i32 {tfx.name = "n"}, %most: f32 {tfx.name = "most"}) -> (
    !m {tfx.name = "counted"}, !m {tfx.name = "converged"}, !m {tfx.name = "triangle"},
    !m {tfx.name = "inner"}, !m {tfx.name = "outer"}, tensor<i32> {tfx.name = "steps"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %end = arith.index_cast %n : i32 to index
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %dims = tfx_tensor.const dense<16> : tensor<2xi32>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %limit = tfx_tensor.from_scalar %most : f32
  %x = tfx_tensor.op "Fill"(%dims, %half) : (tensor<2xi32>, tensor<f32>) -> !m
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !m

  // The counter is used on the device, too.
  %counted = scf.for %i = %c0 to %end step %c1 iter_args(%u = %a) -> (!m) {
    %i32 = arith.index_cast %i : index to i32
    %number = tfx_tensor.from_scalar %i32 : i32
    %f = tfx_tensor.op "Cast"(%number) : (tensor<i32>) -> tensor<f32>
    %v = tfx_tensor.op "AddV2"(%u, %f) : (!m, tensor<f32>) -> !m
    %w = tfx_tensor.op "AddV2"(%v, %a) : (!m, !m) -> !m
    scf.yield %w : !m
  }

  // The device decides.
  %zero = arith.constant 0 : i32
  %one32 = arith.constant 1 : i32
  %converged:2 = scf.while (%u = %a, %steps = %zero) : (!m, i32) -> (!m, i32) {
    %sum = tfx_tensor.op "Sum"(%u, %axes) : (!m, tensor<2xi32>) -> tensor<f32>
    %less = tfx_tensor.op "Less"(%sum, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %go = tfx_tensor.to_scalar %less : tensor<i1> -> i1
    scf.condition(%go) %u, %steps : !m, i32
  } do {
  ^bb0(%u: !m, %steps: i32):
    %v = tfx_tensor.op "AddV2"(%u, %half) : (!m, tensor<f32>) -> !m
    %more = arith.addi %steps, %one32 : i32
    scf.yield %v, %more : !m, i32
  }

  // The inner loop ends at the counter of the outer one.
  %triangle = scf.for %i = %c0 to %end step %c1 iter_args(%u = %a) -> (!m) {
    %v = scf.for %j = %c0 to %i step %c1 iter_args(%v = %u) -> (!m) {
      %w = tfx_tensor.op "AddV2"(%v, %half) : (!m, tensor<f32>) -> !m
      scf.yield %w : !m
    }
    %m = tfx_tensor.op "Maximum"(%v, %a) : (!m, !m) -> !m
    scf.yield %m : !m
  }

  // A loop that the device decides in one with a known number of iterations.
  %inner = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a) -> (!m) {
    %r = scf.while (%v = %u) : (!m) -> (!m) {
      %sum = tfx_tensor.op "Sum"(%v, %axes) : (!m, tensor<2xi32>) -> tensor<f32>
      %less = tfx_tensor.op "Less"(%sum, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %go = tfx_tensor.to_scalar %less : tensor<i1> -> i1
      scf.condition(%go) %v : !m
    } do {
    ^bb0(%v: !m):
      %w = tfx_tensor.op "AddV2"(%v, %one) : (!m, tensor<f32>) -> !m
      scf.yield %w : !m
    }
    %s = tfx_tensor.op "Mul"(%r, %half) : (!m, tensor<f32>) -> !m
    scf.yield %s : !m
  }

  // A loop with a known number of iterations in one up to an argument.
  %outer = scf.for %i = %c0 to %end step %c1 iter_args(%u = %a) -> (!m) {
    %r = scf.for %j = %c0 to %c3 step %c1 iter_args(%v = %u) -> (!m) {
      %w = tfx_tensor.op "AddV2"(%v, %a) : (!m, !m) -> !m
      scf.yield %w : !m
    }
    scf.yield %r : !m
  }

  %h0 = tfx_comm.copy %counted from <cuda> to <cpu> : !m
  %h1 = tfx_comm.copy %converged#0 from <cuda> to <cpu> : !m
  %h2 = tfx_comm.copy %triangle from <cuda> to <cpu> : !m
  %h3 = tfx_comm.copy %inner from <cuda> to <cpu> : !m
  %h4 = tfx_comm.copy %outer from <cuda> to <cpu> : !m
  %steps = tfx_tensor.from_scalar %converged#1 : i32
  return %h0, %h1, %h2, %h3, %h4, %steps : !m, !m, !m, !m, !m, tensor<i32>
}
