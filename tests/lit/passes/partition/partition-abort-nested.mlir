// Branches around a message that the graph lacks, because their other regions abort: the verifier
// must find which of the nested branches of the host the graph has, with and without locations.

// RUN: tfx-opt --split-input-file --tfx-extract %s | FileCheck %s
// RUN: tfx-opt --split-input-file --strip-debuginfo --tfx-extract %s | FileCheck %s

// The graph has the inner branch only.
// CHECK-LABEL: tfx_tensor.graph @inner.graph(%arg0: i1, %arg1: tensor<i32>)
// CHECK: scf.if %arg0 {
// CHECK-NEXT: tfx_comm.send
// CHECK-NEXT: }
// CHECK-NEXT: tfx_tensor.return
func.func private @observe(i32)
func.func @inner(%p: i1, %q: i1, %n: i32) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %end = tfx_tensor.from_scalar %n : i32
  %range = tfx_tensor.op "Range"(%zero, %end, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  scf.if %p {
    %size = tfx_tensor.op "Size"(%range) {out_type = i32} : (tensor<?xi32>) -> tensor<i32>
    %count = tfx_tensor.to_scalar %size : tensor<i32> -> i32
    scf.if %q {
      func.call @observe(%count) : (i32) -> ()
    }
  } else {
    tfx_host.abort "stop"
  }
  return
}

// -----

// Both branches have the same condition.
// CHECK-LABEL: tfx_tensor.graph @same.graph(%arg0: i1, %arg1: tensor<i32>)
// CHECK: scf.if %arg0 {
// CHECK-NEXT: tfx_comm.send
// CHECK-NEXT: }
// CHECK-NEXT: tfx_tensor.return
func.func private @observe(i32)
func.func @same(%p: i1, %n: i32) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %end = tfx_tensor.from_scalar %n : i32
  %range = tfx_tensor.op "Range"(%zero, %end, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  scf.if %p {
    %size = tfx_tensor.op "Size"(%range) {out_type = i32} : (tensor<?xi32>) -> tensor<i32>
    %count = tfx_tensor.to_scalar %size : tensor<i32> -> i32
    scf.if %p {
      func.call @observe(%count) : (i32) -> ()
    }
  } else {
    tfx_host.abort "stop"
  }
  return
}

// -----

// Of three branches, the graph has the second one, whose other region continues.
// CHECK-LABEL: tfx_tensor.graph @middle.graph(%arg0: i1, %arg1: tensor<i32>)
// CHECK: scf.if %arg0 {
// CHECK-NEXT: tfx_comm.send
// CHECK-NEXT: }
// CHECK-NEXT: tfx_tensor.return
func.func private @observe(i32)
func.func @middle(%p: i1, %q: i1, %r: i1, %n: i32) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %end = tfx_tensor.from_scalar %n : i32
  %range = tfx_tensor.op "Range"(%zero, %end, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  scf.if %p {
    %size = tfx_tensor.op "Size"(%range) {out_type = i32} : (tensor<?xi32>) -> tensor<i32>
    %count = tfx_tensor.to_scalar %size : tensor<i32> -> i32
    scf.if %q {
      scf.if %r {
        func.call @observe(%count) : (i32) -> ()
      } else {
        tfx_host.abort "stop inside"
      }
    }
  } else {
    tfx_host.abort "stop"
  }
  return
}

// -----

// The outer branch, which the graph lacks, has the same condition as the inner one, which has
// messages in both regions.
// CHECK-LABEL: tfx_tensor.graph @both.graph(%arg0: i1, %arg1: tensor<i32>)
// CHECK: scf.if %arg0 {
// CHECK: tfx_comm.send
// CHECK-NEXT: } else {
// CHECK: tfx_comm.send
// CHECK-NEXT: }
// CHECK-NEXT: tfx_tensor.return
func.func private @observe(i32)
func.func @both(%p: i1, %n: i32) {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %end = tfx_tensor.from_scalar %n : i32
  %range = tfx_tensor.op "Range"(%zero, %end, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  scf.if %p {
    tfx_host.abort "stop"
  } else {
    scf.if %p {
      %size = tfx_tensor.op "Size"(%range) {out_type = i32} : (tensor<?xi32>) -> tensor<i32>
      %count = tfx_tensor.to_scalar %size : tensor<i32> -> i32
      func.call @observe(%count) : (i32) -> ()
    } else {
      %size = tfx_tensor.op "Rank"(%range) : (tensor<?xi32>) -> tensor<i32>
      %sum = tfx_tensor.op "AddV2"(%size, %end) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %count = tfx_tensor.to_scalar %sum : tensor<i32> -> i32
      func.call @observe(%count) : (i32) -> ()
    }
  }
  return
}
