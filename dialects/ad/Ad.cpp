//===- Ad.cpp - the tfx_ad dialect: registration, syntax, verifiers ----------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// `tfx-differentiate` checks the types of derivatives: tangent types depend on the declarations of
// structs.
//
//===----------------------------------------------------------------------===//

#include "Ad.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tfx::ad;

#include "AdDialect.cpp.inc"
#include "AdEnums.cpp.inc"

/// The custom directive `Callee` of ODS: a symbol, or a closure with its type.
static ParseResult parseCallee(OpAsmParser &parser, FlatSymbolRefAttr &callee,
                               std::optional<OpAsmParser::UnresolvedOperand> &closure, Type &type) {
  StringAttr symbol;
  if (succeeded(parser.parseOptionalSymbolName(symbol))) {
    callee = FlatSymbolRefAttr::get(symbol);
    return success();
  }
  return failure(parser.parseOperand(closure.emplace()) || parser.parseKeyword("of") ||
                 parser.parseType(type));
}

static void printCallee(OpAsmPrinter &printer, Operation *, FlatSymbolRefAttr callee, Value closure,
                        Type type) {
  if (callee)
    printer << callee;
  else
    printer << closure << " of " << type << ' ';
}

/// The custom directive `Wrt` of ODS: positions of parameters in brackets.
static ParseResult parseWrt(OpAsmParser &parser, DenseI64ArrayAttr &wrt) {
  SmallVector<int64_t> positions;
  auto parsePosition = [&] { return parser.parseInteger(positions.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parsePosition))
    return failure();
  wrt = DenseI64ArrayAttr::get(parser.getContext(), positions);
  return success();
}

static void printWrt(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr wrt) {
  printer << '[' << wrt.asArrayRef() << ']';
}

/// The custom directive `Functions` of a rule: any of `forward = @f`, `backward = @b` and
/// `jvp = @j`, each after a comma and at most once.
static ParseResult parseFunctions(AsmParser &parser, FlatSymbolRefAttr &forward,
                                  FlatSymbolRefAttr &backward, FlatSymbolRefAttr &jvp) {
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc place = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    FlatSymbolRefAttr *function = StringSwitch<FlatSymbolRefAttr *>(name)
                                      .Case("forward", &forward)
                                      .Case("backward", &backward)
                                      .Case("jvp", &jvp)
                                      .Default(nullptr);
    if (!function)
      return parser.emitError(place)
             << "expected 'forward', 'backward' or 'jvp' in a rule, got '" << name << "'";
    if (*function)
      return parser.emitError(place) << "'" << name << "' is given twice";
    StringAttr symbol;
    if (parser.parseEqual() || parser.parseSymbolName(symbol))
      return failure();
    *function = FlatSymbolRefAttr::get(symbol);
  }
  return success();
}

static void printFunctions(AsmPrinter &printer, FlatSymbolRefAttr forward,
                           FlatSymbolRefAttr backward, FlatSymbolRefAttr jvp) {
  std::pair<StringRef, FlatSymbolRefAttr> functions[] = {
      {"forward", forward}, {"backward", backward}, {"jvp", jvp}};
  for (auto [name, function] : functions)
    if (function)
      printer << ", " << name << " = " << function;
}

/// The custom directive `Scheme` of ODS: `periodic<10>`, or a scheme without a number.
static ParseResult parseScheme(AsmParser &parser, Scheme &scheme, int64_t &number) {
  llvm::SMLoc place = parser.getCurrentLocation();
  std::string text;
  if (parser.parseKeywordOrString(&text))
    return failure();
  std::optional<Scheme> parsed = symbolizeScheme(text);
  if (!parsed)
    return parser.emitError(place) << "expected 'none', 'periodic<k>', 'binomial<slots>' or 'auto' "
                                      "as the scheme of checkpoints, got '"
                                   << text << "'";
  scheme = *parsed;
  number = 0;
  if (*parsed != Scheme::Periodic && *parsed != Scheme::Binomial)
    return success();
  StringRef what = *parsed == Scheme::Periodic ? "iterations" : "checkpoints";
  if (failed(parser.parseOptionalLess()))
    return parser.emitError(place) << "expected the number of " << what << " after '" << text
                                   << "', such as '" << text << "<64>'";
  return failure(parser.parseInteger(number) || parser.parseGreater());
}

static void printScheme(AsmPrinter &printer, Scheme scheme, int64_t number) {
  printer << stringifyScheme(scheme);
  if (scheme == Scheme::Periodic || scheme == Scheme::Binomial)
    printer << '<' << number << '>';
}

#define GET_TYPEDEF_CLASSES
#include "AdTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "AdAttrs.cpp.inc"

void TfxAdDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "AdTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "AdAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "AdOps.cpp.inc"
      >();
}

LogicalResult TapeType::verify(function_ref<InFlightDiagnostic()> emitError, Type element) {
  if (!isa<TensorType, IntegerType, FloatType, IndexType, TapeType, tfx::host::ArrayType,
           tfx::host::ClosureType>(element))
    return emitError() << "expected a tensor, a scalar, an array, a closure or a tape as the "
                          "element type of a tape, got "
                       << element;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of functions
//===----------------------------------------------------------------------===//

/// Checks positions of parameters: in ascending order, each once, each of a parameter.
static LogicalResult verifyWrt(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> wrt,
                               std::optional<size_t> parameters = {}) {
  if (wrt.empty())
    return emitError() << "expected at least one parameter in 'wrt'";
  for (auto [index, position] : llvm::enumerate(wrt)) {
    if (position < 0 || (parameters && static_cast<size_t>(position) >= *parameters))
      return emitError() << "'wrt' names parameter " << position << ", but there are "
                         << parameters.value_or(0) << " parameters, counted from 0";
    if (index != 0 && wrt[index - 1] >= position)
      return emitError() << "expected the parameters in 'wrt' in ascending order, each once";
  }
  return success();
}

LogicalResult RuleAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> wrt,
                               FlatSymbolRefAttr forward, FlatSymbolRefAttr backward,
                               FlatSymbolRefAttr jvp) {
  if (!forward != !backward || (!forward && !jvp))
    return emitError() << "expected 'forward' and 'backward', or 'jvp', in a rule";
  return verifyWrt(emitError, wrt);
}

LogicalResult CheckpointAttr::verify(function_ref<InFlightDiagnostic()> emitError, Scheme scheme,
                                     int64_t number) {
  bool isNumbered = scheme == Scheme::Periodic || scheme == Scheme::Binomial;
  if (isNumbered && number < 1)
    return emitError() << "expected at least 1 "
                       << (scheme == Scheme::Periodic ? "iteration" : "checkpoint") << " in '"
                       << stringifyScheme(scheme) << "<...>', got " << number
                       << "; write 'none' to keep the values of all iterations";
  return success();
}

/// Checks the attribute `tfx_ad.checkpoint`.
static LogicalResult verifyCheckpoint(Operation *op, Attribute value) {
  if (!isa<scf::ForOp, scf::WhileOp, func::FuncOp>(op))
    return op->emitError() << "'tfx_ad.checkpoint' is an attribute of scf.for, scf.while and "
                              "func.func, but this is '"
                           << op->getName() << "'; set it on the loop or on the function around";
  if (!isa<CheckpointAttr>(value))
    return op->emitError() << "expected a #tfx_ad.checkpoint as 'tfx_ad.checkpoint', such as "
                              "#tfx_ad.checkpoint<binomial<64>>, got "
                           << value;
  return success();
}

LogicalResult TfxAdDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == "tfx_ad.checkpoint")
    return verifyCheckpoint(op, attribute.getValue());
  bool isRule = attribute.getName() == "tfx_ad.rule";
  if (!isRule && attribute.getName() != "tfx_ad.inactive")
    return success(); // A rule file has others.
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitError() << "'" << attribute.getName().getValue()
                           << "' is an attribute of functions";
  if (!isRule)
    return success();
  auto rule = dyn_cast<RuleAttr>(attribute.getValue());
  if (!rule)
    return op->emitError() << "expected a #tfx_ad.rule as 'tfx_ad.rule', got "
                           << attribute.getValue();
  return verifyWrt([&] { return op->emitError(); }, rule.getWrt(), function.getNumArguments());
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// Checks the callee, the arguments and the parameters in `wrt` of a derivative.
template <typename DerivativeOp>
static LogicalResult verifyDerivative(DerivativeOp op, SymbolTableCollection &symbols) {
  auto emitError = [&] { return op.emitOpError(); };
  FunctionType type;
  std::optional<Location> declared;
  if (FlatSymbolRefAttr callee = op.getCalleeAttr()) {
    auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, callee);
    if (!function)
      return emitError() << "refers to " << callee << ", but no func.func of that name is declared";
    if (function->hasAttr("tfx_host.type_params"))
      return emitError() << "cannot differentiate " << callee
                         << ", which is generic; bind its type arguments with tfx_host.closure";
    type = function.getFunctionType();
    declared = function.getLoc();
  } else {
    type = cast<tfx::host::ClosureType>(op.getClosure().getType()).getSignature();
  }
  if (TypeRange(op.getArguments().getTypes()) != TypeRange(type.getInputs())) {
    InFlightDiagnostic error = emitError() << "expected argument types (" << type.getInputs()
                                           << "), got (" << op.getArguments().getTypes() << ")";
    if (declared)
      error.attachNote(*declared) << "declared here";
    return error;
  }
  return verifyWrt(emitError, op.getWrt(), type.getNumInputs());
}

LogicalResult WithCotangentOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError("refers to ")
           << getCalleeAttr() << ", but no func.func of that name is declared";
  auto expected = FunctionType::get(getContext(), getValue().getType(), getValue().getType());
  if (function.getFunctionType() != expected) {
    InFlightDiagnostic error = emitOpError("expected a function of type ")
                               << expected << ", from cotangent to cotangent, but "
                               << getCalleeAttr() << " has type " << function.getFunctionType();
    error.attachNote(function.getLoc()) << "declared here";
    return error;
  }
  return success();
}

LogicalResult GradientOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyDerivative(*this, symbols)))
    return failure();
  size_t expected = getWrt().size() + getValue();
  if (getNumResults() != expected)
    return emitOpError("expected ") << expected << " result(s), got " << getNumResults();
  return success();
}

LogicalResult VjpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyDerivative(*this, symbols);
}

LogicalResult JvpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyDerivative(*this, symbols)))
    return failure();
  if (getTangents().size() != getWrt().size())
    return emitOpError("expected a tangent for each of the ")
           << getWrt().size() << " parameter(s) in 'wrt', got " << getTangents().size();
  return success();
}

#define GET_OP_CLASSES
#include "AdOps.cpp.inc"
