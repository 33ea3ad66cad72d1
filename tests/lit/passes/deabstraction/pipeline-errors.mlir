// RUN: tfx-opt %s --tfx-deabstract --split-input-file --verify-diagnostics

// One error for one read, however many fields were not written.

tfx_host.struct @Point {x: i32, y: i32, z: i32}
func.func @unset(%x: i32) -> i32 {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  %rx = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  tfx_host.store %x, %rx : i32
  // expected-error @below {{variable is read before it is written}}
  %p = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Point>>
  %y = tfx_host.extract %p["y"] : !tfx_host.struct<@Point> -> i32
  %z = tfx_host.extract %p["z"] : !tfx_host.struct<@Point> -> i32
  %s = arith.addi %y, %z : i32
  return %s : i32
}

// -----

// A closure that a branch chooses is not removed yet: the check says so, and nothing is compiled wrongly.

func.func private @a(i32) -> i32
func.func private @b(i32) -> i32
func.func @chosen(%p: i1, %x: i32) -> i32 {
  // expected-error @below {{not removed: a closure that comes through a variable, a branch, a struct or a recursive call; pass it as a parameter only}}
  %a = tfx_host.closure @a() : () -> !tfx_host.closure<(i32) -> i32>
  // expected-error @below {{not removed: a closure}}
  %b = tfx_host.closure @b() : () -> !tfx_host.closure<(i32) -> i32>
  cf.cond_br %p, ^join(%a : !tfx_host.closure<(i32) -> i32>), ^join(%b : !tfx_host.closure<(i32) -> i32>)
// expected-error @below {{not removed: a closure, which this value is; its type is '!tfx_host.closure<(i32) -> i32>'}}
^join(%c: !tfx_host.closure<(i32) -> i32>):
  // expected-error @below {{not removed: a closure}}
  %y = tfx_host.apply %c(%x) : !tfx_host.closure<(i32) -> i32>
  return %y : i32
}
