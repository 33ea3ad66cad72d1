// Messages and exit codes are those of mlir-opt, except for the name of the tool.
//
// DEFINE: %{arguments} =
// DEFINE: %{compare} = not mlir-opt %{arguments} 2>&1 | sed 's/mlir-opt/tfx-opt/g' > %t.expected && \
// DEFINE:   not %tfx-opt %{arguments} > %t.actual 2>&1 && diff %t.expected %t.actual

// REDEFINE: %{arguments} = %t.missing.mlir
// RUN: %{compare}
// RUN: FileCheck %s --check-prefix=MISSING < %t.actual
// MISSING: cannot open input file '{{.*}}.missing.mlir': No such file or directory

// REDEFINE: %{arguments} = --pass-pipeline='builtin.module(no-such-pass)' %s
// RUN: %{compare}
// RUN: FileCheck %s --check-prefix=PASS < %t.actual
// PASS: 'no-such-pass' does not refer to a registered pass or pass pipeline

// REDEFINE: %{arguments} = --pass-pipeline='builtin.module(cse' %s
// RUN: %{compare}

// REDEFINE: %{arguments} = --pass-pipeline='cse' --canonicalize %s
// RUN: %{compare}

// REDEFINE: %{arguments} = --canonicalize='no-such-option=1' %s
// RUN: %{compare}

// REDEFINE: %{arguments} = --verify-diagnostics=perhaps %s
// RUN: %{compare}

// REDEFINE: %{arguments} = %S/Inputs/unregistered.mlir
// RUN: %{compare}

// REDEFINE: %{arguments} = %S/Inputs/unexpected.mlir
// RUN: %{compare}
// RUN: FileCheck %s --check-prefix=TYPES < %t.actual
// TYPES: unexpected.mlir:2:8: error: 'arith.addi' op requires the same type for all operands and results

// RUN: not %tfx-opt --canonicalise %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: tfx-opt: Unknown command line argument '--canonicalise'.
// OPTION: Did you mean '--canonicalize'?

func.func private @f()
