// RUN: tfx-opt --split-input-file --tfx-assign-streams --tfx-insert-events --tfx-verify-schedule %s \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tfx-opt --split-input-file --tfx-assign-streams=streams=2 --tfx-insert-events --tfx-verify-schedule %s \
// RUN:   | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: tfx-opt --split-input-file --tfx-assign-streams --tfx-assign-streams %s \
// RUN:   | FileCheck %s --check-prefix=AGAIN

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// Two chains: two of four dependences need an event.
// CHECK-LABEL: @fork
// CHECK:       %[[T:.*]] = tfx_stream.open
// CHECK:       launch %[[S:.*]] @first
// CHECK:       launch %[[S]] @left
// CHECK:       launch %[[T]] @right
// CHECK:       launch %{{.*}} @join
// AGAIN-LABEL: @fork
// AGAIN-COUNT-1: tfx_stream.open
// AGAIN-NOT:   tfx_stream.open
// AGAIN:       return
tfx_stream.schedule @fork(%s: !s, %a: !b, %b: !b, %c: !b) {
  %x = tfx_stream.launch %s @first(%a write) {cost = 1000} : !s, !b
  %y = tfx_stream.launch %s @left(%a read as %x, %b write) {cost = 900000} : !s, !b, !b
  %z = tfx_stream.launch %s @right(%a read as %x, %c write) {cost = 800000} : !s, !b, !b
  tfx_stream.launch %s @join(%b read as %y, %c read as %z) {cost = 1000} : !s, !b, !b
  tfx_stream.return
}

// Kernels that are shorter than an event: with a limit, one stream is enough.
// CHECK-LABEL: @short
// ALL:         tfx_stream.open
// TWO-NOT:     tfx_stream.open
// CHECK:       return
tfx_stream.schedule @short(%s: !s, %a: !b, %b: !b, %c: !b) {
  %x = tfx_stream.launch %s @first(%a write) {cost = 1000} : !s, !b
  %y = tfx_stream.launch %s @left(%a read as %x, %b write) {cost = 1000} : !s, !b, !b
  %z = tfx_stream.launch %s @right(%a read as %x, %c write) {cost = 1000} : !s, !b, !b
  tfx_stream.launch %s @join(%b read as %y, %c read as %z) {cost = 1000} : !s, !b, !b
  tfx_stream.return
}

// Three independent chains: three streams, or two of which one has two chains.
// CHECK-LABEL: @three
// ALL-COUNT-2: tfx_stream.open
// TWO-COUNT-1: tfx_stream.open
// CHECK-NOT:   tfx_stream.open
// ALL-NOT:     wait
// CHECK:       return
tfx_stream.schedule @three(%s: !s, %a: !b, %b: !b, %c: !b) {
  tfx_stream.launch %s @a1(%a write) {cost = 500000} : !s, !b
  tfx_stream.launch %s @b1(%b write) {cost = 500000} : !s, !b
  tfx_stream.launch %s @c1(%c write) {cost = 500000} : !s, !b
  tfx_stream.launch %s @a2(%a update) {cost = 500000} : !s, !b
  tfx_stream.launch %s @b2(%b update) {cost = 500000} : !s, !b
  tfx_stream.launch %s @c2(%c update) {cost = 500000} : !s, !b
  tfx_stream.return
}

// Memory joins its users, so that its lifetime needs no event.
// CHECK-LABEL: @memory
// CHECK:       alloc on %[[S:[a-z0-9]*]]
// CHECK:       alloc on %[[T:[a-z0-9]*]]
// CHECK:       launch %[[S]] @left
// CHECK:       launch %[[T]] @right
// CHECK:       free %{{.*}} on %[[S]]
// CHECK:       free %{{.*}} on %[[T]]
// CHECK-NOT:   wait
// CHECK:       return
tfx_stream.schedule @memory(%s: !s) {
  %a = tfx_stream.alloc on %s : !b on !s
  %b = tfx_stream.alloc on %s : !b on !s
  tfx_stream.launch %s @left(%a write) {cost = 500000} : !s, !b
  tfx_stream.launch %s @right(%b write) {cost = 500000} : !s, !b
  tfx_stream.free %a on %s : !b on !s
  tfx_stream.free %b on %s : !b on !s
  tfx_stream.return
}

// The body of a loop has streams of its own, and two devices have streams of theirs.
// CHECK-LABEL: @loop
// CHECK:       scf.for
// CHECK:         launch %[[S:.*]] @left
// CHECK:         launch %{{.*}} @cpu
// CHECK:         launch %[[T:.*]] @right
tfx_stream.schedule @loop(%s: !s, %u: !tfx_stream.stream<cpu>, %a: !b, %b: !b,
                          %h: !tfx_stream.buffer<64, host>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tfx_stream.launch %s @left(%a update) {cost = 500000} : !s, !b
    tfx_stream.launch %u @cpu(%h update) : !tfx_stream.stream<cpu>, !tfx_stream.buffer<64, host>
    tfx_stream.launch %s @right(%b update) {cost = 500000} : !s, !b
  }
  tfx_stream.return
}

// -----

// A part has the streams of its parameters, and a call keeps its streams.

!s = !tfx_stream.stream<cuda>
!b = !tfx_stream.buffer<64, cuda>

// CHECK-LABEL: @part
// CHECK-SAME:  (%[[S:.*]]: !tfx_stream.stream<cuda>, %[[T:.*]]: !tfx_stream.stream<cuda>,
// CHECK:       launch %[[S]] @left
// CHECK:       launch %[[T]] @right
// CHECK:       launch %{{.*}} @third
tfx_stream.schedule private @part(%s: !s, %t: !s, %a: !b, %b: !b, %c: !b) {
  tfx_stream.launch %s @left(%a update) {cost = 500000} : !s, !b
  tfx_stream.launch %s @right(%b update) {cost = 500000} : !s, !b
  tfx_stream.launch %s @third(%c update) {cost = 500000} : !s, !b
  tfx_stream.return
}

// CHECK-LABEL: @caller
// CHECK:       call @part(%[[S:.*]], %[[T:.*]],
tfx_stream.schedule @caller(%s: !s, %t: !s, %a: !b, %b: !b, %c: !b) {
  tfx_stream.call @part(%s, %t, %a, %b, %c) : (!s, !s, !b, !b, !b) -> ()
  tfx_stream.return
}
