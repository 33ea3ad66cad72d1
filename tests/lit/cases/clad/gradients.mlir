// Gradients of expressions, conditions, declarations, assignments and switches of C.
// Clad, test/Gradient/Gradients.C, Assignments.C and Switch.C. A double of C is f64.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @add1(%x: f64, %y: f64) -> f64 {
  %a = arith.addf %x, %y : f64
  return %a : f64
}
func.func private @add2(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %three, %x : f64
  %b = arith.mulf %four, %y : f64
  %c = arith.addf %a, %b : f64
  return %c : f64
}
func.func private @add3(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %three, %x : f64
  %b = arith.mulf %four, %y : f64
  %c = arith.mulf %b, %four : f64
  %d = arith.addf %a, %c : f64
  return %d : f64
}
func.func private @sub1(%x: f64, %y: f64) -> f64 {
  %a = arith.subf %x, %y : f64
  return %a : f64
}
func.func private @sub2(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %three, %x : f64
  %b = arith.mulf %four, %y : f64
  %c = arith.subf %a, %b : f64
  return %c : f64
}
func.func private @mult1(%x: f64, %y: f64) -> f64 {
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @mult2(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %three, %x : f64
  %b = arith.mulf %a, %four : f64
  %by = arith.mulf %b, %y : f64
  return %by : f64
}
func.func private @div1(%x: f64, %y: f64) -> f64 {
  %a = arith.divf %x, %y : f64
  return %a : f64
}
func.func private @div2(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %three, %x : f64
  %b = arith.mulf %four, %y : f64
  %c = arith.divf %a, %b : f64
  return %c : f64
}

// The parameter is assigned in the expression.
func.func private @div3(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  tfx_host.store %y, %v : f64
  %w = tfx_host.load %v : !tfx_host.ref<f64>
  %yy = arith.mulf %y, %y : f64
  %a = arith.divf %w, %yy : f64
  return %a : f64
}
func.func private @combined(%x: f64, %y: f64) -> f64 {
  %minus_x = arith.negf %x : f64
  %a = arith.mulf %minus_x, %y : f64
  %b = arith.addf %x, %y : f64
  %c = arith.divf %x, %y : f64
  %bc = arith.mulf %b, %c : f64
  %d = arith.addf %a, %bc : f64
  %xx = arith.mulf %x, %x : f64
  %e = arith.subf %d, %xx : f64
  return %e : f64
}
func.func private @rosenbrock(%x: f64, %y: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %hundred = arith.constant 100.0 : f64
  %a = arith.subf %x, %one : f64
  %b = arith.subf %x, %one : f64
  %ab = arith.mulf %a, %b : f64
  %xx = arith.mulf %x, %x : f64
  %c = arith.subf %y, %xx : f64
  %d = arith.mulf %hundred, %c : f64
  %e = arith.mulf %x, %x : f64
  %f = arith.subf %y, %e : f64
  %df = arith.mulf %d, %f : f64
  %g = arith.addf %ab, %df : f64
  return %g : f64
}

// Conditional operators are selections here, and statements are branches.
func.func private @cond1(%x: f64, %y: f64) -> f64 {
  %is_gt = arith.cmpf ogt, %x, %y : f64
  %a = arith.select %is_gt, %x, %y : f64
  return %a : f64
}
func.func private @cond2(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %y : f64
  %a = arith.cmpf ogt, %y, %zero : f64
  %minus_y = arith.negf %y : f64
  %b = arith.select %a, %y, %minus_y : f64
  %c = arith.select %is_gt, %x, %b : f64
  return %c : f64
}
func.func private @cond3(%x: f64, %c: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %c, %zero : f64
  %a = arith.addf %x, %c : f64
  %b = arith.subf %x, %c : f64
  %d = arith.select %is_gt, %a, %b : f64
  return %d : f64
}
func.func private @cond4(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %v : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  cf.cond_br %is_gt, ^then, ^end
^then:
  %xx = arith.mulf %x, %x : f64
  tfx_host.store %xx, %v : f64
  cf.br ^end
^end:
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @if1(%x: f64, %y: f64) -> f64 {
  %is_gt = arith.cmpf ogt, %x, %y : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  return %x : f64
^else:
  return %y : f64
}
func.func private @if2(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_gt = arith.cmpf ogt, %x, %y : f64
  cf.cond_br %is_gt, ^then, ^else
^then:
  return %x : f64
^else:
  %a = arith.cmpf ogt, %y, %zero : f64
  cf.cond_br %a, ^positive, ^negative
^positive:
  return %y : f64
^negative:
  %minus_y = arith.negf %y : f64
  return %minus_y : f64
}

func.func private @decls1(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %five = arith.constant 5.0 : f64
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %three, %x : f64
  %b = arith.mulf %five, %y : f64
  %c = arith.addf %a, %b : f64
  %twoc = arith.mulf %two, %c : f64
  return %twoc : f64
}
func.func private @decls2(%x: f64, %y: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = arith.mulf %x, %x : f64
  %b = arith.mulf %x, %y : f64
  %c = arith.mulf %y, %y : f64
  %twob = arith.mulf %two, %b : f64
  %d = arith.addf %a, %twob : f64
  %e = arith.addf %d, %c : f64
  return %e : f64
}
func.func private @decls3(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %c333 = arith.constant 333.0 : f64
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %minus_one = arith.constant -1.0 : f64
  %cm2 = arith.constant -2.0 : f64
  %a = arith.mulf %three, %x : f64
  %unused = arith.mulf %c333, %y : f64
  %is_gt = arith.cmpf ogt, %x, %one : f64
  cf.cond_br %is_gt, ^large, ^other
^large:
  %twoa = arith.mulf %two, %a : f64
  return %twoa : f64
^other:
  %is_lt = arith.cmpf olt, %x, %minus_one : f64
  cf.cond_br %is_lt, ^small, ^end
^small:
  %b = arith.mulf %cm2, %a : f64
  return %b : f64
^end:
  %aa = arith.mulf %a, %a : f64
  return %aa : f64
}
func.func private @issue138(%x: f64, %y: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  %xxx = arith.mulf %xx, %x : f64
  %xxxx = arith.mulf %xxx, %x : f64
  %yy = arith.mulf %y, %y : f64
  %yyy = arith.mulf %yy, %y : f64
  %yyyy = arith.mulf %yyy, %y : f64
  %a = arith.addf %xxxx, %yyyy : f64
  return %a : f64
}

// A tensor whose elements are added one by one, each to the next.
func.func private @const_reference(%i: f64, %j: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %a = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %a : f64
  %b = tfx_host.load %a : !tfx_host.ref<f64>
  %twob = arith.mulf %two, %b : f64
  return %twob : f64
}
func.func private @increment_in_return(%i: f64, %j: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %v : f64
  %temp = tfx_host.load %v : !tfx_host.ref<f64>
  %a = arith.addf %temp, %one : f64
  tfx_host.store %a, %v : f64
  %w = tfx_host.load %v : !tfx_host.ref<f64>
  %b = arith.mulf %w, %temp : f64
  return %b : f64
}
func.func private @div(%x: f64) -> f64 {
  %cm0_5 = arith.constant -0.5 : f64
  %a = arith.divf %cm0_5, %x : f64
  return %a : f64
}
func.func private @cond_side_eff(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %c = arith.addf %a, %a : f64
  tfx_host.store %c, %v : f64
  %b = tfx_host.load %v : !tfx_host.ref<f64>
  %is_ne = arith.cmpf une, %b, %zero : f64
  cf.cond_br %is_ne, ^then, ^end
^then:
  return %b : f64
^end:
  return %b : f64
}
func.func private @const_cond_op(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %is_gt = arith.cmpf ogt, %x, %zero : f64
  %a = arith.select %is_gt, %one, %zero : f64
  %b = arith.addf %x, %a : f64
  return %b : f64
}
func.func private @empty_if_else(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %five = arith.constant 5.0 : f64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  %a = tfx_host.load %r : !tfx_host.ref<f64>
  %is_ne = arith.cmpf une, %a, %zero : f64
  cf.cond_br %is_ne, ^then, ^else
^then:
  cf.br ^end
^else:
  %c = arith.mulf %five, %x : f64
  tfx_host.store %c, %r : f64
  cf.br ^end
^end:
  %b = tfx_host.load %r : !tfx_host.ref<f64>
  return %b : f64
}
func.func private @cond_false(%i: f64, %j: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %six = arith.constant 6.0 : f64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  %a = tfx_host.load %r : !tfx_host.ref<f64>
  %ij = arith.mulf %i, %j : f64
  %is_ne = arith.cmpf une, %ij, %zero : f64
  %is_gt = arith.cmpf ogt, %a, %zero : f64
  %both = arith.andi %is_ne, %is_gt : i1
  cf.cond_br %both, ^then, ^end
^then:
  %sixi = arith.mulf %six, %i : f64
  %c = arith.mulf %sixi, %j : f64
  tfx_host.store %c, %r : f64
  cf.br ^end
^end:
  %b = tfx_host.load %r : !tfx_host.ref<f64>
  return %b : f64
}

// Three conditions that assign, in a chain of short circuits.
func.func private @cond_add_assign(%i: f64, %j: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %five = arith.constant 5.0 : f64
  %six = arith.constant 6.0 : f64
  %r = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %zero, %r : f64
  %twoi = arith.mulf %two, %i : f64
  %e = arith.mulf %twoi, %j : f64
  tfx_host.store %e, %r : f64
  %a = tfx_host.load %r : !tfx_host.ref<f64>
  %is_ne = arith.cmpf une, %a, %zero : f64
  cf.cond_br %is_ne, ^second, ^end
^second:
  %f = arith.mulf %three, %i : f64
  %fj = arith.mulf %f, %j : f64
  %g = arith.addf %a, %fj : f64
  tfx_host.store %g, %r : f64
  %b = tfx_host.load %r : !tfx_host.ref<f64>
  %h = arith.cmpf une, %b, %zero : f64
  cf.cond_br %h, ^third, ^end
^third:
  %k = arith.mulf %five, %i : f64
  %kj = arith.mulf %k, %j : f64
  %l = arith.addf %b, %kj : f64
  tfx_host.store %l, %r : f64
  %c = tfx_host.load %r : !tfx_host.ref<f64>
  %m = arith.cmpf une, %c, %zero : f64
  cf.cond_br %m, ^then, ^end
^then:
  %sixi = arith.mulf %six, %i : f64
  %n = arith.mulf %sixi, %j : f64
  %o = arith.addf %c, %n : f64
  tfx_host.store %o, %r : f64
  cf.br ^end
^end:
  %d = tfx_host.load %r : !tfx_host.ref<f64>
  return %d : f64
}
func.func private @mult3(%i: f64, %j: f64) -> f64 {
  %ten = arith.constant 10.0 : f64
  %a = arith.addf %i, %j : f64
  %is_lt = arith.cmpf olt, %i, %ten : f64
  %b = arith.select %is_lt, %i, %j : f64
  %ab = arith.mulf %a, %b : f64
  return %ab : f64
}
func.func private @const_denom(%x: f64, %y: f64) -> f64 {
  %half = arith.constant 0.5 : f64
  %xy = arith.mulf %x, %y : f64
  %a = arith.divf %xy, %half : f64
  return %a : f64
}
func.func private @ref_in_rhs(%x: f64, %y: f64) -> f64 {
  %c55 = arith.constant 55.0 : f64
  %one = arith.constant 1.0 : f64
  %is_ne = arith.cmpf une, %x, %c55 : f64
  cf.cond_br %is_ne, ^then, ^else
^then:
  %a = arith.addf %x, %y : f64
  %ya = arith.mulf %y, %a : f64
  return %ya : f64
^else:
  return %one : f64
}
func.func private @infinity(%x: f64, %y: f64) -> f64 {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %is_lt = arith.cmpf olt, %x, %inf : f64
  cf.cond_br %is_lt, ^then, ^else
^then:
  return %y : f64
^else:
  %a = arith.addf %x, %y : f64
  return %a : f64
}

// Assignments. A parameter that changes is a variable.
func.func private @a1(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  tfx_host.store %y, %v : f64
  return %y : f64
}
func.func private @a2(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %is_lt = arith.cmpf olt, %x, %y : f64
  cf.cond_br %is_lt, ^then, ^end
^then:
  tfx_host.store %y, %v : f64
  cf.br ^end
^end:
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a3(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  tfx_host.store %a, %v : f64
  %aa = arith.mulf %a, %a : f64
  tfx_host.store %aa, %v : f64
  %b = tfx_host.load %v : !tfx_host.ref<f64>
  %bb = arith.mulf %b, %b : f64
  tfx_host.store %bb, %w : f64
  %c = tfx_host.load %w : !tfx_host.ref<f64>
  tfx_host.store %c, %v : f64
  return %c : f64
}
func.func private @a4(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  tfx_host.store %a, %w : f64
  tfx_host.store %zero, %v : f64
  %r = tfx_host.load %w : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a5(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %t = tfx_host.var : !tfx_host.ref<f64>
  %xx = arith.mulf %x, %x : f64
  tfx_host.store %xx, %t : f64
  %is_lt = arith.cmpf olt, %x, %zero : f64
  cf.cond_br %is_lt, ^negative, ^next
^negative:
  %a = tfx_host.load %t : !tfx_host.ref<f64>
  %minus_a = arith.negf %a : f64
  tfx_host.store %minus_a, %t : f64
  %b = tfx_host.load %t : !tfx_host.ref<f64>
  return %b : f64
^next:
  %e = arith.cmpf olt, %y, %zero : f64
  cf.cond_br %e, ^then, ^end
^then:
  %c = tfx_host.load %t : !tfx_host.ref<f64>
  %minus_c = arith.negf %c : f64
  tfx_host.store %minus_c, %t : f64
  cf.br ^end
^end:
  %d = tfx_host.load %t : !tfx_host.ref<f64>
  return %d : f64
}
func.func private @a9(%x: f64, %y: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %t : f64
  %a = tfx_host.load %t : !tfx_host.ref<f64>
  %ax = arith.mulf %a, %x : f64
  tfx_host.store %ax, %t : f64
  %b = tfx_host.load %t : !tfx_host.ref<f64>
  %by = arith.mulf %b, %y : f64
  tfx_host.store %by, %t : f64
  %r = tfx_host.load %t : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a10(%x: f64, %y: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %t = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %t : f64
  tfx_host.store %y, %v : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  tfx_host.store %a, %t : f64
  %r = tfx_host.load %t : !tfx_host.ref<f64>
  return %r : f64
}

// The target of an assignment is a conditional.
func.func private @a12(%x: f64, %y: f64) -> f64 {
  %t = tfx_host.var : !tfx_host.ref<f64>
  %is_gt = arith.cmpf ogt, %x, %y : f64
  cf.cond_br %is_gt, ^left, ^right
^left:
  tfx_host.store %x, %t : f64
  cf.br ^end
^right:
  tfx_host.store %y, %t : f64
  cf.br ^end
^end:
  %a = tfx_host.load %t : !tfx_host.ref<f64>
  %ay = arith.mulf %a, %y : f64
  tfx_host.store %ay, %t : f64
  %r = tfx_host.load %t : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a13(%x: f64, %y: f64) -> f64 {
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  tfx_host.store %x, %w : f64
  %a = tfx_host.load %w : !tfx_host.ref<f64>
  %t = arith.mulf %x, %a : f64
  %ta = arith.mulf %t, %a : f64
  return %ta : f64
}

// Names of the same variable.
func.func private @scale_twice(%a: !tfx_host.ref<f64>) {
  %two = arith.constant 2.0 : f64
  %v = tfx_host.load %a : !tfx_host.ref<f64>
  %w = arith.mulf %two, %v : f64
  tfx_host.store %w, %a : f64
  return
}
func.func private @a14(%i: f64, %j: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %v : f64
  func.call @scale_twice(%v) : (!tfx_host.ref<f64>) -> ()
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %c = arith.addf %a, %a : f64
  tfx_host.store %c, %v : f64
  %b = tfx_host.load %v : !tfx_host.ref<f64>
  %bb = arith.mulf %b, %b : f64
  tfx_host.store %bb, %v : f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a15(%i: f64, %j: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %b = tfx_host.var : !tfx_host.ref<f64>
  %ij = arith.mulf %i, %j : f64
  tfx_host.store %ij, %b : f64
  %c = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %i, %c : f64
  %d = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %j, %d : f64
  %b0 = tfx_host.load %b : !tfx_host.ref<f64>
  %c0 = tfx_host.load %c : !tfx_host.ref<f64>
  %a = arith.mulf %b0, %c0 : f64
  tfx_host.store %a, %b : f64
  %b1 = tfx_host.load %b : !tfx_host.ref<f64>
  %e = arith.mulf %two, %c0 : f64
  %f = arith.addf %b1, %e : f64
  tfx_host.store %f, %b : f64
  %g = arith.mulf %three, %c0 : f64
  %h = arith.addf %c0, %g : f64
  tfx_host.store %h, %c : f64
  %d0 = tfx_host.load %d : !tfx_host.ref<f64>
  %k = arith.mulf %three, %d0 : f64
  %l = arith.mulf %d0, %k : f64
  tfx_host.store %l, %d : f64
  %b2 = tfx_host.load %b : !tfx_host.ref<f64>
  %c1 = tfx_host.load %c : !tfx_host.ref<f64>
  %d1 = tfx_host.load %d : !tfx_host.ref<f64>
  %m = arith.addf %b2, %c1 : f64
  %n = arith.addf %m, %d1 : f64
  return %n : f64
}
func.func private @a16(%i: f64, %j: f64) -> f64 {
  %four = arith.constant 4.0 : f64
  %a = arith.mulf %four, %j : f64
  %ia = arith.mulf %i, %a : f64
  return %ia : f64
}
func.func private @a18(%i: f64, %j: f64, %k: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %k, %v : f64
  %twoi = arith.mulf %two, %i : f64
  %twoj = arith.mulf %two, %j : f64
  %b = arith.addf %twoi, %twoj : f64
  tfx_host.store %b, %v : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %c = arith.addf %a, %i : f64
  tfx_host.store %c, %v : f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a19(%a: f64, %b: f64) -> f64 {
  %r = math.fma %a, %b, %b : f64
  return %r : f64
}
func.func private @a20(%x: f64, %y: f64) -> f64 {
  %three = arith.constant 3.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  tfx_host.store %three, %v : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %ay = arith.mulf %a, %y : f64
  tfx_host.store %ay, %v : f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @a22(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %v : f64
  %w = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %w : f64
  tfx_host.store %zero, %v : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  tfx_host.store %a, %w : f64
  %b = tfx_host.load %w : !tfx_host.ref<f64>
  tfx_host.store %b, %v : f64
  %r = tfx_host.load %v : !tfx_host.ref<f64>
  return %r : f64
}
func.func private @const_val(%y: f64, %x: f64) -> f64 {
  %v = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %y, %v : f64
  %z = tfx_host.load %v : !tfx_host.ref<f64>
  %zz = arith.mulf %z, %z : f64
  tfx_host.store %zz, %v : f64
  %a = tfx_host.load %v : !tfx_host.ref<f64>
  %ax = arith.mulf %a, %x : f64
  return %ax : f64
}
func.func private @a26(%x: f64, %y: f64) -> f64 {
  %a = arith.divf %x, %y : f64
  return %a : f64
}
func.func private @a27(%x: f64, %y: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %a = arith.addf %y, %one : f64
  %xa = arith.mulf %x, %a : f64
  return %xa : f64
}

// Switches, with cases that fall through.
func.func private @s1(%i: f64, %j: f64, %count: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  cf.switch %count : i64, [
    default: ^default(%zero : f64),
    0: ^case0,
    1: ^case1,
    2: ^case2(%zero : f64)
  ]
^case0:
  %ij = arith.mulf %i, %j : f64
  return %ij : f64
^case1:
  %ii = arith.mulf %i, %i : f64
  cf.br ^case2(%ii : f64)
^case2(%a: f64):
  %jj = arith.mulf %j, %j : f64
  %c = arith.addf %a, %jj : f64
  cf.br ^default(%c : f64)
^default(%b: f64):
  %d = arith.mulf %i, %i : f64
  %dj = arith.mulf %d, %j : f64
  %djj = arith.mulf %dj, %j : f64
  %e = arith.addf %b, %djj : f64
  return %e : f64
}
func.func private @s2(%i: f64, %j: f64, %count: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  cf.switch %count : i64, [
    default: ^default,
    0: ^case0,
    1: ^case1,
    2: ^case2(%zero : f64)
  ]
^case0:
  return %i : f64
^case1:
  cf.br ^case2(%j : f64)
^case2(%a: f64):
  %ij = arith.mulf %i, %j : f64
  %b = arith.addf %a, %ij : f64
  return %b : f64
^default:
  %c = arith.addf %i, %j : f64
  return %c : f64
}

// A switch in a loop; the first case falls through to the second one.
func.func private @s3(%i: f64, %j: f64) -> f64 {
  %n2 = arith.constant 2 : i64
  %zero = arith.constant 0.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n2, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %is_ne = arith.cmpi ne, %k, %n0 : i64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %c = arith.subi %k, %n1 : i64
  cf.switch %c : i64, [
    default: ^default(%r : f64),
    0: ^case0,
    1: ^case1(%r : f64),
    2: ^case2
  ]
^case0:
  %ii = arith.mulf %i, %i : f64
  %iij = arith.mulf %ii, %j : f64
  %iijj = arith.mulf %iij, %j : f64
  %e = arith.addf %r, %iijj : f64
  cf.br ^case1(%e : f64)
^case1(%a: f64):
  %f = arith.mulf %i, %i : f64
  %g = arith.addf %a, %f : f64
  cf.br ^next(%g : f64)
^case2:
  %jj = arith.mulf %j, %j : f64
  %h = arith.addf %r, %jj : f64
  cf.br ^default(%h : f64)
^default(%b: f64):
  %l = arith.addf %i, %j : f64
  %m = arith.addf %b, %l : f64
  cf.br ^next(%m : f64)
^next(%d: f64):
  cf.br ^head(%c, %d : i64, f64)
^end:
  return %r : f64
}

// A loop in a switch.
func.func private @s4(%i: f64, %j: f64, %which: i64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n2 = arith.constant 2 : i64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  cf.switch %which : i64, [
    default: ^none,
    0: ^case0,
    1: ^case1
  ]
^none:
  return %zero : f64
^case0:
  %ii = arith.mulf %i, %i : f64
  %iij = arith.mulf %ii, %j : f64
  %iijj = arith.mulf %iij, %j : f64
  return %iijj : f64
^case1:
  cf.br ^head(%n2, %zero : i64, f64)
^head(%k: i64, %r: f64):
  %is_ne = arith.cmpi ne, %k, %n0 : i64
  cf.cond_br %is_ne, ^body, ^end
^body:
  %a = arith.subi %k, %n1 : i64
  %ij = arith.mulf %i, %j : f64
  %b = arith.addf %r, %ij : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %r : f64
}
func.func private @s7(%u: f64, %v: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %n5 = arith.constant 5 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %zero : i64, f64)
^head(%i: i64, %r: f64):
  %more = arith.cmpi slt, %i, %n5 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %j = arith.addi %i, %n1 : i64
  cf.switch %i : i64, [
    default: ^second,
    0: ^first,
    1: ^first,
    2: ^first,
    3: ^second
  ]
^first:
  %a = arith.addf %r, %u : f64
  cf.br ^head(%j, %a : i64, f64)
^second:
  %b = arith.addf %r, %v : f64
  cf.br ^head(%j, %b : i64, f64)
^end:
  return %r : f64
}
tfx_host.enum @Op {add(), sub(), mul(), div()}
func.func private @s24(%x: f64, %y: f64, %op: !tfx_host.enum<@Op>) -> f64 {
  tfx_host.switch_enum %op : !tfx_host.enum<@Op> [
    "add" -> ^add, "sub" -> ^sub, "mul" -> ^mul, "div" -> ^div]
^add:
  %a = arith.addf %x, %y : f64
  cf.br ^end(%a : f64)
^sub:
  %b = arith.subf %x, %y : f64
  cf.br ^end(%b : f64)
^mul:
  %xy = arith.mulf %x, %y : f64
  cf.br ^end(%xy : f64)
^div:
  %c = arith.divf %x, %y : f64
  cf.br ^end(%c : f64)
^end(%r: f64):
  return %r : f64
}
func.func private @switch_return(%x: f64, %y: f64, %k: i64) -> f64 {
  cf.switch %k : i64, [
    default: ^default,
    0: ^case0,
    1: ^case1
  ]
^case0:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^case1:
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
^default:
  %yy = arith.mulf %y, %y : f64
  return %yy : f64
}

func.func public @main() {
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %two = arith.constant 2.0 : f64
  %minus_one = arith.constant -1.0 : f64
  %cm5 = arith.constant -5.0 : f64
  %cm4 = arith.constant -4.0 : f64
  %zero = arith.constant 0.0 : f64
  %cm3 = arith.constant -3.0 : f64
  %half = arith.constant 0.5 : f64
  %hundred = arith.constant 100.0 : f64
  %five = arith.constant 5.0 : f64
  %c55 = arith.constant 55.0 : f64
  %four = arith.constant 4.0 : f64
  %six = arith.constant 6.0 : f64
  %eight = arith.constant 8.0 : f64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n0 = arith.constant 0 : i64
  // Case: Clad, Gradient/Gradients.C, f_add1.
  // CHECK: {{^}}add1: 1.0 1.0{{$}}
  %d0.0, %d0.1 = tfx_ad.gradient @add1(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "add1: {} {}"(%d0.0, %d0.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_add2.
  // CHECK-NEXT: {{^}}add2: 3.0 4.0{{$}}
  %d1.0, %d1.1 = tfx_ad.gradient @add2(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "add2: {} {}"(%d1.0, %d1.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_add3.
  // CHECK-NEXT: {{^}}add3: 3.0 16.0{{$}}
  %d2.0, %d2.1 = tfx_ad.gradient @add3(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "add3: {} {}"(%d2.0, %d2.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_sub1.
  // CHECK-NEXT: {{^}}sub1: 1.0 -1.0{{$}}
  %d3.0, %d3.1 = tfx_ad.gradient @sub1(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "sub1: {} {}"(%d3.0, %d3.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_sub2.
  // CHECK-NEXT: {{^}}sub2: 3.0 -4.0{{$}}
  %d4.0, %d4.1 = tfx_ad.gradient @sub2(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "sub2: {} {}"(%d4.0, %d4.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_mult1.
  // CHECK-NEXT: {{^}}mult1: 1.0 1.0{{$}}
  %d5.0, %d5.1 = tfx_ad.gradient @mult1(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "mult1: {} {}"(%d5.0, %d5.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_mult2.
  // CHECK-NEXT: {{^}}mult2: 12.0 12.0{{$}}
  %d6.0, %d6.1 = tfx_ad.gradient @mult2(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "mult2: {} {}"(%d6.0, %d6.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_div1.
  // CHECK-NEXT: {{^}}div1: 1.0 -1.0{{$}}
  %d7.0, %d7.1 = tfx_ad.gradient @div1(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "div1: {} {}"(%d7.0, %d7.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_div2.
  // CHECK-NEXT: {{^}}div2: 0.75 -0.75{{$}}
  %d8.0, %d8.1 = tfx_ad.gradient @div2(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "div2: {} {}"(%d8.0, %d8.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_div3.
  // CHECK-NEXT: {{^}}div3: 0.0 -1.0{{$}}
  %d9.0, %d9.1 = tfx_ad.gradient @div3(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "div3: {} {}"(%d9.0, %d9.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_c.
  // CHECK-NEXT: {{^}}combined: 0.0 -2.0{{$}}
  %d10.0, %d10.1 = tfx_ad.gradient @combined(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "combined: {} {}"(%d10.0, %d10.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_rosenbrock.
  // CHECK-NEXT: {{^}}rosenbrock: 0.0 0.0{{$}}
  %d11.0, %d11.1 = tfx_ad.gradient @rosenbrock(%one, %one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "rosenbrock: {} {}"(%d11.0, %d11.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_cond1.
  // CHECK-NEXT: {{^}}cond1: 1.0 0.0{{$}}
  %d12.0, %d12.1 = tfx_ad.gradient @cond1(%three, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond1: {} {}"(%d12.0, %d12.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_cond2.
  // CHECK-NEXT: {{^}}cond2: 1.0 0.0{{$}}
  %d13.0, %d13.1 = tfx_ad.gradient @cond2(%three, %minus_one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond2: {} {}"(%d13.0, %d13.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_cond3.
  // CHECK-NEXT: {{^}}cond3: 1.0 -1.0{{$}}
  %d14.0, %d14.1 = tfx_ad.gradient @cond3(%three, %minus_one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond3: {} {}"(%d14.0, %d14.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_cond4.
  // CHECK-NEXT: {{^}}cond4: 6.0 0.0{{$}}
  %d15.0, %d15.1 = tfx_ad.gradient @cond4(%three, %minus_one) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond4: {} {}"(%d15.0, %d15.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_if1.
  // CHECK-NEXT: {{^}}if1: 1.0 0.0{{$}}
  %d16.0, %d16.1 = tfx_ad.gradient @if1(%three, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "if1: {} {}"(%d16.0, %d16.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_if2.
  // CHECK-NEXT: {{^}}if2: 0.0 -1.0{{$}}
  %d17.0, %d17.1 = tfx_ad.gradient @if2(%cm5, %cm4) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "if2: {} {}"(%d17.0, %d17.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_decls1.
  // CHECK-NEXT: {{^}}decls1: 6.0 10.0{{$}}
  %d18.0, %d18.1 = tfx_ad.gradient @decls1(%three, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decls1: {} {}"(%d18.0, %d18.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_decls2.
  // CHECK-NEXT: {{^}}decls2: 8.0 8.0{{$}}
  %d19.0, %d19.1 = tfx_ad.gradient @decls2(%two, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decls2: {} {}"(%d19.0, %d19.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_decls3.
  // CHECK-NEXT: {{^}}decls3 3: 6.0 0.0{{$}}
  %d20.0, %d20.1 = tfx_ad.gradient @decls3(%three, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decls3 3: {} {}"(%d20.0, %d20.1) : f64, f64
  // CHECK-NEXT: {{^}}decls3 -3: -6.0 0.0{{$}}
  %d21.0, %d21.1 = tfx_ad.gradient @decls3(%cm3, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decls3 -3: {} {}"(%d21.0, %d21.1) : f64, f64
  // CHECK-NEXT: {{^}}decls3 0.5: 9.0 0.0{{$}}
  %d22.0, %d22.1 = tfx_ad.gradient @decls3(%half, %zero) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decls3 0.5: {} {}"(%d22.0, %d22.1) : f64, f64
  // CHECK-NEXT: {{^}}decls3 0: 0.0 0.0{{$}}
  %d23.0, %d23.1 = tfx_ad.gradient @decls3(%zero, %hundred) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "decls3 0: {} {}"(%d23.0, %d23.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_issue138.
  // CHECK-NEXT: {{^}}issue138: 4.0 32.0{{$}}
  %d24.0, %d24.1 = tfx_ad.gradient @issue138(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "issue138: {} {}"(%d24.0, %d24.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_const_reference.
  // CHECK-NEXT: {{^}}const_reference: 2.0 0.0{{$}}
  %d25.0, %d25.1 = tfx_ad.gradient @const_reference(%five, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "const_reference: {} {}"(%d25.0, %d25.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, fn_increment_in_return.
  // CHECK-NEXT: {{^}}increment_in_return: 7.0 0.0{{$}}
  %d26.0, %d26.1 = tfx_ad.gradient @increment_in_return(%three, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "increment_in_return: {} {}"(%d26.0, %d26.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, fn_div.
  // CHECK-NEXT: {{^}}div: 0.125{{$}}
  %d27 = tfx_ad.gradient @div(%two) wrt [0] : (f64) -> f64
  tfx_host.print "div: {}"(%d27) : f64
  // Case: Clad, Gradient/Gradients.C, fn_cond_side_eff.
  // CHECK-NEXT: {{^}}cond_side_eff 0: 2.0{{$}}
  %d28 = tfx_ad.gradient @cond_side_eff(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "cond_side_eff 0: {}"(%d28) : f64
  // CHECK-NEXT: {{^}}cond_side_eff 1: 2.0{{$}}
  %d29 = tfx_ad.gradient @cond_side_eff(%one) wrt [0] : (f64) -> f64
  tfx_host.print "cond_side_eff 1: {}"(%d29) : f64
  // Case: Clad, Gradient/Gradients.C, fn_const_cond_op.
  // CHECK-NEXT: {{^}}const_cond_op: 1.0{{$}}
  %d30 = tfx_ad.gradient @const_cond_op(%zero) wrt [0] : (f64) -> f64
  tfx_host.print "const_cond_op: {}"(%d30) : f64
  // Case: Clad, Gradient/Gradients.C, fn_empty_if_else.
  // CHECK-NEXT: {{^}}empty_if_else: 5.0{{$}}
  %d31 = tfx_ad.gradient @empty_if_else(%one) wrt [0] : (f64) -> f64
  tfx_host.print "empty_if_else: {}"(%d31) : f64
  // Case: Clad, Gradient/Gradients.C, fn_cond_false.
  // CHECK-NEXT: {{^}}cond_false: 0.0 0.0{{$}}
  %d32.0, %d32.1 = tfx_ad.gradient @cond_false(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond_false: {} {}"(%d32.0, %d32.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, fn_cond_add_assign.
  // CHECK-NEXT: {{^}}cond_add_assign: 80.0 48.0{{$}}
  %d33.0, %d33.1 = tfx_ad.gradient @cond_add_assign(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "cond_add_assign: {} {}"(%d33.0, %d33.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_mult3.
  // CHECK-NEXT: {{^}}mult3: 11.0 3.0{{$}}
  %d34.0, %d34.1 = tfx_ad.gradient @mult3(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "mult3: {} {}"(%d34.0, %d34.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_const_denom.
  // CHECK-NEXT: {{^}}const_denom: 10.0 6.0{{$}}
  %d35.0, %d35.1 = tfx_ad.gradient @const_denom(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "const_denom: {} {}"(%d35.0, %d35.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_ref_in_rhs.
  // CHECK-NEXT: {{^}}ref_in_rhs 3: 5.0 13.0{{$}}
  %d36.0, %d36.1 = tfx_ad.gradient @ref_in_rhs(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "ref_in_rhs 3: {} {}"(%d36.0, %d36.1) : f64, f64
  // CHECK-NEXT: {{^}}ref_in_rhs 55: 0.0 0.0{{$}}
  %d37.0, %d37.1 = tfx_ad.gradient @ref_in_rhs(%c55, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "ref_in_rhs 55: {} {}"(%d37.0, %d37.1) : f64, f64
  // Case: Clad, Gradient/Gradients.C, f_infinity.
  // CHECK-NEXT: {{^}}infinity: 0.0 1.0{{$}}
  %d38.0, %d38.1 = tfx_ad.gradient @infinity(%cm3, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "infinity: {} {}"(%d38.0, %d38.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f1.
  // CHECK-NEXT: {{^}}a1: 0.0 1.0{{$}}
  %d39.0, %d39.1 = tfx_ad.gradient @a1(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a1: {} {}"(%d39.0, %d39.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f2.
  // CHECK-NEXT: {{^}}a2: 0.0 1.0{{$}}
  %d40.0, %d40.1 = tfx_ad.gradient @a2(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a2: {} {}"(%d40.0, %d40.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f3.
  // CHECK-NEXT: {{^}}a3: 32.0 0.0{{$}}
  %d41.0, %d41.1 = tfx_ad.gradient @a3(%two, %hundred) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a3: {} {}"(%d41.0, %d41.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f4.
  // CHECK-NEXT: {{^}}a4: 1.0 0.0{{$}}
  %d42.0, %d42.1 = tfx_ad.gradient @a4(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a4: {} {}"(%d42.0, %d42.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f5 and f6.
  // CHECK-NEXT: {{^}}a5: 6.0 0.0{{$}}
  %d43.0, %d43.1 = tfx_ad.gradient @a5(%cm3, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a5: {} {}"(%d43.0, %d43.1) : f64, f64
  // CHECK-NEXT: {{^}}a6: -6.0 0.0{{$}}
  %d44.0, %d44.1 = tfx_ad.gradient @a5(%three, %cm4) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a6: {} {}"(%d44.0, %d44.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f9.
  // CHECK-NEXT: {{^}}a9: 24.0 9.0{{$}}
  %d45.0, %d45.1 = tfx_ad.gradient @a9(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a9: {} {}"(%d45.0, %d45.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f10.
  // CHECK-NEXT: {{^}}a10: 0.0 1.0{{$}}
  %d46.0, %d46.1 = tfx_ad.gradient @a10(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a10: {} {}"(%d46.0, %d46.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f12.
  // CHECK-NEXT: {{^}}a12: 0.0 8.0{{$}}
  %d47.0, %d47.1 = tfx_ad.gradient @a12(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a12: {} {}"(%d47.0, %d47.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f13.
  // CHECK-NEXT: {{^}}a13: 27.0 0.0{{$}}
  %d48.0, %d48.1 = tfx_ad.gradient @a13(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a13: {} {}"(%d48.0, %d48.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f14.
  // CHECK-NEXT: {{^}}a14: 96.0 0.0{{$}}
  %d49.0, %d49.1 = tfx_ad.gradient @a14(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a14: {} {}"(%d49.0, %d49.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f15.
  // CHECK-NEXT: {{^}}a15: 30.0 33.0{{$}}
  %d50.0, %d50.1 = tfx_ad.gradient @a15(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a15: {} {}"(%d50.0, %d50.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f16.
  // CHECK-NEXT: {{^}}a16: 16.0 12.0{{$}}
  %d51.0, %d51.1 = tfx_ad.gradient @a16(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a16: {} {}"(%d51.0, %d51.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f18.
  // CHECK-NEXT: {{^}}a18: 3.0 2.0{{$}}
  %d52.0, %d52.1 = tfx_ad.gradient @a18(%three, %four, %five) wrt [0, 1] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "a18: {} {}"(%d52.0, %d52.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f19.
  // CHECK-NEXT: {{^}}a19: 2.0 2.0{{$}}
  %d53.0, %d53.1 = tfx_ad.gradient @a19(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a19: {} {}"(%d53.0, %d53.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f20.
  // CHECK-NEXT: {{^}}a20: 0.0 3.0{{$}}
  %d54.0, %d54.1 = tfx_ad.gradient @a20(%one, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a20: {} {}"(%d54.0, %d54.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f22.
  // CHECK-NEXT: {{^}}a22: 0.0 0.0{{$}}
  %d55.0, %d55.1 = tfx_ad.gradient @a22(%six, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a22: {} {}"(%d55.0, %d55.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, constVal.
  // CHECK-NEXT: {{^}}const_val: 24.0{{$}}
  %d56 = tfx_ad.gradient @const_val(%three, %four) wrt [0] : (f64, f64) -> f64
  tfx_host.print "const_val: {}"(%d56) : f64
  // Case: Clad, Gradient/Assignments.C, f26.
  // CHECK-NEXT: {{^}}a26: 0.5 -2.0{{$}}
  %d57.0, %d57.1 = tfx_ad.gradient @a26(%eight, %two) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a26: {} {}"(%d57.0, %d57.1) : f64, f64
  // Case: Clad, Gradient/Assignments.C, f27.
  // CHECK-NEXT: {{^}}a27: 5.0 3.0{{$}}
  %d58.0, %d58.1 = tfx_ad.gradient @a27(%three, %four) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "a27: {} {}"(%d58.0, %d58.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, fn1.
  // CHECK-NEXT: {{^}}s1: 156.0 100.0{{$}}
  %d59.0, %d59.1 = tfx_ad.gradient @s1(%three, %five, %n1) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "s1: {} {}"(%d59.0, %d59.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, fn2.
  // CHECK-NEXT: {{^}}s2: 5.0 3.0{{$}}
  %d60.0, %d60.1 = tfx_ad.gradient @s2(%three, %five, %n2) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "s2: {} {}"(%d60.0, %d60.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, fn3.
  // CHECK-NEXT: {{^}}s3: 162.0 90.0{{$}}
  %d61.0, %d61.1 = tfx_ad.gradient @s3(%three, %five) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "s3: {} {}"(%d61.0, %d61.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, fn4.
  // CHECK-NEXT: {{^}}s4: 10.0 6.0{{$}}
  %d62.0, %d62.1 = tfx_ad.gradient @s4(%three, %five, %n1) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "s4: {} {}"(%d62.0, %d62.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, fn7.
  // CHECK-NEXT: {{^}}s7: 3.0 2.0{{$}}
  %d63.0, %d63.1 = tfx_ad.gradient @s7(%two, %three) wrt [0, 1] : (f64, f64) -> (f64, f64)
  tfx_host.print "s7: {} {}"(%d63.0, %d63.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, fn24.
  %add = tfx_host.make_enum "add"() : () -> !tfx_host.enum<@Op>
  %sub = tfx_host.make_enum "sub"() : () -> !tfx_host.enum<@Op>
  %mul = tfx_host.make_enum "mul"() : () -> !tfx_host.enum<@Op>
  %div = tfx_host.make_enum "div"() : () -> !tfx_host.enum<@Op>
  // CHECK-NEXT: {{^}}s24 add: 1.0 1.0{{$}}
  %d64.0, %d64.1 = tfx_ad.gradient @s24(%three, %five, %add) wrt [0, 1] : (f64, f64, !tfx_host.enum<@Op>) -> (f64, f64)
  tfx_host.print "s24 add: {} {}"(%d64.0, %d64.1) : f64, f64
  // CHECK-NEXT: {{^}}s24 sub: 1.0 -1.0{{$}}
  %d65.0, %d65.1 = tfx_ad.gradient @s24(%three, %five, %sub) wrt [0, 1] : (f64, f64, !tfx_host.enum<@Op>) -> (f64, f64)
  tfx_host.print "s24 sub: {} {}"(%d65.0, %d65.1) : f64, f64
  // CHECK-NEXT: {{^}}s24 mul: 5.0 3.0{{$}}
  %d66.0, %d66.1 = tfx_ad.gradient @s24(%three, %five, %mul) wrt [0, 1] : (f64, f64, !tfx_host.enum<@Op>) -> (f64, f64)
  tfx_host.print "s24 mul: {} {}"(%d66.0, %d66.1) : f64, f64
  // CHECK-NEXT: {{^}}s24 div: {{(0\.2|0\.199999999[0-9]*|0\.200000000[0-9]*)}} -{{(0\.12|0\.119999999[0-9]*|0\.120000000[0-9]*)}}{{$}}
  %d67.0, %d67.1 = tfx_ad.gradient @s24(%three, %five, %div) wrt [0, 1] : (f64, f64, !tfx_host.enum<@Op>) -> (f64, f64)
  tfx_host.print "s24 div: {} {}"(%d67.0, %d67.1) : f64, f64
  // Case: Clad, Gradient/Switch.C, switchReturn.
  // CHECK-NEXT: {{^}}switch_return 0: 6.0 0.0{{$}}
  %d68.0, %d68.1 = tfx_ad.gradient @switch_return(%three, %five, %n0) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "switch_return 0: {} {}"(%d68.0, %d68.1) : f64, f64
  // CHECK-NEXT: {{^}}switch_return 1: 5.0 3.0{{$}}
  %d69.0, %d69.1 = tfx_ad.gradient @switch_return(%three, %five, %n1) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "switch_return 1: {} {}"(%d69.0, %d69.1) : f64, f64
  // CHECK-NEXT: {{^}}switch_return 2: 0.0 10.0{{$}}
  %d70.0, %d70.1 = tfx_ad.gradient @switch_return(%three, %five, %n2) wrt [0, 1] : (f64, f64, i64) -> (f64, f64)
  tfx_host.print "switch_return 2: {} {}"(%d70.0, %d70.1) : f64, f64
  return
}
