// The rules of products of matrices.

!T = tensor<*xf64>

func.func private @MatMul.nn(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.transpose_a = false, tfx_ad.when.transpose_b = false} {
  %dx = tfx_tensor.op "MatMul"(%dz, %y) {transpose_b = true} : (!T, !T) -> !T
  %dy = tfx_tensor.op "MatMul"(%x, %dz) {transpose_a = true} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MatMul.nt(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.transpose_a = false, tfx_ad.when.transpose_b = true} {
  %dx = tfx_tensor.op "MatMul"(%dz, %y) : (!T, !T) -> !T
  %dy = tfx_tensor.op "MatMul"(%dz, %x) {transpose_a = true} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MatMul.tn(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.transpose_a = true, tfx_ad.when.transpose_b = false} {
  %dx = tfx_tensor.op "MatMul"(%y, %dz) {transpose_b = true} : (!T, !T) -> !T
  %dy = tfx_tensor.op "MatMul"(%x, %dz) : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MatMul.tt(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.transpose_a = true, tfx_ad.when.transpose_b = true} {
  %dx = tfx_tensor.op "MatMul"(%y, %dz) {transpose_a = true, transpose_b = true} : (!T, !T) -> !T
  %dy = tfx_tensor.op "MatMul"(%dz, %x) {transpose_a = true, transpose_b = true} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @BatchMatMulV2.nn(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.adj_x = false, tfx_ad.when.adj_y = false, tfx_ad.also = ["BatchMatMulV3", "BatchMatMul"]} {
  %a = tfx_tensor.op "BatchMatMulV2"(%dz, %y) {adj_y = true} : (!T, !T) -> !T
  %b = tfx_tensor.op "BatchMatMulV2"(%x, %dz) {adj_x = true} : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y {tfx_ad.matrices} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @BatchMatMulV2.nt(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.adj_x = false, tfx_ad.when.adj_y = true, tfx_ad.also = ["BatchMatMulV3", "BatchMatMul"]} {
  %a = tfx_tensor.op "BatchMatMulV2"(%dz, %y) : (!T, !T) -> !T
  %b = tfx_tensor.op "BatchMatMulV2"(%dz, %x) {adj_x = true} : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y {tfx_ad.matrices} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @BatchMatMulV2.tn(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.adj_x = true, tfx_ad.when.adj_y = false, tfx_ad.also = ["BatchMatMulV3", "BatchMatMul"]} {
  %a = tfx_tensor.op "BatchMatMulV2"(%y, %dz) {adj_y = true} : (!T, !T) -> !T
  %b = tfx_tensor.op "BatchMatMulV2"(%x, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y {tfx_ad.matrices} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @BatchMatMulV2.tt(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.adj_x = true, tfx_ad.when.adj_y = true, tfx_ad.also = ["BatchMatMulV3", "BatchMatMul"]} {
  %a = tfx_tensor.op "BatchMatMulV2"(%y, %dz) {adj_x = true, adj_y = true} : (!T, !T) -> !T
  %b = tfx_tensor.op "BatchMatMulV2"(%dz, %x) {adj_x = true, adj_y = true} : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y {tfx_ad.matrices} : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
