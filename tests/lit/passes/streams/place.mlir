// RUN: tfx-opt --tfx-place=explain=true %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: tfx-opt --tfx-place=merge=true %s | FileCheck %s --check-prefix=MERGE
// MERGE-NOT: tfx_comm.copy

!t = tensor<8xf32>
!i = tensor<8xi32>

// The program has the copies, and nothing changes.
// CHECK-LABEL: tfx_tensor.graph @stages
// CHECK: "Neg"
// CHECK-NEXT: tfx_comm.copy
// CHECK-NEXT: "Exp"
// CHECK-NEXT: tfx_tensor.return
// REMARK: place.mlir:[[# @LINE + 1]]:1: remark: operations of this graph: 1 at cpu, 1 at cpu:1
tfx_tensor.graph @stages(%x: !t) -> !t {
  %a = tfx_tensor.op "Neg"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "Exp"(%b) : (!t) -> !t
  tfx_tensor.return %c : !t
}

// Arguments and constants are available everywhere. What is computed of constants alone is repeated
// at the second place that uses it, with what it is computed of.
// CHECK-LABEL: tfx_tensor.graph @constants
// CHECK: %[[N:.*]] = tfx_tensor.op "Range"
// CHECK: %[[N1:.*]] = tfx_tensor.op "Range"
// CHECK: %[[M:.*]] = tfx_tensor.op "Neg"(%[[N]])
// CHECK: %[[M1:.*]] = tfx_tensor.op "Neg"(%[[N1]])
// CHECK: "AddV2"(%{{.*}}, %[[M]])
// CHECK: tfx_comm.copy
// CHECK: "AddV2"(%{{.*}}, %[[M1]])
// CHECK: "AddV2"(%{{.*}}, %[[N1]])
// REMARK: remark: operations of this graph: 3 at cpu, 4 at cpu:1 (norms)
tfx_tensor.graph @constants(%x: !i) -> !i {
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %eight = tfx_tensor.const dense<8> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %n = tfx_tensor.op "Range"(%zero, %eight, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> !i
  %m = tfx_tensor.op "Neg"(%n) : (!i) -> !i
  %a = tfx_tensor.op "AddV2"(%x, %m) : (!i, !i) -> !i
  %b = tfx_comm.copy %a from <cpu> to <cpu:1, "norms"> : !i
  %c = tfx_tensor.op "AddV2"(%b, %m) : (!i, !i) -> !i
  %d = tfx_tensor.op "AddV2"(%c, %n) : (!i, !i) -> !i
  tfx_tensor.return %d : !i
}

// A loop with copies inside is at no place of its own.
// CHECK-LABEL: tfx_tensor.graph @loop
// REMARK: remark: operations of this graph: 2 at cpu, 2 at cpu:1
tfx_tensor.graph @loop(%x: !t, %n: tensor<i32>) -> !t {
  %a = tfx_tensor.op "Neg"(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %r:3 = tfx_tensor.while (%k = %zero, %p = %a, %q = %c) : (tensor<i32>, !t, !t) -> (tensor<i32>, !t, !t) {
    %more = tfx_tensor.op "Less"(%k, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i32>, %p: !t, %q: !t):
    %one = tfx_tensor.const dense<1> : tensor<i32>
    %next = tfx_tensor.op "AddV2"(%k, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %d = tfx_tensor.op "Exp"(%p) : (!t) -> !t
    %e = tfx_comm.copy %d from <cpu> to <cpu:1> : !t
    %f = tfx_tensor.op "AddV2"(%e, %q) : (!t, !t) -> !t
    tfx_tensor.yield %next, %d, %f : tensor<i32>, !t, !t
  }
  tfx_tensor.return %r#2 : !t
}

// A scalar of the host is available everywhere, too.
// CHECK-LABEL: tfx_tensor.graph @scalar
// CHECK: %[[S:.*]] = tfx_tensor.from_scalar
// CHECK: %[[S1:.*]] = tfx_tensor.from_scalar
// CHECK: %[[M:.*]] = tfx_tensor.op "BitwiseAnd"(%[[S]],
// CHECK: %[[M1:.*]] = tfx_tensor.op "BitwiseAnd"(%[[S1]],
// CHECK: "Mul"(%{{.*}}, %[[M]])
// CHECK: tfx_comm.copy
// CHECK: "Mul"(%{{.*}}, %[[M1]])
tfx_tensor.graph @scalar(%x: !i, %n: i32) -> !i {
  %three = tfx_tensor.const dense<3> : tensor<i32>
  %s = tfx_tensor.from_scalar %n : i32
  %m = tfx_tensor.op "BitwiseAnd"(%s, %three) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %a = tfx_tensor.op "Mul"(%x, %m) : (!i, tensor<i32>) -> !i
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !i
  %c = tfx_tensor.op "Mul"(%b, %m) : (!i, tensor<i32>) -> !i
  tfx_tensor.return %c : !i
}
