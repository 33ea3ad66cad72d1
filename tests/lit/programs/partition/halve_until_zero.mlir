// A loop that ends when a float becomes zero. TensorFlow flushes denormal numbers in its threads, the host does not: if each side decided by its own copy,
// they would run different numbers of iterations, and one would wait for the other indefinitely. So the host decides, and sends one boolean in each iteration.
//
// RUN: tfxc run %s 1.0 --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 1.0 --executor tensorflow --stats 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK: last 0.0
// CHECK: trips = 150.0
//
// IR-NOT:   warning
// IR-LABEL: tfx_tensor.graph @main.graph(
// IR-SAME:    channels [#tfx_comm.channel<0, to_graph, i1{{(, capacity = [0-9]+)?}}>]{{.*}} {
// IR:         scf.while
// IR-NEXT:        %[[GO:.*]] = tfx_comm.recv from 0 : i1
// IR-NEXT:        scf.condition(%[[GO]])

func.func @main(%x: f32) -> (tensor<f32> {tfx.name = "trips"}) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %none = tfx_tensor.const dense<0.0> : tensor<f32>
  %last, %end = scf.while (%v = %x, %n = %none) : (f32, tensor<f32>) -> (f32, tensor<f32>) {
    %go = arith.cmpf ogt, %v, %zero : f32
    scf.condition(%go) %v, %n : f32, tensor<f32>
  } do {
  ^bb0(%v: f32, %n: tensor<f32>):
    %next = arith.mulf %v, %half : f32
    tfx_host.print "now {}"(%next) : f32
    %m = tfx_tensor.op "AddV2"(%n, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %next, %m : f32, tensor<f32>
  }
  tfx_host.print "last {}"(%last) : f32
  return %end : tensor<f32>
}
