// RUN: not tfxc run %s 7 0 2>%t.err | FileCheck %s --check-prefix=SHOWN
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: %if tensorflow %{ not tfxc run %s 7 0 --executor tensorflow 2>%t.err | FileCheck %s --check-prefix=SHOWN %}
// RUN: %if tensorflow %{ FileCheck %s --check-prefix=ERROR --input-file=%t.err %}
//
// The graph divides by zero, in program order: the message before the division is printed, the one after it is not.

// SHOWN:     doubled 14
// SHOWN-NOT: after
// ERROR:     division_keeps_its_place.mlir:[[#@LINE+10]]:{{[0-9]+}}: error: Integer division by zero
func.func @main(%first: i32, %second: i32) {
  %x = tfx_tensor.from_scalar %first : i32
  %divisor = tfx_tensor.from_scalar %second : i32
  %doubled = tfx_tensor.op "AddV2"(%x, %x) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tfx_host.print "doubled {}"(%doubled) : tensor<i32>
  %n = tfx_tensor.op "AddV2"(%doubled, %x) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %a = tfx_tensor.to_scalar %n : tensor<i32> -> i32
  %m = tfx_tensor.op "Mul"(%divisor, %divisor) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %b = tfx_tensor.to_scalar %m : tensor<i32> -> i32
  %q = arith.divsi %a, %b : i32
  %t = tfx_tensor.from_scalar %q : i32
  %after = tfx_tensor.op "AddV2"(%t, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tfx_host.print "after {}"(%after) : tensor<i32>
  return
}
