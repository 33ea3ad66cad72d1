// Kernels of CUDA devices compute what the interpreter computes, on a driver that interprets PTX and
// executes the commands of streams in any order that events allow. All numbers are whole, or
// results of one operation.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_SEED=1 tfxc run %s 3 --executor native --streams 2 | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_SEED=2 tfxc run %s 3 --executor native --streams 2 | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_SEED=3 tfxc run %s 3 --executor native --streams 1 | diff %t.embedded -
// RUN: tfxc build %s --native --streams 2 -o %t.exe
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 %t.exe 3 --executor native | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 tfxc run %s 3 --executor native --streams 2 --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: streams: 1 runs
// STATS-NEXT: CUDA devices: {{.*}}, 0 kernels on the host
//
// Without the driver, or with too few devices, the program ends with an error.
// RUN: not env TFX_CUDA_DRIVER=%t.missing.so tfxc run %s 3 --executor native --streams 2 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the program has parts for CUDA devices, but {{.*}}missing.so cannot be loaded: {{.*}}; TFX_CUDA_DRIVER names another driver
// RUN: not env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=1 tfxc run %s 3 --executor native --streams 2 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: the program has parts for CUDA devices, but the schedule uses CUDA device 1, and the number of devices is 1;
//
// A failure of the driver is an error, too.
// RUN: not env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_FAIL=cuMemAlloc_v2:1 tfxc run %s 3 --executor native --streams 2 2>&1 | FileCheck %s --check-prefix=FAILED
// FAILED: error: {{.*}}cuMemAlloc{{.*}} failed: CUDA_ERROR_OUT_OF_MEMORY

!m = tensor<24x24xf32>
!v = tensor<24xf32>

func.func @main(%n: i32 {tfx.name = "n"}) -> (!m {tfx.name = "product"}, !v {tfx.name = "sums"},
    tensor<f32> {tfx.name = "sum"}, !m {tfx.name = "roots"}, tensor<24xi32> {tfx.name = "best"},
    !m {tfx.name = "both"}, tensor<24x24xi1> {tfx.name = "less"}, tensor<24x48xf32> {tfx.name = "pair"}) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %all = tfx_tensor.const dense<576> : tensor<i32>
  %sizes = tfx_tensor.const dense<24> : tensor<2xi32>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %numbers = tfx_tensor.op "Range"(%zero, %all, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<576xi32>
  %scalar = tfx_tensor.from_scalar %n : i32
  %scaled = tfx_tensor.op "Mul"(%numbers, %scalar) : (tensor<576xi32>, tensor<i32>) -> tensor<576xi32>
  %few = tfx_tensor.op "FloorMod"(%scaled, %five) : (tensor<576xi32>, tensor<i32>) -> tensor<576xi32>
  %float = tfx_tensor.op "Cast"(%few) : (tensor<576xi32>) -> tensor<576xf32>
  %host = tfx_tensor.op "Reshape"(%float, %sizes) : (tensor<576xf32>, tensor<2xi32>) -> !m

  // The first device.
  %x = tfx_comm.copy %host from <cpu> to <cuda> : !m
  %product = tfx_tensor.op "MatMul"(%x, %x) {transpose_b = true} : (!m, !m) -> !m
  %sums = tfx_tensor.op "Sum"(%product, %one) : (!m, tensor<i32>) -> !v
  %sum = tfx_tensor.op "Sum"(%product, %axes) : (!m, tensor<2xi32>) -> tensor<f32>
  %roots = tfx_tensor.op "Sqrt"(%product) : (!m) -> !m
  %best = tfx_tensor.op "ArgMax"(%product, %one) : (!m, tensor<i32>) -> tensor<24xi64>
  %best32 = tfx_tensor.op "Cast"(%best) : (tensor<24xi64>) -> tensor<24xi32>
  %back = tfx_comm.copy %roots from <cuda> to <cpu> : !m
  %back_best = tfx_comm.copy %best32 from <cuda> to <cpu> : tensor<24xi32>

  // The second one gets a result of the first.
  %p = tfx_comm.copy %product from <cuda> to <cuda:1> : !m
  %y = tfx_comm.copy %host from <cpu> to <cuda:1> : !m
  %turn = tfx_tensor.const dense<[1, 0]> : tensor<2xi32>
  %turned = tfx_tensor.op "Transpose"(%y, %turn) : (!m, tensor<2xi32>) -> !m
  %t = tfx_tensor.op "MatMul"(%turned, %p) : (!m, !m) -> !m
  %relu = tfx_tensor.op "Relu"(%t) : (!m) -> !m
  %both = tfx_tensor.op "Sub"(%relu, %p) : (!m, !m) -> !m
  %less = tfx_tensor.op "Less"(%p, %both) : (!m, !m) -> tensor<24x24xi1>
  %pair = tfx_tensor.op "ConcatV2"(%p, %both, %one) : (!m, !m, tensor<i32>) -> tensor<24x48xf32>
  %r0 = tfx_comm.copy %both from <cuda:1> to <cpu> : !m
  %r1 = tfx_comm.copy %less from <cuda:1> to <cpu> : tensor<24x24xi1>
  %r2 = tfx_comm.copy %pair from <cuda:1> to <cpu> : tensor<24x48xf32>
  return %product, %sums, %sum, %back, %back_best, %r0, %r1, %r2
      : !m, !v, tensor<f32>, !m, tensor<24xi32>, !m, tensor<24x24xi1>, tensor<24x48xf32>
}
