// The minimum value divided by -1 has no quotient. TensorFlow would wrap; the graph fails as the host does, at the location of the division.
//
// RUN: tfxc run %s -- -2147483648 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- -2147483648 3 2>&1 | FileCheck %s %}
// RUN: not tfxc run %s -- -2147483648 -1 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %if tensorflow %{ not tfxc run %s --executor tensorflow -- -2147483648 -1 2>&1 | FileCheck %s --check-prefix=ERROR %}
// RUN: not tfxc run %s -- 1 0 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %if tensorflow %{ not tfxc run %s --executor tensorflow -- 1 0 2>&1 | FileCheck %s --check-prefix=ERROR %}
//
// CHECK: q = -715827882
// ERROR: overflowing_quotient.mlir:[[#@LINE+8]]:{{[0-9]+}}: error: Integer division by zero

func.func @main(%a: i32, %b: i32) -> (tensor<i32> {tfx.name = "q"}) {
  %ta = tfx_tensor.from_scalar %a : i32
  %ia = tfx_tensor.op "Identity"(%ta) : (tensor<i32>) -> tensor<i32>
  %ga = tfx_tensor.to_scalar %ia : tensor<i32> -> i32

  // This one.
  %q = arith.divsi %ga, %b : i32
  %tq = tfx_tensor.from_scalar %q : i32
  %x = tfx_tensor.op "Identity"(%tq) : (tensor<i32>) -> tensor<i32>
  return %x : tensor<i32>
}
