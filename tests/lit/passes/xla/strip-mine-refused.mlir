// With the option, the pass reports the obstacle; the loop is unchanged.

// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-strip-mine{explain=true}))' --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: @every_trip
// CHECK-COUNT-1: scf.for
tfx_tensor.graph @every_trip(%n: index) channels [#tfx_comm.channel<0, to_host, index>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-remark @+1 {{this loop is not strip-mined}}
  scf.for %i = %zero to %n step %one {
    // expected-note @+1 {{this communicates with the host in each iteration, or has state}}
    tfx_comm.send %i to 0 : index
  }
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @both_arms
tfx_tensor.graph @both_arms(%n: index) channels [#tfx_comm.channel<0, to_host, index>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-remark @+1 {{this loop is not strip-mined}}
  scf.for %i = %zero to %n step %one {
    %c = arith.cmpi eq, %i, %one : index
    // expected-note @+1 {{this communicates with the host for both values of the condition}}
    scf.if %c {
      tfx_comm.send %i to 0 : index
    } else {
      tfx_comm.send %n to 0 : index
    }
  }
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @in_the_condition
tfx_tensor.graph @in_the_condition() channels [#tfx_comm.channel<0, to_graph, i1>] {
  // expected-remark @+1 {{this loop is not strip-mined}}
  scf.while : () -> () {
    // expected-note @+1 {{the condition of the loop communicates with the host or has state}}
    %go = tfx_comm.recv from 0 : i1
    scf.condition(%go)
  } do {
    scf.yield
  }
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @by_a_tensor
tfx_tensor.graph @by_a_tensor(%n: index, %x: tensor<i1>) channels [#tfx_comm.channel<0, to_host, index>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-remark @+1 {{this loop is not strip-mined}}
  scf.for %i = %zero to %n step %one {
    %not = tfx_tensor.op "LogicalNot"(%x) : (tensor<i1>) -> tensor<i1>
    // expected-note @+1 {{the condition depends on this operation, which costs too much to run twice in each iteration}}
    %c = tfx_tensor.to_scalar %not : tensor<i1> -> i1
    scf.if %c {
      tfx_comm.send %i to 0 : index
    }
  }
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @may_fail
tfx_tensor.graph @may_fail(%n: i32, %every: i32) channels [#tfx_comm.channel<0, to_host, i32>] {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is not strip-mined}}
  scf.for %i = %zero to %n step %one : i32 {
    // expected-note @+1 {{the condition depends on this operation, which may fail after the last iteration}}
    %r = arith.remsi %i, %every : i32
    %c = arith.cmpi eq, %r, %zero : i32
    scf.if %c {
      tfx_comm.send %i to 0 : i32
    }
  }
  tfx_tensor.return
}

// -----

// CHECK-LABEL: @random
tfx_tensor.graph @random(%n: index, %shape: tensor<1xi32>, %x0: tensor<4xf32>) channels [#tfx_comm.channel<0, to_host, index>] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-remark @+1 {{this loop is not strip-mined}}
  %x = scf.for %i = %zero to %n step %one iter_args(%y = %x0) -> (tensor<4xf32>) {
    // expected-note @+1 {{it draws random numbers, whose sequence depends on being drawn by one operation}}
    %z = tfx_tensor.op "RandomUniform"(%shape) {seed = 1 : i64, dtype = f32} : (tensor<1xi32>) -> tensor<4xf32>
    %c = arith.cmpi eq, %i, %one : index
    scf.if %c {
      tfx_comm.send %i to 0 : index
    }
    scf.yield %z : tensor<4xf32>
  }
  tfx_tensor.return
}
