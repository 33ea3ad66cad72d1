// A linked list of a generic class: nodes share a tensor, and freeing the list needs no stack, however long it is.
//
// RUN: tfxc run %s 10 --stats 2>&1 | FileCheck %s
// RUN: tfxc build %s -o %t && %t 1000000 --stats 2>&1 | FileCheck %s --check-prefix=LONG
//
// CHECK: sum = 45
// CHECK: objects, closures and arrays: 22 created, 0 not freed, with 0 tensors
// LONG:  sum = 499999500000
// LONG:  objects, closures and arrays: 2000002 created, 0 not freed, with 0 tensors

tfx_host.class @Node<"T"> {value: !tfx_host.param<"T">, weight: tensor<f32>, next: !tfx_host.array<!tfx_host.object<@Node<!tfx_host.param<"T">>>>}
func.func @main(%n: i32) -> (i64 {tfx.name = "sum"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero64 = arith.constant 0 : i64
  %i0 = arith.constant 0 : index
  %w = tfx_tensor.const dense<2.0> : tensor<f32>
  %empty = tfx_host.array() : !tfx_host.array<!tfx_host.object<@Node<i64>>>
  %first = tfx_host.new(%zero64, %w, %empty) : (i64, tensor<f32>, !tfx_host.array<!tfx_host.object<@Node<i64>>>) -> !tfx_host.object<@Node<i64>>
  %list = scf.for %i = %zero to %n step %one iter_args(%l = %first) -> !tfx_host.object<@Node<i64>> : i32 {
    %tail = tfx_host.array(%l) : !tfx_host.array<!tfx_host.object<@Node<i64>>>
    %x = arith.extsi %i : i32 to i64
    %node = tfx_host.new(%x, %w, %tail) : (i64, tensor<f32>, !tfx_host.array<!tfx_host.object<@Node<i64>>>) -> !tfx_host.object<@Node<i64>>
    scf.yield %node : !tfx_host.object<@Node<i64>>
  }
  %end:2 = scf.while (%at = %list, %sum = %zero64) : (!tfx_host.object<@Node<i64>>, i64) -> (!tfx_host.object<@Node<i64>>, i64) {
    %rn = tfx_host.member_ref %at["next"] : !tfx_host.object<@Node<i64>> -> !tfx_host.ref<!tfx_host.array<!tfx_host.object<@Node<i64>>>>
    %next = tfx_host.load %rn : !tfx_host.ref<!tfx_host.array<!tfx_host.object<@Node<i64>>>>
    %count = tfx_host.array_count %next : !tfx_host.array<!tfx_host.object<@Node<i64>>>
    %more = arith.cmpi ne, %count, %i0 : index
    %rv = tfx_host.member_ref %at["value"] : !tfx_host.object<@Node<i64>> -> !tfx_host.ref<i64>
    %v = tfx_host.load %rv : !tfx_host.ref<i64>
    %s = arith.addi %sum, %v : i64
    scf.condition(%more) %at, %s : !tfx_host.object<@Node<i64>>, i64
  } do {
  ^bb0(%at: !tfx_host.object<@Node<i64>>, %s: i64):
    %rn = tfx_host.member_ref %at["next"] : !tfx_host.object<@Node<i64>> -> !tfx_host.ref<!tfx_host.array<!tfx_host.object<@Node<i64>>>>
    %next = tfx_host.load %rn : !tfx_host.ref<!tfx_host.array<!tfx_host.object<@Node<i64>>>>
    %o = tfx_host.array_get %next[%i0] : !tfx_host.array<!tfx_host.object<@Node<i64>>>
    scf.yield %o, %s : !tfx_host.object<@Node<i64>>, i64
  }
  return %end#1 : i64
}
