!stream = !tfx_stream.stream<cuda>
!arena = !tfx_stream.arena<128, cuda>
!buffer = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @shared(%s: !stream, %t: !stream) {
  %arena = tfx_stream.arena : !arena
  %a = tfx_stream.slice %arena[0, 64] on %s : !arena on !stream
  tfx_stream.launch %s @one(%a write) : !stream, !buffer
  tfx_stream.free %a on %s : !buffer on !stream
  %b = tfx_stream.slice %arena[32, 64] on %t : !arena on !stream
  tfx_stream.launch %t @other(%b write) : !stream, !buffer
  tfx_stream.free %b on %t : !buffer on !stream
  tfx_stream.return
}
