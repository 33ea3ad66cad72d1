// RUN: tfx-opt --split-input-file \
// RUN:   --tfx-simulate-streams='launch=1000 event=2000 bandwidth=100 link=10 latency=500' %s \
// RUN:   -o %t.same 2>&1 | FileCheck %s
// RUN: tfx-opt --split-input-file %s -o %t.input && diff %t.input %t.same
// RUN: tfx-opt --split-input-file --tfx-overlap --tfx-insert-events \
// RUN:   --tfx-simulate-streams='iterations=100 latency=0' %s -o %t.rings 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RINGS

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!b = !tfx_stream.buffer<1048576, cuda>

// The kernels overlap, and @join waits for both.
// CHECK: [[@LINE+1]]:1: remark: simulated 914.0 us; busy: host 0 %, cuda 99 %; most memory: cuda 3.0 MiB
tfx_stream.schedule @fork(%s: !s, %t: !s, %a: !b, %b: !b) {
  %c = tfx_stream.alloc on %s : !b on !s
  %w, %x = tfx_stream.launch %s @left(%c write, %a write) {cost = 900000} : !s, !b, !b
  %y = tfx_stream.launch %t @right(%b write) {cost = 800000} : !s, !b
  %e = tfx_stream.record %t : !s
  tfx_stream.wait %s for %e : !s
  tfx_stream.free %c on %s : !b on !s
  tfx_stream.launch %s @join(%a read, %b read) {cost = 13000} : !s, !b, !b
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cuda>
!t = !tfx_stream.stream<cuda:1>
!a = !tfx_stream.buffer<100000, cuda>
!b = !tfx_stream.buffer<100000, cuda:1>
!h = !tfx_stream.buffer<100000, host>

// A part is inlined. The copies use different links, and the host waits before its function.
// CHECK: [[@LINE+2]]:1: remark: simulated 47.0 us; busy: host 8 %, cuda 0 %, cuda:1 42 %, copies from cuda to cuda:1 22 %, copies from host to cuda 22 %;
// CHECK-SAME: most memory: cuda 97.7 KiB, cuda:1 97.7 KiB, host 97.7 KiB
tfx_stream.schedule @chain(%s: !s, %t: !t, %h: !h, %a: !a, %b: !b) {
  %x = tfx_stream.input %h : !h
  %y = tfx_stream.copy %s %h as %x to %a : !s, !h to !a
  %e = tfx_stream.record %s : !s
  %f = tfx_stream.call @step(%s, %t, %a, %b, %e) : (!s, !t, !a, !b, !tfx_stream.event) -> !tfx_stream.event
  tfx_stream.host_wait %f
  tfx_stream.host @print(%h read) : !h
  tfx_stream.return
}

tfx_stream.schedule private @step(%s: !s, %t: !t, %a: !a, %b: !b, %e: !tfx_stream.event) -> !tfx_stream.event {
  tfx_stream.wait %t for %e : !t
  tfx_stream.copy %t %a to %b : !t, !a to !b
  tfx_stream.launch %t @kernel(%b read) {cost = 20000} : !t, !b
  %f = tfx_stream.record %t : !t
  tfx_stream.return %f : !tfx_stream.event
}

// -----

!s = !tfx_stream.stream<cuda>
!h = !tfx_stream.buffer<1200000, pinned>
!b = !tfx_stream.buffer<1200000, cuda>

// In a ring of 2, kernels hide the copies: 100 times 110 us, and the first copy.
// CHECK: remark: simulated {{.*}}; assumed: 10 iterations of 1 loop
// RINGS: remark: simulated 11.1 ms; busy: host 5 %, cuda 99 %, copies from host to cuda 90 %; most memory: cuda 2.3 MiB, pinned 1.1 MiB; assumed: 100 iterations of 1 loop
tfx_stream.schedule @train(%s: !s, %t: !s, %h: !h, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tfx_stream.input %h : !h
  scf.for %i = %c0 to %n step %c1 {
    %a = tfx_stream.alloc on %t : !b on !s
    %y = tfx_stream.copy %t %h as %x to %a : !s, !h to !b
    tfx_stream.launch %s @step(%a read as %y) {cost = 110000} : !s, !b
    tfx_stream.free %a on %s : !b on !s
  }
  tfx_stream.return
}

// -----

!s = !tfx_stream.stream<cpu>
!h = !tfx_stream.buffer<64, host>

// Constant bounds, and branches whose conditions are not known.
// CHECK: [[@LINE+1]]:1: remark: simulated 30.0 us; busy: host 100 %, cpu 0 %; most memory: host 64 bytes; assumed: the first region of 2 branches
tfx_stream.schedule @branches(%s: !s, %h: !h, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  scf.for %i = %c0 to %c10 step %c1 {
    scf.if %c {
      tfx_stream.launch %s @one(%h write) {cost = 0} : !s, !h
      tfx_stream.launch %s @two(%h write) {cost = 0} : !s, !h
    } else {
      tfx_stream.launch %s @three(%h write) {cost = 1000000} : !s, !h
    }
    scf.if %c {
      tfx_stream.launch %s @four(%h write) {cost = 0} : !s, !h
    }
  }
  tfx_stream.return
}
