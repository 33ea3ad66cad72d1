// Four stages of a network on four devices, trained as a pipeline: microbatches overlap.
//
//   stage      0            1            2            3
//   device     cpu          cpu:1        cpu:2        cpu:3
//   forward    tanh(x w0) ─ tanh(· w1) ─ tanh(· w2) ─ (· + skip) w3, loss
//                      └─────── skip connection ─────────┘
//
// Copies name the devices; nothing else does. The gradient copies back in the other direction, and
// each device keeps the sums of its own gradients. The inner loop is over the microbatches of a
// step: with streams, it becomes a schedule of the form 1F1B, which the compiler proves, and the
// results have the same bits as without.
//
//   tfxc run examples/pipeline.mlir 5
//   tfxc run examples/pipeline.mlir 5 --streams 1 --streams-explain
//   tfxc run examples/pipeline.mlir 5 --streams 1 --streams-pipeline gpipe --stats

!data = tensor<256x32xf32>
!batch = tensor<32x32xf32>
!weights = tensor<32x32xf32>
!loss = tensor<f32>

// Stages 0 to 3 of a microbatch, each on its device.
func.func private @loss(
    %x: !batch, %y: !batch, %w0: !weights, %w1: !weights, %w2: !weights, %w3: !weights) -> !loss {
  %h0 = tfx_tensor.op "MatMul"(%x, %w0) : (!batch, !weights) -> !batch
  %a0 = tfx_tensor.op "Tanh"(%h0) : (!batch) -> !batch

  %x1 = tfx_comm.copy %a0 from <cpu> to <cpu:1> : !batch
  %h1 = tfx_tensor.op "MatMul"(%x1, %w1) : (!batch, !weights) -> !batch
  %a1 = tfx_tensor.op "Tanh"(%h1) : (!batch) -> !batch

  %x2 = tfx_comm.copy %a1 from <cpu:1> to <cpu:2> : !batch
  %h2 = tfx_tensor.op "MatMul"(%x2, %w2) : (!batch, !weights) -> !batch
  %a2 = tfx_tensor.op "Tanh"(%h2) : (!batch) -> !batch

  %x3 = tfx_comm.copy %a2 from <cpu:2> to <cpu:3> : !batch
  %skip = tfx_comm.copy %a0 from <cpu> to <cpu:3> : !batch
  %sum = tfx_tensor.op "AddV2"(%x3, %skip) : (!batch, !batch) -> !batch
  %h3 = tfx_tensor.op "MatMul"(%sum, %w3) : (!batch, !weights) -> !batch
  %difference = tfx_tensor.op "SquaredDifference"(%h3, %y) : (!batch, !batch) -> !batch
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %loss = tfx_tensor.op "Sum"(%difference, %axes) : (!batch, tensor<2xi32>) -> !loss
  return %loss : !loss
}

// Rows of a table: those of a microbatch.
func.func private @rows(%table: !data, %index: i32) -> !batch {
  %count = arith.constant 32 : i32
  %zero = arith.constant 0 : i32
  %first = arith.muli %index, %count : i32
  %row = tfx_tensor.from_scalar %first : i32
  %column = tfx_tensor.from_scalar %zero : i32
  %begin = tfx_tensor.op "Pack"(%row, %column) {axis = 0 : i64}
      : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %size = tfx_tensor.const dense<32> : tensor<2xi32>
  %rows = tfx_tensor.op "Slice"(%table, %begin, %size)
      : (!data, tensor<2xi32>, tensor<2xi32>) -> !batch
  return %rows : !batch
}

// Numbers between -scale and scale that look random.
func.func private @numbers(%count: tensor<i32>, %seed: f32, %scale: f32) -> tensor<?xf32> {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %range = tfx_tensor.op "Range"(%zero, %count, %one)
      : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %floats = tfx_tensor.op "Cast"(%range) : (tensor<?xi32>) -> tensor<?xf32>
  %s = tfx_tensor.from_scalar %seed : f32
  %angles = tfx_tensor.op "Mul"(%floats, %s) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %sines = tfx_tensor.op "Sin"(%angles) : (tensor<?xf32>) -> tensor<?xf32>
  %t = tfx_tensor.from_scalar %scale : f32
  %scaled = tfx_tensor.op "Mul"(%sines, %t) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %scaled : tensor<?xf32>
}

func.func private @matrix(%seed: f32) -> !weights {
  %count = tfx_tensor.const dense<1024> : tensor<i32>
  %scale = arith.constant 0.25 : f32
  %numbers = call @numbers(%count, %seed, %scale) : (tensor<i32>, f32, f32) -> tensor<?xf32>
  %shape = tfx_tensor.const dense<32> : tensor<2xi32>
  %matrix = tfx_tensor.op "Reshape"(%numbers, %shape)
      : (tensor<?xf32>, tensor<2xi32>) -> !weights
  return %matrix : !weights
}

func.func private @moved(%w: !weights, %gradient: !weights) -> !weights {
  %rate = tfx_tensor.const dense<1.0e-5> : tensor<f32>
  %step = tfx_tensor.op "Mul"(%gradient, %rate) : (!weights, tensor<f32>) -> !weights
  %moved = tfx_tensor.op "Sub"(%w, %step) : (!weights, !weights) -> !weights
  return %moved : !weights
}

func.func @main(%steps: i32 {tfx.name = "steps"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %seeds:6 = call @seeds() : () -> (f32, f32, f32, f32, f32, f32)
  %w0 = call @matrix(%seeds#0) : (f32) -> !weights
  %w1 = call @matrix(%seeds#1) : (f32) -> !weights
  %w2 = call @matrix(%seeds#2) : (f32) -> !weights
  %w3 = call @matrix(%seeds#3) : (f32) -> !weights
  %target = call @matrix(%seeds#4) : (f32) -> !weights
  %count = tfx_tensor.const dense<8192> : tensor<i32>
  %one = arith.constant 1.0 : f32
  %numbers = call @numbers(%count, %seeds#5, %one) : (tensor<i32>, f32, f32) -> tensor<?xf32>
  %shape = tfx_tensor.const dense<[256, 32]> : tensor<2xi32>
  %x = tfx_tensor.op "Reshape"(%numbers, %shape) : (tensor<?xf32>, tensor<2xi32>) -> !data
  %y = tfx_tensor.op "MatMul"(%x, %target) : (!data, !weights) -> !data

  %trained:4 = scf.for %step = %c0 to %steps step %c1
      iter_args(%v0 = %w0, %v1 = %w1, %v2 = %w2, %v3 = %w3)
      -> (!weights, !weights, !weights, !weights) : i32 {
    %zeros = tfx_tensor.const dense<0.0> : !weights
    %nothing = tfx_tensor.const dense<0.0> : !loss
    %sums:5 = scf.for %index = %c0 to %c8 step %c1
        iter_args(%s0 = %zeros, %s1 = %zeros, %s2 = %zeros, %s3 = %zeros, %l = %nothing)
        -> (!weights, !weights, !weights, !weights, !loss) : i32 {
      %bx = func.call @rows(%x, %index) : (!data, i32) -> !batch
      %by = func.call @rows(%y, %index) : (!data, i32) -> !batch
      %value, %d:4 = tfx_ad.gradient @loss(%bx, %by, %v0, %v1, %v2, %v3) wrt [2, 3, 4, 5] value
          : (!batch, !batch, !weights, !weights, !weights, !weights)
          -> (!loss, !weights, !weights, !weights, !weights)
      %n0 = tfx_tensor.op "AddV2"(%s0, %d#0) : (!weights, !weights) -> !weights
      %n1 = tfx_tensor.op "AddV2"(%s1, %d#1) : (!weights, !weights) -> !weights
      %n2 = tfx_tensor.op "AddV2"(%s2, %d#2) : (!weights, !weights) -> !weights
      %n3 = tfx_tensor.op "AddV2"(%s3, %d#3) : (!weights, !weights) -> !weights
      %nl = tfx_tensor.op "AddV2"(%l, %value) : (!loss, !loss) -> !loss
      scf.yield %n0, %n1, %n2, %n3, %nl : !weights, !weights, !weights, !weights, !loss
    }
    tfx_host.print "loss {}"(%sums#4) : !loss
    %u0 = func.call @moved(%v0, %sums#0) : (!weights, !weights) -> !weights
    %u1 = func.call @moved(%v1, %sums#1) : (!weights, !weights) -> !weights
    %u2 = func.call @moved(%v2, %sums#2) : (!weights, !weights) -> !weights
    %u3 = func.call @moved(%v3, %sums#3) : (!weights, !weights) -> !weights
    scf.yield %u0, %u1, %u2, %u3 : !weights, !weights, !weights, !weights
  }
  return
}

func.func private @seeds() -> (f32, f32, f32, f32, f32, f32) {
  %a = arith.constant 1.7 : f32
  %b = arith.constant 2.3 : f32
  %c = arith.constant 3.1 : f32
  %d = arith.constant 0.9 : f32
  %e = arith.constant 2.9 : f32
  %f = arith.constant 1.3 : f32
  return %a, %b, %c, %d, %e, %f : f32, f32, f32, f32, f32, f32
}
