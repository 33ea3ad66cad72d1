// Products of matrices on CUDA devices, by cuBLAS and by PTX, with the results of the interpreter:
// all transpositions, batches, and both types. All sums are of small whole numbers, and exact. The
// driver for tests is also a cuBLAS.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: env TFX_CUBLAS=%build_dir/libtfx_fake_cuda.so TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_SEED=1 tfxc run %s 3 --executor native --streams 3 | diff %t.embedded -
// RUN: env TFX_CUBLAS=%build_dir/libtfx_fake_cuda.so TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_SEED=2 tfxc run %s 3 --executor native --streams 2 --stats 2>&1 | FileCheck %s --check-prefix=BLAS
// RUN: tfxc build %s --native --streams 3 -o %t.exe
// RUN: env TFX_CUBLAS=%build_dir/libtfx_fake_cuda.so TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 TFX_FAKE_CUDA_SEED=3 %t.exe 3 --executor native | diff %t.embedded -
// BLAS: CUDA devices: {{.*}}, 0 kernels on the host
// BLAS-NEXT: products of matrices: 7 by cuBLAS, 0 by PTX
//
// Without the library, and with another driver if it is not named, the entries compute the products.
// RUN: env TFX_CUBLAS=none TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 tfxc run %s 3 --executor native --streams 3 --stats 2>%t.none | diff %t.embedded -
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.none
// RUN: env -u TFX_CUBLAS TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 tfxc run %s 3 --executor native --streams 3 --stats 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: products of matrices: 0 by cuBLAS, 7 by PTX
//
// A library that is named, but cannot be loaded, is an error, and so is a call that fails.
// RUN: not env TFX_CUBLAS=%t.missing.so TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 tfxc run %s 3 --executor native --streams 2 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the program has parts for CUDA devices, but {{.*}}missing.so cannot be loaded: {{.*}}; TFX_CUBLAS names a library of cuBLAS, or is 'none'
// RUN: not env TFX_FAKE_CUDA_FAIL=cublasDgemmStridedBatched:1:13 TFX_CUBLAS=%build_dir/libtfx_fake_cuda.so TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_DEVICES=2 tfxc run %s 3 --executor native --streams 2 2>&1 | FileCheck %s --check-prefix=FAILED
// FAILED: error: {{.*}}the product of the kernel '{{.*}}' failed: cublasDgemmStridedBatched failed: CUBLAS_STATUS_EXECUTION_FAILED (

func.func @main(%n: i32 {tfx.name = "n"}) -> (tensor<6x10xf32> {tfx.name = "plain"},
    tensor<6x10xf32> {tfx.name = "left"}, tensor<6x10xf32> {tfx.name = "right"},
    tensor<6x10xf32> {tfx.name = "both"}, tensor<2x6x10xf64> {tfx.name = "batch"},
    tensor<6x6xf32> {tfx.name = "next"}, tensor<6x6xf32> {tfx.name = "square"}) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %xn = tfx_tensor.const dense<48> : tensor<i32>
  %wn = tfx_tensor.const dense<80> : tensor<i32>
  %scalar = tfx_tensor.from_scalar %n : i32
  %xr = tfx_tensor.op "Range"(%zero, %xn, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<48xi32>
  %xm = tfx_tensor.op "Mul"(%xr, %scalar) : (tensor<48xi32>, tensor<i32>) -> tensor<48xi32>
  %xi = tfx_tensor.op "FloorMod"(%xm, %five) : (tensor<48xi32>, tensor<i32>) -> tensor<48xi32>
  %wr = tfx_tensor.op "Range"(%zero, %wn, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<80xi32>
  %wm = tfx_tensor.op "Mul"(%wr, %scalar) : (tensor<80xi32>, tensor<i32>) -> tensor<80xi32>
  %wi = tfx_tensor.op "FloorMod"(%wm, %five) : (tensor<80xi32>, tensor<i32>) -> tensor<80xi32>
  %xf = tfx_tensor.op "Cast"(%xi) : (tensor<48xi32>) -> tensor<48xf32>
  %wf = tfx_tensor.op "Cast"(%wi) : (tensor<80xi32>) -> tensor<80xf32>
  %xd = tfx_tensor.op "Cast"(%xi) : (tensor<48xi32>) -> tensor<48xf64>
  %wd = tfx_tensor.op "Cast"(%wi) : (tensor<80xi32>) -> tensor<80xf64>
  %s68 = tfx_tensor.const dense<[6, 8]> : tensor<2xi32>
  %s86 = tfx_tensor.const dense<[8, 6]> : tensor<2xi32>
  %s810 = tfx_tensor.const dense<[8, 10]> : tensor<2xi32>
  %s108 = tfx_tensor.const dense<[10, 8]> : tensor<2xi32>
  %s246 = tfx_tensor.const dense<[2, 4, 6]> : tensor<3xi32>
  %s2104 = tfx_tensor.const dense<[2, 10, 4]> : tensor<3xi32>
  %x0 = tfx_tensor.op "Reshape"(%xf, %s68) : (tensor<48xf32>, tensor<2xi32>) -> tensor<6x8xf32>
  %x1 = tfx_tensor.op "Reshape"(%xf, %s86) : (tensor<48xf32>, tensor<2xi32>) -> tensor<8x6xf32>
  %w0 = tfx_tensor.op "Reshape"(%wf, %s810) : (tensor<80xf32>, tensor<2xi32>) -> tensor<8x10xf32>
  %w1 = tfx_tensor.op "Reshape"(%wf, %s108) : (tensor<80xf32>, tensor<2xi32>) -> tensor<10x8xf32>
  %x2 = tfx_tensor.op "Reshape"(%xd, %s246) : (tensor<48xf64>, tensor<3xi32>) -> tensor<2x4x6xf64>
  %w2 = tfx_tensor.op "Reshape"(%wd, %s2104) : (tensor<80xf64>, tensor<3xi32>) -> tensor<2x10x4xf64>

  // The first device.
  %a0 = tfx_comm.copy %x0 from <cpu> to <cuda> : tensor<6x8xf32>
  %a1 = tfx_comm.copy %x1 from <cpu> to <cuda> : tensor<8x6xf32>
  %b0 = tfx_comm.copy %w0 from <cpu> to <cuda> : tensor<8x10xf32>
  %b1 = tfx_comm.copy %w1 from <cpu> to <cuda> : tensor<10x8xf32>
  %plain = tfx_tensor.op "MatMul"(%a0, %b0) : (tensor<6x8xf32>, tensor<8x10xf32>) -> tensor<6x10xf32>
  %left = tfx_tensor.op "MatMul"(%a1, %b0) {transpose_a = true} : (tensor<8x6xf32>, tensor<8x10xf32>) -> tensor<6x10xf32>
  %right = tfx_tensor.op "MatMul"(%a0, %b1) {transpose_b = true} : (tensor<6x8xf32>, tensor<10x8xf32>) -> tensor<6x10xf32>
  %both = tfx_tensor.op "MatMul"(%a1, %b1) {transpose_a = true, transpose_b = true} : (tensor<8x6xf32>, tensor<10x8xf32>) -> tensor<6x10xf32>
  %next = tfx_tensor.op "MatMul"(%plain, %right) {transpose_b = true} : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x6xf32>
  %r0 = tfx_comm.copy %plain from <cuda> to <cpu> : tensor<6x10xf32>
  %r1 = tfx_comm.copy %left from <cuda> to <cpu> : tensor<6x10xf32>
  %r2 = tfx_comm.copy %right from <cuda> to <cpu> : tensor<6x10xf32>
  %r3 = tfx_comm.copy %both from <cuda> to <cpu> : tensor<6x10xf32>
  %r5 = tfx_comm.copy %next from <cuda> to <cpu> : tensor<6x6xf32>

  // The second one.
  %a2 = tfx_comm.copy %x2 from <cpu> to <cuda:1> : tensor<2x4x6xf64>
  %b2 = tfx_comm.copy %w2 from <cpu> to <cuda:1> : tensor<2x10x4xf64>
  %batch = tfx_tensor.op "BatchMatMulV2"(%a2, %b2) {adj_x = true, adj_y = true} : (tensor<2x4x6xf64>, tensor<2x10x4xf64>) -> tensor<2x6x10xf64>
  %p = tfx_comm.copy %plain from <cuda> to <cuda:1> : tensor<6x10xf32>
  %square = tfx_tensor.op "MatMul"(%p, %p) {transpose_b = true} : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<6x6xf32>
  %r4 = tfx_comm.copy %batch from <cuda:1> to <cpu> : tensor<2x6x10xf64>
  %r6 = tfx_comm.copy %square from <cuda:1> to <cpu> : tensor<6x6xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6
      : tensor<6x10xf32>, tensor<6x10xf32>, tensor<6x10xf32>, tensor<6x10xf32>, tensor<2x6x10xf64>, tensor<6x6xf32>, tensor<6x6xf32>
}
