// ADBench's GMM: the log-likelihood of points under a mixture of Gaussians, with a Wishart prior,
// and its gradient with respect to the weights, the means and the factors of the inverse
// covariances (reverse mode).
//
//   tfxc run bench/adbench/gmm.mlir 0 --copies none  # checksums
//   tfxc run bench/adbench/gmm.mlir 20 --copies none  # times as well

!Weights = tensor<5xf64>
!Means = tensor<5x10xf64>
!Factors = tensor<5x55xf64>
!Points = tensor<1000x10xf64>
!Layout = tensor<10x10xi32>

module attributes {tfx.link = ["host/gmm.c"]} {
  func.func private @gmm_weights() -> !Weights
  func.func private @gmm_means() -> !Means
  func.func private @gmm_factors() -> !Factors
  func.func private @gmm_points() -> !Points
  func.func private @gmm_layout() -> !Layout
  func.func private @gmm_gamma() -> f64
  func.func private @gmm_m() -> f64
  func.func private @gmm_constant() -> f64
  func.func private @start_clock() -> f64
  func.func private @stop_clock(tensor<f64>)
  func.func private @stop_clock_3(!Weights, !Means, !Factors)
  func.func private @print_times(!tfx_host.string)
  func.func private @checksum(!tfx_host.string, tensor<*xf64>)

  // What does not depend on the parameters.
  tfx_host.struct @Data {points: !Points, layout: !Layout, gamma: f64, m: f64, constant: f64}

  func.func private @log_sum_exp(%x: tensor<5x?xf64>) -> tensor<?xf64> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %maximum = tfx_tensor.op "Max"(%x, %first) : (tensor<5x?xf64>, tensor<i32>) -> tensor<?xf64>
    %offset = tfx_ad.stop %maximum : tensor<?xf64>
    %small = tfx_tensor.op "Sub"(%x, %offset) : (tensor<5x?xf64>, tensor<?xf64>) -> tensor<5x?xf64>
    %exp = tfx_tensor.op "Exp"(%small) : (tensor<5x?xf64>) -> tensor<5x?xf64>
    %sum = tfx_tensor.op "Sum"(%exp, %first) : (tensor<5x?xf64>, tensor<i32>) -> tensor<?xf64>
    %log = tfx_tensor.op "Log"(%sum) : (tensor<?xf64>) -> tensor<?xf64>
    %y = tfx_tensor.op "AddV2"(%log, %offset) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    return %y : tensor<?xf64>
  }

  func.func private @objective(%weights: !Weights, %means: !Means, %factors: !Factors, %data: !tfx_host.struct<@Data>) -> tensor<f64> {
    %points = tfx_host.extract %data["points"] : !tfx_host.struct<@Data> -> !Points
    %layout = tfx_host.extract %data["layout"] : !tfx_host.struct<@Data> -> !Layout
    %zero = tfx_tensor.const dense<0> : tensor<i32>
    %one = tfx_tensor.const dense<1> : tensor<i32>
    %two = tfx_tensor.const dense<2> : tensor<i32>
    %both = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %half = tfx_tensor.const dense<0.5> : tensor<f64>

    // The factors: lower triangular matrices with the exponentials of their first parts as
    // diagonals.
    %origin = tfx_tensor.const dense<[0, 0]> : tensor<2xi32>
    %logs_size = tfx_tensor.const dense<[5, 10]> : tensor<2xi32>
    %logs = tfx_tensor.op "Slice"(%factors, %origin, %logs_size) : (!Factors, tensor<2xi32>, tensor<2xi32>) -> tensor<5x10xf64>
    %below_origin = tfx_tensor.const dense<[0, 10]> : tensor<2xi32>
    %below_size = tfx_tensor.const dense<[5, 45]> : tensor<2xi32>
    %below = tfx_tensor.op "Slice"(%factors, %below_origin, %below_size) : (!Factors, tensor<2xi32>, tensor<2xi32>) -> tensor<5x45xf64>
    %diagonals = tfx_tensor.op "Exp"(%logs) : (tensor<5x10xf64>) -> tensor<5x10xf64>
    %zeros = tfx_tensor.const dense<0.0> : tensor<5x1xf64>
    %elements = tfx_tensor.op "ConcatV2"(%zeros, %diagonals, %below, %one)
        : (tensor<5x1xf64>, tensor<5x10xf64>, tensor<5x45xf64>, tensor<i32>) -> tensor<5x56xf64>
    %matrices = tfx_tensor.op "GatherV2"(%elements, %layout, %one) : (tensor<5x56xf64>, !Layout, tensor<i32>) -> tensor<5x10x10xf64>

    // The distances of the points from the means.
    %row = tfx_tensor.op "ExpandDims"(%points, %zero) : (!Points, tensor<i32>) -> tensor<1x1000x10xf64>
    %column = tfx_tensor.op "ExpandDims"(%means, %one) : (!Means, tensor<i32>) -> tensor<5x1x10xf64>
    %centered = tfx_tensor.op "Sub"(%row, %column) : (tensor<1x1000x10xf64>, tensor<5x1x10xf64>) -> tensor<5x1000x10xf64>
    %scaled = tfx_tensor.op "BatchMatMulV2"(%centered, %matrices) {adj_x = false, adj_y = true}
        : (tensor<5x1000x10xf64>, tensor<5x10x10xf64>) -> tensor<5x1000x10xf64>
    %squares = tfx_tensor.op "Square"(%scaled) : (tensor<5x1000x10xf64>) -> tensor<5x1000x10xf64>
    %distances = tfx_tensor.op "Sum"(%squares, %two) : (tensor<5x1000x10xf64>, tensor<i32>) -> tensor<5x1000xf64>

    // The likelihood of each point.
    %log_determinants = tfx_tensor.op "Sum"(%logs, %one) : (tensor<5x10xf64>, tensor<i32>) -> tensor<5xf64>
    %heights = tfx_tensor.op "AddV2"(%weights, %log_determinants) : (!Weights, tensor<5xf64>) -> tensor<5xf64>
    %heights_column = tfx_tensor.op "ExpandDims"(%heights, %one) : (tensor<5xf64>, tensor<i32>) -> tensor<5x1xf64>
    %halves = tfx_tensor.op "Mul"(%distances, %half) : (tensor<5x1000xf64>, tensor<f64>) -> tensor<5x1000xf64>
    %terms = tfx_tensor.op "Sub"(%heights_column, %halves) : (tensor<5x1xf64>, tensor<5x1000xf64>) -> tensor<5x?xf64>
    %likelihoods = func.call @log_sum_exp(%terms) : (tensor<5x?xf64>) -> tensor<?xf64>
    %likelihood = tfx_tensor.op "Sum"(%likelihoods, %zero) : (tensor<?xf64>, tensor<i32>) -> tensor<f64>
    %weights_column = tfx_tensor.op "ExpandDims"(%weights, %one) : (!Weights, tensor<i32>) -> tensor<5x?xf64>
    %normalizers = func.call @log_sum_exp(%weights_column) : (tensor<5x?xf64>) -> tensor<?xf64>
    %normalizer = tfx_tensor.op "Sum"(%normalizers, %zero) : (tensor<?xf64>, tensor<i32>) -> tensor<f64>
    %count = tfx_tensor.const dense<1000.0> : tensor<f64>
    %all_normalizers = tfx_tensor.op "Mul"(%normalizer, %count) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %normalized = tfx_tensor.op "Sub"(%likelihood, %all_normalizers) : (tensor<f64>, tensor<f64>) -> tensor<f64>

    // The prior.
    %gamma_scalar = tfx_host.extract %data["gamma"] : !tfx_host.struct<@Data> -> f64
    %m_scalar = tfx_host.extract %data["m"] : !tfx_host.struct<@Data> -> f64
    %constant_scalar = tfx_host.extract %data["constant"] : !tfx_host.struct<@Data> -> f64
    %gamma = tfx_tensor.from_scalar %gamma_scalar : f64
    %m = tfx_tensor.from_scalar %m_scalar : f64
    %constant = tfx_tensor.from_scalar %constant_scalar : f64
    %element_squares = tfx_tensor.op "Square"(%elements) : (tensor<5x56xf64>) -> tensor<5x56xf64>
    %frobenius = tfx_tensor.op "Sum"(%element_squares, %both) : (tensor<5x56xf64>, tensor<2xi32>) -> tensor<f64>
    %gamma_square = tfx_tensor.op "Square"(%gamma) : (tensor<f64>) -> tensor<f64>
    %strength = tfx_tensor.op "Mul"(%gamma_square, %half) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %spread = tfx_tensor.op "Mul"(%strength, %frobenius) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %log_determinant = tfx_tensor.op "Sum"(%log_determinants, %zero) : (tensor<5xf64>, tensor<i32>) -> tensor<f64>
    %volume = tfx_tensor.op "Mul"(%m, %log_determinant) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %prior = tfx_tensor.op "Sub"(%spread, %volume) : (tensor<f64>, tensor<f64>) -> tensor<f64>

    %sum = tfx_tensor.op "AddV2"(%normalized, %prior) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %result = tfx_tensor.op "AddV2"(%sum, %constant) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %result : tensor<f64>
  }

  // The parameters, which are not known before the clock has started.
  func.func private @parameters(%weights: !Weights, %means: !Means, %factors: !Factors) -> (!Weights, !Means, !Factors) {
    %zero_scalar = func.call @start_clock() : () -> f64
    %zero = tfx_tensor.from_scalar %zero_scalar : f64
    %a = tfx_tensor.op "AddV2"(%weights, %zero) : (!Weights, tensor<f64>) -> !Weights
    %b = tfx_tensor.op "AddV2"(%means, %zero) : (!Means, tensor<f64>) -> !Means
    %c = tfx_tensor.op "AddV2"(%factors, %zero) : (!Factors, tensor<f64>) -> !Factors
    return %a, %b, %c : !Weights, !Means, !Factors
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}) {
    %points = func.call @gmm_points() : () -> !Points
    %layout = func.call @gmm_layout() : () -> !Layout
    %gamma = func.call @gmm_gamma() : () -> f64
    %m = func.call @gmm_m() : () -> f64
    %constant = func.call @gmm_constant() : () -> f64
    %data = tfx_host.make_struct(%points, %layout, %gamma, %m, %constant) : (!Points, !Layout, f64, f64, f64) -> !tfx_host.struct<@Data>
    %weights = func.call @gmm_weights() : () -> !Weights
    %means = func.call @gmm_means() : () -> !Means
    %factors = func.call @gmm_factors() : () -> !Factors

    %value, %d:3 = tfx_ad.gradient @objective(%weights, %means, %factors, %data) wrt [0, 1, 2] value
        : (!Weights, !Means, !Factors, !tfx_host.struct<@Data>) -> (tensor<f64>, !Weights, !Means, !Factors)
    %value_name = tfx_host.string "value"
    %any_value = tfx_tensor.op "Identity"(%value) : (tensor<f64>) -> tensor<*xf64>
    func.call @checksum(%value_name, %any_value) : (!tfx_host.string, tensor<*xf64>) -> ()
    %weights_name = tfx_host.string "weights"
    %any_weights = tfx_tensor.op "Identity"(%d#0) : (!Weights) -> tensor<*xf64>
    func.call @checksum(%weights_name, %any_weights) : (!tfx_host.string, tensor<*xf64>) -> ()
    %means_name = tfx_host.string "means"
    %any_means = tfx_tensor.op "Identity"(%d#1) : (!Means) -> tensor<*xf64>
    func.call @checksum(%means_name, %any_means) : (!tfx_host.string, tensor<*xf64>) -> ()
    %factors_name = tfx_host.string "factors"
    %any_factors = tfx_tensor.op "Identity"(%d#2) : (!Factors) -> tensor<*xf64>
    func.call @checksum(%factors_name, %any_factors) : (!tfx_host.string, tensor<*xf64>) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %p:3 = func.call @parameters(%weights, %means, %factors) : (!Weights, !Means, !Factors) -> (!Weights, !Means, !Factors)
      %y = func.call @objective(%p#0, %p#1, %p#2, %data) : (!Weights, !Means, !Factors, !tfx_host.struct<@Data>) -> tensor<f64>
      func.call @stop_clock(%y) : (tensor<f64>) -> ()
    }
    %primal = tfx_host.string "primal"
    func.call @print_times(%primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p:3 = func.call @parameters(%weights, %means, %factors) : (!Weights, !Means, !Factors) -> (!Weights, !Means, !Factors)
      %g:3 = tfx_ad.gradient @objective(%p#0, %p#1, %p#2, %data) wrt [0, 1, 2]
          : (!Weights, !Means, !Factors, !tfx_host.struct<@Data>) -> (!Weights, !Means, !Factors)
      func.call @stop_clock_3(%g#0, %g#1, %g#2) : (!Weights, !Means, !Factors) -> ()
    }
    %derivative = tfx_host.string "derivative"
    func.call @print_times(%derivative) : (!tfx_host.string) -> ()
    return
  }
}
