// RUN: tfx-opt --split-input-file --verify-diagnostics --tfx-insert-events %s

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// What may access memory unseen.
tfx_stream.schedule @foreign(%s: !s, %b: !b) {
  // expected-error @below {{'func.call' in a schedule is not verified: it may access memory}}
  // expected-note @below {{call a function by tfx_stream.host, with the buffers that it accesses}}
  func.call @f() : () -> ()
  tfx_stream.return
}
func.func private @f()

// -----

// Parts that call each other.

!s = !tfx_stream.stream<cuda>

// expected-note @below {{it is defined here; use scf.for or scf.while}}
tfx_stream.schedule private @endless(%s: !s) {
  // expected-error @below {{a schedule is finite, but @endless calls itself through this call}}
  tfx_stream.call @endless(%s) : (!s) -> ()
  tfx_stream.return
}

// -----

// A ring that is too deep. The loop is generated: it has 257 buffers.

// RUN: %python %S/Inputs/ring.py 257 > %t.mlir
// RUN: not tfx-opt --tfx-insert-events %t.mlir -o %t.out 2> %t.err
// RUN: FileCheck --check-prefix=RING %s < %t.err
// RING: error: the buffers of a loop do not return to their places within 256 iterations, so that its waits would differ in each of them
// RING: note: rotate fewer buffers, or write the events by hand
