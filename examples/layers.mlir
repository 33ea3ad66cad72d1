// A library of layers, as emitted for an object-oriented language, and a program that uses it.
//
// Its layers are generic in their scalar type and conform to a protocol; a Sequential of two layers
// is a layer; the optimizer has a velocity per weight; the training loop takes a closure. Gradients
// are derived from `call`, and have the type of the model. No abstraction remains in the graph:
//
//   in this file                             result of the compilation
//   generic functions, protocol methods      functions of known types; direct calls; then inlined
//   Sequential<Conv, Dense>                  its leaves: two matrices and two biases
//   tfx_ad.gradient                          three products of matrices, and two sums of rows
//   the gradient of the pixels               not computed, because nothing depends on it
//   inout model, inout optimizer             iteration arguments of the loop in the graph
//   the closure with images and labels       inlined where it is applied; the images are inputs
//   the sizes of the layers                  constants: [-1, 72] for 9 windows and 8 filters
//   `moved` of Dense                         one graph function, which is called six times
//   the loss                                 all that the loop sends
//
//   tfxc run examples/layers.mlir --stats
//   tfx-opt examples/layers.mlir --tfx-deabstract

// Types inside generic code. A batch is a matrix with a row for each image.
!Matrix = tensor<?x?x!tfx_host.param<"Scalar">>
!Vector = tensor<?x!tfx_host.param<"Scalar">>
!Geometry = !tfx_host.param<"Geometry">
!Model = !tfx_host.param<"Model">
!Self = !tfx_host.param<"Self">
!A = !tfx_host.param<"A">
!B = !tfx_host.param<"B">
!Dense = !tfx_host.struct<@Dense<!tfx_host.param<"Scalar">>>
!Conv = !tfx_host.struct<@Conv<!tfx_host.param<"Scalar">, !tfx_host.param<"Geometry">>>
!Sequential = !tfx_host.struct<@Sequential<!tfx_host.param<"A">, !tfx_host.param<"B">>>
!Momentum = !tfx_host.struct<@Momentum<!tfx_host.param<"Model">>>
// The associated type of a layer: its inputs and outputs.
!Self_Batch = !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Batch">
!A_Batch = !tfx_host.assoc<!tfx_host.param<"A">, @Layer, "Batch">
// The type parameters of generic functions, with their required protocols.
#any_scalar = [#tfx_host.type_param<"Scalar">]
#any_conv = [#tfx_host.type_param<"Scalar">, #tfx_host.type_param<"Geometry", @Geometry>]
#two_layers = [#tfx_host.type_param<"A", @Layer>, #tfx_host.type_param<"B", @Layer>]
#any_model = [#tfx_host.type_param<"Model", @Layer>]
// The types of this program.
!Images = tensor<?x?xf32>
!Labels = tensor<?xi32>
!Windows = !tfx_host.struct<@Windows>
!Digits_Conv = !tfx_host.struct<@Conv<f32, !Windows>>
!Digits_Dense = !tfx_host.struct<@Dense<f32>>
!Network = !tfx_host.struct<@Sequential<!Digits_Conv, !Digits_Dense>>
!Optimizer = !tfx_host.struct<@Momentum<!Network>>

module attributes {tfx.link = ["host/digits.c"]} {
  func.func private @digits_images(%test: i1) -> !Images
  func.func private @digits_labels(%test: i1) -> !Labels
  func.func private @initial_weights(%rows: i64, %columns: i64, %scale: f32) -> tensor<?x?xf32>

  // ---- Layers -----------------------------------------------------------------------------------
  // `moved` adds a multiple of a gradient, or of another layer of the same type, to the weights.

  tfx_host.protocol @Layer<"Batch"> {
    call: (!Self, !Self_Batch) -> !Self_Batch,
    moved: (!Self, !Self, f32) -> !Self
  }

  // Dense: x * matrix + bias.
  tfx_host.struct @Dense<"Scalar"> {matrix: !Matrix, bias: !Vector}
  tfx_host.witness_table @Dense_Layer<"Scalar"> : !Dense conforms @Layer {Batch: !Matrix, call = @Dense.call, moved = @Dense.moved}
  // Random weights, and biases of zero: as many as a row of weights.
  func.func private @Dense.init(%inputs: i64, %outputs: i64, %scale: f32) -> !Dense attributes {tfx_host.type_params = #any_scalar} {
    %random = func.call @initial_weights(%inputs, %outputs, %scale) : (i64, i64, f32) -> tensor<?x?xf32>
    %matrix = tfx_tensor.op "Cast"(%random) : (tensor<?x?xf32>) -> !Matrix
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %row = tfx_tensor.op "GatherV2"(%matrix, %first, %first) : (!Matrix, tensor<i32>, tensor<i32>) -> !Vector
    %bias = tfx_tensor.op "ZerosLike"(%row) : (!Vector) -> !Vector
    %self = tfx_host.make_struct(%matrix, %bias) : (!Matrix, !Vector) -> !Dense
    return %self : !Dense
  }
  func.func private @Dense.call(%self: !Dense, %x: !Matrix) -> !Matrix attributes {tfx_host.type_params = #any_scalar} {
    %matrix = tfx_host.extract %self["matrix"] : !Dense -> !Matrix
    %bias = tfx_host.extract %self["bias"] : !Dense -> !Vector
    %product = tfx_tensor.op "MatMul"(%x, %matrix) : (!Matrix, !Matrix) -> !Matrix
    %y = tfx_tensor.op "BiasAdd"(%product, %bias) : (!Matrix, !Vector) -> !Matrix
    return %y : !Matrix
  }
  func.func private @Dense.moved(%self: !Dense, %by: !Dense, %factor: f32) -> !Dense attributes {tfx_host.type_params = #any_scalar} {
    %single = tfx_tensor.from_scalar %factor : f32
    %scalar = tfx_tensor.op "Cast"(%single) : (tensor<f32>) -> tensor<!tfx_host.param<"Scalar">>
    %m = tfx_host.extract %self["matrix"] : !Dense -> !Matrix
    %b = tfx_host.extract %self["bias"] : !Dense -> !Vector
    %by_m = tfx_host.extract %by["matrix"] : !Dense -> !Matrix
    %by_b = tfx_host.extract %by["bias"] : !Dense -> !Vector
    %step_m = tfx_tensor.op "Mul"(%by_m, %scalar) : (!Matrix, tensor<!tfx_host.param<"Scalar">>) -> !Matrix
    %step_b = tfx_tensor.op "Mul"(%by_b, %scalar) : (!Vector, tensor<!tfx_host.param<"Scalar">>) -> !Vector
    %matrix = tfx_tensor.op "AddV2"(%m, %step_m) : (!Matrix, !Matrix) -> !Matrix
    %bias = tfx_tensor.op "AddV2"(%b, %step_b) : (!Vector, !Vector) -> !Vector
    %moved = tfx_host.make_struct(%matrix, %bias) : (!Matrix, !Vector) -> !Dense
    return %moved : !Dense
  }

  // The windows of a convolution belong to its type: the pixels of all, and their number and size.
  // The shapes below are computed from these functions at compile time.
  tfx_host.protocol @Geometry {
    windows: () -> tensor<?xi32>,
    sizes: () -> (i64, i64, i64),
    outputs: () -> i64 = @Geometry.outputs
  }
  func.func private @Geometry.outputs() -> i64 attributes {tfx_host.type_params = [#tfx_host.type_param<"Self", @Geometry>]} {
    %count, %area, %filters = tfx_host.witness_call @Geometry["sizes"] of !Self () : () -> (i64, i64, i64)
    %outputs = arith.muli %count, %filters : i64
    return %outputs : i64
  }

  // Conv: a Dense layer for each window, the same for all, with the activation Tanh.
  tfx_host.struct @Conv<"Scalar", "Geometry"> {filters: !Dense}
  tfx_host.witness_table @Conv_Layer<"Scalar", "Geometry"> : !Conv conforms @Layer {Batch: !Matrix, call = @Conv.call, moved = @Conv.moved}
  func.func private @Conv.call(%self: !Conv, %x: !Matrix) -> !Matrix attributes {tfx_host.type_params = #any_conv} {
    %filters = tfx_host.extract %self["filters"] : !Conv -> !Dense
    %windows = tfx_host.witness_call @Geometry["windows"] of !Geometry () : () -> tensor<?xi32>
    %count, %area, %depth = tfx_host.witness_call @Geometry["sizes"] of !Geometry () : () -> (i64, i64, i64)
    %outputs = tfx_host.witness_call @Geometry["outputs"] of !Geometry () : () -> i64
    %axis = tfx_tensor.const dense<1> : tensor<i32>
    %pixels = tfx_tensor.op "GatherV2"(%x, %windows, %axis) : (!Matrix, tensor<?xi32>, tensor<i32>) -> !Matrix
    %patches = tfx_host.call @fold<[!tfx_host.param<"Scalar">]>(%pixels, %area) : (!Matrix, i64) -> !Matrix
    %sums = tfx_host.call @Dense.call<[!tfx_host.param<"Scalar">]>(%filters, %patches) : (!Dense, !Matrix) -> !Matrix
    %y = tfx_tensor.op "Tanh"(%sums) : (!Matrix) -> !Matrix
    %z = tfx_host.call @fold<[!tfx_host.param<"Scalar">]>(%y, %outputs) : (!Matrix, i64) -> !Matrix
    return %z : !Matrix
  }
  // A matrix with a given number of columns, and as many rows as that makes.
  func.func private @fold(%x: !Matrix, %columns: i64) -> !Matrix attributes {tfx_host.type_params = #any_scalar} {
    %rest = arith.constant -1 : i64
    %sizes = tfx_host.array(%rest, %columns) : !tfx_host.array<i64>
    %shape = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i64>) : () -> tensor<2xi64>
    %folded = tfx_tensor.op "Reshape"(%x, %shape) : (!Matrix, tensor<2xi64>) -> !Matrix
    return %folded : !Matrix
  }
  func.func private @Conv.moved(%self: !Conv, %by: !Conv, %factor: f32) -> !Conv attributes {tfx_host.type_params = #any_conv} {
    %filters = tfx_host.extract %self["filters"] : !Conv -> !Dense
    %by_filters = tfx_host.extract %by["filters"] : !Conv -> !Dense
    %sum = tfx_host.witness_call @Layer["moved"] of !Dense (%filters, %by_filters, %factor) : (!Dense, !Dense, f32) -> !Dense
    %moved = tfx_host.make_struct(%sum) : (!Dense) -> !Conv
    return %moved : !Conv
  }

  // Sequential: two layers are a layer. They nest to any depth.
  tfx_host.struct @Sequential<"A", "B"> {first: !A, second: !B}
  tfx_host.witness_table @Sequential_Layer<"A", "B"> : !Sequential conforms @Layer {
    Batch: !A_Batch, call = @Sequential.call, moved = @Sequential.moved
  }
  func.func private @Sequential.call(%self: !Sequential, %x: !A_Batch) -> !A_Batch attributes {tfx_host.type_params = #two_layers} {
    %a = tfx_host.extract %self["first"] : !Sequential -> !A
    %b = tfx_host.extract %self["second"] : !Sequential -> !B
    %y = tfx_host.witness_call @Layer["call"] of !A (%a, %x) : (!A, !A_Batch) -> !A_Batch
    %z = tfx_host.witness_call @Layer["call"] of !B (%b, %y) : (!B, !A_Batch) -> !A_Batch
    return %z : !A_Batch
  }
  func.func private @Sequential.moved(%self: !Sequential, %by: !Sequential, %factor: f32) -> !Sequential
      attributes {tfx_host.type_params = #two_layers} {
    %a = tfx_host.extract %self["first"] : !Sequential -> !A
    %b = tfx_host.extract %self["second"] : !Sequential -> !B
    %by_a = tfx_host.extract %by["first"] : !Sequential -> !A
    %by_b = tfx_host.extract %by["second"] : !Sequential -> !B
    %moved_a = tfx_host.witness_call @Layer["moved"] of !A (%a, %by_a, %factor) : (!A, !A, f32) -> !A
    %moved_b = tfx_host.witness_call @Layer["moved"] of !B (%b, %by_b, %factor) : (!B, !B, f32) -> !B
    %moved = tfx_host.make_struct(%moved_a, %moved_b) : (!A, !B) -> !Sequential
    return %moved : !Sequential
  }

  // ---- Training ---------------------------------------------------------------------------------
  // Gradient descent with momentum, for any type of model. The velocity is a sum of gradients, of
  // which the older ones count less. Both the optimizer and the model are inout parameters.
  tfx_host.struct @Momentum<"Model"> {rate: f32, decay: f32, velocity: !Model}
  func.func private @Momentum.update(%self: !tfx_host.ref<!Momentum>, %model: !tfx_host.ref<!Model>, %gradient: !Model)
      attributes {tfx_host.type_params = #any_model} {
    %optimizer = tfx_host.load %self : !tfx_host.ref<!Momentum>
    %rate = tfx_host.extract %optimizer["rate"] : !Momentum -> f32
    %decay = tfx_host.extract %optimizer["decay"] : !Momentum -> f32
    %old = tfx_host.extract %optimizer["velocity"] : !Momentum -> !Model
    %velocity = tfx_host.witness_call @Layer["moved"] of !Model (%gradient, %old, %decay) : (!Model, !Model, f32) -> !Model
    %field = tfx_host.field_ref %self["velocity"] : !tfx_host.ref<!Momentum> -> !tfx_host.ref<!Model>
    tfx_host.store %velocity, %field : !Model
    %before = tfx_host.load %model : !tfx_host.ref<!Model>
    %downhill = arith.negf %rate : f32
    %after = tfx_host.witness_call @Layer["moved"] of !Model (%before, %velocity, %downhill) : (!Model, !Model, f32) -> !Model
    tfx_host.store %after, %model : !Model
    return
  }

  // The training loop. `step` is a closure that returns the loss of a model and its gradient.
  func.func private @train(%model: !tfx_host.ref<!Model>, %optimizer: !tfx_host.ref<!Momentum>,
      %step: !tfx_host.closure<(!Model) -> (tensor<f32>, !Model)>) attributes {tfx_host.type_params = #any_model} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 300 : i32
    %every = arith.constant 50 : i32
    scf.for %i = %zero to %steps step %one : i32 {
      %before = tfx_host.load %model : !tfx_host.ref<!Model>
      %loss, %gradient = tfx_host.apply %step(%before) : !tfx_host.closure<(!Model) -> (tensor<f32>, !Model)>
      tfx_host.call @Momentum.update<[!Model]>(%optimizer, %model, %gradient)
          : (!tfx_host.ref<!Momentum>, !tfx_host.ref<!Model>, !Model) -> ()
      %rem = arith.remsi %i, %every : i32
      %show = arith.cmpi eq, %rem, %zero : i32
      scf.if %show {
        tfx_host.print "step {}: loss {}"(%i, %loss) : i32, tensor<f32>
      }
    }
    return
  }

  // ---- The program ------------------------------------------------------------------------------
  // Images of 8x8 pixels, 3 * 3 windows of 4x4 with stride 2: the corner of each, plus its pixels.
  tfx_host.struct @Windows {}
  tfx_host.witness_table @Windows_Geometry : !Windows conforms @Geometry {windows = @Windows.windows, sizes = @Windows.sizes}
  func.func private @Windows.windows() -> tensor<?xi32> {
    %corners = tfx_tensor.const dense<[[0], [2], [4], [16], [18], [20], [32], [34], [36]]> : tensor<9x1xi32>
    %pixels = tfx_tensor.const dense<[0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]> : tensor<16xi32>
    %table = tfx_tensor.op "AddV2"(%corners, %pixels) : (tensor<9x1xi32>, tensor<16xi32>) -> tensor<9x16xi32>
    %flat = tfx_tensor.const dense<[-1]> : tensor<1xi32>
    %windows = tfx_tensor.op "Reshape"(%table, %flat) : (tensor<9x16xi32>, tensor<1xi32>) -> tensor<?xi32>
    return %windows : tensor<?xi32>
  }
  func.func private @Windows.sizes() -> (i64, i64, i64) {
    %count = arith.constant 9 : i64
    %area = arith.constant 16 : i64
    %filters = arith.constant 8 : i64
    return %count, %area, %filters : i64, i64, i64
  }

  // The mean cross-entropy of the answers of a network.
  func.func private @loss(%network: !Network, %x: !Images, %labels: !Labels) -> tensor<f32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %logits = tfx_host.witness_call @Layer["call"] of !Network (%network, %x) : (!Network, !Images) -> tensor<?x?xf32>
    %losses, %per_image = tfx_tensor.op "SparseSoftmaxCrossEntropyWithLogits"(%logits, %labels)
        : (tensor<?x?xf32>, !Labels) -> (tensor<?xf32>, tensor<?x?xf32>)
    %loss = tfx_tensor.op "Mean"(%losses, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    return %loss : tensor<f32>
  }

  // The body of the closure, which binds images and labels.
  func.func private @step(%x: !Images, %labels: !Labels, %network: !Network) -> (tensor<f32>, !Network) {
    %loss, %gradient = tfx_ad.gradient @loss(%network, %x, %labels) wrt [0] value : (!Network, !Images, !Labels) -> (tensor<f32>, !Network)
    return %loss, %gradient : tensor<f32>, !Network
  }

  // The fraction of the images classified correctly.
  func.func private @accuracy(%network: !Network, %x: !Images, %labels: !Labels) -> tensor<f32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %second = tfx_tensor.const dense<1> : tensor<i32>
    %logits = tfx_host.witness_call @Layer["call"] of !Network (%network, %x) : (!Network, !Images) -> tensor<?x?xf32>
    %digits = tfx_tensor.op "ArgMax"(%logits, %second) {output_type = i32} : (tensor<?x?xf32>, tensor<i32>) -> tensor<?xi32>
    %hits = tfx_tensor.op "Equal"(%digits, %labels) : (tensor<?xi32>, !Labels) -> tensor<?xi1>
    %ones = tfx_tensor.op "Cast"(%hits) : (tensor<?xi1>) -> tensor<?xf32>
    %share = tfx_tensor.op "Mean"(%ones, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    return %share : tensor<f32>
  }

  func.func @main() -> (tensor<f32> {tfx.name = "accuracy"}) {
    %training = arith.constant false
    %test = arith.constant true
    %x = func.call @digits_images(%training) : (i1) -> !Images
    %labels = func.call @digits_labels(%training) : (i1) -> !Labels
    %test_x = func.call @digits_images(%test) : (i1) -> !Images
    %test_labels = func.call @digits_labels(%test) : (i1) -> !Labels

    // Sequential { Conv(8 filters of 4x4, stride 2); Dense(10) }, on images of 8x8.
    %scale = arith.constant 0.2 : f32
    %count, %area, %depth = tfx_host.witness_call @Geometry["sizes"] of !Windows () : () -> (i64, i64, i64)
    %filters = tfx_host.call @Dense.init<[f32]>(%area, %depth, %scale) : (i64, i64, f32) -> !Digits_Dense
    %conv = tfx_host.make_struct(%filters) : (!Digits_Dense) -> !Digits_Conv
    %features = tfx_host.witness_call @Geometry["outputs"] of !Windows () : () -> i64
    %classes = arith.constant 10 : i64
    %dense = tfx_host.call @Dense.init<[f32]>(%features, %classes, %scale) : (i64, i64, f32) -> !Digits_Dense
    %start = tfx_host.make_struct(%conv, %dense) : (!Digits_Conv, !Digits_Dense) -> !Network
    %network = tfx_host.var : !tfx_host.ref<!Network>
    tfx_host.store %start, %network : !Network
    // The velocity starts at zero: the model minus itself.
    %rate = arith.constant 0.2 : f32
    %decay = arith.constant 0.9 : f32
    %minus_one = arith.constant -1.0 : f32
    %rest = tfx_host.witness_call @Layer["moved"] of !Network (%start, %start, %minus_one) : (!Network, !Network, f32) -> !Network
    %momentum = tfx_host.make_struct(%rate, %decay, %rest) : (f32, f32, !Network) -> !Optimizer
    %optimizer = tfx_host.var : !tfx_host.ref<!Optimizer>
    tfx_host.store %momentum, %optimizer : !Optimizer
    %step = tfx_host.closure @step(%x, %labels) : (!Images, !Labels) -> !tfx_host.closure<(!Network) -> (tensor<f32>, !Network)>
    tfx_host.call @train<[!Network]>(%network, %optimizer, %step) : (!tfx_host.ref<!Network>,
        !tfx_host.ref<!Optimizer>, !tfx_host.closure<(!Network) -> (tensor<f32>, !Network)>) -> ()
    %trained = tfx_host.load %network : !tfx_host.ref<!Network>
    %accuracy = func.call @accuracy(%trained, %test_x, %test_labels) : (!Network, !Images, !Labels) -> tensor<f32>
    tfx_host.print "of the held-out digits it reads right: {}"(%accuracy) : tensor<f32>
    return %accuracy : tensor<f32>
  }
}
