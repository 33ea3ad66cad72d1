// An index out of bounds and a negative count end the program.
//
// RUN: not tfxc run %s 2 3 2>&1 | FileCheck %s --check-prefix=SET
// SET: arrays_fail.mlir:[[#@LINE+11]]:8: {{.*}}index 3 is outside of an array of 2 elements
// RUN: not tfxc run %s -- -1 3 2>&1 | FileCheck %s --check-prefix=FILL
// FILL: arrays_fail.mlir:[[#@LINE+8]]:8: {{.*}}an array cannot have -1 elements
// RUN: not tfxc interpret %s 2 3 2>&1 | FileCheck %s --check-prefix=SET-INTERPRETED
// SET-INTERPRETED: the index 3 is outside of an array of 2
// RUN: not tfxc interpret %s -- -1 3 2>&1 | FileCheck %s --check-prefix=FILL-INTERPRETED
// FILL-INTERPRETED: an array cannot have -1 elements

func.func @main(%n: index {tfx.name = "n"}, %i: index {tfx.name = "i"}) {
  %x = arith.constant 1.0 : f64
  %a = tfx_host.array_fill %x, %n : !tfx_host.array<f64>
  %b = tfx_host.array_set %x into %a[%i] : !tfx_host.array<f64>
  %c = tfx_host.array_count %b : !tfx_host.array<f64>
  tfx_host.print "{}"(%c) : index
  return
}
