// Each operation, type and attribute of tfx_comm, in each form of its syntax, is printed as it was
// written and parses back from the custom form, the generic form and bytecode. The custom form
// loses no information: after a round trip, the generic form is unchanged.

// RUN: tfx-opt %s | FileCheck %s
// RUN: tfx-opt %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --emit-bytecode %s | tfx-opt | FileCheck %s
// RUN: tfx-opt --mlir-print-op-generic %s -o %t.first
// RUN: tfx-opt %s | tfx-opt --mlir-print-op-generic -o %t.second
// RUN: diff %t.first %t.second
// RUN: tfx-opt --mlir-print-debuginfo %s | tfx-opt --mlir-print-debuginfo | FileCheck %s --check-prefix=LOCATION

//===----------------------------------------------------------------------===//
// The type and the attribute
//===----------------------------------------------------------------------===//

!Program = !tfx_comm.program
#Stop = #tfx_comm.channel<7, to_graph, i1>

// CHECK-LABEL: func.func private @program
// CHECK-SAME: (!tfx_comm.program) -> !tfx_comm.program
// CHECK-SAME: attributes {channel = #tfx_comm.channel<7, to_graph, i1>,
// CHECK-SAME: channels = [#tfx_comm.channel<0, to_host, tensor<?x!tfx_tensor.string>>, #tfx_comm.channel<4294967295, to_graph, index, capacity = 1>, #tfx_comm.channel<1, to_host, f32>]}
func.func private @program(!Program) -> !Program attributes {
  channel = #Stop,
  // Capacity 0 is the default, and is not printed.
  channels = [#tfx_comm.channel<0, to_host, tensor<?x!tfx_tensor.string>>, #tfx_comm.channel<4294967295, to_graph, index, capacity = 1>, #tfx_comm.channel<1, to_host, f32, capacity = 0>]
}

// CHECK-LABEL: func.func private @places
// CHECK-SAME: [#tfx_comm.place<cpu>, #tfx_comm.place<cuda:3>, #tfx_comm.place<cuda, "norms">]
func.func private @places() attributes {
  // The first device is the default, and its number is not printed.
  places = [#tfx_comm.place<cpu:0>, #tfx_comm.place<cuda:3>, #tfx_comm.place<cuda, "norms">]
}

// CHECK-LABEL: func.func @copies
func.func @copies(%x: tensor<4xf32>, %y: tensor<?x!tfx_tensor.string>) {
  // CHECK: tfx_comm.copy %{{.*}} from <cpu> to <cuda:1> : tensor<4xf32>
  %a = tfx_comm.copy %x from <cpu> to <cuda:1> : tensor<4xf32>
  // CHECK: tfx_comm.copy %{{.*}} from <cuda:1> to <cuda:1, "norms"> {note} : tensor<?x!tfx_tensor.string>
  %b = tfx_comm.copy %y from <cuda:1> to <cuda:1, "norms"> {note} : tensor<?x!tfx_tensor.string>
  return
}

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @markers
func.func @markers(%x: tensor<f32>, %n: i32) {
  // CHECK: tfx_comm.to_host %{{.*}} : tensor<f32>
  %a = tfx_comm.to_host %x : tensor<f32>
  // CHECK: tfx_comm.to_host %{{.*}} {note} : i32
  %b = tfx_comm.to_host %n {note} : i32
  // CHECK: tfx_comm.to_accelerator %{{.*}} : tensor<f32>
  %c = tfx_comm.to_accelerator %x : tensor<f32>
  // CHECK: tfx_comm.to_accelerator %{{.*}} {note} : i32
  %d = tfx_comm.to_accelerator %n {note} : i32
  return
}

//===----------------------------------------------------------------------===//
// The graph side
//===----------------------------------------------------------------------===//

// CHECK: tfx_tensor.graph @echo() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, i32, capacity = 2>, #tfx_comm.channel<2, to_host, tensor<f32>>] {
tfx_tensor.graph @echo() channels [#tfx_comm.channel<0, to_graph, tensor<f32>>, #tfx_comm.channel<1, to_host, i32, capacity = 2>, #tfx_comm.channel<2, to_host, tensor<f32>>] {
  // CHECK: [[X:%.*]] = tfx_comm.recv from 0 : tensor<f32>
  %x = tfx_comm.recv from 0 : tensor<f32>
  // CHECK: [[Y:%.*]] = tfx_comm.recv from 0 {note} : tensor<f32>
  %y = tfx_comm.recv from 0 {note} : tensor<f32>
  // CHECK: tfx_comm.send [[X]] to 2 : tensor<f32>
  tfx_comm.send %x to 2 : tensor<f32>
  // CHECK: tfx_comm.send [[Y]] to 2 {note} : tensor<f32>
  tfx_comm.send %y to 2 {note} : tensor<f32>
  // Inside a region, the channel still belongs to the enclosing graph.
  %p = tfx_tensor.const dense<true> : tensor<i1>
  tfx_tensor.if %p : tensor<i1> {
    // CHECK: tfx_comm.send %{{.*}} to 1 : i32
    %n = arith.constant 1 : i32
    tfx_comm.send %n to 1 : i32
    tfx_tensor.yield
  } else {
    tfx_tensor.yield
  }
  tfx_tensor.return
}

tfx_tensor.graph @"two results"(%x: tensor<f32>, %n: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  tfx_tensor.return %x, %n : tensor<f32>, tensor<i32>
}

tfx_tensor.graph @one_result() -> tensor<f32> {
  %x = tfx_tensor.const dense<1.0> : tensor<f32>
  tfx_tensor.return %x : tensor<f32>
}

//===----------------------------------------------------------------------===//
// The host side
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @host
func.func @host(%x: tensor<f32>, %n: tensor<i32>) {
  // CHECK: [[P:%.*]] = tfx_comm.start @echo()
  %p = tfx_comm.start @echo()
  // CHECK: [[Q:%.*]] = tfx_comm.start @"two results"(%{{.*}}, %{{.*}}) {note} : tensor<f32>, tensor<i32>
  %q = tfx_comm.start @"two results"(%x, %n) {note} : tensor<f32>, tensor<i32>
  // CHECK: [[R:%.*]] = tfx_comm.start @one_result() {note}
  %r = tfx_comm.start @one_result() {note}
  // CHECK: tfx_comm.send %{{.*}} to [[P]] 0 : tensor<f32>
  tfx_comm.send %x to %p 0 : tensor<f32>
  // CHECK: tfx_comm.send %{{.*}} to [[P]] 0 {note} : tensor<f32>
  tfx_comm.send %x to %p 0 {note} : tensor<f32>
  // CHECK: tfx_comm.recv [[P]] from 1 : i32
  %a = tfx_comm.recv %p from 1 : i32
  // CHECK: tfx_comm.recv [[P]] from 2 {note} : tensor<f32>
  %b = tfx_comm.recv %p from 2 {note} : tensor<f32>
  // CHECK: tfx_comm.finish [[P]]{{$}}
  tfx_comm.finish %p
  // CHECK: %{{.*}}:2 = tfx_comm.finish [[Q]] : tensor<f32>, tensor<i32>
  %c:2 = tfx_comm.finish %q : tensor<f32>, tensor<i32>
  // CHECK: tfx_comm.finish [[R]] {note} : tensor<f32>
  %d = tfx_comm.finish %r {note} : tensor<f32>
  return
}

// Without the start in the same function, nothing is known of the graph of a program.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%p: !Program, %x: f64) -> f64 {
  // CHECK: tfx_comm.send %{{.*}} to %{{.*}} 2147483647 : f64
  tfx_comm.send %x to %p 2147483647 : f64
  // CHECK: tfx_comm.recv %{{.*}} from 12 : f64
  %y = tfx_comm.recv %p from 12 : f64
  // CHECK: tfx_comm.terminate %{{[^ ]*$}}
  tfx_comm.terminate %p
  // CHECK: tfx_comm.terminate %{{.*}} {note}
  tfx_comm.terminate %p {note}
  // CHECK: tfx_comm.finish %{{.*}} : f64
  %z = tfx_comm.finish %p : f64
  return %y : f64
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

// LOCATION-LABEL: func.func @located
// LOCATION: tfx_comm.send %{{.*}} to %{{.*}} 3 : f64 loc([[SEND:#loc[0-9]*]])
// LOCATION: tfx_comm.terminate %{{.*}} loc([[TERMINATE:#loc[0-9]*]])
func.func @located(%p: !Program, %x: f64) {
  tfx_comm.send %x to %p 3 : f64 loc("f.src":1:2)
  tfx_comm.terminate %p loc("f.src":3:4)
  return
}
// LOCATION-DAG: [[SEND]] = loc("f.src":1:2)
// LOCATION-DAG: [[TERMINATE]] = loc("f.src":3:4)
