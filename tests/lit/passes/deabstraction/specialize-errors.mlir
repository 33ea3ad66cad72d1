// RUN: tfx-opt %s --tfx-specialize --split-input-file --verify-diagnostics

// A type that does not conform: an error at the call, with the function that requires it.

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
// expected-note @below {{'@run' requires this of its type parameter "L"}}
func.func private @run(%l: !tfx_host.param<"L">) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"L"> (%l) : (!tfx_host.param<"L">) -> f32
  return %y : f32
}
tfx_host.struct @Dense {w: f32}
func.func @main(%d: !tfx_host.struct<@Dense>) {
  // expected-error @below {{'Dense' does not conform to @Layer; add a tfx_host.witness_table for it}}
  %y = tfx_host.call @run<[!tfx_host.struct<@Dense>]>(%d) : (!tfx_host.struct<@Dense>) -> f32
  // It is reported once.
  %z = tfx_host.call @run<[!tfx_host.struct<@Dense>]>(%d) : (!tfx_host.struct<@Dense>) -> f32
  return
}

// -----

// In generic code, notes show the calls that led there, innermost first.

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
tfx_host.struct @Box<"T"> {value: !tfx_host.param<"T">}
// expected-note @below {{this table is only for 'Box<i32>'}}
tfx_host.witness_table @Box_Layer : !tfx_host.struct<@Box<i32>> conforms @Layer {call = @box_call}
func.func private @box_call(!tfx_host.struct<@Box<i32>>) -> f32
func.func private @inner(%b: !tfx_host.struct<@Box<!tfx_host.param<"T">>>) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // expected-error @below {{'Box<f32>' does not conform to @Layer; add a tfx_host.witness_table for it}}
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.struct<@Box<!tfx_host.param<"T">>> (%b) : (!tfx_host.struct<@Box<!tfx_host.param<"T">>>) -> f32
  return
}
func.func private @outer(%b: !tfx_host.struct<@Box<!tfx_host.param<"T">>>) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // expected-note @below {{'@inner<f32>' is requested here}}
  tfx_host.call @inner<[!tfx_host.param<"T">]>(%b) : (!tfx_host.struct<@Box<!tfx_host.param<"T">>>) -> ()
  return
}
func.func @main(%a: !tfx_host.struct<@Box<i32>>, %b: !tfx_host.struct<@Box<f32>>) {
  tfx_host.call @outer<[i32]>(%a) : (!tfx_host.struct<@Box<i32>>) -> ()
  // expected-note @below {{'@outer<f32>' is requested here}}
  tfx_host.call @outer<[f32]>(%b) : (!tfx_host.struct<@Box<f32>>) -> ()
  return
}

// -----

// The condition of a conformance: Twice<Dense> conforms if Dense does.

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
tfx_host.struct @Twice<"L"> {inner: !tfx_host.param<"L">}
tfx_host.witness_table @Twice_Layer<"L"> : !tfx_host.struct<@Twice<!tfx_host.param<"L">>> conforms @Layer {call = @twice_call}
// expected-note @below {{'@twice_call' requires this of its type parameter "L"}}
func.func private @twice_call(%t: !tfx_host.struct<@Twice<!tfx_host.param<"L">>>) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}
func.func @main(%d: !tfx_host.struct<@Twice<i32>>) {
  // expected-error @below {{'i32' does not conform to @Layer}}
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.struct<@Twice<i32>> (%d) : (!tfx_host.struct<@Twice<i32>>) -> f32
  return
}

// -----

// Two tables for one type.

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
tfx_host.struct @Box<"T"> {value: !tfx_host.param<"T">}
// expected-note @below {{one table is here}}
tfx_host.witness_table @Boxes<"T"> : !tfx_host.struct<@Box<!tfx_host.param<"T">>> conforms @Layer {call = @call}
// expected-note @below {{the other is here}}
tfx_host.witness_table @IntBox : !tfx_host.struct<@Box<i32>> conforms @Layer {call = @int_call}
func.func private @call(%b: !tfx_host.struct<@Box<!tfx_host.param<"T">>>) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}
func.func private @int_call(!tfx_host.struct<@Box<i32>>) -> f32
func.func @main(%a: !tfx_host.struct<@Box<f32>>, %b: !tfx_host.struct<@Box<i32>>) {
  %x = tfx_host.witness_call @Layer["call"] of !tfx_host.struct<@Box<f32>> (%a) : (!tfx_host.struct<@Box<f32>>) -> f32
  // expected-error @below {{'Box<i32>' conforms to @Layer twice, by @Boxes and by @IntBox; remove one of the tables, or narrow its type}}
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.struct<@Box<i32>> (%b) : (!tfx_host.struct<@Box<i32>>) -> f32
  return
}

// -----

// A table for all types, and one for a type.

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
// expected-note @below {{one table is here}}
tfx_host.witness_table @All<"T"> : !tfx_host.param<"T"> conforms @Layer {call = @call}
// expected-note @below {{the other is here}}
tfx_host.witness_table @Int : i32 conforms @Layer {call = @int_call}
func.func private @call(%b: !tfx_host.param<"T">) -> f32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %zero = arith.constant 0.0 : f32
  return %zero : f32
}
func.func private @int_call(i32) -> f32
func.func @main(%a: f32, %b: i32) {
  %x = tfx_host.witness_call @Layer["call"] of f32 (%a) : (f32) -> f32
  // expected-error @below {{'i32' conforms to @Layer twice, by @All and by @Int}}
  %y = tfx_host.witness_call @Layer["call"] of i32 (%b) : (i32) -> f32
  return
}

// -----

// A function that calls itself with ever larger types. The middle of the chain is omitted.

tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
// expected-note @below {{it is defined here}}
func.func private @grow(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %p = tfx_host.make_struct(%x, %x) : (!tfx_host.param<"T">, !tfx_host.param<"T">) -> !tfx_host.struct<@Pair<!tfx_host.param<"T">, !tfx_host.param<"T">>>
  // expected-error @below {{'@grow' is called with types that grow without end, such as 'Pair<Pair<Pair<}}
  // expected-note @below {{'@grow<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<i32, i32>}}
  // expected-note @below {{'@grow<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<i32, i32>}}
  // expected-note @below {{'@grow<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<i32, i32>}}
  // expected-note @below {{'@grow<Pair<Pair<Pair<Pair<Pair<Pair<Pair<Pair<i32, i32>}}
  // expected-note @below {{and 4 more calls like this one}}
  // expected-note @below {{'@grow<Pair<Pair<Pair<i32, i32>, Pair<i32, i32>>, Pair<Pair<i32, i32>, Pair<i32, i32>>>>' is requested here}}
  // expected-note @below {{'@grow<Pair<Pair<i32, i32>, Pair<i32, i32>>>' is requested here}}
  // expected-note @below {{'@grow<Pair<i32, i32>>' is requested here}}
  tfx_host.call @grow<[!tfx_host.struct<@Pair<!tfx_host.param<"T">, !tfx_host.param<"T">>>]>(%p) : (!tfx_host.struct<@Pair<!tfx_host.param<"T">, !tfx_host.param<"T">>>) -> ()
  return
}
func.func @main(%x: i32) {
  // expected-note @below {{'@grow<i32>' is requested here}}
  tfx_host.call @grow<[i32]>(%x) : (i32) -> ()
  return
}

// -----

// An associated type that expands without end.

tfx_host.protocol @Layer<"A"> {}
tfx_host.struct @Box<"T"> {value: !tfx_host.param<"T">}
tfx_host.witness_table @Box_Layer<"T"> : !tfx_host.struct<@Box<!tfx_host.param<"T">>> conforms @Layer {A: !tfx_host.assoc<!tfx_host.struct<@Box<!tfx_host.struct<@Box<!tfx_host.param<"T">>>>>, @Layer, "A">}
// expected-error @below {{associated type 'Box<i32>.A' expands without end: each expansion mentions it again; define it in the witness table by a type that does not mention it}}
func.func @main(%x: !tfx_host.assoc<!tfx_host.struct<@Box<i32>>, @Layer, "A">) {
  return
}

// -----

// An associated type of a type that does not conform, in a generic function: at the operation that uses it.

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer<"A"> {}
func.func private @make() attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // expected-error @below {{'i32' does not conform to @Layer}}
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.assoc<!tfx_host.param<"T">, @Layer, "A">>
  return
}
func.func @main() {
  // expected-note @below {{'@make' is requested here}}
  tfx_host.call @make<[i32]>() : () -> ()
  return
}

// -----

// Types that the verifier cannot compare because of an associated type are compared once that is known.

tfx_host.protocol @Layer<"A"> {call: (!tfx_host.param<"Self">) -> !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "A">}
tfx_host.witness_table @W : i32 conforms @Layer {A: f32, call = @int_call}
// expected-note @below {{it is defined here}}
func.func private @int_call(i32) -> f32
// expected-note @below {{it is defined here}}
func.func private @make(%x: !tfx_host.param<"T">) -> !tfx_host.assoc<!tfx_host.param<"T">, @Layer, "A"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Layer>]} {
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"T"> (%x) : (!tfx_host.param<"T">) -> !tfx_host.assoc<!tfx_host.param<"T">, @Layer, "A">
  return %y : !tfx_host.assoc<!tfx_host.param<"T">, @Layer, "A">
}
func.func @main(%x: i32) {
  // expected-error @below {{result 0 is of type 'i64' here, but '@int_call' has 'f32' there}}
  %y = tfx_host.witness_call @Layer["call"] of i32 (%x) : (i32) -> i64
  // expected-error @below {{result 0 is of type 'i1' here, but '@make<i32>' has 'f32' there}}
  %z = tfx_host.closure @make<[i32]>(%x) : (i32) -> !tfx_host.closure<() -> i1>
  return
}

// -----

// Foreign code has one type.

// expected-note @below {{it is declared here}}
func.func private @foreign(!tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @main(%x: i32) {
  // expected-error @below {{foreign function '@foreign' is generic, and foreign code has one type; declare a function for each type and call it with func.call}}
  tfx_host.call @foreign<[i32]>(%x) : (i32) -> ()
  return
}

// -----

// func.call has no type arguments.

// expected-note @below {{it is defined here}}
func.func private @identity(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}
func.func private @outer(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // expected-error @below {{'@identity' is generic, but func.call has no type arguments; write tfx_host.call @identity<[...]>}}
  %y = func.call @identity(%x) : (!tfx_host.param<"T">) -> !tfx_host.param<"T">
  return
}
func.func @main(%x: i32) {
  // expected-note @below {{'@outer<i32>' is requested here}}
  tfx_host.call @outer<[i32]>(%x) : (i32) -> ()
  return
}

// -----

// A type parameter that is not declared.

// expected-error @below {{type parameter "T" is not declared here; add #tfx_host.type_param<"T"> to 'tfx_host.type_params' of the function}}
func.func @main(%x: !tfx_host.param<"T">) {
  return
}

// -----

// A struct that contains itself with ever larger types, which must be declared.

tfx_host.protocol @Layer<"A"> {}
// expected-error @below {{'Nest' contains itself with growing type arguments, such as 'Nest<array<array<}}
// expected-note @below {{it is needed here}}
tfx_host.struct @Nest<"T"> {a: !tfx_host.assoc<i32, @Layer, "A">, next: !tfx_host.array<!tfx_host.struct<@Nest<!tfx_host.array<!tfx_host.param<"T">>>>>}
tfx_host.witness_table @W : i32 conforms @Layer {A: f32}
func.func @main(%x: !tfx_host.struct<@Nest<i32>>) {
  return
}

// -----

// The field of a struct has an associated type of a type that does not conform.

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer<"A"> {}
// expected-error @below {{'i32' does not conform to @Layer}}
tfx_host.struct @Model<"T"> {a: !tfx_host.assoc<!tfx_host.param<"T">, @Layer, "A">}
func.func @main(%x: !tfx_host.struct<@Model<i32>>) {
  return
}

// -----

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer<"A"> {}
// expected-error @below {{'i32' does not conform to @Layer}}
tfx_host.struct @Model {a: !tfx_host.assoc<i32, @Layer, "A">}

// -----

// An existential conforms to no protocol.

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
func.func @main(%a: !tfx_host.any<@Layer>) {
  // expected-error @below {{'any Layer' does not conform to @Layer: the type of the value in an existential is known only at run time; call the methods of @Layer with tfx_host.dynamic_call}}
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.any<@Layer> (%a) : (!tfx_host.any<@Layer>) -> f32
  return
}

// -----

// expected-note @below {{the protocol is declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
func.func @main(%x: i32) {
  // expected-error @below {{'i32' does not conform to @Layer}}
  %a = tfx_host.erase %x : i32 to !tfx_host.any<@Layer>
  return
}

// -----

// Methods of classes.

tfx_host.class @Counter {value: i32}
tfx_host.protocol @A {bump: (!tfx_host.param<"Self">) -> (), read: (!tfx_host.param<"Self">) -> i32}
tfx_host.protocol @B {bump: (!tfx_host.param<"Self">) -> ()}
// expected-note @below {{one is named here}}
tfx_host.witness_table @Counter_A : !tfx_host.object<@Counter> conforms @A {bump = @bump, read = @read}
// expected-note @below {{the other is named here}}
tfx_host.witness_table @Counter_B : !tfx_host.object<@Counter> conforms @B {bump = @bump}
func.func private @bump(!tfx_host.object<@Counter>)
// expected-note @below {{it is defined here}}
func.func private @read(!tfx_host.object<@Counter>) -> i32
func.func @main(%c: !tfx_host.object<@Counter>) {
  // expected-error @below {{class 'Counter' has no method "reset"; add a tfx_host.witness_table of it for a protocol with that method}}
  tfx_host.dynamic_call %c["reset"]() : (!tfx_host.object<@Counter>) -> ()
  // expected-error @below {{method "bump" of class 'Counter' is ambiguous: it may be that of @A or of @B; rename one of them}}
  tfx_host.dynamic_call %c["bump"]() : (!tfx_host.object<@Counter>) -> ()
  // expected-error @below {{the call has 1 operand(s) and 0 result(s), but '@read' is '(!tfx_host.object<@Counter>) -> i32'}}
  tfx_host.dynamic_call %c["read"]() : (!tfx_host.object<@Counter>) -> ()
  return
}
