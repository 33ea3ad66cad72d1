# A chain of `count` graph operations whose every value the host prints: as many channels.
BEGIN {
  print "func.func @main(%x: f32) {"
  print "  %t0 = tfx_tensor.from_scalar %x : f32"
  for (i = 0; i < count; i++) {
    printf "  %%t%d = tfx_tensor.op \"Cos\"(%%t%d) : (tensor<f32>) -> tensor<f32>\n", i + 1, i
    printf "  tfx_host.print \"{}\"(%%t%d) : tensor<f32>\n", i + 1
  }
  print "  return"
  print "}"
}
