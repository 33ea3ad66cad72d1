// The copies of torchgpipe's tests: from each of two devices to each of them, of one, two and five
// tensors, with values and gradients. The tensor is the result of a long computation at the source,
// and the destination uses it at once. A copy within a device only lets the streams of a role wait.
// The results have the same bits as without streams.

// RUN: tfxc run %s 0.5 | FileCheck %s
// RUN: tfxc run %s 0.5 --executor native >%t.one
// RUN: tfxc run %s 0.5 --executor native --streams 1 >%t.streams
// RUN: tfxc run %s 0.5 --executor native --streams 3 --streams-launch 0 >%t.three
// RUN: diff %t.one %t.streams
// RUN: diff %t.one %t.three
// RUN: tfxc run %s 0.5 --executor native --streams 1 --stats 2>&1 | FileCheck %s --check-prefix=STREAMS
// STREAMS: streams: 1 runs

!t = tensor<96x96xf32>

// A product that takes long: the matrix has rows that sum to one.
func.func private @slow(%x: !t) -> !t {
  %part = tfx_tensor.const dense<0.010416667> : !t
  %a = tfx_tensor.op "MatMul"(%x, %part) : (!t, !t) -> !t
  %b = tfx_tensor.op "MatMul"(%a, %part) : (!t, !t) -> !t
  %c = tfx_tensor.op "MatMul"(%b, %part) : (!t, !t) -> !t
  return %c : !t
}

func.func private @sum(%x: !t) -> tensor<f32> {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %mean = tfx_tensor.op "Mean"(%x, %axes) : (!t, tensor<2xi32>) -> tensor<f32>
  return %mean : tensor<f32>
}

func.func private @cpu_to_cpu1(%x: !t) -> tensor<f32> {
  %a = call @slow(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "Mul"(%b, %b) : (!t, !t) -> !t
  %s = call @sum(%c) : (!t) -> tensor<f32>
  return %s : tensor<f32>
}

func.func private @cpu1_to_cpu(%x: !t) -> tensor<f32> {
  %y = tfx_comm.copy %x from <cpu> to <cpu:1> : !t
  %a = call @slow(%y) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu:1> to <cpu> : !t
  %c = tfx_tensor.op "Mul"(%b, %b) : (!t, !t) -> !t
  %s = call @sum(%c) : (!t) -> tensor<f32>
  return %s : tensor<f32>
}

func.func private @within_cpu(%x: !t) -> tensor<f32> {
  %a = call @slow(%x) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu> to <cpu, "side"> : !t
  %c = tfx_tensor.op "Mul"(%b, %b) : (!t, !t) -> !t
  %s = call @sum(%c) : (!t) -> tensor<f32>
  return %s : tensor<f32>
}

func.func private @within_cpu1(%x: !t) -> tensor<f32> {
  %y = tfx_comm.copy %x from <cpu> to <cpu:1> : !t
  %a = call @slow(%y) : (!t) -> !t
  %b = tfx_comm.copy %a from <cpu:1> to <cpu:1, "side"> : !t
  %c = tfx_tensor.op "Mul"(%b, %b) : (!t, !t) -> !t
  %s = call @sum(%c) : (!t) -> tensor<f32>
  return %s : tensor<f32>
}

func.func private @two(%x: !t, %y: !t) -> tensor<f32> {
  %a = call @slow(%x) : (!t) -> !t
  %b = call @slow(%y) : (!t) -> !t
  %c = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %d = tfx_comm.copy %b from <cpu> to <cpu:1> : !t
  %e = tfx_tensor.op "Mul"(%c, %d) : (!t, !t) -> !t
  %s = call @sum(%e) : (!t) -> tensor<f32>
  return %s : tensor<f32>
}

// The first tensor is copied twice: its gradient is the sum of both.
func.func private @five(%x: !t) -> tensor<f32> {
  %a = call @slow(%x) : (!t) -> !t
  %b = tfx_tensor.op "Neg"(%a) : (!t) -> !t
  %c = tfx_tensor.op "Square"(%a) : (!t) -> !t
  %d = tfx_tensor.op "Exp"(%a) : (!t) -> !t
  %a1 = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  %b1 = tfx_comm.copy %b from <cpu> to <cpu:1> : !t
  %c1 = tfx_comm.copy %c from <cpu> to <cpu:1> : !t
  %d1 = tfx_comm.copy %d from <cpu> to <cpu:1> : !t
  %a2 = tfx_comm.copy %a from <cpu> to <cpu:2> : !t
  %s = tfx_tensor.op "AddN"(%a1, %b1, %c1, %d1) : (!t, !t, !t, !t) -> !t
  %t = tfx_comm.copy %s from <cpu:1> to <cpu:2> : !t
  %u = tfx_tensor.op "Mul"(%t, %a2) : (!t, !t) -> !t
  %v = call @sum(%u) : (!t) -> tensor<f32>
  return %v : tensor<f32>
}

func.func @main(%s: f32) {
  %t = tfx_tensor.from_scalar %s : f32
  %dims = tfx_tensor.const dense<96> : tensor<2xi32>
  %x = tfx_tensor.op "Fill"(%dims, %t) : (tensor<2xi32>, tensor<f32>) -> !t
  %a, %da = tfx_ad.gradient @cpu_to_cpu1(%x) wrt [0] value : (!t) -> (tensor<f32>, !t)
  %b, %db = tfx_ad.gradient @cpu1_to_cpu(%x) wrt [0] value : (!t) -> (tensor<f32>, !t)
  %c, %dc = tfx_ad.gradient @within_cpu(%x) wrt [0] value : (!t) -> (tensor<f32>, !t)
  %d, %dd = tfx_ad.gradient @within_cpu1(%x) wrt [0] value : (!t) -> (tensor<f32>, !t)
  %e, %de = tfx_ad.gradient @two(%x, %x) wrt [0] value : (!t, !t) -> (tensor<f32>, !t)
  %f, %df = tfx_ad.gradient @five(%x) wrt [0] value : (!t) -> (tensor<f32>, !t)
  // The mean of x² is 0.25, and its derivative 2 x / 96². That of the mean of x y is x / 96².
  // CHECK: cpu to cpu:1 0.25{{[0-9]*}} {{\[\[}}0.000108
  // CHECK: cpu:1 to cpu 0.25{{[0-9]*}} {{\[\[}}0.000108
  // CHECK: within cpu 0.25{{[0-9]*}} {{\[\[}}0.000108
  // CHECK: within cpu:1 0.25{{[0-9]*}} {{\[\[}}0.000108
  // CHECK: two 0.25{{[0-9]*}} {{\[\[}}5.425
  // The mean of (x² + exp x) x is 0.949, and its derivative (3 x² + (1 + x) exp x) / 96².
  // CHECK: five 0.949{{[0-9]*}} {{\[\[}}0.000349
  tfx_host.print "cpu to cpu:1 {} {}"(%a, %da) : tensor<f32>, !t
  tfx_host.print "cpu:1 to cpu {} {}"(%b, %db) : tensor<f32>, !t
  tfx_host.print "within cpu {} {}"(%c, %dc) : tensor<f32>, !t
  tfx_host.print "within cpu:1 {} {}"(%d, %dd) : tensor<f32>, !t
  tfx_host.print "two {} {}"(%e, %de) : tensor<f32>, !t
  tfx_host.print "five {} {}"(%f, %df) : tensor<f32>, !t
  return
}
