// RUN: tfx-opt --split-input-file --tfx-insert-events --tfx-verify-schedule %s | FileCheck %s
// RUN: tfx-opt --split-input-file --tfx-insert-events %s -o %t.once
// RUN: tfx-opt --split-input-file --tfx-insert-events %t.once -o %t.twice
// RUN: diff %t.once %t.twice

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!h = !tfx_stream.buffer<64, pinned>

// One event for two consumers, and no wait of a stream for itself.
// CHECK-LABEL: @shared
// CHECK:       launch %[[S:.*]] @produce
// CHECK-NEXT:  %[[E:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:  launch %[[S]] @same
// CHECK-NEXT:  wait %[[T:.*]] for %[[E]] :
// CHECK-NEXT:  launch %[[T]] @one
// CHECK-NEXT:  launch %[[T]] @two
// CHECK-NEXT:  wait %[[U:.*]] for %[[E]] :
// CHECK-NEXT:  launch %[[U]] @three
// CHECK-NEXT:  return
tfx_stream.schedule @shared(%s: !s, %t: !s, %u: !s, %b: !b) {
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  tfx_stream.launch %s @same(%b read as %x) : !s, !b
  tfx_stream.launch %t @one(%b read as %x) : !s, !b
  tfx_stream.launch %t @two(%b read as %x) : !s, !b
  tfx_stream.launch %u @three(%b read as %x) : !s, !b
  tfx_stream.return
}

// @last waits for @middle only, which has waited for @first.
// CHECK-LABEL: @chain
// CHECK-COUNT-2: wait
// CHECK-NOT:   wait
// CHECK:       return
tfx_stream.schedule @chain(%s: !s, %t: !s, %u: !s, %a: !b, %b: !b) {
  %x = tfx_stream.launch %s @first(%a write) : !s, !b
  %y = tfx_stream.launch %t @middle(%a read as %x, %b write) : !s, !b, !b
  tfx_stream.launch %u @last(%a read as %x, %b read as %y) : !s, !b, !b
  tfx_stream.return
}

// A write after reads on two streams: both are waited for, by one operation.
// CHECK-LABEL: @overwrite
// CHECK:       wait %{{.*}} for %{{.*}}, %{{.*}} :
// CHECK-NEXT:  launch %{{.*}} @again
tfx_stream.schedule @overwrite(%s: !s, %t: !s, %u: !s, %a: !b) {
  %x = tfx_stream.launch %s @first(%a write) : !s, !b
  tfx_stream.launch %t @left(%a read as %x) : !s, !b
  tfx_stream.launch %u @right(%a read as %x) : !s, !b
  tfx_stream.launch %s @again(%a write) : !s, !b
  tfx_stream.return
}

// Disjoint views need no order.
// CHECK-LABEL: @views
// CHECK-NOT:   wait
// CHECK:       return
tfx_stream.schedule @views(%s: !s, %t: !s, %a: !b) {
  %low = tfx_stream.view %a[0, 32] : !b
  %high = tfx_stream.view %a[32, 32] : !b
  tfx_stream.launch %s @low(%low write) : !s, !tfx_stream.buffer<32, cuda>
  tfx_stream.launch %t @high(%high write) : !s, !tfx_stream.buffer<32, cuda>
  tfx_stream.return
}

// The host waits for what it reads, and later commands need no wait for what the host knows.
// CHECK-LABEL: @host
// CHECK:       %[[E:.*]] = tfx_stream.record
// CHECK-NEXT:  host_wait %[[E]]
// CHECK-NEXT:  host @print
// CHECK-NEXT:  launch %{{.*}} @next
tfx_stream.schedule @host(%s: !s, %t: !s, %d: !b, %h: !h) {
  %x = tfx_stream.input %d : !b
  %y = tfx_stream.copy %s %d as %x to %h : !s, !b to !h
  tfx_stream.host @print(%h read as %y) : !h
  tfx_stream.launch %t @next(%d write) : !s, !b
  tfx_stream.return
}

// The lifetime of memory: an allocation waits for the release of the same bytes.
// CHECK-LABEL: @lifetime
// CHECK:       launch %{{.*}} @read
// CHECK:       wait %[[S:[a-z0-9]*]] for
// CHECK-NEXT:  free %{{.*}} on %[[S]]
// CHECK:       wait %[[T:[a-z0-9]*]] for
// CHECK-NEXT:  slice %{{.*}}[32, 64] on %[[T]]
tfx_stream.schedule @lifetime(%s: !s, %t: !s) {
  %arena = tfx_stream.arena : !tfx_stream.arena<128, cuda>
  %a = tfx_stream.slice %arena[0, 64] on %s : !tfx_stream.arena<128, cuda> on !s
  %x = tfx_stream.launch %s @first(%a write) : !s, !b
  tfx_stream.launch %t @read(%a read as %x) : !s, !b
  tfx_stream.free %a on %s : !b on !s
  %b = tfx_stream.slice %arena[32, 64] on %t : !tfx_stream.arena<128, cuda> on !s
  tfx_stream.launch %t @second(%b write) : !s, !b
  tfx_stream.free %b on %t : !b on !s
  tfx_stream.return
}

// Events that are there are used.
// CHECK-LABEL: @partial
// CHECK-COUNT-1: record
// CHECK-NOT:   record
// CHECK:       return
tfx_stream.schedule @partial(%s: !s, %t: !s, %b: !b) {
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  %e = tfx_stream.record %s : !s
  tfx_stream.wait %t for %e : !s
  tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

// Loops.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!h = !tfx_stream.buffer<64, pinned>

// A ring of two buffers: the copy waits for the kernel of two iterations before.
// CHECK-LABEL: @ring
// CHECK:       %[[X:.*]] = tfx_stream.input
// CHECK-NEXT:  %[[START:.*]] = tfx_stream.record %[[COMPUTE:.*]] :
// CHECK:       scf.for {{.*}} iter_args(%[[NOW:.*]] = %{{.*}}, %[[NEXT:.*]] = %{{.*}}, %[[E1:.*]] = %[[START]], %[[E2:.*]] = %[[START]])
// CHECK-NEXT:    wait %[[TRANSFER:.*]] for %[[E2]] :
// CHECK-NEXT:    copy %[[TRANSFER]]
// CHECK-NEXT:    %[[READY:.*]] = tfx_stream.record %[[TRANSFER]]
// CHECK-NEXT:    wait %[[COMPUTE]] for %[[READY]]
// CHECK-NEXT:    launch %[[COMPUTE]] @step
// CHECK-NEXT:    %[[DONE:.*]] = tfx_stream.record %[[COMPUTE]]
// CHECK-NEXT:    scf.yield %[[NEXT]], %[[NOW]], %[[DONE]], %[[E1]] :
tfx_stream.schedule @ring(%compute: !s, %transfer: !s, %batch: !h, %a: !b, %b: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %batch : !h
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %a, %next = %b) -> (!b, !b) {
    %y = tfx_stream.copy %transfer %batch as %x to %now : !s, !h to !b
    tfx_stream.launch %compute @step(%now read as %y) : !s, !b
    scf.yield %next, %now : !b, !b
  }
  tfx_stream.return
}

// What precedes a loop is waited for before it, and what follows waits after it.
// CHECK-LABEL: @around
// CHECK:       launch %[[S:.*]] @before
// CHECK-NEXT:  %[[E:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:  wait %[[T:.*]] for %[[E]]
// CHECK-NEXT:  scf.for
// CHECK-NEXT:    launch %[[T]] @inside
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[F:.*]] = tfx_stream.record %[[T]]
// CHECK-NEXT:  wait %[[S]] for %[[F]]
// CHECK-NEXT:  launch %[[S]] @after
tfx_stream.schedule @around(%s: !s, %t: !s, %a: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tfx_stream.launch %s @before(%a write) : !s, !b
  scf.for %i = %c0 to %n step %c1 {
    tfx_stream.launch %t @inside(%a update) : !s, !b
  }
  tfx_stream.launch %s @after(%a read) : !s, !b
  tfx_stream.return
}

// A loop that runs once for each slot of its ring reuses none.
// CHECK-LABEL: @short
// CHECK:       scf.for {{.*}} iter_args(%{{[a-z0-9]*}} = %{{[a-z0-9]*}}, %{{[a-z0-9]*}} = %{{[a-z0-9]*}})
// CHECK:       return
tfx_stream.schedule @short(%s: !s, %t: !s, %a: !b, %b: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%now = %a, %next = %b) -> (!b, !b) {
    %x = tfx_stream.launch %s @produce(%now write) : !s, !b
    tfx_stream.launch %t @consume(%now read as %x) : !s, !b
    scf.yield %next, %now : !b, !b
  }
  tfx_stream.return
}

// A loop in a loop: the inner one waits as a whole, in each iteration of the outer one.
// CHECK-LABEL: @nested
// CHECK:       scf.for {{.*}} iter_args
// CHECK:         launch %[[S:.*]] @outer
// CHECK-NEXT:    %[[E:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:    wait %[[T:.*]] for %[[E]]
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      launch %[[T]] @inner
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[F:.*]] = tfx_stream.record %[[T]]
// CHECK-NEXT:    scf.yield %[[F]]
tfx_stream.schedule @nested(%s: !s, %t: !s, %a: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tfx_stream.launch %s @outer(%a write) : !s, !b
    scf.for %j = %c0 to %n step %c1 {
      tfx_stream.launch %t @inner(%a update) : !s, !b
    }
  }
  tfx_stream.return
}

// An scf.while: the host reads the condition, after which the body needs no wait. The condition
// waits for the body of the iteration before.
// CHECK-LABEL: @train
// CHECK:       scf.while
// CHECK-NEXT:    %[[E:.*]] = tfx_stream.record %[[T:.*]] :
// CHECK-NEXT:    wait %[[S:.*]] for %[[E]] :
// CHECK-NEXT:    launch %[[S]] @loss
// CHECK:         host_wait
// CHECK-NEXT:    tfx_stream.host @is_large
// CHECK:       } do {
// CHECK-NOT:     wait
// CHECK:         launch %[[T]] @step
tfx_stream.schedule @train(%s: !s, %t: !s, %w: !b, %d: !tfx_stream.buffer<4, cuda>,
                           %h: !tfx_stream.buffer<4, pinned>) {
  %w0 = tfx_stream.input %w : !b
  %last = scf.while (%x = %w0) : (!tfx_stream.value) -> !tfx_stream.value {
    %l = tfx_stream.launch %s @loss(%w read as %x, %d write)
        : !s, !b, !tfx_stream.buffer<4, cuda>
    %m = tfx_stream.copy %s %d as %l to %h
        : !s, !tfx_stream.buffer<4, cuda> to !tfx_stream.buffer<4, pinned>
    %go = tfx_stream.host @is_large(%h read as %m) : !tfx_stream.buffer<4, pinned> -> i1
    scf.condition(%go) %x : !tfx_stream.value
  } do {
  ^body(%x: !tfx_stream.value):
    %y = tfx_stream.launch %t @step(%w update as %x) : !s, !b
    scf.yield %y : !tfx_stream.value
  }
  tfx_stream.launch %s @store(%w read as %last) : !s, !b
  tfx_stream.return
}

// An scf.while whose host does not wait: both regions record at their start.
// CHECK-LABEL: @count
// CHECK:       scf.while
// CHECK-NEXT:    %[[E:.*]] = tfx_stream.record %[[T:.*]] :
// CHECK-NEXT:    wait %[[S:.*]] for %[[E]] :
// CHECK-NEXT:    launch %[[S]] @read
// CHECK:       } do {
// CHECK:         %[[F:.*]] = tfx_stream.record %[[S]] :
// CHECK-NEXT:    wait %[[T]] for %[[F]] :
// CHECK-NEXT:    launch %[[T]] @step
tfx_stream.schedule @count(%s: !s, %t: !s, %w: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.while (%k = %c0) : (index) -> index {
    tfx_stream.launch %s @read(%w read) : !s, !b
    %go = arith.cmpi ult, %k, %n : index
    scf.condition(%go) %k : index
  } do {
  ^body(%k: index):
    tfx_stream.launch %t @step(%w update) : !s, !b
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  tfx_stream.return
}

// -----

// Branches and parts.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// CHECK-LABEL: @branch
// CHECK:       launch %[[S:.*]] @before
// CHECK-NEXT:  %[[E:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:  wait %[[T:.*]] for %[[E]]
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    launch %[[T]] @then
// CHECK-NEXT:  }
// CHECK-NEXT:  %[[F:.*]] = tfx_stream.record %[[T]]
// CHECK-NEXT:  wait %[[S]] for %[[F]]
// CHECK-NEXT:  launch %[[S]] @after
tfx_stream.schedule @branch(%s: !s, %t: !s, %a: !b, %c: i1) {
  tfx_stream.launch %s @before(%a write) : !s, !b
  scf.if %c {
    tfx_stream.launch %t @then(%a update) : !s, !b
  }
  tfx_stream.launch %s @after(%a read) : !s, !b
  tfx_stream.return
}

// A part whose caller passes one buffer twice: its commands are ordered.
// CHECK-LABEL: @two
// CHECK:       wait
tfx_stream.schedule private @two(%s: !s, %t: !s, %a: !b, %b: !b) {
  tfx_stream.launch %s @one(%a update) : !s, !b
  tfx_stream.launch %t @other(%b update) : !s, !b
  tfx_stream.return
}

// CHECK-LABEL: @caller
// CHECK:       launch %[[S:.*]] @before
// CHECK-NEXT:  %[[E:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:  wait %[[T:.*]] for %[[E]]
// CHECK-NEXT:  call @two(%[[S]], %[[T]]
// CHECK-NEXT:  %[[F:.*]] = tfx_stream.record %[[T]]
// CHECK-NEXT:  wait %[[S]] for %[[F]]
// CHECK-NEXT:  launch %[[S]] @after
tfx_stream.schedule @caller(%s: !s, %t: !s, %a: !b) {
  tfx_stream.launch %s @before(%a write) : !s, !b
  tfx_stream.call @two(%s, %t, %a, %a) : (!s, !s, !b, !b) -> ()
  tfx_stream.launch %s @after(%a read) : !s, !b
  tfx_stream.return
}

// -----

// Parameters of a part that no call lets overlap need no order.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// CHECK-LABEL: @apart
// CHECK-NOT:   wait
// CHECK:       return
tfx_stream.schedule private @apart(%s: !s, %t: !s, %a: !b, %b: !b) {
  tfx_stream.launch %s @one(%a update) : !s, !b
  tfx_stream.launch %t @other(%b update) : !s, !b
  tfx_stream.return
}

tfx_stream.schedule @calls(%s: !s, %t: !s, %a: !b, %b: !b) {
  tfx_stream.call @apart(%s, %t, %a, %b) : (!s, !s, !b, !b) -> ()
  tfx_stream.call @apart(%t, %s, %b, %a) : (!s, !s, !b, !b) -> ()
  tfx_stream.return
}

// -----

// The host waits for the byte that decides a loop, before the loop and in each iteration.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<1, cuda>
!h = !tfx_stream.buffer<1, host>

// CHECK-LABEL: @decided
// CHECK:       copy %[[S:[a-z0-9]+]]
// CHECK-NEXT:  %[[E:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:  host_wait %[[E]]
// CHECK-NEXT:  %[[C:.*]] = tfx_stream.decide
// CHECK-NEXT:  %{{.*}} = scf.while (%[[GO:[a-z0-9]+]] = %[[C]],
// CHECK-NEXT:    scf.condition(%[[GO]])
// CHECK:         launch %[[S]] @step
// CHECK-NEXT:    copy %[[S]]
// CHECK-NEXT:    %[[F:.*]] = tfx_stream.record %[[S]]
// CHECK-NEXT:    host_wait %[[F]]
// CHECK-NEXT:    tfx_stream.decide
tfx_stream.schedule @decided(%s: !s, %d: !b, %h: !h) {
  %x = tfx_stream.launch %s @first(%d write) : !s, !b
  %y = tfx_stream.copy %s %d as %x to %h : !s, !b to !h
  %first = tfx_stream.decide %h as %y : !h -> i1
  %r:2 = scf.while (%go = %first, %v = %x) : (i1, !tfx_stream.value) -> (!tfx_stream.value, i1) {
    scf.condition(%go) %v, %go : !tfx_stream.value, i1
  } do {
  ^bb0(%v: !tfx_stream.value, %was: i1):
    %z = tfx_stream.launch %s @step(%d update as %v) : !s, !b
    %w = tfx_stream.copy %s %d as %z to %h : !s, !b to !h
    %next = tfx_stream.decide %h as %w : !h -> i1
    scf.yield %next, %z : i1, !tfx_stream.value
  }
  tfx_stream.return
}
