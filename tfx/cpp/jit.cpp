//===- jit.cpp - just-in-time compilation of the LLVM dialect -----------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's execution engine with a target machine that this file configures. MLIR's C API uses LLVM's
// default machine: one level of the code generator, whatever level is requested, and the large code
// model. The large code model computes the address of each callee into a register. The addresses in
// a block are shared, so they are live from the first call to the last, and splitting such live
// ranges takes LLVM's register allocator time quadratic in the number of calls in a block. Code in
// one range of addresses needs no callee addresses: it uses relative calls, as code in files does.
//
//===----------------------------------------------------------------------===//

#include "target.h"

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
#include "llvm/Target/TargetMachine.h"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <sys/mman.h>

using namespace llvm;

namespace {

/// The reach of a relative call in the small code model.
constexpr size_t MAX_RANGE = size_t(1) << 31;
/// The smallest range that is reserved.
constexpr size_t MIN_RANGE = size_t(1) << 24;
/// GCC's unwinder ignores a function at a multiple of this address: its description in `.eh_frame`
/// has 32 bits, and 32 zeros mean that the linker has removed the function. A failure could not
/// unwind the function.
constexpr size_t IGNORED = size_t(1) << 32;

/// Allocates memory in one range of addresses, so that relative addresses reach all code and
/// constants. Reserved addresses cost no memory until they are used.
class Range final : public SectionMemoryManager::MemoryMapper {
public:
  /// Reserves the reach of a call, or less if the process may not reserve that much.
  Range() {
    for (size = MAX_RANGE; size >= MIN_RANGE; size /= 2) {
      void *at = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at != MAP_FAILED) {
        start = static_cast<char *>(at);
        end = size;
        avoidIgnored();
        return;
      }
    }
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
    if (bytes > end - used) {
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

  /// The destructor releases the whole range.
  std::error_code releaseMappedMemory(sys::MemoryBlock &) override { return {}; }

private:
  /// Excludes an ignored address, of which the range has at most one, and the smaller part of the
  /// range on one side of it.
  void avoidIgnored() {
    size_t ignored = offsetToAlignment(reinterpret_cast<uintptr_t>(start), Align(IGNORED));
    if (ignored >= size)
      return;
    if (ignored >= size / 2)
      end = ignored;
    else
      used = ignored + sys::Process::getPageSizeEstimate();
  }

  char *start = nullptr;
  /// The size of the reserved range.
  size_t size = 0;
  /// The part that is left is from `used` to `end`.
  size_t used = 0;
  size_t end = 0;
};

/// A compiled module. The range outlives the engine.
struct Jit {
  Range range;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace

/// Creates a target machine for the host with that optimization level. `inRange` selects the small
/// code model where the linker supports it.
static Expected<std::unique_ptr<TargetMachine>> makeTargetMachine(unsigned level, bool inRange) {
  initializeTarget();
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setRelocationModel(Reloc::PIC_);
  builder->setCodeGenOptLevel(static_cast<CodeGenOptLevel>(level));
  // On x86-64, LLVM's dynamic linker emits the stubs for calls of distant functions. Other
  // architectures keep the default code model.
  if (inRange && builder->getTargetTriple().getArch() == Triple::x86_64)
    builder->setCodeModel(CodeModel::Small);
  return builder->createTargetMachine();
}

/// Compiles `module`, which is in the LLVM dialect, into memory. On failure, passes the reason to
/// `error` and returns null.
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
  // The listener writes a dump for perf into a new folder at each run, by default in the user's
  // home folder. The variable, which is LLVM's, names another folder: only who sets it uses perf.
  options.enablePerfNotificationListener = std::getenv("JITDUMPDIR") != nullptr;
  auto engine = mlir::ExecutionEngine::create(op, options, std::move(*machine));
  if (!engine)
    return fail(engine.takeError());
  jit->engine = std::move(*engine);
  return jit.release();
}

extern "C" void tfxJitDestroy(void *jit) { delete static_cast<Jit *>(jit); }

/// Defines the symbol `name` for the compiled code.
extern "C" void tfxJitRegister(void *jit, MlirStringRef name, void *address) {
  static_cast<Jit *>(jit)->engine->registerSymbols([&](orc::MangleAndInterner mangle) {
    orc::SymbolMap symbols;
    symbols[mangle(unwrap(name))] = {orc::ExecutorAddr::fromPtr(address), JITSymbolFlags::Exported};
    return symbols;
  });
}

/// Returns the address of a function of the module, or null if there is none of that name.
extern "C" void *tfxJitLookup(void *jit, MlirStringRef name) {
  auto address = static_cast<Jit *>(jit)->engine->lookup(unwrap(name));
  if (address)
    return *address;
  consumeError(address.takeError());
  return nullptr;
}
