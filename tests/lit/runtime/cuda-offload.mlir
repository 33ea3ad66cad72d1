// Operations that the cost model moves to a device, and those that the device has no code for. All
// numbers are whole, or halves of them.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=1 tfxc run %s 3 --executor native --streams 1 --streams-offload cuda --streams-offload-all | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so TFX_FAKE_CUDA_SEED=2 TFX_FAKE_CUDA_DEVICES=2 tfxc run %s 3 --executor native --streams 3 --streams-offload cuda:1 --streams-offload-all | diff %t.embedded -
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 3 --executor native --streams 2 --streams-offload cuda --streams-offload-all --stats --streams-explain 2>&1 | FileCheck %s
// RUN: env TFX_CUDA_DRIVER=%t.missing tfxc run %s 3 --executor native --streams 2 --streams-offload cuda | diff %t.embedded -
// RUN: not env TFX_CUDA_DRIVER=%t.missing tfxc run %s 3 --executor native --streams 2 --streams-offload cuda --streams-offload-all 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tfxc run %s 3 --executor native --streams 2 --streams-offload gpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// CHECK: remark: cuda runs {{[0-9]+}} of {{[0-9]+}} operations
// CHECK-NOT: this runs on the host, and not on the device
// CHECK: CUDA devices: {{.*}}, 0 kernels on the host
// MISSING: error: {{.*}}CUDA
// DEVICE: expected none, or a CUDA device, such as cuda or cuda:1

!m = tensor<8x8xf32>

func.func private @halved(%x: !m) -> !m {
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %y = tfx_tensor.op "Mul"(%x, %half) : (!m, tensor<f32>) -> !m
  return %y : !m
}

func.func @main(%n: f32 {tfx.name = "n"}) -> (!m {tfx.name = "sorted"}, !m {tfx.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %scalar = tfx_tensor.from_scalar %n : f32
  %dims = tfx_tensor.const dense<8> : tensor<2xi32>
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %x = tfx_tensor.op "Fill"(%dims, %scalar) : (tensor<2xi32>, tensor<f32>) -> !m
  // The device has no code for the triangle of a matrix.
  %all = tfx_tensor.const dense<-1> : tensor<i64>
  %none = tfx_tensor.const dense<0> : tensor<i64>
  %sums = tfx_tensor.op "Cumsum"(%x, %axis) : (!m, tensor<i32>) -> !m
  %lower = tfx_tensor.op "MatrixBandPart"(%sums, %all, %none) : (!m, tensor<i64>, tensor<i64>) -> !m
  %p = tfx_tensor.op "MatMul"(%lower, %x) : (!m, !m) -> !m
  %h = func.call @halved(%p) : (!m) -> !m
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %h) -> (!m) {
    %s = tfx_tensor.op "AddV2"(%u, %lower) : (!m, !m) -> !m
    scf.yield %s : !m
  }
  %again = tfx_tensor.op "MatrixBandPart"(%r, %none, %all) : (!m, tensor<i64>, tensor<i64>) -> !m
  %least = tfx_tensor.op "Minimum"(%again, %p) : (!m, !m) -> !m
  return %again, %least : !m, !m
}
