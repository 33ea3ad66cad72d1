// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-assign-streams %s

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @events(%s: !s, %t: !s, %b: !b) {
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  // expected-error @below {{'tfx_stream.record' is about the streams that commands are on, but they get others}}
  // expected-note @below {{leave the events out, and run tfx-insert-events after tfx-assign-streams}}
  %e = tfx_stream.record %s : !s
  tfx_stream.wait %t for %e : !s
  tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

// A cost is a time.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @cost(%s: !s, %b: !b) {
  // expected-error @below {{expected a cost of at least 0 nanoseconds, got -1}}
  tfx_stream.launch %s @produce(%b write) {cost = -1} : !s, !b
  tfx_stream.return
}
