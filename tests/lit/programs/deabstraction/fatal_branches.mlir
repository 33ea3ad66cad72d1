// Both arms of a branch may end the program; the code after them is shared. z = 3: (3 + 3)^2 or 5^2.
//
// RUN: tfxc run %s true false 2>&1 | FileCheck %s --check-prefix=CHECK1
// RUN: %if tensorflow %{ tfxc run %s true false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK1 %}
// RUN: tfxc run %s false false 2>&1 | FileCheck %s --check-prefix=CHECK2
// RUN: %if tensorflow %{ tfxc run %s false false --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK2 %}
// RUN: not tfxc run %s true true 2>&1 | FileCheck %s --check-prefix=CHECK3
// RUN: %if tensorflow %{ not tfxc run %s true true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK3 %}
// RUN: not tfxc run %s false true 2>&1 | FileCheck %s --check-prefix=CHECK4
// RUN: %if tensorflow %{ not tfxc run %s false true --executor tensorflow 2>&1 | FileCheck %s --check-prefix=CHECK4 %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK1:      r = 36
// CHECK2:      r = 25
// CHECK3:      error: the first
// CHECK4:      error: the second
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

func.func private @check(%bad: i1, %first: i1) {
  cf.cond_br %bad, ^bad, ^good
^bad:
  cf.cond_br %first, ^one, ^two
^one:
  tfx_host.abort "the first"
  tfx_host.unreachable
^two:
  tfx_host.abort "the second"
  tfx_host.unreachable
^good:
  return
}
func.func @main(%c: i1, %d: i1) -> (tensor<i32> {tfx.name = "r"}) {
  %z = tfx_tensor.const dense<3> : tensor<i32>
  %global = tfx_tensor.const dense<5> : tensor<i32>
  %yes = arith.constant true
  %no = arith.constant false
  %a = tfx_host.var : !tfx_host.ref<tensor<i32>>
  scf.if %c {
    func.call @check(%d, %yes) : (i1, i1) -> ()
    %s = tfx_tensor.op "Add"(%z, %z) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tfx_host.store %s, %a : tensor<i32>
  } else {
    func.call @check(%d, %no) : (i1, i1) -> ()
    tfx_host.store %global, %a : tensor<i32>
  }
  %x = tfx_host.load %a : !tfx_host.ref<tensor<i32>>
  %r = tfx_tensor.op "Mul"(%x, %x) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}
