// Closures whose function is known at run time only: a branch selects them, a variable, a struct, a
// tuple, an enum or an array holds them, functions return them and other closures capture them. The
// derivatives by the argument, compared with central differences of the same closure.
//
// RUN: tfxc run %s 0.7 1 | FileCheck %s
// RUN: tfxc run %s 0.7 -1 | FileCheck %s
// RUN: tfxc run %s -0.4 4 | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --tfx-differentiate | FileCheck %s --check-prefix=ENUMS

// ENUMS: tfx_host.enum @closures
// ENUMS-SAME: {power(f64), wave()}
// ENUMS-NOT: tfx_ad.gradient

!F = !tfx_host.closure<(f64) -> f64>
!Fs = !tfx_host.array<!F>
!T = !tfx_host.closure<(f64, f64, i64) -> f64>

func.func private @power(%k: f64, %x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %y = arith.mulf %xx, %k : f64
  return %y : f64
}
func.func private @wave(%x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}
func.func private @is_positive(%n: i64) -> i1 {
  %zero = arith.constant 0 : i64
  %positive = arith.cmpi sgt, %n, %zero : i64
  return %positive : i1
}

// A branch selects a closure.
func.func private @selected(%k: f64, %n: i64) -> !F {
  %positive = func.call @is_positive(%n) : (i64) -> i1
  %f = scf.if %positive -> !F {
    %power = tfx_host.closure @power(%k) : (f64) -> !F
    scf.yield %power : !F
  } else {
    %wave = tfx_host.closure @wave() : () -> !F
    scf.yield %wave : !F
  }
  return %f : !F
}
func.func private @selected.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @selected(%k, %n) : (f64, i64) -> !F
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func private @selected.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @selected(%k, %n) : (f64, i64) -> !F
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

// A variable that a loop reassigns.
func.func private @assigned(%k: f64, %n: i64) -> !F {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %variable = tfx_host.var : !tfx_host.ref<!F>
  %wave = tfx_host.closure @wave() : () -> !F
  tfx_host.store %wave, %variable : !F
  %end = scf.for %i = %zero to %n step %one iter_args(%s = %k) -> (f64) : i64 {
    %t = arith.addf %s, %k : f64
    %power = tfx_host.closure @power(%t) : (f64) -> !F
    tfx_host.store %power, %variable : !F
    scf.yield %t : f64
  }
  %f = tfx_host.load %variable : !tfx_host.ref<!F>
  return %f : !F
}
func.func private @assigned.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @assigned(%k, %n) : (f64, i64) -> !F
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func private @assigned.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @assigned(%k, %n) : (f64, i64) -> !F
  %one = arith.constant 1.0 : f64
  %y, %pull = tfx_ad.vjp %f of !F (%x) wrt [0] : (f64) -> (f64, !F)
  %d = tfx_host.apply %pull(%one) : !F
  return %d : f64
}

// A struct in a tuple, and a method that differentiates a field.
tfx_host.struct @Step {function: !F, rate: f64}
!S = !tfx_host.struct<@Step>
func.func private @step(%k: f64, %n: i64) -> tuple<!S, i64> {
  %f = func.call @selected(%k, %n) : (f64, i64) -> !F
  %s = tfx_host.make_struct(%f, %k) : (!F, f64) -> !S
  %t = tfx_host.make_tuple(%s, %n) : !S, i64
  return %t : tuple<!S, i64>
}
func.func private @step.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %t = func.call @step(%k, %n) : (f64, i64) -> tuple<!S, i64>
  %s = tfx_host.tuple_get %t[0] : tuple<!S, i64>
  %f = tfx_host.extract %s["function"] : !S -> !F
  %rate = tfx_host.extract %s["rate"] : !S -> f64
  %y = tfx_host.apply %f(%x) : !F
  %z = arith.mulf %y, %rate : f64
  return %z : f64
}
func.func private @method(%self: !S, %x: f64) -> f64 {
  %f = tfx_host.extract %self["function"] : !S -> !F
  %rate = tfx_host.extract %self["rate"] : !S -> f64
  %one = arith.constant 1.0 : f64
  %y, %d = tfx_ad.jvp %f of !F (%x) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  %z = arith.mulf %d, %rate : f64
  return %z : f64
}
func.func private @step.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %t = func.call @step(%k, %n) : (f64, i64) -> tuple<!S, i64>
  %s = tfx_host.tuple_get %t[0] : tuple<!S, i64>
  %d = func.call @method(%s, %x) : (!S, f64) -> f64
  return %d : f64
}

// An optional closure: a generic enum.
tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
!O = !tfx_host.enum<@Option<!F>>
func.func private @optional(%k: f64, %n: i64) -> !O {
  %positive = func.call @is_positive(%n) : (i64) -> i1
  %o = scf.if %positive -> !O {
    %power = tfx_host.closure @power(%k) : (f64) -> !F
    %some = tfx_host.make_enum "some"(%power) : (!F) -> !O
    scf.yield %some : !O
  } else {
    %none = tfx_host.make_enum "none"() : () -> !O
    scf.yield %none : !O
  }
  return %o : !O
}
func.func private @optional.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %o = func.call @optional(%k, %n) : (f64, i64) -> !O
  tfx_host.switch_enum %o : !O ["none" -> ^done(%x : f64), "some" -> ^some]
^some(%f: !F):
  %y = tfx_host.apply %f(%x) : !F
  cf.br ^done(%y : f64)
^done(%z: f64):
  return %z : f64
}
func.func private @optional.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %one = arith.constant 1.0 : f64
  %o = func.call @optional(%k, %n) : (f64, i64) -> !O
  tfx_host.switch_enum %o : !O ["none" -> ^done(%one : f64), "some" -> ^some]
^some(%f: !F):
  %y = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  cf.br ^done(%y : f64)
^done(%z: f64):
  return %z : f64
}

// A list of layers, as long as the program wants at run time. The model is a loop over it.
func.func private @layers(%k: f64, %n: i64) -> !Fs {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %wave = tfx_host.closure @wave() : () -> !F
  %abs = math.absi %n : i64
  %size = arith.index_cast %abs : i64 to index
  %count = arith.addi %size, %one : index
  %waves = tfx_host.array_fill %wave, %count : !Fs
  %all = scf.for %i = %first to %count step %two iter_args(%fs = %waves) -> (!Fs) {
    %power = tfx_host.closure @power(%k) : (f64) -> !F
    %next = tfx_host.array_set %power into %fs[%i] : !Fs
    scf.yield %next : !Fs
  }
  return %all : !Fs
}
func.func private @model(%fs: !Fs, %x: f64) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tfx_host.array_count %fs : !Fs
  %y = scf.for %i = %first to %count step %one iter_args(%v = %x) -> (f64) {
    %f = tfx_host.array_get %fs[%i] : !Fs
    %u = tfx_host.apply %f(%v) : !F
    scf.yield %u : f64
  }
  return %y : f64
}
func.func private @layers.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %fs = func.call @layers(%k, %n) : (f64, i64) -> !Fs
  %y = func.call @model(%fs, %x) : (!Fs, f64) -> f64
  return %y : f64
}
func.func private @layers.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %fs = func.call @layers(%k, %n) : (f64, i64) -> !Fs
  %y = tfx_ad.gradient @model(%fs, %x) wrt [1] : (!Fs, f64) -> f64
  return %y : f64
}

// The same, inside of the function that is differentiated: by the capture of its layers.
func.func private @inside.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %y = func.call @layers.value(%x, %k, %n) : (f64, f64, i64) -> f64
  return %y : f64
}
func.func private @inside.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %y = tfx_ad.gradient @layers.value(%x, %k, %n) wrt [0] : (f64, f64, i64) -> f64
  return %y : f64
}

// A loop that differentiates each layer by itself.
func.func private @each.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %fs = func.call @layers(%k, %n) : (f64, i64) -> !Fs
  %count = tfx_host.array_count %fs : !Fs
  %y = scf.for %i = %first to %count step %one iter_args(%s = %none) -> (f64) {
    %f = tfx_host.array_get %fs[%i] : !Fs
    %u = tfx_host.apply %f(%x) : !F
    %t = arith.addf %s, %u : f64
    scf.yield %t : f64
  }
  return %y : f64
}
func.func private @each.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %fs = func.call @layers(%k, %n) : (f64, i64) -> !Fs
  %count = tfx_host.array_count %fs : !Fs
  %y = scf.for %i = %first to %count step %one iter_args(%s = %none) -> (f64) {
    %f = tfx_host.array_get %fs[%i] : !Fs
    %u = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
    %t = arith.addf %s, %u : f64
    scf.yield %t : f64
  }
  return %y : f64
}

// A closure that captures one of several closures, and a helper that differentiates its parameter,
// whose other callers pass closures that are known.
func.func private @twice(%f: !F, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  %z = tfx_host.apply %f(%y) : !F
  return %z : f64
}
func.func private @slope(%f: !F, %x: f64) -> f64 {
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @captured(%k: f64, %n: i64) -> !F {
  %f = func.call @selected(%k, %n) : (f64, i64) -> !F
  %ff = tfx_host.closure @twice(%f) : (!F) -> !F
  return %ff : !F
}
func.func private @captured.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @captured(%k, %n) : (f64, i64) -> !F
  %y = tfx_host.apply %f(%x) : !F
  %wave = tfx_host.closure @wave() : () -> !F
  %u = tfx_host.apply %wave(%x) : !F
  %z = arith.addf %y, %u : f64
  return %z : f64
}
func.func private @captured.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @captured(%k, %n) : (f64, i64) -> !F
  %d = func.call @slope(%f, %x) : (!F, f64) -> f64
  %wave = tfx_host.closure @wave() : () -> !F
  %u = func.call @slope(%wave, %x) : (!F, f64) -> f64
  %z = arith.addf %d, %u : f64
  return %z : f64
}

// Second derivatives: the slope of a slope.
func.func private @second.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %y = func.call @captured.slope(%k, %x, %n) : (f64, f64, i64) -> f64
  return %y : f64
}
func.func private @second.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @captured(%k, %n) : (f64, i64) -> !F
  %df = tfx_host.closure @slope(%f) : (!F) -> !F
  %d = tfx_ad.gradient %df of !F (%x) wrt [0] : (f64) -> f64
  %wave = tfx_host.closure @wave() : () -> !F
  %dw = tfx_host.closure @slope(%wave) : (!F) -> !F
  %u = tfx_ad.gradient %dw of !F (%x) wrt [0] : (f64) -> f64
  %z = arith.addf %d, %u : f64
  return %z : f64
}

// A generic function with a closure parameter.
func.func private @generic(%f: !tfx_host.closure<(!tfx_host.param<"T">) -> f64>, %x: !tfx_host.param<"T">)
    -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %d = tfx_ad.gradient %f of !tfx_host.closure<(!tfx_host.param<"T">) -> f64> (%x) wrt [0]
      : (!tfx_host.param<"T">) -> !tfx_host.param<"T">
  return %d : !tfx_host.param<"T">
}
func.func private @generic.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @assigned(%k, %n) : (f64, i64) -> !F
  %d = tfx_host.call @generic<[f64]>(%f, %x) : (!F, f64) -> f64
  return %d : f64
}

// A recursive function that exchanges its closures.
func.func private @alternate(%f: !F, %g: !F, %x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %is_end = arith.cmpi sle, %n, %zero : i64
  cf.cond_br %is_end, ^end, ^more
^end:
  return %x : f64
^more:
  %d = tfx_host.apply %f(%x) : !F
  %m = arith.subi %n, %one : i64
  %y = func.call @alternate(%g, %f, %d, %m) : (!F, !F, f64, i64) -> f64
  return %y : f64
}
func.func private @chain.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %a = tfx_host.closure @power(%x) : (f64) -> !F
  %b = tfx_host.closure @wave() : () -> !F
  %y = func.call @alternate(%a, %b, %x, %n) : (!F, !F, f64, i64) -> f64
  return %y : f64
}
func.func private @chain.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %d = tfx_ad.gradient @chain.value(%k, %x, %n) wrt [1] : (f64, f64, i64) -> f64
  return %d : f64
}

// A closure that is applied where it is made, and held with others.
func.func private @direct.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %positive = func.call @is_positive(%n) : (i64) -> i1
  %power = tfx_host.closure @power(%k) : (f64) -> !F
  %wave = tfx_host.closure @wave() : () -> !F
  %f = arith.select %positive, %power, %wave : !F
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func private @direct.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %positive = func.call @is_positive(%n) : (i64) -> i1
  %power = tfx_host.closure @power(%k) : (f64) -> !F
  %wave = tfx_host.closure @wave() : () -> !F
  %f = arith.select %positive, %power, %wave : !F
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  %u = tfx_host.apply %power(%x) : !F
  %v = func.call @power(%k, %x) : (f64, f64) -> f64
  %zero = arith.subf %u, %v : f64
  %e = arith.addf %d, %zero : f64
  return %e : f64
}

// Combinators: each call has its own closures, so that of one call may capture that of another.
func.func private @after(%f: !F, %g: !F, %x: f64) -> f64 {
  %y = tfx_host.apply %f(%x) : !F
  %z = tfx_host.apply %g(%y) : !F
  return %z : f64
}
func.func private @compose(%f: !F, %g: !F) -> !F {
  %h = tfx_host.closure @after(%f, %g) : (!F, !F) -> !F
  return %h : !F
}
func.func private @composed(%k: f64, %n: i64) -> !F {
  %a = func.call @selected(%k, %n) : (f64, i64) -> !F
  %b = tfx_host.closure @wave() : () -> !F
  %ab = func.call @compose(%a, %b) : (!F, !F) -> !F
  %aba = func.call @compose(%ab, %a) : (!F, !F) -> !F
  %all = func.call @compose(%aba, %ab) : (!F, !F) -> !F
  return %all : !F
}
func.func private @composed.value(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @composed(%k, %n) : (f64, i64) -> !F
  %y = tfx_host.apply %f(%x) : !F
  return %y : f64
}
func.func private @composed.slope(%k: f64, %x: f64, %n: i64) -> f64 {
  %f = func.call @composed(%k, %n) : (f64, i64) -> !F
  %d = tfx_ad.gradient %f of !F (%x) wrt [0] : (f64) -> f64
  return %d : f64
}

func.func private @compare(%name: !tfx_host.string, %f: !T, %df: !T, %x: f64, %n: i64) {
  %k = arith.constant 0.9 : f64
  %h = arith.constant 1.0e-6 : f64
  %hh = arith.constant 2.0e-6 : f64
  %tolerance = arith.constant 1.0e-7 : f64
  %low = arith.subf %x, %h : f64
  %high = arith.addf %x, %h : f64
  %a = tfx_host.apply %f(%k, %low, %n) : !T
  %b = tfx_host.apply %f(%k, %high, %n) : !T
  %difference = arith.subf %b, %a : f64
  %quotient = arith.divf %difference, %hh : f64
  %d = tfx_host.apply %df(%k, %x, %n) : !T
  %error = arith.subf %d, %quotient : f64
  %size = math.absf %error : f64
  %fits = arith.cmpf olt, %size, %tolerance : f64
  tfx_host.print "{}: {} {} {}"(%name, %fits, %d, %quotient) : !tfx_host.string, i1, f64, f64
  return
}

func.func @main(%x: f64, %n: i64) {
  // CHECK: selected: true
  %selected = tfx_host.string "selected"
  %f0 = tfx_host.closure @selected.value() : () -> !T
  %d0 = tfx_host.closure @selected.slope() : () -> !T
  func.call @compare(%selected, %f0, %d0, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: assigned: true
  %assigned = tfx_host.string "assigned"
  %f1 = tfx_host.closure @assigned.value() : () -> !T
  %d1 = tfx_host.closure @assigned.slope() : () -> !T
  func.call @compare(%assigned, %f1, %d1, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: in a struct: true
  %step = tfx_host.string "in a struct"
  %f2 = tfx_host.closure @step.value() : () -> !T
  %d2 = tfx_host.closure @step.slope() : () -> !T
  func.call @compare(%step, %f2, %d2, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: optional: true
  %optional = tfx_host.string "optional"
  %f3 = tfx_host.closure @optional.value() : () -> !T
  %d3 = tfx_host.closure @optional.slope() : () -> !T
  func.call @compare(%optional, %f3, %d3, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: layers: true
  %layers = tfx_host.string "layers"
  %f4 = tfx_host.closure @layers.value() : () -> !T
  %d4 = tfx_host.closure @layers.slope() : () -> !T
  func.call @compare(%layers, %f4, %d4, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: inside: true
  %inside = tfx_host.string "inside"
  %f5 = tfx_host.closure @inside.value() : () -> !T
  %d5 = tfx_host.closure @inside.slope() : () -> !T
  func.call @compare(%inside, %f5, %d5, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: each layer: true
  %each = tfx_host.string "each layer"
  %f6 = tfx_host.closure @each.value() : () -> !T
  %d6 = tfx_host.closure @each.slope() : () -> !T
  func.call @compare(%each, %f6, %d6, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: captured: true
  %captured = tfx_host.string "captured"
  %f7 = tfx_host.closure @captured.value() : () -> !T
  %d7 = tfx_host.closure @captured.slope() : () -> !T
  func.call @compare(%captured, %f7, %d7, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: second order: true
  %second = tfx_host.string "second order"
  %f8 = tfx_host.closure @second.value() : () -> !T
  %d8 = tfx_host.closure @second.slope() : () -> !T
  func.call @compare(%second, %f8, %d8, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: generic: true
  %generic = tfx_host.string "generic"
  %d9 = tfx_host.closure @generic.slope() : () -> !T
  func.call @compare(%generic, %f1, %d9, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: recursion: true
  %chain = tfx_host.string "recursion"
  %f10 = tfx_host.closure @chain.value() : () -> !T
  %d10 = tfx_host.closure @chain.slope() : () -> !T
  func.call @compare(%chain, %f10, %d10, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: composed: true
  %composed = tfx_host.string "composed"
  %f11 = tfx_host.closure @composed.value() : () -> !T
  %d11 = tfx_host.closure @composed.slope() : () -> !T
  func.call @compare(%composed, %f11, %d11, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  // CHECK-NEXT: direct: true
  %direct = tfx_host.string "direct"
  %f12 = tfx_host.closure @direct.value() : () -> !T
  %d12 = tfx_host.closure @direct.slope() : () -> !T
  func.call @compare(%direct, %f12, %d12, %x, %n) : (!tfx_host.string, !T, !T, f64, i64) -> ()
  return
}
