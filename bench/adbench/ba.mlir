// ADBench's bundle adjustment: two residuals for each observation of a point by a camera, and one
// for its weight. The Jacobian has a block of 15 columns for each pair of residuals: the camera,
// the point and the weight. The code computes all observations at once. Observations do not depend
// on each other's parameters, so two applications of one pullback (reverse mode) give all rows.
//
//   tfxc run bench/adbench/ba.mlir 0 --copies none  # checksums
//   tfxc run bench/adbench/ba.mlir 20 --copies none  # times as well

!Cameras = tensor<49x11xf64>
!Points = tensor<7776x3xf64>
!Indices = tensor<31843xi32>
!Camera = tensor<31843x11xf64>
!Point = tensor<31843x3xf64>
!Pair = tensor<31843x2xf64>
!Column = tensor<31843xf64>
!Pullback = !tfx_host.closure<(tensor<31843x2xf64>) -> (tensor<31843x11xf64>, tensor<31843x3xf64>, tensor<31843xf64>)>

module attributes {tfx.link = ["host/ba.c"]} {
  func.func private @ba_cameras() -> !Cameras
  func.func private @ba_points() -> !Points
  func.func private @ba_weights() -> !Column
  func.func private @ba_features() -> !Pair
  func.func private @ba_camera_indices() -> !Indices
  func.func private @ba_point_indices() -> !Indices
  func.func private @start_clock() -> f64
  func.func private @stop_clock_2(!Pair, !Column)
  func.func private @stop_clock_7(!Camera, !Point, !Column, !Camera, !Point, !Column, !Column)
  func.func private @print_times(!tfx_host.string)
  func.func private @checksum(!tfx_host.string, tensor<*xf64>)

  // The parameters, and which of them belong to an observation.
  tfx_host.struct @Problem {cameras: !Cameras, points: !Points, weights: !Column, camera_indices: !Indices, point_indices: !Indices, features: !Pair}

  // A rotation by an axis and an angle: the vector `rotation` is the axis, its length the angle.
  func.func private @rotate(%r0: !Column, %r1: !Column, %r2: !Column, %x0: !Column, %x1: !Column, %x2: !Column) -> (!Column, !Column, !Column) {
    %zero = tfx_tensor.const dense<0.0> : tensor<f64>
    %one = tfx_tensor.const dense<1.0> : tensor<f64>
    %square_0 = tfx_tensor.op "Mul"(%r0, %r0) : (!Column, !Column) -> !Column
    %square_1 = tfx_tensor.op "Mul"(%r1, %r1) : (!Column, !Column) -> !Column
    %square_2 = tfx_tensor.op "Mul"(%r2, %r2) : (!Column, !Column) -> !Column
    %square_sum1 = tfx_tensor.op "AddV2"(%square_0, %square_1) : (!Column, !Column) -> !Column
    %square = tfx_tensor.op "AddV2"(%square_sum1, %square_2) : (!Column, !Column) -> !Column
    %none = tfx_tensor.op "Equal"(%square, %zero) : (!Column, tensor<f64>) -> tensor<31843xi1>
    %safe = tfx_tensor.op "SelectV2"(%none, %one, %square) : (tensor<31843xi1>, tensor<f64>, !Column) -> !Column
    %angle = tfx_tensor.op "Sqrt"(%safe) : (!Column) -> !Column
    %cos = tfx_tensor.op "Cos"(%angle) : (!Column) -> !Column
    %sin = tfx_tensor.op "Sin"(%angle) : (!Column) -> !Column
    %inverse = tfx_tensor.op "Reciprocal"(%angle) : (!Column) -> !Column
    %versine = tfx_tensor.op "Sub"(%one, %cos) : (tensor<f64>, !Column) -> !Column
    %a0 = tfx_tensor.op "Mul"(%r0, %inverse) : (!Column, !Column) -> !Column
    %a1 = tfx_tensor.op "Mul"(%r1, %inverse) : (!Column, !Column) -> !Column
    %a2 = tfx_tensor.op "Mul"(%r2, %inverse) : (!Column, !Column) -> !Column
    %c0_left = tfx_tensor.op "Mul"(%a1, %x2) : (!Column, !Column) -> !Column
    %c0_right = tfx_tensor.op "Mul"(%a2, %x1) : (!Column, !Column) -> !Column
    %c0 = tfx_tensor.op "Sub"(%c0_left, %c0_right) : (!Column, !Column) -> !Column
    %c1_left = tfx_tensor.op "Mul"(%a2, %x0) : (!Column, !Column) -> !Column
    %c1_right = tfx_tensor.op "Mul"(%a0, %x2) : (!Column, !Column) -> !Column
    %c1 = tfx_tensor.op "Sub"(%c1_left, %c1_right) : (!Column, !Column) -> !Column
    %c2_left = tfx_tensor.op "Mul"(%a0, %x1) : (!Column, !Column) -> !Column
    %c2_right = tfx_tensor.op "Mul"(%a1, %x0) : (!Column, !Column) -> !Column
    %c2 = tfx_tensor.op "Sub"(%c2_left, %c2_right) : (!Column, !Column) -> !Column
    %along_0 = tfx_tensor.op "Mul"(%a0, %x0) : (!Column, !Column) -> !Column
    %along_1 = tfx_tensor.op "Mul"(%a1, %x1) : (!Column, !Column) -> !Column
    %along_2 = tfx_tensor.op "Mul"(%a2, %x2) : (!Column, !Column) -> !Column
    %along_sum1 = tfx_tensor.op "AddV2"(%along_0, %along_1) : (!Column, !Column) -> !Column
    %along = tfx_tensor.op "AddV2"(%along_sum1, %along_2) : (!Column, !Column) -> !Column
    %shift = tfx_tensor.op "Mul"(%along, %versine) : (!Column, !Column) -> !Column
    %d0_left = tfx_tensor.op "Mul"(%r1, %x2) : (!Column, !Column) -> !Column
    %d0_right = tfx_tensor.op "Mul"(%r2, %x1) : (!Column, !Column) -> !Column
    %d0 = tfx_tensor.op "Sub"(%d0_left, %d0_right) : (!Column, !Column) -> !Column
    %d1_left = tfx_tensor.op "Mul"(%r2, %x0) : (!Column, !Column) -> !Column
    %d1_right = tfx_tensor.op "Mul"(%r0, %x2) : (!Column, !Column) -> !Column
    %d1 = tfx_tensor.op "Sub"(%d1_left, %d1_right) : (!Column, !Column) -> !Column
    %d2_left = tfx_tensor.op "Mul"(%r0, %x1) : (!Column, !Column) -> !Column
    %d2_right = tfx_tensor.op "Mul"(%r1, %x0) : (!Column, !Column) -> !Column
    %d2 = tfx_tensor.op "Sub"(%d2_left, %d2_right) : (!Column, !Column) -> !Column
    %p0 = tfx_tensor.op "Mul"(%x0, %cos) : (!Column, !Column) -> !Column
    %q0 = tfx_tensor.op "Mul"(%c0, %sin) : (!Column, !Column) -> !Column
    %s0 = tfx_tensor.op "Mul"(%a0, %shift) : (!Column, !Column) -> !Column
    %pq0 = tfx_tensor.op "AddV2"(%p0, %q0) : (!Column, !Column) -> !Column
    %rotated0 = tfx_tensor.op "AddV2"(%pq0, %s0) : (!Column, !Column) -> !Column
    %nearly0 = tfx_tensor.op "AddV2"(%x0, %d0) : (!Column, !Column) -> !Column
    %y0 = tfx_tensor.op "SelectV2"(%none, %nearly0, %rotated0) : (tensor<31843xi1>, !Column, !Column) -> !Column
    %p1 = tfx_tensor.op "Mul"(%x1, %cos) : (!Column, !Column) -> !Column
    %q1 = tfx_tensor.op "Mul"(%c1, %sin) : (!Column, !Column) -> !Column
    %s1 = tfx_tensor.op "Mul"(%a1, %shift) : (!Column, !Column) -> !Column
    %pq1 = tfx_tensor.op "AddV2"(%p1, %q1) : (!Column, !Column) -> !Column
    %rotated1 = tfx_tensor.op "AddV2"(%pq1, %s1) : (!Column, !Column) -> !Column
    %nearly1 = tfx_tensor.op "AddV2"(%x1, %d1) : (!Column, !Column) -> !Column
    %y1 = tfx_tensor.op "SelectV2"(%none, %nearly1, %rotated1) : (tensor<31843xi1>, !Column, !Column) -> !Column
    %p2 = tfx_tensor.op "Mul"(%x2, %cos) : (!Column, !Column) -> !Column
    %q2 = tfx_tensor.op "Mul"(%c2, %sin) : (!Column, !Column) -> !Column
    %s2 = tfx_tensor.op "Mul"(%a2, %shift) : (!Column, !Column) -> !Column
    %pq2 = tfx_tensor.op "AddV2"(%p2, %q2) : (!Column, !Column) -> !Column
    %rotated2 = tfx_tensor.op "AddV2"(%pq2, %s2) : (!Column, !Column) -> !Column
    %nearly2 = tfx_tensor.op "AddV2"(%x2, %d2) : (!Column, !Column) -> !Column
    %y2 = tfx_tensor.op "SelectV2"(%none, %nearly2, %rotated2) : (tensor<31843xi1>, !Column, !Column) -> !Column
    return %y0, %y1, %y2 : !Column, !Column, !Column
  }

  // The residuals of the projections.
  func.func private @errors(%camera: !Camera, %point: !Point, %weight: !Column, %feature: !Pair) -> !Pair {
    %one = tfx_tensor.const dense<1.0> : tensor<f64>
    %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10 = tfx_tensor.op "Unpack"(%camera) {axis = 1 : i64} : (!Camera) -> (!Column, !Column, !Column, !Column, !Column, !Column, !Column, !Column, !Column, !Column, !Column)
    %x0, %x1, %x2 = tfx_tensor.op "Unpack"(%point) {axis = 1 : i64} : (!Point) -> (!Column, !Column, !Column)
    %f0, %f1 = tfx_tensor.op "Unpack"(%feature) {axis = 1 : i64} : (!Pair) -> (!Column, !Column)
    %from0 = tfx_tensor.op "Sub"(%x0, %c3) : (!Column, !Column) -> !Column
    %from1 = tfx_tensor.op "Sub"(%x1, %c4) : (!Column, !Column) -> !Column
    %from2 = tfx_tensor.op "Sub"(%x2, %c5) : (!Column, !Column) -> !Column
    %in_camera:3 = func.call @rotate(%c0, %c1, %c2, %from0, %from1, %from2)
        : (!Column, !Column, !Column, !Column, !Column, !Column) -> (!Column, !Column, !Column)
    %p0 = tfx_tensor.op "RealDiv"(%in_camera#0, %in_camera#2) : (!Column, !Column) -> !Column
    %p1 = tfx_tensor.op "RealDiv"(%in_camera#1, %in_camera#2) : (!Column, !Column) -> !Column
    %square_0 = tfx_tensor.op "Mul"(%p0, %p0) : (!Column, !Column) -> !Column
    %square_1 = tfx_tensor.op "Mul"(%p1, %p1) : (!Column, !Column) -> !Column
    %square = tfx_tensor.op "AddV2"(%square_0, %square_1) : (!Column, !Column) -> !Column
    %near = tfx_tensor.op "Mul"(%c9, %square) : (!Column, !Column) -> !Column
    %fourth = tfx_tensor.op "Mul"(%square, %square) : (!Column, !Column) -> !Column
    %far = tfx_tensor.op "Mul"(%c10, %fourth) : (!Column, !Column) -> !Column
    %distortion = tfx_tensor.op "AddV2"(%near, %far) : (!Column, !Column) -> !Column
    %factor = tfx_tensor.op "AddV2"(%one, %distortion) : (tensor<f64>, !Column) -> !Column
    %d0 = tfx_tensor.op "Mul"(%p0, %factor) : (!Column, !Column) -> !Column
    %e0 = tfx_tensor.op "Mul"(%d0, %c6) : (!Column, !Column) -> !Column
    %g0 = tfx_tensor.op "AddV2"(%e0, %c7) : (!Column, !Column) -> !Column
    %h0 = tfx_tensor.op "Sub"(%g0, %f0) : (!Column, !Column) -> !Column
    %error0 = tfx_tensor.op "Mul"(%h0, %weight) : (!Column, !Column) -> !Column
    %d1 = tfx_tensor.op "Mul"(%p1, %factor) : (!Column, !Column) -> !Column
    %e1 = tfx_tensor.op "Mul"(%d1, %c6) : (!Column, !Column) -> !Column
    %g1 = tfx_tensor.op "AddV2"(%e1, %c8) : (!Column, !Column) -> !Column
    %h1 = tfx_tensor.op "Sub"(%g1, %f1) : (!Column, !Column) -> !Column
    %error1 = tfx_tensor.op "Mul"(%h1, %weight) : (!Column, !Column) -> !Column
    %errors = tfx_tensor.op "Pack"(%error0, %error1) {axis = 1 : i64} : (!Column, !Column) -> !Pair
    return %errors : !Pair
  }

  // The residuals of the weights.
  func.func private @weight_errors(%weight: !Column) -> !Column {
    %one = tfx_tensor.const dense<1.0> : tensor<f64>
    %square = tfx_tensor.op "Square"(%weight) : (!Column) -> !Column
    %error = tfx_tensor.op "Sub"(%one, %square) : (tensor<f64>, !Column) -> !Column
    return %error : !Column
  }

  // The camera and the point of each observation.
  func.func private @observed(%problem: !tfx_host.struct<@Problem>) -> (!Camera, !Point) {
    %cameras = tfx_host.extract %problem["cameras"] : !tfx_host.struct<@Problem> -> !Cameras
    %points = tfx_host.extract %problem["points"] : !tfx_host.struct<@Problem> -> !Points
    %camera_indices = tfx_host.extract %problem["camera_indices"] : !tfx_host.struct<@Problem> -> !Indices
    %point_indices = tfx_host.extract %problem["point_indices"] : !tfx_host.struct<@Problem> -> !Indices
    %rows = tfx_tensor.const dense<0> : tensor<i32>
    %camera = tfx_tensor.op "GatherV2"(%cameras, %camera_indices, %rows) : (!Cameras, !Indices, tensor<i32>) -> !Camera
    %point = tfx_tensor.op "GatherV2"(%points, %point_indices, %rows) : (!Points, !Indices, tensor<i32>) -> !Point
    return %camera, %point : !Camera, !Point
  }

  func.func private @objective(%problem: !tfx_host.struct<@Problem>) -> (!Pair, !Column) {
    %weights = tfx_host.extract %problem["weights"] : !tfx_host.struct<@Problem> -> !Column
    %features = tfx_host.extract %problem["features"] : !tfx_host.struct<@Problem> -> !Pair
    %camera, %point = func.call @observed(%problem) : (!tfx_host.struct<@Problem>) -> (!Camera, !Point)
    %errors = func.call @errors(%camera, %point, %weights, %features) : (!Camera, !Point, !Column, !Pair) -> !Pair
    %weight_errors = func.call @weight_errors(%weights) : (!Column) -> !Column
    return %errors, %weight_errors : !Pair, !Column
  }

  // The blocks of the Jacobian: the rows of both residuals of the projections, and the diagonal of
  // the residuals of the weights.
  func.func private @jacobian(%problem: !tfx_host.struct<@Problem>) -> (!Camera, !Point, !Column, !Camera, !Point, !Column, !Column) {
    %weights = tfx_host.extract %problem["weights"] : !tfx_host.struct<@Problem> -> !Column
    %features = tfx_host.extract %problem["features"] : !tfx_host.struct<@Problem> -> !Pair
    %camera, %point = func.call @observed(%problem) : (!tfx_host.struct<@Problem>) -> (!Camera, !Point)
    %errors, %pullback = tfx_ad.vjp @errors(%camera, %point, %weights, %features) wrt [0, 1, 2]
        : (!Camera, !Point, !Column, !Pair) -> (!Pair, !Pullback)
    %ones = tfx_tensor.const dense<1.0> : !Column
    %zeros = tfx_tensor.const dense<0.0> : !Column
    %first = tfx_tensor.op "Pack"(%ones, %zeros) {axis = 1 : i64} : (!Column, !Column) -> !Pair
    %second = tfx_tensor.op "Pack"(%zeros, %ones) {axis = 1 : i64} : (!Column, !Column) -> !Pair
    %a:3 = tfx_host.apply %pullback(%first) : !Pullback
    %b:3 = tfx_host.apply %pullback(%second) : !Pullback
    %weight_errors, %weight_pullback = tfx_ad.vjp @weight_errors(%weights) wrt [0]
        : (!Column) -> (!Column, !tfx_host.closure<(!Column) -> !Column>)
    %c = tfx_host.apply %weight_pullback(%ones) : !tfx_host.closure<(!Column) -> !Column>
    return %a#0, %a#1, %a#2, %b#0, %b#1, %b#2, %c : !Camera, !Point, !Column, !Camera, !Point, !Column, !Column
  }

  // The problem, whose parameters are not known before the clock has started.
  func.func private @problem(%problem: !tfx_host.struct<@Problem>) -> !tfx_host.struct<@Problem> {
    %zero_scalar = func.call @start_clock() : () -> f64
    %zero = tfx_tensor.from_scalar %zero_scalar : f64
    %cameras = tfx_host.extract %problem["cameras"] : !tfx_host.struct<@Problem> -> !Cameras
    %points = tfx_host.extract %problem["points"] : !tfx_host.struct<@Problem> -> !Points
    %weights = tfx_host.extract %problem["weights"] : !tfx_host.struct<@Problem> -> !Column
    %camera_indices = tfx_host.extract %problem["camera_indices"] : !tfx_host.struct<@Problem> -> !Indices
    %point_indices = tfx_host.extract %problem["point_indices"] : !tfx_host.struct<@Problem> -> !Indices
    %features = tfx_host.extract %problem["features"] : !tfx_host.struct<@Problem> -> !Pair
    %a = tfx_tensor.op "AddV2"(%cameras, %zero) : (!Cameras, tensor<f64>) -> !Cameras
    %b = tfx_tensor.op "AddV2"(%points, %zero) : (!Points, tensor<f64>) -> !Points
    %c = tfx_tensor.op "AddV2"(%weights, %zero) : (!Column, tensor<f64>) -> !Column
    %result = tfx_host.make_struct(%a, %b, %c, %camera_indices, %point_indices, %features)
        : (!Cameras, !Points, !Column, !Indices, !Indices, !Pair) -> !tfx_host.struct<@Problem>
    return %result : !tfx_host.struct<@Problem>
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}) {
    %cameras = func.call @ba_cameras() : () -> !Cameras
    %points = func.call @ba_points() : () -> !Points
    %weights = func.call @ba_weights() : () -> !Column
    %features = func.call @ba_features() : () -> !Pair
    %camera_indices = func.call @ba_camera_indices() : () -> !Indices
    %point_indices = func.call @ba_point_indices() : () -> !Indices
    %problem = tfx_host.make_struct(%cameras, %points, %weights, %camera_indices, %point_indices, %features)
        : (!Cameras, !Points, !Column, !Indices, !Indices, !Pair) -> !tfx_host.struct<@Problem>

    %errors, %weight_errors = func.call @objective(%problem) : (!tfx_host.struct<@Problem>) -> (!Pair, !Column)
    %j:7 = func.call @jacobian(%problem) : (!tfx_host.struct<@Problem>) -> (!Camera, !Point, !Column, !Camera, !Point, !Column, !Column)
    %errors_name = tfx_host.string "errors"
    %errors_any = tfx_tensor.op "Identity"(%errors) : (!Pair) -> tensor<*xf64>
    func.call @checksum(%errors_name, %errors_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %weight_errors_name = tfx_host.string "weight errors"
    %weight_errors_any = tfx_tensor.op "Identity"(%weight_errors) : (!Column) -> tensor<*xf64>
    func.call @checksum(%weight_errors_name, %weight_errors_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %first_by_camera_name = tfx_host.string "first by camera"
    %first_by_camera_any = tfx_tensor.op "Identity"(%j#0) : (!Camera) -> tensor<*xf64>
    func.call @checksum(%first_by_camera_name, %first_by_camera_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %first_by_point_name = tfx_host.string "first by point"
    %first_by_point_any = tfx_tensor.op "Identity"(%j#1) : (!Point) -> tensor<*xf64>
    func.call @checksum(%first_by_point_name, %first_by_point_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %first_by_weight_name = tfx_host.string "first by weight"
    %first_by_weight_any = tfx_tensor.op "Identity"(%j#2) : (!Column) -> tensor<*xf64>
    func.call @checksum(%first_by_weight_name, %first_by_weight_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %second_by_camera_name = tfx_host.string "second by camera"
    %second_by_camera_any = tfx_tensor.op "Identity"(%j#3) : (!Camera) -> tensor<*xf64>
    func.call @checksum(%second_by_camera_name, %second_by_camera_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %second_by_point_name = tfx_host.string "second by point"
    %second_by_point_any = tfx_tensor.op "Identity"(%j#4) : (!Point) -> tensor<*xf64>
    func.call @checksum(%second_by_point_name, %second_by_point_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %second_by_weight_name = tfx_host.string "second by weight"
    %second_by_weight_any = tfx_tensor.op "Identity"(%j#5) : (!Column) -> tensor<*xf64>
    func.call @checksum(%second_by_weight_name, %second_by_weight_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %weight_error_by_weight_name = tfx_host.string "weight error by weight"
    %weight_error_by_weight_any = tfx_tensor.op "Identity"(%j#6) : (!Column) -> tensor<*xf64>
    func.call @checksum(%weight_error_by_weight_name, %weight_error_by_weight_any) : (!tfx_host.string, tensor<*xf64>) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %p = func.call @problem(%problem) : (!tfx_host.struct<@Problem>) -> !tfx_host.struct<@Problem>
      %e, %w = func.call @objective(%p) : (!tfx_host.struct<@Problem>) -> (!Pair, !Column)
      func.call @stop_clock_2(%e, %w) : (!Pair, !Column) -> ()
    }
    %primal = tfx_host.string "primal"
    func.call @print_times(%primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p = func.call @problem(%problem) : (!tfx_host.struct<@Problem>) -> !tfx_host.struct<@Problem>
      %d:7 = func.call @jacobian(%p) : (!tfx_host.struct<@Problem>) -> (!Camera, !Point, !Column, !Camera, !Point, !Column, !Column)
      func.call @stop_clock_7(%d#0, %d#1, %d#2, %d#3, %d#4, %d#5, %d#6) : (!Camera, !Point, !Column, !Camera, !Point, !Column, !Column) -> ()
    }
    %derivative = tfx_host.string "derivative"
    func.call @print_times(%derivative) : (!tfx_host.string) -> ()
    return
  }
}
