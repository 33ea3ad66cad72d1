// RUN: tfx-opt %s --tfx-deabstract --split-input-file --verify-diagnostics

// One error for each read, however many fields were not written.

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

// A variable that two inout arguments of a call share, if the call is not inlined.

func.func @swap(%a: !tfx_host.ref<i32>, %b: !tfx_host.ref<i32>) {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  %x = tfx_host.load %a : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  // expected-error @below {{the same variable is passed twice as inout to a call that is not inlined}}
  func.call @swap(%v, %v) : (!tfx_host.ref<i32>, !tfx_host.ref<i32>) -> ()
  return
}
