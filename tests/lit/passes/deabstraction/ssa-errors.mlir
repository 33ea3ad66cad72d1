// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-ssa))' --split-input-file --verify-diagnostics

func.func @never_written() -> i32 {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  // expected-error @below {{variable is read before it is written}}
  %x = tfx_host.load %v : !tfx_host.ref<i32>
  return %x : i32
}

// -----

func.func @written_on_one_path(%p: i1, %x: i32) -> i32 {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  // expected-note @below {{the path from here does not write it}}
  cf.cond_br %p, ^then, ^join
^then:
  tfx_host.store %x, %v : i32
  cf.br ^join
^join:
  // expected-error @below {{variable is read before it is written on some path: write it on every path to here}}
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  return %y : i32
}

// -----

// The first iteration reads what the previous one would have written. The path is found through the joins between.

func.func @written_later_in_the_loop(%p: i1, %x: i32) {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  // expected-note @below {{the path from here does not write it}}
  cf.br ^header
^header:
  cf.cond_br %p, ^a, ^b
^a:
  tfx_host.store %x, %v : i32
  cf.br ^join
^b:
  cf.br ^join
^join:
  // expected-error @below {{variable is read before it is written on some path}}
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  tfx_host.print "{}"(%y) : i32
  cf.br ^header
}

// -----

// A variable in a loop is new in each iteration: it has no value of the previous one.

func.func @forgotten(%x: i32) {
  cf.br ^header
^header:
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  // expected-error @below {{variable is read before it is written}}
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  cf.br ^header
}

// -----

func.func private @increment(!tfx_host.ref<i32>)
func.func @escapes(%x: i32) -> i32 {
  // expected-remark @below {{variable stays a variable on the host: its reference escapes}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  // expected-note @below {{its reference is passed to '@increment' here}}
  func.call @increment(%v) : (!tfx_host.ref<i32>) -> ()
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  return %y : i32
}

// -----

func.func @structured(%p: i1, %x: i32) -> i32 {
  // expected-note @below {{the variable is declared here}}
  %v = tfx_host.var : !tfx_host.ref<i32>
  scf.if %p {
    // expected-error @below {{variable is used inside 'scf.if', which tfx-ssa does not support: run convert-scf-to-cf first}}
    tfx_host.store %x, %v : i32
  }
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  return %y : i32
}
