//===- CommOps.td - the operations of the tfx_comm dialect -----*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_COMM_OPS
#define TFX_COMM_OPS

include "comm/CommDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TfxComm_Op<string mnemonic, list<Trait> traits = []>
    : Op<TfxComm_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

class TfxComm_Marker<string mnemonic>
    : TfxComm_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TfxComm_ToHostOp : TfxComm_Marker<"to_host"> {
  let summary = "Returns its operand; marks its copy to the host as intentional";
  let description = [{
    ```mlir
    func.func @f(%x: tensor<f32>) {
      %y = tfx_comm.to_host %x : tensor<f32>
      tfx_host.print "{}"(%y) : tensor<f32>
      return
    }
    ```
  }];
}

def TfxComm_ToAcceleratorOp : TfxComm_Marker<"to_accelerator"> {
  let summary = "Returns its operand; marks its copy to the accelerator as intentional";
  let description = [{
    ```mlir
    func.func private @load() -> tensor<f32>
    func.func @f() -> tensor<f32> {
      %x = func.call @load() : () -> tensor<f32>
      %y = tfx_comm.to_accelerator %x : tensor<f32>
      %z = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
      return %z : tensor<f32>
    }
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

def TfxComm_CopyOp : TfxComm_Op<"copy", [Pure, SameOperandsAndResultType]> {
  let summary = "Copies a tensor of the graph from one place to another";
  let description = [{
    Returns its operand, which is available at the place `destination`. `tfx-place` finds the places
    of all operations of a graph from its copies. Its adjoint is the copy in the other direction. If
    both places are of one device, the streams of the destination only wait for those of the source.

    ```mlir
    func.func @two_stages(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %a = tfx_tensor.op "MatMul"(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %b = tfx_comm.copy %a from <cuda> to <cuda:1> : tensor<4x4xf32>
      %y = tfx_tensor.op "Relu"(%b) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %y : tensor<4x4xf32>
    }
    ```
  }];
  let arguments = (ins
    AnyTensor:$value, TfxComm_PlaceAttr:$source, TfxComm_PlaceAttr:$destination
  );
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$value `from` $source `to` $destination attr-dict `:` type($value)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// The lifetime of a program, on the host side
//===----------------------------------------------------------------------===//

def TfxComm_StartOp : TfxComm_Op<"start", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Starts a graph as a program";
  let description = [{
    ```mlir
    tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
      %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfx_tensor.return %y : tensor<f32>
    }
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %program = tfx_comm.start @double(%x) : tensor<f32>
      %y = tfx_comm.finish %program : tensor<f32>
      return %y : tensor<f32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$graph, Variadic<AnyType>:$inputs);
  let results = (outs TfxComm_ProgramType:$program);
  let assemblyFormat = "$graph `(` $inputs `)` attr-dict (`:` type($inputs)^)?";
}

def TfxComm_FinishOp : TfxComm_Op<"finish", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Waits for a program to end and returns its results";
  let description = [{
    ```mlir
    func.func @f(%program: !tfx_comm.program) -> tensor<f32> {
      %y = tfx_comm.finish %program : tensor<f32>
      return %y : tensor<f32>
    }
    ```
  }];
  let arguments = (ins TfxComm_ProgramType:$program);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$program attr-dict (`:` type($results)^)?";
}

def TfxComm_TerminateOp : TfxComm_Op<"terminate"> {
  let summary = "Cancels a program that the host no longer needs";
  let description = [{
    ```mlir
    func.func @give_up(%program: !tfx_comm.program) {
      tfx_comm.terminate %program
      tfx_host.abort "no more data"
      return
    }
    ```
  }];
  let arguments = (ins TfxComm_ProgramType:$program);
  let assemblyFormat = "$program attr-dict";
}

//===----------------------------------------------------------------------===//
// Sends and receives, on both sides
//===----------------------------------------------------------------------===//

def TfxComm_SendOp : TfxComm_Op<"send", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Sends a value on a channel";
  let description = [{
    On the host side, the operation names the program. On the graph side, the channel belongs to the
    enclosing graph.

    ```mlir
    tfx_tensor.graph @g() channels [
        #tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
      %x = tfx_comm.recv from 0 : tensor<f32>
      tfx_comm.send %x to 1 : tensor<f32>
      tfx_tensor.return
    }
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %program = tfx_comm.start @g()
      tfx_comm.send %x to %program 0 : tensor<f32>
      %y = tfx_comm.recv %program from 1 : tensor<f32>
      tfx_comm.finish %program
      return %y : tensor<f32>
    }
    ```
  }];
  let arguments = (ins
    AnyType:$value, Optional<TfxComm_ProgramType>:$program,
    ConfinedAttr<I32Attr, [IntNonNegative]>:$channel
  );
  let assemblyFormat = "$value `to` ($program^)? $channel attr-dict `:` type($value)";
}

def TfxComm_RecvOp : TfxComm_Op<"recv", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Receives the next value on a channel; waits until there is one";
  let description = [{
    On the host side, the operation names the program. On the graph side, the channel belongs to the
    enclosing graph.

    ```mlir
    tfx_tensor.graph @g(%x: tensor<f32>)
        channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
      tfx_comm.send %x to 0 : tensor<f32>
      tfx_tensor.return
    }
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %program = tfx_comm.start @g(%x) : tensor<f32>
      %y = tfx_comm.recv %program from 0 : tensor<f32>
      tfx_comm.finish %program
      return %y : tensor<f32>
    }
    ```
  }];
  let arguments = (ins
    Optional<TfxComm_ProgramType>:$program, ConfinedAttr<I32Attr, [IntNonNegative]>:$channel
  );
  let results = (outs AnyType:$value);
  let assemblyFormat = "($program^)? `from` $channel attr-dict `:` type($value)";
}

#endif // TFX_COMM_OPS
