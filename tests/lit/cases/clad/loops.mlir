// Loops of C: for, while and do, with break and continue, and conditions that assign.
// Clad, test/Gradient/Loops.C and test/Gradient/EarlyReturns.C. A double of C is f64, and an array
// is a tensor.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @f1(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %start = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %start) -> (f64) : i64 {
    %tx = arith.mulf %t, %x : f64
    scf.yield %tx : f64
  }
  return %r : f64
}

// A loop in a loop: x^9.
func.func private @f2(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %start = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %start) -> (f64) : i64 {
    %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%u = %t) -> (f64) : i64 {
      %ux = arith.mulf %u, %x : f64
      scf.yield %ux : f64
    }
    scf.yield %s : f64
  }
  return %r : f64
}

// A return in the loop: x^2.
func.func private @f3(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %one = arith.constant 1.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %one : i64, f64)
^head(%i: i64, %t: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %u = arith.mulf %t, %x : f64
  %is_eq = arith.cmpi eq, %i, %n1 : i64
  cf.cond_br %is_eq, ^return, ^next
^return:
  return %u : f64
^next:
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a, %u : i64, f64)
^end:
  return %t : f64
}

// The update of the loop multiplies.
func.func private @f4(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %n0 = arith.constant 0 : i64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %t = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %one, %t : f64
  %i = tfx_host.var : !tfx_host.ref<i64>
  tfx_host.store %n0, %i : i64
  cf.br ^head
^head:
  %i0 = tfx_host.load %i : !tfx_host.ref<i64>
  %more = arith.cmpi slt, %i0, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %i1 = tfx_host.load %i : !tfx_host.ref<i64>
  %a = arith.addi %i1, %n1 : i64
  tfx_host.store %a, %i : i64
  %t0 = tfx_host.load %t : !tfx_host.ref<f64>
  %b = arith.mulf %t0, %x : f64
  tfx_host.store %b, %t : f64
  cf.br ^head
^end:
  %r = tfx_host.load %t : !tfx_host.ref<f64>
  return %r : f64
}

// The parameter itself changes: x + 10.
func.func private @f5(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n10 = arith.constant 10 : i64
  %n1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  cf.br ^head(%n0, %x : i64, f64)
^head(%i: i64, %y: f64):
  %more = arith.cmpi slt, %i, %n10 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %a = arith.addi %i, %n1 : i64
  %b = arith.addf %y, %one : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %y : f64
}

// The counter is a number of the body: 3 x^2 + 3 x.
func.func private @const_local(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %fi = arith.sitofp %i : i64 to f64
  %n = arith.addf %x, %fi : f64
  %a = arith.addi %i, %n1 : i64
  %xn = arith.mulf %x, %n : f64
  %b = arith.addf %r, %xn : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %r : f64
}

// Sums of the elements of a tensor, of their squares, and the logarithm of a normal distribution.
func.func private @sum(%p: tensor<5xf64>) -> f64 {
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %a : f64
}
func.func private @sq(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @sum_squares(%p: tensor<5xf64>) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %s: f64):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%p, %at, %axis) : (tensor<5xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %v = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %a = arith.addi %i, %n1 : i64
  %sq_v = func.call @sq(%v) : (f64) -> f64
  %b = arith.addf %s, %sq_v : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %s : f64
}
func.func private @log_gaus(%x: tensor<5xf64>, %p: tensor<5xf64>, %n: f64, %sigma: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %c6_283185307179586 = arith.constant 6.283185307179586 : f64
  %one = arith.constant 1.0 : f64
  %squares = tfx_tensor.op "SquaredDifference"(%x, %p) : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%squares, %axes) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  %minus_a = arith.negf %a : f64
  %b = arith.mulf %sigma, %sigma : f64
  %twob = arith.mulf %two, %b : f64
  %power = arith.divf %minus_a, %twob : f64
  %c = math.powf %c6_283185307179586, %n : f64
  %d = arith.mulf %c, %sigma : f64
  %sqrt_d = math.sqrt %d : f64
  %e = arith.divf %one, %sqrt_d : f64
  %f = math.exp %power : f64
  %gaus = arith.mulf %e, %f : f64
  %g = math.log %gaus : f64
  return %g : f64
}

func.func private @f6(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%k: i64, %a: f64):
  %more = arith.cmpi slt, %k, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %ii = arith.mulf %i, %i : f64
  %b = arith.addf %ii, %j : f64
  %c = arith.mulf %j, %j : f64
  %d = arith.addi %k, %n1 : i64
  %e = arith.addf %b, %c : f64
  %f = arith.addf %e, %i : f64
  %g = arith.addf %a, %f : f64
  cf.br ^head(%d, %g : i64, f64)
^end:
  return %a : f64
}

// The counter goes down.
func.func private @f7(%i: f64, %j: f64) -> f64 {
  %n3 = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n3, %zero : i64, f64)
^head(%k: i64, %a: f64):
  %is_ne = arith.cmpi ne, %k, %n0 : i64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %b = arith.subi %k, %n1 : i64
  %ii = arith.mulf %i, %i : f64
  %c = arith.addf %ii, %j : f64
  %d = arith.addf %a, %c : f64
  cf.br ^head(%b, %d : i64, f64)
^end:
  return %a : f64
}

// A do loop in a while loop, with the same counter.
func.func private @f8(%i: f64, %j: f64) -> f64 {
  %n3 = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n3, %zero : i64, f64)
^head(%k: i64, %a: f64):
  %is_gt = arith.cmpi sgt, %k, %n0 : i64
  cf.cond_br %is_gt, ^do(%k, %a : i64, f64), ^end
^do(%l: i64, %b: f64):
  %ii = arith.mulf %i, %i : f64
  %d = arith.addf %ii, %j : f64
  %c = arith.addf %b, %d : f64
  %m = arith.subi %l, %n1 : i64
  %is_ne = arith.cmpi ne, %m, %n0 : i64
  cf.cond_br %is_ne, ^do(%m, %c : i64, f64), ^head(%m, %c : i64, f64)
^end:
  return %a : f64
}

func.func private @f9(%i: f64, %j: f64) -> f64 {
  %n3 = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^outer(%n3, %zero : i64, f64)
^outer(%k: i64, %a: f64):
  %is_ne = arith.cmpi ne, %k, %n0 : i64
  cf.cond_br %is_ne, ^inner(%n3, %a : i64, f64), ^end
^inner(%l: i64, %b: f64):
  %c = arith.cmpi ne, %l, %n0 : i64
  cf.cond_br %c, ^body, ^next
^body:
  %d = arith.subi %l, %n1 : i64
  %ii = arith.mulf %i, %i : f64
  %e = arith.addf %ii, %j : f64
  %f = arith.addf %b, %e : f64
  cf.br ^inner(%d, %f : i64, f64)
^next:
  %g = arith.subi %k, %n1 : i64
  cf.br ^outer(%g, %b : i64, f64)
^end:
  return %a : f64
}

func.func private @f11(%i: f64, %j: f64) -> f64 {
  %n3 = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %n1 = arith.constant 1 : i64
  %n0 = arith.constant 0 : i64
  cf.br ^do(%n3, %zero : i64, f64)
^do(%k: i64, %a: f64):
  %ii = arith.mulf %i, %i : f64
  %c = arith.addf %ii, %j : f64
  %b = arith.addf %a, %c : f64
  %l = arith.subi %k, %n1 : i64
  %is_ne = arith.cmpi ne, %l, %n0 : i64
  cf.cond_br %is_ne, ^do(%l, %b : i64, f64), ^end
^end:
  return %b : f64
}

// Three do loops; the innermost runs once.
func.func private @f12(%i: f64, %j: f64) -> f64 {
  %n3 = arith.constant 3 : i64
  %zero = arith.constant 0.0 : f64
  %n1 = arith.constant 1 : i64
  %n0 = arith.constant 0 : i64
  cf.br ^outer(%n3, %zero : i64, f64)
^outer(%k: i64, %a: f64):
  cf.br ^middle(%n3, %a : i64, f64)
^middle(%l: i64, %b: f64):
  %no = arith.constant false
  %ii = arith.mulf %i, %i : f64
  %e = arith.addf %ii, %j : f64
  %f = arith.addf %b, %e : f64
  cf.br ^inner(%f : f64)
^inner(%c: f64):
  %d = arith.addf %c, %j : f64
  cf.cond_br %no, ^inner(%d : f64), ^after
^after:
  %m = arith.subi %l, %n1 : i64
  %is_ne = arith.cmpi ne, %m, %n0 : i64
  cf.cond_br %is_ne, ^middle(%m, %d : i64, f64), ^next
^next:
  %n = arith.subi %k, %n1 : i64
  %g = arith.cmpi ne, %n, %n0 : i64
  cf.cond_br %g, ^outer(%n, %d : i64, f64), ^end
^end:
  return %d : f64
}

// Three ways to continue.
func.func private @f14(%i: f64, %j: f64) -> f64 {
  %n5 = arith.constant 5 : i64
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n3 = arith.constant 3 : i64
  cf.br ^head(%n5, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %is_ne = arith.cmpi ne, %k, %n0 : i64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %c = arith.subi %k, %n1 : i64
  %is_gt = arith.cmpi sgt, %c, %n3 : i64
  cf.cond_br %is_gt, ^first, ^a
^first:
  %a = arith.addf %r, %i : f64
  cf.br ^head(%c, %a : i64, f64)
^a:
  %b = arith.cmpi sgt, %c, %n1 : i64
  cf.cond_br %b, ^second, ^b
^second:
  %d = arith.addf %r, %j : f64
  cf.br ^head(%c, %d : i64, f64)
^b:
  %e = arith.cmpi sgt, %c, %n0 : i64
  cf.cond_br %e, ^third, ^head(%c, %r : i64, f64)
^third:
  %ij = arith.mulf %i, %j : f64
  %f = arith.addf %r, %ij : f64
  cf.br ^head(%c, %f : i64, f64)
^end:
  return %r : f64
}

func.func private @f15(%i: f64, %j: f64) -> f64 {
  %n5 = arith.constant 5 : i64
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n3 = arith.constant 3 : i64
  cf.br ^head(%n5, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %is_ne = arith.cmpi ne, %k, %n0 : i64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %c = arith.subi %k, %n1 : i64
  %is_gt = arith.cmpi sgt, %c, %n2 : i64
  cf.cond_br %is_gt, ^head(%c, %r : i64, f64), ^inner(%n3, %r : i64, f64)
^inner(%l: i64, %s: f64):
  %a = arith.cmpi ne, %l, %n0 : i64
  cf.cond_br %a, ^again, ^head(%c, %s : i64, f64)
^again:
  %d = arith.subi %l, %n1 : i64
  %b = arith.cmpi sgt, %d, %n1 : i64
  cf.cond_br %b, ^first, ^other
^first:
  %e = arith.addf %s, %i : f64
  cf.br ^inner(%d, %e : i64, f64)
^other:
  %f = arith.cmpi sgt, %d, %n0 : i64
  cf.cond_br %f, ^second, ^inner(%d, %s : i64, f64)
^second:
  %g = arith.addf %s, %j : f64
  cf.br ^inner(%d, %g : i64, f64)
^end:
  return %r : f64
}

// A break and a continue.
func.func private @f16(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  %n4 = arith.constant 4 : i64
  %n2 = arith.constant 2 : i64
  %two = arith.constant 2.0 : f64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %more = arith.cmpi slt, %k, %n5 : i64
  cf.cond_br %more, ^body, ^end(%r : f64)
^body:
  %l = arith.addi %k, %n1 : i64
  %is_eq = arith.cmpi eq, %k, %n4 : i64
  cf.cond_br %is_eq, ^break, ^a
^break:
  %ij = arith.mulf %i, %j : f64
  %a = arith.addf %r, %ij : f64
  cf.br ^end(%a : f64)
^a:
  %is_gt = arith.cmpi sgt, %k, %n2 : i64
  cf.cond_br %is_gt, ^continue, ^b
^continue:
  %twoi = arith.mulf %two, %i : f64
  %b = arith.addf %r, %twoi : f64
  cf.br ^head(%l, %b : i64, f64)
^b:
  %c = arith.addf %i, %j : f64
  %d = arith.addf %r, %c : f64
  cf.br ^head(%l, %d : i64, f64)
^end(%s: f64):
  return %s : f64
}

// Each path of the inner loop leaves its iteration early.
func.func private @f17(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n3 = arith.constant 3 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %more = arith.cmpi slt, %k, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %next = arith.addi %k, %n1 : i64
  %a = arith.cmpi slt, %k, %n2 : i64
  cf.cond_br %a, ^head(%next, %r : i64, f64), ^inner(%k : i64)
^inner(%l: i64):
  %is_ne = arith.cmpi ne, %l, %n0 : i64
  cf.cond_br %is_ne, ^again, ^head(%next, %r : i64, f64)
^again:
  %m = arith.subi %l, %n1 : i64
  %b = arith.cmpi slt, %m, %n3 : i64
  cf.cond_br %b, ^break, ^inner(%m : i64)
^break:
  %ij = arith.mulf %i, %j : f64
  %c = arith.addf %r, %ij : f64
  cf.br ^head(%next, %c : i64, f64)
^end:
  return %r : f64
}

func.func private @f18(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n4 = arith.constant 4 : i64
  %two = arith.constant 2.0 : f64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %more = arith.cmpi slt, %k, %n5 : i64
  cf.cond_br %more, ^body, ^end(%r : f64)
^body:
  %next = arith.addi %k, %n1 : i64
  %a = arith.cmpi slt, %k, %n2 : i64
  cf.cond_br %a, ^add, ^a
^add:
  %b = arith.addf %i, %j : f64
  %c = arith.addf %r, %b : f64
  cf.br ^head(%next, %c : i64, f64)
^a:
  %d = arith.cmpi slt, %k, %n4 : i64
  cf.cond_br %d, ^head(%next, %r : i64, f64), ^break
^break:
  %twoi = arith.mulf %two, %i : f64
  %twoj = arith.mulf %two, %j : f64
  %e = arith.addf %twoi, %twoj : f64
  %f = arith.addf %r, %e : f64
  cf.br ^end(%f : f64)
^end(%s: f64):
  return %s : f64
}

// The variable of the loop is a float that depends on the parameters, in 10,000 iterations.
func.func private @loop_init_var(%lower: f64, %upper: f64) -> f64 {
  %c10000 = arith.constant 10000.0 : f64
  %zero = arith.constant 0.0 : f64
  %a = arith.subf %upper, %lower : f64
  %interval = arith.divf %a, %c10000 : f64
  cf.br ^head(%lower, %zero : f64, f64)
^head(%x: f64, %sum: f64):
  %is_le = arith.cmpf ole, %x, %upper : f64
  cf.cond_br %is_le, ^body, ^end
^body:
  %b = arith.addf %x, %interval : f64
  %xx = arith.mulf %x, %x : f64
  %c = arith.mulf %xx, %interval : f64
  %d = arith.addf %sum, %c : f64
  cf.br ^head(%b, %d : f64, f64)
^end:
  return %sum : f64
}

func.func private @f20(%p: tensor<5xf64>) -> f64 {
  %five = tfx_tensor.const dense<5.0> : tensor<f64>
  %q = tfx_tensor.op "Mul"(%p, %five) : (tensor<5xf64>, tensor<f64>) -> tensor<5xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%q, %axes) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  %a = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %a : f64
}

// A tensor of scalars is made in each iteration.
func.func private @f21(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %t = tfx_tensor.from_scalar %x : f64
  %c1 = tfx_tensor.const dense<1.0> : tensor<f64>
  %c2 = tfx_tensor.const dense<2.0> : tensor<f64>
  %a = tfx_tensor.op "Pack"(%c1, %t, %c2) {axis = 0 : i64} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %b = tfx_tensor.const dense<[2]> : tensor<1xi32>
  %s = tfx_tensor.op "Slice"(%a, %axes, %b) : (tensor<3xf64>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf64>
  %c = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %u = tfx_tensor.op "Sum"(%s, %c) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %d = arith.addi %i, %n1 : i64
  %e = tfx_tensor.to_scalar %u : tensor<f64> -> f64
  %f = arith.addf %r, %e : f64
  cf.br ^head(%d, %f : i64, f64)
^end:
  return %r : f64
}

// The condition assigns the result.
func.func private @f23(%i: f64, %j: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  cf.br ^head(%n0 : i64)
^head(%c: i64):
  %ij = arith.mulf %i, %j : f64
  tfx_host.store %ij, %r : f64
  %r0 = tfx_host.load %r : !tfx_host.ref<f64>
  %is_ne = arith.cmpf une, %r0, %zero : f64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %is_eq = arith.cmpi eq, %c, %n1 : i64
  cf.cond_br %is_eq, ^end, ^next
^next:
  %a = arith.addi %c, %n1 : i64
  cf.br ^head(%a : i64)
^end:
  %r1 = tfx_host.load %r : !tfx_host.ref<f64>
  return %r1 : f64
}
func.func private @f24(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%c: i64, %r: f64):
  %ij = arith.mulf %i, %j : f64
  %s = arith.addf %r, %ij : f64
  %more = arith.cmpi slt, %c, %n3 : i64
  cf.cond_br %more, ^next, ^end
^next:
  %a = arith.addi %c, %n1 : i64
  cf.br ^head(%a, %s : i64, f64)
^end:
  return %s : f64
}
func.func private @f25(%i: f64, %j: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %eight = arith.constant 8.0 : f64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  cf.br ^head(%n0 : i64)
^head(%c: i64):
  %r0 = tfx_host.load %r : !tfx_host.ref<f64>
  %ij = arith.mulf %i, %j : f64
  %a = arith.addf %r0, %ij : f64
  tfx_host.store %a, %r : f64
  %more = arith.cmpi slt, %c, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %is_eq = arith.cmpi eq, %c, %n1 : i64
  cf.cond_br %is_eq, ^break, ^next
^break:
  %b = arith.mulf %eight, %i : f64
  %bj = arith.mulf %b, %j : f64
  tfx_host.store %bj, %r : f64
  cf.br ^end
^next:
  %d = arith.addi %c, %n1 : i64
  cf.br ^head(%d : i64)
^end:
  %r1 = tfx_host.load %r : !tfx_host.ref<f64>
  return %r1 : f64
}
func.func private @f27(%i: f64, %j: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  cf.br ^head(%n0 : i64)
^head(%c: i64):
  %r0 = tfx_host.load %r : !tfx_host.ref<f64>
  %ij = arith.mulf %i, %j : f64
  %a = arith.addf %r0, %ij : f64
  tfx_host.store %a, %r : f64
  %r1 = tfx_host.load %r : !tfx_host.ref<f64>
  %is_ne = arith.cmpf une, %r1, %zero : f64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %is_eq = arith.cmpi eq, %c, %n2 : i64
  cf.cond_br %is_eq, ^end, ^assign
^assign:
  %fc = arith.sitofp %c : i64 to f64
  %fci = arith.mulf %fc, %i : f64
  %fcij = arith.mulf %fci, %j : f64
  tfx_host.store %fcij, %r : f64
  %b = arith.addi %c, %n1 : i64
  cf.br ^head(%b : i64)
^end:
  %r2 = tfx_host.load %r : !tfx_host.ref<f64>
  return %r2 : f64
}
func.func private @f28(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %three = arith.constant 3.0 : f64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0 : i64)
^head(%c: i64):
  %r = arith.mulf %i, %j : f64
  %more = arith.cmpi slt, %c, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %a = arith.mulf %three, %i : f64
  %unused = arith.mulf %a, %j : f64
  %b = arith.addi %c, %n1 : i64
  cf.br ^head(%b : i64)
^end:
  return %r : f64
}
func.func private @f31(%i: f64, %j: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %two = arith.constant 2.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  cf.br ^head(%n0 : i64)
^head(%c: i64):
  %ij = arith.mulf %i, %j : f64
  tfx_host.store %ij, %r : f64
  %twoi = arith.mulf %two, %i : f64
  %a = arith.mulf %twoi, %j : f64
  tfx_host.store %a, %r : f64
  %more = arith.cmpi slt, %c, %n3 : i64
  cf.cond_br %more, ^next, ^end
^next:
  %b = arith.addi %c, %n1 : i64
  cf.br ^head(%b : i64)
^end:
  %s = tfx_host.load %r : !tfx_host.ref<f64>
  return %s : f64
}
func.func private @f32(%i: f64, %j: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n1 = arith.constant 1 : i64
  cf.br ^outer(%n0, %zero : i64, f64)
^outer(%c: i64, %r: f64):
  %ij = arith.mulf %i, %j : f64
  %r1 = arith.addf %r, %ij : f64
  %is_ne = arith.cmpf une, %r1, %zero : f64
  cf.cond_br %is_ne, ^start, ^end(%r1 : f64)
^start:
  cf.br ^inner(%n0, %r1 : i64, f64)
^inner(%d: i64, %s: f64):
  %a = arith.mulf %i, %j : f64
  %s1 = arith.addf %s, %a : f64
  %b = arith.cmpf une, %s1, %zero : f64
  cf.cond_br %b, ^body, ^after(%s1 : f64)
^body:
  %is_eq = arith.cmpi eq, %d, %n1 : i64
  cf.cond_br %is_eq, ^break, ^next
^break:
  %e = arith.mulf %i, %j : f64
  %f = arith.addf %s1, %e : f64
  cf.br ^after(%f : f64)
^next:
  %g = arith.addi %d, %n1 : i64
  cf.br ^inner(%g, %s1 : i64, f64)
^after(%t: f64):
  %h = arith.cmpi eq, %c, %n1 : i64
  cf.cond_br %h, ^last, ^again
^last:
  %k = arith.mulf %i, %j : f64
  %l = arith.addf %t, %k : f64
  cf.br ^end(%l : f64)
^again:
  %m = arith.addi %c, %n1 : i64
  cf.br ^outer(%m, %t : i64, f64)
^end(%u: f64):
  return %u : f64
}

func.func private @f40(%u: f64, %v: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %c11 = arith.constant 11.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %a = arith.mulf %c11, %u : f64
  cf.br ^head(%n0, %a : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %b = arith.addi %i, %n1 : i64
  %fi = arith.sitofp %i : i64 to f64
  %ufi = arith.mulf %u, %fi : f64
  %c = arith.addf %r, %ufi : f64
  cf.br ^head(%b, %c : i64, f64)
^end:
  return %r : f64
}
func.func private @f41(%u: f64, %v: f64) -> f64 {
  %n1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  cf.br ^head(%n1, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end(%r : f64)
^body:
  %fi = arith.sitofp %i : i64 to f64
  %fiu = arith.mulf %fi, %u : f64
  %s = arith.addf %r, %fiu : f64
  %is_eq = arith.cmpi eq, %i, %n1 : i64
  cf.cond_br %is_eq, ^end(%s : f64), ^next
^next:
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a, %s : i64, f64)
^end(%t: f64):
  return %t : f64
}

// A struct of four layers, in place of a vector of layers.
tfx_host.struct @Unit {z: f64}
tfx_host.struct @Layer {a: !tfx_host.struct<@Unit>, b: !tfx_host.struct<@Unit>, c: !tfx_host.struct<@Unit>, d: !tfx_host.struct<@Unit>}
func.func private @unit(%u: !tfx_host.struct<@Unit>, %x: f64) -> f64 {
  %z = tfx_host.extract %u["z"] : !tfx_host.struct<@Unit> -> f64
  %a = arith.addf %x, %z : f64
  return %a : f64
}
func.func private @f42(%l: !tfx_host.struct<@Layer>, %x: f64) -> f64 {
  %d = tfx_host.extract %l["d"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %c = tfx_host.extract %l["c"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %b = tfx_host.extract %l["b"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %a = tfx_host.extract %l["a"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %unit_a = func.call @unit(%a, %x) : (!tfx_host.struct<@Unit>, f64) -> f64
  %unit_b = func.call @unit(%b, %unit_a) : (!tfx_host.struct<@Unit>, f64) -> f64
  %unit_c = func.call @unit(%c, %unit_b) : (!tfx_host.struct<@Unit>, f64) -> f64
  %unit_d = func.call @unit(%d, %unit_c) : (!tfx_host.struct<@Unit>, f64) -> f64
  return %unit_d : f64
}

func.func private @f43(%x: tensor<3xf64>) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n3 = arith.constant 3 : i64
  %n1 = arith.constant 1 : i64
  %one = arith.constant 1.0 : f64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n3 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %at = tfx_tensor.from_scalar %i : i64
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %e = tfx_tensor.op "GatherV2"(%x, %at, %axis) : (tensor<3xf64>, tensor<i64>, tensor<i32>) -> tensor<f64>
  %a = arith.addi %i, %n1 : i64
  %b = tfx_tensor.to_scalar %e : tensor<f64> -> f64
  %c = arith.divf %one, %b : f64
  %d = arith.addf %r, %c : f64
  cf.br ^head(%a, %d : i64, f64)
^end:
  return %r : f64
}

func.func private @f44(%u: f64, %v: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f64
  cf.br ^head(%n0 : i64)
^head(%i: i64):
  %is_ne = arith.cmpi ne, %i, %n1 : i64
  cf.cond_br %is_ne, ^break, ^end(%zero : f64)
^break:
  %a = arith.addf %u, %v : f64
  cf.br ^end(%a : f64)
^end(%r: f64):
  return %r : f64
}

// One hundred iterations.
func.func private @f45(%x: f64, %y: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n100 = arith.constant 100 : i64
  %n1 = arith.constant 1 : i64
  %two = arith.constant 2.0 : f64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n100 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %t = arith.divf %y, %x : f64
  %a = arith.addi %i, %n1 : i64
  %b = math.powf %t, %two : f64
  %c = arith.addf %r, %b : f64
  cf.br ^head(%a, %c : i64, f64)
^end:
  return %r : f64
}

// The same by a while loop and a do loop.
func.func private @f46(%x: f64, %y: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n50 = arith.constant 50 : i64
  %n1 = arith.constant 1 : i64
  %two = arith.constant 2.0 : f64
  %n100 = arith.constant 100 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n50 : i64
  cf.cond_br %more, ^body, ^do(%i, %r : i64, f64)
^body:
  %t = arith.divf %y, %x : f64
  %a = arith.addi %i, %n1 : i64
  %b = math.powf %t, %two : f64
  %c = arith.addf %r, %b : f64
  cf.br ^head(%a, %c : i64, f64)
^do(%j: i64, %s: f64):
  %u = arith.divf %y, %x : f64
  %d = math.powf %u, %two : f64
  %v = arith.addf %s, %d : f64
  %k = arith.addi %j, %n1 : i64
  %e = arith.cmpi slt, %k, %n100 : i64
  cf.cond_br %e, ^do(%k, %v : i64, f64), ^end
^end:
  return %v : f64
}

func.func private @loop_early(%x: f64, %y: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %c20 = arith.constant 20.0 : f64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %s: f64):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %xy = arith.mulf %x, %y : f64
  %t = arith.addf %s, %xy : f64
  %is_gt = arith.cmpf ogt, %t, %c20 : f64
  cf.cond_br %is_gt, ^return, ^next
^return:
  return %t : f64
^next:
  %a = arith.addi %i, %n1 : i64
  cf.br ^head(%a, %t : i64, f64)
^end:
  return %s : f64
}

func.func public @main() {
  %three = arith.constant 3.0 : f64
  %five = arith.constant 5.0 : f64
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %hundred = arith.constant 100.0 : f64
  %four = arith.constant 4.0 : f64
  %six = arith.constant 6.0 : f64
  %half = arith.constant 0.5 : f64
  // Case: Clad, Gradient/Loops.C, f1.
  // CHECK: {{^}}f1: 27.0{{$}}
  %d0 = tfx_ad.gradient @f1(%three) wrt [0] : (f64) -> f64
  tfx_host.print "f1: {}"(%d0) : f64
  // Case: Clad, Gradient/Loops.C, f2.
  // CHECK-NEXT: {{^}}f2: 59049.0{{$}}
  %d1 = tfx_ad.gradient @f2(%three) wrt [0] : (f64) -> f64
  tfx_host.print "f2: {}"(%d1) : f64
  // Case: Clad, Gradient/Loops.C, f3.
  // CHECK-NEXT: {{^}}f3: 6.0{{$}}
  %d2 = tfx_ad.gradient @f3(%three) wrt [0] : (f64) -> f64
  tfx_host.print "f3: {}"(%d2) : f64
  // Case: Clad, Gradient/Loops.C, f4.
  // CHECK-NEXT: {{^}}f4: 27.0{{$}}
  %d3 = tfx_ad.gradient @f4(%three) wrt [0] : (f64) -> f64
  tfx_host.print "f4: {}"(%d3) : f64
  // Case: Clad, Gradient/Loops.C, f5.
  // CHECK-NEXT: {{^}}f5: 1.0{{$}}
  %d4 = tfx_ad.gradient @f5(%three) wrt [0] : (f64) -> f64
  tfx_host.print "f5: {}"(%d4) : f64
  // Case: Clad, Gradient/Loops.C, f_const_local.
  // CHECK-NEXT: {{^}}const_local: 21.0{{$}}
  %d5 = tfx_ad.gradient @const_local(%three) wrt [0] : (f64) -> f64
  tfx_host.print "const_local: {}"(%d5) : f64
  // Case: Clad, Gradient/Loops.C, f_sum.
  // CHECK-NEXT: {{^}}sum: {{\[ *}}1. 1. 1. 1. 1.{{ *}}]{{$}}
  %a = tfx_tensor.const dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf64>
  %d6 = tfx_ad.gradient @sum(%a) wrt [0] : (tensor<5xf64>) -> tensor<5xf64>
  tfx_host.print "sum: {}"(%d6) : tensor<5xf64>
  // Case: Clad, Gradient/Loops.C, f_sum_squares.
  // CHECK-NEXT: {{^}}sum_squares: {{\[ *}}2. 4. 6. 8. 10.{{ *}}]{{$}}
  %d7 = tfx_ad.gradient @sum_squares(%a) wrt [0] : (tensor<5xf64>) -> tensor<5xf64>
  tfx_host.print "sum_squares: {}"(%d7) : tensor<5xf64>
  // Case: Clad, Gradient/Loops.C, f_log_gaus.
  // CHECK-NEXT: {{^}}log_gaus: {{\[ *}}0. -{{(0\.25|0\.249999999[0-9]*|0\.250000000[0-9]*)}} -{{(0\.5|0\.499999999[0-9]*|0\.500000000[0-9]*)}} -{{(0\.75|0\.749999999[0-9]*|0\.750000000[0-9]*)}} -{{(1\.0?|0\.999999999[0-9]*|1\.00000000[0-9]*)}}{{ *}}]{{$}}
  %b = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %d8 = tfx_ad.gradient @log_gaus(%b, %a, %five, %two) wrt [1] : (tensor<5xf64>, tensor<5xf64>, f64, f64) -> tensor<5xf64>
  tfx_host.print "log_gaus: {}"(%d8) : tensor<5xf64>
  // Case: Clad, Gradient/Loops.C, f6.
  // CHECK-NEXT: {{^}}f6: 21.0 33.0{{$}}
  %d9.0, %d9.1 = tfx_ad.gradient @f6(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f6: {} {}"(%d9.0, %d9.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn7.
  // CHECK-NEXT: {{^}}f7: 18.0 3.0{{$}}
  %d10.0, %d10.1 = tfx_ad.gradient @f7(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f7: {} {}"(%d10.0, %d10.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn8.
  // CHECK-NEXT: {{^}}f8: 18.0 3.0{{$}}
  %d11.0, %d11.1 = tfx_ad.gradient @f8(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f8: {} {}"(%d11.0, %d11.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn9.
  // CHECK-NEXT: {{^}}f9: 54.0 9.0{{$}}
  %d12.0, %d12.1 = tfx_ad.gradient @f9(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f9: {} {}"(%d12.0, %d12.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn11.
  // CHECK-NEXT: {{^}}f11: 18.0 3.0{{$}}
  %d13.0, %d13.1 = tfx_ad.gradient @f11(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f11: {} {}"(%d13.0, %d13.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn12.
  // CHECK-NEXT: {{^}}f12: 54.0 18.0{{$}}
  %d14.0, %d14.1 = tfx_ad.gradient @f12(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f12: {} {}"(%d14.0, %d14.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn14.
  // CHECK-NEXT: {{^}}f14: 6.0 5.0{{$}}
  %d15.0, %d15.1 = tfx_ad.gradient @f14(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f14: {} {}"(%d15.0, %d15.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn15.
  // CHECK-NEXT: {{^}}f15: 3.0 3.0{{$}}
  %d16.0, %d16.1 = tfx_ad.gradient @f15(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f15: {} {}"(%d16.0, %d16.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn16.
  // CHECK-NEXT: {{^}}f16: 10.0 6.0{{$}}
  %d17.0, %d17.1 = tfx_ad.gradient @f16(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f16: {} {}"(%d17.0, %d17.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn17.
  // CHECK-NEXT: {{^}}f17: 15.0 9.0{{$}}
  %d18.0, %d18.1 = tfx_ad.gradient @f17(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f17: {} {}"(%d18.0, %d18.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn18.
  // CHECK-NEXT: {{^}}f18: 4.0 4.0{{$}}
  %d19.0, %d19.1 = tfx_ad.gradient @f18(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f18: {} {}"(%d19.0, %d19.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, f_loop_init_var, where the published value has two decimals.
  %dl, %du = tfx_ad.gradient @loop_init_var(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  // CHECK-NEXT: {{^}}loop_init_var: -100.0 400.0{{$}}
  %c = arith.mulf %dl, %hundred : f64
  %round_c = math.round %c : f64
  %d = arith.mulf %du, %hundred : f64
  %round_d = math.round %d : f64
  tfx_host.print "loop_init_var: {} {}"(%round_c, %round_d) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn20.
  // CHECK-NEXT: {{^}}f20: {{\[ *}}5. 5. 5. 5. 5.{{ *}}]{{$}}
  %d20 = tfx_ad.gradient @f20(%b) wrt [0] : (tensor<5xf64>) -> tensor<5xf64>
  tfx_host.print "f20: {}"(%d20) : tensor<5xf64>
  // Case: Clad, Gradient/Loops.C, fn21.
  // CHECK-NEXT: {{^}}f21: 5.0{{$}}
  %d21 = tfx_ad.gradient @f21(%five) wrt [0] : (f64) -> f64
  tfx_host.print "f21: {}"(%d21) : f64
  // Case: Clad, Gradient/Loops.C, fn23.
  // CHECK-NEXT: {{^}}f23: 5.0 3.0{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @f23(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f23: {} {}"(%d22.0, %d22.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn24.
  // CHECK-NEXT: {{^}}f24: 20.0 12.0{{$}}
  %d23.0, %d23.1 = tfx_ad.gradient @f24(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f24: {} {}"(%d23.0, %d23.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn25.
  // CHECK-NEXT: {{^}}f25: 40.0 24.0{{$}}
  %d24.0, %d24.1 = tfx_ad.gradient @f25(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f25: {} {}"(%d24.0, %d24.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn27.
  // CHECK-NEXT: {{^}}f27: 10.0 6.0{{$}}
  %d25.0, %d25.1 = tfx_ad.gradient @f27(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f27: {} {}"(%d25.0, %d25.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn28.
  // CHECK-NEXT: {{^}}f28: 5.0 3.0{{$}}
  %d26.0, %d26.1 = tfx_ad.gradient @f28(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f28: {} {}"(%d26.0, %d26.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn31.
  // CHECK-NEXT: {{^}}f31: 10.0 6.0{{$}}
  %d27.0, %d27.1 = tfx_ad.gradient @f31(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f31: {} {}"(%d27.0, %d27.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn32.
  // CHECK-NEXT: {{^}}f32: 45.0 27.0{{$}}
  %d28.0, %d28.1 = tfx_ad.gradient @f32(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f32: {} {}"(%d28.0, %d28.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn40.
  // CHECK-NEXT: {{^}}f40: 14.0 0.0{{$}}
  %d29.0, %d29.1 = tfx_ad.gradient @f40(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f40: {} {}"(%d29.0, %d29.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn41.
  // CHECK-NEXT: {{^}}f41: 1.0 0.0{{$}}
  %d30.0, %d30.1 = tfx_ad.gradient @f41(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f41: {} {}"(%d30.0, %d30.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn42.
  %u3 = tfx_host.make_struct(%three) : (f64) -> !tfx_host.struct<@Unit>
  %u4 = tfx_host.make_struct(%four) : (f64) -> !tfx_host.struct<@Unit>
  %u5 = tfx_host.make_struct(%five) : (f64) -> !tfx_host.struct<@Unit>
  %u6 = tfx_host.make_struct(%six) : (f64) -> !tfx_host.struct<@Unit>
  %layer = tfx_host.make_struct(%u3, %u4, %u5, %u6) : (!tfx_host.struct<@Unit>, !tfx_host.struct<@Unit>, !tfx_host.struct<@Unit>, !tfx_host.struct<@Unit>) -> !tfx_host.struct<@Layer>
  // CHECK-NEXT: {{^}}f42: 1.0 1.0 1.0 1.0{{$}}
  %d31 = tfx_ad.gradient @f42(%layer, %two) wrt [0] : (!tfx_host.struct<@Layer>, f64) -> !tfx_host.struct<@Layer>
  %d31_a = tfx_host.extract %d31["a"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %d31_a_z = tfx_host.extract %d31_a["z"] : !tfx_host.struct<@Unit> -> f64
  %d31_b = tfx_host.extract %d31["b"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %d31_b_z = tfx_host.extract %d31_b["z"] : !tfx_host.struct<@Unit> -> f64
  %d31_c = tfx_host.extract %d31["c"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %d31_c_z = tfx_host.extract %d31_c["z"] : !tfx_host.struct<@Unit> -> f64
  %d31_d = tfx_host.extract %d31["d"] : !tfx_host.struct<@Layer> -> !tfx_host.struct<@Unit>
  %d31_d_z = tfx_host.extract %d31_d["z"] : !tfx_host.struct<@Unit> -> f64
  tfx_host.print "f42: {} {} {} {}"(%d31_a_z, %d31_b_z, %d31_c_z, %d31_d_z) : f64, f64, f64, f64
  // Case: Clad, Gradient/Loops.C, fn43, with the closed form -1 / x^2.
  // CHECK-NEXT: {{^}}f43: {{\[ *}}-1. -0.25 -{{0\.111111111[0-9]*}}{{ *}}]{{$}}
  %e = tfx_tensor.const dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %d32 = tfx_ad.gradient @f43(%e) wrt [0] : (tensor<3xf64>) -> tensor<3xf64>
  tfx_host.print "f43: {}"(%d32) : tensor<3xf64>
  // Case: Clad, Gradient/Loops.C, fn44.
  // CHECK-NEXT: {{^}}f44: 1.0 1.0{{$}}
  %d33.0, %d33.1 = tfx_ad.gradient @f44(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f44: {} {}"(%d33.0, %d33.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn45.
  // CHECK-NEXT: {{^}}f45: -50.0 100.0{{$}}
  %d34.0, %d34.1 = tfx_ad.gradient @f45(%one, %half) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f45: {} {}"(%d34.0, %d34.1) : f64, f64
  // Case: Clad, Gradient/Loops.C, fn46.
  // CHECK-NEXT: {{^}}f46: -50.0 100.0{{$}}
  %d35.0, %d35.1 = tfx_ad.gradient @f46(%one, %half) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "f46: {} {}"(%d35.0, %d35.1) : f64, f64
  // Case: Clad, Gradient/EarlyReturns.C, loopEarly.
  // CHECK-NEXT: {{^}}loop_early 2 3: 12.0 8.0{{$}}
  %d36.0, %d36.1 = tfx_ad.gradient @loop_early(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "loop_early 2 3: {} {}"(%d36.0, %d36.1) : f64, f64
  // CHECK-NEXT: {{^}}loop_early 1 1: 5.0 5.0{{$}}
  %d37.0, %d37.1 = tfx_ad.gradient @loop_early(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "loop_early 1 1: {} {}"(%d37.0, %d37.1) : f64, f64
  return
}
