// Values of the host that loops and branches carry, and that some paths do not have: the first object that fits is found, through an early
// return and a loop with two exits, with a null that is never read.
//
// RUN: tfxc run %s 2 --stats 2>&1 | FileCheck %s --check-prefixes=CHECK,FOUND
// RUN: tfxc run %s 9 --stats 2>&1 | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: %if tensorflow %{ tfxc run %s 2 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefixes=CHECK,FOUND %}
// RUN: %if tensorflow %{ tfxc run %s 9 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefixes=CHECK,NONE %}
//
// FOUND: found two: [2.828427 5.656854]
// NONE:  there is no such item
// CHECK: {{[0-9]+}} created, 0 not freed, with 0 tensors

tfx_host.class @Item {key: i32, name: !tfx_host.string, weight: tensor<2xf32>}

func.func private @find(%items: !tfx_host.array<!tfx_host.object<@Item>>, %key: i32) -> (i1, !tfx_host.object<@Item>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %count = tfx_host.array_count %items : !tfx_host.array<!tfx_host.object<@Item>>
  cf.br ^header(%zero : index)
^header(%i: index):
  %more = arith.cmpi ult, %i, %count : index
  cf.cond_br %more, ^body, ^none
^body:
  %item = tfx_host.array_get %items[%i] : !tfx_host.array<!tfx_host.object<@Item>>
  %r = tfx_host.member_ref %item["key"] : !tfx_host.object<@Item> -> !tfx_host.ref<i32>
  %k = tfx_host.load %r : !tfx_host.ref<i32>
  %w = tfx_host.member_ref %item["weight"] : !tfx_host.object<@Item> -> !tfx_host.ref<tensor<2xf32>>
  %weight = tfx_host.load %w : !tfx_host.ref<tensor<2xf32>>
  %next_weight = tfx_tensor.op "Sqrt"(%weight) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %next_weight, %w : tensor<2xf32>
  %fits = arith.cmpi eq, %k, %key : i32
  %next = arith.addi %i, %one : index
  cf.cond_br %fits, ^found(%item : !tfx_host.object<@Item>), ^header(%next : index)
^found(%it: !tfx_host.object<@Item>):
  return %true, %it : i1, !tfx_host.object<@Item>
^none:
  %nothing = tfx_host.undef : !tfx_host.object<@Item>
  return %false, %nothing : i1, !tfx_host.object<@Item>
}

func.func @main(%key: i32) {
  %k1 = arith.constant 1 : i32
  %k2 = arith.constant 2 : i32
  %k3 = arith.constant 3 : i32
  %n1 = tfx_host.string "one"
  %n2 = tfx_host.string "two"
  %n3 = tfx_host.string "three"
  %w = tfx_tensor.const dense<[8.0, 32.0]> : tensor<2xf32>
  %i1 = tfx_host.new(%k1, %n1, %w) : (i32, !tfx_host.string, tensor<2xf32>) -> !tfx_host.object<@Item>
  %i2 = tfx_host.new(%k2, %n2, %w) : (i32, !tfx_host.string, tensor<2xf32>) -> !tfx_host.object<@Item>
  %i3 = tfx_host.new(%k3, %n3, %w) : (i32, !tfx_host.string, tensor<2xf32>) -> !tfx_host.object<@Item>
  %items = tfx_host.array(%i1, %i2, %i3) : !tfx_host.array<!tfx_host.object<@Item>>
  %found:2 = func.call @find(%items, %key) : (!tfx_host.array<!tfx_host.object<@Item>>, i32) -> (i1, !tfx_host.object<@Item>)
  cf.cond_br %found#0, ^show, ^miss
^show:
  %rn = tfx_host.member_ref %found#1["name"] : !tfx_host.object<@Item> -> !tfx_host.ref<!tfx_host.string>
  %name = tfx_host.load %rn : !tfx_host.ref<!tfx_host.string>
  %rw = tfx_host.member_ref %found#1["weight"] : !tfx_host.object<@Item> -> !tfx_host.ref<tensor<2xf32>>
  %weight = tfx_host.load %rw : !tfx_host.ref<tensor<2xf32>>
  tfx_host.print "found {}: {}"(%name, %weight) : !tfx_host.string, tensor<2xf32>
  return
^miss:
  tfx_host.print "there is no such item"()
  return
}
