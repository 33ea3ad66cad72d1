// RUN: tfx-opt --pass-pipeline='builtin.module(tfx_tensor.graph(tfx-legalize-graph))' --split-input-file --verify-diagnostics %s -o /dev/null

tfx_tensor.graph @no_equivalent(%x: f32) -> f32 {
  // expected-error @below {{'math.cbrt' (f32, f32) cannot run in a graph: TensorFlow has no equivalent operation; compute it on the host}}
  %y = math.cbrt %x : f32
  tfx_tensor.return %y : f32
}

// -----

func.func private @foreign(f32) -> f32
tfx_tensor.graph @host_call(%p: i1, %x: f32) {
  scf.if %p {
    // expected-error @below {{'func.call' (f32, f32) cannot run in a graph}}
    %y = func.call @foreign(%x) : (f32) -> f32
  }
  tfx_tensor.return
}

// -----

// expected-error @below {{the body of this graph has branches; run the pass tfx-sese first, which structures it}}
tfx_tensor.graph @branches() {
  cf.br ^next
^next:
  tfx_tensor.return
}

// -----

tfx_tensor.graph @no_zero() {
  // expected-error @below {{a value of type tensor<2x!tfx_tensor.resource> is undefined on a path}}
  %u = tfx_host.undef : tensor<2x!tfx_tensor.resource>
  tfx_tensor.return
}
