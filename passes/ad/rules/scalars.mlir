// The rules of scalar operations: arith and math.
//
// Where the partial derivative may be infinite, `tfx_ad.scale` multiplies it: a zero cotangent
// stays zero.

func.func private @arith.addf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  return %dz, %dz : f64, f64
}
func.func private @arith.subf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %dy = arith.negf %dz : f64
  return %dz, %dy : f64, f64
}
func.func private @arith.mulf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %dx = arith.mulf %dz, %y : f64
  %dy = arith.mulf %dz, %x : f64
  return %dx, %dy : f64, f64
}
func.func private @arith.divf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %one = arith.constant 1.0 : f64
  %p = arith.divf %one, %y : f64
  %dx = tfx_ad.scale %dz by %p : f64
  %q = arith.mulf %p, %z : f64
  %n = arith.negf %q : f64
  %dy = tfx_ad.scale %dz by %n : f64
  return %dx, %dy : f64, f64
}
func.func private @arith.negf(%x: f64, %z: f64, %dz: f64) -> f64 {
  %dx = arith.negf %dz : f64
  return %dx : f64
}
// The quotient is constant.
func.func private @arith.remf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %a = arith.subf %x, %z : f64
  %b = arith.divf %a, %y : f64
  %c = math.roundeven %b : f64
  %n = arith.negf %c : f64
  %dy = arith.mulf %dz, %n : f64
  return %dz, %dy : f64, f64
}
// Of equal operands, the first has the derivative.
func.func private @arith.maximumf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %first = arith.cmpf oge, %x, %y : f64
  %dx = arith.select %first, %dz, %zero : f64
  %dy = arith.select %first, %zero, %dz : f64
  return %dx, %dy : f64, f64
}
func.func private @arith.minimumf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %first = arith.cmpf ole, %x, %y : f64
  %dx = arith.select %first, %dz, %zero : f64
  %dy = arith.select %first, %zero, %dz : f64
  return %dx, %dy : f64, f64
}
func.func private @arith.maxnumf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %first = arith.cmpf oge, %x, %y : f64
  %nan = arith.cmpf uno, %y, %y : f64
  %is = arith.ori %first, %nan : i1
  %dx = arith.select %is, %dz, %zero : f64
  %dy = arith.select %is, %zero, %dz : f64
  return %dx, %dy : f64, f64
}
func.func private @arith.minnumf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %first = arith.cmpf ole, %x, %y : f64
  %nan = arith.cmpf uno, %y, %y : f64
  %is = arith.ori %first, %nan : i1
  %dx = arith.select %is, %dz, %zero : f64
  %dy = arith.select %is, %zero, %dz : f64
  return %dx, %dy : f64, f64
}
// On a bound, the value has the derivative.
func.func private @math.clampf(%x: f64, %y: f64, %w: f64, %z: f64, %dz: f64) -> (f64, f64, f64) {
  %zero = arith.constant 0.0 : f64
  %low = arith.cmpf olt, %x, %y : f64
  %high = arith.cmpf ogt, %x, %w : f64
  %out = arith.ori %low, %high : i1
  %dx = arith.select %out, %zero, %dz : f64
  %dy = arith.select %low, %dz, %zero : f64
  %dw = arith.select %high, %dz, %zero : f64
  return %dx, %dy, %dw : f64, f64, f64
}
func.func private @math.absf(%x: f64, %z: f64, %dz: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %positive = arith.cmpf ogt, %x, %zero : f64
  %negative = arith.cmpf olt, %x, %zero : f64
  %n = arith.negf %dz : f64
  %m = arith.select %negative, %n, %zero : f64
  %dx = arith.select %positive, %dz, %m : f64
  return %dx : f64
}
func.func private @math.copysign(%x: f64, %y: f64, %z: f64, %dz: f64) -> f64
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %one = arith.constant 1.0 : f64
  %a = math.copysign %one, %x : f64
  %b = math.copysign %one, %y : f64
  %c = arith.mulf %a, %b : f64
  %dx = arith.mulf %dz, %c : f64
  return %dx : f64
}
func.func private @math.fma(%x: f64, %y: f64, %w: f64, %z: f64, %dz: f64) -> (f64, f64, f64) {
  %dx = arith.mulf %dz, %y : f64
  %dy = arith.mulf %dz, %x : f64
  return %dx, %dy, %dz : f64, f64, f64
}
// Quotients.
func.func private @math.acos(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %xx = arith.mulf %x, %x : f64
  %e = arith.subf %one, %xx : f64
  %d = math.sqrt %e : f64
  %num = arith.constant -1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.asin(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %xx = arith.mulf %x, %x : f64
  %e = arith.subf %one, %xx : f64
  %d = math.sqrt %e : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.atanh(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %xx = arith.mulf %x, %x : f64
  %d = arith.subf %one, %xx : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.acosh(%x: f64, %z: f64, %dz: f64) -> f64 {
  %d = math.sinh %z : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.asinh(%x: f64, %z: f64, %dz: f64) -> f64 {
  %d = math.cosh %z : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.atan(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %xx = arith.mulf %x, %x : f64
  %d = arith.addf %one, %xx : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.atan2(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %xx = arith.mulf %x, %x : f64
  %yy = arith.mulf %y, %y : f64
  %r = arith.addf %xx, %yy : f64
  %p = arith.divf %y, %r : f64
  %dx = tfx_ad.scale %dz by %p : f64
  %q = arith.divf %x, %r : f64
  %n = arith.negf %q : f64
  %dy = tfx_ad.scale %dz by %n : f64
  return %dx, %dy : f64, f64
}
func.func private @math.sqrt(%x: f64, %z: f64, %dz: f64) -> f64 {
  %d = arith.addf %z, %z : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.cbrt(%x: f64, %z: f64, %dz: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %zz = arith.mulf %z, %z : f64
  %d = arith.mulf %zz, %three : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.log(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %p = arith.divf %one, %x : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.log2(%x: f64, %z: f64, %dz: f64) -> f64 {
  %log = arith.constant 0.6931471805599453 : f64
  %d = arith.mulf %x, %log : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.log10(%x: f64, %z: f64, %dz: f64) -> f64 {
  %log = arith.constant 2.302585092994046 : f64
  %d = arith.mulf %x, %log : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.log1p(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %d = arith.addf %one, %x : f64
  %num = arith.constant 1.0 : f64
  %p = arith.divf %num, %d : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
// Products.
func.func private @math.rsqrt(%x: f64, %z: f64, %dz: f64) -> f64 {
  %half = arith.constant -0.5 : f64
  %zz = arith.mulf %z, %z : f64
  %zzz = arith.mulf %zz, %z : f64
  %p = arith.mulf %zzz, %half : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.exp(%x: f64, %z: f64, %dz: f64) -> f64 {
  %dx = tfx_ad.scale %dz by %z : f64
  return %dx : f64
}
func.func private @math.exp2(%x: f64, %z: f64, %dz: f64) -> f64 {
  %log = arith.constant 0.6931471805599453 : f64
  %p = arith.mulf %z, %log : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.expm1(%x: f64, %z: f64, %dz: f64) -> f64 {
  %p = math.exp %x : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.sin(%x: f64, %z: f64, %dz: f64) -> f64 {
  %p = math.cos %x : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.cos(%x: f64, %z: f64, %dz: f64) -> f64 {
  %s = math.sin %x : f64
  %p = arith.negf %s : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.tan(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %zz = arith.mulf %z, %z : f64
  %p = arith.addf %one, %zz : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.sinh(%x: f64, %z: f64, %dz: f64) -> f64 {
  %p = math.cosh %x : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.cosh(%x: f64, %z: f64, %dz: f64) -> f64 {
  %p = math.sinh %x : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.tanh(%x: f64, %z: f64, %dz: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %zz = arith.mulf %z, %z : f64
  %p = arith.subf %one, %zz : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.erf(%x: f64, %z: f64, %dz: f64) -> f64 {
  %c = arith.constant 1.1283791670955126 : f64
  %xx = arith.mulf %x, %x : f64
  %n = arith.negf %xx : f64
  %e = math.exp %n : f64
  %p = arith.mulf %e, %c : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.erfc(%x: f64, %z: f64, %dz: f64) -> f64 {
  %c = arith.constant -1.1283791670955126 : f64
  %xx = arith.mulf %x, %x : f64
  %n = arith.negf %xx : f64
  %e = math.exp %n : f64
  %p = arith.mulf %e, %c : f64
  %dx = arith.mulf %dz, %p : f64
  return %dx : f64
}
func.func private @math.sincos(%x: f64, %s: f64, %c: f64, %ds: f64, %dc: f64) -> f64 {
  %a = arith.mulf %ds, %c : f64
  %b = arith.mulf %dc, %s : f64
  %dx = arith.subf %a, %b : f64
  return %dx : f64
}
// Powers: the derivative with respect to the exponent is zero for a base that is not positive, and
// with respect to the base for the exponent zero.
func.func private @math.fpowi(%x: f64, %y: i32, %z: f64, %dz: f64) -> f64
    attributes {tfx_ad.wrt = array<i64: 0>} {
  %one = arith.constant 1.0 : f64
  %n = arith.sitofp %y : i32 to f64
  %m = arith.subf %n, %one : f64
  %a = math.powf %x, %m : f64
  %p = tfx_ad.scale %n by %a : f64
  %dx = tfx_ad.scale %dz by %p : f64
  return %dx : f64
}
func.func private @math.powf(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %m = arith.subf %y, %one : f64
  %a = math.powf %x, %m : f64
  %p = tfx_ad.scale %y by %a : f64
  %dx = tfx_ad.scale %dz by %p : f64
  %positive = arith.cmpf ogt, %x, %zero : f64
  %s = arith.select %positive, %x, %one : f64
  %l = math.log %s : f64
  %q = arith.mulf %z, %l : f64
  %dy = tfx_ad.scale %dz by %q : f64
  return %dx, %dy : f64, f64
}
// The derivative of a derivative.
func.func private @tfx_ad.scale(%x: f64, %y: f64, %z: f64, %dz: f64) -> (f64, f64) {
  %dx = tfx_ad.scale %dz by %y : f64
  %dy = tfx_ad.scale %x by %dz : f64
  return %dx, %dy : f64, f64
}
// Piecewise constant operations.
func.func private @math.ceil(f64, f64, f64) -> f64 attributes {tfx_ad.zero}
func.func private @math.floor(f64, f64, f64) -> f64 attributes {tfx_ad.zero}
func.func private @math.round(f64, f64, f64) -> f64 attributes {tfx_ad.zero}
func.func private @math.roundeven(f64, f64, f64) -> f64 attributes {tfx_ad.zero}
func.func private @math.trunc(f64, f64, f64) -> f64 attributes {tfx_ad.zero}
