// RUN: split-file %s %t
// RUN: not tfx-translate --mlir-to-graphdef %t/operation.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: not tfx-translate --mlir-to-graphdef %t/structured.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=STRUCTURED
// RUN: not tfx-translate --mlir-to-graphdef %t/empty.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tfx-translate --mlir-to-graphdef %t/syntax.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not tfx-translate --mlir-to-llvmir %t/not-llvm.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=NOT-LLVM
// RUN: not tfx-translate --mlir-to-graphdef %t/none.mlir -o %t/out 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not test -e %t/out
// RUN: not tfx-translate --mlir-to-graphdef %t/good.mlir -o %t/no/folder 2>&1 | FileCheck %s --check-prefix=NO-FOLDER
// RUN: not tfx-translate %t/good.mlir 2>&1 | FileCheck %s --check-prefix=NOTHING

// OPERATION: operation.mlir:2:8: error: TensorFlow has no operation "Negg"; did you mean "Neg"?
// STRUCTURED: structured.mlir:2:3: error: 'scf.if' is not in the form of a GraphDef; run the pass tfx-legalize-graph on the graph first
// EMPTY: empty.mlir:1:1: error: this program has no graph operation, so it cannot be exported as a GraphDef
// SYNTAX: syntax.mlir:1:1: error:
// NOT-LLVM: not-llvm.mlir:{{.*}}: error: cannot be converted to LLVM IR
// NO-FILE: error: cannot read '{{.*}}none.mlir': no such file
// NO-FOLDER: error: cannot write '{{.*}}folder'
// NOTHING: error: the following required arguments were not provided

//--- operation.mlir
tfx_tensor.graph @g(%x: tensor<f32>) {
  %y = tfx_tensor.op "Negg"(%x) : (tensor<f32>) -> tensor<f32>
  tfx_tensor.return
}
//--- structured.mlir
tfx_tensor.graph @g(%p: i1) {
  scf.if %p {
  }
  tfx_tensor.return
}
//--- empty.mlir
func.func @f() {
  return
}
//--- syntax.mlir
tfx_tensor.graf @g() {}
//--- not-llvm.mlir
llvm.func @f()
func.func @g() {
  return
}
//--- good.mlir
tfx_tensor.graph @g() {
  tfx_tensor.return
}
