// The rules of reductions. `kept` is the shape of the result with the reduced axes, of size 1.

!T = tensor<*xf64>
!I = tensor<*xi32>
!B = tensor<*xi1>

func.func private @kept_shape(!I, !I) -> !I attributes {tfx_ad.helper}
func.func private @total(!T) -> !T attributes {tfx_ad.helper}
func.func private @Sum(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%axes) : (!I) -> !I
  %kept = func.call @kept_shape(%shape, %i) : (!I, !I) -> !I
  %dk = tfx_tensor.op "Reshape"(%dz, %kept) : (!T, !I) -> !T
  %dx = tfx_tensor.op "BroadcastTo"(%dk, %shape) : (!T, !I) -> !T
  return %dx : !T
}
func.func private @Mean(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%axes) : (!I) -> !I
  %kept = func.call @kept_shape(%shape, %i) : (!I, !I) -> !I
  %dk = tfx_tensor.op "Reshape"(%dz, %kept) : (!T, !I) -> !T
  %of = tfx_tensor.op "Shape"(%z) : (!T) -> !I
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %n = tfx_tensor.op "Prod"(%shape, %zero) : (!I, tensor<i32>) -> !I
  %m = tfx_tensor.op "Prod"(%of, %zero) : (!I, tensor<i32>) -> !I
  %some = tfx_tensor.op "Maximum"(%m, %one) : (!I, tensor<i32>) -> !I
  %c = tfx_tensor.op "FloorDiv"(%n, %some) : (!I, !I) -> !I
  %t = tfx_tensor.op "Cast"(%c) : (!I) -> !T
  %q = tfx_tensor.op "Div"(%dk, %t) : (!T, !T) -> !T
  %dx = tfx_tensor.op "BroadcastTo"(%q, %shape) : (!T, !I) -> !T
  return %dx : !T
}
// The product of the other elements: of those that are not zero, if no other element is zero. The
// derivative of this derivative is not exact where an element is zero.
func.func private @Prod(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%axes) : (!I) -> !I
  %kept = func.call @kept_shape(%shape, %i) : (!I, !I) -> !I
  %dk = tfx_tensor.op "Reshape"(%dz, %kept) : (!T, !I) -> !T
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %is = tfx_tensor.op "Equal"(%x, %zero) : (!T, tensor<f64>) -> !B
  %s = tfx_tensor.op "SelectV2"(%is, %one, %x) : (!B, tensor<f64>, !T) -> !T
  %p = tfx_tensor.op "Prod"(%s, %i) {keep_dims = true} : (!T, !I) -> !T
  %o = tfx_tensor.op "Cast"(%is) : (!B) -> !T
  %n = tfx_tensor.op "Sum"(%o, %i) {keep_dims = true} : (!T, !I) -> !T
  %others = tfx_tensor.op "Sub"(%n, %o) : (!T, !T) -> !T
  %alone = tfx_tensor.op "Equal"(%others, %zero) : (!T, tensor<f64>) -> !B
  %q = tfx_tensor.op "Div"(%p, %s) : (!T, !T) -> !T
  %r = tfx_tensor.op "SelectV2"(%alone, %q, %zero) : (!B, !T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "Mul"(%dk, %r) : (!T, !T) -> !T
  return %dx : !T
}
// Equal extrema have equal shares of the derivative.
func.func private @Max(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>, tfx_ad.also = ["Min"]} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%axes) : (!I) -> !I
  %kept = func.call @kept_shape(%shape, %i) : (!I, !I) -> !I
  %dk = tfx_tensor.op "Reshape"(%dz, %kept) : (!T, !I) -> !T
  %zk = tfx_tensor.op "Reshape"(%z, %kept) : (!T, !I) -> !T
  %is = tfx_tensor.op "Equal"(%x, %zk) : (!T, !T) -> !B
  %o = tfx_tensor.op "Cast"(%is) : (!B) -> !T
  %n = tfx_tensor.op "Sum"(%o, %i) {keep_dims = true} : (!T, !I) -> !T
  %w = tfx_tensor.op "Div"(%o, %n) : (!T, !T) -> !T
  %dx = tfx_tensor.op "Mul"(%dk, %w) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @EuclideanNorm(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %i = tfx_tensor.op "Cast"(%axes) : (!I) -> !I
  %kept = func.call @kept_shape(%shape, %i) : (!I, !I) -> !I
  %dk = tfx_tensor.op "Reshape"(%dz, %kept) : (!T, !I) -> !T
  %zk = tfx_tensor.op "Reshape"(%z, %kept) : (!T, !I) -> !T
  %w = tfx_tensor.op "DivNoNan"(%x, %zk) : (!T, !T) -> !T
  %dx = tfx_tensor.op "Mul"(%dk, %w) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @L2Loss(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "Mul"(%x, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Cumsum.forward(%x: !T, %axis: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>, tfx_ad.when.reverse = false} {
  %dx = tfx_tensor.op "Cumsum"(%dz, %axis) {reverse = true, tfx_ad.copy = ["exclusive"]}
      : (!T, !I) -> !T
  return %dx : !T
}
func.func private @Cumsum.reverse(%x: !T, %axis: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>, tfx_ad.when.reverse = true} {
  %dx = tfx_tensor.op "Cumsum"(%dz, %axis) {tfx_ad.copy = ["exclusive"]} : (!T, !I) -> !T
  return %dx : !T
}
// Sums over the rows with the same number.
func.func private @SegmentSum(%x: !T, %ids: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %dx = tfx_tensor.op "GatherV2"(%dz, %ids, %zero) : (!T, !I, tensor<i32>) -> !T
  return %dx : !T
}
func.func private @UnsortedSegmentSum(%x: !T, %ids: !I, %n: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %flat = tfx_tensor.const dense<-1> : tensor<1xi32>
  %i = tfx_tensor.op "Cast"(%ids) : (!I) -> !I
  %some = tfx_tensor.op "Maximum"(%i, %zero) : (!I, tensor<i32>) -> !I
  %g = tfx_tensor.op "GatherV2"(%dz, %some, %zero) : (!T, !I, tensor<i32>) -> !T
  %is = tfx_tensor.op "GreaterEqual"(%i, %zero) : (!I, tensor<i32>) -> !B
  // The condition with as many axes as the data.
  %a = tfx_tensor.op "Shape"(%i) : (!I) -> !I
  %b = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %m = tfx_tensor.op "Size"(%a) : (!I) -> !I
  %r = tfx_tensor.op "Size"(%b) : (!I) -> !I
  %k = tfx_tensor.op "Sub"(%r, %m) : (!I, !I) -> !I
  %l = tfx_tensor.op "Reshape"(%k, %flat) : (!I, tensor<1xi32>) -> !I
  %ones = tfx_tensor.op "Fill"(%l, %one) : (!I, tensor<i32>) -> !I
  %s = tfx_tensor.op "ConcatV2"(%a, %ones, %zero) : (!I, !I, tensor<i32>) -> !I
  %c = tfx_tensor.op "Reshape"(%is, %s) : (!B, !I) -> !B
  %null = tfx_tensor.const dense<0.0> : tensor<f64>
  %dx = tfx_tensor.op "SelectV2"(%c, %g, %null) : (!B, !T, tensor<f64>) -> !T
  return %dx : !T
}
