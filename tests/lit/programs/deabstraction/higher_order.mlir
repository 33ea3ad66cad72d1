// Functions that take functions: map, filter by a tensor's sum, and reduce over a list of three. Only elements above 2 are doubled and added: [3, 1]
// and [2, 4] give [10, 10]. The predicate captures a limit, the reduction a variable by reference that counts its calls.
//
// RUN: tfxc run %s 2.0 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s 2.0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s 5.0 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s 5.0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: tfxc run %s 9.0 2>&1 | FileCheck %s --check-prefix=CHECK3
// RUN: %if tensorflow %{ tfxc run %s 9.0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK3 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      calls 2
// CHECK1-NEXT: s = [10. 10.]
// CHECK2:      calls 1
// CHECK2-NEXT: s = [4. 8.]
// CHECK3:      calls 0
// CHECK3-NEXT: s = [0. 0.]
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<2xf32>
!L = !tfx_host.array<!T>
!Map = !tfx_host.closure<(!T) -> !T>
!Pred = !tfx_host.closure<(!T) -> i1>
!Red = !tfx_host.closure<(!T, !T) -> !T>
func.func private @above(%limit: f32, %x: !T) -> i1 {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %sum = tfx_tensor.op "Sum"(%x, %axis) : (!T, tensor<i32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %sum : tensor<f32> -> f32
  %r = arith.cmpf ogt, %s, %limit : f32
  return %r : i1
}
func.func private @double(%x: !T) -> !T {
  %y = tfx_tensor.op "Add"(%x, %x) : (!T, !T) -> !T
  return %y : !T
}
func.func private @sum(%calls: !tfx_host.ref<i32>, %a: !T, %b: !T) -> !T {
  %one = arith.constant 1 : i32
  %n = tfx_host.load %calls : !tfx_host.ref<i32>
  %m = arith.addi %n, %one : i32
  tfx_host.store %m, %calls : i32
  %y = tfx_tensor.op "Add"(%a, %b) : (!T, !T) -> !T
  return %y : !T
}
func.func private @map_filter_reduce(%l: !L, %f: !Map, %p: !Pred, %r: !Red, %start: !T) -> !T {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = tfx_host.array_count %l : !L
  %acc = scf.for %i = %i0 to %n step %i1 iter_args(%a = %start) -> !T {
    %x = tfx_host.array_get %l[%i] : !L
    %keep = tfx_host.apply %p(%x) : !Pred
    %b = scf.if %keep -> !T {
      %y = tfx_host.apply %f(%x) : !Map
      %z = tfx_host.apply %r(%a, %y) : !Red
      scf.yield %z : !T
    } else {
      scf.yield %a : !T
    }
    scf.yield %b : !T
  }
  return %acc : !T
}
func.func @main(%limit: f32) -> (!T {tfx.name = "s"}) {
  %zero = arith.constant 0 : i32
  %a = tfx_tensor.const dense<[3.0, 1.0]> : !T
  %b = tfx_tensor.const dense<[0.0, 1.0]> : !T
  %c = tfx_tensor.const dense<[2.0, 4.0]> : !T
  %zeros = tfx_tensor.const dense<0.0> : !T
  %calls = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %zero, %calls : i32
  %l = tfx_host.array(%a, %b, %c) : !L
  %f = tfx_host.closure @double() : () -> !Map
  %p = tfx_host.closure @above(%limit) : (f32) -> !Pred
  %r = tfx_host.closure @sum(%calls) : (!tfx_host.ref<i32>) -> !Red
  %s = func.call @map_filter_reduce(%l, %f, %p, %r, %zeros) : (!L, !Map, !Pred, !Red, !T) -> !T
  %n = tfx_host.load %calls : !tfx_host.ref<i32>
  tfx_host.print "calls {}"(%n) : i32
  return %s : !T
}
