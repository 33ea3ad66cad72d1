// An enum whose cases hold closures and tuples of closures, selected at run time: apply(f) once, both(f, g) one after the other, or leave. x = 3: + 1
// is 4, then squared 16.
//
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 1 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfxc run %s 2 2>&1 | FileCheck %s --check-prefix=CHECK3
// RUN: %if tensorflow %{ tfxc run %s 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK3 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      y = 4.0
// CHECK2:      y = 16.0
// CHECK3:      y = 3.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
!F = !tfx_host.closure<(!T) -> !T>
tfx_host.enum @Plan {once(!F), both(tuple<!F, !F>), leave()}
!P = !tfx_host.enum<@Plan>
func.func private @plus(%by: !T, %x: !T) -> !T {
  %y = tfx_tensor.op "Add"(%by, %x) : (!T, !T) -> !T
  return %y : !T
}
func.func private @square(%x: !T) -> !T {
  %y = tfx_tensor.op "Square"(%x) : (!T) -> !T
  return %y : !T
}
func.func private @plan(%which: i32, %f: !F, %g: !F) -> !P {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %is0 = arith.cmpi eq, %which, %zero : i32
  %is1 = arith.cmpi eq, %which, %one : i32
  %p = scf.if %is0 -> !P {
    %o = tfx_host.make_enum "once"(%f) : (!F) -> !P
    scf.yield %o : !P
  } else {
    %q = scf.if %is1 -> !P {
      %t = tfx_host.make_tuple(%f, %g) : !F, !F
      %b = tfx_host.make_enum "both"(%t) : (tuple<!F, !F>) -> !P
      scf.yield %b : !P
    } else {
      %l = tfx_host.make_enum "leave"() : () -> !P
      scf.yield %l : !P
    }
    scf.yield %q : !P
  }
  return %p : !P
}
func.func private @run(%p: !P, %x: !T) -> !T {
  tfx_host.switch_enum %p : !P ["once" -> ^once, "both" -> ^both, "leave" -> ^end(%x : !T)]
^once(%f: !F):
  %y = tfx_host.apply %f(%x) : !F
  cf.br ^end(%y : !T)
^both(%t: tuple<!F, !F>):
  %a = tfx_host.tuple_get %t[0] : tuple<!F, !F>
  %b = tfx_host.tuple_get %t[1] : tuple<!F, !F>
  %u = tfx_host.apply %a(%x) : !F
  %v = tfx_host.apply %b(%u) : !F
  cf.br ^end(%v : !T)
^end(%r: !T):
  return %r : !T
}
func.func @main(%which: i32) -> (!T {tfx.name = "y"}) {
  %one = tfx_tensor.const dense<1.0> : !T
  %three = tfx_tensor.const dense<3.0> : !T
  %f = tfx_host.closure @plus(%one) : (!T) -> !F
  %g = tfx_host.closure @square() : () -> !F
  %p = func.call @plan(%which, %f, %g) : (i32, !F, !F) -> !P
  %y = func.call @run(%p, %three) : (!P, !T) -> !T
  return %y : !T
}
