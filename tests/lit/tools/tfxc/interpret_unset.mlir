// RUN: tfxc interpret %s 7 | FileCheck %s

// An unset scalar of a message of several scalars does not affect the others, and neither does a
// tensor that is not selected, or an unset element of a list.
// CHECK: kept: [5 6]
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
tfx_tensor.graph @list() -> tensor<2xi32> channels [] {
  %shape = tfx_tensor.const dense<2> : tensor<1xi32>
  %two = tfx_tensor.const dense<2> : tensor<i32>
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %none = tfx_tensor.op "TensorListReserve"(%shape, %two) {element_dtype = i32} : (tensor<1xi32>, tensor<i32>) -> tensor<!tfx_tensor.variant>
  %kept = tfx_tensor.const dense<[5, 6]> : tensor<2xi32>
  %never = tfx_host.undef : tensor<2xi32>
  %one = tfx_tensor.op "TensorListSetItem"(%none, %zero, %never) {element_dtype = i32} : (tensor<!tfx_tensor.variant>, tensor<i32>, tensor<2xi32>) -> tensor<!tfx_tensor.variant>
  %more = tfx_tensor.op "TensorListPushBack"(%one, %never) {element_dtype = i32} : (tensor<!tfx_tensor.variant>, tensor<2xi32>) -> tensor<!tfx_tensor.variant>
  %all = tfx_tensor.op "TensorListPushBack"(%more, %kept) {element_dtype = i32} : (tensor<!tfx_tensor.variant>, tensor<2xi32>) -> tensor<!tfx_tensor.variant>
  %rest, %last = tfx_tensor.op "TensorListPopBack"(%all, %shape) {element_dtype = i32} : (tensor<!tfx_tensor.variant>, tensor<1xi32>) -> (tensor<!tfx_tensor.variant>, tensor<2xi32>)
  tfx_tensor.return %last : tensor<2xi32>
}
func.func @main(%n: i32) {
  %kept_list = tfx_comm.start @list()
  %kept = tfx_comm.finish %kept_list : tensor<2xi32>
  tfx_host.print "kept: {}"(%kept) : tensor<2xi32>
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
