// The host creates constants of strings by itself, of every shape, with bytes that are not UTF-8.
//
// RUN: tfxc interpret %s | FileCheck %s
// RUN: tfxc run %s --executor embedded | FileCheck %s
// RUN: tfxc build %s -o %t && %t | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow-queues | FileCheck %s %}
//
// CHECK:      {{\[ *}}"a" "bc"] one {{\[\[}}"" ""]
// CHECK-NEXT: {{^ *\[}}"" ""]{{\]}} [] (shape 0)
// CHECK-NEXT: {{\[ *}}"a" "bc"]

!S = !tfx_tensor.string
func.func @main() {
  %a = tfx_tensor.const dense<["a", "bc"]> : tensor<2x!S>
  %one = tfx_tensor.const dense<"one"> : tensor<!S>
  %splat = tfx_tensor.const dense<""> : tensor<2x2x!S>
  %none = tfx_tensor.const dense<> : tensor<0x!S>
  tfx_host.print "{} {} {} {}"(%a, %one, %splat, %none) : tensor<2x!S>, tensor<!S>, tensor<2x2x!S>, tensor<0x!S>
  // Also if the graph has the same constant.
  %b = tfx_tensor.op "Identity"(%a) : (tensor<2x!S>) -> tensor<2x!S>
  tfx_host.print "{}"(%b) : tensor<2x!S>
  return
}
