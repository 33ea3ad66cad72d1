// Lists the operations that XLA compiles for the CPU, with their element types and the operands that
// must be constants at compilation.
//
//     T=FOLDER   # TensorFlow's libraries (T/lib or T) and headers (T/include): .tensorflow, a wheel
//     g++ -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=1 -DEIGEN_MAX_ALIGN_BYTES=64 -w -I$T/include \
//         xla_operations.cc -o xla_operations -L$T -L$T/lib -l:libtensorflow_cc.so.2 \
//         -l:libtensorflow_framework.so.2 -Wl,-rpath,$T:$T/lib
//     ./xla_operations > xla.txt
//
// The source is the registry of kernels in TensorFlow's library (`XlaOpRegistry`). The output has one
// line for each kernel, sorted by the bytes of the names:
//
//     types NUMBER TYPE TYPE ...               a set of element types
//     NAME ATTRIBUTE=NUMBER ... !OPERAND ...   the set of a type attribute; a constant operand
//
// Names with an underscore are internal to TensorFlow and are omitted. The output is deterministic.

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensorflow/compiler/tf2xla/xla_op_registry.h"
#include "tensorflow/core/framework/kernel_def.pb.h"
#include "tensorflow/core/framework/types.h"

int main() {
  using namespace tensorflow;
  XlaOpRegistry::RegisterCompilationKernels();
  std::set<std::string> lines;
  std::map<std::string, size_t> numbers;
  std::vector<std::string> sets;
  auto kernels = XlaOpRegistry::DeviceKernels("XLA_CPU_JIT", /*include_compilation_only_kernels=*/true);
  std::sort(kernels.begin(), kernels.end(), [](const KernelDef *a, const KernelDef *b) { return a->SerializeAsString() < b->SerializeAsString(); });
  for (const KernelDef *kernel : kernels) {
    if (kernel->op()[0] == '_') continue;
    std::map<std::string, std::set<int>> constraints;
    for (const auto &constraint : kernel->constraint())
      for (int type : constraint.allowed_values().list().type()) constraints[constraint.name()].insert(type);
    std::string line = kernel->op();
    for (const auto &[attribute, types] : constraints) {
      std::string names;
      for (int type : types) names += " " + DataTypeString(static_cast<DataType>(type));
      auto [known, is_new] = numbers.emplace(names, sets.size());
      if (is_new) sets.push_back(names);
      line += " " + attribute + "=" + std::to_string(known->second);
    }
    if (const auto *operands = XlaOpRegistry::CompileTimeConstantInputArgNames(kernel->op()))
      for (const auto &operand : std::set<std::string>(operands->begin(), operands->end())) line += " !" + operand;
    lines.insert(line);
  }
  for (size_t number = 0; number < sets.size(); number++) std::cout << "types " << number << sets[number] << "\n";
  for (const auto &line : lines) std::cout << line << "\n";
}
