// RUN: tfx-opt --tfx-place --split-input-file --verify-diagnostics %s

!t = tensor<80xf32>
tfx_tensor.graph @no_copy(%x: !t) -> !t {
  // expected-note @below {{this value is at cpu; copy it with tfx_comm.copy}}
  %a = tfx_tensor.op "Neg"(%x) : (!t) -> !t
  // expected-note @below {{the place cpu comes from this copy}}
  // expected-note @below {{the place cpu:1 comes from this copy}}
  %b = tfx_comm.copy %a from <cpu> to <cpu:1> : !t
  // expected-error @below {{this operation uses a value at cpu:1 and one at cpu}}
  %c = tfx_tensor.op "AddV2"(%b, %a) : (!t, !t) -> !t
  tfx_tensor.return %c : !t
}

// -----

!t = tensor<80xf32>
tfx_tensor.graph @two_copies(%x: !t) -> !t {
  // expected-note @below {{the place cpu:1 comes from this copy}}
  %b = tfx_comm.copy %x from <cpu> to <cpu:1> : !t
  // expected-note @below {{this value is at cpu (norms); copy it with tfx_comm.copy}}
  %c = tfx_comm.copy %x from <cpu> to <cpu, "norms"> : !t
  // expected-error @below {{this operation uses a value at cpu:1 and one at cpu (norms)}}
  %d = tfx_tensor.op "AddV2"(%b, %c) : (!t, !t) -> !t
  tfx_tensor.return %d : !t
}

// -----

!t = tensor<80xf32>
tfx_tensor.graph @wrong_source(%x: !t) -> !t {
  // expected-note @below {{the place cpu:1 comes from this copy}}
  %b = tfx_comm.copy %x from <cpu> to <cpu:1> : !t
  %c = tfx_tensor.op "Neg"(%b) : (!t) -> !t
  // expected-error @below {{this copy starts from cpu:2, but its operand is at cpu:1}}
  %d = tfx_comm.copy %c from <cpu:2> to <cpu:3> : !t
  tfx_tensor.return %d : !t
}
