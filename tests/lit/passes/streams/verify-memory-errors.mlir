// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-memory=alignment=32 %s

!s = !tfx_stream.stream<cuda>
!a = !tfx_stream.arena<128, cuda>
!b = !tfx_stream.buffer<64, cuda>

// No event between the release and the next slice.
tfx_stream.schedule @shared(%s: !s, %t: !s) {
  %arena = tfx_stream.arena : !a
  // expected-note @below {{this is the other one; let the stream of the later one wait for its release}}
  %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
  tfx_stream.free %a on %s : !b on !s
  // expected-error @below {{this slice has bytes 32..64 of its arena while another one has them, which is not released before}}
  %b = tfx_stream.slice %arena[32, 64] on %t : !a on !s
  tfx_stream.free %b on %t : !b on !s
  tfx_stream.return
}

// With the event.
tfx_stream.schedule @ordered(%s: !s, %t: !s) {
  %arena = tfx_stream.arena : !a
  %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
  tfx_stream.free %a on %s : !b on !s
  %e = tfx_stream.record %s : !s
  tfx_stream.wait %t for %e : !s
  %b = tfx_stream.slice %arena[32, 64] on %t : !a on !s
  tfx_stream.free %b on %t : !b on !s
  tfx_stream.return
}

// A slice that is never released.
tfx_stream.schedule @kept(%s: !s) {
  %arena = tfx_stream.arena : !a
  // expected-note @below {{this is the other one}}
  %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
  // expected-error @below {{this slice has bytes 32..64 of its arena}}
  %b = tfx_stream.slice %arena[32, 64] on %s : !a on !s
  tfx_stream.free %b on %s : !b on !s
  tfx_stream.return
}

tfx_stream.schedule @aligned(%s: !s) {
  %arena = tfx_stream.arena : !a
  // expected-error @below {{expected an offset that is a multiple of 32, got 40}}
  %a = tfx_stream.slice %arena[40, 64] on %s : !a on !s
  tfx_stream.free %a on %s : !b on !s
  tfx_stream.return
}

// -----

// In a loop: the slice of the next iteration, in another order.

!s = !tfx_stream.stream<cuda>
!a = !tfx_stream.arena<128, cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @loop(%s: !s, %t: !s, %n: index) {
  %arena = tfx_stream.arena : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @below {{this is the other one}}
    %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
    tfx_stream.free %a on %s : !b on !s
    %e = tfx_stream.record %s : !s
    tfx_stream.wait %t for %e : !s
    // expected-error @below {{this slice has bytes 32..64 of its arena}}
    %b = tfx_stream.slice %arena[32, 64] on %t : !a on !s
    tfx_stream.free %b on %t : !b on !s
  }
  tfx_stream.return
}

// Arms of a branch in a loop.
tfx_stream.schedule @branch(%s: !s, %t: !s, %c: i1, %n: index) {
  %arena = tfx_stream.arena : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      // expected-note @below {{this is the other one}}
      %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
      tfx_stream.free %a on %s : !b on !s
    } else {
      // expected-error @below {{this slice has bytes 0..64 of its arena}}
      %b = tfx_stream.slice %arena[0, 64] on %t : !a on !s
      tfx_stream.free %b on %t : !b on !s
    }
  }
  tfx_stream.return
}

// A slice of a loop that its body does not release.
tfx_stream.schedule @leaving(%s: !s, %n: index) {
  %arena = tfx_stream.arena : !a
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{this slice leaves the body in which it starts, so that the next iteration may start it again}}
    // expected-note @below {{release it by tfx_stream.free at the end of the body}}
    %a = tfx_stream.slice %arena[0, 64] on %s : !a on !s
  }
  tfx_stream.return
}
