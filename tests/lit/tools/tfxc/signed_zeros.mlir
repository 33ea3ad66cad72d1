// Of two zeros, minimumf takes the negative one and maximumf the positive one, and expm1 and log1p keep the sign of a zero: in compiled code as in the
// interpreter.
//
// RUN: tfxc interpret %s -- -0.0 0.0 | FileCheck %s
// RUN: tfxc run %s -- -0.0 0.0 | FileCheck %s
// RUN: tfxc run -O0 %s -- -0.0 0.0 | FileCheck %s
// RUN: tfxc interpret %s -- 0.0 -0.0 | FileCheck %s
// RUN: tfxc run %s -- 0.0 -0.0 | FileCheck %s
// RUN: tfxc build -O3 %s -o %t && %t -- 0.0 -0.0 | FileCheck %s
// CHECK: {{^}}-0.0 0.0 -0.0 0.0{{$}}
// CHECK: {{^}}-0.0 -0.0{{$}}
//
// minnumf and maxnumf prefer a number to a NaN; the others return the NaN.
//
// RUN: tfxc interpret %s -- 1.5 NaN | FileCheck %s --check-prefix=NAN
// RUN: tfxc run %s -- 1.5 NaN | FileCheck %s --check-prefix=NAN
// RUN: tfxc run %s -- NaN 1.5 | FileCheck %s --check-prefix=NAN
// NAN: {{^}}NaN NaN 1.5 1.5{{$}}
//
// Near zero the results are exact.
//
// RUN: tfxc interpret %s -- 1e-10 1e-10 | FileCheck %s --check-prefix=NEAR
// RUN: tfxc run %s -- 1e-10 1e-10 | FileCheck %s --check-prefix=NEAR
// NEAR: {{^}}1e-10 1e-10{{$}}
func.func @main(%a: f32, %b: f32) {
  %minimum = arith.minimumf %a, %b : f32
  %maximum = arith.maximumf %a, %b : f32
  %least = arith.minnumf %a, %b : f32
  %largest = arith.maxnumf %a, %b : f32
  tfx_host.print "{} {} {} {}"(%minimum, %maximum, %least, %largest) : f32, f32, f32, f32
  %e = math.expm1 %minimum : f32
  %l = math.log1p %minimum : f32
  tfx_host.print "{} {}"(%e, %l) : f32, f32
  return
}
