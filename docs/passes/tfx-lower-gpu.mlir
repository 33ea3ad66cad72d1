!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<256, cuda>

tfx_tensor.graph private @double(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  tfx_tensor.return %y : tensor<64xf32>
}

tfx_stream.schedule @main(%s: !s, %x: !b, %y: !b) {
  %v = tfx_stream.input %x : !b
  %w = tfx_stream.launch %s @double(%x read as %v, %y write) : !s, !b, !b
  tfx_stream.return
}
