//===- HostDialect.td - the tfx_host dialect and its types -----*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The abstractions that a front end emits and deabstraction removes (nominal structs and enums,
// generics and protocols, variables, closures, arrays, objects), and the host effects that remain
// (print, assert, abort, queues).

#ifndef TFX_HOST_DIALECT
#define TFX_HOST_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def TfxHost_Dialect : Dialect {
  let name = "tfx_host";
  let cppNamespace = "::tfx::host";
  let summary = "Host code and its abstractions, as a front end emits them";
  let description = [{
    The source dialect. Functions, calls, control flow and scalars are those of upstream MLIR
    (`func`, `cf`, `scf`, `arith`, `math`). This dialect adds nominal aggregates, generics with
    protocols, variables, closures, arrays, objects, and the effects of host code. A foreign host
    function is a private `func.func` declaration.

    A generic function is a `func.func` with the attribute `tfx_host.type_params`, an array of
    `#tfx_host.type_param`. Its signature and body may use `!tfx_host.param` types.

    In programs of the static subset, the `tfx-deabstract` pipeline removes all operations of this
    dialect except `print`, `assert`, `abort`, `string` and those on queues (`prefetch`, `next`,
    `close`).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class TfxHost_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TfxHost_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TfxHost_RefType : TfxHost_Type<"Ref", "ref"> {
  let summary = "a reference to a variable";
  let description = [{
    Refers to a mutable variable, or to a field or an element of one. `tfx_host.var` returns a
    reference. A parameter of this type is an inout parameter.

    ```mlir
    func.func private @increment(!tfx_host.ref<i32>)
    ```
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
}

class TfxHost_NominalType<string name, string typeMnemonic> : TfxHost_Type<name, typeMnemonic> {
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$declaration,
    OptionalArrayRefParameter<"::mlir::Type", "arguments for the type parameters">:$arguments
  );
  let assemblyFormat = "`<` $declaration (`<` $arguments^ `>`)? `>`";
}

def TfxHost_StructType : TfxHost_NominalType<"Struct", "struct"> {
  let summary = "a nominal struct";
  let description = [{
    The type names its declaration and has an argument for each type parameter.

    ```mlir
    tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
    func.func private @use(!tfx_host.struct<@Pair<i32, f32>>)
    ```
  }];
}

def TfxHost_EnumType : TfxHost_NominalType<"Enum", "enum"> {
  let summary = "a nominal enum";
  let description = [{
    The type names its declaration and has an argument for each type parameter.

    ```mlir
    tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
    func.func private @use(!tfx_host.enum<@Option<i32>>)
    ```
  }];
}

def TfxHost_ParamType : TfxHost_Type<"Param", "param"> {
  let summary = "a type parameter of the enclosing declaration";
  let description = [{
    ```mlir
    func.func private @identity(!tfx_host.param<"T">) -> !tfx_host.param<"T">
        attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]}
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $name `>`";
}

def TfxHost_AssocType : TfxHost_Type<"Assoc", "assoc"> {
  let summary = "an associated type of a type that conforms to a protocol";
  let description = [{
    `assoc<T, @P, "A">` is the type that the witness table of `T` for protocol `@P` defines as `A`.

    ```mlir
    func.func private @call(!tfx_host.param<"L">)
        -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
        attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]}
    ```
  }];
  let parameters = (ins
    "::mlir::Type":$base, "::mlir::FlatSymbolRefAttr":$protocol, "::mlir::StringAttr":$name
  );
  let assemblyFormat = "`<` $base `,` $protocol `,` $name `>`";
}

def TfxHost_ClosureType : TfxHost_Type<"Closure", "closure"> {
  let summary = "a closure";
  let description = [{
    A function value with its captures. A non-escaping closure (the default) does not outlive the
    call that it is passed to, so deabstraction can always remove it. An escaping closure cannot
    always be removed.

    ```mlir
    func.func private @map(!tfx_host.closure<(i32) -> i32>)
    func.func private @keep(!tfx_host.closure<escaping (i32) -> i32>)
    ```
  }];
  let parameters = (ins
    "::mlir::FunctionType":$signature, DefaultValuedParameter<"bool", "false">:$escaping
  );
  let hasCustomAssemblyFormat = 1;
}

def TfxHost_ArrayType : TfxHost_Type<"Array", "array"> {
  let summary = "an array";
  let description = [{
    All elements have the same type.

    ```mlir
    func.func private @sum(!tfx_host.array<i32>) -> i32
    ```
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def TfxHost_ObjectType : TfxHost_NominalType<"Object", "object"> {
  let summary = "a class instance";
  let description = [{
    Instances are shared, mutable and opaque to deabstraction.

    ```mlir
    tfx_host.class @Counter {value: i32}
    func.func private @bump(!tfx_host.object<@Counter>)
    ```
  }];
}

def TfxHost_AnyType : TfxHost_Type<"Any", "any"> {
  let summary = "an existential";
  let description = [{
    A value of some type that conforms to the protocol.

    ```mlir
    func.func private @apply(!tfx_host.any<@Layer>)
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$protocol);
  let assemblyFormat = "`<` $protocol `>`";
}

def TfxHost_StringType : TfxHost_Type<"String", "string"> {
  let summary = "a byte string of the host";
  let description = [{
    ```mlir
    func.func private @log(!tfx_host.string)
    ```
  }];
  let builderCall = "$_builder.getType<::tfx::host::StringType>()";
}

def TfxHost_QueueType : TfxHost_Type<"Queue", "queue"> {
  let summary = "a queue of the results of calls";
  let description = [{
    A separate thread makes the calls in advance. `tfx_host.prefetch` opens a queue. The element
    types are the result types of one call: scalars and tensors.

    ```mlir
    func.func private @next_batch() -> (tensor<8x4xf32>, i1) attributes {tfx.state = "loader"}
    func.func @open() {
      %q = tfx_host.prefetch @next_batch() depth(2) : () -> !tfx_host.queue<tensor<8x4xf32>, i1>
      tfx_host.close %q : !tfx_host.queue<tensor<8x4xf32>, i1>
      return
    }
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::Type", "the result types of one call">:$elements
  );
  let assemblyFormat = "`<` $elements `>`";
  let genVerifyDecl = 1;
}

def TfxHost_TypeParamAttr : AttrDef<TfxHost_Dialect, "TypeParam"> {
  let mnemonic = "type_param";
  let summary = "A type parameter and the protocols that its argument must conform to";
  let parameters = (ins
    "::mlir::StringAttr":$name,
    OptionalArrayRefParameter<"::mlir::FlatSymbolRefAttr">:$protocols
  );
  let assemblyFormat = "`<` $name (`,` $protocols^)? `>`";
}

#endif // TFX_HOST_DIALECT
