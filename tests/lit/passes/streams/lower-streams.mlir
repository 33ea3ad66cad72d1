// RUN: tfx-opt --tfx-insert-events --tfx-lower-streams %s | FileCheck %s
// RUN: tfx-opt --tfx-insert-events --tfx-lower-streams --tfx-lower-streams %s | FileCheck %s

!s = !tfx_stream.stream<cpu>
!b = !tfx_stream.buffer<64, host>

// The head, one device, and the names of kernels.
// CHECK:       tfx_stream.schedule @train
// CHECK-SAME:  tfx_stream.commands = "tfxs\01\01
// CHECK-SAME:  produce
// CHECK-SAME:  consume
tfx_stream.schedule @train(%s: !s, %t: !s, %b: !b, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = tfx_stream.launch %s @produce(%b write) : !s, !b
    tfx_stream.launch %t @consume(%b read as %x) : !s, !b
  }
  tfx_stream.return
}

// A part has no list of its own.
// CHECK:       tfx_stream.schedule private @part
// CHECK-NOT:   tfx_stream.commands
// CHECK:       tfx_stream.schedule @caller
// CHECK-SAME:  tfx_stream.commands
tfx_stream.schedule private @part(%s: !s, %b: !b) {
  %x = tfx_stream.fill %s %b with 1.0 : f32 : !s, !b
  %y = tfx_stream.fill %s %b with -1 : i64 : !s, !b
  tfx_stream.return
}
tfx_stream.schedule @caller(%s: !s, %b: !b) {
  tfx_stream.call @part(%s, %b) : (!s, !b) -> ()
  tfx_stream.return
}

// Two commands decide a loop: one before it, and one at the end of its body. A decision in the
// condition is both.
// CHECK:       tfx_stream.schedule @decided
// CHECK-SAME:  tfx_stream.commands
// CHECK:       tfx_stream.schedule @in_condition
// CHECK-SAME:  tfx_stream.commands
tfx_stream.schedule @decided(%s: !s, %b: !b) {
  %x = tfx_stream.launch %s @produce(%b write) : !s, !b
  %first = tfx_stream.decide %b as %x : !b -> i1
  scf.while (%go = %first) : (i1) -> () {
    scf.condition(%go)
  } do {
    %y = tfx_stream.launch %s @produce(%b write) : !s, !b
    %next = tfx_stream.decide %b as %y : !b -> i1
    scf.yield %next : i1
  }
  tfx_stream.return
}
tfx_stream.schedule @in_condition(%s: !s, %b: !b) {
  scf.while : () -> () {
    %y = tfx_stream.launch %s @produce(%b write) : !s, !b
    %next = tfx_stream.decide %b as %y : !b -> i1
    scf.condition(%next)
  } do {
    scf.yield
  }
  tfx_stream.return
}

// A command before a branch decides it, also in a loop.
// CHECK:       tfx_stream.schedule @branch
// CHECK-SAME:  tfx_stream.commands
tfx_stream.schedule @branch(%s: !s, %b: !b) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = tfx_stream.launch %s @produce(%b write) : !s, !b
    %c = tfx_stream.decide %b as %x : !b -> i1
    %y = scf.if %c -> (!tfx_stream.value) {
      %z = tfx_stream.launch %s @produce(%b write) : !s, !b
      scf.yield %z : !tfx_stream.value
    } else {
      scf.yield %x : !tfx_stream.value
    }
    tfx_stream.launch %s @consume(%b read as %y) : !s, !b
  }
  tfx_stream.return
}
