// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-lower-streams %s

!s = !tfx_stream.stream<cpu>
!b = !tfx_stream.buffer<64, host>

// expected-error @below {{this schedule has no command list, because the command list is not correct: V1: unordered accesses of bytes 0..64 of buffer 0 in part 'race': the write at 'produce', command 0 on stream 0 and the read at 'consume', command 1 on stream 1; record an event on stream 0 after 'produce', command 0, and wait for it on stream 1 before 'consume', command 1; tfx-verify-schedule shows where}}
tfx_stream.schedule @race(%s: !s, %t: !s, %b: !b) {
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cpu>
!b = !tfx_stream.buffer<64, host>

tfx_stream.schedule @half(%s: !s, %b: !b) {
  // expected-error @below {{a command list has fills by integers of 8 to 64 bits, f32 and f64 only}}
  // expected-note @below {{fill with the integer that has the same bits}}
  %x = tfx_stream.fill %s %b with 1.0 : f16 : !s, !b
  tfx_stream.return
}
