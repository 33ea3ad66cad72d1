// Random numbers of a seed are computed where they are needed, also in loops. They are those of the
// interpreter: uniform ones have the same bits.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true})' | FileCheck %s --check-prefix=CLUSTER
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=32 task-cost=4000})' | FileCheck %s
// RUN: tfxc run %s 5 --executor embedded > %t.embedded
// RUN: tfxc run %s 5 --threads 1 | diff %t.embedded -
// RUN: tfxc run %s 5 --threads 2 --native-vectors 32 | diff %t.embedded -
// RUN: tfxc run %s 5 --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 5 --native-task-cost 1 --threads 3 | diff %t.embedded -
// RUN: tfxc run %s 5 --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: tfxc run %s 5 | FileCheck %s --check-prefix=NUMBERS

// The whole loop is compiled: each step has a mask of its own. A key and a counter are made from the
// seed in the code.
// CLUSTER-LABEL: tfx_tensor.graph private @main.graph.native(
// CLUSTER:         tfx_tensor.while
// CLUSTER:           "StatelessRandomUniform"
// CLUSTER-NOT:     "StatelessRandomGetKeyCounter"
// CLUSTER-LABEL: tfx_tensor.graph private @main.graph.native_0(
// CLUSTER:         "StatelessRandomUniform"(
// CLUSTER:         "StatelessRandomNormal"(
// CLUSTER-NOT:   "StatelessRandomGetKeyCounter"

// The mask is a part of the group of rows. Its position in the whole tensor follows from the first
// row of the block.
// CHECK-LABEL: func.func private @tfx.task.1(
// CHECK:         scf.for %[[ROW:.*]] = %{{.*}} to
// CHECK:           %[[FIRST:.*]] = arith.muli %[[ROW]], %c16_i64
// CHECK:           func.call @tfx.kernel.{{[0-9]+}}({{.*}}, %[[FIRST]]) :
// CHECK:           func.call @tfx.kernel.
// CHECK-NOT:       func.call
// CHECK:         return

// Known answers, from TensorFlow:
//   tf.random.stateless_uniform([5], [1, 2]), and the same for tf.float64
// NUMBERS: uniform = [0.8440604  0.19204533 0.9962232  0.1603874  0.27199018]
// NUMBERS: doubles = [0.7524837538451801  0.9697857725627486  0.17592233912897481]

// STATS: native code: {{[0-9]+}} calls

!X = tensor<600x16xf32>
!S = tensor<2xi32>

func.func private @dropout(%steps: i32) -> tensor<16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = tfx_tensor.const dense<1.0> : !X
  %shape = tfx_tensor.const dense<[600, 16]> : !S
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %mask = tfx_tensor.const dense<1023> : tensor<i32>
  %rows = tfx_tensor.const dense<0> : tensor<i32>
  %seed = tfx_tensor.const dense<-7> : tensor<i32>
  %end = scf.for %step = %zero to %steps step %one iter_args(%x = %start) -> (!X) : i32 {
    %number = tfx_tensor.from_scalar %step : i32
    %pair = tfx_tensor.op "Pack"(%number, %seed) : (tensor<i32>, tensor<i32>) -> !S
    %u = tfx_tensor.op "StatelessRandomUniform"(%shape, %pair) : (!S, !S) -> !X
    %kept = tfx_tensor.op "GreaterEqual"(%u, %half) : (!X, tensor<f32>) -> tensor<600x16xi1>
    %factor = tfx_tensor.op "Cast"(%kept) : (tensor<600x16xi1>) -> !X
    %more = tfx_tensor.op "AddV2"(%x, %factor) : (!X, !X) -> !X
    scf.yield %more : !X
  }
  %sum = tfx_tensor.op "Sum"(%end, %rows) : (!X, tensor<i32>) -> tensor<16xf32>
  return %sum : tensor<16xf32>
}

// What TensorFlow's Python functions build. Normal numbers may differ in the last bits.
func.func private @of_keys(%a: tensor<i64>) -> (tensor<7xf64>, tensor<i32>) {
  %seed = tfx_tensor.op "Pack"(%a, %a) : (tensor<i64>, tensor<i64>) -> tensor<2xi64>
  %key, %counter = tfx_tensor.op "StatelessRandomGetKeyCounter"(%seed) : (tensor<2xi64>) -> (tensor<1xui64>, tensor<2xui64>)
  %philox = tfx_tensor.const dense<1> : tensor<i32>
  %seven = tfx_tensor.const dense<7> : tensor<1xi32>
  %many = tfx_tensor.const dense<[3, 333]> : !S
  %both = tfx_tensor.const dense<[0, 1]> : !S
  %doubles = tfx_tensor.op "StatelessRandomUniformV2"(%seven, %key, %counter, %philox) : (tensor<1xi32>, tensor<1xui64>, tensor<2xui64>, tensor<i32>) -> tensor<7xf64>
  %normals = tfx_tensor.op "StatelessRandomNormalV2"(%many, %key, %counter, %philox) : (!S, tensor<1xui64>, tensor<2xui64>, tensor<i32>) -> tensor<3x333xf32>
  %scale = tfx_tensor.const dense<100.0> : tensor<f32>
  %scaled = tfx_tensor.op "Mul"(%normals, %scale) : (tensor<3x333xf32>, tensor<f32>) -> tensor<3x333xf32>
  %whole = tfx_tensor.op "Rint"(%scaled) : (tensor<3x333xf32>) -> tensor<3x333xf32>
  %numbers = tfx_tensor.op "Cast"(%whole) : (tensor<3x333xf32>) -> tensor<3x333xi32>
  %sum = tfx_tensor.op "Sum"(%numbers, %both) : (tensor<3x333xi32>, !S) -> tensor<i32>
  return %doubles, %sum : tensor<7xf64>, tensor<i32>
}

// Parts, and the numbers of a shape and a seed that are not known.
func.func private @of_sizes(%rows: tensor<i32>) -> (tensor<2xf32>, tensor<?x3xf32>) {
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %begin = tfx_tensor.const dense<[1, 2]> : !S
  %one = tfx_tensor.const dense<[2, 1]> : !S
  %shape = tfx_tensor.op "Pack"(%rows, %three) : (tensor<i32>, tensor<i32>) -> !S
  %fixed = tfx_tensor.const dense<[4, 5]> : !S
  %x = tfx_tensor.op "StatelessRandomUniform"(%fixed, %shape) : (!S, !S) -> tensor<4x5xf32>
  %part = tfx_tensor.op "Slice"(%x, %begin, %one) : (tensor<4x5xf32>, !S, !S) -> tensor<2x1xf32>
  %vector = tfx_tensor.op "Squeeze"(%part) : (tensor<2x1xf32>) -> tensor<2xf32>
  %y = tfx_tensor.op "StatelessRandomUniform"(%shape, %shape) : (!S, !S) -> tensor<?x3xf32>
  %double = tfx_tensor.op "AddV2"(%y, %y) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %z = tfx_tensor.op "Sub"(%double, %y) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %vector, %z : tensor<2xf32>, tensor<?x3xf32>
}

func.func @main(%n: i32) -> (tensor<16xf32> {tfx.name = "dropout"}, tensor<7xf64> {tfx.name = "doubles_of_key"},
                             tensor<i32> {tfx.name = "normals"}, tensor<2xf32> {tfx.name = "part"},
                             tensor<?x3xf32> {tfx.name = "unknown"}, tensor<5xf32> {tfx.name = "uniform"},
                             tensor<3xf64> {tfx.name = "doubles"}) {
  %steps = arith.addi %n, %n : i32
  %number = tfx_tensor.from_scalar %n : i32
  %wide = tfx_tensor.op "Cast"(%number) : (tensor<i32>) -> tensor<i64>
  %dropout = call @dropout(%steps) : (i32) -> tensor<16xf32>
  %of_key, %normals = call @of_keys(%wide) : (tensor<i64>) -> (tensor<7xf64>, tensor<i32>)
  %part, %unknown = call @of_sizes(%number) : (tensor<i32>) -> (tensor<2xf32>, tensor<?x3xf32>)
  %five = tfx_tensor.const dense<5> : tensor<1xi32>
  %three = tfx_tensor.const dense<3> : tensor<1xi32>
  %seed = tfx_tensor.const dense<[1, 2]> : !S
  %uniform = tfx_tensor.op "StatelessRandomUniform"(%five, %seed) : (tensor<1xi32>, !S) -> tensor<5xf32>
  %doubles = tfx_tensor.op "StatelessRandomUniform"(%three, %seed) : (tensor<1xi32>, !S) -> tensor<3xf64>
  return %dropout, %of_key, %normals, %part, %unknown, %uniform, %doubles : tensor<16xf32>, tensor<7xf64>, tensor<i32>, tensor<2xf32>, tensor<?x3xf32>, tensor<5xf32>, tensor<3xf64>
}
