// RUN: not tfx-opt --split-input-file --tfx-simulate-streams=iterations=100000000 %s 2>&1 \
// RUN:   | FileCheck %s
// RUN: mkdir -p %t
// RUN: not tfx-opt --split-input-file --tfx-simulate-streams=timeline=%t/none/file.json %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOLDER
// RUN: not tfx-opt --split-input-file --tfx-simulate-streams=timeline=%t %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FILE

// FOLDER: error: cannot write the timeline to '{{.*}}file.json': No such file or directory
// FILE:   error: cannot write the timeline to '{{.*}}': Is a directory

!s = !tfx_stream.stream<cpu>

// CHECK: [[@LINE+5]]:5: error: not simulated: more than four million commands are executed
tfx_stream.schedule @long(%s: !s, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tfx_stream.launch %s @nothing() : !s
  }
  tfx_stream.return
}
