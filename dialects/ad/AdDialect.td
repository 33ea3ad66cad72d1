//===- AdDialect.td - the tfx_ad dialect and its types ---------*- tablegen -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Derivatives of functions.

#ifndef TFX_AD_DIALECT
#define TFX_AD_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TfxAd_Dialect : Dialect {
  let name = "tfx_ad";
  let cppNamespace = "::tfx::ad";
  let summary = "Derivatives of functions";
  let description = [{
    A program asks for a derivative with `gradient`, `vjp` or `jvp`. `tfx-differentiate` replaces
    these operations with calls of functions that it derives from the source.

    The *tangent type* of a type is the type of its derivatives:

    | type | tangent type |
    |---|---|
    | a float, a tensor of floats | the same type |
    | a struct or a tuple whose parts all have tangents of their own type | the same type |
    | any other struct or tuple | a tuple of the tangents of the parts that have one |
    | an enum | an enum of the same cases, with tangents as payloads |
    | an array | an array of the tangents of the elements |
    | a closure | a tuple of the tangents of its captures; an enum if it has one of several functions |
    | an existential | the tangent of its value; an enum if it has one of several types |
    | an object | a tuple of the tangents of its fields |
    | an integer, a boolean, a string, a tensor of these | none |

    Derived functions store intermediate values of loops on *tapes*, which both sides of a program
    can have: lists of tensors in a graph, memory of the runtime on the host.
  }];
  let dependentDialects = [
    "::tfx::host::TfxHostDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect"
  ];
  let hasOperationAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

def TfxAd_TapeType : TypeDef<TfxAd_Dialect, "Tape"> {
  let mnemonic = "tape";
  let summary = "a stack of values";
  let description = [{
    A tape is a value: `push` and `pop` return the new tape. It cannot cross between host and graph.

    ```mlir
    func.func private @drain(!tfx_ad.tape<f32>)
    ```
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let genVerifyDecl = 1;
}

def TfxAd_Scheme : I32EnumAttr<"Scheme", "the choice of checkpoints", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Periodic", 1, "periodic">,
    I32EnumAttrCase<"Binomial", 2, "binomial">,
    I32EnumAttrCase<"Auto", 3, "auto">]> {
  let cppNamespace = "::tfx::ad";
  let genSpecializedAttr = 0;
}

def TfxAd_RuleAttr : AttrDef<TfxAd_Dialect, "Rule"> {
  let mnemonic = "rule";
  let summary = "The derivative of a function";
  let description = [{
    As the attribute `tfx_ad.rule` of a function, it replaces the derivative that
    `tfx-differentiate` would derive, or gives a foreign function one.

    `wrt` lists the parameters with respect to which the function is differentiated. The function
    `forward` has the parameters of the function, and returns its results followed by any number of
    residuals. `backward` has the residuals and a cotangent for each result that has a tangent type
    as parameters, and returns a tangent for each parameter in `wrt`. `jvp` has the parameters of
    the function and a tangent for each parameter in `wrt` as parameters, and returns the results
    followed by a tangent for each result that has a tangent type. Either `forward` with `backward`
    or `jvp` suffices for derivatives of one mode.

    ```mlir
    func.func private @area(%r: f64) -> f64 attributes {
        tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @area.forward, backward = @area.backward>}
    func.func private @area.forward(%r: f64) -> (f64, f64) {
      %a = func.call @area(%r) : (f64) -> f64
      return %a, %r : f64, f64
    }
    func.func private @area.backward(%r: f64, %da: f64) -> f64 {
      %two_pi = arith.constant 6.283185307179586 : f64
      %slope = arith.mulf %two_pi, %r : f64
      %dr = arith.mulf %slope, %da : f64
      return %dr : f64
    }
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$wrt,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$forward,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$backward,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$jvp
  );
  let assemblyFormat = [{
    `<` `wrt` `=` `[` $wrt `]` custom<Functions>($forward, $backward, $jvp) `>`
  }];
  let genVerifyDecl = 1;
}

def TfxAd_CheckpointAttr : AttrDef<TfxAd_Dialect, "Checkpoint"> {
  let mnemonic = "checkpoint";
  let summary = "The values that a loop keeps for its derivative in reverse mode";
  let description = [{
    As the attribute `tfx_ad.checkpoint` of an `scf.for` or `scf.while`, it says what the loop keeps:
    the values of each iteration on tapes, or *checkpoints*, which are the values that the loop
    carries, at the start of some iterations. What is missing is computed again from the checkpoint
    before. As the attribute of a function, it holds for the loops in its body that have no own
    attribute.

    | scheme | checkpoints |
    |---|---|
    | `none` | none: each value that the derivative needs is on a tape |
    | `periodic<k>` | one for each `k` iterations; the tapes of `k` iterations exist at a time |
    | `binomial<slots>` | at most `slots`, at the iterations for which the least is computed again; the tapes of one iteration exist at a time |
    | `auto` | none if the tapes are small, binomial otherwise |

    ```mlir
    func.func private @f(%x: f64, %n: index) -> f64 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (f64) {
        %s = math.sin %v : f64
        scf.yield %s : f64
      } {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<64>>}
      return %y : f64
    }
    ```
  }];
  let parameters = (ins
    EnumParameter<TfxAd_Scheme>:$scheme,
    DefaultValuedParameter<"int64_t", "0">:$number
  );
  let assemblyFormat = "`<` custom<Scheme>($scheme, $number) `>`";
  let genVerifyDecl = 1;
}

#endif // TFX_AD_DIALECT
