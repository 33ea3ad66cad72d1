!stream = !tfx_stream.stream<cpu>
!buffer = !tfx_stream.buffer<8, host>

tfx_stream.schedule @clear(%s: !stream, %b: !buffer) {
  %x = tfx_stream.fill %s %b with 0 : i8 : !stream, !buffer
  tfx_stream.return
}
