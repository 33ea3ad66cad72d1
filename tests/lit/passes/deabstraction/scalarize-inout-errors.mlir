// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-scalarize)' --split-input-file --verify-diagnostics

// The same variable twice.

func.func private @swap(!tfx_host.ref<i32>, !tfx_host.ref<i32>)
func.func @twice(%x: i32) {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  // expected-error @below {{the same variable is passed twice as inout to a call that is not inlined: a change through one argument would be invisible through the other; pass a copy, or make two calls}}
  func.call @swap(%v, %v) : (!tfx_host.ref<i32>, !tfx_host.ref<i32>) -> ()
  return
}

// -----

// A field and the struct that contains it, whichever comes first, with another variable between them.

tfx_host.struct @Point {x: i32, y: i32}
tfx_host.struct @Line {from: !tfx_host.struct<@Point>, to: !tfx_host.struct<@Point>}
func.func private @change(!tfx_host.ref<i32>, !tfx_host.ref<i32>, !tfx_host.ref<!tfx_host.struct<@Line>>)
func.func @contains(%l: !tfx_host.struct<@Line>, %x: i32) {
  %w = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %w : i32
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Line>>
  tfx_host.store %l, %v : !tfx_host.struct<@Line>
  %t = tfx_host.field_ref %v["to"] : !tfx_host.ref<!tfx_host.struct<@Line>> -> !tfx_host.ref<!tfx_host.struct<@Point>>
  %y = tfx_host.field_ref %t["y"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  // expected-error @below {{the same variable is passed twice as inout to a call that is not inlined}}
  func.call @change(%y, %w, %v) : (!tfx_host.ref<i32>, !tfx_host.ref<i32>, !tfx_host.ref<!tfx_host.struct<@Line>>) -> ()
  return
}

// -----

// The same field, through two references to it.

tfx_host.struct @Point {x: i32, y: i32}
func.func private @change(!tfx_host.ref<i32>, !tfx_host.ref<i32>)
func.func @same_field(%p: !tfx_host.struct<@Point>) {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Point>>
  tfx_host.store %p, %v : !tfx_host.struct<@Point>
  %a = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  %b = tfx_host.field_ref %v["x"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<i32>
  // expected-error @below {{the same variable is passed twice as inout to a call that is not inlined}}
  func.call @change(%a, %b) : (!tfx_host.ref<i32>, !tfx_host.ref<i32>) -> ()
  return
}

// -----

// A parameter that is passed twice to a closure that stays.

func.func @to_closure(
    // expected-note @below {{the variable is declared here}}
    %r: !tfx_host.ref<i32>,
    %f: !tfx_host.closure<(!tfx_host.ref<i32>, !tfx_host.ref<i32>) -> ()>) {
  // expected-error @below {{the same variable is passed twice as inout to a call that is not inlined}}
  tfx_host.apply %f(%r, %r) : !tfx_host.closure<(!tfx_host.ref<i32>, !tfx_host.ref<i32>) -> ()>
  return
}
