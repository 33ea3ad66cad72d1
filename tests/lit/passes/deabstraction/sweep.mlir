// Unneeded private functions, types, protocols and witness tables are erased, also if they only name each other. A table stays for run-time
// operations on existentials and objects, and so do the symbols that it names.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-sweep)' --split-input-file --verify-roundtrip | FileCheck %s --implicit-check-not=unneeded --implicit-check-not=Unneeded
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-sweep)' --split-input-file -o %t.once
// RUN: tfx-opt %t.once --pass-pipeline='builtin.module(tfx-sweep)' --split-input-file | diff %t.once -

tfx_host.struct @Needed {x: i32}
tfx_host.struct @Outer {n: !tfx_host.struct<@Needed>}
tfx_host.struct @Unneeded {x: i32}
tfx_host.enum @UnneededChoice {none(), some(!tfx_host.struct<@Unneeded>)}
// CHECK:      tfx_host.struct @Needed
// CHECK-NEXT: tfx_host.struct @Outer
// CHECK-NEXT: func.func @public(
func.func @public(%x: !tfx_host.struct<@Outer>) {
  %f = func.call @called() : () -> i32
  %c = tfx_host.closure @captured() : () -> !tfx_host.closure<() -> ()>
  return
}
// CHECK: func.func private @called(
func.func private @called() -> i32
// CHECK: func.func private @captured(
func.func private @captured() {
  return
}
func.func private @unneeded(%x: !tfx_host.struct<@Unneeded>) {
  func.call @unneeded_too(%x) : (!tfx_host.struct<@Unneeded>) -> ()
  return
}
func.func private @unneeded_too(%x: !tfx_host.struct<@Unneeded>) {
  func.call @unneeded(%x) : (!tfx_host.struct<@Unneeded>) -> ()
  return
}

// -----

// Tables by the type that is erased.

// CHECK:      tfx_host.protocol @P
// CHECK-NEXT: tfx_host.witness_table @i32_P
// CHECK-NEXT: func.func private @of_i32(
// CHECK:      func.func @forgets(
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> i32}
tfx_host.protocol @Unneeded {m: (!tfx_host.param<"Self">) -> i32}
tfx_host.witness_table @i32_P : i32 conforms @P {m = @of_i32}
tfx_host.witness_table @i64_P_unneeded : i64 conforms @P {m = @unneeded}
tfx_host.witness_table @i32_unneeded : i32 conforms @Unneeded {m = @of_i32}
func.func private @of_i32(%x: i32) -> i32 {
  return %x : i32
}
func.func private @unneeded(%x: i64) -> i32 {
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func @forgets(%x: i32) -> !tfx_host.any<@P> {
  %any = tfx_host.erase %x : i32 to !tfx_host.any<@P>
  return %any : !tfx_host.any<@P>
}

// -----

// Tables by a method of an object, and by an existential in a function that only a table names.

// CHECK:      tfx_host.class @Cell
// CHECK-NEXT: tfx_host.protocol @Counting
// CHECK-NEXT: tfx_host.protocol @P
// CHECK-NEXT: tfx_host.witness_table @Cell_Counting
// CHECK-NEXT: tfx_host.witness_table @i32_P
// CHECK-NEXT: func.func private @count(
// CHECK:      func.func private @same(
// CHECK:      func.func @calls(
tfx_host.class @Cell {n: i32}
tfx_host.class @Unneeded {n: i32}
tfx_host.protocol @Counting {count: (!tfx_host.param<"Self">) -> !tfx_host.any<@P>}
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> i32}
tfx_host.protocol @Other {unneeded: (!tfx_host.param<"Self">) -> i32}
tfx_host.witness_table @Cell_Counting : !tfx_host.object<@Cell> conforms @Counting {count = @count}
tfx_host.witness_table @Cell_unneeded : !tfx_host.object<@Cell> conforms @Other {unneeded = @unneeded}
tfx_host.witness_table @i32_P : i32 conforms @P {m = @same}
func.func private @count(%cell: !tfx_host.object<@Cell>) -> !tfx_host.any<@P> {
  %c = arith.constant 1 : i32
  %any = tfx_host.erase %c : i32 to !tfx_host.any<@P>
  return %any : !tfx_host.any<@P>
}
func.func private @unneeded(%cell: !tfx_host.object<@Cell>) -> i32 {
  %c = arith.constant 1 : i32
  return %c : i32
}
func.func private @same(%x: i32) -> i32 {
  return %x : i32
}
func.func @calls(%cell: !tfx_host.object<@Cell>) -> !tfx_host.any<@P> {
  %r = tfx_host.dynamic_call %cell["count"]() : (!tfx_host.object<@Cell>) -> !tfx_host.any<@P>
  return %r : !tfx_host.any<@P>
}

// -----

// A public generic function may be called with types that need any protocol.

// CHECK:      tfx_host.protocol @P
// CHECK-NEXT: func.func @generic(
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> i32}
func.func @generic(%x: !tfx_host.param<"T">) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @P>]} {
  %r = tfx_host.witness_call @P["m"] of !tfx_host.param<"T"> (%x) : (!tfx_host.param<"T">) -> i32
  return %r : i32
}
