// Derivatives by closures whose function is known at run time only. If the closures of a place have
// one function, the tangent is the tuple of the tangents of the captures; if they have several, it is
// an enum that the program declares, with a case for each function, in any order. Each derivative is
// compared with numbers that are computed by hand.
//
// RUN: tfxc run %s 2.0 1 | FileCheck %s --check-prefixes=POSITIVE,ALL
// RUN: tfxc run %s 2.0 -1 | FileCheck %s --check-prefixes=NEGATIVE,ALL

!F = !tfx_host.closure<(f64) -> f64>
!Fs = !tfx_host.array<!F>
tfx_host.enum @Gradient {wave(), line(f64, f64), power(f64)}
!D = !tfx_host.enum<@Gradient>
!Ds = !tfx_host.array<!D>
tfx_host.struct @Step {function: !F, count: i64, rate: f64}
!S = !tfx_host.struct<@Step>

func.func private @power(%k: f64, %x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %y = arith.mulf %xx, %k : f64
  return %y : f64
}
func.func private @wave(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}
// a n x + b: the integer has no tangent.
func.func private @line(%a: f64, %n: i64, %b: f64, %x: f64) -> f64 {
  %f = arith.sitofp %n : i64 to f64
  %ax = arith.mulf %a, %x : f64
  %nax = arith.mulf %ax, %f : f64
  %y = arith.addf %nax, %b : f64
  return %y : f64
}

func.func private @list(%k: f64, %n: i64) -> !Fs {
  %three = arith.constant 3 : i64
  %half = arith.constant 0.5 : f64
  %wave = tfx_host.closure @wave() : () -> !F
  %power = tfx_host.closure @power(%k) : (f64) -> !F
  %line = tfx_host.closure @line(%k, %three, %half) : (f64, i64, f64) -> !F
  %zero = arith.constant 0 : i64
  %positive = arith.cmpi sgt, %n, %zero : i64
  %first = arith.select %positive, %power, %wave : !F
  %fs = tfx_host.array(%first, %line, %power) : !Fs
  return %fs : !Fs
}
func.func private @at(%f: !F, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
// The sum of the functions at a point.
func.func private @sum(%fs: !Fs, %x: f64) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %count = tfx_host.array_count %fs : !Fs
  %y = scf.for %i = %first to %count step %one iter_args(%s = %none) -> (f64) {
    %f = tfx_host.array_get %fs[%i] : !Fs
    %u = tfx_host.apply %f(%x) : !F
    %t = arith.addf %s, %u : f64
    scf.yield %t : f64
  }
  return %y : f64
}
func.func private @step(%s: !S, %x: f64) -> f64 {
  %f = tfx_host.extract %s["function"] : !S -> !F
  %rate = tfx_host.extract %s["rate"] : !S -> f64
  %y = tfx_host.apply %f(%x) : !F
  %z = arith.mulf %y, %rate : f64
  return %z : f64
}

func.func private @show(%d: !D) {
  tfx_host.switch_enum %d : !D ["wave" -> ^wave, "line" -> ^line, "power" -> ^power]
^wave:
  tfx_host.print "wave"()
  return
^line(%a: f64, %b: f64):
  tfx_host.print "line {} {}"(%a, %b) : f64, f64
  return
^power(%k: f64):
  tfx_host.print "power {}"(%k) : f64
  return
}
func.func private @show_all(%ds: !Ds) {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tfx_host.array_count %ds : !Ds
  scf.for %i = %first to %count step %one {
    %d = tfx_host.array_get %ds[%i] : !Ds
    func.call @show(%d) : (!D) -> ()
  }
  return
}

func.func @main(%x: f64, %n: i64) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %count = arith.constant 7 : i64
  %fs = func.call @list(%three, %n) : (f64, i64) -> !Fs

  // One closure, and the argument: x x or nothing, and 2 k x or cos x.
  %f = tfx_host.array_get %fs[%i0] : !Fs
  %d, %dx = tfx_ad.gradient @at(%f, %x) wrt [0, 1] : (!F, f64) -> (!D, f64)
  // POSITIVE: {{^}}power 4.0{{$}}
  // POSITIVE-NEXT: {{^}}12.0{{$}}
  // NEGATIVE: {{^}}wave{{$}}
  // NEGATIVE-NEXT: {{^}}-0.416{{.*}}{{$}}
  func.call @show(%d) : (!D) -> ()
  tfx_host.print "{}"(%dx) : f64

  // All of them: k x x, 3 k x + 1/2, k x x.
  %v, %ds = tfx_ad.gradient @sum(%fs, %x) wrt [0] value : (!Fs, f64) -> (f64, !Ds)
  // POSITIVE-NEXT: {{^}}42.5{{$}}
  // POSITIVE-NEXT: {{^}}power 4.0{{$}}
  // NEGATIVE-NEXT: {{^}}31.409{{.*}}{{$}}
  // NEGATIVE-NEXT: {{^}}wave{{$}}
  // ALL-NEXT: {{^}}line 6.0 1.0{{$}}
  // ALL-NEXT: {{^}}power 4.0{{$}}
  tfx_host.print "{}"(%v) : f64
  func.call @show_all(%ds) : (!Ds) -> ()

  // A pullback, applied twice.
  %w, %pull = tfx_ad.vjp @sum(%fs, %x) wrt [0] : (!Fs, f64) -> (f64, !tfx_host.closure<(f64) -> !Ds>)
  %ps = tfx_host.apply %pull(%two) : !tfx_host.closure<(f64) -> !Ds>
  %p = tfx_host.array_get %ps[%i1] : !Ds
  // ALL-NEXT: {{^}}line 12.0 2.0{{$}}
  func.call @show(%p) : (!D) -> ()
  %qs = tfx_host.apply %pull(%three) : !tfx_host.closure<(f64) -> !Ds>
  %q = tfx_host.array_get %qs[%i2] : !Ds
  // ALL-NEXT: {{^}}power 12.0{{$}}
  func.call @show(%q) : (!D) -> ()

  // A direction: the gradient itself, whose product with the gradient is 16 + 36 + 1 + 16 or less.
  %u, %t = tfx_ad.jvp @sum(%fs, %x) tangents(%ds : !Ds) wrt [0] : (!Fs, f64) -> (f64, f64)
  // POSITIVE-NEXT: {{^}}69.0{{$}}
  // NEGATIVE-NEXT: {{^}}53.0{{$}}
  tfx_host.print "{}"(%t) : f64

  // A struct that holds a closure: the tuple of the tangents of its parts.
  %s = tfx_host.make_struct(%f, %count, %two) : (!F, i64, f64) -> !S
  %dt = tfx_ad.gradient @step(%s, %x) wrt [0] : (!S, f64) -> tuple<!D, f64>
  %df = tfx_host.tuple_get %dt[0] : tuple<!D, f64>
  %dr = tfx_host.tuple_get %dt[1] : tuple<!D, f64>
  // POSITIVE-NEXT: {{^}}power 8.0{{$}}
  // POSITIVE-NEXT: {{^}}12.0{{$}}
  // NEGATIVE-NEXT: {{^}}wave{{$}}
  // NEGATIVE-NEXT: {{^}}0.909{{.*}}{{$}}
  func.call @show(%df) : (!D) -> ()
  tfx_host.print "{}"(%dr) : f64

  // Closures of one function: a tuple.
  %a = tfx_host.closure @power(%one) : (f64) -> !F
  %b = tfx_host.closure @power(%x) : (f64) -> !F
  %powers = tfx_host.array(%a, %b) : !Fs
  %tuples = tfx_ad.gradient @sum_of_powers(%powers, %x) wrt [0] : (!Fs, f64) -> !tfx_host.array<tuple<f64>>
  %tuple = tfx_host.array_get %tuples[%i1] : !tfx_host.array<tuple<f64>>
  %k = tfx_host.tuple_get %tuple[0] : tuple<f64>
  // ALL-NEXT: {{^}}12.0{{$}}
  tfx_host.print "{}"(%k) : f64
  return
}
// The parameter of @sum has other functions, too.
func.func private @sum_of_powers(%fs: !Fs, %x: f64) -> f64 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f64
  %f = tfx_host.array_get %fs[%i0] : !Fs
  %g = tfx_host.array_get %fs[%i1] : !Fs
  %y = tfx_host.apply %f(%x) : !F
  %z = tfx_host.apply %g(%x) : !F
  %w = arith.mulf %z, %two : f64
  %zz = arith.addf %z, %w : f64
  %sum = arith.addf %y, %zz : f64
  return %sum : f64
}
