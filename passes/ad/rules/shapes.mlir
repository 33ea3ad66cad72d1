// The rules of operations that move, copy or drop elements.

!T = tensor<*xf64>
!I = tensor<*xi32>
!B = tensor<*xi1>

func.func private @total(!T) -> !T attributes {tfx_ad.helper}
func.func private @Reshape(%x: !T, %s: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>, tfx_ad.also = ["ExpandDims"]} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "Reshape"(%dz, %shape) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @Squeeze(%x: !T, %z: !T, %dz: !T) -> !T {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "Reshape"(%dz, %shape) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @Transpose(%x: !T, %p: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %i = tfx_tensor.op "Cast"(%p) : (!I) -> !I
  %q = tfx_tensor.op "InvertPermutation"(%i) : (!I) -> !I
  %dx = tfx_tensor.op "Transpose"(%dz, %q) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @BroadcastTo(%x: !T, %s: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_ad.sum_to %dz, %x : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Fill(%s: !I, %x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 1>} {
  %dx = tfx_ad.sum_to %dz, %x : (!T, !T) -> !T
  return %dx : !T
}
// Each axis of the result is split into the copies and the axis of the operand.
func.func private @Tile(%x: !T, %m: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %n = tfx_tensor.op "Cast"(%m) : (!I) -> !I
  %pairs = tfx_tensor.op "Pack"(%n, %shape) {axis = 1 : i64} : (!I, !I) -> !I
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %split = tfx_tensor.op "Reshape"(%pairs, %flat) : (!I, tensor<1xi32>) -> !I
  %d = tfx_tensor.op "Reshape"(%dz, %split) : (!T, !I) -> !T
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %r = tfx_tensor.op "Size"(%split) : (!I) -> !I
  %axes = tfx_tensor.op "Range"(%zero, %r, %two) : (tensor<i32>, !I, tensor<i32>) -> !I
  %dx = tfx_tensor.op "Sum"(%d, %axes) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @Slice(%x: !T, %b: !I, %s: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %part = tfx_tensor.op "Shape"(%z) : (!T) -> !I
  %begin = tfx_tensor.op "Cast"(%b) : (!I) -> !I
  %rest = tfx_tensor.op "Sub"(%shape, %begin) : (!I, !I) -> !I
  %end = tfx_tensor.op "Sub"(%rest, %part) : (!I, !I) -> !I
  %pads = tfx_tensor.op "Pack"(%begin, %end) {axis = 1 : i64} : (!I, !I) -> !I
  %dx = tfx_tensor.op "Pad"(%dz, %pads) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @StridedSlice(%x: !T, %b: !I, %e: !I, %s: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %begin = tfx_tensor.op "Cast"(%b) : (!I) -> !I
  %end = tfx_tensor.op "Cast"(%e) : (!I) -> !I
  %strides = tfx_tensor.op "Cast"(%s) : (!I) -> !I
  %dx = tfx_tensor.op "StridedSliceGrad"(%shape, %begin, %end, %strides, %dz)
      {tfx_ad.copy = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]}
      : (!I, !I, !I, !I, !T) -> !T
  return %dx : !T
}
func.func private @StridedSliceGrad(%shape: !I, %b: !I, %e: !I, %s: !I, %g: !T, %z: !T,
    %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 4>} {
  %dg = tfx_tensor.op "StridedSlice"(%dz, %b, %e, %s)
      {tfx_ad.copy = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]}
      : (!T, !I, !I, !I) -> !T
  return %dg : !T
}
func.func private @Pad(%x: !T, %pads: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%pads) : (!I) -> !I
  %begin, %end = tfx_tensor.op "Unpack"(%i) {axis = 1 : i64, num = 2 : i64} : (!I) -> (!I, !I)
  %dx = tfx_tensor.op "Slice"(%dz, %begin, %shape) : (!T, !I, !I) -> !T
  return %dx : !T
}
func.func private @PadV2(%x: !T, %pads: !I, %c: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%pads) : (!I) -> !I
  %begin, %end = tfx_tensor.op "Unpack"(%i) {axis = 1 : i64, num = 2 : i64} : (!I) -> (!I, !I)
  %dx = tfx_tensor.op "Slice"(%dz, %begin, %shape) : (!T, !I, !I) -> !T
  %all = func.call @total(%dz) : (!T) -> !T
  %inside = func.call @total(%dx) : (!T) -> !T
  %dc = tfx_tensor.op "Sub"(%all, %inside) : (!T, !T) -> !T
  return %dx, %dc : !T, !T
}
func.func private @MirrorPad(%x: !T, %pads: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "MirrorPadGrad"(%dz, %pads) {tfx_ad.copy = ["mode"]} : (!T, !I) -> !T
  return %dx : !T
}
func.func private @MirrorPadGrad(%x: !T, %pads: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "MirrorPad"(%dz, %pads) {tfx_ad.copy = ["mode"]} : (!T, !I) -> !T
  return %dx : !T
}
func.func private @ReverseV2(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "ReverseV2"(%dz, %axes) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @Reverse(%x: !T, %axes: !B, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "Reverse"(%dz, %axes) : (!T, !B) -> !T
  return %dx : !T
}
func.func private @ReverseSequence(%x: !T, %n: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "ReverseSequence"(%dz, %n) {tfx_ad.copy = ["seq_dim", "batch_dim"]}
      : (!T, !I) -> !T
  return %dx : !T
}
func.func private @SpaceToDepth(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "DepthToSpace"(%dz) {tfx_ad.copy = ["block_size", "data_format"]} : (!T) -> !T
  return %dx : !T
}
func.func private @DepthToSpace(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "SpaceToDepth"(%dz) {tfx_ad.copy = ["block_size", "data_format"]} : (!T) -> !T
  return %dx : !T
}
// Matrices.
func.func private @MatrixBandPart(%x: !T, %l: !I, %u: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "MatrixBandPart"(%dz, %l, %u) : (!T, !I, !I) -> !T
  return %dx : !T
}
func.func private @MatrixDiagV3(%x: !T, %k: !I, %r: !I, %c: !I, %pad: !T, %z: !T,
    %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 4>} {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %dx = tfx_tensor.op "MatrixDiagPartV3"(%dz, %k, %zero) {tfx_ad.copy = ["align"]}
      : (!T, !I, tensor<f64>) -> !T
  %all = func.call @total(%dz) : (!T) -> !T
  %inside = func.call @total(%dx) : (!T) -> !T
  %dpad = tfx_tensor.op "Sub"(%all, %inside) : (!T, !T) -> !T
  return %dx, %dpad : !T, !T
}
func.func private @MatrixDiagPartV3(%x: !T, %k: !I, %pad: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %o = tfx_tensor.op "ZerosLike"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "MatrixSetDiagV3"(%o, %dz, %k) {tfx_ad.copy = ["align"]} : (!T, !T, !I) -> !T
  %all = func.call @total(%dz) : (!T) -> !T
  %inside = func.call @total(%dx) : (!T) -> !T
  %dpad = tfx_tensor.op "Sub"(%all, %inside) : (!T, !T) -> !T
  return %dx, %dpad : !T, !T
}
func.func private @MatrixSetDiagV3(%x: !T, %y: !T, %k: !I, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 1>} {
  %o = tfx_tensor.op "ZerosLike"(%y) : (!T) -> !T
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %dx = tfx_tensor.op "MatrixSetDiagV3"(%dz, %o, %k) {tfx_ad.copy = ["align"]} : (!T, !T, !I) -> !T
  %dy = tfx_tensor.op "MatrixDiagPartV3"(%dz, %k, %zero) {tfx_ad.copy = ["align"]}
      : (!T, !I, tensor<f64>) -> !T
  return %dx, %dy : !T, !T
}
// Numbers in steps.
func.func private @Range(%x: !T, %limit: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %dx = func.call @total(%dz) : (!T) -> !T
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %shape = tfx_tensor.op "Shape"(%z) : (!T) -> !I
  %o = tfx_tensor.op "Fill"(%shape, %one) : (!I, tensor<f64>) -> !T
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %i = tfx_tensor.op "Cumsum"(%o, %axis) {exclusive = true} : (!T, tensor<i32>) -> !T
  %w = tfx_tensor.op "Mul"(%dz, %i) : (!T, !T) -> !T
  %dy = func.call @total(%w) : (!T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @LinSpace(%x: !T, %y: !T, %n: !I, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 1>} {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %w = tfx_tensor.op "LinSpace"(%zero, %one, %n) : (tensor<f64>, tensor<f64>, !I) -> !T
  %m = tfx_tensor.op "Mul"(%dz, %w) : (!T, !T) -> !T
  %dy = func.call @total(%m) : (!T) -> !T
  %all = func.call @total(%dz) : (!T) -> !T
  %dx = tfx_tensor.op "Sub"(%all, %dy) : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
