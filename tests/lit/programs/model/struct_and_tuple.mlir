// A struct of two tensors and a string, and a tuple: replaced by their leaves. The string never leaves the host, and the two tensors that are printed cross one way: the
// first while the graph still computes, the second as its result, which needs no message.
//
// RUN: tfxc run %s --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      v.a = [1. 2.]
// CHECK-NEXT: Hello World
// CHECK-NEXT: t.0 = [ 1. 16.]
// CHECK:      {{0 +to host +f32 +1 +8 }}
//
// IR-NOT: {{warning|error|string}}
// IR:      tfx_tensor.graph @main.graph() -> tensor<2xf32> channels [#tfx_comm.channel<0, to_host, tensor<2xf32>, capacity = 1>]
// IR:        tfx_tensor.op "Sqrt"
// IR-NEXT:   tfx_comm.send
// IR-NOT:    tfx_tensor.op "{{Neg|Exp}}"
// IR:        %[[T:.*]] = tfx_tensor.op "Square"
// IR-NEXT:   tfx_tensor.return %[[T]]
// IR:      func.func @main() {
// IR-NEXT:   tfx_comm.start
// IR-NEXT:   %[[C:.*]] = tfx_host.string "Hello World"
// IR-NEXT:   %[[A:.*]] = tfx_comm.recv
// IR-NEXT:   tfx_host.print "v.a = {}"(%[[A]])
// IR-NEXT:   tfx_host.print "{}"(%[[C]])
// IR-NEXT:   %[[T:.*]] = tfx_comm.finish
// IR-NEXT:   tfx_host.print "t.0 = {}"(%[[T]])
// IR-NEXT:   return

!T = tensor<2xf32>
tfx_host.struct @S {a: !T, b: !T, c: !tfx_host.string}
!S = !tfx_host.struct<@S>
func.func @main() {
  %x = tfx_tensor.const dense<[1.0, 4.0]> : !T
  %t1 = tfx_tensor.op "Sqrt"(%x) : (!T) -> !T
  %t2 = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  %s = tfx_host.string "Hello World"
  %v = tfx_host.make_struct(%t1, %t2, %s) : (!T, !T, !tfx_host.string) -> !S
  %a = tfx_host.extract %v["a"] : !S -> !T
  tfx_host.print "v.a = {}"(%a) : !T
  %c = tfx_host.extract %v["c"] : !S -> !tfx_host.string
  tfx_host.print "{}"(%c) : !tfx_host.string
  %t3 = tfx_tensor.op "Square"(%x) : (!T) -> !T
  %t4 = tfx_tensor.op "Exp"(%x) : (!T) -> !T
  %t = tfx_host.make_tuple(%t3, %t4) : !T, !T
  %t0 = tfx_host.tuple_get %t[0] : tuple<!T, !T>
  tfx_host.print "t.0 = {}"(%t0) : !T
  return
}
