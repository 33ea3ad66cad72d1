// Code for calls within a process: each public function is described, and calls of foreign functions
// are preceded by their locations and followed by the adoption of the handles that they return.
//
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-lower-host{in-process=true})' | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-lower-host)' | FileCheck %s --check-prefix=EXECUTABLE

// CHECK-DAG: llvm.func @tfx_entry.f() -> !llvm.ptr
// CHECK-DAG: llvm.func @tfx_entry.g() -> !llvm.ptr
// CHECK-NOT: tfx_entry.takes_closure
// CHECK-NOT: tfx_entry.hidden
//
// CHECK-LABEL: func.func @f
// CHECK:         %[[PLACE:.*]] = llvm.mlir.addressof @tfx.string
// CHECK-NEXT:    call @tfx_foreign_call(%[[PLACE]])
// CHECK-NEXT:    call @foreign(
// CHECK-NOT:     call @tfx_foreign_call
// CHECK:         call @tfx_tensor_adopt
// CHECK:       func.func @g
// CHECK:         call @tfx_foreign_call
// CHECK:         %[[O:.*]] = call @object
// CHECK-NEXT:    call @tfx_box_adopt(%[[O]])
//
// EXECUTABLE-NOT: tfx_entry.
// EXECUTABLE-NOT: tfx_foreign_call
// EXECUTABLE-NOT: adopt

tfx_host.class @Node {value: i64}
!Node = !tfx_host.object<@Node>
func.func private @foreign(i64) -> (tensor<2xf32>, i64)
func.func private @object(i64) -> !Node
func.func @f(%n: i64) -> tensor<2xf32> {
  %x, %m = func.call @foreign(%n) : (i64) -> (tensor<2xf32>, i64)
  func.call @hidden(%m) : (i64) -> ()
  return %x : tensor<2xf32>
}
func.func @g(%n: i64) -> i64 {
  %o = func.call @object(%n) : (i64) -> !Node
  %field = tfx_host.member_ref %o["value"] : !Node -> !tfx_host.ref<i64>
  %v = tfx_host.load %field : !tfx_host.ref<i64>
  return %v : i64
}
func.func @takes_closure(%c: !tfx_host.closure<() -> i32>) -> i32 {
  %r = tfx_host.apply %c() : !tfx_host.closure<() -> i32>
  return %r : i32
}
func.func private @hidden(%n: i64) {
  tfx_host.print "{}"(%n) : i64
  return
}
