// An array of tensors is the list of inputs of Pack, and is used again after it; one of its elements comes from a struct in an array.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: tfxc run %s --unroll 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --unroll --graph-functions=false --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      [ 1  5 10]
// CHECK-NEXT: count 3
// CHECK-NEXT: s = 16
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!I = tensor<i32>
tfx_host.struct @Boxed {value: !I, weight: i32}
!B = !tfx_host.struct<@Boxed>
func.func private @pack(%l: !tfx_host.array<!I>) -> tensor<3xi32> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %a = tfx_host.array_get %l[%i0] : !tfx_host.array<!I>
  %b = tfx_host.array_get %l[%i1] : !tfx_host.array<!I>
  %c = tfx_host.array_get %l[%i2] : !tfx_host.array<!I>
  %p = tfx_tensor.op "Pack"(%a, %b, %c) : (!I, !I, !I) -> tensor<3xi32>
  return %p : tensor<3xi32>
}
func.func private @all(%a: !I, %boxes: !tfx_host.array<!B>) -> (tensor<3xi32>, !tfx_host.array<!I>) {
  %i1 = arith.constant 1 : index
  %box = tfx_host.array_get %boxes[%i1] : !tfx_host.array<!B>
  %b = tfx_host.extract %box["value"] : !B -> !I
  %w = tfx_host.extract %box["weight"] : !B -> i32
  %t = tfx_tensor.from_scalar %w : i32
  %c = tfx_tensor.op "Mul"(%b, %t) : (!I, !I) -> !I
  %l = tfx_host.array(%a, %b, %c) : !tfx_host.array<!I>
  %p = func.call @pack(%l) : (!tfx_host.array<!I>) -> tensor<3xi32>
  return %p, %l : tensor<3xi32>, !tfx_host.array<!I>
}
func.func @main() -> (!I {tfx.name = "s"}) {
  %one = tfx_tensor.const dense<1> : !I
  %five = tfx_tensor.const dense<5> : !I
  %n = arith.constant 2 : i32
  %x = tfx_host.make_struct(%one, %n) : (!I, i32) -> !B
  %y = tfx_host.make_struct(%five, %n) : (!I, i32) -> !B
  %boxes = tfx_host.array(%x, %y) : !tfx_host.array<!B>
  %p, %l = func.call @all(%one, %boxes) : (!I, !tfx_host.array<!B>) -> (tensor<3xi32>, !tfx_host.array<!I>)
  tfx_host.print "{}"(%p) : tensor<3xi32>
  %count = tfx_host.array_count %l : !tfx_host.array<!I>
  tfx_host.print "count {}"(%count) : index
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = tfx_tensor.const dense<0> : !I
  %s = scf.for %i = %i0 to %count step %i1 iter_args(%sum = %zero) -> !I {
    %e = tfx_host.array_get %l[%i] : !tfx_host.array<!I>
    %next = tfx_tensor.op "Add"(%sum, %e) : (!I, !I) -> !I
    scf.yield %next : !I
  }
  return %s : !I
}
