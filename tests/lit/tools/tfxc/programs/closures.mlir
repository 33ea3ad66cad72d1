// Closures that stay: two of them share a variable; one is stored in an object and called later; selected by a branch, a select and a loop; in an
// array; with several results. Everything is freed once.
//
// RUN: tfxc run %s 5 true --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 5 true --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc build %s -o %t && %t 5 true --stats 2>&1 | FileCheck %s
// RUN: tfxc run %s 5 false --stats 2>&1 | FileCheck %s --check-prefix=OTHER
//
// CHECK:      6 12
// CHECK-NEXT: log 12 [2.7182817 7.389056 ] a string
// CHECK:      value = 2
// CHECK-NEXT: sum = 29
// CHECK:      {{[0-9]+}} created, 0 not freed, with 0 tensors
//
// OTHER:      6 12
// OTHER-NEXT: log 6 [2.7182817 7.389056 ] a string
// OTHER:      value = 8
// OTHER-NEXT: sum = 11
// OTHER:      {{[0-9]+}} created, 0 not freed, with 0 tensors

tfx_host.class @Button {action: !tfx_host.closure<escaping (i32) -> i32>, log: !tfx_host.closure<escaping () -> (i32, tensor<2xf32>, !tfx_host.string)>}
func.func private @add_to(%v: !tfx_host.ref<i32>, %by: i32) -> i32 {
  %old = tfx_host.load %v : !tfx_host.ref<i32>
  %new = arith.addi %old, %by : i32
  tfx_host.store %new, %v : i32
  return %new : i32
}
func.func private @read(%v: !tfx_host.ref<i32>, %t: tensor<2xf32>, %s: !tfx_host.string) -> (i32, tensor<2xf32>, !tfx_host.string) {
  %old = tfx_host.load %v : !tfx_host.ref<i32>
  return %old, %t, %s : i32, tensor<2xf32>, !tfx_host.string
}
func.func private @twice(%x: i32) -> i32 {
  %y = arith.addi %x, %x : i32
  return %y : i32
}
func.func private @make(%start: i32, %t: tensor<2xf32>) -> !tfx_host.object<@Button> {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %start, %v : i32
  %s = tfx_host.string "a string"
  %a = tfx_host.closure @add_to(%v) : (!tfx_host.ref<i32>) -> !tfx_host.closure<escaping (i32) -> i32>
  %r = tfx_host.closure @read(%v, %t, %s) : (!tfx_host.ref<i32>, tensor<2xf32>, !tfx_host.string) -> !tfx_host.closure<escaping () -> (i32, tensor<2xf32>, !tfx_host.string)>
  %b = tfx_host.new(%a, %r) : (!tfx_host.closure<escaping (i32) -> i32>, !tfx_host.closure<escaping () -> (i32, tensor<2xf32>, !tfx_host.string)>) -> !tfx_host.object<@Button>
  return %b : !tfx_host.object<@Button>
}
func.func @main(%n: i32, %which: i1) -> (i32 {tfx.name = "value"}, i32 {tfx.name = "sum"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf32>
  %w2 = tfx_tensor.op "Exp"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  %b = func.call @make(%n, %w2) : (i32, tensor<2xf32>) -> !tfx_host.object<@Button>
  %fa = tfx_host.member_ref %b["action"] : !tfx_host.object<@Button> -> !tfx_host.ref<!tfx_host.closure<escaping (i32) -> i32>>
  %action = tfx_host.load %fa : !tfx_host.ref<!tfx_host.closure<escaping (i32) -> i32>>
  %a1 = tfx_host.apply %action(%one) : !tfx_host.closure<escaping (i32) -> i32>
  %t = tfx_host.closure @twice() : () -> !tfx_host.closure<escaping (i32) -> i32>
  %chosen = arith.select %which, %action, %t : !tfx_host.closure<escaping (i32) -> i32>
  %a2 = tfx_host.apply %chosen(%a1) : !tfx_host.closure<escaping (i32) -> i32>
  tfx_host.print "{} {}"(%a1, %a2) : i32, i32
  %fl = tfx_host.member_ref %b["log"] : !tfx_host.object<@Button> -> !tfx_host.ref<!tfx_host.closure<escaping () -> (i32, tensor<2xf32>, !tfx_host.string)>>
  %log = tfx_host.load %fl : !tfx_host.ref<!tfx_host.closure<escaping () -> (i32, tensor<2xf32>, !tfx_host.string)>>
  %l:3 = tfx_host.apply %log() : !tfx_host.closure<escaping () -> (i32, tensor<2xf32>, !tfx_host.string)>
  tfx_host.print "log {} {} {}"(%l#0, %l#1, %l#2) : i32, tensor<2xf32>, !tfx_host.string
  // An array of closures.
  %fs = tfx_host.array(%action, %t, %chosen) : !tfx_host.array<!tfx_host.closure<escaping (i32) -> i32>>
  %count = tfx_host.array_count %fs : !tfx_host.array<!tfx_host.closure<escaping (i32) -> i32>>
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %sum = scf.for %i = %i0 to %count step %i1 iter_args(%s = %zero) -> i32 {
    %f = tfx_host.array_get %fs[%i] : !tfx_host.array<!tfx_host.closure<escaping (i32) -> i32>>
    %y = tfx_host.apply %f(%one) : !tfx_host.closure<escaping (i32) -> i32>
    %s1 = arith.addi %s, %y : i32
    scf.yield %s1 : i32
  }
  // A branch selects a closure.
  %g = scf.if %which -> !tfx_host.closure<escaping (i32) -> i32> {
    scf.yield %t : !tfx_host.closure<escaping (i32) -> i32>
  } else {
    %first = tfx_host.array_get %fs[%i0] : !tfx_host.array<!tfx_host.closure<escaping (i32) -> i32>>
    scf.yield %first : !tfx_host.closure<escaping (i32) -> i32>
  }
  %last = tfx_host.apply %g(%one) : !tfx_host.closure<escaping (i32) -> i32>
  return %last, %sum : i32, i32
}
