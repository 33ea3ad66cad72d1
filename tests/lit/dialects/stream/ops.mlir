// Each operation and type of tfx_stream prints what it parses.

// RUN: tfx-opt %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --emit-bytecode %s | tfx-opt | FileCheck %s

// CHECK-LABEL: tfx_stream.schedule private @part(
// CHECK-SAME:    %[[S:.*]]: !tfx_stream.stream<cuda:1>, %[[T:.*]]: !tfx_stream.stream<cpu>,
// CHECK-SAME:    %[[A:.*]]: !tfx_stream.buffer<64, cuda:1> {tfx_stream.access = "update"},
// CHECK-SAME:    %[[H:.*]]: !tfx_stream.buffer<64, host>, %[[E:.*]]: !tfx_stream.event,
// CHECK-SAME:    %[[X:.*]]: !tfx_stream.value, %[[N:.*]]: index)
// CHECK-SAME:    -> (!tfx_stream.event, !tfx_stream.value) {
tfx_stream.schedule private @part(
    %s: !tfx_stream.stream<cuda:1>, %t: !tfx_stream.stream<cpu>,
    %a: !tfx_stream.buffer<64, cuda:1> {tfx_stream.access = "update"},
    %h: !tfx_stream.buffer<64, host>, %e: !tfx_stream.event, %x: !tfx_stream.value, %n: index)
    -> (!tfx_stream.event, !tfx_stream.value) {
  // CHECK: tfx_stream.wait %[[S]] for %[[E]] : !tfx_stream.stream<cuda:1>
  tfx_stream.wait %s for %e : !tfx_stream.stream<cuda:1>
  // CHECK: %[[Y:.*]] = tfx_stream.launch %[[S]] @k(%[[A]] update as %[[X]]) : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<64, cuda:1>
  %y = tfx_stream.launch %s @k(%a update as %x)
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<64, cuda:1>
  // CHECK: tfx_stream.launch %[[S]] @empty() : !tfx_stream.stream<cuda:1>
  tfx_stream.launch %s @empty() : !tfx_stream.stream<cuda:1>
  // CHECK: %[[F:.*]] = tfx_stream.record %[[S]] : !tfx_stream.stream<cuda:1>
  %f = tfx_stream.record %s : !tfx_stream.stream<cuda:1>
  // CHECK: tfx_stream.wait %[[T]] for %[[E]], %[[F]] : !tfx_stream.stream<cpu>
  tfx_stream.wait %t for %e, %f : !tfx_stream.stream<cpu>
  // CHECK: tfx_stream.host_wait %[[E]], %[[F]]
  tfx_stream.host_wait %e, %f
  // CHECK: tfx_stream.return %[[F]], %[[Y]] : !tfx_stream.event, !tfx_stream.value
  tfx_stream.return %f, %y : !tfx_stream.event, !tfx_stream.value
}

// CHECK-LABEL: tfx_stream.schedule @main(
// CHECK-SAME:    %[[A:.*]]: !tfx_stream.buffer<64, cuda:1>, %[[H:.*]]: !tfx_stream.buffer<64, host>)
// CHECK-SAME:    attributes {name = "x"} {
tfx_stream.schedule @main(
    %a: !tfx_stream.buffer<64, cuda:1>, %h: !tfx_stream.buffer<64, host>)
    attributes {name = "x"} {
  // CHECK: %[[N:.*]] = arith.constant 3 : index
  %n = arith.constant 3 : index
  // CHECK: %[[X:.*]] = tfx_stream.input %[[A]] : !tfx_stream.buffer<64, cuda:1>
  %x = tfx_stream.input %a : !tfx_stream.buffer<64, cuda:1>
  // CHECK: %[[S:.*]] = tfx_stream.open : !tfx_stream.stream<cuda:1>
  %s = tfx_stream.open : !tfx_stream.stream<cuda:1>
  // CHECK: tfx_stream.open legacy : !tfx_stream.stream<cuda>
  %l = tfx_stream.open legacy : !tfx_stream.stream<cuda>
  // CHECK: %[[T:.*]] = tfx_stream.open : !tfx_stream.stream<cpu>
  %t = tfx_stream.open : !tfx_stream.stream<cpu>
  // CHECK: %[[ARENA:.*]] = tfx_stream.arena : !tfx_stream.arena<4096, cuda:1>
  %arena = tfx_stream.arena : !tfx_stream.arena<4096, cuda:1>
  // CHECK: tfx_stream.slice %[[ARENA]][0, 64] : !tfx_stream.arena<4096, cuda:1>
  %b = tfx_stream.slice %arena[0, 64] : !tfx_stream.arena<4096, cuda:1>
  // CHECK: %[[C:.*]] = tfx_stream.slice %[[ARENA]][64, 32] on %[[S]] : !tfx_stream.arena<4096, cuda:1> on !tfx_stream.stream<cuda:1>
  %c = tfx_stream.slice %arena[64, 32] on %s
      : !tfx_stream.arena<4096, cuda:1> on !tfx_stream.stream<cuda:1>
  // CHECK: %[[P:.*]] = tfx_stream.alloc : !tfx_stream.buffer<16, pinned>
  %p = tfx_stream.alloc : !tfx_stream.buffer<16, pinned>
  // CHECK: %[[D:.*]] = tfx_stream.alloc on %[[S]] : !tfx_stream.buffer<16, cuda:1> on !tfx_stream.stream<cuda:1>
  %d = tfx_stream.alloc on %s : !tfx_stream.buffer<16, cuda:1> on !tfx_stream.stream<cuda:1>
  // CHECK: %[[V:.*]] = tfx_stream.view %[[A]][16, 16] : !tfx_stream.buffer<64, cuda:1>
  %v = tfx_stream.view %a[16, 16] : !tfx_stream.buffer<64, cuda:1>
  // CHECK: %[[Y:.*]]:2 = tfx_stream.launch %[[S]] @k(%[[V]] read as %[[X]][16], %[[C]] write, %[[D]] update, %[[A]] scratch) :
  %y:2 = tfx_stream.launch %s @k(%v read as %x[16], %c write, %d update, %a scratch)
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1>, !tfx_stream.buffer<32, cuda:1>,
        !tfx_stream.buffer<16, cuda:1>, !tfx_stream.buffer<64, cuda:1>
  // CHECK: %[[Z:.*]] = tfx_stream.copy %[[S]] %[[D]] as %[[Y]]#1 to %[[P]] : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1> to !tfx_stream.buffer<16, pinned>
  %z = tfx_stream.copy %s %d as %y#1 to %p
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1> to !tfx_stream.buffer<16, pinned>
  // CHECK: tfx_stream.copy %[[S]] %[[V]] as %[[X]][16] to %[[P]] : !tfx_stream.stream<cuda:1>
  %z1 = tfx_stream.copy %s %v as %x[16] to %p
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1> to !tfx_stream.buffer<16, pinned>
  // CHECK: tfx_stream.copy %[[S]] %[[D]] to %[[P]] : !tfx_stream.stream<cuda:1>
  %z2 = tfx_stream.copy %s %d to %p
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1> to !tfx_stream.buffer<16, pinned>
  // CHECK: tfx_stream.fill %[[S]] %[[D]] with 1.000000e+00 : f32 : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1>
  %w = tfx_stream.fill %s %d with 1.0 : f32
      : !tfx_stream.stream<cuda:1>, !tfx_stream.buffer<16, cuda:1>
  // CHECK: %[[R:.*]]:2 = tfx_stream.host @f(%[[P]] update as %[[Z]]) : !tfx_stream.buffer<16, pinned> -> i1
  %r:2 = tfx_stream.host @f(%p update as %z) : !tfx_stream.buffer<16, pinned> -> i1
  // CHECK: tfx_stream.host @g(%[[P]] read as %[[R]]#0) on %[[S]] : !tfx_stream.buffer<16, pinned> on !tfx_stream.stream<cuda:1>
  tfx_stream.host @g(%p read as %r#0) on %s
      : !tfx_stream.buffer<16, pinned> on !tfx_stream.stream<cuda:1>
  // CHECK: tfx_stream.host @nothing()
  tfx_stream.host @nothing()
  // CHECK: tfx_stream.host @tell() -> (i1, f32)
  %i, %j = tfx_stream.host @tell() -> (i1, f32)
  // CHECK: %[[E:.*]] = tfx_stream.record %[[S]]
  %e = tfx_stream.record %s : !tfx_stream.stream<cuda:1>
  // CHECK: %{{.*}}:2 = tfx_stream.call @part(%[[S]], %[[T]], %[[A]], %[[H]], %[[E]], %[[X]], %[[N]]) :
  %f:2 = tfx_stream.call @part(%s, %t, %a, %h, %e, %x, %n)
      : (!tfx_stream.stream<cuda:1>, !tfx_stream.stream<cpu>, !tfx_stream.buffer<64, cuda:1>,
         !tfx_stream.buffer<64, host>, !tfx_stream.event, !tfx_stream.value, index)
      -> (!tfx_stream.event, !tfx_stream.value)
  // CHECK: tfx_stream.free %[[D]] on %[[S]] : !tfx_stream.buffer<16, cuda:1> on !tfx_stream.stream<cuda:1>
  tfx_stream.free %d on %s : !tfx_stream.buffer<16, cuda:1> on !tfx_stream.stream<cuda:1>
  // CHECK: tfx_stream.free %[[P]] : !tfx_stream.buffer<16, pinned>
  tfx_stream.free %p : !tfx_stream.buffer<16, pinned>
  // CHECK: tfx_stream.return
  tfx_stream.return
}

// CHECK-LABEL: tfx_stream.schedule @decided(
// CHECK-SAME:    %[[H:.*]]: !tfx_stream.buffer<4, host>, %[[P:.*]]: !tfx_stream.buffer<1, pinned>)
tfx_stream.schedule @decided(
    %h: !tfx_stream.buffer<4, host>, %p: !tfx_stream.buffer<1, pinned>) {
  // CHECK: %[[X:.*]] = tfx_stream.input %[[H]]
  %x = tfx_stream.input %h : !tfx_stream.buffer<4, host>
  // CHECK: %[[C:.*]] = tfx_stream.decide %[[H]] as %[[X]] : !tfx_stream.buffer<4, host> -> i1
  %c = tfx_stream.decide %h as %x : !tfx_stream.buffer<4, host> -> i1
  // CHECK: scf.while ({{.*}} = %[[C]])
  scf.while (%go = %c) : (i1) -> () {
    scf.condition(%go)
  } do {
    // CHECK: %[[D:.*]] = tfx_stream.decide %[[P]] as %[[X]][2] {note} : !tfx_stream.buffer<1, pinned> -> i1
    %d = tfx_stream.decide %p as %x[2] {note} : !tfx_stream.buffer<1, pinned> -> i1
    // CHECK: tfx_stream.decide %[[P]] : !tfx_stream.buffer<1, pinned> -> i1
    %e = tfx_stream.decide %p : !tfx_stream.buffer<1, pinned> -> i1
    // CHECK: scf.yield %[[D]]
    scf.yield %d : i1
  }
  tfx_stream.return
}
