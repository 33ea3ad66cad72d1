// Loops: for, while, repeat, nested, with continue, break and a labelled break.
// Swift, test/AutoDiff/validation-test/control_flow.swift, test "Loops". Swift's Float is f64 here.
//
// RUN: tfxc run %s | FileCheck %s

func.func private @for_loop(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%result = %x) -> (f64) : i64 {
    %a = arith.mulf %result, %x : f64
    scf.yield %a : f64
  }
  return %r : f64
}

// The initial value is a constant.
func.func private @for_loop_constant(%x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %start = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%result = %start) -> (f64) : i64 {
    %a = arith.mulf %result, %x : f64
    scf.yield %a : f64
  }
  return %r : f64
}

func.func private @while_loop(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^head(%n0, %x : i64, f64)
^head(%i: i64, %result: f64):
  %more = arith.cmpi slt, %i, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %a = arith.addi %i, %n1 : i64
  %b = arith.mulf %result, %x : f64
  cf.br ^head(%a, %b : i64, f64)
^end:
  return %result : f64
}

// With variables, as a front end emits them.
func.func private @while_loop_constant(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  %result = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %one, %result : f64
  %i = tfx_host.var : !tfx_host.ref<i64>
  tfx_host.store %n0, %i : i64
  cf.br ^head
^head:
  %i0 = tfx_host.load %i : !tfx_host.ref<i64>
  %more = arith.cmpi slt, %i0, %n2 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %r0 = tfx_host.load %result : !tfx_host.ref<f64>
  %a = arith.mulf %r0, %x : f64
  tfx_host.store %a, %result : f64
  %i1 = tfx_host.load %i : !tfx_host.ref<i64>
  %b = arith.addi %i1, %n1 : i64
  tfx_host.store %b, %i : i64
  cf.br ^head
^end:
  %r = tfx_host.load %result : !tfx_host.ref<f64>
  return %r : f64
}

func.func private @repeat_while_loop(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  cf.br ^body(%n0, %x : i64, f64)
^body(%i: i64, %result: f64):
  %next = arith.mulf %result, %x : f64
  %j = arith.addi %i, %n1 : i64
  %more = arith.cmpi slt, %j, %n2 : i64
  cf.cond_br %more, ^body(%j, %next : i64, f64), ^end
^end:
  return %next : f64
}

func.func private @repeat_while_loop_constant(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %result = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %one, %result : f64
  %i = tfx_host.var : !tfx_host.ref<i64>
  tfx_host.store %n0, %i : i64
  cf.br ^body
^body:
  %r0 = tfx_host.load %result : !tfx_host.ref<f64>
  %a = arith.mulf %r0, %x : f64
  tfx_host.store %a, %result : f64
  %i0 = tfx_host.load %i : !tfx_host.ref<i64>
  %b = arith.addi %i0, %n1 : i64
  tfx_host.store %b, %i : i64
  %i1 = tfx_host.load %i : !tfx_host.ref<i64>
  %more = arith.cmpi slt, %i1, %n2 : i64
  cf.cond_br %more, ^body, ^end
^end:
  %r = tfx_host.load %result : !tfx_host.ref<f64>
  return %r : f64
}

func.func private @nested_repeat(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  cf.br ^outer(%n0, %x : i64, f64)
^outer(%i: i64, %result: f64):
  cf.br ^inner(%n0, %x : i64, f64)
^inner(%j: i64, %temp: f64):
  %product = arith.mulf %temp, %x : f64
  %j1 = arith.addi %j, %n1 : i64
  %more = arith.cmpi slt, %j1, %n2 : i64
  cf.cond_br %more, ^inner(%j1, %product : i64, f64), ^next
^next:
  %all = arith.mulf %result, %product : f64
  %i1 = arith.addi %i, %n1 : i64
  %a = arith.cmpi slt, %i1, %n2 : i64
  cf.cond_br %a, ^outer(%i1, %all : i64, f64), ^end
^end:
  return %all : f64
}

func.func private @nested_while(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^outer(%n0, %x : i64, f64)
^outer(%i: i64, %result: f64):
  cf.br ^inner(%n0, %x : i64, f64)
^inner(%j: i64, %temp: f64):
  %more = arith.cmpi slt, %j, %n2 : i64
  cf.cond_br %more, ^body, ^next
^body:
  %a = arith.addi %j, %n1 : i64
  %b = arith.mulf %temp, %x : f64
  cf.br ^inner(%a, %b : i64, f64)
^next:
  %all = arith.mulf %result, %temp : f64
  %i1 = arith.addi %i, %n1 : i64
  %c = arith.cmpi slt, %i1, %n2 : i64
  cf.cond_br %c, ^outer(%i1, %all : i64, f64), ^end
^end:
  return %all : f64
}

func.func private @nested_for(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  cf.br ^outer(%n0, %x : i64, f64)
^outer(%i: i64, %result: f64):
  %temp = scf.for %j = %c0 to %c2 step %c1 iter_args(%t = %x) -> (f64) : i64 {
    %tx = arith.mulf %t, %x : f64
    scf.yield %tx : f64
  }
  %all = arith.mulf %result, %temp : f64
  %i1 = arith.addi %i, %n1 : i64
  %more = arith.cmpi slt, %i1, %n2 : i64
  cf.cond_br %more, ^outer(%i1, %all : i64, f64), ^end
^end:
  return %all : f64
}

// A break, and a branch in the loop.
func.func private @repeat_while_loop_condition(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  %n10 = arith.constant 10 : i64
  cf.br ^body(%n0, %x : i64, f64)
^body(%i: i64, %result: f64):
  %is_eq = arith.cmpi eq, %i, %n2 : i64
  cf.cond_br %is_eq, ^end(%result : f64), ^more
^more:
  %a = arith.cmpi eq, %i, %n0 : i64
  cf.cond_br %a, ^first, ^other
^first:
  %b = arith.mulf %result, %x : f64
  cf.br ^next(%b : f64)
^other:
  %c = arith.mulf %result, %result : f64
  cf.br ^next(%c : f64)
^next(%r: f64):
  %j = arith.addi %i, %n1 : i64
  %more = arith.cmpi slt, %j, %n10 : i64
  cf.cond_br %more, ^body(%j, %r : i64, f64), ^end(%r : f64)
^end(%last: f64):
  return %last : f64
}

func.func private @loop_continue(%x: f64) -> f64 {
  %n1 = arith.constant 1 : i64
  %n10 = arith.constant 10 : i64
  %n2 = arith.constant 2 : i64
  %n0 = arith.constant 0 : i64
  cf.br ^head(%n1, %x : i64, f64)
^head(%i: i64, %result: f64):
  %more = arith.cmpi slt, %i, %n10 : i64
  cf.cond_br %more, ^body, ^end
^body:
  %j = arith.addi %i, %n1 : i64
  %a = arith.remsi %i, %n2 : i64
  %is_eq = arith.cmpi eq, %a, %n0 : i64
  cf.cond_br %is_eq, ^head(%j, %result : i64, f64), ^multiply
^multiply:
  %b = arith.mulf %result, %x : f64
  cf.br ^head(%j, %b : i64, f64)
^end:
  return %result : f64
}

func.func private @nested_loop1(%x: f64) -> f64 {
  %n0 = arith.constant 0 : i64
  %n2 = arith.constant 2 : i64
  %n1 = arith.constant 1 : i64
  cf.br ^outer(%n0, %x : i64, f64)
^outer(%i: i64, %o: f64):
  %more = arith.cmpi slt, %i, %n2 : i64
  cf.cond_br %more, ^start, ^end
^start:
  %ox = arith.mulf %o, %x : f64
  cf.br ^inner(%n0, %ox : i64, f64)
^inner(%j: i64, %n: f64):
  %a = arith.cmpi slt, %j, %n2 : i64
  cf.cond_br %a, ^add, ^next
^add:
  %b = arith.addi %j, %n1 : i64
  %c = arith.addf %n, %x : f64
  cf.br ^inner(%b, %c : i64, f64)
^next:
  %d = arith.addi %i, %n1 : i64
  cf.br ^outer(%d, %n : i64, f64)
^end:
  return %o : f64
}

// A switch in the inner loop leaves both loops, one, or none; the number of iterations is a
// parameter.
func.func private @nested_loop2(%x: f64, %count: i64) -> f64 {
  %n0 = arith.constant 0 : i64
  %seven = arith.constant 7.0 : f64
  %n1 = arith.constant 1 : i64
  cf.br ^outer(%n0, %x : i64, f64)
^outer(%i: i64, %o: f64):
  %more = arith.cmpi slt, %i, %count : i64
  cf.cond_br %more, ^start, ^end(%o : f64)
^start:
  %product = arith.mulf %o, %x : f64
  cf.br ^inner(%n0, %product : i64, f64)
^inner(%j: i64, %n: f64):
  %a = arith.cmpi slt, %j, %count : i64
  cf.cond_br %a, ^add, ^next(%n : f64)
^add:
  %sum = arith.addf %n, %x : f64
  %b = arith.remf %sum, %seven : f64
  %rest = arith.fptosi %b : f64 to i64
  %j1 = arith.addi %j, %n1 : i64
  cf.switch %rest : i64, [
    default: ^inner(%j1, %sum : i64, f64),
    0: ^end(%product : f64),
    1: ^inner(%j1, %sum : i64, f64)
  ]
^next(%m: f64):
  %c = arith.addi %i, %n1 : i64
  cf.br ^outer(%c, %m : i64, f64)
^end(%r: f64):
  return %r : f64
}

// A method with a loop, of a struct without fields.
tfx_host.struct @Empty {}
func.func private @loop_in_method(%self: !tfx_host.struct<@Empty>, %x: f64) -> f64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%result = %x) -> (f64) : i64 {
    %a = arith.mulf %result, %result : f64
    scf.yield %a : f64
  }
  return %r : f64
}
func.func private @call_method(%x: f64) -> f64 {
  %self = tfx_host.make_struct() : () -> !tfx_host.struct<@Empty>
  %y = func.call @loop_in_method(%self, %x) : (!tfx_host.struct<@Empty>, f64) -> f64
  return %y : f64
}

func.func public @main() {
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %four = arith.constant 4.0 : f64
  %n1 = arith.constant 1 : i64
  %n2 = arith.constant 2 : i64
  %n3 = arith.constant 3 : i64
  %n4 = arith.constant 4 : i64
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  // Case: Swift, control_flow.swift, "Loops", for_loop.
  // CHECK: {{^}}for_loop 2: 8.0 12.0{{$}}
  %y1, %d0 = tfx_ad.gradient @for_loop(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "for_loop 2: {} {}"(%y1, %d0) : f64, f64
  // CHECK-NEXT: {{^}}for_loop 3: 27.0 27.0{{$}}
  %y3, %d2 = tfx_ad.gradient @for_loop(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "for_loop 3: {} {}"(%y3, %d2) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", for_loop_nonactive_initial_value.
  // CHECK-NEXT: {{^}}for_loop_constant 2: 4.0 4.0{{$}}
  %y5, %d4 = tfx_ad.gradient @for_loop_constant(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "for_loop_constant 2: {} {}"(%y5, %d4) : f64, f64
  // CHECK-NEXT: {{^}}for_loop_constant 3: 9.0 6.0{{$}}
  %y7, %d6 = tfx_ad.gradient @for_loop_constant(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "for_loop_constant 3: {} {}"(%y7, %d6) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", while_loop.
  // CHECK-NEXT: {{^}}while_loop 2: 8.0 12.0{{$}}
  %y9, %d8 = tfx_ad.gradient @while_loop(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "while_loop 2: {} {}"(%y9, %d8) : f64, f64
  // CHECK-NEXT: {{^}}while_loop 3: 27.0 27.0{{$}}
  %y11, %d10 = tfx_ad.gradient @while_loop(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "while_loop 3: {} {}"(%y11, %d10) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", while_loop_nonactive_initial_value.
  // CHECK-NEXT: {{^}}while_loop_constant 2: 4.0 4.0{{$}}
  %y13, %d12 = tfx_ad.gradient @while_loop_constant(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "while_loop_constant 2: {} {}"(%y13, %d12) : f64, f64
  // CHECK-NEXT: {{^}}while_loop_constant 3: 9.0 6.0{{$}}
  %y15, %d14 = tfx_ad.gradient @while_loop_constant(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "while_loop_constant 3: {} {}"(%y15, %d14) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", repeat_while_loop.
  // CHECK-NEXT: {{^}}repeat_while_loop 2: 8.0 12.0{{$}}
  %y17, %d16 = tfx_ad.gradient @repeat_while_loop(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "repeat_while_loop 2: {} {}"(%y17, %d16) : f64, f64
  // CHECK-NEXT: {{^}}repeat_while_loop 3: 27.0 27.0{{$}}
  %y19, %d18 = tfx_ad.gradient @repeat_while_loop(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "repeat_while_loop 3: {} {}"(%y19, %d18) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", repeat_while_loop_nonactive_initial_value.
  // CHECK-NEXT: {{^}}repeat_while_loop_constant 2: 4.0 4.0{{$}}
  %y21, %d20 = tfx_ad.gradient @repeat_while_loop_constant(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "repeat_while_loop_constant 2: {} {}"(%y21, %d20) : f64, f64
  // CHECK-NEXT: {{^}}repeat_while_loop_constant 3: 9.0 6.0{{$}}
  %y23, %d22 = tfx_ad.gradient @repeat_while_loop_constant(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "repeat_while_loop_constant 3: {} {}"(%y23, %d22) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", repeat_while_loop_nested_repeat.
  // CHECK-NEXT: {{^}}nested_repeat 2: 128.0 448.0{{$}}
  %y25, %d24 = tfx_ad.gradient @nested_repeat(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_repeat 2: {} {}"(%y25, %d24) : f64, f64
  // CHECK-NEXT: {{^}}nested_repeat 3: 2187.0 5103.0{{$}}
  %y27, %d26 = tfx_ad.gradient @nested_repeat(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_repeat 3: {} {}"(%y27, %d26) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", repeat_while_loop_nested_while.
  // CHECK-NEXT: {{^}}nested_while 2: 128.0 448.0{{$}}
  %y29, %d28 = tfx_ad.gradient @nested_while(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_while 2: {} {}"(%y29, %d28) : f64, f64
  // CHECK-NEXT: {{^}}nested_while 3: 2187.0 5103.0{{$}}
  %y31, %d30 = tfx_ad.gradient @nested_while(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_while 3: {} {}"(%y31, %d30) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", repeat_while_loop_nested_for.
  // CHECK-NEXT: {{^}}nested_for 2: 128.0 448.0{{$}}
  %y33, %d32 = tfx_ad.gradient @nested_for(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_for 2: {} {}"(%y33, %d32) : f64, f64
  // CHECK-NEXT: {{^}}nested_for 3: 2187.0 5103.0{{$}}
  %y35, %d34 = tfx_ad.gradient @nested_for(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_for 3: {} {}"(%y35, %d34) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", repeat_while_loop_condition.
  // CHECK-NEXT: {{^}}condition 2: 16.0 32.0{{$}}
  %y37, %d36 = tfx_ad.gradient @repeat_while_loop_condition(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "condition 2: {} {}"(%y37, %d36) : f64, f64
  // CHECK-NEXT: {{^}}condition 3: 81.0 108.0{{$}}
  %y39, %d38 = tfx_ad.gradient @repeat_while_loop_condition(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "condition 3: {} {}"(%y39, %d38) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", loop_continue.
  // CHECK-NEXT: {{^}}loop_continue 2: 64.0 192.0{{$}}
  %y41, %d40 = tfx_ad.gradient @loop_continue(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "loop_continue 2: {} {}"(%y41, %d40) : f64, f64
  // CHECK-NEXT: {{^}}loop_continue 3: 729.0 1458.0{{$}}
  %y43, %d42 = tfx_ad.gradient @loop_continue(%three) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "loop_continue 3: {} {}"(%y43, %d42) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", nested_loop1.
  // CHECK-NEXT: {{^}}nested_loop1 2: 20.0 22.0{{$}}
  %y45, %d44 = tfx_ad.gradient @nested_loop1(%two) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_loop1 2: {} {}"(%y45, %d44) : f64, f64
  // CHECK-NEXT: {{^}}nested_loop1 4: 104.0 66.0{{$}}
  %y47, %d46 = tfx_ad.gradient @nested_loop1(%four) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "nested_loop1 4: {} {}"(%y47, %d46) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", nested_loop2.
  // CHECK-NEXT: {{^}}nested_loop2 1: 6.0 5.0{{$}}
  %y49, %d48 = tfx_ad.gradient @nested_loop2(%two, %n1) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "nested_loop2 1: {} {}"(%y49, %d48) : f64, f64
  // CHECK-NEXT: {{^}}nested_loop2 2: 20.0 22.0{{$}}
  %y51, %d50 = tfx_ad.gradient @nested_loop2(%two, %n2) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "nested_loop2 2: {} {}"(%y51, %d50) : f64, f64
  // CHECK-NEXT: {{^}}nested_loop2 3: 52.0 80.0{{$}}
  %y53, %d52 = tfx_ad.gradient @nested_loop2(%two, %n3) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "nested_loop2 3: {} {}"(%y53, %d52) : f64, f64
  // CHECK-NEXT: {{^}}nested_loop2 4: 24.0 28.0{{$}}
  %y55, %d54 = tfx_ad.gradient @nested_loop2(%two, %n4) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "nested_loop2 4: {} {}"(%y55, %d54) : f64, f64
  // Case: Swift, control_flow.swift, "Loops", S_56342.
  // CHECK-NEXT: {{^}}loop_in_method 0: 0.0 0.0{{$}}
  %y57, %d56 = tfx_ad.gradient @call_method(%zero) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "loop_in_method 0: {} {}"(%y57, %d56) : f64, f64
  // CHECK-NEXT: {{^}}loop_in_method 1: 1.0 4.0{{$}}
  %y59, %d58 = tfx_ad.gradient @call_method(%one) wrt [0] value : (f64) -> (f64, f64)
  tfx_host.print "loop_in_method 1: {} {}"(%y59, %d58) : f64, f64
  return
}
