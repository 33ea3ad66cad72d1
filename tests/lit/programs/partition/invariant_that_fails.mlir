// An invariant product in a loop fails if its operand is not square. It stays in the loop, so that
// the print before it in the first iteration happens before the program fails, as in the source.
//
// RUN: not tfxc interpret %s 3 1 2 2>&1 | FileCheck %s
// RUN: not tfxc run %s 3 1 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ not tfxc run %s 3 1 2 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc run %s 2 2 2 | FileCheck %s --check-prefix=SQUARE
// RUN: tfxc run %s 0 1 2 | FileCheck %s --check-prefix=NONE
//
// CHECK:     iteration 0
// CHECK-NOT: iteration
// CHECK:     invariant_that_fails.mlir:[[#@LINE+23]]:{{.*}}error
//
// SQUARE:      iteration 0
// SQUARE-NEXT: product 8.0
// SQUARE-NEXT: iteration 1
// SQUARE-NEXT: product 8.0
// SQUARE-NEXT: done
//
// NONE-NOT: iteration
// NONE:     done

!M = tensor<?x?xf32>
func.func @main(%n: i32, %rows: i32, %columns: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tfx_tensor.from_scalar %rows : i32
  %c = tfx_tensor.from_scalar %columns : i32
  %shape = tfx_tensor.op "Pack"(%r, %c) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %value = tfx_tensor.const dense<1.0> : tensor<f32>
  %a = tfx_tensor.op "Fill"(%shape, %value) : (tensor<2xi32>, tensor<f32>) -> !M
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  scf.for %i = %zero to %n step %one : i32 {
    tfx_host.print "iteration {}"(%i) : i32
    %product = tfx_tensor.op "MatMul"(%a, %a) : (!M, !M) -> !M
    %sum = tfx_tensor.op "Sum"(%product, %axes) : (!M, tensor<2xi32>) -> tensor<f32>
    tfx_host.print "product {}"(%sum) : tensor<f32>
  }
  tfx_host.print "done"()
  return
}
