// print-plan=true
!stream = !tfx_stream.stream<cuda>
!buffer = !tfx_stream.buffer<1024, cuda>

tfx_stream.schedule @chain(%s: !stream, %result: !buffer) {
  %a = tfx_stream.alloc on %s : !buffer on !stream
  %x = tfx_stream.launch %s @first(%a write) : !stream, !buffer
  %b = tfx_stream.alloc on %s : !buffer on !stream
  %y = tfx_stream.launch %s @second(%a read as %x, %b write) : !stream, !buffer, !buffer
  tfx_stream.free %a on %s : !buffer on !stream
  %c = tfx_stream.alloc on %s : !buffer on !stream
  %z = tfx_stream.launch %s @third(%b read as %y, %c write) : !stream, !buffer, !buffer
  tfx_stream.free %b on %s : !buffer on !stream
  tfx_stream.launch %s @last(%c read as %z, %result write) : !stream, !buffer, !buffer
  tfx_stream.free %c on %s : !buffer on !stream
  tfx_stream.return
}
