// RUN: rm -rf %t && mkdir %t
// RUN: tfx-opt --tfx-simulate-streams='timeline=%t/file.json latency=0' %s -o %t/same 2>/dev/null
// RUN: FileCheck %s --input-file=%t/file.json
// RUN: %python -m json.tool %t/file.json %t/parsed.json
// RUN: ls -A %t | FileCheck %s --check-prefix=FILES

// FILES:      file.json
// FILES-NEXT: parsed.json
// FILES-NEXT: same

!s = !tfx_stream.stream<cuda>
!h = !tfx_stream.buffer<120000, pinned>
!b = !tfx_stream.buffer<120000, cuda>
!w = !tfx_stream.buffer<64, cuda>

// CHECK:      [
// CHECK-NEXT: {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"main"}},
// CHECK-NEXT: {"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"host"}},
// CHECK-NEXT: {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"cuda stream 0"}},
// CHECK-NEXT: {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"cuda stream 1"}},
// CHECK-NEXT: {"ph":"X","name":"copy","cat":"stream","pid":1,"tid":2,"ts":3.000,"dur":10.000,"args":{"location":"{{.*}}simulate-streams-timeline.mlir:[[@LINE+12]]:8"}},
// CHECK-NEXT: {"ph":"X","name":"a \"b\"","cat":"stream","pid":1,"tid":1,"ts":16.000,"dur":20.000,
// CHECK-NEXT: {"ph":"X","name":"print","cat":"stream","pid":1,"tid":0,
// The memory of live buffers over time.
// CHECK-NEXT: {"ph":"C","name":"memory: cuda","pid":1,"ts":16.000,"args":{"bytes":64}},
// CHECK-NEXT: {"ph":"C","name":"memory: cuda","pid":1,"ts":36.000,"args":{"bytes":0}},
// The event, from the end of the copy to the end of the wait.
// CHECK-NEXT: {"ph":"s","bp":"e","id":1,"name":"event","cat":"stream","pid":1,"tid":2,"ts":13.000},
// CHECK-NEXT: {"ph":"f","bp":"e","id":1,"name":"event","cat":"stream","pid":1,"tid":1,"ts":16.000},
// CHECK-NEXT: {"ph":"M","name":"process_name","pid":2,"tid":0,"args":{"name":"other"}},
tfx_stream.schedule @main(%s: !s, %t: !s, %h: !h, %b: !b) {
  %x = tfx_stream.input %h : !h
  %y = tfx_stream.copy %t %h as %x to %b : !s, !h to !b
  %e = tfx_stream.record %t : !s
  tfx_stream.wait %s for %e : !s
  %m = tfx_stream.alloc on %s : !w on !s
  tfx_stream.launch %s @"a \22b\22"(%b read as %y, %m scratch) {cost = 20000} : !s, !b, !w
  tfx_stream.free %m on %s : !w on !s
  tfx_stream.host @print(%h read as %x) : !h
  tfx_stream.return
}

tfx_stream.schedule @other() {
  tfx_stream.return
}
