//===- ir.cpp - IR functions that MLIR's C API lacks ----------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

#include <string>

using namespace mlir;

MlirModule tfxParseModule(MlirContext context, MlirStringRef text, MlirStringRef name,
                          bool verify) {
  ParserConfig config(unwrap(context), verify);
  // The lexer reads the character after each token, so the text must end with NUL.
  std::string terminated = unwrap(text).str();
  return wrap(parseSourceString<ModuleOp>(terminated, config, unwrap(name)).release());
}

//===-- Dialects ----------------------------------------------------------===//

void tfxForEachOperationOf(MlirContext context, MlirStringRef dialect, MlirStringCallback callback,
                           void *callbackData) {
  // getRegisteredOperationsByDialect() of MLIR 22 finds no operations: the comparison of its binary
  // search is not a strict weak ordering.
  for (RegisteredOperationName name : unwrap(context)->getRegisteredOperations()) {
    if (name.getDialectNamespace() != unwrap(dialect))
      continue;
    callback(wrap(name.getStringRef()), callbackData);
    callback(wrap(StringRef("\n")), callbackData);
  }
}

//===-- Creating operations -----------------------------------------------===//

MlirOperation tfxOperationCreate(const TfxNewOperation *parts) {
  Location location = unwrap(parts->location);
  SmallVector<Value, 4> operands;
  (void)unwrapList(parts->numOperands, parts->operands, operands);
  SmallVector<Type, 4> results;
  (void)unwrapList(parts->numResults, parts->results, results);
  SmallVector<Block *, 2> successors;
  (void)unwrapList(parts->numSuccessors, parts->successors, successors);
  OperationName name(unwrap(parts->name), location.getContext());
  Operation *op = Operation::create(location, name, results, operands, NamedAttrList(),
                                    /*properties=*/nullptr, successors, parts->numRegions);
  // Inherent attributes one by one, since `Operation::create` would unique a dictionary of all,
  // only to take it apart. The numbers of channels, for example, are all different.
  NamedAttrList discardable;
  for (const MlirNamedAttribute &attribute : ArrayRef(parts->attributes, parts->numAttributes)) {
    StringAttr key = unwrap(attribute.name);
    if (op->getPropertiesStorageSize() && op->getInherentAttr(key))
      op->setInherentAttr(key, unwrap(attribute.attribute));
    else
      discardable.push_back(NamedAttribute(key, unwrap(attribute.attribute)));
  }
  if (!discardable.empty())
    op->setDiscardableAttrs(discardable.getDictionary(location.getContext()));
  return wrap(op);
}

//===-- Neighbors ---------------------------------------------------------===//

MlirOperation tfxOperationGetPrevInBlock(MlirOperation op) {
  return wrap(unwrap(op)->getPrevNode());
}
MlirBlock tfxBlockGetPrevInRegion(MlirBlock block) { return wrap(unwrap(block)->getPrevNode()); }
MlirOperation tfxBlockGetLastOperation(MlirBlock block) {
  return wrap(unwrap(block)->empty() ? nullptr : &unwrap(block)->back());
}
MlirBlock tfxRegionGetLastBlock(MlirRegion region) {
  return wrap(unwrap(region)->empty() ? nullptr : &unwrap(region)->back());
}
MlirOperation tfxRegionGetParentOperation(MlirRegion region) {
  return wrap(unwrap(region)->getParentOp());
}
intptr_t tfxRegionGetNumber(MlirRegion region) { return unwrap(region)->getRegionNumber(); }

void tfxBlockForEachPredecessor(MlirBlock block,
                                void (*visit)(void *data, MlirOperation terminator, intptr_t index),
                                void *data) {
  for (BlockOperand &use : unwrap(block)->getUses())
    visit(data, wrap(use.getOwner()), use.getOperandNumber());
}

//===-- Moving ------------------------------------------------------------===//

void tfxBlockSplice(MlirBlock target, MlirOperation before, MlirBlock source, MlirOperation first,
                    MlirOperation last) {
  Block *to = unwrap(target), *from = unwrap(source);
  Block::iterator position = before.ptr ? Block::iterator(unwrap(before)) : to->end();
  Block::iterator begin = first.ptr ? Block::iterator(unwrap(first)) : from->begin();
  Block::iterator end = last.ptr ? Block::iterator(unwrap(last)) : from->end();
  to->getOperations().splice(position, from->getOperations(), begin, end);
}

void tfxRegionSplice(MlirRegion target, MlirBlock before, MlirRegion source) {
  Region::BlockListType &to = unwrap(target)->getBlocks();
  to.splice(before.ptr ? Region::iterator(unwrap(before)) : to.end(), unwrap(source)->getBlocks());
}

MlirBlock tfxBlockSplit(MlirBlock block, MlirOperation op) {
  return wrap(unwrap(block)->splitBlock(unwrap(op)));
}

void tfxBlockDropAllReferences(MlirBlock block) {
  unwrap(block)->dropAllDefinedValueUses();
  unwrap(block)->dropAllReferences();
}
void tfxOperationDropAllReferences(MlirOperation op) { unwrap(op)->dropAllReferences(); }

//===-- Cloning -----------------------------------------------------------===//

static IRMapping &mappingOf(void *mapping) { return *static_cast<IRMapping *>(mapping); }

void *tfxMappingCreate() { return new IRMapping(); }
void tfxMappingDestroy(void *mapping) { delete static_cast<IRMapping *>(mapping); }
void tfxMappingMapValue(void *mapping, MlirValue from, MlirValue to) {
  mappingOf(mapping).map(unwrap(from), unwrap(to));
}
void tfxMappingMapBlock(void *mapping, MlirBlock from, MlirBlock to) {
  mappingOf(mapping).map(unwrap(from), unwrap(to));
}
MlirValue tfxMappingLookupValue(void *mapping, MlirValue from) {
  return wrap(mappingOf(mapping).lookupOrNull(unwrap(from)));
}
MlirBlock tfxMappingLookupBlock(void *mapping, MlirBlock from) {
  return wrap(mappingOf(mapping).lookupOrNull(unwrap(from)));
}
MlirOperation tfxMappingLookupOperation(void *mapping, MlirOperation from) {
  return wrap(mappingOf(mapping).lookupOrNull(unwrap(from)));
}
MlirOperation tfxOperationClone(MlirOperation op, void *mapping, bool withRegions) {
  Operation *source = unwrap(op);
  return wrap(withRegions ? source->clone(mappingOf(mapping))
                          : source->cloneWithoutRegions(mappingOf(mapping)));
}
void tfxRegionCloneInto(MlirRegion source, MlirRegion target, MlirBlock before, void *mapping) {
  Region *to = unwrap(target);
  unwrap(source)->cloneInto(to, before.ptr ? Region::iterator(unwrap(before)) : to->end(),
                            mappingOf(mapping));
}

//===-- Types -------------------------------------------------------------===//

using TypeMap = llvm::DenseMap<Type, Type>;

static TypeMap typeMap(intptr_t count, const MlirType *from, const MlirType *to) {
  TypeMap map;
  for (intptr_t i = 0; i < count; ++i)
    map[unwrap(from[i])] = unwrap(to[i]);
  return map;
}

/// Builds a replacer that does not replace types inside a replacement.
static AttrTypeReplacer replacerOf(const TypeMap &map) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&map](Type type) -> std::optional<std::pair<Type, WalkResult>> {
    auto found = map.find(type);
    if (found == map.end())
      return std::nullopt;
    return std::make_pair(found->second, WalkResult::skip());
  });
  return replacer;
}

MlirType tfxTypeReplace(MlirType type, intptr_t count, const MlirType *from, const MlirType *to) {
  TypeMap map = typeMap(count, from, to);
  return wrap(replacerOf(map).replace(unwrap(type)));
}
void tfxOperationReplaceTypes(MlirOperation op, intptr_t count, const MlirType *from,
                              const MlirType *to) {
  TypeMap map = typeMap(count, from, to);
  replacerOf(map).recursivelyReplaceElementsIn(unwrap(op), /*replaceAttrs=*/true,
                                               /*replaceLocs=*/false, /*replaceTypes=*/true);
}

//===-- Branches ----------------------------------------------------------===//

TfxSuccessorOperands tfxSuccessorOperands(MlirOperation op, intptr_t successor) {
  auto branch = dyn_cast<BranchOpInterface>(unwrap(op));
  if (!branch)
    return {false, 0, 0, 0};
  SuccessorOperands operands = branch.getSuccessorOperands(successor);
  OperandRange forwarded = operands.getForwardedOperands();
  return {true, operands.getProducedOperandCount(),
          forwarded.empty() ? 0 : forwarded.getBeginOperandIndex(),
          static_cast<intptr_t>(forwarded.size())};
}
void tfxSuccessorOperandsAppend(MlirOperation op, intptr_t successor, intptr_t n,
                                const MlirValue *values) {
  SmallVector<Value> list;
  for (intptr_t i = 0; i < n; ++i)
    list.push_back(unwrap(values[i]));
  cast<BranchOpInterface>(unwrap(op)).getSuccessorOperands(successor).append(list);
}
/// `position` counts forwarded operands only: an operation may derive the number of operands that
/// it produces from the arguments of the block, which are erased later.
void tfxSuccessorOperandsErase(MlirOperation op, intptr_t successor, intptr_t position) {
  SuccessorOperands operands = cast<BranchOpInterface>(unwrap(op)).getSuccessorOperands(successor);
  operands.erase(operands.getProducedOperandCount() + position);
}

//===-- Properties of operations ------------------------------------------===//

bool tfxOperationHasTrait(MlirOperation op, int32_t trait) {
  Operation *operation = unwrap(op);
  switch (static_cast<TfxTrait>(trait)) {
  case TFX_TRAIT_TERMINATOR:
    return operation->hasTrait<OpTrait::IsTerminator>();
  case TFX_TRAIT_RETURN_LIKE:
    return operation->hasTrait<OpTrait::ReturnLike>();
  case TFX_TRAIT_CONSTANT_LIKE:
    return operation->hasTrait<OpTrait::ConstantLike>();
  case TFX_TRAIT_ISOLATED_FROM_ABOVE:
    return operation->hasTrait<OpTrait::IsIsolatedFromAbove>();
  case TFX_TRAIT_SYMBOL_TABLE:
    return operation->hasTrait<OpTrait::SymbolTable>();
  case TFX_TRAIT_COMMUTATIVE:
    return operation->hasTrait<OpTrait::IsCommutative>();
  case TFX_TRAIT_SYMBOL:
    return isa<SymbolOpInterface>(operation);
  case TFX_TRAIT_FUNCTION:
    return isa<FunctionOpInterface>(operation);
  case TFX_TRAIT_CALL:
    return isa<CallOpInterface>(operation);
  case TFX_TRAIT_BRANCH:
    return isa<BranchOpInterface>(operation);
  case TFX_TRAIT_REGION_BRANCH:
    return isa<RegionBranchOpInterface>(operation);
  case TFX_TRAIT_LOOP:
    return isa<LoopLikeOpInterface>(operation);
  case TFX_TRAIT_REGISTERED:
    return operation->isRegistered();
  }
  return false;
}

bool tfxOperationIsPure(MlirOperation op) { return isPure(unwrap(op)); }
bool tfxOperationIsTriviallyDead(MlirOperation op) { return isOpTriviallyDead(unwrap(op)); }
bool tfxOperationWouldBeTriviallyDead(MlirOperation op) {
  return wouldOpBeTriviallyDead(unwrap(op));
}
bool tfxOperationIsSpeculatable(MlirOperation op) { return isSpeculatable(unwrap(op)); }

int32_t tfxOperationEffects(MlirOperation op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(unwrap(op));
  if (!effects)
    return TFX_EFFECT_UNKNOWN;
  int32_t flags = 0;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      flags |= TFX_EFFECT_READ;
    else if (isa<MemoryEffects::Write>(effect.getEffect()))
      flags |= TFX_EFFECT_WRITE;
    else if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      flags |= TFX_EFFECT_ALLOCATE;
    else if (isa<MemoryEffects::Free>(effect.getEffect()))
      flags |= TFX_EFFECT_FREE;
  }
  return flags;
}

MlirAttribute tfxOperationAttributes(MlirOperation op) {
  return wrap(Attribute(unwrap(op)->getAttrDictionary()));
}

MlirAttribute tfxOperationConstantValue(MlirOperation op) {
  Attribute value;
  matchPattern(unwrap(op), m_Constant(&value));
  return wrap(value);
}

bool tfxOperationFold(MlirOperation op, const MlirAttribute *operands, MlirAttribute *attributes,
                      MlirValue *values) {
  Operation *operation = unwrap(op);
  SmallVector<Attribute> constants;
  for (unsigned i = 0; i < operation->getNumOperands(); ++i)
    constants.push_back(unwrap(operands[i]));
  SmallVector<OpFoldResult> results;
  // A successful fold without results has changed the operation in place.
  if (failed(operation->fold(constants, results)) || results.size() != operation->getNumResults())
    return false;
  for (auto [index, result] : llvm::enumerate(results)) {
    attributes[index] = wrap(dyn_cast<Attribute>(result));
    values[index] = wrap(dyn_cast<Value>(result));
  }
  return true;
}
