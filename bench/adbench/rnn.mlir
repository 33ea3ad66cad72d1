// A recurrent network: state = tanh(state * weights + bias), 1,000 times for a batch of 32 with 64
// units, and the gradient of half the square of the last state with respect to the weights and the
// bias. The number of steps is a constant in @static_loss, and known only at run time in
// @dynamic_loss.
//
//   tfxc run bench/adbench/rnn.mlir 0 1000 --copies none  # checksums
//   tfxc run bench/adbench/rnn.mlir 20 1000 --copies none  # times as well

!State = tensor<32x64xf32>
!Weights = tensor<64x64xf32>
!Bias = tensor<1x64xf32>

module attributes {tfx.link = ["host/rnn.c"]} {
  func.func private @rnn_weights() -> !Weights
  func.func private @rnn_bias() -> !Bias
  func.func private @rnn_state() -> !State
  func.func private @start_clock() -> f64
  func.func private @stop_clock(tensor<f32>)
  func.func private @stop_clock_2(!Weights, !Bias)
  func.func private @print_times(!tfx_host.string)
  func.func private @checksum(!tfx_host.string, tensor<*xf32>)

  func.func private @step(%state: !State, %weights: !Weights, %bias: !Bias) -> !State {
    %product = tfx_tensor.op "MatMul"(%state, %weights) {transpose_a = false, transpose_b = false} : (!State, !Weights) -> !State
    %sum = tfx_tensor.op "AddV2"(%product, %bias) : (!State, !Bias) -> !State
    %next = tfx_tensor.op "Tanh"(%sum) : (!State) -> !State
    return %next : !State
  }

  func.func private @half_square(%state: !State) -> tensor<f32> {
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %half = tfx_tensor.const dense<0.5> : tensor<f32>
    %square = tfx_tensor.op "Square"(%state) : (!State) -> !State
    %sum = tfx_tensor.op "Sum"(%square, %axes) : (!State, tensor<2xi32>) -> tensor<f32>
    %loss = tfx_tensor.op "Mul"(%sum, %half) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }

  func.func private @dynamic_loss(%weights: !Weights, %bias: !Bias, %start: !State, %steps: i64) -> tensor<f32> {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %end = scf.for %i = %zero to %steps step %one iter_args(%state = %start) -> (!State) : i64 {
      %next = func.call @step(%state, %weights, %bias) : (!State, !Weights, !Bias) -> !State
      scf.yield %next : !State
    }
    %loss = func.call @half_square(%end) : (!State) -> tensor<f32>
    return %loss : tensor<f32>
  }

  func.func private @static_loss(%weights: !Weights, %bias: !Bias, %start: !State) -> tensor<f32> {
    %steps = arith.constant 1000 : i64
    %loss = func.call @dynamic_loss(%weights, %bias, %start, %steps) : (!Weights, !Bias, !State, i64) -> tensor<f32>
    return %loss : tensor<f32>
  }

  // The parameters, which are not known before the clock has started.
  func.func private @after_start(%weights: !Weights, %bias: !Bias) -> (!Weights, !Bias) {
    %zero_scalar = func.call @start_clock() : () -> f64
    %zero_f64 = tfx_tensor.from_scalar %zero_scalar : f64
    %zero = tfx_tensor.op "Cast"(%zero_f64) : (tensor<f64>) -> tensor<f32>
    %a = tfx_tensor.op "AddV2"(%weights, %zero) : (!Weights, tensor<f32>) -> !Weights
    %b = tfx_tensor.op "AddV2"(%bias, %zero) : (!Bias, tensor<f32>) -> !Bias
    return %a, %b : !Weights, !Bias
  }

  func.func private @show(%value: tensor<f32>, %weights: !Weights, %bias: !Bias) {
    %value_name = tfx_host.string "value"
    %value_any = tfx_tensor.op "Identity"(%value) : (tensor<f32>) -> tensor<*xf32>
    func.call @checksum(%value_name, %value_any) : (!tfx_host.string, tensor<*xf32>) -> ()
    %weights_name = tfx_host.string "weights"
    %weights_any = tfx_tensor.op "Identity"(%weights) : (!Weights) -> tensor<*xf32>
    func.call @checksum(%weights_name, %weights_any) : (!tfx_host.string, tensor<*xf32>) -> ()
    %bias_name = tfx_host.string "bias"
    %bias_any = tfx_tensor.op "Identity"(%bias) : (!Bias) -> tensor<*xf32>
    func.call @checksum(%bias_name, %bias_any) : (!tfx_host.string, tensor<*xf32>) -> ()
    return
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}, %steps: i64 {tfx.name = "steps"}) {
    %weights = func.call @rnn_weights() : () -> !Weights
    %bias = func.call @rnn_bias() : () -> !Bias
    %state = func.call @rnn_state() : () -> !State
    %v1, %d1:2 = tfx_ad.gradient @static_loss(%weights, %bias, %state) wrt [0, 1] value
        : (!Weights, !Bias, !State) -> (tensor<f32>, !Weights, !Bias)
    func.call @show(%v1, %d1#0, %d1#1) : (tensor<f32>, !Weights, !Bias) -> ()
    %v2, %d2:2 = tfx_ad.gradient @dynamic_loss(%weights, %bias, %state, %steps) wrt [0, 1] value
        : (!Weights, !Bias, !State, i64) -> (tensor<f32>, !Weights, !Bias)
    func.call @show(%v2, %d2#0, %d2#1) : (tensor<f32>, !Weights, !Bias) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %p:2 = func.call @after_start(%weights, %bias) : (!Weights, !Bias) -> (!Weights, !Bias)
      %y = func.call @static_loss(%p#0, %p#1, %state) : (!Weights, !Bias, !State) -> tensor<f32>
      func.call @stop_clock(%y) : (tensor<f32>) -> ()
    }
    %static_primal = tfx_host.string "static primal"
    func.call @print_times(%static_primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p:2 = func.call @after_start(%weights, %bias) : (!Weights, !Bias) -> (!Weights, !Bias)
      %g:2 = tfx_ad.gradient @static_loss(%p#0, %p#1, %state) wrt [0, 1] : (!Weights, !Bias, !State) -> (!Weights, !Bias)
      func.call @stop_clock_2(%g#0, %g#1) : (!Weights, !Bias) -> ()
    }
    %static_derivative = tfx_host.string "static derivative"
    func.call @print_times(%static_derivative) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p:2 = func.call @after_start(%weights, %bias) : (!Weights, !Bias) -> (!Weights, !Bias)
      %y = func.call @dynamic_loss(%p#0, %p#1, %state, %steps) : (!Weights, !Bias, !State, i64) -> tensor<f32>
      func.call @stop_clock(%y) : (tensor<f32>) -> ()
    }
    %dynamic_primal = tfx_host.string "dynamic primal"
    func.call @print_times(%dynamic_primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p:2 = func.call @after_start(%weights, %bias) : (!Weights, !Bias) -> (!Weights, !Bias)
      %g:2 = tfx_ad.gradient @dynamic_loss(%p#0, %p#1, %state, %steps) wrt [0, 1] : (!Weights, !Bias, !State, i64) -> (!Weights, !Bias)
      func.call @stop_clock_2(%g#0, %g#1) : (!Weights, !Bias) -> ()
    }
    %dynamic_derivative = tfx_host.string "dynamic derivative"
    func.call @print_times(%dynamic_derivative) : (!tfx_host.string) -> ()
    return
  }
}
