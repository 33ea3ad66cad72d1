//===- CommDialect.td - the tfx_comm dialect and its types -----*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Communication between a host program and its graph.

#ifndef TFX_COMM_DIALECT
#define TFX_COMM_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TfxComm_Dialect : Dialect {
  let name = "tfx_comm";
  let cppNamespace = "::tfx::comm";
  let summary = "Communication between a host program and its graph";
  let description = [{
    Before partitioning, the dialect has two markers for intentional copies, which the user writes.
    After partitioning, it has the operations that start and end a program on the host, and sends
    and receives over declared channels on both sides. `tfx_comm.copy` copies a tensor of the graph
    from one *place*, a device and a role of its streams, to another one.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def TfxComm_ProgramType : TypeDef<TfxComm_Dialect, "Program"> {
  let mnemonic = "program";
  let summary = "a running graph";
  let description = [{
    A program is a value of the host, which finishes or terminates it exactly once.

    ```mlir
    func.func private @drive(!tfx_comm.program)
    ```
  }];
  let builderCall = "$_builder.getType<::tfx::comm::ProgramType>()";
}

def TfxComm_Direction : I32EnumAttr<"Direction", "The direction of a channel", [
    I32EnumAttrCase<"to_host", 0>, I32EnumAttrCase<"to_graph", 1>]> {
  let cppNamespace = "::tfx::comm";
  let genSpecializedAttr = 0;
}

def TfxComm_ChannelAttr : AttrDef<TfxComm_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "A channel of a program: its id, its direction and the type of its messages";
  let description = [{
    Messages arrive in the order in which they are sent. `capacity` is the number of messages that
    may be in flight; every program is correct with capacity 1. If the capacity is omitted,
    `tfx-verify-protocol` infers how many messages the channel can hold.
  }];
  let parameters = (ins
    "uint32_t":$id, "::tfx::comm::Direction":$direction, "::mlir::Type":$type,
    DefaultValuedParameter<"uint32_t", "0", "0 leaves the choice to the runtime">:$capacity
  );
  let assemblyFormat = [{
    `<` $id `,` custom<Direction>($direction) `,` $type (`,` `capacity` `=` $capacity^)? `>`
  }];
  let genVerifyDecl = 1;
}

def TfxComm_PlaceAttr : AttrDef<TfxComm_Dialect, "Place"> {
  let mnemonic = "place";
  let summary = "A place of the graph: a device, and a role of its streams";
  let description = [{
    Operations of one place run on one device, and on streams of their own if they have a role:

    | form | place |
    |---|---|
    | `#tfx_comm.place<cuda:1>` | the second CUDA device |
    | `#tfx_comm.place<cpu:2>` | the third group of threads of the CPU |
    | `#tfx_comm.place<cuda, "norms">` | the first CUDA device, on streams of its own |
  }];
  let parameters = (ins
    "::tfx::stream::Device":$device, "uint32_t":$number,
    OptionalParameter<"::mlir::StringAttr">:$role
  );
  let assemblyFormat = "`<` custom<Device>($device, $number) (`,` $role^)? `>`";
}

#endif // TFX_COMM_DIALECT
