// RUN: tfx-opt --verify-diagnostics --tfx-plan-memory=alignment=48 %s

// expected-error @below {{expected a power of two as alignment, got 48}}
module {
  tfx_stream.schedule @nothing() {
    tfx_stream.return
  }
}
