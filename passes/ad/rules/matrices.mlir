// The rules of inverses, of systems of equations, and of factorizations.

!T = tensor<*xf64>

func.func private @MatrixInverse.plain(%x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.when.adjoint = false} {
  %a = tfx_tensor.op "BatchMatMulV2"(%z, %dz) {adj_x = true} : (!T, !T) -> !T
  %b = tfx_tensor.op "BatchMatMulV2"(%a, %z) {adj_y = true} : (!T, !T) -> !T
  %dx = tfx_tensor.op "Neg"(%b) : (!T) -> !T
  return %dx : !T
}
// The inverse of the transpose.
func.func private @MatrixInverse.adjoint(%x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.when.adjoint = true} {
  %a = tfx_tensor.op "BatchMatMulV2"(%z, %dz) {adj_y = true} : (!T, !T) -> !T
  %b = tfx_tensor.op "BatchMatMulV2"(%a, %z) : (!T, !T) -> !T
  %dx = tfx_tensor.op "Neg"(%b) : (!T) -> !T
  return %dx : !T
}
func.func private @MatrixDeterminant(%x: !T, %z: !T, %dz: !T) -> !T {
  %i = tfx_tensor.op "MatrixInverse"(%x) {adjoint = true} : (!T) -> !T
  %p = tfx_tensor.op "Mul"(%dz, %z) : (!T, !T) -> !T
  %last = tfx_tensor.const dense<-1> : tensor<i32>
  %q = tfx_tensor.op "ExpandDims"(%p, %last) : (!T, tensor<i32>) -> !T
  %r = tfx_tensor.op "ExpandDims"(%q, %last) : (!T, tensor<i32>) -> !T
  %dx = tfx_tensor.op "Mul"(%i, %r) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @MatrixTriangularSolve.lower(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.lower = true, tfx_ad.when.adjoint = false} {
  %b = tfx_tensor.op "MatrixTriangularSolve"(%x, %dz) {lower = true, adjoint = true}
      : (!T, !T) -> !T
  %m = tfx_tensor.op "BatchMatMulV2"(%b, %z) {adj_y = true} : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%m) : (!T) -> !T
  %all = tfx_tensor.const dense<-1> : tensor<i64>
  %none = tfx_tensor.const dense<0> : tensor<i64>
  %a = tfx_tensor.op "MatrixBandPart"(%n, %all, %none) : (!T, tensor<i64>, tensor<i64>) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MatrixTriangularSolve.lower_adjoint(%x: !T, %y: !T, %z: !T,
    %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.lower = true, tfx_ad.when.adjoint = true} {
  %b = tfx_tensor.op "MatrixTriangularSolve"(%x, %dz) {lower = true, adjoint = false}
      : (!T, !T) -> !T
  %m = tfx_tensor.op "BatchMatMulV2"(%z, %b) {adj_y = true} : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%m) : (!T) -> !T
  %all = tfx_tensor.const dense<-1> : tensor<i64>
  %none = tfx_tensor.const dense<0> : tensor<i64>
  %a = tfx_tensor.op "MatrixBandPart"(%n, %all, %none) : (!T, tensor<i64>, tensor<i64>) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MatrixTriangularSolve.upper(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.lower = false, tfx_ad.when.adjoint = false} {
  %b = tfx_tensor.op "MatrixTriangularSolve"(%x, %dz) {lower = false, adjoint = true}
      : (!T, !T) -> !T
  %m = tfx_tensor.op "BatchMatMulV2"(%b, %z) {adj_y = true} : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%m) : (!T) -> !T
  %all = tfx_tensor.const dense<-1> : tensor<i64>
  %none = tfx_tensor.const dense<0> : tensor<i64>
  %a = tfx_tensor.op "MatrixBandPart"(%n, %none, %all) : (!T, tensor<i64>, tensor<i64>) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MatrixTriangularSolve.upper_adjoint(%x: !T, %y: !T, %z: !T,
    %dz: !T) -> (!T, !T)
    attributes {tfx_ad.when.lower = false, tfx_ad.when.adjoint = true} {
  %b = tfx_tensor.op "MatrixTriangularSolve"(%x, %dz) {lower = false, adjoint = false}
      : (!T, !T) -> !T
  %m = tfx_tensor.op "BatchMatMulV2"(%z, %b) {adj_y = true} : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%m) : (!T) -> !T
  %all = tfx_tensor.const dense<-1> : tensor<i64>
  %none = tfx_tensor.const dense<0> : tensor<i64>
  %a = tfx_tensor.op "MatrixBandPart"(%n, %none, %all) : (!T, tensor<i64>, tensor<i64>) -> !T
  %dx = tfx_ad.sum_to %a, %x {tfx_ad.matrices} : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
// Returns the lower triangle, with half of the diagonal.
func.func private @half_lower(%x: !T) -> !T attributes {tfx_ad.helper} {
  %all = tfx_tensor.const dense<-1> : tensor<i64>
  %none = tfx_tensor.const dense<0> : tensor<i64>
  %half = tfx_tensor.const dense<0.5> : tensor<f64>
  %a = tfx_tensor.op "MatrixBandPart"(%x, %all, %none) : (!T, tensor<i64>, tensor<i64>) -> !T
  %b = tfx_tensor.op "MatrixBandPart"(%x, %none, %none) : (!T, tensor<i64>, tensor<i64>) -> !T
  %c = tfx_tensor.op "Mul"(%b, %half) : (!T, tensor<f64>) -> !T
  %y = tfx_tensor.op "Sub"(%a, %c) : (!T, !T) -> !T
  return %y : !T
}
// With the lower triangle P(.) with half of the diagonal: dL = L P(inverse(L) dX inverse(L)^T). The
// operation does not read the upper triangle of X, so the cotangent there is zero.
func.func private @Cholesky(%x: !T, %z: !T, %dz: !T) -> !T {
  %a = tfx_tensor.op "BatchMatMulV2"(%z, %dz) {adj_x = true} : (!T, !T) -> !T
  %b = func.call @half_lower(%a) : (!T) -> !T
  %c = tfx_tensor.op "MatrixTriangularSolve"(%z, %b) {lower = true, adjoint = true}
      : (!T, !T) -> !T
  %d = tfx_tensor.op "Einsum"(%c) {equation = "...ij->...ji"} : (!T) -> !T
  %e = tfx_tensor.op "MatrixTriangularSolve"(%z, %d) {lower = true, adjoint = true}
      : (!T, !T) -> !T
  %f = tfx_tensor.op "Einsum"(%e) {equation = "...ij->...ji"} : (!T) -> !T
  %g = tfx_tensor.op "AddV2"(%e, %f) : (!T, !T) -> !T
  %dx = func.call @half_lower(%g) : (!T) -> !T
  return %dx : !T
}
