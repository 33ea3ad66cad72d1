!stream = !tfx_stream.stream<cuda>
!host = !tfx_stream.buffer<64, pinned>
!buffer = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @train(%compute: !stream, %transfer: !stream, %batch: !host, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %batch : !host
  scf.for %i = %c0 to %n step %c1 {
    %a = tfx_stream.alloc on %transfer : !buffer on !stream
    %y = tfx_stream.copy %transfer %batch as %x to %a : !stream, !host to !buffer
    tfx_stream.launch %compute @step(%a read as %y) : !stream, !buffer
    tfx_stream.free %a on %compute : !buffer on !stream
  }
  tfx_stream.return
}
