// The rules of batch normalization.
//
// `f64` is the type of the images, `f32` that of the statistics of channels. A tensor has three axes
// here: those before the channels, the channels, those after them. `M` is the mean of a channel,
// `r` is 1 / sqrt(variance + epsilon), and `n` is (x - M(x)) r.
//
// The reserved results mean something else on each device: only the gradient of the same operands
// may read them. The derivative of that gradient computes the statistics again.

!T = tensor<*xf64>
!U = tensor<*xf32>
!I = tensor<*xi32>

// Returns the three sizes of images whose channels come last.
func.func private @channels_last(%x: !T, %scale: !U) -> !I attributes {tfx_ad.helper} {
  %rest = tfx_tensor.const dense<[-1]> : tensor<1xi32>
  %one = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %c = tfx_tensor.op "Shape"(%scale) : (!U) -> !I
  %split = tfx_tensor.op "ConcatV2"(%rest, %c, %one, %axis)
      : (tensor<1xi32>, !I, tensor<1xi32>, tensor<i32>) -> !I
  return %split : !I
}
// Returns the three sizes of images whose channels follow the batch.
func.func private @channels_first(%x: !T, %scale: !U) -> !I attributes {tfx_ad.helper} {
  %rest = tfx_tensor.const dense<[-1]> : tensor<1xi32>
  %zero = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %one = tfx_tensor.const dense<[1]> : tensor<1xi32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %s = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %b = tfx_tensor.op "Slice"(%s, %zero, %one) : (!I, tensor<1xi32>, tensor<1xi32>) -> !I
  %c = tfx_tensor.op "Shape"(%scale) : (!U) -> !I
  %split = tfx_tensor.op "ConcatV2"(%b, %c, %rest, %axis)
      : (!I, !I, tensor<1xi32>, tensor<i32>) -> !I
  return %split : !I
}
// Returns images with three axes, in the type of the statistics.
func.func private @images(%x: !T, %split: !I) -> !U attributes {tfx_ad.helper} {
  %c = tfx_tensor.op "Cast"(%x) : (!T) -> !U
  %i = tfx_tensor.op "Reshape"(%c, %split) : (!U, !I) -> !U
  return %i : !U
}
// Returns images with the shape and the type of `x`.
func.func private @like_images(%i: !U, %x: !T) -> !T attributes {tfx_ad.helper} {
  %s = tfx_tensor.op "Shape"(%x) : (!T) -> !I
  %c = tfx_tensor.op "Reshape"(%i, %s) : (!U, !I) -> !U
  %like = tfx_tensor.op "Cast"(%c) : (!U) -> !T
  return %like : !T
}
// Returns a number of each channel, to be broadcast to images with three axes.
func.func private @of_channels(%c: !U) -> !U attributes {tfx_ad.helper} {
  %sizes = tfx_tensor.const dense<[-1, 1]> : tensor<2xi32>
  %i = tfx_tensor.op "Reshape"(%c, %sizes) : (!U, tensor<2xi32>) -> !U
  return %i : !U
}
// Returns the sum of each channel.
func.func private @channel_sum(%i: !U) -> !U attributes {tfx_ad.helper} {
  %axes = tfx_tensor.const dense<[0, 2]> : tensor<2xi32>
  %sum = tfx_tensor.op "Sum"(%i, %axes) : (!U, tensor<2xi32>) -> !U
  return %sum : !U
}
// Returns the mean of each channel, to be broadcast.
func.func private @channel_mean(%i: !U) -> !U attributes {tfx_ad.helper} {
  %axes = tfx_tensor.const dense<[0, 2]> : tensor<2xi32>
  %mean = tfx_tensor.op "Mean"(%i, %axes) {keep_dims = true} : (!U, tensor<2xi32>) -> !U
  return %mean : !U
}
// Returns 1 / sqrt(variance + epsilon).
func.func private @inverse_deviation(%variance: !U) -> !U attributes {tfx_ad.helper} {
  %epsilon = tfx_tensor.const dense<1.0e-04> : tensor<f32> {tfx_ad.attribute = "epsilon"}
  %a = tfx_tensor.op "AddV2"(%variance, %epsilon) : (!U, tensor<f32>) -> !U
  %r = tfx_tensor.op "Rsqrt"(%a) : (!U) -> !U
  return %r : !U
}
// Returns the cotangents of `x` and of an old mean and an old variance, from those of the new ones.
// With `k` numbers in a channel, the new ones are
//   (1 - factor) old mean + factor M(x),   (1 - factor) old variance + factor k / (k - 1) M((x - M(x))^2)
func.func private @of_statistics(%split: !I, %x: !T, %m: !U, %v: !U, %dm: !U, %dv: !U)
    -> (!T, !U, !U) attributes {tfx_ad.helper} {
  %one = tfx_tensor.const dense<1.0> : tensor<f32>
  %two = tfx_tensor.const dense<2.0> : tensor<f32>
  %start = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %factor = tfx_tensor.const dense<1.0> : tensor<f32> {tfx_ad.attribute = "exponential_avg_factor"}
  %i = func.call @images(%x, %split) : (!T, !I) -> !U
  %mean = func.call @channel_mean(%i) : (!U) -> !U
  %d = tfx_tensor.op "Sub"(%i, %mean) : (!U, !U) -> !U
  %all = tfx_tensor.op "Size"(%x) : (!T) -> tensor<i32>
  %channels = tfx_tensor.op "Size"(%dm) : (!U) -> tensor<i32>
  %count = tfx_tensor.op "Div"(%all, %channels) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %k = tfx_tensor.op "Cast"(%count) : (tensor<i32>) -> tensor<f32>
  %less = tfx_tensor.op "Sub"(%k, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %free = tfx_tensor.op "Maximum"(%less, %one) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %cm = func.call @of_channels(%dm) : (!U) -> !U
  %cv = func.call @of_channels(%dv) : (!U) -> !U
  %a = tfx_tensor.op "Div"(%cm, %k) : (!U, tensor<f32>) -> !U
  %b = tfx_tensor.op "Div"(%two, %free) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Mul"(%cv, %b) : (!U, tensor<f32>) -> !U
  %f = tfx_tensor.op "Mul"(%e, %d) : (!U, !U) -> !U
  %g = tfx_tensor.op "AddV2"(%a, %f) : (!U, !U) -> !U
  %h = tfx_tensor.op "Mul"(%g, %factor) : (!U, tensor<f32>) -> !U
  %dx = func.call @like_images(%h, %x) : (!U, !T) -> !T
  %rest = tfx_tensor.op "Sub"(%one, %factor) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %om = tfx_tensor.op "Mul"(%dm, %rest) : (!U, tensor<f32>) -> !U
  %ov = tfx_tensor.op "Mul"(%dv, %rest) : (!U, tensor<f32>) -> !U
  // With the factor 1, the old ones may be empty.
  %sm = tfx_tensor.op "Shape"(%m) : (!U) -> !I
  %sv = tfx_tensor.op "Shape"(%v) : (!U) -> !I
  %qm = tfx_tensor.op "Slice"(%om, %start, %sm) : (!U, tensor<1xi32>, !I) -> !U
  %qv = tfx_tensor.op "Slice"(%ov, %start, %sv) : (!U, tensor<1xi32>, !I) -> !U
  return %dx, %qm, %qv : !T, !U, !U
}
func.func private @FusedBatchNormV3.training(%x: !T, %s: !U, %o: !U, %m: !U, %v: !U,
    %y: !T, %ym: !U, %yv: !U, %r1: !U, %r2: !U, %r3: !U,
    %dy: !T, %dm: !U, %dv: !U, %d1: !U, %d2: !U, %d3: !U) -> (!T, !U, !U, !U, !U)
    attributes {tfx_ad.when.is_training = true, tfx_ad.unused = array<i64: 1, 2, 3, 4, 5>,
      tfx_ad.other = 1 : i64} {
  %d:5 = tfx_tensor.op "FusedBatchNormGradV3"(%dy, %x, %s, %r1, %r2, %r3)
      {tfx_ad.copy = ["epsilon", "data_format"]}
      : (!T, !T, !U, !U, !U, !U) -> (!T, !U, !U, !U, !U)
  %zm = tfx_tensor.op "ZerosLike"(%m) : (!U) -> !U
  %zv = tfx_tensor.op "ZerosLike"(%v) : (!U) -> !U
  return %d#0, %d#1, %d#2, %zm, %zv : !T, !U, !U, !U, !U
}
func.func private @FusedBatchNormV3.training_last(%x: !T, %s: !U, %o: !U, %m: !U, %v: !U,
    %y: !T, %ym: !U, %yv: !U, %r1: !U, %r2: !U, %r3: !U,
    %dy: !T, %dm: !U, %dv: !U, %d1: !U, %d2: !U, %d3: !U) -> (!T, !U, !U, !U, !U)
    attributes {tfx_ad.when.is_training = true, tfx_ad.when.data_format = ["NHWC", "NDHWC"],
      tfx_ad.unused = array<i64: 3, 4, 5>, tfx_ad.other = 1 : i64} {
  %d:5 = tfx_tensor.op "FusedBatchNormGradV3"(%dy, %x, %s, %r1, %r2, %r3)
      {tfx_ad.copy = ["epsilon", "data_format"]}
      : (!T, !T, !U, !U, !U, !U) -> (!T, !U, !U, !U, !U)
  %split = func.call @channels_last(%x, %s) : (!T, !U) -> !I
  %e:3 = func.call @of_statistics(%split, %x, %m, %v, %dm, %dv)
      : (!I, !T, !U, !U, !U, !U) -> (!T, !U, !U)
  %dx = tfx_tensor.op "AddV2"(%d#0, %e#0) : (!T, !T) -> !T
  return %dx, %d#1, %d#2, %e#1, %e#2 : !T, !U, !U, !U, !U
}
func.func private @FusedBatchNormV3.training_first(%x: !T, %s: !U, %o: !U, %m: !U, %v: !U,
    %y: !T, %ym: !U, %yv: !U, %r1: !U, %r2: !U, %r3: !U,
    %dy: !T, %dm: !U, %dv: !U, %d1: !U, %d2: !U, %d3: !U) -> (!T, !U, !U, !U, !U)
    attributes {tfx_ad.when.is_training = true, tfx_ad.when.data_format = ["NCHW", "NCDHW"],
      tfx_ad.unused = array<i64: 3, 4, 5>, tfx_ad.other = 1 : i64} {
  %d:5 = tfx_tensor.op "FusedBatchNormGradV3"(%dy, %x, %s, %r1, %r2, %r3)
      {tfx_ad.copy = ["epsilon", "data_format"]}
      : (!T, !T, !U, !U, !U, !U) -> (!T, !U, !U, !U, !U)
  %split = func.call @channels_first(%x, %s) : (!T, !U) -> !I
  %e:3 = func.call @of_statistics(%split, %x, %m, %v, %dm, %dv)
      : (!I, !T, !U, !U, !U, !U) -> (!T, !U, !U)
  %dx = tfx_tensor.op "AddV2"(%d#0, %e#0) : (!T, !T) -> !T
  return %dx, %d#1, %d#2, %e#1, %e#2 : !T, !U, !U, !U, !U
}
// The statistics are operands, and results as they are. With r = 1 / sqrt(variance + epsilon), y is
// scale r (x - mean) + offset.
func.func private @of_fixed(%split: !I, %x: !T, %s: !U, %m: !U, %v: !U, %dy: !T, %dm: !U, %dv: !U)
    -> (!T, !U, !U, !U, !U) attributes {tfx_ad.helper} {
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %iy = func.call @images(%dy, %split) : (!T, !I) -> !U
  %ix = func.call @images(%x, %split) : (!T, !I) -> !U
  %im = func.call @of_channels(%m) : (!U) -> !U
  %r = func.call @inverse_deviation(%v) : (!U) -> !U
  %sr = tfx_tensor.op "Mul"(%s, %r) : (!U, !U) -> !U
  %isr = func.call @of_channels(%sr) : (!U) -> !U
  %a = tfx_tensor.op "Mul"(%iy, %isr) : (!U, !U) -> !U
  %dx = func.call @like_images(%a, %x) : (!U, !T) -> !T
  %d = tfx_tensor.op "Sub"(%ix, %im) : (!U, !U) -> !U
  %b = tfx_tensor.op "Mul"(%iy, %d) : (!U, !U) -> !U
  %c = func.call @channel_sum(%b) : (!U) -> !U
  %ds = tfx_tensor.op "Mul"(%c, %r) : (!U, !U) -> !U
  %do = func.call @channel_sum(%iy) : (!U) -> !U
  %e = tfx_tensor.op "Mul"(%sr, %do) : (!U, !U) -> !U
  %gm = tfx_tensor.op "Sub"(%dm, %e) : (!U, !U) -> !U
  %f = tfx_tensor.op "Mul"(%sr, %r) : (!U, !U) -> !U
  %g = tfx_tensor.op "Mul"(%f, %ds) : (!U, !U) -> !U
  %h = tfx_tensor.op "Mul"(%g, %half) : (!U, tensor<f32>) -> !U
  %gv = tfx_tensor.op "Sub"(%dv, %h) : (!U, !U) -> !U
  return %dx, %ds, %do, %gm, %gv : !T, !U, !U, !U, !U
}
func.func private @FusedBatchNormV3.inference_last(%x: !T, %s: !U, %o: !U, %m: !U, %v: !U,
    %y: !T, %ym: !U, %yv: !U, %r1: !U, %r2: !U, %r3: !U,
    %dy: !T, %dm: !U, %dv: !U, %d1: !U, %d2: !U, %d3: !U) -> (!T, !U, !U, !U, !U)
    attributes {tfx_ad.when.is_training = false, tfx_ad.when.data_format = ["NHWC", "NDHWC"],
      tfx_ad.unused = array<i64: 3, 4, 5>, tfx_ad.other = 1 : i64} {
  %split = func.call @channels_last(%x, %s) : (!T, !U) -> !I
  %c:5 = func.call @of_fixed(%split, %x, %s, %m, %v, %dy, %dm, %dv)
      : (!I, !T, !U, !U, !U, !T, !U, !U) -> (!T, !U, !U, !U, !U)
  return %c#0, %c#1, %c#2, %c#3, %c#4 : !T, !U, !U, !U, !U
}
func.func private @FusedBatchNormV3.inference_first(%x: !T, %s: !U, %o: !U, %m: !U, %v: !U,
    %y: !T, %ym: !U, %yv: !U, %r1: !U, %r2: !U, %r3: !U,
    %dy: !T, %dm: !U, %dv: !U, %d1: !U, %d2: !U, %d3: !U) -> (!T, !U, !U, !U, !U)
    attributes {tfx_ad.when.is_training = false, tfx_ad.when.data_format = ["NCHW", "NCDHW"],
      tfx_ad.unused = array<i64: 3, 4, 5>, tfx_ad.other = 1 : i64} {
  %split = func.call @channels_first(%x, %s) : (!T, !U) -> !I
  %c:5 = func.call @of_fixed(%split, %x, %s, %m, %v, %dy, %dm, %dv)
      : (!I, !T, !U, !U, !U, !T, !U, !U) -> (!T, !U, !U, !U, !U)
  return %c#0, %c#1, %c#2, %c#3, %c#4 : !T, !U, !U, !U, !U
}
// Returns the cotangents of `dy`, `x` and `scale`. With p = r (gx - M(gx) - n M(gx n)), the results
// are
//   dx = scale r (dy - M(dy) - n M(dy n)),   dscale = sum(dy n),   doffset = sum(dy)
func.func private @of_training(%split: !I, %dy: !T, %x: !T, %s: !U, %gx: !T, %gs: !U, %go: !U)
    -> (!T, !T, !U) attributes {tfx_ad.helper} {
  %iy = func.call @images(%dy, %split) : (!T, !I) -> !U
  %ix = func.call @images(%x, %split) : (!T, !I) -> !U
  %ig = func.call @images(%gx, %split) : (!T, !I) -> !U
  %is = func.call @of_channels(%s) : (!U) -> !U
  %igs = func.call @of_channels(%gs) : (!U) -> !U
  %igo = func.call @of_channels(%go) : (!U) -> !U
  %mx = func.call @channel_mean(%ix) : (!U) -> !U
  %d = tfx_tensor.op "Sub"(%ix, %mx) : (!U, !U) -> !U
  %square = tfx_tensor.op "Square"(%d) : (!U) -> !U
  %variance = func.call @channel_mean(%square) : (!U) -> !U
  %r = func.call @inverse_deviation(%variance) : (!U) -> !U
  %n = tfx_tensor.op "Mul"(%d, %r) : (!U, !U) -> !U

  %mg = func.call @channel_mean(%ig) : (!U) -> !U
  %gn = tfx_tensor.op "Mul"(%ig, %n) : (!U, !U) -> !U
  %mgn = func.call @channel_mean(%gn) : (!U) -> !U
  %p0 = tfx_tensor.op "Sub"(%ig, %mg) : (!U, !U) -> !U
  %p1 = tfx_tensor.op "Mul"(%n, %mgn) : (!U, !U) -> !U
  %p2 = tfx_tensor.op "Sub"(%p0, %p1) : (!U, !U) -> !U
  %p = tfx_tensor.op "Mul"(%p2, %r) : (!U, !U) -> !U

  // cdy = scale p + gs n + go
  %y0 = tfx_tensor.op "Mul"(%p, %is) : (!U, !U) -> !U
  %y1 = tfx_tensor.op "Mul"(%n, %igs) : (!U, !U) -> !U
  %y2 = tfx_tensor.op "AddV2"(%y0, %y1) : (!U, !U) -> !U
  %y3 = tfx_tensor.op "AddV2"(%y2, %igo) : (!U, !U) -> !U
  %cdy = func.call @like_images(%y3, %dy) : (!U, !T) -> !T
  // cscale = sum(dy p)
  %s0 = tfx_tensor.op "Mul"(%iy, %p) : (!U, !U) -> !U
  %cs = func.call @channel_sum(%s0) : (!U) -> !U

  // q = gs dy - scale r (gx M(dy n) + dy M(gx n)), the cotangent of n
  %my = func.call @channel_mean(%iy) : (!U) -> !U
  %yn = tfx_tensor.op "Mul"(%iy, %n) : (!U, !U) -> !U
  %myn = func.call @channel_mean(%yn) : (!U) -> !U
  %q0 = tfx_tensor.op "Mul"(%ig, %myn) : (!U, !U) -> !U
  %q1 = tfx_tensor.op "Mul"(%iy, %mgn) : (!U, !U) -> !U
  %q2 = tfx_tensor.op "AddV2"(%q0, %q1) : (!U, !U) -> !U
  %sr = tfx_tensor.op "Mul"(%is, %r) : (!U, !U) -> !U
  %q3 = tfx_tensor.op "Mul"(%sr, %q2) : (!U, !U) -> !U
  %q4 = tfx_tensor.op "Mul"(%igs, %iy) : (!U, !U) -> !U
  %q = tfx_tensor.op "Sub"(%q4, %q3) : (!U, !U) -> !U
  // k = M(gx dy) - M(gx) M(dy) - M(gx n) M(dy n): scale k is the cotangent of r in a channel's mean
  %gy = tfx_tensor.op "Mul"(%ig, %iy) : (!U, !U) -> !U
  %k0 = func.call @channel_mean(%gy) : (!U) -> !U
  %k1 = tfx_tensor.op "Mul"(%mg, %my) : (!U, !U) -> !U
  %k2 = tfx_tensor.op "Mul"(%mgn, %myn) : (!U, !U) -> !U
  %k3 = tfx_tensor.op "Sub"(%k0, %k1) : (!U, !U) -> !U
  %k = tfx_tensor.op "Sub"(%k3, %k2) : (!U, !U) -> !U
  // cx = r (q - M(q) - n M(q n)) - scale k r^2 n
  %mq = func.call @channel_mean(%q) : (!U) -> !U
  %qn = tfx_tensor.op "Mul"(%q, %n) : (!U, !U) -> !U
  %mqn = func.call @channel_mean(%qn) : (!U) -> !U
  %skr = tfx_tensor.op "Mul"(%sr, %k) : (!U, !U) -> !U
  %x0 = tfx_tensor.op "AddV2"(%mqn, %skr) : (!U, !U) -> !U
  %x1 = tfx_tensor.op "Mul"(%n, %x0) : (!U, !U) -> !U
  %x2 = tfx_tensor.op "Sub"(%q, %mq) : (!U, !U) -> !U
  %x3 = tfx_tensor.op "Sub"(%x2, %x1) : (!U, !U) -> !U
  %x4 = tfx_tensor.op "Mul"(%x3, %r) : (!U, !U) -> !U
  %cx = func.call @like_images(%x4, %x) : (!U, !T) -> !T
  return %cdy, %cx, %cs : !T, !T, !U
}
func.func private @FusedBatchNormGradV3.training_last(%dy: !T, %x: !T, %s: !U, %r1: !U, %r2: !U,
    %r3: !U, %dx: !T, %ds: !U, %do: !U, %e: !U, %f: !U,
    %gx: !T, %gs: !U, %go: !U, %ge: !U, %gf: !U) -> (!T, !T, !U)
    attributes {tfx_ad.when.is_training = true, tfx_ad.when.data_format = ["NHWC", "NDHWC"],
      tfx_ad.wrt = array<i64: 0, 1, 2>, tfx_ad.unused = array<i64: 3, 4>,
      tfx_ad.other = 2 : i64} {
  %split = func.call @channels_last(%x, %s) : (!T, !U) -> !I
  %c:3 = func.call @of_training(%split, %dy, %x, %s, %gx, %gs, %go)
      : (!I, !T, !T, !U, !T, !U, !U) -> (!T, !T, !U)
  return %c#0, %c#1, %c#2 : !T, !T, !U
}
func.func private @FusedBatchNormGradV3.training_first(%dy: !T, %x: !T, %s: !U, %r1: !U, %r2: !U,
    %r3: !U, %dx: !T, %ds: !U, %do: !U, %e: !U, %f: !U,
    %gx: !T, %gs: !U, %go: !U, %ge: !U, %gf: !U) -> (!T, !T, !U)
    attributes {tfx_ad.when.is_training = true, tfx_ad.when.data_format = ["NCHW", "NCDHW"],
      tfx_ad.wrt = array<i64: 0, 1, 2>, tfx_ad.unused = array<i64: 3, 4>,
      tfx_ad.other = 2 : i64} {
  %split = func.call @channels_first(%x, %s) : (!T, !U) -> !I
  %c:3 = func.call @of_training(%split, %dy, %x, %s, %gx, %gs, %go)
      : (!I, !T, !T, !U, !T, !U, !U) -> (!T, !T, !U)
  return %c#0, %c#1, %c#2 : !T, !T, !U
}
// TensorFlow computes the gradient of inference for channels that come last. With the mean and the
// variance as operands, the results are
//   dx = scale r dy,   dscale = r sum(dy (x - mean)),   doffset = sum(dy)
func.func private @FusedBatchNormGradV3.inference_last(%dy: !T, %x: !T, %s: !U, %m: !U, %v: !U,
    %r3: !U, %dx: !T, %ds: !U, %do: !U, %d1: !U, %d2: !U,
    %gx: !T, %gs: !U, %go: !U, %ge: !U, %gf: !U) -> (!T, !T, !U, !U, !U)
    attributes {tfx_ad.when.is_training = false, tfx_ad.when.data_format = ["NHWC", "NDHWC"],
      tfx_ad.wrt = array<i64: 0, 1, 2, 3, 4>, tfx_ad.unused = array<i64: 3, 4>,
      tfx_ad.other = 2 : i64} {
  %split = func.call @channels_last(%x, %s) : (!T, !U) -> !I
  %iy = func.call @images(%dy, %split) : (!T, !I) -> !U
  %ix = func.call @images(%x, %split) : (!T, !I) -> !U
  %ig = func.call @images(%gx, %split) : (!T, !I) -> !U
  %im = func.call @of_channels(%m) : (!U) -> !U
  %igo = func.call @of_channels(%go) : (!U) -> !U
  %r = func.call @inverse_deviation(%v) : (!U) -> !U
  %sr = tfx_tensor.op "Mul"(%s, %r) : (!U, !U) -> !U
  %gr = tfx_tensor.op "Mul"(%gs, %r) : (!U, !U) -> !U
  %isr = func.call @of_channels(%sr) : (!U) -> !U
  %igr = func.call @of_channels(%gr) : (!U) -> !U
  %d = tfx_tensor.op "Sub"(%ix, %im) : (!U, !U) -> !U
  %a = tfx_tensor.op "Mul"(%ig, %isr) : (!U, !U) -> !U
  %b = tfx_tensor.op "Mul"(%d, %igr) : (!U, !U) -> !U
  %c = tfx_tensor.op "AddV2"(%a, %b) : (!U, !U) -> !U
  %e = tfx_tensor.op "AddV2"(%c, %igo) : (!U, !U) -> !U
  %cdy = func.call @like_images(%e, %dy) : (!U, !T) -> !T
  %f = tfx_tensor.op "Mul"(%iy, %igr) : (!U, !U) -> !U
  %cx = func.call @like_images(%f, %x) : (!U, !T) -> !T
  %g = tfx_tensor.op "Mul"(%ig, %iy) : (!U, !U) -> !U
  %sg = func.call @channel_sum(%g) : (!U) -> !U
  %cs = tfx_tensor.op "Mul"(%sg, %r) : (!U, !U) -> !U
  %sy = func.call @channel_sum(%iy) : (!U) -> !U
  %h = tfx_tensor.op "Mul"(%sy, %gr) : (!U, !U) -> !U
  %cm = tfx_tensor.op "Neg"(%h) : (!U) -> !U
  %i = tfx_tensor.op "Mul"(%iy, %d) : (!U, !U) -> !U
  %sd = func.call @channel_sum(%i) : (!U) -> !U
  %j = tfx_tensor.op "Mul"(%sg, %sr) : (!U, !U) -> !U
  %k = tfx_tensor.op "Mul"(%sd, %gr) : (!U, !U) -> !U
  %l = tfx_tensor.op "AddV2"(%j, %k) : (!U, !U) -> !U
  %rr = tfx_tensor.op "Square"(%r) : (!U) -> !U
  %minus_half = tfx_tensor.const dense<-0.5> : tensor<f32>
  %n = tfx_tensor.op "Mul"(%rr, %minus_half) : (!U, tensor<f32>) -> !U
  %cv = tfx_tensor.op "Mul"(%l, %n) : (!U, !U) -> !U
  return %cdy, %cx, %cs, %cm, %cv : !T, !T, !U, !U, !U
}
