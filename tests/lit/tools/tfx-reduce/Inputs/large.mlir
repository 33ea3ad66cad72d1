// A large program around an operation whose element types do not match: only that operation should remain.
func.func private @observe(i32)
func.func private @unused(%x: i32) -> i32 {
  return %x : i32
}
func.func private @helper(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %x : i32, tensor<4xf32>)
^head(%i: i32, %y: tensor<4xf32>):
  %go = arith.cmpi slt, %i, %n : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %z = tfx_tensor.op "Neg"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j, %z : i32, tensor<4xf32>)
^exit:
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @helper(%a, %n) : (tensor<4xf32>, i32) -> tensor<4xf32>
  func.call @observe(%n) : (i32) -> ()
  tfx_host.print "b {}"(%b) : tensor<4xf32>
  %c = tfx_tensor.op "Mul"(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = tfx_tensor.from_scalar %n : i32
  %d = tfx_tensor.op "NoSuchOperation"(%c, %t) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  %e = tfx_tensor.op "Tanh"(%d) : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}
