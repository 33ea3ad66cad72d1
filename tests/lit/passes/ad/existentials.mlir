// Derivatives through existentials whose types the program knows: a list of layers behind a protocol,
// a layer that a branch selects, and derivatives by the list itself. The tangent of an existential is
// that of its value: an enum with a case for each type, if there are several.
//
// RUN: tfxc run %s 0.7 1 | FileCheck %s --check-prefixes=CHECK,ODD
// RUN: tfxc run %s 0.7 2 | FileCheck %s --check-prefixes=CHECK,EVEN

tfx_host.protocol @Layer {
  call: (!tfx_host.param<"Self">, f64) -> f64,
  size: (!tfx_host.param<"Self">) -> i64 = @no_size
}
!L = !tfx_host.any<@Layer>
!Ls = !tfx_host.array<!L>
func.func private @no_size(%self: !tfx_host.param<"T">) -> i64
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Layer>]} {
  %zero = arith.constant 0 : i64
  return %zero : i64
}

tfx_host.struct @Dense<"T"> {w: !tfx_host.param<"T">, units: i64, b: !tfx_host.param<"T">}
tfx_host.struct @Wave {}
!Dense = !tfx_host.struct<@Dense<f64>>
!Wave = !tfx_host.struct<@Wave>
func.func private @dense(%self: !Dense, %x: f64) -> f64 {
  %w = tfx_host.extract %self["w"] : !Dense -> f64
  %b = tfx_host.extract %self["b"] : !Dense -> f64
  %wx = arith.mulf %w, %x : f64
  %y = arith.addf %wx, %b : f64
  return %y : f64
}
func.func private @dense_size(%self: !Dense) -> i64 {
  %n = tfx_host.extract %self["units"] : !Dense -> i64
  return %n : i64
}
func.func private @wave(%self: !Wave, %x: f64) -> f64 {
  %y = math.sin %x : f64
  return %y : f64
}
tfx_host.witness_table @Dense_Layer : !Dense conforms @Layer {call = @dense, size = @dense_size}
tfx_host.witness_table @Wave_Layer : !Wave conforms @Layer {call = @wave}

// The layers alternate.
func.func private @layers(%w: f64, %n: i64) -> !Ls {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %size = arith.index_cast %n : i64 to index
  %count = arith.addi %size, %two : index
  %wave = tfx_host.make_struct() : () -> !Wave
  %any_wave = tfx_host.erase %wave : !Wave to !L
  %waves = tfx_host.array_fill %any_wave, %count : !Ls
  %all = scf.for %i = %first to %count step %two iter_args(%ls = %waves) -> (!Ls) {
    %dense = tfx_host.make_struct(%w, %n, %w) : (f64, i64, f64) -> !Dense
    %any_dense = tfx_host.erase %dense : !Dense to !L
    %next = tfx_host.array_set %any_dense into %ls[%i] : !Ls
    scf.yield %next : !Ls
  }
  return %all : !Ls
}
func.func private @model(%layers: !Ls, %x: f64) -> f64 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tfx_host.array_count %layers : !Ls
  %y = scf.for %i = %first to %count step %one iter_args(%v = %x) -> (f64) {
    %layer = tfx_host.array_get %layers[%i] : !Ls
    %u = tfx_host.dynamic_call %layer["call"](%v) : (!L, f64) -> f64
    %n = tfx_host.dynamic_call %layer["size"]() : (!L) -> i64
    %f = arith.sitofp %n : i64 to f64
    %s = arith.addf %u, %f : f64
    scf.yield %s : f64
  }
  return %y : f64
}
func.func private @value(%w: f64, %x: f64, %n: i64) -> f64 {
  %layers = func.call @layers(%w, %n) : (f64, i64) -> !Ls
  %y = func.call @model(%layers, %x) : (!Ls, f64) -> f64
  return %y : f64
}

tfx_host.enum @Gradient {Wave(!Wave), Dense(tuple<f64, f64>)}
!G = !tfx_host.enum<@Gradient>

func.func private @compare(%name: !tfx_host.string, %d: f64, %low: f64, %high: f64) {
  %hh = arith.constant 2.0e-6 : f64
  %tolerance = arith.constant 1.0e-7 : f64
  %difference = arith.subf %high, %low : f64
  %quotient = arith.divf %difference, %hh : f64
  %error = arith.subf %d, %quotient : f64
  %size = math.absf %error : f64
  %fits = arith.cmpf olt, %size, %tolerance : f64
  tfx_host.print "{}: {} {}"(%name, %fits, %d) : !tfx_host.string, i1, f64
  return
}

func.func @main(%x: f64, %n: i64) {
  %w = arith.constant 0.9 : f64
  %h = arith.constant 1.0e-6 : f64
  %wl = arith.subf %w, %h : f64
  %wh = arith.addf %w, %h : f64
  %xl = arith.subf %x, %h : f64
  %xh = arith.addf %x, %h : f64
  %by_w, %by_x = tfx_ad.gradient @value(%w, %x, %n) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  // CHECK: by the weights: true
  %y0 = func.call @value(%wl, %x, %n) : (f64, f64, i64) -> f64
  %y1 = func.call @value(%wh, %x, %n) : (f64, f64, i64) -> f64
  %of_w = tfx_host.string "by the weights"
  func.call @compare(%of_w, %by_w, %y0, %y1) : (!tfx_host.string, f64, f64, f64) -> ()
  // CHECK-NEXT: by the argument: true
  %y2 = func.call @value(%w, %xl, %n) : (f64, f64, i64) -> f64
  %y3 = func.call @value(%w, %xh, %n) : (f64, f64, i64) -> f64
  %of_x = tfx_host.string "by the argument"
  func.call @compare(%of_x, %by_x, %y2, %y3) : (!tfx_host.string, f64, f64, f64) -> ()

  // By the list: the sum of the gradients of the weights is that by the number in all of them.
  %layers = func.call @layers(%w, %n) : (f64, i64) -> !Ls
  %gs = tfx_ad.gradient @model(%layers, %x) wrt [0] : (!Ls, f64) -> !tfx_host.array<!G>
  %none = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tfx_host.array_count %gs : !tfx_host.array<!G>
  %sum = scf.for %i = %first to %count step %one iter_args(%s = %none) -> (f64) {
    %g = tfx_host.array_get %gs[%i] : !tfx_host.array<!G>
    %t = func.call @sum(%g) : (!G) -> f64
    %u = arith.addf %s, %t : f64
    scf.yield %u : f64
  }
  %error = arith.subf %sum, %by_w : f64
  %size = math.absf %error : f64
  %bound = arith.constant 1.0e-14 : f64
  %fits = arith.cmpf olt, %size, %bound : f64
  // CHECK-NEXT: true
  tfx_host.print "{}"(%fits) : i1

  // A branch selects a layer, and the function around it is differentiated.
  %f, %t = tfx_ad.jvp @selected(%w, %x, %n) tangents(%h, %h : f64, f64) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  %per = arith.divf %t, %h : f64
  // w + x + 1, or cos x
  // ODD-NEXT: {{^}}2.5999{{.*}}{{$}}
  // EVEN-NEXT: {{^}}0.764{{.*}}{{$}}
  tfx_host.print "{}"(%per) : f64
  return
}
func.func private @sum(%g: !G) -> f64 {
  %none = arith.constant 0.0 : f64
  tfx_host.switch_enum %g : !G ["Wave" -> ^wave, "Dense" -> ^dense]
^wave(%nothing: !Wave):
  cf.br ^done(%none : f64)
^dense(%t: tuple<f64, f64>):
  %w = tfx_host.tuple_get %t[0] : tuple<f64, f64>
  %b = tfx_host.tuple_get %t[1] : tuple<f64, f64>
  %s = arith.addf %w, %b : f64
  cf.br ^done(%s : f64)
^done(%y: f64):
  return %y : f64
}
func.func private @selected(%w: f64, %x: f64, %n: i64) -> f64 {
  %one = arith.constant 1 : i64
  %bit = arith.andi %n, %one : i64
  %odd = arith.cmpi eq, %bit, %one : i64
  %layer = scf.if %odd -> !L {
    %dense = tfx_host.make_struct(%w, %n, %w) : (f64, i64, f64) -> !Dense
    %a = tfx_host.erase %dense : !Dense to !L
    scf.yield %a : !L
  } else {
    %wave = tfx_host.make_struct() : () -> !Wave
    %b = tfx_host.erase %wave : !Wave to !L
    scf.yield %b : !L
  }
  %y = tfx_host.dynamic_call %layer["call"](%x) : (!L, f64) -> f64
  return %y : f64
}
