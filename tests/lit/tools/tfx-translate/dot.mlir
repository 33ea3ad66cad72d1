// RUN: tfx-translate --mlir-to-dot %s | FileCheck %s
// RUN: tfx-translate --mlir-to-dot %s > %t.1 && tfx-translate --mlir-to-dot %s -o %t.2 && cmp %t.1 %t.2
// RUN: tfx-opt %s --tfx-extract 2>/dev/null | tfx-translate --mlir-to-dot - | FileCheck %s --check-prefix=EXTRACTED
// RUN: not tfx-translate --mlir-to-dot --text %s 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: echo 'func.func @f( {' | not tfx-translate --mlir-to-dot - 2>&1 | FileCheck %s --check-prefix=ERROR

// Both sides of a program, with a loop, a branch and a switch. Constants are parts of labels, loops and branches are
// clusters, and a transfer is an edge with its channel and type.

// CHECK:      digraph tfx {
// CHECK:        subgraph cluster_0 {
// CHECK-NEXT:     graph [label="host @main", tooltip="{{.*}}dot.mlir:[[#MAIN:]]:1\nhost @main",
// CHECK:          n1 [label="start @main.graph"
// CHECK:          subgraph cluster_1 {
// CHECK-NEXT:       graph [label="while (line [[#MAIN+7]]), 10 iterations"
// CHECK-NEXT:       n2 [label="i32 = 0", shape=ellipse
// CHECK-NEXT:       n3 [label="cmpi slt(·, 10)", style="rounded,filled,dashed"{{.*}}\narith.cmpi"];
// CHECK-NEXT:       n4 [label="continue?", shape=diamond
// CHECK-NEXT:       n5 [label="call @decide"
// CHECK-NEXT:       n6 [label="recv 0"
// CHECK-NEXT:       subgraph cluster_2 {
// CHECK-NEXT:         graph [label="if (line [[#MAIN+12]])"
// CHECK-NEXT:         n7 [label="if", shape=diamond
// CHECK-NEXT:         n8 [label="call @log"
// CHECK-NEXT:         n9 [label="print \"a \"quoted\" text &amp; more: {}\""
// CHECK-NEXT:       }
// CHECK:        subgraph cluster_3 {
// CHECK-NEXT:     graph [label="graph @main.graph"
// CHECK-NEXT:     n15 [label="input 0: 4xf32"
// CHECK:            n20 [label="Mul(·, 0.5)"
// CHECK-NEXT:       n21 [label="send 0"
// CHECK:            n25 [label="index_switch", shape=diamond
// CHECK-NEXT:       n26 [label="4xf32", shape=ellipse
// CHECK-NEXT:       subgraph cluster_6 {
// CHECK-NEXT:         graph [label="default"
// CHECK-NEXT:         n27 [label="Neg"
// CHECK-NEXT:       }
// CHECK-NEXT:       subgraph cluster_7 {
// CHECK-NEXT:         graph [label="case 3"
// CHECK-NEXT:         n28 [label="Abs"

// The iteration argument of the tensor: its first value, the next one, and its users.
// CHECK-DAG: n15 -> n17;
// CHECK-DAG: n20 -> n17 [style=dashed, constraint=false];
// CHECK-DAG: n17 -> n20;
// CHECK-DAG: n17 -> n27;
// CHECK-DAG: n17 -> n26;

// The input, the result and both transfers.
// CHECK-DAG: n0 -> n15 [style=dashed
// CHECK-DAG: n29 -> n13 [style=dashed, color="#3c78b4", label="4xf32"];
// CHECK-DAG: n21 -> n6 [color="#c0392b", {{.*}}, label="0: 4xf32", tooltip="tensor<4xf32>"
// CHECK-DAG: n12 -> n23 [color="#c0392b", {{.*}}, label="1: i32"

// EXTRACTED: graph [label="host @main"
// EXTRACTED: n21 -> n6 [color="#c0392b"
// TEXT:      the argument '{{.*}}' cannot be used with
// ERROR:     error:

func.func private @decide(i32) -> i1
func.func private @choose() -> i32
func.func private @log(tensor<4xf32>)

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 10 : i32
  cf.br ^loop(%zero, %x : i32, tensor<4xf32>)
^loop(%i: i32, %v: tensor<4xf32>):
  %more = arith.cmpi slt, %i, %limit : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %half = tfx_tensor.const dense<0.5> : tensor<f32>
  %next = tfx_tensor.op "Mul"(%v, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %logs = func.call @decide(%i) : (i32) -> i1
  cf.cond_br %logs, ^log, ^after
^log:
  func.call @log(%next) : (tensor<4xf32>) -> ()
  tfx_host.print "a \"quoted\" text & more: {}"(%i) : i32
  cf.br ^after
^after:
  %j = arith.addi %i, %one : i32
  cf.br ^loop(%j, %next : i32, tensor<4xf32>)
^exit:
  %case = func.call @choose() : () -> i32
  cf.switch %case : i32, [default: ^a, 3: ^b, 7: ^c]
^a:
  %ra = tfx_tensor.op "Neg"(%v) : (tensor<4xf32>) -> tensor<4xf32>
  cf.br ^end(%ra : tensor<4xf32>)
^b:
  %rb = tfx_tensor.op "Abs"(%v) : (tensor<4xf32>) -> tensor<4xf32>
  cf.br ^end(%rb : tensor<4xf32>)
^c:
  cf.br ^end(%v : tensor<4xf32>)
^end(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
}
