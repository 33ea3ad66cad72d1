# awk -v depth=N -f nest.awk: a program of N branches inside each other, with one tensor operation in the innermost.
BEGIN {
  print "func.func @main(%p: i1) -> (tensor<f32> {tfx.name = \"y\"}) {"
  print "  %x = tfx_tensor.const dense<1.0> : tensor<f32>"
  for (i = 0; i < depth; ++i) print "  %r" i " = scf.if %p -> tensor<f32> {"
  print "  %n = tfx_tensor.op \"Neg\"(%x) : (tensor<f32>) -> tensor<f32>"
  print "  scf.yield %n : tensor<f32>"
  for (i = depth - 1; i >= 0; --i) {
    print "  } else {\n  scf.yield %x : tensor<f32>\n  }"
    print (i > 0) ? "  scf.yield %r" i " : tensor<f32>" : "  return %r0 : tensor<f32>\n}"
  }
}
