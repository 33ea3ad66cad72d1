// ADBench's hand: the distances of 100 observed points from vertices of a hand, whose skeleton has
// 26 parameters. The Jacobian has a row for each parameter (forward mode).
//
//   tfxc run bench/adbench/hand.mlir 0 --copies none  # checksums
//   tfxc run bench/adbench/hand.mlir 20 --copies none  # times as well

!Parameters = tensor<26xf64>
!Matrices = tensor<22x4x4xf64>
!Nodes = tensor<23x4x4xf64>
!Angle = tensor<22xf64>
!Points = tensor<100x3xf64>
!Scalar = tensor<f64>
!Jacobian = tensor<26x100x3xf64>
!Hand = !tfx_host.struct<@Hand>

module attributes {tfx.link = ["host/hand.c"]} {
  func.func private @hand_relatives() -> !Matrices
  func.func private @hand_inverses() -> !Matrices
  func.func private @hand_parents() -> tensor<23xi32>
  func.func private @hand_vertices() -> tensor<544x4xf64>
  func.func private @hand_weights() -> tensor<544x22xf64>
  func.func private @hand_observed() -> tensor<100xi32>
  func.func private @hand_points() -> !Points
  func.func private @hand_parameters() -> !Parameters
  func.func private @hand_angles() -> tensor<22x3xi32>
  func.func private @start_clock() -> f64
  func.func private @stop_clock(tensor<*xf64>)
  func.func private @print_times(!tfx_host.string)
  func.func private @checksum(!tfx_host.string, tensor<*xf64>)

  // The hand at rest, and what is observed.
  tfx_host.struct @Hand {relatives: !Matrices, inverses: !Matrices, parents: tensor<23xi32>, vertices: tensor<544x4xf64>,
      weights: tensor<544x22xf64>, angles: tensor<22x3xi32>, observed: tensor<100xi32>, points: !Points}

  // The rotations of the bones about x, then about y, then about z.
  func.func private @rotations(%x: !Angle, %y: !Angle, %z: !Angle) -> !Matrices {
    %zeros = tfx_tensor.const dense<0.0> : !Angle
    %ones = tfx_tensor.const dense<1.0> : !Angle
    %cx = tfx_tensor.op "Cos"(%x) : (!Angle) -> !Angle
    %sx = tfx_tensor.op "Sin"(%x) : (!Angle) -> !Angle
    %cy = tfx_tensor.op "Cos"(%y) : (!Angle) -> !Angle
    %sy = tfx_tensor.op "Sin"(%y) : (!Angle) -> !Angle
    %cz = tfx_tensor.op "Cos"(%z) : (!Angle) -> !Angle
    %sz = tfx_tensor.op "Sin"(%z) : (!Angle) -> !Angle
    %zy = tfx_tensor.op "Mul"(%cz, %sy) : (!Angle, !Angle) -> !Angle
    %zzy = tfx_tensor.op "Mul"(%sz, %sy) : (!Angle, !Angle) -> !Angle
    %e00 = tfx_tensor.op "Mul"(%cz, %cy) : (!Angle, !Angle) -> !Angle
    %e10 = tfx_tensor.op "Mul"(%sz, %cy) : (!Angle, !Angle) -> !Angle
    %a = tfx_tensor.op "Mul"(%sz, %cx) : (!Angle, !Angle) -> !Angle
    %b = tfx_tensor.op "Mul"(%zy, %sx) : (!Angle, !Angle) -> !Angle
    %ab = tfx_tensor.op "AddV2"(%a, %b) : (!Angle, !Angle) -> !Angle
    %e01 = tfx_tensor.op "Neg"(%ab) : (!Angle) -> !Angle
    %c = tfx_tensor.op "Mul"(%cz, %cx) : (!Angle, !Angle) -> !Angle
    %d = tfx_tensor.op "Mul"(%zzy, %sx) : (!Angle, !Angle) -> !Angle
    %e11 = tfx_tensor.op "Sub"(%c, %d) : (!Angle, !Angle) -> !Angle
    %e21 = tfx_tensor.op "Mul"(%cy, %sx) : (!Angle, !Angle) -> !Angle
    %e = tfx_tensor.op "Mul"(%sz, %sx) : (!Angle, !Angle) -> !Angle
    %f = tfx_tensor.op "Mul"(%zy, %cx) : (!Angle, !Angle) -> !Angle
    %e02 = tfx_tensor.op "Sub"(%e, %f) : (!Angle, !Angle) -> !Angle
    %g = tfx_tensor.op "Mul"(%cz, %sx) : (!Angle, !Angle) -> !Angle
    %h = tfx_tensor.op "Mul"(%zzy, %cx) : (!Angle, !Angle) -> !Angle
    %gh = tfx_tensor.op "AddV2"(%g, %h) : (!Angle, !Angle) -> !Angle
    %e12 = tfx_tensor.op "Neg"(%gh) : (!Angle) -> !Angle
    %e22 = tfx_tensor.op "Mul"(%cy, %cx) : (!Angle, !Angle) -> !Angle
    %elements = tfx_tensor.op "Pack"(%e00, %e01, %e02, %zeros, %e10, %e11, %e12, %zeros, %sy, %e21, %e22, %zeros, %zeros, %zeros, %zeros, %ones) {axis = 1 : i64}
        : (!Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle, !Angle) -> tensor<22x16xf64>
    %shape = tfx_tensor.const dense<[22, 4, 4]> : tensor<3xi32>
    %rotations = tfx_tensor.op "Reshape"(%elements, %shape) : (tensor<22x16xf64>, tensor<3xi32>) -> !Matrices
    return %rotations : !Matrices
  }

  // The rotation of the hand: the vector is its axis, the length its angle. A small one has no
  // effect.
  func.func private @rotation(%vector: tensor<3xf64>) -> tensor<3x3xf64> {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %one = tfx_tensor.const dense<1.0> : !Scalar
    %square = tfx_tensor.op "Square"(%vector) : (tensor<3xf64>) -> tensor<3xf64>
    %sum = tfx_tensor.op "Sum"(%square, %first) : (tensor<3xf64>, tensor<i32>) -> !Scalar
    %angle = tfx_tensor.op "Sqrt"(%sum) : (!Scalar) -> !Scalar
    %least = tfx_tensor.const dense<0.0001> : !Scalar
    %is_small = tfx_tensor.op "Less"(%angle, %least) : (!Scalar, !Scalar) -> tensor<i1>
    %small = tfx_tensor.to_scalar %is_small : tensor<i1> -> i1
    %matrix = scf.if %small -> tensor<3x3xf64> {
      %identity = tfx_tensor.const dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
      scf.yield %identity : tensor<3x3xf64>
    } else {
      %axis = tfx_tensor.op "RealDiv"(%vector, %angle) : (tensor<3xf64>, !Scalar) -> tensor<3xf64>
      %x, %y, %z = tfx_tensor.op "Unpack"(%axis) {axis = 0 : i64} : (tensor<3xf64>) -> (!Scalar, !Scalar, !Scalar)
      %cos = tfx_tensor.op "Cos"(%angle) : (!Scalar) -> !Scalar
      %sin = tfx_tensor.op "Sin"(%angle) : (!Scalar) -> !Scalar
      %versine = tfx_tensor.op "Sub"(%one, %cos) : (!Scalar, !Scalar) -> !Scalar
      %minus = tfx_tensor.op "Neg"(%axis) : (tensor<3xf64>) -> tensor<3xf64>
      %mx, %my, %mz = tfx_tensor.op "Unpack"(%minus) {axis = 0 : i64} : (tensor<3xf64>) -> (!Scalar, !Scalar, !Scalar)
      %none = tfx_tensor.const dense<0.0> : !Scalar
      %cross_elements = tfx_tensor.op "Pack"(%none, %mz, %y, %z, %none, %mx, %my, %x, %none) {axis = 0 : i64}
          : (!Scalar, !Scalar, !Scalar, !Scalar, !Scalar, !Scalar, !Scalar, !Scalar, !Scalar) -> tensor<9xf64>
      %shape = tfx_tensor.const dense<[3, 3]> : tensor<2xi32>
      %cross = tfx_tensor.op "Reshape"(%cross_elements, %shape) : (tensor<9xf64>, tensor<2xi32>) -> tensor<3x3xf64>
      %column_shape = tfx_tensor.const dense<[3, 1]> : tensor<2xi32>
      %column = tfx_tensor.op "Reshape"(%axis, %column_shape) : (tensor<3xf64>, tensor<2xi32>) -> tensor<3x1xf64>
      %outer = tfx_tensor.op "Mul"(%column, %axis) : (tensor<3x1xf64>, tensor<3xf64>) -> tensor<3x3xf64>
      %identity = tfx_tensor.const dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf64>
      %a = tfx_tensor.op "Mul"(%identity, %cos) : (tensor<3x3xf64>, !Scalar) -> tensor<3x3xf64>
      %b = tfx_tensor.op "Mul"(%cross, %sin) : (tensor<3x3xf64>, !Scalar) -> tensor<3x3xf64>
      %c = tfx_tensor.op "Mul"(%outer, %versine) : (tensor<3x3xf64>, !Scalar) -> tensor<3x3xf64>
      %ab = tfx_tensor.op "AddV2"(%a, %b) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %abc = tfx_tensor.op "AddV2"(%ab, %c) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      scf.yield %abc : tensor<3x3xf64>
    }
    return %matrix : tensor<3x3xf64>
  }

  // The places of the nodes: products along the paths to the root. Each step doubles their lengths;
  // no path is longer than eight bones.
  func.func private @step(%nodes: !Nodes, %parents: tensor<23xi32>) -> (!Nodes, tensor<23xi32>) {
    %rows = tfx_tensor.const dense<0> : tensor<i32>
    %above = tfx_tensor.op "GatherV2"(%nodes, %parents, %rows) : (!Nodes, tensor<23xi32>, tensor<i32>) -> !Nodes
    %next = tfx_tensor.op "BatchMatMulV2"(%above, %nodes) {adj_x = false, adj_y = false} : (!Nodes, !Nodes) -> !Nodes
    %grandparents = tfx_tensor.op "GatherV2"(%parents, %parents, %rows) : (tensor<23xi32>, tensor<23xi32>, tensor<i32>) -> tensor<23xi32>
    return %next, %grandparents : !Nodes, tensor<23xi32>
  }

  func.func private @objective(%parameters: !Parameters, %hand: !Hand) -> !Points {
    %first = tfx_tensor.const dense<0> : tensor<i32>
    %zero = tfx_tensor.const dense<0.0> : tensor<1xf64>
    %relatives = tfx_host.extract %hand["relatives"] : !Hand -> !Matrices
    %inverses = tfx_host.extract %hand["inverses"] : !Hand -> !Matrices
    %parents = tfx_host.extract %hand["parents"] : !Hand -> tensor<23xi32>
    %vertices = tfx_host.extract %hand["vertices"] : !Hand -> tensor<544x4xf64>
    %weights = tfx_host.extract %hand["weights"] : !Hand -> tensor<544x22xf64>
    %angles = tfx_host.extract %hand["angles"] : !Hand -> tensor<22x3xi32>
    %observed = tfx_host.extract %hand["observed"] : !Hand -> tensor<100xi32>
    %points = tfx_host.extract %hand["points"] : !Hand -> !Points

    // The bones.
    %padded = tfx_tensor.op "ConcatV2"(%parameters, %zero, %first) : (!Parameters, tensor<1xf64>, tensor<i32>) -> tensor<27xf64>
    %all_angles = tfx_tensor.op "GatherV2"(%padded, %angles, %first) : (tensor<27xf64>, tensor<22x3xi32>, tensor<i32>) -> tensor<22x3xf64>
    %x, %z, %y = tfx_tensor.op "Unpack"(%all_angles) {axis = 1 : i64} : (tensor<22x3xf64>) -> (!Angle, !Angle, !Angle)
    %rotations = func.call @rotations(%x, %y, %z) : (!Angle, !Angle, !Angle) -> !Matrices
    %bones = tfx_tensor.op "BatchMatMulV2"(%relatives, %rotations) {adj_x = false, adj_y = false} : (!Matrices, !Matrices) -> !Matrices
    %root = tfx_tensor.const dense<[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]]> : tensor<1x4x4xf64>
    %nodes = tfx_tensor.op "ConcatV2"(%bones, %root, %first) : (!Matrices, tensor<1x4x4xf64>, tensor<i32>) -> !Nodes
    %nodes2, %parents2 = func.call @step(%nodes, %parents) : (!Nodes, tensor<23xi32>) -> (!Nodes, tensor<23xi32>)
    %nodes4, %parents4 = func.call @step(%nodes2, %parents2) : (!Nodes, tensor<23xi32>) -> (!Nodes, tensor<23xi32>)
    %nodes8, %parents8 = func.call @step(%nodes4, %parents4) : (!Nodes, tensor<23xi32>) -> (!Nodes, tensor<23xi32>)
    %origin = tfx_tensor.const dense<[0, 0, 0]> : tensor<3xi32>
    %all_bones = tfx_tensor.const dense<[22, 4, 4]> : tensor<3xi32>
    %absolutes = tfx_tensor.op "Slice"(%nodes8, %origin, %all_bones) : (!Nodes, tensor<3xi32>, tensor<3xi32>) -> !Matrices
    %moves = tfx_tensor.op "BatchMatMulV2"(%absolutes, %inverses) {adj_x = false, adj_y = false} : (!Matrices, !Matrices) -> !Matrices

    // The vertices: each has a mean of the matrices of its bones.
    %flat_shape = tfx_tensor.const dense<[22, 16]> : tensor<2xi32>
    %flat = tfx_tensor.op "Reshape"(%moves, %flat_shape) : (!Matrices, tensor<2xi32>) -> tensor<22x16xf64>
    %means = tfx_tensor.op "MatMul"(%weights, %flat) {transpose_a = false, transpose_b = false}
        : (tensor<544x22xf64>, tensor<22x16xf64>) -> tensor<544x16xf64>
    %means_shape = tfx_tensor.const dense<[544, 4, 4]> : tensor<3xi32>
    %matrices = tfx_tensor.op "Reshape"(%means, %means_shape) : (tensor<544x16xf64>, tensor<3xi32>) -> tensor<544x4x4xf64>
    %last = tfx_tensor.const dense<2> : tensor<i32>
    %columns = tfx_tensor.op "ExpandDims"(%vertices, %last) : (tensor<544x4xf64>, tensor<i32>) -> tensor<544x4x1xf64>
    %moved = tfx_tensor.op "BatchMatMulV2"(%matrices, %columns) {adj_x = false, adj_y = false}
        : (tensor<544x4x4xf64>, tensor<544x4x1xf64>) -> tensor<544x4x1xf64>
    %moved_size = tfx_tensor.const dense<[544, 3, 1]> : tensor<3xi32>
    %moved_three = tfx_tensor.op "Slice"(%moved, %origin, %moved_size) : (tensor<544x4x1xf64>, tensor<3xi32>, tensor<3xi32>) -> tensor<544x3x1xf64>
    %places_shape = tfx_tensor.const dense<[544, 3]> : tensor<2xi32>
    %places = tfx_tensor.op "Reshape"(%moved_three, %places_shape) : (tensor<544x3x1xf64>, tensor<2xi32>) -> tensor<544x3xf64>

    // The hand.
    %three = tfx_tensor.const dense<[3]> : tensor<1xi32>
    %rotation_at = tfx_tensor.const dense<[0]> : tensor<1xi32>
    %vector = tfx_tensor.op "Slice"(%parameters, %rotation_at, %three) : (!Parameters, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf64>
    %shift = tfx_tensor.op "Slice"(%parameters, %three, %three) : (!Parameters, tensor<1xi32>, tensor<1xi32>) -> tensor<3xf64>
    %rotation = func.call @rotation(%vector) : (tensor<3xf64>) -> tensor<3x3xf64>
    %turned = tfx_tensor.op "MatMul"(%places, %rotation) {transpose_a = false, transpose_b = true}
        : (tensor<544x3xf64>, tensor<3x3xf64>) -> tensor<544x3xf64>
    %shifted = tfx_tensor.op "AddV2"(%turned, %shift) : (tensor<544x3xf64>, tensor<3xf64>) -> tensor<544x3xf64>
    %seen = tfx_tensor.op "GatherV2"(%shifted, %observed, %first) : (tensor<544x3xf64>, tensor<100xi32>, tensor<i32>) -> !Points
    %distances = tfx_tensor.op "Sub"(%points, %seen) : (!Points, !Points) -> !Points
    return %distances : !Points
  }

  func.func private @jacobian(%parameters: !Parameters, %hand: !Hand) -> !Jacobian {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %count = arith.constant 26 : i32
    %size = tfx_tensor.const dense<26> : tensor<i32>
    %on = tfx_tensor.const dense<1.0> : !Scalar
    %off = tfx_tensor.const dense<0.0> : !Scalar
    %index_shape = tfx_tensor.const dense<[1, 1]> : tensor<2xi32>
    %row_shape = tfx_tensor.const dense<[1, 100, 3]> : tensor<3xi32>
    %empty = tfx_tensor.const dense<0.0> : !Jacobian
    %jacobian = scf.for %i = %zero to %count step %one iter_args(%rows = %empty) -> (!Jacobian) : i32 {
      %k = tfx_tensor.from_scalar %i : i32
      %direction = tfx_tensor.op "OneHot"(%k, %size, %on, %off) : (tensor<i32>, tensor<i32>, !Scalar, !Scalar) -> !Parameters
      %distances, %row = tfx_ad.jvp @objective(%parameters, %hand) tangents(%direction : !Parameters) wrt [0]
          : (!Parameters, !Hand) -> (!Points, !Points)
      %index = tfx_tensor.op "Reshape"(%k, %index_shape) : (tensor<i32>, tensor<2xi32>) -> tensor<1x1xi32>
      %update = tfx_tensor.op "Reshape"(%row, %row_shape) : (!Points, tensor<3xi32>) -> tensor<1x100x3xf64>
      %next = tfx_tensor.op "TensorScatterUpdate"(%rows, %index, %update) : (!Jacobian, tensor<1x1xi32>, tensor<1x100x3xf64>) -> !Jacobian
      scf.yield %next : !Jacobian
    }
    return %jacobian : !Jacobian
  }

  // The parameters, which are not known before the clock has started.
  func.func private @after_start(%parameters: !Parameters) -> !Parameters {
    %zero_scalar = func.call @start_clock() : () -> f64
    %zero = tfx_tensor.from_scalar %zero_scalar : f64
    %after = tfx_tensor.op "AddV2"(%parameters, %zero) : (!Parameters, tensor<f64>) -> !Parameters
    return %after : !Parameters
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}) {
    %relatives = func.call @hand_relatives() : () -> !Matrices
    %inverses = func.call @hand_inverses() : () -> !Matrices
    %parents = func.call @hand_parents() : () -> tensor<23xi32>
    %vertices = func.call @hand_vertices() : () -> tensor<544x4xf64>
    %weights = func.call @hand_weights() : () -> tensor<544x22xf64>
    %angles = func.call @hand_angles() : () -> tensor<22x3xi32>
    %observed = func.call @hand_observed() : () -> tensor<100xi32>
    %points = func.call @hand_points() : () -> !Points
    %parameters = func.call @hand_parameters() : () -> !Parameters
    %hand = tfx_host.make_struct(%relatives, %inverses, %parents, %vertices, %weights, %angles, %observed, %points)
        : (!Matrices, !Matrices, tensor<23xi32>, tensor<544x4xf64>, tensor<544x22xf64>, tensor<22x3xi32>, tensor<100xi32>, !Points) -> !Hand

    %distances = func.call @objective(%parameters, %hand) : (!Parameters, !Hand) -> !Points
    %distances_name = tfx_host.string "distances"
    %distances_any = tfx_tensor.op "Identity"(%distances) : (!Points) -> tensor<*xf64>
    func.call @checksum(%distances_name, %distances_any) : (!tfx_host.string, tensor<*xf64>) -> ()
    %jacobian = func.call @jacobian(%parameters, %hand) : (!Parameters, !Hand) -> !Jacobian
    %jacobian_name = tfx_host.string "jacobian"
    %jacobian_any = tfx_tensor.op "Identity"(%jacobian) : (!Jacobian) -> tensor<*xf64>
    func.call @checksum(%jacobian_name, %jacobian_any) : (!tfx_host.string, tensor<*xf64>) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %p = func.call @after_start(%parameters) : (!Parameters) -> !Parameters
      %y = func.call @objective(%p, %hand) : (!Parameters, !Hand) -> !Points
      %any = tfx_tensor.op "Identity"(%y) : (!Points) -> tensor<*xf64>
      func.call @stop_clock(%any) : (tensor<*xf64>) -> ()
    }
    %primal = tfx_host.string "primal"
    func.call @print_times(%primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %p = func.call @after_start(%parameters) : (!Parameters) -> !Parameters
      %d = func.call @jacobian(%p, %hand) : (!Parameters, !Hand) -> !Jacobian
      %any = tfx_tensor.op "Identity"(%d) : (!Jacobian) -> tensor<*xf64>
      func.call @stop_clock(%any) : (tensor<*xf64>) -> ()
    }
    %derivative = tfx_host.string "derivative"
    func.call @print_times(%derivative) : (!tfx_host.string) -> ()
    return
  }
}
