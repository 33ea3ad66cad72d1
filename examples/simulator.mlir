// A simulator on the host inside a loop of the graph.
//
// The loop and its counter are in the graph. In each iteration, the graph sends `x` to the host's
// simulator and receives the answer. The square of `x` does not depend on the answer and does not
// wait for it. The round trip is necessary here; it is reported once, at the simulator's result.
//
//   tfxc run examples/simulator.mlir

module attributes {tfx.link = ["host/simulator.c"]} {
  func.func private @simulate(tensor<4xf32>) -> tensor<4xf32>

  func.func @main() -> (tensor<4xf32> {tfx.name = "v"}) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %count = arith.constant 1000 : i32
    %gain = tfx_tensor.const dense<1.2> : tensor<f32>
    %v0 = tfx_tensor.const dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>
    cf.br ^header(%zero, %v0 : i32, tensor<4xf32>)
  ^header(%i: i32, %v: tensor<4xf32>):
    %go = arith.cmpi slt, %i, %count : i32
    cf.cond_br %go, ^body, ^exit
  ^body:
    %x = tfx_tensor.op "Tanh"(%v) : (tensor<4xf32>) -> tensor<4xf32>
    %r = func.call @simulate(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %y = tfx_tensor.op "Square"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %sum = tfx_tensor.op "AddV2"(%r, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %next = tfx_tensor.op "Mul"(%sum, %gain) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %i1 = arith.addi %i, %one : i32
    cf.br ^header(%i1, %next : i32, tensor<4xf32>)
  ^exit:
    return %v : tensor<4xf32>
  }
}
