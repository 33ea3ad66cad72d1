!stream = !tfx_stream.stream<cuda>
!buffer = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @fork(%s: !stream, %a: !buffer, %b: !buffer, %c: !buffer) {
  %x = tfx_stream.launch %s @first(%a write) : !stream, !buffer
  %y = tfx_stream.launch %s @left(%a read as %x, %b write) : !stream, !buffer, !buffer
  %z = tfx_stream.launch %s @right(%a read as %x, %c write) : !stream, !buffer, !buffer
  tfx_stream.launch %s @join(%b read as %y, %c read as %z) : !stream, !buffer, !buffer
  tfx_stream.return
}
