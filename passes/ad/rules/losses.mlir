// The rules of softmax and of losses.

!T = tensor<*xf64>
!I = tensor<*xi32>

func.func private @Softmax(%x: !T, %z: !T, %dz: !T) -> !T {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %p = tfx_tensor.op "Mul"(%dz, %z) : (!T, !T) -> !T
  %s = tfx_tensor.op "Sum"(%p, %last) {keep_dims = true} : (!T, tensor<i32>) -> !T
  %d = tfx_tensor.op "Sub"(%dz, %s) : (!T, !T) -> !T
  %dx = tfx_tensor.op "Mul"(%d, %z) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @LogSoftmax(%x: !T, %z: !T, %dz: !T) -> !T {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %s = tfx_tensor.op "Sum"(%dz, %last) {keep_dims = true} : (!T, tensor<i32>) -> !T
  %e = tfx_tensor.op "Exp"(%z) : (!T) -> !T
  %m = tfx_tensor.op "Mul"(%e, %s) : (!T, !T) -> !T
  %dx = tfx_tensor.op "Sub"(%dz, %m) : (!T, !T) -> !T
  return %dx : !T
}
// The second result is the derivative of the loss: softmax(x) - y.
func.func private @SoftmaxCrossEntropyWithLogits.loss(%x: !T, %y: !T, %l: !T, %g: !T, %dl: !T,
    %dg: !T) -> (!T, !T)
    attributes {tfx_ad.unused = array<i64: 1>} {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %d = tfx_tensor.op "ExpandDims"(%dl, %last) : (!T, tensor<i32>) -> !T
  %a = tfx_tensor.op "Mul"(%d, %g) : (!T, !T) -> !T
  %s = tfx_tensor.op "LogSoftmax"(%x) : (!T) -> !T
  %n = tfx_tensor.op "Neg"(%s) : (!T) -> !T
  %b = tfx_tensor.op "Mul"(%d, %n) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.result = 1 : i64} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y {tfx_ad.result = 1 : i64} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @SoftmaxCrossEntropyWithLogits.both(%x: !T, %y: !T, %l: !T, %g: !T, %dl: !T,
    %dg: !T) -> (!T, !T) {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %d = tfx_tensor.op "ExpandDims"(%dl, %last) : (!T, tensor<i32>) -> !T
  %a = tfx_tensor.op "Mul"(%d, %g) : (!T, !T) -> !T
  %p = tfx_tensor.op "Softmax"(%x) : (!T) -> !T
  %h = tfx_tensor.op "Mul"(%dg, %p) : (!T, !T) -> !T
  %t = tfx_tensor.op "Sum"(%h, %last) {keep_dims = true} : (!T, tensor<i32>) -> !T
  %u = tfx_tensor.op "Sub"(%dg, %t) : (!T, !T) -> !T
  %v = tfx_tensor.op "Mul"(%u, %p) : (!T, !T) -> !T
  %w = tfx_tensor.op "AddV2"(%a, %v) : (!T, !T) -> !T
  %s = tfx_tensor.op "LogSoftmax"(%x) : (!T) -> !T
  %n = tfx_tensor.op "Neg"(%s) : (!T) -> !T
  %b = tfx_tensor.op "Mul"(%d, %n) : (!T, !T) -> !T
  %c = tfx_tensor.op "Sub"(%b, %dg) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %w, %x {tfx_ad.result = 1 : i64} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %c, %y {tfx_ad.result = 1 : i64} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @SparseSoftmaxCrossEntropyWithLogits.loss(%x: !T, %y: !I, %l: !T, %g: !T,
    %dl: !T, %dg: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>, tfx_ad.unused = array<i64: 1>} {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %d = tfx_tensor.op "ExpandDims"(%dl, %last) : (!T, tensor<i32>) -> !T
  %dx = tfx_tensor.op "Mul"(%d, %g) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @SparseSoftmaxCrossEntropyWithLogits.both(%x: !T, %y: !I, %l: !T, %g: !T,
    %dl: !T, %dg: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %d = tfx_tensor.op "ExpandDims"(%dl, %last) : (!T, tensor<i32>) -> !T
  %a = tfx_tensor.op "Mul"(%d, %g) : (!T, !T) -> !T
  %p = tfx_tensor.op "Softmax"(%x) : (!T) -> !T
  %h = tfx_tensor.op "Mul"(%dg, %p) : (!T, !T) -> !T
  %t = tfx_tensor.op "Sum"(%h, %last) {keep_dims = true} : (!T, tensor<i32>) -> !T
  %u = tfx_tensor.op "Sub"(%dg, %t) : (!T, !T) -> !T
  %v = tfx_tensor.op "Mul"(%u, %p) : (!T, !T) -> !T
  %dx = tfx_tensor.op "AddV2"(%a, %v) : (!T, !T) -> !T
  return %dx : !T
}
