// Graphs that only their host ends, and one for which the host waits: under every schedule, each process gets its steps.
//
// RUN: tfxc interpret %s --schedule host --fuel 100000 | FileCheck %s
// RUN: tfxc interpret %s --schedule graph --fuel 100000 | FileCheck %s
// RUN: tfxc interpret %s --schedule fair --fuel 100000 | FileCheck %s
// RUN: tfxc interpret %s --schedule 7 --fuel 100000 | FileCheck %s
// CHECK: got [5]

tfx_tensor.graph @spins() {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  tfx_tensor.return
}
tfx_tensor.graph @answers() channels [#tfx_comm.channel<0, to_host, tensor<1xi32>>] {
  %five = tfx_tensor.const dense<5> : tensor<1xi32>
  tfx_comm.send %five to 0 : tensor<1xi32>
  tfx_tensor.return
}
func.func @main() {
  %one = tfx_comm.start @spins()
  %other = tfx_comm.start @spins()
  %third = tfx_comm.start @answers()
  %answer = tfx_comm.recv %third from 0 : tensor<1xi32>
  tfx_host.print "got {}"(%answer) : tensor<1xi32>
  tfx_comm.finish %third
  tfx_comm.terminate %other
  tfx_comm.terminate %one
  return
}
