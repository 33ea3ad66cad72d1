// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis)' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=TRIP
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{mode=all})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{mode=host-to-accelerator})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=TO
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{mode=none werror=true})' --split-input-file %s -o %t 2>&1 | count 0
// RUN: not tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{werror=true})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tfx-opt --pass-pipeline='builtin.module(tfx-copy-analysis{mode=some})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis{mode=all scalars=false})' --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=SCALARS

// Without scalars and tensors of rank 0, one copy remains.
// SCALARS-NOT: warning
// SCALARS:     warning: a value is copied from the accelerator to the host (8 bytes, every iteration)
// SCALARS-NOT: warning

// OPTION: expected one of 'round-trip', 'host-to-accelerator', 'all', 'none', got 'some'

// A copy that was inlined twice has one diagnostic for each direction, at its location in the callee, with the first call site.
// TRIP:      lib.mlir:2:2: warning: the result of '@host' stalls the accelerator: a value leaves
// TRIP-NEXT: app.mlir:7:7: note: inlined here, the first of 2 places
// TRIP-NEXT: lib.mlir:1:1: note: this value is copied to the host (4 bytes)
// TRIP-NEXT: lib.mlir:2:2: note: host code uses it here: call of '@host', which has no graph equivalent
// TRIP-NEXT: lib.mlir:3:3: note: its result is copied back to the accelerator for this operation
// TRIP-NEXT: lib.mlir:2:2: note: if this copy is intentional, mark it with tfx_comm.to_host and tfx_comm.to_accelerator
// TRIP-NOT:  {{warning|error}}
// TRIP:      :[[#@LINE+38]]:{{[0-9]+}}: warning: the accelerator stalls in every iteration of this loop, because effects keep their order
// TRIP-NOT:  {{warning|error}}
// ALL:       lib.mlir:1:1: warning: a value is copied from the accelerator to the host (4 bytes)
// ALL:       lib.mlir:3:3: warning: a value is copied from the accelerator to the host (4 bytes)
// ALL:       lib.mlir:2:2: warning: the result of '@host' is copied from the host to the accelerator (4 bytes)
// ALL-NEXT:  app.mlir:7:7: note: inlined here, the first of 2 places
// ALL-NEXT:  lib.mlir:3:3: note: it is copied for this operation
// TO:        lib.mlir:2:2: warning: the result of '@host' is copied from the host to the accelerator (4 bytes)
// TO-NEXT:   app.mlir:7:7: note: inlined here, the first of 2 places
// ERROR:     lib.mlir:2:2: error: the result of '@host' stalls the accelerator
// ERROR-NOT: {{warning|error}}
// ERROR:     error: the accelerator stalls in every iteration
// ERROR-NOT: {{warning|error}}
func.func private @host(tensor<f32>) -> tensor<f32>
func.func @inlined(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32> loc("lib.mlir":1:1)
  %b = func.call @host(%a) : (tensor<f32>) -> tensor<f32> loc(callsite("lib.mlir":2:2 at "app.mlir":7:7))
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32> loc("lib.mlir":3:3)
  %d = func.call @host(%c) : (tensor<f32>) -> tensor<f32> loc(callsite("lib.mlir":2:2 at "app.mlir":8:8))
  %e = tfx_tensor.op "Neg"(%d) : (tensor<f32>) -> tensor<f32> loc("lib.mlir":3:3)
  return %e : tensor<f32>
}

// -----

// Booleans are sent to the graph and weights to the host: one-way copies and an order stall, but no round trip.
// ALL-NOT: warning
// ALL:     :[[#@LINE+11]]:{{[0-9]+}}: warning: a value is copied from the accelerator to the host (8 bytes, every iteration)
// ALL-NOT: warning
// ALL:     :[[#@LINE+5]]:{{[0-9]+}}: warning: the result of '@more' is copied from the host to the accelerator (1 byte, every iteration)
// TO:      :[[#@LINE+4]]:{{[0-9]+}}: warning: the result of '@more' is copied from the host to the accelerator (1 byte, every iteration)
func.func private @more() -> i1
func.func @one_way(%w0: tensor<2xf32>) -> tensor<2xf32> {
  %end = scf.while (%w = %w0) : (tensor<2xf32>) -> tensor<2xf32> {
    %go = func.call @more() : () -> i1
    scf.condition(%go) %w : tensor<2xf32>
  } do {
  ^bb0(%w: tensor<2xf32>):
    %next = tfx_tensor.op "Exp"(%w) : (tensor<2xf32>) -> tensor<2xf32>
    tfx_host.print "{}"(%next) : tensor<2xf32>
    scf.yield %next : tensor<2xf32>
  }
  return %end : tensor<2xf32>
}

// -----

// No mode reports a marked copy. Either marker suppresses the round trip.
// ALL:     :[[#@LINE+9]]:{{[0-9]+}}: warning: the result of '@host2' is copied from the host
// ALL:     :[[#@LINE+13]]:{{[0-9]+}}: warning: a value is copied from the accelerator
// ALL-NOT: warning
// TO:      :[[#@LINE+6]]:{{[0-9]+}}: warning: the result of '@host2' is copied from the host
// TO-NOT:  warning
func.func private @host2(tensor<f32>) -> tensor<f32>
func.func @marked(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %ha = tfx_comm.to_host %a : tensor<f32>
  %b = func.call @host2(%ha) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}
func.func @marked_back(%x: tensor<f32>) -> tensor<f32> {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @host2(%a) : (tensor<f32>) -> tensor<f32>
  %gb = tfx_comm.to_accelerator %b : tensor<f32>
  %c = tfx_tensor.op "Neg"(%gb) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}
