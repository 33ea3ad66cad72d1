// RUN: tfx-opt %s --tfx-lower-host --split-input-file | FileCheck %s

// A push takes the tape and the value, a pop takes the tape: a loop neither retains nor releases.
// CHECK-LABEL: func.func private @stack(
// CHECK-SAME:    %[[X:[^ ]*]]: f64
// CHECK:         %[[EMPTY:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NOT:     tfx_box_
// CHECK:         llvm.store %{{.*}}, %[[STACK:.*]] {alignment = 8
// CHECK:         %[[TYPE:.*]] = llvm.mlir.addressof @tfx.box.0
// CHECK:         call @tfx_tape_push(%{{.*}}, %[[TYPE]], %[[STACK]], %{{.*}})
// CHECK-NOT:     tfx_box_
// CHECK:         %[[REST:.*]] = call @tfx_tape_pop(%{{.*}}, %[[TO:.*]], %{{.*}})
// CHECK-NEXT:    %[[VALUE:.*]] = llvm.load %[[TO]]
// CHECK:         call @tfx_box_release(%[[REST]])
// CHECK-NEXT:    return %[[VALUE]]
func.func private @stack(%x: f64, %n: i64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %empty = tfx_ad.empty_tape : !tfx_ad.tape<f64>
  cf.br ^head(%zero, %empty : i64, !tfx_ad.tape<f64>)
^head(%i: i64, %t: !tfx_ad.tape<f64>):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^end
^body:
  %u = tfx_ad.push %x to %t : !tfx_ad.tape<f64>
  %j = arith.addi %i, %one : i64
  cf.br ^head(%j, %u : i64, !tfx_ad.tape<f64>)
^end:
  %rest, %value = tfx_ad.pop %t : !tfx_ad.tape<f64>
  return %value : f64
}

// -----

// A tape that is used again is retained before, and a parameter belongs to the function. A tensor is
// moved to the tape and from it.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME:    %[[TAPE:[^ ]*]]: !llvm.ptr, %[[X:[^ ]*]]: !llvm.ptr)
// CHECK:         call @tfx_tensor_retain(%[[X]])
// CHECK-NOT:     call @tfx_box_retain(%[[TAPE]])
// CHECK:         %[[LONGER:.*]] = call @tfx_tape_push(%[[TAPE]],
// CHECK:         call @tfx_box_retain(%[[LONGER]])
// CHECK:         %[[A:.*]] = call @tfx_tape_pop(%[[LONGER]],
// CHECK:         call @tfx_box_release(%[[A]])
// CHECK:         %[[B:.*]] = call @tfx_tape_pop(%[[LONGER]],
// CHECK:         call @tfx_box_release(%[[B]])
// CHECK:         return
func.func private @twice(%t: !tfx_ad.tape<tensor<2xf32>>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %longer = tfx_ad.push %x to %t : !tfx_ad.tape<tensor<2xf32>>
  %a, %v = tfx_ad.pop %longer : !tfx_ad.tape<tensor<2xf32>>
  %b, %w = tfx_ad.pop %longer : !tfx_ad.tape<tensor<2xf32>>
  return %v, %w : tensor<2xf32>, tensor<2xf32>
}
