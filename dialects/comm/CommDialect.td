//===- CommDialect.td - the tfx_comm dialect and its types -----*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// What crosses between a host program and its graph.

#ifndef TFX_COMM_DIALECT
#define TFX_COMM_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TfxComm_Dialect : Dialect {
  let name = "tfx_comm";
  let cppNamespace = "::tfx::comm";
  let summary = "What crosses between a host program and its graph";
  let description = [{
    Before partition: the two markers by which a user says that a copy is meant. After it: the life of a program on the host's side,
    and sends and receives over declared channels on both sides.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def TfxComm_ProgramType : TypeDef<TfxComm_Dialect, "Program"> {
  let mnemonic = "program";
  let summary = "a running graph, as its host holds it";
  let description = [{
    Each program is finished or terminated exactly once.

    ```mlir
    func.func private @drive(!tfx_comm.program)
    ```
  }];
  let builderCall = "$_builder.getType<::tfx::comm::ProgramType>()";
}

def TfxComm_Direction : I32EnumAttr<"Direction", "Which way a channel goes", [
    I32EnumAttrCase<"to_host", 0>, I32EnumAttrCase<"to_graph", 1>]> {
  let cppNamespace = "::tfx::comm";
  let genSpecializedAttr = 0;
}

def TfxComm_ChannelAttr : AttrDef<TfxComm_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "A channel of a program: its id, its direction and the type of what crosses";
  let description = [{
    Messages arrive in the order in which they were sent. `capacity` is how many may be in flight; every program is correct with 1.
    Where it is not given, `tfx-verify-protocol` derives how many messages the channel can hold.
  }];
  let parameters = (ins "uint32_t":$id, "::tfx::comm::Direction":$direction, "::mlir::Type":$type,
                        DefaultValuedParameter<"uint32_t", "0", "0 leaves it to the runtime">:$capacity);
  let assemblyFormat = "`<` $id `,` custom<Direction>($direction) `,` $type (`,` `capacity` `=` $capacity^)? `>`";
  let genVerifyDecl = 1;
}

#endif // TFX_COMM_DIALECT
