// Convolutions and their gradients on a CUDA device, with the results of the interpreter: strides
// and paddings. All sums are of small whole numbers, and exact.
//
// RUN: tfxc run %s 3 --executor embedded > %t.embedded
// RUN: env TFX_CUDA_DRIVER=%build_dir/libtfx_fake_cuda.so tfxc run %s 3 --executor native --streams 1 2>%t.warnings | diff %t.embedded -
// Nothing runs on the host.
// RUN: count 0 < %t.warnings

func.func private @numbers(%count: tensor<i32>, %by: i32) -> tensor<?xf32> {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %five = tfx_tensor.const dense<5> : tensor<i32>
  %factor = tfx_tensor.from_scalar %by : i32
  %all = tfx_tensor.op "Range"(%zero, %count, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  %products = tfx_tensor.op "Mul"(%all, %factor) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %small = tfx_tensor.op "FloorMod"(%products, %five) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %less = tfx_tensor.op "Sub"(%small, %two) : (tensor<?xi32>, tensor<i32>) -> tensor<?xi32>
  %floats = tfx_tensor.op "Cast"(%less) : (tensor<?xi32>) -> tensor<?xf32>
  return %floats : tensor<?xf32>
}

func.func private @same(%n: i32) -> (tensor<2x7x9x5xf32>, tensor<2x7x9x3xf32>, tensor<3x3x3x5xf32>) {
  %xs = tfx_tensor.const dense<[2, 7, 9, 3]> : tensor<4xi32>
  %ws = tfx_tensor.const dense<[3, 3, 3, 5]> : tensor<4xi32>
  %xn = tfx_tensor.const dense<378> : tensor<i32>
  %wn = tfx_tensor.const dense<135> : tensor<i32>
  %x0 = func.call @numbers(%xn, %n) : (tensor<i32>, i32) -> tensor<?xf32>
  %w0 = func.call @numbers(%wn, %n) : (tensor<i32>, i32) -> tensor<?xf32>
  %x1 = tfx_tensor.op "Reshape"(%x0, %xs) : (tensor<?xf32>, tensor<4xi32>) -> tensor<2x7x9x3xf32>
  %w1 = tfx_tensor.op "Reshape"(%w0, %ws) : (tensor<?xf32>, tensor<4xi32>) -> tensor<3x3x3x5xf32>
  %x = tfx_comm.copy %x1 from <cpu> to <cuda> : tensor<2x7x9x3xf32>
  %w = tfx_comm.copy %w1 from <cpu> to <cuda> : tensor<3x3x3x5xf32>
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<2x7x9x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x7x9x5xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<2x7x9x5xf32>, tensor<f32>) -> tensor<2x7x9x5xf32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%xs, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<3x3x3x5xf32>, tensor<2x7x9x5xf32>) -> tensor<2x7x9x3xf32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %ws, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<2x7x9x3xf32>, tensor<4xi32>, tensor<2x7x9x5xf32>) -> tensor<3x3x3x5xf32>
  %r0 = tfx_comm.copy %y from <cuda> to <cpu> : tensor<2x7x9x5xf32>
  %r1 = tfx_comm.copy %dx from <cuda> to <cpu> : tensor<2x7x9x3xf32>
  %r2 = tfx_comm.copy %dw from <cuda> to <cpu> : tensor<3x3x3x5xf32>
  return %r0, %r1, %r2 : tensor<2x7x9x5xf32>, tensor<2x7x9x3xf32>, tensor<3x3x3x5xf32>
}

func.func private @valid(%n: i32) -> (tensor<2x6x5x4xf32>, tensor<2x8x6x2xf32>, tensor<3x2x2x4xf32>) {
  %xs = tfx_tensor.const dense<[2, 8, 6, 2]> : tensor<4xi32>
  %ws = tfx_tensor.const dense<[3, 2, 2, 4]> : tensor<4xi32>
  %xn = tfx_tensor.const dense<192> : tensor<i32>
  %wn = tfx_tensor.const dense<48> : tensor<i32>
  %x0 = func.call @numbers(%xn, %n) : (tensor<i32>, i32) -> tensor<?xf32>
  %w0 = func.call @numbers(%wn, %n) : (tensor<i32>, i32) -> tensor<?xf32>
  %x1 = tfx_tensor.op "Reshape"(%x0, %xs) : (tensor<?xf32>, tensor<4xi32>) -> tensor<2x8x6x2xf32>
  %w1 = tfx_tensor.op "Reshape"(%w0, %ws) : (tensor<?xf32>, tensor<4xi32>) -> tensor<3x2x2x4xf32>
  %x = tfx_comm.copy %x1 from <cpu> to <cuda> : tensor<2x8x6x2xf32>
  %w = tfx_comm.copy %w1 from <cpu> to <cuda> : tensor<3x2x2x4xf32>
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<2x8x6x2xf32>, tensor<3x2x2x4xf32>) -> tensor<2x6x5x4xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<2x6x5x4xf32>, tensor<f32>) -> tensor<2x6x5x4xf32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%xs, %w, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<4xi32>, tensor<3x2x2x4xf32>, tensor<2x6x5x4xf32>) -> tensor<2x8x6x2xf32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %ws, %small) {strides = [1 : i64, 1 : i64, 1 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "VALID"} : (tensor<2x8x6x2xf32>, tensor<4xi32>, tensor<2x6x5x4xf32>) -> tensor<3x2x2x4xf32>
  %r0 = tfx_comm.copy %y from <cuda> to <cpu> : tensor<2x6x5x4xf32>
  %r1 = tfx_comm.copy %dx from <cuda> to <cpu> : tensor<2x8x6x2xf32>
  %r2 = tfx_comm.copy %dw from <cuda> to <cpu> : tensor<3x2x2x4xf32>
  return %r0, %r1, %r2 : tensor<2x6x5x4xf32>, tensor<2x8x6x2xf32>, tensor<3x2x2x4xf32>
}

func.func private @strided(%n: i32) -> (tensor<2x4x3x3xf32>, tensor<2x7x8x2xf32>, tensor<3x2x2x3xf32>) {
  %xs = tfx_tensor.const dense<[2, 7, 8, 2]> : tensor<4xi32>
  %ws = tfx_tensor.const dense<[3, 2, 2, 3]> : tensor<4xi32>
  %xn = tfx_tensor.const dense<224> : tensor<i32>
  %wn = tfx_tensor.const dense<36> : tensor<i32>
  %x0 = func.call @numbers(%xn, %n) : (tensor<i32>, i32) -> tensor<?xf32>
  %w0 = func.call @numbers(%wn, %n) : (tensor<i32>, i32) -> tensor<?xf32>
  %x1 = tfx_tensor.op "Reshape"(%x0, %xs) : (tensor<?xf32>, tensor<4xi32>) -> tensor<2x7x8x2xf32>
  %w1 = tfx_tensor.op "Reshape"(%w0, %ws) : (tensor<?xf32>, tensor<4xi32>) -> tensor<3x2x2x3xf32>
  %x = tfx_comm.copy %x1 from <cpu> to <cuda> : tensor<2x7x8x2xf32>
  %w = tfx_comm.copy %w1 from <cpu> to <cuda> : tensor<3x2x2x3xf32>
  %y = tfx_tensor.op "Conv2D"(%x, %w) {strides = [1 : i64, 2 : i64, 3 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<2x7x8x2xf32>, tensor<3x2x2x3xf32>) -> tensor<2x4x3x3xf32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %small = tfx_tensor.op "Minimum"(%y, %two) : (tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %dx = tfx_tensor.op "Conv2DBackpropInput"(%xs, %w, %small) {strides = [1 : i64, 2 : i64, 3 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<4xi32>, tensor<3x2x2x3xf32>, tensor<2x4x3x3xf32>) -> tensor<2x7x8x2xf32>
  %dw = tfx_tensor.op "Conv2DBackpropFilter"(%x, %ws, %small) {strides = [1 : i64, 2 : i64, 3 : i64, 1 : i64], dilations = [1 : i64, 1 : i64, 1 : i64, 1 : i64], padding = "SAME"} : (tensor<2x7x8x2xf32>, tensor<4xi32>, tensor<2x4x3x3xf32>) -> tensor<3x2x2x3xf32>
  %r0 = tfx_comm.copy %y from <cuda> to <cpu> : tensor<2x4x3x3xf32>
  %r1 = tfx_comm.copy %dx from <cuda> to <cpu> : tensor<2x7x8x2xf32>
  %r2 = tfx_comm.copy %dw from <cuda> to <cpu> : tensor<3x2x2x3xf32>
  return %r0, %r1, %r2 : tensor<2x4x3x3xf32>, tensor<2x7x8x2xf32>, tensor<3x2x2x3xf32>
}

func.func @main(%n: i32 {tfx.name = "n"}) -> (tensor<2x7x9x5xf32> {tfx.name = "same_y"}, tensor<2x7x9x3xf32> {tfx.name = "same_dx"}, tensor<3x3x3x5xf32> {tfx.name = "same_dw"}, tensor<2x6x5x4xf32> {tfx.name = "valid_y"}, tensor<2x8x6x2xf32> {tfx.name = "valid_dx"}, tensor<3x2x2x4xf32> {tfx.name = "valid_dw"}, tensor<2x4x3x3xf32> {tfx.name = "strided_y"}, tensor<2x7x8x2xf32> {tfx.name = "strided_dx"}, tensor<3x2x2x3xf32> {tfx.name = "strided_dw"}) {
  %0:3 = func.call @same(%n) : (i32) -> (tensor<2x7x9x5xf32>, tensor<2x7x9x3xf32>, tensor<3x3x3x5xf32>)
  %1:3 = func.call @valid(%n) : (i32) -> (tensor<2x6x5x4xf32>, tensor<2x8x6x2xf32>, tensor<3x2x2x4xf32>)
  %2:3 = func.call @strided(%n) : (i32) -> (tensor<2x4x3x3xf32>, tensor<2x7x8x2xf32>, tensor<3x2x2x3xf32>)
  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2, %2#0, %2#1, %2#2
      : tensor<2x7x9x5xf32>, tensor<2x7x9x3xf32>, tensor<3x3x3x5xf32>, tensor<2x6x5x4xf32>, tensor<2x8x6x2xf32>, tensor<3x2x2x4xf32>, tensor<2x4x3x3xf32>, tensor<2x7x8x2xf32>, tensor<3x2x2x3xf32>
}
