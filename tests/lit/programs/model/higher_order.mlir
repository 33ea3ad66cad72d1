// A training function whose step is a closure that captures a tensor; map over a list with another one. No closure remains, and the loop is in the graph
// with its counter: nothing crosses. Only the test of the index remains on the host.
//
// RUN: tfxc run %s 3 --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      w = [28. 56.]
// CHECK:      no channels
//
// IR-NOT: {{warning|error|channel|tfx_host.closure|tfx_host.apply|tfx_host.array}}
// IR:      tfx_tensor.graph @main.graph(%{{.*}}: i32) -> tensor<2xf32> {
// IR:        scf.while
// IR:          tfx_tensor.op "Mul"
// IR:      func.func @main(
// IR-NOT:    {{channel|tfx_host.closure|tfx_host.apply|tfx_host.array|tfx_comm.send|tfx_comm.recv}}
// IR:        %[[R:.*]] = tfx_comm.finish
// IR-NEXT:   return %[[R]]

!T = tensor<2xf32>
!L = !tfx_host.array<!T>
!Step = !tfx_host.closure<(!T) -> !T>
func.func private @times(%by: !T, %w: !T) -> !T {
  %y = tfx_tensor.op "Mul"(%w, %by) : (!T, !T) -> !T
  return %y : !T
}
func.func private @train(%steps: i32, %w0: !T, %step: !Step) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = scf.for %i = %zero to %steps step %one iter_args(%w = %w0) -> (!T) : i32 {
    %next = tfx_host.apply %step(%w) : !Step
    scf.yield %next : !T
  }
  return %end : !T
}
func.func private @map_and_add(%l: !L, %f: !Step, %start: !T) -> !T {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = tfx_host.array_count %l : !L
  %sum = scf.for %i = %i0 to %n step %i1 iter_args(%s = %start) -> !T {
    %x = tfx_host.array_get %l[%i] : !L
    %y = tfx_host.apply %f(%x) : !Step
    %t = tfx_tensor.op "AddV2"(%s, %y) : (!T, !T) -> !T
    scf.yield %t : !T
  }
  return %sum : !T
}
func.func @main(%steps: i32) -> (!T {tfx.name = "w"}) {
  %rate = tfx_tensor.const dense<2.0> : !T
  %a = tfx_tensor.const dense<[1.0, 2.0]> : !T
  %b = tfx_tensor.const dense<[0.5, 1.0]> : !T
  %zeros = tfx_tensor.const dense<0.0> : !T
  %step = tfx_host.closure @times(%rate) : (!T) -> !Step
  %l = tfx_host.array(%a, %b, %b) : !L
  %w0 = func.call @map_and_add(%l, %step, %zeros) : (!L, !Step, !T) -> !T
  %w1 = tfx_tensor.op "Sub"(%w0, %b) : (!T, !T) -> !T
  %w = func.call @train(%steps, %w1, %step) : (i32, !T, !Step) -> !T
  return %w : !T
}
