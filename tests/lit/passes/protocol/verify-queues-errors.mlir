// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-queues %s

// Queues that are not closed on each path, leave their function, or whose threads share a state.

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @never_closed() {
  // expected-error @below {{this queue is not closed on each path}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  // expected-note @below {{it may be open at this return; insert tfx_host.close before it}}
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closed_in_one_arm() {
  // expected-error @below {{this queue is closed on some paths only}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  scf.if %x {
    tfx_host.close %q : !tfx_host.queue<i1>
  }
  // expected-note @below {{it may be open at this return; insert tfx_host.close before it}}
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closed_on_one_way() {
  // expected-error @below {{this queue is not closed on each path}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  cf.cond_br %x, ^early, ^late
^early:
  // expected-note @below {{it may be open at this return; insert tfx_host.close before it}}
  return
^late:
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closed_twice() {
  // expected-note @below {{it is opened here}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{it is closed here}}
  tfx_host.close %q : !tfx_host.queue<i1>
  // expected-error @below {{this queue is closed, but it is already closed}}
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @taken_after_the_end() {
  // expected-note @below {{it is opened here}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{it is closed here}}
  tfx_host.close %q : !tfx_host.queue<i1>
  // expected-error @below {{this queue is read, but it is already closed}}
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  return
}

// -----

// The second iteration reads a queue that the first has closed.
func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closed_in_a_loop(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{it is opened here}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  scf.for %i = %zero to %n step %one {
    // expected-error @below {{this queue is read, but it may already be closed}}
    %x = tfx_host.next %q : !tfx_host.queue<i1>
    // expected-note @below {{it is closed here, on a path to that operation}}
    tfx_host.close %q : !tfx_host.queue<i1>
  }
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @opened_in_a_loop(%c: i1) {
  cf.br ^loop
^loop:
  // expected-error @below {{this queue may still be open when this operation is executed again}}
  // expected-note @below {{close it before the next iteration, or open it before the loop}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  cf.cond_br %c, ^loop, ^end
^end:
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @two_names(%c: i1) {
  // expected-note @below {{it is opened here}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{it is forwarded here; use the block argument or result that it is forwarded to}}
  cf.br ^next(%q, %q : !tfx_host.queue<i1>, !tfx_host.queue<i1>)
^next(%a: !tfx_host.queue<i1>, %b: !tfx_host.queue<i1>):
  tfx_host.close %a : !tfx_host.queue<i1>
  // expected-error @below {{this queue is closed through a value that has been forwarded}}
  tfx_host.close %b : !tfx_host.queue<i1>
  return
}

// -----

func.func @never_opened() {
  %q = tfx_host.undef : !tfx_host.queue<i1>
  // expected-error @below {{this queue is read, but it is never opened}}
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  return
}

//===----------------------------------------------------------------------===//
// Uses of queues
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'@gives' has a queue among its parameters or results and is not inlined: cannot prove that the queue is closed}}
// expected-note @below {{open, use and close a queue in one function; a private function that is not recursive may take a queue, because it is inlined}}
func.func @gives() -> !tfx_host.queue<i1> {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  return %q : !tfx_host.queue<i1>
}
func.func private @next() -> i1 attributes {tfx.state = "loader"}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @stored(%v: !tfx_host.ref<!tfx_host.queue<i1>>) {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-error @below {{a queue is passed to 'tfx_host.store': cannot prove that it is closed there}}
  // expected-note @below {{open, use and close a queue in one function, and do not store it in a shared variable, an object or a closure}}
  tfx_host.store %q, %v : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func private @take(!tfx_host.queue<i1>) attributes {tfx.state = "log"}
func.func @given() {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-error @below {{a queue is passed to '@take', which is not inlined: cannot prove that it is closed there}}
  // expected-note @below {{open, use and close a queue in one function, and do not store it in a shared variable, an object or a closure}}
  func.call @take(%q) : (!tfx_host.queue<i1>) -> ()
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

//===----------------------------------------------------------------------===//
// Accesses of threads
//===----------------------------------------------------------------------===//

// -----

// expected-note @below {{name the state of foreign function '@next' with tfx.state, or mark it tfx.pure if it has none}}
func.func private @next() -> i1
func.func private @twice() -> i1 {
  %x = func.call @next() : () -> i1
  %y = func.call @next() : () -> i1
  return %y : i1
}
func.func @unknown() {
  // expected-error @below {{'@twice' runs on its own thread, and the states that it accesses are unknown}}
  %q = tfx_host.prefetch @twice() depth(1) : () -> !tfx_host.queue<i1>
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @loud() -> i1 {
  %true = arith.constant true
  // expected-note @below {{it prints here; return the values instead, and print them after tfx_host.next}}
  tfx_host.print "called"()
  return %true : i1
}
func.func @prints() {
  // expected-error @below {{'@loud' prints and runs on its own thread: the order of the output would not be deterministic}}
  %q = tfx_host.prefetch @loud() depth(1) : () -> !tfx_host.queue<i1>
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func private @rewind() attributes {tfx.state = "loader"}
func.func private @start_again() {
  func.call @rewind() : () -> ()
  return
}
func.func @shared_state() {
  // expected-error @below {{'@next' runs on its own thread while this queue is open, and other code accesses its state "loader" meanwhile}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{the access is here; move it before the queue is opened or after it is closed, or use different states with tfx.state}}
  func.call @start_again() : () -> ()
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

// Two threads may not share a state either.
func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @two_threads() {
  // expected-error @below {{'@next' runs on its own thread while this queue is open, and other code accesses its state "loader" meanwhile}}
  %a = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{the access is here; move it before the queue is opened or after it is closed, or use different states with tfx.state}}
  %b = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  tfx_host.close %a : !tfx_host.queue<i1>
  tfx_host.close %b : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
// expected-note @below {{name the state of foreign function '@log' with tfx.state, or mark it tfx.pure if it has none}}
func.func private @log(i1)
func.func @unknown_meanwhile() {
  // expected-error @below {{'@next' runs on its own thread while this queue is open, and other code may access its state meanwhile}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  // expected-note @below {{this may access any state}}
  func.call @log(%x) : (i1) -> ()
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closure_meanwhile(%f: !tfx_host.closure<escaping () -> ()>) {
  // expected-error @below {{'@next' runs on its own thread while this queue is open, and other code may access its state meanwhile}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{this may access any state}}
  // expected-note @below {{the callee is known only at run time; call a function by name}}
  tfx_host.apply %f() : !tfx_host.closure<escaping () -> ()>
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}
