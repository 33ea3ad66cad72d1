// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline)' --split-input-file | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-inline{graph-functions=false})' --split-input-file | FileCheck %s --check-prefix=ALL
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-deabstract)' --split-input-file -o %t.once
// RUN: tfx-opt %t.once --pass-pipeline='builtin.module(tfx-deabstract)' --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

// A tensor-only function with two calls stays one function. With the option, it is inlined like any other.

// CHECK-LABEL: func.func @main(
// CHECK:         call @five
// CHECK-NEXT:    call @five
// CHECK-NEXT:    return
// CHECK:       func.func private @five({{.*}}) -> tensor<f32> attributes {tfx.graph_function} {
// CHECK-COUNT-5: tfx_tensor.op
// ALL-LABEL:   func.func @main(
// ALL-COUNT-10:  tfx_tensor.op
// ALL-NOT:       @five
// ALL-LABEL:   func.func @four_operations(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @five(%x) : (tensor<f32>) -> tensor<f32>
  %z = func.call @five(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @five(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Exp"(%d) : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}

// -----

// Four operations are inlined: a call costs more. Constants and operations that only rearrange values do not count.

// CHECK-LABEL: func.func @four_operations(
// CHECK-COUNT-8: tfx_tensor.op
// CHECK-NOT:     func.func
func.func @four_operations(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @four(%x) : (tensor<f32>) -> tensor<f32>
  %z = func.call @four(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @four(%x: tensor<f32>) -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %t = tfx_tensor.from_scalar %one : f32
  %u = tfx_tensor.const dense<2.0> : tensor<f32>
  %p = tfx_host.make_tuple(%t, %u) : tensor<f32>, tensor<f32>
  %q = tfx_host.tuple_get %p[0] : tuple<tensor<f32>, tensor<f32>>
  %a = tfx_tensor.op "Add"(%x, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Mul"(%a, %u) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}

// -----

// A function with one call is inlined, whatever its size. Calls in a function that is inlined twice count twice: @inner has one call in the text and two in the program.

// CHECK-LABEL: func.func @counted(
// CHECK:         "Sqrt"
// CHECK:         "Rsqrt"
// CHECK:         call @inner
// CHECK-NEXT:    "Sin"
// CHECK-NEXT:    call @inner
// CHECK-NEXT:    "Sin"
// CHECK-NEXT:    return
// CHECK-NOT:   @once
// CHECK:       func.func private @inner(
func.func @counted(%x: tensor<f32>) -> tensor<f32> {
  %w = func.call @once(%x) : (tensor<f32>) -> tensor<f32>
  %y = func.call @tiny(%w) : (tensor<f32>) -> tensor<f32>
  %z = func.call @tiny(%y) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
func.func private @tiny(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @inner(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Sin"(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Exp"(%d) : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}
func.func private @once(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Rsqrt"(%d) : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}

// -----

// A function that only a graph function calls, once, is inlined into it; so is scalar code, whose calls would stay on the host. Control flow and variables are no
// obstacles, and a public function stays public.

// CHECK-LABEL: func.func @nested(
// CHECK:         call @outer
// CHECK:         call @outer
// CHECK:       func.func @outer({{.*}}) -> tensor<f32> attributes {tfx.graph_function} {
// CHECK:         arith.mulf
// CHECK:         cf.cond_br
// CHECK:         "Rsqrt"
// CHECK:         return
// CHECK-NOT:   func.func private
func.func @nested(%x: tensor<f32>, %s: f32) -> (tensor<f32>, f32) {
  %y = func.call @outer(%x, %s) : (tensor<f32>, f32) -> tensor<f32>
  %z = func.call @outer(%y, %s) : (tensor<f32>, f32) -> tensor<f32>
  %t = func.call @square(%s) : (f32) -> f32
  return %z, %t : tensor<f32>, f32
}
func.func @outer(%x: tensor<f32>, %s: f32) -> tensor<f32> {
  %t = func.call @square(%s) : (f32) -> f32
  %limit = arith.constant 2.0 : f32
  %big = arith.cmpf ogt, %t, %limit : f32
  %v = tfx_host.var : !tfx_host.ref<tensor<f32>>
  tfx_host.store %x, %v : tensor<f32>
  cf.cond_br %big, ^part, ^end
^part:
  %p = func.call @part(%x) : (tensor<f32>) -> tensor<f32>
  tfx_host.store %p, %v : tensor<f32>
  cf.br ^end
^end:
  %r = tfx_host.load %v : !tfx_host.ref<tensor<f32>>
  return %r : tensor<f32>
}
func.func private @part(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Rsqrt"(%b) : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}
func.func private @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}

// -----

// Structs and tuples of tensors.

// CHECK-LABEL: func.func @of_structs(
// CHECK:         call @dense
// CHECK:         call @dense
tfx_host.struct @Pair {w: tensor<f32>, rate: tensor<f32>}
tfx_host.struct @Dense {pair: !tfx_host.struct<@Pair>, both: tuple<tensor<f32>, tensor<i1>>}
func.func @of_structs(%l: !tfx_host.struct<@Dense>, %x: tensor<f32>) -> tensor<f32> {
  %y, %p = func.call @dense(%l, %x) : (!tfx_host.struct<@Dense>, tensor<f32>) -> (tensor<f32>, !tfx_host.struct<@Dense>)
  %z, %q = func.call @dense(%p, %y) : (!tfx_host.struct<@Dense>, tensor<f32>) -> (tensor<f32>, !tfx_host.struct<@Dense>)
  return %z : tensor<f32>
}
func.func private @dense(%l: !tfx_host.struct<@Dense>, %x: tensor<f32>) -> (tensor<f32>, !tfx_host.struct<@Dense>) {
  %p = tfx_host.extract %l["pair"] : !tfx_host.struct<@Dense> -> !tfx_host.struct<@Pair>
  %w = tfx_host.extract %p["w"] : !tfx_host.struct<@Pair> -> tensor<f32>
  %a = tfx_tensor.op "Mul"(%x, %w) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %q = tfx_host.make_struct(%a, %w) : (tensor<f32>, tensor<f32>) -> !tfx_host.struct<@Pair>
  %m = tfx_host.insert %q into %l["pair"] : !tfx_host.struct<@Pair>, !tfx_host.struct<@Dense>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Exp"(%d) : (tensor<f32>) -> tensor<f32>
  return %e, %m : tensor<f32>, !tfx_host.struct<@Dense>
}

// -----

// With a scalar result, a function of more than 100 operations stays; a computation on the scalar
// result of a smaller one may run on the host, too.

// CHECK-LABEL: func.func @of_scalars(
// CHECK-COUNT-8: "Exp"
// CHECK-COUNT-2: call @large
// CHECK-NOT:     call
// CHECK:       func.func private @large
func.func @of_scalars(%x: tensor<f32>) -> (f32, f32, f32, f32) {
  %a = func.call @small(%x) : (tensor<f32>) -> f32
  %b = func.call @small(%x) : (tensor<f32>) -> f32
  %c = func.call @large(%x) : (tensor<f32>) -> f32
  %d = func.call @large(%x) : (tensor<f32>) -> f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}
func.func private @small(%x: tensor<f32>) -> f32 {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Exp"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Exp"(%c) : (tensor<f32>) -> tensor<f32>
  %s = tfx_tensor.to_scalar %d : tensor<f32> -> f32
  %t = arith.mulf %s, %s : f32
  return %t : f32
}
func.func private @medium(%x: tensor<f32>) -> f32 {
  %a = func.call @small(%x) : (tensor<f32>) -> f32
  %b = func.call @small(%x) : (tensor<f32>) -> f32
  %c = func.call @small(%x) : (tensor<f32>) -> f32
  %d = func.call @small(%x) : (tensor<f32>) -> f32
  %e = func.call @small(%x) : (tensor<f32>) -> f32
  return %e : f32
}
func.func private @large(%x: tensor<f32>) -> f32 {
  %a = func.call @medium(%x) : (tensor<f32>) -> f32
  %b = func.call @medium(%x) : (tensor<f32>) -> f32
  %c = func.call @medium(%x) : (tensor<f32>) -> f32
  %d = func.call @medium(%x) : (tensor<f32>) -> f32
  %e = func.call @medium(%x) : (tensor<f32>) -> f32
  return %e : f32
}

// -----

// The application of a closure at its maker counts as a call.

// CHECK-LABEL: func.func @with_closures(
// CHECK-COUNT-2: call @steps
// CHECK:       func.func private @steps
// CHECK-NOT:     tfx_host
// CHECK:         return
func.func @with_closures(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @steps(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @steps(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func private @steps(%x: tensor<f32>) -> tensor<f32> {
  %step = tfx_host.closure @step(%x) : (tensor<f32>) -> !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %a = tfx_host.apply %step(%x) : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %b = tfx_host.apply %step(%a) : !tfx_host.closure<(tensor<f32>) -> tensor<f32>>
  %c = tfx_tensor.op "Exp"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
func.func private @step(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%y) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Mul"(%a, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}

// -----

// Not tensor-only: inlined. A print, a foreign call, a reference, a string in a struct, a scalar operation that only the host has, and a scalar
// that does not depend on tensors.

// CHECK-LABEL: func.func @mixed(
// CHECK-NOT:     call @{{prints|calls|refers|text|scalar|counts}}
// CHECK:         return
// CHECK-NOT:   tfx.graph_function
tfx_host.struct @Named {w: tensor<f32>, name: !tfx_host.string}
func.func private @foreign(tensor<f32>) -> tensor<f32>
func.func @mixed(%x: tensor<f32>, %n: !tfx_host.struct<@Named>, %s: i32) -> (tensor<f32>, i32) {
  %v = tfx_host.var : !tfx_host.ref<tensor<f32>>
  tfx_host.store %x, %v : tensor<f32>
  %a0 = func.call @prints(%x) : (tensor<f32>) -> tensor<f32>
  %a1 = func.call @prints(%a0) : (tensor<f32>) -> tensor<f32>
  %b0 = func.call @calls(%a1) : (tensor<f32>) -> tensor<f32>
  %b1 = func.call @calls(%b0) : (tensor<f32>) -> tensor<f32>
  func.call @refers(%v) : (!tfx_host.ref<tensor<f32>>) -> ()
  func.call @refers(%v) : (!tfx_host.ref<tensor<f32>>) -> ()
  %c0 = func.call @text(%n) : (!tfx_host.struct<@Named>) -> tensor<f32>
  %c1 = func.call @text(%n) : (!tfx_host.struct<@Named>) -> tensor<f32>
  %d0 = func.call @scalar(%b1, %s) : (tensor<f32>, i32) -> tensor<f32>
  %d1 = func.call @scalar(%d0, %s) : (tensor<f32>, i32) -> tensor<f32>
  %e0, %s0 = func.call @counts(%d1, %s) : (tensor<f32>, i32) -> (tensor<f32>, i32)
  %e1, %s1 = func.call @counts(%e0, %s0) : (tensor<f32>, i32) -> (tensor<f32>, i32)
  return %e1, %s1 : tensor<f32>, i32
}
func.func private @body(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  return %d : tensor<f32>
}
func.func private @prints(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @body(%x) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%a) : tensor<f32>
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func private @calls(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @body(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @foreign(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}
func.func private @refers(%v: !tfx_host.ref<tensor<f32>>) {
  %x = tfx_host.load %v : !tfx_host.ref<tensor<f32>>
  %a = func.call @body(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  tfx_host.store %b, %v : tensor<f32>
  return
}
func.func private @text(%n: !tfx_host.struct<@Named>) -> tensor<f32> {
  %x = tfx_host.extract %n["w"] : !tfx_host.struct<@Named> -> tensor<f32>
  %a = func.call @body(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func private @scalar(%x: tensor<f32>, %s: i32) -> tensor<f32> {
  %a = func.call @body(%x) : (tensor<f32>) -> tensor<f32>
  %l, %u = arith.mulsi_extended %s, %s : i32
  %f = arith.sitofp %u : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %b = tfx_tensor.op "Mul"(%a, %t) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
func.func private @counts(%x: tensor<f32>, %s: i32) -> (tensor<f32>, i32) {
  %a = func.call @body(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  %one = arith.constant 1 : i32
  %n = arith.addi %s, %one : i32
  return %b, %n : tensor<f32>, i32
}

// -----

// Calls in an uncalled private function do not count.

// CHECK-LABEL: func.func @dead_caller(
// CHECK-COUNT-5: tfx_tensor.op
// CHECK-NOT:     tfx.graph_function
func.func @dead_caller(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @five(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @dead(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @five(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @five(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<f32>) -> tensor<f32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<f32>) -> tensor<f32>
  %e = tfx_tensor.op "Exp"(%d) : (tensor<f32>) -> tensor<f32>
  return %e : tensor<f32>
}

// -----

// Functions that a front end marks stay, whatever their size and number of calls.

// CHECK-LABEL: func.func @marked(
// CHECK-NEXT:    call @one
// CHECK:       func.func private @one({{.*}}) -> tensor<f32> attributes {tfx.graph_function} {
// ALL-LABEL:   func.func @marked(
// ALL-NEXT:      tfx_tensor.op "Neg"
func.func @marked(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @one(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @one(%x: tensor<f32>) -> tensor<f32> attributes {tfx.graph_function} {
  %a = tfx_tensor.op "Neg"(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}

// -----

// An attribute that depends on a parameter is known only where the function is inlined, also through a call; one that is computed from constants is known
// everywhere, and a tensor is not a constant.

// CHECK-LABEL: func.func @attributes(
// CHECK-NOT:     call @{{by_parameter|through}}
// CHECK:         call @by_constant
// CHECK:         call @by_constant
// CHECK-NOT:     call @
// CHECK:         return
func.func @attributes(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %yes = arith.constant true
  %no = arith.constant false
  %a = func.call @by_parameter(%x, %yes) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  %b = func.call @by_parameter(%a, %no) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  %c = func.call @through(%b, %no) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  %d = func.call @through(%c, %no) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  %e = func.call @by_constant(%d, %no) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  %f = func.call @by_constant(%e, %no) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  return %f : tensor<4x4xf32>
}
func.func private @by_parameter(%x: tensor<4x4xf32>, %p: i1) -> tensor<4x4xf32> {
  %one = arith.constant true
  %q = arith.xori %p, %one : i1
  %y = tfx_tensor.op "MatMul"(%x, %x) computed(transpose_a = %q : i1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = tfx_tensor.op "Neg"(%y) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = tfx_tensor.op "Exp"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = tfx_tensor.op "Tanh"(%b) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = tfx_tensor.op "Neg"(%c) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}
func.func private @through(%x: tensor<4x4xf32>, %p: i1) -> tensor<4x4xf32> {
  %y = func.call @by_parameter(%x, %p) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func private @by_constant(%x: tensor<4x4xf32>, %p: i1) -> tensor<4x4xf32> {
  %yes = arith.constant true
  %y = func.call @by_parameter(%x, %yes) : (tensor<4x4xf32>, i1) -> tensor<4x4xf32>
  %f = arith.uitofp %p : i1 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %z = tfx_tensor.op "Mul"(%y, %t) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}
