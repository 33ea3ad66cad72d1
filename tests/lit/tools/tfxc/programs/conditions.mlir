// Conditions on the host: the graph computes them, too, from `steps`, its only input, and nothing crosses.
//
// RUN: tfxc run %s 5 --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 5 --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %if tensorflow %{ tfxc run %s 0 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=NONE %}
// RUN: tfxc run %s -3 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %if tensorflow %{ tfxc run %s -3 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=NONE %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      r = {{\[\[7. 7.\]}}
// CHECK-NEXT: [7. 7.]]
// CHECK:      no channels
// NONE:       r = {{\[\[0. 0.\]}}
//
// IR-NOT: warning
// IR-LABEL: tfx_tensor.graph @main.graph(%{{.*}}: i32) -> tensor<2x2xf32> {
// IR-LABEL: func.func @main
// IR-NEXT:    tfx_comm.start
// IR-NEXT:    tfx_comm.finish
// IR-NEXT:    return

func.func @main(%steps: i32 {tfx.name = "steps"}) -> (tensor<2x2xf32> {tfx.name = "r"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %c1 = tfx_tensor.const dense<1.0> : tensor<f32>
  %c2 = tfx_tensor.const dense<2.0> : tensor<f32>
  %r0 = tfx_tensor.const dense<0.0> : tensor<2x2xf32>
  cf.br ^header(%zero, %r0 : i32, tensor<2x2xf32>)
^header(%step: i32, %r: tensor<2x2xf32>):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %rem = arith.remsi %step, %two : i32
  %even = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %even, ^a, ^b
^a:
  %ra = tfx_tensor.op "AddV2"(%r, %c1) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  cf.br ^latch(%ra : tensor<2x2xf32>)
^b:
  %rb = tfx_tensor.op "AddV2"(%r, %c2) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  cf.br ^latch(%rb : tensor<2x2xf32>)
^latch(%rn: tensor<2x2xf32>):
  %next = arith.addi %step, %one : i32
  cf.br ^header(%next, %rn : i32, tensor<2x2xf32>)
^exit:
  return %r : tensor<2x2xf32>
}
