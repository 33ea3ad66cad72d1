// The host sends values together that are available together: of seven scalars from one call, those of a type are one message, and decide in the graph as before.
// Values that it waits for together arrive together, too.
//
// RUN: tfxc run %s 3 4 2>&1 | FileCheck %s --check-prefix=RUN1
// RUN: %if tensorflow %{ tfxc run %s 3 4 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN1 %}
// RUN: tfxc run %s 3 1 2>&1 | FileCheck %s --check-prefix=RUN2
// RUN: %if tensorflow %{ tfxc run %s 3 1 --executor tensorflow 2>&1 | FileCheck %s --check-prefix=RUN2 %}
// RUN: tfx-opt %s --tfx-extract -o %t.mlir && FileCheck %s --check-prefix=IR < %t.mlir
// RUN: tfx-opt %t.mlir --tfx-pack-scalars --tfx-verify-protocol | FileCheck %s --check-prefix=PACKED
//
// RUN1:      turned -24.0
// RUN1-NEXT: turned 24.0
// RUN1-NEXT: turned -24.0
// RUN1-NEXT: turned 24.0
// RUN1-NEXT: big 20.0
// RUN1-NEXT: false 8.0 24.0
// RUN1-NEXT: y = 24.0
// RUN2:      turned 0.5
// RUN2-NEXT: false -1.5 -0.5
// RUN2-NEXT: y = 0.5
//
// IR-LABEL: tfx_tensor.graph @main.graph(
// IR-SAME: channels [{{.*}}#tfx_comm.channel<11, to_host, i1, capacity = 1>]
//
// A value that is sent and printed under a condition, or in a loop, is a separate message.
// PACKED-LABEL: tfx_tensor.graph @main.graph(
// PACKED-SAME: channels [#tfx_comm.channel<0, to_graph, tensor<2xi1>, capacity = 1>, #tfx_comm.channel<1, to_graph, tensor<2xi64>, capacity = 1>,
// PACKED-SAME: #tfx_comm.channel<4, to_graph, tensor<2xf64>, capacity = 1>, #tfx_comm.channel<6, to_host, f64>,
// PACKED-SAME: #tfx_comm.channel<7, to_graph, tensor<f64>, capacity = 1>, #tfx_comm.channel<8, to_host, f64, capacity = 1>,
// PACKED-SAME: #tfx_comm.channel<9, to_host, tensor<2xf64>, capacity = 1>, #tfx_comm.channel<11, to_host, i1, capacity = 1>]
// PACKED:      %[[M:.*]] = tfx_comm.recv from 0 : tensor<2xi1>
// PACKED-NEXT: %[[B:.*]]:2 = tfx_tensor.op "Unpack"(%[[M]]) : (tensor<2xi1>) -> (tensor<i1>, tensor<i1>)
// PACKED-NEXT: %[[ODD:.*]] = tfx_tensor.to_scalar %[[B]]#0
// PACKED:      scf.if %[[ODD]]
// PACKED:      %[[M:.*]] = tfx_tensor.op "Pack"({{.*}}) : (tensor<f64>, tensor<f64>) -> tensor<2xf64>
// PACKED-NEXT: tfx_comm.send %[[M]] to 9
// PACKED-LABEL: func.func @main(
// PACKED:      %[[FACTS:.*]]:7 = call @facts
// PACKED:      %[[I:.*]] = arith.index_cast %[[FACTS]]#1 : index to i64
// PACKED-NEXT: tensor.from_elements %[[I]], %[[FACTS]]#4 : tensor<2xi64>
// PACKED-NOT:  tfx_tensor.from_scalar %[[FACTS]]
// PACKED:      %[[M:.*]] = tfx_comm.recv %{{.*}} from 9 : tensor<2xf64>
// PACKED-NEXT: %[[C0:.*]] = arith.constant 0 : index
// PACKED-NEXT: tensor.extract %[[M]][%[[C0]]]

!T = tensor<f64>
// The parity of n, whether it is above 2, n, n as an index, n as an i64, a half of n, and n: by recursion, so that it stays on the host.
func.func private @facts(%n: i32) -> (i1, index, i1, i32, i64, f64, f64) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %no = arith.constant false
  %start = arith.constant 0 : index
  %step = arith.constant 1 : index
  %wide0 = arith.constant 0 : i64
  %wide1 = arith.constant 1 : i64
  %none = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %whole = arith.constant 1.0 : f64
  %true = arith.constant true
  %done = arith.cmpi sle, %n, %zero : i32
  %r:7 = scf.if %done -> (i1, index, i1, i32, i64, f64, f64) {
    scf.yield %no, %start, %no, %zero, %wide0, %none, %none : i1, index, i1, i32, i64, f64, f64
  } else {
    %m = arith.subi %n, %one : i32
    %p:7 = func.call @facts(%m) : (i32) -> (i1, index, i1, i32, i64, f64, f64)
    %odd = arith.xori %p#0, %true : i1
    %i = arith.addi %p#1, %step : index
    %big = arith.cmpi sgt, %n, %two : i32
    %k = arith.addi %p#3, %one : i32
    %l = arith.addi %p#4, %wide1 : i64
    %h = arith.addf %p#5, %half : f64
    %f = arith.addf %p#6, %whole : f64
    scf.yield %odd, %i, %big, %k, %l, %h, %f : i1, index, i1, i32, i64, f64, f64
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : i1, index, i1, i32, i64, f64, f64
}
func.func @main(%a: f32, %n: i32) -> (!T {tfx.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %wide = arith.extf %a : f32 to f64
  %x = tfx_tensor.from_scalar %wide : f64
  %v = tfx_tensor.op "Neg"(%x) : (!T) -> !T
  %f:7 = func.call @facts(%n) : (i32) -> (i1, index, i1, i32, i64, f64, f64)
  %h = tfx_tensor.from_scalar %f#5 : f64
  %g = tfx_tensor.from_scalar %f#6 : f64
  %k = arith.sitofp %f#3 : i32 to f64
  %kt = tfx_tensor.from_scalar %k : f64
  // Packed booleans decide about branches that both sides have, a packed index and a number about loops.
  %v1 = scf.if %f#0 -> !T {
    %t = tfx_tensor.op "Mul"(%v, %h) : (!T, !T) -> !T
    scf.yield %t : !T
  } else {
    %t = tfx_tensor.op "Mul"(%g, %h) : (!T, !T) -> !T
    scf.yield %t : !T
  }
  %v2 = scf.for %i = %c0 to %f#1 step %c1 iter_args(%u = %v1) -> (!T) {
    %t = tfx_tensor.op "AddV2"(%u, %g) : (!T, !T) -> !T
    scf.yield %t : !T
  }
  %l0 = arith.constant 0 : i64
  %l1 = arith.constant 1 : i64
  %v3 = scf.for %i = %l0 to %f#4 step %l1 iter_args(%u = %v2) -> (!T) : i64 {
    %t = tfx_tensor.op "Neg"(%u) : (!T) -> !T
    %s = tfx_tensor.to_scalar %t : !T -> f64
    tfx_host.print "turned {}"(%s) : f64
    scf.yield %t : !T
  }
  scf.if %f#2 {
    %e = tfx_tensor.op "Sub"(%v2, %kt) : (!T, !T) -> !T
    %s = tfx_tensor.to_scalar %e : !T -> f64
    tfx_host.print "big {}"(%s) : f64
  }
  // Values that the host prints together are received together.
  %s1 = tfx_tensor.to_scalar %v1 : !T -> f64
  %s2 = tfx_tensor.to_scalar %v2 : !T -> f64
  %e = tfx_tensor.op "Equal"(%v1, %v2) : (!T, !T) -> tensor<i1>
  %b = tfx_tensor.to_scalar %e : tensor<i1> -> i1
  tfx_host.print "{} {} {}"(%b, %s1, %s2) : i1, f64, f64
  %y = tfx_tensor.op "Abs"(%v3) : (!T) -> !T
  return %y : !T
}
