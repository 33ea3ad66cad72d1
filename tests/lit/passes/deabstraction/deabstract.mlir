// RUN: tfx-opt %s --tfx-deabstract --split-input-file | FileCheck %s
// RUN: tfx-opt %s --tfx-deabstract --split-input-file | tfx-opt --tfx-deabstract --split-input-file | FileCheck %s

// EXAMPLE.md: the weights are a loop-carried value; an inout parameter and structured control flow have the same result.

func.func private @cpu_only(tensor<?x1xf32>) -> tensor<?x1xf32>

// CHECK-LABEL: func.func @train(
// CHECK-SAME:    %[[INPUTS:.*]]: tensor<?x?xf32>, %[[OUTPUTS:.*]]: tensor<?x1xf32>, %[[W0:.*]]: tensor<?x1xf32>)
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK:         cf.br ^[[HEADER:.*]](%[[ZERO]], %[[W0]] : i32, tensor<?x1xf32>)
// CHECK-NEXT:  ^[[HEADER]](%[[STEP:.*]]: i32, %[[W:.*]]: tensor<?x1xf32>):
// CHECK-NEXT:    %[[GO:.*]] = arith.cmpi slt, %[[STEP]]
// CHECK-NEXT:    cf.cond_br %[[GO]], ^[[BODY:.*]], ^[[EXIT:.*]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK-NEXT:    %[[XW:.*]] = tfx_tensor.op "MatMul"(%[[INPUTS]], %[[W]])
// CHECK-NEXT:    %[[PREDICTIONS:.*]] = call @cpu_only(%[[XW]])
// CHECK-NEXT:    %[[ERRORS:.*]] = tfx_tensor.op "Sub"(%[[PREDICTIONS]], %[[OUTPUTS]])
// CHECK-NEXT:    %[[DW:.*]] = tfx_tensor.op "MatMul"(%[[INPUTS]], %[[ERRORS]]) {transpose_a = true}
// CHECK-NEXT:    %[[RATE:.*]] = tfx_tensor.const dense<0.00999999977> : tensor<f32>
// CHECK-NEXT:    %[[DELTA:.*]] = tfx_tensor.op "Mul"(%[[DW]], %[[RATE]])
// CHECK-NEXT:    %[[NEXT:.*]] = tfx_tensor.op "Sub"(%[[W]], %[[DELTA]])
// CHECK-NEXT:    %[[REM:.*]] = arith.remsi %[[STEP]]
// CHECK-NEXT:    %[[SHOW:.*]] = arith.cmpi eq, %[[REM]], %[[ZERO]]
// CHECK-NEXT:    cf.cond_br %[[SHOW]], ^[[PRINT:.*]], ^[[LATCH:.*]]
// CHECK-NEXT:  ^[[PRINT]]:
// CHECK-NEXT:    tfx_host.print "Current weights: {}"(%[[NEXT]])
// CHECK-NEXT:    cf.br ^[[LATCH]]
// CHECK-NEXT:  ^[[LATCH]]:
// CHECK-NEXT:    %[[STEP1:.*]] = arith.addi %[[STEP]]
// CHECK-NEXT:    cf.br ^[[HEADER]](%[[STEP1]], %[[NEXT]] : i32, tensor<?x1xf32>)
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    return %[[W]]
// CHECK-NEXT:  }
// CHECK-NEXT: }
func.func @train(%inputs: tensor<?x?xf32>, %outputs: tensor<?x1xf32>, %w0: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  %weights = tfx_host.var : !tfx_host.ref<tensor<?x1xf32>>
  tfx_host.store %w0, %weights : tensor<?x1xf32>
  cf.br ^header(%zero : i32)
^header(%step: i32):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  func.call @step(%inputs, %outputs, %weights) : (tensor<?x?xf32>, tensor<?x1xf32>, !tfx_host.ref<tensor<?x1xf32>>) -> ()
  %rem = arith.remsi %step, %every : i32
  %show = arith.cmpi eq, %rem, %zero : i32
  scf.if %show {
    %current = tfx_host.load %weights : !tfx_host.ref<tensor<?x1xf32>>
    tfx_host.print "Current weights: {}"(%current) : tensor<?x1xf32>
  }
  %step1 = arith.addi %step, %one : i32
  cf.br ^header(%step1 : i32)
^exit:
  %result = tfx_host.load %weights : !tfx_host.ref<tensor<?x1xf32>>
  return %result : tensor<?x1xf32>
}
func.func private @step(%inputs: tensor<?x?xf32>, %outputs: tensor<?x1xf32>, %weights: !tfx_host.ref<tensor<?x1xf32>>) {
  %w = tfx_host.load %weights : !tfx_host.ref<tensor<?x1xf32>>
  %xw = tfx_tensor.op "MatMul"(%inputs, %w) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %predictions = func.call @cpu_only(%xw) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %errors = tfx_tensor.op "Sub"(%predictions, %outputs) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %dw = tfx_tensor.op "MatMul"(%inputs, %errors) {transpose_a = true} : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %rate = tfx_tensor.const dense<0.01> : tensor<f32>
  %delta = tfx_tensor.op "Mul"(%dw, %rate) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %next = tfx_tensor.op "Sub"(%w, %delta) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  tfx_host.store %next, %weights : tensor<?x1xf32>
  return
}

// -----

// PROGRAMS.md, tensor struct, without generics: two nodes.

tfx_host.struct @Tensor {value: tensor<2x2xf32>}

// CHECK-NOT:   tfx_host
// CHECK-LABEL: func.func @calculate(
// CHECK-SAME:    %[[A:.*]]: tensor<2x2xf32> {tfx.name = "a.value"}, %[[B:.*]]: tensor<2x2xf32>, %[[C:.*]]: tensor<2x2xf32>) -> tensor<2x2xf32> {
// CHECK-NEXT:    %[[M:.*]] = tfx_tensor.op "MatMul"(%[[A]], %[[B]])
// CHECK-NEXT:    %[[R:.*]] = tfx_tensor.op "AddV2"(%[[M]], %[[C]])
// CHECK-NEXT:    return %[[R]]
// CHECK-NEXT:  }
// CHECK-NEXT: }
func.func @calculate(%a: !tfx_host.struct<@Tensor> {tfx.name = "a"}, %b: !tfx_host.struct<@Tensor>, %c: !tfx_host.struct<@Tensor>) -> !tfx_host.struct<@Tensor> {
  %m = func.call @Tensor.matmul(%a, %b) : (!tfx_host.struct<@Tensor>, !tfx_host.struct<@Tensor>) -> !tfx_host.struct<@Tensor>
  %r = func.call @Tensor.add(%m, %c) : (!tfx_host.struct<@Tensor>, !tfx_host.struct<@Tensor>) -> !tfx_host.struct<@Tensor>
  return %r : !tfx_host.struct<@Tensor>
}
func.func private @Tensor.matmul(%self: !tfx_host.struct<@Tensor>, %o: !tfx_host.struct<@Tensor>) -> !tfx_host.struct<@Tensor> {
  %a = tfx_host.extract %self["value"] : !tfx_host.struct<@Tensor> -> tensor<2x2xf32>
  %b = tfx_host.extract %o["value"] : !tfx_host.struct<@Tensor> -> tensor<2x2xf32>
  %m = tfx_tensor.op "MatMul"(%a, %b) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = tfx_host.make_struct(%m) : (tensor<2x2xf32>) -> !tfx_host.struct<@Tensor>
  return %r : !tfx_host.struct<@Tensor>
}
func.func private @Tensor.add(%l: !tfx_host.struct<@Tensor>, %r: !tfx_host.struct<@Tensor>) -> !tfx_host.struct<@Tensor> {
  %a = tfx_host.extract %l["value"] : !tfx_host.struct<@Tensor> -> tensor<2x2xf32>
  %b = tfx_host.extract %r["value"] : !tfx_host.struct<@Tensor> -> tensor<2x2xf32>
  %m = tfx_tensor.op "AddV2"(%a, %b) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %s = tfx_host.make_struct(%m) : (tensor<2x2xf32>) -> !tfx_host.struct<@Tensor>
  return %s : !tfx_host.struct<@Tensor>
}

// -----

// A layer with state as a struct variable in structured loops: four values, of which two are carried.

tfx_host.struct @Dense {w: tensor<2x2xf32>, b: tensor<2xf32>, dw: tensor<2x2xf32>, db: tensor<2xf32>}

// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    %[[W:[^:]*]]: tensor<2x2xf32>, %[[B:[^:]*]]: tensor<2xf32>, %{{[^:]*}}: tensor<2x2xf32>, %{{[^:]*}}: tensor<2xf32>, %[[N:[^:]*]]: index)
// CHECK:         cf.br ^[[HEADER:.*]](%{{.*}}, %[[W]], %[[B]] : index, tensor<2x2xf32>, tensor<2xf32>)
// CHECK-NEXT:  ^[[HEADER]](%[[I:.*]]: index, %[[WI:.*]]: tensor<2x2xf32>, %[[BI:.*]]: tensor<2xf32>):
// CHECK:         %[[W1:.*]] = tfx_tensor.op "Neg"(%[[WI]])
// CHECK:         %[[B1:.*]] = tfx_tensor.op "Neg"(%[[BI]])
// CHECK:         cf.br ^[[HEADER]](%{{.*}}, %[[W1]], %[[B1]] : index, tensor<2x2xf32>, tensor<2xf32>)
// CHECK:         return %[[WI]], %[[BI]]
// CHECK-NOT:     tfx_host
func.func @layer(%d: !tfx_host.struct<@Dense>, %n: index) -> (tensor<2x2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Dense>>
  tfx_host.store %d, %v : !tfx_host.struct<@Dense>
  scf.for %i = %zero to %n step %one {
    func.call @update(%v) : (!tfx_host.ref<!tfx_host.struct<@Dense>>) -> ()
  }
  %r = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Dense>>
  %w = tfx_host.extract %r["w"] : !tfx_host.struct<@Dense> -> tensor<2x2xf32>
  %b = tfx_host.extract %r["b"] : !tfx_host.struct<@Dense> -> tensor<2xf32>
  return %w, %b : tensor<2x2xf32>, tensor<2xf32>
}
func.func private @update(%v: !tfx_host.ref<!tfx_host.struct<@Dense>>) {
  %w = tfx_host.field_ref %v["w"] : !tfx_host.ref<!tfx_host.struct<@Dense>> -> !tfx_host.ref<tensor<2x2xf32>>
  %b = tfx_host.field_ref %v["b"] : !tfx_host.ref<!tfx_host.struct<@Dense>> -> !tfx_host.ref<tensor<2xf32>>
  %w0 = tfx_host.load %w : !tfx_host.ref<tensor<2x2xf32>>
  %w1 = tfx_tensor.op "Neg"(%w0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  tfx_host.store %w1, %w : tensor<2x2xf32>
  %b0 = tfx_host.load %b : !tfx_host.ref<tensor<2xf32>>
  %b1 = tfx_tensor.op "Neg"(%b0) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %b1, %b : tensor<2xf32>
  return
}

// -----

// A branch that only selects is unchanged: it becomes the graph's If.

// CHECK-LABEL: func.func @choose(
// CHECK:         cf.cond_br
// CHECK-NOT:     arith.select
// CHECK:       ^{{.*}}(%[[R:.*]]: tensor<f32>):
// CHECK-NEXT:    return %[[R]]
func.func @choose(%p: i1, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %r = tfx_host.var : !tfx_host.ref<tensor<f32>>
  scf.if %p {
    tfx_host.store %a, %r : tensor<f32>
  } else {
    tfx_host.store %b, %r : tensor<f32>
  }
  %x = tfx_host.load %r : !tfx_host.ref<tensor<f32>>
  return %x : tensor<f32>
}

// -----

// A closure that captures a struct, in a training loop with the step as a parameter: nothing remains of it.

tfx_host.struct @Data {x: tensor<?x?xf32>, rate: tensor<f32>}

// CHECK-NOT:   tfx_host
// CHECK-LABEL: func.func @fit(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x?xf32>, %[[RATE:[^:]*]]: tensor<f32>, %[[W0:[^:]*]]: tensor<?x1xf32>, %{{[^:]*}}: index)
// CHECK:         cf.br ^[[HEADER:.*]](%{{.*}}, %[[W0]] : index, tensor<?x1xf32>)
// CHECK-NEXT:  ^[[HEADER]](%{{.*}}: index, %[[W:.*]]: tensor<?x1xf32>):
// CHECK:         %[[M:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[W]])
// CHECK-NEXT:    %[[D:.*]] = tfx_tensor.op "Mul"(%[[M]], %[[RATE]])
// CHECK:         cf.br ^[[HEADER]](%{{.*}}, %[[D]] : index, tensor<?x1xf32>)
// CHECK:         return %[[W]]
// CHECK-NOT:   func.func
func.func @fit(%d: !tfx_host.struct<@Data>, %w0: tensor<?x1xf32>, %n: index) -> tensor<?x1xf32> {
  %step = tfx_host.closure @step(%d) : (!tfx_host.struct<@Data>) -> !tfx_host.closure<(tensor<?x1xf32>) -> tensor<?x1xf32>>
  %w = func.call @repeat(%n, %w0, %step) : (index, tensor<?x1xf32>, !tfx_host.closure<(tensor<?x1xf32>) -> tensor<?x1xf32>>) -> tensor<?x1xf32>
  return %w : tensor<?x1xf32>
}
func.func private @repeat(%n: index, %w0: tensor<?x1xf32>, %step: !tfx_host.closure<(tensor<?x1xf32>) -> tensor<?x1xf32>>) -> tensor<?x1xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%w = %w0) -> tensor<?x1xf32> {
    %next = tfx_host.apply %step(%w) : !tfx_host.closure<(tensor<?x1xf32>) -> tensor<?x1xf32>>
    scf.yield %next : tensor<?x1xf32>
  }
  return %r : tensor<?x1xf32>
}
func.func private @step(%d: !tfx_host.struct<@Data>, %w: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %x = tfx_host.extract %d["x"] : !tfx_host.struct<@Data> -> tensor<?x?xf32>
  %rate = tfx_host.extract %d["rate"] : !tfx_host.struct<@Data> -> tensor<f32>
  %m = tfx_tensor.op "MatMul"(%x, %w) : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %r = tfx_tensor.op "Mul"(%m, %rate) : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// -----

// A struct that is written field by field may be read field by field before all fields are written.

tfx_host.struct @Point {x: i32, y: i32}

// CHECK-LABEL: func.func @partial(
// CHECK-SAME:    %[[X:.*]]: i32)
// CHECK-NEXT:    return %[[X]]
func.func @partial(%x: i32) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  %r = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  tfx_host.store %x, %r : i32
  %p = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Point>>
  %y = tfx_host.extract %p["x"] : !tfx_host.struct<@Point> -> i32
  return %y : i32
}
