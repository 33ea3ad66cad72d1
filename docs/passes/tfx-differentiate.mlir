func.func private @square(%x: f64) -> f64 {
  %y = arith.mulf %x, %x : f64
  return %y : f64
}
func.func @slope(%x: f64) -> f64 {
  %dx = tfx_ad.gradient @square(%x) wrt [0] : (f64) -> f64
  return %dx : f64
}
