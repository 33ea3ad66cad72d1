// A library of layers, as emitted for an object-oriented language, and a program that uses it.
//
// It has what such libraries have: layers generic in their scalar type, a protocol for layers, a
// Sequential of any two layers (a layer as well), an optimizer with a velocity per weight, and a
// training loop that only takes a closure. None of these abstractions remains in the graph:
//
//   in this file                             result of the compilation
//   generic functions, protocol methods      functions of known types; direct calls; then inlined
//   Sequential<Conv, Sequential<Tanh, ..>>   its leaves: two matrices, two biases, window pixels
//   inout model, inout optimizer             iteration arguments of the loop in the graph
//   the closure with images and labels       inlined where it is applied; the images are inputs
//   the sizes of the layers                  constants: [-1, 72] for 3 * 3 windows and 8 filters
//   the gradient of the pixels               erased, because it is not used
//   `times`, which is called three times     one graph function
//
// The result is the graph one would write by hand (see digits.mlir). Its loop sends only the loss.
//
//   tfxc run examples/layers.mlir --stats
//   tfx-opt examples/layers.mlir --tfx-deabstract

// Types inside generic code. A batch is a matrix with a row for each image.
!Matrix = tensor<?x?x!tfx_host.param<"Scalar">>
!Vector = tensor<?x!tfx_host.param<"Scalar">>
!A = !tfx_host.param<"A">
!B = !tfx_host.param<"B">
!Self = !tfx_host.param<"Self">
!Weights = !tfx_host.struct<@Weights<!tfx_host.param<"Scalar">>>
!Dense = !tfx_host.struct<@Dense<!tfx_host.param<"Scalar">>>
!Conv = !tfx_host.struct<@Conv<!tfx_host.param<"Scalar">, !tfx_host.param<"Geometry">>>
!Geometry = !tfx_host.param<"Geometry">
!Tanh = !tfx_host.struct<@Tanh<!tfx_host.param<"Scalar">>>
!Sequential = !tfx_host.struct<@Sequential<!tfx_host.param<"A">, !tfx_host.param<"B">>>
!Momentum = !tfx_host.struct<@Momentum<!tfx_host.param<"Model">>>

// The associated types of a layer: its inputs and outputs, its tape for backward, its gradient.
!Self_Batch = !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Batch">
!Self_Tape = !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Tape">
!Self_Gradient = !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Gradient">
!A_Batch = !tfx_host.assoc<!tfx_host.param<"A">, @Layer, "Batch">
!A_Tape = !tfx_host.assoc<!tfx_host.param<"A">, @Layer, "Tape">
!A_Gradient = !tfx_host.assoc<!tfx_host.param<"A">, @Layer, "Gradient">
!B_Tape = !tfx_host.assoc<!tfx_host.param<"B">, @Layer, "Tape">
!B_Gradient = !tfx_host.assoc<!tfx_host.param<"B">, @Layer, "Gradient">
!Model = !tfx_host.param<"Model">
!Model_Gradient = !tfx_host.assoc<!tfx_host.param<"Model">, @Layer, "Gradient">

// The type parameters of generic functions, with their required protocols.
#any_scalar = [#tfx_host.type_param<"Scalar">]
#any_conv = [#tfx_host.type_param<"Scalar">, #tfx_host.type_param<"Geometry", @Geometry>]
#any_geometry = [#tfx_host.type_param<"Self", @Geometry>]
#any_gradient = [#tfx_host.type_param<"Self", @Gradient>]
#any_layer = [#tfx_host.type_param<"Self", @Layer>]
#two_gradients = [#tfx_host.type_param<"A", @Gradient>, #tfx_host.type_param<"B", @Gradient>]
#two_layers = [#tfx_host.type_param<"A", @Layer>, #tfx_host.type_param<"B", @Layer>]
#any_model = [#tfx_host.type_param<"Model", @Layer>]

// The network of this program.
!Windows = !tfx_host.struct<@Windows>
!Digits_Conv = !tfx_host.struct<@Conv<f32, !Windows>>
!Head = !tfx_host.struct<@Sequential<!tfx_host.struct<@Tanh<f32>>, !tfx_host.struct<@Dense<f32>>>>
!Network = !tfx_host.struct<@Sequential<!Digits_Conv, !Head>>
!Network_Gradient = !tfx_host.assoc<!Network, @Layer, "Gradient">

module attributes {tfx.link = ["host/digits.c"]} {
  func.func private @digits_images(%test: i1) -> tensor<?x?xf32>
  func.func private @digits_labels(%test: i1) -> tensor<?xi32>
  func.func private @initial_weights(%rows: i64, %columns: i64, %scale: f32) -> tensor<?x?xf32>

  // ---- Gradients --------------------------------------------------------------------------------
  // An optimizer must be able to add and scale gradients of any type. `minus` is a default of the
  // protocol, which a type may override.

  tfx_host.protocol @Gradient {
    plus: (!Self, !Self) -> !Self,
    times: (!Self, f32) -> !Self,
    minus: (!Self, !Self) -> !Self = @Gradient.minus
  }
  func.func private @Gradient.minus(%a: !Self, %b: !Self) -> !Self attributes {tfx_host.type_params = #any_gradient} {
    %minus_one = arith.constant -1.0 : f32
    %negative = tfx_host.witness_call @Gradient["times"] of !Self (%b, %minus_one) : (!Self, f32) -> !Self
    %difference = tfx_host.witness_call @Gradient["plus"] of !Self (%a, %negative) : (!Self, !Self) -> !Self
    return %difference : !Self
  }

  // The gradient of a layer without weights.
  tfx_host.struct @Nothing {}
  tfx_host.witness_table @Nothing_Gradient : !tfx_host.struct<@Nothing> conforms @Gradient {plus = @Nothing.plus, times = @Nothing.times}
  func.func private @Nothing.plus(%a: !tfx_host.struct<@Nothing>, %b: !tfx_host.struct<@Nothing>) -> !tfx_host.struct<@Nothing> {
    return %a : !tfx_host.struct<@Nothing>
  }
  func.func private @Nothing.times(%a: !tfx_host.struct<@Nothing>, %factor: f32) -> !tfx_host.struct<@Nothing> {
    return %a : !tfx_host.struct<@Nothing>
  }

  // The matrix and the bias of Dense and Conv. Their gradients have the same type.
  tfx_host.struct @Weights<"Scalar"> {matrix: !Matrix, bias: !Vector}
  tfx_host.witness_table @Weights_Gradient<"Scalar"> : !Weights conforms @Gradient {plus = @Weights.plus, times = @Weights.times}
  func.func private @Weights.plus(%a: !Weights, %b: !Weights) -> !Weights attributes {tfx_host.type_params = #any_scalar} {
    %am = tfx_host.extract %a["matrix"] : !Weights -> !Matrix
    %bm = tfx_host.extract %b["matrix"] : !Weights -> !Matrix
    %ab = tfx_host.extract %a["bias"] : !Weights -> !Vector
    %bb = tfx_host.extract %b["bias"] : !Weights -> !Vector
    %matrix = tfx_tensor.op "AddV2"(%am, %bm) : (!Matrix, !Matrix) -> !Matrix
    %bias = tfx_tensor.op "AddV2"(%ab, %bb) : (!Vector, !Vector) -> !Vector
    %sum = tfx_host.make_struct(%matrix, %bias) : (!Matrix, !Vector) -> !Weights
    return %sum : !Weights
  }
  func.func private @Weights.times(%a: !Weights, %factor: f32) -> !Weights attributes {tfx_host.type_params = #any_scalar} {
    %single = tfx_tensor.from_scalar %factor : f32
    %scalar = tfx_tensor.op "Cast"(%single) : (tensor<f32>) -> tensor<!tfx_host.param<"Scalar">>
    %am = tfx_host.extract %a["matrix"] : !Weights -> !Matrix
    %ab = tfx_host.extract %a["bias"] : !Weights -> !Vector
    %matrix = tfx_tensor.op "Mul"(%am, %scalar) : (!Matrix, tensor<!tfx_host.param<"Scalar">>) -> !Matrix
    %bias = tfx_tensor.op "Mul"(%ab, %scalar) : (!Vector, tensor<!tfx_host.param<"Scalar">>) -> !Vector
    %product = tfx_host.make_struct(%matrix, %bias) : (!Matrix, !Vector) -> !Weights
    return %product : !Weights
  }
  func.func private @Weights.zero(%like: !Weights) -> !Weights attributes {tfx_host.type_params = #any_scalar} {
    %m = tfx_host.extract %like["matrix"] : !Weights -> !Matrix
    %b = tfx_host.extract %like["bias"] : !Weights -> !Vector
    %matrix = tfx_tensor.op "ZerosLike"(%m) : (!Matrix) -> !Matrix
    %bias = tfx_tensor.op "ZerosLike"(%b) : (!Vector) -> !Vector
    %zero = tfx_host.make_struct(%matrix, %bias) : (!Matrix, !Vector) -> !Weights
    return %zero : !Weights
  }
  // Random weights for a number of inputs, and biases of zero.
  func.func private @Weights.init(%inputs: i32, %outputs: i32, %scale: f32) -> !Weights attributes {tfx_host.type_params = #any_scalar} {
    %rows = arith.extsi %inputs : i32 to i64
    %columns = arith.extsi %outputs : i32 to i64
    %random = func.call @initial_weights(%rows, %columns, %scale) : (i64, i64, f32) -> tensor<?x?xf32>
    %matrix = tfx_tensor.op "Cast"(%random) : (tensor<?x?xf32>) -> !Matrix
    %sizes = tfx_host.array(%outputs) : !tfx_host.array<i32>
    %shape = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i32>) : () -> tensor<1xi32>
    %none = tfx_tensor.const dense<0.0> : tensor<f32>
    %single = tfx_tensor.op "Fill"(%shape, %none) : (tensor<1xi32>, tensor<f32>) -> tensor<?xf32>
    %bias = tfx_tensor.op "Cast"(%single) : (tensor<?xf32>) -> !Vector
    %weights = tfx_host.make_struct(%matrix, %bias) : (!Matrix, !Vector) -> !Weights
    return %weights : !Weights
  }

  // A pair of gradients: the gradient of a Sequential.
  tfx_host.witness_table @Pair_Gradient<"A", "B"> : tuple<!A, !B> conforms @Gradient {plus = @Pair.plus, times = @Pair.times}
  func.func private @Pair.plus(%x: tuple<!A, !B>, %y: tuple<!A, !B>) -> tuple<!A, !B> attributes {tfx_host.type_params = #two_gradients} {
    %xa = tfx_host.tuple_get %x[0] : tuple<!A, !B>
    %xb = tfx_host.tuple_get %x[1] : tuple<!A, !B>
    %ya = tfx_host.tuple_get %y[0] : tuple<!A, !B>
    %yb = tfx_host.tuple_get %y[1] : tuple<!A, !B>
    %a = tfx_host.witness_call @Gradient["plus"] of !A (%xa, %ya) : (!A, !A) -> !A
    %b = tfx_host.witness_call @Gradient["plus"] of !B (%xb, %yb) : (!B, !B) -> !B
    %sum = tfx_host.make_tuple(%a, %b) : !A, !B
    return %sum : tuple<!A, !B>
  }
  func.func private @Pair.times(%x: tuple<!A, !B>, %factor: f32) -> tuple<!A, !B> attributes {tfx_host.type_params = #two_gradients} {
    %xa = tfx_host.tuple_get %x[0] : tuple<!A, !B>
    %xb = tfx_host.tuple_get %x[1] : tuple<!A, !B>
    %a = tfx_host.witness_call @Gradient["times"] of !A (%xa, %factor) : (!A, f32) -> !A
    %b = tfx_host.witness_call @Gradient["times"] of !B (%xb, %factor) : (!B, f32) -> !B
    %product = tfx_host.make_tuple(%a, %b) : !A, !B
    return %product : tuple<!A, !B>
  }

  // ---- Layers -----------------------------------------------------------------------------------
  // `forward` also returns the tape of `backward`, which maps the output gradient to those of the
  // input and of the layer. `call`, a default method, drops the tape, for uses without `backward`.

  tfx_host.protocol @Layer<"Batch", "Tape", "Gradient"> {
    forward: (!Self, !Self_Batch) -> (!Self_Batch, !Self_Tape),
    backward: (!Self, !Self_Tape, !Self_Batch) -> (!Self_Batch, !Self_Gradient),
    zero: (!Self) -> !Self_Gradient,
    moved: (!Self, !Self_Gradient) -> !Self,
    call: (!Self, !Self_Batch) -> !Self_Batch = @Layer.call
  }
  func.func private @Layer.call(%self: !Self, %x: !Self_Batch) -> !Self_Batch attributes {tfx_host.type_params = #any_layer} {
    %y, %tape = tfx_host.witness_call @Layer["forward"] of !Self (%self, %x) : (!Self, !Self_Batch) -> (!Self_Batch, !Self_Tape)
    return %y : !Self_Batch
  }

  // Dense: x * matrix + bias.
  tfx_host.struct @Dense<"Scalar"> {weights: !Weights}
  tfx_host.witness_table @Dense_Layer<"Scalar"> : !Dense conforms @Layer {
    Batch: !Matrix, Tape: !Matrix, Gradient: !Weights,
    forward = @Dense.forward, backward = @Dense.backward, zero = @Dense.zero, moved = @Dense.moved
  }
  func.func private @Dense.init(%inputs: i32, %outputs: i32, %scale: f32) -> !Dense attributes {tfx_host.type_params = #any_scalar} {
    %weights = tfx_host.call @Weights.init<[!tfx_host.param<"Scalar">]>(%inputs, %outputs, %scale) : (i32, i32, f32) -> !Weights
    %self = tfx_host.make_struct(%weights) : (!Weights) -> !Dense
    return %self : !Dense
  }
  func.func private @Dense.forward(%self: !Dense, %x: !Matrix) -> (!Matrix, !Matrix) attributes {tfx_host.type_params = #any_scalar} {
    %weights = tfx_host.extract %self["weights"] : !Dense -> !Weights
    %matrix = tfx_host.extract %weights["matrix"] : !Weights -> !Matrix
    %bias = tfx_host.extract %weights["bias"] : !Weights -> !Vector
    %product = tfx_tensor.op "MatMul"(%x, %matrix) : (!Matrix, !Matrix) -> !Matrix
    %y = tfx_tensor.op "BiasAdd"(%product, %bias) : (!Matrix, !Vector) -> !Matrix
    return %y, %x : !Matrix, !Matrix
  }
  func.func private @Dense.backward(%self: !Dense, %x: !Matrix, %dy: !Matrix) -> (!Matrix, !Weights)
      attributes {tfx_host.type_params = #any_scalar} {
    %weights = tfx_host.extract %self["weights"] : !Dense -> !Weights
    %matrix = tfx_host.extract %weights["matrix"] : !Weights -> !Matrix
    %dx = tfx_tensor.op "MatMul"(%dy, %matrix) {transpose_b = true} : (!Matrix, !Matrix) -> !Matrix
    %d_matrix = tfx_tensor.op "MatMul"(%x, %dy) {transpose_a = true} : (!Matrix, !Matrix) -> !Matrix
    %d_bias = tfx_tensor.op "BiasAddGrad"(%dy) : (!Matrix) -> !Vector
    %gradient = tfx_host.make_struct(%d_matrix, %d_bias) : (!Matrix, !Vector) -> !Weights
    return %dx, %gradient : !Matrix, !Weights
  }
  func.func private @Dense.zero(%self: !Dense) -> !Weights attributes {tfx_host.type_params = #any_scalar} {
    %weights = tfx_host.extract %self["weights"] : !Dense -> !Weights
    %zero = tfx_host.call @Weights.zero<[!tfx_host.param<"Scalar">]>(%weights) : (!Weights) -> !Weights
    return %zero : !Weights
  }
  func.func private @Dense.moved(%self: !Dense, %by: !Weights) -> !Dense attributes {tfx_host.type_params = #any_scalar} {
    %weights = tfx_host.extract %self["weights"] : !Dense -> !Weights
    %sum = tfx_host.witness_call @Gradient["plus"] of !Weights (%weights, %by) : (!Weights, !Weights) -> !Weights
    %moved = tfx_host.insert %sum into %self["weights"] : !Weights, !Dense
    return %moved : !Dense
  }

  // The sizes of a convolution belong to its type: square images, square windows. The protocol has
  // the derived sizes. Every shape below is computed from these functions at compile time.
  tfx_host.protocol @Geometry {
    side: () -> i32,
    kernel: () -> i32,
    stride: () -> i32,
    filters: () -> i32,
    places: () -> i32 = @Geometry.places,
    positions: () -> i32 = @Geometry.positions,
    area: () -> i32 = @Geometry.area,
    outputs: () -> i32 = @Geometry.outputs
  }
  // The number of windows along an edge.
  func.func private @Geometry.places() -> i32 attributes {tfx_host.type_params = #any_geometry} {
    %one = arith.constant 1 : i32
    %side = tfx_host.witness_call @Geometry["side"] of !Self () : () -> i32
    %kernel = tfx_host.witness_call @Geometry["kernel"] of !Self () : () -> i32
    %stride = tfx_host.witness_call @Geometry["stride"] of !Self () : () -> i32
    %room = arith.subi %side, %kernel : i32
    %moves = arith.divsi %room, %stride : i32
    %places = arith.addi %moves, %one : i32
    return %places : i32
  }
  func.func private @Geometry.positions() -> i32 attributes {tfx_host.type_params = #any_geometry} {
    %places = tfx_host.witness_call @Geometry["places"] of !Self () : () -> i32
    %positions = arith.muli %places, %places : i32
    return %positions : i32
  }
  func.func private @Geometry.area() -> i32 attributes {tfx_host.type_params = #any_geometry} {
    %kernel = tfx_host.witness_call @Geometry["kernel"] of !Self () : () -> i32
    %area = arith.muli %kernel, %kernel : i32
    return %area : i32
  }
  func.func private @Geometry.outputs() -> i32 attributes {tfx_host.type_params = #any_geometry} {
    %positions = tfx_host.witness_call @Geometry["positions"] of !Self () : () -> i32
    %filters = tfx_host.witness_call @Geometry["filters"] of !Self () : () -> i32
    %outputs = arith.muli %positions, %filters : i32
    return %outputs : i32
  }

  // Conv: the same weights for each window. `windows` lists the pixels of all windows: Conv is
  // a Gather and a MatMul. `pixels` marks the windows of each pixel: its gradient is a MatMul, too.
  tfx_host.struct @Conv<"Scalar", "Geometry"> {weights: !Weights, windows: tensor<?xi32>, pixels: !Matrix}
  tfx_host.witness_table @Conv_Layer<"Scalar", "Geometry"> : !Conv conforms @Layer {
    Batch: !Matrix, Tape: !Matrix, Gradient: !Weights,
    forward = @Conv.forward, backward = @Conv.backward, zero = @Conv.zero, moved = @Conv.moved
  }
  // A given number of multiples: 0, step, 2 * step, ...
  func.func private @multiples(%step: i32, %count: i32) -> tensor<?xi32> {
    %end = arith.muli %step, %count : i32
    %from = tfx_tensor.const dense<0> : tensor<i32>
    %to = tfx_tensor.from_scalar %end : i32
    %by = tfx_tensor.from_scalar %step : i32
    %multiples = tfx_tensor.op "Range"(%from, %to, %by) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
    return %multiples : tensor<?xi32>
  }
  // All sums a + b, ordered by a, then by b.
  func.func private @sums(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
    %last = tfx_tensor.const dense<1> : tensor<i32>
    %flat = tfx_tensor.const dense<[-1]> : tensor<1xi32>
    %column = tfx_tensor.op "ExpandDims"(%a, %last) : (tensor<?xi32>, tensor<i32>) -> tensor<?x1xi32>
    %table = tfx_tensor.op "AddV2"(%column, %b) : (tensor<?x1xi32>, tensor<?xi32>) -> tensor<?x?xi32>
    %sums = tfx_tensor.op "Reshape"(%table, %flat) : (tensor<?x?xi32>, tensor<1xi32>) -> tensor<?xi32>
    return %sums : tensor<?xi32>
  }
  func.func private @Conv.init(%scale: f32) -> !Conv attributes {tfx_host.type_params = #any_conv} {
    %one = arith.constant 1 : i32
    %side = tfx_host.witness_call @Geometry["side"] of !Geometry () : () -> i32
    %kernel = tfx_host.witness_call @Geometry["kernel"] of !Geometry () : () -> i32
    %stride = tfx_host.witness_call @Geometry["stride"] of !Geometry () : () -> i32
    %filters = tfx_host.witness_call @Geometry["filters"] of !Geometry () : () -> i32
    %places = tfx_host.witness_call @Geometry["places"] of !Geometry () : () -> i32
    %area = tfx_host.witness_call @Geometry["area"] of !Geometry () : () -> i32
    %weights = tfx_host.call @Weights.init<[!tfx_host.param<"Scalar">]>(%area, %filters, %scale) : (i32, i32, f32) -> !Weights
    %down = arith.muli %stride, %side : i32
    %tops = func.call @multiples(%down, %places) : (i32, i32) -> tensor<?xi32>
    %lefts = func.call @multiples(%stride, %places) : (i32, i32) -> tensor<?xi32>
    %corners = func.call @sums(%tops, %lefts) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %rows = func.call @multiples(%side, %kernel) : (i32, i32) -> tensor<?xi32>
    %columns = func.call @multiples(%one, %kernel) : (i32, i32) -> tensor<?xi32>
    %window = func.call @sums(%rows, %columns) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %windows = func.call @sums(%corners, %window) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %all = arith.muli %side, %side : i32
    %depth = tfx_tensor.from_scalar %all : i32
    %on = tfx_tensor.const dense<1.0> : tensor<f32>
    %off = tfx_tensor.const dense<0.0> : tensor<f32>
    %single = tfx_tensor.op "OneHot"(%windows, %depth, %on, %off)
        : (tensor<?xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
    %pixels = tfx_tensor.op "Cast"(%single) : (tensor<?x?xf32>) -> !Matrix
    %self = tfx_host.make_struct(%weights, %windows, %pixels) : (!Weights, tensor<?xi32>, !Matrix) -> !Conv
    return %self : !Conv
  }
  // A matrix with a given number of equal columns.
  func.func private @fold(%x: !Matrix, %columns: i32) -> !Matrix attributes {tfx_host.type_params = #any_scalar} {
    %rest = arith.constant -1 : i32
    %sizes = tfx_host.array(%rest, %columns) : !tfx_host.array<i32>
    %shape = tfx_tensor.op "Const"() computed(value = %sizes : !tfx_host.array<i32>) : () -> tensor<2xi32>
    %folded = tfx_tensor.op "Reshape"(%x, %shape) : (!Matrix, tensor<2xi32>) -> !Matrix
    return %folded : !Matrix
  }
  func.func private @Conv.forward(%self: !Conv, %x: !Matrix) -> (!Matrix, !Matrix) attributes {tfx_host.type_params = #any_conv} {
    %weights = tfx_host.extract %self["weights"] : !Conv -> !Weights
    %matrix = tfx_host.extract %weights["matrix"] : !Weights -> !Matrix
    %bias = tfx_host.extract %weights["bias"] : !Weights -> !Vector
    %windows = tfx_host.extract %self["windows"] : !Conv -> tensor<?xi32>
    %area = tfx_host.witness_call @Geometry["area"] of !Geometry () : () -> i32
    %outputs = tfx_host.witness_call @Geometry["outputs"] of !Geometry () : () -> i32
    %axis = tfx_tensor.const dense<1> : tensor<i32>
    %pixels = tfx_tensor.op "GatherV2"(%x, %windows, %axis) : (!Matrix, tensor<?xi32>, tensor<i32>) -> !Matrix
    %patches = tfx_host.call @fold<[!tfx_host.param<"Scalar">]>(%pixels, %area) : (!Matrix, i32) -> !Matrix
    %product = tfx_tensor.op "MatMul"(%patches, %matrix) : (!Matrix, !Matrix) -> !Matrix
    %sum = tfx_tensor.op "BiasAdd"(%product, %bias) : (!Matrix, !Vector) -> !Matrix
    %y = tfx_host.call @fold<[!tfx_host.param<"Scalar">]>(%sum, %outputs) : (!Matrix, i32) -> !Matrix
    return %y, %patches : !Matrix, !Matrix
  }
  func.func private @Conv.backward(%self: !Conv, %patches: !Matrix, %dy: !Matrix) -> (!Matrix, !Weights)
      attributes {tfx_host.type_params = #any_conv} {
    %weights = tfx_host.extract %self["weights"] : !Conv -> !Weights
    %matrix = tfx_host.extract %weights["matrix"] : !Weights -> !Matrix
    %windows = tfx_host.extract %self["windows"] : !Conv -> tensor<?xi32>
    %pixels = tfx_host.extract %self["pixels"] : !Conv -> !Matrix
    %filters = tfx_host.witness_call @Geometry["filters"] of !Geometry () : () -> i32
    %d_sum = tfx_host.call @fold<[!tfx_host.param<"Scalar">]>(%dy, %filters) : (!Matrix, i32) -> !Matrix
    %d_matrix = tfx_tensor.op "MatMul"(%patches, %d_sum) {transpose_a = true} : (!Matrix, !Matrix) -> !Matrix
    %d_bias = tfx_tensor.op "BiasAddGrad"(%d_sum) : (!Matrix) -> !Vector
    %gradient = tfx_host.make_struct(%d_matrix, %d_bias) : (!Matrix, !Vector) -> !Weights

    %d_patches = tfx_tensor.op "MatMul"(%d_sum, %matrix) {transpose_b = true} : (!Matrix, !Matrix) -> !Matrix
    %rest = tfx_tensor.const dense<-1> : tensor<i32>
    %count = tfx_tensor.op "Size"(%windows) {out_type = i32} : (tensor<?xi32>) -> tensor<i32>
    %shape = tfx_tensor.op "Pack"(%rest, %count) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
    %d_windows = tfx_tensor.op "Reshape"(%d_patches, %shape) : (!Matrix, tensor<2xi32>) -> !Matrix
    %dx = tfx_tensor.op "MatMul"(%d_windows, %pixels) : (!Matrix, !Matrix) -> !Matrix
    return %dx, %gradient : !Matrix, !Weights
  }
  func.func private @Conv.zero(%self: !Conv) -> !Weights attributes {tfx_host.type_params = #any_conv} {
    %weights = tfx_host.extract %self["weights"] : !Conv -> !Weights
    %zero = tfx_host.call @Weights.zero<[!tfx_host.param<"Scalar">]>(%weights) : (!Weights) -> !Weights
    return %zero : !Weights
  }
  func.func private @Conv.moved(%self: !Conv, %by: !Weights) -> !Conv attributes {tfx_host.type_params = #any_conv} {
    %weights = tfx_host.extract %self["weights"] : !Conv -> !Weights
    %sum = tfx_host.witness_call @Gradient["plus"] of !Weights (%weights, %by) : (!Weights, !Weights) -> !Weights
    %moved = tfx_host.insert %sum into %self["weights"] : !Weights, !Conv
    return %moved : !Conv
  }

  // Tanh: no weights.
  tfx_host.struct @Tanh<"Scalar"> {}
  tfx_host.witness_table @Tanh_Layer<"Scalar"> : !Tanh conforms @Layer {
    Batch: !Matrix, Tape: !Matrix, Gradient: !tfx_host.struct<@Nothing>,
    forward = @Tanh.forward, backward = @Tanh.backward, zero = @Tanh.zero, moved = @Tanh.moved
  }
  func.func private @Tanh.forward(%self: !Tanh, %x: !Matrix) -> (!Matrix, !Matrix) attributes {tfx_host.type_params = #any_scalar} {
    %y = tfx_tensor.op "Tanh"(%x) : (!Matrix) -> !Matrix
    return %y, %y : !Matrix, !Matrix
  }
  func.func private @Tanh.backward(%self: !Tanh, %y: !Matrix, %dy: !Matrix) -> (!Matrix, !tfx_host.struct<@Nothing>)
      attributes {tfx_host.type_params = #any_scalar} {
    %square = tfx_tensor.op "Square"(%y) : (!Matrix) -> !Matrix
    %loss = tfx_tensor.op "Mul"(%dy, %square) : (!Matrix, !Matrix) -> !Matrix
    %dx = tfx_tensor.op "Sub"(%dy, %loss) : (!Matrix, !Matrix) -> !Matrix
    %nothing = tfx_host.make_struct() : () -> !tfx_host.struct<@Nothing>
    return %dx, %nothing : !Matrix, !tfx_host.struct<@Nothing>
  }
  func.func private @Tanh.zero(%self: !Tanh) -> !tfx_host.struct<@Nothing> attributes {tfx_host.type_params = #any_scalar} {
    %nothing = tfx_host.make_struct() : () -> !tfx_host.struct<@Nothing>
    return %nothing : !tfx_host.struct<@Nothing>
  }
  func.func private @Tanh.moved(%self: !Tanh, %by: !tfx_host.struct<@Nothing>) -> !Tanh attributes {tfx_host.type_params = #any_scalar} {
    return %self : !Tanh
  }

  // Sequential: two layers are a layer, with pairs as tape and gradient. They nest to any depth.
  tfx_host.struct @Sequential<"A", "B"> {first: !A, second: !B}
  tfx_host.witness_table @Sequential_Layer<"A", "B"> : !Sequential conforms @Layer {
    Batch: !A_Batch, Tape: tuple<!A_Tape, !B_Tape>, Gradient: tuple<!A_Gradient, !B_Gradient>,
    forward = @Sequential.forward, backward = @Sequential.backward, zero = @Sequential.zero, moved = @Sequential.moved
  }
  func.func private @Sequential.forward(%self: !Sequential, %x: !A_Batch) -> (!A_Batch, tuple<!A_Tape, !B_Tape>)
      attributes {tfx_host.type_params = #two_layers} {
    %a = tfx_host.extract %self["first"] : !Sequential -> !A
    %b = tfx_host.extract %self["second"] : !Sequential -> !B
    %y, %a_tape = tfx_host.witness_call @Layer["forward"] of !A (%a, %x) : (!A, !A_Batch) -> (!A_Batch, !A_Tape)
    %z, %b_tape = tfx_host.witness_call @Layer["forward"] of !B (%b, %y) : (!B, !A_Batch) -> (!A_Batch, !B_Tape)
    %tape = tfx_host.make_tuple(%a_tape, %b_tape) : !A_Tape, !B_Tape
    return %z, %tape : !A_Batch, tuple<!A_Tape, !B_Tape>
  }
  func.func private @Sequential.backward(%self: !Sequential, %tape: tuple<!A_Tape, !B_Tape>, %dz: !A_Batch)
      -> (!A_Batch, tuple<!A_Gradient, !B_Gradient>) attributes {tfx_host.type_params = #two_layers} {
    %a = tfx_host.extract %self["first"] : !Sequential -> !A
    %b = tfx_host.extract %self["second"] : !Sequential -> !B
    %a_tape = tfx_host.tuple_get %tape[0] : tuple<!A_Tape, !B_Tape>
    %b_tape = tfx_host.tuple_get %tape[1] : tuple<!A_Tape, !B_Tape>
    %dy, %db = tfx_host.witness_call @Layer["backward"] of !B (%b, %b_tape, %dz) : (!B, !B_Tape, !A_Batch) -> (!A_Batch, !B_Gradient)
    %dx, %da = tfx_host.witness_call @Layer["backward"] of !A (%a, %a_tape, %dy) : (!A, !A_Tape, !A_Batch) -> (!A_Batch, !A_Gradient)
    %gradient = tfx_host.make_tuple(%da, %db) : !A_Gradient, !B_Gradient
    return %dx, %gradient : !A_Batch, tuple<!A_Gradient, !B_Gradient>
  }
  func.func private @Sequential.zero(%self: !Sequential) -> tuple<!A_Gradient, !B_Gradient>
      attributes {tfx_host.type_params = #two_layers} {
    %a = tfx_host.extract %self["first"] : !Sequential -> !A
    %b = tfx_host.extract %self["second"] : !Sequential -> !B
    %za = tfx_host.witness_call @Layer["zero"] of !A (%a) : (!A) -> !A_Gradient
    %zb = tfx_host.witness_call @Layer["zero"] of !B (%b) : (!B) -> !B_Gradient
    %zero = tfx_host.make_tuple(%za, %zb) : !A_Gradient, !B_Gradient
    return %zero : tuple<!A_Gradient, !B_Gradient>
  }
  func.func private @Sequential.moved(%self: !Sequential, %by: tuple<!A_Gradient, !B_Gradient>) -> !Sequential
      attributes {tfx_host.type_params = #two_layers} {
    %a = tfx_host.extract %self["first"] : !Sequential -> !A
    %b = tfx_host.extract %self["second"] : !Sequential -> !B
    %by_a = tfx_host.tuple_get %by[0] : tuple<!A_Gradient, !B_Gradient>
    %by_b = tfx_host.tuple_get %by[1] : tuple<!A_Gradient, !B_Gradient>
    %moved_a = tfx_host.witness_call @Layer["moved"] of !A (%a, %by_a) : (!A, !A_Gradient) -> !A
    %moved_b = tfx_host.witness_call @Layer["moved"] of !B (%b, %by_b) : (!B, !B_Gradient) -> !B
    %moved = tfx_host.make_struct(%moved_a, %moved_b) : (!A, !B) -> !Sequential
    return %moved : !Sequential
  }

  // ---- Training ---------------------------------------------------------------------------------

  // Gradient descent with momentum, for any type of model. The velocity is a gradient of that type.
  // Both the optimizer and the model are inout parameters.
  tfx_host.struct @Momentum<"Model"> {rate: f32, decay: f32, velocity: !Model_Gradient}
  func.func private @Momentum.update(%self: !tfx_host.ref<!Momentum>, %model: !tfx_host.ref<!Model>, %gradient: !Model_Gradient)
      attributes {tfx_host.type_params = #any_model} {
    %optimizer = tfx_host.load %self : !tfx_host.ref<!Momentum>
    %rate = tfx_host.extract %optimizer["rate"] : !Momentum -> f32
    %decay = tfx_host.extract %optimizer["decay"] : !Momentum -> f32
    %velocity = tfx_host.extract %optimizer["velocity"] : !Momentum -> !Model_Gradient
    %kept = tfx_host.witness_call @Gradient["times"] of !Model_Gradient (%velocity, %decay) : (!Model_Gradient, f32) -> !Model_Gradient
    %step = tfx_host.witness_call @Gradient["times"] of !Model_Gradient (%gradient, %rate) : (!Model_Gradient, f32) -> !Model_Gradient
    %next = tfx_host.witness_call @Gradient["minus"] of !Model_Gradient (%kept, %step)
        : (!Model_Gradient, !Model_Gradient) -> !Model_Gradient
    %field = tfx_host.field_ref %self["velocity"] : !tfx_host.ref<!Momentum> -> !tfx_host.ref<!Model_Gradient>
    tfx_host.store %next, %field : !Model_Gradient
    %before = tfx_host.load %model : !tfx_host.ref<!Model>
    %after = tfx_host.witness_call @Layer["moved"] of !Model (%before, %next) : (!Model, !Model_Gradient) -> !Model
    tfx_host.store %after, %model : !Model
    return
  }

  // The training loop. `step` is a closure that returns the loss of a model and its gradient.
  func.func private @train(%model: !tfx_host.ref<!Model>, %optimizer: !tfx_host.ref<!Momentum>, %steps: i32, %every: i32,
      %step: !tfx_host.closure<(!Model) -> (tensor<f32>, !Model_Gradient)>) attributes {tfx_host.type_params = #any_model} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %i = %zero to %steps step %one : i32 {
      %before = tfx_host.load %model : !tfx_host.ref<!Model>
      %loss, %gradient = tfx_host.apply %step(%before) : !tfx_host.closure<(!Model) -> (tensor<f32>, !Model_Gradient)>
      tfx_host.call @Momentum.update<[!Model]>(%optimizer, %model, %gradient)
        : (!tfx_host.ref<!Momentum>, !tfx_host.ref<!Model>, !Model_Gradient) -> ()
      %rem = arith.remsi %i, %every : i32
      %show = arith.cmpi eq, %rem, %zero : i32
      scf.if %show {
        tfx_host.print "step {}: loss {}"(%i, %loss) : i32, tensor<f32>
      }
    }
    return
  }

  // ---- The program ------------------------------------------------------------------------------

  // Images of 8x8 pixels, windows of 4x4 with stride 2: 3 * 3 positions.
  tfx_host.struct @Windows {}
  tfx_host.witness_table @Windows_Geometry : !Windows conforms @Geometry {
    side = @Windows.side, kernel = @Windows.kernel, stride = @Windows.stride, filters = @Windows.filters
  }
  func.func private @Windows.side() -> i32 {
    %side = arith.constant 8 : i32
    return %side : i32
  }
  func.func private @Windows.kernel() -> i32 {
    %kernel = arith.constant 4 : i32
    return %kernel : i32
  }
  func.func private @Windows.stride() -> i32 {
    %stride = arith.constant 2 : i32
    return %stride : i32
  }
  func.func private @Windows.filters() -> i32 {
    %filters = arith.constant 8 : i32
    return %filters : i32
  }

  // The loss of a batch of logits, and its gradient.
  func.func private @cross_entropy(%logits: tensor<?x?xf32>, %labels: tensor<?xi32>) -> (tensor<f32>, tensor<?x?xf32>) {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %losses, %per_image = tfx_tensor.op "SparseSoftmaxCrossEntropyWithLogits"(%logits, %labels)
        : (tensor<?x?xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x?xf32>)
    %loss = tfx_tensor.op "Mean"(%losses, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    %size = tfx_tensor.op "Size"(%labels) {out_type = i32} : (tensor<?xi32>) -> tensor<i32>
    %count = tfx_tensor.op "Cast"(%size) : (tensor<i32>) -> tensor<f32>
    %d_logits = tfx_tensor.op "RealDiv"(%per_image, %count) : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    return %loss, %d_logits : tensor<f32>, tensor<?x?xf32>
  }

  // The body of the closure: the loss of the network and its gradient. It binds images and labels.
  func.func private @loss(%x: tensor<?x?xf32>, %labels: tensor<?xi32>, %network: !Network) -> (tensor<f32>, !Network_Gradient) {
    %logits, %tape = tfx_host.witness_call @Layer["forward"] of !Network (%network, %x)
        : (!Network, tensor<?x?xf32>) -> (tensor<?x?xf32>, !tfx_host.assoc<!Network, @Layer, "Tape">)
    %loss, %d_logits = func.call @cross_entropy(%logits, %labels) : (tensor<?x?xf32>, tensor<?xi32>) -> (tensor<f32>, tensor<?x?xf32>)
    %dx, %gradient = tfx_host.witness_call @Layer["backward"] of !Network (%network, %tape, %d_logits)
        : (!Network, !tfx_host.assoc<!Network, @Layer, "Tape">, tensor<?x?xf32>) -> (tensor<?x?xf32>, !Network_Gradient)
    return %loss, %gradient : tensor<f32>, !Network_Gradient
  }

  // The fraction of the images classified correctly. `call` is the default of the protocol.
  func.func private @accuracy(%network: !Network, %x: tensor<?x?xf32>, %labels: tensor<?xi32>) -> tensor<f32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %second = tfx_tensor.const dense<1> : tensor<i32>
    %logits = tfx_host.witness_call @Layer["call"] of !Network (%network, %x) : (!Network, tensor<?x?xf32>) -> tensor<?x?xf32>
    %digits = tfx_tensor.op "ArgMax"(%logits, %second) {output_type = i32} : (tensor<?x?xf32>, tensor<i32>) -> tensor<?xi32>
    %hits = tfx_tensor.op "Equal"(%digits, %labels) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %ones = tfx_tensor.op "Cast"(%hits) : (tensor<?xi1>) -> tensor<?xf32>
    %share = tfx_tensor.op "Mean"(%ones, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    return %share : tensor<f32>
  }

  func.func @main() -> (tensor<f32> {tfx.name = "accuracy"}) {
    %training = arith.constant false
    %test = arith.constant true
    %x = func.call @digits_images(%training) : (i1) -> tensor<?x?xf32>
    %labels = func.call @digits_labels(%training) : (i1) -> tensor<?xi32>
    %test_x = func.call @digits_images(%test) : (i1) -> tensor<?x?xf32>
    %test_labels = func.call @digits_labels(%test) : (i1) -> tensor<?xi32>

    // Sequential { Conv(8 filters of 4x4, stride 2); Tanh(); Dense(10) }, on images of 8x8.
    %scale = arith.constant 0.2 : f32
    %features = tfx_host.witness_call @Geometry["outputs"] of !Windows () : () -> i32
    %classes = arith.constant 10 : i32
    %conv = tfx_host.call @Conv.init<[f32, !Windows]>(%scale) : (f32) -> !Digits_Conv
    %dense = tfx_host.call @Dense.init<[f32]>(%features, %classes, %scale) : (i32, i32, f32) -> !tfx_host.struct<@Dense<f32>>
    %tanh = tfx_host.make_struct() : () -> !tfx_host.struct<@Tanh<f32>>
    %head = tfx_host.make_struct(%tanh, %dense) : (!tfx_host.struct<@Tanh<f32>>, !tfx_host.struct<@Dense<f32>>) -> !Head
    %start = tfx_host.make_struct(%conv, %head) : (!Digits_Conv, !Head) -> !Network
    %network = tfx_host.var : !tfx_host.ref<!Network>
    tfx_host.store %start, %network : !Network

    %rate = arith.constant 0.2 : f32
    %decay = arith.constant 0.9 : f32
    %rest = tfx_host.witness_call @Layer["zero"] of !Network (%start) : (!Network) -> !Network_Gradient
    %momentum = tfx_host.make_struct(%rate, %decay, %rest) : (f32, f32, !Network_Gradient) -> !tfx_host.struct<@Momentum<!Network>>
    %optimizer = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Momentum<!Network>>>
    tfx_host.store %momentum, %optimizer : !tfx_host.struct<@Momentum<!Network>>

    %steps = arith.constant 300 : i32
    %every = arith.constant 50 : i32
    %step = tfx_host.closure @loss(%x, %labels)
        : (tensor<?x?xf32>, tensor<?xi32>) -> !tfx_host.closure<(!Network) -> (tensor<f32>, !Network_Gradient)>
    tfx_host.call @train<[!Network]>(%network, %optimizer, %steps, %every, %step)
        : (!tfx_host.ref<!Network>, !tfx_host.ref<!tfx_host.struct<@Momentum<!Network>>>, i32, i32,
           !tfx_host.closure<(!Network) -> (tensor<f32>, !Network_Gradient)>) -> ()

    %trained = tfx_host.load %network : !tfx_host.ref<!Network>
    %accuracy = func.call @accuracy(%trained, %test_x, %test_labels) : (!Network, tensor<?x?xf32>, tensor<?xi32>) -> tensor<f32>
    tfx_host.print "of the held-out digits it reads right: {}"(%accuracy) : tensor<f32>
    return %accuracy : tensor<f32>
  }
}
