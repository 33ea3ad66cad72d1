// RUN: tfx-opt --split-input-file "--tfx-pipeline=recompute=true explain=true" --tfx-insert-events \
// RUN:   --tfx-verify-schedule %s 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS < %t.remarks
// RUN: tfx-opt --split-input-file "--tfx-pipeline=schedule=gpipe recompute=true" --tfx-insert-events \
// RUN:   --tfx-plan-memory=print-plan=true --tfx-verify-memory --tfx-verify-schedule %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// RUN: tfx-opt --split-input-file "--tfx-pipeline=schedule=gpipe recompute=true" %s \
// RUN:   | FileCheck %s --check-prefix=ORDER
// RUN: tfx-opt --split-input-file --tfx-pipeline=schedule=gpipe --tfx-insert-events \
// RUN:   --tfx-plan-memory=print-plan=true --tfx-verify-memory --tfx-verify-schedule %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEPT

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!a = !tfx_stream.buffer<4096, cuda>
!h = !tfx_stream.buffer<2048, cuda>
!b = !tfx_stream.buffer<4096, cuda:1>

// The forward of the first stage runs again on new buffers, right before its backward, which
// overwrites one of them. The new buffers have views like the old ones. The workspace of a kernel is
// one of its own. The forward of the last stage does not run again: its backward follows at once.
// SAYS:        remark: a pipeline of 2 stages, 4 microbatches, 1f1b: {{.*}} in flight; 8 kernels run again
// CHECK-LABEL: @train(
// CHECK-COUNT-8: @embed
// CHECK-NOT:   @embed

// ORDER-LABEL: @train(
// ORDER:       tfx_stream.input %[[SUM:[a-z0-9]+]]
// ORDER:       tfx_stream.input %[[X:[a-z0-9]+]]
// ORDER:       %[[A:.*]] = tfx_stream.alloc on %[[S:[a-z0-9]+]]
// ORDER:       @embed(%[[X]] read as %{{.*}}, %[[A]] write, %[[W:[a-z0-9]+]] scratch)
// ORDER:       @layer(%[[A]] read
// ORDER:       tfx_stream.free %[[A]] on %[[S]]
// ORDER-COUNT-4: @output
// ORDER:       %[[A2:.*]] = tfx_stream.alloc on %[[S]]
// ORDER:       %[[E2:.*]] = tfx_stream.launch %[[S]] @embed(%[[X]] read as %{{.*}}, %[[A2]] write, %{{[a-z0-9]+}} scratch)
// ORDER:       %[[C2:.*]] = tfx_stream.alloc on %[[S]]
// ORDER:       %[[V2:.*]] = tfx_stream.view %[[C2]][0, 2048]
// ORDER:       %[[L2:.*]] = tfx_stream.launch %[[S]] @layer(%[[A2]] read as %[[E2]], %[[V2]] write)
// ORDER:       @backward(%[[A2]] read as %[[E2]], %[[V2]] update as %[[L2]], %{{.*}} read as %{{.*}}, %[[SUM]] update as
// ORDER:       tfx_stream.free %[[A2]] on %[[S]]

// AGAIN:       remark: arena in cuda: 28672 bytes
// KEPT:        remark: arena in cuda: 53248 bytes
tfx_stream.schedule @train(%s: !s, %t: !t, %send: !t, %back: !s, %sum: !a, %x: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %g = tfx_stream.input %sum : !a
  %d = tfx_stream.input %x : !a
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%n = %g) -> (!tfx_stream.value) {
    %a = tfx_stream.alloc on %s : !a on !s
    %w = tfx_stream.alloc on %s : !a on !s
    %e = tfx_stream.launch %s @embed(%x read as %d, %a write, %w scratch) {cost = 5000} : !s, !a, !a, !a
    %c = tfx_stream.alloc on %s : !a on !s
    %half = tfx_stream.view %c[0, 2048] : !a
    %l = tfx_stream.launch %s @layer(%a read as %e, %half write) {cost = 5000} : !s, !a, !h
    %y = tfx_stream.alloc on %s : !a on !s
    %o = tfx_stream.launch %s @output(%half read as %l, %y write) {cost = 1000} : !s, !h, !a
    %p = tfx_stream.alloc on %t : !b on !t
    %q = tfx_stream.copy %send %y as %o to %p : !t, !a to !b
    %f = tfx_stream.launch %t @forward1(%p update as %q) {cost = 10000} : !t, !b
    %k = tfx_stream.launch %t @backward1(%p update as %f) {cost = 20000} : !t, !b
    %z = tfx_stream.alloc on %s : !a on !s
    %u = tfx_stream.copy %back %p as %k to %z : !s, !b to !a
    %old, %m = tfx_stream.launch %s @backward(%a read as %e, %half update as %l, %z read as %u, %sum update as %n) {cost = 20000} : !s, !a, !h, !a, !a
    tfx_stream.free %p on %t : !b on !t
    tfx_stream.free %a on %s : !a on !s
    tfx_stream.free %w on %s : !a on !s
    tfx_stream.free %c on %s : !a on !s
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
!a = !tfx_stream.buffer<4096, cuda>
!b = !tfx_stream.buffer<4096, cuda:1>

// A kernel does not run again if its operand is overwritten, if it reads what no value names, or if
// it changes what outlives the microbatch. The one that reads what is kept anyway can.
// SAYS:        remark: a pipeline of 2 stages, 4 microbatches, 1f1b: {{.*}} in flight; 4 kernels run again
// CHECK-LABEL: @changes(
// CHECK-COUNT-8: @after
// CHECK-NOT:   @after
tfx_stream.schedule @changes(%s: !s, %t: !t, %send: !t, %back: !s, %sum: !a, %x: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %g = tfx_stream.input %sum : !a
  %d = tfx_stream.input %x : !a
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%n = %g, %v = %d) -> (!tfx_stream.value, !tfx_stream.value) {
    %a = tfx_stream.alloc on %s : !a on !s
    %e = tfx_stream.launch %s @overwritten(%x read as %v, %a write) {cost = 5000} : !s, !a, !a
    %c = tfx_stream.alloc on %s : !a on !s
    %l = tfx_stream.launch %s @after(%a read as %e, %c write) {cost = 5000} : !s, !a, !a
    %next = tfx_stream.launch %s @counts(%x update as %v) {cost = 5000} : !s, !a
    %w = tfx_stream.alloc on %s : !a on !s
    %j = tfx_stream.launch %s @unnamed(%x read, %w write) {cost = 5000} : !s, !a, !a
    %p = tfx_stream.alloc on %t : !b on !t
    %q = tfx_stream.copy %send %c as %l to %p : !t, !a to !b
    %f = tfx_stream.launch %t @forward1(%p update as %q) {cost = 10000} : !t, !b
    %k = tfx_stream.launch %t @backward1(%p update as %f) {cost = 20000} : !t, !b
    %z = tfx_stream.alloc on %s : !a on !s
    %u = tfx_stream.copy %back %p as %k to %z : !s, !b to !a
    %m = tfx_stream.launch %s @backward(%a read as %e, %c read as %l, %w read as %j, %z read as %u, %sum update as %n) {cost = 20000} : !s, !a, !a, !a, !a, !a
    tfx_stream.free %p on %t : !b on !t
    tfx_stream.free %a on %s : !a on !s
    tfx_stream.free %w on %s : !a on !s
    tfx_stream.free %c on %s : !a on !s
    tfx_stream.free %z on %s : !a on !s
    scf.yield %m, %next : !tfx_stream.value, !tfx_stream.value
  } {tfx_stream.pipeline}
  tfx_stream.launch %s @step(%sum update as %r#0) : !s, !a
  tfx_stream.return
}
