// RUN: tfx-opt --split-input-file --tfx-insert-events --tfx-plan-memory=alignment=64 \
// RUN:   --tfx-verify-memory=alignment=64 --tfx-verify-schedule %s | FileCheck %s
// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-insert-events \
// RUN:   --tfx-plan-memory='alignment=64 print-plan=true' %s -o %t.planned
// RUN: tfx-opt --split-input-file --tfx-plan-memory=alignment=64 %t.planned -o %t.again
// RUN: diff %t.planned %t.again

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// A chain on one stream: two of three buffers are live at once.
// CHECK-LABEL: @chain
// CHECK-NEXT:  %[[A:.*]] = tfx_stream.arena : !tfx_stream.arena<128, cuda>
// CHECK:       %[[X:.*]] = tfx_stream.slice %[[A]][[[OFFSET:[0-9]+]], 64] on %[[S:.*]] :
// CHECK:       launch %[[S]] @first(%[[X]] write)
// CHECK:       free %[[X]] on %[[S]]
// CHECK:       tfx_stream.slice %[[A]][[[OFFSET]], 64]
// CHECK-NOT:   alloc
// CHECK:       return
// expected-remark @below {{arena in cuda: 128 bytes, bound 128, gap 0.00 %}}
tfx_stream.schedule @chain(%s: !s) {
  %a = tfx_stream.alloc on %s : !b on !s
  %x = tfx_stream.launch %s @first(%a write) : !s, !b
  %b = tfx_stream.alloc on %s : !b on !s
  %y = tfx_stream.launch %s @second(%a read as %x, %b write) : !s, !b, !b
  tfx_stream.free %a on %s : !b on !s
  %c = tfx_stream.alloc on %s : !b on !s
  %z = tfx_stream.launch %s @third(%b read as %y, %c write) : !s, !b, !b
  tfx_stream.free %b on %s : !b on !s
  tfx_stream.free %c on %s : !b on !s
  tfx_stream.return
}

// Two streams without an event: nothing is shared.
// CHECK-LABEL: @apart
// CHECK:       arena<128, cuda>
// expected-remark @below {{arena in cuda: 128 bytes, bound 128}}
tfx_stream.schedule @apart(%s: !s, %t: !s) {
  %a = tfx_stream.alloc on %s : !b on !s
  tfx_stream.launch %s @left(%a write) : !s, !b
  tfx_stream.free %a on %s : !b on !s
  %b = tfx_stream.alloc on %t : !b on !s
  tfx_stream.launch %t @right(%b write) : !s, !b
  tfx_stream.free %b on %t : !b on !s
  tfx_stream.return
}

// The same with an event of another dependence.
// CHECK-LABEL: @ordered
// CHECK:       arena<64, cuda>
// expected-remark @below {{arena in cuda: 64 bytes, bound 64}}
tfx_stream.schedule @ordered(%s: !s, %t: !s, %c: !b) {
  %a = tfx_stream.alloc on %s : !b on !s
  %x = tfx_stream.launch %s @left(%a write) : !s, !b
  %y = tfx_stream.launch %s @store(%a read as %x, %c write) : !s, !b, !b
  tfx_stream.free %a on %s : !b on !s
  tfx_stream.launch %s @more(%c update as %y) : !s, !b
  tfx_stream.launch %t @load(%c read) : !s, !b
  %b = tfx_stream.alloc on %t : !b on !s
  tfx_stream.launch %t @right(%b write) : !s, !b
  tfx_stream.free %b on %t : !b on !s
  tfx_stream.return
}

// Memory spaces have arenas of their own, and the host allocates at once.
// CHECK-LABEL: @spaces
// CHECK-DAG:   arena<64, cuda>
// CHECK-DAG:   arena<128, pinned>
// CHECK-DAG:   arena<64, cuda:1>
// expected-remark @below {{arena in pinned: 128 bytes}}
// expected-remark @below {{arena in cuda: 64 bytes}}
// expected-remark @below {{arena in cuda:1: 64 bytes}}
tfx_stream.schedule @spaces(%s: !s, %u: !tfx_stream.stream<cuda:1>) {
  %a = tfx_stream.alloc on %s : !b on !s
  %h = tfx_stream.alloc : !tfx_stream.buffer<100, pinned>
  %c = tfx_stream.alloc on %u : !tfx_stream.buffer<64, cuda:1> on !tfx_stream.stream<cuda:1>
  tfx_stream.launch %s @kernel(%a write) : !s, !b
  tfx_stream.host @fill(%h write) : !tfx_stream.buffer<100, pinned>
  tfx_stream.launch %u @kernel(%c write)
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<64, cuda:1>
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// A loop on one stream: its buffers share bytes, and those outside count around it.
// CHECK-LABEL: @loop
// CHECK:       arena<192, cuda>
// expected-remark @below {{arena in cuda: 192 bytes, bound 192}}
tfx_stream.schedule @loop(%s: !s, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = tfx_stream.alloc on %s : !b on !s
  tfx_stream.launch %s @outside(%o write) : !s, !b
  scf.for %i = %c0 to %n step %c1 {
    %a = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @first(%a write) : !s, !b
    %b = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @second(%a read, %b write) : !s, !b, !b
    tfx_stream.free %a on %s : !b on !s
    %c = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @third(%b read, %c write) : !s, !b, !b
    tfx_stream.free %b on %s : !b on !s
    tfx_stream.free %c on %s : !b on !s
  }
  tfx_stream.launch %s @outside(%o read) : !s, !b
  tfx_stream.free %o on %s : !b on !s
  %p = tfx_stream.alloc on %s : !b on !s
  tfx_stream.launch %s @after(%p write) : !s, !b
  tfx_stream.free %p on %s : !b on !s
  tfx_stream.return
}

// Arms of a branch exclude each other.
// CHECK-LABEL: @branch
// CHECK:       arena<64, cuda>
// CHECK:       slice %{{.*}}[0, 64]
// CHECK:       slice %{{.*}}[0, 64]
// expected-remark @below {{arena in cuda: 64 bytes, bound 64}}
tfx_stream.schedule @branch(%s: !s, %t: !s, %c: i1) {
  scf.if %c {
    %a = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @left(%a write) : !s, !b
    tfx_stream.free %a on %s : !b on !s
  } else {
    %b = tfx_stream.alloc on %t : !b on !s
    tfx_stream.launch %t @right(%b write) : !s, !b
    tfx_stream.free %b on %t : !b on !s
  }
  tfx_stream.return
}

// In a loop, one iteration may take the one arm, and the next one the other.
// CHECK-LABEL: @alternating
// CHECK:       arena<128, cuda>
// expected-remark @below {{arena in cuda: 128 bytes, bound 128}}
tfx_stream.schedule @alternating(%s: !s, %t: !s, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      %a = tfx_stream.alloc on %s : !b on !s
      tfx_stream.launch %s @left(%a write) : !s, !b
      tfx_stream.free %a on %s : !b on !s
    } else {
      %b = tfx_stream.alloc on %t : !b on !s
      tfx_stream.launch %t @right(%b write) : !s, !b
      tfx_stream.free %b on %t : !b on !s
    }
  }
  tfx_stream.return
}

// Two streams in a loop: a buffer of the one may be live in the next iteration of the other.
// CHECK-LABEL: @streams
// CHECK:       arena<128, cuda>
// expected-remark @below {{arena in cuda: 128 bytes, bound 128}}
tfx_stream.schedule @streams(%s: !s, %t: !s, %d: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @left(%a write, %d write) : !s, !b, !b
    tfx_stream.free %a on %s : !b on !s
    tfx_stream.launch %t @wait(%d read) : !s, !b
    %b = tfx_stream.alloc on %t : !b on !s
    tfx_stream.launch %t @right(%b write) : !s, !b
    tfx_stream.free %b on %t : !b on !s
  }
  tfx_stream.return
}

// A part has an arena of its own.
// CHECK-LABEL: @part
// CHECK:       arena<64, cuda>
// expected-remark @below {{arena in cuda: 64 bytes, bound 64}}
tfx_stream.schedule private @part(%s: !s) {
  %a = tfx_stream.alloc on %s : !b on !s
  tfx_stream.launch %s @kernel(%a write) : !s, !b
  tfx_stream.free %a on %s : !b on !s
  tfx_stream.return
}

tfx_stream.schedule @caller(%s: !s) {
  tfx_stream.call @part(%s) : (!s) -> ()
  tfx_stream.call @part(%s) : (!s) -> ()
  tfx_stream.return
}

// A buffer that is not released in its loop stays an allocation.
// CHECK-LABEL: @leaving
// CHECK-NOT:   arena
// CHECK:       alloc
// CHECK-LABEL: @end
tfx_stream.schedule private @leaving(%s: !s, %c: i1) {
  scf.if %c {
    // expected-remark @below {{this buffer leaves the body in which it is allocated, so it gets no place in an arena}}
    %a = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @kernel(%a write) : !s, !b
  }
  tfx_stream.return
}

tfx_stream.schedule @end(%s: !s) {
  tfx_stream.return
}

// A buffer of the condition of a loop stays an allocation, too.
// CHECK-LABEL: @condition
// CHECK-NOT:   arena
// CHECK:       alloc
tfx_stream.schedule @condition(%s: !s, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.while (%k = %c0) : (index) -> index {
    // expected-remark @below {{this buffer is allocated in the condition of a loop, so it gets no place in an arena}}
    %a = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @kernel(%a write) : !s, !b
    tfx_stream.free %a on %s : !b on !s
    %go = arith.cmpi ult, %k, %n : index
    scf.condition(%go) %k : index
  } do {
  ^body(%k: index):
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  tfx_stream.return
}
