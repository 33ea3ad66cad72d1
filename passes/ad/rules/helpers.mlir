// Functions that rules call.

!T = tensor<*xf64>
!I = tensor<*xi32>
!B = tensor<*xi1>

// Returns all axes of a tensor of a shape.
func.func private @all_axes(%shape: !I) -> !I
    attributes {tfx_ad.helper} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %r = tfx_tensor.op "Size"(%shape) : (!I) -> !I
  %axes = tfx_tensor.op "Range"(%zero, %r, %one) : (tensor<i32>, !I, tensor<i32>) -> !I
  return %axes : !I
}
// Returns whether each axis of a tensor of a shape is in a list of axes, which may be negative.
func.func private @is_axis(%shape: !I, %axes: !I) -> !B
    attributes {tfx_ad.helper} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %r = tfx_tensor.op "Size"(%shape) : (!I) -> !I
  %all = tfx_tensor.op "Range"(%zero, %r, %one) : (tensor<i32>, !I, tensor<i32>) -> !I
  %a = tfx_tensor.op "Reshape"(%axes, %flat) : (!I, tensor<1xi32>) -> !I
  %b = tfx_tensor.op "FloorMod"(%a, %r) : (!I, !I) -> !I
  %c = tfx_tensor.op "ExpandDims"(%b, %one) : (!I, tensor<i32>) -> !I
  %e = tfx_tensor.op "Equal"(%c, %all) : (!I, !I) -> !B
  %is = tfx_tensor.op "Any"(%e, %zero) : (!B, tensor<i32>) -> !B
  return %is : !B
}
// Returns a shape with the size 1 along some axes.
func.func private @kept_shape(%shape: !I, %axes: !I) -> !I
    attributes {tfx_ad.helper} {
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %is = func.call @is_axis(%shape, %axes) : (!I, !I) -> !B
  %kept = tfx_tensor.op "SelectV2"(%is, %one, %shape) : (!B, tensor<i32>, !I) -> !I
  return %kept : !I
}
// Returns the sum of all elements.
func.func private @total(%x: !T) -> !T
    attributes {tfx_ad.helper} {
  %s = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %axes = func.call @all_axes(%s) : (!I) -> !I
  %y = tfx_tensor.op "Sum"(%x, %axes) : (!T, !I) -> !T
  return %y : !T
}
