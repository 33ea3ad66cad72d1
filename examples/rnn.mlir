// A recurrent network that continues waves, trained on sequences of different lengths.
//
// The host chooses the length of each batch. The network reads a batch row by row, in a loop whose
// trip count depends on it, and predicts each next row. The derivative of the loop is a loop that
// runs as often, backwards. What it needs of each iteration is on tapes in the graph: for a step of
// training, only the batch crosses, and every fifty steps the loss.
//
//   tfxc run examples/rnn.mlir --stats
//   tfxc report examples/rnn.mlir

!Waves = tensor<?x32xf32>
!Hidden = tensor<32x16xf32>
!Network = !tfx_host.struct<@Network>

module attributes {tfx.link = ["host/rnn.c"]} {
  func.func private @waves(%batch: i32) -> !Waves
  func.func private @small_weights(%rows: i64, %columns: i64) -> tensor<?x?xf32>

  // The weights of the cell, for its input, its 16 units and a bias, and those of its output.
  tfx_host.struct @Network {cell: tensor<?x?xf32>, output: tensor<?x?xf32>}

  // The row of a batch, as a column: an input for each wave.
  func.func private @at(%waves: !Waves, %time: i32) -> tensor<32x1xf32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %second = tfx_tensor.const dense<1> : tensor<i32>
    %index = tfx_tensor.from_scalar %time : i32
    %row = tfx_tensor.op "GatherV2"(%waves, %index, %first) : (!Waves, tensor<i32>, tensor<i32>) -> tensor<32xf32>
    %column = tfx_tensor.op "ExpandDims"(%row, %second) : (tensor<32xf32>, tensor<i32>) -> tensor<32x1xf32>
    return %column : tensor<32x1xf32>
  }

  func.func private @cell(%network: !Network, %hidden: !Hidden, %x: tensor<32x1xf32>) -> !Hidden {
    %weights = tfx_host.extract %network["cell"] : !Network -> tensor<?x?xf32>
    %bias = tfx_tensor.const dense<1.0> : tensor<32x1xf32>
    %axis = tfx_tensor.const dense<1> : tensor<i32>
    %inputs = tfx_tensor.op "ConcatV2"(%x, %hidden, %bias, %axis)
        : (tensor<32x1xf32>, !Hidden, tensor<32x1xf32>, tensor<i32>) -> tensor<32x18xf32>
    %sums = tfx_tensor.op "MatMul"(%inputs, %weights) : (tensor<32x18xf32>, tensor<?x?xf32>) -> !Hidden
    %next = tfx_tensor.op "Tanh"(%sums) : (!Hidden) -> !Hidden
    return %next : !Hidden
  }

  // The mean squared error of the predictions.
  func.func private @loss(%network: !Network, %waves: !Waves) -> tensor<f32> {
    %output = tfx_host.extract %network["output"] : !Network -> tensor<?x?xf32>
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %rest = tfx_tensor.const dense<0.0> : !Hidden
    %none = tfx_tensor.const dense<0.0> : tensor<f32>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32

    %first = tfx_tensor.const dense<0> : tensor<i32>
    %shape = tfx_tensor.op "Shape"(%waves) {out_type = i32} : (!Waves) -> tensor<2xi32>
    %rows = tfx_tensor.op "GatherV2"(%shape, %first, %first) : (tensor<2xi32>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %length = tfx_tensor.to_scalar %rows : tensor<i32> -> i32
    %last = arith.subi %length, %one : i32
    %end:2 = scf.for %time = %zero to %last step %one
        iter_args(%hidden = %rest, %sum = %none) -> (!Hidden, tensor<f32>) : i32 {
      %x = func.call @at(%waves, %time) : (!Waves, i32) -> tensor<32x1xf32>
      %after = func.call @cell(%network, %hidden, %x) : (!Network, !Hidden, tensor<32x1xf32>) -> !Hidden
      %predicted = tfx_tensor.op "MatMul"(%after, %output) : (!Hidden, tensor<?x?xf32>) -> tensor<32x1xf32>
      %next_time = arith.addi %time, %one : i32
      %y = func.call @at(%waves, %next_time) : (!Waves, i32) -> tensor<32x1xf32>
      %errors = tfx_tensor.op "SquaredDifference"(%predicted, %y)
          : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
      %error = tfx_tensor.op "Mean"(%errors, %axes) : (tensor<32x1xf32>, tensor<2xi32>) -> tensor<f32>
      %next_sum = tfx_tensor.op "AddV2"(%sum, %error) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      scf.yield %after, %next_sum : !Hidden, tensor<f32>
    }
    %scalar = tfx_tensor.from_scalar %last : i32
    %count = tfx_tensor.op "Cast"(%scalar) : (tensor<i32>) -> tensor<f32>
    %loss = tfx_tensor.op "Div"(%end#1, %count) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }

  // `weights - rate * gradient`.
  func.func private @descend(%weights: tensor<?x?xf32>, %gradient: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %rate = tfx_tensor.const dense<0.5> : tensor<f32>
    %step = tfx_tensor.op "Mul"(%gradient, %rate) : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    %next = tfx_tensor.op "Sub"(%weights, %step) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    return %next : tensor<?x?xf32>
  }

  func.func @main() -> (tensor<f32> {tfx.name = "loss"}) {
    %inputs = arith.constant 18 : i64
    %units = arith.constant 16 : i64
    %outputs = arith.constant 1 : i64
    %cell = func.call @small_weights(%inputs, %units) : (i64, i64) -> tensor<?x?xf32>
    %output = func.call @small_weights(%units, %outputs) : (i64, i64) -> tensor<?x?xf32>
    %start = tfx_host.make_struct(%cell, %output) : (tensor<?x?xf32>, tensor<?x?xf32>) -> !Network

    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 400 : i32
    %every = arith.constant 50 : i32
    %trained = scf.for %i = %zero to %steps step %one iter_args(%network = %start) -> (!Network) : i32 {
      %waves = func.call @waves(%i) : (i32) -> !Waves
      %loss, %gradient = tfx_ad.gradient @loss(%network, %waves) wrt [0] value
          : (!Network, !Waves) -> (tensor<f32>, !Network)
      %rem = arith.remsi %i, %every : i32
      %show = arith.cmpi eq, %rem, %zero : i32
      scf.if %show {
        tfx_host.print "step {}: loss {}"(%i, %loss) : i32, tensor<f32>
      }
      %c = tfx_host.extract %network["cell"] : !Network -> tensor<?x?xf32>
      %dc = tfx_host.extract %gradient["cell"] : !Network -> tensor<?x?xf32>
      %o = tfx_host.extract %network["output"] : !Network -> tensor<?x?xf32>
      %do = tfx_host.extract %gradient["output"] : !Network -> tensor<?x?xf32>
      %next_c = func.call @descend(%c, %dc) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      %next_o = func.call @descend(%o, %do) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      %next = tfx_host.make_struct(%next_c, %next_o) : (tensor<?x?xf32>, tensor<?x?xf32>) -> !Network
      scf.yield %next : !Network
    }

    // Waves that were not used for training.
    %test = func.call @waves(%steps) : (i32) -> !Waves
    %loss = func.call @loss(%trained, %test) : (!Network, !Waves) -> tensor<f32>
    tfx_host.print "loss on new waves: {}"(%loss) : tensor<f32>
    return %loss : tensor<f32>
  }
}
