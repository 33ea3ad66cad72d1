// A name may be empty, or not UTF-8: it is accepted or rejected like any other name, and nothing panics.
//
// RUN: split-file %s %t
// RUN: tfx-opt %t/taken.mlir --tfx-deabstract --mlir-print-debuginfo | FileCheck %t/taken.mlir
// RUN: not tfx-opt %t/refused.mlir --tfx-deabstract 2>&1 | FileCheck %t/refused.mlir --implicit-check-not=internal --implicit-check-not=panicked

//--- taken.mlir

// CHECK:      func.func @f(%{{.*}}: i32 {tfx.name = ""} {{.*}}) -> i32
// CHECK-NEXT:   call @"\FF"(
tfx_host.enum @E {""(i32), b()}
tfx_host.protocol @P {"": (!tfx_host.param<"Self">, !tfx_host.param<"">) -> i32}
func.func private @"\FF"(%x: i32)
func.func @f(%x: i32 {tfx.name = ""}) -> i32 {
  %e = tfx_host.make_enum ""(%x) : (i32) -> !tfx_host.enum<@E> loc("":1:1)
  %tag = tfx_host.enum_tag %e : !tfx_host.enum<@E>
  func.call @"\FF"(%x) : (i32) -> () loc("")
  return %x : i32
}

//--- refused.mlir

// CHECK: error: 'tfx_host.witness_call' op uses type parameter "", which @f does not declare
func.func @f(%x: !tfx_host.param<"">) -> i32 {
  %r = tfx_host.witness_call @P[""] of !tfx_host.param<""> (%x) : (!tfx_host.param<"">) -> i32
  return %r : i32
}
tfx_host.protocol @P {"": (!tfx_host.param<"Self">) -> i32}
