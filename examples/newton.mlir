// Newton's method: a minimum in 640 variables, with second derivatives.
//
// The variables are the weights of a classifier of handwritten digits. A step of Newton's method
// needs the inverse of the Hessian, a matrix of 640 x 640. The program never builds it: conjugate
// gradients need only its product with a direction, which is the derivative of the gradient in that
// direction. So `tfx_ad.jvp` differentiates a function that contains a `tfx_ad.gradient`, in a loop
// in a loop. Near the minimum, each step about squares the slope.
//
// All of that is in the graph, which sends only the loss and the slope of each step.
//
//   tfxc run examples/newton.mlir --stats

!Images = tensor<?x64xf64>
!Labels = tensor<?xi32>
!Weights = tensor<64x10xf64>

module attributes {tfx.link = ["host/digits.c"]} {
  func.func private @digits_images(%test: i1) -> tensor<?x64xf32>
  func.func private @digits_labels(%test: i1) -> !Labels

  // The mean cross-entropy of the answers, plus a penalty for large weights, which makes the
  // minimum unique.
  func.func private @loss(%w: !Weights, %x: !Images, %labels: !Labels) -> tensor<f64> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %ridge = tfx_tensor.const dense<0.001> : tensor<f64>
    %logits = tfx_tensor.op "MatMul"(%x, %w) : (!Images, !Weights) -> tensor<?x10xf64>
    %losses, %per_image = tfx_tensor.op "SparseSoftmaxCrossEntropyWithLogits"(%logits, %labels)
        : (tensor<?x10xf64>, !Labels) -> (tensor<?xf64>, tensor<?x10xf64>)
    %mean = tfx_tensor.op "Mean"(%losses, %first) : (tensor<?xf64>, tensor<i32>) -> tensor<f64>
    %size = tfx_tensor.op "L2Loss"(%w) : (!Weights) -> tensor<f64>
    %penalty = tfx_tensor.op "Mul"(%size, %ridge) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %loss = tfx_tensor.op "AddV2"(%mean, %penalty) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %loss : tensor<f64>
  }

  // The gradient and the loss.
  func.func private @gradient(%w: !Weights, %x: !Images, %labels: !Labels) -> (!Weights, tensor<f64>) {
    %loss, %dw = tfx_ad.gradient @loss(%w, %x, %labels) wrt [0] value
        : (!Weights, !Images, !Labels) -> (tensor<f64>, !Weights)
    return %dw, %loss : !Weights, tensor<f64>
  }

  // The Hessian times a direction: forward mode through reverse mode.
  func.func private @curvature(%w: !Weights, %direction: !Weights, %x: !Images, %labels: !Labels) -> !Weights {
    %dw, %loss, %curvature, %rise = tfx_ad.jvp @gradient(%w, %x, %labels) tangents(%direction : !Weights) wrt [0]
        : (!Weights, !Images, !Labels) -> (!Weights, tensor<f64>, !Weights, tensor<f64>)
    return %curvature : !Weights
  }

  func.func private @dot(%a: !Weights, %b: !Weights) -> tensor<f64> {
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %products = tfx_tensor.op "Mul"(%a, %b) : (!Weights, !Weights) -> !Weights
    %sum = tfx_tensor.op "Sum"(%products, %axes) : (!Weights, tensor<2xi32>) -> tensor<f64>
    return %sum : tensor<f64>
  }

  // a + factor * b
  func.func private @add(%a: !Weights, %factor: tensor<f64>, %b: !Weights) -> !Weights {
    %product = tfx_tensor.op "Mul"(%b, %factor) : (!Weights, tensor<f64>) -> !Weights
    %sum = tfx_tensor.op "AddV2"(%a, %product) : (!Weights, !Weights) -> !Weights
    return %sum : !Weights
  }

  // The step whose product with the Hessian is the gradient, by conjugate gradients.
  func.func private @solve(%w: !Weights, %gradient: !Weights, %x: !Images, %labels: !Labels) -> !Weights {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %most = arith.constant 100 : i32
    %none = tfx_tensor.const dense<0.0> : !Weights
    %size = func.call @dot(%gradient, %gradient) : (!Weights, !Weights) -> tensor<f64>
    %end:4 = scf.for %i = %zero to %most step %one
        iter_args(%step = %none, %rest = %gradient, %direction = %gradient, %rest_size = %size)
        -> (!Weights, !Weights, !Weights, tensor<f64>) : i32 {
      %curved = func.call @curvature(%w, %direction, %x, %labels) : (!Weights, !Weights, !Images, !Labels) -> !Weights
      %along = func.call @dot(%direction, %curved) : (!Weights, !Weights) -> tensor<f64>
      %far = tfx_tensor.op "Div"(%rest_size, %along) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %back = tfx_tensor.op "Neg"(%far) : (tensor<f64>) -> tensor<f64>
      %next_step = func.call @add(%step, %far, %direction) : (!Weights, tensor<f64>, !Weights) -> !Weights
      %next_rest = func.call @add(%rest, %back, %curved) : (!Weights, tensor<f64>, !Weights) -> !Weights
      %next_size = func.call @dot(%next_rest, %next_rest) : (!Weights, !Weights) -> tensor<f64>
      %turn = tfx_tensor.op "Div"(%next_size, %rest_size) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %next_direction = func.call @add(%next_rest, %turn, %direction) : (!Weights, tensor<f64>, !Weights) -> !Weights
      scf.yield %next_step, %next_rest, %next_direction, %next_size : !Weights, !Weights, !Weights, tensor<f64>
    }
    return %end#0 : !Weights
  }

  // The fraction of the images classified correctly.
  func.func private @accuracy(%w: !Weights, %x: !Images, %labels: !Labels) -> tensor<f32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %second = tfx_tensor.const dense<1> : tensor<i32>
    %logits = tfx_tensor.op "MatMul"(%x, %w) : (!Images, !Weights) -> tensor<?x10xf64>
    %digits = tfx_tensor.op "ArgMax"(%logits, %second) {output_type = i32} : (tensor<?x10xf64>, tensor<i32>) -> !Labels
    %hits = tfx_tensor.op "Equal"(%digits, %labels) : (!Labels, !Labels) -> tensor<?xi1>
    %ones = tfx_tensor.op "Cast"(%hits) : (tensor<?xi1>) -> tensor<?xf32>
    %share = tfx_tensor.op "Mean"(%ones, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    return %share : tensor<f32>
  }

  func.func @main() -> (tensor<f32> {tfx.name = "accuracy"}) {
    %training = arith.constant false
    %test = arith.constant true
    %single_x = func.call @digits_images(%training) : (i1) -> tensor<?x64xf32>
    %labels = func.call @digits_labels(%training) : (i1) -> !Labels
    %single_test_x = func.call @digits_images(%test) : (i1) -> tensor<?x64xf32>
    %test_labels = func.call @digits_labels(%test) : (i1) -> !Labels

    // Single precision would end the descent of the slope too early to be seen.
    %x = tfx_tensor.op "Cast"(%single_x) : (tensor<?x64xf32>) -> !Images
    %test_x = tfx_tensor.op "Cast"(%single_test_x) : (tensor<?x64xf32>) -> !Images

    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 6 : i32
    %back = tfx_tensor.const dense<-1.0> : tensor<f64>
    %start = tfx_tensor.const dense<0.0> : !Weights
    %w = scf.for %i = %zero to %steps step %one iter_args(%before = %start) -> (!Weights) : i32 {
      %gradient, %loss = func.call @gradient(%before, %x, %labels)
          : (!Weights, !Images, !Labels) -> (!Weights, tensor<f64>)
      %square = func.call @dot(%gradient, %gradient) : (!Weights, !Weights) -> tensor<f64>
      %slope = tfx_tensor.op "Sqrt"(%square) : (tensor<f64>) -> tensor<f64>
      tfx_host.print "step {}: loss {}, slope {}"(%i, %loss, %slope) : i32, tensor<f64>, tensor<f64>
      %step = func.call @solve(%before, %gradient, %x, %labels) : (!Weights, !Weights, !Images, !Labels) -> !Weights
      %after = func.call @add(%before, %back, %step) : (!Weights, tensor<f64>, !Weights) -> !Weights
      scf.yield %after : !Weights
    }
    %accuracy = func.call @accuracy(%w, %test_x, %test_labels) : (!Weights, !Images, !Labels) -> tensor<f32>
    tfx_host.print "of the held-out digits it reads right: {}"(%accuracy) : tensor<f32>
    return %accuracy : tensor<f32>
  }
}
