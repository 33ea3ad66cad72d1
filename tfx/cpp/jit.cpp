//===- jit.cpp - From the LLVM dialect to code in memory ----------------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's execution engine for a machine of our choice. The C API of MLIR compiles for LLVM's
// default one: at one level of the code generator, whatever is asked for, and in the large code
// model, which computes the address of each function that is called into a register. Those of a
// block are shared, so that they live from the first call to the last, and to split such ranges
// takes LLVM's register allocator time by the square of the calls in a block. Code that lies
// together needs no such addresses: it calls by distance, as code in files does.
//
//===----------------------------------------------------------------------===//

#include "mlir-c/IR.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cerrno>
#include <memory>
#include <sys/mman.h>

using namespace llvm;

namespace {

/// How far a call of the small code model reaches.
constexpr size_t REACH = size_t(1) << 31;
/// Less than this is not worth a range of its own.
constexpr size_t LEAST_RANGE = size_t(1) << 24;

/// Gives memory out of one range of addresses, so that code and constants reach each other.
/// Addresses cost nothing until they are used.
class Range final : public SectionMemoryManager::MemoryMapper {
public:
  /// As much as a call reaches, or less in a process that may not have so much.
  Range() {
    for (size = REACH; size >= LEAST_RANGE; size /= 2) {
      void *at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at != MAP_FAILED) {
        start = static_cast<char *>(at);
        return;
      }
    }
    size = 0;
  }
  ~Range() override {
    if (start)
      munmap(start, size);
  }
  Range(const Range &) = delete;
  Range &operator=(const Range &) = delete;

  bool isValid() const { return start; }

  sys::MemoryBlock allocateMappedMemory(SectionMemoryManager::AllocationPurpose, size_t bytes,
                                        const sys::MemoryBlock *, unsigned flags,
                                        std::error_code &code) override {
    bytes = alignTo(bytes, sys::Process::getPageSizeEstimate());
    sys::MemoryBlock block(start + used, bytes);
    if (bytes > size - used) {
      code = std::make_error_code(std::errc::not_enough_memory);
      return {};
    }
    code = sys::Memory::protectMappedMemory(block, flags);
    if (code)
      return {};
    used += bytes;
    return block;
  }

  std::error_code protectMappedMemory(const sys::MemoryBlock &block, unsigned flags) override {
    return sys::Memory::protectMappedMemory(block, flags);
  }

  /// All of it is released with the range.
  std::error_code releaseMappedMemory(sys::MemoryBlock &) override { return {}; }

private:
  char *start = nullptr;
  size_t size = 0;
  size_t used = 0;
};

/// A compiled module. The range outlives the engine.
struct Jit {
  Range range;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace

/// This machine, with code of that level.
static Expected<std::unique_ptr<TargetMachine>> makeTargetMachine(unsigned level, bool inRange) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmParser();
  InitializeNativeTargetAsmPrinter();
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setRelocationModel(Reloc::PIC_);
  builder->setCodeGenOptLevel(static_cast<CodeGenOptLevel>(level));
  // LLVM's dynamic linker makes what calls of distant functions need there; elsewhere the default
  // holds.
  if (inRange && builder->getTargetTriple().getArch() == Triple::x86_64)
    builder->setCodeModel(CodeModel::Small);
  return builder->createTargetMachine();
}

/// Compiles `module`, in the LLVM dialect, into memory; null, with the reason given to `error`,
/// where that fails.
extern "C" void *tfxJitCreate(MlirOperation module, uint32_t level, const MlirStringRef *libraries,
                              size_t count, MlirStringCallback error, void *errorData) {
  auto fail = [&](Error failure) -> void * {
    std::string text = toString(std::move(failure));
    error(mlirStringRefCreate(text.data(), text.size()), errorData);
    return nullptr;
  };
  mlir::Operation *op = unwrap(module);
  mlir::registerBuiltinDialectTranslation(*op->getContext());
  mlir::registerLLVMDialectTranslation(*op->getContext());

  auto jit = std::make_unique<Jit>();
  bool inRange = jit->range.isValid();
  auto machine = makeTargetMachine(level, inRange);
  if (!machine)
    return fail(machine.takeError());
  SmallVector<StringRef> paths;
  for (size_t index = 0; index < count; ++index)
    paths.push_back(unwrap(libraries[index]));
  auto transformer = mlir::makeOptimizingTransformer(level, /*sizeLevel=*/0, machine->get());
  mlir::ExecutionEngineOptions options;
  options.transformer = transformer;
  options.sharedLibPaths = paths;
  options.sectionMemoryMapper = inRange ? &jit->range : nullptr;
  auto engine = mlir::ExecutionEngine::create(op, options, std::move(*machine));
  if (!engine)
    return fail(engine.takeError());
  jit->engine = std::move(*engine);
  return jit.release();
}

extern "C" void tfxJitDestroy(void *jit) { delete static_cast<Jit *>(jit); }

/// Makes an address known to the code by a name.
extern "C" void tfxJitRegister(void *jit, MlirStringRef name, void *address) {
  static_cast<Jit *>(jit)->engine->registerSymbols([&](orc::MangleAndInterner mangle) {
    orc::SymbolMap symbols;
    symbols[mangle(unwrap(name))] = {orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
    return symbols;
  });
}

/// The address of a function of the module; null where it has none of that name.
extern "C" void *tfxJitLookup(void *jit, MlirStringRef name) {
  auto address = static_cast<Jit *>(jit)->engine->lookup(unwrap(name));
  if (address)
    return *address;
  consumeError(address.takeError());
  return nullptr;
}
