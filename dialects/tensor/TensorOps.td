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

class TfxTensor_Op<string mnemonic, list<Trait> traits = []> : Op<TfxTensor_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Operations and values
//===----------------------------------------------------------------------===//

def TfxTensor_OpOp : TfxTensor_Op<"op", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Any TensorFlow operation, by its name";
  let description = [{
    The attributes are the operation's own. Those that follow from the types of the operands and results (`T`, `N`, `Tout`, ...) are derived and
    never asked of the user; `device` places the operation. An operation that TensorFlow declares stateless is pure.

    ```mlir
    func.func @dense(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>) -> tensor<?x2xf32> {
      %y = tfx_tensor.op "MatMul"(%x, %w) {transpose_b = true} : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
      return %y : tensor<?x2xf32>
    }
    ```

    In source programs, an attribute may also be given as a value of the host: `computed(name = %value : type)`. An integer, a float, a boolean
    and a string stand for themselves, an array for a list or a shape, an array of arrays for a list of shapes; for the value of `Const`, an array
    is a tensor. The pass `tfx-constexpr` computes the value and puts it among the attributes; a graph has none left.

    ```mlir
    func.func @mean(%x: tensor<8x8xf32>, %axis: tensor<i32>, %keep: i1) -> tensor<?x?xf32> {
      %y = tfx_tensor.op "Mean"(%x, %axis) computed(keep_dims = %keep : i1) : (tensor<8x8xf32>, tensor<i32>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    The values of computed attributes are the last operands, in the order of the names in `computed`.

    Where such a value is not a constant, `tfx-constexpr` says so and fails; or, with its option `dynamic=host`, it marks the operation as `eager`.
    An eager operation belongs to the host, which runs it by itself with the values that the attributes have then: its operands are copied to the
    host, its results back, and each run of it is a program of one operation. A front end may write the mark itself, for one operation. In the
    same run, attributes that are constants are written all the same, and where all are, the mark goes.

    ```mlir
    func.func @mean_eagerly(%x: tensor<8x8xf32>, %axis: tensor<i32>, %keep: i1) -> tensor<?x?xf32> {
      %y = tfx_tensor.op "Mean"(%x, %axis) computed(keep_dims = %keep : i1) {eager} : (tensor<8x8xf32>, tensor<i32>) -> tensor<?x?xf32>
      return %y : tensor<?x?xf32>
    }
    ```

    An eager operation cannot take or give resources and variants, which the host does not hold, and its attribute cannot be a tensor. One that draws
    random numbers begins anew in each run, as a program does.
  }];
  let arguments = (ins StrAttr:$tf_name, Variadic<AnyType>:$operands, OptionalAttr<StrArrayAttr>:$computed, OptionalAttr<StrAttr>:$device,
                   UnitAttr:$eager);
  let results = (outs Variadic<AnyTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many of the last operands are values of attributes.
    unsigned getNumComputed() { return getComputed() ? getComputed()->size() : 0; }
  }];
}

def TfxTensor_ConstOp : TfxTensor_Op<"const", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
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
  let summary = "A tensor of rank 0 that holds a scalar";
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
  let summary = "The scalar in a tensor of one element";
  let description = [{
    A tensor of element type `i64` may also be read as `index`.

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
  let summary = "Ends a region of functional control flow";
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
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` type($results)^)? $then_region `else` $else_region attr-dict
  }];
  let hasVerifier = 1;
}

def TfxTensor_CaseOp : TfxTensor_Op<"case", [RecursiveMemoryEffects, NoRegionArguments, SingleBlock]> {
  let summary = "TensorFlow's `Case`: runs the region of an index, the last one where the index is outside";
  let description = [{
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
  let assemblyFormat = "$index `:` type($index) (`->` type($results)^)? $branches attr-dict";
  let hasVerifier = 1;
}

def TfxTensor_WhileOp : TfxTensor_Op<"while", [RecursiveMemoryEffects, SingleBlock,
                                               DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "TensorFlow's `While`: a condition and a body over loop-carried tensors";
  let description = [{
    Both regions take the loop-carried values. The condition yields one boolean, the body the values of the next trip.
    `%i: type = %init` where the condition takes a value as another type than its initial value has, such as one with fewer sizes known.

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
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def TfxTensor_GraphOp : TfxTensor_Op<"graph", [IsolatedFromAbove, AffineScope, AutomaticAllocationScope, FunctionOpInterface,
                                               SymbolUserOpInterface]> {
  let summary = "A graph: a program that the host starts, or a function that other graphs call";
  let description = [{
    The channels through which a running program talks with its host are declared with it.

    ```mlir
    tfx_tensor.graph @double(%x: tensor<f32>) -> tensor<f32> {
      %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      tfx_tensor.return %y : tensor<f32>
    }
    tfx_tensor.graph @echo() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
      %x = tfx_comm.recv from 0 : tensor<f32>
      tfx_comm.send %x to 1 : tensor<f32>
      tfx_tensor.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       TypeAttrOf<FunctionType>:$function_type, OptionalAttr<ArrayAttr>:$channels,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::llvm::LogicalResult verifySymbolUses(::mlir::SymbolTableCollection &symbols) { return ::mlir::success(); }
  }];
}

def TfxTensor_ReturnOp : TfxTensor_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"GraphOp">]> {
  let summary = "Ends a graph with its results";
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

def TfxTensor_CallOp : TfxTensor_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                             DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a graph as a function of this graph";
  let description = [{
    Operands and results may know more or fewer sizes than the graph that is called. `pure` says that nothing in it has state: a call whose results are
    not used may go, and calls may change their order. `compiled` has XLA compile the graph that is called, as `tfx-cluster-xla` does.

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
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$arguments, UnitAttr:$pure, UnitAttr:$compiled,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $results)";
  let extraClassDeclaration = [{
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() { return getArguments(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getArgumentsMutable(); }
  }];
}

#endif // TFX_TENSOR_OPS
