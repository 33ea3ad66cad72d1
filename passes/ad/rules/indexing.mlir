// The rules of operations that select elements by their indices.

!T = tensor<*xf64>
!I = tensor<*xi32>
!B = tensor<*xi1>

func.func private @total(!T) -> !T attributes {tfx_ad.helper}
func.func private @Gather(%x: !T, %i: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %n = tfx_tensor.op "GatherV2"(%shape, %zero, %axis) : (!I, tensor<i32>, tensor<i32>) -> !I
  %dx = tfx_tensor.op "UnsortedSegmentSum"(%dz, %i, %n) : (!T, !I, !I) -> !T
  return %dx : !T
}
// The axes of the indices come first, then the cotangents are summed by index, and the axes return.
func.func private @GatherV2.one(%x: !T, %i: !I, %axis: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>, tfx_ad.when.batch_dims = 0 : i64} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %indices = tfx_tensor.op "Shape"(%i) : (!I) -> !I
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %r = tfx_tensor.op "Size"(%shape) : (!I) -> !I
  %k = tfx_tensor.op "Size"(%indices) : (!I) -> !I
  %c = tfx_tensor.op "Cast"(%axis) : (!I) -> !I
  %a = tfx_tensor.op "FloorMod"(%c, %r) : (!I, !I) -> !I
  %b = tfx_tensor.op "AddV2"(%a, %k) : (!I, !I) -> !I
  %e = tfx_tensor.op "AddV2"(%r, %k) : (!I, !I) -> !I
  %end = tfx_tensor.op "Sub"(%e, %one) : (!I, tensor<i32>) -> !I
  %middle = tfx_tensor.op "Range"(%a, %b, %one) : (!I, !I, tensor<i32>) -> !I
  %outer = tfx_tensor.op "Range"(%zero, %a, %one) : (tensor<i32>, !I, tensor<i32>) -> !I
  %inner = tfx_tensor.op "Range"(%b, %end, %one) : (!I, !I, tensor<i32>) -> !I
  %front = tfx_tensor.op "ConcatV2"(%middle, %outer, %inner, %zero)
      : (!I, !I, !I, tensor<i32>) -> !I
  %d = tfx_tensor.op "Transpose"(%dz, %front) : (!T, !I) -> !T
  %n = tfx_tensor.op "GatherV2"(%shape, %a, %zero) : (!I, !I, tensor<i32>) -> !I
  %s = tfx_tensor.op "UnsortedSegmentSum"(%d, %i, %n) : (!T, !I, !I) -> !T
  %next = tfx_tensor.op "AddV2"(%a, %one) : (!I, tensor<i32>) -> !I
  %before = tfx_tensor.op "Range"(%one, %next, %one) : (tensor<i32>, !I, tensor<i32>) -> !I
  %after = tfx_tensor.op "Range"(%next, %r, %one) : (!I, !I, tensor<i32>) -> !I
  %z_ = tfx_tensor.op "Reshape"(%zero, %flat) : (tensor<i32>, tensor<1xi32>) -> !I
  %back = tfx_tensor.op "ConcatV2"(%before, %z_, %after, %zero) : (!I, !I, !I, tensor<i32>) -> !I
  %dx = tfx_tensor.op "Transpose"(%s, %back) : (!T, !I) -> !T
  return %dx : !T
}
// With batches: the indices of a batch count from its first row, and all rows are summed at once.
func.func private @GatherV2.batches(%x: !T, %i: !I, %axis: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %indices = tfx_tensor.op "Shape"(%i) : (!I) -> !I
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %batches = tfx_tensor.const dense<0> : tensor<i32> {tfx_ad.attribute = "batch_dims"}
  %r = tfx_tensor.op "Size"(%shape) : (!I) -> !I
  %k = tfx_tensor.op "Size"(%indices) : (!I) -> !I
  %below = tfx_tensor.op "Less"(%batches, %zero) : (tensor<i32>, tensor<i32>) -> !B
  %from_end = tfx_tensor.op "AddV2"(%batches, %k) : (tensor<i32>, !I) -> !I
  %h = tfx_tensor.op "SelectV2"(%below, %from_end, %batches) : (!B, !I, tensor<i32>) -> !I
  %c = tfx_tensor.op "Cast"(%axis) : (!I) -> !I
  %a = tfx_tensor.op "FloorMod"(%c, %r) : (!I, !I) -> !I
  %n = tfx_tensor.op "GatherV2"(%shape, %a, %zero) : (!I, !I, tensor<i32>) -> !I
  // The axes of the cotangent: batches, outer, indices, inner.
  %t = tfx_tensor.op "Sub"(%k, %h) : (!I, !I) -> !I
  %b = tfx_tensor.op "AddV2"(%a, %t) : (!I, !I) -> !I
  %e = tfx_tensor.op "AddV2"(%r, %t) : (!I, !I) -> !I
  %end = tfx_tensor.op "Sub"(%e, %one) : (!I, tensor<i32>) -> !I
  %first = tfx_tensor.op "Range"(%zero, %h, %one) : (tensor<i32>, !I, tensor<i32>) -> !I
  %outer = tfx_tensor.op "Range"(%h, %a, %one) : (!I, !I, tensor<i32>) -> !I
  %middle = tfx_tensor.op "Range"(%a, %b, %one) : (!I, !I, tensor<i32>) -> !I
  %inner = tfx_tensor.op "Range"(%b, %end, %one) : (!I, !I, tensor<i32>) -> !I
  %front = tfx_tensor.op "ConcatV2"(%first, %middle, %outer, %inner, %zero)
      : (!I, !I, !I, !I, tensor<i32>) -> !I
  %d = tfx_tensor.op "Transpose"(%dz, %front) : (!T, !I) -> !T
  // The number of the first row of each batch.
  %of = tfx_tensor.op "GatherV2"(%shape, %first, %zero) : (!I, !I, tensor<i32>) -> !I
  %count = tfx_tensor.op "Prod"(%of, %zero) : (!I, tensor<i32>) -> !I
  %rows = tfx_tensor.op "Mul"(%count, %n) : (!I, !I) -> !I
  %starts = tfx_tensor.op "Range"(%zero, %rows, %n) : (tensor<i32>, !I, !I) -> !I
  %tt = tfx_tensor.op "Reshape"(%t, %flat) : (!I, tensor<1xi32>) -> !I
  %rest = tfx_tensor.op "Fill"(%tt, %one) : (!I, tensor<i32>) -> !I
  %like = tfx_tensor.op "ConcatV2"(%of, %rest, %zero) : (!I, !I, tensor<i32>) -> !I
  %offsets = tfx_tensor.op "Reshape"(%starts, %like) : (!I, !I) -> !I
  %j = tfx_tensor.op "Cast"(%i) : (!I) -> !I
  %ids = tfx_tensor.op "AddV2"(%j, %offsets) : (!I, !I) -> !I
  %s = tfx_tensor.op "UnsortedSegmentSum"(%d, %ids, %rows) : (!T, !I, !I) -> !T
  // The shape with the rows of each batch, and the axes back in order.
  %next = tfx_tensor.op "AddV2"(%a, %one) : (!I, tensor<i32>) -> !I
  %after = tfx_tensor.op "Range"(%next, %r, %one) : (!I, !I, tensor<i32>) -> !I
  %of_outer = tfx_tensor.op "GatherV2"(%shape, %outer, %zero) : (!I, !I, tensor<i32>) -> !I
  %of_inner = tfx_tensor.op "GatherV2"(%shape, %after, %zero) : (!I, !I, tensor<i32>) -> !I
  %size = tfx_tensor.op "Reshape"(%n, %flat) : (!I, tensor<1xi32>) -> !I
  %whole = tfx_tensor.op "ConcatV2"(%of, %size, %of_outer, %of_inner, %zero)
      : (!I, !I, !I, !I, tensor<i32>) -> !I
  %w = tfx_tensor.op "Reshape"(%s, %whole) : (!T, !I) -> !T
  %second = tfx_tensor.op "AddV2"(%h, %one) : (!I, tensor<i32>) -> !I
  %moved = tfx_tensor.op "Range"(%second, %next, %one) : (!I, !I, tensor<i32>) -> !I
  %place = tfx_tensor.op "Reshape"(%h, %flat) : (!I, tensor<1xi32>) -> !I
  %back = tfx_tensor.op "ConcatV2"(%first, %moved, %place, %after, %zero)
      : (!I, !I, !I, !I, tensor<i32>) -> !I
  %dx = tfx_tensor.op "Transpose"(%w, %back) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @GatherNd(%x: !T, %i: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %s = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %j = tfx_tensor.op "Cast"(%i) : (!I) -> !I
  %dx = tfx_tensor.op "ScatterNd"(%j, %dz, %s) : (!I, !T, !I) -> !T
  return %dx : !T
}
func.func private @ScatterNd(%i: !I, %x: !T, %s: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 1>} {
  %dx = tfx_tensor.op "GatherNd"(%dz, %i) : (!T, !I) -> !T
  return %dx : !T
}
// The indices of TensorScatterUpdate are different: otherwise, the result is not determined.
func.func private @TensorScatterUpdate(%x: !T, %i: !I, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %o = tfx_tensor.op "ZerosLike"(%y) : (!T) -> !T
  %dx = tfx_tensor.op "TensorScatterUpdate"(%dz, %i, %o) : (!T, !I, !T) -> !T
  %dy = tfx_tensor.op "GatherNd"(%dz, %i) : (!T, !I) -> !T
  return %dx, %dy : !T, !T
}
func.func private @TensorScatterAdd(%x: !T, %i: !I, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %dy = tfx_tensor.op "GatherNd"(%dz, %i) : (!T, !I) -> !T
  return %dz, %dy : !T, !T
}
func.func private @TensorScatterSub(%x: !T, %i: !I, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %g = tfx_tensor.op "GatherNd"(%dz, %i) : (!T, !I) -> !T
  %dy = tfx_tensor.op "Neg"(%g) : (!T) -> !T
  return %dz, %dy : !T, !T
}
func.func private @TopKV2(%x: !T, %k: !I, %z: !T, %i: !I, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %part = tfx_tensor.op "Shape"(%i) : (!I) -> !I
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  // The rows of the operand, one after another.
  %r = tfx_tensor.op "Size"(%shape) : (!I) -> !I
  %l = tfx_tensor.op "Sub"(%r, %one) : (!I, tensor<i32>) -> !I
  %n = tfx_tensor.op "GatherV2"(%shape, %l, %zero) : (!I, !I, tensor<i32>) -> !I
  %m = tfx_tensor.op "GatherV2"(%part, %l, %zero) : (!I, !I, tensor<i32>) -> !I
  %count = tfx_tensor.op "Prod"(%part, %zero) : (!I, tensor<i32>) -> !I
  %rows = tfx_tensor.op "FloorDiv"(%count, %m) : (!I, !I) -> !I
  %size = tfx_tensor.op "Mul"(%rows, %n) : (!I, !I) -> !I
  %starts = tfx_tensor.op "Range"(%zero, %size, %n) : (tensor<i32>, !I, !I) -> !I
  %column = tfx_tensor.op "ExpandDims"(%starts, %one) : (!I, tensor<i32>) -> !I
  %two = tfx_tensor.op "Pack"(%rows, %m) {axis = 0 : i64} : (!I, !I) -> !I
  %j = tfx_tensor.op "Cast"(%i) : (!I) -> !I
  %ij = tfx_tensor.op "Reshape"(%j, %two) : (!I, !I) -> !I
  %sum = tfx_tensor.op "AddV2"(%ij, %column) : (!I, !I) -> !I
  %ids = tfx_tensor.op "Reshape"(%sum, %flat) : (!I, tensor<1xi32>) -> !I
  %d = tfx_tensor.op "Reshape"(%dz, %flat) : (!T, tensor<1xi32>) -> !T
  %s = tfx_tensor.op "UnsortedSegmentSum"(%d, %ids, %size) : (!T, !I, !I) -> !T
  %dx = tfx_tensor.op "Reshape"(%s, %shape) : (!T, !I) -> !T
  return %dx : !T
}
// The values on and off. The axis is a copy, as are the indices.
func.func private @OneHot(%i: !I, %depth: !I, %x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 2, 3>} {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %w = tfx_tensor.op "OneHot"(%i, %depth, %one, %zero) {tfx_ad.copy = ["axis"]}
      : (!I, !I, tensor<f64>, tensor<f64>) -> !T
  %m = tfx_tensor.op "Mul"(%dz, %w) : (!T, !T) -> !T
  %dx = func.call @total(%m) : (!T) -> !T
  %all = func.call @total(%dz) : (!T) -> !T
  %dy = tfx_tensor.op "Sub"(%all, %dx) : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
