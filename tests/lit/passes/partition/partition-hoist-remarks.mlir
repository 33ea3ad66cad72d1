// RUN: tfx-opt --tfx-partition=remarks=true --tfx-verify-protocol %s -o %t.mlir 2>&1 | grep -v '^ ' | FileCheck %s --implicit-check-not=remark
// RUN: FileCheck %s --check-prefix=IR <%t.mlir
//
// The reasons why values that are the same in each iteration are copied in each.

!T = tensor<f32>
tfx_host.class @Box {x: f32, y: f32}
!B = !tfx_host.object<@Box>
func.func private @flip() -> i1
func.func private @touch(!B)
func.func private @look() attributes {tfx.pure}

// The branch is taken in some iterations only.
// CHECK:      hoist-remarks.mlir:[[#@LINE+12]]:{{.*}}: remark: this is the same in each iteration of a loop, but is copied to the host in each: it is computed, and therefore copied, in some iterations only
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+8]]:{{.*}}: note: in this loop
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+9]]:{{.*}}: note: this condition changes between iterations, or is unknown to one side
// IR-LABEL: func.func @branch(
// IR:         scf.for
// IR:           tfx_comm.recv
func.func @branch(%a: !T, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %flip = func.call @flip() : () -> i1
    scf.if %flip {
      %sum = tfx_tensor.op "AddV2"(%a, %a) : (!T, !T) -> !T
      tfx_host.print "{}"(%sum) : !T
    }
  }
  return
}

// Only the host knows whether the loop runs an iteration, and decides it in the loop.
// CHECK:      hoist-remarks.mlir:[[#@LINE+10]]:{{.*}}: remark: this is the same in each iteration of a loop, but is copied to the host in each: the two sides do not both know before the loop whether an iteration needs it
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+5]]:{{.*}}: note: whether this loop runs an iteration is decided inside of it, or on one side only
// IR-LABEL: func.func @entry(
// IR:         scf.while
// IR:           tfx_comm.recv
func.func @entry(%a: !T) {
  scf.while : () -> () {
    %go = func.call @flip() : () -> i1
    scf.condition(%go)
  } do {
    %sum = tfx_tensor.op "AddV2"(%a, %a) : (!T, !T) -> !T
    tfx_host.print "{}"(%sum) : !T
    scf.yield
  }
  return
}

// The program may end before the product is computed, which may fail.
// CHECK:      hoist-remarks.mlir:[[#@LINE+13]]:{{.*}}: remark: this is the same in each iteration of a loop, but is copied to the host in each: it may fail, and an operation before it must happen first
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+9]]:{{.*}}: note: in this loop
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+10]]:{{.*}}: note: this comes before it
// IR-LABEL: func.func @end(
// IR:         scf.for
// IR:           tfx_host.assert
// IR:           tfx_comm.recv
func.func @end(%a: tensor<?x?xf32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %ok = arith.cmpi sgt, %n, %i : i32
    tfx_host.assert %ok, "not square"
    %product = tfx_tensor.op "MatMul"(%a, %a) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    tfx_host.print "{}"(%product) : tensor<?x?xf32>
  }
  return
}

// The print before the product must happen if the product fails. The sum cannot fail: its sizes
// are known.
// CHECK:      hoist-remarks.mlir:[[#@LINE+13]]:{{.*}}: remark: this is the same in each iteration of a loop, but is copied to the host in each: it may fail, and an operation before it must happen first
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+10]]:{{.*}}: note: in this loop
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+10]]:{{.*}}: note: this comes before it
// IR-LABEL: func.func @effect(
// IR:         tfx_comm.recv {{.*}} : tensor<f32>
// IR:         scf.for
// IR:           tfx_host.print "before"()
// IR:           tfx_comm.recv {{.*}} : tensor<?x?xf32>
func.func @effect(%a: tensor<?x?xf32>, %b: !T, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tfx_host.print "before"()
    %product = tfx_tensor.op "MatMul"(%a, %a) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %sum = tfx_tensor.op "AddV2"(%b, %b) : (!T, !T) -> !T
    tfx_host.print "{} {}"(%product, %sum) : tensor<?x?xf32>, !T
  }
  return
}

// A division that changes precedes an invariant quotient: the first one to trap must stay first.
// CHECK:      hoist-remarks.mlir:[[#@LINE+13]]:{{.*}}: remark: this is the same in each iteration of a loop, but is copied to the host in each: it may fail, and an operation before it must happen first
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+9]]:{{.*}}: note: in this loop
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+10]]:{{.*}}: note: this comes before it
// IR-LABEL: func.func @trap(
// IR:         scf.for
// IR:           arith.divsi
// IR:           tfx_comm.recv
func.func @trap(%a: tensor<?x?xf32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %d = arith.subi %n, %i : i32
    %q = arith.divsi %n, %d : i32
    %product = tfx_tensor.op "MatMul"(%a, %a) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    tfx_host.print "{} {}"(%q, %product) : i32, tensor<?x?xf32>
  }
  return
}

// A foreign function may write the field.
// CHECK:      hoist-remarks.mlir:[[#@LINE+14]]:{{.*}}: remark: this is read again in each iteration of a loop, and is copied to the accelerator in each: the field that it is read from may be written in the loop
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+10]]:{{.*}}: note: in this loop
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+11]]:{{.*}}: note: it is read here
// CHECK-NEXT: hoist-remarks.mlir:[[#@LINE+13]]:{{.*}}: note: this may write it
// IR-LABEL: func.func @written(
// IR:         scf.for
// IR:           tfx_host.load
// IR:           tfx_comm.send
func.func @written(%b: !B, %n: i32, %a: !T) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> !T : i32 {
    %ref = tfx_host.member_ref %b["x"] : !B -> !tfx_host.ref<f32>
    %x = tfx_host.load %ref : !tfx_host.ref<f32>
    %t = tfx_tensor.from_scalar %x : f32
    %u = tfx_tensor.op "Mul"(%v, %t) : (!T, !T) -> !T
    func.call @touch(%b) : (!B) -> ()
    scf.yield %u : !T
  }
  return %r : !T
}

// A store to another field, and a function that writes nothing, are no obstacles.
// IR-LABEL: func.func @other(
// IR:         tfx_host.load
// IR:         tfx_comm.start
// IR:         scf.for
// IR-NOT:       tfx_host.load
// IR:           tfx_host.store
func.func @other(%b: !B, %n: i32, %a: !T) -> !T {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> !T : i32 {
    %ref = tfx_host.member_ref %b["x"] : !B -> !tfx_host.ref<f32>
    %x = tfx_host.load %ref : !tfx_host.ref<f32>
    %t = tfx_tensor.from_scalar %x : f32
    %u = tfx_tensor.op "Mul"(%v, %t) : (!T, !T) -> !T
    %other = tfx_host.member_ref %b["y"] : !B -> !tfx_host.ref<f32>
    %f = arith.sitofp %i : i32 to f32
    tfx_host.store %f, %other : f32
    func.call @look() : () -> ()
    scf.yield %u : !T
  }
  return %r : !T
}
