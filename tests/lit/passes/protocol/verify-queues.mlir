// RUN: tfx-opt --split-input-file --tfx-verify-queues %s | FileCheck %s

// Queues that are closed once on each path, and whose threads share no state with other code.

// The queue of a loop with an early exit that also closes it.
// CHECK-LABEL: func.func @breaks(
// CHECK:       tfx_host.prefetch @next() depth(2) {tfx.closed}
func.func private @next() -> (i32, i1) attributes {tfx.state = "loader"}
func.func private @log(i32) attributes {tfx.state = "log"}
func.func private @hash(i32) -> i32 attributes {tfx.pure}
func.func @breaks(%limit: i32) -> i32 {
  %q = tfx_host.prefetch @next() depth(2) : () -> !tfx_host.queue<i32, i1>
  cf.br ^loop
^loop:
  %x, %more = tfx_host.next %q : !tfx_host.queue<i32, i1>
  %y = func.call @hash(%x) : (i32) -> i32
  func.call @log(%y) : (i32) -> ()
  tfx_host.print "{}"(%y) : i32
  cf.cond_br %more, ^test, ^end
^test:
  %large = arith.cmpi sgt, %y, %limit : i32
  cf.cond_br %large, ^break, ^loop
^break:
  tfx_host.close %q : !tfx_host.queue<i32, i1>
  return %limit : i32
^end:
  tfx_host.close %q : !tfx_host.queue<i32, i1>
  return %y : i32
}

// -----

// One queue for each epoch. Between two epochs, other code may access its state.
// CHECK-LABEL: func.func @epochs(
// CHECK:       tfx_host.prefetch @next() depth(1) {tfx.closed}
func.func private @next() -> i32 attributes {tfx.state = "loader"}
func.func private @rewind() attributes {tfx.state = "loader"}
func.func @epochs(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %epoch = %zero to %n step %one {
    func.call @rewind() : () -> ()
    %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i32>
    scf.for %i = %zero to %n step %one {
      %x = tfx_host.next %q : !tfx_host.queue<i32>
      scf.yield
    }
    tfx_host.close %q : !tfx_host.queue<i32>
  }
  return
}

// -----

// One of two queues, forwarded by block arguments and iteration arguments.
// CHECK-LABEL: func.func @either(
// CHECK:       tfx_host.prefetch @train() depth(1) {tfx.closed}
// CHECK:       tfx_host.prefetch @test() depth(1) {tfx.closed}
func.func private @train() -> i32 attributes {tfx.state = "train"}
func.func private @test() -> i32 attributes {tfx.state = "test"}
func.func @either(%c: i1, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.cond_br %c, ^train, ^test
^train:
  %a = tfx_host.prefetch @train() depth(1) : () -> !tfx_host.queue<i32>
  cf.br ^open(%a : !tfx_host.queue<i32>)
^test:
  %b = tfx_host.prefetch @test() depth(1) : () -> !tfx_host.queue<i32>
  cf.br ^open(%b : !tfx_host.queue<i32>)
^open(%q: !tfx_host.queue<i32>):
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %q) -> !tfx_host.queue<i32> {
    %x = tfx_host.next %p : !tfx_host.queue<i32>
    scf.yield %p : !tfx_host.queue<i32>
  }
  %s = scf.while (%p = %r) : (!tfx_host.queue<i32>) -> !tfx_host.queue<i32> {
    %x = tfx_host.next %p : !tfx_host.queue<i32>
    scf.condition(%c) %p : !tfx_host.queue<i32>
  } do {
  ^bb0(%p: !tfx_host.queue<i32>):
    scf.yield %p : !tfx_host.queue<i32>
  }
  scf.if %c {
    tfx_host.close %s : !tfx_host.queue<i32>
  } else {
    tfx_host.close %s : !tfx_host.queue<i32>
  }
  return
}

// -----

// A path that aborts need not close its queue.
// CHECK-LABEL: func.func @aborts(
// CHECK:       tfx_host.prefetch @next() depth(1) {tfx.closed}
func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @aborts() {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %ok = tfx_host.next %q : !tfx_host.queue<i1>
  cf.cond_br %ok, ^good, ^bad
^bad:
  tfx_host.abort "no data"
  tfx_host.unreachable
^good:
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

// A thread of pure code shares no state. Nested: the thread has its own queue.
// CHECK-LABEL: func.func private @inner(
// CHECK:       tfx_host.prefetch @pure(%{{.*}}) depth(4) {tfx.closed}
// CHECK-LABEL: func.func @outer(
// CHECK:       tfx_host.prefetch @inner(%{{.*}}) depth(1) {tfx.closed}
func.func private @pure(f64) -> f64 attributes {tfx.pure}
func.func private @anything()
func.func private @inner(%x: f64) -> f64 {
  %q = tfx_host.prefetch @pure(%x) depth(4) : (f64) -> !tfx_host.queue<f64>
  %y = tfx_host.next %q : !tfx_host.queue<f64>
  tfx_host.close %q : !tfx_host.queue<f64>
  return %y : f64
}
func.func @outer(%x: f64) -> f64 {
  %q = tfx_host.prefetch @inner(%x) depth(1) : (f64) -> !tfx_host.queue<f64>
  func.call @anything() : () -> ()
  %y = tfx_host.next %q : !tfx_host.queue<f64>
  tfx_host.close %q : !tfx_host.queue<f64>
  return %y : f64
}

// -----

// Structuring has put the two parts of a path under equal conditions. A verified queue is not
// verified again.
// CHECK-LABEL: func.func @structured(
func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @structured(%c: i1) {
  %q = tfx_host.prefetch @next() depth(1) {tfx.closed} : () -> !tfx_host.queue<i1>
  scf.if %c {
    tfx_host.close %q : !tfx_host.queue<i1>
  }
  scf.if %c {
  } else {
    tfx_host.close %q : !tfx_host.queue<i1>
  }
  return
}
