// The training of train_linear.mlir, with one function in the step that exists only on the host.
//
// In each iteration, a value leaves the graph, the host processes it, and the result is sent back:
// the graph waits. The compiler warns once, at the call, noting each leg of the round trip.
//
//   tfxc run examples/train_linear_cpu.mlir

module attributes {tfx.link = ["host/cpu_only.c"]} {
func.func private @cpu_only(tensor<?x1xf32>) -> tensor<?x1xf32>

func.func @train(%inputs: tensor<?x2xf32>, %outputs: tensor<?x1xf32>, %w0: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  %weights = tfx_host.var : !tfx_host.ref<tensor<2x1xf32>>
  tfx_host.store %w0, %weights : tensor<2x1xf32>
  cf.br ^header(%zero : i32)
^header(%step: i32):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %w = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  %xw = tfx_tensor.op "MatMul"(%inputs, %w) : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  %predictions = func.call @cpu_only(%xw) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %errors = tfx_tensor.op "Sub"(%predictions, %outputs) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %dw = tfx_tensor.op "MatMul"(%inputs, %errors) {transpose_a = true} : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  %rate = tfx_tensor.const dense<0.01> : tensor<f32>
  %delta = tfx_tensor.op "Mul"(%dw, %rate) : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %next = tfx_tensor.op "Sub"(%w, %delta) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  tfx_host.store %next, %weights : tensor<2x1xf32>
  %rem = arith.remsi %step, %every : i32
  %show = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %show, ^print, ^latch
^print:
  %current = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  tfx_host.print "Current weights: {}"(%current) : tensor<2x1xf32>
  cf.br ^latch
^latch:
  %step1 = arith.addi %step, %one : i32
  cf.br ^header(%step1 : i32)
^exit:
  %result = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  return %result : tensor<2x1xf32>
}

// Four points of y = 2 a - 3 b, and weights that start at zero.
func.func @main() -> (tensor<2x1xf32> {tfx.name = "weights"}) {
  %inputs = tfx_tensor.const dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]> : tensor<4x2xf32>
  %outputs = tfx_tensor.const dense<[[2.0], [-3.0], [-1.0], [1.0]]> : tensor<4x1xf32>
  %w0 = tfx_tensor.const dense<0.0> : tensor<2x1xf32>
  %x = tfx_tensor.op "Identity"(%inputs) : (tensor<4x2xf32>) -> tensor<?x2xf32>
  %y = tfx_tensor.op "Identity"(%outputs) : (tensor<4x1xf32>) -> tensor<?x1xf32>
  %w = func.call @train(%x, %y, %w0) : (tensor<?x2xf32>, tensor<?x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %w : tensor<2x1xf32>
}
}
