// Branches of a device: by what the device computes, by an argument and by counters, which the host
// decides without the device, and nests of branches and loops. All numbers are whole, or halves of
// them.
//
// RUN: tfxc run %s 0 20 --executor embedded > %t.embedded0
// RUN: tfxc run %s 3 140 --executor embedded > %t.embedded3
// RUN: tfxc run %s 6 1200 --executor embedded > %t.embedded6
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=1 tfxc run %s 0 20 --executor native --streams 1 2>%t.warnings | diff %t.embedded0 -
// RUN: count 0 < %t.warnings
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=2 tfxc run %s 3 140 --executor native --streams 2 | diff %t.embedded3 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=3 tfxc run %s 6 1200 --executor native --streams 1 | diff %t.embedded6 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=4 tfxc run %s 6 1200 --executor native --streams 3 | diff %t.embedded6 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_VERIFY_EACH=1 tfxc run %s 6 1200 --executor native --streams 2 | diff %t.embedded6 -
// RUN: tfxc build %s --native --streams 2 -o %t.exe
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so %t.exe 6 1200 --executor native | diff %t.embedded6 -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 6 1200 --executor native --streams 2 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 6 1200 --executor native --streams 1 --streams-explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// STATS: streams: 1 runs
// STATS-NEXT: CUDA devices: {{.*}}, 0 kernels on the host
// EXPLAIN-COUNT-2: remark: the host waits for the device before this branch: its condition depends on what the device computes
// EXPLAIN-NOT: the host waits for the device

!m = tensor<16x16xf32>

// Code in a function is the same as in place.
func.func private @halved_if_large(%x: !m, %limit: tensor<f32>) -> !m {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %sum = tfx_tensor.op "Sum"(%x, %axes) : (!m, tensor<2xi32>) -> tensor<f32>
  %large = tfx_tensor.op "Less"(%limit, %sum) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %is_large = tfx_tensor.to_scalar %large : tensor<i1> -> i1
  cf.cond_br %is_large, ^halve, ^keep
^halve:
  %y = tfx_tensor.op "Mul"(%x, %half) : (!m, tensor<f32>) -> !m
  return %y : !m
^keep:
  return %x : !m
}

func.func @main(%n: i32 {tfx.name = "n"}, %most: f32 {tfx.name = "most"}) -> (
    !m {tfx.name = "device"}, !m {tfx.name = "argument"}, !m {tfx.name = "both"},
    !m {tfx.name = "counter"}, !m {tfx.name = "nested"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %five = arith.constant 5 : i32
  %end = arith.index_cast %n : i32 to index
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %dims = tfx_tensor.const dense<16> : tensor<2xi32>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %limit = tfx_tensor.from_scalar %most : f32
  %x = tfx_tensor.op "Fill"(%dims, %half) : (tensor<2xi32>, tensor<f32>) -> !m
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !m

  %device = func.call @halved_if_large(%a, %limit) : (!m, tensor<f32>) -> !m

  // Two results, one of which is the same tensor in both arms.
  %is_small = arith.cmpi slt, %n, %five : i32
  %argument:2 = scf.if %is_small -> (!m, !m) {
    %v = tfx_tensor.op "AddV2"(%a, %one) : (!m, tensor<f32>) -> !m
    scf.yield %v, %a : !m, !m
  } else {
    %v = tfx_tensor.op "Sub"(%a, %device) : (!m, !m) -> !m
    scf.yield %a, %v : !m, !m
  }
  %both = tfx_tensor.op "AddV2"(%argument#0, %argument#1) : (!m, !m) -> !m

  // The counter of the host decides.
  %counter = scf.for %i = %c0 to %end step %c1 iter_args(%u = %a) -> (!m) {
    %rest = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %v = scf.if %even -> (!m) {
      %w = tfx_tensor.op "AddV2"(%u, %a) : (!m, !m) -> !m
      scf.yield %w : !m
    } else {
      scf.yield %u : !m
    }
    scf.yield %v : !m
  }

  // A loop with a branch that the device decides, in an arm.
  %nested = scf.if %is_small -> (!m) {
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a) -> (!m) {
      %v = tfx_tensor.op "AddV2"(%u, %u) : (!m, !m) -> !m
      %sum = tfx_tensor.op "Sum"(%v, %axes) : (!m, tensor<2xi32>) -> tensor<f32>
      %less = tfx_tensor.op "Less"(%sum, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %is_less = tfx_tensor.to_scalar %less : tensor<i1> -> i1
      %w = scf.if %is_less -> (!m) {
        scf.yield %v : !m
      } else {
        %t = tfx_tensor.op "Sub"(%v, %a) : (!m, !m) -> !m
        scf.yield %t : !m
      }
      scf.yield %w : !m
    }
    scf.yield %r : !m
  } else {
    scf.yield %counter : !m
  }

  %h0 = tfx_comm.copy %device from <cuda> to <cpu> : !m
  %h1 = tfx_comm.copy %argument#0 from <cuda> to <cpu> : !m
  %h2 = tfx_comm.copy %both from <cuda> to <cpu> : !m
  %h3 = tfx_comm.copy %counter from <cuda> to <cpu> : !m
  %h4 = tfx_comm.copy %nested from <cuda> to <cpu> : !m
  return %h0, %h1, %h2, %h3, %h4 : !m, !m, !m, !m, !m
}
