// RUN: not tfx-opt --tfx-overlap=buffers=1 %s 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: expected 2 to 256 buffers, got 1
// RUN: not tfx-opt --tfx-overlap=buffers=257 %s 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expected 2 to 256 buffers, got 257

tfx_stream.schedule @nothing() {
  tfx_stream.return
}
