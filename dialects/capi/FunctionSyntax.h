//===- FunctionSyntax.h - the syntax that graphs and schedules share ----------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// The head and the end of an operation with a function type, a name and a body. What stands between
// them belongs to the operation.
//
//===----------------------------------------------------------------------===//

#ifndef TFX_FUNCTION_SYNTAX_H
#define TFX_FUNCTION_SYNTAX_H

#include "mlir/Interfaces/FunctionImplementation.h"

namespace tfx {

/// The parts of a function's head that its end needs.
struct FunctionHead {
  mlir::SmallVector<mlir::OpAsmParser::Argument> arguments;
  mlir::SmallVector<mlir::DictionaryAttr> resultAttrs;
};

/// Parses the visibility, the name and the signature.
template <typename Op>
mlir::ParseResult parseFunctionHead(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                    FunctionHead &head) {
  mlir::Builder &builder = parser.getBuilder();
  mlir::StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility, {"public", "private", "nested"})))
    state.addAttribute(Op::getSymVisibilityAttrName(state.name), builder.getStringAttr(visibility));
  mlir::StringAttr symbol;
  mlir::SmallVector<mlir::Type> resultTypes;
  bool isVariadic = false;
  if (parser.parseSymbolName(symbol, Op::getSymNameAttrName(state.name), state.attributes) ||
      mlir::function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, head.arguments, isVariadic, resultTypes,
          head.resultAttrs))
    return mlir::failure();
  mlir::SmallVector<mlir::Type> argumentTypes;
  for (const mlir::OpAsmParser::Argument &argument : head.arguments)
    argumentTypes.push_back(argument.type);
  state.addAttribute(Op::getFunctionTypeAttrName(state.name),
                     mlir::TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));
  return mlir::success();
}

/// Parses the attributes and the body.
template <typename Op>
mlir::ParseResult parseFunctionEnd(mlir::OpAsmParser &parser, mlir::OperationState &state,
                                   FunctionHead &head) {
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return mlir::failure();
  mlir::call_interface_impl::addArgAndResultAttrs(
      parser.getBuilder(), state, head.arguments, head.resultAttrs,
      Op::getArgAttrsAttrName(state.name), Op::getResAttrsAttrName(state.name));
  return parser.parseRegion(*state.addRegion(), head.arguments);
}

/// Prints the visibility, the name and the signature.
template <typename Op> void printFunctionHead(mlir::OpAsmPrinter &printer, Op op) {
  printer << ' ';
  if (std::optional<mlir::StringRef> visibility = op.getSymVisibility())
    printer << *visibility << ' ';
  printer.printSymbolName(op.getSymName());
  mlir::call_interface_impl::printFunctionSignature(
      printer, op.getArgumentTypes(), op.getArgAttrsAttr(), /*isVariadic=*/false,
      op.getResultTypes(), op.getResAttrsAttr(), &op.getBody(), /*printEmptyResult=*/false);
}

/// Prints the attributes, except those of the syntax, and the body.
template <typename Op>
void printFunctionEnd(mlir::OpAsmPrinter &printer, Op op,
                      mlir::ArrayRef<mlir::StringRef> ofSyntax = {}) {
  mlir::SmallVector<mlir::StringRef> printed = {
      op.getSymNameAttrName(), op.getSymVisibilityAttrName(), op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName()};
  printed.append(ofSyntax.begin(), ofSyntax.end());
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), printed);
  printer << ' ';
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace tfx

#endif // TFX_FUNCTION_SYNTAX_H
