// RUN: tfx-opt --split-input-file "--tfx-pipeline=schedule=zero-bubble explain=true" --tfx-insert-events \
// RUN:   --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule %s 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tfx-opt --split-input-file "--tfx-pipeline=schedule=interleaved explain=true" --tfx-insert-events \
// RUN:   --tfx-plan-memory --tfx-verify-memory --tfx-verify-schedule %s 2>&1 | FileCheck %s --check-prefix=INTER

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!a = !tfx_stream.buffer<64, cuda>
!b = !tfx_stream.buffer<64, cuda:1>
!h = !tfx_stream.buffer<64, pinned>

// Two stages for each device. The first device runs the forwards of two microbatches for its first
// stage, then for its second one. The gradients of weights are kernels of their own: they run when a
// device has nothing else to do, those of the last microbatch at the end.
// INTER:       a pipeline of 2 stages, 4 microbatches, interleaved: {{.*}} expected, {{.*}} ideal; at most 4 microbatches in flight
// INTER-LABEL: @train(
// INTER-SAME:    %[[S:[^:]*]]: {{[^,]*}}, %[[T:[^:]*]]:
// INTER:       launch %[[S]] @forward0
// INTER:       launch %[[S]] @forward0
// INTER:       launch %[[S]] @forward2
// INTER:       launch %[[S]] @forward2
// INTER:       launch %[[T]] @backward3

// ZERO:        a pipeline of 2 stages, 4 microbatches, zero-bubble: {{.*}} expected
// ZERO-LABEL:  @train(
// ZERO:        @backward3
// ZERO:        @backward2
// ZERO:        @weights2
// ZERO:        @weights3
// ZERO-COUNT-3: @backward1
// ZERO:        @weights3
// ZERO:        @weights1
// ZERO-NOT:    @backward
// ZERO:        tfx_stream.return
tfx_stream.schedule @train(%s: !s, %t: !t, %g0: !a, %g1: !b, %g2: !a, %g3: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %y0 = tfx_stream.alloc on %s : !h on !s
    %v0 = tfx_stream.launch %s @forward0(%y0 write) {cost = 1000} : !s, !h
    %y1 = tfx_stream.alloc on %t : !h on !t
    %v1 = tfx_stream.launch %t @forward1(%y0 read as %v0, %y1 write) {cost = 1000} : !t, !h, !h
    %y2 = tfx_stream.alloc on %s : !h on !s
    %v2 = tfx_stream.launch %s @forward2(%y1 read as %v1, %y2 write) {cost = 1000} : !s, !h, !h
    %y3 = tfx_stream.alloc on %t : !h on !t
    %v3 = tfx_stream.launch %t @forward3(%y2 read as %v2, %y3 write) {cost = 1000} : !t, !h, !h
    %z3 = tfx_stream.alloc on %t : !h on !t
    %d3 = tfx_stream.launch %t @backward3(%y3 read as %v3, %z3 write) {cost = 1000} : !t, !h, !h
    tfx_stream.launch %t @weights3(%y3 read as %v3, %y2 read as %v2, %g3 update) {cost = 1000} : !t, !h, !h, !b
    %z2 = tfx_stream.alloc on %s : !h on !s
    %d2 = tfx_stream.launch %s @backward2(%z3 read as %d3, %z2 write) {cost = 1000} : !s, !h, !h
    tfx_stream.launch %s @weights2(%z3 read as %d3, %y1 read as %v1, %g2 update) {cost = 1000} : !s, !h, !h, !a
    %z1 = tfx_stream.alloc on %t : !h on !t
    %d1 = tfx_stream.launch %t @backward1(%z2 read as %d2, %z1 write) {cost = 1000} : !t, !h, !h
    tfx_stream.launch %t @weights1(%z2 read as %d2, %y0 read as %v0, %g1 update) {cost = 1000} : !t, !h, !h, !b
    tfx_stream.launch %s @weights0(%z1 read as %d1, %g0 update) {cost = 1000} : !s, !h, !a
    tfx_stream.free %y0 on %s : !h on !s
    tfx_stream.free %y1 on %t : !h on !t
    tfx_stream.free %y2 on %s : !h on !s
    tfx_stream.free %y3 on %t : !h on !t
    tfx_stream.free %z3 on %t : !h on !t
    tfx_stream.free %z2 on %s : !h on !s
    tfx_stream.free %z1 on %t : !h on !t
  } {tfx_stream.pipeline}
  tfx_stream.return
}
