//===- bridge.h - What the Rust half of tfx-ir calls ----------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// The C interface of the bridge; `src/ffi.rs` declares the same. Only what the
// MLIR C API lacks is here, and no algorithm: each function hands one call on.
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
  /// The default as text; for a list, its elements separated by commas.
  MlirStringRef defaultValue;
  int32_t kind;
};

/// A pass that is written in Rust. Strings are copied by the registration.
struct TfxPassTable {
  MlirStringRef name;
  MlirStringRef argument;
  MlirStringRef description;
  /// The operation that the pass runs on; empty for any.
  MlirStringRef anchor;
  const TfxPassOption *options;
  intptr_t numOptions;
  /// Makes the state of one pass instance, and frees it.
  void *(*create)();
  void (*destroy)(void *state);
  void (*dependentDialects)(MlirDialectRegistry registry);
  /// Takes the options as text, in the order of `options`. On a bad value it
  /// gives `error` the reason and returns false.
  bool (*configure)(void *state, const MlirStringRef *values, intptr_t numValues,
                    MlirStringCallback error, void *errorData);
  /// Returns false if the pass failed (and has said why).
  bool (*run)(void *state, MlirOperation op);
};

void tfxRegisterPass(const TfxPassTable *table);

/// Adds everything in `source` to `target`.
void tfxRegistryAppend(MlirDialectRegistry target, MlirDialectRegistry source);

/// Gives `give` the text of a pipeline (without an anchor) for `options`, as in `a=1 b`, or returns
/// false and gives it what is wrong with them.
typedef bool (*TfxPipelineText)(const void *pipeline, MlirStringRef options,
                                MlirStringCallback give, void *giveData);

/// Registers the pipeline `name`. `pipeline` is for `text` and lives as long as the process.
void tfxRegisterPipeline(MlirStringRef name, MlirStringRef description, TfxPipelineText text,
                         const void *pipeline);

/// Whether a pass or a pipeline of that name is registered.
bool tfxIsPassRegistered(MlirStringRef argument);

/// Parses `text`, with its `builtin.module(...)` anchor, runs it on `op`.
bool tfxRunPipeline(MlirOperation op, MlirStringRef text, bool verify, MlirStringCallback error,
                    void *errorData);

/// Parses `text`, without an anchor, and runs it on `op` as a part of the pass that runs on this
/// thread. `op` is what that pass runs on, or inside of it.
bool tfxRunNestedPipeline(MlirOperation op, MlirStringRef text, MlirStringCallback error,
                          void *errorData);

/// Parses `text`, with its anchor, and prints it back in full.
bool tfxPrintPipeline(MlirStringRef text, MlirStringCallback print, void *printData,
                      MlirStringCallback error, void *errorData);

//===-- Dialects ----------------------------------------------------------===//

/// Gives `give` the full name of each operation that a loaded dialect registers, and a line break
/// after it.
void tfxForEachOperationOf(MlirContext context, MlirStringRef dialect, MlirStringCallback give,
                           void *giveData);

//===-- Diagnostics -------------------------------------------------------===//

/// `severity` is an `MlirDiagnosticSeverity`.
void tfxEmitDiagnostic(MlirLocation location, int32_t severity, MlirStringRef message,
                       intptr_t numNotes, const MlirLocation *noteLocations,
                       const MlirStringRef *noteMessages);

/// Prints diagnostics with their source line and a caret, until destroyed.
/// A null `print` means standard error.
void *tfxSourcePrinterCreate(MlirContext context, MlirStringRef bufferName, MlirStringRef text,
                             MlirStringCallback print, void *printData);
void tfxSourcePrinterDestroy(void *printer);

//===-- IR ----------------------------------------------------------------===//

/// Parses text (or bytecode) as a module, with `name` as the file in all locations. Null on an
/// error.
MlirModule tfxParseModule(MlirContext context, MlirStringRef text, MlirStringRef name, bool verify);

/// What an operation is made of.
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
  /// Empty regions.
  unsigned numRegions;
};

/// A detached operation. mlirOperationCreate() copies each of these lists once more into memory of
/// its own, and makes each region by itself.
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

/// Moves [first, last) of `source` before `before` (null: to the end) of `target`; a null `last` is
/// the end.
void tfxBlockSplice(MlirBlock target, MlirOperation before, MlirBlock source, MlirOperation first,
                    MlirOperation last);
/// Moves all blocks of `source` before `before` (null: to the end) of `target`.
void tfxRegionSplice(MlirRegion target, MlirBlock before, MlirRegion source);
/// Moves `op` and all after it into a new block that follows.
MlirBlock tfxBlockSplit(MlirBlock block, MlirOperation op);
void tfxBlockDropAllReferences(MlirBlock block);
void tfxOperationDropAllReferences(MlirOperation op);

void *tfxMappingCreate();
void tfxMappingDestroy(void *mapping);
void tfxMappingMapValue(void *mapping, MlirValue from, MlirValue to);
void tfxMappingMapBlock(void *mapping, MlirBlock from, MlirBlock to);
/// Null where nothing was mapped.
MlirValue tfxMappingLookupValue(void *mapping, MlirValue from);
MlirBlock tfxMappingLookupBlock(void *mapping, MlirBlock from);
MlirOperation tfxMappingLookupOperation(void *mapping, MlirOperation from);
MlirOperation tfxOperationClone(MlirOperation op, void *mapping, bool withRegions);
void tfxRegionCloneInto(MlirRegion source, MlirRegion target, MlirBlock before, void *mapping);

/// `type` with each type that is `from[i]` replaced by `to[i]`, outer ones first, at any depth.
MlirType tfxTypeReplace(MlirType type, intptr_t count, const MlirType *from, const MlirType *to);
/// The same in the results, the block arguments and the attributes of `op` and of all inside.
void tfxOperationReplaceTypes(MlirOperation op, intptr_t count, const MlirType *from,
                              const MlirType *to);

struct TfxSuccessorOperands {
  /// Whether the operation is a branch in the sense of BranchOpInterface.
  bool isBranch;
  /// Leading block arguments that the branch itself produces.
  intptr_t produced;
  /// Where the forwarded operands are among the operation's operands.
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

/// All attributes of `op` as one dictionary. MLIR makes it anew for each call of its own accessors
/// where an operation has properties.
MlirAttribute tfxOperationAttributes(MlirOperation op);
/// The value of a constant-like operation, else null.
MlirAttribute tfxOperationConstantValue(MlirOperation op);
/// Folds `op` with `operands` (null where unknown) for its operands. Each result is given as an
/// attribute or as a value. Returns false where it does not fold.
bool tfxOperationFold(MlirOperation op, const MlirAttribute *operands, MlirAttribute *attributes,
                      MlirValue *values);

//===-- The optimizer driver ----------------------------------------------===//

/// Runs MLIR's driver on a command line, the tool's name first; returns the exit code. The
/// callbacks are called once each, in this order, before the command line is parsed.
int32_t tfxOptMain(int32_t numArguments, const char **arguments,
                   void (*registerDialects)(MlirDialectRegistry registry, void *data),
                   void (*registerPasses)(void *data), void *data);

} // extern "C"

#endif // TFX_IR_BRIDGE_H
