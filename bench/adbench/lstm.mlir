// ADBench's LSTM: a network of two layers predicts the bits of the next character, for 1,023
// characters. The gradient is with respect to all weights and biases (reverse mode, through a
// loop).
//
//   tfxc run bench/adbench/lstm.mlir 0 --copies none  # checksums
//   tfxc run bench/adbench/lstm.mlir 20 --copies none  # times as well
//   tfxc run bench/adbench/lstm.mlir --entry second --copies none  # second derivatives

!Gates = tensor<2x2x4x14xf64>
!Ends = tensor<3x14xf64>
!State = tensor<2x2x14xf64>
!Sequence = tensor<1024x14xf64>
!Layer = !tfx_host.struct<@Layer>
!Bits = tensor<14xf64>

module attributes {tfx.link = ["host/lstm.c"]} {
  func.func private @lstm_gates() -> !Gates
  func.func private @lstm_ends() -> !Ends
  func.func private @lstm_state() -> !State
  func.func private @lstm_sequence() -> !Sequence
  func.func private @start_clock() -> f64
  func.func private @stop_clock(tensor<f64>)
  func.func private @stop_clock_2(!Gates, !Ends)
  func.func private @print_times(!tfx_host.string)
  func.func private @checksum(!tfx_host.string, tensor<*xf64>)

  // The weight and the bias of each gate.
  tfx_host.struct @Layer {forget_weight: !Bits, in_weight: !Bits, out_weight: !Bits, change_weight: !Bits,
      forget_bias: !Bits, in_bias: !Bits, out_bias: !Bits, change_bias: !Bits}

  func.func private @gate(%x: !Bits, %weight: !Bits, %bias: !Bits) -> !Bits {
    %product = tfx_tensor.op "Mul"(%x, %weight) : (!Bits, !Bits) -> !Bits
    %sum = tfx_tensor.op "AddV2"(%product, %bias) : (!Bits, !Bits) -> !Bits
    return %sum : !Bits
  }

  // A step of a layer: returns its hidden state and its cells.
  func.func private @layer(%layer: !Layer, %x: !Bits, %hidden: !Bits, %cells: !Bits) -> (!Bits, !Bits) {
    %forget_weight = tfx_host.extract %layer["forget_weight"] : !Layer -> !Bits
    %forget_bias = tfx_host.extract %layer["forget_bias"] : !Layer -> !Bits
    %forget_sum = func.call @gate(%x, %forget_weight, %forget_bias) : (!Bits, !Bits, !Bits) -> !Bits
    %forget = tfx_tensor.op "Sigmoid"(%forget_sum) : (!Bits) -> !Bits
    %in_weight = tfx_host.extract %layer["in_weight"] : !Layer -> !Bits
    %in_bias = tfx_host.extract %layer["in_bias"] : !Layer -> !Bits
    %in_sum = func.call @gate(%hidden, %in_weight, %in_bias) : (!Bits, !Bits, !Bits) -> !Bits
    %in = tfx_tensor.op "Sigmoid"(%in_sum) : (!Bits) -> !Bits
    %out_weight = tfx_host.extract %layer["out_weight"] : !Layer -> !Bits
    %out_bias = tfx_host.extract %layer["out_bias"] : !Layer -> !Bits
    %out_sum = func.call @gate(%x, %out_weight, %out_bias) : (!Bits, !Bits, !Bits) -> !Bits
    %out = tfx_tensor.op "Sigmoid"(%out_sum) : (!Bits) -> !Bits
    %change_weight = tfx_host.extract %layer["change_weight"] : !Layer -> !Bits
    %change_bias = tfx_host.extract %layer["change_bias"] : !Layer -> !Bits
    %change_sum = func.call @gate(%hidden, %change_weight, %change_bias) : (!Bits, !Bits, !Bits) -> !Bits
    %change = tfx_tensor.op "Tanh"(%change_sum) : (!Bits) -> !Bits
    %kept = tfx_tensor.op "Mul"(%cells, %forget) : (!Bits, !Bits) -> !Bits
    %changed = tfx_tensor.op "Mul"(%in, %change) : (!Bits, !Bits) -> !Bits
    %new_cells = tfx_tensor.op "AddV2"(%kept, %changed) : (!Bits, !Bits) -> !Bits
    %seen = tfx_tensor.op "Tanh"(%new_cells) : (!Bits) -> !Bits
    %new_hidden = tfx_tensor.op "Mul"(%out, %seen) : (!Bits, !Bits) -> !Bits
    return %new_hidden, %new_cells : !Bits, !Bits
  }

  // Takes the parameters of the layers apart.
  func.func private @layers(%gates: !Gates) -> (!Layer, !Layer) {
    %shape = tfx_tensor.const dense<[16, 14]> : tensor<2xi32>
    %rows = tfx_tensor.op "Reshape"(%gates, %shape) : (!Gates, tensor<2xi32>) -> tensor<16x14xf64>
    %r:16 = tfx_tensor.op "Unpack"(%rows) {axis = 0 : i64} : (tensor<16x14xf64>)
        -> (!Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits)
    %layer0 = tfx_host.make_struct(%r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7)
        : (!Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits) -> !Layer
    %layer1 = tfx_host.make_struct(%r#8, %r#9, %r#10, %r#11, %r#12, %r#13, %r#14, %r#15)
        : (!Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits, !Bits) -> !Layer
    return %layer0, %layer1 : !Layer, !Layer
  }

  func.func private @objective(%gates: !Gates, %ends: !Ends, %state: !State, %sequence: !Sequence) -> tensor<f64> {
    %layer0, %layer1 = func.call @layers(%gates) : (!Gates) -> (!Layer, !Layer)
    %in_weight, %out_weight, %out_bias = tfx_tensor.op "Unpack"(%ends) {axis = 0 : i64} : (!Ends) -> (!Bits, !Bits, !Bits)
    %state_shape = tfx_tensor.const dense<[4, 14]> : tensor<2xi32>
    %state_rows = tfx_tensor.op "Reshape"(%state, %state_shape) : (!State, tensor<2xi32>) -> tensor<4x14xf64>
    %s:4 = tfx_tensor.op "Unpack"(%state_rows) {axis = 0 : i64} : (tensor<4x14xf64>) -> (!Bits, !Bits, !Bits, !Bits)
    %rows = tfx_tensor.const dense<0> : tensor<i32>
    %two = tfx_tensor.const dense<2.0> : tensor<f64>
    %none = tfx_tensor.const dense<0.0> : tensor<f64>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %count = arith.constant 1023 : i32
    %end:5 = scf.for %i = %zero to %count step %one
        iter_args(%h0 = %s#0, %c0 = %s#1, %h1 = %s#2, %c1 = %s#3, %total = %none) -> (!Bits, !Bits, !Bits, !Bits, tensor<f64>) : i32 {
      %now = tfx_tensor.from_scalar %i : i32
      %j = arith.addi %i, %one : i32
      %later = tfx_tensor.from_scalar %j : i32
      %character = tfx_tensor.op "GatherV2"(%sequence, %now, %rows) : (!Sequence, tensor<i32>, tensor<i32>) -> !Bits
      %next = tfx_tensor.op "GatherV2"(%sequence, %later, %rows) : (!Sequence, tensor<i32>, tensor<i32>) -> !Bits
      %x = tfx_tensor.op "Mul"(%character, %in_weight) : (!Bits, !Bits) -> !Bits
      %new_h0, %new_c0 = func.call @layer(%layer0, %x, %h0, %c0) : (!Layer, !Bits, !Bits, !Bits) -> (!Bits, !Bits)
      %new_h1, %new_c1 = func.call @layer(%layer1, %new_h0, %h1, %c1) : (!Layer, !Bits, !Bits, !Bits) -> (!Bits, !Bits)
      %prediction = func.call @gate(%new_h1, %out_weight, %out_bias) : (!Bits, !Bits, !Bits) -> !Bits
      %exp = tfx_tensor.op "Exp"(%prediction) : (!Bits) -> !Bits
      %sum = tfx_tensor.op "Sum"(%exp, %rows) : (!Bits, tensor<i32>) -> tensor<f64>
      %sum_two = tfx_tensor.op "AddV2"(%sum, %two) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %log = tfx_tensor.op "Log"(%sum_two) : (tensor<f64>) -> tensor<f64>
      %normal = tfx_tensor.op "Sub"(%prediction, %log) : (!Bits, tensor<f64>) -> !Bits
      %right = tfx_tensor.op "Mul"(%next, %normal) : (!Bits, !Bits) -> !Bits
      %gain = tfx_tensor.op "Sum"(%right, %rows) : (!Bits, tensor<i32>) -> tensor<f64>
      %new_total = tfx_tensor.op "AddV2"(%total, %gain) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      scf.yield %new_h0, %new_c0, %new_h1, %new_c1, %new_total : !Bits, !Bits, !Bits, !Bits, tensor<f64>
    }
    %scale = tfx_tensor.const dense<-14322.0> : tensor<f64>
    %loss = tfx_tensor.op "RealDiv"(%end#4, %scale) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %loss : tensor<f64>
  }

  // The parameters, which are not known before the clock has started.
  func.func private @after_start(%gates: !Gates, %ends: !Ends) -> (!Gates, !Ends) {
    %zero_scalar = func.call @start_clock() : () -> f64
    %zero = tfx_tensor.from_scalar %zero_scalar : f64
    %a = tfx_tensor.op "AddV2"(%gates, %zero) : (!Gates, tensor<f64>) -> !Gates
    %b = tfx_tensor.op "AddV2"(%ends, %zero) : (!Ends, tensor<f64>) -> !Ends
    return %a, %b : !Gates, !Ends
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}) {
    %gates = func.call @lstm_gates() : () -> !Gates
    %ends = func.call @lstm_ends() : () -> !Ends
    %state = func.call @lstm_state() : () -> !State
    %sequence = func.call @lstm_sequence() : () -> !Sequence
    %value, %d:2 = tfx_ad.gradient @objective(%gates, %ends, %state, %sequence) wrt [0, 1] value
        : (!Gates, !Ends, !State, !Sequence) -> (tensor<f64>, !Gates, !Ends)
    %value_name = tfx_host.string "value"
    %value_any = tfx_tensor.op "Identity"(%value) : (tensor<f64>) -> tensor<*xf64>
    func.call @checksum(%value_name, %value_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %gates_name = tfx_host.string "gates"
    %gates_any = tfx_tensor.op "Identity"(%d#0) : (!Gates) -> tensor<*xf64>
    func.call @checksum(%gates_name, %gates_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %ends_name = tfx_host.string "ends"
    %ends_any = tfx_tensor.op "Identity"(%d#1) : (!Ends) -> tensor<*xf64>
    func.call @checksum(%ends_name, %ends_any) : (!tfx_host.string, tensor<*xf64>) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %p:2 = func.call @after_start(%gates, %ends) : (!Gates, !Ends) -> (!Gates, !Ends)
      %y = func.call @objective(%p#0, %p#1, %state, %sequence) : (!Gates, !Ends, !State, !Sequence) -> tensor<f64>
      func.call @stop_clock(%y) : (tensor<f64>) -> ()
    }
    %primal = tfx_host.string "primal"
    func.call @print_times(%primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p:2 = func.call @after_start(%gates, %ends) : (!Gates, !Ends) -> (!Gates, !Ends)
      %g:2 = tfx_ad.gradient @objective(%p#0, %p#1, %state, %sequence) wrt [0, 1]
          : (!Gates, !Ends, !State, !Sequence) -> (!Gates, !Ends)
      func.call @stop_clock_2(%g#0, %g#1) : (!Gates, !Ends) -> ()
    }
    %derivative = tfx_host.string "derivative"
    func.call @print_times(%derivative) : (!tfx_host.string) -> ()
    return
  }

  // Second derivatives along a direction, in three ways.
  func.func private @slope(%gates: !Gates, %ends: !Ends, %state: !State, %sequence: !Sequence) -> (!Gates, !Ends) {
    %d:2 = tfx_ad.gradient @objective(%gates, %ends, %state, %sequence) wrt [0, 1]
        : (!Gates, !Ends, !State, !Sequence) -> (!Gates, !Ends)
    return %d#0, %d#1 : !Gates, !Ends
  }
  func.func private @slope_along(%gates: !Gates, %ends: !Ends, %state: !State, %sequence: !Sequence, %to_gates: !Gates, %to_ends: !Ends)
      -> tensor<f64> {
    %d:2 = func.call @slope(%gates, %ends, %state, %sequence) : (!Gates, !Ends, !State, !Sequence) -> (!Gates, !Ends)
    %gate_axes = tfx_tensor.const dense<[0, 1, 2, 3]> : tensor<4xi32>
    %end_axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %gate_products = tfx_tensor.op "Mul"(%d#0, %to_gates) : (!Gates, !Gates) -> !Gates
    %end_products = tfx_tensor.op "Mul"(%d#1, %to_ends) : (!Ends, !Ends) -> !Ends
    %by_gates = tfx_tensor.op "Sum"(%gate_products, %gate_axes) : (!Gates, tensor<4xi32>) -> tensor<f64>
    %by_ends = tfx_tensor.op "Sum"(%end_products, %end_axes) : (!Ends, tensor<2xi32>) -> tensor<f64>
    %along = tfx_tensor.op "AddV2"(%by_gates, %by_ends) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %along : tensor<f64>
  }
  func.func private @tangent_along(%gates: !Gates, %ends: !Ends, %state: !State, %sequence: !Sequence, %to_gates: !Gates, %to_ends: !Ends)
      -> tensor<f64> {
    %loss, %along = tfx_ad.jvp @objective(%gates, %ends, %state, %sequence) tangents(%to_gates, %to_ends : !Gates, !Ends) wrt [0, 1]
        : (!Gates, !Ends, !State, !Sequence) -> (tensor<f64>, tensor<f64>)
    return %along : tensor<f64>
  }
  func.func private @show_second(%gates: !Gates, %ends: !Ends) {
    %gates_name = tfx_host.string "second by gates"
    %gates_any = tfx_tensor.op "Identity"(%gates) : (!Gates) -> tensor<*xf64>
    func.call @checksum(%gates_name, %gates_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %ends_name = tfx_host.string "second by ends"
    %ends_any = tfx_tensor.op "Identity"(%ends) : (!Ends) -> tensor<*xf64>
    func.call @checksum(%ends_name, %ends_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    return
  }

  func.func @second() {
    %gates = func.call @lstm_gates() : () -> !Gates
    %ends = func.call @lstm_ends() : () -> !Ends
    %state = func.call @lstm_state() : () -> !State
    %sequence = func.call @lstm_sequence() : () -> !Sequence
    %to_gates = tfx_tensor.op "Sin"(%gates) : (!Gates) -> !Gates
    %to_ends = tfx_tensor.op "Cos"(%ends) : (!Ends) -> !Ends
    %a:4 = tfx_ad.jvp @slope(%gates, %ends, %state, %sequence) tangents(%to_gates, %to_ends : !Gates, !Ends) wrt [0, 1]
        : (!Gates, !Ends, !State, !Sequence) -> (!Gates, !Ends, !Gates, !Ends)
    func.call @show_second(%a#2, %a#3) : (!Gates, !Ends) -> ()
    %b:2 = tfx_ad.gradient @slope_along(%gates, %ends, %state, %sequence, %to_gates, %to_ends) wrt [0, 1]
        : (!Gates, !Ends, !State, !Sequence, !Gates, !Ends) -> (!Gates, !Ends)
    func.call @show_second(%b#0, %b#1) : (!Gates, !Ends) -> ()
    %c:2 = tfx_ad.gradient @tangent_along(%gates, %ends, %state, %sequence, %to_gates, %to_ends) wrt [0, 1]
        : (!Gates, !Ends, !State, !Sequence, !Gates, !Ends) -> (!Gates, !Ends)
    func.call @show_second(%c#0, %c#1) : (!Gates, !Ends) -> ()
    return
  }
}
