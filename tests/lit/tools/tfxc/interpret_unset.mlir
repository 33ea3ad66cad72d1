// RUN: tfxc interpret %s 7 | FileCheck %s

// An unset scalar of a message of several scalars does not affect the others, and neither does a tensor that is not selected.
// CHECK: chosen: [7 7]
// CHECK: to the graph: 7
// CHECK: to the host: 7

tfx_tensor.graph @both() channels [#tfx_comm.channel<0, to_graph, tensor<2xi32>>, #tfx_comm.channel<1, to_host, tensor<2xi32>>] {
  %message = tfx_comm.recv from 0 : tensor<2xi32>
  %first, %second = tfx_tensor.op "Unpack"(%message) : (tensor<2xi32>) -> (tensor<i32>, tensor<i32>)
  %never = tfx_host.undef : tensor<i32>
  %answer = tfx_tensor.op "Pack"(%never, %first) : (tensor<i32>, tensor<i32>) -> tensor<2xi32>
  tfx_comm.send %answer to 1 : tensor<2xi32>
  tfx_tensor.return
}
tfx_tensor.graph @choice() -> tensor<2xi32> channels [] {
  %no = tfx_tensor.const dense<false> : tensor<i1>
  %never = tfx_host.undef : tensor<2xi32>
  %list = tfx_tensor.const dense<7> : tensor<2xi32>
  %chosen = tfx_tensor.op "SelectV2"(%no, %never, %list) : (tensor<i1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tfx_tensor.return %chosen : tensor<2xi32>
}
func.func @main(%n: i32) {
  %lists = tfx_comm.start @choice()
  %chosen = tfx_comm.finish %lists : tensor<2xi32>
  tfx_host.print "chosen: {}"(%chosen) : tensor<2xi32>
  %program = tfx_comm.start @both()
  %never = tfx_host.undef : i32
  %message = tensor.from_elements %n, %never : tensor<2xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sent = tensor.extract %message[%zero] : tensor<2xi32>
  tfx_host.print "to the graph: {}"(%sent) : i32
  tfx_comm.send %message to %program 0 : tensor<2xi32>
  %answer = tfx_comm.recv %program from 1 : tensor<2xi32>
  %back = tensor.extract %answer[%one] : tensor<2xi32>
  tfx_host.print "to the host: {}"(%back) : i32
  tfx_comm.finish %program
  return
}
