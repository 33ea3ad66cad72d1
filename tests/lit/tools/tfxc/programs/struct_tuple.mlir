// A struct with a string in it, and a tuple: replaced by their leaves. The string never leaves the host, unused values are not computed, and the
// two tensors are copied to the host one way.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      v.a = [1. 2.]
// CHECK-NEXT: v.c = Hello World
// CHECK-NEXT: t.0 = [ 1. 16.]
//
// IR-NOT: warning
// IR-LABEL: tfx_tensor.graph @main.graph
// IR-NOT:     string
// IR-NOT:     "Neg"
// IR-NOT:     "Exp"
// IR:         "Sqrt"
// IR-NOT:     "Neg"
// IR-NOT:     "Exp"
// IR:       func.func @main() {
// IR-NOT:     tfx_comm.send
// IR:         tfx_host.string "Hello World"
// IR-NOT:     tfx_comm.send
// IR:         return

tfx_host.struct @S {a: tensor<2xf32>, b: tensor<2xf32>, c: !tfx_host.string}
func.func @main() {
  %x = tfx_tensor.const dense<[1.0, 4.0]> : tensor<2xf32>
  %t1 = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %t2 = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %s = tfx_host.string "Hello World"
  %v = tfx_host.make_struct(%t1, %t2, %s) : (tensor<2xf32>, tensor<2xf32>, !tfx_host.string) -> !tfx_host.struct<@S>
  %a = tfx_host.extract %v["a"] : !tfx_host.struct<@S> -> tensor<2xf32>
  tfx_host.print "v.a = {}"(%a) : tensor<2xf32>
  %c = tfx_host.extract %v["c"] : !tfx_host.struct<@S> -> !tfx_host.string
  tfx_host.print "v.c = {}"(%c) : !tfx_host.string
  %t3 = tfx_tensor.op "Square"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %t4 = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %t = tfx_host.make_tuple(%t3, %t4) : tensor<2xf32>, tensor<2xf32>
  %t0 = tfx_host.tuple_get %t[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  tfx_host.print "t.0 = {}"(%t0) : tensor<2xf32>
  return
}
