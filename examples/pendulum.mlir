// The length and the mass of a pendulum, from a film: gradient descent through a simulator.
//
// The simulator is a loop that calls C: the drag of the air comes from a table. `tfx_ad.rule` names
// the derivative of that function, which is in C, too. The compiler derives the rest: a loop back
// through all frames of the film, whose number only C knows. It runs on the host, like the
// simulator, and its tapes are there, too: this program has no graph and no copies.
//
//   tfxc run examples/pendulum.mlir

!Pendulum = !tfx_host.struct<@Pendulum>

module attributes {tfx.link = ["host/pendulum.c"]} {
  func.func private @frames() -> i64
  func.func private @angle_in_frame(%frame: i64) -> f64

  // The drag of the air at a speed. Its derivative needs only the speed.
  func.func private @drag(%speed: f64) -> f64
      attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @drag.forward, backward = @drag.backward>}
  func.func private @drag_slope(%speed: f64) -> f64
  func.func private @drag.forward(%speed: f64) -> (f64, f64) {
    %drag = func.call @drag(%speed) : (f64) -> f64
    return %drag, %speed : f64, f64
  }
  func.func private @drag.backward(%speed: f64, %d_drag: f64) -> f64 {
    %slope = func.call @drag_slope(%speed) : (f64) -> f64
    %d_speed = arith.mulf %slope, %d_drag : f64
    return %d_speed : f64
  }

  tfx_host.struct @Pendulum {length: f64, mass: f64}

  // The mean squared difference between the angles of the film and those of a simulated pendulum.
  func.func private @loss(%pendulum: !Pendulum) -> f64 {
    %length = tfx_host.extract %pendulum["length"] : !Pendulum -> f64
    %mass = tfx_host.extract %pendulum["mass"] : !Pendulum -> f64
    %gravity = arith.constant -9.81 : f64
    %tick = arith.constant 0.02 : f64
    %none = arith.constant 0.0 : f64
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %frames = func.call @frames() : () -> i64
    %released = func.call @angle_in_frame(%zero) : (i64) -> f64
    %end:3 = scf.for %frame = %zero to %frames step %one
        iter_args(%angle = %released, %speed = %none, %sum = %none) -> (f64, f64, f64) : i64 {
      %seen = func.call @angle_in_frame(%frame) : (i64) -> f64
      %difference = arith.subf %angle, %seen : f64
      %square = arith.mulf %difference, %difference : f64
      %next_sum = arith.addf %sum, %square : f64

      // The weight pulls the pendulum down, the air holds it back.
      %height = math.sin %angle : f64
      %pull = arith.mulf %height, %gravity : f64
      %drag = func.call @drag(%speed) : (f64) -> f64
      %brake = arith.divf %drag, %mass : f64
      %acceleration = arith.subf %pull, %brake : f64
      %gain = arith.mulf %acceleration, %tick : f64
      %next_speed = arith.addf %speed, %gain : f64
      %way = arith.mulf %next_speed, %tick : f64
      %turn = arith.divf %way, %length : f64
      %next_angle = arith.addf %angle, %turn : f64
      scf.yield %next_angle, %next_speed, %next_sum : f64, f64, f64
    }
    %count = arith.sitofp %frames : i64 to f64
    %loss = arith.divf %end#2, %count : f64
    return %loss : f64
  }

  func.func private @downhill(%value: f64, %slope: f64) -> f64 {
    %rate = arith.constant 0.2 : f64
    %step = arith.mulf %slope, %rate : f64
    %next = arith.subf %value, %step : f64
    return %next : f64
  }

  func.func @main() -> (f64 {tfx.name = "length"}, f64 {tfx.name = "mass"}) {
    %guess = arith.constant 1.0 : f64
    %start = tfx_host.make_struct(%guess, %guess) : (f64, f64) -> !Pendulum
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 150 : i32
    %every = arith.constant 25 : i32
    %fitted = scf.for %i = %zero to %steps step %one iter_args(%pendulum = %start) -> (!Pendulum) : i32 {
      %loss, %gradient = tfx_ad.gradient @loss(%pendulum) wrt [0] value : (!Pendulum) -> (f64, !Pendulum)
      %length = tfx_host.extract %pendulum["length"] : !Pendulum -> f64
      %mass = tfx_host.extract %pendulum["mass"] : !Pendulum -> f64
      %rem = arith.remsi %i, %every : i32
      %show = arith.cmpi eq, %rem, %zero : i32
      scf.if %show {
        tfx_host.print "step {}: loss {}, length {}, mass {}"(%i, %loss, %length, %mass) : i32, f64, f64, f64
      }
      %d_length = tfx_host.extract %gradient["length"] : !Pendulum -> f64
      %d_mass = tfx_host.extract %gradient["mass"] : !Pendulum -> f64
      %next_length = func.call @downhill(%length, %d_length) : (f64, f64) -> f64
      %next_mass = func.call @downhill(%mass, %d_mass) : (f64, f64) -> f64
      %next = tfx_host.make_struct(%next_length, %next_mass) : (f64, f64) -> !Pendulum
      scf.yield %next : !Pendulum
    }
    %length = tfx_host.extract %fitted["length"] : !Pendulum -> f64
    %mass = tfx_host.extract %fitted["mass"] : !Pendulum -> f64
    return %length, %mass : f64, f64
  }
}
