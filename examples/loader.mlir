// A typical training loop: a host loader provides the batches, and the host logs the loss.
//
// The loader takes 5 ms for a batch, and the step about as long. No value makes a round trip, but
// loader and step still alternate: loss i is logged before batch i + 1 is loaded, so the host waits
// for the accelerator, then the accelerator for the batch: an order stall, reported at the loss.
//
//   tfxc run examples/loader.mlir --stats
//
// With tfx.state = "loader" on @next_batch and tfx.state = "log" on @log_loss, the next batch is
// loaded during the step. docs/copies.md explains the conditions and the consequences.

module attributes {tfx.link = ["host/loader.c"]} {
  func.func private @next_batch() -> tensor<400x400xf32>
  func.func private @log_loss(f32)

  func.func @main() -> (tensor<f32> {tfx.name = "mean weight"}) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 60 : i32
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %rate = tfx_tensor.const dense<0.001> : tensor<f32>
    %start = tfx_tensor.const dense<0.01> : tensor<400x400xf32>
    cf.br ^header(%zero, %start : i32, tensor<400x400xf32>)
  ^header(%step: i32, %w: tensor<400x400xf32>):
    %go = arith.cmpi slt, %step, %steps : i32
    cf.cond_br %go, ^body, ^exit
  ^body:
    %batch = func.call @next_batch() : () -> tensor<400x400xf32>
    %product = tfx_tensor.op "MatMul"(%batch, %w) : (tensor<400x400xf32>, tensor<400x400xf32>) -> tensor<400x400xf32>
    %squares = tfx_tensor.op "Square"(%product) : (tensor<400x400xf32>) -> tensor<400x400xf32>
    %loss = tfx_tensor.op "Mean"(%squares, %axes) : (tensor<400x400xf32>, tensor<2xi32>) -> tensor<f32>
    %gradient = tfx_tensor.op "MatMul"(%batch, %product) {transpose_a = true} : (tensor<400x400xf32>, tensor<400x400xf32>) -> tensor<400x400xf32>
    %delta = tfx_tensor.op "Mul"(%gradient, %rate) : (tensor<400x400xf32>, tensor<f32>) -> tensor<400x400xf32>
    %next = tfx_tensor.op "Sub"(%w, %delta) : (tensor<400x400xf32>, tensor<400x400xf32>) -> tensor<400x400xf32>
    %number = tfx_tensor.to_scalar %loss : tensor<f32> -> f32
    func.call @log_loss(%number) : (f32) -> ()
    %step1 = arith.addi %step, %one : i32
    cf.br ^header(%step1, %next : i32, tensor<400x400xf32>)
  ^exit:
    %mean = tfx_tensor.op "Mean"(%w, %axes) : (tensor<400x400xf32>, tensor<2xi32>) -> tensor<f32>
    return %mean : tensor<f32>
  }
}
