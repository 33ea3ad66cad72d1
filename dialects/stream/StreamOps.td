//===- StreamOps.td - the operations of the tfx_stream dialect -*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_STREAM_OPS
#define TFX_STREAM_OPS

include "stream/StreamDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TfxStream_Op<string mnemonic, list<Trait> traits = []>
    : Op<TfxStream_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def TfxStream_ScheduleOp : TfxStream_Op<"schedule", [
    IsolatedFromAbove, AutomaticAllocationScope, FunctionOpInterface]> {
  let summary = "Defines a schedule, or a part of schedules";
  let description = [{
    A public schedule is complete: when it starts, no command uses its buffers, and its streams are
    idle. A private one is a *part*, which other schedules call. Parameters are streams and buffers,
    in a part also events and values, and scalars. Results are events and values.

    All streams among the parameters of a public schedule are different, and no buffers overlap. The
    attribute `tfx_stream.access` of a buffer limits what the schedule does with it: `"read"`,
    `"write"` (it reads only what it has written), `"update"` or `"scratch"`.

    ```mlir
    tfx_stream.schedule @double(
        %s: !tfx_stream.stream<cuda>,
        %b: !tfx_stream.buffer<64, cuda> {tfx_stream.access = "update"}) -> !tfx_stream.event {
      %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
      %y = tfx_stream.launch %s @twice(%b update as %x)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      %done = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.return %done : !tfx_stream.event
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}

def TfxStream_ReturnOp : TfxStream_Op<"return", [
    Terminator, Pure, HasParent<"::tfx::stream::ScheduleOp">]> {
  let summary = "Ends a schedule with its results";
  let description = [{
    ```mlir
    tfx_stream.schedule @nothing(%s: !tfx_stream.stream<cuda>) -> !tfx_stream.event {
      %now = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.return %now : !tfx_stream.event
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let hasVerifier = 1;
}

def TfxStream_CallOp : TfxStream_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Issues the commands of a part on given streams and buffers";
  let description = [{
    Streams are operands, so a part runs on any streams of its devices. It waits for nothing that it
    does not wait for itself: the caller orders its own commands before those of the part.

    ```mlir
    tfx_stream.schedule private @step(
        %s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) -> !tfx_stream.event {
      tfx_stream.launch %s @kernel(%b update)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.return %e : !tfx_stream.event
    }
    tfx_stream.schedule @twice(
        %s: !tfx_stream.stream<cuda>, %t: !tfx_stream.stream<cuda>,
        %b: !tfx_stream.buffer<64, cuda>) {
      %e = tfx_stream.call @step(%s, %b)
          : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>) -> !tfx_stream.event
      tfx_stream.wait %t for %e : !tfx_stream.stream<cuda>
      %f = tfx_stream.call @step(%t, %b)
          : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>) -> !tfx_stream.event
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
  }];
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

def TfxStream_OpenOp : TfxStream_Op<"open"> {
  let summary = "Creates a stream";
  let description = [{
    Only the body of a public schedule creates streams; a part has them as parameters. `legacy` is
    the legacy default stream of CUDA, which no verified schedule uses: it waits for all other
    streams of its device, and they wait for it.

    ```mlir
    tfx_stream.schedule @nothing() {
      %s = tfx_stream.open : !tfx_stream.stream<cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$legacy);
  let results = (outs TfxStream_StreamType:$stream);
  let assemblyFormat = "(`legacy` $legacy^)? attr-dict `:` qualified(type($stream))";
  let hasVerifier = 1;
}

def TfxStream_RecordOp : TfxStream_Op<"record"> {
  let summary = "Records an event on a stream";
  let description = [{
    The event is complete once all commands are that the stream was issued before.

    ```mlir
    tfx_stream.schedule @nothing(%s: !tfx_stream.stream<cuda>) {
      %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins TfxStream_StreamType:$stream);
  let results = (outs TfxStream_EventType:$event);
  let assemblyFormat = "$stream attr-dict `:` qualified(type($stream))";
}

def TfxStream_WaitOp : TfxStream_Op<"wait"> {
  let summary = "Lets a stream wait for events";
  let description = [{
    Later commands of the stream start after the events are complete. The host does not wait.

    ```mlir
    tfx_stream.schedule @nothing(
        %s: !tfx_stream.stream<cuda>, %t: !tfx_stream.stream<cuda>) {
      %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.wait %t for %e : !tfx_stream.stream<cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins TfxStream_StreamType:$stream, Variadic<TfxStream_EventType>:$events);
  let assemblyFormat = "$stream `for` $events attr-dict `:` qualified(type($stream))";
  let hasVerifier = 1;
}

def TfxStream_HostWaitOp : TfxStream_Op<"host_wait"> {
  let summary = "Blocks the host until events are complete";
  let description = [{
    ```mlir
    tfx_stream.schedule @nothing(%s: !tfx_stream.stream<cuda>) {
      %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.host_wait %e
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins Variadic<TfxStream_EventType>:$events);
  let assemblyFormat = "$events attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Commands that access memory
//===----------------------------------------------------------------------===//

def TfxStream_LaunchOp : TfxStream_Op<"launch", [AttrSizedOperandSegments, InferTypeOpAdaptor]> {
  let summary = "Launches a kernel on a stream";
  let description = [{
    The kernel is a symbol that need not be defined in the module. The results are the values that
    it writes, one for each buffer with the mode `write` or `update`, in this order.

    ```mlir
    tfx_stream.schedule @product(
        %s: !tfx_stream.stream<cuda>, %a: !tfx_stream.buffer<64, cuda>,
        %b: !tfx_stream.buffer<64, cuda>, %w: !tfx_stream.buffer<256, cuda>) {
      %x = tfx_stream.input %a : !tfx_stream.buffer<64, cuda>
      %y = tfx_stream.launch %s @matmul(%a read as %x, %b write, %w scratch)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>, !tfx_stream.buffer<64, cuda>,
            !tfx_stream.buffer<256, cuda>
      tfx_stream.return
    }
    ```

    `modes` has a number for each buffer: 0 read, 1 write, 2 update, 3 scratch. `values` are the
    values that are named, `positions` the indices of their buffers, in ascending order, and
    `offsets` their first bytes. `cost` is the expected time of the kernel in nanoseconds, for
    `tfx-assign-streams`.
  }];
  let arguments = (ins
    TfxStream_StreamType:$stream, FlatSymbolRefAttr:$kernel, Variadic<TfxStream_BufferType>:$buffers,
    Variadic<TfxStream_ValueType>:$values, DenseI32ArrayAttr:$modes, DenseI32ArrayAttr:$positions,
    DenseI64ArrayAttr:$offsets, OptionalAttr<I64Attr>:$cost
  );
  let results = (outs Variadic<TfxStream_ValueType>:$results);
  let assemblyFormat = [{
    $stream $kernel `` custom<Accesses>($buffers, $values, $modes, $positions, $offsets) attr-dict
    `:` qualified(type($stream)) (`,` type($buffers)^)?
  }];
  let hasVerifier = 1;
}

def TfxStream_HostOp : TfxStream_Op<"host", [AttrSizedOperandSegments]> {
  let summary = "Runs a function of the host, at once or on a stream";
  let description = [{
    Without a stream, the function runs at once and blocks the host: what it reads was waited for by
    `host_wait`. It may return scalars, after the values that it writes. On a stream, it runs after
    earlier commands of the stream, and returns values only.

    ```mlir
    tfx_stream.schedule @watch(
        %s: !tfx_stream.stream<cuda>, %d: !tfx_stream.buffer<4, cuda>,
        %h: !tfx_stream.buffer<4, pinned>) {
      %x = tfx_stream.input %d : !tfx_stream.buffer<4, cuda>
      %y = tfx_stream.copy %s %d as %x to %h
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<4, cuda> to !tfx_stream.buffer<4, pinned>
      %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
      tfx_stream.host_wait %e
      %is_done = tfx_stream.host @is_small(%h read as %y) : !tfx_stream.buffer<4, pinned> -> i1
      tfx_stream.host @log(%h read as %y) on %s
          : !tfx_stream.buffer<4, pinned> on !tfx_stream.stream<cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$function, Variadic<TfxStream_BufferType>:$buffers,
    Variadic<TfxStream_ValueType>:$values, Optional<TfxStream_StreamType>:$stream,
    DenseI32ArrayAttr:$modes, DenseI32ArrayAttr:$positions, DenseI64ArrayAttr:$offsets
  );
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $function `` custom<Accesses>($buffers, $values, $modes, $positions, $offsets)
    (`on` $stream^)? attr-dict (`:` type($buffers)^)? (`on` qualified(type($stream))^)?
    custom<Scalars>(ref($modes), type($results))
  }];
  let hasVerifier = 1;
}

def TfxStream_DecideOp : TfxStream_Op<"decide"> {
  let summary = "Reads a decision of the host from the first byte of a buffer";
  let description = [{
    The host reads the byte at once, as a function of `host` without a stream does: the command that
    writes it was waited for by `host_wait`. The result says whether the byte is not zero. It decides
    a loop or a branch, so that the host issues commands for as long as a computed value says:

    ```mlir
    tfx_stream.schedule @repeat(
        %s: !tfx_stream.stream<cuda>, %d: !tfx_stream.buffer<1, cuda>,
        %h: !tfx_stream.buffer<1, pinned>) {
      %x = tfx_stream.input %h : !tfx_stream.buffer<1, pinned>
      %first = tfx_stream.decide %h as %x : !tfx_stream.buffer<1, pinned> -> i1
      scf.while (%go = %first) : (i1) -> () {
        scf.condition(%go)
      } do {
        %y = tfx_stream.launch %s @step(%d write)
            : !tfx_stream.stream<cuda>, !tfx_stream.buffer<1, cuda>
        %z = tfx_stream.copy %s %d as %y to %h
            : !tfx_stream.stream<cuda>, !tfx_stream.buffer<1, cuda> to !tfx_stream.buffer<1, pinned>
        %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
        tfx_stream.host_wait %e
        %next = tfx_stream.decide %h as %z : !tfx_stream.buffer<1, pinned> -> i1
        scf.yield %next : i1
      }
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins
    TfxStream_BufferType:$buffer, Optional<TfxStream_ValueType>:$value,
    DefaultValuedAttr<I64Attr, "0">:$offset
  );
  let results = (outs I1:$decision);
  let assemblyFormat = [{
    $buffer custom<Named>($value, $offset) attr-dict `:` qualified(type($buffer))
    `->` type($decision)
  }];
  let hasVerifier = 1;
}

def TfxStream_CopyOp : TfxStream_Op<"copy"> {
  let summary = "Copies bytes on a stream";
  let description = [{
    The memory spaces decide the direction. The result is the value of the destination.

    ```mlir
    tfx_stream.schedule @upload(
        %s: !tfx_stream.stream<cuda>, %h: !tfx_stream.buffer<64, pinned>,
        %d: !tfx_stream.buffer<64, cuda>) {
      %x = tfx_stream.input %h : !tfx_stream.buffer<64, pinned>
      %y = tfx_stream.copy %s %h as %x to %d
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, pinned> to !tfx_stream.buffer<64, cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins
    TfxStream_StreamType:$stream, TfxStream_BufferType:$source, TfxStream_BufferType:$destination,
    Optional<TfxStream_ValueType>:$value, DefaultValuedAttr<I64Attr, "0">:$offset
  );
  let results = (outs TfxStream_ValueType:$result);
  let assemblyFormat = [{
    $stream $source `` custom<Named>($value, $offset) `to` $destination attr-dict
    `:` qualified(type($stream)) `,` qualified(type($source)) `to` qualified(type($destination))
  }];
  let hasVerifier = 1;
}

def TfxStream_FillOp : TfxStream_Op<"fill"> {
  let summary = "Fills bytes with a repeated number on a stream";
  let description = [{
    ```mlir
    tfx_stream.schedule @clear(
        %s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
      %x = tfx_stream.fill %s %b with 1.0 : f32
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins
    TfxStream_StreamType:$stream, TfxStream_BufferType:$destination, TypedAttrInterface:$number
  );
  let results = (outs TfxStream_ValueType:$result);
  let assemblyFormat = [{
    $stream $destination `with` $number attr-dict `:` qualified(type($stream)) `,` qualified(type($destination))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def TfxStream_InputOp : TfxStream_Op<"input"> {
  let summary = "Returns the content of a buffer at the start of a public schedule";
  let description = [{
    The operation precedes all commands. A part has values as parameters instead.

    ```mlir
    tfx_stream.schedule @use(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
      %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
      tfx_stream.launch %s @norm(%b read as %x)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins TfxStream_BufferType:$buffer);
  let results = (outs TfxStream_ValueType:$value);
  let assemblyFormat = "$buffer attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def TfxStream_ViewOp : TfxStream_Op<"view", [Pure, InferTypeOpAdaptor]> {
  let summary = "Returns a part of a buffer";
  let description = [{
    The offset and the size are in bytes. The part has the lifetime of the buffer.

    ```mlir
    tfx_stream.schedule @half(%b: !tfx_stream.buffer<64, cuda>) {
      %upper = tfx_stream.view %b[32, 32] : !tfx_stream.buffer<64, cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins TfxStream_BufferType:$buffer, I64Attr:$offset, I64Attr:$size);
  let results = (outs TfxStream_BufferType:$result);
  let assemblyFormat = "$buffer `[` $offset `,` $size `]` attr-dict `:` qualified(type($buffer))";
  let hasVerifier = 1;
}

def TfxStream_AllocOp : TfxStream_Op<"alloc"> {
  let summary = "Allocates a buffer, at once or in the order of a stream";
  let description = [{
    ```mlir
    tfx_stream.schedule @temporary(%s: !tfx_stream.stream<cuda>) {
      %b = tfx_stream.alloc on %s : !tfx_stream.buffer<64, cuda> on !tfx_stream.stream<cuda>
      tfx_stream.launch %s @kernel(%b write)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      tfx_stream.free %b on %s : !tfx_stream.buffer<64, cuda> on !tfx_stream.stream<cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins Optional<TfxStream_StreamType>:$stream);
  let results = (outs TfxStream_BufferType:$buffer);
  let assemblyFormat = "(`on` $stream^)? attr-dict `:` qualified(type($buffer)) (`on` qualified(type($stream))^)?";
  let hasVerifier = 1;
}

def TfxStream_FreeOp : TfxStream_Op<"free"> {
  let summary = "Ends the lifetime of a buffer, at once or in the order of a stream";
  let description = [{
    The buffer is a result of `alloc` or `slice`.

    ```mlir
    tfx_stream.schedule @temporary() {
      %b = tfx_stream.alloc : !tfx_stream.buffer<64, host>
      tfx_stream.free %b : !tfx_stream.buffer<64, host>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins TfxStream_BufferType:$buffer, Optional<TfxStream_StreamType>:$stream);
  let assemblyFormat = [{
    $buffer (`on` $stream^)? attr-dict `:` qualified(type($buffer)) (`on` qualified(type($stream))^)?
  }];
  let hasVerifier = 1;
}

def TfxStream_ArenaOp : TfxStream_Op<"arena"> {
  let summary = "Declares memory for slices";
  let description = [{
    ```mlir
    tfx_stream.schedule @plan() {
      %arena = tfx_stream.arena : !tfx_stream.arena<4096, cuda>
      tfx_stream.return
    }
    ```
  }];
  let results = (outs TfxStream_ArenaType:$arena);
  let assemblyFormat = "attr-dict `:` qualified(type($arena))";
  let hasVerifier = 1;
}

def TfxStream_SliceOp : TfxStream_Op<"slice", [InferTypeOpAdaptor]> {
  let summary = "Starts the lifetime of a buffer at a place in an arena";
  let description = [{
    The planned form of `alloc`: the offset and the size are in bytes. Slices with common bytes may
    follow each other: the first is released by `free`, and the second starts after that.

    ```mlir
    tfx_stream.schedule @reuse(%s: !tfx_stream.stream<cuda>) {
      %arena = tfx_stream.arena : !tfx_stream.arena<64, cuda>
      %a = tfx_stream.slice %arena[0, 64] on %s
          : !tfx_stream.arena<64, cuda> on !tfx_stream.stream<cuda>
      tfx_stream.launch %s @first(%a write)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
      tfx_stream.free %a on %s : !tfx_stream.buffer<64, cuda> on !tfx_stream.stream<cuda>
      %b = tfx_stream.slice %arena[32, 32] on %s
          : !tfx_stream.arena<64, cuda> on !tfx_stream.stream<cuda>
      tfx_stream.launch %s @second(%b write)
          : !tfx_stream.stream<cuda>, !tfx_stream.buffer<32, cuda>
      tfx_stream.return
    }
    ```
  }];
  let arguments = (ins
    TfxStream_ArenaType:$arena, Optional<TfxStream_StreamType>:$stream, I64Attr:$offset,
    I64Attr:$size
  );
  let results = (outs TfxStream_BufferType:$buffer);
  let assemblyFormat = [{
    $arena `[` $offset `,` $size `]` (`on` $stream^)? attr-dict
    `:` qualified(type($arena)) (`on` qualified(type($stream))^)?
  }];
  let hasVerifier = 1;
}

#endif // TFX_STREAM_OPS
