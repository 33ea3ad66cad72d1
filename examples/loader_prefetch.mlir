// The training loop of loader.mlir, with a thread that loads ahead.
//
// While a step runs, the thread loads the next two batches. The loss of a step is logged during the
// next step: taking a batch from the queue accesses only the state of the loader, not of the log.
//
//   tfxc run examples/loader_prefetch.mlir --stats
//
// docs/copies.md describes the requirements on the loader, and the cost.

module attributes {tfx.link = ["host/loader.c"]} {
  func.func private @next_batch() -> tensor<400x400xf32> attributes {tfx.state = "loader"}
  func.func private @log_loss(f32) attributes {tfx.state = "log"}

  func.func @main() -> (tensor<f32> {tfx.name = "mean weight"}) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 60 : i32
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %rate = tfx_tensor.const dense<0.001> : tensor<f32>
    %start = tfx_tensor.const dense<0.01> : tensor<400x400xf32>
    %batches = tfx_host.prefetch @next_batch() depth(2) : () -> !tfx_host.queue<tensor<400x400xf32>>
    cf.br ^header(%zero, %start : i32, tensor<400x400xf32>)
  ^header(%step: i32, %w: tensor<400x400xf32>):
    %go = arith.cmpi slt, %step, %steps : i32
    cf.cond_br %go, ^body, ^exit
  ^body:
    %batch = tfx_host.next %batches : !tfx_host.queue<tensor<400x400xf32>>
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
    tfx_host.close %batches : !tfx_host.queue<tensor<400x400xf32>>
    %mean = tfx_tensor.op "Mean"(%w, %axes) : (tensor<400x400xf32>, tensor<2xi32>) -> tensor<f32>
    return %mean : tensor<f32>
  }
}
