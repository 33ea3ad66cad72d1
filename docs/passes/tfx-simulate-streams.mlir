!stream = !tfx_stream.stream<cuda>
!event = !tfx_stream.event
!host = !tfx_stream.buffer<1200000, pinned>
!buffer = !tfx_stream.buffer<1200000, cuda>

tfx_stream.schedule @train(
    %compute: !stream,
    %transfer: !stream,
    %batch: !host,
    %a: !buffer,
    %b: !buffer) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %x = tfx_stream.input %batch : !host
  %start = tfx_stream.record %compute : !stream
  %r:4 = scf.for %i = %c0 to %n step %c1
      iter_args(%free = %start, %free_next = %start, %now = %a, %next = %b)
      -> (!event, !event, !buffer, !buffer) {
    tfx_stream.wait %transfer for %free : !stream
    %y = tfx_stream.copy %transfer %batch as %x to %now : !stream, !host to !buffer
    %ready = tfx_stream.record %transfer : !stream
    tfx_stream.wait %compute for %ready : !stream
    tfx_stream.launch %compute @step(%now read as %y) {cost = 110000} : !stream, !buffer
    %done = tfx_stream.record %compute : !stream
    scf.yield %free_next, %done, %next, %now : !event, !event, !buffer, !buffer
  }
  tfx_stream.return
}
