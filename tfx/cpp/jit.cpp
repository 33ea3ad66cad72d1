//===- jit.cpp - just-in-time compilation of the LLVM dialect -----------------===//
//
// Part of tfx, under the Apache License v2.0 with LLVM Exceptions.
//
// Units, which are modules that become one object each, and a linker of objects in memory. MLIR's
// execution engine has one module, adds a function to each function for calls with arrays of
// arguments, and takes no objects that are there already. Units are translated by one thread, and
// compiled by any thread, because each has its own LLVM context.
//
// The objects use the small code model. LLVM's default in memory is the large code model, which
// computes the address of each callee into a register. The addresses in a block are shared, so they
// are live from the first call to the last, and splitting such live ranges takes LLVM's register
// allocator time quadratic in the number of calls in a block. Code in one range of addresses needs
// no callee addresses: it uses relative calls, as code in files does.
//
//===----------------------------------------------------------------------===//

#include "target.h"

#include "mlir-c/IR.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <deque>
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

/// Runs tasks one after the other. LLVM's dispatcher runs a task inside of the one that needs its
/// result, so the stack would limit the number of objects.
class Queue final : public orc::TaskDispatcher {
public:
  void dispatch(std::unique_ptr<orc::Task> task) override {
    tasks.push_back(std::move(task));
    if (isRunning)
      return;
    isRunning = true;
    for (; !tasks.empty(); tasks.pop_front())
      tasks.front()->run();
    isRunning = false;
  }
  void shutdown() override {}

private:
  std::deque<std::unique_ptr<orc::Task>> tasks;
  bool isRunning = false;
};

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

/// A module in LLVM IR.
struct Unit {
  LLVMContext context;
  std::unique_ptr<Module> module;
};

/// Linked objects. The range outlives the linker.
struct Jit {
  Range range;
  std::unique_ptr<orc::LLJIT> linker;
};

} // namespace

/// Returns a builder of target machines for the host. `inRange` selects the small code model where
/// the linker supports it.
static Expected<orc::JITTargetMachineBuilder> describeHost(unsigned level, bool inRange) {
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
  return builder;
}

/// Passes a description of the host's target to `text`: code for one is not code for another.
extern "C" bool tfxDescribeHost(bool inRange, MlirStringCallback text, void *textData,
                                MlirStringCallback error, void *errorData) {
  auto builder = describeHost(0, inRange);
  if (!builder)
    return fail(error, errorData, toString(builder.takeError()));
  std::string description = builder->getTargetTriple().str() + " " + builder->getCPU() + " " +
                            builder->getFeatures().getString() + (inRange ? " small" : " large");
  text(mlirStringRefCreate(description.data(), description.size()), textData);
  return true;
}

/// Returns true if this process has the runtime of AddressSanitizer.
extern "C" bool tfxHasAddressSanitizer() {
  // The first call makes the symbols of the process known.
  if (sys::DynamicLibrary::LoadLibraryPermanently(nullptr))
    return false;
  return sys::DynamicLibrary::SearchForAddressOfSymbol("__asan_init");
}

/// Translates `module`, which is in the LLVM dialect, to LLVM IR. Returns null on failure.
extern "C" void *tfxUnitCreate(MlirOperation module) {
  mlir::Operation *op = unwrap(module);
  mlir::registerBuiltinDialectTranslation(*op->getContext());
  mlir::registerLLVMDialectTranslation(*op->getContext());
  auto unit = std::make_unique<Unit>();
  unit->module = mlir::translateModuleToLLVMIR(op, unit->context);
  return unit->module ? unit.release() : nullptr;
}

extern "C" void tfxUnitDestroy(void *unit) { delete static_cast<Unit *>(unit); }

/// Compiles a unit, and passes the bytes of the object to `object`. On failure, passes the reason
/// to `error` and returns false. Any thread may call it, once for each unit.
extern "C" bool tfxUnitCompile(void *pointer, uint32_t level, bool inRange,
                               MlirStringCallback object, void *objectData,
                               MlirStringCallback error, void *errorData) {
  Module &module = *static_cast<Unit *>(pointer)->module;
  auto builder = describeHost(level, inRange);
  if (!builder)
    return fail(error, errorData, toString(builder.takeError()));
  auto machine = builder->createTargetMachine();
  if (!machine)
    return fail(error, errorData, toString(machine.takeError()));
  if (Error failure = optimize(module, **machine, level))
    return fail(error, errorData, toString(std::move(failure)));
  SmallVector<char, 0> bytes;
  raw_svector_ostream output(bytes);
  if (!generate(module, **machine, output, CodeGenFileType::ObjectFile))
    return fail(error, errorData, "the code generator for this machine cannot write objects");
  object(mlirStringRefCreate(bytes.data(), bytes.size()), objectData);
  return true;
}

/// Creates a linker without objects. `libraries` are loaded, and define symbols for the objects. On
/// failure, passes the reason to `error` and returns null.
extern "C" void *tfxJitCreate(const MlirStringRef *libraries, size_t count,
                              MlirStringCallback error, void *errorData) {
  auto failed = [&](const Twine &reason) -> void * {
    fail(error, errorData, reason);
    return nullptr;
  };
  for (size_t index = 0; index < count; ++index) {
    std::string path = unwrap(libraries[index]).str(), reason;
    if (sys::DynamicLibrary::LoadLibraryPermanently(path.c_str(), &reason))
      return failed(reason);
  }
  auto jit = std::make_unique<Jit>();
  bool inRange = jit->range.isValid();
  auto host = describeHost(0, inRange);
  if (!host)
    return failed(toString(host.takeError()));
  auto createLayer =
      [&](orc::ExecutionSession &session) -> Expected<std::unique_ptr<orc::ObjectLayer>> {
    Range *range = inRange ? &jit->range : nullptr;
    auto layer =
        std::make_unique<orc::RTDyldObjectLinkingLayer>(session, [range](const MemoryBuffer &) {
          return std::make_unique<SectionMemoryManager>(range);
        });
    // The code has the lines of the source for debuggers, if the module has them.
    layer->registerJITEventListener(*JITEventListener::createGDBRegistrationListener());
    // The listener writes a dump for perf into a new folder at each run, by default in the user's
    // home folder. The variable, which is LLVM's, names another folder: only who sets it uses perf.
    if (std::getenv("JITDUMPDIR"))
      if (JITEventListener *listener = JITEventListener::createPerfJITEventListener())
        layer->registerJITEventListener(*listener);
    return layer;
  };
  auto process = orc::SelfExecutorProcessControl::Create(std::make_shared<orc::SymbolStringPool>(),
                                                         std::make_unique<Queue>());
  if (!process)
    return failed(toString(process.takeError()));
  auto linker = orc::LLJITBuilder()
                    .setExecutorProcessControl(std::move(*process))
                    .setJITTargetMachineBuilder(std::move(*host))
                    .setObjectLinkingLayerCreator(createLayer)
                    .setPlatformSetUp(orc::setUpInactivePlatform)
                    .create();
  if (!linker)
    return failed(toString(linker.takeError()));
  jit->linker = std::move(*linker);
  return jit.release();
}

extern "C" void tfxJitDestroy(void *jit) { delete static_cast<Jit *>(jit); }

/// Returns true if the objects must be compiled for the small code model.
extern "C" bool tfxJitIsInRange(void *jit) { return static_cast<Jit *>(jit)->range.isValid(); }

/// Adds an object. On failure, passes the reason to `error` and returns false.
extern "C" bool tfxJitAdd(void *jit, MlirStringRef object, MlirStringCallback error,
                          void *errorData) {
  auto buffer = MemoryBuffer::getMemBufferCopy(unwrap(object), "tfx");
  if (Error failure = static_cast<Jit *>(jit)->linker->addObjectFile(std::move(buffer)))
    return fail(error, errorData, toString(std::move(failure)));
  return true;
}

/// Defines the symbol `name` for the objects.
extern "C" void tfxJitRegister(void *jit, MlirStringRef name, void *address) {
  orc::LLJIT &linker = *static_cast<Jit *>(jit)->linker;
  orc::SymbolMap symbols;
  symbols[linker.mangleAndIntern(unwrap(name))] = {orc::ExecutorAddr::fromPtr(address),
                                                   JITSymbolFlags::Exported};
  cantFail(linker.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))));
}

/// Returns the address of a function of the objects, or null if there is none of that name, or if
/// a symbol that it needs is not defined; `error` gets the reason.
extern "C" void *tfxJitLookup(void *jit, MlirStringRef name, MlirStringCallback error,
                              void *errorData) {
  auto address = static_cast<Jit *>(jit)->linker->lookup(unwrap(name));
  if (address)
    return address->toPtr<void *>();
  fail(error, errorData, toString(address.takeError()));
  return nullptr;
}
