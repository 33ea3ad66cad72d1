// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-pipeline %s

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// The caller decides which buffers overlap.
tfx_stream.schedule private @step(%s: !s, %a: !b, %b: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{several schedules call the part with this pipeline, and their buffers may overlap differently}}
  // expected-note @below {{call it in one of them, or move the loop out of the part}}
  scf.for %i = %c0 to %c4 step %c1 {
    tfx_stream.launch %s @f(%a update, %b update) : !s, !b, !b
  } {tfx_stream.pipeline}
  tfx_stream.return
}

tfx_stream.schedule @one(%s: !s, %a: !b, %b: !b) {
  tfx_stream.call @step(%s, %a, %b) : (!s, !b, !b) -> ()
  tfx_stream.return
}

tfx_stream.schedule @two(%s: !s, %a: !b) {
  tfx_stream.call @step(%s, %a, %a) : (!s, !b, !b) -> ()
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule private @step(%s: !s, %b: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    tfx_stream.launch %s @f(%b update) : !s, !b
  } {tfx_stream.pipeline}
  tfx_stream.return
}

tfx_stream.schedule @one(%s: !s, %a: !b, %b: !b) {
  tfx_stream.call @step(%s, %a) : (!s, !b) -> ()
  tfx_stream.call @step(%s, %b) : (!s, !b) -> ()
  tfx_stream.return
}
