// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-schedule %s

// Broken forms of the schedules in verify-schedule.mlir, for each rule. V4 cannot be violated: an
// event is an SSA value, so its record precedes each wait (tests/lit/dialects/stream/errors.mlir).

// V1: no event.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @unordered(
    // expected-note @below {{record an event on this stream after @produce}}
    %s: !s,
    // expected-note @below {{wait for it on this stream before @consume}}
    %t: !s,
    // expected-note @below {{this is the buffer}}
    %b: !b) {
  // expected-note @below {{@produce writes them here}}
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  // expected-error @below {{V1: @consume reads bytes 0..64 of a buffer, but does not wait for @produce, which writes them}}
  tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

// V1: the event is recorded too early.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after @produce}}
// expected-note @below {{wait for it on this stream before @consume}}
tfx_stream.schedule @early(%s: !s, %t: !s, %b: !b) {
  %e = tfx_stream.record %s : !s
  // expected-note @below {{@produce writes them here}}
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  tfx_stream.wait %t for %e : !s
  // expected-error @below {{V1: @consume reads}}
  tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

// V1: views that overlap, in one kernel and in two.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!h = !tfx_stream.buffer<40, cuda>

// expected-note @below {{this is the buffer}}
// expected-note @below {{the bytes belong to this buffer}}
// expected-note @below {{record an event on this stream after @write_1}}
// expected-note @below {{wait for it on this stream before @write_2}}
// expected-note @below {{wait for it on this stream before @both}}
tfx_stream.schedule @overlap(%s: !s, %t: !s, %b: !b) {
  %lower = tfx_stream.view %b[0, 40] : !b
  %upper = tfx_stream.view %b[24, 40] : !b
  // expected-note @below {{@write_1 writes them here}}
  tfx_stream.launch %s @write_1(%lower write) : !s, !h
  // expected-error @below {{V1: @write_2 writes bytes 24..40 of a buffer, but does not wait for @write_1}}
  tfx_stream.launch %t @write_2(%upper write) : !s, !h
  // expected-error @below {{V1: @both reads bytes 0..24 of a buffer, but does not wait for @write_1}}
  // expected-error @below {{V1: operands of @both overlap in bytes 24..64 of a buffer}}
  // expected-note @below {{use disjoint buffers; a kernel that changes one in place has it once, as 'update'}}
  tfx_stream.launch %t @both(%lower read, %upper write) : !s, !h, !h
  tfx_stream.return
}

// -----

// V2: the second slice does not wait for the release of the first.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!a = !tfx_stream.arena<128, cuda>

tfx_stream.schedule @reused(
    // expected-note @below {{record an event on this stream after tfx_stream.free}}
    %s: !s,
    // expected-note @below {{wait for it on this stream before tfx_stream.slice}}
    %t: !s) {
  %arena = tfx_stream.arena : !a
  %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
  tfx_stream.launch %s @first(%a write) : !s, !b
  // expected-note @below {{tfx_stream.free releases them here}}
  tfx_stream.free %a on %s : !b on !s
  // expected-note @below {{this is the buffer}}
  // expected-error @below {{V2: tfx_stream.slice allocates bytes 32..64 of an arena, but does not wait for tfx_stream.free, which releases them}}
  %b = tfx_stream.slice %arena[32, 64] on %t : !a on !s
  tfx_stream.launch %t @second(%b write) : !s, !b
  tfx_stream.return
}

// -----

// V2: use after free, two slices of the same bytes, two releases.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!a = !tfx_stream.arena<128, cuda>

tfx_stream.schedule @freed(%s: !s) {
  // expected-note @below {{this is the buffer: release it after its last use}}
  // expected-note @below {{each tfx_stream.alloc or tfx_stream.slice has one tfx_stream.free}}
  %b = tfx_stream.alloc on %s : !b on !s
  %x = tfx_stream.launch %s @write(%b write) : !s, !b
  tfx_stream.free %b on %s : !b on !s
  // expected-error @below {{V2: @read reads bytes 0..64 of a buffer, which are not allocated then}}
  tfx_stream.launch %s @read(%b read as %x) : !s, !b
  // expected-error @below {{V2: tfx_stream.free releases bytes 0..64 of a buffer, which are released already}}
  tfx_stream.free %b on %s : !b on !s
  tfx_stream.return
}
tfx_stream.schedule @shared(%s: !s) {
  %arena = tfx_stream.arena : !a
  // expected-note @below {{they are allocated here: release them before, with tfx_stream.free}}
  %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
  // expected-error @below {{V2: tfx_stream.slice allocates bytes 32..64 of an arena, which belong to another buffer then}}
  %b = tfx_stream.slice %arena[32, 64] on %s : !a on !s
  tfx_stream.return
}
// expected-note @below {{this is the buffer}}
tfx_stream.schedule @parameter(%s: !s, %b: !b) {
  // expected-error @below {{V2: tfx_stream.free releases bytes 0..64 of a buffer, which the schedule did not allocate}}
  tfx_stream.free %b on %s : !b on !s
  tfx_stream.return
}
// expected-note @below {{this is neither a result of tfx_stream.alloc nor of tfx_stream.slice}}
tfx_stream.schedule private @part(%s: !s, %b: !b) {
  // expected-error @below {{V2: tfx_stream.free releases a buffer that has no lifetime of its own}}
  tfx_stream.free %b on %s : !b on !s
  tfx_stream.return
}

// -----

// V3: without a race, but the bytes were reused before the value was read.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// expected-note @below {{this is the buffer}}
tfx_stream.schedule @reused(%s: !s, %b: !b) {
  // expected-note @below {{this is the value that it names}}
  %x = tfx_stream.launch %s @first(%b write) : !s, !b
  // expected-note @below {{@second wrote the bytes last}}
  %y = tfx_stream.launch %s @second(%b write) : !s, !b
  // expected-error @below {{V3: @use reads bytes 0..64 of a buffer, but finds another value there}}
  tfx_stream.launch %s @use(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

// V3: the wrong bytes of the value, and bytes that nothing wrote.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// expected-note @below {{this is the buffer}}
tfx_stream.schedule @offset(%s: !s, %b: !b, %c: !b) {
  // expected-note @below {{this is the value that it names}}
  // expected-note @below {{tfx_stream.input wrote the bytes last}}
  %x = tfx_stream.input %b : !b
  %tail = tfx_stream.view %b[48, 16] : !b
  // expected-error @below {{V3: @use reads bytes 48..64 of a buffer, but finds other bytes of it, or the value of another iteration there}}
  tfx_stream.launch %s @use(%tail read as %x[32]) : !s, !tfx_stream.buffer<16, cuda>
  // expected-error @below {{V3: @use reads bytes 0..64 of a buffer, but finds no value there}}
  tfx_stream.launch %s @use(%c read as %x) : !s, !b
  tfx_stream.return
}

// -----

// V5: the host reads before it waits, and writes what a copy still reads.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!h = !tfx_stream.buffer<64, host>

// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after tfx_stream.copy}}
tfx_stream.schedule @host(%s: !s, %h: !h, %k: !h, %d: !b) {
  // expected-note @below {{tfx_stream.copy writes them here}}
  %x = tfx_stream.copy %s %d to %h : !s, !b to !h
  %e = tfx_stream.record %s : !s
  // expected-error @below {{V5: @print reads bytes 0..64 of a buffer, but does not wait for tfx_stream.copy, which writes them}}
  // expected-note @below {{wait for it with tfx_stream.host_wait before this}}
  tfx_stream.host @print(%h read as %x) : !h
  tfx_stream.host_wait %e
  // expected-note @below {{tfx_stream.copy reads them here}}
  %y = tfx_stream.copy %s %k to %d : !s, !h to !b
  // expected-error @below {{V5: @load writes bytes 0..64 of a buffer, but does not wait for tfx_stream.copy, which reads them}}
  // expected-note @below {{wait for it with tfx_stream.host_wait before this}}
  tfx_stream.host @load(%k write) : !h
  tfx_stream.return
}

// -----

// V6: workspace in flight, the legacy default stream, memory out of reach, a copy onto itself.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after @one}}
// expected-note @below {{wait for it on this stream before @two}}
tfx_stream.schedule @workspaces(%s: !s, %t: !s, %w: !b) {
  // expected-note @below {{@one uses them as workspace here}}
  tfx_stream.launch %s @one(%w scratch) : !s, !b
  // expected-error @below {{V6: @two uses bytes 0..64 of a buffer as workspace, but does not wait for @one, which uses them as workspace}}
  tfx_stream.launch %t @two(%w scratch) : !s, !b
  tfx_stream.return
}
tfx_stream.schedule @legacy(%b: !b) {
  // expected-note @below {{open a stream without 'legacy'}}
  %s = tfx_stream.open legacy : !s
  // expected-error @below {{V6: @one is on the legacy default stream, which synchronizes with all other streams of its device}}
  tfx_stream.launch %s @one(%b write) : !s, !b
  tfx_stream.return
}
// expected-note @below {{this is the buffer}}
tfx_stream.schedule @unreachable(%s: !s, %h: !tfx_stream.buffer<64, host>) {
  // expected-error @below {{V6: @one cannot access a buffer of this memory space}}
  // expected-note @below {{kernels access memory of their device and pinned memory, the host its own: use tfx_stream.copy before}}
  tfx_stream.launch %s @one(%h write) : !s, !tfx_stream.buffer<64, host>
  tfx_stream.return
}
// expected-note @below {{the bytes belong to this buffer}}
tfx_stream.schedule @itself(%s: !s, %b: !b) {
  // expected-error @below {{V6: operands of tfx_stream.copy overlap in bytes 0..64 of a buffer}}
  // expected-note @below {{use disjoint buffers}}
  tfx_stream.copy %s %b to %b : !s, !b to !b
  tfx_stream.return
}

// -----

// A ring with one slot too few: the producer waits for the consumer two iterations before.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!e = !tfx_stream.event

tfx_stream.schedule @ring(
    // expected-note @below {{wait for it on this stream before @produce}}
    %s: !s,
    // expected-note @below {{record an event on this stream after @consume}}
    %t: !s,
    // expected-note @below {{this is the buffer}}
    %b: !b,
    %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = tfx_stream.record %t : !s
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%e0 = %start, %e1 = %start) -> (!e, !e) {
    tfx_stream.wait %s for %e0 : !s
    // expected-error @below {{V1: @produce writes bytes 0..64 of a buffer, but does not wait for @consume, which reads them in an earlier iteration}}
    %x = tfx_stream.launch %s @produce(%b write) : !s, !b
    %ready = tfx_stream.record %s : !s
    tfx_stream.wait %t for %ready : !s
    // expected-note @below {{@consume reads them here}}
    tfx_stream.launch %t @consume(%b read as %x) : !s, !b
    %done = tfx_stream.record %t : !s
    scf.yield %e1, %done : !e, !e
  }
  tfx_stream.return
}

// -----

// Two streams exchange their buffers in each iteration, without an event.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after @one}}
// expected-note @below {{record an event on this stream after @two}}
// expected-note @below {{wait for it on this stream before @one}}
// expected-note @below {{wait for it on this stream before @two}}
tfx_stream.schedule private @exchange(%s: !s, %t: !s, %b: !b, %c: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b, %y = %c) -> (!b, !b) {
    // expected-error @below {{V1: @one writes bytes 0..64 of a buffer, but does not wait for @two, which writes them in an earlier iteration}}
    // expected-note @below {{@one writes them here}}
    tfx_stream.launch %s @one(%x write) : !s, !b
    // expected-error @below {{V1: @two writes bytes 0..64 of a buffer, but does not wait for @one, which writes them}}
    // expected-note @below {{@two writes them here}}
    tfx_stream.launch %t @two(%y write) : !s, !b
    scf.yield %y, %x : !b, !b
  }
  tfx_stream.return
}

// -----

// Branches: one arm forgets the event, or writes no value.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!e = !tfx_stream.event
!v = !tfx_stream.value

// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after @two}}
// expected-note @below {{wait for it on this stream before @use}}
tfx_stream.schedule @branch(%s: !s, %t: !s, %u: !s, %b: !b, %c: i1) {
  %before = tfx_stream.record %s : !s
  %e = scf.if %c -> !e {
    tfx_stream.launch %s @one(%b write) : !s, !b
    %e = tfx_stream.record %s : !s
    scf.yield %e : !e
  } else {
    // expected-note @below {{@two writes them here}}
    tfx_stream.launch %t @two(%b write) : !s, !b
    scf.yield %before : !e
  }
  tfx_stream.wait %u for %e : !s
  // expected-error @below {{V1: @use reads bytes 0..64 of a buffer, but does not wait for @two, which writes them}}
  tfx_stream.launch %u @use(%b read) : !s, !b
  tfx_stream.return
}

// -----

// Calls: the caller passes one stream for two, which is fine, and two where the part needs one.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule private @part(
    // expected-note @below {{record an event on this stream after @first}}
    %s: !s,
    // expected-note @below {{wait for it on this stream before @second}}
    %t: !s,
    // expected-note @below {{this is the buffer}}
    %b: !b) {
  // expected-note @below {{@first writes them here}}
  tfx_stream.launch %s @first(%b write) : !s, !b
  // expected-error @below {{V1: @second reads bytes 0..64 of a buffer, but does not wait for @first, which writes them}}
  tfx_stream.launch %t @second(%b read) : !s, !b
  tfx_stream.return
}
tfx_stream.schedule @one_stream(%s: !s, %b: !b) {
  tfx_stream.call @part(%s, %s, %b) : (!s, !s, !b) -> ()
  tfx_stream.return
}
tfx_stream.schedule @two_streams(%s: !s, %t: !s, %b: !b) {
  tfx_stream.call @part(%s, %t, %b) : (!s, !s, !b) -> ()
  tfx_stream.return
}

// -----

// A command that conflicts with itself, in the part of two calls.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule private @part(%s: !s, %b: !b) {
  // expected-error @below {{V1: @one writes bytes 0..64 of a buffer, but does not wait for itself in an earlier execution, which writes them}}
  tfx_stream.launch %s @one(%b write) : !s, !b
  tfx_stream.return
}
// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after @one}}
// expected-note @below {{wait for it on this stream before @one}}
tfx_stream.schedule @main(%s: !s, %t: !s, %b: !b) {
  tfx_stream.call @part(%s, %b) : (!s, !b) -> ()
  tfx_stream.call @part(%t, %b) : (!s, !b) -> ()
  tfx_stream.return
}

// -----

// Calls: the caller passes another value than its buffer has.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!v = !tfx_stream.value

tfx_stream.schedule private @part(%s: !s, %b: !b, %x: !v) {
  // expected-error @below {{V3: @use reads bytes 0..64 of a buffer, but finds another value there}}
  tfx_stream.launch %s @use(%b read as %x) : !s, !b
  tfx_stream.return
}
// expected-note @below {{this is the buffer}}
tfx_stream.schedule @main(%s: !s, %b: !b, %c: !b) {
  // expected-note @below {{tfx_stream.input wrote the bytes last}}
  %x = tfx_stream.input %b : !b
  // expected-note @below {{this is the value that it names}}
  %y = tfx_stream.input %c : !b
  tfx_stream.call @part(%s, %b, %y) : (!s, !b, !v) -> ()
  tfx_stream.return
}

// -----

// What the pass does not know.

!s = !tfx_stream.stream<cuda>

// expected-note @below {{it is defined here; use scf.for or scf.while}}
tfx_stream.schedule private @recursive(%s: !s) {
  // expected-error @below {{a schedule is finite, but @recursive calls itself through this call}}
  tfx_stream.call @recursive(%s) : (!s) -> ()
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

func.func private @f()
tfx_stream.schedule @others(%s: !s, %t: !s, %a: !b, %b: !b, %c: i1) {
  // expected-error @below {{'func.call' in a schedule is not verified: it may access memory}}
  // expected-note @below {{call a function by tfx_stream.host, with the buffers that it accesses}}
  func.call @f() : () -> ()
  // expected-error @below {{'arith.select' in a schedule is not verified: it may access memory}}
  // expected-note @below {{call a function by tfx_stream.host, with the buffers that it accesses}}
  %x = arith.select %c, %a, %b : !b
  tfx_stream.launch %s @k(%x write) : !s, !b
  // expected-error @below {{'scf.if' returns a value of type !tfx_stream.stream<cuda>; a schedule uses streams and arenas directly}}
  // expected-note @below {{pass a buffer, or write the commands once for each stream}}
  %u = scf.if %c -> !s {
    scf.yield %s : !s
  } else {
    scf.yield %t : !s
  }
  tfx_stream.return
}

// -----

tfx_stream.schedule @nested(%c: i1) {
  // expected-note @below {{move it before this loop, and into its body}}
  scf.while : () -> () {
    // expected-error @below {{a loop in the condition of another one is not verified}}
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    }
    scf.condition(%c)
  } do {
    scf.yield
  }
  tfx_stream.return
}

// -----

// Accesses that parameters exclude.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>
!v = !tfx_stream.value

tfx_stream.schedule @read(%s: !s,
    // expected-note @below {{this is the buffer}}
    %b: !b {tfx_stream.access = "read"}, %c: i1) {
  // expected-error @below {{'tfx_stream.launch' writes a buffer with tfx_stream.access = "read"}}
  tfx_stream.launch %s @update(%b update) : !s, !b
  %view = tfx_stream.view %b[0, 32] : !b
  scf.if %c {
    // expected-error @below {{'tfx_stream.launch' uses as workspace a buffer with tfx_stream.access = "read"}}
    tfx_stream.launch %s @scratch(%view scratch) : !s, !tfx_stream.buffer<32, cuda>
  }
  // expected-error @below {{'tfx_stream.call' passes on a buffer with tfx_stream.access = "read"}}
  tfx_stream.call @part(%s, %b) : (!s, !b) -> ()
  tfx_stream.return
}
tfx_stream.schedule private @part(%s: !s,
    // expected-note @below {{declare this parameter with tfx_stream.access = "read"}}
    %b: !b) {
  tfx_stream.launch %s @read(%b read) : !s, !b
  tfx_stream.return
}
tfx_stream.schedule @write(%s: !s,
    // expected-note @below {{this is the buffer}}
    %b: !b {tfx_stream.access = "write"}) {
  // expected-error @below {{'tfx_stream.input' reads the initial content of a buffer with tfx_stream.access = "write"}}
  %x = tfx_stream.input %b : !b
  // expected-error @below {{'tfx_stream.launch' may read the initial content of a buffer with tfx_stream.access = "write"}}
  tfx_stream.launch %s @read(%b read) : !s, !b
  tfx_stream.return
}
tfx_stream.schedule private @given(%s: !s, %x: !v,
    // expected-note @below {{this is the buffer}}
    %b: !b {tfx_stream.access = "write"}) {
  // expected-error @below {{'tfx_stream.launch' may read the initial content of a buffer with tfx_stream.access = "write"}}
  tfx_stream.launch %s @read(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

// The host reads a decision before the copy of its byte is complete.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<1, cuda>
!h = !tfx_stream.buffer<1, host>

// expected-note @below {{this is the buffer}}
// expected-note @below {{record an event on this stream after tfx_stream.copy}}
tfx_stream.schedule @decided(%s: !s, %d: !b, %h: !h) {
  %x = tfx_stream.input %h : !h
  %first = tfx_stream.decide %h as %x : !h -> i1
  scf.while (%go = %first) : (i1) -> () {
    scf.condition(%go)
  } do {
    %z = tfx_stream.launch %s @step(%d write) : !s, !b
    // expected-note @below {{tfx_stream.copy writes them here}}
    %w = tfx_stream.copy %s %d as %z to %h : !s, !b to !h
    // expected-error @below {{V5: tfx_stream.decide reads bytes 0..1 of a buffer, but does not wait for tfx_stream.copy, which writes them}}
    // expected-note @below {{wait for it with tfx_stream.host_wait before this}}
    %next = tfx_stream.decide %h as %w : !h -> i1
    scf.yield %next : i1
  }
  tfx_stream.return
}

// -----

// The byte has the decision of the iteration before: nothing has copied the new one.

!s = !tfx_stream.stream<cpu>
!h = !tfx_stream.buffer<1, host>

// expected-note @below {{this is the buffer}}
tfx_stream.schedule @stale(%s: !s, %h: !h, %other: !h) {
  // expected-note @below {{tfx_stream.input wrote the bytes last}}
  %x = tfx_stream.input %h : !h
  %first = tfx_stream.decide %h as %x : !h -> i1
  scf.while (%go = %first) : (i1) -> () {
    scf.condition(%go)
  } do {
    // expected-note @below {{this is the value that it names}}
    %z = tfx_stream.launch %s @step(%other write) : !s, !h
    %e = tfx_stream.record %s : !s
    tfx_stream.host_wait %e
    // expected-error @below {{V3: tfx_stream.decide reads bytes 0..1 of a buffer, but finds another value there}}
    %next = tfx_stream.decide %h as %z : !h -> i1
    scf.yield %next : i1
  }
  tfx_stream.return
}
