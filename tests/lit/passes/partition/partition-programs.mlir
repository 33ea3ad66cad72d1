// RUN: tfx-opt --tfx-partition --split-input-file %s | FileCheck %s

// The programs that define the model, structured: the contents of each graph, and the values that cross.

// Three inputs, two nodes, one result; nothing crosses between.
// CHECK-LABEL: tfx_tensor.graph @multiply_and_add.graph(
// CHECK-SAME:    %[[X:.*]]: tensor<2x2xf32>, %[[W:.*]]: tensor<2x2xf32>, %[[B:.*]]: tensor<2x2xf32>) -> tensor<2x2xf32> {
// CHECK-NEXT:    %[[T:.*]] = tfx_tensor.op "MatMul"(%[[X]], %[[W]])
// CHECK-NEXT:    %[[Y:.*]] = tfx_tensor.op "AddV2"(%[[T]], %[[B]])
// CHECK-NEXT:    tfx_tensor.return %[[Y]]
// CHECK-LABEL: func.func @multiply_and_add
// CHECK-NEXT:    %[[PROGRAM:.*]] = tfx_comm.start @multiply_and_add.graph(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT:    %[[Y:.*]] = tfx_comm.finish %[[PROGRAM]] : tensor<2x2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @multiply_and_add(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %t = tfx_tensor.op "MatMul"(%x, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = tfx_tensor.op "AddV2"(%t, %b) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: tfx_tensor.graph @add_all.graph(
// CHECK-SAME:    -> tensor<f32> {
// CHECK-COUNT-3: tfx_tensor.op "AddV2"
// CHECK-NEXT:    tfx_tensor.return
// CHECK-LABEL: func.func @add_all
// CHECK-NEXT:    tfx_comm.start
// CHECK-NEXT:    tfx_comm.finish
// CHECK-NEXT:    return
func.func @add_all(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>) -> tensor<f32> {
  %r0 = tfx_tensor.op "AddV2"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r1 = tfx_tensor.op "AddV2"(%r0, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r2 = tfx_tensor.op "AddV2"(%r1, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r2 : tensor<f32>
}

// -----

// A branch on a parameter: an input decides it, nothing crosses inside, and the host has no branch.
// CHECK-LABEL: tfx_tensor.graph @conditional.graph(
// CHECK-SAME:    %{{.*}}: i1) -> tensor<f32> {
// CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (tensor<f32>) {
// CHECK:           "AddV2"
// CHECK:         } else {
// CHECK:           "Sub"
// CHECK:         tfx_tensor.return %[[R]]
// CHECK-LABEL: func.func @conditional
// CHECK-NEXT:    tfx_comm.start
// CHECK-NEXT:    tfx_comm.finish
// CHECK-NEXT:    return
func.func @conditional(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>, %p: i1) -> tensor<f32> {
  %r = tfx_tensor.op "Mul"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s = scf.if %p -> tensor<f32> {
    %t = tfx_tensor.op "AddV2"(%r, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %t : tensor<f32>
  } else {
    %t = tfx_tensor.op "Sub"(%r, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %t : tensor<f32>
  }
  return %s : tensor<f32>
}

// -----

// The whole loop is in the graph with its counter; one send and one receive in each iteration, and another operation does not wait for the host.
func.func private @simulate(tensor<?xf32>) -> tensor<?xf32>
// CHECK-LABEL: tfx_tensor.graph @simulator.graph(
// CHECK-SAME:    ) -> tensor<?xf32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<?xf32>>, #tfx_comm.channel<1, to_graph, tensor<?xf32>>] {
// CHECK:         "RandomStandardNormal"
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           %[[X:.*]] = tfx_tensor.op "Exp"
// CHECK-NEXT:      tfx_comm.send %[[X]] to 0
// CHECK-NEXT:      %[[R:.*]] = tfx_comm.recv from 1
// CHECK-NEXT:      %[[Y:.*]] = tfx_tensor.op "Neg"(%[[X]])
// CHECK-NEXT:      tfx_tensor.op "AddV2"(%[[R]], %[[Y]])
// CHECK-LABEL: func.func @simulator
// CHECK:         scf.for
// CHECK-NEXT:      %[[X:.*]] = tfx_comm.recv %{{.*}} from 0
// CHECK-NEXT:      %[[R:.*]] = func.call @simulate(%[[X]])
// CHECK-NEXT:      tfx_comm.send %[[R]] to %{{.*}} 1
// CHECK-NEXT:    }
// CHECK-NEXT:    tfx_comm.finish
func.func @simulator(%shape: tensor<1xi32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %trips = arith.constant 1000 : index
  %v0 = tfx_tensor.op "RandomStandardNormal"(%shape) : (tensor<1xi32>) -> tensor<?xf32>
  %v = scf.for %i = %zero to %trips step %one iter_args(%v = %v0) -> (tensor<?xf32>) {
    %x = tfx_tensor.op "Exp"(%v) : (tensor<?xf32>) -> tensor<?xf32>
    %r = func.call @simulate(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %y = tfx_tensor.op "Neg"(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %next = tfx_tensor.op "AddV2"(%r, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %v : tensor<?xf32>
}

// -----

// The host decides when to stop: one boolean in each iteration, and the tensor is sent back once.
func.func private @key_pressed() -> i1
// CHECK-LABEL: tfx_tensor.graph @until_key_pressed.graph(
// CHECK-SAME:    ) -> tensor<4xf32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, i1>] {
// CHECK:         %[[END:.*]] = scf.while (%[[R:.*]] = %{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:      %[[GO:.*]] = tfx_comm.recv from 0 : i1
// CHECK-NEXT:      scf.condition(%[[GO]]) %[[R]]
// CHECK:           "Exp"
// CHECK:         tfx_tensor.return %[[END]]
// CHECK-LABEL: func.func @until_key_pressed
// CHECK:         scf.while : () -> () {
// CHECK-NEXT:      %[[STOP:.*]] = func.call @key_pressed
// CHECK-NEXT:      %[[GO:.*]] = arith.xori %[[STOP]]
// CHECK-NEXT:      tfx_comm.send %[[GO]] to %{{.*}} 0 : i1
// CHECK-NEXT:      scf.condition(%[[GO]])
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[END:.*]] = tfx_comm.finish
// CHECK-NEXT:    return %[[END]]
func.func @until_key_pressed() -> tensor<4xf32> {
  %true = arith.constant true
  %r0 = tfx_tensor.const dense<0.0> : tensor<4xf32>
  %end = scf.while (%r = %r0) : (tensor<4xf32>) -> tensor<4xf32> {
    %stop = func.call @key_pressed() : () -> i1
    %go = arith.xori %stop, %true : i1
    scf.condition(%go) %r : tensor<4xf32>
  } do {
  ^bb0(%r: tensor<4xf32>):
    %next = tfx_tensor.op "Exp"(%r) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %end : tensor<4xf32>
}

// -----

// A deabstracted struct and tuple: the string stays on the host; two copies to the host.
func.func private @log(!tfx_host.string)
// CHECK-LABEL: tfx_tensor.graph @struct_and_tuple.graph(
// CHECK-SAME:    %{{.*}}: tensor<f32>) -> tensor<f32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<f32>>] {
// CHECK-LABEL: func.func @struct_and_tuple
// CHECK:         tfx_comm.start
// CHECK-NEXT:    %[[S:.*]] = tfx_host.string
// CHECK-NEXT:    call @log(%[[S]])
// CHECK-NEXT:    %[[A:.*]] = tfx_comm.recv
// CHECK-NEXT:    tfx_host.print "{}"(%[[A]])
// CHECK-NEXT:    %[[B:.*]] = tfx_comm.finish
// CHECK-NEXT:    tfx_host.print "{}"(%[[B]])
func.func @struct_and_tuple(%x: tensor<f32>) {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %s = tfx_host.string "Hello World"
  func.call @log(%s) : (!tfx_host.string) -> ()
  tfx_host.print "{}"(%a) : tensor<f32>
  %b = tfx_tensor.op "Neg"(%a) : (tensor<f32>) -> tensor<f32>
  tfx_host.print "{}"(%b) : tensor<f32>
  return
}

// -----

// The training loop: one copy to the host every 100 iterations, and nothing else.
// CHECK-LABEL: tfx_tensor.graph @train.graph(
// CHECK-SAME:    ) -> tensor<2xf32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, tensor<2xf32>>] {
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-NEXT:        tfx_comm.send
// CHECK-LABEL: func.func @train
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           scf.if
// CHECK-NEXT:        tfx_comm.recv
// CHECK-NEXT:        tfx_host.print
// CHECK-NOT:     tfx_comm.recv
// CHECK:         tfx_comm.finish %{{.*}} : tensor<2xf32>
func.func @train(%x: tensor<2xf32>, %w0: tensor<2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %steps = arith.constant 1000 : i32
  %every = arith.constant 100 : i32
  %end = scf.for %step = %zero to %steps step %one iter_args(%w = %w0) -> (tensor<2xf32>) : i32 {
    %p = tfx_tensor.op "Mul"(%x, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %next = tfx_tensor.op "Sub"(%w, %p) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %rem = arith.remsi %step, %every : i32
    %show = arith.cmpi eq, %rem, %zero : i32
    scf.if %show {
      tfx_host.print "{}"(%next) : tensor<2xf32>
    }
    scf.yield %next : tensor<2xf32>
  }
  return %end : tensor<2xf32>
}

// -----

// Conditions that the graph can compute: replicated from the one input, and the host has no loop.
// CHECK-LABEL: tfx_tensor.graph @conditions.graph(%{{.*}}: i32) -> tensor<10xf32> {
// CHECK:         scf.while
// CHECK:         scf.if
// CHECK-LABEL: func.func @conditions(%{{.*}}: i32) -> tensor<10xf32> {
// CHECK-NEXT:    tfx_comm.start @conditions.graph(%{{.*}}) : i32
// CHECK-NEXT:    tfx_comm.finish
// CHECK-NEXT:    return
func.func @conditions(%steps: i32) -> tensor<10xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r0 = tfx_tensor.const dense<0.0> : tensor<10xf32>
  %end:2 = scf.while (%step = %zero, %r = %r0) : (i32, tensor<10xf32>) -> (i32, tensor<10xf32>) {
    %go = arith.cmpi slt, %step, %steps : i32
    scf.condition(%go) %step, %r : i32, tensor<10xf32>
  } do {
  ^bb0(%step: i32, %r: tensor<10xf32>):
    %rem = arith.remsi %step, %two : i32
    %even = arith.cmpi eq, %rem, %zero : i32
    %next = scf.if %even -> tensor<10xf32> {
      %c = tfx_tensor.const dense<1.0> : tensor<f32>
      %t = tfx_tensor.op "AddV2"(%r, %c) : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
      scf.yield %t : tensor<10xf32>
    } else {
      %c = tfx_tensor.const dense<2.0> : tensor<f32>
      %t = tfx_tensor.op "AddV2"(%r, %c) : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
      scf.yield %t : tensor<10xf32>
    }
    %step1 = arith.addi %step, %one : i32
    scf.yield %step1, %next : i32, tensor<10xf32>
  }
  return %end#1 : tensor<10xf32>
}

// -----

// The same with predicates that only the host has: two booleans in each iteration.
func.func private @more(i32) -> i1
func.func private @even(i32) -> i1
// CHECK-LABEL: tfx_tensor.graph @host_conditions.graph() -> tensor<10xf32>
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, i1>, #tfx_comm.channel<1, to_graph, i1>] {
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (tensor<10xf32>)
// CHECK-NEXT:      tfx_comm.recv from 0 : i1
// CHECK:         } do {
// CHECK:           %[[EVEN:.*]] = tfx_comm.recv from 1 : i1
// CHECK-NEXT:      scf.if %[[EVEN]]
// CHECK-LABEL: func.func @host_conditions
// CHECK:         scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
// CHECK-NOT:     scf.if
// CHECK:         tfx_comm.finish
func.func @host_conditions() -> tensor<10xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r0 = tfx_tensor.const dense<0.0> : tensor<10xf32>
  %end:2 = scf.while (%step = %zero, %r = %r0) : (i32, tensor<10xf32>) -> (i32, tensor<10xf32>) {
    %go = func.call @more(%step) : (i32) -> i1
    scf.condition(%go) %step, %r : i32, tensor<10xf32>
  } do {
  ^bb0(%step: i32, %r: tensor<10xf32>):
    %even = func.call @even(%step) : (i32) -> i1
    %next = scf.if %even -> tensor<10xf32> {
      %t = tfx_tensor.op "Exp"(%r) : (tensor<10xf32>) -> tensor<10xf32>
      scf.yield %t : tensor<10xf32>
    } else {
      %t = tfx_tensor.op "Neg"(%r) : (tensor<10xf32>) -> tensor<10xf32>
      scf.yield %t : tensor<10xf32>
    }
    %step1 = arith.addi %step, %one : i32
    scf.yield %step1, %next : i32, tensor<10xf32>
  }
  return %end#1 : tensor<10xf32>
}

// -----

// The loss decides, and the graph compares it: nothing crosses.
// CHECK-LABEL: tfx_tensor.graph @loss_decides.graph(%{{.*}}: tensor<f32>) -> tensor<f32> {
// CHECK:         scf.while
// CHECK:         arith.cmpf ogt
// CHECK-LABEL: func.func @loss_decides
// CHECK-NEXT:    tfx_comm.start
// CHECK-NEXT:    tfx_comm.finish
// CHECK-NEXT:    return
func.func @loss_decides(%w0: tensor<f32>) -> tensor<f32> {
  %limit = arith.constant 0.1 : f32
  %end = scf.while (%w = %w0) : (tensor<f32>) -> tensor<f32> {
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<f32>) -> tensor<f32>
    %loss = tfx_tensor.op "Square"(%next) : (tensor<f32>) -> tensor<f32>
    %scalar = tfx_tensor.to_scalar %loss : tensor<f32> -> f32
    %go = arith.cmpf ogt, %scalar, %limit : f32
    scf.condition(%go) %next : tensor<f32>
  } do {
  ^bb0(%w: tensor<f32>):
    scf.yield %w : tensor<f32>
  }
  return %end : tensor<f32>
}

// -----

// A host that prints in such a loop receives the condition, and not what it is computed from.
// CHECK-LABEL: tfx_tensor.graph @loss_decides_and_prints.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_host, i1>] {
// CHECK-LABEL: func.func @loss_decides_and_prints
// CHECK:         scf.while
// CHECK-NEXT:      tfx_host.print
// CHECK-NEXT:      %[[GO:.*]] = tfx_comm.recv %{{.*}} from 0 : i1
// CHECK-NEXT:      scf.condition(%[[GO]])
func.func @loss_decides_and_prints(%w0: tensor<f32>) -> tensor<f32> {
  %limit = arith.constant 0.1 : f32
  %end = scf.while (%w = %w0) : (tensor<f32>) -> tensor<f32> {
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<f32>) -> tensor<f32>
    %scalar = tfx_tensor.to_scalar %next : tensor<f32> -> f32
    %go = arith.cmpf ogt, %scalar, %limit : f32
    tfx_host.print "one more step"()
    scf.condition(%go) %next : tensor<f32>
  } do {
  ^bb0(%w: tensor<f32>):
    scf.yield %w : tensor<f32>
  }
  return %end : tensor<f32>
}

// -----

// The host reads and writes a class field in each iteration.
func.func private @get() -> tensor<f32>
func.func private @set(tensor<f32>)
// CHECK-LABEL: tfx_tensor.graph @class_field.graph(
// CHECK-SAME:    channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, tensor<f32>>] {
// CHECK-LABEL: func.func @class_field
// CHECK:         scf.for
// CHECK-NEXT:      %[[W:.*]] = func.call @get
// CHECK-NEXT:      tfx_comm.send %[[W]]
// CHECK-NEXT:      %[[NEXT:.*]] = tfx_comm.recv
// CHECK-NEXT:      func.call @set(%[[NEXT]])
func.func @class_field(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %w = func.call @get() : () -> tensor<f32>
    %next = tfx_tensor.op "Exp"(%w) : (tensor<f32>) -> tensor<f32>
    func.call @set(%next) : (tensor<f32>) -> ()
  }
  return
}
