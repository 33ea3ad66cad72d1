// A switch, with a negative case and a default that only the host needs.
//
// RUN: tfxc run %s 1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %if tensorflow %{ tfxc run %s 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=ONE %}
// RUN: tfxc run %s 2 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: %if tensorflow %{ tfxc run %s 2 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=TWO %}
// RUN: tfxc run %s -7 2>&1 | FileCheck %s --check-prefix=MINUS
// RUN: %if tensorflow %{ tfxc run %s -7 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=MINUS %}
// RUN: tfxc run %s -8 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %if tensorflow %{ tfxc run %s -8 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=OTHER %}
// RUN: tfxc run %s 2147483647 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %if tensorflow %{ tfxc run %s 2147483647 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=OTHER %}
//
// ONE-NOT:    neither
// ONE:        y = [1. 2.]
// TWO-NOT:    neither
// TWO:        y = [ 1. 16.]
// MINUS-NOT:  neither
// MINUS:      y = [-1. -4.]
// OTHER:      neither
// OTHER-NEXT: y = [1. 4.]

func.func @main(%n: i32 {tfx.name = "n"}) -> (tensor<2xf32> {tfx.name = "y"}) {
  %x = tfx_tensor.const dense<[1.0, 4.0]> : tensor<2xf32>
  cf.switch %n : i32, [
    default: ^other,
    1: ^sqrt,
    2: ^square,
    -7: ^neg
  ]
^sqrt:
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  cf.br ^done(%a : tensor<2xf32>)
^square:
  %b = tfx_tensor.op "Square"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  cf.br ^done(%b : tensor<2xf32>)
^neg:
  %c = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  cf.br ^done(%c : tensor<2xf32>)
^other:
  tfx_host.print "neither"()
  cf.br ^done(%x : tensor<2xf32>)
^done(%y: tensor<2xf32>):
  return %y : tensor<2xf32>
}
