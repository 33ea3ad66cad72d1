// PROGRAMS.md, dense layer: the program computes the sizes of a layer, 28*28 and 10, and the attributes of its operations. All of them are constants
// in the graph: only the input and the results cross, and the code that computes them is erased.

// RUN: tfxc run %s --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt --tfx-deabstract %s | FileCheck %s --check-prefix=IR

// CHECK:      rows = 784
// CHECK-NEXT: best = [0 0 0]
// CHECK-NEXT: sum = 0.0
// CHECK-NEXT: slope = -0.125
// CHECK:      no channels

// IR-LABEL:  func.func @main(
// IR-NOT:    tfx_host
// IR-NOT:    arith
// IR-NOT:    cf.
// IR-DAG:    tfx_tensor.const dense<[784, 10]> : tensor<2xi32>
// IR-DAG:    tfx_tensor.const dense<10> : tensor<i32>
// IR-DAG:    tfx_tensor.op "Sum"(%{{.*}}) {keep_dims = false}
// IR-DAG:    tfx_tensor.op "LeakyRelu"(%{{.*}}) {alpha = 1.250000e-01 : f32}
// IR-DAG:    tfx_tensor.op "StridedSlice"(%{{.*}}) {begin_mask = 1 : i64, end_mask = 1 : i64, shrink_axis_mask = 2 : i64}

tfx_host.struct @Dense {weights: tensor<?x?xf32>, bias: tensor<?xf32>, rows: i32, columns: i32}

func.func private @power(%x: f32, %n: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1.0 : f32
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %unit) -> f32 : i32 {
    %next = arith.mulf %acc, %x : f32
    scf.yield %next : f32
  }
  return %r : f32
}

func.func private @dense(%rows: i32, %columns: i32) -> !tfx_host.struct<@Dense> {
  %sizes = tfx_host.array(%rows, %columns) : !tfx_host.array<i32>
  %shape = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i32>) : () -> tensor<2xi32>
  %zero = tfx_tensor.const dense<0.0> : tensor<f32>
  %w = tfx_tensor.op "Fill"(%shape, %zero) : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  %n = tfx_tensor.from_scalar %columns : i32
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %length = tfx_tensor.op "ExpandDims"(%n, %axis) : (tensor<i32>, tensor<i32>) -> tensor<1xi32>
  %b = tfx_tensor.op "Fill"(%length, %zero) : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
  %layer = tfx_host.make_struct(%w, %b, %rows, %columns) : (tensor<?x?xf32>, tensor<?xf32>, i32, i32) -> !tfx_host.struct<@Dense>
  return %layer : !tfx_host.struct<@Dense>
}

// The masks of x[:, k]: a bit for each axis.
func.func private @column(%x: tensor<?x?xf32>, %k: i32) -> tensor<?xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %axis = arith.constant 1 : i64
  %bit = arith.constant 1 : i64
  %shrink = arith.shli %bit, %axis : i64
  %next = arith.addi %k, %one : i32
  %from = tfx_host.array(%zero, %k) : !tfx_host.array<i32>
  %to = tfx_host.array(%zero, %next) : !tfx_host.array<i32>
  %by = tfx_host.array(%one, %one) : !tfx_host.array<i32>
  %begin = tfx_tensor.op "Const"() computed(value = %from : !tfx_host.array<i32>) : () -> tensor<2xi32>
  %end = tfx_tensor.op "Const"() computed(value = %to : !tfx_host.array<i32>) : () -> tensor<2xi32>
  %strides = tfx_tensor.op "Const"() computed(value = %by : !tfx_host.array<i32>) : () -> tensor<2xi32>
  %y = tfx_tensor.op "StridedSlice"(%x, %begin, %end, %strides)
      computed(begin_mask = %bit : i64, end_mask = %bit : i64, shrink_axis_mask = %shrink : i64)
      : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @main() -> (tensor<i32> {tfx.name = "rows"}, tensor<3xi32> {tfx.name = "best"}, tensor<f32> {tfx.name = "sum"}, tensor<f32> {tfx.name = "slope"}) {
  %side = arith.constant 28 : i32
  %inputs = arith.muli %side, %side : i32
  %outputs = arith.constant 10 : i32
  %layer = func.call @dense(%inputs, %outputs) : (i32, i32) -> !tfx_host.struct<@Dense>
  %w = tfx_host.extract %layer["weights"] : !tfx_host.struct<@Dense> -> tensor<?x?xf32>
  %b = tfx_host.extract %layer["bias"] : !tfx_host.struct<@Dense> -> tensor<?xf32>
  %n = tfx_host.extract %layer["rows"] : !tfx_host.struct<@Dense> -> i32
  %rows = tfx_tensor.from_scalar %n : i32
  %three = arith.constant 3 : i32
  %sizes = tfx_host.array(%three, %n) : !tfx_host.array<i32>
  %shape = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i32>) : () -> tensor<2xi32>
  %unit = tfx_tensor.const dense<1.0> : tensor<f32>
  %x = tfx_tensor.op "Fill"(%shape, %unit) : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  %xw = tfx_tensor.op "MatMul"(%x, %w) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = tfx_tensor.op "AddV2"(%xw, %b) : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %axis = tfx_tensor.const dense<1> : tensor<i32>
  %best = tfx_tensor.op "ArgMax"(%y, %axis) {output_type = i32} : (tensor<?x?xf32>, tensor<i32>) -> tensor<3xi32>
  %last = arith.subi %outputs, %three : i32
  %column = func.call @column(%y, %last) : (tensor<?x?xf32>, i32) -> tensor<?xf32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %no = arith.cmpi slt, %outputs, %three : i32
  %sum = tfx_tensor.op "Sum"(%column, %zero) computed(keep_dims = %no : i1) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
  %half = arith.constant 0.5 : f32
  %alpha = func.call @power(%half, %three) : (f32, i32) -> f32
  %minus = tfx_tensor.const dense<-1.0> : tensor<f32>
  %slope = tfx_tensor.op "LeakyRelu"(%minus) computed(alpha = %alpha : f32) : (tensor<f32>) -> tensor<f32>
  return %rows, %best, %sum, %slope : tensor<i32>, tensor<3xi32>, tensor<f32>, tensor<f32>
}
