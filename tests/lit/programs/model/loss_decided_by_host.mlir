// The loss decides when training ends, by a test that only the host has: in each iteration, the loss is sent to the host and a boolean back, for which the graph waits: one warning.
// (tools/tfxc/programs/loss_decides.mlir tests that nothing crosses if the graph can compare.)
//
// RUN: tfxc run %s --stats 2>/dev/null | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>/dev/null | FileCheck %s %}
// RUN: tfxc run %s --stats 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
// RUN: %if tensorflow %{ tfxc run %s --stats --executor tensorflow 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS %}
// RUN: tfx-opt %s --tfx-extract 2>/dev/null | FileCheck %s --check-prefix=IR
// RUN: tfx-opt %s --tfx-extract 2>&1 >/dev/null | FileCheck %s --check-prefix=SAYS
//
// CHECK: w = 0.25
//
// STATS:      {{0 +to host +f32 +5 +20 }}
// STATS-NEXT: {{1 +to graph +i1 +5 +5 }}
// STATS-NOT:  {{2 +to}}
//
// IR:      tfx_tensor.graph @main.graph() -> tensor<f32> channels [#tfx_comm.channel<0, to_host, f32, capacity = 1>, #tfx_comm.channel<1, to_graph, i1, capacity = 1>]
// IR:        scf.while
// IR:          tfx_comm.send %{{.*}} to 0 : f32
// IR-NEXT:     %[[AGAIN:.*]] = tfx_comm.recv from 1 : i1
// IR:          scf.condition(%[[AGAIN]])
//
// SAYS:     loss_decided_by_host.mlir:[[#@LINE+32]]:{{[0-9]+}}: warning: the result of '@is_large' stalls the accelerator in every iteration of this loop
// SAYS-NOT: {{warning|error}}:

!T = tensor<f32>
// Tests whether x is above a tenth, by recursion: it stays on the host.
func.func private @is_large(%x: f32) -> i1 {
  %limit = arith.constant 0.1 : f32
  %one = arith.constant 1.0 : f32
  %big = arith.cmpf ogt, %x, %one : f32
  %r = scf.if %big -> i1 {
    %half = arith.constant 0.5 : f32
    %y = arith.mulf %x, %half : f32
    %s = func.call @is_large(%y) : (f32) -> i1
    scf.yield %s : i1
  } else {
    %s = arith.cmpf ogt, %x, %limit : f32
    scf.yield %s : i1
  }
  return %r : i1
}
func.func private @step(%w: !T) -> (!T, !T) {
  %half = tfx_tensor.const dense<0.5> : !T
  %n = tfx_tensor.op "Mul"(%w, %half) : (!T, !T) -> !T
  %l = tfx_tensor.op "Square"(%n) : (!T) -> !T
  return %n, %l : !T, !T
}
func.func @main() -> (!T {tfx.name = "w"}) {
  %w0 = tfx_tensor.const dense<8.0> : !T
  cf.br ^loop(%w0 : !T)
^loop(%w: !T):
  %n, %l = func.call @step(%w) : (!T) -> (!T, !T)
  %loss = tfx_tensor.to_scalar %l : !T -> f32
  %again = func.call @is_large(%loss) : (f32) -> i1
  cf.cond_br %again, ^loop(%n : !T), ^exit
^exit:
  return %n : !T
}
