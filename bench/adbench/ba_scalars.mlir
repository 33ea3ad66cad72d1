// The bundle adjustment of ba.mlir, one observation after another, on scalars of the host: each has
// a pullback of its own (reverse mode), which is applied twice. There is no graph.
//
//   tfxc run bench/adbench/ba_scalars.mlir 0  # checksums
//   tfxc run bench/adbench/ba_scalars.mlir 20  # times as well

!Camera = !tfx_host.struct<@Camera>
!Point = !tfx_host.struct<@Vector>
!Pullback = !tfx_host.closure<(f64, f64) -> (!tfx_host.struct<@Camera>, !tfx_host.struct<@Vector>, f64)>

module attributes {tfx.link = ["host/ba.c"]} {
  func.func private @ba_load()
  func.func private @ba_camera(%observation: i64, %j: i64) -> f64
  func.func private @ba_point(%observation: i64, %j: i64) -> f64
  func.func private @ba_weight(%observation: i64) -> f64
  func.func private @ba_feature(%observation: i64, %j: i64) -> f64
  func.func private @ba_put_error(%observation: i64, %j: i64, %value: f64)
  func.func private @ba_put_row(%observation: i64, %j: i64, %value: f64)
  func.func private @ba_errors(%first: i64, %last: i64) -> tensor<?x?xf64>
  func.func private @ba_rows(%first: i64, %last: i64) -> tensor<?x?xf64>
  func.func private @start_clock() -> f64
  func.func private @ba_stop_clock()
  func.func private @print_times(!tfx_host.string)
  func.func private @checksum(!tfx_host.string, tensor<?x?xf64>)

  tfx_host.struct @Vector {x: f64, y: f64, z: f64}
  tfx_host.struct @Camera {rotation: !Point, center: !Point, focus: f64, u: f64, v: f64, near: f64, far: f64}

  // A rotation by an axis and an angle: the vector `rotation` is the axis, its length the angle.
  func.func private @rotate(%rotation: !Point, %vector: !Point) -> !Point {
    %zero = arith.constant 0.0 : f64
    %one = arith.constant 1.0 : f64
    %r0 = tfx_host.extract %rotation["x"] : !Point -> f64
    %r1 = tfx_host.extract %rotation["y"] : !Point -> f64
    %r2 = tfx_host.extract %rotation["z"] : !Point -> f64
    %x0 = tfx_host.extract %vector["x"] : !Point -> f64
    %x1 = tfx_host.extract %vector["y"] : !Point -> f64
    %x2 = tfx_host.extract %vector["z"] : !Point -> f64
    %square_0 = arith.mulf %r0, %r0 : f64
    %square_1 = arith.mulf %r1, %r1 : f64
    %square_2 = arith.mulf %r2, %r2 : f64
    %square_sum1 = arith.addf %square_0, %square_1 : f64
    %square = arith.addf %square_sum1, %square_2 : f64
    %none = arith.cmpf oeq, %square, %zero : f64
    cf.cond_br %none, ^nearly, ^rotated
  ^nearly:
    %d0_left = arith.mulf %r1, %x2 : f64
    %d0_right = arith.mulf %r2, %x1 : f64
    %d0 = arith.subf %d0_left, %d0_right : f64
    %d1_left = arith.mulf %r2, %x0 : f64
    %d1_right = arith.mulf %r0, %x2 : f64
    %d1 = arith.subf %d1_left, %d1_right : f64
    %d2_left = arith.mulf %r0, %x1 : f64
    %d2_right = arith.mulf %r1, %x0 : f64
    %d2 = arith.subf %d2_left, %d2_right : f64
    %nearly0 = arith.addf %x0, %d0 : f64
    %nearly1 = arith.addf %x1, %d1 : f64
    %nearly2 = arith.addf %x2, %d2 : f64
    cf.br ^end(%nearly0, %nearly1, %nearly2 : f64, f64, f64)
  ^rotated:
    %angle = math.sqrt %square : f64
    %cos = math.cos %angle : f64
    %sin = math.sin %angle : f64
    %inverse = arith.divf %one, %angle : f64
    %versine = arith.subf %one, %cos : f64
    %a0 = arith.mulf %r0, %inverse : f64
    %a1 = arith.mulf %r1, %inverse : f64
    %a2 = arith.mulf %r2, %inverse : f64
    %c0_left = arith.mulf %a1, %x2 : f64
    %c0_right = arith.mulf %a2, %x1 : f64
    %c0 = arith.subf %c0_left, %c0_right : f64
    %c1_left = arith.mulf %a2, %x0 : f64
    %c1_right = arith.mulf %a0, %x2 : f64
    %c1 = arith.subf %c1_left, %c1_right : f64
    %c2_left = arith.mulf %a0, %x1 : f64
    %c2_right = arith.mulf %a1, %x0 : f64
    %c2 = arith.subf %c2_left, %c2_right : f64
    %along_0 = arith.mulf %a0, %x0 : f64
    %along_1 = arith.mulf %a1, %x1 : f64
    %along_2 = arith.mulf %a2, %x2 : f64
    %along_sum1 = arith.addf %along_0, %along_1 : f64
    %along = arith.addf %along_sum1, %along_2 : f64
    %shift = arith.mulf %along, %versine : f64
    %p0 = arith.mulf %x0, %cos : f64
    %q0 = arith.mulf %c0, %sin : f64
    %s0 = arith.mulf %a0, %shift : f64
    %pq0 = arith.addf %p0, %q0 : f64
    %rotated0 = arith.addf %pq0, %s0 : f64
    %p1 = arith.mulf %x1, %cos : f64
    %q1 = arith.mulf %c1, %sin : f64
    %s1 = arith.mulf %a1, %shift : f64
    %pq1 = arith.addf %p1, %q1 : f64
    %rotated1 = arith.addf %pq1, %s1 : f64
    %p2 = arith.mulf %x2, %cos : f64
    %q2 = arith.mulf %c2, %sin : f64
    %s2 = arith.mulf %a2, %shift : f64
    %pq2 = arith.addf %p2, %q2 : f64
    %rotated2 = arith.addf %pq2, %s2 : f64
    cf.br ^end(%rotated0, %rotated1, %rotated2 : f64, f64, f64)
  ^end(%y0: f64, %y1: f64, %y2: f64):
    %y = tfx_host.make_struct(%y0, %y1, %y2) : (f64, f64, f64) -> !Point
    return %y : !Point
  }

  // The residuals of the projection of a point.
  func.func private @errors(%camera: !Camera, %point: !Point, %weight: f64, %f0: f64, %f1: f64) -> (f64, f64) {
    %one = arith.constant 1.0 : f64
    %rotation = tfx_host.extract %camera["rotation"] : !Camera -> !Point
    %center = tfx_host.extract %camera["center"] : !Camera -> !Point
    %focus = tfx_host.extract %camera["focus"] : !Camera -> f64
    %u = tfx_host.extract %camera["u"] : !Camera -> f64
    %v = tfx_host.extract %camera["v"] : !Camera -> f64
    %near = tfx_host.extract %camera["near"] : !Camera -> f64
    %far = tfx_host.extract %camera["far"] : !Camera -> f64
    %c0 = tfx_host.extract %center["x"] : !Point -> f64
    %c1 = tfx_host.extract %center["y"] : !Point -> f64
    %c2 = tfx_host.extract %center["z"] : !Point -> f64
    %x0 = tfx_host.extract %point["x"] : !Point -> f64
    %x1 = tfx_host.extract %point["y"] : !Point -> f64
    %x2 = tfx_host.extract %point["z"] : !Point -> f64
    %from0 = arith.subf %x0, %c0 : f64
    %from1 = arith.subf %x1, %c1 : f64
    %from2 = arith.subf %x2, %c2 : f64
    %from = tfx_host.make_struct(%from0, %from1, %from2) : (f64, f64, f64) -> !Point
    %in_camera = func.call @rotate(%rotation, %from) : (!Point, !Point) -> !Point
    %s0 = tfx_host.extract %in_camera["x"] : !Point -> f64
    %s1 = tfx_host.extract %in_camera["y"] : !Point -> f64
    %s2 = tfx_host.extract %in_camera["z"] : !Point -> f64
    %p0 = arith.divf %s0, %s2 : f64
    %p1 = arith.divf %s1, %s2 : f64
    %square_0 = arith.mulf %p0, %p0 : f64
    %square_1 = arith.mulf %p1, %p1 : f64
    %square = arith.addf %square_0, %square_1 : f64
    %second = arith.mulf %near, %square : f64
    %power = arith.mulf %square, %square : f64
    %fourth = arith.mulf %far, %power : f64
    %distortion = arith.addf %second, %fourth : f64
    %factor = arith.addf %one, %distortion : f64
    %d0 = arith.mulf %p0, %factor : f64
    %e0 = arith.mulf %d0, %focus : f64
    %g0 = arith.addf %e0, %u : f64
    %h0 = arith.subf %g0, %f0 : f64
    %error0 = arith.mulf %h0, %weight : f64
    %d1 = arith.mulf %p1, %factor : f64
    %e1 = arith.mulf %d1, %focus : f64
    %g1 = arith.addf %e1, %v : f64
    %h1 = arith.subf %g1, %f1 : f64
    %error1 = arith.mulf %h1, %weight : f64
    return %error0, %error1 : f64, f64
  }

  // The residual of a weight.
  func.func private @weight_error(%weight: f64) -> f64 {
    %one = arith.constant 1.0 : f64
    %square = arith.mulf %weight, %weight : f64
    %error = arith.subf %one, %square : f64
    return %error : f64
  }

  // Reads an observation.
  func.func private @vector(%x: f64, %y: f64, %z: f64) -> !Point {
    %v = tfx_host.make_struct(%x, %y, %z) : (f64, f64, f64) -> !Point
    return %v : !Point
  }
  func.func private @read(%i: i64) -> (!Camera, !Point, f64, f64, f64) {
    %k0 = arith.constant 0 : i64
    %k1 = arith.constant 1 : i64
    %k2 = arith.constant 2 : i64
    %k3 = arith.constant 3 : i64
    %k4 = arith.constant 4 : i64
    %k5 = arith.constant 5 : i64
    %k6 = arith.constant 6 : i64
    %k7 = arith.constant 7 : i64
    %k8 = arith.constant 8 : i64
    %k9 = arith.constant 9 : i64
    %k10 = arith.constant 10 : i64
    %c0 = func.call @ba_camera(%i, %k0) : (i64, i64) -> f64
    %c1 = func.call @ba_camera(%i, %k1) : (i64, i64) -> f64
    %c2 = func.call @ba_camera(%i, %k2) : (i64, i64) -> f64
    %c3 = func.call @ba_camera(%i, %k3) : (i64, i64) -> f64
    %c4 = func.call @ba_camera(%i, %k4) : (i64, i64) -> f64
    %c5 = func.call @ba_camera(%i, %k5) : (i64, i64) -> f64
    %c6 = func.call @ba_camera(%i, %k6) : (i64, i64) -> f64
    %c7 = func.call @ba_camera(%i, %k7) : (i64, i64) -> f64
    %c8 = func.call @ba_camera(%i, %k8) : (i64, i64) -> f64
    %c9 = func.call @ba_camera(%i, %k9) : (i64, i64) -> f64
    %c10 = func.call @ba_camera(%i, %k10) : (i64, i64) -> f64
    %x0 = func.call @ba_point(%i, %k0) : (i64, i64) -> f64
    %x1 = func.call @ba_point(%i, %k1) : (i64, i64) -> f64
    %x2 = func.call @ba_point(%i, %k2) : (i64, i64) -> f64
    %weight = func.call @ba_weight(%i) : (i64) -> f64
    %f0 = func.call @ba_feature(%i, %k0) : (i64, i64) -> f64
    %f1 = func.call @ba_feature(%i, %k1) : (i64, i64) -> f64
    %rotation = func.call @vector(%c0, %c1, %c2) : (f64, f64, f64) -> !Point
    %center = func.call @vector(%c3, %c4, %c5) : (f64, f64, f64) -> !Point
    %point = func.call @vector(%x0, %x1, %x2) : (f64, f64, f64) -> !Point
    %camera = tfx_host.make_struct(%rotation, %center, %c6, %c7, %c8, %c9, %c10)
        : (!Point, !Point, f64, f64, f64, f64, f64) -> !Camera
    return %camera, %point, %weight, %f0, %f1 : !Camera, !Point, f64, f64, f64
  }

  func.func private @put_vector(%i: i64, %first: i64, %v: !Point) {
    %one = arith.constant 1 : i64
    %v0 = tfx_host.extract %v["x"] : !Point -> f64
    %v1 = tfx_host.extract %v["y"] : !Point -> f64
    %v2 = tfx_host.extract %v["z"] : !Point -> f64
    %second = arith.addi %first, %one : i64
    %third = arith.addi %second, %one : i64
    func.call @ba_put_row(%i, %first, %v0) : (i64, i64, f64) -> ()
    func.call @ba_put_row(%i, %second, %v1) : (i64, i64, f64) -> ()
    func.call @ba_put_row(%i, %third, %v2) : (i64, i64, f64) -> ()
    return
  }
  // Writes the derivatives of one residual, from column `first` on.
  func.func private @put_block(%i: i64, %first: i64, %camera: !Camera, %point: !Point, %weight: f64) {
    %one = arith.constant 1 : i64
    %three = arith.constant 3 : i64
    %rotation = tfx_host.extract %camera["rotation"] : !Camera -> !Point
    %center = tfx_host.extract %camera["center"] : !Camera -> !Point
    func.call @put_vector(%i, %first, %rotation) : (i64, i64, !Point) -> ()
    %k3 = arith.addi %first, %three : i64
    func.call @put_vector(%i, %k3, %center) : (i64, i64, !Point) -> ()
    %k6 = arith.addi %k3, %three : i64
    %focus = tfx_host.extract %camera["focus"] : !Camera -> f64
    func.call @ba_put_row(%i, %k6, %focus) : (i64, i64, f64) -> ()
    %k7 = arith.addi %k6, %one : i64
    %u = tfx_host.extract %camera["u"] : !Camera -> f64
    func.call @ba_put_row(%i, %k7, %u) : (i64, i64, f64) -> ()
    %k8 = arith.addi %k7, %one : i64
    %v = tfx_host.extract %camera["v"] : !Camera -> f64
    func.call @ba_put_row(%i, %k8, %v) : (i64, i64, f64) -> ()
    %k9 = arith.addi %k8, %one : i64
    %near = tfx_host.extract %camera["near"] : !Camera -> f64
    func.call @ba_put_row(%i, %k9, %near) : (i64, i64, f64) -> ()
    %k10 = arith.addi %k9, %one : i64
    %far = tfx_host.extract %camera["far"] : !Camera -> f64
    func.call @ba_put_row(%i, %k10, %far) : (i64, i64, f64) -> ()
    %k11 = arith.addi %k10, %one : i64
    func.call @put_vector(%i, %k11, %point) : (i64, i64, !Point) -> ()
    %k14 = arith.addi %k11, %three : i64
    func.call @ba_put_row(%i, %k14, %weight) : (i64, i64, f64) -> ()
    return
  }

  func.func private @objective() {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %count = arith.constant 31843 : i64
    scf.for %i = %zero to %count step %one : i64 {
      %camera, %point, %weight, %f0, %f1 = func.call @read(%i) : (i64) -> (!Camera, !Point, f64, f64, f64)
      %e0, %e1 = func.call @errors(%camera, %point, %weight, %f0, %f1) : (!Camera, !Point, f64, f64, f64) -> (f64, f64)
      %e2 = func.call @weight_error(%weight) : (f64) -> f64
      func.call @ba_put_error(%i, %zero, %e0) : (i64, i64, f64) -> ()
      func.call @ba_put_error(%i, %one, %e1) : (i64, i64, f64) -> ()
      func.call @ba_put_error(%i, %two, %e2) : (i64, i64, f64) -> ()
    }
    return
  }

  func.func private @jacobian() {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %fifteen = arith.constant 15 : i64
    %thirty = arith.constant 30 : i64
    %count = arith.constant 31843 : i64
    %no = arith.constant 0.0 : f64
    %yes = arith.constant 1.0 : f64
    scf.for %i = %zero to %count step %one : i64 {
      %camera, %point, %weight, %f0, %f1 = func.call @read(%i) : (i64) -> (!Camera, !Point, f64, f64, f64)
      %e0, %e1, %pullback = tfx_ad.vjp @errors(%camera, %point, %weight, %f0, %f1) wrt [0, 1, 2]
          : (!Camera, !Point, f64, f64, f64) -> (f64, f64, !Pullback)
      %a:3 = tfx_host.apply %pullback(%yes, %no) : !Pullback
      %b:3 = tfx_host.apply %pullback(%no, %yes) : !Pullback
      %c = tfx_ad.gradient @weight_error(%weight) wrt [0] : (f64) -> f64
      func.call @put_block(%i, %zero, %a#0, %a#1, %a#2) : (i64, i64, !Camera, !Point, f64) -> ()
      func.call @put_block(%i, %fifteen, %b#0, %b#1, %b#2) : (i64, i64, !Camera, !Point, f64) -> ()
      func.call @ba_put_row(%i, %thirty, %c) : (i64, i64, f64) -> ()
    }
    return
  }

  func.func @main(%runs: i64 {tfx.name = "runs"}) {
    func.call @ba_load() : () -> ()
    func.call @objective() : () -> ()
    func.call @jacobian() : () -> ()
    %errors_first = arith.constant 0 : i64
    %errors_last = arith.constant 2 : i64
    %errors_name = tfx_host.string "errors"
    %errors = func.call @ba_errors(%errors_first, %errors_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%errors_name, %errors) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %weight_errors_first = arith.constant 2 : i64
    %weight_errors_last = arith.constant 3 : i64
    %weight_errors_name = tfx_host.string "weight errors"
    %weight_errors = func.call @ba_errors(%weight_errors_first, %weight_errors_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%weight_errors_name, %weight_errors) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %first_by_camera_first = arith.constant 0 : i64
    %first_by_camera_last = arith.constant 11 : i64
    %first_by_camera_name = tfx_host.string "first by camera"
    %first_by_camera = func.call @ba_rows(%first_by_camera_first, %first_by_camera_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%first_by_camera_name, %first_by_camera) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %first_by_point_first = arith.constant 11 : i64
    %first_by_point_last = arith.constant 14 : i64
    %first_by_point_name = tfx_host.string "first by point"
    %first_by_point = func.call @ba_rows(%first_by_point_first, %first_by_point_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%first_by_point_name, %first_by_point) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %first_by_weight_first = arith.constant 14 : i64
    %first_by_weight_last = arith.constant 15 : i64
    %first_by_weight_name = tfx_host.string "first by weight"
    %first_by_weight = func.call @ba_rows(%first_by_weight_first, %first_by_weight_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%first_by_weight_name, %first_by_weight) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %second_by_camera_first = arith.constant 15 : i64
    %second_by_camera_last = arith.constant 26 : i64
    %second_by_camera_name = tfx_host.string "second by camera"
    %second_by_camera = func.call @ba_rows(%second_by_camera_first, %second_by_camera_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%second_by_camera_name, %second_by_camera) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %second_by_point_first = arith.constant 26 : i64
    %second_by_point_last = arith.constant 29 : i64
    %second_by_point_name = tfx_host.string "second by point"
    %second_by_point = func.call @ba_rows(%second_by_point_first, %second_by_point_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%second_by_point_name, %second_by_point) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %second_by_weight_first = arith.constant 29 : i64
    %second_by_weight_last = arith.constant 30 : i64
    %second_by_weight_name = tfx_host.string "second by weight"
    %second_by_weight = func.call @ba_rows(%second_by_weight_first, %second_by_weight_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%second_by_weight_name, %second_by_weight) : (!tfx_host.string, tensor<?x?xf64>) -> ()
    %weight_error_by_weight_first = arith.constant 30 : i64
    %weight_error_by_weight_last = arith.constant 31 : i64
    %weight_error_by_weight_name = tfx_host.string "weight error by weight"
    %weight_error_by_weight = func.call @ba_rows(%weight_error_by_weight_first, %weight_error_by_weight_last) : (i64, i64) -> tensor<?x?xf64>
    func.call @checksum(%weight_error_by_weight_name, %weight_error_by_weight) : (!tfx_host.string, tensor<?x?xf64>) -> ()

    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    scf.for %i = %zero to %runs step %one : i64 {
      %nothing = func.call @start_clock() : () -> f64
      func.call @objective() : () -> ()
      func.call @ba_stop_clock() : () -> ()
    }
    %primal = tfx_host.string "primal"
    func.call @print_times(%primal) : (!tfx_host.string) -> ()
    scf.for %i = %zero to %runs step %one : i64 {
      %nothing = func.call @start_clock() : () -> f64
      func.call @jacobian() : () -> ()
      func.call @ba_stop_clock() : () -> ()
    }
    %derivative = tfx_host.string "derivative"
    func.call @print_times(%derivative) : (!tfx_host.string) -> ()
    return
  }
}
