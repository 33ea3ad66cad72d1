//===- HostOps.td - the operations of the tfx_host dialect -----*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_HOST_OPS
#define TFX_HOST_OPS

include "host/HostDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TfxHost_Op<string mnemonic, list<Trait> traits = []>
    : Op<TfxHost_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

class TfxHost_Declaration<string mnemonic, list<Trait> traits = []>
    : TfxHost_Op<mnemonic, !listconcat(traits, [Symbol])> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TfxHost_StructOp : TfxHost_Declaration<"struct"> {
  let summary = "Declares a struct";
  let description = [{
    A struct is a value type with named fields in a fixed order. It may have type parameters.

    ```mlir
    tfx_host.struct @Point {x: f32, y: f32}
    tfx_host.struct @Dense<"Scalar"> {
      weights: !tfx_host.param<"Scalar">, bias: !tfx_host.param<"Scalar">
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrArrayAttr:$type_params,
    StrArrayAttr:$field_names, TypeArrayAttr:$field_types
  );
  let extraClassDeclaration = [{
    /// Returns the position of a field, or -1.
    int64_t fieldIndex(::llvm::StringRef name);
  }];
}

def TfxHost_ClassOp : TfxHost_Declaration<"class"> {
  let summary = "Declares a class";
  let description = [{
    A class is a reference type: its instances are shared and mutable, so deabstraction cannot
    replace an instance by its fields. The values of the fields stay on the host.

    ```mlir
    tfx_host.class @Model {w: tensor<2x2xf32>, steps: i32}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrArrayAttr:$type_params,
    StrArrayAttr:$field_names, TypeArrayAttr:$field_types
  );
  let extraClassDeclaration = [{
    /// Returns the position of a field, or -1.
    int64_t fieldIndex(::llvm::StringRef name);

    /// Keeps private classes, too: types refer to a class, but `symbol-dce` does not examine the
    /// types of values.
    bool canDiscardOnUseEmpty() { return false; }
  }];
}

def TfxHost_EnumOp : TfxHost_Declaration<"enum"> {
  let summary = "Declares an enum whose cases may have payloads";
  let description = [{
    The tag of a case is its position in the declaration.

    ```mlir
    tfx_host.enum @Shape {circle(f32), rectangle(f32, f32), empty()}
    tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrArrayAttr:$type_params,
    StrArrayAttr:$case_names, ArrayAttr:$case_types
  );
  let extraClassDeclaration = [{
    /// Returns the position of a case, which is its tag, or -1.
    int64_t caseIndex(::llvm::StringRef name);
  }];
}

def TfxHost_ProtocolOp
    : TfxHost_Declaration<"protocol", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declares a protocol: associated types, and methods with optional defaults";
  let description = [{
    In the types of the methods, `!tfx_host.param<"Self">` is the conforming type. `= @f` gives a
    method a default: a generic function whose only type parameter is the conforming type.

    ```mlir
    func.func private @default_reset(!tfx_host.param<"L">)
        attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]}
    tfx_host.protocol @Layer<"Output"> {
      call: (!tfx_host.param<"Self">, f32)
          -> !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Output">,
      reset: (!tfx_host.param<"Self">) -> () = @default_reset
    }
    ```

    The attribute `flat` marks a protocol after aggregates are flattened: the functions of its
    witness tables and the calls of its methods then have the leaves of the declared types.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrArrayAttr:$assoc_names,
    StrArrayAttr:$method_names, TypeArrayAttr:$method_types, ArrayAttr:$method_defaults,
    UnitAttr:$flat
  );
}

def TfxHost_WitnessTableOp
    : TfxHost_Declaration<"witness_table", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Declares how a type conforms to a protocol";
  let description = [{
    A witness table defines the associated types and lists the functions that implement the methods.
    The printed form has the associated types first. A method without a function has the default of
    the protocol.

    ```mlir
    tfx_host.protocol @Layer<"Output"> {
      call: (!tfx_host.param<"Self">, f32)
          -> !tfx_host.assoc<!tfx_host.param<"Self">, @Layer, "Output">
    }
    tfx_host.struct @Dense {w: f32}
    func.func private @dense_call(!tfx_host.struct<@Dense>, f32) -> f32
    tfx_host.witness_table @Dense_Layer : !tfx_host.struct<@Dense> conforms @Layer {
      Output: f32, call = @dense_call
    }
    ```

    A table with type parameters declares the conformance of a family of types. Its functions have
    the same type parameters in the same order, or none. The protocols that the functions require of
    these parameters are the condition under which the type conforms.

    ```mlir
    tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
    tfx_host.struct @Twice<"L"> {inner: !tfx_host.param<"L">}
    func.func private @twice_call(!tfx_host.struct<@Twice<!tfx_host.param<"T">>>, f32) -> f32
        attributes {tfx_host.type_params = [#tfx_host.type_param<"T", @Layer>]}
    tfx_host.witness_table @Twice_Layer<"L">
        : !tfx_host.struct<@Twice<!tfx_host.param<"L">>> conforms @Layer {call = @twice_call}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrArrayAttr:$type_params,
    TypeAttr:$conforming, FlatSymbolRefAttr:$protocol, StrArrayAttr:$assoc_names,
    TypeArrayAttr:$assoc_types, StrArrayAttr:$method_names, FlatSymbolRefArrayAttr:$methods
  );
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

def TfxHost_MakeStructOp
    : TfxHost_Op<"make_struct", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Builds a struct from its fields, in the order of the declaration";
  let description = [{
    ```mlir
    tfx_host.struct @Point {x: f32, y: f32}
    func.func @point(%x: f32, %y: f32) -> !tfx_host.struct<@Point> {
      %p = tfx_host.make_struct(%x, %y) : (f32, f32) -> !tfx_host.struct<@Point>
      return %p : !tfx_host.struct<@Point>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$fields);
  let results = (outs TfxHost_StructType:$result);
  let assemblyFormat = "`(` $fields `)` attr-dict `:` functional-type($fields, $result)";
}

def TfxHost_ExtractOp
    : TfxHost_Op<"extract", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Reads a field of a struct";
  let description = [{
    ```mlir
    tfx_host.struct @Point {x: f32, y: f32}
    func.func @x(%p: !tfx_host.struct<@Point>) -> f32 {
      %x = tfx_host.extract %p["x"] : !tfx_host.struct<@Point> -> f32
      return %x : f32
    }
    ```
  }];
  let arguments = (ins TfxHost_StructType:$aggregate, StrAttr:$field);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $aggregate `[` $field `]` attr-dict `:` qualified(type($aggregate)) `->` type($result)
  }];
}

def TfxHost_InsertOp : TfxHost_Op<"insert", [
    Pure, AllTypesMatch<["aggregate", "result"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Returns a struct with one field replaced";
  let description = [{
    ```mlir
    tfx_host.struct @Point {x: f32, y: f32}
    func.func @at(%p: !tfx_host.struct<@Point>, %x: f32) -> !tfx_host.struct<@Point> {
      %q = tfx_host.insert %x into %p["x"] : f32, !tfx_host.struct<@Point>
      return %q : !tfx_host.struct<@Point>
    }
    ```
  }];
  let arguments = (ins AnyType:$value, TfxHost_StructType:$aggregate, StrAttr:$field);
  let results = (outs TfxHost_StructType:$result);
  let assemblyFormat = [{
    $value `into` $aggregate `[` $field `]` attr-dict `:` type($value) `,`
    qualified(type($aggregate))
  }];
}

def TfxHost_MakeTupleOp : TfxHost_Op<"make_tuple", [Pure, InferTypeOpAdaptor]> {
  let summary = "Builds a tuple from its elements";
  let description = [{
    ```mlir
    func.func @pair(%a: i32, %b: f32) -> tuple<i32, f32> {
      %t = tfx_host.make_tuple(%a, %b) : i32, f32
      return %t : tuple<i32, f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "`(` $elements `)` attr-dict (`:` type($elements)^)?";
}

def TfxHost_TupleGetOp : TfxHost_Op<"tuple_get", [Pure, InferTypeOpAdaptor]> {
  let summary = "Reads an element of a tuple";
  let description = [{
    ```mlir
    func.func @second(%t: tuple<i32, f32>) -> f32 {
      %b = tfx_host.tuple_get %t[1] : tuple<i32, f32>
      return %b : f32
    }
    ```
  }];
  let arguments = (ins AnyTuple:$tuple, ConfinedAttr<I32Attr, [IntNonNegative]>:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tuple `[` $index `]` attr-dict `:` type($tuple)";
}

def TfxHost_MakeEnumOp
    : TfxHost_Op<"make_enum", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Builds an enum value of a case from its payload";
  let description = [{
    ```mlir
    tfx_host.enum @Option {none(), some(i32)}
    func.func @some(%x: i32) -> !tfx_host.enum<@Option> {
      %o = tfx_host.make_enum "some"(%x) : (i32) -> !tfx_host.enum<@Option>
      return %o : !tfx_host.enum<@Option>
    }
    ```
  }];
  let arguments = (ins StrAttr:$case_name, Variadic<AnyType>:$payload);
  let results = (outs TfxHost_EnumType:$result);
  let assemblyFormat = [{
    $case_name `(` $payload `)` attr-dict `:` functional-type($payload, $result)
  }];
}

def TfxHost_EnumTagOp : TfxHost_Op<"enum_tag", [Pure]> {
  let summary = "Returns the tag of an enum value: the position of its case in the declaration";
  let description = [{
    ```mlir
    tfx_host.enum @Option {none(), some(i32)}
    func.func @tag(%o: !tfx_host.enum<@Option>) -> index {
      %t = tfx_host.enum_tag %o : !tfx_host.enum<@Option>
      return %t : index
    }
    ```
  }];
  let arguments = (ins TfxHost_EnumType:$value);
  let results = (outs Index:$tag);
  let assemblyFormat = "$value attr-dict `:` qualified(type($value))";
}

def TfxHost_EnumPayloadOp : TfxHost_Op<"enum_payload", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Reads the payload of an enum value whose case is known";
  let description = [{
    Reading the payload of an inactive case results in an unspecified value of the type. It never
    traps.

    ```mlir
    tfx_host.enum @Option {none(), some(i32)}
    func.func @get(%o: !tfx_host.enum<@Option>) -> i32 {
      %x = tfx_host.enum_payload %o["some"] : (!tfx_host.enum<@Option>) -> i32
      return %x : i32
    }
    ```
  }];
  let arguments = (ins TfxHost_EnumType:$value, StrAttr:$case_name);
  let results = (outs Variadic<AnyType>:$payload);
  let assemblyFormat = "$value `[` $case_name `]` attr-dict `:` functional-type($value, $payload)";
}

def TfxHost_SwitchEnumOp : TfxHost_Op<"switch_enum", [Terminator, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<BranchOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Branches on the case of an enum";
  let description = [{
    The first arguments of a case's block are the payload of the case, the others are the operands
    that the operation forwards. Without a `default`, every case must be listed.

    ```mlir
    tfx_host.enum @Option {none(), some(i32)}
    func.func @or(%o: !tfx_host.enum<@Option>, %otherwise: i32) -> i32 {
      tfx_host.switch_enum %o : !tfx_host.enum<@Option> [
        "none" -> ^done(%otherwise : i32), "some" -> ^done]
    ^done(%x: i32):
      return %x : i32
    }
    ```
  }];
  let arguments = (ins
    TfxHost_EnumType:$value, Variadic<AnyType>:$default_operands,
    VariadicOfVariadic<AnyType, "case_operand_segments">:$case_operands,
    StrArrayAttr:$case_names, DenseI32ArrayAttr:$case_operand_segments, UnitAttr:$has_default
  );
  let successors = (successor VariadicSuccessor<AnySuccessor>:$destinations);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

def TfxHost_VarOp : TfxHost_Op<"var", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocates an uninitialized mutable variable";
  let description = [{
    ```mlir
    func.func @f(%x: i32) -> i32 {
      %v = tfx_host.var : !tfx_host.ref<i32>
      tfx_host.store %x, %v : i32
      %y = tfx_host.load %v : !tfx_host.ref<i32>
      return %y : i32
    }
    ```
  }];
  let results = (outs Res<TfxHost_RefType, "", [MemAlloc]>:$reference);
  let assemblyFormat = "attr-dict `:` qualified(type($reference))";
}

def TfxHost_LoadOp : TfxHost_Op<"load", [InferTypeOpAdaptor]> {
  let summary = "Reads a variable";
  let description = [{
    ```mlir
    func.func @read(%v: !tfx_host.ref<i32>) -> i32 {
      %x = tfx_host.load %v : !tfx_host.ref<i32>
      return %x : i32
    }
    ```
  }];
  let arguments = (ins Arg<TfxHost_RefType, "", [MemRead]>:$reference);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$reference attr-dict `:` qualified(type($reference))";
}

def TfxHost_StoreOp : TfxHost_Op<"store", [
    TypesMatchWith<"the variable has the type of the value", "value", "reference",
                   "::tfx::host::RefType::get($_self.getContext(), $_self)">]> {
  let summary = "Writes a variable";
  let description = [{
    ```mlir
    func.func @write(%x: i32, %v: !tfx_host.ref<i32>) {
      tfx_host.store %x, %v : i32
      return
    }
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<TfxHost_RefType, "", [MemWrite]>:$reference);
  let assemblyFormat = "$value `,` $reference attr-dict `:` type($value)";
}

def TfxHost_FieldRefOp
    : TfxHost_Op<"field_ref", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Returns a reference to a field or an element of a struct or tuple variable";
  let description = [{
    The name of a tuple element is its position, such as `"0"`.

    ```mlir
    tfx_host.struct @Point {x: f32, y: f32}
    func.func @move(%p: !tfx_host.ref<!tfx_host.struct<@Point>>, %x: f32) {
      %r = tfx_host.field_ref %p["x"]
          : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<f32>
      tfx_host.store %x, %r : f32
      return
    }
    ```
  }];
  let arguments = (ins TfxHost_RefType:$reference, StrAttr:$field);
  let results = (outs TfxHost_RefType:$result);
  let assemblyFormat = [{
    $reference `[` $field `]` attr-dict `:` qualified(type($reference)) `->`
    qualified(type($result))
  }];
}

//===----------------------------------------------------------------------===//
// Generic and higher-order calls
//===----------------------------------------------------------------------===//

def TfxHost_CallOp : TfxHost_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a generic function with arguments for its type parameters";
  let description = [{
    ```mlir
    func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T">
        attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
    func.func @f(%x: i32) -> i32 {
      %y = tfx_host.call @identity<[i32]>(%x) : (i32) -> i32
      return %y : i32
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee, TypeArrayAttr:$type_args, Variadic<AnyType>:$arguments
  );
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `<` $type_args `>` `` `(` $arguments `)` attr-dict `:`
    functional-type($arguments, $results)
  }];
}

def TfxHost_WitnessCallOp
    : TfxHost_Op<"witness_call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a protocol method through the witness table of a type";
  let description = [{
    ```mlir
    tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
    func.func @run(%l: !tfx_host.param<"L">, %x: f32) -> f32
        attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
      %y = tfx_host.witness_call @Layer["call"] of !tfx_host.param<"L"> (%l, %x)
          : (!tfx_host.param<"L">, f32) -> f32
      return %y : f32
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$protocol, StrAttr:$method, TypeAttr:$conforming,
    Variadic<AnyType>:$arguments
  );
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $protocol `[` $method `]` `of` $conforming `(` $arguments `)` attr-dict `:`
    functional-type($arguments, $results)
  }];
}

def TfxHost_ClosureOp
    : TfxHost_Op<"closure", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Builds a closure: a function with its first parameters bound";
  let description = [{
    Captures are by value; a capture by reference is a capture of a `!tfx_host.ref`. The type
    arguments of a generic function are written after its name.

    ```mlir
    func.func private @scale(f32, f32) -> f32
    func.func @f(%k: f32) -> f32 {
      %c = tfx_host.closure @scale(%k) : (f32) -> !tfx_host.closure<(f32) -> f32>
      %y = tfx_host.apply %c(%k) : !tfx_host.closure<(f32) -> f32>
      return %y : f32
    }
    func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T">
        attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
    func.func @g() -> !tfx_host.closure<(i32) -> i32> {
      %c = tfx_host.closure @identity<[i32]>() : () -> !tfx_host.closure<(i32) -> i32>
      return %c : !tfx_host.closure<(i32) -> i32>
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee, OptionalAttr<TypeArrayAttr>:$type_args, Variadic<AnyType>:$captures
  );
  let results = (outs TfxHost_ClosureType:$closure);
  let assemblyFormat = [{
    $callee (`<` $type_args^ `>` ``)? `(` $captures `)` attr-dict `:`
    functional-type($captures, $closure)
  }];
}

def TfxHost_ApplyOp : TfxHost_Op<"apply"> {
  let summary = "Calls a closure";
  let description = [{
    ```mlir
    func.func @twice(%c: !tfx_host.closure<(f32) -> f32>, %x: f32) -> f32 {
      %y = tfx_host.apply %c(%x) : !tfx_host.closure<(f32) -> f32>
      %z = tfx_host.apply %c(%y) : !tfx_host.closure<(f32) -> f32>
      return %z : f32
    }
    ```
  }];
  let arguments = (ins TfxHost_ClosureType:$closure, Variadic<AnyType>:$arguments);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Arrays, objects, existentials
//===----------------------------------------------------------------------===//

def TfxHost_ArrayOp : TfxHost_Op<"array", [Pure]> {
  let summary = "Builds an array from its elements";
  let description = [{
    ```mlir
    func.func @two(%a: i32, %b: i32) -> !tfx_host.array<i32> {
      %x = tfx_host.array(%a, %b) : !tfx_host.array<i32>
      return %x : !tfx_host.array<i32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$elements);
  let results = (outs TfxHost_ArrayType:$array);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TfxHost_ArrayGetOp : TfxHost_Op<"array_get", [InferTypeOpAdaptor]> {
  let summary = "Reads an element of an array; aborts if the index is out of bounds";
  let description = [{
    ```mlir
    func.func @first(%a: !tfx_host.array<i32>) -> i32 {
      %zero = arith.constant 0 : index
      %x = tfx_host.array_get %a[%zero] : !tfx_host.array<i32>
      return %x : i32
    }
    ```
  }];
  let arguments = (ins TfxHost_ArrayType:$array, Index:$index);
  let results = (outs AnyType:$element);
  let assemblyFormat = "$array `[` $index `]` attr-dict `:` qualified(type($array))";
}

def TfxHost_ArrayCountOp : TfxHost_Op<"array_count", [Pure]> {
  let summary = "Returns the number of elements of an array";
  let description = [{
    ```mlir
    func.func @count(%a: !tfx_host.array<i32>) -> index {
      %n = tfx_host.array_count %a : !tfx_host.array<i32>
      return %n : index
    }
    ```
  }];
  let arguments = (ins TfxHost_ArrayType:$array);
  let results = (outs Index:$count);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array))";
}

def TfxHost_ArraySetOp : TfxHost_Op<"array_set", [AllTypesMatch<["array", "result"]>,
    TypesMatchWith<"the value has the element type of the array", "array", "value",
                   "::llvm::cast<::tfx::host::ArrayType>($_self).getElement()">]> {
  let summary = "Returns an array with another element; aborts if the index is out of bounds";
  let description = [{
    Arrays are values: the operand does not change. Host code changes the array in place if nothing
    uses the operand afterwards, so a loop that replaces its array takes constant time for each
    element.

    ```mlir
    func.func @clear(%a: !tfx_host.array<i32>, %i: index) -> !tfx_host.array<i32> {
      %zero = arith.constant 0 : i32
      %b = tfx_host.array_set %zero into %a[%i] : !tfx_host.array<i32>
      return %b : !tfx_host.array<i32>
    }
    ```
  }];
  let arguments = (ins AnyType:$value, TfxHost_ArrayType:$array, Index:$index);
  let results = (outs TfxHost_ArrayType:$result);
  let assemblyFormat = "$value `into` $array `[` $index `]` attr-dict `:` qualified(type($array))";
}

def TfxHost_ArrayFillOp : TfxHost_Op<"array_fill", [
    TypesMatchWith<"the value has the element type of the array", "array", "value",
                   "::llvm::cast<::tfx::host::ArrayType>($_self).getElement()">]> {
  let summary = "Builds an array of equal elements; aborts if the count is negative";
  let description = [{
    ```mlir
    func.func @zeros(%n: index) -> !tfx_host.array<f64> {
      %zero = arith.constant 0.0 : f64
      %a = tfx_host.array_fill %zero, %n : !tfx_host.array<f64>
      return %a : !tfx_host.array<f64>
    }
    ```
  }];
  let arguments = (ins AnyType:$value, Index:$count);
  let results = (outs TfxHost_ArrayType:$array);
  let assemblyFormat = "$value `,` $count attr-dict `:` qualified(type($array))";
}

def TfxHost_NewOp : TfxHost_Op<"new", [
    MemoryEffects<[MemAlloc]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Allocates an instance of a class from its fields";
  let description = [{
    ```mlir
    tfx_host.class @Counter {value: i32}
    func.func @counter(%x: i32) -> !tfx_host.object<@Counter> {
      %c = tfx_host.new(%x) : (i32) -> !tfx_host.object<@Counter>
      return %c : !tfx_host.object<@Counter>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$fields);
  let results = (outs TfxHost_ObjectType:$object);
  let assemblyFormat = "`(` $fields `)` attr-dict `:` functional-type($fields, $object)";
}

def TfxHost_MemberRefOp
    : TfxHost_Op<"member_ref", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Returns a reference to a field of a class instance";
  let description = [{
    ```mlir
    tfx_host.class @Counter {value: i32}
    func.func @set(%c: !tfx_host.object<@Counter>, %x: i32) {
      %r = tfx_host.member_ref %c["value"] : !tfx_host.object<@Counter> -> !tfx_host.ref<i32>
      tfx_host.store %x, %r : i32
      return
    }
    ```
  }];
  let arguments = (ins TfxHost_ObjectType:$object, StrAttr:$field);
  let results = (outs TfxHost_RefType:$result);
  let assemblyFormat = [{
    $object `[` $field `]` attr-dict `:` qualified(type($object)) `->` qualified(type($result))
  }];
}

def TfxHost_EraseOp : TfxHost_Op<"erase", [
    MemoryEffects<[MemAlloc]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Converts a value to an existential of a protocol that its type conforms to";
  let description = [{
    ```mlir
    tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
    tfx_host.struct @Dense {w: f32}
    func.func @any(%d: !tfx_host.struct<@Dense>) -> !tfx_host.any<@Layer> {
      %a = tfx_host.erase %d : !tfx_host.struct<@Dense> to !tfx_host.any<@Layer>
      return %a : !tfx_host.any<@Layer>
    }
    ```

    After structs are flattened, the value is a tuple of leaves, and `conforming` is the type whose
    witness table applies.
  }];
  let arguments = (ins AnyType:$value, OptionalAttr<TypeAttr>:$conforming);
  let results = (outs TfxHost_AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` qualified(type($result))";
}

def TfxHost_DynamicCallOp
    : TfxHost_Op<"dynamic_call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a method that is selected at run time";
  let description = [{
    The receiver is a class instance or an existential. A dynamic call is outside the static subset
    and runs on the host. A method of an existential's protocol can be called only if `Self` is the
    type of its first parameter and the rest of its type does not depend on `Self`.

    ```mlir
    tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
    func.func @run(%l: !tfx_host.any<@Layer>, %x: f32) -> f32 {
      %y = tfx_host.dynamic_call %l["call"](%x) : (!tfx_host.any<@Layer>, f32) -> f32
      return %y : f32
    }
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[TfxHost_ObjectType, TfxHost_AnyType]>:$receiver, StrAttr:$method,
    Variadic<AnyType>:$arguments
  );
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $receiver `[` $method `]` `` `(` $arguments `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// Host effects, and operations that structured control flow needs
//===----------------------------------------------------------------------===//

def TfxHost_PrefetchOp
    : TfxHost_Op<"prefetch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Opens a queue and starts a thread that fills it with the results of calls";
  let description = [{
    The thread calls the function with these arguments repeatedly. It pauses while `depth` results
    are in the queue. The function is therefore called at least as often as `tfx_host.next` takes
    results, and at most `depth` times more.

    The function may access only states that it declares with `tfx.state`, and no other code may
    access these states while the queue is open. The function does not print. If a call aborts or
    fails, the `tfx_host.next` that takes its result aborts or fails. A failure whose result is not
    taken has no effect.

    The function that opens a queue closes it exactly once on each path. `tfx-verify-queues`
    verifies this.

    ```mlir
    func.func private @next_batch(i32) -> (tensor<8x4xf32>, i1) attributes {tfx.state = "loader"}
    func.func private @train(tensor<8x4xf32>)
    func.func @main(%file: i32) {
      %q = tfx_host.prefetch @next_batch(%file) depth(2)
          : (i32) -> !tfx_host.queue<tensor<8x4xf32>, i1>
      %batch, %more = tfx_host.next %q : !tfx_host.queue<tensor<8x4xf32>, i1>
      tfx_host.close %q : !tfx_host.queue<tensor<8x4xf32>, i1>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments, I32Attr:$depth);
  let results = (outs TfxHost_QueueType:$queue);
  let assemblyFormat = [{
    $callee `(` $arguments `)` `depth` `` `(` custom<Depth>($depth) `)` attr-dict `:`
    functional-type($arguments, $queue)
  }];
  let hasVerifier = 1;
}

def TfxHost_NextOp : TfxHost_Op<"next"> {
  let summary = "Takes the results of the next call from a queue; waits while the queue is empty";
  let description = [{
    ```mlir
    func.func private @number() -> i32 attributes {tfx.state = "numbers"}
    func.func @sum() -> i32 {
      %q = tfx_host.prefetch @number() depth(1) : () -> !tfx_host.queue<i32>
      %a = tfx_host.next %q : !tfx_host.queue<i32>
      %b = tfx_host.next %q : !tfx_host.queue<i32>
      tfx_host.close %q : !tfx_host.queue<i32>
      %sum = arith.addi %a, %b : i32
      return %sum : i32
    }
    ```
  }];
  let arguments = (ins TfxHost_QueueType:$queue);
  let results = (outs Variadic<AnyType>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TfxHost_CloseOp : TfxHost_Op<"close"> {
  let summary = "Closes a queue: waits for its thread to end and discards the remaining results";
  let description = [{
    The thread ends after its current call.

    ```mlir
    func.func private @number() -> i32 attributes {tfx.state = "numbers"}
    func.func @first() -> i32 {
      %q = tfx_host.prefetch @number() depth(1) : () -> !tfx_host.queue<i32>
      %a = tfx_host.next %q : !tfx_host.queue<i32>
      tfx_host.close %q : !tfx_host.queue<i32>
      return %a : i32
    }
    ```
  }];
  let arguments = (ins TfxHost_QueueType:$queue);
  let assemblyFormat = "$queue attr-dict `:` qualified(type($queue))";
}

def TfxHost_StringOp : TfxHost_Op<"string", [Pure]> {
  let summary = "A string constant";
  let description = [{
    ```mlir
    func.func @hello() -> !tfx_host.string {
      %s = tfx_host.string "Hello World"
      return %s : !tfx_host.string
    }
    ```
  }];
  let arguments = (ins StrAttr:$value);
  let results = (outs TfxHost_StringType:$result);
  let assemblyFormat = "$value attr-dict";
}

def TfxHost_PrintOp : TfxHost_Op<"print"> {
  let summary = "Prints a line in which each `{}` is replaced by the next value";
  let description = [{
    `{{` and `}}` print a single brace.

    ```mlir
    func.func @show(%step: i32, %loss: tensor<f32>) {
      tfx_host.print "step {}: loss {}"(%step, %loss) : i32, tensor<f32>
      return
    }
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyType>:$values);
  let assemblyFormat = "$format `(` $values `)` attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def TfxHost_AssertOp : TfxHost_Op<"assert"> {
  let summary = "Ends the program with a message if a condition is false";
  let description = [{
    With values, the message is a format as in `tfx_host.print`. The host needs the values whether or
    not the condition holds.

    ```mlir
    func.func @check(%ok: i1, %size: i64) {
      tfx_host.assert %ok, "the table is empty"
      tfx_host.assert %ok, "the size is {}"(%size : i64)
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message, Variadic<AnyType>:$values);
  let assemblyFormat = "$condition `,` $message (`(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

def TfxHost_AbortOp : TfxHost_Op<"abort"> {
  let summary = "Ends the program with a message";
  let description = [{
    The operation is not a terminator, so that it can occur inside structured control flow. In a
    CFG, `tfx_host.unreachable` follows it. With values, the message is a format as in
    `tfx_host.print`.

    ```mlir
    func.func @never(%step: i64) {
      tfx_host.abort "step {} cannot happen"(%step : i64)
      tfx_host.unreachable
    }
    ```
  }];
  let arguments = (ins StrAttr:$message, Variadic<AnyType>:$values);
  let assemblyFormat = "$message (`(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

def TfxHost_UnreachableOp : TfxHost_Op<"unreachable", [Terminator, ReturnLike]> {
  let summary = "Terminates a block whose end is unreachable";
  let description = [{
    ```mlir
    func.func @never() {
      tfx_host.abort "this cannot happen"
      tfx_host.unreachable
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TfxHost_UndefOp : TfxHost_Op<"undef", [Pure]> {
  let summary = "A placeholder value that is provably never read";
  let description = [{
    Structuring forwards it along paths on which a value is not available, if the type has no
    constant.

    ```mlir
    func.func @f() -> tensor<?xf32> {
      %x = tfx_host.undef : tensor<?xf32>
      return %x : tensor<?xf32>
    }
    ```
  }];
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // TFX_HOST_OPS
