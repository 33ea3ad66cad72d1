// Loops, gotos, sorting, recursion, rules, fixed points and higher orders of C programs.
// Enzyme, enzyme/test/Integration/ReverseMode. A case names its file. A double or a float of C is
// f64, arrays are structs or tensors. Where Enzyme compares two ways of differentiation, the values
// are those of dual numbers in Python.
//
// RUN: tfxc run %s --link %S/Inputs/foreign.c | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --link %S/Inputs/foreign.c --executor tensorflow | FileCheck %s %}

func.func private @loop_sum(%a: f64, %b: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) : i64 {
    %c = arith.addf %a, %b : f64
    %d = arith.addf %s, %c : f64
    scf.yield %d : f64
  }
  return %r : f64
}
func.func private @loop_sum2(%a: f64, %b: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) : i64 {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%u = %zero) -> (f64) : i64 {
      %c = arith.addf %a, %b : f64
      %d = arith.addf %u, %c : f64
      scf.yield %d : f64
    }
    %e = arith.addf %s, %t : f64
    scf.yield %e : f64
  }
  return %r : f64
}
func.func private @loop_sum3(%a: f64, %b: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) : i64 {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%u = %zero) -> (f64) : i64 {
      %v = scf.for %k = %c0 to %n step %c1 iter_args(%w = %zero) -> (f64) : i64 {
        %c = arith.addf %a, %b : f64
        %d = arith.addf %w, %c : f64
        scf.yield %d : f64
      }
      %e = arith.addf %u, %v : f64
      scf.yield %e : f64
    }
    %f = arith.addf %s, %t : f64
    scf.yield %f : f64
  }
  return %r : f64
}

// Two labels that jump to each other and to themselves: control flow that is not reducible.
func.func private @do_a(%x: f64, %y: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %twox = arith.mulf %two, %x : f64
  %a = arith.addf %twox, %y : f64
  %sin_a = math.sin %a : f64
  %b = arith.mulf %three, %sin_a : f64
  %c = arith.addf %x, %y : f64
  %cos_c = math.cos %c : f64
  %d = arith.mulf %four, %cos_c : f64
  return %b, %d : f64, f64
}
func.func private @do_b(%x: f64, %y: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %four = arith.constant 4.0 : f64
  %twoy = arith.mulf %two, %y : f64
  %a = arith.addf %x, %twoy : f64
  %cos_a = math.cos %a : f64
  %b = arith.mulf %four, %cos_a : f64
  %twox = arith.mulf %two, %x : f64
  %c = arith.addf %twox, %y : f64
  %sin_c = math.sin %c : f64
  %d = arith.mulf %four, %sin_c : f64
  return %b, %d : f64, f64
}
func.func private @gotos(%x: f64, %y: f64) -> (f64, f64) {
  %zero = arith.constant 0.0 : f64
  cf.br ^a(%x, %y : f64, f64)
^a(%x0: f64, %y0: f64):
  %x1, %y1 = func.call @do_a(%x0, %y0) : (f64, f64) -> (f64, f64)
  %a = arith.mulf %x1, %x1 : f64
  %is_lt = arith.cmpf olt, %a, %y1 : f64
  cf.cond_br %is_lt, ^end(%x1, %y1 : f64, f64), ^more_a
^more_a:
  %is_gt = arith.cmpf ogt, %x1, %zero : f64
  cf.cond_br %is_gt, ^a(%x1, %y1 : f64, f64), ^b(%x1, %y1 : f64, f64)
^b(%x2: f64, %y2: f64):
  %x3, %y3 = func.call @do_b(%x2, %y2) : (f64, f64) -> (f64, f64)
  %b = arith.mulf %x3, %x3 : f64
  %c = arith.cmpf olt, %b, %y3 : f64
  cf.cond_br %c, ^end(%x3, %y3 : f64, f64), ^more_b
^more_b:
  %d = arith.cmpf ogt, %x3, %zero : f64
  cf.cond_br %d, ^a(%x3, %y3 : f64, f64), ^b(%x3, %y3 : f64, f64)
^end(%p: f64, %q: f64):
  return %p, %q : f64, f64
}

// The path that @gotos takes from 0.9 and 0.7, as a straight line.
func.func private @path(%x: f64, %y: f64) -> (f64, f64) {
  %x1, %y1 = func.call @do_a(%x, %y) : (f64, f64) -> (f64, f64)
  %x2, %y2 = func.call @do_a(%x1, %y1) : (f64, f64) -> (f64, f64)
  %x3, %y3 = func.call @do_b(%x2, %y2) : (f64, f64) -> (f64, f64)
  %x4, %y4 = func.call @do_b(%x3, %y3) : (f64, f64) -> (f64, f64)
  %x5, %y5 = func.call @do_a(%x4, %y4) : (f64, f64) -> (f64, f64)
  %x6, %y6 = func.call @do_b(%x5, %y5) : (f64, f64) -> (f64, f64)
  return %x6, %y6 : f64, f64
}

// The rule of another function: that of log1p.
func.func private @like_log1p(%a: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @like_log1p.forward, backward = @like_log1p.backward>} {
  %two = arith.constant 2.0 : f64
  %twoa = arith.mulf %two, %a : f64
  return %twoa : f64
}
func.func private @like_log1p.forward(%a: f64) -> (f64, f64) {
  %b = func.call @like_log1p(%a) : (f64) -> f64
  return %b, %a : f64, f64
}
func.func private @like_log1p.backward(%a: f64, %d: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %b = arith.addf %one, %a : f64
  %c = arith.divf %d, %b : f64
  return %c : f64
}
func.func private @custom_log1p(%a: f64) -> f64 {
  %b = func.call @like_log1p(%a) : (f64) -> f64
  return %b : f64
}

func.func private @inactive_fn(%a: f64) -> f64 attributes {tfx_ad.inactive} {
  %two = arith.constant 2.0 : f64
  %twoa = arith.mulf %two, %a : f64
  return %twoa : f64
}
func.func private @inactive(%a: f64) -> f64 {
  %b = func.call @inactive_fn(%a) : (f64) -> f64
  return %b : f64
}

// A foreign function with a rule that calls it.
func.func private @fast_rsqrt(f32) -> f32 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @fast_rsqrt.forward, backward = @fast_rsqrt.backward>}
func.func private @fast_rsqrt.forward(%x: f32) -> (f32, f32) {
  %y = func.call @fast_rsqrt(%x) : (f32) -> f32
  return %y, %x : f32, f32
}
func.func private @fast_rsqrt.backward(%x: f32, %g: f32) -> f32 {
  %two = arith.constant 2.0 : f32
  %y = func.call @fast_rsqrt(%x) : (f32) -> f32
  %n = arith.negf %g : f32
  %a = arith.mulf %n, %y : f32
  %b = arith.mulf %two, %x : f32
  %d = arith.divf %a, %b : f32
  return %d : f32
}
func.func private @inverse_magnitude(%a: tensor<3xf64>) -> f64 {
  %squares = tfx_tensor.op "Square"(%a) : (tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%squares, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %v = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  %f = arith.truncf %v : f64 to f32
  %y = func.call @fast_rsqrt(%f) : (f32) -> f32
  %r = arith.extf %y : f32 to f64
  return %r : f64
}

func.func private @element(%t: tensor<?xf64>, %i: i64) -> f64 {
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<?xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  return %a : f64
}
func.func private @all_div(%t: tensor<?xf64>, %start: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %start : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %e = func.call @element(%t, %i) : (tensor<?xf64>, i64) -> f64
  %a = arith.addi %i, %n1 : i64
  %b = arith.divf %r, %e : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %r : f64
}
func.func private @all_max(%t: tensor<?xf64>, %start: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %start : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %e = func.call @element(%t, %i) : (tensor<?xf64>, i64) -> f64
  %j = arith.addi %i, %n1 : i64
  %is_gt = arith.cmpf ogt, %e, %r : f64
  cf.cond_br %is_gt, ^head(%j, %e : i64, f64), ^head(%j, %r : i64, f64)
^end:
  return %r : f64
}

// An insertion sort in place, and the sum of the larger half.
func.func private @sort_sum(%t: tensor<10xf64>) -> tensor<f64> {
  %n1 = arith.constant 1 : i64
  %n10 = arith.constant 10 : i64
  %n0 = arith.constant 0 : i64
  cf.br ^outer(%n1, %t : i64, tensor<10xf64>)
^outer(%i: i64, %a: tensor<10xf64>):
  %more = arith.cmpi slt, %i, %n10 : i64
  cf.cond_br %more, ^inner(%i, %a : i64, tensor<10xf64>), ^sum
^inner(%j: i64, %b: tensor<10xf64>):
  %is_gt = arith.cmpi sgt, %j, %n0 : i64
  cf.cond_br %is_gt, ^compare, ^next(%b : tensor<10xf64>)
^compare:
  %k = arith.subi %j, %n1 : i64
  %atj = tfx_tensor.from_scalar %j : i64
  %atk = tfx_tensor.from_scalar %k : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %ej = tfx_tensor.op "GatherV2"(%b, %atj, %axis) : (tensor<10xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %ek = tfx_tensor.op "GatherV2"(%b, %atk, %axis) : (tensor<10xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %sj = tfx_tensor.to_scalar %ej : tensor<f64> -> f64
  %sk = tfx_tensor.to_scalar %ek : tensor<f64> -> f64
  %is_lt = arith.cmpf olt, %sk, %sj : f64
  cf.cond_br %is_lt, ^swap, ^next(%b : tensor<10xf64>)
^swap:
  %pair = tfx_tensor.op "Pack"(%atk, %atj) {axis = 0 : i64} : (tensor<i64>, tensor<i64>) -> tensor<2xi64>
  %shape = tfx_tensor.const dense<[2, 1]> : tensor<2xi32>
  %index = tfx_tensor.op "Reshape"(%pair, %shape) : (tensor<2xi64>, tensor<2xi32>) -> tensor<2x1xi64>
  %updates = tfx_tensor.op "Pack"(%ej, %ek) {axis = 0 : i64} : (tensor<f64>, tensor<f64>) -> tensor<2xf64>
  %c = tfx_tensor.op "TensorScatterUpdate"(%b, %index, %updates) : (tensor<10xf64>, tensor<2x1xi64>, tensor<2xf64>) -> tensor<10xf64>
  cf.br ^inner(%k, %c : i64, tensor<10xf64>)
^next(%d: tensor<10xf64>):
  %e = arith.addi %i, %n1 : i64
  cf.br ^outer(%e, %d : i64, tensor<10xf64>)
^sum:
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %f = tfx_tensor.const dense<[5]> : tensor<1xi32>
  %half = tfx_tensor.op "Slice"(%a, %axes, %f) : (tensor<10xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xf64>
  %g = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%half, %g) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  return %s : tensor<f64>
}

// A sum by halves, to parts of at most three elements.
func.func private @halves(%t: tensor<?xf64>, %start: i64, %end: i64) -> f64 {
  %n3 = arith.constant 3 : i64
  %n2 = arith.constant 2 : i64
  %size = arith.subi %end, %start : i64
  %is_gt = arith.cmpi sgt, %size, %n3 : i64
  cf.cond_br %is_gt, ^split, ^sum
^split:
  %a = arith.divsi %size, %n2 : i64
  %middle = arith.addi %start, %a : i64
  %halves_t = func.call @halves(%t, %start, %middle) : (tensor<?xf64>, i64, i64) -> f64
  %b = func.call @halves(%t, %middle, %end) : (tensor<?xf64>, i64, i64) -> f64
  %c = arith.addf %halves_t, %b : f64
  return %c : f64
^sum:
  %ts = tfx_tensor.from_scalar %start : i64
  %tn = tfx_tensor.from_scalar %size : i64
  %shape = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %begin = tfx_tensor.op "Reshape"(%ts, %shape) : (tensor<i64>, tensor<1xi32>) -> tensor<1xi64>
  %count = tfx_tensor.op "Reshape"(%tn, %shape) : (tensor<i64>, tensor<1xi32>) -> tensor<1xi64>
  %part = tfx_tensor.op "Slice"(%t, %begin, %count) : (tensor<?xf64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%part, %axes) : (tensor<?xf64>, tensor<1xi32>) -> tensor<f64>
  %d = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %d : f64
}

// The series of sin up to x^11, and its first two derivatives.
func.func private @factorial(%n: i64) -> i64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %is_eq = arith.cmpi eq, %n, %n0 : i64
  cf.cond_br %is_eq, ^end, ^more
^end:
  %one = arith.constant 1 : i64
  return %one : i64
^more:
  %less = arith.subi %n, %n1 : i64
  %f = func.call @factorial(%less) : (i64) -> i64
  %r = arith.muli %n, %f : i64
  return %r : i64
}
func.func private @my_sin(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n12 = arith.constant 12 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n4 = arith.constant 4 : i64
  %one = arith.constant 1.0 : f64
  %minus_one = arith.constant -1.0 : f64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %is_le = arith.cmpi sle, %i, %n12 : i64
  cf.cond_br %is_le, ^body, ^end
^body:
  %next = arith.addi %i, %n1 : i64
  %a = arith.remsi %i, %n2 : i64
  %is_eq = arith.cmpi eq, %a, %n0 : i64
  cf.cond_br %is_eq, ^head(%next, %r : i64, f64), ^add
^add:
  %p = math.fpowi %x, %i : f64, i64
  %f = func.call @factorial(%i) : (i64) -> i64
  %b = arith.remsi %i, %n4 : i64
  %c = arith.cmpi eq, %b, %n1 : i64
  %sign = arith.select %c, %one, %minus_one : f64
  %ff = arith.sitofp %f : i64 to f64
  %d = arith.divf %p, %ff : f64
  %e = arith.mulf %d, %sign : f64
  %g = arith.addf %r, %e : f64
  cf.br ^head(%next, %g : i64, f64)
^end:
  return %r : f64
}
func.func private @my_sin1(%x: f64) -> f64 {
  %d = tfx_ad.gradient @my_sin(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
func.func private @my_sin2(%x: f64) -> f64 {
  %d = tfx_ad.gradient @my_sin1(%x) wrt [0] : (f64) -> f64
  return %d : f64
}
tfx_host.struct @Gradients {dx: f64, dy: f64}
func.func private @mul(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @dmul(%x: f64, %y: f64) -> !tfx_host.struct<@Gradients> {
  %dx, %dy = tfx_ad.gradient @mul(%x, %y) wrt [0, 1] : (f64, f64) -> (f64, f64)
  %g = tfx_host.make_struct(%dx, %dy) : (f64, f64) -> !tfx_host.struct<@Gradients>
  return %g : !tfx_host.struct<@Gradients>
}

// A norm that has no influence on the result, under two conditions.
func.func private @predicate(%a: f64, %b: f64, %c: f64, %fan: i1) -> f64 {
  %zero = arith.constant 0.0 : f64
  cf.cond_br %fan, ^norm, ^end
^norm:
  %aa = arith.mulf %a, %a : f64
  %bb = arith.mulf %b, %b : f64
  %d = arith.addf %aa, %bb : f64
  %cc = arith.mulf %c, %c : f64
  %e = arith.addf %d, %cc : f64
  %radius = math.sqrt %e : f64
  %is_gt = arith.cmpf ogt, %radius, %zero : f64
  cf.cond_br %is_gt, ^divide, ^end
^divide:
  %unit = arith.divf %a, %radius : f64
  cf.br ^end
^end:
  %f = arith.addf %a, %b : f64
  %g = arith.addf %f, %c : f64
  return %g : f64
}

// A state of four numbers that grows until its first number is large.
tfx_host.struct @State {a: f64, b: f64, c: f64, d: f64}
func.func private @grow(%x: f64, %y: f64, %i: f64) -> f64 {
  %tenth = arith.constant 0.1 : f64
  %c01 = arith.constant 0.01 : f64
  %a = arith.mulf %tenth, %y : f64
  %b = arith.addf %x, %a : f64
  %c = arith.mulf %tenth, %i : f64
  %d = arith.addf %x, %c : f64
  %sin_d = math.sin %d : f64
  %e = arith.mulf %c01, %sin_d : f64
  %f = arith.addf %b, %e : f64
  return %f : f64
}
func.func private @step(%s: !tfx_host.struct<@State>, %n: i64) -> !tfx_host.struct<@State> {
  %i = arith.sitofp %n : i64 to f64
  %a = tfx_host.extract %s["a"] : !tfx_host.struct<@State> -> f64
  %b = tfx_host.extract %s["b"] : !tfx_host.struct<@State> -> f64
  %grow_a = func.call @grow(%a, %b, %i) : (f64, f64, f64) -> f64
  %c = tfx_host.extract %s["b"] : !tfx_host.struct<@State> -> f64
  %d = tfx_host.extract %s["c"] : !tfx_host.struct<@State> -> f64
  %grow_c = func.call @grow(%c, %d, %i) : (f64, f64, f64) -> f64
  %e = tfx_host.extract %s["c"] : !tfx_host.struct<@State> -> f64
  %f = tfx_host.extract %s["d"] : !tfx_host.struct<@State> -> f64
  %grow_e = func.call @grow(%e, %f, %i) : (f64, f64, f64) -> f64
  %g = tfx_host.extract %s["d"] : !tfx_host.struct<@State> -> f64
  %h = tfx_host.extract %s["a"] : !tfx_host.struct<@State> -> f64
  %grow_g = func.call @grow(%g, %h, %i) : (f64, f64, f64) -> f64
  %r = tfx_host.make_struct(%grow_a, %grow_c, %grow_e, %grow_g) : (f64, f64, f64, f64) -> !tfx_host.struct<@State>
  return %r : !tfx_host.struct<@State>
}
func.func private @grown(%s: !tfx_host.struct<@State>, %limit: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^body(%n0, %s : i64, !tfx_host.struct<@State>)
^body(%i: i64, %t: !tfx_host.struct<@State>):
  %u = func.call @step(%t, %i) : (!tfx_host.struct<@State>, i64) -> !tfx_host.struct<@State>
  %first = tfx_host.extract %u["a"] : !tfx_host.struct<@State> -> f64
  %j = arith.addi %i, %n1 : i64
  %is_lt = arith.cmpf olt, %first, %limit : f64
  cf.cond_br %is_lt, ^body(%j, %u : i64, !tfx_host.struct<@State>), ^end
^end:
  %a = tfx_host.extract %u["a"] : !tfx_host.struct<@State> -> f64
  %b = tfx_host.extract %u["a"] : !tfx_host.struct<@State> -> f64
  %ab = arith.mulf %a, %b : f64
  %c = tfx_host.extract %u["b"] : !tfx_host.struct<@State> -> f64
  %d = tfx_host.extract %u["b"] : !tfx_host.struct<@State> -> f64
  %cd = arith.mulf %c, %d : f64
  %e = arith.addf %ab, %cd : f64
  %f = tfx_host.extract %u["c"] : !tfx_host.struct<@State> -> f64
  %g = tfx_host.extract %u["c"] : !tfx_host.struct<@State> -> f64
  %fg = arith.mulf %f, %g : f64
  %h = arith.addf %e, %fg : f64
  %k = tfx_host.extract %u["d"] : !tfx_host.struct<@State> -> f64
  %l = tfx_host.extract %u["d"] : !tfx_host.struct<@State> -> f64
  %kl = arith.mulf %k, %l : f64
  %m = arith.addf %h, %kl : f64
  return %m : f64
}

// u = 0.4 sin(A u) + p^2, iterated until it does not change.
func.func private @fixed_point(%p: tensor<4x1xf64>) -> tensor<f64> {
  %c1em14 = arith.constant 1.0e-14 : f64
  %a = tfx_tensor.const dense<[[1.0, 0.5, 0.0, -0.3], [0.2, 1.0, 0.4, 0.0], [0.0, -0.6, 1.0, 0.3], [0.5, 0.0, 0.1, 1.0]]> : tensor<4x4xf64>
  %factor = tfx_tensor.const dense<0.4> : tensor<f64>
  %start = tfx_tensor.const dense<[[0.0], [0.1], [0.2], [0.3]]> : tensor<4x1xf64>
  %pp = tfx_tensor.op "Square"(%p) : (tensor<4x1xf64>) -> tensor<4x1xf64>
  cf.br ^body(%start : tensor<4x1xf64>)
^body(%u: tensor<4x1xf64>):
  %au = tfx_tensor.op "MatMul"(%a, %u) {transpose_a = false, transpose_b = false} : (tensor<4x4xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
  %s = tfx_tensor.op "Sin"(%au) : (tensor<4x1xf64>) -> tensor<4x1xf64>
  %t = tfx_tensor.op "Mul"(%s, %factor) : (tensor<4x1xf64>, tensor<f64>) -> tensor<4x1xf64>
  %v = tfx_tensor.op "AddV2"(%t, %pp) : (tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
  %y = tfx_tensor.op "Mul"(%v, %u) : (tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
  %d = tfx_tensor.op "Sub"(%v, %u) : (tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
  %size = tfx_tensor.op "Abs"(%d) : (tensor<4x1xf64>) -> tensor<4x1xf64>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %max = tfx_tensor.op "Max"(%size, %axes) : (tensor<4x1xf64>, tensor<2xi32>) -> tensor<f64>
  %error = tfx_tensor.to_scalar %max : tensor<f64> -> f64
  %is_gt = arith.cmpf ogt, %error, %c1em14 : f64
  cf.cond_br %is_gt, ^body(%v : tensor<4x1xf64>), ^end
^end:
  %vv = tfx_tensor.op "Square"(%v) : (tensor<4x1xf64>) -> tensor<4x1xf64>
  %vvv = tfx_tensor.op "Mul"(%vv, %v) : (tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
  %all = tfx_tensor.op "AddV2"(%vvv, %y) : (tensor<4x1xf64>, tensor<4x1xf64>) -> tensor<4x1xf64>
  %b = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %r = tfx_tensor.op "Sum"(%all, %b) : (tensor<4x1xf64>, tensor<2xi32>) -> tensor<f64>
  return %r : tensor<f64>
}

// A root of T^3 + T = e by Newton's method, which ends at a small step.
func.func private @newton(%e: f64, %start: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n60 = arith.constant 60 : i64
  %three = arith.constant 3.0 : f64
  %one = arith.constant 1.0 : f64
  %c1em14 = arith.constant 1.0e-14 : f64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %start : i64, f64)
^head(%i: i64, %t: f64):
  %more = arith.cmpi slt, %i, %n60 : i64
  cf.cond_br %more, ^body, ^end(%t : f64)
^body:
  %tt = arith.mulf %t, %t : f64
  %ttt = arith.mulf %tt, %t : f64
  %a = arith.addf %ttt, %t : f64
  %b = arith.subf %a, %e : f64
  %c = arith.mulf %three, %t : f64
  %ct = arith.mulf %c, %t : f64
  %d = arith.addf %ct, %one : f64
  %s = arith.divf %b, %d : f64
  %u = arith.subf %t, %s : f64
  %size = math.absf %s : f64
  %is_lt = arith.cmpf olt, %size, %c1em14 : f64
  cf.cond_br %is_lt, ^end(%u : f64), ^next
^next:
  %f = arith.addi %i, %n1 : i64
  cf.br ^head(%f, %u : i64, f64)
^end(%r: f64):
  return %r : f64
}

// The classic Runge-Kutta method for x' = -1.2 x, by the end of the interval.
func.func private @slope(%x: f64) -> f64 {
  %cm1_2 = arith.constant -1.2 : f64
  %a = arith.mulf %cm1_2, %x : f64
  return %a : f64
}
func.func private @integrate(%t: f64) -> f64 {
  %hundred = arith.constant 100.0 : f64
  %n0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f64
  %n100 = arith.constant 100 : i64
  %two = arith.constant 2.0 : f64
  %n1 = arith.constant 1 : i64
  %six = arith.constant 6.0 : f64
  %h = arith.divf %t, %hundred : f64
  cf.br ^head(%n0, %one : i64, f64)
^head(%i: i64, %x: f64):
  %more = arith.cmpi slt, %i, %n100 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %k1 = func.call @slope(%x) : (f64) -> f64
  %a = arith.divf %h, %two : f64
  %b = arith.mulf %a, %k1 : f64
  %c = arith.addf %x, %b : f64
  %k2 = func.call @slope(%c) : (f64) -> f64
  %d = arith.divf %h, %two : f64
  %e = arith.mulf %d, %k2 : f64
  %f = arith.addf %x, %e : f64
  %k3 = func.call @slope(%f) : (f64) -> f64
  %g = arith.mulf %h, %k3 : f64
  %j = arith.addf %x, %g : f64
  %k4 = func.call @slope(%j) : (f64) -> f64
  %k = arith.addi %i, %n1 : i64
  %l = arith.divf %h, %six : f64
  %m = arith.mulf %two, %k2 : f64
  %n = arith.addf %k1, %m : f64
  %o = arith.mulf %two, %k3 : f64
  %p = arith.addf %n, %o : f64
  %q = arith.addf %p, %k4 : f64
  %lq = arith.mulf %l, %q : f64
  %r = arith.addf %x, %lq : f64
  cf.br ^head(%k, %r : i64, f64)
^end:
  return %x : f64
}

// The entropy of a gas: the gradient is the vector of the entropy variables.
func.func private @entropy(%r: f64, %a: f64, %b: f64, %c: f64, %e: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %c0_4 = arith.constant 0.4 : f64
  %c1_4 = arith.constant 1.4 : f64
  %aa = arith.mulf %a, %a : f64
  %bb = arith.mulf %b, %b : f64
  %d = arith.addf %aa, %bb : f64
  %cc = arith.mulf %c, %c : f64
  %f = arith.addf %d, %cc : f64
  %twor = arith.mulf %two, %r : f64
  %g = arith.divf %f, %twor : f64
  %h = arith.subf %e, %g : f64
  %p = arith.mulf %c0_4, %h : f64
  %log_p = math.log %p : f64
  %log_r = math.log %r : f64
  %i = arith.mulf %c1_4, %log_r : f64
  %s = arith.subf %log_p, %i : f64
  %minus_r = arith.negf %r : f64
  %j = arith.mulf %minus_r, %s : f64
  %k = arith.divf %j, %c0_4 : f64
  return %k : f64
}
func.func private @entropy.grad(%r: f64, %a: f64, %b: f64, %c: f64, %e: f64) -> (f64, f64, f64, f64, f64) {
  %d:5 = tfx_ad.gradient @entropy(%r, %a, %b, %c, %e) wrt [0, 1, 2, 3, 4] : (f64, f64, f64, f64, f64) -> (f64, f64, f64, f64, f64)
  return %d#0, %d#1, %d#2, %d#3, %d#4 : f64, f64, f64, f64, f64
}

func.func public @main() {
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %c0_9 = arith.constant 0.9 : f64
  %c0_7 = arith.constant 0.7 : f64
  %one = arith.constant 1.0 : f64
  %thousand = arith.constant 1000.0 : f64
  %c3_14 = arith.constant 3.14 : f64
  %c102 = arith.constant 102.0 : f64
  %c1_23 = arith.constant 1.23 : f64
  %c1_1 = arith.constant 1.1 : f64
  %c1_2 = arith.constant 1.2 : f64
  %c1_3 = arith.constant 1.3 : f64
  %half = arith.constant 0.5 : f64
  %ten = arith.constant 10.0 : f64
  %five = arith.constant 5.0 : f64
  %zero = arith.constant 0.0 : f64
  %c0_3 = arith.constant 0.3 : f64
  %cm0_2 = arith.constant -0.2 : f64
  %c2_19 = arith.constant 2.19 : f64
  %minus_one = arith.constant -1.0 : f64
  %yes = arith.constant true
  %no = arith.constant false
  %n0 = arith.constant 0 : i64
  %n10 = arith.constant 10 : i64
  // Case: Enzyme, Integration/ReverseMode, loops.c.
  // CHECK: {{^}}loop_sum: 100.0 100.0{{$}}
  %d0.0, %d0.1 = tfx_ad.gradient @loop_sum(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "loop_sum: {} {}"(%d0.0, %d0.1) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, loopsdouble.c.
  // CHECK-NEXT: {{^}}loop_sum2: 10000.0 10000.0{{$}}
  %d1.0, %d1.1 = tfx_ad.gradient @loop_sum2(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "loop_sum2: {} {}"(%d1.0, %d1.1) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, loopstriple.c.
  // CHECK-NEXT: {{^}}loop_sum3: 1000000.0 1000000.0{{$}}
  %d2.0, %d2.1 = tfx_ad.gradient @loop_sum3(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "loop_sum3: {} {}"(%d2.0, %d2.1) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, controlflow.c.
  // CHECK-NEXT: {{^}}gotos: -{{1247\.12520[0-9]*}} -{{1361\.76621[0-9]*}}{{$}}
  %y3.0, %y3.1, %pullback3 = tfx_ad.vjp @gotos(%c0_9, %c0_7) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d4.0, %d4.1 = tfx_host.apply %pullback3(%one, %two) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "gotos: {} {}"(%d4.0, %d4.1) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, loopsnested.c.
  // CHECK-NEXT: {{^}}path: -{{1247\.12520[0-9]*}} -{{1361\.76621[0-9]*}}{{$}}
  %y5.0, %y5.1, %pullback5 = tfx_ad.vjp @path(%c0_9, %c0_7) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d6.0, %d6.1 = tfx_host.apply %pullback5(%one, %two) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "path: {} {}"(%d6.0, %d6.1) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, customlog1p.c.
  // CHECK-NEXT: {{^}}custom_log1p: {{0\.333333333[0-9]*}}{{$}}
  %d7 = tfx_ad.gradient @custom_log1p(%two) wrt [0] : (f64) -> f64
  tfx_host.print "custom_log1p: {}"(%d7) : f64
  // Case: Enzyme, Integration/ReverseMode, inactivefn.c.
  // CHECK-NEXT: {{^}}inactive: 0.0{{$}}
  %d8 = tfx_ad.gradient @inactive(%two) wrt [0] : (f64) -> f64
  tfx_host.print "inactive: {}"(%d8) : f64
  // Case: Enzyme, Integration/ReverseMode, invsqrt.c, within the error of the method.
  %m = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %dm = tfx_ad.gradient @inverse_magnitude(%m) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %dd = tfx_tensor.op "Identity"(%dm) : (tensor<3xf64>) -> tensor<?xf64>
  // CHECK-NEXT: {{^}}inverse_magnitude: -19.0 -38.0 -57.0{{$}}
  %a = func.call @element(%dd, %n0) : (tensor<?xf64>, i64) -> f64
  %b = arith.mulf %a, %thousand : f64
  %round_b = math.round %b : f64
  %c = func.call @element(%dd, %n1) : (tensor<?xf64>, i64) -> f64
  %d = arith.mulf %c, %thousand : f64
  %round_d = math.round %d : f64
  %e = func.call @element(%dd, %n2) : (tensor<?xf64>, i64) -> f64
  %f = arith.mulf %e, %thousand : f64
  %round_f = math.round %f : f64
  tfx_host.print "inverse_magnitude: {} {} {}"(%round_b, %round_d, %round_f) : f64, f64, f64
  // Case: Enzyme, Integration/ReverseMode, manydiv.c.
  // CHECK-NEXT: {{^}}all_div: {{\[ *}}-{{0\.0261666666[0-9]*}} -{{0\.0130833333[0-9]*}} -{{0\.00872222222[0-9]*}} -{{0\.00654166666[0-9]*}} -{{0\.00523333333[0-9]*}}{{ *}}] {{0\.00833333333[0-9]*}}{{$}}
  %g = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %h = tfx_tensor.op "Identity"(%g) : (tensor<5xf64>) -> tensor<?xf64>
  %d9.0, %d9.1 = tfx_ad.gradient @all_div(%h, %c3_14) wrt [0, 1] : (tensor<?xf64>, f64) -> (tensor<?xf64>, f64)
  tfx_host.print "all_div: {} {}"(%d9.0, %d9.1) : tensor<?xf64>, f64
  // Case: Enzyme, Integration/ReverseMode, manymax.c.
  // CHECK-NEXT: {{^}}all_max 3.14: {{\[ *}}0. 0. 0. 1. 0.{{ *}}] 0.0{{$}}
  %i = tfx_tensor.const dense<[1.0, 2.0, 3.0, 102.0, 5.0]> : tensor<5xf64>
  %j = tfx_tensor.op "Identity"(%i) : (tensor<5xf64>) -> tensor<?xf64>
  %d10.0, %d10.1 = tfx_ad.gradient @all_max(%j, %c3_14) wrt [0, 1] : (tensor<?xf64>, f64) -> (tensor<?xf64>, f64)
  tfx_host.print "all_max 3.14: {} {}"(%d10.0, %d10.1) : tensor<?xf64>, f64
  // CHECK-NEXT: {{^}}all_max 102: {{\[ *}}0. 0. 0. 0. 0.{{ *}}] 1.0{{$}}
  %d11.0, %d11.1 = tfx_ad.gradient @all_max(%h, %c102) wrt [0, 1] : (tensor<?xf64>, f64) -> (tensor<?xf64>, f64)
  tfx_host.print "all_max 102: {} {}"(%d11.0, %d11.1) : tensor<?xf64>, f64
  // Case: Enzyme, Integration/ReverseMode, insertsort_sum.c.
  // CHECK-NEXT: {{^}}sort_sum: {{\[ *}}0. 1. 0. 1. 0. 1. 0. 1. 0. 1.{{ *}}]{{$}}
  %k = tfx_tensor.const dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<10xf64>
  %d12 = tfx_ad.gradient @sort_sum(%k) wrt [0] : (tensor<10xf64>) -> tensor<10xf64>
  tfx_host.print "sort_sum: {}"(%d12) : tensor<10xf64>
  // Case: Enzyme, Integration/ReverseMode, mixedstruct1.c.
  // CHECK-NEXT: {{^}}halves: {{\[ *}}1. 1. 1. 1. 1. 1. 1. 1. 1. 1.{{ *}}]{{$}}
  %l = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<10xf64>
  %n = tfx_tensor.op "Identity"(%l) : (tensor<10xf64>) -> tensor<?xf64>
  %d13 = tfx_ad.gradient @halves(%n, %n0, %n10) wrt [0] : (tensor<?xf64>, i64, i64) -> tensor<?xf64>
  tfx_host.print "halves: {}"(%d13) : tensor<?xf64>
  // Case: Enzyme, Integration/ReverseMode, mycos.c, the second derivative.
  // CHECK-NEXT: {{^}}my_sin2: -{{0\.942489043[0-9]*}}{{$}}
  %y14 = func.call @my_sin2(%c1_23) : (f64) -> f64
  tfx_host.print "my_sin2: {}"(%y14) : f64
  // Case: Enzyme, Integration/ReverseMode, gradient-struct-return.c.
  // CHECK-NEXT: {{^}}dmul: 2.0 1.0{{$}}
  %y15 = func.call @dmul(%one, %two) : (f64, f64) -> !tfx_host.struct<@Gradients>
  %y15_dx = tfx_host.extract %y15["dx"] : !tfx_host.struct<@Gradients> -> f64
  %y15_dy = tfx_host.extract %y15["dy"] : !tfx_host.struct<@Gradients> -> f64
  tfx_host.print "dmul: {} {}"(%y15_dx, %y15_dy) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, nested-predicate.cpp.
  // CHECK-NEXT: {{^}}predicate false: 1.0 1.0 1.0{{$}}
  %d16.0, %d16.1, %d16.2 = tfx_ad.gradient @predicate(%one, %two, %three, %no) wrt [0, 1, 2] : (f64, f64, f64, i1) -> (f64, f64, f64)
  tfx_host.print "predicate false: {} {} {}"(%d16.0, %d16.1, %d16.2) : f64, f64, f64
  // CHECK-NEXT: {{^}}predicate true: 1.0 1.0 1.0{{$}}
  %d17.0, %d17.1, %d17.2 = tfx_ad.gradient @predicate(%one, %two, %three, %yes) wrt [0, 1, 2] : (f64, f64, f64, i1) -> (f64, f64, f64)
  tfx_host.print "predicate true: {} {} {}"(%d17.0, %d17.1, %d17.2) : f64, f64, f64
  // Case: Enzyme, Integration/ReverseMode, checkpoint_while.c.
  %s = tfx_host.make_struct(%one, %c1_1, %c1_2, %c1_3) : (f64, f64, f64, f64) -> !tfx_host.struct<@State>
  // CHECK-NEXT: {{^}}grown 0.5: {{2\.53084217[0-9]*}} {{2\.69265568[0-9]*}} {{2\.93412945[0-9]*}} {{3\.09467675[0-9]*}}{{$}}
  %d18 = tfx_ad.gradient @grown(%s, %half) wrt [0] : (!tfx_host.struct<@State>, f64) -> !tfx_host.struct<@State>
  %d18_a = tfx_host.extract %d18["a"] : !tfx_host.struct<@State> -> f64
  %d18_b = tfx_host.extract %d18["b"] : !tfx_host.struct<@State> -> f64
  %d18_c = tfx_host.extract %d18["c"] : !tfx_host.struct<@State> -> f64
  %d18_d = tfx_host.extract %d18["d"] : !tfx_host.struct<@State> -> f64
  tfx_host.print "grown 0.5: {} {} {} {}"(%d18_a, %d18_b, %d18_c, %d18_d) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}grown 1.2: {{3\.16780711[0-9]*}} {{3\.29706660[0-9]*}} {{3\.57080364[0-9]*}} {{3\.69770521[0-9]*}}{{$}}
  %d19 = tfx_ad.gradient @grown(%s, %c1_2) wrt [0] : (!tfx_host.struct<@State>, f64) -> !tfx_host.struct<@State>
  %d19_a = tfx_host.extract %d19["a"] : !tfx_host.struct<@State> -> f64
  %d19_b = tfx_host.extract %d19["b"] : !tfx_host.struct<@State> -> f64
  %d19_c = tfx_host.extract %d19["c"] : !tfx_host.struct<@State> -> f64
  %d19_d = tfx_host.extract %d19["d"] : !tfx_host.struct<@State> -> f64
  tfx_host.print "grown 1.2: {} {} {} {}"(%d19_a, %d19_b, %d19_c, %d19_d) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}grown 2: {{8\.71246228[0-9]*}} {{8\.73404344[0-9]*}} {{9\.05170673[0-9]*}} {{9\.07001115[0-9]*}}{{$}}
  %d20 = tfx_ad.gradient @grown(%s, %two) wrt [0] : (!tfx_host.struct<@State>, f64) -> !tfx_host.struct<@State>
  %d20_a = tfx_host.extract %d20["a"] : !tfx_host.struct<@State> -> f64
  %d20_b = tfx_host.extract %d20["b"] : !tfx_host.struct<@State> -> f64
  %d20_c = tfx_host.extract %d20["c"] : !tfx_host.struct<@State> -> f64
  %d20_d = tfx_host.extract %d20["d"] : !tfx_host.struct<@State> -> f64
  tfx_host.print "grown 2: {} {} {} {}"(%d20_a, %d20_b, %d20_c, %d20_d) : f64, f64, f64, f64
  // Case: Enzyme, Integration/ReverseMode, fixed_point.c.
  // CHECK-NEXT: {{^}}fixed_point: {{\[\[ *}}{{0\.698758214[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{1\.94576331[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{7\.05652395[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{13\.9281542[0-9]*}}{{ *}}]]{{$}}
  %o = tfx_tensor.const dense<[[0.3], [0.5], [0.7], [0.9]]> : tensor<4x1xf64>
  %d21 = tfx_ad.gradient @fixed_point(%o) wrt [0] : (tensor<4x1xf64>) -> tensor<4x1xf64>
  tfx_host.print "fixed_point: {}"(%d21) : tensor<4x1xf64>
  // Case: Enzyme, Integration/ReverseMode, newton_inversion.c, for a smaller equation.
  // CHECK-NEXT: {{^}}newton: {{0\.0769230769[0-9]*}} {{-?0\.0}}{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @newton(%ten, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "newton: {} {}"(%d22.0, %d22.1) : f64, f64
  // CHECK-NEXT: {{^}}forward newton: 2.0 {{0\.0769230769[0-9]*}}{{$}}
  %y23, %t24 = tfx_ad.jvp @newton(%ten, %five) tangents(%one, %zero : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward newton: {} {}"(%y23, %t24) : f64, f64
  // Case: Enzyme, Integration/ReverseMode, integrateexp.cpp, with a fixed step.
  // CHECK-NEXT: {{^}}integrate 1: -{{0\.361433054[0-9]*}}{{$}}
  %d25 = tfx_ad.gradient @integrate(%one) wrt [0] : (f64) -> f64
  tfx_host.print "integrate 1: {}"(%d25) : f64
  // CHECK-NEXT: {{^}}integrate 5: -{{0\.00297450293[0-9]*}}{{$}}
  %d26 = tfx_ad.gradient @integrate(%five) wrt [0] : (f64) -> f64
  tfx_host.print "integrate 5: {}"(%d26) : f64
  // Case: Enzyme, Integration/ReverseMode, entropy_hessian.c.
  // CHECK-NEXT: {{^}}entropy: {{3\.82035887[0-9]*}} {{(0\.375|0\.374999999[0-9]*|0\.375000000[0-9]*)}} -{{(0\.25|0\.249999999[0-9]*|0\.250000000[0-9]*)}} {{(0\.625|0\.624999999[0-9]*|0\.625000000[0-9]*)}} -{{(1\.25|1\.24999999[0-9]*|1\.25000000[0-9]*)}}{{$}}
  %d27.0, %d27.1, %d27.2, %d27.3, %d27.4 = tfx_ad.gradient @entropy(%one, %c0_3, %cm0_2, %half, %c2_19) wrt [0, 1, 2, 3, 4] : (f64, f64, f64, f64, f64) -> (f64, f64, f64, f64, f64)
  tfx_host.print "entropy: {} {} {} {} {}"(%d27.0, %d27.1, %d27.2, %d27.3, %d27.4) : f64, f64, f64, f64, f64
  // CHECK-NEXT: {{^}}entropy second: {{3\.82035887[0-9]*}} {{(0\.375|0\.374999999[0-9]*|0\.375000000[0-9]*)}} -{{(0\.25|0\.249999999[0-9]*|0\.250000000[0-9]*)}} {{(0\.625|0\.624999999[0-9]*|0\.625000000[0-9]*)}} -{{(1\.25|1\.24999999[0-9]*|1\.25000000[0-9]*)}} {{(3\.1119375|3\.11193749[0-9]*|3\.11193750[0-9]*)}} -{{(1\.229375|1\.22937499[0-9]*|1\.22937500[0-9]*)}} {{(0\.61125|0\.611249999[0-9]*|0\.611250000[0-9]*)}} {{(2\.534375|2\.53437499[0-9]*|2\.53437500[0-9]*)}} -{{(1\.31875|1\.31874999[0-9]*|1\.31875000[0-9]*)}}{{$}}
  %y28.0, %y28.1, %y28.2, %y28.3, %y28.4, %t29.0, %t29.1, %t29.2, %t29.3, %t29.4 = tfx_ad.jvp @entropy.grad(%one, %c0_3, %cm0_2, %half, %c2_19) tangents(%one, %minus_one, %half, %two, %c0_3 : f64, f64, f64, f64, f64) wrt [0, 1, 2, 3, 4] : (f64, f64, f64, f64, f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64)
  tfx_host.print "entropy second: {} {} {} {} {} {} {} {} {} {}"(%y28.0, %y28.1, %y28.2, %y28.3, %y28.4, %t29.0, %t29.1, %t29.2, %t29.3, %t29.4) : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
  // CHECK-NEXT: {{^}}entropy second reverse: {{(3\.1119375|3\.11193749[0-9]*|3\.11193750[0-9]*)}} -{{(1\.229375|1\.22937499[0-9]*|1\.22937500[0-9]*)}} {{(0\.61125|0\.611249999[0-9]*|0\.611250000[0-9]*)}} {{(2\.534375|2\.53437499[0-9]*|2\.53437500[0-9]*)}} -{{(1\.31875|1\.31874999[0-9]*|1\.31875000[0-9]*)}}{{$}}
  %y30.0, %y30.1, %y30.2, %y30.3, %y30.4, %pullback30 = tfx_ad.vjp @entropy.grad(%one, %c0_3, %cm0_2, %half, %c2_19) wrt [0, 1, 2, 3, 4] : (f64, f64, f64, f64, f64) -> (f64, f64, f64, f64, f64, !tfx_host.closure<(f64, f64, f64, f64, f64) -> (f64, f64, f64, f64, f64)>)
  %d31.0, %d31.1, %d31.2, %d31.3, %d31.4 = tfx_host.apply %pullback30(%one, %minus_one, %half, %two, %c0_3) : !tfx_host.closure<(f64, f64, f64, f64, f64) -> (f64, f64, f64, f64, f64)>
  tfx_host.print "entropy second reverse: {} {} {} {} {}"(%d31.0, %d31.1, %d31.2, %d31.3, %d31.4) : f64, f64, f64, f64, f64
  return
}
