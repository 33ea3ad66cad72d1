//===- HostDialect.td - the tfx_host dialect and its types -----*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What a front end emits and what deabstraction removes: nominal structs and enums, generics and protocols,
// variables, closures, arrays, objects; and the host effects that stay: print, assert, abort.

#ifndef TFX_HOST_DIALECT
#define TFX_HOST_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def TfxHost_Dialect : Dialect {
  let name = "tfx_host";
  let cppNamespace = "::tfx::host";
  let summary = "Host code and its abstractions, as a front end emits them";
  let description = [{
    The source dialect. Plain functions, calls, control flow and scalars are upstream's (`func`, `cf`, `scf`, `arith`,
    `math`); this dialect adds what those lack: nominal aggregates, generics with protocols, variables, closures, arrays,
    objects, and the effects that only a host can have. A foreign host function is a private `func.func` declaration.

    A generic function is a `func.func` that carries `tfx_host.type_params`, an array of `#tfx_host.type_param`; its
    signature and body may then use `!tfx_host.param` types.

    In the static subset, the `tfx-deabstract` pipeline leaves nothing of this dialect but `print`, `assert`, `abort`, `string`
    and queues (`prefetch`, `next`, `close`).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class TfxHost_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<TfxHost_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TfxHost_RefType : TfxHost_Type<"Ref", "ref"> {
  let summary = "a reference to a mutable variable, or to a field of one";
  let description = [{
    What `tfx_host.var` gives. A parameter of this type is an inout parameter.

    ```mlir
    func.func private @increment(!tfx_host.ref<i32>)
    ```
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
}

class TfxHost_NominalType<string name, string typeMnemonic> : TfxHost_Type<name, typeMnemonic> {
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$declaration,
                        OptionalArrayRefParameter<"::mlir::Type", "arguments for the type parameters">:$arguments);
  let assemblyFormat = "`<` $declaration (`<` $arguments^ `>`)? `>`";
}

def TfxHost_StructType : TfxHost_NominalType<"Struct", "struct"> {
  let summary = "a nominal struct, with arguments for its type parameters";
  let description = [{
    ```mlir
    tfx_host.struct @Pair<"A", "B"> {first: !tfx_host.param<"A">, second: !tfx_host.param<"B">}
    func.func private @use(!tfx_host.struct<@Pair<i32, f32>>)
    ```
  }];
}

def TfxHost_EnumType : TfxHost_NominalType<"Enum", "enum"> {
  let summary = "a nominal enum, with arguments for its type parameters";
  let description = [{
    ```mlir
    tfx_host.enum @Option<"T"> {none(), some(!tfx_host.param<"T">)}
    func.func private @use(!tfx_host.enum<@Option<i32>>)
    ```
  }];
}

def TfxHost_ParamType : TfxHost_Type<"Param", "param"> {
  let summary = "a type parameter of the declaration around it";
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
    `assoc<T, @P, "A">` is what the witness table of `T` for protocol `@P` says that `A` is.

    ```mlir
    func.func private @call(!tfx_host.param<"L">) -> !tfx_host.assoc<!tfx_host.param<"L">, @Layer, "Output">
        attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]}
    ```
  }];
  let parameters = (ins "::mlir::Type":$base, "::mlir::FlatSymbolRefAttr":$protocol, "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $base `,` $protocol `,` $name `>`";
}

def TfxHost_ClosureType : TfxHost_Type<"Closure", "closure"> {
  let summary = "a function value with its captures";
  let description = [{
    A non-escaping closure (the default) does not outlive the call that it is passed to, so it can always be removed; an escaping one may not be.

    ```mlir
    func.func private @map(!tfx_host.closure<(i32) -> i32>)
    func.func private @keep(!tfx_host.closure<escaping (i32) -> i32>)
    ```
  }];
  let parameters = (ins "::mlir::FunctionType":$signature, DefaultValuedParameter<"bool", "false">:$escaping);
  let hasCustomAssemblyFormat = 1;
}

def TfxHost_ArrayType : TfxHost_Type<"Array", "array"> {
  let summary = "an array of values of one type";
  let description = [{
    ```mlir
    func.func private @sum(!tfx_host.array<i32>) -> i32
    ```
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def TfxHost_ObjectType : TfxHost_NominalType<"Object", "object"> {
  let summary = "a class instance: shared, mutable, opaque to deabstraction";
  let description = [{
    ```mlir
    tfx_host.class @Counter {value: i32}
    func.func private @bump(!tfx_host.object<@Counter>)
    ```
  }];
}

def TfxHost_AnyType : TfxHost_Type<"Any", "any"> {
  let summary = "an existential: a value of some type that conforms to a protocol";
  let description = [{
    ```mlir
    func.func private @apply(!tfx_host.any<@Layer>)
    ```
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$protocol);
  let assemblyFormat = "`<` $protocol `>`";
}

def TfxHost_StringType : TfxHost_Type<"String", "string"> {
  let summary = "a string of bytes on the host";
  let description = [{
    ```mlir
    func.func private @log(!tfx_host.string)
    ```
  }];
  let builderCall = "$_builder.getType<::tfx::host::StringType>()";
}

def TfxHost_QueueType : TfxHost_Type<"Queue", "queue"> {
  let summary = "the results of calls that a thread of its own makes ahead";
  let description = [{
    What `tfx_host.prefetch` opens. It names the results of one call: scalars and tensors.

    ```mlir
    func.func private @next_batch() -> (tensor<8x4xf32>, i1) attributes {tfx.state = "loader"}
    func.func @open() {
      %q = tfx_host.prefetch @next_batch() depth(2) : () -> !tfx_host.queue<tensor<8x4xf32>, i1>
      tfx_host.close %q : !tfx_host.queue<tensor<8x4xf32>, i1>
      return
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type", "the results of one call">:$elements);
  let assemblyFormat = "`<` $elements `>`";
  let genVerifyDecl = 1;
}

def TfxHost_TypeParamAttr : AttrDef<TfxHost_Dialect, "TypeParam"> {
  let mnemonic = "type_param";
  let summary = "A type parameter and the protocols that its argument must conform to";
  let parameters = (ins "::mlir::StringAttr":$name, OptionalArrayRefParameter<"::mlir::FlatSymbolRefAttr">:$protocols);
  let assemblyFormat = "`<` $name (`,` $protocols^)? `>`";
}

#endif // TFX_HOST_DIALECT
