// A switch over an enum produces the first arguments of its blocks, and forwards values to the others: several of these are erased at once.
//
// RUN: tfx-opt %s --tfx-clean-up | FileCheck %s

tfx_host.enum @Shape {none(), rectangle(f32, f32)}

// CHECK-LABEL: func.func @area
// CHECK:         tfx_host.switch_enum %arg0 : !tfx_host.enum<@Shape> ["rectangle" -> ^bb1, "none" -> ^bb2(%arg1 : i32)]
// CHECK:         ^bb1(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT:    arith.mulf %[[A]], %[[B]]
func.func @area(%e: !tfx_host.enum<@Shape>, %n: i32) -> f32 {
  tfx_host.switch_enum %e : !tfx_host.enum<@Shape> ["rectangle" -> ^two(%n, %n, %n : i32, i32, i32), "none" -> ^none(%n, %n, %n : i32, i32, i32)]
^two(%a: f32, %b: f32, %k: i32, %l: i32, %m: i32):
  %area = arith.mulf %a, %b : f32
  return %area : f32
^none(%p: i32, %q: i32, %r: i32):
  %f = arith.sitofp %q : i32 to f32
  return %f : f32
}
