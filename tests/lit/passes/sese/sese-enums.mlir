// RUN: tfx-opt %s --tfx-sese=verify=true --canonicalize | FileCheck %s

// A switch on an enum becomes a switch on its tag. A case with a payload extracts it first.

tfx_host.enum @Shape {circle(f32), rectangle(f32, f32), empty()}

// CHECK-LABEL: func.func @area(
// CHECK-SAME:    %[[S:.*]]: !tfx_host.enum<@Shape>, %[[D:.*]]: f32)
// CHECK:         %[[TAG:.*]] = tfx_host.enum_tag %[[S]]
// CHECK:         %[[R:.*]] = scf.index_switch %{{.*}} -> f32
// CHECK:         case 0 {
// CHECK:           %[[C:.*]] = tfx_host.enum_payload %[[S]]["circle"]
// CHECK-NEXT:      arith.mulf %[[C]], %[[C]]
// CHECK:         case 1 {
// CHECK:           %[[P:.*]]:2 = tfx_host.enum_payload %[[S]]["rectangle"]
// CHECK-NEXT:      arith.mulf %[[P]]#0, %[[P]]#1
// CHECK:         default {
// CHECK-NEXT:      scf.yield %[[D]] : f32
// CHECK:         return %[[R]]
func.func @area(%s: !tfx_host.enum<@Shape>, %d: f32) -> f32 {
  tfx_host.switch_enum %s : !tfx_host.enum<@Shape> ["circle" -> ^circle, "rectangle" -> ^rectangle, "empty" -> ^done(%d : f32)]
^circle(%r: f32):
  %a = arith.mulf %r, %r : f32
  cf.br ^done(%a : f32)
^rectangle(%w: f32, %h: f32):
  %b = arith.mulf %w, %h : f32
  cf.br ^done(%b : f32)
^done(%x: f32):
  return %x : f32
}

// CHECK-LABEL: func.func @with_default(
// CHECK:         scf.index_switch
// CHECK:         case 2 {
// CHECK-NEXT:      scf.yield
// CHECK:         default {
func.func @with_default(%s: !tfx_host.enum<@Shape>, %d: f32, %e: f32) -> f32 {
  tfx_host.switch_enum %s : !tfx_host.enum<@Shape> ["empty" -> ^done(%d : f32), default -> ^other]
^other:
  %a = arith.addf %d, %e : f32
  cf.br ^done(%a : f32)
^done(%x: f32):
  return %x : f32
}
