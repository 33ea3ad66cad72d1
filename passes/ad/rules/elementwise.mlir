// The rules of elementwise operations.
//
// `tfx_ad.sum_to` is the transpose of broadcasting. Where the partial derivative may be infinite,
// MulNoNan multiplies it: a zero cotangent stays zero.

!T = tensor<*xf64>
!B = tensor<*xi1>

func.func private @AddV2(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.also = ["Add"]} {
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
func.func private @Div(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.also = ["RealDiv"]} {
  %p = tfx_tensor.op "Reciprocal"(%y) : (!T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  %q = tfx_tensor.op "Mul"(%p, %z) : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%q) : (!T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%n, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @DivNoNan(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %a = tfx_tensor.op "DivNoNan"(%dz, %y) : (!T, !T) -> !T
  %m = tfx_tensor.op "Mul"(%a, %z) : (!T, !T) -> !T
  %b = tfx_tensor.op "Neg"(%m) : (!T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @MulNoNan(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %a = tfx_tensor.op "MulNoNan"(%dz, %y) : (!T, !T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%x, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
// The quotient is constant.
func.func private @TruncateMod(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.also = ["FloorMod", "Mod"]} {
  %d = tfx_tensor.op "Sub"(%x, %z) : (!T, !T) -> !T
  %q = tfx_tensor.op "Div"(%d, %y) : (!T, !T) -> !T
  %r = tfx_tensor.op "Rint"(%q) : (!T) -> !T
  %m = tfx_tensor.op "Mul"(%dz, %r) : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%m) : (!T) -> !T
  %dx = tfx_ad.sum_to %dz, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %n, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
// The derivative with respect to the exponent is zero for a base that is not positive, and with
// respect to the base for the exponent zero.
func.func private @Pow(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %m = tfx_tensor.op "Sub"(%y, %one) : (!T, tensor<f64>) -> !T
  %p = tfx_tensor.op "Pow"(%x, %m) : (!T, !T) -> !T
  %q = tfx_tensor.op "MulNoNan"(%p, %y) : (!T, !T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%q, %dz) : (!T, !T) -> !T
  %is = tfx_tensor.op "Greater"(%x, %zero) : (!T, tensor<f64>) -> !B
  %s = tfx_tensor.op "SelectV2"(%is, %x, %one) : (!B, !T, tensor<f64>) -> !T
  %l = tfx_tensor.op "Log"(%s) : (!T) -> !T
  %r = tfx_tensor.op "Mul"(%z, %l) : (!T, !T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%r, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
// Of equal operands, the first has the derivative.
func.func private @Maximum(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %is = tfx_tensor.op "GreaterEqual"(%x, %y) : (!T, !T) -> !B
  %a = tfx_tensor.op "SelectV2"(%is, %dz, %zero) : (!B, !T, tensor<f64>) -> !T
  %b = tfx_tensor.op "SelectV2"(%is, %zero, %dz) : (!B, tensor<f64>, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Minimum(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %is = tfx_tensor.op "LessEqual"(%x, %y) : (!T, !T) -> !B
  %a = tfx_tensor.op "SelectV2"(%is, %dz, %zero) : (!B, !T, tensor<f64>) -> !T
  %b = tfx_tensor.op "SelectV2"(%is, %zero, %dz) : (!B, tensor<f64>, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @SquaredDifference(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %d = tfx_tensor.op "Sub"(%x, %y) : (!T, !T) -> !T
  %p = tfx_tensor.op "Mul"(%d, %two) : (!T, tensor<f64>) -> !T
  %a = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  %b = tfx_tensor.op "Neg"(%a) : (!T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Atan2(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %yy = tfx_tensor.op "Square"(%y) : (!T) -> !T
  %r = tfx_tensor.op "AddV2"(%xx, %yy) : (!T, !T) -> !T
  %p = tfx_tensor.op "Div"(%y, %r) : (!T, !T) -> !T
  %q = tfx_tensor.op "Div"(%x, %r) : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%q) : (!T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%n, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Xlogy(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %is = tfx_tensor.op "NotEqual"(%x, %zero) : (!T, tensor<f64>) -> !B
  %s = tfx_tensor.op "Cast"(%is) : (!B) -> !T
  %l = tfx_tensor.op "Xlogy"(%s, %y) : (!T, !T) -> !T
  %q = tfx_tensor.op "Xdivy"(%x, %y) : (!T, !T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%l, %dz) : (!T, !T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%q, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Xlog1py(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %is = tfx_tensor.op "NotEqual"(%x, %zero) : (!T, tensor<f64>) -> !B
  %s = tfx_tensor.op "Cast"(%is) : (!B) -> !T
  %l = tfx_tensor.op "Xlog1py"(%s, %y) : (!T, !T) -> !T
  %t = tfx_tensor.op "AddV2"(%y, %one) : (!T, tensor<f64>) -> !T
  %q = tfx_tensor.op "Xdivy"(%x, %t) : (!T, !T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%l, %dz) : (!T, !T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%q, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @Xdivy(%x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %is = tfx_tensor.op "NotEqual"(%x, %zero) : (!T, tensor<f64>) -> !B
  %s = tfx_tensor.op "Cast"(%is) : (!B) -> !T
  %p = tfx_tensor.op "Xdivy"(%s, %y) : (!T, !T) -> !T
  %q = tfx_tensor.op "Xdivy"(%z, %y) : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%q) : (!T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  %b = tfx_tensor.op "MulNoNan"(%n, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
// On a bound, the value has the derivative. Only the bounds are broadcast.
func.func private @ClipByValue(%x: !T, %low: !T, %high: !T, %z: !T, %dz: !T) -> (!T, !T, !T) {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %below = tfx_tensor.op "Less"(%x, %low) : (!T, !T) -> !B
  %above = tfx_tensor.op "Greater"(%x, %high) : (!T, !T) -> !B
  %out = tfx_tensor.op "LogicalOr"(%below, %above) : (!B, !B) -> !B
  %dx = tfx_tensor.op "SelectV2"(%out, %zero, %dz) : (!B, tensor<f64>, !T) -> !T
  %b = tfx_tensor.op "SelectV2"(%below, %dz, %zero) : (!B, !T, tensor<f64>) -> !T
  %c = tfx_tensor.op "SelectV2"(%above, %dz, %zero) : (!B, !T, tensor<f64>) -> !T
  %dlow = tfx_ad.sum_to %b, %low : (!T, !T) -> !T
  %dhigh = tfx_ad.sum_to %c, %high : (!T, !T) -> !T
  return %dx, %dlow, %dhigh : !T, !T, !T
}
// The condition of Select may be a vector that selects rows.
func.func private @Select(%c: !B, %x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 1, 2>} {
  %o = tfx_tensor.op "ZerosLike"(%dz) : (!T) -> !T
  %dx = tfx_tensor.op "Select"(%c, %dz, %o) : (!B, !T, !T) -> !T
  %dy = tfx_tensor.op "Select"(%c, %o, %dz) : (!B, !T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @SelectV2(%c: !B, %x: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.wrt = array<i64: 1, 2>} {
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %a = tfx_tensor.op "SelectV2"(%c, %dz, %zero) : (!B, !T, tensor<f64>) -> !T
  %b = tfx_tensor.op "SelectV2"(%c, %zero, %dz) : (!B, tensor<f64>, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  %dy = tfx_ad.sum_to %b, %y : (!T, !T) -> !T
  return %dx, %dy : !T, !T
}
func.func private @BiasAdd(%x: !T, %b: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %db = tfx_tensor.op "BiasAddGrad"(%dz) {tfx_ad.copy = ["data_format"]} : (!T) -> !T
  return %dz, %db : !T, !T
}
func.func private @BiasAddGrad(%x: !T, %z: !T, %dz: !T) -> !T {
  %o = tfx_tensor.op "ZerosLike"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "BiasAdd"(%o, %dz) {tfx_ad.copy = ["data_format"]} : (!T, !T) -> !T
  return %dx : !T
}
// One operand.
func.func private @Identity(%x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.also = ["Snapshot", "CheckNumerics", "EnsureShape"]} {
  return %dz : !T
}
func.func private @Neg(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "Neg"(%dz) : (!T) -> !T
  return %dx : !T
}
func.func private @Abs(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Sign"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Square(%x: !T, %z: !T, %dz: !T) -> !T {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %p = tfx_tensor.op "Mul"(%x, %two) : (!T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Sqrt(%x: !T, %z: !T, %dz: !T) -> !T {
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %d = tfx_tensor.op "Mul"(%z, %two) : (!T, tensor<f64>) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Rsqrt(%x: !T, %z: !T, %dz: !T) -> !T {
  %half = tfx_tensor.const dense<-0.5> : tensor<f64>
  %zz = tfx_tensor.op "Square"(%z) : (!T) -> !T
  %zzz = tfx_tensor.op "Mul"(%zz, %z) : (!T, !T) -> !T
  %p = tfx_tensor.op "Mul"(%zzz, %half) : (!T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Reciprocal(%x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.also = ["Inv"]} {
  %zz = tfx_tensor.op "Square"(%z) : (!T) -> !T
  %p = tfx_tensor.op "Neg"(%zz) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Exp(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "MulNoNan"(%z, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Expm1(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Exp"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Log(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Reciprocal"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Log1p(%x: !T, %z: !T, %dz: !T) -> !T {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %d = tfx_tensor.op "AddV2"(%x, %one) : (!T, tensor<f64>) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Sin(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Cos"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Cos(%x: !T, %z: !T, %dz: !T) -> !T {
  %s = tfx_tensor.op "Sin"(%x) : (!T) -> !T
  %p = tfx_tensor.op "Neg"(%s) : (!T) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Tan(%x: !T, %z: !T, %dz: !T) -> !T {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %zz = tfx_tensor.op "Square"(%z) : (!T) -> !T
  %p = tfx_tensor.op "AddV2"(%zz, %one) : (!T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Asin(%x: !T, %z: !T, %dz: !T) -> !T {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %d = tfx_tensor.op "Sub"(%one, %xx) : (tensor<f64>, !T) -> !T
  %p = tfx_tensor.op "Rsqrt"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Acos(%x: !T, %z: !T, %dz: !T) -> !T {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %d = tfx_tensor.op "Sub"(%one, %xx) : (tensor<f64>, !T) -> !T
  %r = tfx_tensor.op "Rsqrt"(%d) : (!T) -> !T
  %p = tfx_tensor.op "Neg"(%r) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Atan(%x: !T, %z: !T, %dz: !T) -> !T {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %d = tfx_tensor.op "AddV2"(%xx, %one) : (!T, tensor<f64>) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Sinh(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Cosh"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Cosh(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Sinh"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Tanh(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "TanhGrad"(%z, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Asinh(%x: !T, %z: !T, %dz: !T) -> !T {
  %d = tfx_tensor.op "Cosh"(%z) : (!T) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Acosh(%x: !T, %z: !T, %dz: !T) -> !T {
  %d = tfx_tensor.op "Sinh"(%z) : (!T) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Atanh(%x: !T, %z: !T, %dz: !T) -> !T {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %d = tfx_tensor.op "Sub"(%one, %xx) : (tensor<f64>, !T) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Sigmoid(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "SigmoidGrad"(%z, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Softplus(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "SoftplusGrad"(%dz, %x) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Softsign(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "SoftsignGrad"(%dz, %x) : (!T, !T) -> !T
  return %dx : !T
}
// Relu, Relu6 and LeakyRelu have the derivative of the lower part at 0, and Relu6 has zero at 6.
func.func private @Relu(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "ReluGrad"(%dz, %z) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Relu6(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "Relu6Grad"(%dz, %z) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @LeakyRelu(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "LeakyReluGrad"(%dz, %x) {tfx_ad.copy = ["alpha"]} : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Elu(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "EluGrad"(%dz, %z) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Selu(%x: !T, %z: !T, %dz: !T) -> !T {
  %dx = tfx_tensor.op "SeluGrad"(%dz, %z) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Erf(%x: !T, %z: !T, %dz: !T) -> !T {
  %c = tfx_tensor.const dense<1.1283791670955126> : tensor<f64>
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %n = tfx_tensor.op "Neg"(%xx) : (!T) -> !T
  %e = tfx_tensor.op "Exp"(%n) : (!T) -> !T
  %p = tfx_tensor.op "Mul"(%e, %c) : (!T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Erfc(%x: !T, %z: !T, %dz: !T) -> !T {
  %c = tfx_tensor.const dense<-1.1283791670955126> : tensor<f64>
  %xx = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %n = tfx_tensor.op "Neg"(%xx) : (!T) -> !T
  %e = tfx_tensor.op "Exp"(%n) : (!T) -> !T
  %p = tfx_tensor.op "Mul"(%e, %c) : (!T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "Mul"(%dz, %p) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Erfinv(%x: !T, %z: !T, %dz: !T) -> !T {
  %c = tfx_tensor.const dense<0.8862269254527580> : tensor<f64>
  %zz = tfx_tensor.op "Square"(%z) : (!T) -> !T
  %e = tfx_tensor.op "Exp"(%zz) : (!T) -> !T
  %p = tfx_tensor.op "Mul"(%e, %c) : (!T, tensor<f64>) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Lgamma(%x: !T, %z: !T, %dz: !T) -> !T {
  %p = tfx_tensor.op "Digamma"(%x) : (!T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
func.func private @Digamma(%x: !T, %z: !T, %dz: !T) -> !T {
  %n = tfx_tensor.const dense<1.0> : tensor<f64>
  %p = tfx_tensor.op "Polygamma"(%n, %x) : (tensor<f64>, !T) -> !T
  %dx = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dx : !T
}
// The order of Polygamma is an integer.
func.func private @Polygamma(%n: !T, %x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 1>} {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %m = tfx_tensor.op "AddV2"(%n, %one) : (!T, tensor<f64>) -> !T
  %p = tfx_tensor.op "Polygamma"(%m, %x) : (!T, !T) -> !T
  %a = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  %dx = tfx_ad.sum_to %a, %x : (!T, !T) -> !T
  return %dx : !T
}
// Derivatives of the operations with derivatives of their own.
func.func private @TanhGrad(%y: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %c = tfx_tensor.const dense<-2.0> : tensor<f64>
  %a = tfx_tensor.op "Mul"(%dz, %g) : (!T, !T) -> !T
  %b = tfx_tensor.op "Mul"(%a, %y) : (!T, !T) -> !T
  %dy = tfx_tensor.op "Mul"(%b, %c) : (!T, tensor<f64>) -> !T
  %dg = tfx_tensor.op "TanhGrad"(%y, %dz) : (!T, !T) -> !T
  return %dy, %dg : !T, !T
}
func.func private @SigmoidGrad(%y: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %a = tfx_tensor.op "Mul"(%dz, %g) : (!T, !T) -> !T
  %yy = tfx_tensor.op "AddV2"(%y, %y) : (!T, !T) -> !T
  %d = tfx_tensor.op "Sub"(%one, %yy) : (tensor<f64>, !T) -> !T
  %dy = tfx_tensor.op "Mul"(%a, %d) : (!T, !T) -> !T
  %dg = tfx_tensor.op "SigmoidGrad"(%y, %dz) : (!T, !T) -> !T
  return %dy, %dg : !T, !T
}
func.func private @SqrtGrad(%y: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %q = tfx_tensor.op "Div"(%z, %y) : (!T, !T) -> !T
  %n = tfx_tensor.op "Neg"(%q) : (!T) -> !T
  %dy = tfx_tensor.op "MulNoNan"(%n, %dz) : (!T, !T) -> !T
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %d = tfx_tensor.op "Mul"(%y, %two) : (!T, tensor<f64>) -> !T
  %p = tfx_tensor.op "Reciprocal"(%d) : (!T) -> !T
  %dg = tfx_tensor.op "MulNoNan"(%p, %dz) : (!T, !T) -> !T
  return %dy, %dg : !T, !T
}
func.func private @RsqrtGrad(%y: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %c = tfx_tensor.const dense<-1.5> : tensor<f64>
  %yy = tfx_tensor.op "Square"(%y) : (!T) -> !T
  %a = tfx_tensor.op "Mul"(%yy, %c) : (!T, tensor<f64>) -> !T
  %b = tfx_tensor.op "Mul"(%a, %g) : (!T, !T) -> !T
  %dy = tfx_tensor.op "MulNoNan"(%b, %dz) : (!T, !T) -> !T
  %dg = tfx_tensor.op "RsqrtGrad"(%y, %dz) : (!T, !T) -> !T
  return %dy, %dg : !T, !T
}
func.func private @InvGrad(%y: !T, %g: !T, %z: !T, %dz: !T) -> (!T, !T)
    attributes {tfx_ad.also = ["ReciprocalGrad"]} {
  %c = tfx_tensor.const dense<-2.0> : tensor<f64>
  %a = tfx_tensor.op "Mul"(%y, %c) : (!T, tensor<f64>) -> !T
  %b = tfx_tensor.op "Mul"(%a, %g) : (!T, !T) -> !T
  %dy = tfx_tensor.op "Mul"(%dz, %b) : (!T, !T) -> !T
  %dg = tfx_tensor.op "InvGrad"(%y, %dz) : (!T, !T) -> !T
  return %dy, %dg : !T, !T
}
func.func private @SoftplusGrad(%g: !T, %x: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %dg = tfx_tensor.op "SoftplusGrad"(%dz, %x) : (!T, !T) -> !T
  %s = tfx_tensor.op "Sigmoid"(%x) : (!T) -> !T
  %a = tfx_tensor.op "Mul"(%dz, %g) : (!T, !T) -> !T
  %dx = tfx_tensor.op "SigmoidGrad"(%s, %a) : (!T, !T) -> !T
  return %dg, %dx : !T, !T
}
func.func private @SoftsignGrad(%g: !T, %x: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %dg = tfx_tensor.op "SoftsignGrad"(%dz, %x) : (!T, !T) -> !T
  %one = tfx_tensor.const dense<1.0> : tensor<f64>
  %c = tfx_tensor.const dense<-2.0> : tensor<f64>
  %h = tfx_tensor.op "Abs"(%x) : (!T) -> !T
  %d = tfx_tensor.op "AddV2"(%h, %one) : (!T, tensor<f64>) -> !T
  %s = tfx_tensor.op "Sign"(%x) : (!T) -> !T
  %p = tfx_tensor.op "Mul"(%s, %c) : (!T, tensor<f64>) -> !T
  %q = tfx_tensor.op "Div"(%p, %d) : (!T, !T) -> !T
  %a = tfx_tensor.op "Mul"(%dz, %z) : (!T, !T) -> !T
  %dx = tfx_tensor.op "Mul"(%a, %q) : (!T, !T) -> !T
  return %dg, %dx : !T, !T
}
func.func private @ReluGrad(%g: !T, %x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dg = tfx_tensor.op "ReluGrad"(%dz, %x) : (!T, !T) -> !T
  return %dg : !T
}
func.func private @Relu6Grad(%g: !T, %x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dg = tfx_tensor.op "Relu6Grad"(%dz, %x) : (!T, !T) -> !T
  return %dg : !T
}
func.func private @LeakyReluGrad(%g: !T, %x: !T, %z: !T, %dz: !T) -> !T
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %dg = tfx_tensor.op "LeakyReluGrad"(%dz, %x) {tfx_ad.copy = ["alpha"]} : (!T, !T) -> !T
  return %dg : !T
}
func.func private @EluGrad(%g: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %dg = tfx_tensor.op "EluGrad"(%dz, %y) : (!T, !T) -> !T
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %is = tfx_tensor.op "Less"(%y, %zero) : (!T, tensor<f64>) -> !B
  %a = tfx_tensor.op "Mul"(%dz, %g) : (!T, !T) -> !T
  %dy = tfx_tensor.op "SelectV2"(%is, %a, %zero) : (!B, !T, tensor<f64>) -> !T
  return %dg, %dy : !T, !T
}
func.func private @SeluGrad(%g: !T, %y: !T, %z: !T, %dz: !T) -> (!T, !T) {
  %dg = tfx_tensor.op "SeluGrad"(%dz, %y) : (!T, !T) -> !T
  %zero = tfx_tensor.const dense<0.0> : tensor<f64>
  %is = tfx_tensor.op "Less"(%y, %zero) : (!T, tensor<f64>) -> !B
  %a = tfx_tensor.op "Mul"(%dz, %g) : (!T, !T) -> !T
  %dy = tfx_tensor.op "SelectV2"(%is, %a, %zero) : (!B, !T, tensor<f64>) -> !T
  return %dg, %dy : !T, !T
}
// Piecewise constant operations.
func.func private @Floor(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @Ceil(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @Round(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @Rint(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @Sign(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @ZerosLike(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @OnesLike(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @StopGradient(!T, !T, !T) -> !T attributes {tfx_ad.zero}
func.func private @FloorDiv(!T, !T, !T, !T) -> !T attributes {tfx_ad.zero}
