// Mutating methods of a protocol, called through a generic function on a field of a variable: the counter counts up, the doubler doubles, and the
// pair does both to itself, twice. 1 and [1, 2]: 3 and [4, 8]; the other fields are unchanged.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      n 3, untouched 7
// CHECK-NEXT: x = [4. 8.]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<2xf32>
!M = !tfx_host.param<"M">
tfx_host.protocol @Mutable {change: (!tfx_host.ref<!tfx_host.param<"Self">>) -> ()}
tfx_host.struct @Counter {n: i32, untouched: i32}
tfx_host.struct @Doubler {x: !T}
tfx_host.struct @Pair<"A", "B"> {a: !tfx_host.param<"A">, b: !tfx_host.param<"B">}
!C = !tfx_host.struct<@Counter>
!D = !tfx_host.struct<@Doubler>
!P = !tfx_host.struct<@Pair<!C, !D>>
!GP = !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>>
func.func private @count(%c: !tfx_host.ref<!C>) {
  %one = arith.constant 1 : i32
  %r = tfx_host.field_ref %c["n"] : !tfx_host.ref<!C> -> !tfx_host.ref<i32>
  %n = tfx_host.load %r : !tfx_host.ref<i32>
  %m = arith.addi %n, %one : i32
  tfx_host.store %m, %r : i32
  return
}
func.func private @double(%d: !tfx_host.ref<!D>) {
  %r = tfx_host.field_ref %d["x"] : !tfx_host.ref<!D> -> !tfx_host.ref<!T>
  %x = tfx_host.load %r : !tfx_host.ref<!T>
  %y = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  tfx_host.store %y, %r : !T
  return
}
func.func private @both(%p: !tfx_host.ref<!GP>) attributes {tfx_host.type_params = [#tfx_host.type_param<"A", @Mutable>, #tfx_host.type_param<"B", @Mutable>]} {
  %a = tfx_host.field_ref %p["a"] : !tfx_host.ref<!GP> -> !tfx_host.ref<!tfx_host.param<"A">>
  %b = tfx_host.field_ref %p["b"] : !tfx_host.ref<!GP> -> !tfx_host.ref<!tfx_host.param<"B">>
  tfx_host.witness_call @Mutable["change"] of !tfx_host.param<"A"> (%a) : (!tfx_host.ref<!tfx_host.param<"A">>) -> ()
  tfx_host.witness_call @Mutable["change"] of !tfx_host.param<"B"> (%b) : (!tfx_host.ref<!tfx_host.param<"B">>) -> ()
  return
}
func.func private @twice(%m: !tfx_host.ref<!M>) attributes {tfx_host.type_params = [#tfx_host.type_param<"M", @Mutable>]} {
  tfx_host.witness_call @Mutable["change"] of !M (%m) : (!tfx_host.ref<!M>) -> ()
  tfx_host.witness_call @Mutable["change"] of !M (%m) : (!tfx_host.ref<!M>) -> ()
  return
}
tfx_host.witness_table @Counter_Mutable : !C conforms @Mutable {change = @count}
tfx_host.witness_table @Doubler_Mutable : !D conforms @Mutable {change = @double}
tfx_host.witness_table @Pair_Mutable<"A", "B"> : !GP conforms @Mutable {change = @both}
func.func @main() -> (!T {tfx.name = "x"}) {
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %x = tfx_tensor.const dense<[1.0, 2.0]> : !T
  %c = tfx_host.make_struct(%one, %seven) : (i32, i32) -> !C
  %d = tfx_host.make_struct(%x) : (!T) -> !D
  %p = tfx_host.make_struct(%c, %d) : (!C, !D) -> !P
  %v = tfx_host.var : !tfx_host.ref<!P>
  tfx_host.store %p, %v : !P
  tfx_host.call @twice<[!P]>(%v) : (!tfx_host.ref<!P>) -> ()
  %q = tfx_host.load %v : !tfx_host.ref<!P>
  %qc = tfx_host.extract %q["a"] : !P -> !C
  %qd = tfx_host.extract %q["b"] : !P -> !D
  %n = tfx_host.extract %qc["n"] : !C -> i32
  %u = tfx_host.extract %qc["untouched"] : !C -> i32
  tfx_host.print "n {}, untouched {}"(%n, %u) : i32, i32
  %y = tfx_host.extract %qd["x"] : !D -> !T
  return %y : !T
}
