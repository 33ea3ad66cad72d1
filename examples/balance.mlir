// A network in the graph learns to balance poles that a simulator in C moves.
//
// The gradient goes through both: back through each tick, in a loop whose trip count only C knows.
// The network and its derivative are in the graph, the simulator and its derivative on the host.
// Each side has its own tapes, so nothing crosses that the other side has already. In each tick,
// the poles cross to the host and back, and in the backward loop their cotangents. These copies
// are intentional: they are marked, and not reported.
//
//   tfxc run examples/balance.mlir --stats
//   tfxc report examples/balance.mlir

!Network = !tfx_host.struct<@Network>
!Poles = tensor<5x2xf32>
!Pushed = tensor<5x3xf32>

module attributes {tfx.link = ["host/balance.c"]} {
  func.func private @tick(%poles: !Pushed) -> !Poles
  func.func private @tick_backward(%poles: !Pushed, %d_moved: !Poles) -> !Pushed
  func.func private @ticks() -> i64

  // A tick of the simulator, with the copies. The derivative needs the poles again: those of the
  // host, which stay there.
  func.func private @simulate(%poles: !Pushed) -> !Poles
      attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @simulate.forward, backward = @simulate.backward>} {
    %moved, %there = func.call @simulate.forward(%poles) : (!Pushed) -> (!Poles, !Pushed)
    return %moved : !Poles
  }
  func.func private @simulate.forward(%poles: !Pushed) -> (!Poles, !Pushed) {
    %there = tfx_comm.to_host %poles : !Pushed
    %moved = func.call @tick(%there) : (!Pushed) -> !Poles
    %here = tfx_comm.to_accelerator %moved : !Poles
    return %here, %there : !Poles, !Pushed
  }
  func.func private @simulate.backward(%there: !Pushed, %d_moved: !Poles) -> !Pushed {
    %d_there = tfx_comm.to_host %d_moved : !Poles
    %d_poles = func.call @tick_backward(%there, %d_there) : (!Pushed, !Poles) -> !Pushed
    %d_here = tfx_comm.to_accelerator %d_poles : !Pushed
    return %d_here : !Pushed
  }

  // The network: the force for an angle and a speed, by 8 units.
  tfx_host.struct @Network {units: tensor<2x8xf32>, output: tensor<8x1xf32>}
  func.func private @force(%network: !Network, %poles: !Poles) -> tensor<5x1xf32> {
    %units = tfx_host.extract %network["units"] : !Network -> tensor<2x8xf32>
    %output = tfx_host.extract %network["output"] : !Network -> tensor<8x1xf32>
    %sums = tfx_tensor.op "MatMul"(%poles, %units) : (!Poles, tensor<2x8xf32>) -> tensor<5x8xf32>
    %hidden = tfx_tensor.op "Tanh"(%sums) : (tensor<5x8xf32>) -> tensor<5x8xf32>
    %force = tfx_tensor.op "MatMul"(%hidden, %output) : (tensor<5x8xf32>, tensor<8x1xf32>) -> tensor<5x1xf32>
    return %force : tensor<5x1xf32>
  }

  // The mean square of the angles and speeds, over all ticks. Poles that stand still have none.
  func.func private @loss(%network: !Network, %ticks: i64) -> tensor<f32> {
    %start = tfx_tensor.const dense<[[0.4, 0.0], [0.2, 0.3], [0.0, -0.5], [-0.3, 0.1], [-0.5, 0.2]]> : !Poles
    %none = tfx_tensor.const dense<0.0> : tensor<f32>
    %columns = tfx_tensor.const dense<1> : tensor<i32>
    %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %end:2 = scf.for %i = %zero to %ticks step %one
        iter_args(%poles = %start, %sum = %none) -> (!Poles, tensor<f32>) : i64 {
      %force = func.call @force(%network, %poles) : (!Network, !Poles) -> tensor<5x1xf32>
      %pushed = tfx_tensor.op "ConcatV2"(%poles, %force, %columns) : (!Poles, tensor<5x1xf32>, tensor<i32>) -> !Pushed
      %moved = func.call @simulate(%pushed) : (!Pushed) -> !Poles
      %squares = tfx_tensor.op "Square"(%moved) : (!Poles) -> !Poles
      %mean = tfx_tensor.op "Mean"(%squares, %axes) : (!Poles, tensor<2xi32>) -> tensor<f32>
      %next_sum = tfx_tensor.op "AddV2"(%sum, %mean) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      scf.yield %moved, %next_sum : !Poles, tensor<f32>
    }
    %size = arith.sitofp %ticks : i64 to f32
    %count = tfx_tensor.from_scalar %size : f32
    %loss = tfx_tensor.op "Div"(%end#1, %count) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %loss : tensor<f32>
  }

  func.func @main() -> (tensor<f32> {tfx.name = "loss"}) {
    %ticks = func.call @ticks() : () -> i64
    %units = tfx_tensor.const dense<[[-0.6, 0.5, -0.4, 0.3, -0.2, 0.1, 0.7, -0.8],
                                      [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, 0.8]]> : tensor<2x8xf32>
    %output = tfx_tensor.const dense<[[0.1], [-0.2], [0.3], [-0.1], [0.2], [-0.3], [0.1], [-0.2]]> : tensor<8x1xf32>
    %start = tfx_host.make_struct(%units, %output) : (tensor<2x8xf32>, tensor<8x1xf32>) -> !Network
    %rate = tfx_tensor.const dense<0.2> : tensor<f32>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %steps = arith.constant 200 : i32
    %every = arith.constant 20 : i32
    %trained = scf.for %i = %zero to %steps step %one iter_args(%network = %start) -> (!Network) : i32 {
      %loss, %gradient = tfx_ad.gradient @loss(%network, %ticks) wrt [0] value
          : (!Network, i64) -> (tensor<f32>, !Network)
      %rem = arith.remsi %i, %every : i32
      %show = arith.cmpi eq, %rem, %zero : i32
      scf.if %show {
        tfx_host.print "step {}: loss {}"(%i, %loss) : i32, tensor<f32>
      }
      %u = tfx_host.extract %network["units"] : !Network -> tensor<2x8xf32>
      %du = tfx_host.extract %gradient["units"] : !Network -> tensor<2x8xf32>
      %o = tfx_host.extract %network["output"] : !Network -> tensor<8x1xf32>
      %do = tfx_host.extract %gradient["output"] : !Network -> tensor<8x1xf32>
      %step_u = tfx_tensor.op "Mul"(%du, %rate) : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
      %step_o = tfx_tensor.op "Mul"(%do, %rate) : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
      %next_u = tfx_tensor.op "Sub"(%u, %step_u) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      %next_o = tfx_tensor.op "Sub"(%o, %step_o) : (tensor<8x1xf32>, tensor<8x1xf32>) -> tensor<8x1xf32>
      %next = tfx_host.make_struct(%next_u, %next_o) : (tensor<2x8xf32>, tensor<8x1xf32>) -> !Network
      scf.yield %next : !Network
    }
    %loss = func.call @loss(%trained, %ticks) : (!Network, i64) -> tensor<f32>
    return %loss : tensor<f32>
  }
}
