// Each diagnostic of the parsers and verifiers of tfx_host, at its location and with its notes.
// Tests use the generic form where the custom form cannot express the error.

// RUN: tfx-opt --split-input-file --verify-diagnostics %s

//===----------------------------------------------------------------------===//
// Attributes on functions
//===----------------------------------------------------------------------===//

// expected-error @below {{'tfx_host.generic' is not an attribute of the tfx_host dialect; expected 'tfx_host.type_params'}}
func.func private @f() attributes {tfx_host.generic}

// -----

// expected-error @below {{expected 'tfx_host.type_params' to be an array of #tfx_host.type_param<"Name">, got #tfx_host.type_param<"T">}}
func.func private @f() attributes {tfx_host.type_params = #tfx_host.type_param<"T">}

// -----

// expected-error @below {{expected 'tfx_host.type_params' to be an array of #tfx_host.type_param<"Name">, got [#tfx_host.type_param<"T">, "U"]}}
func.func private @f() attributes {tfx_host.type_params = [#tfx_host.type_param<"T">, "U"]}

// -----

// expected-error @below {{type parameter "T" is declared twice}}
func.func private @f() attributes {tfx_host.type_params = [#tfx_host.type_param<"T">, #tfx_host.type_param<"T", @P>]}

// -----

// expected-error @below {{failed to parse TfxHost_TypeParamAttr parameter 'name'}}
// expected-error @below {{expected attribute value}}
func.func private @f() attributes {tfx_host.type_params = [#tfx_host.type_param<T>]}

// -----

// expected-error @below {{unknown attribute `type_params` in dialect `tfx_host`}}
func.func private @f() attributes {tfx_host.type_params = #tfx_host.type_params<"T">}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{unknown  type `reference` in dialect `tfx_host`}}
func.func private @f(!tfx_host.reference<i32>)

// -----

// expected-error @below {{expected '<'}}
func.func private @f(!tfx_host.ref)

// -----

// expected-error @below {{failed to parse TfxHost_StructType parameter 'declaration'}}
// expected-error @below {{expected attribute value}}
func.func private @f(!tfx_host.struct<Point>)

// -----

// The declaration must be a flat symbol reference.
// expected-error @below {{failed to parse TfxHost_EnumType parameter 'declaration'}}
// expected-error @below {{invalid kind of attribute specified}}
func.func private @f(!tfx_host.enum<@A::@B>)

// -----

// expected-error @below {{failed to parse TfxHost_ObjectType parameter 'arguments'}}
// expected-error @below {{expected non-function type}}
func.func private @f(!tfx_host.object<@A<>>)

// -----

// expected-error @below {{failed to parse TfxHost_ParamType parameter 'name'}}
// expected-error @below {{invalid kind of attribute specified}}
func.func private @f(!tfx_host.param<@T>)

// -----

// expected-error @below {{expected ','}}
func.func private @f(!tfx_host.assoc<i32, @P>)

// -----

// expected-error @below {{invalid kind of type specified}}
func.func private @f(!tfx_host.closure<i32>)

// -----

// expected-error @below {{expected non-function type}}
func.func private @f(!tfx_host.closure<escaping>)

// -----

// expected-error @below {{expected '>'}}
func.func private @f(!tfx_host.closure<() -> (), i32>)

//===----------------------------------------------------------------------===//
// Declarations: syntax
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{expected valid '@'-identifier for symbol name}}
tfx_host.struct Point {x: f32}

// -----

// expected-error @below {{expected string}}
tfx_host.struct @Box<T> {x: f32}

// -----

// expected-error @below {{expected '{'}}
tfx_host.struct @Point (x: f32)

// -----

// expected-error @below {{expected ':'}}
tfx_host.struct @Point {x f32}

// -----

// expected-error @below {{expected valid keyword or string}}
tfx_host.class @Point {1: f32}

// -----

// expected-error @below {{attribute 'field_names' occurs more than once}}
tfx_host.struct @Point {x: f32} attributes {field_names = ["y"]}

// -----

// expected-error @below {{expected '('}}
tfx_host.enum @Option {none, some(i32)}

// -----

// expected-error @below {{invalid kind of type specified}}
tfx_host.protocol @P {call: i32}

// -----

// expected-error @below {{expected valid '@'-identifier for symbol name}}
tfx_host.protocol @P {call: () -> () = default}

// -----

// expected-error @below {{expected ':'}}
tfx_host.witness_table @W i32 conforms @P {}

// -----

// expected-error @below {{expected 'conforms'}}
tfx_host.witness_table @W : i32 is @P {}

// -----

// expected-error @below {{expected valid '@'-identifier for symbol name}}
tfx_host.witness_table @W : i32 conforms @P {call = call}

// -----

// expected-error @below {{expected ':'}}
tfx_host.witness_table @W : i32 conforms @P {Output}

//===----------------------------------------------------------------------===//
// Declarations: verifiers
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'tfx_host.struct' op has 2 field names but 1 field types}}
"tfx_host.struct"() {sym_name = "A", type_params = [], field_names = ["x", "y"], field_types = [i32]} : () -> ()

// -----

// expected-error @below {{'tfx_host.struct' op declares field "x" twice}}
tfx_host.struct @A {x: i32, y: i32, x: f32}

// -----

// expected-error @below {{'tfx_host.struct' op declares type parameter "T" twice}}
tfx_host.struct @A<"T", "T"> {}

// -----

// expected-error @below {{'tfx_host.struct' op requires attribute 'field_names'}}
"tfx_host.struct"() {sym_name = "A"} : () -> ()

// -----

// expected-error @below {{'tfx_host.struct' op attribute 'field_types' failed to satisfy constraint: type array attribute}}
"tfx_host.struct"() {sym_name = "A", type_params = [], field_names = ["x"], field_types = ["f32"]} : () -> ()

// -----

// expected-error @below {{'tfx_host.struct' op visibility expected to be one of ["public", "private", "nested"], but got "secret"}}
"tfx_host.struct"() {sym_name = "A", sym_visibility = "secret", type_params = [], field_names = [], field_types = []} : () -> ()

// -----

// expected-error @below {{'tfx_host.class' op has 0 field names but 1 field types}}
"tfx_host.class"() {sym_name = "A", type_params = [], field_names = [], field_types = [i32]} : () -> ()

// -----

// expected-error @below {{'tfx_host.class' op declares field "x" twice}}
tfx_host.class @A {x: i32, "x": i32}

// -----

// expected-error @below {{'tfx_host.class' op declares type parameter "T" twice}}
tfx_host.class @A<"T", "U", "T"> {}

// -----

// expected-error @below {{'tfx_host.enum' op has 1 case names but 0 payloads}}
"tfx_host.enum"() {sym_name = "A", type_params = [], case_names = ["a"], case_types = []} : () -> ()

// -----

// expected-error @below {{'tfx_host.enum' op expected an array of types as the payload of a case, got i32}}
"tfx_host.enum"() {sym_name = "A", type_params = [], case_names = ["a"], case_types = [i32]} : () -> ()

// -----

// expected-error @below {{'tfx_host.enum' op expected an array of types as the payload of a case, got ["i32"]}}
"tfx_host.enum"() {sym_name = "A", type_params = [], case_names = ["a"], case_types = [["i32"]]} : () -> ()

// -----

// expected-error @below {{'tfx_host.enum' op declares case "a" twice}}
tfx_host.enum @A {a(), a(i32)}

// -----

// expected-error @below {{'tfx_host.enum' op declares type parameter "T" twice}}
tfx_host.enum @A<"T", "T"> {a()}

// -----

// expected-error @below {{'tfx_host.protocol' op expected one type and one default (or unit) for each of 1 method(s), got 1 type(s) and 0 default(s)}}
"tfx_host.protocol"() {sym_name = "P", assoc_names = [], method_names = ["a"], method_types = [() -> ()], method_defaults = []} : () -> ()

// -----

// expected-error @below {{'tfx_host.protocol' op expected one type and one default (or unit) for each of 1 method(s), got 0 type(s) and 1 default(s)}}
"tfx_host.protocol"() {sym_name = "P", assoc_names = [], method_names = ["a"], method_types = [], method_defaults = [unit]} : () -> ()

// -----

// expected-error @below {{'tfx_host.protocol' op expected a function type for method "a", got i32}}
"tfx_host.protocol"() {sym_name = "P", assoc_names = [], method_names = ["a"], method_types = [i32], method_defaults = [unit]} : () -> ()

// -----

// expected-error @below {{'tfx_host.protocol' op expected a function or unit as the default of method "a", got "b"}}
"tfx_host.protocol"() {sym_name = "P", assoc_names = [], method_names = ["a"], method_types = [() -> ()], method_defaults = ["b"]} : () -> ()

// -----

// expected-error @below {{'tfx_host.protocol' op declares associated type "A" twice}}
tfx_host.protocol @P<"A", "A"> {}

// -----

// expected-error @below {{'tfx_host.protocol' op declares method "m" twice}}
tfx_host.protocol @P {m: () -> (), m: (i32) -> ()}

// -----

// expected-error @below {{'tfx_host.witness_table' op expected one type for each of 1 associated type(s) and one function for each of 0 method(s), got 0 type(s) and 0 function(s)}}
"tfx_host.witness_table"() {sym_name = "W", type_params = [], conforming = i32, protocol = @P, assoc_names = ["A"], assoc_types = [], method_names = [], methods = []} : () -> ()

// -----

// expected-error @below {{'tfx_host.witness_table' op expected one type for each of 0 associated type(s) and one function for each of 0 method(s), got 0 type(s) and 1 function(s)}}
"tfx_host.witness_table"() {sym_name = "W", type_params = [], conforming = i32, protocol = @P, assoc_names = [], assoc_types = [], method_names = [], methods = [@f]} : () -> ()

// -----

// expected-error @below {{'tfx_host.witness_table' op declares type parameter "T" twice}}
tfx_host.witness_table @W<"T", "T"> : i32 conforms @P {}

// -----

// expected-error @below {{'tfx_host.witness_table' op declares associated type "A" twice}}
tfx_host.witness_table @W : i32 conforms @P {A: i32, A: f32}

// -----

// expected-error @below {{'tfx_host.witness_table' op declares method "m" twice}}
tfx_host.witness_table @W : i32 conforms @P {m = @f, m = @g}

//===----------------------------------------------------------------------===//
// Protocols and witness tables: the symbols that they refer to
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'tfx_host.protocol' op refers to @nobody, but no function of that name is declared}}
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> () = @nobody}

// -----

// expected-note @below {{declared here}}
func.func private @f(i32)
// expected-error @below {{'tfx_host.protocol' op expected the default @f of method "m" to have one type parameter, the conforming type, got 0}}
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> () = @f}

// -----

// expected-note @below {{declared here}}
func.func private @f(!tfx_host.param<"T">) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
// expected-error @below {{'tfx_host.protocol' op expected the default @f of method "m" to have type '(!tfx_host.param<"Self">) -> ()', got '(!tfx_host.param<"Self">) -> i32'}}
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> () = @f}

// -----

// expected-error @below {{'tfx_host.witness_table' op refers to @P, but no tfx_host.protocol of that name is declared}}
tfx_host.witness_table @W : i32 conforms @P {}

// -----

tfx_host.protocol @P {}
// expected-error @below {{'tfx_host.witness_table' op has type parameter "B", which does not occur in its conforming type '!tfx_host.array<!tfx_host.param<"A">>'}}
tfx_host.witness_table @W<"A", "B"> : !tfx_host.array<!tfx_host.param<"A">> conforms @P {}

// -----

tfx_host.protocol @P {}
// expected-error @below {{'tfx_host.witness_table' op cannot have an associated type in its conforming type '!tfx_host.assoc<i32, @Q, "A">'; write the concrete type}}
tfx_host.witness_table @W : !tfx_host.assoc<i32, @Q, "A"> conforms @P {}

// -----

// expected-note @below {{@P is declared here}}
tfx_host.protocol @P {}
// expected-error @below {{'tfx_host.witness_table' op defines associated type "A", which the protocol does not declare}}
tfx_host.witness_table @W : i32 conforms @P {A: f32}

// -----

// expected-note @below {{@P is declared here}}
tfx_host.protocol @P<"A"> {}
// expected-error @below {{'tfx_host.witness_table' op does not define associated type "A" of the protocol; add 'A: type'}}
tfx_host.witness_table @W : i32 conforms @P {}

// -----

func.func private @f(i32)
// expected-note @below {{@P is declared here}}
tfx_host.protocol @P {}
// expected-error @below {{'tfx_host.witness_table' op implements method "m", which the protocol does not declare}}
tfx_host.witness_table @W : i32 conforms @P {m = @f}

// -----

func.func private @default(!tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
// expected-note @below {{@P is declared here}}
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> () = @default, n: (!tfx_host.param<"Self">) -> ()}
// expected-error @below {{'tfx_host.witness_table' op does not implement method "n" of the protocol, which has no default; add 'n = @function'}}
tfx_host.witness_table @W : i32 conforms @P {}

// -----

tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> ()}
// expected-error @below {{'tfx_host.witness_table' op refers to @nobody, but no function of that name is declared}}
tfx_host.witness_table @W : i32 conforms @P {m = @nobody}

// -----

// expected-note @below {{declared here}}
func.func private @f(f32) -> f32
tfx_host.protocol @P<"A"> {m: (!tfx_host.param<"Self">) -> !tfx_host.assoc<!tfx_host.param<"Self">, @P, "A">}
// expected-error @below {{'tfx_host.witness_table' op expected @f, which implements method "m" for 'i32', to have type '(i32) -> f32', got '(f32) -> f32'}}
tfx_host.witness_table @W : i32 conforms @P {A: f32, m = @f}

// -----

// expected-note @below {{declared here}}
func.func private @f(!tfx_host.array<!tfx_host.param<"T">>) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">, #tfx_host.type_param<"U">]}
tfx_host.protocol @P {m: (!tfx_host.param<"Self">) -> ()}
// expected-error @below {{'tfx_host.witness_table' op expected @f, which implements method "m", to have the 1 type parameter(s) of the table or none, got 2}}
tfx_host.witness_table @W<"A"> : !tfx_host.array<!tfx_host.param<"A">> conforms @P {m = @f}

// -----

// expected-note @below {{see existing symbol definition here}}
tfx_host.struct @A {}
// expected-error @below {{redefinition of symbol named 'A'}}
tfx_host.enum @A {}

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.make_struct' op refers to @Point, but no tfx_host.struct of that name is declared}}
  %p = tfx_host.make_struct() : () -> !tfx_host.struct<@Point>
  return
}

// -----

// The symbol must be a declaration of the same kind.
tfx_host.class @Point {}
func.func @f() {
  // expected-error @below {{'tfx_host.make_struct' op refers to @Point, but no tfx_host.struct of that name is declared}}
  %p = tfx_host.make_struct() : () -> !tfx_host.struct<@Point>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Box<"T"> {x: !tfx_host.param<"T">}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.make_struct' op expected 1 type argument(s) for @Box, got 2}}
  %p = tfx_host.make_struct(%x) : (i32) -> !tfx_host.struct<@Box<i32, f32>>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32, y: f32}
func.func @f(%x: f32) {
  // expected-error @below {{'tfx_host.make_struct' op expected 2 value(s) for struct @Point, got 1}}
  %p = tfx_host.make_struct(%x) : (f32) -> !tfx_host.struct<@Point>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32, y: f32}
func.func @f(%x: f32, %y: i32) {
  // expected-error @below {{'tfx_host.make_struct' op expected type 'f32' at position 1 of struct @Point, got 'i32'}}
  %p = tfx_host.make_struct(%x, %y) : (f32, i32) -> !tfx_host.struct<@Point>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Box<"T"> {x: !tfx_host.array<!tfx_host.param<"T">>}
func.func @f(%x: !tfx_host.array<i32>) {
  // expected-error @below {{expected type '!tfx_host.array<f32>' at position 0 of struct @Box, got '!tfx_host.array<i32>'}}
  %p = tfx_host.make_struct(%x) : (!tfx_host.array<i32>) -> !tfx_host.struct<@Box<f32>>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.make_struct' op result #0 must be a nominal struct, but got 'i32'}}
  %p = tfx_host.make_struct() : () -> i32
  return
}

// -----

func.func @f(%p: !tfx_host.struct<@Point>) {
  // expected-error @below {{'tfx_host.extract' op refers to @Point, but no tfx_host.struct of that name is declared}}
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Point> -> f32
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32, y: f32}
func.func @f(%p: !tfx_host.struct<@Point>) {
  // expected-error @below {{'tfx_host.extract' op refers to field "z", which @Point does not declare}}
  %x = tfx_host.extract %p["z"] : !tfx_host.struct<@Point> -> f32
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Box<"T"> {x: !tfx_host.param<"T">}
func.func @f(%p: !tfx_host.struct<@Box<i32>>) {
  // expected-error @below {{'tfx_host.extract' op expected type 'i32' for field "x" of @Box, got 'f32'}}
  %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Box<i32>> -> f32
  return
}

// -----

func.func @f(%p: i32) {
  // expected-error @below {{'tfx_host.extract' op operand #0 must be a nominal struct, but got 'i32'}}
  %x = "tfx_host.extract"(%p) {field = "x"} : (i32) -> f32
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32, y: f32}
func.func @f(%p: !tfx_host.struct<@Point>, %x: f32) {
  // expected-error @below {{'tfx_host.insert' op refers to field "", which @Point does not declare}}
  %q = tfx_host.insert %x into %p[""] : f32, !tfx_host.struct<@Point>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32, y: f32}
func.func @f(%p: !tfx_host.struct<@Point>, %x: i32) {
  // expected-error @below {{'tfx_host.insert' op expected type 'f32' for field "x" of @Point, got 'i32'}}
  %q = tfx_host.insert %x into %p["x"] : i32, !tfx_host.struct<@Point>
  return
}

// -----

func.func @f(%p: !tfx_host.struct<@Point>, %x: i32) {
  // expected-error @below {{'tfx_host.insert' op failed to verify that all of {aggregate, result} have same type}}
  %q = "tfx_host.insert"(%x, %p) {field = "x"} : (i32, !tfx_host.struct<@Point>) -> !tfx_host.struct<@Other>
  return
}

//===----------------------------------------------------------------------===//
// Tuples
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.make_tuple' op inferred type(s) 'tuple<i32>' are incompatible with return type(s) of operation 'tuple<f32>'}}
  // expected-error @below {{'tfx_host.make_tuple' op failed to infer returned types}}
  %t = "tfx_host.make_tuple"(%x) : (i32) -> tuple<f32>
  return
}

// -----

func.func @f(%t: tuple<i32, f32>) {
  // expected-error @below {{'tfx_host.tuple_get' op reads element 2, but 'tuple<i32, f32>' has 2 element(s)}}
  %x = tfx_host.tuple_get %t[2] : tuple<i32, f32>
  return
}

// -----

func.func @f(%t: tuple<i32, f32>) {
  // expected-error @below {{'tfx_host.tuple_get' op reads element 7, but 'tuple<i32, f32>' has 2 element(s)}}
  // expected-error @below {{'tfx_host.tuple_get' op failed to infer returned types}}
  %x = "tfx_host.tuple_get"(%t) {index = 7 : i32} : (tuple<i32, f32>) -> i32
  return
}

// -----

func.func @f(%t: tuple<i32, f32>) {
  // expected-error @below {{'tfx_host.tuple_get' op attribute 'index' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %x = "tfx_host.tuple_get"(%t) {index = -1 : i32} : (tuple<i32, f32>) -> i32
  return
}

// -----

func.func @f(%t: tuple<i32, f32>) {
  // expected-error @below {{'tfx_host.tuple_get' op requires attribute 'index'}}
  %x = "tfx_host.tuple_get"(%t) : (tuple<i32, f32>) -> i32
  return
}

// -----

func.func @f(%t: tuple<i32, f32>) {
  // expected-error @below {{'tfx_host.tuple_get' op inferred type(s) 'i32' are incompatible with return type(s) of operation 'f32'}}
  // expected-error @below {{'tfx_host.tuple_get' op failed to infer returned types}}
  %x = "tfx_host.tuple_get"(%t) {index = 0 : i32} : (tuple<i32, f32>) -> f32
  return
}

// -----

func.func @f(%t: i32) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tuple, but found 'i32'}}
  %x = tfx_host.tuple_get %t[0] : i32
  return
}

// -----

func.func @f(%t: i32) {
  // expected-error @below {{'tfx_host.tuple_get' op operand #0 must be tuple, but got 'i32'}}
  %x = "tfx_host.tuple_get"(%t) {index = 0 : i32} : (i32) -> i32
  return
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.make_enum' op refers to @Option, but no tfx_host.enum of that name is declared}}
  %o = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Option>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
func.func @f() {
  // expected-error @below {{'tfx_host.make_enum' op expected 1 type argument(s) for @Option, got 0}}
  %o = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Option>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f() {
  // expected-error @below {{'tfx_host.make_enum' op refers to case "nothing", which @Option does not declare}}
  %o = tfx_host.make_enum "nothing"() : () -> !tfx_host.enum<@Option>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f() {
  // expected-error @below {{'tfx_host.make_enum' op expected 1 value(s) for case "some", got 0}}
  %o = tfx_host.make_enum "some"() : () -> !tfx_host.enum<@Option>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
func.func @f(%x: f32) {
  // expected-error @below {{'tfx_host.make_enum' op expected type 'i32' at position 0 of case "some", got 'f32'}}
  %o = tfx_host.make_enum "some"(%x) : (f32) -> !tfx_host.enum<@Option<i32>>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.enum_payload' op refers to case "nothing", which @Option does not declare}}
  tfx_host.enum_payload %o["nothing"] : (!tfx_host.enum<@Option>) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.enum_payload' op expected 0 value(s) for case "none", got 1}}
  %x = tfx_host.enum_payload %o["none"] : (!tfx_host.enum<@Option>) -> i32
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.enum_payload' op expected type 'i32' at position 0 of case "some", got 'f32'}}
  %x = tfx_host.enum_payload %o["some"] : (!tfx_host.enum<@Option>) -> f32
  return
}

// -----

func.func @f(%o: i32) {
  // expected-error @below {{'tfx_host.enum_tag' op operand #0 must be a nominal enum, but got 'i32'}}
  %x = "tfx_host.enum_tag"(%o) : (i32) -> index
  return
}

//===----------------------------------------------------------------------===//
// switch_enum
//===----------------------------------------------------------------------===//

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op has two defaults}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> [default -> ^done, default -> ^done]
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{expected string}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> [none -> ^done]
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{expected '->'}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none": ^done]
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>, %x: i32) {
  // expected-error @below {{number of operands and types do not match: got 1 operands and 2 types}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^done(%x : i32, i32)]
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op refers to @Option, but no tfx_host.enum of that name is declared}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> [default -> ^done]
^done:
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op has no successor for case "some" and no default}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^done]
^done:
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op has no successor for case "none" and no default}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> []
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op declares case "none" twice}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^done, "none" -> ^done]
^done:
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op refers to case "nothing", which @Option does not declare}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["nothing" -> ^done, default -> ^done]
^done:
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op expected 1 value(s) for case "some", got 0}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^done, "some" -> ^done]
^done:
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op expected type 'i32' at position 0 of case "some", got 'f32'}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["some" -> ^some, default -> ^done]
^some(%x: f32):
  return
^done:
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>, %x: f32) {
  // expected-error @below {{type mismatch for bb argument #0 of successor #1}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^none(%x : f32), default -> ^done]
^none(%y: i32):
  return
^done:
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>, %x: i32) {
  // expected-error @below {{branch has 2 operands for successor #0, but target block has 1}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> [default -> ^done(%x, %x : i32, i32)]
^done(%y: i32):
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op expected 1 successor(s), got 0}}
  "tfx_host.switch_enum"(%o) <{case_names = [], case_operand_segments = array<i32>, has_default, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tfx_host.enum<@Option>) -> ()
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op expected 2 successor(s), got 1}}
  "tfx_host.switch_enum"(%o) [^done] <{case_names = ["none", "some"], case_operand_segments = array<i32: 0, 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tfx_host.enum<@Option>) -> ()
^done:
  return
}

// -----

tfx_host.enum @Option {none(), some(i32)}
func.func @f(%o: !tfx_host.enum<@Option>, %x: i32) {
  // expected-error @below {{branch has 2 operands for successor #1, but target block has 1}}
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^none, "some" -> ^some(%x, %x : i32, i32)]
^none:
  return
^some(%y: i32):
  return
}

// -----

// There are more successors than operand segments.
func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op expected operand segments for 2 case(s), got 1}}
  "tfx_host.switch_enum"(%o) [^done, ^done] <{case_names = ["none", "some"], case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tfx_host.enum<@Option>) -> ()
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op expected 1 successor(s), got 2}}
  "tfx_host.switch_enum"(%o) [^done, ^done] <{case_names = ["none"], case_operand_segments = array<i32: 0>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tfx_host.enum<@Option>) -> ()
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op 'case_operand_segments' attribute cannot have negative elements}}
  "tfx_host.switch_enum"(%o) [^done] <{case_names = ["none"], case_operand_segments = array<i32: -1>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tfx_host.enum<@Option>) -> ()
^done:
  return
}

// -----

func.func @f(%o: !tfx_host.enum<@Option>) {
  // expected-error @below {{'tfx_host.switch_enum' op operand count (1) does not match with the total size (0) specified in attribute 'operandSegmentSizes'}}
  "tfx_host.switch_enum"(%o) [^done] : (!tfx_host.enum<@Option>) -> ()
^done:
  return
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.var' op result #0 must be a reference to a variable, but got 'i32'}}
  %v = "tfx_host.var"() : () -> i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.load' op operand #0 must be a reference to a variable, but got 'i32'}}
  %y = "tfx_host.load"(%x) : (i32) -> i32
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.load' op requires a single operand}}
  %y = "tfx_host.load"() : () -> i32
  return
}

// -----

func.func @f(%v: !tfx_host.ref<i32>) {
  // expected-error @below {{'tfx_host.load' op inferred type(s) 'i32' are incompatible with return type(s) of operation 'f32'}}
  // expected-error @below {{'tfx_host.load' op failed to infer returned types}}
  %y = "tfx_host.load"(%v) : (!tfx_host.ref<i32>) -> f32
  return
}

// -----

// expected-note @below {{prior use here}}
func.func @f(%v: !tfx_host.ref<i32>, %x: f32) {
  // expected-error @below {{use of value '%v' expects different type than prior uses: '!tfx_host.ref<f32>' vs '!tfx_host.ref<i32>'}}
  tfx_host.store %x, %v : f32
  return
}

// -----

func.func @f(%v: !tfx_host.ref<i32>, %x: f32) {
  // expected-error @below {{'tfx_host.store' op failed to verify that the variable has the type of the value}}
  "tfx_host.store"(%x, %v) : (f32, !tfx_host.ref<i32>) -> ()
  return
}

// -----

func.func @f(%v: !tfx_host.ref<i32>) {
  // expected-error @below {{'tfx_host.field_ref' op expected a reference to a struct or a tuple, got a reference to 'i32'}}
  %r = tfx_host.field_ref %v["x"] : !tfx_host.ref<i32> -> !tfx_host.ref<i32>
  return
}

// -----

func.func @f(%v: !tfx_host.ref<tuple<i32, f32>>) {
  // expected-error @below {{'tfx_host.field_ref' op refers to element "2", but 'tuple<i32, f32>' has the elements "0" to "1"}}
  %r = tfx_host.field_ref %v["2"] : !tfx_host.ref<tuple<i32, f32>> -> !tfx_host.ref<i32>
  return
}

// -----

func.func @f(%v: !tfx_host.ref<tuple<i32, f32>>) {
  // expected-error @below {{'tfx_host.field_ref' op refers to element "first", but 'tuple<i32, f32>' has the elements "0" to "1"}}
  %r = tfx_host.field_ref %v["first"] : !tfx_host.ref<tuple<i32, f32>> -> !tfx_host.ref<i32>
  return
}

// -----

func.func @f(%v: !tfx_host.ref<tuple<i32, f32>>) {
  // expected-error @below {{'tfx_host.field_ref' op refers to element "-1", but 'tuple<i32, f32>' has the elements "0" to "1"}}
  %r = tfx_host.field_ref %v["-1"] : !tfx_host.ref<tuple<i32, f32>> -> !tfx_host.ref<i32>
  return
}

// -----

func.func @f(%v: !tfx_host.ref<tuple<>>) {
  // expected-error @below {{'tfx_host.field_ref' op refers to element "0", but 'tuple<>' is empty}}
  %r = tfx_host.field_ref %v["0"] : !tfx_host.ref<tuple<>> -> !tfx_host.ref<i32>
  return
}

// -----

func.func @f(%v: !tfx_host.ref<tuple<i32, f32>>) {
  // expected-error @below {{'tfx_host.field_ref' op expected type 'i32' for element 0 of 'tuple<i32, f32>', got 'f32'}}
  %r = tfx_host.field_ref %v["0"] : !tfx_host.ref<tuple<i32, f32>> -> !tfx_host.ref<f32>
  return
}

// -----

func.func @f(%v: !tfx_host.ref<!tfx_host.struct<@Point>>) {
  // expected-error @below {{'tfx_host.field_ref' op refers to @Point, but no tfx_host.struct of that name is declared}}
  %r = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<f32>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32}
func.func @f(%v: !tfx_host.ref<!tfx_host.struct<@Point>>) {
  // expected-error @below {{'tfx_host.field_ref' op refers to field "0", which @Point does not declare}}
  %r = tfx_host.field_ref %v["0"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<f32>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.struct @Point {x: f32}
func.func @f(%v: !tfx_host.ref<!tfx_host.struct<@Point>>) {
  // expected-error @below {{'tfx_host.field_ref' op expected type 'f32' for field "x" of @Point, got 'i32'}}
  %r = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  return
}

//===----------------------------------------------------------------------===//
// Generic and higher-order calls
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.call' op refers to @nobody, but no function of that name is declared}}
  tfx_host.call @nobody<[]>() : () -> ()
  return
}

// -----

// The callee must be a function.
tfx_host.struct @nobody {}
func.func @f() {
  // expected-error @below {{'tfx_host.call' op refers to @nobody, but no function of that name is declared}}
  tfx_host.call @nobody<[]>() : () -> ()
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.call' op expected 1 type argument(s) for @identity, got 0}}
  %y = tfx_host.call @identity<[]>(%x) : (i32) -> i32
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.call' op expected argument types ('f32') for @identity, got ('i32')}}
  %y = tfx_host.call @identity<[f32]>(%x) : (i32) -> i32
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.call' op expected result types ('i32') for @identity, got ()}}
  tfx_host.call @identity<[i32]>(%x) : (i32) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.call' op attribute 'type_args' failed to satisfy constraint: type array attribute}}
  "tfx_host.call"() {callee = @f, type_args = ["T"]} : () -> ()
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.witness_call' op refers to @Layer, but no tfx_host.protocol of that name is declared}}
  tfx_host.witness_call @Layer["call"] of i32 (%x) : (i32) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.witness_call' op refers to method "apply", which @Layer does not declare}}
  tfx_host.witness_call @Layer["apply"] of i32 (%x) : (i32) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.witness_call' op has 2 argument(s) and 0 result(s), but method "call" has type '(!tfx_host.param<"Self">) -> f32'}}
  tfx_host.witness_call @Layer["call"] of i32 (%x, %x) : (i32, i32) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.witness_call' op has 1 argument(s) and 0 result(s), but method "call" has type '(!tfx_host.param<"Self">) -> f32'}}
  tfx_host.witness_call @Layer["call"] of i32 (%x) : (i32) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.witness_call' op expected argument types ('i32', 'f32') for method "call", got ('i32', 'i32')}}
  %y = tfx_host.witness_call @Layer["call"] of i32 (%x, %x) : (i32, i32) -> f32
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer<"A"> {call: (!tfx_host.param<"Self">) -> !tfx_host.array<!tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "A">>}
func.func @f(%x: i32) {
  // The verifier does not resolve associated types.
  %y = tfx_host.witness_call @Layer["call"] of i32 (%x) : (i32) -> !tfx_host.array<f32>
  // expected-error @below {{'tfx_host.witness_call' op expected result types ('!tfx_host.array<!tfx_host.assoc<i32, @Layer, "A">>') for method "call", got ('f32')}}
  %z = tfx_host.witness_call @Layer["call"] of i32 (%x) : (i32) -> f32
  return
}

// -----

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> f32}
// expected-note @below {{declared here}}
func.func @f(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // expected-error @below {{'tfx_host.witness_call' op requires type parameter "T" of @f to conform to @Layer; declare it as #tfx_host.type_param<"T", @Layer>}}
  %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"T"> (%x) : (!tfx_host.param<"T">) -> f32
  return
}

// -----

func.func private @run(!tfx_host.param<"L">) attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]}
// expected-note @below {{declared here}}
func.func @f(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Named>]} {
  // expected-error @below {{'tfx_host.call' op requires type parameter "T" of @f to conform to @Layer; declare it as #tfx_host.type_param<"T", @Layer>}}
  tfx_host.call @run<[!tfx_host.param<"T">]>(%x) : (!tfx_host.param<"T">) -> ()
  return
}

// -----

func.func private @run(!tfx_host.param<"L">) attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]}
// expected-note @below {{declared here}}
func.func @f(%x: !tfx_host.param<"T">) {
  // expected-error @below {{'tfx_host.call' op uses type parameter "T", which @f does not declare}}
  tfx_host.call @run<[!tfx_host.param<"T">]>(%x) : (!tfx_host.param<"T">) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.closure' op refers to @nobody, but no function of that name is declared}}
  %c = tfx_host.closure @nobody() : () -> !tfx_host.closure<() -> ()>
  return
}

// -----

func.func private @scale(f32, i32) -> f32
func.func @f(%x: f32) {
  // expected-error @below {{'tfx_host.closure' op binds 3 parameter(s), but @scale has 2}}
  %c = tfx_host.closure @scale(%x, %x, %x) : (f32, f32, f32) -> !tfx_host.closure<() -> f32>
  return
}

// -----

func.func private @scale(f32, i32) -> f32
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.closure' op expected capture types ('f32') for the first parameters of @scale, got ('i32')}}
  %c = tfx_host.closure @scale(%x) : (i32) -> !tfx_host.closure<(i32) -> f32>
  return
}

// -----

func.func private @scale(f32, i32) -> f32
func.func @f(%x: f32) {
  // expected-error @below {{'tfx_host.closure' op expected signature '(i32) -> f32' after binding 1 parameter(s) of @scale, got '() -> f32'}}
  %c = tfx_host.closure @scale(%x) : (f32) -> !tfx_host.closure<() -> f32>
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f() {
  // expected-error @below {{'tfx_host.closure' op expected 1 type argument(s) for @identity, got 0}}
  %c = tfx_host.closure @identity() : () -> !tfx_host.closure<(i32) -> i32>
  return
}

// -----

func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f(%x: f32) {
  // expected-error @below {{'tfx_host.closure' op expected capture types ('i32') for the first parameters of @identity, got ('f32')}}
  %c = tfx_host.closure @identity<[i32]>(%x) : (f32) -> !tfx_host.closure<() -> i32>
  return
}

// -----

func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f() {
  // expected-error @below {{'tfx_host.closure' op expected signature '(i32) -> i32' after binding 0 parameter(s) of @identity, got '(i32) -> f32'}}
  %c = tfx_host.closure @identity<[i32]>() : () -> !tfx_host.closure<(i32) -> f32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.closure' op attribute 'type_args' failed to satisfy constraint: type array attribute}}
  %c = "tfx_host.closure"() {callee = @f, type_args = ["T"]} : () -> !tfx_host.closure<() -> ()>
  return
}

// -----

func.func @f(%c: !tfx_host.closure<(i32) -> i32>) {
  // expected-error @below {{number of operands and types do not match: got 0 operands and 1 types}}
  %x = tfx_host.apply %c() : !tfx_host.closure<(i32) -> i32>
  return
}

// -----

func.func @f(%c: !tfx_host.closure<(i32) -> i32>) {
  // expected-error @below {{'tfx_host.apply' op expected argument types ('i32') for the closure, got ()}}
  %x = "tfx_host.apply"(%c) : (!tfx_host.closure<(i32) -> i32>) -> i32
  return
}

// -----

func.func @f(%c: !tfx_host.closure<(i32) -> i32>, %x: i32) {
  // expected-error @below {{'tfx_host.apply' op expected result types ('i32') for the closure, got ()}}
  "tfx_host.apply"(%c, %x) : (!tfx_host.closure<(i32) -> i32>, i32) -> ()
  return
}

// -----

func.func @f(%c: i32) {
  // expected-error @below {{invalid kind of type specified}}
  tfx_host.apply %c() : i32
  return
}

// -----

func.func @f(%c: i32) {
  // expected-error @below {{'tfx_host.apply' op operand #0 must be a closure, but got 'i32'}}
  "tfx_host.apply"(%c) : (i32) -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.apply' op expected 1 or more operands, but found 0}}
  "tfx_host.apply"() : () -> ()
  return
}

//===----------------------------------------------------------------------===//
// Arrays, objects, existentials
//===----------------------------------------------------------------------===//

// -----

func.func @f() {
  // expected-error @below {{invalid kind of type specified}}
  %a = tfx_host.array() : i32
  return
}

// -----

// expected-note @below {{prior use here}}
func.func @f(%x: f32) {
  // expected-error @below {{use of value '%x' expects different type than prior uses: 'i32' vs 'f32'}}
  %a = tfx_host.array(%x) : !tfx_host.array<i32>
  return
}

// -----

func.func @f(%x: i32, %y: f32) {
  // expected-error @below {{'tfx_host.array' op expected type 'i32' for the element at position 1, got 'f32'}}
  %a = "tfx_host.array"(%x, %y) : (i32, f32) -> !tfx_host.array<i32>
  return
}

// -----

func.func @f(%a: i32, %i: index) {
  // expected-error @below {{'tfx_host.array_get' op operand #0 must be an array, but got 'i32'}}
  %x = "tfx_host.array_get"(%a, %i) : (i32, index) -> i32
  return
}

// -----

func.func @f(%a: !tfx_host.array<i32>, %x: f32, %i: index) {
  // expected-error @below {{'tfx_host.array_set' op failed to verify that the value has the element type of the array}}
  %b = "tfx_host.array_set"(%x, %a, %i) : (f32, !tfx_host.array<i32>, index) -> !tfx_host.array<i32>
  return
}

// -----

func.func @f(%a: !tfx_host.array<i32>, %x: i32, %i: index) {
  // expected-error @below {{'tfx_host.array_set' op failed to verify that all of {array, result} have same type}}
  %b = "tfx_host.array_set"(%x, %a, %i) : (i32, !tfx_host.array<i32>, index) -> !tfx_host.array<i64>
  return
}

// -----

func.func @f(%x: f32, %n: index) {
  // expected-error @below {{'tfx_host.array_fill' op failed to verify that the value has the element type of the array}}
  %b = "tfx_host.array_fill"(%x, %n) : (f32, index) -> !tfx_host.array<i32>
  return
}

// -----

func.func @f(%a: !tfx_host.array<i32>, %i: i32) {
  // expected-error @below {{'tfx_host.array_get' op operand #1 must be index, but got 'i32'}}
  %x = "tfx_host.array_get"(%a, %i) : (!tfx_host.array<i32>, i32) -> i32
  return
}

// -----

func.func @f(%a: !tfx_host.array<i32>, %i: index) {
  // expected-error @below {{'tfx_host.array_get' op inferred type(s) 'i32' are incompatible with return type(s) of operation 'f32'}}
  // expected-error @below {{'tfx_host.array_get' op failed to infer returned types}}
  %x = "tfx_host.array_get"(%a, %i) : (!tfx_host.array<i32>, index) -> f32
  return
}

// -----

func.func @f(%a: !tfx_host.array<i32>) {
  // expected-error @below {{'tfx_host.array_count' op result #0 must be index, but got 'i32'}}
  %n = "tfx_host.array_count"(%a) : (!tfx_host.array<i32>) -> i32
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.new' op refers to @Counter, but no tfx_host.class of that name is declared}}
  %c = tfx_host.new() : () -> !tfx_host.object<@Counter>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.class @Box<"T"> {value: !tfx_host.param<"T">}
func.func @f() {
  // expected-error @below {{'tfx_host.new' op expected 1 type argument(s) for @Box, got 0}}
  %c = tfx_host.new() : () -> !tfx_host.object<@Box>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.class @Counter {value: i32}
func.func @f() {
  // expected-error @below {{'tfx_host.new' op expected 1 value(s) for class @Counter, got 0}}
  %c = tfx_host.new() : () -> !tfx_host.object<@Counter>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.class @Counter {value: i32}
func.func @f(%x: f32) {
  // expected-error @below {{'tfx_host.new' op expected type 'i32' at position 0 of class @Counter, got 'f32'}}
  %c = tfx_host.new(%x) : (f32) -> !tfx_host.object<@Counter>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.class @Counter {value: i32}
func.func @f(%c: !tfx_host.object<@Counter>) {
  // expected-error @below {{'tfx_host.member_ref' op refers to field "count", which @Counter does not declare}}
  %r = tfx_host.member_ref %c["count"] : !tfx_host.object<@Counter> -> !tfx_host.ref<i32>
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.class @Counter {value: i32}
func.func @f(%c: !tfx_host.object<@Counter>) {
  // expected-error @below {{'tfx_host.member_ref' op expected type 'i32' for field "value" of @Counter, got 'f32'}}
  %r = tfx_host.member_ref %c["value"] : !tfx_host.object<@Counter> -> !tfx_host.ref<f32>
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.erase' op result #0 must be an existential, but got 'i32'}}
  %a = tfx_host.erase %x : i32 to i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.dynamic_call' op operand #0 must be a class instance or an existential, but got 'i32'}}
  tfx_host.dynamic_call %x["call"]() : (i32) -> ()
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.erase' op refers to @Layer, but no tfx_host.protocol of that name is declared}}
  %a = tfx_host.erase %x : i32 to !tfx_host.any<@Layer>
  return
}

// -----

tfx_host.protocol @Layer {}
// expected-note @below {{declared here}}
func.func @f(%x: !tfx_host.param<"T">) attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  // expected-error @below {{'tfx_host.erase' op requires type parameter "T" of @f to conform to @Layer}}
  %a = tfx_host.erase %x : !tfx_host.param<"T"> to !tfx_host.any<@Layer>
  return
}

// -----

func.func @f(%x: !tfx_host.any<@Layer>) {
  // expected-error @below {{'tfx_host.dynamic_call' op refers to @Layer, but no tfx_host.protocol of that name is declared}}
  tfx_host.dynamic_call %x["call"]() : (!tfx_host.any<@Layer>) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> ()}
func.func @f(%x: !tfx_host.any<@Layer>) {
  // expected-error @below {{'tfx_host.dynamic_call' op refers to method "apply", which @Layer does not declare}}
  tfx_host.dynamic_call %x["apply"]() : (!tfx_host.any<@Layer>) -> ()
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Equal {equal: (!tfx_host.param<"Self">, !tfx_host.param<"Self">) -> i1}
func.func @f(%x: !tfx_host.any<@Equal>) {
  // expected-error @below {{'tfx_host.dynamic_call' op cannot call method "equal" of @Equal on an existential: in its type '(!tfx_host.param<"Self">, !tfx_host.param<"Self">) -> i1', 'Self' must be the first parameter and occur nowhere else; use a generic parameter instead of an existential}}
  %same = tfx_host.dynamic_call %x["equal"](%x) : (!tfx_host.any<@Equal>, !tfx_host.any<@Equal>) -> i1
  return
}

// -----

// expected-note @below {{declared here}}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
func.func @f(%x: !tfx_host.any<@Layer>, %n: i32) {
  // expected-error @below {{'tfx_host.dynamic_call' op expected argument types ('!tfx_host.any<@Layer>', 'f32') for method "call", got ('!tfx_host.any<@Layer>', 'i32')}}
  %y = tfx_host.dynamic_call %x["call"](%n) : (!tfx_host.any<@Layer>, i32) -> f32
  return
}

// -----

func.func @f(%x: !tfx_host.object<@Counter>) {
  // expected-error @below {{'tfx_host.dynamic_call' op refers to @Counter, but no tfx_host.class of that name is declared}}
  tfx_host.dynamic_call %x["bump"]() : (!tfx_host.object<@Counter>) -> ()
  return
}

//===----------------------------------------------------------------------===//
// Host effects, and operations that structured control flow needs
//===----------------------------------------------------------------------===//

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.print' op expected 0 value(s) for the placeholders of the format, got 1}}
  tfx_host.print "x"(%x) : i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.print' op expected 2 value(s) for the placeholders of the format, got 1}}
  tfx_host.print "{}, {}"(%x) : i32
  return
}

// -----

// Double braces are literal text.
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.print' op expected 0 value(s) for the placeholders of the format, got 1}}
  tfx_host.print "{{}}"(%x) : i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.print' op expected 1 value(s) for the placeholders of the format, got 0}}
  tfx_host.print "{{{}}}"()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.print' op has an unmatched brace in its format; write '{}' for a value, '{{' or '}}' for a literal brace}}
  tfx_host.print "a { b"()
  return
}

// -----

func.func @f() {
  // expected-error @below {{has an unmatched brace in its format}}
  tfx_host.print "{"()
  return
}

// -----

func.func @f() {
  // expected-error @below {{has an unmatched brace in its format}}
  tfx_host.print "}"()
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{has an unmatched brace in its format}}
  tfx_host.print "{}}"(%x) : i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{has an unmatched brace in its format}}
  tfx_host.print "{0}"(%x) : i32
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{has an unmatched brace in its format}}
  tfx_host.print "{{{"()
  return
}

// -----

func.func @f() {
  // expected-error @below {{has an unmatched brace in its format}}
  tfx_host.print "}{"()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.print' op requires attribute 'format'}}
  "tfx_host.print"() : () -> ()
  return
}

// -----

func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.assert' op operand #0 must be 1-bit signless integer, but got 'i32'}}
  "tfx_host.assert"(%x) {message = "no"} : (i32) -> ()
  return
}

// -----

func.func @f(%x: i1) {
  // expected-error @below {{expected attribute value}}
  tfx_host.assert %x, no
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.abort' op attribute 'message' failed to satisfy constraint: string attribute}}
  "tfx_host.abort"() {message = 1 : i32} : () -> ()
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.string' op result #0 must be a byte string of the host, but got 'i32'}}
  %s = "tfx_host.string"() {value = "s"} : () -> i32
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.unreachable' op must be the last operation in the parent block}}
  tfx_host.unreachable
  return
}

// -----

// The operation aborts, but it is not a terminator.
func.func @f() {
  // expected-error @below {{block with no terminator}}
  tfx_host.abort "no"
}

// -----

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

// expected-error @below {{a queue cannot hold '!tfx_host.string'; expected i1, i8, i16, i32, i64, index, f32, f64 or a tensor; pass the fields of a struct or the elements of a tuple separately}}
func.func private @f(!tfx_host.queue<i1, !tfx_host.string>)

// -----

// expected-error @below {{a queue cannot hold 'i7'; expected}}
func.func private @f(!tfx_host.queue<i7>)

// -----

// expected-error @below {{expected non-function type}}
// expected-error @below {{failed to parse TfxHost_QueueType parameter 'elements'}}
func.func private @f(!tfx_host.queue<>)

// -----

func.func private @next() -> i1
func.func @f() {
  // expected-error @below {{'tfx_host.prefetch' op expected a depth of at least 1, got 0}}
  %q = tfx_host.prefetch @next() depth(0) : () -> !tfx_host.queue<i1>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'tfx_host.prefetch' op refers to @next, but no function of that name is declared}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @next(i32) -> i1
func.func @f() {
  // expected-error @below {{'tfx_host.prefetch' op expected argument types ('i32') for @next, got ()}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @next() -> (i1, i32)
func.func @f() {
  // expected-error @below {{'tfx_host.prefetch' op expected result types ('i1', 'i32') for @next, got ('i1')}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  return
}

// -----

func.func private @next(!tfx_host.string) -> i1
func.func @f(%s: !tfx_host.string) {
  // expected-error @below {{'tfx_host.prefetch' op cannot pass a value of type '!tfx_host.string' to its thread; expected i1, i8, i16, i32, i64, index, f32, f64 or a tensor; pass the fields of a struct or the elements of a tuple separately}}
  %q = tfx_host.prefetch @next(%s) depth(1) : (!tfx_host.string) -> !tfx_host.queue<i1>
  return
}

// -----

// expected-note @below {{declared here}}
func.func private @next(!tfx_host.param<"T">) -> i1 attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
func.func @f(%x: i32) {
  // expected-error @below {{'tfx_host.prefetch' op expected 1 type argument(s) for @next, got 0}}
  %q = tfx_host.prefetch @next(%x) depth(1) : (i32) -> !tfx_host.queue<i1>
  return
}

// -----

func.func @f(%q: !tfx_host.queue<i1>) {
  // expected-error @below {{'tfx_host.next' op expected result types ('i1') for '!tfx_host.queue<i1>', got ('i32')}}
  %x = "tfx_host.next"(%q) : (!tfx_host.queue<i1>) -> i32
  return
}
