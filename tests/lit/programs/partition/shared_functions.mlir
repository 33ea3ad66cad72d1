// Scalar code that is not inlined (here on request, else because of its size) is one function that both sides have. The host and the graph
// decide by it in each iteration, the graph computes with it, and only printed values cross.
//
// RUN: tfxc run %s --stats 7 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats 7 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc interpret %s 7 | FileCheck %s --check-prefix=RESULT
// RUN: tfx-opt %s --tfx-extract -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: tfxc interpret %t.mlir 7 | FileCheck %s --check-prefix=RESULT
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
//
// CHECK:      2: 1.5
// CHECK-NEXT: 5: 4.5
// CHECK-NEXT: y = 5.5
// CHECK:      to host{{.*}} f32
// CHECK-NOT:  to {{host|graph}}
// RESULT:      2: 1.5
// RESULT-NEXT: 5: 4.5
// RESULT-NEXT: y = 5.5
// SILENT-NOT: {{warning|error}}
//
// The host needs the function for its decisions, the graph for its decisions and its data.
// IR-DAG:   func.func private @shows
// IR-DAG:   tfx_tensor.graph private @shows.graph
// IR-DAG:   tfx_tensor.graph private @phase.graph
// IR-DAG:   tfx_tensor.graph private @rate.graph
// IR-DAG:   tfx_tensor.call @rate.graph

!T = tensor<f32>
func.func private @phase(%step: i32, %every: i32) -> i32 attributes {no_inline} {
  %zero = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %every, %zero : i32
  %r = scf.if %positive -> i32 {
    %m = arith.remsi %step, %every : i32
    scf.yield %m : i32
  } else {
    scf.yield %step : i32
  }
  return %r : i32
}
func.func private @shows(%step: i32) -> i1 attributes {no_inline} {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %p = func.call @phase(%step, %three) : (i32, i32) -> i32
  %yes = arith.cmpi eq, %p, %two : i32
  return %yes : i1
}
func.func private @rate(%step: i32) -> f32 attributes {no_inline} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  // 0.5 for each of the first two steps, then 1.
  %start = arith.constant 0.0 : f32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %late = arith.cmpi sge, %step, %three : i32
  %times = arith.select %late, %two, %one : i32
  %r = scf.for %i = %zero to %times step %one iter_args(%sum = %start) -> f32 : i32 {
    %next = arith.addf %sum, %half : f32
    scf.yield %next : f32
  }
  return %r : f32
}
func.func @main(%n: i32) -> (!T {tfx.name = "y"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x0 = tfx_tensor.const dense<0.0> : !T
  %x = scf.for %step = %zero to %n step %one iter_args(%x = %x0) -> !T : i32 {
    %rate = func.call @rate(%step) : (i32) -> f32
    %t = tfx_tensor.from_scalar %rate : f32
    %y = tfx_tensor.op "AddV2"(%x, %t) : (!T, !T) -> !T
    %show = func.call @shows(%step) : (i32) -> i1
    scf.if %show {
      tfx_host.print "{}: {}"(%step, %y) : i32, !T
    }
    scf.yield %y : !T
  }
  %again = func.call @rate(%n) : (i32) -> f32
  %t = tfx_tensor.from_scalar %again : f32
  %half = tfx_tensor.const dense<0.5> : !T
  %late = tfx_tensor.op "Mul"(%t, %half) : (!T, !T) -> !T
  %sum = tfx_tensor.op "AddV2"(%x, %late) : (!T, !T) -> !T
  %r = tfx_tensor.op "Sub"(%sum, %late) : (!T, !T) -> !T
  return %r : !T
}
