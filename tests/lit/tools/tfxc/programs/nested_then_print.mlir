// A loop that prints in some iterations a value that an inner loop has computed: in the body, after a branch, and in both arms of one. TensorFlow's optimizer, which moves the
// bodies of loops, must keep every message.
//
// RUN: tfxc run %s 5 > %t.embedded && FileCheck %s < %t.embedded
// RUN: %if tensorflow %{ tfxc run %s 5 --executor tensorflow | diff %t.embedded - %}
//
// CHECK:      epoch 0: [ 8 16]
// CHECK-NEXT: epoch 2: [ 512 1024]
// CHECK-NEXT: epoch 4: [32768 65536]
// CHECK-NEXT: trip 1: [4 8]
// CHECK-NEXT: trip 3: [16 32]
// CHECK-NEXT: small 0
// CHECK-NEXT: small 1
// CHECK-NEXT: small 2
// CHECK-NEXT: large [128 256]
// CHECK-NEXT: large [1024 2048]

func.func private @thrice(%x: tensor<?xi32>) -> tensor<?xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %end:2 = scf.while (%step = %zero, %w = %x) : (i32, tensor<?xi32>) -> (i32, tensor<?xi32>) {
    %go = arith.cmpi slt, %step, %three : i32
    scf.condition(%go) %step, %w : i32, tensor<?xi32>
  } do {
  ^bb0(%step: i32, %w: tensor<?xi32>):
    %next = tfx_tensor.op "AddV2"(%w, %w) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
    %step1 = arith.addi %step, %one : i32
    scf.yield %step1, %next : i32, tensor<?xi32>
  }
  return %end#1 : tensor<?xi32>
}

func.func @main(%epochs: i32) -> () {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %x = tfx_tensor.const dense<[1, 2]> : tensor<2xi32>
  %start = tfx_tensor.op "Identity"(%x) : (tensor<2xi32>) -> tensor<?xi32>

  %first:2 = scf.while (%epoch = %zero, %v = %start) : (i32, tensor<?xi32>) -> (i32, tensor<?xi32>) {
    %go = arith.cmpi slt, %epoch, %epochs : i32
    scf.condition(%go) %epoch, %v : i32, tensor<?xi32>
  } do {
  ^bb0(%epoch: i32, %v: tensor<?xi32>):
    %w = func.call @thrice(%v) : (tensor<?xi32>) -> tensor<?xi32>
    %rem = arith.remsi %epoch, %two : i32
    %show = arith.cmpi eq, %rem, %zero : i32
    scf.if %show {
      tfx_host.print "epoch {}: {}"(%epoch, %w) : i32, tensor<?xi32>
    }
    %epoch1 = arith.addi %epoch, %one : i32
    scf.yield %epoch1, %w : i32, tensor<?xi32>
  }

  %second:2 = scf.while (%trip = %zero, %v = %start) : (i32, tensor<?xi32>) -> (i32, tensor<?xi32>) {
    %go = arith.cmpi slt, %trip, %epochs : i32
    scf.condition(%go) %trip, %v : i32, tensor<?xi32>
  } do {
  ^bb0(%trip: i32, %v: tensor<?xi32>):
    %rem = arith.remsi %trip, %two : i32
    %odd = arith.cmpi eq, %rem, %one : i32
    %w = scf.if %odd -> tensor<?xi32> {
      %end:2 = scf.while (%step = %zero, %u = %v) : (i32, tensor<?xi32>) -> (i32, tensor<?xi32>) {
        %more = arith.cmpi slt, %step, %two : i32
        scf.condition(%more) %step, %u : i32, tensor<?xi32>
      } do {
      ^bb0(%step: i32, %u: tensor<?xi32>):
        %next = tfx_tensor.op "AddV2"(%u, %u) : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
        %step1 = arith.addi %step, %one : i32
        scf.yield %step1, %next : i32, tensor<?xi32>
      }
      scf.if %odd {
        tfx_host.print "trip {}: {}"(%trip, %end#1) : i32, tensor<?xi32>
      }
      scf.yield %end#1 : tensor<?xi32>
    } else {
      scf.yield %v : tensor<?xi32>
    }
    %trip1 = arith.addi %trip, %one : i32
    scf.yield %trip1, %w : i32, tensor<?xi32>
  }

  %third:2 = scf.while (%trip = %zero, %v = %second#1) : (i32, tensor<?xi32>) -> (i32, tensor<?xi32>) {
    %go = arith.cmpi slt, %trip, %epochs : i32
    scf.condition(%go) %trip, %v : i32, tensor<?xi32>
  } do {
  ^bb0(%trip: i32, %v: tensor<?xi32>):
    %large = arith.cmpi sgt, %trip, %two : i32
    %w = scf.if %large -> tensor<?xi32> {
      %w = func.call @thrice(%v) : (tensor<?xi32>) -> tensor<?xi32>
      tfx_host.print "large {}"(%w) : tensor<?xi32>
      scf.yield %w : tensor<?xi32>
    } else {
      tfx_host.print "small {}"(%trip) : i32
      scf.yield %v : tensor<?xi32>
    }
    %trip1 = arith.addi %trip, %one : i32
    scf.yield %trip1, %w : i32, tensor<?xi32>
  }
  return
}
