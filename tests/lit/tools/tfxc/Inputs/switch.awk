# Writes a program with a switch of CASES cases, each of which computes and prints, at the numbers STEP * i.
BEGIN {
  print "!T = tensor<f32>"
  print "func.func @main(%n: i32, %x0: f32) -> (!T {tfx.name = \"y\"}) {"
  print "  %x = tfx_tensor.from_scalar %x0 : f32"
  print "  %t = tfx_tensor.from_scalar %n : i32"
  print "  %one = tfx_tensor.const dense<1> : tensor<i32>"
  print "  %sum = tfx_tensor.op \"AddV2\"(%t, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>"
  print "  %k = tfx_tensor.to_scalar %sum : tensor<i32> -> i32"
  print "  cf.switch %k : i32, ["
  printf "    default: ^default"
  for (i = 0; i < CASES; ++i)
    printf ",\n    %d: ^case%d", STEP * i, i
  print "\n  ]"
  for (i = 0; i < CASES; ++i) {
    printf "^case%d:\n  %%c%d = tfx_tensor.const dense<%d.0> : !T\n", i, i, i
    printf "  %%y%d = tfx_tensor.op \"AddV2\"(%%x, %%c%d) : (!T, !T) -> !T\n", i, i
    printf "  tfx_host.print \"case {}\"(%%y%d) : !T\n  cf.br ^end(%%y%d : !T)\n", i, i
  }
  print "^default:\n  tfx_host.print \"default {}\"(%x) : !T\n  cf.br ^end(%x : !T)"
  print "^end(%r: !T):\n  return %r : !T\n}"
}
