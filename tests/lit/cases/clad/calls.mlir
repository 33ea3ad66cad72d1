// Calls: parameters by reference, results that nothing reads, recursion, early returns, and
// Jacobians. Clad, test/Gradient/FunctionCalls.C, EarlyReturns.C, RecursiveFunctionEarlyReturn.C,
// test/NestedCalls/NestedCalls.C, test/ForwardMode/ReferenceArguments.C and
// test/Jacobian/Jacobian.C. A double of C is f64, and an array is a tensor.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @constant_fn(%i: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  return %three : f64
}
func.func private @fn1(%i: f64) -> f64 {
  %r = func.call @constant_fn(%i) : (f64) -> f64
  %ri = arith.mulf %r, %i : f64
  return %ri : f64
}

// Both parameters change, and the result of the first call is not read.
func.func private @modify(%i: !tfx_host.ref<f64>, %j: !tfx_host.ref<f64>) -> f64 {
  %a = tfx_host.load %i : !tfx_host.ref<f64>
  %b = tfx_host.load %j : !tfx_host.ref<f64>
  %c = arith.addf %a, %b : f64
  tfx_host.store %c, %i : f64
  %d = arith.addf %b, %b : f64
  tfx_host.store %d, %j : f64
  %e = arith.addf %c, %d : f64
  return %e : f64
}
func.func private @fn2(%i: f64, %j: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %j, %w : f64
  %first = func.call @modify(%v, %w) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> f64
  %second = func.call @modify(%v, %w) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @update(%i: !tfx_host.ref<f64>, %j: !tfx_host.ref<f64>) {
  %a = tfx_host.load %i : !tfx_host.ref<f64>
  %b = tfx_host.load %j : !tfx_host.ref<f64>
  %c = arith.addf %a, %b : f64
  tfx_host.store %c, %i : f64
  %d = arith.addf %b, %b : f64
  tfx_host.store %d, %j : f64
  return
}
func.func private @fn3(%i: f64, %j: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %j, %w : f64
  func.call @update(%v, %w) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  func.call @update(%v, %w) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> ()
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}

// A tensor in a variable: the function that sums it changes its first element.
func.func private @sum_and_change(%a: !tfx_host.ref<tensor<5xf64>>) -> f64 {
  %t = tfx_host.load %a : !tfx_host.ref<tensor<5xf64>>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%t, %axes) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  %factors = tfx_tensor.const dense<[11.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %u = tfx_tensor.op "Mul"(%t, %factors) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  tfx_host.store %u, %a : tensor<5xf64>
  %b = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %b : f64
}
func.func private @fn4(%t: tensor<5xf64>) -> f64 {
  %a = tfx_host.var : !tfx_host.ref<tensor<5xf64>>
  tfx_host.store %t, %a : tensor<5xf64>
  %first = func.call @sum_and_change(%a) : (!tfx_host.ref<tensor<5xf64>>) -> f64
  %u = tfx_host.load %a : !tfx_host.ref<tensor<5xf64>>
  %two = tfx_tensor.const dense<2.0> : tensor<f64>
  %doubled = tfx_tensor.op "Mul"(%u, %two) : (tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%doubled, %axes) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  %b = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  %c = arith.addf %first, %b : f64
  return %c : f64
}
func.func private @fn6(%i: f64, %j: f64) -> f64 {
  %ij = arith.mulf %i, %j : f64
  return %ij : f64
}

// Three names of two variables.
func.func private @fn7(%i: f64, %j: f64) -> f64 {
  %seven = arith.constant 7.0 : f64
  %nine = arith.constant 9.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %j, %w : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %b = tfx_host.load %w : !tfx_host.ref<f64>
  %e = arith.mulf %seven, %b : f64
  %f = arith.addf %a, %e : f64
  tfx_host.store %f, %v : f64
  %c = tfx_host.load %v : !tfx_host.ref<f64>
  %g = arith.mulf %nine, %c : f64
  %h = arith.addf %b, %g : f64
  tfx_host.store %h, %w : f64
  %d = tfx_host.load %w : !tfx_host.ref<f64>
  %k = arith.addf %c, %d : f64
  %l = arith.addf %k, %c : f64
  return %l : f64
}

// Arguments that are no floats.
func.func private @check_and_return(%x: f64, %c: i64, %s: !tfx_host.string) -> f64 {
  %n97 = arith.constant 97 : i64
  %one = arith.constant 1.0 : f64
  %is_eq = arith.cmpi eq, %c, %n97 : i64
  cf.cond_br %is_eq, ^then, ^else
^then:
  return %x : f64
^else:
  return %one : f64
}
func.func private @fn8(%x: f64, %y: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %c = arith.constant 97 : i64
  %s = tfx_host.string "aa"
  %one = arith.constant 1.0 : f64
  %a = func.call @check_and_return(%x, %c, %s) : (f64, i64, !tfx_host.string) -> f64
  %ay = arith.mulf %a, %y : f64
  %tanh_one = math.tanh %one : f64
  %b = arith.mulf %ay, %tanh_one : f64
  %d = arith.mulf %b, %two : f64
  return %d : f64
}
func.func private @custom_max(%a: f64, %b: f64) -> f64 {
  %is_gt = arith.cmpf ogt, %a, %b : f64
  %c = arith.select %is_gt, %a, %b : f64
  return %c : f64
}
func.func private @fn9(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  %a = func.call @custom_max(%xy, %y) : (f64, f64) -> f64
  return %a : f64
}
func.func private @fn10(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %ten = arith.constant 10.0 : f64
  %a = arith.maximumf %x, %zero : f64
  %b = arith.minimumf %a, %ten : f64
  %low = arith.constant 3.0 : f64
  %high = arith.constant 7.0 : f64
  %c = math.clampf %b to [%low, %high] : f64
  %cy = arith.mulf %c, %y : f64
  return %cy : f64
}

// A function with a rule.
func.func private @sum2(%x: f64, %y: f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0, 1], forward = @sum2.forward, backward = @sum2.backward>} {
  %a = arith.addf %x, %y : f64
  return %a : f64
}
func.func private @sum2.forward(%x: f64, %y: f64) -> f64 {
  %sum2_x = func.call @sum2(%x, %y) : (f64, f64) -> f64
  return %sum2_x : f64
}
func.func private @sum2.backward(%d: f64) -> (f64, f64) {
  return %d, %d : f64, f64
}
func.func private @fn11(%x: f64, %y: f64) -> f64 {
  %sum2_x = func.call @sum2(%x, %y) : (f64, f64) -> f64
  return %sum2_x : f64
}

func.func private @empty(%x: !tfx_host.ref<f64>, %y: f64) {
  return
}
func.func private @fn14(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  func.call @empty(%v, %y) : (!tfx_host.ref<f64>, f64) -> ()
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %b = arith.addf %a, %y : f64
  return %b : f64
}

// The argument of a call whose result is not read changes a variable.
func.func private @fn15(%x: f64, %y: f64) -> f64 {
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  %a = tfx_host.load %w : !tfx_host.ref<f64>
  %c = arith.addf %a, %x : f64
  tfx_host.store %c, %w : f64
  %b = tfx_host.load %w : !tfx_host.ref<f64>
  %unused = func.call @constant_fn(%b) : (f64) -> f64
  return %b : f64
}
func.func private @rec(%x: f64, %y: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %is_gt = arith.cmpf ogt, %x, %y : f64
  cf.cond_br %is_gt, ^more, ^end
^more:
  %a = arith.subf %x, %one : f64
  %rec_a = func.call @rec(%a, %y) : (f64, f64) -> f64
  return %rec_a : f64
^end:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @fn16(%x: f64, %y: f64) -> f64 {
  %rec_x = func.call @rec(%x, %y) : (f64, f64) -> f64
  return %rec_x : f64
}

// The variable is an argument twice, once by its value and once by its name.
func.func private @add_ref(%a: f64, %b: !tfx_host.ref<f64>) -> f64 {
  %c = tfx_host.load %b : !tfx_host.ref<f64>
  %d = arith.addf %a, %c : f64
  return %d : f64
}
func.func private @fn17(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  %a = func.call @add_ref(%x, %w) : (f64, !tfx_host.ref<f64>) -> f64
  tfx_host.store %a, %v : f64
  %b = func.call @add_ref(%a, %v) : (f64, !tfx_host.ref<f64>) -> f64
  tfx_host.store %b, %v : f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @fn18(%x: f64, %y: f64) -> f64 {
  %square_x = func.call @square(%x) : (f64) -> f64
  %square_y = func.call @square(%y) : (f64) -> f64
  %a = arith.addf %square_x, %square_y : f64
  return %a : f64
}
func.func private @square(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}

// A tensor from the second element on.
func.func private @fn20(%x: tensor<2xf64>, %w: tensor<3xf64>) -> f64 {
  %axes = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %a = tfx_tensor.const dense<[2]> : tensor<1xi32>
  %v = tfx_tensor.op "Slice"(%w, %axes, %a) : (tensor<3xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf64>
  %p = tfx_tensor.op "Mul"(%x, %v) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %b = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%p, %b) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %c = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %c : f64
}
func.func private @double_ref(%x: !tfx_host.ref<f64>) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = tfx_host.load %x : !tfx_host.ref<f64>
  %b = arith.mulf %a, %two : f64
  tfx_host.store %b, %x : f64
  return %b : f64
}
func.func private @fn24(%x: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %unused = func.call @double_ref(%v) : (!tfx_host.ref<f64>) -> f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}

// A loop multiplies a tensor in a variable.
func.func private @mult(%a: !tfx_host.ref<tensor<3xf64>>, %y: f64) {
  %t = tfx_host.load %a : !tfx_host.ref<tensor<3xf64>>
  %f = tfx_tensor.from_scalar %y : f64
  %u = tfx_tensor.op "Mul"(%t, %f) : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  tfx_host.store %u, %a : tensor<3xf64>
  return
}
func.func private @third(%t: tensor<3xf64>) -> f64 {
  %at = tfx_tensor.const dense<2> : tensor<i32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<3xf64>, tensor<i32>, tensor<i32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  return %a : f64
}
func.func private @second(%t: tensor<3xf64>) -> f64 {
  %at = tfx_tensor.const dense<1> : tensor<i32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%t, %at, %axis) : (tensor<3xf64>, tensor<i32>, tensor<i32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  return %a : f64
}
func.func private @fn27(%u: f64, %v: f64) -> f64 {
  %tu = tfx_tensor.from_scalar %u : f64
  %tv = tfx_tensor.from_scalar %v : f64
  %c1 = tfx_tensor.const dense<1.0> : tensor<f64>
  %t = tfx_tensor.op "Pack"(%tu, %tv, %c1) {axis = 0 : i64} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<3xf64>
  %a = tfx_host.var : !tfx_host.ref<tensor<3xf64>>
  tfx_host.store %t, %a : tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %p = tfx_tensor.op "Prod"(%t, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  func.call @mult(%a, %u) : (!tfx_host.ref<tensor<3xf64>>, f64) -> ()
  %b = tfx_host.load %a : !tfx_host.ref<tensor<3xf64>>
  %c = tfx_tensor.to_scalar %p : tensor<f64> -> f64
  %third_b = func.call @third(%b) : (tensor<3xf64>) -> f64
  %d = arith.addf %c, %third_b : f64
  return %d : f64
}
func.func private @fn28(%u: f64, %v: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %tu = tfx_tensor.from_scalar %u : f64
  %tv = tfx_tensor.from_scalar %v : f64
  %c1 = tfx_tensor.const dense<1.0> : tensor<f64>
  %t = tfx_tensor.op "Pack"(%tu, %tv, %c1) {axis = 0 : i64} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<3xf64>
  %a = tfx_host.var : !tfx_host.ref<tensor<3xf64>>
  tfx_host.store %t, %a : tensor<3xf64>
  %three = arith.constant 3.0 : f64
  func.call @mult(%a, %u) : (!tfx_host.ref<tensor<3xf64>>, f64) -> ()
  func.call @mult(%a, %three) : (!tfx_host.ref<tensor<3xf64>>, f64) -> ()
  %b = tfx_host.load %a : !tfx_host.ref<tensor<3xf64>>
  %second_b = func.call @second(%b) : (tensor<3xf64>) -> f64
  %c = arith.addf %second_b, %two : f64
  return %c : f64
}

// Early returns.
func.func private @single_early(%x: f64, %y: f64) -> f64 {
  %is_gt = arith.cmpf ogt, %x, %y : f64
  cf.cond_br %is_gt, ^early, ^end
^early:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^end:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @multi_early(%x: f64, %y: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %is_gt = arith.cmpf ogt, %x, %ten : f64
  cf.cond_br %is_gt, ^first, ^next
^first:
  return %x : f64
^next:
  %a = arith.cmpf ogt, %y, %ten : f64
  cf.cond_br %a, ^second, ^end
^second:
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
^end:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @mid_early(%x: f64, %y: f64) -> f64 {
  %c50 = arith.constant 50.0 : f64
  %a = arith.mulf %x, %y : f64
  %b = arith.addf %a, %x : f64
  %is_gt = arith.cmpf ogt, %b, %c50 : f64
  cf.cond_br %is_gt, ^early, ^end
^early:
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
^end:
  %by = arith.mulf %b, %y : f64
  return %by : f64
}
func.func private @nested_early(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^then, ^next
^then:
  %xy = arith.mulf %x, %y : f64
  tfx_host.store %xy, %v : f64
  cf.br ^next
^next:
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %is_lt = arith.cmpf olt, %a, %zero : f64
  cf.cond_br %is_lt, ^early, ^end
^early:
  return %zero : f64
^end:
  return %a : f64
}
func.func private @decl_after_early(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %is_eq = arith.cmpf oeq, %y, %zero : f64
  cf.cond_br %is_eq, ^early, ^next
^early:
  return %one : f64
^next:
  %c = arith.mulf %two, %x : f64
  %a = arith.addf %y, %x : f64
  %p = arith.mulf %a, %y : f64
  %b = arith.addf %p, %c : f64
  return %b : f64
}
func.func private @ref_after_early(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %is_eq = arith.cmpf oeq, %y, %zero : f64
  cf.cond_br %is_eq, ^early, ^next
^early:
  return %one : f64
^next:
  %p = arith.mulf %x, %y : f64
  %c = arith.mulf %p, %p : f64
  %cc = arith.mulf %c, %c : f64
  return %cc : f64
}
tfx_host.struct @Pair {a: f64, b: f64}
func.func private @struct_after_early(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %is_eq = arith.cmpf oeq, %y, %zero : f64
  cf.cond_br %is_eq, ^early, ^next
^early:
  return %one : f64
^next:
  %xy = arith.mulf %x, %y : f64
  %a = arith.addf %x, %y : f64
  %p = tfx_host.make_struct(%xy, %a) : (f64, f64) -> !tfx_host.struct<@Pair>
  %b = tfx_host.extract %p["a"] : !tfx_host.struct<@Pair> -> f64
  %c = tfx_host.extract %p["b"] : !tfx_host.struct<@Pair> -> f64
  %bc = arith.mulf %b, %c : f64
  return %bc : f64
}

// An object with a constructor that doubles, and a recursive call.
tfx_host.struct @Custom {v: f64}
func.func private @custom(%x: f64) -> !tfx_host.struct<@Custom> {
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %x, %two : f64
  %c = tfx_host.make_struct(%a) : (f64) -> !tfx_host.struct<@Custom>
  return %c : !tfx_host.struct<@Custom>
}
func.func private @recursive(%x: f64, %n: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %two = arith.constant 2.0 : f64
  %n1 = arith.constant 1 : i64
  %is_le = arith.cmpi sle, %n, %n0 : i64
  cf.cond_br %is_le, ^end, ^more
^end:
  %c = func.call @custom(%x) : (f64) -> !tfx_host.struct<@Custom>
  %v = tfx_host.extract %c["v"] : !tfx_host.struct<@Custom> -> f64
  return %v : f64
^more:
  %a = arith.mulf %x, %two : f64
  %b = arith.subi %n, %n1 : i64
  %d = func.call @recursive(%x, %b) : (f64, i64) -> f64
  %e = arith.addf %a, %d : f64
  return %e : f64
}

// sin^2 + cos^2.
func.func private @unit(%x: f64) -> f64 {
  %sin_x = math.sin %x : f64
  %a = func.call @square(%sin_x) : (f64) -> f64
  %cos_x = math.cos %x : f64
  %b = func.call @square(%cos_x) : (f64) -> f64
  %c = arith.addf %a, %b : f64
  return %c : f64
}
func.func private @nested_calls(%x: f64, %y: f64) -> f64 {
  %t = func.call @unit(%x) : (f64) -> f64
  %ty = arith.mulf %t, %y : f64
  return %ty : f64
}
func.func private @reference_arguments(%i: !tfx_host.ref<f64>, %j: !tfx_host.ref<f64>) -> f64 {
  %a = tfx_host.load %i : !tfx_host.ref<f64>
  %b = tfx_host.load %j : !tfx_host.ref<f64>
  %aa = arith.mulf %a, %a : f64
  %aab = arith.mulf %aa, %b : f64
  return %aab : f64
}
func.func private @by_reference(%x: f64, %y: f64) -> f64 {
  %i = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %i : f64
  %j = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %j : f64
  %r = func.call @reference_arguments(%i, %j) : (!tfx_host.ref<f64>, !tfx_host.ref<f64>) -> f64
  return %r : f64
}

// Functions with several results: a row of the Jacobian is a pullback, a column is a tangent.
func.func private @j1(%a: f64, %b: f64, %c: f64) -> (f64, f64, f64) {
  %ten = arith.constant 10.0 : f64
  %aa = arith.mulf %a, %a : f64
  %aaa = arith.mulf %aa, %a : f64
  %d = arith.mulf %a, %a : f64
  %da = arith.mulf %d, %a : f64
  %bb = arith.mulf %b, %b : f64
  %bbb = arith.mulf %bb, %b : f64
  %e = arith.addf %da, %bbb : f64
  %cc = arith.mulf %c, %c : f64
  %f = arith.mulf %cc, %ten : f64
  %g = arith.mulf %a, %a : f64
  %h = arith.subf %f, %g : f64
  return %aaa, %e, %h : f64, f64, f64
}
func.func private @j3(%x: f64, %y: f64, %z: f64) -> (f64, f64, f64) {
  %c42 = arith.constant 42.0 : f64
  %sin_x = math.sin %x : f64
  %a = arith.mulf %sin_x, %c42 : f64
  %sin_y = math.sin %y : f64
  %b = arith.mulf %sin_y, %c42 : f64
  %sin_z = math.sin %z : f64
  %c = arith.mulf %sin_z, %c42 : f64
  return %a, %b, %c : f64, f64, f64
}
func.func private @multiply(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @j4(%x: f64, %y: f64, %z: f64) -> (f64, f64, f64) {
  %c42 = arith.constant 42.0 : f64
  %a = func.call @multiply(%x, %y) : (f64, f64) -> f64
  %b = arith.mulf %a, %c42 : f64
  %c = func.call @multiply(%y, %z) : (f64, f64) -> f64
  %d = arith.mulf %c, %c42 : f64
  %e = func.call @multiply(%z, %x) : (f64, f64) -> f64
  %f = arith.mulf %e, %c42 : f64
  return %b, %d, %f : f64, f64, f64
}
func.func private @j5(%a: f64) -> (f64, f64) {
  %aa = arith.mulf %a, %a : f64
  return %aa, %a : f64, f64
}
func.func private @j7(%a: f64) -> (f64, f64) {
  %three = arith.constant 3.0 : f64
  %cm5 = arith.constant -5.0 : f64
  %b = arith.mulf %three, %a : f64
  %c = arith.mulf %cm5, %b : f64
  return %b, %c : f64, f64
}
func.func private @j8(%a: f64, %b: f64) -> (f64, f64, f64) {
  %two = arith.constant 2.0 : f64
  %aa = arith.mulf %a, %a : f64
  %c = arith.mulf %aa, %a : f64
  %bb = arith.mulf %b, %b : f64
  %bbb = arith.mulf %bb, %b : f64
  %d = arith.addf %c, %bbb : f64
  %e = arith.addf %a, %b : f64
  %twoe = arith.mulf %two, %e : f64
  return %c, %d, %twoe : f64, f64, f64
}
func.func private @j9(%a: f64) -> (f64, f64) {
  %three = arith.constant 3.0 : f64
  %s = arith.mulf %a, %a : f64
  %b = arith.mulf %s, %three : f64
  return %s, %b : f64, f64
}

func.func public @main() {
  %c11 = arith.constant 11.0 : f64
  %three = arith.constant 3.0 : f64
  %five = arith.constant 5.0 : f64
  %eight = arith.constant 8.0 : f64
  %six = arith.constant 6.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %c12 = arith.constant 12.0 : f64
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %c20 = arith.constant 20.0 : f64
  %seven = arith.constant 7.0 : f64
  %cm5 = arith.constant -5.0 : f64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  %four = arith.constant 4.0 : f64
  %cm3 = arith.constant -3.0 : f64
  // Case: Clad, Gradient/FunctionCalls.C, fn1.
  // CHECK: {{^}}fn1: 3.0{{$}}
  %d0 = tfx_ad.gradient @fn1(%c11) wrt [0] : (f64) -> f64
  tfx_host.print "fn1: {}"(%d0) : f64
  // Case: Clad, Gradient/FunctionCalls.C, fn2.
  // CHECK-NEXT: {{^}}fn2: 1.0 3.0{{$}}
  %d1.0, %d1.1 = tfx_ad.gradient @fn2(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn2: {} {}"(%d1.0, %d1.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn3.
  // CHECK-NEXT: {{^}}fn3: 1.0 3.0{{$}}
  %d2.0, %d2.1 = tfx_ad.gradient @fn3(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn3: {} {}"(%d2.0, %d2.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn4.
  // CHECK-NEXT: {{^}}fn4: {{\[ *}}23. 3. 3. 3. 3.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %d3 = tfx_ad.gradient @fn4(%a) wrt [0] : (tensor<5xf64>) -> tensor<5xf64>
  tfx_host.print "fn4: {}"(%d3) : tensor<5xf64>
  // Case: Clad, Gradient/FunctionCalls.C, fn6.
  // CHECK-NEXT: {{^}}fn6: 5.0 3.0{{$}}
  %d4.0, %d4.1 = tfx_ad.gradient @fn6(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn6: {} {}"(%d4.0, %d4.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn7.
  // CHECK-NEXT: {{^}}fn7: 11.0 78.0{{$}}
  %d5.0, %d5.1 = tfx_ad.gradient @fn7(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn7: {} {}"(%d5.0, %d5.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn8, with the closed form 2 tanh(1).
  // CHECK-NEXT: {{^}}fn8: {{7\.61594155[0-9]*}} {{4\.56956493[0-9]*}}{{$}}
  %d6.0, %d6.1 = tfx_ad.gradient @fn8(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn8: {} {}"(%d6.0, %d6.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn9.
  // CHECK-NEXT: {{^}}fn9: 5.0 3.0{{$}}
  %d7.0, %d7.1 = tfx_ad.gradient @fn9(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn9: {} {}"(%d7.0, %d7.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn10.
  // CHECK-NEXT: {{^}}fn10: 0.0 7.0{{$}}
  %d8.0, %d8.1 = tfx_ad.gradient @fn10(%eight, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn10: {} {}"(%d8.0, %d8.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn11.
  // CHECK-NEXT: {{^}}fn11: 1.0 1.0{{$}}
  %d9.0, %d9.1 = tfx_ad.gradient @fn11(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn11: {} {}"(%d9.0, %d9.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn14.
  // CHECK-NEXT: {{^}}fn14: 1.0 1.0{{$}}
  %d10.0, %d10.1 = tfx_ad.gradient @fn14(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn14: {} {}"(%d10.0, %d10.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn15.
  // CHECK-NEXT: {{^}}fn15: 1.0 1.0{{$}}
  %d11.0, %d11.1 = tfx_ad.gradient @fn15(%six, %cm2) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn15: {} {}"(%d11.0, %d11.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn16.
  // CHECK-NEXT: {{^}}fn16: 8.0 8.0{{$}}
  %d12.0, %d12.1 = tfx_ad.gradient @fn16(%c12, %eight) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn16: {} {}"(%d12.0, %d12.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn17.
  // CHECK-NEXT: {{^}}fn17: 2.0{{$}}
  %d13 = tfx_ad.gradient @fn17(%five, %three) wrt [0] : (f64, f64) -> f64
  tfx_host.print "fn17: {}"(%d13) : f64
  // Case: Clad, Gradient/FunctionCalls.C, fn18.
  // CHECK-NEXT: {{^}}fn18: 6.0 10.0{{$}}
  %d14.0, %d14.1 = tfx_ad.gradient @fn18(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn18: {} {}"(%d14.0, %d14.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn20.
  // CHECK-NEXT: {{^}}fn20: {{\[ *}}2. 3.{{ *}}]{{$}}
  %b = tfx_tensor.const dense<[3.0, 5.0]> : tensor<2xf64>
  %c = tfx_tensor.const dense<[-1.0, 2.0, 3.0]> : tensor<3xf64>
  %d15 = tfx_ad.gradient @fn20(%b, %c) wrt [0] : (tensor<2xf64>, tensor<3xf64>) -> tensor<2xf64>
  tfx_host.print "fn20: {}"(%d15) : tensor<2xf64>
  // Case: Clad, Gradient/FunctionCalls.C, fn24.
  // CHECK-NEXT: {{^}}fn24: 2.0{{$}}
  %d16 = tfx_ad.gradient @fn24(%three) wrt [0] : (f64) -> f64
  tfx_host.print "fn24: {}"(%d16) : f64
  // Case: Clad, Gradient/FunctionCalls.C, fn27.
  // CHECK-NEXT: {{^}}fn27: 2.0 2.0{{$}}
  %d17.0, %d17.1 = tfx_ad.gradient @fn27(%two, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn27: {} {}"(%d17.0, %d17.1) : f64, f64
  // Case: Clad, Gradient/FunctionCalls.C, fn28.
  // CHECK-NEXT: {{^}}fn28: 15.0 9.0{{$}}
  %d18.0, %d18.1 = tfx_ad.gradient @fn28(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "fn28: {} {}"(%d18.0, %d18.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, singleEarly.
  // CHECK-NEXT: {{^}}single_early 5 3: 10.0 0.0{{$}}
  %d19.0, %d19.1 = tfx_ad.gradient @single_early(%five, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "single_early 5 3: {} {}"(%d19.0, %d19.1) : f64, f64
  // CHECK-NEXT: {{^}}single_early 3 5: 5.0 3.0{{$}}
  %d20.0, %d20.1 = tfx_ad.gradient @single_early(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "single_early 3 5: {} {}"(%d20.0, %d20.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, multiEarly.
  // CHECK-NEXT: {{^}}multi_early 20 1: 1.0 0.0{{$}}
  %d21.0, %d21.1 = tfx_ad.gradient @multi_early(%c20, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multi_early 20 1: {} {}"(%d21.0, %d21.1) : f64, f64
  // CHECK-NEXT: {{^}}multi_early 1 20: 0.0 40.0{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @multi_early(%one, %c20) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multi_early 1 20: {} {}"(%d22.0, %d22.1) : f64, f64
  // CHECK-NEXT: {{^}}multi_early 2 3: 3.0 2.0{{$}}
  %d23.0, %d23.1 = tfx_ad.gradient @multi_early(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "multi_early 2 3: {} {}"(%d23.0, %d23.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, midEarly.
  // CHECK-NEXT: {{^}}mid_early 8 7: 896.0 960.0{{$}}
  %d24.0, %d24.1 = tfx_ad.gradient @mid_early(%eight, %seven) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "mid_early 8 7: {} {}"(%d24.0, %d24.1) : f64, f64
  // CHECK-NEXT: {{^}}mid_early 6 7: 56.0 90.0{{$}}
  %d25.0, %d25.1 = tfx_ad.gradient @mid_early(%six, %seven) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "mid_early 6 7: {} {}"(%d25.0, %d25.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, callsRec.
  // CHECK-NEXT: {{^}}calls_rec: 1.0 1.0{{$}}
  %d26.0, %d26.1 = tfx_ad.gradient @fn16(%three, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "calls_rec: {} {}"(%d26.0, %d26.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, nested_early_return.
  // CHECK-NEXT: {{^}}nested_early 5: 3.0 5.0{{$}}
  %d27.0, %d27.1 = tfx_ad.gradient @nested_early(%five, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested_early 5: {} {}"(%d27.0, %d27.1) : f64, f64
  // CHECK-NEXT: {{^}}nested_early -5: 0.0 0.0{{$}}
  %d28.0, %d28.1 = tfx_ad.gradient @nested_early(%cm5, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested_early -5: {} {}"(%d28.0, %d28.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, declAfterEarly.
  // CHECK-NEXT: {{^}}decl_after_early 0: 0.0 0.0{{$}}
  %d29.0, %d29.1 = tfx_ad.gradient @decl_after_early(%three, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decl_after_early 0: {} {}"(%d29.0, %d29.1) : f64, f64
  // CHECK-NEXT: {{^}}decl_after_early 5: 7.0 13.0{{$}}
  %d30.0, %d30.1 = tfx_ad.gradient @decl_after_early(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decl_after_early 5: {} {}"(%d30.0, %d30.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, refAfterEarly.
  // CHECK-NEXT: {{^}}ref_after_early 2: 64.0 32.0{{$}}
  %d31.0, %d31.1 = tfx_ad.gradient @ref_after_early(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "ref_after_early 2: {} {}"(%d31.0, %d31.1) : f64, f64
  // CHECK-NEXT: {{^}}ref_after_early 0: 0.0 0.0{{$}}
  %d32.0, %d32.1 = tfx_ad.gradient @ref_after_early(%one, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "ref_after_early 0: {} {}"(%d32.0, %d32.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, structRefAfterEarly.
  // CHECK-NEXT: {{^}}struct_after_early 2: 8.0 5.0{{$}}
  %d33.0, %d33.1 = tfx_ad.gradient @struct_after_early(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "struct_after_early 2: {} {}"(%d33.0, %d33.1) : f64, f64
  // CHECK-NEXT: {{^}}struct_after_early 0: 0.0 0.0{{$}}
  %d34.0, %d34.1 = tfx_ad.gradient @struct_after_early(%one, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "struct_after_early 0: {} {}"(%d34.0, %d34.1) : f64, f64
  // Case: Clad, Gradient/RecursiveFunctionEarlyReturn.C, func1.
  // CHECK-NEXT: {{^}}recursive: 8.0{{$}}
  %d35 = tfx_ad.gradient @recursive(%two, %n3) wrt [0] : (f64, i64) -> f64
  tfx_host.print "recursive: {}"(%d35) : f64
  // Case: Clad, NestedCalls/NestedCalls.C, f.
  // CHECK-NEXT: {{^}}nested_calls: 0.0 1.0{{$}}
  %d36.0, %d36.1 = tfx_ad.gradient @nested_calls(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "nested_calls: {} {}"(%d36.0, %d36.1) : f64, f64
  // Case: Clad, ForwardMode/ReferenceArguments.C, fn1.
  // CHECK-NEXT: {{^}}by_reference: 45.0 30.0{{$}}
  %y37, %t38 = tfx_ad.jvp @by_reference(%three, %five) tangents(%one : f64) wrt [0] : (f64, f64) -> (f64, f64)
  tfx_host.print "by_reference: {} {}"(%y37, %t38) : f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_1.
  // CHECK-NEXT: {{^}}j1: 3.0 0.0 0.0 3.0 12.0 0.0 -2.0 0.0 60.0{{$}}
  %y39.0, %y39.1, %y39.2, %pullback39 = tfx_ad.vjp @j1(%one, %two, %three) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64, !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>)
  %d40.0, %d40.1, %d40.2 = tfx_host.apply %pullback39(%one, %zero, %zero) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  %d41.0, %d41.1, %d41.2 = tfx_host.apply %pullback39(%zero, %one, %zero) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  %d42.0, %d42.1, %d42.2 = tfx_host.apply %pullback39(%zero, %zero, %one) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  tfx_host.print "j1: {} {} {} {} {} {} {} {} {}"(%d40.0, %d40.1, %d40.2, %d41.0, %d41.1, %d41.2, %d42.0, %d42.1, %d42.2) : f64, f64, f64, f64, f64, f64, f64, f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_3, with the closed form 42 cos.
  // CHECK-NEXT: {{^}}j3: {{35\.3417813[0-9]*}} {{38\.1904919[0-9]*}} {{5\.92704033[0-9]*}} {{22\.6926968[0-9]*}} -{{17\.4781671[0-9]*}} -{{41\.5796848[0-9]*}}{{$}}
  %y43.0, %y43.1, %y43.2, %t44.0, %t44.1, %t44.2 = tfx_ad.jvp @j3(%one, %two, %three) tangents(%one, %one, %one : f64, f64, f64) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64, f64, f64, f64)
  tfx_host.print "j3: {} {} {} {} {} {}"(%y43.0, %y43.1, %y43.2, %t44.0, %t44.1, %t44.2) : f64, f64, f64, f64, f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_4.
  // CHECK-NEXT: {{^}}j4: 84.0 42.0 0.0 0.0 126.0 84.0 126.0 0.0 42.0{{$}}
  %y45.0, %y45.1, %y45.2, %pullback45 = tfx_ad.vjp @j4(%one, %two, %three) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, f64, !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>)
  %d46.0, %d46.1, %d46.2 = tfx_host.apply %pullback45(%one, %zero, %zero) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  %d47.0, %d47.1, %d47.2 = tfx_host.apply %pullback45(%zero, %one, %zero) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  %d48.0, %d48.1, %d48.2 = tfx_host.apply %pullback45(%zero, %zero, %one) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64, f64)>
  tfx_host.print "j4: {} {} {} {} {} {} {} {} {}"(%d46.0, %d46.1, %d46.2, %d47.0, %d47.1, %d47.2, %d48.0, %d48.1, %d48.2) : f64, f64, f64, f64, f64, f64, f64, f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_5.
  // CHECK-NEXT: {{^}}j5: 9.0 3.0 6.0 1.0{{$}}
  %y49.0, %y49.1, %t50.0, %t50.1 = tfx_ad.jvp @j5(%three) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "j5: {} {} {} {}"(%y49.0, %y49.1, %t50.0, %t50.1) : f64, f64, f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_7.
  // CHECK-NEXT: {{^}}j7: 12.0 -60.0 3.0 -15.0{{$}}
  %y51.0, %y51.1, %t52.0, %t52.1 = tfx_ad.jvp @j7(%four) tangents(%one : f64) wrt [0] : (f64) -> (f64, f64, f64, f64)
  tfx_host.print "j7: {} {} {} {}"(%y51.0, %y51.1, %t52.0, %t52.1) : f64, f64, f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_8.
  // CHECK-NEXT: {{^}}j8: 48.0 0.0 48.0 27.0 2.0 2.0{{$}}
  %y53.0, %y53.1, %y53.2, %pullback53 = tfx_ad.vjp @j8(%four, %cm3) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, !tfx_host.closure<(f64, f64, f64) -> (f64, f64)>)
  %d54.0, %d54.1 = tfx_host.apply %pullback53(%one, %zero, %zero) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64)>
  %d55.0, %d55.1 = tfx_host.apply %pullback53(%zero, %one, %zero) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64)>
  %d56.0, %d56.1 = tfx_host.apply %pullback53(%zero, %zero, %one) : !tfx_host.closure<(f64, f64, f64) -> (f64, f64)>
  tfx_host.print "j8: {} {} {} {} {} {}"(%d54.0, %d54.1, %d55.0, %d55.1, %d56.0, %d56.1) : f64, f64, f64, f64, f64, f64
  // Case: Clad, Jacobian/Jacobian.C, f_9.
  // CHECK-NEXT: {{^}}j9: 6.0 18.0{{$}}
  %y57.0, %y57.1, %pullback57 = tfx_ad.vjp @j9(%three) wrt [0] : (f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> f64>)
  %d58 = tfx_host.apply %pullback57(%one, %zero) : !tfx_host.closure<(f64, f64) -> f64>
  %d59 = tfx_host.apply %pullback57(%zero, %one) : !tfx_host.closure<(f64, f64) -> f64>
  tfx_host.print "j9: {} {}"(%d58, %d59) : f64, f64
  return
}
