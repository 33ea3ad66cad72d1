// The rules of scalar operations: arith and math.

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
  %dx = arith.divf %dz, %y : f64
  %q = arith.mulf %dx, %z : f64
  %dy = arith.negf %q : f64
  return %dx, %dy : f64, f64
}
func.func private @arith.negf(%x: f64, %z: f64, %dz: f64) -> f64 {
  %dx = arith.negf %dz : f64
  return %dx : f64
}
func.func private @math.exp(%x: f64, %z: f64, %dz: f64) -> f64 {
  %dx = arith.mulf %dz, %z : f64
  return %dx : f64
}
func.func private @math.sin(%x: f64, %z: f64, %dz: f64) -> f64 {
  %c = math.cos %x : f64
  %dx = arith.mulf %dz, %c : f64
  return %dx : f64
}
func.func private @math.cos(%x: f64, %z: f64, %dz: f64) -> f64 {
  %s = math.sin %x : f64
  %p = arith.mulf %dz, %s : f64
  %dx = arith.negf %p : f64
  return %dx : f64
}
func.func private @math.log(%x: f64, %z: f64, %dz: f64) -> f64 {
  %dx = arith.divf %dz, %x : f64
  return %dx : f64
}
