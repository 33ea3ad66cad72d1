!stream = !tfx_stream.stream<cuda>
!buffer = !tfx_stream.buffer<64, cuda>

tfx_stream.schedule @train(
    %compute: !stream,
    %transfer: !stream,
    %batch: !buffer) {
  %x = tfx_stream.launch %transfer @decode(%batch write) : !stream, !buffer
  tfx_stream.launch %compute @step(%batch read as %x) : !stream, !buffer
  tfx_stream.return
}
