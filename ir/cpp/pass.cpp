//===- pass.cpp - passes that are written in Rust -------------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// A Rust pass is a table of callbacks. `RustPass` wraps it as an `mlir::Pass`,
// so the pass manager treats it like any other pass: it clones it for threads,
// times it and prints its options into a reproducer.
//
//===----------------------------------------------------------------------===//

#include "bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/TypeID.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace {

struct OptionInfo {
  std::string name, description, defaultValue;
  TfxOptionKind kind;
};

/// A registered table. It lives as long as the process, as the pass registry does.
struct PassType {
  explicit PassType(const TfxPassTable &table)
      : name(unwrap(table.name)), argument(unwrap(table.argument)),
        description(unwrap(table.description)), anchor(unwrap(table.anchor)), callbacks(table) {
    for (const TfxPassOption &option : llvm::ArrayRef(table.options, table.numOptions))
      options.push_back({unwrap(option.name).str(), unwrap(option.description).str(),
                         unwrap(option.defaultValue).str(),
                         static_cast<TfxOptionKind>(option.kind)});
  }

  std::string name, argument, description, anchor;
  std::vector<OptionInfo> options;
  TfxPassTable callbacks;
  SelfOwningTypeID typeID;
};

void appendTo(MlirStringRef text, void *message) {
  static_cast<std::string *>(message)->append(text.data, text.length);
}

/// A pass that calls the callbacks of a table. It has the name of its operation, so that
/// `tfx-opt --pass file` nests a pass on functions in the module, as `mlir-opt` does.
class RustPass final : public Pass {
public:
  explicit RustPass(const PassType &type)
      : Pass(type.typeID, anchorOf(type)), type(type), state(type.callbacks.create()) {
    for (const OptionInfo &info : type.options)
      addOption(info);
  }
  ~RustPass() override { type.callbacks.destroy(state); }

  StringRef getName() const override { return type.name; }
  StringRef getArgument() const override { return type.argument; }
  StringRef getDescription() const override { return type.description; }

  void getDependentDialects(DialectRegistry &registry) const override {
    type.callbacks.dependentDialects(wrap(&registry));
  }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !getOpName() || name.getStringRef() == *getOpName();
  }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<RustPass>(type); }

  /// Configures the pass now, so that an invalid value is an error in the text of the pipeline.
  LogicalResult
  initializeOptions(StringRef options,
                    function_ref<LogicalResult(const Twine &)> errorHandler) override {
    if (failed(Pass::initializeOptions(options, errorHandler)))
      return failure();
    std::string message;
    return configure(message) ? success() : errorHandler(message);
  }

  void runOnOperation() override {
    std::string message;
    if (!configured && !configure(message)) {
      emitError(Pass::getOperation()->getLoc(), message);
      return signalPassFailure();
    }
    RustPass *outer = std::exchange(running, this);
    if (!type.callbacks.run(state, wrap(Pass::getOperation())))
      signalPassFailure();
    running = outer;
  }

  /// The innermost pass that runs on this thread.
  static thread_local RustPass *running;

  LogicalResult runNested(OpPassManager &pipeline, Operation *op) {
    return runPipeline(pipeline, op);
  }

private:
  static std::optional<StringRef> anchorOf(const PassType &type) {
    return type.anchor.empty() ? std::nullopt : std::optional<StringRef>(type.anchor);
  }

  void addOption(const OptionInfo &info) {
    llvm::cl::desc description(info.description);
    switch (info.kind) {
    case TFX_OPTION_BOOL:
      flags.push_back(std::make_unique<Option<bool>>(*this, info.name, description,
                                                     llvm::cl::init(info.defaultValue == "true")));
      break;
    case TFX_OPTION_LIST: {
      SmallVector<StringRef> parts;
      StringRef(info.defaultValue).split(parts, ',', -1, /*KeepEmpty=*/false);
      std::vector<std::string> values(parts.begin(), parts.end());
      lists.push_back(std::make_unique<ListOption<std::string>>(
          *this, info.name, description, llvm::cl::list_init<std::string>(values)));
      break;
    }
    case TFX_OPTION_STRING:
      strings.push_back(std::make_unique<Option<std::string>>(*this, info.name, description,
                                                              llvm::cl::init(info.defaultValue)));
      break;
    }
  }

  /// Passes the options to the Rust state, which parses them.
  bool configure(std::string &message) {
    std::vector<std::string> values;
    size_t flag = 0, list = 0, string = 0;
    for (const OptionInfo &info : type.options) {
      if (info.kind == TFX_OPTION_BOOL)
        values.push_back(flags[flag++]->getValue() ? "true" : "false");
      else if (info.kind == TFX_OPTION_LIST)
        values.push_back(llvm::join(**lists[list++], ","));
      else
        values.push_back(strings[string++]->getValue());
    }
    SmallVector<MlirStringRef> refs;
    for (const std::string &value : values)
      refs.push_back(wrap(StringRef(value)));
    configured = type.callbacks.configure(state, refs.data(), refs.size(), appendTo, &message);
    return configured;
  }

  const PassType &type;
  void *state;
  bool configured = false;
  std::vector<std::unique_ptr<Option<bool>>> flags;
  std::vector<std::unique_ptr<ListOption<std::string>>> lists;
  std::vector<std::unique_ptr<Option<std::string>>> strings;
};

thread_local RustPass *RustPass::running = nullptr;

} // namespace

void tfxRegisterPass(const TfxPassTable *table) {
  // Never freed: PassInfo keeps the allocator, and passes refer to the type.
  auto *type = new PassType(*table);
  registerPass([type] { return std::make_unique<RustPass>(*type); });
}

void tfxRegistryAppend(MlirDialectRegistry target, MlirDialectRegistry source) {
  unwrap(source)->appendTo(*unwrap(target));
}

void tfxRegisterPipeline(MlirStringRef name, MlirStringRef description, TfxPipelineText text,
                         const void *pipeline) {
  registerPassPipeline(
      unwrap(name), unwrap(description),
      [name = unwrap(name).str(), text,
       pipeline](OpPassManager &manager, StringRef options,
                 function_ref<LogicalResult(const Twine &)> errorHandler) -> LogicalResult {
        std::string result;
        auto assign = [](MlirStringRef text, void *data) {
          static_cast<std::string *>(data)->assign(unwrap(text));
        };
        if (!text(pipeline, wrap(options), assign, &result))
          return errorHandler("pipeline '" + name + "': " + result);
        std::string message;
        llvm::raw_string_ostream stream(message);
        if (failed(parsePassPipeline(result, manager, stream)))
          return errorHandler("in pipeline '" + name + "': " + message);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)>) {});
}

bool tfxIsPassRegistered(MlirStringRef argument) {
  return PassInfo::lookup(unwrap(argument)) || PassPipelineInfo::lookup(unwrap(argument));
}

bool tfxRunPipeline(MlirOperation op, MlirStringRef text, bool verify, MlirStringCallback error,
                    void *errorData) {
  detail::CallbackOstream stream(error, errorData);
  FailureOr<OpPassManager> parsed = parsePassPipeline(unwrap(text), stream);
  if (failed(parsed))
    return false;
  PassManager manager(unwrap(op)->getContext(), parsed->getOpAnchorName());
  manager.enableVerifier(verify);
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  return succeeded(manager.run(unwrap(op)));
}

bool tfxRunNestedPipeline(MlirOperation op, MlirStringRef text, MlirStringCallback error,
                          void *errorData) {
  detail::CallbackOstream stream(error, errorData);
  OpPassManager pipeline(unwrap(op)->getName().getStringRef());
  if (failed(parsePassPipeline(unwrap(text), pipeline, stream)))
    return false;
  return succeeded(RustPass::running->runNested(pipeline, unwrap(op)));
}

bool tfxPrintPipeline(MlirStringRef text, MlirStringCallback print, void *printData,
                      MlirStringCallback error, void *errorData) {
  detail::CallbackOstream errors(error, errorData);
  FailureOr<OpPassManager> parsed = parsePassPipeline(unwrap(text), errors);
  if (failed(parsed))
    return false;
  detail::CallbackOstream stream(print, printData);
  parsed->printAsTextualPipeline(stream);
  return true;
}
