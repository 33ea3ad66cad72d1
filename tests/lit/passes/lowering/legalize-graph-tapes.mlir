// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-legalize-graph))' --split-input-file %s | FileCheck %s

// Tapes are lists of tensors. An element has the shape of its type, as far as it is known.

// CHECK-LABEL: tfx_tensor.graph @scalars(
// CHECK:         %[[SHAPE:.*]] = tfx_tensor.const dense<> : tensor<0xi32>
// CHECK:         %[[CAPACITY:.*]] = tfx_tensor.const dense<-1> : tensor<i32>
// CHECK:         %[[EMPTY:.*]] = tfx_tensor.op "EmptyTensorList"(%[[SHAPE]], %[[CAPACITY]]) {element_dtype = i64} : (tensor<0xi32>, tensor<i32>) -> tensor<!tfx_tensor.variant>
// CHECK:         %[[LONGER:.*]] = tfx_tensor.op "TensorListPushBack"(%[[EMPTY]], %{{.*}}) {element_dtype = i64} : (tensor<!tfx_tensor.variant>, tensor<i64>) -> tensor<!tfx_tensor.variant>
// CHECK:         %[[POP:.*]]:2 = tfx_tensor.op "TensorListPopBack"(%[[LONGER]], %{{.*}}) {element_dtype = i64} : (tensor<!tfx_tensor.variant>, tensor<0xi32>) -> (tensor<!tfx_tensor.variant>, tensor<i64>)
// CHECK:         tfx_tensor.to_scalar %[[POP]]#1
tfx_tensor.graph @scalars(%n: index) -> index {
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<index>
  %longer = tfx_ad.push %n to %empty : !tfx_ad.tape<index>
  %rest, %value = tfx_ad.pop %longer : !tfx_ad.tape<index>
  tfx_tensor.return %value : index
}

// -----

// CHECK-LABEL: tfx_tensor.graph @tensors(
// CHECK:         tfx_tensor.const dense<[-1, 3]> : tensor<2xi32>
// CHECK:         "TensorListPushBack"{{.*}} {element_dtype = f32} : (tensor<!tfx_tensor.variant>, tensor<?x3xf32>)
// CHECK:         "TensorListPopBack"{{.*}} -> (tensor<!tfx_tensor.variant>, tensor<?x3xf32>)
// CHECK:         tfx_tensor.const dense<-1> : tensor<i32>
// CHECK:         "TensorListPushBack"{{.*}} : (tensor<!tfx_tensor.variant>, tensor<*xi1>)
tfx_tensor.graph @tensors(%x: tensor<?x3xf32>, %y: tensor<*xi1>) -> tensor<?x3xf32> {
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<tensor<?x3xf32>>
  %longer = tfx_ad.push %x to %empty : !tfx_ad.tape<tensor<?x3xf32>>
  %rest, %value = tfx_ad.pop %longer : !tfx_ad.tape<tensor<?x3xf32>>
  %others = tfx_ad.empty_tape : !tfx_ad.tape<tensor<*xi1>>
  %unranked = tfx_ad.push %y to %others : !tfx_ad.tape<tensor<*xi1>>
  tfx_tensor.return %value : tensor<?x3xf32>
}

// -----

// A tape is carried by a loop, and a tape of tapes has lists as elements. An undefined tape is an
// empty list.

// CHECK-LABEL: tfx_tensor.graph @nested(
// CHECK:         tfx_tensor.while
// CHECK-SAME:      tensor<!tfx_tensor.variant>
// CHECK:         "TensorListPushBack"{{.*}} {element_dtype = !tfx_tensor.variant} : (tensor<!tfx_tensor.variant>, tensor<!tfx_tensor.variant>)
// CHECK:         "EmptyTensorList"
tfx_tensor.graph @nested(%x: f64, %n: index) -> f64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<f64>
  %outer = tfx_ad.empty_tape : !tfx_ad.tape<!tfx_ad.tape<f64>>
  %full = scf.for %i = %zero to %n step %one iter_args(%t = %empty) -> (!tfx_ad.tape<f64>) {
    %u = tfx_ad.push %x to %t : !tfx_ad.tape<f64>
    scf.yield %u : !tfx_ad.tape<f64>
  }
  %tapes = tfx_ad.push %full to %outer : !tfx_ad.tape<!tfx_ad.tape<f64>>
  %rest, %inner = tfx_ad.pop %tapes : !tfx_ad.tape<!tfx_ad.tape<f64>>
  %less, %value = tfx_ad.pop %inner : !tfx_ad.tape<f64>
  %undefined = tfx_host.undef : !tfx_ad.tape<f64>
  tfx_tensor.return %value : f64
}
