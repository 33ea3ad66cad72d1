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

// Out of the model: it stays on the host, with a word about it.

tfx_host.class @Counter {value: i32}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
func.func private @scale(f32) -> f32
func.func @objects(%d: f32, %x: i32) {
  // expected-remark @below {{class instance stays on the host, with all that it holds; a struct would be removed}}
  %c = tfx_host.new(%x) : (i32) -> !tfx_host.object<@Counter>
  // expected-remark @below {{field of a class instance stays on the host: tensors are copied to and from it; a struct would be removed}}
  %r = tfx_host.member_ref %c["value"] : !tfx_host.object<@Counter> -> !tfx_host.ref<i32>
  tfx_host.store %x, %r : i32
  // expected-remark @below {{existential stays on the host; a generic parameter would be removed}}
  %a = tfx_host.erase %d : f32 to !tfx_host.any<@Layer>
  // expected-remark @below {{dynamic call stays on the host; a call of a function by its name would be inlined}}
  %y = tfx_host.dynamic_call %a["call"](%d) : (!tfx_host.any<@Layer>, f32) -> f32
  // expected-remark @below {{escaping closure stays on the host; one that does not escape would be removed}}
  %f = tfx_host.closure @scale() : () -> !tfx_host.closure<escaping (f32) -> f32>
  // expected-remark @below {{escaping closure stays on the host}}
  %z = tfx_host.apply %f(%y) : !tfx_host.closure<escaping (f32) -> f32>
  return
}

// -----

tfx_host.struct @Point {x: i32, y: i32}
func.func private @take(!tfx_host.ref<!tfx_host.struct<@Point>>)
// expected-error @above {{not removed: a reference in the signature of the foreign function '@take'; its type is '!tfx_host.ref<!tfx_host.struct<@Point>>'}}
func.func @variables(%x: i32) -> i32 {
  // expected-error @below {{not removed: a variable whose reference escapes; pass its value and take the new one as a result instead}}
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  // expected-error @below {{not removed: a struct that is needed whole; pass its fields one by one instead}}
  %p = tfx_host.make_struct(%x, %x) : (i32, i32) -> !tfx_host.struct<@Point>
  tfx_host.store %p, %v : !tfx_host.struct<@Point>
  func.call @take(%v) : (!tfx_host.ref<!tfx_host.struct<@Point>>) -> ()
  // expected-error @below {{not removed: a tuple that is needed whole; pass its elements one by one instead}}
  %t = tfx_host.make_tuple(%x, %x) : i32, i32
  return %x : i32
}

// -----

// expected-error @below {{not removed: a reference, which this value is; its type is '!tfx_host.ref<i32>'}}
func.func @inout(%r: !tfx_host.ref<i32>) -> i32 {
  // expected-error @below {{not removed: an access through a reference; pass the value and take the new one as a result instead}}
  %x = tfx_host.load %r : !tfx_host.ref<i32>
  return %x : i32
}

// -----

tfx_host.enum @Option {none(), some(i32)}
tfx_host.protocol @Layer {call: (!tfx_host.param<"Self">, f32) -> f32}
// expected-error @below {{not removed: generic function '@identity'; functions are not specialized yet: write it for each type that it is used with}}
func.func private @identity(%x: !tfx_host.param<"T">) -> !tfx_host.param<"T"> attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  return %x : !tfx_host.param<"T">
}
func.func private @f(f32) -> f32
func.func @not_yet(%x: i32, %y: f32) {
  // expected-error @below {{not removed: an enum; enums are not taken apart yet: use an integer for its case, with cf.switch}}
  %o = tfx_host.make_enum "some"(%x) : (i32) -> !tfx_host.enum<@Option>
  // expected-error @below {{not removed: a call of a generic function; functions are not specialized yet}}
  %i = tfx_host.call @identity<[i32]>(%x) : (i32) -> i32
  // expected-error @below {{not removed: a call of a protocol's method; they are not resolved yet}}
  %w = tfx_host.witness_call @Layer["call"] of f32 (%y, %y) : (f32, f32) -> f32
  // expected-error @below {{not removed: a closure that comes through a variable, a branch, a struct or a recursive call; pass it as a parameter only}}
  %c = tfx_host.closure @f() : () -> !tfx_host.closure<(f32) -> f32>
  // expected-error @below {{not removed: a closure}}
  %z = tfx_host.apply %c(%y) : !tfx_host.closure<(f32) -> f32>
  // expected-error @below {{not removed: an array; arrays are not taken apart yet: use a tensor or a tuple}}
  %a = tfx_host.array(%x, %x) : !tfx_host.array<i32>
  // expected-error @below {{not removed: an array}}
  %n = tfx_host.array_count %a : !tfx_host.array<i32>
  return
}
