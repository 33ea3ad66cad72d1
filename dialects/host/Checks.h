//===- Checks.h - the checks that the verifiers of tfx_host share ----*- C++ -*-===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Lookup of declarations, substitution of type parameters, and comparison of types with the types
// that a declaration gives. Private to the C++ files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_DIALECTS_HOST_CHECKS_H
#define TFX_DIALECTS_HOST_CHECKS_H

#include "Host.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tfx::host {

/// The attribute that lists the type parameters of a generic function.
inline constexpr llvm::StringLiteral kTypeParams = "tfx_host.type_params";

/// The name of the conforming type in the method types of a protocol.
inline constexpr llvm::StringLiteral kSelf = "Self";

/// The element types of a queue and the argument types of `prefetch`, for diagnostics.
inline constexpr llvm::StringLiteral kQueueElements =
    "i1, i8, i16, i32, i64, index, f32, f64 or a tensor; pass the fields of a struct or the "
    "elements of a tuple separately";

/// Returns whether values of `type` can be passed between threads: scalars and tensors.
bool isQueueElement(mlir::Type type);

/// The custom directive `Depth` of ODS.
mlir::ParseResult parseDepth(mlir::OpAsmParser &parser, mlir::IntegerAttr &depth);
void printDepth(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr depth);

//===-- Diagnostics -------------------------------------------------------===//

/// Attaches the note "declared here" to `error` and reports it.
llvm::LogicalResult declaredAt(mlir::InFlightDiagnostic &&error, mlir::Location location);

//===-- Names -------------------------------------------------------------===//

/// Checks that no name of `kind` occurs twice in `names`.
llvm::LogicalResult verifyDistinct(mlir::Operation *op, mlir::ArrayAttr names,
                                   llvm::StringRef kind);

/// Returns the position of `name` in `names`, or -1.
int64_t indexOf(mlir::ArrayAttr names, llvm::StringRef name);

//===-- Types -------------------------------------------------------------===//

/// Maps the names of type parameters to types.
using TypeMap = llvm::DenseMap<llvm::StringRef, mlir::Type>;

/// Maps the parameters of a declaration to the type arguments of a nominal type.
TypeMap substitution(mlir::ArrayAttr params, llvm::ArrayRef<mlir::Type> arguments);

/// Replaces the type parameters in `type`, at any depth.
mlir::Type substitute(mlir::Type type, const TypeMap &arguments);

/// Returns whether two types are equal, or may be equal once their associated types are resolved.
/// An associated type matches any type: only `tfx-specialize` searches the witness tables.
bool mayEqual(mlir::Type left, mlir::Type right);
bool mayEqual(mlir::TypeRange left, mlir::TypeRange right);

/// Checks that `types` are the types of `declared` after substitution. `owner` is the declaration
/// or the case that has the types.
llvm::LogicalResult checkTypes(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> declared,
                               const TypeMap &arguments, mlir::TypeRange types,
                               const llvm::Twine &owner, mlir::Location declaration);

//===-- Declarations ------------------------------------------------------===//

/// Returns the declaration of a nominal type. Reports an error at `op` and returns null if there is
/// no `DeclOp` of that name or its number of type parameters differs.
template <typename DeclOp, typename NominalType>
DeclOp lookUp(mlir::Operation *op, mlir::SymbolTableCollection &symbols, NominalType type) {
  auto declaration = symbols.lookupNearestSymbolFrom<DeclOp>(op, type.getDeclaration());
  if (!declaration) {
    op->emitOpError() << "refers to " << type.getDeclaration() << ", but no "
                      << DeclOp::getOperationName() << " of that name is declared";
    return {};
  }
  size_t params = declaration.getTypeParams().size(), arguments = type.getArguments().size();
  if (params == arguments)
    return declaration;
  (void)declaredAt(op->emitOpError() << "expected " << params << " type argument(s) for "
                                     << type.getDeclaration() << ", got " << arguments,
                   declaration.getLoc());
  return {};
}

/// Returns the function with that name, or reports an error at `op` and returns null.
mlir::func::FuncOp lookUpFunction(mlir::Operation *op, mlir::SymbolTableCollection &symbols,
                                  mlir::FlatSymbolRefAttr name);

/// Returns the protocol with that name, or reports an error at `op` and returns null.
ProtocolOp lookUpProtocol(mlir::Operation *op, mlir::SymbolTableCollection &symbols,
                          mlir::FlatSymbolRefAttr name);

/// Returns the type of a method of `protocol`, or reports an error at `op` and returns null.
mlir::FunctionType lookUpMethod(mlir::Operation *op, ProtocolOp protocol, llvm::StringRef method);

//===-- Calls -------------------------------------------------------------===//

/// Returns the type parameters of a function: an array of `TypeParamAttr`.
llvm::ArrayRef<mlir::Attribute> declaredParams(mlir::func::FuncOp function);

/// Checks that `type` conforms to `protocol` as far as the function around `op` determines it: the
/// function declares the protocols of its type parameters. `tfx-specialize` checks other types
/// against the witness tables.
llvm::LogicalResult checkConforms(mlir::Operation *op, mlir::Type type,
                                  mlir::FlatSymbolRefAttr protocol);

/// Checks the number of type arguments and their conformances, and returns the type of `function`
/// for these arguments.
llvm::FailureOr<mlir::FunctionType> instantiate(mlir::Operation *op, mlir::func::FuncOp function,
                                                llvm::ArrayRef<mlir::Attribute> typeArguments);

/// Checks the arguments and results of a call against the type of its callee.
llvm::LogicalResult checkSignature(mlir::Operation *op, mlir::FunctionType expected,
                                   mlir::TypeRange arguments, mlir::TypeRange results,
                                   const llvm::Twine &callee, mlir::Location declaration);

} // namespace tfx::host

#endif // TFX_DIALECTS_HOST_CHECKS_H
