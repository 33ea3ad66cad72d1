// RUN: tfx-opt --split-input-file --tfx-pipeline %s | FileCheck %s --check-prefix=ONE
// RUN: tfx-opt --split-input-file --tfx-pipeline=schedule=gpipe %s | FileCheck %s --check-prefix=GPIPE
// RUN: tfx-opt --split-input-file "--tfx-pipeline=schedule=1f1b explain=true" --tfx-insert-events \
// RUN:   --tfx-plan-memory=print-plan=true --tfx-verify-memory --tfx-verify-schedule %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SAYS
// RUN: tfx-opt --split-input-file "--tfx-pipeline=schedule=gpipe explain=true" --tfx-insert-events \
// RUN:   --tfx-plan-memory=print-plan=true --tfx-verify-memory --tfx-verify-schedule %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GPIPE-SAYS

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!a = !tfx_stream.buffer<4096, cuda>
!b = !tfx_stream.buffer<4096, cuda:1>

// Activations go to the second device, and their gradients return. The sums of the gradients keep
// the order of the microbatches: each names the value of the one before.
// ONE-LABEL:   @train(
// ONE-SAME:      %[[S:[^:]*]]: {{[^,]*}}, %[[T:[^:]*]]: {{[^,]*}}, %[[SEND:[^:]*]]: {{[^,]*}}, %[[BACK:[^:]*]]:
// ONE-NOT:     scf.for
// ONE:         %[[G:.*]] = tfx_stream.input
// ONE:         %[[Y0:.*]] = tfx_stream.alloc on %[[S]]
// ONE-NEXT:    tfx_stream.launch %[[S]] @forward0(%[[Y0]] write)
// ONE-NEXT:    %[[Y1:.*]] = tfx_stream.alloc on %[[S]]
// ONE-NEXT:    tfx_stream.launch %[[S]] @forward0(%[[Y1]] write)
// Memory for a copy is allocated on its stream, if that is one of the device.
// ONE:         %[[X0:.*]] = tfx_stream.alloc on %[[SEND]]
// ONE-NEXT:    tfx_stream.copy %[[SEND]] %[[Y0]] {{.*}} to %[[X0]]
// ONE-NEXT:    tfx_stream.launch %[[T]] @forward1(%[[X0]] update
// ONE-NEXT:    tfx_stream.launch %[[T]] @backward1(%[[X0]] update
// ONE:         tfx_stream.copy %[[BACK]]
// ONE:         %[[G0:.*]] = tfx_stream.launch %[[S]] @backward0(%[[Y0]] read {{.*}} update as %[[G]])
// ONE:         tfx_stream.launch %[[T]] @forward1
// ONE-NEXT:    tfx_stream.launch %[[T]] @backward1
// ONE:         tfx_stream.free %[[Y0]] on %[[S]]
// ONE:         %[[Y2:.*]] = tfx_stream.alloc on %[[S]]
// ONE-NEXT:    tfx_stream.launch %[[S]] @forward0(%[[Y2]] write)
// ONE:         %[[G1:.*]] = tfx_stream.launch %[[S]] @backward0(%[[Y1]] read {{.*}} update as %[[G0]])
// ONE:         %[[G2:.*]] = tfx_stream.launch %[[S]] @backward0(%[[Y2]] read {{.*}} update as %[[G1]])
// ONE:         %[[G3:.*]] = tfx_stream.launch %[[S]] @backward0(%{{.*}} update as %[[G2]])
// ONE:         tfx_stream.launch %[[S]] @step(%{{.*}} update as %[[G3]])

// GPIPE-LABEL: @train(
// GPIPE-NOT:   @backward
// GPIPE-COUNT-4: @forward1
// GPIPE-NOT:   @forward
// GPIPE-COUNT-4: @backward0
// GPIPE:       @step

// SAYS:        pipeline.mlir:[[#@LINE+9]]:8: remark: a pipeline of 2 stages, 4 microbatches, 1f1b: 151.7 us expected, 150.7 us ideal; at most 2 microbatches in flight
// SAYS:        remark: arena in cuda: 20480 bytes
// GPIPE-SAYS:  pipeline.mlir:[[#@LINE+7]]:8: remark: a pipeline of 2 stages, 4 microbatches, gpipe: 150.7 us expected, 150.7 us ideal; at most 4 microbatches in flight
// GPIPE-SAYS:  remark: arena in cuda: 32768 bytes
tfx_stream.schedule @train(%s: !s, %t: !t, %send: !t, %back: !s, %sum: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %g = tfx_stream.input %sum : !a
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%n = %g) -> (!tfx_stream.value) {
    %y = tfx_stream.alloc on %s : !a on !s
    %v = tfx_stream.launch %s @forward0(%y write) {cost = 10000} : !s, !a
    %x = tfx_stream.alloc on %t : !b on !t
    %w = tfx_stream.copy %send %y as %v to %x : !t, !a to !b
    %f = tfx_stream.launch %t @forward1(%x update as %w) {cost = 10000} : !t, !b
    %h = tfx_stream.launch %t @backward1(%x update as %f) {cost = 20000} : !t, !b
    %z = tfx_stream.alloc on %s : !a on !s
    %k = tfx_stream.copy %back %x as %h to %z : !s, !b to !a
    %m = tfx_stream.launch %s @backward0(%y read as %v, %z read as %k, %sum update as %n) {cost = 20000} : !s, !a, !a, !a
    tfx_stream.free %x on %t : !b on !t
    tfx_stream.free %y on %s : !a on !s
    tfx_stream.free %z on %s : !a on !s
    scf.yield %m : !tfx_stream.value
  } {tfx_stream.pipeline}
  tfx_stream.launch %s @step(%sum update as %r) : !s, !a
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!u = !tfx_stream.stream<cuda:2>
!a = !tfx_stream.buffer<64, cuda>
!b = !tfx_stream.buffer<64, cuda:1>
!c = !tfx_stream.buffer<64, cuda:2>

// The third stage also reads the output of the first one, by a copy from device to device. The
// stream of that copy belongs to its source, so the memory is allocated on its own stream. A view
// follows its buffer. The counter is a constant in each microbatch.
// ONE-LABEL: @skip(
// ONE-SAME:    %[[S:[^:]*]]: {{[^,]*}}, %[[T:[^:]*]]: {{[^,]*}}, %[[U:[^:]*]]: {{[^,]*}}, %[[SEND:[^:]*]]:
// ONE-NOT:   scf.for
// ONE:       %[[Y:.*]] = tfx_stream.alloc on %[[S]]
// ONE-NEXT:  tfx_stream.view %[[Y]][0, 32]
// ONE-NEXT:  tfx_stream.launch %[[S]] @first
// ONE:       %[[D:.*]] = tfx_stream.alloc on %[[U]]
// ONE:       tfx_stream.copy %[[SEND]] %[[Y]] {{.*}} to %[[D]]
// ONE:       @third(
// ONE:       @third(
// ONE-NOT:   @third(
// SAYS:      remark: a pipeline of 3 stages, 2 microbatches, 1f1b: {{.*}} expected
tfx_stream.schedule @skip(%s: !s, %t: !t, %u: !u, %send: !s) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %twice = arith.addi %i, %i : i32
    %y = tfx_stream.alloc on %s : !a on !s
    %half = tfx_stream.view %y[0, 32] : !a
    %v = tfx_stream.launch %s @first(%y write) {cost = 1000} : !s, !a
    %x = tfx_stream.alloc on %t : !b on !t
    %w = tfx_stream.copy %t %y as %v to %x : !t, !a to !b
    %o = tfx_stream.launch %t @second(%x update as %w) {cost = 1000} : !t, !b
    %d = tfx_stream.alloc on %u : !c on !u
    %k = tfx_stream.copy %send %y as %v to %d : !s, !a to !c
    %e = tfx_stream.alloc on %u : !c on !u
    %l = tfx_stream.copy %t %x as %o to %e : !t, !b to !c
    tfx_stream.launch %u @third(%d read as %k, %e read as %l) {cost = 1000} : !u, !c, !c
    tfx_stream.launch %s @count(%half read as %v) : !s, !tfx_stream.buffer<32, cuda>
    tfx_stream.free %y on %s : !a on !s
    tfx_stream.free %x on %t : !b on !t
    tfx_stream.free %d on %u : !c on !u
    tfx_stream.free %e on %u : !c on !u
  } {tfx_stream.pipeline}
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cpu>
!t = !tfx_stream.stream<cpu:1>
!a = !tfx_stream.buffer<64, host>

// One microbatch is the body. Without one, results are the initial values. A pipeline may be in
// another loop.
// ONE-LABEL: @few(
// ONE:       %[[X:.*]] = tfx_stream.input
// ONE-NEXT:  %[[Y:.*]] = tfx_stream.launch %{{.*}} @one(%{{.*}} update as %[[X]])
// ONE-NEXT:  tfx_stream.host @two(%{{.*}} read as %[[Y]])
// ONE-NEXT:  tfx_stream.launch %{{.*}} @last(%{{.*}} read as %[[Y]])
// ONE-NEXT:  scf.for
// ONE-NEXT:    @inner
// ONE-NEXT:    @inner
// ONE-NEXT:  }
// SAYS:      remark: a pipeline of 2 stages, 1 microbatch, 1f1b: 2 ns expected, 2 ns ideal; at most 1 microbatch in flight
// SAYS-NOT:  0 microbatches
// SAYS:      remark: a pipeline of 1 stage, 2 microbatches, 1f1b
tfx_stream.schedule @few(%s: !s, %t: !t, %p: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = tfx_stream.input %p : !a
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%v = %x) -> (!tfx_stream.value) {
    %y = tfx_stream.launch %s @one(%p update as %v) : !s, !a
    tfx_stream.host @two(%p read as %y) on %t : !a on !t
    scf.yield %y : !tfx_stream.value
  } {tfx_stream.pipeline}
  %q = scf.for %i = %c1 to %c0 step %c1 iter_args(%v = %r) -> (!tfx_stream.value) {
    %y = tfx_stream.launch %s @never(%p update as %v) : !s, !a
    scf.yield %y : !tfx_stream.value
  } {tfx_stream.pipeline}
  tfx_stream.launch %s @last(%p read as %q) : !s, !a
  scf.for %k = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      tfx_stream.launch %s @inner(%p update) : !s, !a
    } {tfx_stream.pipeline}
  }
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!a = !tfx_stream.buffer<64, cuda>
!b = !tfx_stream.buffer<64, cuda:1>

// Buffers that rotate let two forwards precede the first copy. A buffer that the next iteration
// releases, or that leaves the loop, keeps its users.
// ONE-LABEL: @ring(
// ONE-SAME:    %{{[^:]*}}: {{[^,]*}}, %[[T:[^:]*]]: {{[^,]*}}, %[[P:[^:]*]]: {{[^%]*}}%[[Q:[^:]*]]:
// ONE-NOT:   scf.for
// ONE:       %[[O:.*]] = tfx_stream.alloc
// ONE:       @forward(%[[P]] write)
// ONE:       @forward(%[[Q]] write)
// ONE:       tfx_stream.copy %[[T]] %[[P]]
// ONE:       @use(%[[O]] read
// ONE:       tfx_stream.free %[[O]]
// ONE:       tfx_stream.copy %[[T]] %[[Q]] {{.*}} to %[[X:[^:]*]] :
// ONE:       @use(%{{.*}} read {{.*}}, %[[X]] update
// ONE:       @last(%[[X]] read
// ONE:       tfx_stream.free %[[X]]
tfx_stream.schedule @ring(%s: !s, %t: !t, %p: !a, %q: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %o = tfx_stream.alloc on %t : !b on !t
  %ov = tfx_stream.launch %t @init(%o write) : !t, !b
  %r:4 = scf.for %i = %c0 to %c2 step %c1 iter_args(%now = %p, %next = %q, %old = %o, %v = %ov) -> (!a, !a, !b, !tfx_stream.value) {
    %f = tfx_stream.launch %s @forward(%now write) {cost = 1000} : !s, !a
    %x = tfx_stream.alloc on %t : !b on !t
    %w = tfx_stream.copy %t %now as %f to %x : !t, !a to !b
    %h = tfx_stream.launch %t @use(%old read as %v, %x update as %w) {cost = 1500} : !t, !b, !b
    tfx_stream.free %old on %t : !b on !t
    scf.yield %next, %now, %x, %h : !a, !a, !b, !tfx_stream.value
  } {tfx_stream.pipeline}
  tfx_stream.launch %t @last(%r#2 read as %r#3) : !t, !b
  tfx_stream.free %r#2 on %t : !b on !t
  tfx_stream.return
}
