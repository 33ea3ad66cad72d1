// A function that is evaluated may use all abstractions that deabstraction would remove.

// RUN: tfx-opt %s --tfx-constexpr --split-input-file | FileCheck %s

// Structs, tuples, variables, references to fields and inout parameters.

// CHECK-LABEL: func.func @aggregates(
// CHECK:         {squeeze_dims = [3, 10, 30, 7]}
tfx_host.struct @Size {rows: i64, columns: i64}
func.func private @swap(%s: !tfx_host.ref<!tfx_host.struct<@Size>>) {
  %r = tfx_host.field_ref %s["rows"] : !tfx_host.ref<!tfx_host.struct<@Size>> -> !tfx_host.ref<i64>
  %c = tfx_host.field_ref %s["columns"] : !tfx_host.ref<!tfx_host.struct<@Size>> -> !tfx_host.ref<i64>
  %a = tfx_host.load %r : !tfx_host.ref<i64>
  %b = tfx_host.load %c : !tfx_host.ref<i64>
  tfx_host.store %b, %r : i64
  tfx_host.store %a, %c : i64
  return
}
func.func private @sizes(%a: i64, %b: i64) -> !tfx_host.array<i64> {
  %s = tfx_host.make_struct(%a, %b) : (i64, i64) -> !tfx_host.struct<@Size>
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Size>>
  tfx_host.store %s, %v : !tfx_host.struct<@Size>
  func.call @swap(%v) : (!tfx_host.ref<!tfx_host.struct<@Size>>) -> ()
  %t = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Size>>
  %r = tfx_host.extract %t["rows"] : !tfx_host.struct<@Size> -> i64
  %c = tfx_host.extract %t["columns"] : !tfx_host.struct<@Size> -> i64
  %p = arith.muli %r, %c : i64
  %u = tfx_host.insert %p into %t["rows"] : i64, !tfx_host.struct<@Size>
  %q = tfx_host.extract %u["rows"] : !tfx_host.struct<@Size> -> i64
  %d = arith.subi %c, %r : i64
  %pair = tfx_host.make_tuple(%q, %d) : i64, i64
  %x = tfx_host.tuple_get %pair[0] : tuple<i64, i64>
  %y = tfx_host.tuple_get %pair[1] : tuple<i64, i64>
  %list = tfx_host.array(%r, %c, %x, %y) : !tfx_host.array<i64>
  return %list : !tfx_host.array<i64>
}
func.func @aggregates(%x: tensor<*xf32>) {
  %ten = arith.constant 10 : i64
  %three = arith.constant 3 : i64
  %dims = func.call @sizes(%ten, %three) : (i64, i64) -> !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// A struct that contains a tensor can have a constant size.

// CHECK-LABEL: func.func @partly(
// CHECK:         {squeeze_dims = [5]}
tfx_host.struct @Layer {w: tensor<f32>, n: i64}
func.func private @size(%l: !tfx_host.struct<@Layer>) -> i64 {
  %n = tfx_host.extract %l["n"] : !tfx_host.struct<@Layer> -> i64
  return %n : i64
}
func.func @partly(%x: tensor<*xf32>, %w: tensor<f32>) {
  %five = arith.constant 5 : i64
  %l = tfx_host.make_struct(%w, %five) : (tensor<f32>, i64) -> !tfx_host.struct<@Layer>
  %n = func.call @size(%l) : (!tfx_host.struct<@Layer>) -> i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// Enums: their tags, their payloads, and branches on them, with and without a default.

// CHECK-LABEL: func.func @enums(
// CHECK:         {squeeze_dims = [12, 16, -1, 2]}
tfx_host.enum @Kernel {none(), square(i64), rectangle(i64, i64)}
func.func private @area(%k: !tfx_host.enum<@Kernel>) -> i64 {
  %none = arith.constant -1 : i64
  tfx_host.switch_enum %k : !tfx_host.enum<@Kernel> ["square" -> ^square, "rectangle" -> ^rectangle, default -> ^end(%none : i64)]
^square(%a: i64):
  cf.br ^rectangle(%a, %a : i64, i64)
^rectangle(%b: i64, %c: i64):
  %d = arith.muli %b, %c : i64
  cf.br ^end(%d : i64)
^end(%r: i64):
  return %r : i64
}
func.func @enums(%x: tensor<*xf32>) {
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %a = tfx_host.make_enum "rectangle"(%three, %four) : (i64, i64) -> !tfx_host.enum<@Kernel>
  %b = tfx_host.make_enum "square"(%four) : (i64) -> !tfx_host.enum<@Kernel>
  %c = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Kernel>
  %p = func.call @area(%a) : (!tfx_host.enum<@Kernel>) -> i64
  %q = func.call @area(%b) : (!tfx_host.enum<@Kernel>) -> i64
  %r = func.call @area(%c) : (!tfx_host.enum<@Kernel>) -> i64
  %t = tfx_host.enum_tag %a : !tfx_host.enum<@Kernel>
  %s = arith.index_cast %t : index to i64
  %dims = tfx_host.array(%p, %q, %r, %s) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// Arrays, closures, and a loop over an array: the sum of the squares of 1, 2 and 3.

// CHECK-LABEL: func.func @closures(
// CHECK:         {squeeze_dims = [14]}
func.func private @square(%x: i64) -> i64 {
  %y = arith.muli %x, %x : i64
  return %y : i64
}
func.func private @sum(%f: !tfx_host.closure<(i64) -> i64>, %list: !tfx_host.array<i64>) -> i64 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nothing = arith.constant 0 : i64
  %n = tfx_host.array_count %list : !tfx_host.array<i64>
  cf.br ^header(%zero, %nothing : index, i64)
^header(%i: index, %sum: i64):
  %go = arith.cmpi ult, %i, %n : index
  cf.cond_br %go, ^body, ^exit
^body:
  %x = tfx_host.array_get %list[%i] : !tfx_host.array<i64>
  %y = tfx_host.apply %f(%x) : !tfx_host.closure<(i64) -> i64>
  %next = arith.addi %sum, %y : i64
  %j = arith.addi %i, %one : index
  cf.br ^header(%j, %next : index, i64)
^exit:
  return %sum : i64
}
func.func @closures(%x: tensor<*xf32>) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %list = tfx_host.array(%one, %two, %three) : !tfx_host.array<i64>
  %f = tfx_host.closure @square() : () -> !tfx_host.closure<(i64) -> i64>
  %n = func.call @sum(%f, %list) : (!tfx_host.closure<(i64) -> i64>, !tfx_host.array<i64>) -> i64
  %dims = tfx_host.array(%n) : !tfx_host.array<i64>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %dims : !tfx_host.array<i64>) : (tensor<*xf32>) -> tensor<*xf32>
  return
}
