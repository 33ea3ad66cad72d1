// Every kind of scalar as a parameter and a result, together with a tensor.
//
// RUN: tfxc run %s --entry x --output x=%t.npy && tfxc build %s -o %t
// RUN: tfxc run %s --input x=%t.npy -4000000000 0.5 true -5 -128 32767 -0.1 "two words" | FileCheck %s --check-prefix=TRUE
// RUN: %if tensorflow %{ tfxc run %s --input x=%t.npy -4000000000 0.5 true -5 -128 32767 -0.1 "two words" --executor tensorflow | FileCheck %s --check-prefix=TRUE %}
// RUN: %t --input x=%t.npy -4000000000 0.5 true -5 -128 32767 -0.1 "two words" | FileCheck %s --check-prefix=TRUE
// RUN: tfxc run %s --input x=%t.npy 9223372036854775807 1e300 false 9223372036854775807 127 -32768 3.4e38 "" | FileCheck %s --check-prefix=FALSE
// RUN: %if tensorflow %{ tfxc run %s --input x=%t.npy 9223372036854775807 1e300 false 9223372036854775807 127 -32768 3.4e38 "" --executor tensorflow | FileCheck %s --check-prefix=FALSE %}
// RUN: %t --input x=%t.npy 9223372036854775807 1e300 false 9223372036854775807 127 -32768 3.4e38 "" | FileCheck %s --check-prefix=FALSE
//
// TRUE:      -4000000000 0.5 true -5 -128 32767 -0.1 two words
// TRUE-NEXT: ra = -8000000000
// TRUE-NEXT: rb = 1.0
// TRUE-NEXT: rc = false
// TRUE-NEXT: rd = -10
// TRUE-NEXT: re = 0
// TRUE-NEXT: rf = -2
// TRUE-NEXT: rg = -0.2
// TRUE-NEXT: rs = two words
// TRUE-NEXT: rx = [1.9999999995e9 1.999999999e9]
//
// FALSE:      9223372036854775807 1e300 false 9223372036854775807 127 -32768 3.4e38
// FALSE-NEXT: ra = -2
// FALSE-NEXT: rb = 2e300
// FALSE-NEXT: rc = true
// FALSE-NEXT: rd = -2
// FALSE-NEXT: re = -2
// FALSE-NEXT: rf = 0
// FALSE-NEXT: rg = inf
// FALSE-NEXT: rs =
// FALSE-NEXT: rx = [inf inf]

func.func @x() -> (tensor<2xf64> {tfx.name = "x"}) {
  %x = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf64>
  return %x : tensor<2xf64>
}

func.func @main(%a: i64 {tfx.name = "a"}, %b: f64 {tfx.name = "b"}, %c: i1 {tfx.name = "c"}, %d: index {tfx.name = "d"}, %e: i8 {tfx.name = "e"}, %f: i16 {tfx.name = "f"}, %g: f32 {tfx.name = "g"}, %s: !tfx_host.string {tfx.name = "s"}, %x: tensor<2xf64> {tfx.name = "x"})
    -> (i64 {tfx.name = "ra"}, f64 {tfx.name = "rb"}, i1 {tfx.name = "rc"}, index {tfx.name = "rd"}, i8 {tfx.name = "re"}, i16 {tfx.name = "rf"}, f32 {tfx.name = "rg"}, !tfx_host.string {tfx.name = "rs"}, tensor<2xf64> {tfx.name = "rx"}) {
  %ta = tfx_tensor.from_scalar %a : i64
  %tb = tfx_tensor.from_scalar %b : f64
  %fa = tfx_tensor.op "Cast"(%ta) : (tensor<i64>) -> tensor<f64>
  %xa = tfx_tensor.op "AddV2"(%x, %fa) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %xb = tfx_tensor.op "Mul"(%xa, %tb) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %yes = arith.constant true
  %nc = arith.xori %c, %yes : i1
  %r = scf.if %c -> tensor<2xf64> {
    %neg = tfx_tensor.op "Neg"(%xb) : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %neg : tensor<2xf64>
  } else {
    scf.yield %xb : tensor<2xf64>
  }
  %a2 = arith.addi %a, %a : i64
  %b2 = arith.addf %b, %b : f64
  %d2 = arith.addi %d, %d : index
  %e2 = arith.addi %e, %e : i8
  %f2 = arith.addi %f, %f : i16
  %g2 = arith.addf %g, %g : f32
  tfx_host.print "{} {} {} {} {} {} {} {}"(%a, %b, %c, %d, %e, %f, %g, %s) : i64, f64, i1, index, i8, i16, f32, !tfx_host.string
  return %a2, %b2, %nc, %d2, %e2, %f2, %g2, %s, %r : i64, f64, i1, index, i8, i16, f32, !tfx_host.string, tensor<2xf64>
}
