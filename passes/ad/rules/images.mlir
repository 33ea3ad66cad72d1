// The rules of convolutions, pooling and resizing of images.

!T = tensor<*xf64>
!I = tensor<*xi32>

func.func private @Conv2D(%x: !T, %w: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %sx = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sx, %w, %dz)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!I, !T, !T) -> !T
  %sw = tfx_tensor.op "Shape"(%w) : (!T) -> !I
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %sw, %dz)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !I, !T) -> !T
  return %dx, %dw : !T, !T
}
func.func private @Conv2DBackpropInput(%s: !I, %w: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 1, 2>} {
  %sw = tfx_tensor.op "Shape"(%w) : (!T) -> !I
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%dz, %sw, %g)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !I, !T) -> !T
  %dg = tfx_tensor.op "Conv2D"(%dz, %w)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !T) -> !T
  return %dw, %dg : !T, !T
}
func.func private @Conv2DBackpropFilter(%x: !T, %s: !I, %g: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %sx = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%sx, %dz, %g)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!I, !T, !T) -> !T
  %dg = tfx_tensor.op "Conv2D"(%x, %dz)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !T) -> !T
  return %dx, %dg : !T, !T
}
func.func private @DepthwiseConv2dNative(%x: !T, %w: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %sx = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "DepthwiseConv2dNativeBackpropInput"(%sx, %w, %dz)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!I, !T, !T) -> !T
  %sw = tfx_tensor.op "Shape"(%w) : (!T) -> !I
  %dw = tfx_tensor.op "DepthwiseConv2dNativeBackpropFilter"(%x, %sw, %dz)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !I, !T) -> !T
  return %dx, %dw : !T, !T
}
func.func private @DepthwiseConv2dNativeBackpropInput(%s: !I, %w: !T, %g: !T, %z: !T,
    %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 1, 2>} {
  %sw = tfx_tensor.op "Shape"(%w) : (!T) -> !I
  %dw = tfx_tensor.op "DepthwiseConv2dNativeBackpropFilter"(%dz, %sw, %g)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !I, !T) -> !T
  %dg = tfx_tensor.op "DepthwiseConv2dNative"(%dz, %w)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !T) -> !T
  return %dw, %dg : !T, !T
}
func.func private @DepthwiseConv2dNativeBackpropFilter(%x: !T, %s: !I, %g: !T, %z: !T,
    %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %sx = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "DepthwiseConv2dNativeBackpropInput"(%sx, %dz, %g)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!I, !T, !T) -> !T
  %dg = tfx_tensor.op "DepthwiseConv2dNative"(%x, %dz)
      {tfx_ad.copy = ["strides", "padding", "explicit_paddings", "data_format", "dilations"]}
      : (!T, !T) -> !T
  return %dx, %dg : !T, !T
}
func.func private @Conv3D(%x: !T, %w: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %sx = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "Conv3DBackpropInputV2"(%sx, %w, %dz)
      {tfx_ad.copy = ["strides", "padding", "data_format", "dilations"]}
      : (!I, !T, !T) -> !T
  %sw = tfx_tensor.op "Shape"(%w) : (!T) -> !I
  %dw = tfx_tensor.op "Conv3DBackpropFilterV2"(%x, %sw, %dz)
      {tfx_ad.copy = ["strides", "padding", "data_format", "dilations"]}
      : (!T, !I, !T) -> !T
  return %dx, %dw : !T, !T
}
func.func private @Conv3DBackpropInputV2(%s: !I, %w: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 1, 2>} {
  %sw = tfx_tensor.op "Shape"(%w) : (!T) -> !I
  %dw = tfx_tensor.op "Conv3DBackpropFilterV2"(%dz, %sw, %g)
      {tfx_ad.copy = ["strides", "padding", "data_format", "dilations"]}
      : (!T, !I, !T) -> !T
  %dg = tfx_tensor.op "Conv3D"(%dz, %w)
      {tfx_ad.copy = ["strides", "padding", "data_format", "dilations"]}
      : (!T, !T) -> !T
  return %dw, %dg : !T, !T
}
func.func private @Conv3DBackpropFilterV2(%x: !T, %s: !I, %g: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 0, 2>} {
  %sx = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "Conv3DBackpropInputV2"(%sx, %dz, %g)
      {tfx_ad.copy = ["strides", "padding", "data_format", "dilations"]}
      : (!I, !T, !T) -> !T
  %dg = tfx_tensor.op "Conv3D"(%x, %dz)
      {tfx_ad.copy = ["strides", "padding", "data_format", "dilations"]}
      : (!T, !T) -> !T
  return %dx, %dg : !T, !T
}
// Of equal maxima of a window, the first has the derivative.
func.func private @MaxPool(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "MaxPoolGrad"(%x, %z, %dz)
      {tfx_ad.copy = ["ksize", "strides", "padding", "explicit_paddings", "data_format"]}
      : (!T, !T, !T) -> !T
  return %dx : !T
}
func.func private @MaxPoolGrad(%x: !T, %y: !T, %g: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 2>} {
  %dg = tfx_tensor.op "MaxPoolGradGrad"(%x, %y, %dz)
      {tfx_ad.copy = ["ksize", "strides", "padding", "data_format"]}
      : (!T, !T, !T) -> !T
  return %dg : !T
}
func.func private @MaxPoolGradGrad(%x: !T, %y: !T, %g: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 2>} {
  %dg = tfx_tensor.op "MaxPoolGrad"(%x, %y, %dz)
      {tfx_ad.copy = ["ksize", "strides", "padding", "explicit_paddings", "data_format"]}
      : (!T, !T, !T) -> !T
  return %dg : !T
}
func.func private @AvgPool(%x: !T, %z: !T, %dz: !T) -> !T {
  %s = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "AvgPoolGrad"(%s, %dz)
      {tfx_ad.copy = ["ksize", "strides", "padding", "data_format"]}
      : (!I, !T) -> !T
  return %dx : !T
}
func.func private @AvgPoolGrad(%s: !I, %g: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 1>} {
  %dg = tfx_tensor.op "AvgPool"(%dz) {tfx_ad.copy = ["ksize", "strides", "padding", "data_format"]}
      : (!T) -> !T
  return %dg : !T
}
// The sizes of an image are the second and the third of its shape.
func.func private @ResizeNearestNeighbor(%x: !T, %size: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %from = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %to = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %step = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %s = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %hw = tfx_tensor.op "StridedSlice"(%s, %from, %to, %step)
      : (!I, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> !I
  %dx = tfx_tensor.op "ResizeNearestNeighborGrad"(%dz, %hw)
      {tfx_ad.copy = ["align_corners", "half_pixel_centers"]}
      : (!T, !I) -> !T
  return %dx : !T
}
func.func private @ResizeNearestNeighborGrad(%g: !T, %size: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %from = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %to = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %step = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %s = tfx_tensor.op "Shape"(%g) : (!T) -> !I
  %hw = tfx_tensor.op "StridedSlice"(%s, %from, %to, %step)
      : (!I, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> !I
  %dg = tfx_tensor.op "ResizeNearestNeighbor"(%dz, %hw)
      {tfx_ad.copy = ["align_corners", "half_pixel_centers"]}
      : (!T, !I) -> !T
  return %dg : !T
}
func.func private @ResizeBilinear(%x: !T, %size: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dx = tfx_tensor.op "ResizeBilinearGrad"(%dz, %x)
      {tfx_ad.copy = ["align_corners", "half_pixel_centers"]}
      : (!T, !T) -> !T
  return %dx : !T
}
func.func private @ResizeBilinearGrad(%g: !T, %x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %from = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %to = tfx_tensor.const dense<[3]> : tensor<1xi32>
  %step = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %s = tfx_tensor.op "Shape"(%g) : (!T) -> !I
  %hw = tfx_tensor.op "StridedSlice"(%s, %from, %to, %step)
      : (!I, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> !I
  %dg = tfx_tensor.op "ResizeBilinear"(%dz, %hw)
      {tfx_ad.copy = ["align_corners", "half_pixel_centers"]}
      : (!T, !I) -> !T
  return %dg : !T
}
