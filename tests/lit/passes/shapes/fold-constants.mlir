// Sizes, and what is computed from them, become constants in graphs.
//
// RUN: tfx-opt %s --tfx-fold-constants | FileCheck %s
// RUN: tfx-opt %s --tfx-fold-constants -o %t.once && tfx-opt %t.once --tfx-fold-constants | diff %t.once -
// RUN: tfx-opt %s --tfx-fold-constants --mlir-pass-statistics --mlir-pass-statistics-display=list -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: (S) {{[1-9][0-9]*}} constants

// CHECK-LABEL: tfx_tensor.graph @sizes
// CHECK-NOT: "Shape"
// CHECK-NOT: "Range"
// CHECK-NOT: "BroadcastGradientArgs"
// CHECK: tfx_tensor.const dense<50> : tensor<i32>
// CHECK: tfx_tensor.while
// CHECK: %[[AXES:.*]] = tfx_tensor.const dense<0> : tensor<1xi32>
// CHECK: %[[NONE:.*]] = tfx_tensor.const dense<> : tensor<0xi32>
// CHECK: "Sum"(%{{.*}}, %[[AXES]])
// CHECK: "Sum"(%{{.*}}, %[[NONE]])
// The number of rows is unknown.
// CHECK: "Shape"(%arg2)
tfx_tensor.graph @sizes(%x: tensor<4x2xf32>, %y: tensor<2xf32>, %z: tensor<?x2xf32>) -> (tensor<i32>, tensor<2xf32>, tensor<4x2xf32>, tensor<?x2xf32>) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %fifty = tfx_tensor.const dense<50> : tensor<i32>
  %range = tfx_tensor.op "Range"(%zero, %zero, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %most = tfx_tensor.op "Max"(%fifty, %range) : (tensor<i32>, tensor<?xi32>) -> tensor<i32>
  %n = tfx_tensor.while (%i = %zero) : (tensor<i32>) -> tensor<i32> {
    %go = tfx_tensor.op "Less"(%i, %most) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>):
    %j = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_tensor.yield %j : tensor<i32>
  }
  %of_x = tfx_tensor.op "Shape"(%x) : (tensor<4x2xf32>) -> tensor<2xi32>
  %of_y = tfx_tensor.op "Shape"(%y) : (tensor<2xf32>) -> tensor<1xi32>
  %axes:2 = tfx_tensor.op "BroadcastGradientArgs"(%of_y, %of_x) : (tensor<1xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %dy = tfx_tensor.op "Sum"(%x, %axes#0) : (tensor<4x2xf32>, tensor<?xi32>) -> tensor<2xf32>
  %dx = tfx_tensor.op "Sum"(%x, %axes#1) : (tensor<4x2xf32>, tensor<?xi32>) -> tensor<4x2xf32>
  %of_z = tfx_tensor.op "Shape"(%z) : (tensor<?x2xf32>) -> tensor<2xi32>
  %same = tfx_tensor.op "BroadcastTo"(%y, %of_z) : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  tfx_tensor.return %n, %dy, %dx, %same : tensor<i32>, tensor<2xf32>, tensor<4x2xf32>, tensor<?x2xf32>
}

// Host code keeps its operations.
// CHECK-LABEL: func.func @host
// CHECK: "Size"
func.func @host(%x: tensor<4x2xf32>) -> tensor<i32> {
  %size = tfx_tensor.op "Size"(%x) : (tensor<4x2xf32>) -> tensor<i32>
  %twice = tfx_tensor.op "AddV2"(%size, %size) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %twice : tensor<i32>
}

// Some sizes decide alone: a row is repeated along the rows of a tensor, whatever their number is,
// and a choice needs one of two elements. Shapes that may be equal decide nothing.
// CHECK-LABEL: tfx_tensor.graph @parts
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>)
// CHECK: %[[ROWS:.*]] = tfx_tensor.const dense<0> : tensor<1xi32>
// CHECK: "Sum"(%[[X]], %[[ROWS]]) {keep_dims = true} : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<1x4xf32>
// CHECK: %[[AXES:.*]]:2 = tfx_tensor.op "BroadcastGradientArgs"
// CHECK: "Sum"(%[[X]], %[[AXES]]#0) {keep_dims = true} : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x?xf32>
// CHECK-NOT: "SelectV2"
tfx_tensor.graph @parts(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %row = tfx_tensor.const dense<4> : tensor<1xi32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %both = tfx_tensor.const dense<true> : tensor<2xi1>
  %value = tfx_tensor.const dense<2.0> : tensor<f32>
  %of_x = tfx_tensor.op "Shape"(%x) : (tensor<?x4xf32>) -> tensor<2xi32>
  %of_y = tfx_tensor.op "Shape"(%y) : (tensor<?x4xf32>) -> tensor<2xi32>
  %known:2 = tfx_tensor.op "BroadcastGradientArgs"(%row, %of_x) : (tensor<1xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %drow = tfx_tensor.op "Sum"(%x, %known#0) {keep_dims = true} : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  %axes:2 = tfx_tensor.op "BroadcastGradientArgs"(%of_y, %of_x) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %dy = tfx_tensor.op "Sum"(%x, %axes#0) {keep_dims = true} : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<?x?xf32>
  %sizes = tfx_tensor.op "SelectV2"(%both, %one, %of_x) : (tensor<2xi1>, tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  %wide = tfx_tensor.op "Reshape"(%value, %sizes) : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  tfx_tensor.return %drow, %dy, %wide : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}

// A choice of all elements of one list needs nothing of the other one.
// CHECK-LABEL: tfx_tensor.graph @chosen
// CHECK: "Reshape"(%{{.*}}, %{{.*}}) : (tensor<f32>, tensor<2xi32>) -> tensor<1x1xf32>
tfx_tensor.graph @chosen(%x: tensor<f32>, %sizes: tensor<2xi32>) -> tensor<?x?xf32> {
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %both = tfx_tensor.const dense<true> : tensor<2xi1>
  %chosen = tfx_tensor.op "SelectV2"(%both, %one, %sizes) : (tensor<2xi1>, tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  %wide = tfx_tensor.op "Reshape"(%x, %chosen) : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  tfx_tensor.return %wide : tensor<?x?xf32>
}

// A division by a value that becomes a constant cannot fail, and is one, too.
// CHECK-LABEL: @division
// CHECK-NEXT:  %[[QUOTIENT:.*]] = tfx_tensor.const dense<20> : tensor<i32>
// CHECK-NEXT:  tfx_tensor.op "AddV2"({{.*}}, %[[QUOTIENT]])
tfx_tensor.graph @division(%x: tensor<i32>) -> tensor<i32> {
  %four = tfx_tensor.const dense<4> : tensor<i32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %twenty = tfx_tensor.op "Mul"(%four, %five) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %one = tfx_tensor.op "Sub"(%five, %four) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %quotient = tfx_tensor.op "TruncateDiv"(%twenty, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %sum = tfx_tensor.op "AddV2"(%x, %quotient) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tfx_tensor.return %sum : tensor<i32>
}
