// Handwritten digits: a network of two layers, trained by gradient descent. The compiler derives
// the gradient of the loss.
//
// The host loads the images before the graph starts and prints the loss; the graph does the rest.
// In the loop, only the loss is sent, to the host, every hundred steps. At the end, the network is
// evaluated on the fifth of the digits that was not used for training.
//
//   tfxc run examples/digits.mlir --stats

module attributes {tfx.link = ["host/digits.c"]} {
  func.func private @digits_images(%test: i1) -> tensor<?x64xf32>
  func.func private @digits_labels(%test: i1) -> tensor<?xi32>
  func.func private @initial_weights(%rows: i64, %columns: i64, %scale: f32) -> tensor<?x?xf32>

  // The weights and biases of the two layers.
  tfx_host.struct @Network {w1: tensor<?x?xf32>, b1: tensor<32xf32>, w2: tensor<?x?xf32>, b2: tensor<10xf32>}

  func.func private @hidden(%network: !tfx_host.struct<@Network>, %x: tensor<?x64xf32>) -> tensor<?x32xf32> {
    %w1 = tfx_host.extract %network["w1"] : !tfx_host.struct<@Network> -> tensor<?x?xf32>
    %b1 = tfx_host.extract %network["b1"] : !tfx_host.struct<@Network> -> tensor<32xf32>
    %product = tfx_tensor.op "MatMul"(%x, %w1) : (tensor<?x64xf32>, tensor<?x?xf32>) -> tensor<?x32xf32>
    %sum = tfx_tensor.op "BiasAdd"(%product, %b1) : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %hidden = tfx_tensor.op "Tanh"(%sum) : (tensor<?x32xf32>) -> tensor<?x32xf32>
    return %hidden : tensor<?x32xf32>
  }

  func.func private @logits(%network: !tfx_host.struct<@Network>, %hidden: tensor<?x32xf32>) -> tensor<?x10xf32> {
    %w2 = tfx_host.extract %network["w2"] : !tfx_host.struct<@Network> -> tensor<?x?xf32>
    %b2 = tfx_host.extract %network["b2"] : !tfx_host.struct<@Network> -> tensor<10xf32>
    %product = tfx_tensor.op "MatMul"(%hidden, %w2) : (tensor<?x32xf32>, tensor<?x?xf32>) -> tensor<?x10xf32>
    %logits = tfx_tensor.op "BiasAdd"(%product, %b2) : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
    return %logits : tensor<?x10xf32>
  }

  // The mean cross-entropy of the answers.
  func.func private @loss(%network: !tfx_host.struct<@Network>, %x: tensor<?x64xf32>, %labels: tensor<?xi32>) -> tensor<f32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %hidden = func.call @hidden(%network, %x) : (!tfx_host.struct<@Network>, tensor<?x64xf32>) -> tensor<?x32xf32>
    %logits = func.call @logits(%network, %hidden) : (!tfx_host.struct<@Network>, tensor<?x32xf32>) -> tensor<?x10xf32>
    %losses, %per_image = tfx_tensor.op "SparseSoftmaxCrossEntropyWithLogits"(%logits, %labels)
        : (tensor<?x10xf32>, tensor<?xi32>) -> (tensor<?xf32>, tensor<?x10xf32>)
    %loss = tfx_tensor.op "Mean"(%losses, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    return %loss : tensor<f32>
  }

  // `value - rate * gradient`.
  func.func private @descend(%value: tensor<?x?xf32>, %gradient: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %rate = tfx_tensor.const dense<0.5> : tensor<f32>
    %step = tfx_tensor.op "Mul"(%gradient, %rate) : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    %next = tfx_tensor.op "Sub"(%value, %step) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    return %next : tensor<?x?xf32>
  }

  // One step of gradient descent. Returns the updated network, and the loss before the update.
  func.func private @step(%network: !tfx_host.struct<@Network>, %x: tensor<?x64xf32>, %labels: tensor<?xi32>)
      -> (!tfx_host.struct<@Network>, tensor<f32>) {
    %loss, %gradient = tfx_ad.gradient @loss(%network, %x, %labels) wrt [0] value
        : (!tfx_host.struct<@Network>, tensor<?x64xf32>, tensor<?xi32>) -> (tensor<f32>, !tfx_host.struct<@Network>)
    %w1 = tfx_host.extract %network["w1"] : !tfx_host.struct<@Network> -> tensor<?x?xf32>
    %d_w1 = tfx_host.extract %gradient["w1"] : !tfx_host.struct<@Network> -> tensor<?x?xf32>
    %b1 = tfx_host.extract %network["b1"] : !tfx_host.struct<@Network> -> tensor<32xf32>
    %d_b1 = tfx_host.extract %gradient["b1"] : !tfx_host.struct<@Network> -> tensor<32xf32>
    %w2 = tfx_host.extract %network["w2"] : !tfx_host.struct<@Network> -> tensor<?x?xf32>
    %d_w2 = tfx_host.extract %gradient["w2"] : !tfx_host.struct<@Network> -> tensor<?x?xf32>
    %b2 = tfx_host.extract %network["b2"] : !tfx_host.struct<@Network> -> tensor<10xf32>
    %d_b2 = tfx_host.extract %gradient["b2"] : !tfx_host.struct<@Network> -> tensor<10xf32>
    %new_w1 = func.call @descend(%w1, %d_w1) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %new_w2 = func.call @descend(%w2, %d_w2) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %rate = tfx_tensor.const dense<0.5> : tensor<f32>
    %step_b1 = tfx_tensor.op "Mul"(%d_b1, %rate) : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    %new_b1 = tfx_tensor.op "Sub"(%b1, %step_b1) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %step_b2 = tfx_tensor.op "Mul"(%d_b2, %rate) : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
    %new_b2 = tfx_tensor.op "Sub"(%b2, %step_b2) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %next = tfx_host.make_struct(%new_w1, %new_b1, %new_w2, %new_b2)
        : (tensor<?x?xf32>, tensor<32xf32>, tensor<?x?xf32>, tensor<10xf32>) -> !tfx_host.struct<@Network>
    return %next, %loss : !tfx_host.struct<@Network>, tensor<f32>
  }

  // The fraction of the images that the network classifies correctly.
  func.func private @accuracy(%network: !tfx_host.struct<@Network>, %x: tensor<?x64xf32>, %labels: tensor<?xi32>) -> tensor<f32> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %second = tfx_tensor.const dense<1> : tensor<i32>
    %hidden = func.call @hidden(%network, %x) : (!tfx_host.struct<@Network>, tensor<?x64xf32>) -> tensor<?x32xf32>
    %logits = func.call @logits(%network, %hidden) : (!tfx_host.struct<@Network>, tensor<?x32xf32>) -> tensor<?x10xf32>
    %digits = tfx_tensor.op "ArgMax"(%logits, %second) {output_type = i32} : (tensor<?x10xf32>, tensor<i32>) -> tensor<?xi32>
    %hits = tfx_tensor.op "Equal"(%digits, %labels) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>
    %ones = tfx_tensor.op "Cast"(%hits) : (tensor<?xi1>) -> tensor<?xf32>
    %share = tfx_tensor.op "Mean"(%ones, %first) : (tensor<?xf32>, tensor<i32>) -> tensor<f32>
    return %share : tensor<f32>
  }

  func.func @main() -> (tensor<f32> {tfx.name = "accuracy"}) {
    %training = arith.constant false
    %test = arith.constant true
    %x = func.call @digits_images(%training) : (i1) -> tensor<?x64xf32>
    %labels = func.call @digits_labels(%training) : (i1) -> tensor<?xi32>
    %test_x = func.call @digits_images(%test) : (i1) -> tensor<?x64xf32>
    %test_labels = func.call @digits_labels(%test) : (i1) -> tensor<?xi32>

    %pixels = arith.constant 64 : i64
    %units = arith.constant 32 : i64
    %classes = arith.constant 10 : i64
    %scale = arith.constant 0.2 : f32
    %w1 = func.call @initial_weights(%pixels, %units, %scale) : (i64, i64, f32) -> tensor<?x?xf32>
    %w2 = func.call @initial_weights(%units, %classes, %scale) : (i64, i64, f32) -> tensor<?x?xf32>
    %b1 = tfx_tensor.const dense<0.0> : tensor<32xf32>
    %b2 = tfx_tensor.const dense<0.0> : tensor<10xf32>
    %start = tfx_host.make_struct(%w1, %b1, %w2, %b2)
        : (tensor<?x?xf32>, tensor<32xf32>, tensor<?x?xf32>, tensor<10xf32>) -> !tfx_host.struct<@Network>
    %network = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Network>>
    tfx_host.store %start, %network : !tfx_host.struct<@Network>

    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 1000 : i32
    %every = arith.constant 100 : i32
    cf.br ^header(%zero : i32)
  ^header(%i: i32):
    %go = arith.cmpi slt, %i, %steps : i32
    cf.cond_br %go, ^body, ^exit
  ^body:
    %before = tfx_host.load %network : !tfx_host.ref<!tfx_host.struct<@Network>>
    %after, %loss = func.call @step(%before, %x, %labels)
        : (!tfx_host.struct<@Network>, tensor<?x64xf32>, tensor<?xi32>) -> (!tfx_host.struct<@Network>, tensor<f32>)
    tfx_host.store %after, %network : !tfx_host.struct<@Network>
    %rem = arith.remsi %i, %every : i32
    %show = arith.cmpi eq, %rem, %zero : i32
    cf.cond_br %show, ^print, ^latch
  ^print:
    tfx_host.print "step {}: loss {}"(%i, %loss) : i32, tensor<f32>
    cf.br ^latch
  ^latch:
    %i1 = arith.addi %i, %one : i32
    cf.br ^header(%i1 : i32)
  ^exit:
    %trained = tfx_host.load %network : !tfx_host.ref<!tfx_host.struct<@Network>>
    %accuracy = func.call @accuracy(%trained, %test_x, %test_labels)
        : (!tfx_host.struct<@Network>, tensor<?x64xf32>, tensor<?xi32>) -> tensor<f32>
    tfx_host.print "of the held-out digits it reads right: {}"(%accuracy) : tensor<f32>
    return %accuracy : tensor<f32>
  }
}
