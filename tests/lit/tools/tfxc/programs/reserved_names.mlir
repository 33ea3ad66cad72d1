// Functions with names that compiled code itself calls: those of the runtime, and of C's mathematical library. Only calls in the program
// reach them.
//
// RUN: tfxc run %s 0.5 | FileCheck %s
// RUN: tfxc interpret %s 0.5 | FileCheck %s
// RUN: tfxc build %s -o %t && %t 0.5 | FileCheck %s
// RUN: tfx-opt --tfx-compile %s | FileCheck %s --check-prefix=IR
//
// CHECK-DAG: {{^}}mine{{$}}
// CHECK-DAG: {{^}}also mine{{$}}
// CHECK: y = -10.5
// CHECK: z = 0.52{{[0-9]+}}
//
// IR-DAG: llvm.func internal @program.tfx_program_start
// IR-DAG: llvm.func internal @program.erff
func.func private @tfx_program_start(%x: f32) -> f32 attributes {no_inline} {
  tfx_host.print "mine"()
  %c = arith.constant 10.0 : f32
  %y = arith.addf %x, %c : f32
  return %y : f32
}
func.func private @erff(%x: f32) -> f32 attributes {no_inline} {
  tfx_host.print "also mine"()
  %y = math.erf %x : f32
  return %y : f32
}
func.func @main(%n: f32) -> (tensor<f32> {tfx.name = "y"}, f32 {tfx.name = "z"}) {
  %a = func.call @tfx_program_start(%n) : (f32) -> f32
  %t = tfx_tensor.from_scalar %a : f32
  %r = tfx_tensor.op "Neg"(%t) : (tensor<f32>) -> tensor<f32>
  %e = func.call @erff(%n) : (f32) -> f32
  return %r, %e : tensor<f32>, f32
}
