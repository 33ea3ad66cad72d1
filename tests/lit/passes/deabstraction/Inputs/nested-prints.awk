# A chain of functions, each of which prints and calls the next one twice: -v levels=N.
BEGIN {
  print "!T = tensor<f32>"
  print "func.func @main() -> (!T {tfx.name = \"y\"}) {"
  print "  %x = tfx_tensor.const dense<0.5> : !T"
  printf "  %%y = func.call @level%d(%%x) : (!T) -> !T\n  return %%y : !T\n}\n", levels
  for (level = levels; level > 0; level--) {
    printf "func.func private @level%d(%%x: !T) -> !T {\n", level
    print "  %a = tfx_tensor.op \"Tanh\"(%x) : (!T) -> !T"
    printf "  tfx_host.print \"%d: {}\"(%%a) : !T\n", level
    if (level > 1) {
      printf "  %%b = func.call @level%d(%%a) : (!T) -> !T\n", level - 1
      printf "  %%c = func.call @level%d(%%b) : (!T) -> !T\n", level - 1
      print "  return %c : !T\n}"
    } else print "  return %a : !T\n}"
  }
}
