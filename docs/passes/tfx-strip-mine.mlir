tfx_tensor.graph @g(%x: tensor<f32>) -> tensor<f32> channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %hundred = arith.constant 100 : i32
  %limit = arith.constant 1000 : i32
  %r:2 = scf.while (%i = %zero, %v = %x) : (i32, tensor<f32>) -> (i32, tensor<f32>) {
    %more = arith.cmpi slt, %i, %limit : i32
    scf.condition(%more) %i, %v : i32, tensor<f32>
  } do {
  ^bb0(%i: i32, %v: tensor<f32>):
    %w = tfx_tensor.op "Exp"(%v) : (tensor<f32>) -> tensor<f32>
    %rest = arith.remsi %i, %hundred : i32
    %now = arith.cmpi eq, %rest, %zero : i32
    scf.if %now {
      tfx_comm.send %w to 0 : tensor<f32>
    }
    %next = arith.addi %i, %one : i32
    scf.yield %next, %w : i32, tensor<f32>
  }
  tfx_tensor.return %r#1 : tensor<f32>
}
