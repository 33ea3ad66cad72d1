// A second run of a pipeline changes nothing, and extracted code compiles to the same as its source. The proof compares host and graph region by
// region, so a host function that starts a graph keeps its regions; so does a host function that extraction has processed.
//
// RUN: tfx-opt %s --tfx-extract -o %t.extracted.mlir
// RUN: tfx-opt %t.extracted.mlir --tfx-extract -o %t.again.mlir
// RUN: diff %t.extracted.mlir %t.again.mlir
// RUN: tfx-opt %t.extracted.mlir --tfx-deabstract | diff %t.extracted.mlir -
// RUN: FileCheck %s < %t.extracted.mlir
//
// RUN: tfx-opt %s --tfx-compile-graph -o %t.graph.mlir
// RUN: tfx-opt %t.extracted.mlir --tfx-compile-graph | diff %t.graph.mlir -
// RUN: tfx-opt %s --tfx-compile -o %t.compiled.mlir
// RUN: tfx-opt %t.compiled.mlir --tfx-compile | diff %t.compiled.mlir -
//
// RUN: tfxc run %s 9 | FileCheck %s --check-prefix=SHOWN
// RUN: tfxc run %t.extracted.mlir 9 | FileCheck %s --check-prefix=SHOWN
// RUN: %if tensorflow %{ tfxc run %t.extracted.mlir 9 --executor tensorflow | FileCheck %s --check-prefix=SHOWN %}
// RUN: tfxc interpret %t.extracted.mlir 9 | FileCheck %s --check-prefix=SHOWN
//
// SHOWN: two -1
// SHOWN-NEXT: at 0
// SHOWN-NEXT: at 1
// SHOWN-NEXT: five 1

// The mark of host code that pipelines leave unchanged. With branches it would be source.
// CHECK-LABEL: func.func private @triangle(
// CHECK-SAME: attributes {no_inline, tfx.extracted}
// CHECK: scf.while
func.func private @triangle(%n: index) -> index attributes {no_inline} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%all = %zero) -> index {
    tfx_host.print "at {}"(%i) : index
    %more = arith.addi %all, %i : index
    scf.yield %more : index
  }
  return %sum : index
}
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = tfx_tensor.const dense<1> : tensor<i32>
  scf.for %i = %c0 to %n step %c1 {
    scf.index_switch %i
    case 2 {
      %t = tfx_tensor.op "Neg"(%one) : (tensor<i32>) -> tensor<i32>
      tfx_host.print "two {}"(%t) : tensor<i32>
      scf.yield
    }
    case 5 {
      %two = arith.constant 2 : index
      %sum = func.call @triangle(%two) : (index) -> index
      tfx_host.print "five {}"(%sum) : index
      scf.yield
    }
    default {
      scf.yield
    }
  }
  return
}
