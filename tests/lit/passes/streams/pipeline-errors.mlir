// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-pipeline=schedule=interleaved %s
// RUN: not tfx-opt --split-input-file --tfx-pipeline=schedule=2f2b %s 2>&1 | FileCheck %s --check-prefix=RULE
// RULE: expected one of 'gpipe', '1f1b', 'interleaved', 'zero-bubble', got '2f2b'

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @bounds(%s: !s, %b: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 5000 : index
  // expected-error @below {{the number of microbatches is not known}}
  // expected-note @below {{use constants for its bounds and its step}}
  scf.for %i = %c0 to %n step %c1 {
    tfx_stream.launch %s @f(%b update) : !s, !b
  } {tfx_stream.pipeline}
  // expected-error @below {{expected at most 4096 microbatches, got 5000: each has its own commands}}
  // expected-note @below {{use a loop of a shorter pipeline}}
  scf.for %i = %c0 to %many step %c1 {
    tfx_stream.launch %s @f(%b update) : !s, !b
  } {tfx_stream.pipeline}
  // expected-error @below {{a pipeline is an scf.for, got 'tfx_stream.launch'}}
  tfx_stream.launch %s @f(%b update) {tfx_stream.pipeline} : !s, !b
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule private @part(%s: !s) {
  tfx_stream.return
}

tfx_stream.schedule @bodies(%s: !s, %b: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @below {{this loop becomes a pipeline}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{'scf.for' is not split into stages}}
    // expected-note @below {{write its commands into the loop, or unroll it}}
    scf.for %j = %c0 to %c4 step %c1 {
      tfx_stream.launch %s @f(%b update) : !s, !b
    }
  } {tfx_stream.pipeline}
  // expected-note @below {{this loop becomes a pipeline}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{'tfx_stream.record' is about the order of commands, but they get another one}}
    // expected-note @below {{leave the events out, and run tfx-insert-events after tfx-pipeline}}
    %e = tfx_stream.record %s : !s
  } {tfx_stream.pipeline}
  // expected-note @below {{this loop becomes a pipeline}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{'tfx_stream.call' is not split into stages}}
    // expected-note @below {{write the commands of the part into the loop}}
    tfx_stream.call @part(%s) : (!s) -> ()
  } {tfx_stream.pipeline}
  // expected-note @below {{this loop becomes a pipeline}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{'tfx_stream.alloc' is in the order of the host}}
    // expected-note @below {{write it on a stream}}
    %a = tfx_stream.alloc : !b
  } {tfx_stream.pipeline}
  // expected-note @below {{this loop becomes a pipeline}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{'tfx_stream.host' blocks the host until it returns}}
    // expected-note @below {{run it on the stream of a stage}}
    tfx_stream.host @log()
  } {tfx_stream.pipeline}
  %arena = tfx_stream.arena : !tfx_stream.arena<64, cuda>
  // expected-note @below {{this loop becomes a pipeline}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @below {{'tfx_stream.slice' is about the memory of commands in the order of the loop}}
    // expected-note @below {{use tfx_stream.alloc, and run tfx-plan-memory after tfx-pipeline}}
    %a = tfx_stream.slice %arena[0, 64] on %s : !tfx_stream.arena<64, cuda> on !s
  } {tfx_stream.pipeline}
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @one_stage(%s: !s, %b: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{no device has several stages of this pipeline, so they cannot be interleaved}}
  // expected-note @below {{let the commands of a microbatch return to the device of its first stage before its last one, or use schedule=1f1b}}
  scf.for %i = %c0 to %c4 step %c1 {
    tfx_stream.launch %s @f(%b update) : !s, !b
  } {tfx_stream.pipeline}
  tfx_stream.return
}
