// Products of sizes that tiles do not divide. All numbers are small integers, so that each order of
// additions has the same result.
//
// RUN: tfxc run %s 5 --executor embedded > %t.embedded
// RUN: tfxc run %s 5 --executor native > %t.native
// RUN: diff %t.embedded %t.native
// RUN: tfxc run %s 5 --executor native --native-vectors 16 | diff %t.embedded -
// RUN: tfxc run %s 5 --executor native --native-vectors 32 | diff %t.embedded -
// RUN: tfxc build %s --native -o %t.exe && %t.exe 5 --executor native > %t.built
// RUN: diff %t.embedded %t.built
// RUN: tfxc build %s --native --native-vectors 32 --emit obj -o %t.o
// RUN: tfxc build %s --native --native-vectors 64 --emit obj -o %t.o
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=64})' | FileCheck %s
// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-compile-graph{native=true},tfx-lower-kernels{vector-bytes=16})' | FileCheck %s --check-prefix=SHORT

// Of 53 columns, the last 5 are in a vector of 8.
// CHECK:         dense<[true, true, true, true, true, false, false, false]> : vector<8xi1>
// CHECK:         llvm.intr.masked.load {{.*}} -> vector<8xf32>
// SHORT-NOT:     masked

func.func private @numbers(%modulus: i32) -> tensor<2173xf32> {
  %from = tfx_tensor.const dense<0> : tensor<i32>
  %to = tfx_tensor.const dense<2173> : tensor<i32>
  %step = tfx_tensor.const dense<1> : tensor<i32>
  %m = tfx_tensor.from_scalar %modulus : i32
  %range = tfx_tensor.op "Range"(%from, %to, %step) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2173xi32>
  %rest = tfx_tensor.op "FloorMod"(%range, %m) : (tensor<2173xi32>, tensor<i32>) -> tensor<2173xi32>
  %numbers = tfx_tensor.op "Cast"(%rest) : (tensor<2173xi32>) -> tensor<2173xf32>
  return %numbers : tensor<2173xf32>
}

func.func @main(%modulus: i32 {tfx.name = "modulus"}) {
  %tall = tfx_tensor.const dense<[53, 41]> : tensor<2xi32>
  %wide = tfx_tensor.const dense<[41, 53]> : tensor<2xi32>
  %x = call @numbers(%modulus) : (i32) -> tensor<2173xf32>
  %a = tfx_tensor.op "Reshape"(%x, %tall) : (tensor<2173xf32>, tensor<2xi32>) -> tensor<53x41xf32>
  %b = tfx_tensor.op "Reshape"(%x, %wide) : (tensor<2173xf32>, tensor<2xi32>) -> tensor<41x53xf32>
  %0 = tfx_tensor.op "MatMul"(%a, %b) : (tensor<53x41xf32>, tensor<41x53xf32>) -> tensor<53x53xf32>
  %1 = tfx_tensor.op "MatMul"(%a, %b) {transpose_a = true, transpose_b = true} : (tensor<53x41xf32>, tensor<41x53xf32>) -> tensor<41x41xf32>
  %2 = tfx_tensor.op "MatMul"(%a, %a) {transpose_a = true} : (tensor<53x41xf32>, tensor<53x41xf32>) -> tensor<41x41xf32>
  %3 = tfx_tensor.op "MatMul"(%b, %b) {transpose_b = true} : (tensor<41x53xf32>, tensor<41x53xf32>) -> tensor<41x41xf32>
  %4 = tfx_tensor.op "Cast"(%a) : (tensor<53x41xf32>) -> tensor<53x41xf64>
  %5 = tfx_tensor.op "MatMul"(%4, %4) {transpose_b = true} : (tensor<53x41xf64>, tensor<53x41xf64>) -> tensor<53x53xf64>
  // Few rows read the right operand in place.
  %start = tfx_tensor.const dense<0> : tensor<2xi32>
  %few = tfx_tensor.const dense<[7, 41]> : tensor<2xi32>
  %a7 = tfx_tensor.op "Slice"(%a, %start, %few) : (tensor<53x41xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<7x41xf32>
  %6 = tfx_tensor.op "MatMul"(%a7, %b) : (tensor<7x41xf32>, tensor<41x53xf32>) -> tensor<7x53xf32>
  %7 = tfx_tensor.op "MatMul"(%a7, %a) {transpose_b = true} : (tensor<7x41xf32>, tensor<53x41xf32>) -> tensor<7x53xf32>
  // Columns that are transposed in blocks, without a rest.
  %block = tfx_tensor.const dense<[32, 16]> : tensor<2xi32>
  %c = tfx_tensor.op "Slice"(%a, %start, %block) : (tensor<53x41xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<32x16xf32>
  %8 = tfx_tensor.op "MatMul"(%c, %c) {transpose_b = true} : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x32xf32>
  tfx_host.print "{} {} {}"(%6, %7, %8) : tensor<7x53xf32>, tensor<7x53xf32>, tensor<32x32xf32>
  tfx_host.print "{} {} {} {} {}"(%0, %1, %2, %3, %5) : tensor<53x53xf32>, tensor<41x41xf32>, tensor<41x41xf32>, tensor<41x41xf32>, tensor<53x53xf64>
  return
}
