// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-verify-queues %s

// What is said of queues that are not closed on each path, leave their function, or share what their threads touch.

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @never_closed() {
  // expected-error @below {{this queue is not closed on each path}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  // expected-note @below {{it may be open when control returns here; write tfx_host.close before}}
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
  // expected-note @below {{it may be open when control returns here; write tfx_host.close before}}
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
  // expected-note @below {{it may be open when control returns here; write tfx_host.close before}}
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
  // expected-error @below {{this queue is closed, and was closed before}}
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
  // expected-error @below {{this queue is taken from, and was closed before}}
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  return
}

// -----

// The second iteration takes from what the first has closed.
func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closed_in_a_loop(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @below {{it is opened here}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  scf.for %i = %zero to %n step %one {
    // expected-error @below {{this queue is taken from, and may have been closed before}}
    %x = tfx_host.next %q : !tfx_host.queue<i1>
    // expected-note @below {{it is closed here, on a path that leads there}}
    tfx_host.close %q : !tfx_host.queue<i1>
  }
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @opened_in_a_loop(%c: i1) {
  cf.br ^loop
^loop:
  // expected-error @below {{this queue may still be open when control comes here again}}
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
  // expected-note @below {{it is forwarded here; use the block argument or the result that it is from here on}}
  cf.br ^next(%q, %q : !tfx_host.queue<i1>, !tfx_host.queue<i1>)
^next(%a: !tfx_host.queue<i1>, %b: !tfx_host.queue<i1>):
  tfx_host.close %a : !tfx_host.queue<i1>
  // expected-error @below {{this queue is closed by a name that it does not have any more}}
  tfx_host.close %b : !tfx_host.queue<i1>
  return
}

// -----

func.func @never_opened() {
  %q = tfx_host.undef : !tfx_host.queue<i1>
  // expected-error @below {{this queue is taken from, and was never opened}}
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  return
}

//===----------------------------------------------------------------------===//
// Where queues go
//===----------------------------------------------------------------------===//

// -----

// expected-error @below {{'@gives' takes or gives a queue and stays a function: nothing proves there that the queue is closed}}
// expected-note @below {{open, use and close a queue in one function; a private function that is not recursive is inlined, so that it may take one}}
func.func @gives() -> !tfx_host.queue<i1> {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  return %q : !tfx_host.queue<i1>
}
func.func private @next() -> i1 attributes {tfx.state = "loader"}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @stored(%v: !tfx_host.ref<!tfx_host.queue<i1>>) {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-error @below {{a queue is given to 'tfx_host.store': nothing proves that it is closed there}}
  // expected-note @below {{open, use and close a queue in one function, without keeping it in a variable that is shared, an object or a closure}}
  tfx_host.store %q, %v : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func private @take(!tfx_host.queue<i1>) attributes {tfx.state = "log"}
func.func @given() {
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-error @below {{a queue is given to '@take', which is not inlined: nothing proves that it is closed there}}
  // expected-note @below {{open, use and close a queue in one function, without keeping it in a variable that is shared, an object or a closure}}
  func.call @take(%q) : (!tfx_host.queue<i1>) -> ()
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

//===----------------------------------------------------------------------===//
// What threads touch
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
  // expected-error @below {{'@twice' runs on a thread of its own here, and nothing says what it touches}}
  %q = tfx_host.prefetch @twice() depth(1) : () -> !tfx_host.queue<i1>
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @loud() -> i1 {
  %true = arith.constant true
  // expected-note @below {{it prints here; hand what is to be printed over as a result, and print it where it is taken}}
  tfx_host.print "called"()
  return %true : i1
}
func.func @prints() {
  // expected-error @below {{'@loud' prints, and runs on a thread of its own here: the order of what is printed would not be fixed}}
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
  // expected-error @below {{'@next' runs on a thread of its own while this queue is open, and other code touches its state "loader" meanwhile}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{here; do it before the queue is opened or after it is closed, or name different states with tfx.state}}
  func.call @start_again() : () -> ()
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

// Two threads share no state, either.
func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @two_threads() {
  // expected-error @below {{'@next' runs on a thread of its own while this queue is open, and other code touches its state "loader" meanwhile}}
  %a = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{here; do it before the queue is opened or after it is closed, or name different states with tfx.state}}
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
  // expected-error @below {{'@next' runs on a thread of its own while this queue is open, and other code may touch its state meanwhile}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  %x = tfx_host.next %q : !tfx_host.queue<i1>
  // expected-note @below {{here, where nothing says what is touched}}
  func.call @log(%x) : (i1) -> ()
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}

// -----

func.func private @next() -> i1 attributes {tfx.state = "loader"}
func.func @closure_meanwhile(%f: !tfx_host.closure<escaping () -> ()>) {
  // expected-error @below {{'@next' runs on a thread of its own while this queue is open, and other code may touch its state meanwhile}}
  %q = tfx_host.prefetch @next() depth(1) : () -> !tfx_host.queue<i1>
  // expected-note @below {{here, where nothing says what is touched}}
  // expected-note @below {{only the run knows what is called here; call a function by its name}}
  tfx_host.apply %f() : !tfx_host.closure<escaping () -> ()>
  tfx_host.close %q : !tfx_host.queue<i1>
  return
}
