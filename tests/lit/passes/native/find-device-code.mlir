// RUN: tfx-opt --tfx-find-device-code=all=true %s | FileCheck %s
// RUN: tfx-opt --tfx-find-device-code %s | FileCheck %s --check-prefix=PLACED

!m = tensor<8x8xf32>

// An operation is marked if it has code alone, with the constants among its operands. Branches and
// loops are not, but what is inside of them is.
// CHECK-LABEL: tfx_tensor.graph @host
// CHECK: "MatMul"({{.*}}) {tfx.has_device_code}
// CHECK: "Sum"({{.*}}) {tfx.has_device_code}
// CHECK: "Sin"(%{{[a-z0-9]+}}) :
// CHECK: "GatherV2"({{[^)]*}}) :
// CHECK: "Sum"(%{{.*}}, %{{.*}}) :
// CHECK: tfx_tensor.if %{{.*}} {
// CHECK-NEXT: "Neg"({{.*}}) {tfx.has_device_code}
// CHECK: "Einsum"({{.*}}) {{{.*}}tfx.has_device_code}
// Without copies to CUDA devices, nothing is examined.
// PLACED-LABEL: tfx_tensor.graph @host
// PLACED-NOT: has_device_code
tfx_tensor.graph @host(%x: !m, %c: tensor<i1>, %i: tensor<2xi32>, %axis: tensor<1xi32>)
    -> (!m, tensor<f32>, !m, tensor<2x8xf32>, tensor<?xf32>, !m, !m) {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %p = tfx_tensor.op "MatMul"(%x, %x) : (!m, !m) -> !m
  %s = tfx_tensor.op "Sum"(%p, %axes) : (!m, tensor<2xi32>) -> tensor<f32>
  %t = tfx_tensor.op "Sin"(%p) : (!m) -> !m
  %g = tfx_tensor.op "GatherV2"(%x, %i, %zero) : (!m, tensor<2xi32>, tensor<i32>) -> tensor<2x8xf32>
  %u = tfx_tensor.op "Sum"(%x, %axis) : (!m, tensor<1xi32>) -> tensor<?xf32>
  %r = tfx_tensor.if %c : tensor<i1> -> !m {
    %n = tfx_tensor.op "Neg"(%x) : (!m) -> !m
    tfx_tensor.yield %n : !m
  } else {
    tfx_tensor.yield %x : !m
  }
  %e = tfx_tensor.op "Einsum"(%x, %p) {equation = "ij,jk->ik"} : (!m, !m) -> !m
  tfx_tensor.return %p, %s, %t, %g, %u, %r, %e : !m, tensor<f32>, !m, tensor<2x8xf32>, tensor<?xf32>, !m, !m
}

// A graph with a copy to a CUDA device is examined always, and a call with what it calls.
// PLACED-LABEL: tfx_tensor.graph @device
// PLACED: "Neg"({{.*}}) {tfx.has_device_code}
// PLACED: tfx_tensor.call @callee({{.*}}) {{{.*}}tfx.has_device_code}
// PLACED: tfx_tensor.call @other(%{{[a-z0-9]+}}) :
tfx_tensor.graph @device(%x: !m) -> (!m, !m) {
  %a = tfx_comm.copy %x from <cpu> to <cuda> : !m
  %n = tfx_tensor.op "Neg"(%a) : (!m) -> !m
  %b = tfx_tensor.call @callee(%n) : (!m) -> !m
  %c = tfx_tensor.call @other(%b) : (!m) -> !m
  tfx_tensor.return %b, %c : !m, !m
}

tfx_tensor.graph private @callee(%x: !m) -> !m {
  %n = tfx_tensor.op "Exp"(%x) : (!m) -> !m
  tfx_tensor.return %n : !m
}

tfx_tensor.graph private @other(%x: !m) -> !m {
  %n = tfx_tensor.op "Cos"(%x) : (!m) -> !m
  tfx_tensor.return %n : !m
}
