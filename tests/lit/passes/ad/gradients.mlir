// Gradients of programs without loops, run to the end: a straight line, a branch, a struct, a
// pullback, a stopped value and a second derivative.
//
// RUN: tfxc run %s 0.5 2.0 | FileCheck %s

func.func private @f(%x: f64, %y: f64) -> f64 {
  %a = arith.mulf %x, %y : f64
  %b = math.sin %a : f64
  %c = arith.addf %b, %x : f64
  return %c : f64
}
func.func private @branch(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %large = arith.cmpf ogt, %x, %one : f64
  cf.cond_br %large, ^large, ^end(%x : f64)
^large:
  %xx = arith.mulf %x, %x : f64
  cf.br ^end(%xx : f64)
^end(%r: f64):
  return %r : f64
}
tfx_host.struct @Line {slope: f64, steps: i64, offset: f64}
func.func private @line(%l: !tfx_host.struct<@Line>, %x: f64) -> f64 {
  %a = tfx_host.extract %l["slope"] : !tfx_host.struct<@Line> -> f64
  %b = tfx_host.extract %l["offset"] : !tfx_host.struct<@Line> -> f64
  %ax = arith.mulf %a, %x : f64
  %y = arith.addf %ax, %b : f64
  return %y : f64
}
func.func private @stopped(%x: f64) -> f64 {
  %k = tfx_ad.stop %x : f64
  %y = arith.mulf %x, %k : f64
  return %y : f64
}
func.func private @cube(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %y = arith.mulf %xx, %x : f64
  return %y : f64
}
func.func private @slope(%x: f64) -> f64 {
  %d = tfx_ad.gradient @cube(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func public @main(%x: f64, %y: f64) {
  // CHECK: 1.3414709848078965 2.0806046117362795 0.2701511529340699
  %v, %dx, %dy = tfx_ad.gradient @f(%x, %y) wrt [0, 1] value : (f64, f64) -> (f64, f64, f64)
  tfx_host.print "{} {} {}"(%v, %dx, %dy) : f64, f64, f64
  // CHECK-NEXT: {{^}}1.0 4.0{{$}}
  %small = tfx_ad.gradient @branch(%x) wrt [0] : (f64) -> f64
  %large = tfx_ad.gradient @branch(%y) wrt [0] : (f64) -> f64
  tfx_host.print "{} {}"(%small, %large) : f64, f64
  // CHECK-NEXT: {{^}}0.5 1.0 2.0{{$}}
  %steps = arith.constant 7 : i64
  %l = tfx_host.make_struct(%y, %steps, %x) : (f64, i64, f64) -> !tfx_host.struct<@Line>
  %dl, %dlx = tfx_ad.gradient @line(%l, %x) wrt [0, 1] : (!tfx_host.struct<@Line>, f64) -> (tuple<f64, f64>, f64)
  %da = tfx_host.tuple_get %dl[0] : tuple<f64, f64>
  %db = tfx_host.tuple_get %dl[1] : tuple<f64, f64>
  tfx_host.print "{} {} {}"(%da, %db, %dlx) : f64, f64, f64
  // CHECK-NEXT: {{^}}0.5{{$}}
  %ds = tfx_ad.gradient @stopped(%x) wrt [0] : (f64) -> f64
  tfx_host.print "{}"(%ds) : f64
  // CHECK-NEXT: {{^}}12.0 12.0{{$}}
  %d1 = tfx_ad.gradient @cube(%y) wrt [0] : (f64) -> f64
  %d2 = tfx_ad.gradient @slope(%y) wrt [0] : (f64) -> f64
  tfx_host.print "{} {}"(%d1, %d2) : f64, f64
  // CHECK-NEXT: {{^}}6.0{{$}}
  %c, %pullback = tfx_ad.vjp @cube(%y) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %p = tfx_host.apply %pullback(%x) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "{}"(%p) : f64
  return
}
