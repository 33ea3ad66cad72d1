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

// -----

!h = !tfx_stream.buffer<1, host>

tfx_stream.schedule @scalar(%h: !h, %n: i1) {
  %x = tfx_stream.input %h : !h
  // expected-note @below {{this is the decision}}
  %c = tfx_stream.decide %h as %x : !h -> i1
  // expected-error @below {{'arith.andi' uses a decision, but in a command list decisions are those of 'scf.while' and 'scf.if'}}
  %d = arith.andi %c, %n : i1
  scf.if %d {
  }
  tfx_stream.return
}

// -----

!h = !tfx_stream.buffer<1, host>

tfx_stream.schedule @other_block(%h: !h, %n: i1) {
  %x = tfx_stream.input %h : !h
  // expected-note @below {{this is the decision: move it to the block of the branch}}
  %c = tfx_stream.decide %h as %x : !h -> i1
  scf.if %n {
    // expected-error @below {{a command list has no branch with a decision of another block}}
    scf.if %c {
    }
  }
  tfx_stream.return
}

// -----

!h = !tfx_stream.buffer<1, host>

tfx_stream.schedule @first_only(%h: !h, %n: i1) {
  %x = tfx_stream.input %h : !h
  %c = tfx_stream.decide %h as %x : !h -> i1
  // expected-error @below {{a command list has no loop with a part of its decisions}}
  // expected-note @below {{decide it by tfx_stream.decide in the block of the loop, before it, and in the block of its body}}
  scf.while (%go = %c) : (i1) -> () {
    scf.condition(%go)
  } do {
    scf.yield %n : i1
  }
  tfx_stream.return
}

// -----

!h = !tfx_stream.buffer<1, host>

tfx_stream.schedule @outside(%h: !h, %k: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = tfx_stream.input %h : !h
  %c = tfx_stream.decide %h as %x : !h -> i1
  scf.for %i = %zero to %k step %one {
    // expected-error @below {{a command list has no loop with a part of its decisions}}
    // expected-note @below {{decide it by tfx_stream.decide in the block of the loop, before it, and in the block of its body}}
    scf.while (%go = %c) : (i1) -> () {
      scf.condition(%go)
    } do {
      %d = tfx_stream.decide %h as %x : !h -> i1
      scf.yield %d : i1
    }
  }
  tfx_stream.return
}
