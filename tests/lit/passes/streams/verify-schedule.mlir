// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-schedule %s

// Correct schedules. verify-schedule-errors.mlir has a broken one for each.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// V1: an event orders the kernels of two streams. V3: the consumer finds the value.
tfx_stream.schedule @ordered(%s: !s, %t: !s, %b: !b) {
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  %e = tfx_stream.record %s : !s
  tfx_stream.wait %t for %e : !s
  tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  tfx_stream.return
}

// V1: kernels that only read need no order, and neither do disjoint views.
tfx_stream.schedule @independent(%s: !s, %t: !s, %a: !b, %b: !b) {
  tfx_stream.launch %s @read_1(%a read) : !s, !b
  tfx_stream.launch %t @read_2(%a read) : !s, !b
  %lower = tfx_stream.view %b[0, 32] : !b
  %upper = tfx_stream.view %b[32, 32] : !b
  tfx_stream.launch %s @write_1(%lower write) : !s, !tfx_stream.buffer<32, cuda>
  tfx_stream.launch %t @write_2(%upper write) : !s, !tfx_stream.buffer<32, cuda>
  tfx_stream.return
}

// V2: slices with the same bytes follow each other, on two streams.
tfx_stream.schedule @reused(%s: !s, %t: !s) {
  %arena = tfx_stream.arena : !tfx_stream.arena<128, cuda>
  %a = tfx_stream.slice %arena[0, 64] on %s : !tfx_stream.arena<128, cuda> on !s
  tfx_stream.launch %s @first(%a write) : !s, !b
  tfx_stream.free %a on %s : !b on !s
  %e = tfx_stream.record %s : !s
  tfx_stream.wait %t for %e : !s
  %b = tfx_stream.slice %arena[32, 64] on %t : !tfx_stream.arena<128, cuda> on !s
  tfx_stream.launch %t @second(%b write) : !s, !b
  tfx_stream.free %b on %t : !b on !s
  tfx_stream.return
}

// V2: memory that is allocated and released in each iteration.
tfx_stream.schedule @temporary(%s: !s, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = tfx_stream.alloc on %s : !b on !s
    tfx_stream.launch %s @kernel(%a write) : !s, !b
    tfx_stream.free %a on %s : !b on !s
  }
  tfx_stream.return
}

// V3: bytes of a value, through a view and a copy; a kernel that updates in place.
tfx_stream.schedule @values(%s: !s, %a: !b, %b: !tfx_stream.buffer<16, pinned>) {
  %x = tfx_stream.input %a : !b
  %y = tfx_stream.launch %s @relu(%a update as %x) : !s, !b
  %tail = tfx_stream.view %a[48, 16] : !b
  %z = tfx_stream.copy %s %tail as %y[48] to %b
      : !s, !tfx_stream.buffer<16, cuda> to !tfx_stream.buffer<16, pinned>
  %e = tfx_stream.record %s : !s
  tfx_stream.host_wait %e
  tfx_stream.host @print(%b read as %z) : !tfx_stream.buffer<16, pinned>
  tfx_stream.return
}

// V5: the host writes again after the copy is complete.
tfx_stream.schedule @upload(%s: !s, %h: !tfx_stream.buffer<64, host>, %d: !b) {
  %x = tfx_stream.host @load(%h write) : !tfx_stream.buffer<64, host>
  %y = tfx_stream.copy %s %h as %x to %d : !s, !tfx_stream.buffer<64, host> to !b
  %e = tfx_stream.record %s : !s
  tfx_stream.host_wait %e
  tfx_stream.host @load(%h write) : !tfx_stream.buffer<64, host>
  tfx_stream.return
}

// V6: launches in flight have workspaces of their own.
tfx_stream.schedule @workspaces(%s: !s, %t: !s, %v: !b, %w: !b) {
  tfx_stream.launch %s @one(%v scratch) : !s, !b
  tfx_stream.launch %t @two(%w scratch) : !s, !b
  tfx_stream.return
}

// -----

// A ring of two buffers: the producer waits for the consumer of the iteration two before.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!e = !tfx_stream.event

tfx_stream.schedule @ring(%s: !s, %t: !s, %b0: !b, %b1: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tfx_stream.record %t : !s
  %r:4 = scf.for %i = %c0 to %n step %c1
      iter_args(%e0 = %start, %e1 = %start, %now = %b0, %next = %b1) -> (!e, !e, !b, !b) {
    tfx_stream.wait %s for %e0 : !s
    %x = tfx_stream.launch %s @produce(%now write) : !s, !b
    %ready = tfx_stream.record %s : !s
    tfx_stream.wait %t for %ready : !s
    tfx_stream.launch %t @consume(%now read as %x) : !s, !b
    %done = tfx_stream.record %t : !s
    scf.yield %e1, %done, %next, %now : !e, !e, !b, !b
  }
  tfx_stream.return
}

// A loop of one iteration for each slot needs no wait.
tfx_stream.schedule @short(%s: !s, %t: !s, %b0: !b, %b1: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%now = %b0, %next = %b1) -> (!b, !b) {
    %x = tfx_stream.launch %s @produce(%now write) : !s, !b
    %ready = tfx_stream.record %s : !s
    tfx_stream.wait %t for %ready : !s
    tfx_stream.launch %t @consume(%now read as %x) : !s, !b
    scf.yield %next, %now : !b, !b
  }
  tfx_stream.return
}

// A value that a loop carries, and the condition of an scf.while, which the host reads.
tfx_stream.schedule @train(%s: !s, %w: !b, %d: !tfx_stream.buffer<4, cuda>,
                           %h: !tfx_stream.buffer<4, pinned>) {
  %w0 = tfx_stream.input %w : !b
  %last = scf.while (%x = %w0) : (!tfx_stream.value) -> !tfx_stream.value {
    %l = tfx_stream.launch %s @loss(%w read as %x, %d write)
        : !s, !b, !tfx_stream.buffer<4, cuda>
    %m = tfx_stream.copy %s %d as %l to %h
        : !s, !tfx_stream.buffer<4, cuda> to !tfx_stream.buffer<4, pinned>
    %e = tfx_stream.record %s : !s
    tfx_stream.host_wait %e
    %go = tfx_stream.host @is_large(%h read as %m) : !tfx_stream.buffer<4, pinned> -> i1
    scf.condition(%go) %x : !tfx_stream.value
  } do {
  ^body(%x: !tfx_stream.value):
    %y = tfx_stream.launch %s @step(%w update as %x) : !s, !b
    scf.yield %y : !tfx_stream.value
  }
  tfx_stream.launch %s @store(%w read as %last) : !s, !b
  tfx_stream.return
}

// -----

// Branches: the event and the value are those of the arm that was taken.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!e = !tfx_stream.event
!v = !tfx_stream.value

tfx_stream.schedule @branch(%s: !s, %t: !s, %u: !s, %b: !b, %c: i1) {
  %e, %x = scf.if %c -> (!e, !v) {
    %x = tfx_stream.launch %s @one(%b write) : !s, !b
    %e = tfx_stream.record %s : !s
    scf.yield %e, %x : !e, !v
  } else {
    %x = tfx_stream.launch %t @two(%b write) : !s, !b
    %e = tfx_stream.record %t : !s
    scf.yield %e, %x : !e, !v
  }
  tfx_stream.wait %u for %e : !s
  tfx_stream.launch %u @use(%b read as %x) : !s, !b
  tfx_stream.return
}

tfx_stream.schedule @switch(%s: !s, %t: !s, %u: !s, %b: !b, %c: index) {
  %e = scf.index_switch %c -> !e
  case 7 {
    tfx_stream.launch %s @one(%b write) : !s, !b
    %e = tfx_stream.record %s : !s
    scf.yield %e : !e
  }
  default {
    tfx_stream.launch %t @two(%b write) : !s, !b
    %e = tfx_stream.record %t : !s
    scf.yield %e : !e
  }
  tfx_stream.wait %u for %e : !s
  tfx_stream.launch %u @use(%b read) : !s, !b
  tfx_stream.return
}

// A branch without results and without an else region.
tfx_stream.schedule @maybe(%s: !s, %b: !b, %c: i1) {
  scf.if %c {
    tfx_stream.launch %s @one(%b write) : !s, !b
  }
  tfx_stream.launch %s @two(%b write) : !s, !b
  tfx_stream.return
}

// -----

// Calls: a part returns its event and its value; a part calls a part.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!e = !tfx_stream.event
!v = !tfx_stream.value

tfx_stream.schedule @main(%s: !s, %t: !s, %b: !b) {
  %x = tfx_stream.input %b : !b
  %e, %y = tfx_stream.call @twice(%s, %b, %x) : (!s, !b, !v) -> (!e, !v)
  tfx_stream.wait %t for %e : !s
  %f, %z = tfx_stream.call @twice(%t, %b, %y) : (!s, !b, !v) -> (!e, !v)
  tfx_stream.launch %t @use(%b read as %z) : !s, !b
  tfx_stream.return
}

tfx_stream.schedule private @twice(%s: !s, %b: !b, %x: !v) -> (!e, !v) {
  %e, %y = tfx_stream.call @once(%s, %b, %x) : (!s, !b, !v) -> (!e, !v)
  %f, %z = tfx_stream.call @once(%s, %b, %y) : (!s, !b, !v) -> (!e, !v)
  tfx_stream.return %f, %z : !e, !v
}

tfx_stream.schedule private @once(%s: !s, %b: !b, %x: !v) -> (!e, !v) {
  %y = tfx_stream.launch %s @kernel(%b update as %x) : !s, !b
  %e = tfx_stream.record %s : !s
  tfx_stream.return %e, %y : !e, !v
}

// -----

// Parameters with tfx_stream.access, through loops, views and calls.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!v = !tfx_stream.value

tfx_stream.schedule @access(%s: !s, %in: !b {tfx_stream.access = "read"},
    %out: !b {tfx_stream.access = "write"}, %w: !b {tfx_stream.access = "scratch"}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %in : !b
  %y = tfx_stream.launch %s @first(%in read as %x, %out write, %w scratch) : !s, !b, !b, !b
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%z = %y, %o = %out) -> (!v, !b) {
    %z1 = tfx_stream.launch %s @next(%o update as %z) : !s, !b
    %half = tfx_stream.view %w[0, 32] : !b
    tfx_stream.launch %s @half(%half write) : !s, !tfx_stream.buffer<32, cuda>
    scf.yield %z1, %o : !v, !b
  }
  tfx_stream.call @part(%s, %in, %out) : (!s, !b, !b) -> ()
  tfx_stream.return
}
tfx_stream.schedule private @part(%s: !s, %in: !b {tfx_stream.access = "read"},
    %out: !b {tfx_stream.access = "write"}) {
  tfx_stream.copy %s %in to %out : !s, !b to !b
  tfx_stream.return
}
