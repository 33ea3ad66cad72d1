// RUN: not tfx-opt --pass-pipeline='builtin.module(tfx-partition,tfx-copy-analysis)' --split-input-file %s -o %t 2>&1 | FileCheck %s --implicit-check-not='warning:' --implicit-check-not='error:'
//
// The attribute of a function overrides the options of the pass.

// A mode without scalars and tensors of rank 0.
// CHECK: :[[#@LINE+5]]:{{[0-9]+}}: warning: a value is copied from the accelerator to the host (8 bytes)
// CHECK: :[[#@LINE+7]]:{{[0-9]+}}: warning: the result of '@tensor' is copied from the host to the accelerator (8 bytes)
func.func private @tensor() -> tensor<2xf32>
func.func private @number() -> f32
func.func @own_mode(%x: tensor<2xf32>) -> tensor<2xf32> attributes {tfx.copy_analysis = {mode = "all", scalars = false}} {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  tfx_host.print "{}"(%a) : tensor<2xf32>
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %b = func.call @tensor() : () -> tensor<2xf32>
  %s = tfx_tensor.op "Sum"(%b, %axis) : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
  tfx_host.print "{}"(%s) : tensor<f32>
  %n = func.call @number() : () -> f32
  %t = tfx_tensor.from_scalar %n : f32
  %c = tfx_tensor.op "Mul"(%b, %t) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// No diagnostic for one function, and an error for another.
// CHECK: :[[#@LINE+10]]:{{[0-9]+}}: error: the result of '@host' stalls the accelerator
func.func private @host(tensor<f32>) -> tensor<f32>
func.func @quiet(%x: tensor<f32>) -> tensor<f32> attributes {tfx.copy_analysis = {mode = "none"}} {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @host(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}
func.func @strict(%x: tensor<f32>) -> tensor<f32> attributes {tfx.copy_analysis = {werror = true}} {
  %a = tfx_tensor.op "Exp"(%x) : (tensor<f32>) -> tensor<f32>
  %b = func.call @host(%a) : (tensor<f32>) -> tensor<f32>
  %c = tfx_tensor.op "Neg"(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}

// -----

// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: invalid 'tfx.copy_analysis' of function '@f': expected a dictionary, such as {mode = "all", scalars = false, werror = true, remarks = true}
func.func @f() attributes {tfx.copy_analysis = "all"} {
  return
}

// -----

// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: invalid 'tfx.copy_analysis' of function '@f': in 'mode', expected one of 'round-trip', 'host-to-accelerator', 'all', 'none', got 'some'
func.func @f() attributes {tfx.copy_analysis = {mode = "some"}} {
  return
}

// -----

// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: error: invalid 'tfx.copy_analysis' of function '@f': in 'modus', unknown option 'modus'; expected one of
func.func @f() attributes {tfx.copy_analysis = {modus = "all"}} {
  return
}
