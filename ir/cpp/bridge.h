//===- bridge.h - the C++ functions that the Rust half of tfx-ir calls -----===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// The C interface of the bridge; `src/ffi` declares the same functions. The
// bridge has only what MLIR's C API lacks and contains no algorithms: each
// function forwards one call.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_IR_BRIDGE_H
#define TFX_IR_BRIDGE_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

extern "C" {

//===-- Passes ------------------------------------------------------------===//

enum TfxOptionKind : int32_t { TFX_OPTION_STRING, TFX_OPTION_BOOL, TFX_OPTION_LIST };

struct TfxPassOption {
  MlirStringRef name;
  MlirStringRef description;
  /// The default as text; the elements of a list are separated by commas.
  MlirStringRef defaultValue;
  int32_t kind;
};

/// A pass that is written in Rust. The registration copies the strings.
struct TfxPassTable {
  MlirStringRef name;
  MlirStringRef argument;
  MlirStringRef description;
  /// The name of the operation that the pass runs on; empty for any operation.
  MlirStringRef anchor;
  const TfxPassOption *options;
  intptr_t numOptions;
  /// Allocate and free the state of one pass instance.
  void *(*create)();
  void (*destroy)(void *state);
  void (*dependentDialects)(MlirDialectRegistry registry);
  /// Sets the options from text, in the order of `options`. On an invalid value, passes the reason
  /// to `error` and returns false.
  bool (*configure)(void *state, const MlirStringRef *values, intptr_t numValues,
                    MlirStringCallback error, void *errorData);
  /// Returns false if the pass failed; it has then reported the reason.
  bool (*run)(void *state, MlirOperation op);
};

void tfxRegisterPass(const TfxPassTable *table);

/// Adds everything in `source` to `target`.
void tfxRegistryAppend(MlirDialectRegistry target, MlirDialectRegistry source);

/// Passes the text of a pipeline (without an anchor) for `options`, such as `a=1 b`, to `callback`.
/// On invalid options, passes the reason instead and returns false.
typedef bool (*TfxPipelineText)(const void *pipeline, MlirStringRef options,
                                MlirStringCallback callback, void *callbackData);

/// Registers the pipeline `name`. `pipeline` is the first argument of `text` and must live as long
/// as the process.
void tfxRegisterPipeline(MlirStringRef name, MlirStringRef description, TfxPipelineText text,
                         const void *pipeline);

/// Returns whether a pass or a pipeline of that name is registered.
bool tfxIsPassRegistered(MlirStringRef argument);

/// Parses `text`, which includes the anchor `builtin.module(...)`, and runs the pipeline on `op`.
bool tfxRunPipeline(MlirOperation op, MlirStringRef text, bool verify, MlirStringCallback error,
                    void *errorData);

/// Parses `text`, which has no anchor, and runs the pipeline on `op` as a part of the pass that
/// runs on this thread. `op` is the operation that this pass runs on, or is nested in it.
bool tfxRunNestedPipeline(MlirOperation op, MlirStringRef text, MlirStringCallback error,
                          void *errorData);

/// Parses `text`, which includes its anchor, and prints the pipeline with all options.
bool tfxPrintPipeline(MlirStringRef text, MlirStringCallback print, void *printData,
                      MlirStringCallback error, void *errorData);

//===-- Dialects ----------------------------------------------------------===//

/// Passes the full name of each operation of a loaded dialect to `callback`, each followed by a
/// line break.
void tfxForEachOperationOf(MlirContext context, MlirStringRef dialect, MlirStringCallback callback,
                           void *callbackData);

//===-- Diagnostics -------------------------------------------------------===//

/// `severity` is an `MlirDiagnosticSeverity`.
void tfxEmitDiagnostic(MlirLocation location, int32_t severity, MlirStringRef message,
                       intptr_t numNotes, const MlirLocation *noteLocations,
                       const MlirStringRef *noteMessages);

/// Creates a handler that prints diagnostics with their source line and a caret until it is
/// destroyed. A null `print` selects standard error.
void *tfxSourcePrinterCreate(MlirContext context, MlirStringRef bufferName, MlirStringRef text,
                             MlirStringCallback print, void *printData);
void tfxSourcePrinterDestroy(void *printer);

//===-- IR ----------------------------------------------------------------===//

/// Parses text or bytecode as a module, with `name` as the file in all locations. Returns null on
/// an error.
MlirModule tfxParseModule(MlirContext context, MlirStringRef text, MlirStringRef name, bool verify);

/// The parts of a new operation.
struct TfxNewOperation {
  MlirStringRef name;
  MlirLocation location;
  const MlirValue *operands;
  intptr_t numOperands;
  const MlirType *results;
  intptr_t numResults;
  const MlirNamedAttribute *attributes;
  intptr_t numAttributes;
  const MlirBlock *successors;
  intptr_t numSuccessors;
  /// The number of empty regions.
  unsigned numRegions;
};

/// Creates a detached operation. mlirOperationCreate() copies each of these lists once more and
/// allocates each region separately.
MlirOperation tfxOperationCreate(const TfxNewOperation *parts);

MlirOperation tfxOperationGetPrevInBlock(MlirOperation op);
MlirBlock tfxBlockGetPrevInRegion(MlirBlock block);
MlirOperation tfxBlockGetLastOperation(MlirBlock block);
MlirBlock tfxRegionGetLastBlock(MlirRegion region);
MlirOperation tfxRegionGetParentOperation(MlirRegion region);
intptr_t tfxRegionGetNumber(MlirRegion region);
void tfxBlockForEachPredecessor(MlirBlock block,
                                void (*visit)(void *data, MlirOperation terminator, intptr_t index),
                                void *data);

/// Moves the operations [first, last) of `source` before `before` in `target`. A null `before` or
/// `last` is the end of its block.
void tfxBlockSplice(MlirBlock target, MlirOperation before, MlirBlock source, MlirOperation first,
                    MlirOperation last);
/// Moves all blocks of `source` before `before` in `target`. A null `before` is the end.
void tfxRegionSplice(MlirRegion target, MlirBlock before, MlirRegion source);
/// Moves `op` and all operations after it into a new block after `block`.
MlirBlock tfxBlockSplit(MlirBlock block, MlirOperation op);
void tfxBlockDropAllReferences(MlirBlock block);
void tfxOperationDropAllReferences(MlirOperation op);

void *tfxMappingCreate();
void tfxMappingDestroy(void *mapping);
void tfxMappingMapValue(void *mapping, MlirValue from, MlirValue to);
void tfxMappingMapBlock(void *mapping, MlirBlock from, MlirBlock to);
/// The lookups return null for a key that is not mapped.
MlirValue tfxMappingLookupValue(void *mapping, MlirValue from);
MlirBlock tfxMappingLookupBlock(void *mapping, MlirBlock from);
MlirOperation tfxMappingLookupOperation(void *mapping, MlirOperation from);
MlirOperation tfxOperationClone(MlirOperation op, void *mapping, bool withRegions);
void tfxRegionCloneInto(MlirRegion source, MlirRegion target, MlirBlock before, void *mapping);

/// Replaces each occurrence of `from[i]` in `type` by `to[i]`, at any depth, outer types first.
MlirType tfxTypeReplace(MlirType type, intptr_t count, const MlirType *from, const MlirType *to);
/// Does the same in the results, block arguments and attributes of `op` and all nested operations.
void tfxOperationReplaceTypes(MlirOperation op, intptr_t count, const MlirType *from,
                              const MlirType *to);

struct TfxSuccessorOperands {
  /// True if the operation implements BranchOpInterface.
  bool isBranch;
  /// The number of leading block arguments that the branch itself produces.
  intptr_t produced;
  /// The range of the forwarded operands in the operation's operands.
  intptr_t first;
  intptr_t count;
};
TfxSuccessorOperands tfxSuccessorOperands(MlirOperation op, intptr_t successor);
void tfxSuccessorOperandsAppend(MlirOperation op, intptr_t successor, intptr_t n,
                                const MlirValue *values);
void tfxSuccessorOperandsErase(MlirOperation op, intptr_t successor, intptr_t index);

enum TfxTrait : int32_t {
  TFX_TRAIT_TERMINATOR,
  TFX_TRAIT_RETURN_LIKE,
  TFX_TRAIT_CONSTANT_LIKE,
  TFX_TRAIT_ISOLATED_FROM_ABOVE,
  TFX_TRAIT_SYMBOL_TABLE,
  TFX_TRAIT_COMMUTATIVE,
  TFX_TRAIT_SYMBOL,
  TFX_TRAIT_FUNCTION,
  TFX_TRAIT_CALL,
  TFX_TRAIT_BRANCH,
  TFX_TRAIT_REGION_BRANCH,
  TFX_TRAIT_LOOP,
  TFX_TRAIT_REGISTERED,
};
bool tfxOperationHasTrait(MlirOperation op, int32_t trait);
bool tfxOperationIsPure(MlirOperation op);
bool tfxOperationIsTriviallyDead(MlirOperation op);
bool tfxOperationWouldBeTriviallyDead(MlirOperation op);
bool tfxOperationIsSpeculatable(MlirOperation op);

enum TfxEffects : int32_t {
  TFX_EFFECT_READ = 1,
  TFX_EFFECT_WRITE = 2,
  TFX_EFFECT_ALLOCATE = 4,
  TFX_EFFECT_FREE = 8,
  TFX_EFFECT_UNKNOWN = 16,
};
int32_t tfxOperationEffects(MlirOperation op);

/// Returns all attributes of `op` as one dictionary. For an operation with properties, each call of
/// MLIR's own accessors builds a new dictionary.
MlirAttribute tfxOperationAttributes(MlirOperation op);
/// Returns the value of a constant-like operation, or null.
MlirAttribute tfxOperationConstantValue(MlirOperation op);
/// Folds `op` with the constant values of its operands; an unknown one is null. Each result is
/// stored as an attribute or as a value. Returns false if `op` does not fold.
bool tfxOperationFold(MlirOperation op, const MlirAttribute *operands, MlirAttribute *attributes,
                      MlirValue *values);

//===-- The optimizer driver ----------------------------------------------===//

/// Runs MLIR's driver on a command line, which starts with the tool's name, and returns the exit
/// code. Calls each callback once, in this order, before it parses the command line.
int32_t tfxOptMain(int32_t numArguments, const char **arguments,
                   void (*registerDialects)(MlirDialectRegistry registry, void *data),
                   void (*registerPasses)(void *data), void *data);

//===-- The language server -----------------------------------------------===//

/// Runs MLIR's language server on standard input and output until it ends, and returns the exit
/// code. `arguments` starts with the tool's name.
int32_t tfxLspServerMain(int32_t numArguments, const char **arguments,
                         MlirDialectRegistry registry);

} // extern "C"

#endif // TFX_IR_BRIDGE_H
