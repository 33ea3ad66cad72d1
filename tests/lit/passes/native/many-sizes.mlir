// Products of many sizes: the first ones are compiled for their sizes, the rest for all sizes. All
// numbers are small integers, so that each order of additions has the same result.
//
// RUN: tfxc run %s 5 --executor embedded > %t.embedded
// RUN: tfxc run %s 5 --stats 2>%t.stats | diff %t.embedded - && FileCheck %s --check-prefix=STATS < %t.stats
// RUN: tfxc run %s 5 --native-vectors 16 | diff %t.embedded -
// RUN: tfxc build %s -o %t.exe && %t.exe 5 | diff %t.embedded -
// STATS: native code: 1 calls

// Products with a function of their own for all sizes have three parameters more.
// RUN: tfx-opt %s --tfx-compile-graph=native=true | tfx-opt --tfx-lower-kernels=vector-bytes=32 | FileCheck %s
// CHECK: call @[[GENERAL:tfx.kernel.[0-9]+]]({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
// CHECK: call @[[GENERAL]]({{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()

func.func @main(%modulus: i32 {tfx.name = "modulus"}) {
  %from = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
  %zero = tfx_tensor.const dense<0> : tensor<1xi32>
  %count = tfx_tensor.const dense<900> : tensor<i32>
  %m = tfx_tensor.from_scalar %modulus : i32
  %range = tfx_tensor.op "Range"(%from, %count, %one) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<900xi32>
  %rest = tfx_tensor.op "FloorMod"(%range, %m) : (tensor<900xi32>, tensor<i32>) -> tensor<900xi32>
  %numbers = tfx_tensor.op "Cast"(%rest) : (tensor<900xi32>) -> tensor<900xf32>
  %asize0 = tfx_tensor.const dense<33> : tensor<1xi32>
  %ashape0 = tfx_tensor.const dense<[3, 11]> : tensor<2xi32>
  %aflat0 = tfx_tensor.op "Slice"(%numbers, %zero, %asize0) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<33xf32>
  %a0 = tfx_tensor.op "Reshape"(%aflat0, %ashape0) : (tensor<33xf32>, tensor<2xi32>) -> tensor<3x11xf32>
  %bsize0 = tfx_tensor.const dense<99> : tensor<1xi32>
  %bshape0 = tfx_tensor.const dense<[11, 9]> : tensor<2xi32>
  %bflat0 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize0) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<99xf32>
  %b0 = tfx_tensor.op "Reshape"(%bflat0, %bshape0) : (tensor<99xf32>, tensor<2xi32>) -> tensor<11x9xf32>
  %c0 = tfx_tensor.op "MatMul"(%a0, %b0) : (tensor<3x11xf32>, tensor<11x9xf32>) -> tensor<3x9xf32>
  %asize1 = tfx_tensor.const dense<60> : tensor<1xi32>
  %ashape1 = tfx_tensor.const dense<[5, 12]> : tensor<2xi32>
  %aflat1 = tfx_tensor.op "Slice"(%numbers, %zero, %asize1) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<60xf32>
  %a1 = tfx_tensor.op "Reshape"(%aflat1, %ashape1) : (tensor<60xf32>, tensor<2xi32>) -> tensor<5x12xf32>
  %bsize1 = tfx_tensor.const dense<144> : tensor<1xi32>
  %bshape1 = tfx_tensor.const dense<[12, 12]> : tensor<2xi32>
  %bflat1 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize1) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<144xf32>
  %b1 = tfx_tensor.op "Reshape"(%bflat1, %bshape1) : (tensor<144xf32>, tensor<2xi32>) -> tensor<12x12xf32>
  %c1 = tfx_tensor.op "MatMul"(%a1, %b1) {transpose_b = true} : (tensor<5x12xf32>, tensor<12x12xf32>) -> tensor<5x12xf32>
  %asize2 = tfx_tensor.const dense<91> : tensor<1xi32>
  %ashape2 = tfx_tensor.const dense<[7, 13]> : tensor<2xi32>
  %aflat2 = tfx_tensor.op "Slice"(%numbers, %zero, %asize2) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<91xf32>
  %a2 = tfx_tensor.op "Reshape"(%aflat2, %ashape2) : (tensor<91xf32>, tensor<2xi32>) -> tensor<7x13xf32>
  %bsize2 = tfx_tensor.const dense<195> : tensor<1xi32>
  %bshape2 = tfx_tensor.const dense<[13, 15]> : tensor<2xi32>
  %bflat2 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize2) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<195xf32>
  %b2 = tfx_tensor.op "Reshape"(%bflat2, %bshape2) : (tensor<195xf32>, tensor<2xi32>) -> tensor<13x15xf32>
  %c2 = tfx_tensor.op "MatMul"(%a2, %b2) : (tensor<7x13xf32>, tensor<13x15xf32>) -> tensor<7x15xf32>
  %asize3 = tfx_tensor.const dense<126> : tensor<1xi32>
  %ashape3 = tfx_tensor.const dense<[9, 14]> : tensor<2xi32>
  %aflat3 = tfx_tensor.op "Slice"(%numbers, %zero, %asize3) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<126xf32>
  %a3 = tfx_tensor.op "Reshape"(%aflat3, %ashape3) : (tensor<126xf32>, tensor<2xi32>) -> tensor<9x14xf32>
  %bsize3 = tfx_tensor.const dense<252> : tensor<1xi32>
  %bshape3 = tfx_tensor.const dense<[18, 14]> : tensor<2xi32>
  %bflat3 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize3) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<252xf32>
  %b3 = tfx_tensor.op "Reshape"(%bflat3, %bshape3) : (tensor<252xf32>, tensor<2xi32>) -> tensor<18x14xf32>
  %c3 = tfx_tensor.op "MatMul"(%a3, %b3) {transpose_b = true} : (tensor<9x14xf32>, tensor<18x14xf32>) -> tensor<9x18xf32>
  %asize4 = tfx_tensor.const dense<165> : tensor<1xi32>
  %ashape4 = tfx_tensor.const dense<[11, 15]> : tensor<2xi32>
  %aflat4 = tfx_tensor.op "Slice"(%numbers, %zero, %asize4) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<165xf32>
  %a4 = tfx_tensor.op "Reshape"(%aflat4, %ashape4) : (tensor<165xf32>, tensor<2xi32>) -> tensor<11x15xf32>
  %bsize4 = tfx_tensor.const dense<315> : tensor<1xi32>
  %bshape4 = tfx_tensor.const dense<[15, 21]> : tensor<2xi32>
  %bflat4 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize4) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<315xf32>
  %b4 = tfx_tensor.op "Reshape"(%bflat4, %bshape4) : (tensor<315xf32>, tensor<2xi32>) -> tensor<15x21xf32>
  %c4 = tfx_tensor.op "MatMul"(%a4, %b4) : (tensor<11x15xf32>, tensor<15x21xf32>) -> tensor<11x21xf32>
  %asize5 = tfx_tensor.const dense<208> : tensor<1xi32>
  %ashape5 = tfx_tensor.const dense<[13, 16]> : tensor<2xi32>
  %aflat5 = tfx_tensor.op "Slice"(%numbers, %zero, %asize5) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<208xf32>
  %a5 = tfx_tensor.op "Reshape"(%aflat5, %ashape5) : (tensor<208xf32>, tensor<2xi32>) -> tensor<13x16xf32>
  %bsize5 = tfx_tensor.const dense<384> : tensor<1xi32>
  %bshape5 = tfx_tensor.const dense<[24, 16]> : tensor<2xi32>
  %bflat5 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize5) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<384xf32>
  %b5 = tfx_tensor.op "Reshape"(%bflat5, %bshape5) : (tensor<384xf32>, tensor<2xi32>) -> tensor<24x16xf32>
  %c5 = tfx_tensor.op "MatMul"(%a5, %b5) {transpose_b = true} : (tensor<13x16xf32>, tensor<24x16xf32>) -> tensor<13x24xf32>
  %asize6 = tfx_tensor.const dense<255> : tensor<1xi32>
  %ashape6 = tfx_tensor.const dense<[15, 17]> : tensor<2xi32>
  %aflat6 = tfx_tensor.op "Slice"(%numbers, %zero, %asize6) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<255xf32>
  %a6 = tfx_tensor.op "Reshape"(%aflat6, %ashape6) : (tensor<255xf32>, tensor<2xi32>) -> tensor<15x17xf32>
  %bsize6 = tfx_tensor.const dense<170> : tensor<1xi32>
  %bshape6 = tfx_tensor.const dense<[17, 10]> : tensor<2xi32>
  %bflat6 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize6) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<170xf32>
  %b6 = tfx_tensor.op "Reshape"(%bflat6, %bshape6) : (tensor<170xf32>, tensor<2xi32>) -> tensor<17x10xf32>
  %c6 = tfx_tensor.op "MatMul"(%a6, %b6) : (tensor<15x17xf32>, tensor<17x10xf32>) -> tensor<15x10xf32>
  %asize7 = tfx_tensor.const dense<306> : tensor<1xi32>
  %ashape7 = tfx_tensor.const dense<[17, 18]> : tensor<2xi32>
  %aflat7 = tfx_tensor.op "Slice"(%numbers, %zero, %asize7) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<306xf32>
  %a7 = tfx_tensor.op "Reshape"(%aflat7, %ashape7) : (tensor<306xf32>, tensor<2xi32>) -> tensor<17x18xf32>
  %bsize7 = tfx_tensor.const dense<234> : tensor<1xi32>
  %bshape7 = tfx_tensor.const dense<[13, 18]> : tensor<2xi32>
  %bflat7 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize7) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<234xf32>
  %b7 = tfx_tensor.op "Reshape"(%bflat7, %bshape7) : (tensor<234xf32>, tensor<2xi32>) -> tensor<13x18xf32>
  %c7 = tfx_tensor.op "MatMul"(%a7, %b7) {transpose_b = true} : (tensor<17x18xf32>, tensor<13x18xf32>) -> tensor<17x13xf32>
  %asize8 = tfx_tensor.const dense<361> : tensor<1xi32>
  %ashape8 = tfx_tensor.const dense<[19, 19]> : tensor<2xi32>
  %aflat8 = tfx_tensor.op "Slice"(%numbers, %zero, %asize8) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<361xf32>
  %a8 = tfx_tensor.op "Reshape"(%aflat8, %ashape8) : (tensor<361xf32>, tensor<2xi32>) -> tensor<19x19xf32>
  %bsize8 = tfx_tensor.const dense<304> : tensor<1xi32>
  %bshape8 = tfx_tensor.const dense<[19, 16]> : tensor<2xi32>
  %bflat8 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize8) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<304xf32>
  %b8 = tfx_tensor.op "Reshape"(%bflat8, %bshape8) : (tensor<304xf32>, tensor<2xi32>) -> tensor<19x16xf32>
  %c8 = tfx_tensor.op "MatMul"(%a8, %b8) : (tensor<19x19xf32>, tensor<19x16xf32>) -> tensor<19x16xf32>
  %asize9 = tfx_tensor.const dense<420> : tensor<1xi32>
  %ashape9 = tfx_tensor.const dense<[21, 20]> : tensor<2xi32>
  %aflat9 = tfx_tensor.op "Slice"(%numbers, %zero, %asize9) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<420xf32>
  %a9 = tfx_tensor.op "Reshape"(%aflat9, %ashape9) : (tensor<420xf32>, tensor<2xi32>) -> tensor<21x20xf32>
  %bsize9 = tfx_tensor.const dense<380> : tensor<1xi32>
  %bshape9 = tfx_tensor.const dense<[19, 20]> : tensor<2xi32>
  %bflat9 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize9) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<380xf32>
  %b9 = tfx_tensor.op "Reshape"(%bflat9, %bshape9) : (tensor<380xf32>, tensor<2xi32>) -> tensor<19x20xf32>
  %c9 = tfx_tensor.op "MatMul"(%a9, %b9) {transpose_b = true} : (tensor<21x20xf32>, tensor<19x20xf32>) -> tensor<21x19xf32>
  %asize10 = tfx_tensor.const dense<483> : tensor<1xi32>
  %ashape10 = tfx_tensor.const dense<[23, 21]> : tensor<2xi32>
  %aflat10 = tfx_tensor.op "Slice"(%numbers, %zero, %asize10) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<483xf32>
  %a10 = tfx_tensor.op "Reshape"(%aflat10, %ashape10) : (tensor<483xf32>, tensor<2xi32>) -> tensor<23x21xf32>
  %bsize10 = tfx_tensor.const dense<462> : tensor<1xi32>
  %bshape10 = tfx_tensor.const dense<[21, 22]> : tensor<2xi32>
  %bflat10 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize10) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<462xf32>
  %b10 = tfx_tensor.op "Reshape"(%bflat10, %bshape10) : (tensor<462xf32>, tensor<2xi32>) -> tensor<21x22xf32>
  %c10 = tfx_tensor.op "MatMul"(%a10, %b10) : (tensor<23x21xf32>, tensor<21x22xf32>) -> tensor<23x22xf32>
  %asize11 = tfx_tensor.const dense<550> : tensor<1xi32>
  %ashape11 = tfx_tensor.const dense<[25, 22]> : tensor<2xi32>
  %aflat11 = tfx_tensor.op "Slice"(%numbers, %zero, %asize11) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<550xf32>
  %a11 = tfx_tensor.op "Reshape"(%aflat11, %ashape11) : (tensor<550xf32>, tensor<2xi32>) -> tensor<25x22xf32>
  %bsize11 = tfx_tensor.const dense<550> : tensor<1xi32>
  %bshape11 = tfx_tensor.const dense<[25, 22]> : tensor<2xi32>
  %bflat11 = tfx_tensor.op "Slice"(%numbers, %zero, %bsize11) : (tensor<900xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<550xf32>
  %b11 = tfx_tensor.op "Reshape"(%bflat11, %bshape11) : (tensor<550xf32>, tensor<2xi32>) -> tensor<25x22xf32>
  %c11 = tfx_tensor.op "MatMul"(%a11, %b11) {transpose_b = true} : (tensor<25x22xf32>, tensor<25x22xf32>) -> tensor<25x25xf32>
  tfx_host.print "{} {} {} {} {} {} {} {} {} {} {} {}"(%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11) : tensor<3x9xf32>, tensor<5x12xf32>, tensor<7x15xf32>, tensor<9x18xf32>, tensor<11x21xf32>, tensor<13x24xf32>, tensor<15x10xf32>, tensor<17x13xf32>, tensor<19x16xf32>, tensor<21x19xf32>, tensor<23x22xf32>, tensor<25x25xf32>
  return
}
