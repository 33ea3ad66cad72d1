//===- AdOps.td - the operations of the tfx_ad dialect ---------*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_AD_OPS
#define TFX_AD_OPS

include "ad/AdDialect.td"
include "host/HostDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TfxAd_Op<string mnemonic, list<Trait> traits = []>
    : Op<TfxAd_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

// The callee is a symbol, or a closure with its type: `%f of !tfx_host.closure<...>`.
class TfxAd_Derivative<string mnemonic>
    : TfxAd_Op<mnemonic, [
        AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let results = (outs Variadic<AnyType>:$results);
}

def TfxAd_GradientOp : TfxAd_Derivative<"gradient"> {
  let summary = "Calls a function and returns the gradient of its result";
  let description = [{
    The function has one result, a float or a tensor of one float. The operation returns the
    derivative of the result with respect to each parameter in `wrt`, of the parameter's tangent
    type. With `value`, the result of the function comes first.

    ```mlir
    func.func private @square(%x: f64) -> f64 {
      %y = arith.mulf %x, %x : f64
      return %y : f64
    }
    func.func @f(%x: f64) -> (f64, f64, f64) {
      %slope = tfx_ad.gradient @square(%x) wrt [0] : (f64) -> f64
      %y, %dy = tfx_ad.gradient @square(%x) wrt [0] value : (f64) -> (f64, f64)
      return %slope, %y, %dy : f64, f64, f64
    }
    ```

    The function may be a closure, whose captures are constants of the derivative:

    ```mlir
    func.func private @scale(%k: f64, %x: f64) -> f64 {
      %y = arith.mulf %k, %x : f64
      return %y : f64
    }
    func.func @g(%k: f64, %x: f64) -> f64 {
      %c = tfx_host.closure @scale(%k) : (f64) -> !tfx_host.closure<(f64) -> f64>
      %dx = tfx_ad.gradient %c of !tfx_host.closure<(f64) -> f64> (%x) wrt [0] : (f64) -> f64
      return %dx : f64
    }
    ```
  }];
  let arguments = (ins
    OptionalAttr<FlatSymbolRefAttr>:$callee, Optional<TfxHost_ClosureType>:$closure,
    Variadic<AnyType>:$arguments, DenseI64ArrayAttr:$wrt, UnitAttr:$value
  );
  let assemblyFormat = [{
    custom<Callee>($callee, $closure, type($closure)) `(` $arguments `)` `wrt` custom<Wrt>($wrt)
    (`value` $value^)? attr-dict `:` functional-type($arguments, $results)
  }];
}

def TfxAd_VjpOp : TfxAd_Derivative<"vjp"> {
  let summary = "Calls a function and returns its results and its pullback";
  let description = [{
    The pullback is a closure from a cotangent of each result that has a tangent type to the
    tangents of the parameters in `wrt`: a vector-Jacobian product. It may be applied any number of
    times.

    ```mlir
    func.func private @norm(%x: f64, %y: f64) -> f64 {
      %xx = arith.mulf %x, %x : f64
      %yy = arith.mulf %y, %y : f64
      %r = arith.addf %xx, %yy : f64
      return %r : f64
    }
    func.func @f(%x: f64, %y: f64) -> (f64, f64) {
      %one = arith.constant 1.0 : f64
      %r, %pullback = tfx_ad.vjp @norm(%x, %y) wrt [0, 1]
          : (f64, f64) -> (f64, !tfx_host.closure<(f64) -> (f64, f64)>)
      %d:2 = tfx_host.apply %pullback(%one) : !tfx_host.closure<(f64) -> (f64, f64)>
      return %d#0, %d#1 : f64, f64
    }
    ```
  }];
  let arguments = (ins
    OptionalAttr<FlatSymbolRefAttr>:$callee, Optional<TfxHost_ClosureType>:$closure,
    Variadic<AnyType>:$arguments, DenseI64ArrayAttr:$wrt
  );
  let assemblyFormat = [{
    custom<Callee>($callee, $closure, type($closure)) `(` $arguments `)` `wrt` custom<Wrt>($wrt)
    attr-dict `:` functional-type($arguments, $results)
  }];
}

def TfxAd_JvpOp : TfxAd_Derivative<"jvp"> {
  let summary = "Calls a function and returns its results and their directional derivatives";
  let description = [{
    `tangents` has a tangent for each parameter in `wrt`. The results of the function come first,
    then a tangent for each result that has a tangent type: a Jacobian-vector product.

    ```mlir
    func.func private @cube(%x: f64) -> f64 {
      %xx = arith.mulf %x, %x : f64
      %y = arith.mulf %xx, %x : f64
      return %y : f64
    }
    func.func @f(%x: f64, %dx: f64) -> (f64, f64) {
      %y, %dy = tfx_ad.jvp @cube(%x) tangents(%dx : f64) wrt [0] : (f64) -> (f64, f64)
      return %y, %dy : f64, f64
    }
    ```
  }];
  let arguments = (ins
    OptionalAttr<FlatSymbolRefAttr>:$callee, Optional<TfxHost_ClosureType>:$closure,
    Variadic<AnyType>:$arguments, Variadic<AnyType>:$tangents, DenseI64ArrayAttr:$wrt
  );
  let assemblyFormat = [{
    custom<Callee>($callee, $closure, type($closure)) `(` $arguments `)`
    `tangents` `(` $tangents `:` type($tangents) `)` `wrt` custom<Wrt>($wrt)
    attr-dict `:` functional-type($arguments, $results)
  }];
}

//===----------------------------------------------------------------------===//
// Control of derivatives
//===----------------------------------------------------------------------===//

def TfxAd_StopOp : TfxAd_Op<"stop", [Pure, SameOperandsAndResultType]> {
  let summary = "Returns its operand, as a constant of every derivative";
  let description = [{
    ```mlir
    func.func private @f(%x: f64) -> f64 {
      %constant = tfx_ad.stop %x : f64
      %y = arith.mulf %x, %constant : f64
      return %y : f64
    }
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def TfxAd_SaveOp : TfxAd_Op<"save", [Pure, SameOperandsAndResultType]> {
  let summary = "Returns its operand, which a derivative keeps and does not compute again";
  let description = [{
    A derivative computes some values of a loop again, if that costs less than to keep them. A value
    that is marked is never computed again: if the derivative needs it, the derivative keeps it. The
    iterations of a loop with checkpoints run again, those of marked values included.

    ```mlir
    func.func private @f(%x: f64, %n: index) -> f64 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (f64) {
        %product = arith.mulf %v, %x : f64
        %kept = tfx_ad.save %product : f64
        %w = math.sin %kept : f64
        scf.yield %w : f64
      }
      return %y : f64
    }
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

// Two of them are never one: each passes its own cotangent to the function, which need not be
// linear. An allocation expresses that to `cse`.
def TfxAd_WithCotangentOp : TfxAd_Op<"with_cotangent", [
    SameOperandsAndResultType, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Returns its operand, whose cotangent goes through a function";
  let description = [{
    The function maps the cotangent of the result to that of the operand: it clips, scales or prints
    gradients. Derivatives of forward mode ignore it.

    ```mlir
    func.func private @halve(%dx: f64) -> f64 {
      %half = arith.constant 0.5 : f64
      %d = arith.mulf %dx, %half : f64
      return %d : f64
    }
    func.func private @f(%x: f64) -> f64 {
      %same = tfx_ad.with_cotangent %x, @halve : f64
      %y = arith.mulf %same, %same : f64
      return %y : f64
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyFloat, AnyTensor]>:$value, FlatSymbolRefAttr:$callee);
  let results = (outs Res<AnyTypeOf<[AnyFloat, AnyTensor]>, "", [MemAlloc]>:$result);
  let assemblyFormat = "$value `,` $callee attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Tapes
//===----------------------------------------------------------------------===//

def TfxAd_EmptyTapeOp : TfxAd_Op<"empty_tape", [Pure]> {
  let summary = "Returns an empty tape";
  let description = [{
    ```mlir
    func.func @f(%x: f64) -> f64 {
      %empty = tfx_ad.empty_tape : !tfx_ad.tape<f64>
      %tape = tfx_ad.push %x to %empty : !tfx_ad.tape<f64>
      %rest, %y = tfx_ad.pop %tape : !tfx_ad.tape<f64>
      return %y : f64
    }
    ```
  }];
  let results = (outs TfxAd_TapeType:$tape);
  let assemblyFormat = "attr-dict `:` type($tape)";
}

def TfxAd_PushOp : TfxAd_Op<"push", [Pure, AllTypesMatch<["tape", "result"]>,
    TypesMatchWith<"the value has the element type of the tape", "tape", "value",
                   "::llvm::cast<::tfx::ad::TapeType>($_self).getElement()">]> {
  let summary = "Returns a tape with one more value";
  let description = [{
    ```mlir
    func.func @f(%tape: !tfx_ad.tape<f64>, %x: f64) -> !tfx_ad.tape<f64> {
      %longer = tfx_ad.push %x to %tape : !tfx_ad.tape<f64>
      return %longer : !tfx_ad.tape<f64>
    }
    ```
  }];
  let arguments = (ins AnyType:$value, TfxAd_TapeType:$tape);
  let results = (outs TfxAd_TapeType:$result);
  let assemblyFormat = "$value `to` $tape attr-dict `:` type($tape)";
}

def TfxAd_PopOp : TfxAd_Op<"pop", [Pure, AllTypesMatch<["tape", "rest"]>,
    TypesMatchWith<"the value has the element type of the tape", "tape", "value",
                   "::llvm::cast<::tfx::ad::TapeType>($_self).getElement()">]> {
  let summary = "Returns a tape without its last value, and that value";
  let description = [{
    The tape is not empty: `tfx-differentiate` creates as many pushes as pops.

    ```mlir
    func.func @f(%tape: !tfx_ad.tape<f64>) -> (!tfx_ad.tape<f64>, f64) {
      %rest, %x = tfx_ad.pop %tape : !tfx_ad.tape<f64>
      return %rest, %x : !tfx_ad.tape<f64>, f64
    }
    ```
  }];
  let arguments = (ins TfxAd_TapeType:$tape);
  let results = (outs TfxAd_TapeType:$rest, AnyType:$value);
  let assemblyFormat = "$tape attr-dict `:` type($tape)";
}

def TfxAd_TapeLengthOp : TfxAd_Op<"tape_length", [Pure]> {
  let summary = "Returns the number of values on a tape";
  let description = [{
    ```mlir
    func.func @f(%tape: !tfx_ad.tape<f64>) -> i64 {
      %n = tfx_ad.tape_length %tape : !tfx_ad.tape<f64>
      return %n : i64
    }
    ```
  }];
  let arguments = (ins TfxAd_TapeType:$tape);
  let results = (outs I64:$length);
  let assemblyFormat = "$tape attr-dict `:` type($tape)";
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

// The effect keeps it in its loop.
def TfxAd_CheckpointedOp : TfxAd_Op<"checkpointed", [MemoryEffects<[MemWrite]>]> {
  let summary = "Marks the innermost loop around it";
  let description = [{
    `tfx-differentiate` turns the attribute `tfx_ad.checkpoint` into this operation in its own copy
    of a function, where loops become blocks and loops again.

    ```mlir
    func.func private @f(%n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        tfx_ad.checkpointed <periodic<10>>
      }
      return
    }
    ```
  }];
  let arguments = (ins TfxAd_CheckpointAttr:$scheme);
  let assemblyFormat = "$scheme attr-dict";
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

def TfxAd_ScaleOp : TfxAd_Op<"scale", [Pure, SameOperandsAndResultType]> {
  let summary = "Multiplies a cotangent by a partial derivative, where zero stays zero";
  let description = [{
    The result is zero if the cotangent is zero, even if the partial derivative is infinite or not
    a number: a path that was not taken has no influence. Only rules contain it; `tfx-differentiate`
    replaces it with a product and a selection.

    ```mlir
    func.func @f(%slope: f64, %dz: f64) -> f64 {
      %dx = tfx_ad.scale %dz by %slope : f64
      return %dx : f64
    }
    ```
  }];
  let arguments = (ins AnyFloat:$cotangent, AnyFloat:$partial);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$cotangent `by` $partial attr-dict `:` type($result)";
}

def TfxAd_SumToOp : TfxAd_Op<"sum_to", [Pure]> {
  let summary = "Sums a tensor over the dimensions along which another one was broadcast";
  let description = [{
    The result has the shape of `like`, which broadcasts to the shape of `value`: the transpose of
    the broadcast. Only rules contain it; `tfx-differentiate` replaces it with operations of
    TensorFlow, or with nothing if the two shapes are equal.

    ```mlir
    func.func @f(%dz: tensor<*xf64>, %x: tensor<*xf64>) -> tensor<*xf64> {
      %dx = tfx_ad.sum_to %dz, %x : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
      return %dx : tensor<*xf64>
    }
    ```
  }];
  let arguments = (ins AnyTensor:$value, AnyTensor:$like);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$value `,` $like attr-dict `:` functional-type(operands, $result)";
}

#endif // TFX_AD_OPS
