# awk -v calls=N -v operations=M -f many_calls.awk: a function of M tensor operations, and N calls of it, each of the result of the one before.
BEGIN {
  type = "tensor<4xf32>"
  binary = " : (" type ", " type ") -> " type
  print "func.func private @layer(%v0: " type ", %w: " type ") -> " type " {"
  for (i = 0; i < operations; ++i)
    print "  %v" i + 1 " = tfx_tensor.op " (i % 2 ? "\"Mul\"(%v" i ", %w)" binary : "\"Tanh\"(%v" i ") : (" type ") -> " type)
  print "  return %v" operations " : " type "\n}"
  print "func.func @main() -> (" type " {tfx.name = \"y\"}) {"
  print "  %y0 = tfx_tensor.const dense<[0.5, -0.5, 0.0, 2.0]> : " type
  print "  %w = tfx_tensor.const dense<1.5> : " type
  for (i = 0; i < calls; ++i)
    print "  %y" i + 1 " = func.call @layer(%y" i ", %w)" binary
  print "  return %y" calls " : " type "\n}"
}
