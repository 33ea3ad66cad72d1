// The programs that define the model, from source to diagnostics, with all diagnostics of each mode.
//
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-extract)' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=TRIP --implicit-check-not='warning:' --implicit-check-not='remark:' --implicit-check-not='error:'
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-extract{copies=host-to-accelerator})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=TO --implicit-check-not='warning:' --implicit-check-not='remark:' --implicit-check-not='error:'
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-extract{copies=all})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not='warning:' --implicit-check-not='remark:' --implicit-check-not='error:'
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-extract{copies=none copy-errors=true})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='warning:' --implicit-check-not='error:'

// multiply_and_add: inputs and a result, which never count.
func.func @multiply_and_add(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %t = tfx_tensor.op "MatMul"(%x, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = tfx_tensor.op "AddV2"(%t, %b) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

// add_all: the variable is promoted.
func.func @add_all(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>) -> tensor<2xf32> {
  %r = tfx_host.var : !tfx_host.ref<tensor<2xf32>>
  %0 = tfx_tensor.op "AddV2"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %0, %r : tensor<2xf32>
  %1 = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  %2 = tfx_tensor.op "AddV2"(%1, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %2, %r : tensor<2xf32>
  %3 = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  %4 = tfx_tensor.op "AddV2"(%3, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %4 : tensor<2xf32>
}

// -----

// conditional: the host's boolean is an input.
func.func @conditional(%p: i1, %a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %r = tfx_tensor.op "Mul"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  cf.cond_br %p, ^plus, ^minus
^plus:
  %0 = tfx_tensor.op "AddV2"(%r, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  cf.br ^end(%0 : tensor<2xf32>)
^minus:
  %1 = tfx_tensor.op "Sub"(%r, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  cf.br ^end(%1 : tensor<2xf32>)
^end(%2: tensor<2xf32>):
  return %2 : tensor<2xf32>
}

// -----

// simulator: one round trip, at `r`.
// TRIP: :[[#@LINE+20]]:8: warning: the result of '@simulate' stalls the accelerator in every iteration of this loop: a value leaves the accelerator, host code uses it, and the result is copied back
// TRIP: :[[#@LINE+18]]:8: note: this value is copied to the host (16 bytes, every iteration)
// TRIP: :[[#@LINE+18]]:8: note: host code uses it here: call of '@simulate', which has no graph equivalent
// TRIP: :[[#@LINE+19]]:11: note: its result is copied back to the accelerator for this operation
// TRIP: :[[#@LINE+13]]:3: note: in this loop, which runs 1000 times
// TRIP: :[[#@LINE+15]]:8: note: if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator
// TO: :[[#@LINE+14]]:8: warning: the result of '@simulate' is copied from the host to the accelerator (16 bytes, every iteration)
// ALL: :[[#@LINE+12]]:8: warning: a value is copied from the accelerator to the host (16 bytes, every iteration)
// ALL: :[[#@LINE+12]]:8: warning: the result of '@simulate' is copied from the host to the accelerator (16 bytes, every iteration)
func.func private @simulate(tensor<4xf32>) -> tensor<4xf32>
func.func @simulator(%v0: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %trips = arith.constant 1000 : i32
  cf.br ^header(%zero, %v0 : i32, tensor<4xf32>)
^header(%i: i32, %v: tensor<4xf32>):
  %go = arith.cmpi slt, %i, %trips : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %x = tfx_tensor.op "Tanh"(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %r = func.call @simulate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y = tfx_tensor.op "Square"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %next = tfx_tensor.op "AddV2"(%r, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %i1 = arith.addi %i, %one : i32
  cf.br ^header(%i1, %next : i32, tensor<4xf32>)
^exit:
  return %v : tensor<4xf32>
}

// -----

// until_key_pressed: a boolean to the graph in each iteration.
// TO: :[[#@LINE+6]]:11: warning: the result of '@key_pressed' is copied from the host to the accelerator (1 byte, every iteration)
// ALL: :[[#@LINE+5]]:11: warning: the result of '@key_pressed' is copied from the host to the accelerator (1 byte, every iteration)
func.func private @key_pressed() -> i1
func.func @until_key_pressed(%r0: tensor<2x2xf32>) -> tensor<2x2xf32> {
  cf.br ^loop(%r0 : tensor<2x2xf32>)
^loop(%r: tensor<2x2xf32>):
  %stop = func.call @key_pressed() : () -> i1
  cf.cond_br %stop, ^exit, ^body
^body:
  %next = tfx_tensor.op "MatMul"(%r, %r) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  cf.br ^loop(%next : tensor<2x2xf32>)
^exit:
  return %r : tensor<2x2xf32>
}

// -----

// struct and tuple: two copies to the host, one way.
// ALL: :[[#@LINE+4]]:9: warning: a value is copied from the accelerator to the host (8 bytes)
// ALL: :[[#@LINE+9]]:9: warning: a value is copied from the accelerator to the host (8 bytes)
tfx_host.struct @S {a: tensor<2xf32>, b: tensor<2xf32>, c: !tfx_host.string}
func.func @struct_and_tuple(%x: tensor<2xf32>) {
  %t1 = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %t2 = tfx_tensor.op "Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %s = tfx_host.string "Hello World"
  %v = tfx_host.make_struct(%t1, %t2, %s) : (tensor<2xf32>, tensor<2xf32>, !tfx_host.string) -> !tfx_host.struct<@S>
  %a = tfx_host.extract %v["a"] : !tfx_host.struct<@S> -> tensor<2xf32>
  tfx_host.print "v.a = {}"(%a) : tensor<2xf32>
  %t3 = tfx_tensor.op "Square"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %t = tfx_host.make_tuple(%t3, %t2) : tensor<2xf32>, tensor<2xf32>
  %t0 = tfx_host.tuple_get %t[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  tfx_host.print "t.0 = {}"(%t0) : tensor<2xf32>
  %last = tfx_tensor.op "Exp"(%t3) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "{}"(%last) : tensor<2xf32>
  return
}

// -----

// tensor struct: a struct with a tensor, generic in the element type.
!Tensor = !tfx_host.struct<@Tensor<!tfx_host.param<"S">>>
!F = !tfx_host.struct<@Tensor<f32>>
tfx_host.struct @Tensor<"S"> {value: tensor<?x?x!tfx_host.param<"S">>}
func.func private @matmul(%l: !Tensor, %r: !Tensor) -> !Tensor attributes {tfx_host.type_params = [#tfx_host.type_param<"S">]} {
  %a = tfx_host.extract %l["value"] : !Tensor -> tensor<?x?x!tfx_host.param<"S">>
  %b = tfx_host.extract %r["value"] : !Tensor -> tensor<?x?x!tfx_host.param<"S">>
  %c = tfx_tensor.op "MatMul"(%a, %b) : (tensor<?x?x!tfx_host.param<"S">>, tensor<?x?x!tfx_host.param<"S">>) -> tensor<?x?x!tfx_host.param<"S">>
  %t = tfx_host.make_struct(%c) : (tensor<?x?x!tfx_host.param<"S">>) -> !Tensor
  return %t : !Tensor
}
func.func @calculate(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %ta = tfx_host.make_struct(%a) : (tensor<?x?xf32>) -> !F
  %tb = tfx_host.make_struct(%b) : (tensor<?x?xf32>) -> !F
  %p = tfx_host.call @matmul<[f32]>(%ta, %tb) : (!F, !F) -> !F
  %v = tfx_host.extract %p["value"] : !F -> tensor<?x?xf32>
  %r = tfx_tensor.op "AddV2"(%v, %c) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// dense layer: four values, of which two are used.
!Layer = !tfx_host.struct<@DenseLayer<f32>>
tfx_host.struct @DenseLayer<"S"> {weights: tensor<4x2x!tfx_host.param<"S">>, bias: tensor<2x!tfx_host.param<"S">>}
func.func private @apply(%layer: !Layer, %x: tensor<?x4xf32>) -> tensor<?x2xf32> {
  %w = tfx_host.extract %layer["weights"] : !Layer -> tensor<4x2xf32>
  %b = tfx_host.extract %layer["bias"] : !Layer -> tensor<2xf32>
  %p = tfx_tensor.op "MatMul"(%x, %w) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %r = tfx_tensor.op "BiasAdd"(%p, %b) : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
func.func @dense_layer(%x: tensor<?x4xf32>) -> tensor<?x2xf32> {
  %w = tfx_tensor.const dense<0.5> : tensor<4x2xf32>
  %b = tfx_tensor.const dense<0.0> : tensor<2xf32>
  %layer = tfx_host.make_struct(%w, %b) : (tensor<4x2xf32>, tensor<2xf32>) -> !Layer
  %y = func.call @apply(%layer, %x) : (!Layer, tensor<?x4xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// -----

// higher-order: no closure remains.
func.func private @step(%rate: tensor<f32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = tfx_tensor.op "Mul"(%x, %rate) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @repeat(%steps: i32, %x: tensor<2xf32>, %step: !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %zero to %steps step %one iter_args(%v = %x) -> (tensor<2xf32>) : i32 {
    %n = tfx_host.apply %step(%v) : !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>
    scf.yield %n : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
func.func @higher_order(%steps: i32, %x: tensor<2xf32>) -> tensor<2xf32> {
  %rate = tfx_tensor.const dense<0.9> : tensor<f32>
  %step = tfx_host.closure @step(%rate) : (tensor<f32>) -> !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>
  %r = func.call @repeat(%steps, %x, %step) : (i32, tensor<2xf32>, !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// train: the weights to the host in each hundredth step, one way.
// ALL: :[[#@LINE+17]]:11: warning: a value is copied from the accelerator to the host (8 bytes, in some iterations)
func.func @train(%x: tensor<?x2xf32>, %y: tensor<?x1xf32>, %w0: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  %weights = tfx_host.var : !tfx_host.ref<tensor<2x1xf32>>
  tfx_host.store %w0, %weights : tensor<2x1xf32>
  cf.br ^header(%zero : i32)
^header(%step: i32):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %w = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  %xw = tfx_tensor.op "MatMul"(%x, %w) : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  %err = tfx_tensor.op "Sub"(%xw, %y) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %dw = tfx_tensor.op "MatMul"(%x, %err) {transpose_a = true} : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  %next = tfx_tensor.op "Sub"(%w, %dw) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  tfx_host.store %next, %weights : tensor<2x1xf32>
  %rem = arith.remsi %step, %every : i32
  %show = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %show, ^print, ^latch
^print:
  %current = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  tfx_host.print "{}"(%current) : tensor<2x1xf32>
  cf.br ^latch
^latch:
  %step1 = arith.addi %step, %one : i32
  cf.br ^header(%step1 : i32)
^exit:
  %result = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  return %result : tensor<2x1xf32>
}

// -----

// train_cpu: one round trip, at `cpu_only`.
// TRIP: :[[#@LINE+25]]:18: warning: the result of '@cpu_only' stalls the accelerator in every iteration of this loop: a value leaves the accelerator, host code uses it, and the result is copied back
// TRIP: :[[#@LINE+23]]:9: note: this value is copied to the host (4 bytes x rows, every iteration)
// TRIP: :[[#@LINE+23]]:18: note: host code uses it here: call of '@cpu_only', which has no graph equivalent
// TRIP: :[[#@LINE+23]]:10: note: its result is copied back to the accelerator for this operation
// TRIP: :[[#@LINE+17]]:3: note: in this loop, which runs 1000 times
// TRIP: :[[#@LINE+20]]:18: note: if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator
// TO: :[[#@LINE+19]]:18: warning: the result of '@cpu_only' is copied from the host to the accelerator (4 bytes x rows, every iteration)
// ALL: :[[#@LINE+17]]:9: warning: a value is copied from the accelerator to the host (4 bytes x rows, every iteration)
// ALL: :[[#@LINE+20]]:11: warning: a value is copied from the accelerator to the host (8 bytes, in some iterations)
// ALL: :[[#@LINE+16]]:18: warning: the result of '@cpu_only' is copied from the host to the accelerator (4 bytes x rows, every iteration)
func.func private @cpu_only(tensor<?x1xf32>) -> tensor<?x1xf32>
func.func @train_cpu(%x: tensor<?x2xf32>, %y: tensor<?x1xf32>, %w0: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  %weights = tfx_host.var : !tfx_host.ref<tensor<2x1xf32>>
  tfx_host.store %w0, %weights : tensor<2x1xf32>
  cf.br ^header(%zero : i32)
^header(%step: i32):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %w = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  %xw = tfx_tensor.op "MatMul"(%x, %w) : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  %predictions = func.call @cpu_only(%xw) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %err = tfx_tensor.op "Sub"(%predictions, %y) : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %dw = tfx_tensor.op "MatMul"(%x, %err) {transpose_a = true} : (tensor<?x2xf32>, tensor<?x1xf32>) -> tensor<2x1xf32>
  %next = tfx_tensor.op "Sub"(%w, %dw) : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  tfx_host.store %next, %weights : tensor<2x1xf32>
  %rem = arith.remsi %step, %every : i32
  %show = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %show, ^print, ^latch
^print:
  %current = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  tfx_host.print "{}"(%current) : tensor<2x1xf32>
  cf.br ^latch
^latch:
  %step1 = arith.addi %step, %one : i32
  cf.br ^header(%step1 : i32)
^exit:
  %result = tfx_host.load %weights : !tfx_host.ref<tensor<2x1xf32>>
  return %result : tensor<2x1xf32>
}

// -----

// conditions on the host that the graph can compute itself: no copy.
func.func @conditions(%steps: i32, %r0: tensor<10x10xf32>) -> tensor<10x10xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  cf.br ^header(%zero, %r0 : i32, tensor<10x10xf32>)
^header(%step: i32, %r: tensor<10x10xf32>):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %rem = arith.remsi %step, %two : i32
  %even = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %even, ^a, ^b
^a:
  %ra = tfx_tensor.op "Exp"(%r) : (tensor<10x10xf32>) -> tensor<10x10xf32>
  cf.br ^latch(%ra : tensor<10x10xf32>)
^b:
  %rb = tfx_tensor.op "Neg"(%r) : (tensor<10x10xf32>) -> tensor<10x10xf32>
  cf.br ^latch(%rb : tensor<10x10xf32>)
^latch(%rn: tensor<10x10xf32>):
  %next = arith.addi %step, %one : i32
  cf.br ^header(%next, %rn : i32, tensor<10x10xf32>)
^exit:
  return %r : tensor<10x10xf32>
}

// -----

// The same with predicates that only the host can compute: booleans are sent to the graph.
// TO: :[[#@LINE+9]]:9: warning: the result of '@more' is copied from the host to the accelerator (1 byte, every iteration)
// TO: :[[#@LINE+11]]:11: warning: the result of '@is_even' is copied from the host to the accelerator (1 byte, every iteration)
// ALL: :[[#@LINE+7]]:9: warning: the result of '@more' is copied from the host to the accelerator (1 byte, every iteration)
// ALL: :[[#@LINE+9]]:11: warning: the result of '@is_even' is copied from the host to the accelerator (1 byte, every iteration)
func.func private @more() -> i1
func.func private @is_even() -> i1
func.func @host_conditions(%r0: tensor<10x10xf32>) -> tensor<10x10xf32> {
  cf.br ^header(%r0 : tensor<10x10xf32>)
^header(%r: tensor<10x10xf32>):
  %go = func.call @more() : () -> i1
  cf.cond_br %go, ^body, ^exit
^body:
  %even = func.call @is_even() : () -> i1
  cf.cond_br %even, ^a, ^b
^a:
  %ra = tfx_tensor.op "Exp"(%r) : (tensor<10x10xf32>) -> tensor<10x10xf32>
  cf.br ^header(%ra : tensor<10x10xf32>)
^b:
  %rb = tfx_tensor.op "Neg"(%r) : (tensor<10x10xf32>) -> tensor<10x10xf32>
  cf.br ^header(%rb : tensor<10x10xf32>)
^exit:
  return %r : tensor<10x10xf32>
}

// -----

// loss decides: the comparison runs in the graph.
func.func @loss_decides(%w0: tensor<f32>) -> tensor<f32> {
  %limit = arith.constant 0.1 : f32
  cf.br ^loop(%w0 : tensor<f32>)
^loop(%w: tensor<f32>):
  %n = tfx_tensor.op "Sqrt"(%w) : (tensor<f32>) -> tensor<f32>
  %l = tfx_tensor.op "Square"(%n) : (tensor<f32>) -> tensor<f32>
  %loss = tfx_tensor.to_scalar %l : tensor<f32> -> f32
  %again = arith.cmpf ogt, %loss, %limit : f32
  cf.cond_br %again, ^loop(%n : tensor<f32>), ^exit
^exit:
  return %n : tensor<f32>
}

// -----

// The same with a test that only the host can compute: one warning.
// TRIP: :[[#@LINE+16]]:12: warning: the result of '@is_bad' stalls the accelerator in every iteration of this loop: a value leaves the accelerator, host code uses it, and the result is copied back
// TRIP: :[[#@LINE+14]]:11: note: this value is copied to the host (4 bytes, every iteration)
// TRIP: :[[#@LINE+14]]:12: note: host code uses it here: call of '@is_bad', which has no graph equivalent
// TRIP: :[[#@LINE+14]]:3: note: its result is copied back to the accelerator as the condition of this loop
// TRIP: :[[#@LINE+13]]:3: note: in this loop
// TRIP: :[[#@LINE+11]]:12: note: if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator
// TO: :[[#@LINE+10]]:12: warning: the result of '@is_bad' is copied from the host to the accelerator (1 byte, every iteration)
// ALL: :[[#@LINE+8]]:11: warning: a value is copied from the accelerator to the host (4 bytes, every iteration)
// ALL: :[[#@LINE+8]]:12: warning: the result of '@is_bad' is copied from the host to the accelerator (1 byte, every iteration)
func.func private @is_bad(f32) -> i1
func.func @host_decides(%w0: tensor<f32>) -> tensor<f32> {
  cf.br ^loop(%w0 : tensor<f32>)
^loop(%w: tensor<f32>):
  %n = tfx_tensor.op "Sqrt"(%w) : (tensor<f32>) -> tensor<f32>
  %l = tfx_tensor.op "Square"(%n) : (tensor<f32>) -> tensor<f32>
  %loss = tfx_tensor.to_scalar %l : tensor<f32> -> f32
  %again = func.call @is_bad(%loss) : (f32) -> i1
  cf.cond_br %again, ^loop(%n : tensor<f32>), ^exit
^exit:
  return %n : tensor<f32>
}

// -----

// class field: the value is copied to the host and back in each iteration.
// TRIP: :[[#@LINE+20]]:10: remark: field of a class instance stays on the host: tensors are copied from and to it; a struct would be removed
// TRIP: :[[#@LINE+20]]:10: warning: field 'w' of class '@Model' stalls the accelerator in every iteration of this loop: a value leaves the accelerator, host code uses it, and the result is copied back
// TRIP: :[[#@LINE+20]]:13: note: this value is copied to the host (8 bytes, every iteration)
// TRIP: :[[#@LINE+20]]:5: note: host code uses it here: it is stored in field 'w' of class '@Model'
// TRIP: :[[#@LINE+17]]:10: note: and then here: it is read from field 'w' of class '@Model'
// TRIP: :[[#@LINE+17]]:13: note: its result is copied back to the accelerator for this operation
// TRIP: :[[#@LINE+13]]:3: note: in this loop
// TRIP: :[[#@LINE+13]]:10: note: class '@Model' is stored on the host; as a struct it would be split, and 'w' would stay on the accelerator
// TRIP: :[[#@LINE+13]]:10: note: if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator
// TO: :[[#@LINE+11]]:10: remark: field of a class instance stays on the host: tensors are copied from and to it; a struct would be removed
// TO: :[[#@LINE+11]]:10: warning: field 'w' of class '@Model' is copied from the host to the accelerator (8 bytes, every iteration)
// ALL: :[[#@LINE+9]]:10: remark: field of a class instance stays on the host: tensors are copied from and to it; a struct would be removed
// ALL: :[[#@LINE+10]]:13: warning: a value is copied from the accelerator to the host (8 bytes, every iteration)
// ALL: :[[#@LINE+8]]:10: warning: field 'w' of class '@Model' is copied from the host to the accelerator (8 bytes, every iteration)
// NONE: :[[#@LINE+6]]:10: remark: field of a class instance stays on the host: tensors are copied from and to it; a struct would be removed
tfx_host.class @Model {w: tensor<2xf32>}
func.func @class_field(%m: !tfx_host.object<@Model>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    tfx_host.store %next, %r : tensor<2xf32>
  }
  return
}
