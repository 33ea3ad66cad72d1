// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-verify-deabstracted)' --split-input-file --verify-diagnostics

// Host effects and what they need may stay, and so may declarations.

tfx_host.struct @Unused {x: i32}
func.func @effects(%ok: i1, %x: tensor<f32>) {
  tfx_host.assert %ok, "no"
  %s = tfx_host.string "yes"
  %u = tfx_host.undef : tensor<f32>
  tfx_host.print "{} {} {}"(%s, %x, %u) : !tfx_host.string, tensor<f32>, tensor<f32>
  tfx_host.abort "end"
  tfx_host.unreachable
}

// -----

// Outside of the static subset: it stays on the host, with a remark.

tfx_host.class @Counter {value: i32}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
func.func private @scale(f32) -> f32
func.func @objects(%d: f32, %x: i32) {
  // expected-remark @below {{class instance stays on the host, with all its contents; a struct would be removed}}
  %c = tfx_host.new(%x) : (i32) -> !tfx_host.object<@Counter>
  // expected-remark @below {{field of a class instance stays on the host; a struct would be removed}}
  %r = tfx_host.member_ref %c["value"] : !tfx_host.object<@Counter> -> !tfx_host.ref<i32>
  tfx_host.store %x, %r : i32
  // expected-remark @below {{existential stays on the host; a generic parameter would be removed}}
  %a = tfx_host.erase %d : f32 to !tfx_host.any<@Layer>
  // expected-remark @below {{dynamic call stays on the host; a direct call of a function would be inlined}}
  %y = tfx_host.dynamic_call %a["call"](%d) : (!tfx_host.any<@Layer>, f32) -> f32
  // expected-remark @below {{closure stays on the host, because not all of its uses are known at compile time; a closure that is only called, or passed to functions that only call it, would be removed}}
  %f = tfx_host.closure @scale() : () -> !tfx_host.closure<escaping (f32) -> f32>
  %z = tfx_host.apply %f(%y) : !tfx_host.closure<escaping (f32) -> f32>
  return
}

// -----

tfx_host.struct @Point {x: i32, y: i32}
func.func private @take(!tfx_host.ref<!tfx_host.struct<@Point>>)
// expected-error @above {{not removed: a reference that a closure captures in the signature of the foreign function '@take'; its type is '!tfx_host.ref<!tfx_host.struct<@Point>>'}}
func.func @variables(%x: i32) -> i32 {
  // expected-remark @below {{variable stays on the host, because code that stays there shares it; pass its value, and return the new value, instead}}
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  // expected-error @below {{not removed: a struct that is used as a whole; pass its fields separately}}
  %p = tfx_host.make_struct(%x, %x) : (i32, i32) -> !tfx_host.struct<@Point>
  tfx_host.store %p, %v : !tfx_host.struct<@Point>
  // expected-note @below {{it is passed to '@take' here, which is not inlined}}
  func.call @take(%v) : (!tfx_host.ref<!tfx_host.struct<@Point>>) -> ()
  // expected-error @below {{not removed: a tuple that is used as a whole; pass its elements separately}}
  %t = tfx_host.make_tuple(%x, %x) : i32, i32
  return %x : i32
}

// -----

tfx_host.enum @Option {none(), some(i32)}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
// No code is generated for a generic function itself.
func.func private @identity(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}
func.func private @f(f32) -> f32
func.func @not_yet(%x: i32, %y: f32) -> !tfx_host.array<i32> {
  // expected-error @below {{not removed: an enum; run tfx-scalarize first}}
  %o = tfx_host.make_enum "some"(%x) : (i32) -> !tfx_host.enum<@Option>
  // expected-error @below {{not removed: a call of a generic function; run tfx-specialize first, as the pipeline tfx-deabstract does}}
  %i = tfx_host.call @identity<[i32]>(%x) : (i32) -> i32
  // expected-error @below {{not removed: a call of a protocol's method; run tfx-specialize first, as the pipeline tfx-deabstract does}}
  %w = tfx_host.witness_call @Layer["call"] of f32 (%y, %y) : (f32, f32) -> f32
  // expected-remark @below {{array stays on the host, because not all of its uses are known at compile time; an array whose elements are only read would be removed}}
  %a = tfx_host.array(%x, %x) : !tfx_host.array<i32>
  %n = tfx_host.array_count %a : !tfx_host.array<i32>
  // expected-note @below {{it is returned here}}
  return %a : !tfx_host.array<i32>
}

// -----

// A value from elsewhere is reported where it is used.

// expected-note @below {{it comes from here}}
func.func @elsewhere(%f: !tfx_host.closure<(f32) -> f32>,
    // expected-note @below {{it comes from here}}
    %a: !tfx_host.array<f32>, %i: index) -> f32 {
  // expected-remark @below {{read of an array that is known only at run time stays on the host}}
  %x = tfx_host.array_get %a[%i] : !tfx_host.array<f32>
  // expected-remark @below {{call of a closure that is known only at run time stays on the host}}
  %y = tfx_host.apply %f(%x) : !tfx_host.closure<(f32) -> f32>
  return %y : f32
}

// -----

func.func @computed(%x: tensor<f32>, %rate: f32) -> tensor<f32> {
  // expected-error @below {{not removed: a computed attribute; run tfx-constexpr first, as the pipeline tfx-deabstract does}}
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %rate : f32) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// The host runs it by itself: tfx-constexpr has reported it.
func.func @eager(%x: tensor<f32>, %rate: f32) -> tensor<f32> {
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %rate : f32) {eager} : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
