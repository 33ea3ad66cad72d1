//===- TensorDialect.td - the tfx_tensor dialect and its types -*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Graph code: any TensorFlow operation by name, functional control flow, and graphs as symbols.

#ifndef TFX_TENSOR_DIALECT
#define TFX_TENSOR_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def TfxTensor_Dialect : Dialect {
  let name = "tfx_tensor";
  let cppNamespace = "::tfx::tensor";
  let summary = "Graph code: TensorFlow operations and functional control flow";
  let description = [{
    Values are builtin tensors, ranked or unranked. Their element types are builtin types or one of
    the three types that only TensorFlow has: `!tfx_tensor.string`, `!tfx_tensor.resource` and
    `!tfx_tensor.variant`.
  }];
  let useDefaultTypePrinterParser = 1;
}

class TfxTensor_Type<string name, string typeMnemonic> : TypeDef<TfxTensor_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TfxTensor_StringType : TfxTensor_Type<"String", "string"> {
  let summary = "Element type: a byte string (DT_STRING)";
  let description = [{
    ```mlir
    func.func private @names(tensor<?x!tfx_tensor.string>)
    ```
  }];
}

def TfxTensor_ResourceType : TfxTensor_Type<"Resource", "resource"> {
  let summary = "Element type: a handle to a variable, a queue or a table (DT_RESOURCE)";
  let description = [{
    ```mlir
    func.func private @variable(tensor<!tfx_tensor.resource>)
    ```
  }];
}

def TfxTensor_VariantType : TfxTensor_Type<"Variant", "variant"> {
  let summary = "Element type: an opaque value, such as a tensor list or a dataset (DT_VARIANT)";
  let description = [{
    ```mlir
    func.func private @list(tensor<!tfx_tensor.variant>)
    ```
  }];
}

#endif // TFX_TENSOR_DIALECT
