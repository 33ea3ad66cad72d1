// Arrays: elements, literals, concatenation, appending, repeated elements. Swift,
// test/AutoDiff/validation-test/array.swift. Swift's Float is f64 here. A concatenation is a loop
// that sets the elements.
//
// RUN: tfxc run %s 2>/dev/null | FileCheck %s

!A = !tfx_host.array<f64>
!P = !tfx_host.closure<(!A) -> !A>
!Q = !tfx_host.closure<(!A) -> (f64, f64)>

func.func private @show(%a: !A) attributes {no_inline} {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %a : !A
  tfx_host.print "{} elements"(%n) : index
  scf.for %i = %first to %n step %one {
    %x = tfx_host.array_get %a[%i] : !A
    tfx_host.print "{}"(%x) : f64
  }
  return
}

// Case: Swift, array.swift, ArrayIdentity
func.func private @array_identity(%x: !A) -> !A {
  return %x : !A
}

// Case: Swift, array.swift, ArraySubscript: sumFirstThree
func.func private @sum_first_three(%a: !A) -> f64 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %x = tfx_host.array_get %a[%i0] : !A
  %y = tfx_host.array_get %a[%i1] : !A
  %z = tfx_host.array_get %a[%i2] : !A
  %xy = arith.addf %x, %y : f64
  %xyz = arith.addf %xy, %z : f64
  return %xyz : f64
}

// Case: Swift, array.swift, ArrayLiteral: twoElementLiteral
func.func private @two_element_literal(%x: f64, %y: f64) -> !A {
  %a = tfx_host.array(%x, %y) : !A
  return %a : !A
}
// Case: Swift, array.swift, ArrayLiteral: twoElementLiteralAddress
func.func private @two_element_literal_address(%x: f64, %y: f64) -> !A {
  %result = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x, %result : f64
  %old = tfx_host.load %result : !tfx_host.ref<f64>
  %new = arith.mulf %old, %y : f64
  tfx_host.store %new, %result : f64
  %p = tfx_host.load %result : !tfx_host.ref<f64>
  %q = tfx_host.load %result : !tfx_host.ref<f64>
  %a = tfx_host.array(%p, %q) : !A
  return %a : !A
}
// Case: Swift, array.swift, ArrayLiteral: twoElementLiteralFunctionResult
func.func private @two_element_literal_function_result(%x: f64, %y: f64) -> !A {
  %p = arith.mulf %x, %y : f64
  %q = arith.mulf %x, %y : f64
  %a = tfx_host.array(%p, %q) : !A
  return %a : !A
}
// Case: Swift, array.swift, ArrayLiteral: twoElementLiterals
func.func private @two_element_literals(%x: f64, %y: f64) -> !A {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = func.call @two_element_literal_function_result(%x, %y) : (f64, f64) -> !A
  %p = tfx_host.array_get %a[%i0] : !A
  %q = tfx_host.array_get %a[%i1] : !A
  %b = tfx_host.array(%p, %q) : !A
  return %b : !A
}

// Case: Swift, array.swift, ArrayLiteralStruct: structGeneric; structConcrete1; structConcrete2
tfx_host.struct @Struct<"T"> {x: !tfx_host.param<"T">, y: !tfx_host.param<"T">}
!S = !tfx_host.struct<@Struct<f64>>
func.func private @struct_element_literal(%s: !S) -> !A {
  %x = tfx_host.extract %s["x"] : !S -> f64
  %y = tfx_host.extract %s["y"] : !S -> f64
  %a = tfx_host.array(%x, %y) : !A
  return %a : !A
}
func.func private @struct_generic(%s: !S) -> f64 {
  %i0 = arith.constant 0 : index
  %a = func.call @struct_element_literal(%s) : (!S) -> !A
  %x = tfx_host.array_get %a[%i0] : !A
  return %x : f64
}
func.func private @struct_concrete1(%s: !S) -> f64 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = func.call @struct_element_literal(%s) : (!S) -> !A
  %b = func.call @struct_element_literal(%s) : (!S) -> !A
  %x = tfx_host.array_get %a[%i0] : !A
  %y = tfx_host.array_get %b[%i1] : !A
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}
func.func private @struct_concrete2(%s: !S) -> f64 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = func.call @struct_element_literal(%s) : (!S) -> !A
  %x = tfx_host.array_get %a[%i0] : !A
  %y = tfx_host.array_get %a[%i1] : !A
  %xy = arith.mulf %x, %y : f64
  return %xy : f64
}

// Case: Swift, array.swift, ArrayLiteralTuple: tupleElementGeneric
func.func private @tuple_element_generic(%x: f64, %y: f64) -> !A {
  %t = tfx_host.make_tuple(%x, %y) : f64, f64
  %p = tfx_host.tuple_get %t[0] : tuple<f64, f64>
  %q = tfx_host.tuple_get %t[1] : tuple<f64, f64>
  %a = tfx_host.array(%p, %q) : !A
  return %a : !A
}

// Case: Swift, array.swift, ArrayLiteralNested: nested0
func.func private @nested0(%x: f64, %y: f64) -> !A {
  %i0 = arith.constant 0 : index
  %a = tfx_host.array(%x, %y) : !A
  %b = tfx_host.array(%a) : !tfx_host.array<!A>
  %c = tfx_host.array(%b) : !tfx_host.array<!tfx_host.array<!A>>
  %d = tfx_host.array_get %c[%i0] : !tfx_host.array<!tfx_host.array<!A>>
  %e = tfx_host.array_get %d[%i0] : !tfx_host.array<!A>
  return %e : !A
}
// Case: Swift, array.swift, ArrayLiteralNested: nested1
func.func private @nested1(%x: f64, %y: f64) -> !A {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a = tfx_host.array(%x, %y) : !A
  %b = tfx_host.array(%a, %a) : !tfx_host.array<!A>
  %c = tfx_host.array_get %b[%i0] : !tfx_host.array<!A>
  %d = tfx_host.array_get %b[%i1] : !tfx_host.array<!A>
  %e = func.call @concatenated(%c, %d) : (!A, !A) -> !A
  return %e : !A
}

// Case: Swift, array.swift, ArrayLiteralControlFlow: controlFlow
func.func private @control_flow(%x: f64, %y: f64, %bool: i1) -> !A {
  %result = func.call @two_element_literal_function_result(%x, %y) : (f64, f64) -> !A
  %result2 = arith.select %bool, %result, %result : !A
  %result3 = scf.if %bool -> (!A) {
    %inner = arith.select %bool, %result2, %result : !A
    scf.yield %inner : !A
  } else {
    scf.yield %result2 : !A
  }
  return %result3 : !A
}

// Case: Swift, array.swift, Array.+: sumFirstThreeConcatenating; identity
func.func private @copied(%from: !A, %to: !A, %offset: index) -> !A {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %from : !A
  %all = scf.for %i = %first to %n step %one iter_args(%a = %to) -> (!A) {
    %x = tfx_host.array_get %from[%i] : !A
    %j = arith.addi %i, %offset : index
    %b = tfx_host.array_set %x into %a[%j] : !A
    scf.yield %b : !A
  }
  return %all : !A
}
func.func private @concatenated(%a: !A, %b: !A) -> !A {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %n = tfx_host.array_count %a : !A
  %m = tfx_host.array_count %b : !A
  %count = arith.addi %n, %m : index
  %empty = tfx_host.array_fill %zero, %count : !A
  %c = func.call @copied(%a, %empty, %first) : (!A, !A, index) -> !A
  %d = func.call @copied(%b, %c, %n) : (!A, !A, index) -> !A
  return %d : !A
}
func.func private @sum_first_three_concatenating(%a: !A, %b: !A) -> f64 {
  %c = func.call @concatenated(%a, %b) : (!A, !A) -> !A
  %s = func.call @sum_first_three(%c) : (!A) -> f64
  return %s : f64
}
func.func private @identity(%array: !A) -> !A {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tfx_host.array_count %array : !A
  %empty = tfx_host.array() : !A
  %results = scf.for %i = %first to %n step %one iter_args(%r = %empty) -> (!A) {
    %x = tfx_host.array_get %array[%i] : !A
    %a = tfx_host.array(%x) : !A
    %s = func.call @concatenated(%r, %a) : (!A, !A) -> !A
    scf.yield %s : !A
  }
  return %results : !A
}

// Case: Swift, array.swift, Array.append: appending
func.func private @appending(%array: !A, %element: f64) -> !A {
  %a = tfx_host.array(%element) : !A
  %b = func.call @concatenated(%array, %a) : (!A, !A) -> !A
  return %b : !A
}

// Case: Swift, array.swift, Array.init(repeating:count:): repeating
func.func private @repeating(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %a = tfx_host.array_fill %x, %ten : !A
  %n = tfx_host.array_count %a : !A
  %sum = scf.for %i = %first to %n step %one iter_args(%s = %zero) -> (f64) {
    %y = tfx_host.array_get %a[%i] : !A
    %t = arith.addf %s, %y : f64
    scf.yield %t : f64
  }
  return %sum : f64
}

func.func @main() {
  %f0 = arith.constant 0.0 : f64
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %f3 = arith.constant 3.0 : f64
  %f4 = arith.constant 4.0 : f64
  %f6 = arith.constant 6.0 : f64
  %minus5 = arith.constant -5.0 : f64
  %true = arith.constant true
  %v2 = tfx_host.array(%f1, %f2) : !A
  %v3 = tfx_host.array(%f1, %f2, %f3) : !A
  %v4 = tfx_host.array(%f1, %f2, %f3, %f4) : !A
  %ones = tfx_host.array(%f1, %f1) : !A
  %four_ones = tfx_host.array(%f1, %f1, %f1, %f1) : !A
  %zeros2 = tfx_host.array(%f0, %f0) : !A
  %zeros4 = tfx_host.array(%f0, %f0, %f0, %f0) : !A
  %none = tfx_host.array() : !A

  // CHECK: 4 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 2.0
  // CHECK-NEXT: 3.0
  // CHECK-NEXT: 4.0
  %identity, %p1 = tfx_ad.vjp @array_identity(%v4) wrt [0] : (!A) -> (!A, !P)
  %g1 = tfx_host.apply %p1(%v4) : !P
  func.call @show(%g1) : (!A) -> ()

  // CHECK-NEXT: 4 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 0.0
  %g2 = tfx_ad.gradient @sum_first_three(%v4) wrt [0] : (!A) -> !A
  func.call @show(%g2) : (!A) -> ()

  // CHECK-NEXT: 1.0 2.0
  %r3, %p3 = tfx_ad.vjp @two_element_literal(%f1, %f1) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g3:2 = tfx_host.apply %p3(%v2) : !Q
  tfx_host.print "{} {}"(%g3#0, %g3#1) : f64, f64
  // CHECK-NEXT: 8.0 6.0
  %r4, %p4 = tfx_ad.vjp @two_element_literal_address(%f3, %f4) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g4:2 = tfx_host.apply %p4(%ones) : !Q
  tfx_host.print "{} {}"(%g4#0, %g4#1) : f64, f64
  // CHECK-NEXT: 8.0 6.0
  %r5, %p5 = tfx_ad.vjp @two_element_literal_function_result(%f3, %f4) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g5:2 = tfx_host.apply %p5(%ones) : !Q
  tfx_host.print "{} {}"(%g5#0, %g5#1) : f64, f64
  // CHECK-NEXT: 8.0 6.0
  %r6, %p6 = tfx_ad.vjp @two_element_literals(%f3, %f4) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g6:2 = tfx_host.apply %p6(%ones) : !Q
  tfx_host.print "{} {}"(%g6#0, %g6#1) : f64, f64

  %s = tfx_host.make_struct(%f3, %f4) : (f64, f64) -> !S
  %g7 = tfx_ad.gradient @struct_generic(%s) wrt [0] : (!S) -> !S
  %g8 = tfx_ad.gradient @struct_concrete1(%s) wrt [0] : (!S) -> !S
  %g9 = tfx_ad.gradient @struct_concrete2(%s) wrt [0] : (!S) -> !S
  %x7 = tfx_host.extract %g7["x"] : !S -> f64
  %y7 = tfx_host.extract %g7["y"] : !S -> f64
  %x8 = tfx_host.extract %g8["x"] : !S -> f64
  %y8 = tfx_host.extract %g8["y"] : !S -> f64
  %x9 = tfx_host.extract %g9["x"] : !S -> f64
  %y9 = tfx_host.extract %g9["y"] : !S -> f64
  // CHECK-NEXT: 1.0 0.0, 4.0 3.0, 4.0 3.0
  tfx_host.print "{} {}, {} {}, {} {}"(%x7, %y7, %x8, %y8, %x9, %y9) : f64, f64, f64, f64, f64, f64

  // CHECK-NEXT: 1.0 1.0
  %r10, %p10 = tfx_ad.vjp @tuple_element_generic(%f3, %f4) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g10:2 = tfx_host.apply %p10(%ones) : !Q
  tfx_host.print "{} {}"(%g10#0, %g10#1) : f64, f64
  // CHECK-NEXT: 1.0 1.0
  %r11, %p11 = tfx_ad.vjp @nested0(%f3, %f4) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g11:2 = tfx_host.apply %p11(%ones) : !Q
  tfx_host.print "{} {}"(%g11#0, %g11#1) : f64, f64
  // CHECK-NEXT: 2.0 2.0
  %r12, %p12 = tfx_ad.vjp @nested1(%f3, %f4) wrt [0, 1] : (f64, f64) -> (!A, !Q)
  %g12:2 = tfx_host.apply %p12(%four_ones) : !Q
  tfx_host.print "{} {}"(%g12#0, %g12#1) : f64, f64
  // CHECK-NEXT: 8.0 6.0
  %r13, %p13 = tfx_ad.vjp @control_flow(%f3, %f4, %true) wrt [0, 1] : (f64, f64, i1) -> (!A, !Q)
  %g13:2 = tfx_host.apply %p13(%ones) : !Q
  tfx_host.print "{} {}"(%g13#0, %g13#1) : f64, f64

  // CHECK-NEXT: 2 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 2 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 0.0
  %g14:2 = tfx_ad.gradient @sum_first_three_concatenating(%zeros2, %zeros2) wrt [0, 1] : (!A, !A) -> (!A, !A)
  func.call @show(%g14#0) : (!A) -> ()
  func.call @show(%g14#1) : (!A) -> ()
  // CHECK-NEXT: 4 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 0.0
  // CHECK-NEXT: 2 elements
  // CHECK-NEXT: 0.0
  // CHECK-NEXT: 0.0
  %g15:2 = tfx_ad.gradient @sum_first_three_concatenating(%zeros4, %zeros2) wrt [0, 1] : (!A, !A) -> (!A, !A)
  func.call @show(%g15#0) : (!A) -> ()
  func.call @show(%g15#1) : (!A) -> ()
  // CHECK-NEXT: 0 elements
  // CHECK-NEXT: 4 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 0.0
  %g16:2 = tfx_ad.gradient @sum_first_three_concatenating(%none, %zeros4) wrt [0, 1] : (!A, !A) -> (!A, !A)
  func.call @show(%g16#0) : (!A) -> ()
  func.call @show(%g16#1) : (!A) -> ()

  // CHECK-NEXT: 3 elements
  // CHECK-NEXT: 4.0
  // CHECK-NEXT: -5.0
  // CHECK-NEXT: 6.0
  %v = tfx_host.array(%f4, %minus5, %f6) : !A
  %r17, %p17 = tfx_ad.vjp @identity(%v3) wrt [0] : (!A) -> (!A, !P)
  %g17 = tfx_host.apply %p17(%v) : !P
  func.call @show(%g17) : (!A) -> ()

  // CHECK-NEXT: 3 elements
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 2.0
  // CHECK-NEXT: 3.0
  // CHECK-NEXT: 4.0
  %r18, %p18 = tfx_ad.vjp @appending(%v3, %f0) wrt [0, 1] : (!A, f64) -> (!A, !tfx_host.closure<(!A) -> (!A, f64)>)
  %g18:2 = tfx_host.apply %p18(%v4) : !tfx_host.closure<(!A) -> (!A, f64)>
  func.call @show(%g18#0) : (!A) -> ()
  tfx_host.print "{}"(%g18#1) : f64

  // CHECK-NEXT: 10.0 20.0
  %r19, %p19 = tfx_ad.vjp @repeating(%f0) wrt [0] : (f64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %g19 = tfx_host.apply %p19(%f1) : !tfx_host.closure<(f64) -> f64>
  %h19 = tfx_host.apply %p19(%f2) : !tfx_host.closure<(f64) -> f64>
  tfx_host.print "{} {}"(%g19, %h19) : f64, f64
  return
}
