//===- StreamDialect.td - the tfx_stream dialect and its types -*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Schedules: commands on streams, the events between them, and their memory.

#ifndef TFX_STREAM_DIALECT
#define TFX_STREAM_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TfxStream_Dialect : Dialect {
  let name = "tfx_stream";
  let cppNamespace = "::tfx::stream";
  let summary = "Schedules: commands on streams, events, and memory";
  let description = [{
    A *schedule* is the sequence of commands that one host thread issues. A *stream* is a queue of
    commands of a device, which execute in order; streams run concurrently, and *events* order them.
    `tfx-verify-schedule` proves that a schedule has no race, no use after free and no deadlock, and
    that each read finds the value that it names.

    | form | memory |
    |---|---|
    | `buffer<64, cuda>`, `buffer<64, cuda:1>` | 64 bytes of the first or second CUDA device |
    | `buffer<64, host>` | 64 bytes of pageable host memory |
    | `buffer<64, pinned>` | 64 bytes of page-locked host memory, which CUDA devices also access |

    A buffer is a range of bytes. A command has an access mode for each of its buffers:

    | mode | meaning |
    |---|---|
    | `read`, `read as %x` | reads all bytes; they hold the value `%x` |
    | `write` | writes all bytes |
    | `update`, `update as %x` | reads all bytes, and writes them |
    | `scratch` | uses all bytes as workspace: their content is undefined before and after |

    A command returns a value for each buffer that it writes or updates. A value is not data: it is
    what the bytes hold from this command until the next write. A command that reads the bytes names
    the value, so that a schedule that reuses the bytes too early is wrong, even if it has no race.
    `as %x[16]` names the bytes of the value from its 16th on, for a view of a buffer.

    `scf.for`, `scf.while`, `scf.if` and `scf.index_switch` issue commands repeatedly or
    conditionally. Events, buffers and values are their iteration arguments and results: a ring of
    buffers is a loop that yields them rotated.
  }];
  let hasRegionArgAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Devices and memory spaces
//===----------------------------------------------------------------------===//

def TfxStream_Device : I32EnumAttr<"Device", "the kind of a device", [
    I32EnumAttrCase<"cpu", 0>, I32EnumAttrCase<"cuda", 1>]> {
  let cppNamespace = "::tfx::stream";
  let genSpecializedAttr = 0;
}

def TfxStream_Space : I32EnumAttr<"Space", "the kind of a memory space", [
    I32EnumAttrCase<"host", 0>, I32EnumAttrCase<"pinned", 1>, I32EnumAttrCase<"cuda", 2>]> {
  let cppNamespace = "::tfx::stream";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class TfxStream_Type<string name, string typeMnemonic> : TypeDef<TfxStream_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TfxStream_StreamType : TfxStream_Type<"Stream", "stream"> {
  let summary = "a stream";
  let description = [{
    A queue of commands of a device: `cuda`, `cuda:1` and so on, or `cpu`, whose streams are threads.

    ```mlir
    tfx_stream.schedule @nothing(%s: !tfx_stream.stream<cuda:1>, %t: !tfx_stream.stream<cpu>) {
      tfx_stream.return
    }
    ```
  }];
  let parameters = (ins "::tfx::stream::Device":$device, "uint32_t":$number);
  let assemblyFormat = "`<` custom<Device>($device, $number) `>`";
}

def TfxStream_EventType : TfxStream_Type<"Event", "event"> {
  let summary = "an event";
  let description = [{
    A point in the order of a stream: it is complete once all earlier commands of the stream are.

    ```mlir
    tfx_stream.schedule private @join(%s: !tfx_stream.stream<cuda>, %e: !tfx_stream.event) {
      tfx_stream.wait %s for %e : !tfx_stream.stream<cuda>
      tfx_stream.return
    }
    ```
  }];
  let builderCall = "$_builder.getType<::tfx::stream::EventType>()";
}

def TfxStream_ValueType : TfxStream_Type<"Value", "value"> {
  let summary = "the content of bytes";
  let description = [{
    The content that a command writes, without the data. Commands that read it name it.

    ```mlir
    tfx_stream.schedule private @use(
        %s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>, %x: !tfx_stream.value) {
      tfx_stream.launch %s @norm(%b read as %x)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      tfx_stream.return
    }
    ```
  }];
  let builderCall = "$_builder.getType<::tfx::stream::ValueType>()";
}

class TfxStream_Memory<string name, string typeMnemonic> : TfxStream_Type<name, typeMnemonic> {
  let parameters = (ins
    "uint64_t":$size, "::tfx::stream::Space":$space, "uint32_t":$number
  );
  let assemblyFormat = "`<` $size `,` custom<Space>($space, $number) `>`";
  let genVerifyDecl = 1;
}

def TfxStream_BufferType : TfxStream_Memory<"Buffer", "buffer"> {
  let summary = "a range of bytes";
  let description = [{
    The size in bytes and the memory space.

    ```mlir
    tfx_stream.schedule private @clear(
        %s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) -> !tfx_stream.value {
      %zero = tfx_stream.fill %s %b with 0 : i32
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      tfx_stream.return %zero : !tfx_stream.value
    }
    ```
  }];
}

def TfxStream_ArenaType : TfxStream_Memory<"Arena", "arena"> {
  let summary = "memory for slices";
  let description = [{
    Memory of which buffers are slices. Slices with overlapping bytes have disjoint lifetimes.

    ```mlir
    tfx_stream.schedule @plan() {
      %arena = tfx_stream.arena : !tfx_stream.arena<4096, cuda>
      %b = tfx_stream.slice %arena[1024, 64] : !tfx_stream.arena<4096, cuda>
      tfx_stream.return
    }
    ```
  }];
}

#endif // TFX_STREAM_DIALECT
