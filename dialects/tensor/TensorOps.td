//===- TensorOps.td - the operations of the tfx_tensor dialect -*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_TENSOR_OPS
#define TFX_TENSOR_OPS

include "tensor/TensorDialect.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TfxTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TfxTensor_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Operations and values
//===----------------------------------------------------------------------===//

def TfxTensor_OpOp : TfxTensor_Op<"op", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Runs the TensorFlow operation with a given name";
  let description = [{
    The attributes are those of the TensorFlow operation. Attributes that follow from the types of
    the operands and results (`T`, `N`, `Tout`, ...) are derived and need not be written. `device`
    places the operation. An operation that TensorFlow declares stateless is pure.

    ```mlir
    func.func @dense(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>) -> tensor<?x2xf32> {
      %y = tfx_tensor.op "MatMul"(%x, %w) {transpose_b = true}
          : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
      return %y : tensor<?x2xf32>
    }
    ```

    In source programs, the value of an attribute may be a host value:
    `computed(name = %value : type)`. An integer, a float, a boolean and a string become attribute
    values of these kinds. An array becomes a list or a shape, and an array of arrays becomes a list
    of shapes. For the value of `Const`, an array becomes a tensor. The pass `tfx-constexpr` folds
    computed attributes to constant attributes; a graph has no computed attributes.

    ```mlir
    func.func @mean(%x: tensor<8x8xf32>, %axis: tensor<i32>, %keep: i1) -> tensor<?x?xf32> {
      %y = tfx_tensor.op "Mean"(%x, %axis) computed(keep_dims = %keep : i1)
          : (tensor<8x8xf32>, tensor<i32>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    The values of computed attributes are the last operands, in the order of the names in
    `computed`.

    If the value of a computed attribute is not a constant, `tfx-constexpr` reports an error. With
    its option `dynamic=host`, it marks the operation `eager` instead. The host runs an eager
    operation on its own, with the attribute values at that time: the operands are copied to the
    host, the results are copied back, and each execution is a program with one operation. A front
    end may set the mark on an operation itself. `tfx-constexpr` still folds those computed
    attributes of an eager operation that are constant, and removes the mark if all are.

    ```mlir
    func.func @mean_eagerly(%x: tensor<8x8xf32>, %axis: tensor<i32>, %keep: i1) -> tensor<?x?xf32> {
      %y = tfx_tensor.op "Mean"(%x, %axis) computed(keep_dims = %keep : i1) {eager}
          : (tensor<8x8xf32>, tensor<i32>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    The operands and results of an eager operation cannot be resources or variants, which the host
    does not hold, and its computed attributes cannot be tensors. An eager operation that draws
    random numbers starts a new sequence in each execution, as a program does.
  }];
  let arguments = (ins
    StrAttr:$tf_name, Variadic<AnyType>:$operands, OptionalAttr<StrArrayAttr>:$computed,
    OptionalAttr<StrAttr>:$device, UnitAttr:$eager
  );
  let results = (outs Variadic<AnyTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the number of computed attributes, whose values are the last operands.
    unsigned getNumComputed() { return getComputed() ? getComputed()->size() : 0; }
  }];
}

def TfxTensor_ConstOp
    : TfxTensor_Op<"const", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A constant tensor";
  let description = [{
    ```mlir
    func.func @rate() -> tensor<f32> {
      %r = tfx_tensor.const dense<0.01> : tensor<f32>
      return %r : tensor<f32>
    }
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def TfxTensor_FromScalarOp : TfxTensor_Op<"from_scalar", [Pure, InferTypeOpAdaptor]> {
  let summary = "Converts a scalar to a tensor of rank 0";
  let description = [{
    ```mlir
    func.func @f(%x: f32) -> tensor<f32> {
      %t = tfx_tensor.from_scalar %x : f32
      return %t : tensor<f32>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat, Index]>:$scalar);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$scalar attr-dict `:` type($scalar)";
  let hasFolder = 1;
}

def TfxTensor_ToScalarOp : TfxTensor_Op<"to_scalar", [Pure]> {
  let summary = "Reads the scalar in a tensor with one element";
  let description = [{
    A tensor with element type `i64` may also be read as `index`.

    ```mlir
    func.func @f(%t: tensor<f32>) -> f32 {
      %x = tfx_tensor.to_scalar %t : tensor<f32> -> f32
      return %x : f32
    }
    ```
  }];
  let arguments = (ins AnyTensor:$tensor);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat, Index]>:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Functional control flow
//===----------------------------------------------------------------------===//

def TfxTensor_YieldOp : TfxTensor_Op<"yield", [Pure, Terminator, ReturnLike,
                                               ParentOneOf<["IfOp", "CaseOp", "WhileOp"]>]> {
  let summary = "Terminates a region of functional control flow with its results";
  let description = [{
    ```mlir
    func.func @pick(%p: tensor<i1>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %r = tfx_tensor.if %p : tensor<i1> -> tensor<f32> {
        tfx_tensor.yield %a : tensor<f32>
      } else {
        tfx_tensor.yield %b : tensor<f32>
      }
      return %r : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def TfxTensor_IfOp : TfxTensor_Op<"if", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "TensorFlow's `If`: runs one of two regions";
  let description = [{
    ```mlir
    func.func @relu(%p: tensor<i1>, %x: tensor<f32>, %zero: tensor<f32>) -> tensor<f32> {
      %r = tfx_tensor.if %p : tensor<i1> -> tensor<f32> {
        tfx_tensor.yield %x : tensor<f32>
      } else {
        tfx_tensor.yield %zero : tensor<f32>
      }
      return %r : tensor<f32>
    }
    ```
  }];
  let arguments = (ins 0DTensorOf<[I1]>:$condition);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TfxTensor_CaseOp
    : TfxTensor_Op<"case", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "TensorFlow's `Case`: runs the region at an index";
  let description = [{
    If the index is out of bounds, the operation runs the last region.

    ```mlir
    func.func @choose(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %r = tfx_tensor.case %i : tensor<i32> -> tensor<f32> {
        tfx_tensor.yield %a : tensor<f32>
      }, {
        tfx_tensor.yield %b : tensor<f32>
      }
      return %r : tensor<f32>
    }
    ```
  }];
  let arguments = (ins 0DTensorOf<[I32]>:$index);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TfxTensor_WhileOp : TfxTensor_Op<"while", [
    RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "TensorFlow's `While`: a condition and a body over iteration arguments";
  let description = [{
    The iteration arguments are the block arguments of both regions. The condition yields one
    boolean, and the body yields the values of the next iteration. `%i: type = %init` gives an
    iteration argument of the condition a type that differs from that of its initial value, such as
    one with fewer static sizes.

    ```mlir
    func.func @count(%zero: tensor<i32>, %one: tensor<i32>, %n: tensor<i32>) -> tensor<i32> {
      %r = tfx_tensor.while (%i = %zero) : (tensor<i32>) -> tensor<i32> {
        %go = tfx_tensor.op "Less"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
        tfx_tensor.yield %go : tensor<i1>
      } do {
      ^bb0(%i: tensor<i32>):
        %next = tfx_tensor.op "AddV2"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        tfx_tensor.yield %next : tensor<i32>
      }
      return %r : tensor<i32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$inits);
  let results = (outs Variadic<AnyTensor>:$results);
  let regions = (region SizedRegion<1>:$condition_region, SizedRegion<1>:$body_region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def TfxTensor_GraphOp : TfxTensor_Op<"graph", [
    IsolatedFromAbove, AffineScope, AutomaticAllocationScope, FunctionOpInterface,
    SymbolUserOpInterface]> {
  let summary = "Defines a graph: a program that the host starts, or a function of other graphs";
  let description = [{
    A graph declares the channels over which it communicates with the host while it runs.

    ```mlir
    tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
      %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfx_tensor.return %y : tensor<f32>
    }
    tfx_tensor.graph @echo() channels [
        #tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
      %x = tfx_comm.recv from 0 : tensor<f32>
      tfx_comm.send %x to 1 : tensor<f32>
      tfx_tensor.return
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
    TypeAttrOf<FunctionType>:$function_type, OptionalAttr<ArrayAttr>:$channels,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::llvm::LogicalResult verifySymbolUses(::mlir::SymbolTableCollection &symbols) {
      return ::mlir::success();
    }
  }];
}

def TfxTensor_ReturnOp
    : TfxTensor_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"GraphOp">]> {
  let summary = "Terminates a graph with its results";
  let description = [{
    ```mlir
    tfx_tensor.graph @identity(%x: tensor<f32>) -> tensor<f32> {
      tfx_tensor.return %x : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def TfxTensor_CallOp : TfxTensor_Op<"call", [
    CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls another graph as a function";
  let description = [{
    The types of the operands and results may have more or fewer static sizes than those of the
    callee. `pure` marks a callee without stateful operations: an unused call may be erased, and
    calls may be reordered. `compiled` makes XLA compile the callee; `tfx-cluster-xla` emits such
    calls.

    ```mlir
    tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
      %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfx_tensor.return %y : tensor<f32>
    }
    tfx_tensor.graph @quadruple(%x: tensor<f32>) -> tensor<f32> {
      %y = tfx_tensor.call @double(%x) : (tensor<f32>) -> tensor<f32>
      %z = tfx_tensor.call @double(%y) {compiled, pure} : (tensor<f32>) -> tensor<f32>
      tfx_tensor.return %z : tensor<f32>
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments, UnitAttr:$pure, UnitAttr:$compiled,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $results)
  }];
  let extraClassDeclaration = [{
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() { return getArguments(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getArgumentsMutable(); }
  }];
}

#endif // TFX_TENSOR_OPS
