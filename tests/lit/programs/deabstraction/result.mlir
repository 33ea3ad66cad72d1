// A result that is a value or a failure with a struct in it, through a chain of calls that stops at the first failure: 100 / 5 / 2 = 10; 100 / 0
// fails at 1; 100 / 5 / 0 at 2.
//
// RUN: tfxc run %s 5 2 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 5 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 0 2 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 0 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfxc run %s 5 0 2>&1 | FileCheck %s --check-prefix=CHECK3
// RUN: %if tensorflow %{ tfxc run %s 5 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK3 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      r = 10.0
// CHECK2:      failed at 1: zero
// CHECK2-NEXT: r = -1.0
// CHECK3:      failed at 2: zero
// CHECK3-NEXT: r = -1.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
tfx_host.struct @Failure {step: i32, why: !tfx_host.string}
tfx_host.enum @Result<"V", "E"> {ok(!tfx_host.param<"V">), failed(!tfx_host.param<"E">)}
!F = !tfx_host.struct<@Failure>
!R = !tfx_host.enum<@Result<!T, !F>>
func.func private @divide(%by: f32, %step: i32, %x: !T) -> !R {
  %zero = arith.constant 0.0 : f32
  %is = arith.cmpf oeq, %by, %zero : f32
  cf.cond_br %is, ^fail, ^go
^fail:
  %why = tfx_host.string "zero"
  %f = tfx_host.make_struct(%step, %why) : (i32, !tfx_host.string) -> !F
  %e = tfx_host.make_enum "failed"(%f) : (!F) -> !R
  return %e : !R
^go:
  %b = tfx_tensor.from_scalar %by : f32
  %q = tfx_tensor.op "Div"(%x, %b) : (!T, !T) -> !T
  %r = tfx_host.make_enum "ok"(%q) : (!T) -> !R
  return %r : !R
}
func.func private @then(%r: !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>>,
    %f: !tfx_host.closure<(!tfx_host.param<"V">) -> !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>>>)
    -> !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>>
    attributes {tfx_host.type_params = [#tfx_host.type_param<"V">, #tfx_host.type_param<"E">]} {
  tfx_host.switch_enum %r : !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>> ["ok" -> ^ok, default -> ^stop]
^ok(%v: !tfx_host.param<"V">):
  %s = tfx_host.apply %f(%v) : !tfx_host.closure<(!tfx_host.param<"V">) -> !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>>>
  return %s : !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>>
^stop:
  return %r : !tfx_host.enum<@Result<!tfx_host.param<"V">, !tfx_host.param<"E">>>
}
func.func @main(%a: f32, %b: f32) -> (!T {tfx.name = "r"}) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %x = tfx_tensor.const dense<100.0> : !T
  %bad = tfx_tensor.const dense<-1.0> : !T
  %r0 = tfx_host.make_enum "ok"(%x) : (!T) -> !R
  %f = tfx_host.closure @divide(%a, %one) : (f32, i32) -> !tfx_host.closure<(!T) -> !R>
  %g = tfx_host.closure @divide(%b, %two) : (f32, i32) -> !tfx_host.closure<(!T) -> !R>
  %r1 = tfx_host.call @then<[!T, !F]>(%r0, %f) : (!R, !tfx_host.closure<(!T) -> !R>) -> !R
  %r2 = tfx_host.call @then<[!T, !F]>(%r1, %g) : (!R, !tfx_host.closure<(!T) -> !R>) -> !R
  tfx_host.switch_enum %r2 : !R ["ok" -> ^end, "failed" -> ^failed]
^failed(%e: !F):
  %step = tfx_host.extract %e["step"] : !F -> i32
  %why = tfx_host.extract %e["why"] : !F -> !tfx_host.string
  tfx_host.print "failed at {}: {}"(%step, %why) : i32, !tfx_host.string
  cf.br ^end(%bad : !T)
^end(%r: !T):
  return %r : !T
}
