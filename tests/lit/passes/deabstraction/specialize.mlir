// RUN: tfx-opt %s --tfx-specialize --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --split-input-file --mlir-print-local-scope | tfx-opt --tfx-specialize --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: tfx-opt %s --tfx-specialize --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// One specialization for each distinct list of arguments, after the generic function, in the order of the requests. Callers share it.
// Operations keep their locations.

// CHECK-LABEL: func.func @first(
// CHECK:         call @"identity<i32>"(%{{.*}}) : (i32) -> i32
// CHECK:         call @"identity<f32>"(%{{.*}}) {note} : (f32) -> f32
// CHECK:         call @"identity<i32>"(%{{.*}}) : (i32) -> i32
// CHECK:       func.func private @"identity<i32>"(%[[X:.*]]: i32) -> i32 {
// CHECK-NEXT:    return %[[X]] : i32
// CHECK:       func.func private @"identity<f32>"(%[[Y:.*]]: f32) -> f32 {
// CHECK-NEXT:    return %[[Y]] : f32
// CHECK-NOT:   func.func
// CHECK:       func.func @second(
// CHECK:         call @"identity<f32>"
// CHECK-NOT:   func.func
// LOC:         call @"identity<i32>"{{.*}} loc("{{.*}}specialize.mlir":[[#@LINE+3]]:8)
// LOC:         func.func private @"identity<i32>"(%{{.*}}: i32 loc("{{.*}}specialize.mlir":[[#@LINE+7]]:29)) -> i32 {
func.func @first(%n: i32, %x: f32) {
  %a = tfx_host.call @identity<[i32]>(%n) : (i32) -> i32
  %b = tfx_host.call @identity<[f32]>(%x) {note} : (f32) -> f32
  %c = tfx_host.call @identity<[i32]>(%a) : (i32) -> i32
  return
}
func.func private @identity(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}
func.func @second(%x: f32) {
  %b = tfx_host.call @identity<[f32]>(%x) : (f32) -> f32
  return
}

// -----

// Types are replaced wherever they occur: in signatures, results, block arguments, attributes, and in other types.

tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
tfx_host.class @Box<"T"> {value: !tfx_host.param<"T">}

// CHECK:       func.func @all(
// CHECK:         call @"kinds<i32, tensor<?xf32>>"
// CHECK:       func.func private @"kinds<i32, tensor<?xf32>>"(%[[P:.*]]: !tfx_host.struct<@Pair<i32, tensor<?xf32>>>, %{{.*}}: !tfx_host.ref<i32>, %[[B:.*]]: !tfx_host.object<@"Box<i32>"> {tfx.name = "box"}, %{{.*}}: !tfx_host.closure<escaping (tensor<?xf32>) -> i32>, %{{.*}}: tensor<2xi32>) -> tuple<i32, !tfx_host.array<tensor<?xf32>>> attributes {note = !tfx_host.array<i32>} {
// CHECK:         %[[A:.*]] = tfx_host.extract %[[P]]["first"] : !tfx_host.struct<@Pair<i32, tensor<?xf32>>> -> i32
// CHECK:         %[[S:.*]] = tfx_host.extract %[[P]]["second"] : !tfx_host.struct<@Pair<i32, tensor<?xf32>>> -> tensor<?xf32>
// CHECK:         %[[O:.*]] = tfx_host.make_enum "some"(%[[A]]) : (i32) -> !tfx_host.enum<@Option<i32>>
// CHECK:         tfx_host.switch_enum %[[O]] : !tfx_host.enum<@Option<i32>> ["none" -> ^[[END:.*]](%[[A]] : i32), "some" -> ^[[END]]]
// CHECK:       ^[[END]](%[[V:.*]]: i32):
// CHECK:         tfx_host.member_ref %[[B]]["value"] : !tfx_host.object<@"Box<i32>"> -> !tfx_host.ref<i32>
// CHECK:         tfx_host.array(%[[S]]) : !tfx_host.array<tensor<?xf32>>
// CHECK:         tfx_tensor.op "Zeros"() {dtype = i32} : () -> tensor<2xi32>
// CHECK:         return %{{.*}} : tuple<i32, !tfx_host.array<tensor<?xf32>>>
func.func @all(%p: !tfx_host.struct<@Pair<i32, tensor<?xf32>>>, %r: !tfx_host.ref<i32>, %b: !tfx_host.object<@Box<i32>>, %c: !tfx_host.closure<escaping (tensor<?xf32>) -> i32>, %t: tensor<2xi32>) {
  %x = tfx_host.call @kinds<[i32, tensor<?xf32>]>(%p, %r, %b, %c, %t) : (!tfx_host.struct<@Pair<i32, tensor<?xf32>>>, !tfx_host.ref<i32>, !tfx_host.object<@Box<i32>>, !tfx_host.closure<escaping (tensor<?xf32>) -> i32>, tensor<2xi32>) -> tuple<i32, !tfx_host.array<tensor<?xf32>>>
  return
}
func.func private @kinds(%p: !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>>, %r: !tfx_host.ref<!tfx_host.param<"A">>, %b: !tfx_host.object<@Box<!tfx_host.param<"A">>> {tfx.name = "box"}, %c: !tfx_host.closure<escaping (!tfx_host.param<"B">) -> !tfx_host.param<"A">>, %t: tensor<2x!tfx_host.param<"A">>) -> tuple<!tfx_host.param<"A">, !tfx_host.array<!tfx_host.param<"B">>> attributes {note = !tfx_host.array<!tfx_host.param<"A">>, tfx_host.type_params = [#tfx_host.type_param<"A">, #tfx_host.type_param<"B">]} {
  %a = tfx_host.extract %p["first"] : !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>> -> !tfx_host.param<"A">
  %s = tfx_host.extract %p["second"] : !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"B">>> -> !tfx_host.param<"B">
  %o = tfx_host.make_enum "some"(%a) : (!tfx_host.param<"A">) -> !tfx_host.enum<@Option<!tfx_host.param<"A">>>
  tfx_host.switch_enum %o : !tfx_host.enum<@Option<!tfx_host.param<"A">>> ["none" -> ^end(%a : !tfx_host.param<"A">), "some" -> ^end]
^end(%v: !tfx_host.param<"A">):
  %m = tfx_host.member_ref %b["value"] : !tfx_host.object<@Box<!tfx_host.param<"A">>> -> !tfx_host.ref<!tfx_host.param<"A">>
  %l = tfx_host.array(%s) : !tfx_host.array<!tfx_host.param<"B">>
  %z = tfx_tensor.op "Zeros"() {dtype = !tfx_host.param<"A">} : () -> tensor<2x!tfx_host.param<"A">>
  %q = tfx_host.make_tuple(%v, %l) : !tfx_host.param<"A">, !tfx_host.array<!tfx_host.param<"B">>
  return %q : tuple<!tfx_host.param<"A">, !tfx_host.array<!tfx_host.param<"B">>>
}

// -----

// A method is the one that the table of the type names, or the protocol's default. A table for many types conforms under the conditions of its methods.
// An associated type is defined by the table, possibly through other tables. None of them remains.

tfx_host.protocol @Layer<"Output"> {
  call: (!tfx_host.param<"Self">, f32) -> !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Output">,
  reset: (!tfx_host.param<"Self">) -> () = @default_reset
}
tfx_host.struct @Dense<"T"> {w: !tfx_host.param<"T">}
tfx_host.struct @Twice<"L"> {inner: !tfx_host.param<"L">}
tfx_host.witness_table @Dense_Layer<"T"> : !tfx_host.struct<@Dense<!tfx_host.param<"T">>> conforms @Layer {Output: !tfx_host.param<"T">, call = @dense_call}
tfx_host.witness_table @Twice_Layer<"L"> : !tfx_host.struct<@Twice<!tfx_host.param<"L">>> conforms @Layer {
  Output: tuple<!tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">, i1>, call = @twice_call, reset = @static_reset
}

// CHECK-NOT:   tfx_host.protocol
// CHECK-NOT:   tfx_host.witness_table
// CHECK-LABEL: func.func @main(
// CHECK:         call @"run<Dense<i32>>"(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Dense<i32>>, f32) -> i32
// CHECK:         call @"run<Twice<Dense<f32>>>"(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Twice<!tfx_host.struct<@Dense<f32>>>>, f32) -> tuple<f32, i1>
// CHECK:       func.func private @"run<Dense<i32>>"(%{{.*}}: !tfx_host.struct<@Dense<i32>>, %{{.*}}: f32) -> i32 {
// CHECK-NEXT:    call @"default_reset<Dense<i32>>"
// CHECK-NEXT:    tfx_host.var : !tfx_host.ref<i32>
// CHECK-NEXT:    call @"dense_call<i32>"(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Dense<i32>>, f32) -> i32
// CHECK:       func.func private @"run<Twice<Dense<f32>>>"
// CHECK-NEXT:    call @"static_reset<Dense<f32>>"
// CHECK-NEXT:    tfx_host.var : !tfx_host.ref<tuple<f32, i1>>
// CHECK-NEXT:    call @"twice_call<Dense<f32>>"(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Twice<!tfx_host.struct<@Dense<f32>>>>, f32) -> tuple<f32, i1>
// CHECK:       func.func private @"run<Dense<f32>>"
// CHECK:       func.func private @"dense_call<i32>"
// CHECK:       func.func private @"dense_call<f32>"
// CHECK:       func.func private @"twice_call<Dense<f32>>"
// CHECK:         call @"run<Dense<f32>>"(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Dense<f32>>, f32) -> f32
// CHECK:         tfx_host.make_tuple(%{{.*}}, %{{.*}}) : f32, i1
// CHECK:       func.func private @"static_reset<Dense<f32>>"
// CHECK:       func.func private @"default_reset<Dense<i32>>"
// CHECK:       func.func private @"default_reset<Dense<f32>>"
// CHECK-NOT:   func.func
func.func @main(%x: f32, %d: !tfx_host.struct<@Dense<i32>>, %t: !tfx_host.struct<@Twice<!tfx_host.struct<@Dense<f32>>>>) -> (i32, f32) {
  %y = tfx_host.call @run<[!tfx_host.struct<@Dense<i32>>]>(%d, %x) : (!tfx_host.struct<@Dense<i32>>, f32) -> i32
  %z = tfx_host.call @run<[!tfx_host.struct<@Twice<!tfx_host.struct<@Dense<f32>>>>]>(%t, %x) : (!tfx_host.struct<@Twice<!tfx_host.struct<@Dense<f32>>>>, f32) -> tuple<f32, i1>
  %e = tfx_host.tuple_get %z[0] : tuple<f32, i1>
  return %y, %e : i32, f32
}
func.func private @run(%l: !tfx_host.param<"L">, %x: f32) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output"> attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  tfx_host.witness_call @Layer["reset"] of !tfx_host.param<"L"> (%l) : (!tfx_host.param<"L">) -> ()
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">>
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"L"> (%l, %x) : (!tfx_host.param<"L">, f32) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
  tfx_host.store %y, %v : !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
  %z = tfx_host.load %v : !tfx_host.ref<!tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">>
  return %z : !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
}
func.func private @dense_call(%l: !tfx_host.struct<@Dense<!tfx_host.param<"T">>>, %x: f32) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %w = tfx_host.extract %l["w"] : !tfx_host.struct<@Dense<!tfx_host.param<"T">>> -> !tfx_host.param<"T">
  return %w : !tfx_host.param<"T">
}
func.func private @twice_call(%l: !tfx_host.struct<@Twice<!tfx_host.param<"L">>>, %x: f32) -> tuple<!tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">, i1> attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %i = tfx_host.extract %l["inner"] : !tfx_host.struct<@Twice<!tfx_host.param<"L">>> -> !tfx_host.param<"L">
  %y = tfx_host.call @run<[!tfx_host.param<"L">]>(%i, %x) : (!tfx_host.param<"L">, f32) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
  %true = arith.constant true
  %r = tfx_host.make_tuple(%y, %true) : !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">, i1
  return %r : tuple<!tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">, i1>
}
func.func private @static_reset(%l: !tfx_host.struct<@Twice<!tfx_host.param<"L">>>) attributes {tfx_host.type_params = [#tfx_host.type_param<"L">]} {
  return
}
func.func private @default_reset(%l: !tfx_host.param<"L">) attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  return
}

// -----

// Code that is not generic may have associated types, too; the verifier leaves their definitions to the pass.

tfx_host.protocol @Shape<"Area"> {area: (!tfx_host.param<"Self">) -> !tfx_host.assoc<!tfx_host.param<"Self">, @Shape, "Area">}
tfx_host.struct @Square {side: f32}
tfx_host.witness_table @Square_Shape : !tfx_host.struct<@Square> conforms @Shape {Area: f32, area = @square_area}

// CHECK:       tfx_host.struct @Cache {square: !tfx_host.struct<@Square>, area: f32}
tfx_host.struct @Cache {square: !tfx_host.struct<@Square>, area: !tfx_host.assoc<!tfx_host.struct<@Square>, @Shape, "Area">}

// CHECK:       func.func private @square_area(!tfx_host.struct<@Square>) -> f32
// CHECK-LABEL: func.func @measure(%{{.*}}: !tfx_host.struct<@Square>) -> f32 {
// CHECK-NEXT:    %[[A:.*]] = call @square_area(%{{.*}}) : (!tfx_host.struct<@Square>) -> f32
// CHECK-NEXT:    %[[C:.*]] = tfx_host.make_struct(%{{.*}}, %[[A]]) : (!tfx_host.struct<@Square>, f32) -> !tfx_host.struct<@Cache>
// CHECK-NEXT:    %[[B:.*]] = tfx_host.extract %[[C]]["area"] : !tfx_host.struct<@Cache> -> f32
// CHECK-NEXT:    return %[[B]] : f32
func.func private @square_area(!tfx_host.struct<@Square>) -> f32
func.func @measure(%s: !tfx_host.struct<@Square>) -> !tfx_host.assoc<!tfx_host.struct<@Square>, @Shape, "Area"> {
  %a = tfx_host.witness_call @Shape["area"] of !tfx_host.struct<@Square> (%s) : (!tfx_host.struct<@Square>) -> f32
  %c = tfx_host.make_struct(%s, %a) : (!tfx_host.struct<@Square>, f32) -> !tfx_host.struct<@Cache>
  %b = tfx_host.extract %c["area"] : !tfx_host.struct<@Cache> -> !tfx_host.assoc<!tfx_host.struct<@Square>, @Shape, "Area">
  return %b : !tfx_host.assoc<!tfx_host.struct<@Square>, @Shape, "Area">
}

// -----

// A struct whose fields have associated types is declared for its arguments, and so are structs that contain it.

tfx_host.protocol @Layer<"Out"> {call: (!tfx_host.param<"Self">) -> !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Out">}
tfx_host.struct @Dense {w: f32}
tfx_host.witness_table @Dense_Layer : !tfx_host.struct<@Dense> conforms @Layer {Out: f32, call = @dense_call}
tfx_host.witness_table @Model_Layer<"L"> : !tfx_host.struct<@Model<!tfx_host.param<"L">>> conforms @Layer {Out: !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Out">, call = @model_call}

// CHECK:       tfx_host.struct private @"Model<Dense>" {layer: !tfx_host.struct<@Dense>, last: f32}
// CHECK:       tfx_host.struct private @"Model<Model<Dense>>" {layer: !tfx_host.struct<@"Model<Dense>">, last: f32}
tfx_host.struct @Model<"L"> {layer: !tfx_host.param<"L">, last: !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Out">}
// CHECK:       tfx_host.enum private @"Tree<Dense>" {leaf(f32), node(!tfx_host.array<!tfx_host.enum<@"Tree<Dense>">>)}
tfx_host.enum @Tree<"L"> {leaf(!tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Out">), node(!tfx_host.array<!tfx_host.enum<@Tree<!tfx_host.param<"L">>>>)}
// CHECK:       tfx_host.class private @"Outer<Dense>" {model: !tfx_host.struct<@"Model<Dense>">, n: i32}
tfx_host.class @Outer<"L"> {model: !tfx_host.struct<@Model<!tfx_host.param<"L">>>, n: i32}

// CHECK:       func.func private @dense_call(!tfx_host.struct<@Dense>) -> f32
// CHECK:       func.func private @"model_call<Dense>"(%{{.*}}: !tfx_host.struct<@"Model<Dense>">) -> f32 {
// CHECK-LABEL: func.func @main(
// CHECK:         tfx_host.make_struct(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@Dense>, f32) -> !tfx_host.struct<@"Model<Dense>">
// CHECK:         tfx_host.new(%{{.*}}, %{{.*}}) : (!tfx_host.struct<@"Model<Dense>">, i32) -> !tfx_host.object<@"Outer<Dense>">
// CHECK:         call @"model_call<Dense>"
func.func private @dense_call(!tfx_host.struct<@Dense>) -> f32
func.func private @model_call(%m: !tfx_host.struct<@Model<!tfx_host.param<"L">>>) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Out"> attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %o = tfx_host.extract %m["last"] : !tfx_host.struct<@Model<!tfx_host.param<"L">>> -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Out">
  return %o : !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Out">
}
func.func @main(%d: !tfx_host.struct<@Dense>, %x: f32, %t: !tfx_host.enum<@Tree<!tfx_host.struct<@Dense>>>, %mm: !tfx_host.struct<@Model<!tfx_host.struct<@Model<!tfx_host.struct<@Dense>>>>>) -> f32 {
  %m = tfx_host.make_struct(%d, %x) : (!tfx_host.struct<@Dense>, f32) -> !tfx_host.struct<@Model<!tfx_host.struct<@Dense>>>
  %n = arith.constant 1 : i32
  %o = tfx_host.new(%m, %n) : (!tfx_host.struct<@Model<!tfx_host.struct<@Dense>>>, i32) -> !tfx_host.object<@Outer<!tfx_host.struct<@Dense>>>
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.struct<@Model<!tfx_host.struct<@Dense>>> (%m) : (!tfx_host.struct<@Model<!tfx_host.struct<@Dense>>>) -> f32
  return %y : f32
}

// -----

// A closure of a generic function is one of its specialization; generic functions take closures, and call each other, even in a cycle.

// CHECK-LABEL: func.func @closures(
// CHECK:         tfx_host.closure @"add<f32>"(%{{.*}}) : (f32) -> !tfx_host.closure<(f32) -> f32>
// CHECK:         call @"apply<f32, f32>"
// CHECK:       func.func private @"apply<f32, f32>"(%{{.*}}: f32, %{{.*}}: !tfx_host.closure<(f32) -> f32>) -> f32 {
// CHECK:         call @"again<f32, f32>"
// CHECK:       func.func private @"again<f32, f32>"
// CHECK:         tfx_host.apply %{{.*}}(%{{.*}}) : !tfx_host.closure<(f32) -> f32>
// CHECK:         call @"apply<f32, f32>"
// CHECK:       func.func private @"add<f32>"(%{{.*}}: f32, %{{.*}}: f32) -> f32 {
// CHECK-NOT:   func.func
func.func @closures(%x: f32) -> f32 {
  %c = tfx_host.closure @add<[f32]>(%x) : (f32) -> !tfx_host.closure<(f32) -> f32>
  %y = tfx_host.call @apply<[f32, f32]>(%x, %c) : (f32, !tfx_host.closure<(f32) -> f32>) -> f32
  return %y : f32
}
func.func private @apply(%x: !tfx_host.param<"A">, %c: !tfx_host.closure<(!tfx_host.param<"A">) -> !tfx_host.param<"B">>) -> !tfx_host.param<"B"> attributes {tfx_host.type_params = [#tfx_host.type_param<"A">, #tfx_host.type_param<"B">]} {
  %y = tfx_host.call @again<[!tfx_host.param<"A">, !tfx_host.param<"B">]>(%x, %c) : (!tfx_host.param<"A">, !tfx_host.closure<(!tfx_host.param<"A">) -> !tfx_host.param<"B">>) -> !tfx_host.param<"B">
  return %y : !tfx_host.param<"B">
}
func.func private @again(%x: !tfx_host.param<"A">, %c: !tfx_host.closure<(!tfx_host.param<"A">) -> !tfx_host.param<"B">>) -> !tfx_host.param<"B"> attributes {tfx_host.type_params = [#tfx_host.type_param<"A">, #tfx_host.type_param<"B">]} {
  %y = tfx_host.apply %c(%x) : !tfx_host.closure<(!tfx_host.param<"A">) -> !tfx_host.param<"B">>
  %z = tfx_host.call @apply<[!tfx_host.param<"A">, !tfx_host.param<"B">]>(%x, %c) : (!tfx_host.param<"A">, !tfx_host.closure<(!tfx_host.param<"A">) -> !tfx_host.param<"B">>) -> !tfx_host.param<"B">
  return %y : !tfx_host.param<"B">
}
func.func private @add(%x: !tfx_host.param<"T">, %y: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}

// -----

// Tables are distinguished by the heads of their types at any depth: builtin types, tensors by their shape, repeated parameters.

tfx_host.protocol @Named {name: (!tfx_host.param<"Self">) -> i32}
tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
tfx_host.witness_table @W0 : i32 conforms @Named {name = @of_i32}
tfx_host.witness_table @W1<"E"> : tensor<2x!tfx_host.param<"E">> conforms @Named {name = @of_vector}
tfx_host.witness_table @W2 : tensor<3xf32> conforms @Named {name = @of_three}
tfx_host.witness_table @W3<"A"> : !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"A">>> conforms @Named {name = @of_same}
tfx_host.witness_table @W4<"B"> : !tfx_host.struct<@Pair<i1, tuple<!tfx_host.param<"B">, i8>>> conforms @Named {name = @of_tuple}

// CHECK-LABEL: func.func @tables(
// CHECK:         call @of_i32(%{{.*}}) : (i32) -> i32
// CHECK:         call @"of_vector<f64>"
// CHECK:         call @of_three
// CHECK:         call @"of_same<f32>"
// CHECK:         call @"of_tuple<string>"
func.func @tables(%a: i32, %b: tensor<2xf64>, %c: tensor<3xf32>, %d: !tfx_host.struct<@Pair<f32, f32>>, %e: !tfx_host.struct<@Pair<i1, tuple<!tfx_host.string, i8>>>) {
  %0 = tfx_host.witness_call @Named["name"] of i32 (%a) : (i32) -> i32
  %1 = tfx_host.witness_call @Named["name"] of tensor<2xf64> (%b) : (tensor<2xf64>) -> i32
  %2 = tfx_host.witness_call @Named["name"] of tensor<3xf32> (%c) : (tensor<3xf32>) -> i32
  %3 = tfx_host.witness_call @Named["name"] of !tfx_host.struct<@Pair<f32, f32>> (%d) : (!tfx_host.struct<@Pair<f32, f32>>) -> i32
  %4 = tfx_host.witness_call @Named["name"] of !tfx_host.struct<@Pair<i1, tuple<!tfx_host.string, i8>>> (%e) : (!tfx_host.struct<@Pair<i1, tuple<!tfx_host.string, i8>>>) -> i32
  return
}
func.func private @of_i32(i32) -> i32
func.func private @of_three(tensor<3xf32>) -> i32
func.func private @of_vector(%x: tensor<2x!tfx_host.param<"E">>) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"E">]} {
  %n = arith.constant 1 : i32
  return %n : i32
}
func.func private @of_same(%x: !tfx_host.struct<@Pair<!tfx_host.param<"A">, !tfx_host.param<"A">>>) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"A">]} {
  %n = arith.constant 2 : i32
  return %n : i32
}
func.func private @of_tuple(%x: !tfx_host.struct<@Pair<i1, tuple<!tfx_host.param<"B">, i8>>>) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"B">]} {
  %n = arith.constant 3 : i32
  return %n : i32
}

// -----

// A name that exists gets a number; types are written as in the source, and truncated if they are very long.

!deep = tuple<tuple<tuple<tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>>>>
!deeper = tuple<tuple<tuple<tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>, tensor<1x2x3x4x5x6x7x8xf32>>>>

// CHECK:       call @"f<i32>_0"(
// CHECK:       call @"f<closure<(i32, f32) -> ()>>"(
// CHECK:       call @"f<escaping closure<() -> (array<string>)>>"(
// CHECK:       call @"f<tuple<ref<i1>, any P>>"(
// CHECK:       call @"f<tuple<tuple<tuple<tensor<1x2x3x4x5x6x7x8xf32>, {{.*}}..."(
// CHECK:       call @"f<tuple<tuple<tuple<tensor<1x2x3x4x5x6x7x8xf32>, {{.*}}..._0"(
func.func private @"f<i32>"()
func.func @names(%a: i32, %b: !tfx_host.closure<(i32, f32) -> ()>, %c: !tfx_host.closure<escaping () -> !tfx_host.array<!tfx_host.string>>, %d: tuple<!tfx_host.ref<i1>, !tfx_host.any<@P>>, %e: !deep, %f: !deeper) {
  tfx_host.call @f<[i32]>(%a) : (i32) -> ()
  tfx_host.call @f<[!tfx_host.closure<(i32, f32) -> ()>]>(%b) : (!tfx_host.closure<(i32, f32) -> ()>) -> ()
  tfx_host.call @f<[!tfx_host.closure<escaping () -> !tfx_host.array<!tfx_host.string>>]>(%c) : (!tfx_host.closure<escaping () -> !tfx_host.array<!tfx_host.string>>) -> ()
  tfx_host.call @f<[tuple<!tfx_host.ref<i1>, !tfx_host.any<@P>>]>(%d) : (tuple<!tfx_host.ref<i1>, !tfx_host.any<@P>>) -> ()
  tfx_host.call @f<[!deep]>(%e) : (!deep) -> ()
  tfx_host.call @f<[!deeper]>(%f) : (!deeper) -> ()
  func.call @"f<i32>"() : () -> ()
  return
}
func.func private @f(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return
}

// -----

// A function with no type parameters is a function like any other.

// CHECK-LABEL: func.func @plain(
// CHECK-SAME:    ) {
// CHECK-NEXT:    call @none() : () -> ()
// CHECK:       func.func private @none() {
func.func @plain() attributes {tfx_host.type_params = []} {
  tfx_host.call @none<[]>() : () -> ()
  return
}
func.func private @none() {
  return
}
