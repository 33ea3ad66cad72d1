// RUN: tfx-opt --tfx-partition --tfx-copy-analysis --split-input-file --verify-diagnostics %s -o %t

// A field of a class: in each iteration, the value is stored on the host and copied back.
tfx_host.class @Model {w: tensor<2xf32>, steps: i32}
func.func @class_field(%m: !tfx_host.object<@Model>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    // expected-note @below {{class '@Model' is stored on the host; as a struct it would be split, and 'w' would stay on the accelerator}}
    %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-warning @below {{field 'w' of class '@Model' stalls the accelerator in every iteration of this loop: a value leaves the accelerator, host code uses it, and the result is copied back}}
    // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
    // expected-note @below {{if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator}}
    %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this value is copied to the host (8 bytes, every iteration)}}
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{host code uses it here: it is stored in field 'w' of class '@Model'}}
    tfx_host.store %next, %r : tensor<2xf32>
  }
  return
}

// -----

// A value that is read depends on whether a store was executed, even if the stored value was not received.
tfx_host.class @Model {w: tensor<2xf32>}
func.func private @good(tensor<2xf32>) -> i1
func.func @stored_or_not(%m: !tfx_host.object<@Model>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@good'}}
  %good = func.call @good(%a) : (tensor<2xf32>) -> i1
  // expected-note @below {{class '@Model' is stored on the host}}
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
  // expected-note @below {{and then here: it decides whether this runs}}
  scf.if %good {
    // expected-note @below {{and then here: it is stored in field 'w' of class '@Model'}}
    tfx_host.store %x, %r : tensor<2xf32>
  }
  // expected-warning @below {{field 'w' of class '@Model' stalls the accelerator}}
  // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
  // expected-note @below {{if this copy is intentional}}
  %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %b = tfx_tensor.op "Neg"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// A store to another field or class does not affect the field that is read: no round trip. The stores and the load
// keep their order: an order stall. A field that nothing writes would be read before the loop.
tfx_host.class @Model {w: tensor<2xf32>, loss: tensor<2xf32>}
tfx_host.class @Log {w: tensor<2xf32>}
func.func @other_fields(%m: !tfx_host.object<@Model>, %log: !tfx_host.object<@Log>, %n: index, %other: tensor<2xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{field 'w' of class '@Model' is copied to the accelerator in the next iteration after that effect}}
    %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
    // expected-warning @below {{the accelerator stalls in every iteration of this loop, because effects keep their order}}
    // expected-note @below {{the accelerator waits for it for this operation}}
    // expected-note @below {{if this copy is intentional}}
    %loss = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    %l = tfx_host.member_ref %m["loss"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this effect waits for the value: it is stored in field 'loss' of class '@Model'}}
    // expected-note @below {{run this effect in fewer iterations, or after the loop}}
    tfx_host.store %loss, %l : tensor<2xf32>
    %k = tfx_host.member_ref %log["w"] : !tfx_host.object<@Log> -> !tfx_host.ref<tensor<2xf32>>
    tfx_host.store %loss, %k : tensor<2xf32>
    tfx_host.store %other, %r : tensor<2xf32>
  }
  return
}

// -----

// A callee that gets the object may read one field and write another.
tfx_host.class @Model {w: tensor<2xf32>, loss: tensor<2xf32>}
func.func private @update(!tfx_host.object<@Model>)
func.func @through_a_call(%m: !tfx_host.object<@Model>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-warning @below {{field 'w' of class '@Model' stalls the accelerator}}
    // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
    // expected-note @below {{if this copy is intentional}}
    %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this value is copied to the host (8 bytes, every iteration)}}
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %loss = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{class '@Model' is stored on the host}}
    %l = tfx_host.member_ref %m["loss"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{host code uses it here: it is stored in field 'loss' of class '@Model'}}
    tfx_host.store %loss, %l : tensor<2xf32>
    // expected-note @below {{and then here: call of '@update', which has no graph equivalent}}
    func.call @update(%m) : (!tfx_host.object<@Model>) -> ()
  }
  return
}

// -----

// A variable that a closure shares: the closure may store its argument there.
func.func private @set(!tfx_host.ref<tensor<2xf32>>, tensor<2xf32>)
func.func @shared_variable(%start: tensor<2xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{a variable that a closure shares is stored on the host; passed to the closure and returned by it, the value would stay on the accelerator}}
  %v = tfx_host.var : !tfx_host.ref<tensor<2xf32>>
  tfx_host.store %start, %v : tensor<2xf32>
  // expected-note @below {{and then here: a closure captures it}}
  %c = tfx_host.closure @set(%v) : (!tfx_host.ref<tensor<2xf32>>) -> !tfx_host.closure<escaping (tensor<2xf32>) -> ()>
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    // expected-warning @below {{a variable that a closure shares stalls the accelerator in every iteration of this loop}}
    // expected-note @below {{and then here: it is read from a variable that a closure shares}}
    // expected-note @below {{if this copy is intentional}}
    %w = tfx_host.load %v : !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this value is copied to the host (8 bytes, every iteration)}}
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{host code uses it here: call of a closure that stays on the host}}
    tfx_host.apply %c(%next) : !tfx_host.closure<escaping (tensor<2xf32>) -> ()>
  }
  return
}

// -----

// A method that is chosen at run time.
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, tensor<2xf32>) -> tensor<2xf32>}
func.func @existential(%l: !tfx_host.any<@Layer>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-warning @below {{the result of method "call" stalls the accelerator: a value leaves}}
  // expected-note @below {{host code uses it here: call of method "call", which is chosen at run time}}
  // expected-note @below {{if this copy is intentional}}
  %b = tfx_host.dynamic_call %l["call"](%a) : (!tfx_host.any<@Layer>, tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// A closure does not depend on values that it neither captures nor gets.
func.func private @read(tensor<2xf32>) -> tensor<2xf32>
func.func @one_way(%x: tensor<2xf32>, %c: !tfx_host.closure<escaping () -> tensor<2xf32>>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "{}"(%a) : tensor<2xf32>
  %b = tfx_host.apply %c() : !tfx_host.closure<escaping () -> tensor<2xf32>>
  %r = tfx_tensor.op "Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// A received value that is stored in an array and read again.
func.func @array(%x: tensor<2xf32>, %i: index) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: it is stored in an array}}
  %both = tfx_host.array(%a, %a) : !tfx_host.array<tensor<2xf32>>
  // expected-warning @below {{an element of an array stalls the accelerator: a value leaves}}
  // expected-note @below {{and then here: it is read from an array}}
  // expected-note @below {{the graph can compute this without the host: write tfx_tensor.op "Pack" and "GatherV2", if all elements have one shape}}
  // expected-note @below {{if this copy is intentional}}
  %b = tfx_host.array_get %both[%i] : !tfx_host.array<tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// Objects that a callee reaches through the fields of its argument.
tfx_host.class @Model {w: tensor<2xf32>}
tfx_host.struct @Pair {first: !tfx_host.object<@Model>, second: i32}
tfx_host.class @Trainer {pair: !tfx_host.struct<@Pair>}
func.func private @train(!tfx_host.object<@Trainer>, tensor<2xf32>)
func.func @through_fields(%t: !tfx_host.object<@Trainer>, %m: !tfx_host.object<@Model>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@train'}}
  func.call @train(%t, %a) : (!tfx_host.object<@Trainer>, tensor<2xf32>) -> ()
  // expected-note @below {{class '@Model' is stored on the host}}
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
  // expected-warning @below {{field 'w' of class '@Model' stalls the accelerator: a value leaves}}
  // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
  // expected-note @below {{if this copy is intentional}}
  %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %b = tfx_tensor.op "Neg"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
