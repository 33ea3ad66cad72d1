// RUN: tfx-opt %s --tfx-lower-host --split-input-file --verify-diagnostics -o %t

tfx_host.class @Model {w: f32}
func.func private @print(%m: !tfx_host.object<@Model>) {
  // expected-error @below {{a value of type !tfx_host.object<@Model> cannot be printed; print the numbers, tensors and strings in it}}
  tfx_host.print "{}"(%m) : !tfx_host.object<@Model>
  return
}

// -----

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32} attributes {flat}
func.func private @erase(%x: f32) -> !tfx_host.any<@Layer> {
  // expected-error @below {{f32 is used as any<@Layer>, but has no witness table for the protocol; declare one: tfx_host.witness_table @name : f32 conforms @Layer {method = @function}}}
  %a = tfx_host.erase %x : f32 to !tfx_host.any<@Layer>
  return %a : !tfx_host.any<@Layer>
}

// -----

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32} attributes {flat}
func.func private @f(f32, i32) -> f32
// expected-note @below {{this witness table names the function}}
tfx_host.witness_table @T : f32 conforms @Layer {call = @f}
func.func private @erase(%x: f32) -> f32 {
  %a = tfx_host.erase %x : f32 to !tfx_host.any<@Layer>
  // expected-error @below {{this call of method "call" has type (f32) -> (f32), but @f has type (i32) -> (f32) without Self}}
  %y = tfx_host.dynamic_call %a["call"](%x) : (!tfx_host.any<@Layer>, f32) -> f32
  return %y : f32
}

// -----

tfx_host.class @Model {w: f32}
func.func private @no_table(%m: !tfx_host.object<@Model>) {
  // expected-error @below {{no witness table of !tfx_host.object<@Model> has a method "call"; call the function by its name, or declare a witness table of the class for the protocol of the method}}
  tfx_host.dynamic_call %m["call"]() : (!tfx_host.object<@Model>) -> ()
  return
}

// -----

tfx_host.class @Model {w: f32}
tfx_host.protocol @A {call: (!tfx_host.param<"Self">) -> ()} attributes {flat}
tfx_host.protocol @B {call: (!tfx_host.param<"Self">) -> ()} attributes {flat}
func.func private @f(!tfx_host.object<@Model>)
func.func private @g(!tfx_host.object<@Model>)
// expected-note @below {{one is named here}}
tfx_host.witness_table @TA : !tfx_host.object<@Model> conforms @A {call = @f}
// expected-note @below {{the other is named here}}
tfx_host.witness_table @TB : !tfx_host.object<@Model> conforms @B {call = @g}
func.func private @two_tables(%m: !tfx_host.object<@Model>) {
  // expected-error @below {{method "call" is ambiguous: !tfx_host.object<@Model> has a function for it in two protocols; call one of them by its name}}
  tfx_host.dynamic_call %m["call"]() : (!tfx_host.object<@Model>) -> ()
  return
}

// -----

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> ()} attributes {flat}
func.func private @f(i32)
// expected-error @below {{method "call" is @f, whose first parameters are not the parts of Self: (f32)}}
tfx_host.witness_table @T : f32 conforms @Layer {call = @f}
func.func private @wrong_self(%x: f32) -> !tfx_host.any<@Layer> {
  %a = tfx_host.erase %x : f32 to !tfx_host.any<@Layer>
  return %a : !tfx_host.any<@Layer>
}

// -----

tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">) -> ()} attributes {flat}
tfx_host.struct @S {a: f32}
func.func private @whole(%s: !tfx_host.struct<@S>) -> !tfx_host.any<@Layer> {
  // expected-error @below {{the parts of the erased !tfx_host.struct<@S> are unknown: run tfx-deabstract before tfx-lower-host}}
  %a = tfx_host.erase %s : !tfx_host.struct<@S> to !tfx_host.any<@Layer>
  return %a : !tfx_host.any<@Layer>
}

// -----

tfx_host.protocol @Layer {train: (!tfx_host.ref<!tfx_host.param<"Self">>) -> ()} attributes {flat}
func.func private @f(f32)
// expected-error @below {{method "train" changes Self, but @f does not return the new parts of Self}}
tfx_host.witness_table @T : f32 conforms @Layer {train = @f}
func.func private @unchanged(%x: f32) -> !tfx_host.any<@Layer> {
  %a = tfx_host.erase %x : f32 to !tfx_host.any<@Layer>
  return %a : !tfx_host.any<@Layer>
}

// -----

func.func private @matrix(%a: f32) -> tensor<1x2xf32> {
  // expected-error @below {{'tensor.from_elements' is not supported in host code; convert the scalars to tensors by tfx_tensor.from_scalar, and combine these by tfx_tensor.op "Pack"}}
  %t = tensor.from_elements %a, %a : tensor<1x2xf32>
  return %t : tensor<1x2xf32>
}

// -----

func.func private @anywhere(%t: tensor<2xf32>, %i: index) -> f32 {
  // expected-error @below {{'tensor.extract' is not supported in host code; write tfx_tensor.op "GatherNd", and convert the element to a scalar by tfx_tensor.to_scalar}}
  %a = tensor.extract %t[%i] : tensor<2xf32>
  return %a : f32
}
