// Gradients of loops whose trip counts are known only at run time, compared with central
// differences: a branch in a loop, a loop in a loop, a call in a loop, an early exit, and a loop
// that runs no iteration. The tapes are the host's.
//
// RUN: tfxc run %s 0.7 0 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tfxc run %s 0.7 7 | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: %if tensorflow %{ tfxc run %s 0.7 7 --executor tensorflow | FileCheck %s --check-prefixes=CHECK,SOME %}
//
// The same with 2000 iterations: more than one chunk of a tape.
// RUN: tfxc run %s 0.999 2000 | FileCheck %s

// y = x^odd * sin(x)^even
func.func private @branch(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %start = arith.constant 1.0 : f64
  cf.br ^head(%zero, %start : i64, f64)
^head(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end
^body:
  %rest = arith.remsi %i, %two : i64
  %is_odd = arith.cmpi eq, %rest, %one : i64
  cf.cond_br %is_odd, ^odd, ^even
^odd:
  %a = arith.mulf %y, %x : f64
  cf.br ^next(%a : f64)
^even:
  %s = math.sin %x : f64
  %b = arith.mulf %y, %s : f64
  %c = arith.addf %b, %x : f64
  cf.br ^next(%c : f64)
^next(%v: f64):
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %v : i64, f64)
^end:
  return %y : f64
}

// The inner loop runs i times in iteration i.
func.func private @nested(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 20 : i64
  %rows = arith.minsi %n, %most : i64
  cf.br ^outer(%zero, %x : i64, f64)
^outer(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %rows : i64
  cf.cond_br %more, ^inner(%zero, %y : i64, f64), ^end
^inner(%j: i64, %z: f64):
  %again = arith.cmpi slt, %j, %i : i64
  cf.cond_br %again, ^body, ^next
^body:
  %p = arith.mulf %z, %x : f64
  %c = math.cos %p : f64
  %j1 = arith.addi %j, %one : i64
  cf.br ^inner(%j1, %c : i64, f64)
^next:
  %w = arith.mulf %z, %y : f64
  %v = math.sin %w : f64
  %i1 = arith.addi %i, %one : i64
  cf.br ^outer(%i1, %v : i64, f64)
^end:
  return %y : f64
}

// A function with a loop, called in a loop: its tape is an element of a tape of tapes.
func.func private @layer(%x: f64, %n: i64) -> f64 {
  %y = func.call @branch(%x, %n) : (f64, i64) -> f64
  %s = math.sin %y : f64
  return %s : f64
}
func.func private @calls(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 5 : i64
  %rows = arith.minsi %n, %most : i64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %rows : i64
  cf.cond_br %more, ^body, ^end
^body:
  %z = func.call @layer(%y, %i) : (f64, i64) -> f64
  %w = arith.mulf %z, %x : f64
  %i1 = arith.addi %i, %one : i64
  cf.br ^head(%i1, %w : i64, f64)
^end:
  return %y : f64
}

// Ends at a value that depends on the data, from the middle of an iteration.
func.func private @early(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %limit = arith.constant 3.0 : f64
  %step = arith.constant 1.1 : f64
  cf.br ^head(%zero, %x : i64, f64)
^head(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end(%y : f64)
^body:
  %a = arith.mulf %y, %step : f64
  %large = arith.cmpf ogt, %a, %limit : f64
  cf.cond_br %large, ^out, ^next
^out:
  %aa = arith.mulf %a, %x : f64
  cf.br ^end(%aa : f64)
^next:
  %s = math.sin %a : f64
  %b = arith.addf %a, %s : f64
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %b : i64, f64)
^end(%r: f64):
  return %r : f64
}

// Prints whether a derivative is that of central differences.
func.func private @compare(%name: !tfx_host.string, %d: f64, %low: f64, %high: f64) {
  %h = arith.constant 2.0e-6 : f64
  %tolerance = arith.constant 1.0e-6 : f64
  %one = arith.constant 1.0 : f64
  %difference = arith.subf %high, %low : f64
  %q = arith.divf %difference, %h : f64
  %error = arith.subf %d, %q : f64
  %size = math.absf %error : f64
  %scale = math.absf %d : f64
  %bound = arith.addf %scale, %one : f64
  %relative = arith.divf %size, %bound : f64
  %fits = arith.cmpf olt, %relative, %tolerance : f64
  tfx_host.print "{}: {}"(%name, %fits) : !tfx_host.string, i1
  return
}
func.func public @main(%x: f64, %n: i64) {
  %h = arith.constant 1.0e-6 : f64
  %low = arith.subf %x, %h : f64
  %high = arith.addf %x, %h : f64
  // CHECK: branch: true
  %branch = tfx_host.string "branch"
  %d0 = tfx_ad.gradient @branch(%x, %n) wrt [0] : (f64, i64) -> f64
  %l0 = func.call @branch(%low, %n) : (f64, i64) -> f64
  %h0 = func.call @branch(%high, %n) : (f64, i64) -> f64
  func.call @compare(%branch, %d0, %l0, %h0) : (!tfx_host.string, f64, f64, f64) -> ()
  // CHECK-NEXT: nested: true
  %nested = tfx_host.string "nested"
  %d1 = tfx_ad.gradient @nested(%x, %n) wrt [0] : (f64, i64) -> f64
  %l1 = func.call @nested(%low, %n) : (f64, i64) -> f64
  %h1 = func.call @nested(%high, %n) : (f64, i64) -> f64
  func.call @compare(%nested, %d1, %l1, %h1) : (!tfx_host.string, f64, f64, f64) -> ()
  // CHECK-NEXT: calls: true
  %calls = tfx_host.string "calls"
  %d2 = tfx_ad.gradient @calls(%x, %n) wrt [0] : (f64, i64) -> f64
  %l2 = func.call @calls(%low, %n) : (f64, i64) -> f64
  %h2 = func.call @calls(%high, %n) : (f64, i64) -> f64
  func.call @compare(%calls, %d2, %l2, %h2) : (!tfx_host.string, f64, f64, f64) -> ()
  // CHECK-NEXT: early: true
  %early = tfx_host.string "early"
  %d3 = tfx_ad.gradient @early(%x, %n) wrt [0] : (f64, i64) -> f64
  %l3 = func.call @early(%low, %n) : (f64, i64) -> f64
  %h3 = func.call @early(%high, %n) : (f64, i64) -> f64
  func.call @compare(%early, %d3, %l3, %h3) : (!tfx_host.string, f64, f64, f64) -> ()
  // NONE-NEXT: {{^}}0.0 1.0{{$}}
  // SOME-NEXT: {{^[-0-9.]+ [-0-9.]+$}}
  tfx_host.print "{} {}"(%d0, %d3) : f64, f64
  return
}
