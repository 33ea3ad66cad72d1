// The rules of TensorFlow's operations.

!T = tensor<*xf64>
!I = tensor<*xi32>

func.func private @AddV2(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %dx = tfx_ad.sum_to %dz, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %dz, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Sub(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %n = tfx_tensor.op "Neg"(%dz) : (!T) -> !T
  %dx = tfx_ad.sum_to %dz, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %n, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Mul(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %a = tfx_tensor.op "Mul"(%dz, %y) : (!T, !T) -> !T
  %b = tfx_tensor.op "Mul"(%dz, %x) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Tanh(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "TanhGrad"(%z, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @MatMul.nn(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.transpose_a = false, tfx_ad.when.transpose_b = false} {
  %dx = tfx_tensor.op "MatMul"(%dz, %y) {transpose_b = true} : (!T, !T) -> !T
  %dy = tfx_tensor.op "MatMul"(%x, %dz) {transpose_a = true} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Sum(%x: !T, %axes: !I, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %shape = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %dx = tfx_tensor.op "BroadcastTo"(%dz, %shape) : (!T, !I) -> !T
  return %dx : !T
}
