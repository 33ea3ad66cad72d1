// Linear regression as an application: a model with methods, a loader, training, and an evaluation.
//
// The loader is host code, and sends two tensors to the graph in each step. The loss is sent back
// every fifty steps and printed. No value makes a round trip, so the graph never waits for a reply,
// and there is no warning. The second command reports all copies and sizes, the third draws them.
//
//   tfxc run examples/regression.mlir --stats
//   tfxc run examples/regression.mlir --copies all
//   tfxc report examples/regression.mlir -o regression.html

!Regression = !tfx_host.struct<@Regression>
!Loader = !tfx_host.struct<@Loader>

module attributes {tfx.link = ["host/points.c"]} {
  // Noisy points of y = 2 a - 3 b + 1, in batches. The loader's only state is the batch number.
  func.func private @points_inputs(%batch: i32, %size: i32) -> tensor<?x2xf32>
  func.func private @points_outputs(%batch: i32, %size: i32) -> tensor<?x1xf32>

  tfx_host.struct @Loader {size: i32}

  func.func private @Loader.batch(%self: !Loader, %number: i32) -> (tensor<?x2xf32>, tensor<?x1xf32>) {
    %size = tfx_host.extract %self["size"] : !Loader -> i32
    %x = func.call @points_inputs(%number, %size) : (i32, i32) -> tensor<?x2xf32>
    %y = func.call @points_outputs(%number, %size) : (i32, i32) -> tensor<?x1xf32>
    return %x, %y : tensor<?x2xf32>, tensor<?x1xf32>
  }

  // The weights and the bias.
  tfx_host.struct @Regression {w: tensor<2x1xf32>, b: tensor<1xf32>}

  func.func private @Regression.predict(%self: !Regression, %x: tensor<?x2xf32>) -> tensor<?x1xf32> {
    %w = tfx_host.extract %self["w"] : !Regression -> tensor<2x1xf32>
    %b = tfx_host.extract %self["b"] : !Regression -> tensor<1xf32>
    %product = tfx_tensor.op "MatMul"(%x, %w) : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
    %y = tfx_tensor.op "BiasAdd"(%product, %b) : (tensor<?x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
    return %y : tensor<?x1xf32>
  }

  // The mean squared error, and the errors.
  func.func private @Regression.loss(%self: !Regression, %x: tensor<?x2xf32>, %y: tensor<?x1xf32>) -> (tensor<f32>, tensor<?x1xf32>) {
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %predicted = func.call @Regression.predict(%self, %x) : (!Regression, tensor<?x2xf32>) -> tensor<?x1xf32>
    %errors = tfx_tensor.op "Sub"(%predicted, %y) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
    %squares = tfx_tensor.op "Square"(%errors) : (tensor<?x1xf32>) -> tensor<?x1xf32>
    %loss = tfx_tensor.op "Mean"(%squares, %axes) : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<f32>
    return %loss, %errors : tensor<f32>, tensor<?x1xf32>
  }

  // One step of gradient descent. Returns the loss before the step.
  func.func private @Regression.train(%self: !tfx_host.ref<!Regression>, %x: tensor<?x2xf32>, %y: tensor<?x1xf32>) -> tensor<f32> {
    %rate = tfx_tensor.const dense<0.1> : tensor<f32>
    %rows = tfx_tensor.const dense<0> : tensor<i32>
    %model = tfx_host.load %self : !tfx_host.ref<!Regression>
    %loss, %errors = func.call @Regression.loss(%model, %x, %y)
        : (!Regression, tensor<?x2xf32>, tensor<?x1xf32>) -> (tensor<f32>, tensor<?x1xf32>)
    %size = tfx_tensor.op "Size"(%errors) {out_type = i32} : (tensor<?x1xf32>) -> tensor<i32>
    %count = tfx_tensor.op "Cast"(%size) : (tensor<i32>) -> tensor<f32>
    %share = tfx_tensor.op "RealDiv"(%rate, %count) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %scaled = tfx_tensor.op "Mul"(%errors, %share) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
    %dw = tfx_tensor.op "MatMul"(%x, %scaled) {transpose_a = true} : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
    %db = tfx_tensor.op "Sum"(%scaled, %rows) : (tensor<?x1xf32>, tensor<i32>) -> tensor<1xf32>
    %w = tfx_host.extract %model["w"] : !Regression -> tensor<2x1xf32>
    %b = tfx_host.extract %model["b"] : !Regression -> tensor<1xf32>
    %next_w = tfx_tensor.op "Sub"(%w, %dw) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    %next_b = tfx_tensor.op "Sub"(%b, %db) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %next = tfx_host.make_struct(%next_w, %next_b) : (tensor<2x1xf32>, tensor<1xf32>) -> !Regression
    tfx_host.store %next, %self : !Regression
    return %loss : tensor<f32>
  }

  func.func @main() -> (tensor<2x1xf32> {tfx.name = "w"}, tensor<1xf32> {tfx.name = "b"}) {
    %batch_size = arith.constant 32 : i32
    %loader = tfx_host.make_struct(%batch_size) : (i32) -> !Loader
    %w0 = tfx_tensor.const dense<0.0> : tensor<2x1xf32>
    %b0 = tfx_tensor.const dense<0.0> : tensor<1xf32>
    %start = tfx_host.make_struct(%w0, %b0) : (tensor<2x1xf32>, tensor<1xf32>) -> !Regression
    %model = tfx_host.var : !tfx_host.ref<!Regression>
    tfx_host.store %start, %model : !Regression

    // Training.
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 200 : i32
    %every = arith.constant 50 : i32
    scf.for %step = %zero to %steps step %one : i32 {
      %x, %y = func.call @Loader.batch(%loader, %step) : (!Loader, i32) -> (tensor<?x2xf32>, tensor<?x1xf32>)
      %loss = func.call @Regression.train(%model, %x, %y) : (!tfx_host.ref<!Regression>, tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<f32>
      %rem = arith.remsi %step, %every : i32
      %show = arith.cmpi eq, %rem, %zero : i32
      scf.if %show {
        tfx_host.print "step {}: loss {}"(%step, %loss) : i32, tensor<f32>
      }
    }

    // Evaluation on points that were not used for training.
    %trained = tfx_host.load %model : !tfx_host.ref<!Regression>
    %test_x, %test_y = func.call @Loader.batch(%loader, %steps) : (!Loader, i32) -> (tensor<?x2xf32>, tensor<?x1xf32>)
    %test_loss, %unused = func.call @Regression.loss(%trained, %test_x, %test_y)
        : (!Regression, tensor<?x2xf32>, tensor<?x1xf32>) -> (tensor<f32>, tensor<?x1xf32>)
    tfx_host.print "loss on new points: {}"(%test_loss) : tensor<f32>
    %w = tfx_host.extract %trained["w"] : !Regression -> tensor<2x1xf32>
    %b = tfx_host.extract %trained["b"] : !Regression -> tensor<1xf32>
    return %w, %b : tensor<2x1xf32>, tensor<1xf32>
  }
}
