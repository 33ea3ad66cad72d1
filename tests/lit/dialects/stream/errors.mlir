// Each diagnostic of the parsers and verifiers of tfx_stream, at its location and with its notes.
// Tests use the generic form where the custom form cannot express the error.

// RUN: tfx-opt --split-input-file --verify-diagnostics %s

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// expected-error @below {{expected the device 'cpu' or 'cuda', got 'tpu'}}
func.func private @f(!tfx_stream.stream<tpu>)

// -----

// expected-error @below {{expected the memory space 'host', 'pinned' or 'cuda', got 'cpu'}}
func.func private @f(!tfx_stream.buffer<64, cpu>)

// -----

// expected-error @below {{expected a size of 1 to 2^63 - 1 bytes, got 0}}
func.func private @f(!tfx_stream.buffer<0, host>)

// -----

// expected-error @below {{expected a size of 1 to 2^63 - 1 bytes, got 0}}
func.func private @f(!tfx_stream.arena<0, host>)

// -----

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

// expected-error @below {{expected a stream, a buffer, an event, a value or a scalar as parameter #0, got '!tfx_stream.arena<64, cuda>'}}
tfx_stream.schedule @s(%a: !tfx_stream.arena<64, cuda>) {
  tfx_stream.return
}

// -----

// expected-error @below {{is public, so nothing precedes it that has recorded the event of parameter #0: make the schedule private}}
tfx_stream.schedule @s(%e: !tfx_stream.event) {
  tfx_stream.return
}

// -----

// expected-error @below {{is public, so nothing precedes it that has written the value of parameter #0: use tfx_stream.input, or make the schedule private}}
tfx_stream.schedule @s(%x: !tfx_stream.value) {
  tfx_stream.return
}

// -----

// expected-error @below {{expected an event or a value as result #0, got 'index'}}
tfx_stream.schedule @s(%n: index) -> index {
  tfx_stream.return %n : index
}

// -----

// expected-error @below {{expected tfx_stream.return at the end of the body}}
tfx_stream.schedule @s() {
  llvm.unreachable
}

// -----

// expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
tfx_stream.schedule @s() {
  cf.br ^next
^next:
  tfx_stream.return
}

// -----

// expected-note @below {{the types are declared here}}
tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>) -> !tfx_stream.event {
  // expected-error @below {{expected results of types ('!tfx_stream.event'), got ()}}
  tfx_stream.return
}

// -----

func.func @f() {
  // expected-error @below {{expects parent op 'tfx_stream.schedule'}}
  tfx_stream.return
}

// -----

// expected-error @below {{expected tfx_stream.access on a buffer, got it on parameter #0 of type '!tfx_stream.stream<cuda>'}}
tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda> {tfx_stream.access = "read"}) {
  tfx_stream.return
}

// -----

// expected-error @below {{expected "read", "write", "update" or "scratch" as tfx_stream.access of parameter #0, got "look"}}
tfx_stream.schedule @s(%b: !tfx_stream.buffer<64, cuda> {tfx_stream.access = "look"}) {
  tfx_stream.return
}

// -----

// expected-error @below {{"tfx_stream.mode" is not an attribute of parameters; tfx_stream.schedule has tfx_stream.access on buffers}}
tfx_stream.schedule @s(%b: !tfx_stream.buffer<64, cuda> {tfx_stream.mode = "read"}) {
  tfx_stream.return
}

// -----

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

tfx_stream.schedule @s() {
  // expected-error @below {{calls @part, but no tfx_stream.schedule of that name is defined}}
  tfx_stream.call @part() : () -> ()
  tfx_stream.return
}

// -----

// expected-note @below {{defined here}}
tfx_stream.schedule @part() {
  tfx_stream.return
}
tfx_stream.schedule @s() {
  // expected-error @below {{calls the public schedule @part, which expects that no other command runs: make it private}}
  tfx_stream.call @part() : () -> ()
  tfx_stream.return
}

// -----

// expected-note @below {{defined here}}
tfx_stream.schedule private @part(%s: !tfx_stream.stream<cuda>) {
  tfx_stream.return
}
tfx_stream.schedule @s() {
  // expected-error @below {{expected arguments of types ('!tfx_stream.stream<cuda>') for @part, got ()}}
  tfx_stream.call @part() : () -> ()
  tfx_stream.return
}

// -----

// expected-note @below {{defined here}}
tfx_stream.schedule private @part() {
  tfx_stream.return
}
tfx_stream.schedule @s() {
  // expected-error @below {{expected results of types () from @part, got ('!tfx_stream.event')}}
  %e = tfx_stream.call @part() : () -> !tfx_stream.event
  tfx_stream.return
}

// -----

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

tfx_stream.schedule @s(%c: i1) {
  scf.if %c {
    // expected-error @below {{creates a stream outside of the body of a tfx_stream.schedule, or in a loop or branch: create it before}}
    %s = tfx_stream.open : !tfx_stream.stream<cuda>
  }
  tfx_stream.return
}

// -----

tfx_stream.schedule private @s() {
  // expected-error @below {{creates a stream in a part: make it a parameter}}
  %s = tfx_stream.open : !tfx_stream.stream<cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s() {
  // expected-error @below {{has the legacy default stream of CUDA, but its type is '!tfx_stream.stream<cpu>'}}
  %s = tfx_stream.open legacy : !tfx_stream.stream<cpu>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>) {
  // expected-error @below {{expected an event}}
  "tfx_stream.wait"(%s) : (!tfx_stream.stream<cuda>) -> ()
  tfx_stream.return
}

// -----

tfx_stream.schedule @s() {
  // expected-error @below {{expected an event}}
  "tfx_stream.host_wait"() : () -> ()
  tfx_stream.return
}

// -----

// V4: a wait for an event that is recorded later cannot be written.
tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %t: !tfx_stream.stream<cuda>) {
  // expected-error @below {{operand #1 does not dominate this use}}
  tfx_stream.wait %t for %e : !tfx_stream.stream<cuda>
  // expected-note @below {{operand defined here}}
  %e = tfx_stream.record %s : !tfx_stream.stream<cuda>
  tfx_stream.return
}

// -----

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected 'read', 'write', 'update' or 'scratch' after a buffer, got 'readwrite'}}
  tfx_stream.launch %s @k(%b readwrite) : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
  // expected-error @below {{names a value after 'write', which reads none; a value that is written is a result of the command}}
  tfx_stream.launch %s @k(%b write as %x)
      : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
  // expected-error @below {{expected an offset of at least 0 in a value, got -1}}
  tfx_stream.launch %s @k(%b read as %x[-1])
      : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected an access mode for each of the 1 buffers, got 0}}
  "tfx_stream.launch"(%s, %b) <{kernel = @k, modes = array<i32>, positions = array<i32>, offsets = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>) -> ()
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected access modes from 0 to 3, got 4}}
  "tfx_stream.launch"(%s, %b) <{kernel = @k, modes = array<i32: 4>, positions = array<i32>, offsets = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>) -> ()
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected a position and an offset for each of the 0 values, got 1 and 0}}
  "tfx_stream.launch"(%s, %b) <{kernel = @k, modes = array<i32: 0>, positions = array<i32: 0>, offsets = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>) -> ()
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
  // expected-error @below {{expected ascending positions of buffers, got 1}}
  "tfx_stream.launch"(%s, %b, %x) <{kernel = @k, modes = array<i32: 0>, positions = array<i32: 1>, offsets = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>, !tfx_stream.value) -> ()
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{inferred type(s) '!tfx_stream.value' are incompatible with return type(s) of operation}}
  "tfx_stream.launch"(%s, %b) <{kernel = @k, modes = array<i32: 1>, positions = array<i32>, offsets = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>) -> ()
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected a value as a result for each of the 1 buffers that are written, got results of types ('i1')}}
  %c = "tfx_stream.host"(%b) <{function = @k, modes = array<i32: 1>, positions = array<i32>, offsets = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tfx_stream.buffer<64, cuda>) -> i1
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected scalars as results, got '!tfx_stream.event'}}
  %e = tfx_stream.host @f(%b read) : !tfx_stream.buffer<64, cuda> -> !tfx_stream.event
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{returns a scalar on a stream, but the host continues before the function runs: leave out the stream, and wait with tfx_stream.host_wait before}}
  %c = tfx_stream.host @f(%b read) on %s
      : !tfx_stream.buffer<64, cuda> on !tfx_stream.stream<cuda> -> i1
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>, %c: !tfx_stream.buffer<32, cuda>) {
  // expected-error @below {{expected buffers of one size, got 64 and 32 bytes: copy a tfx_stream.view of the larger one}}
  tfx_stream.copy %s %b to %c
      : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda> to !tfx_stream.buffer<32, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>, %c: !tfx_stream.buffer<64, cuda>) {
  %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
  // expected-error @below {{expected an offset of at least 0 in a value, got -8}}
  tfx_stream.copy %s %b as %x[-8] to %c
      : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda> to !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected a number of whole bytes, got true}}
  tfx_stream.fill %s %b with true : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<10, cuda>) {
  // expected-error @below {{expected a buffer whose size is a multiple of that of 'f32', got 10 bytes}}
  tfx_stream.fill %s %b with 1.0 : f32
      : !tfx_stream.stream<cuda>, !tfx_stream.buffer<10, cuda>
  tfx_stream.return
}

// -----

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  %c = tfx_stream.alloc : !tfx_stream.buffer<64, cuda>
  // expected-error @below {{expected a parameter of the schedule: other buffers have no content before a command writes them}}
  %x = tfx_stream.input %c : !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule private @s(%b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected a public schedule: a part has a value as a parameter instead}}
  %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-note @below {{this command precedes it}}
  tfx_stream.launch %s @k(%b read) : !tfx_stream.stream<cuda>, !tfx_stream.buffer<64, cuda>
  // expected-error @below {{expected to precede all commands, since it is about the start}}
  %x = tfx_stream.input %b : !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{has the bytes 48 to 80 of a buffer of 64 bytes}}
  %v = tfx_stream.view %b[48, 32] : !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected an offset of at least 0 and a size of at least 1, got -1 and 4}}
  %v = tfx_stream.view %b[-1, 4] : !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>, %b: !tfx_stream.buffer<64, cuda>) {
  // expected-error @below {{expected a size of at least 1 byte}}
  %v = tfx_stream.view %b[0, 0] : !tfx_stream.buffer<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s() {
  %arena = tfx_stream.arena : !tfx_stream.arena<64, cuda>
  // expected-error @below {{has the bytes 64 to 65 of an arena of 64 bytes}}
  %b = tfx_stream.slice %arena[64, 1] : !tfx_stream.arena<64, cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cuda>) {
  %arena = tfx_stream.arena : !tfx_stream.arena<64, cuda:1>
  // expected-error @below {{expected a stream of the device of '!tfx_stream.arena<64, cuda:1>', got '!tfx_stream.stream<cuda>'}}
  %b = tfx_stream.slice %arena[0, 64] on %s
      : !tfx_stream.arena<64, cuda:1> on !tfx_stream.stream<cuda>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cpu>) {
  // expected-error @below {{expected a stream of the device of '!tfx_stream.buffer<64, cuda>', got '!tfx_stream.stream<cpu>'}}
  %b = tfx_stream.alloc on %s : !tfx_stream.buffer<64, cuda> on !tfx_stream.stream<cpu>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%s: !tfx_stream.stream<cpu>) {
  %b = tfx_stream.alloc : !tfx_stream.buffer<64, cuda>
  // expected-error @below {{expected a stream of the device of '!tfx_stream.buffer<64, cuda>', got '!tfx_stream.stream<cpu>'}}
  tfx_stream.free %b on %s : !tfx_stream.buffer<64, cuda> on !tfx_stream.stream<cpu>
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%c: i1) {
  scf.if %c {
    // expected-error @below {{declares memory outside of the body of a tfx_stream.schedule, or in a loop or branch: declare it before}}
    %arena = tfx_stream.arena : !tfx_stream.arena<64, cuda>
  }
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%b: !tfx_stream.buffer<1, cuda:1>) {
  // expected-error @below {{expected memory of the host, got '!tfx_stream.buffer<1, cuda:1>': copy the byte to host or pinned memory, and wait for it}}
  %c = tfx_stream.decide %b : !tfx_stream.buffer<1, cuda:1> -> i1
  tfx_stream.return
}

// -----

tfx_stream.schedule @s(%b: !tfx_stream.buffer<1, host>) {
  %x = tfx_stream.input %b : !tfx_stream.buffer<1, host>
  // expected-error @below {{expected an offset of at least 0 in a value, got -1}}
  %c = tfx_stream.decide %b as %x[-1] : !tfx_stream.buffer<1, host> -> i1
  tfx_stream.return
}
