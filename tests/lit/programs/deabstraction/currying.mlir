// Closures that return closures: add(a)(b)(c), compose(f, g), and twice(twice(f)): ((1 + 2) + 3) is 6; compose(square, + 1)(6) is 49 or, reversed,
// 37; four times + 2 is 14.
//
// RUN: tfxc run %s true 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s false 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      49.0 14.0
// CHECK1-NEXT: y = 63.0
// CHECK2:      37.0 14.0
// CHECK2-NEXT: y = 51.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
!F = !tfx_host.closure<(!T) -> !T>
!FF = !tfx_host.closure<(!T) -> !F>
func.func private @add3(%a: !T, %b: !T, %c: !T) -> !T {
  %s = tfx_tensor.op "Add"(%a, %b) : (!T, !T) -> !T
  %t = tfx_tensor.op "Add"(%s, %c) : (!T, !T) -> !T
  return %t : !T
}
func.func private @add2(%a: !T, %b: !T) -> !F {
  %c = tfx_host.closure @add3(%a, %b) : (!T, !T) -> !F
  return %c : !F
}
func.func private @add1(%a: !T) -> !FF {
  %c = tfx_host.closure @add2(%a) : (!T) -> !FF
  return %c : !FF
}
func.func private @composed(%f: !F, %g: !F, %x: !T) -> !T {
  %y = tfx_host.apply %g(%x) : !F
  %z = tfx_host.apply %f(%y) : !F
  return %z : !T
}
func.func private @compose(%f: !F, %g: !F) -> !F {
  %c = tfx_host.closure @composed(%f, %g) : (!F, !F) -> !F
  return %c : !F
}
func.func private @square(%x: !T) -> !T {
  %y = tfx_tensor.op "Square"(%x) : (!T) -> !T
  return %y : !T
}
func.func private @plus(%by: !T, %x: !T) -> !T {
  %y = tfx_tensor.op "Add"(%by, %x) : (!T, !T) -> !T
  return %y : !T
}
func.func private @twice(%f: !F) -> !F {
  %c = func.call @compose(%f, %f) : (!F, !F) -> !F
  return %c : !F
}
func.func @main(%square_last: i1) -> (!T {tfx.name = "y"}) {
  %one = tfx_tensor.const dense<1.0> : !T
  %two = tfx_tensor.const dense<2.0> : !T
  %three = tfx_tensor.const dense<3.0> : !T
  %a1 = func.call @add1(%one) : (!T) -> !FF
  %a2 = tfx_host.apply %a1(%two) : !FF
  %six = tfx_host.apply %a2(%three) : !F
  %square = tfx_host.closure @square() : () -> !F
  %inc = tfx_host.closure @plus(%one) : (!T) -> !F
  cf.cond_br %square_last, ^compose(%square, %inc : !F, !F), ^compose(%inc, %square : !F, !F)
^compose(%f: !F, %g: !F):
  %h = func.call @compose(%f, %g) : (!F, !F) -> !F
  %p = tfx_host.apply %h(%six) : !F
  %plus2 = tfx_host.closure @plus(%two) : (!T) -> !F
  %t = func.call @twice(%plus2) : (!F) -> !F
  %tt = func.call @twice(%t) : (!F) -> !F
  %q = tfx_host.apply %tt(%six) : !F
  tfx_host.print "{} {}"(%p, %q) : !T, !T
  %y = tfx_tensor.op "Add"(%p, %q) : (!T, !T) -> !T
  return %y : !T
}
