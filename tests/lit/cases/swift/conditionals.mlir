// Conditionals: branches, early returns, tuples and structs that change in an arm, in both modes.
// Swift, test/AutoDiff/validation-test/control_flow.swift, tests "Conditionals" and
// "NestedConditionals", and forward_mode_control_flow.swift. Swift's Float is f64 here.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @cond1(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^other:
  %a = arith.addf %x, %x : f64
  return %a : f64
}

func.func private @cond2(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %cm1337 = arith.constant -1337.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %xx = arith.mulf %x, %x : f64
  cf.br ^end(%xx : f64)
^other:
  %is_eq = arith.cmpf oeq, %x, %cm1337 : f64
  cf.cond_br %is_eq, ^end(%zero : f64), ^last
^last:
  %a = arith.addf %x, %x : f64
  cf.br ^end(%a : f64)
^end(%y: f64):
  return %y : f64
}

// The variable is assigned in each arm, also with values that nothing reads.
func.func private @cond2_var(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %cm1337 = arith.constant -1337.0 : f64
  %y = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %y : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %y0 = tfx_host.load %y : !tfx_host.ref<f64>
  %a = arith.mulf %y0, %x : f64
  tfx_host.store %a, %y : f64
  cf.br ^end
^other:
  %is_eq = arith.cmpf oeq, %x, %cm1337 : f64
  cf.cond_br %is_eq, ^special, ^last
^special:
  tfx_host.store %x, %y : f64
  tfx_host.store %x, %y : f64
  tfx_host.store %zero, %y : f64
  cf.br ^end
^last:
  %y1 = tfx_host.load %y : !tfx_host.ref<f64>
  %b = arith.addf %x, %y1 : f64
  tfx_host.store %b, %y : f64
  cf.br ^end
^end:
  %r = tfx_host.load %y : !tfx_host.ref<f64>
  return %r : f64
}

func.func private @cond3(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
^other:
  %a = arith.subf %y, %x : f64
  return %a : f64
}

// A break out of a block under a condition that always fails.
func.func private @cond4_var(%x: f64) -> f64 {
  %yes = arith.constant true
  %no = arith.constant false
  %outer = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %outer : f64
  cf.cond_br %yes, ^then, ^end
^then:
  %o = tfx_host.load %outer : !tfx_host.ref<f64>
  %inner = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %o, %inner : f64
  %i = tfx_host.load %inner : !tfx_host.ref<f64>
  %ix = arith.mulf %i, %x : f64
  tfx_host.store %ix, %inner : f64
  cf.cond_br %no, ^end, ^assign
^assign:
  %j = tfx_host.load %inner : !tfx_host.ref<f64>
  tfx_host.store %j, %outer : f64
  cf.br ^end
^end:
  %r = tfx_host.load %outer : !tfx_host.ref<f64>
  return %r : f64
}

func.func private @cond_tuple(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.make_tuple(%x, %x) : f64, f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %a = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %b = tfx_host.tuple_get %y[1] : tuple<f64, f64>
  %c = arith.addf %a, %b : f64
  return %c : f64
^other:
  %d = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %e = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %f = arith.addf %d, %e : f64
  %g = tfx_host.tuple_get %y[1] : tuple<f64, f64>
  %h = arith.subf %f, %g : f64
  %i = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %j = arith.addf %h, %i : f64
  return %j : f64
}

func.func private @cond_tuple2(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.make_tuple(%x, %x) : f64, f64
  %y0 = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %y1 = tfx_host.tuple_get %y[1] : tuple<f64, f64>
  %a = arith.addf %y0, %y1 : f64
  return %a : f64
^other:
  %b = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %double = arith.addf %y0, %b : f64
  %y2 = tfx_host.tuple_get %y[1] : tuple<f64, f64>
  %c = arith.subf %double, %y2 : f64
  %d = tfx_host.tuple_get %y[0] : tuple<f64, f64>
  %e = arith.addf %c, %d : f64
  return %e : f64
}

// Tuple variables whose elements are assigned one by one.
func.func private @cond_tuple_var(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %z = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %y.0 = tfx_host.field_ref %y["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %y.1 = tfx_host.field_ref %y["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %z.0 = tfx_host.field_ref %z["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %z.1 = tfx_host.field_ref %z["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %xx = tfx_host.make_tuple(%x, %x) : f64, f64
  tfx_host.store %xx, %y : tuple<f64, f64>
  %c = arith.addf %x, %x : f64
  %d = arith.subf %x, %x : f64
  %start = tfx_host.make_tuple(%c, %d) : f64, f64
  tfx_host.store %start, %z : tuple<f64, f64>
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %w = tfx_host.make_tuple(%x, %x) : f64, f64
  %w1 = tfx_host.tuple_get %w[1] : tuple<f64, f64>
  tfx_host.store %w1, %y.0 : f64
  %w0 = tfx_host.tuple_get %w[0] : tuple<f64, f64>
  tfx_host.store %w0, %y.1 : f64
  %z0 = tfx_host.load %z.0 : !tfx_host.ref<f64>
  %y0 = tfx_host.load %y.0 : !tfx_host.ref<f64>
  %less = arith.subf %z0, %y0 : f64
  tfx_host.store %less, %z.0 : f64
  %z1 = tfx_host.load %z.1 : !tfx_host.ref<f64>
  %sum = arith.addf %z1, %y0 : f64
  tfx_host.store %sum, %z.1 : f64
  cf.br ^end
^other:
  tfx_host.store %xx, %z : tuple<f64, f64>
  cf.br ^end
^end:
  %a = tfx_host.load %y : !tfx_host.ref<tuple<f64, f64>>
  %b = tfx_host.load %z : !tfx_host.ref<tuple<f64, f64>>
  %e = tfx_host.tuple_get %a[0] : tuple<f64, f64>
  %f = tfx_host.tuple_get %a[1] : tuple<f64, f64>
  %g = arith.addf %e, %f : f64
  %h = tfx_host.tuple_get %b[0] : tuple<f64, f64>
  %i = arith.subf %g, %h : f64
  %j = tfx_host.tuple_get %b[1] : tuple<f64, f64>
  %k = arith.addf %i, %j : f64
  return %k : f64
}

// A tuple in a tuple.
func.func private @cond_nestedtuple_var(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.var : !tfx_host.ref<tuple<f64, f64>>
  %z = tfx_host.var : !tfx_host.ref<tuple<tuple<f64, f64>, f64>>
  %y.0 = tfx_host.field_ref %y["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %y.1 = tfx_host.field_ref %y["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %inner = tfx_host.field_ref %z["0"] : !tfx_host.ref<tuple<tuple<f64, f64>, f64>> -> !tfx_host.ref<tuple<f64, f64>>
  %z.0 = tfx_host.field_ref %inner["0"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %z.1 = tfx_host.field_ref %inner["1"] : !tfx_host.ref<tuple<f64, f64>> -> !tfx_host.ref<f64>
  %c = arith.addf %x, %x : f64
  %d = arith.subf %x, %x : f64
  %first = tfx_host.make_tuple(%c, %d) : f64, f64
  tfx_host.store %first, %y : tuple<f64, f64>
  %second = tfx_host.make_tuple(%first, %x) : tuple<f64, f64>, f64
  tfx_host.store %second, %z : tuple<tuple<f64, f64>, f64>
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  tfx_host.store %x, %y.0 : f64
  tfx_host.store %x, %y.1 : f64
  %y0 = tfx_host.load %y.0 : !tfx_host.ref<f64>
  %z0 = tfx_host.load %z.0 : !tfx_host.ref<f64>
  %less = arith.subf %z0, %y0 : f64
  tfx_host.store %less, %z.0 : f64
  %z1 = tfx_host.load %z.1 : !tfx_host.ref<f64>
  %sum = arith.addf %z1, %y0 : f64
  tfx_host.store %sum, %z.1 : f64
  cf.br ^end
^other:
  %old = tfx_host.load %y : !tfx_host.ref<tuple<f64, f64>>
  %e = tfx_host.tuple_get %old[0] : tuple<f64, f64>
  %f = arith.subf %e, %x : f64
  %g = tfx_host.tuple_get %old[1] : tuple<f64, f64>
  %h = arith.addf %g, %x : f64
  %pair = tfx_host.make_tuple(%f, %h) : f64, f64
  %whole = tfx_host.make_tuple(%pair, %x) : tuple<f64, f64>, f64
  tfx_host.store %whole, %z : tuple<tuple<f64, f64>, f64>
  cf.br ^end
^end:
  %a = tfx_host.load %y : !tfx_host.ref<tuple<f64, f64>>
  %b = tfx_host.load %inner : !tfx_host.ref<tuple<f64, f64>>
  %i = tfx_host.tuple_get %a[0] : tuple<f64, f64>
  %j = tfx_host.tuple_get %a[1] : tuple<f64, f64>
  %k = arith.addf %i, %j : f64
  %l = tfx_host.tuple_get %b[0] : tuple<f64, f64>
  %m = arith.subf %k, %l : f64
  %n = tfx_host.tuple_get %b[1] : tuple<f64, f64>
  %o = arith.addf %m, %n : f64
  return %o : f64
}

tfx_host.struct @FloatPair {first: f64, second: f64}
tfx_host.struct @Pair<"T", "U"> {first: !tfx_host.param<"T">, second: !tfx_host.param<"U">}

func.func private @cond_struct(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.make_struct(%x, %x) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %first = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %second = tfx_host.extract %y["second"] : !tfx_host.struct<@FloatPair> -> f64
  %a = arith.addf %first, %second : f64
  return %a : f64
^other:
  %b = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %c = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %d = arith.addf %b, %c : f64
  %e = tfx_host.extract %y["second"] : !tfx_host.struct<@FloatPair> -> f64
  %f = arith.subf %d, %e : f64
  %g = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %h = arith.addf %f, %g : f64
  return %h : f64
}

func.func private @cond_struct2(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.make_struct(%x, %x) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  %y0 = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %y1 = tfx_host.extract %y["second"] : !tfx_host.struct<@FloatPair> -> f64
  %a = arith.addf %y0, %y1 : f64
  return %a : f64
^other:
  %first = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %double = arith.addf %y0, %first : f64
  %y2 = tfx_host.extract %y["second"] : !tfx_host.struct<@FloatPair> -> f64
  %b = arith.subf %double, %y2 : f64
  %c = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %d = arith.addf %b, %c : f64
  return %d : f64
}

// A struct variable whose fields change in one arm, and as a whole in the other.
func.func private @cond_struct_var(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@FloatPair>>
  %z = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@FloatPair>>
  %y.first = tfx_host.field_ref %y["first"] : !tfx_host.ref<!tfx_host.struct<@FloatPair>> -> !tfx_host.ref<f64>
  %y.second = tfx_host.field_ref %y["second"] : !tfx_host.ref<!tfx_host.struct<@FloatPair>> -> !tfx_host.ref<f64>
  %z.first = tfx_host.field_ref %z["first"] : !tfx_host.ref<!tfx_host.struct<@FloatPair>> -> !tfx_host.ref<f64>
  %z.second = tfx_host.field_ref %z["second"] : !tfx_host.ref<!tfx_host.struct<@FloatPair>> -> !tfx_host.ref<f64>
  %xx = tfx_host.make_struct(%x, %x) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  tfx_host.store %xx, %y : !tfx_host.struct<@FloatPair>
  %c = arith.addf %x, %x : f64
  %d = arith.subf %x, %x : f64
  %start = tfx_host.make_struct(%c, %d) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  tfx_host.store %start, %z : !tfx_host.struct<@FloatPair>
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %w = tfx_host.load %y : !tfx_host.ref<!tfx_host.struct<@FloatPair>>
  %w1 = tfx_host.extract %w["second"] : !tfx_host.struct<@FloatPair> -> f64
  tfx_host.store %w1, %y.first : f64
  %w0 = tfx_host.extract %w["first"] : !tfx_host.struct<@FloatPair> -> f64
  tfx_host.store %w0, %y.second : f64
  %z0 = tfx_host.load %z.first : !tfx_host.ref<f64>
  %y0 = tfx_host.load %y.first : !tfx_host.ref<f64>
  %less = arith.subf %z0, %y0 : f64
  tfx_host.store %less, %z.first : f64
  %z1 = tfx_host.load %z.second : !tfx_host.ref<f64>
  %sum = arith.addf %z1, %y0 : f64
  tfx_host.store %sum, %z.second : f64
  cf.br ^end
^other:
  tfx_host.store %xx, %z : !tfx_host.struct<@FloatPair>
  cf.br ^end
^end:
  %a = tfx_host.load %y : !tfx_host.ref<!tfx_host.struct<@FloatPair>>
  %b = tfx_host.load %z : !tfx_host.ref<!tfx_host.struct<@FloatPair>>
  %first = tfx_host.extract %a["first"] : !tfx_host.struct<@FloatPair> -> f64
  %second = tfx_host.extract %a["second"] : !tfx_host.struct<@FloatPair> -> f64
  %e = arith.addf %first, %second : f64
  %f = tfx_host.extract %b["first"] : !tfx_host.struct<@FloatPair> -> f64
  %g = arith.subf %e, %f : f64
  %h = tfx_host.extract %b["second"] : !tfx_host.struct<@FloatPair> -> f64
  %i = arith.addf %g, %h : f64
  return %i : f64
}

// A struct in a generic struct.
func.func private @cond_nestedstruct_var(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %d = arith.addf %x, %x : f64
  %e = arith.subf %x, %x : f64
  %y = tfx_host.make_struct(%d, %e) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  %z = tfx_host.make_struct(%y, %x) : (!tfx_host.struct<@FloatPair>, f64) -> !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>>
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %z0 = tfx_host.extract %z["first"] : !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>> -> !tfx_host.struct<@FloatPair>
  %first = tfx_host.extract %z0["first"] : !tfx_host.struct<@FloatPair> -> f64
  %less = arith.subf %first, %x : f64
  %second = tfx_host.extract %z0["second"] : !tfx_host.struct<@FloatPair> -> f64
  %sum = arith.addf %second, %x : f64
  %z1 = tfx_host.insert %less into %z0["first"] : f64, !tfx_host.struct<@FloatPair>
  %z2 = tfx_host.insert %sum into %z1["second"] : f64, !tfx_host.struct<@FloatPair>
  %z3 = tfx_host.insert %z2 into %z["first"] : !tfx_host.struct<@FloatPair>, !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>>
  %w = tfx_host.make_struct(%x, %x) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  cf.br ^end(%w, %z3 : !tfx_host.struct<@FloatPair>, !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>>)
^other:
  %f = tfx_host.extract %y["first"] : !tfx_host.struct<@FloatPair> -> f64
  %g = arith.subf %f, %x : f64
  %h = tfx_host.extract %y["second"] : !tfx_host.struct<@FloatPair> -> f64
  %i = arith.addf %h, %x : f64
  %p = tfx_host.make_struct(%g, %i) : (f64, f64) -> !tfx_host.struct<@FloatPair>
  %q = tfx_host.make_struct(%p, %x) : (!tfx_host.struct<@FloatPair>, f64) -> !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>>
  cf.br ^end(%y, %q : !tfx_host.struct<@FloatPair>, !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>>)
^end(%a: !tfx_host.struct<@FloatPair>, %b: !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>>):
  %c = tfx_host.extract %b["first"] : !tfx_host.struct<@Pair<!tfx_host.struct<@FloatPair>, f64>> -> !tfx_host.struct<@FloatPair>
  %j = tfx_host.extract %a["first"] : !tfx_host.struct<@FloatPair> -> f64
  %k = tfx_host.extract %a["second"] : !tfx_host.struct<@FloatPair> -> f64
  %l = arith.addf %j, %k : f64
  %m = tfx_host.extract %c["first"] : !tfx_host.struct<@FloatPair> -> f64
  %n = arith.subf %l, %m : f64
  %o = tfx_host.extract %c["second"] : !tfx_host.struct<@FloatPair> -> f64
  %r = arith.addf %n, %o : f64
  return %r : f64
}

func.func private @guard1(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^pass, ^fail
^fail:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^pass:
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}

func.func private @guard2(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %cm1337 = arith.constant -1337.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^pass, ^fail
^fail:
  %a = arith.cmpf ogt, %y, %zero : f64
  cf.cond_br %a, ^product, ^other
^product:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
^other:
  %is_eq = arith.cmpf oeq, %x, %cm1337 : f64
  cf.cond_br %is_eq, ^square, ^zero
^square:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^zero:
  return %zero : f64
^pass:
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}

func.func private @guard2_var(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %cm1337 = arith.constant -1337.0 : f64
  %z = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %z : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^pass, ^fail
^fail:
  %a = arith.cmpf ogt, %y, %zero : f64
  cf.cond_br %a, ^product, ^other
^product:
  %z0 = tfx_host.load %z : !tfx_host.ref<f64>
  %b = arith.mulf %z0, %x : f64
  tfx_host.store %b, %z : f64
  cf.br ^end
^other:
  %is_eq = arith.cmpf oeq, %x, %cm1337 : f64
  cf.cond_br %is_eq, ^square, ^zero
^square:
  tfx_host.store %x, %z : f64
  %z1 = tfx_host.load %z : !tfx_host.ref<f64>
  %c = arith.mulf %z1, %z1 : f64
  tfx_host.store %c, %z : f64
  cf.br ^end
^zero:
  tfx_host.store %zero, %z : f64
  cf.br ^end
^end:
  %r = tfx_host.load %z : !tfx_host.ref<f64>
  return %r : f64
^pass:
  %p = tfx_host.load %z : !tfx_host.ref<f64>
  %py = arith.mulf %p, %y : f64
  return %py : f64
}

// The other path aborts.
func.func private @guard3(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^pass, ^fail
^fail:
  tfx_host.abort "not positive"
  tfx_host.unreachable
^pass:
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}

func.func private @cond_empty(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^then, ^end
^then:
  cf.br ^end
^end:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}

// A generic function with a branch.
func.func private @pick(%first: i1, %x: !tfx_host.param<"T">, %y: !tfx_host.param<"T">) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  cf.cond_br %first, ^end(%x : !tfx_host.param<"T">), ^end(%y : !tfx_host.param<"T">)
^end(%r: !tfx_host.param<"T">):
  return %r : !tfx_host.param<"T">
}
func.func private @cond_generic(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %p = arith.cmpf ogt, %x, %zero : f64
  %r = tfx_host.call @pick<[f64]>(%p, %x, %y) : (i1, f64, f64) -> f64
  return %r : f64
}

func.func private @nested1(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %ten = arith.constant 10.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %a = arith.cmpf ogt, %x, %ten : f64
  cf.cond_br %a, ^large, ^small
^large:
  %xx = arith.mulf %x, %x : f64
  %b = arith.addf %xx, %x : f64
  return %b : f64
^small:
  %c = arith.mulf %x, %x : f64
  return %c : f64
^other:
  %minus_x = arith.negf %x : f64
  %d = arith.mulf %x, %minus_x : f64
  return %d : f64
}

func.func private @nested2(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %ten = arith.constant 10.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^other
^positive:
  %a = arith.cmpf ogt, %y, %ten : f64
  cf.cond_br %a, ^large, ^small
^large:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
^small:
  %b = arith.addf %x, %y : f64
  return %b : f64
^other:
  %minus_y = arith.negf %y : f64
  return %minus_y : f64
}

// Some of the inner paths fall through to the end.
func.func private @nested3(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %ten = arith.constant 10.0 : f64
  %hundred = arith.constant 100.0 : f64
  %c20 = arith.constant 20.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^end
^positive:
  %a = arith.cmpf ogt, %y, %ten : f64
  cf.cond_br %a, ^large, ^small
^large:
  %z = arith.mulf %x, %y : f64
  %b = arith.cmpf ogt, %z, %hundred : f64
  cf.cond_br %b, ^more, ^less
^more:
  %c = arith.addf %x, %z : f64
  return %c : f64
^less:
  %is_eq = arith.cmpf oeq, %y, %c20 : f64
  cf.cond_br %is_eq, ^double, ^end
^double:
  %d = arith.addf %z, %z : f64
  return %d : f64
^small:
  %e = arith.addf %x, %y : f64
  return %e : f64
^end:
  %minus_y = arith.negf %y : f64
  return %minus_y : f64
}

func.func private @nested3_var(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %ten = arith.constant 10.0 : f64
  %hundred = arith.constant 100.0 : f64
  %c20 = arith.constant 20.0 : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^positive, ^end
^positive:
  %w0 = tfx_host.load %w : !tfx_host.ref<f64>
  %a = arith.cmpf ogt, %y, %ten : f64
  cf.cond_br %a, ^large, ^small
^large:
  %z = tfx_host.var : !tfx_host.ref<f64>
  %b = arith.mulf %x, %w0 : f64
  tfx_host.store %b, %z : f64
  %z0 = tfx_host.load %z : !tfx_host.ref<f64>
  %c = arith.cmpf ogt, %z0, %hundred : f64
  cf.cond_br %c, ^more, ^less
^more:
  %d = arith.addf %x, %z0 : f64
  tfx_host.store %d, %z : f64
  %z1 = tfx_host.load %z : !tfx_host.ref<f64>
  return %z1 : f64
^less:
  %is_eq = arith.cmpf oeq, %y, %c20 : f64
  cf.cond_br %is_eq, ^double, ^end
^double:
  %e = arith.addf %z0, %z0 : f64
  tfx_host.store %e, %z : f64
  %z2 = tfx_host.load %z : !tfx_host.ref<f64>
  return %z2 : f64
^small:
  %f = arith.addf %x, %w0 : f64
  tfx_host.store %f, %w : f64
  %w1 = tfx_host.load %w : !tfx_host.ref<f64>
  return %w1 : f64
^end:
  %w2 = tfx_host.load %w : !tfx_host.ref<f64>
  %minus_w2 = arith.negf %w2 : f64
  tfx_host.store %minus_w2, %w : f64
  %w3 = tfx_host.load %w : !tfx_host.ref<f64>
  return %w3 : f64
}

// Only the struct of the weight is a parameter of the derivative; two branches are always taken.
tfx_host.struct @Weight {w: f64}
func.func private @tf_781(%model: !tfx_host.struct<@Weight>, %input: f64) -> f64 {
  %yes = arith.constant true
  %x = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %input, %x : f64
  cf.cond_br %yes, ^outer, ^end
^outer:
  cf.cond_br %yes, ^inner, ^end
^inner:
  %x0 = tfx_host.load %x : !tfx_host.ref<f64>
  %w = tfx_host.extract %model["w"] : !tfx_host.struct<@Weight> -> f64
  %a = arith.mulf %x0, %w : f64
  tfx_host.store %a, %x : f64
  cf.br ^end
^end:
  %r = tfx_host.load %x : !tfx_host.ref<f64>
  return %r : f64
}

func.func public @main() {
  %four = arith.constant 4.0 : f64
  %cm10 = arith.constant -10.0 : f64
  %cm1337 = arith.constant -1337.0 : f64
  %five = arith.constant 5.0 : f64
  %cm3 = arith.constant -3.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %three = arith.constant 3.0 : f64
  %cm5 = arith.constant -5.0 : f64
  %two = arith.constant 2.0 : f64
  %cm4 = arith.constant -4.0 : f64
  %c11 = arith.constant 11.0 : f64
  %c20 = arith.constant 20.0 : f64
  %c21 = arith.constant 21.0 : f64
  %ten = arith.constant 10.0 : f64
  %one = arith.constant 1.0 : f64
  // Case: Swift, control_flow.swift, "Conditionals", cond1.
  // CHECK: {{^}}cond1 4: 8.0{{$}}
  %d0 = tfx_ad.gradient @cond1(%four) wrt [0] : (f64) -> f64
  tfx_host.print "cond1 4: {}"(%d0) : f64
  // CHECK-NEXT: {{^}}cond1 -10: 2.0{{$}}
  %d1 = tfx_ad.gradient @cond1(%cm10) wrt [0] : (f64) -> f64
  tfx_host.print "cond1 -10: {}"(%d1) : f64
  // Case: Swift, control_flow.swift, "Conditionals", cond2.
  // CHECK-NEXT: {{^}}cond2 4: 8.0{{$}}
  %d2 = tfx_ad.gradient @cond2(%four) wrt [0] : (f64) -> f64
  tfx_host.print "cond2 4: {}"(%d2) : f64
  // CHECK-NEXT: {{^}}cond2 -10: 2.0{{$}}
  %d3 = tfx_ad.gradient @cond2(%cm10) wrt [0] : (f64) -> f64
  tfx_host.print "cond2 -10: {}"(%d3) : f64
  // CHECK-NEXT: {{^}}cond2 -1337: 0.0{{$}}
  %d4 = tfx_ad.gradient @cond2(%cm1337) wrt [0] : (f64) -> f64
  tfx_host.print "cond2 -1337: {}"(%d4) : f64
  // Case: Swift, control_flow.swift, "Conditionals", cond2_var.
  // CHECK-NEXT: {{^}}cond2_var 4: 8.0{{$}}
  %d5 = tfx_ad.gradient @cond2_var(%four) wrt [0] : (f64) -> f64
  tfx_host.print "cond2_var 4: {}"(%d5) : f64
  // CHECK-NEXT: {{^}}cond2_var -10: 2.0{{$}}
  %d6 = tfx_ad.gradient @cond2_var(%cm10) wrt [0] : (f64) -> f64
  tfx_host.print "cond2_var -10: {}"(%d6) : f64
  // CHECK-NEXT: {{^}}cond2_var -1337: 0.0{{$}}
  %d7 = tfx_ad.gradient @cond2_var(%cm1337) wrt [0] : (f64) -> f64
  tfx_host.print "cond2_var -1337: {}"(%d7) : f64
  // Case: Swift, control_flow.swift, "Conditionals", cond3.
  // CHECK-NEXT: {{^}}cond3 4 5: 5.0 4.0{{$}}
  %d8.0, %d8.1 = tfx_ad.gradient @cond3(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond3 4 5: {} {}"(%d8.0, %d8.1) : f64, f64
  // CHECK-NEXT: {{^}}cond3 -3 -2: -1.0 1.0{{$}}
  %d9.0, %d9.1 = tfx_ad.gradient @cond3(%cm3, %cm2) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond3 -3 -2: {} {}"(%d9.0, %d9.1) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond4_var.
  // CHECK-NEXT: {{^}}cond4_var: 9.0 6.0{{$}}
  %y11, %d10 = tfx_ad.gradient @cond4_var(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond4_var: {} {}"(%y11, %d10) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_tuple.
  // CHECK-NEXT: {{^}}cond_tuple 4: 8.0 2.0{{$}}
  %y13, %d12 = tfx_ad.gradient @cond_tuple(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple 4: {} {}"(%y13, %d12) : f64, f64
  // CHECK-NEXT: {{^}}cond_tuple -10: -20.0 2.0{{$}}
  %y15, %d14 = tfx_ad.gradient @cond_tuple(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple -10: {} {}"(%y15, %d14) : f64, f64
  // CHECK-NEXT: {{^}}cond_tuple -1337: -2674.0 2.0{{$}}
  %y17, %d16 = tfx_ad.gradient @cond_tuple(%cm1337) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple -1337: {} {}"(%y17, %d16) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_tuple2.
  // CHECK-NEXT: {{^}}cond_tuple2 4: 8.0 2.0{{$}}
  %y19, %d18 = tfx_ad.gradient @cond_tuple2(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple2 4: {} {}"(%y19, %d18) : f64, f64
  // CHECK-NEXT: {{^}}cond_tuple2 -10: -20.0 2.0{{$}}
  %y21, %d20 = tfx_ad.gradient @cond_tuple2(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple2 -10: {} {}"(%y21, %d20) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_tuple_var.
  // CHECK-NEXT: {{^}}cond_tuple_var 4: 8.0 2.0{{$}}
  %y23, %d22 = tfx_ad.gradient @cond_tuple_var(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple_var 4: {} {}"(%y23, %d22) : f64, f64
  // CHECK-NEXT: {{^}}cond_tuple_var -10: -20.0 2.0{{$}}
  %y25, %d24 = tfx_ad.gradient @cond_tuple_var(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple_var -10: {} {}"(%y25, %d24) : f64, f64
  // CHECK-NEXT: {{^}}cond_tuple_var -1337: -2674.0 2.0{{$}}
  %y27, %d26 = tfx_ad.gradient @cond_tuple_var(%cm1337) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_tuple_var -1337: {} {}"(%y27, %d26) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_nestedtuple_var.
  // CHECK-NEXT: {{^}}cond_nestedtuple_var 4: 8.0 2.0{{$}}
  %y29, %d28 = tfx_ad.gradient @cond_nestedtuple_var(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_nestedtuple_var 4: {} {}"(%y29, %d28) : f64, f64
  // CHECK-NEXT: {{^}}cond_nestedtuple_var -10: -20.0 2.0{{$}}
  %y31, %d30 = tfx_ad.gradient @cond_nestedtuple_var(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_nestedtuple_var -10: {} {}"(%y31, %d30) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_struct.
  // CHECK-NEXT: {{^}}cond_struct 4: 8.0 2.0{{$}}
  %y33, %d32 = tfx_ad.gradient @cond_struct(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_struct 4: {} {}"(%y33, %d32) : f64, f64
  // CHECK-NEXT: {{^}}cond_struct -10: -20.0 2.0{{$}}
  %y35, %d34 = tfx_ad.gradient @cond_struct(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_struct -10: {} {}"(%y35, %d34) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_struct2.
  // CHECK-NEXT: {{^}}cond_struct2 4: 8.0 2.0{{$}}
  %y37, %d36 = tfx_ad.gradient @cond_struct2(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_struct2 4: {} {}"(%y37, %d36) : f64, f64
  // CHECK-NEXT: {{^}}cond_struct2 -10: -20.0 2.0{{$}}
  %y39, %d38 = tfx_ad.gradient @cond_struct2(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_struct2 -10: {} {}"(%y39, %d38) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_struct_var.
  // CHECK-NEXT: {{^}}cond_struct_var 4: 8.0 2.0{{$}}
  %y41, %d40 = tfx_ad.gradient @cond_struct_var(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_struct_var 4: {} {}"(%y41, %d40) : f64, f64
  // CHECK-NEXT: {{^}}cond_struct_var -10: -20.0 2.0{{$}}
  %y43, %d42 = tfx_ad.gradient @cond_struct_var(%cm10) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_struct_var -10: {} {}"(%y43, %d42) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_nestedstruct_var.
  // CHECK-NEXT: {{^}}cond_nestedstruct_var 4: 8.0 2.0{{$}}
  %y45, %d44 = tfx_ad.gradient @cond_nestedstruct_var(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_nestedstruct_var 4: {} {}"(%y45, %d44) : f64, f64
  // CHECK-NEXT: {{^}}cond_nestedstruct_var -1337: -2674.0 2.0{{$}}
  %y47, %d46 = tfx_ad.gradient @cond_nestedstruct_var(%cm1337) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "cond_nestedstruct_var -1337: {} {}"(%y47, %d46) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", guard1.
  // CHECK-NEXT: {{^}}guard1 4 5: 0.0 10.0{{$}}
  %d48.0, %d48.1 = tfx_ad.gradient @guard1(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard1 4 5: {} {}"(%d48.0, %d48.1) : f64, f64
  // CHECK-NEXT: {{^}}guard1 -3 -2: -6.0 0.0{{$}}
  %d49.0, %d49.1 = tfx_ad.gradient @guard1(%cm3, %cm2) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard1 -3 -2: {} {}"(%d49.0, %d49.1) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", guard2.
  // CHECK-NEXT: {{^}}guard2 4 5: 0.0 10.0{{$}}
  %d50.0, %d50.1 = tfx_ad.gradient @guard2(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2 4 5: {} {}"(%d50.0, %d50.1) : f64, f64
  // CHECK-NEXT: {{^}}guard2 -1337 5: 5.0 -1337.0{{$}}
  %d51.0, %d51.1 = tfx_ad.gradient @guard2(%cm1337, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2 -1337 5: {} {}"(%d51.0, %d51.1) : f64, f64
  // CHECK-NEXT: {{^}}guard2 -1337 -5: -2674.0 0.0{{$}}
  %d52.0, %d52.1 = tfx_ad.gradient @guard2(%cm1337, %cm5) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2 -1337 -5: {} {}"(%d52.0, %d52.1) : f64, f64
  // CHECK-NEXT: {{^}}guard2 -3 2: 2.0 -3.0{{$}}
  %d53.0, %d53.1 = tfx_ad.gradient @guard2(%cm3, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2 -3 2: {} {}"(%d53.0, %d53.1) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", guard2_var.
  // CHECK-NEXT: {{^}}guard2_var 4 5: 0.0 10.0{{$}}
  %d54.0, %d54.1 = tfx_ad.gradient @guard2_var(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2_var 4 5: {} {}"(%d54.0, %d54.1) : f64, f64
  // CHECK-NEXT: {{^}}guard2_var -1337 5: 5.0 -1337.0{{$}}
  %d55.0, %d55.1 = tfx_ad.gradient @guard2_var(%cm1337, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2_var -1337 5: {} {}"(%d55.0, %d55.1) : f64, f64
  // CHECK-NEXT: {{^}}guard2_var -1337 -5: -2674.0 0.0{{$}}
  %d56.0, %d56.1 = tfx_ad.gradient @guard2_var(%cm1337, %cm5) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2_var -1337 -5: {} {}"(%d56.0, %d56.1) : f64, f64
  // CHECK-NEXT: {{^}}guard2_var -3 2: 2.0 -3.0{{$}}
  %d57.0, %d57.1 = tfx_ad.gradient @guard2_var(%cm3, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard2_var -3 2: {} {}"(%d57.0, %d57.1) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", guard3, the path that does not abort.
  // CHECK-NEXT: {{^}}guard3: 0.0 10.0{{$}}
  %d58.0, %d58.1 = tfx_ad.gradient @guard3(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "guard3: {} {}"(%d58.0, %d58.1) : f64, f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_empty.
  // CHECK-NEXT: {{^}}cond_empty 2: 4.0{{$}}
  %d59 = tfx_ad.gradient @cond_empty(%two) wrt [0] : (f64) -> f64
  tfx_host.print "cond_empty 2: {}"(%d59) : f64
  // CHECK-NEXT: {{^}}cond_empty -3: -6.0{{$}}
  %d60 = tfx_ad.gradient @cond_empty(%cm3) wrt [0] : (f64) -> f64
  tfx_host.print "cond_empty -3: {}"(%d60) : f64
  // Case: Swift, control_flow.swift, "Conditionals", cond_generic.
  // CHECK-NEXT: {{^}}cond_generic 4 5: 1.0 0.0{{$}}
  %d61.0, %d61.1 = tfx_ad.gradient @cond_generic(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond_generic 4 5: {} {}"(%d61.0, %d61.1) : f64, f64
  // CHECK-NEXT: {{^}}cond_generic -4 5: 0.0 1.0{{$}}
  %d62.0, %d62.1 = tfx_ad.gradient @cond_generic(%cm4, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond_generic -4 5: {} {}"(%d62.0, %d62.1) : f64, f64
  // Case: Swift, control_flow.swift, "NestedConditionals", nested1.
  // CHECK-NEXT: {{^}}nested1 11: 23.0{{$}}
  %d63 = tfx_ad.gradient @nested1(%c11) wrt [0] : (f64) -> f64
  tfx_host.print "nested1 11: {}"(%d63) : f64
  // CHECK-NEXT: {{^}}nested1 4: 8.0{{$}}
  %d64 = tfx_ad.gradient @nested1(%four) wrt [0] : (f64) -> f64
  tfx_host.print "nested1 4: {}"(%d64) : f64
  // CHECK-NEXT: {{^}}nested1 -10: 20.0{{$}}
  %d65 = tfx_ad.gradient @nested1(%cm10) wrt [0] : (f64) -> f64
  tfx_host.print "nested1 -10: {}"(%d65) : f64
  // Case: Swift, control_flow.swift, "NestedConditionals", nested2.
  // CHECK-NEXT: {{^}}nested2 4 20: 20.0 4.0{{$}}
  %d66.0, %d66.1 = tfx_ad.gradient @nested2(%four, %c20) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested2 4 20: {} {}"(%d66.0, %d66.1) : f64, f64
  // CHECK-NEXT: {{^}}nested2 4 5: 1.0 1.0{{$}}
  %d67.0, %d67.1 = tfx_ad.gradient @nested2(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested2 4 5: {} {}"(%d67.0, %d67.1) : f64, f64
  // CHECK-NEXT: {{^}}nested2 -3 -2: 0.0 -1.0{{$}}
  %d68.0, %d68.1 = tfx_ad.gradient @nested2(%cm3, %cm2) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested2 -3 -2: {} {}"(%d68.0, %d68.1) : f64, f64
  // Case: Swift, control_flow.swift, "NestedConditionals", nested3.
  // CHECK-NEXT: {{^}}nested3 4 20: 40.0 8.0{{$}}
  %d69.0, %d69.1 = tfx_ad.gradient @nested3(%four, %c20) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3 4 20: {} {}"(%d69.0, %d69.1) : f64, f64
  // CHECK-NEXT: {{^}}nested3 4 21: 0.0 -1.0{{$}}
  %d70.0, %d70.1 = tfx_ad.gradient @nested3(%four, %c21) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3 4 21: {} {}"(%d70.0, %d70.1) : f64, f64
  // CHECK-NEXT: {{^}}nested3 4 5: 1.0 1.0{{$}}
  %d71.0, %d71.1 = tfx_ad.gradient @nested3(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3 4 5: {} {}"(%d71.0, %d71.1) : f64, f64
  // CHECK-NEXT: {{^}}nested3 -3 -2: 0.0 -1.0{{$}}
  %d72.0, %d72.1 = tfx_ad.gradient @nested3(%cm3, %cm2) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3 -3 -2: {} {}"(%d72.0, %d72.1) : f64, f64
  // Case: Swift, control_flow.swift, "NestedConditionals", nested3_var.
  // CHECK-NEXT: {{^}}nested3_var 4 20: 40.0 8.0{{$}}
  %d73.0, %d73.1 = tfx_ad.gradient @nested3_var(%four, %c20) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3_var 4 20: {} {}"(%d73.0, %d73.1) : f64, f64
  // CHECK-NEXT: {{^}}nested3_var 4 21: 0.0 -1.0{{$}}
  %d74.0, %d74.1 = tfx_ad.gradient @nested3_var(%four, %c21) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3_var 4 21: {} {}"(%d74.0, %d74.1) : f64, f64
  // CHECK-NEXT: {{^}}nested3_var 4 5: 1.0 1.0{{$}}
  %d75.0, %d75.1 = tfx_ad.gradient @nested3_var(%four, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested3_var 4 5: {} {}"(%d75.0, %d75.1) : f64, f64
  // Case: Swift, control_flow.swift, "NestedConditionals", TF_781, by the struct.
  %weight = tfx_host.make_struct(%three) : (f64) -> !tfx_host.struct<@Weight>
  // CHECK-NEXT: {{^}}tf_781: 10.0{{$}}
  %d76 = tfx_ad.gradient @tf_781(%weight, %ten) wrt [0] : (!tfx_host.struct<@Weight>, f64) -> !tfx_host.struct<@Weight>
  %d76_w = tfx_host.extract %d76["w"] : !tfx_host.struct<@Weight> -> f64
  tfx_host.print "tf_781: {}"(%d76_w) : f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond1.
  // CHECK-NEXT: {{^}}forward cond1: 16.0 8.0{{$}}
  %y77, %t78 = tfx_ad.jvp @cond1(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond1: {} {}"(%y77, %t78) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond2.
  // CHECK-NEXT: {{^}}forward cond2: 0.0 0.0{{$}}
  %y79, %t80 = tfx_ad.jvp @cond2(%cm1337) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond2: {} {}"(%y79, %t80) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond3.
  // CHECK-NEXT: {{^}}forward cond3: 20.0 9.0{{$}}
  %y81, %t82 = tfx_ad.jvp @cond3(%four, %five) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward cond3: {} {}"(%y81, %t82) : f64, f64
  // CHECK-NEXT: {{^}}forward cond3 negative: 1.0 0.0{{$}}
  %y83, %t84 = tfx_ad.jvp @cond3(%cm3, %cm2) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "forward cond3 negative: {} {}"(%y83, %t84) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond2_var.
  // CHECK-NEXT: {{^}}forward cond2_var: -20.0 2.0{{$}}
  %y85, %t86 = tfx_ad.jvp @cond2_var(%cm10) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond2_var: {} {}"(%y85, %t86) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond_tuple_var.
  // CHECK-NEXT: {{^}}forward cond_tuple_var: -20.0 2.0{{$}}
  %y87, %t88 = tfx_ad.jvp @cond_tuple_var(%cm10) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond_tuple_var: {} {}"(%y87, %t88) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond_nestedtuple_var.
  // CHECK-NEXT: {{^}}forward cond_nestedtuple_var: 8.0 2.0{{$}}
  %y89, %t90 = tfx_ad.jvp @cond_nestedtuple_var(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond_nestedtuple_var: {} {}"(%y89, %t90) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond_struct_var.
  // CHECK-NEXT: {{^}}forward cond_struct_var: -2674.0 2.0{{$}}
  %y91, %t92 = tfx_ad.jvp @cond_struct_var(%cm1337) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond_struct_var: {} {}"(%y91, %t92) : f64, f64
  // Case: Swift, forward_mode_control_flow.swift, "Conditionals", cond_nestedstruct_var.
  // CHECK-NEXT: {{^}}forward cond_nestedstruct_var: -20.0 2.0{{$}}
  %y93, %t94 = tfx_ad.jvp @cond_nestedstruct_var(%cm10) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64)
  tfx_host.print "forward cond_nestedstruct_var: {} {}"(%y93, %t94) : f64, f64
  return
}
