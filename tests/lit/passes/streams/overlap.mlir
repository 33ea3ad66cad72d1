// RUN: tfx-opt --split-input-file --tfx-overlap %s | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-overlap=buffers=3 %s | FileCheck %s --check-prefix=THREE
// RUN: tfx-opt --split-input-file --tfx-overlap --tfx-insert-events --tfx-plan-memory \
// RUN:   --tfx-verify-memory --tfx-verify-schedule %s | FileCheck %s --check-prefix=ALL
// RUN: tfx-opt --split-input-file --tfx-overlap=explain=true %s -o %t 2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: tfx-opt --split-input-file --tfx-overlap --tfx-overlap %s | FileCheck %s

!s = !tfx_stream.stream<cuda>
!h = !tfx_stream.buffer<64, pinned>
!b = !tfx_stream.buffer<64, cuda>

// The copy of an iteration overlaps the kernel of the one before: it waits for the one before that.
// CHECK-LABEL: @prefetch
// CHECK-DAG:   %[[A:.*]] = tfx_stream.alloc
// CHECK-DAG:   %[[B:.*]] = tfx_stream.alloc
// CHECK:       scf.for {{.*}} iter_args(%[[NOW:.*]] = %[[A]], %[[NEXT:.*]] = %[[B]])
// CHECK:         tfx_stream.copy {{.*}} to %[[NOW]]
// CHECK:         tfx_stream.launch {{.*}} @step(%[[NOW]] read as
// CHECK:         scf.yield %[[NEXT]], %[[NOW]]
// CHECK-DAG:   tfx_stream.free %[[A]]
// CHECK-DAG:   tfx_stream.free %[[B]]

// THREE-LABEL: @prefetch
// THREE:       scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}})
// THREE:         scf.yield %[[Y]], %[[Z]], %[[X]]

// Two events are carried: those of the last two iterations.
// ALL-LABEL:   @prefetch
// ALL:         tfx_stream.arena<512, cuda>
// ALL:         scf.for {{.*}} -> (!tfx_stream.buffer<64, cuda>, !tfx_stream.buffer<64, cuda>, !tfx_stream.event, !tfx_stream.event)
tfx_stream.schedule @prefetch(%compute: !s, %transfer: !s, %batch: !h, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %batch : !h
// SAYS-DAG: overlap.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: iterations overlap in a ring of 2 of these buffers
  %a = tfx_stream.alloc on %transfer : !b on !s
  scf.for %i = %c0 to %n step %c1 {
    %y = tfx_stream.copy %transfer %batch as %x to %a : !s, !h to !b
    tfx_stream.launch %compute @step(%a read as %y) : !s, !b
  }
  tfx_stream.free %a on %compute : !b on !s
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// A buffer of each iteration is moved out of the loop, and keeps its streams. The other values that
// the loop carries stay.
// CHECK-LABEL: @inside
// CHECK:       %[[A:.*]] = tfx_stream.alloc on %[[S:.*]] :
// CHECK:       %[[B:.*]] = tfx_stream.alloc on %[[S]] :
// CHECK:       %[[R:.*]]:3 = scf.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}, %[[NOW:.*]] = %[[A]], %[[NEXT:.*]] = %[[B]])
// CHECK-NOT:     tfx_stream.alloc
// CHECK-NOT:     tfx_stream.free
// CHECK:         scf.yield %{{.*}}, %[[NEXT]], %[[NOW]]
// CHECK:       tfx_stream.free %[[A]] on %[[T:.*]] :
// CHECK:       tfx_stream.free %[[B]] on %[[T]] :
// CHECK:       tfx_stream.launch %{{.*}} @last(%{{.*}} read as %[[R]]#0)
tfx_stream.schedule @inside(%s: !s, %t: !s, %state: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %state : !b
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (!tfx_stream.value) {
// SAYS-DAG: overlap.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: iterations overlap in a ring of 2 of these buffers
    %a = tfx_stream.alloc on %s : !b on !s
    %y = tfx_stream.launch %s @produce(%a write) : !s, !b
    %w = tfx_stream.launch %t @consume(%a read as %y, %state update as %v) : !s, !b, !b
    tfx_stream.free %a on %t : !b on !s
    scf.yield %w : !tfx_stream.value
  }
  tfx_stream.launch %t @last(%state read as %r) : !s, !b
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// The content of the iteration before, a parameter, a use after the loop, a nested body, and one
// stream.
// CHECK-LABEL: @others
// CHECK-COUNT-4: tfx_stream.alloc
// CHECK-NOT:   iter_args
// CHECK:       tfx_stream.return
// SAYS-DAG: overlap.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: iterations do not overlap in this buffer: it is not allocated in this schedule
tfx_stream.schedule @others(%s: !s, %t: !s, %p: !b, %n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
// SAYS-DAG: overlap.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: iterations do not overlap in this buffer: an iteration does not write all of it first
  %a = tfx_stream.alloc on %s : !b on !s
// SAYS-DAG: overlap.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: iterations do not overlap in this buffer: it is used outside of the loop, or in another body inside of it
  %b = tfx_stream.alloc on %s : !b on !s
// SAYS-DAG: overlap.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: iterations do not overlap in this buffer: it is used outside of the loop, or in another body inside of it
  %c = tfx_stream.alloc on %s : !b on !s
  %d = tfx_stream.alloc on %s : !b on !s
  scf.for %i = %c0 to %n step %c1 {
    tfx_stream.launch %s @update(%a update) : !s, !b
    tfx_stream.launch %t @use(%a read) : !s, !b
    tfx_stream.launch %s @write(%p write) : !s, !b
    tfx_stream.launch %t @use(%p read) : !s, !b
    tfx_stream.launch %s @write(%b write) : !s, !b
    tfx_stream.launch %t @use(%b read) : !s, !b
    tfx_stream.launch %s @write(%c write) : !s, !b
    tfx_stream.launch %t @use(%c read) : !s, !b
    scf.if %flag {
      tfx_stream.launch %t @use(%c read) : !s, !b
    }
    tfx_stream.launch %s @write(%d write) : !s, !b
    tfx_stream.launch %s @use(%d read) : !s, !b
  }
  tfx_stream.launch %t @use(%b read) : !s, !b
  tfx_stream.return
}
