// RUN: tfx-opt --tfx-partition --tfx-copy-analysis --split-input-file --verify-diagnostics %s -o %t

// A field of a class: the value goes to the host to be stored, and back to be used, in every trip.
tfx_host.class @Model {w: tensor<2xf32>, steps: i32}
func.func @class_field(%m: !tfx_host.object<@Model>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    // expected-note @below {{class '@Model' lives on the host; as a struct it would be taken apart, and 'w' would stay on the accelerator}}
    %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-warning @below {{field 'w' of class '@Model' makes the accelerator wait for the host in every trip of this loop: a value leaves the accelerator, host code uses it, and the result goes back}}
    // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
    // expected-note @below {{if this copy is meant, mark it with tfx_comm.to_host and tfx_comm.to_accelerator}}
    %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this value is copied to the host (8 bytes, every trip)}}
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{host code uses it here: it is stored in field 'w' of class '@Model'}}
    tfx_host.store %next, %r : tensor<2xf32>
  }
  return
}

// -----

// Whether something is stored decides what is read, even if what is stored has nothing to do with the accelerator.
tfx_host.class @Model {w: tensor<2xf32>}
func.func private @good(tensor<2xf32>) -> i1
func.func @stored_or_not(%m: !tfx_host.object<@Model>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@good'}}
  %good = func.call @good(%a) : (tensor<2xf32>) -> i1
  // expected-note @below {{class '@Model' lives on the host}}
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
  // expected-note @below {{and then here: it decides whether this runs}}
  scf.if %good {
    // expected-note @below {{and then here: it is stored in field 'w' of class '@Model'}}
    tfx_host.store %x, %r : tensor<2xf32>
  }
  // expected-warning @below {{field 'w' of class '@Model' makes the accelerator wait}}
  // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
  // expected-note @below {{if this copy is meant}}
  %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %b = tfx_tensor.op "Neg"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Another field, or another class: what is read is not what was stored, so there is no round trip. The order of the
// stores and the load is kept, so there is an order stall. A field that nothing writes would be read before the loop.
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
    // expected-warning @below {{the accelerator stalls in every iteration of this loop, by the order of effects}}
    // expected-note @below {{the accelerator waits for it for this operation}}
    // expected-note @below {{if this copy is meant}}
    %loss = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    %l = tfx_host.member_ref %m["loss"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this effect waits for the value: it is stored in field 'loss' of class '@Model'}}
    // expected-note @below {{have this effect in fewer iterations, or after the loop}}
    tfx_host.store %loss, %l : tensor<2xf32>
    %k = tfx_host.member_ref %log["w"] : !tfx_host.object<@Log> -> !tfx_host.ref<tensor<2xf32>>
    tfx_host.store %loss, %k : tensor<2xf32>
    tfx_host.store %other, %r : tensor<2xf32>
  }
  return
}

// -----

// Whoever is given the object may read one field and write another.
tfx_host.class @Model {w: tensor<2xf32>, loss: tensor<2xf32>}
func.func private @update(!tfx_host.object<@Model>)
func.func @through_a_call(%m: !tfx_host.object<@Model>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-warning @below {{field 'w' of class '@Model' makes the accelerator wait}}
    // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
    // expected-note @below {{if this copy is meant}}
    %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this value is copied to the host (8 bytes, every trip)}}
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %loss = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{class '@Model' lives on the host}}
    %l = tfx_host.member_ref %m["loss"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{host code uses it here: it is stored in field 'loss' of class '@Model'}}
    tfx_host.store %loss, %l : tensor<2xf32>
    // expected-note @below {{and then here: call of '@update', which has no graph equivalent}}
    func.call @update(%m) : (!tfx_host.object<@Model>) -> ()
  }
  return
}

// -----

// A variable that a closure shares: the closure may store what it is given.
func.func private @set(!tfx_host.ref<tensor<2xf32>>, tensor<2xf32>)
func.func @shared_variable(%start: tensor<2xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{a variable that a closure shares lives on the host; passed to the closure and returned by it, the value would stay on the accelerator}}
  %v = tfx_host.var : !tfx_host.ref<tensor<2xf32>>
  tfx_host.store %start, %v : tensor<2xf32>
  // expected-note @below {{and then here: a closure captures it}}
  %c = tfx_host.closure @set(%v) : (!tfx_host.ref<tensor<2xf32>>) -> !tfx_host.closure<escaping (tensor<2xf32>) -> ()>
  // expected-note @below {{in this loop}}
  scf.for %i = %zero to %n step %one {
    // expected-warning @below {{a variable that a closure shares makes the accelerator wait for the host in every trip of this loop}}
    // expected-note @below {{and then here: it is read from a variable that a closure shares}}
    // expected-note @below {{if this copy is meant}}
    %w = tfx_host.load %v : !tfx_host.ref<tensor<2xf32>>
    // expected-note @below {{this value is copied to the host (8 bytes, every trip)}}
    // expected-note @below {{its result is copied back to the accelerator for this operation}}
    %next = tfx_tensor.op "Sqrt"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    // expected-note @below {{host code uses it here: call of a closure that stays on the host}}
    tfx_host.apply %c(%next) : !tfx_host.closure<escaping (tensor<2xf32>) -> ()>
  }
  return
}

// -----

// A method that only the run time can choose.
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, tensor<2xf32>) -> tensor<2xf32>}
func.func @existential(%l: !tfx_host.any<@Layer>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-warning @below {{the result of method "call" makes the accelerator wait for the host: a value leaves}}
  // expected-note @below {{host code uses it here: call of method "call", which only the run time can choose}}
  // expected-note @below {{if this copy is meant}}
  %b = tfx_host.dynamic_call %l["call"](%a) : (!tfx_host.any<@Layer>, tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// A closure that only reads what it was made with says nothing of what it was not given.
func.func private @read(tensor<2xf32>) -> tensor<2xf32>
func.func @one_way(%x: tensor<2xf32>, %c: !tfx_host.closure<escaping () -> tensor<2xf32>>) -> tensor<2xf32> {
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "{}"(%a) : tensor<2xf32>
  %b = tfx_host.apply %c() : !tfx_host.closure<escaping () -> tensor<2xf32>>
  %r = tfx_tensor.op "Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// An array of tensors made from what came, and read again.
func.func @array(%x: tensor<2xf32>, %i: index) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: an array is made with it}}
  %both = tfx_host.array(%a, %a) : !tfx_host.array<tensor<2xf32>>
  // expected-warning @below {{an element of an array makes the accelerator wait for the host: a value leaves}}
  // expected-note @below {{and then here: it is read from an array}}
  // expected-note @below {{the graph can do this without the host: write tfx_tensor.op "Pack" and "GatherV2", if all elements have one shape}}
  // expected-note @below {{if this copy is meant}}
  %b = tfx_host.array_get %both[%i] : !tfx_host.array<tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %c = tfx_tensor.op "Neg"(%b) : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// What can be reached through the fields of what a call is given.
tfx_host.class @Model {w: tensor<2xf32>}
tfx_host.struct @Pair {first: !tfx_host.object<@Model>, second: i32}
tfx_host.class @Trainer {pair: !tfx_host.struct<@Pair>}
func.func private @train(!tfx_host.object<@Trainer>, tensor<2xf32>)
func.func @through_fields(%t: !tfx_host.object<@Trainer>, %m: !tfx_host.object<@Model>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this value is copied to the host (8 bytes)}}
  %a = tfx_tensor.op "Sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-note @below {{host code uses it here: call of '@train'}}
  func.call @train(%t, %a) : (!tfx_host.object<@Trainer>, tensor<2xf32>) -> ()
  // expected-note @below {{class '@Model' lives on the host}}
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<2xf32>>
  // expected-warning @below {{field 'w' of class '@Model' makes the accelerator wait for the host: a value leaves}}
  // expected-note @below {{and then here: it is read from field 'w' of class '@Model'}}
  // expected-note @below {{if this copy is meant}}
  %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  // expected-note @below {{its result is copied back to the accelerator for this operation}}
  %b = tfx_tensor.op "Neg"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}
