// RUN: tfx-opt %s --tfx-specialize --split-input-file | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --split-input-file | tfx-opt --tfx-specialize --split-input-file | FileCheck %s

// An erased value needs a table at run time: of exactly its type, with all methods in the order of the protocol, each of known types. Other tables are erased.

// CHECK:       tfx_host.protocol @Show<"Text", "Size"> {size: (!tfx_host.param<"Self">) -> i32, show: (!tfx_host.param<"Self">, f32) -> f32, hide: (!tfx_host.param<"Self">) -> ()}
tfx_host.protocol @Show<"Text", "Size"> {
  size: (!tfx_host.param<"Self">) -> i32,
  show: (!tfx_host.param<"Self">, f32) -> f32,
  hide: (!tfx_host.param<"Self">) -> () = @default_hide
}
tfx_host.struct @Point {x: f32, y: f32}
tfx_host.struct @Box<"T"> {value: !tfx_host.param<"T">}

// CHECK-NEXT:  tfx_host.struct @Point
// CHECK-NEXT:  tfx_host.struct @Box
// CHECK-NEXT:  tfx_host.witness_table @Point_Show : !tfx_host.struct<@Point> conforms @Show {Text: i32, Size: f32, size = @point_size, show = @point_show, hide = @"default_hide<Point>"}
tfx_host.witness_table @Point_Show : !tfx_host.struct<@Point> conforms @Show {
  Size: f32, Text: !tfx_host.assoc<!tfx_host.struct<@Box<i32>>, @Show, "Size">, show = @point_show, size = @point_size
}
// CHECK-NEXT:  tfx_host.witness_table private @"Box_Show<i32>" : !tfx_host.struct<@Box<i32>> conforms @Show {Text: !tfx_host.string, Size: i32, size = @"box_size<i32>", show = @"box_show<i32>", hide = @"box_hide<i32>"}
// CHECK-NEXT:  tfx_host.witness_table private @"Box_Show<f32>" : !tfx_host.struct<@Box<f32>> conforms @Show {Text: !tfx_host.string, Size: f32, size = @"box_size<f32>"
// CHECK-NOT:   tfx_host.witness_table
tfx_host.witness_table @Box_Show<"T"> : !tfx_host.struct<@Box<!tfx_host.param<"T">>> conforms @Show {
  Text: !tfx_host.string, Size: !tfx_host.param<"T">, hide = @box_hide, size = @box_size, show = @box_show
}
tfx_host.witness_table @Int_Show : i32 conforms @Show {Text: i1, Size: i1, size = @int_size, show = @int_show}

// CHECK-LABEL: func.func @main(
// CHECK:         tfx_host.erase %{{.*}} : !tfx_host.struct<@Point> to !tfx_host.any<@Show>
// CHECK:         call @"forget<Box<i32>>"
// CHECK:         tfx_host.dynamic_call %{{.*}}["hide"]() : (!tfx_host.any<@Show>) -> ()
// CHECK:       func.func private @"forget<Box<i32>>"(%[[B:.*]]: !tfx_host.struct<@Box<i32>>) -> !tfx_host.any<@Show> {
// CHECK-NEXT:    tfx_host.erase %[[B]] : !tfx_host.struct<@Box<i32>> to !tfx_host.any<@Show>
func.func @main(%p: !tfx_host.struct<@Point>, %b: !tfx_host.struct<@Box<i32>>, %c: !tfx_host.struct<@Box<f32>>) {
  %x = tfx_host.erase %p : !tfx_host.struct<@Point> to !tfx_host.any<@Show>
  %y = tfx_host.call @forget<[!tfx_host.struct<@Box<i32>>]>(%b) : (!tfx_host.struct<@Box<i32>>) -> !tfx_host.any<@Show>
  %z = tfx_host.call @forget<[!tfx_host.struct<@Box<f32>>]>(%c) : (!tfx_host.struct<@Box<f32>>) -> !tfx_host.any<@Show>
  tfx_host.dynamic_call %y["hide"]() : (!tfx_host.any<@Show>) -> ()
  return
}
func.func private @forget(%x: !tfx_host.param<"T">) -> !tfx_host.any<@Show> attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Show>]} {
  %y = tfx_host.erase %x : !tfx_host.param<"T"> to !tfx_host.any<@Show>
  return %y : !tfx_host.any<@Show>
}
func.func private @point_size(!tfx_host.struct<@Point>) -> i32
func.func private @point_show(!tfx_host.struct<@Point>, f32) -> f32
func.func private @int_size(i32) -> i32
func.func private @int_show(i32, f32) -> f32
func.func private @box_size(%b: !tfx_host.struct<@Box<!tfx_host.param<"T">>>) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %n = arith.constant 1 : i32
  return %n : i32
}
func.func private @box_show(%b: !tfx_host.struct<@Box<!tfx_host.param<"T">>>, %x: f32) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : f32
}
func.func private @box_hide(%b: !tfx_host.struct<@Box<!tfx_host.param<"T">>>) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return
}
func.func private @default_hide(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return
}

// -----

// A method of a class is that of the only table of the class with such a method. The call stays dynamic.

tfx_host.class @Counter<"T"> {value: !tfx_host.param<"T">}
tfx_host.protocol @Bump {bump: (!tfx_host.param<"Self">, i32) -> i32}
tfx_host.protocol @Other {bump: (!tfx_host.param<"Self">, i32) -> i32}

// CHECK:       tfx_host.protocol @Bump
// CHECK-NOT:   tfx_host.protocol
// CHECK:       tfx_host.witness_table private @"Counter_Bump<i32>" : !tfx_host.object<@"Counter<i32>"> conforms @Bump {bump = @"bump<i32>"}
// CHECK-NOT:   tfx_host.witness_table
// CHECK-LABEL: func.func @main(
// CHECK:         tfx_host.dynamic_call %{{.*}}["bump"](%{{.*}}) : (!tfx_host.object<@"Counter<i32>">, i32) -> i32
// CHECK:       func.func private @"bump<i32>"(%{{.*}}: !tfx_host.object<@"Counter<i32>">, %{{.*}}: i32) -> i32 {
tfx_host.witness_table @Counter_Bump<"T"> : !tfx_host.object<@Counter<!tfx_host.param<"T">>> conforms @Bump {bump = @bump}
tfx_host.witness_table @Counter_Other : !tfx_host.object<@Counter<f32>> conforms @Other {bump = @other}
func.func @main(%c: !tfx_host.object<@Counter<i32>>, %n: i32) -> i32 {
  %y = tfx_host.dynamic_call %c["bump"](%n) : (!tfx_host.object<@Counter<i32>>, i32) -> i32
  return %y : i32
}
func.func private @bump(%c: !tfx_host.object<@Counter<!tfx_host.param<"T">>>, %n: i32) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %n : i32
}
func.func private @other(!tfx_host.object<@Counter<f32>>, i32) -> i32
