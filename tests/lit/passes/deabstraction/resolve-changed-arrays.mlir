// Arrays of known length that are changed and filled become their elements, also where branches and
// loops forward them. An index out of bounds aborts.
//
// RUN: tfx-opt %s --tfx-deabstract | FileCheck %s
// RUN: tfxc run %s 2 2>/dev/null | FileCheck %s --check-prefix=RESULT
// RUN: tfxc interpret %s 2 | FileCheck %s --check-prefix=RESULT
// RUN: not tfxc run %s 3 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: index is out of bounds of an array of 3 elements

// CHECK-LABEL: func.func private @constant
// CHECK-NOT: tfx_host.array
// CHECK: return %arg1, %arg0
func.func private @constant(%x: f64, %y: f64) -> (f64, f64) attributes {no_inline} {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = tfx_host.array_fill %x, %i1 : !tfx_host.array<f64>
  %b = tfx_host.array_set %y into %a[%i0] : !tfx_host.array<f64>
  %p = tfx_host.array_get %b[%i0] : !tfx_host.array<f64>
  %q = tfx_host.array_get %a[%i0] : !tfx_host.array<f64>
  return %p, %q : f64, f64
}

// A loop carries the array: each element becomes an argument.
// CHECK-LABEL: func.func private @carried
// CHECK-NOT: tfx_host.array
// CHECK: return
func.func private @carried(%n: index) -> f64 attributes {no_inline} {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %f1 = arith.constant 1.0 : f64
  %f10 = arith.constant 10.0 : f64
  %a = tfx_host.array(%f1, %f1, %f1) : !tfx_host.array<f64>
  cf.br ^head(%i0, %a : index, !tfx_host.array<f64>)
^head(%i: index, %b: !tfx_host.array<f64>):
  %more = arith.cmpi ule, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %x = tfx_host.array_get %b[%i] : !tfx_host.array<f64>
  %y = arith.mulf %x, %f10 : f64
  %c = tfx_host.array_set %y into %b[%i] : !tfx_host.array<f64>
  %is_even = arith.cmpi eq, %i, %i0 : index
  cf.cond_br %is_even, ^even, ^next(%c : !tfx_host.array<f64>)
^even:
  %d = tfx_host.array_set %y into %c[%i2] : !tfx_host.array<f64>
  cf.br ^next(%d : !tfx_host.array<f64>)
^next(%e: !tfx_host.array<f64>):
  %j = arith.addi %i, %i1 : index
  cf.br ^head(%j, %e : index, !tfx_host.array<f64>)
^end:
  %p = tfx_host.array_get %b[%i0] : !tfx_host.array<f64>
  %q = tfx_host.array_get %b[%i2] : !tfx_host.array<f64>
  %s = arith.addf %p, %q : f64
  return %s : f64
}

// RESULT: 2.0 1.0 110.0
func.func @main(%n: index {tfx.name = "n"}) {
  %x = arith.constant 1.0 : f64
  %y = arith.constant 2.0 : f64
  %p, %q = func.call @constant(%x, %y) : (f64, f64) -> (f64, f64)
  %r = func.call @carried(%n) : (index) -> f64
  tfx_host.print "{} {} {}"(%p, %q, %r) : f64, f64, f64
  return
}
