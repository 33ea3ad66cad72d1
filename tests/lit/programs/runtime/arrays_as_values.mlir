// Arrays are values: an array that is changed does not change others that share its elements. Host
// code copies an array only if something else still uses it.
//
// RUN: tfxc run %s 5 | FileCheck %s
// RUN: tfxc interpret %s 5 | FileCheck %s

tfx_host.struct @Point {x: f64, name: !tfx_host.string, row: tensor<2xf64>}

// The squares of the first numbers.
func.func private @squares(%n: i64) -> !tfx_host.array<f64> {
  %zero = arith.constant 0.0 : f64
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.index_cast %n : i64 to index
  %empty = tfx_host.array_fill %zero, %count : !tfx_host.array<f64>
  %all = scf.for %i = %first to %count step %one iter_args(%a = %empty) -> (!tfx_host.array<f64>) {
    %k = arith.index_cast %i : index to i64
    %x = arith.sitofp %k : i64 to f64
    %xx = arith.mulf %x, %x : f64
    %b = tfx_host.array_set %xx into %a[%i] : !tfx_host.array<f64>
    scf.yield %b : !tfx_host.array<f64>
  }
  return %all : !tfx_host.array<f64>
}
func.func private @show(%a: !tfx_host.array<f64>) attributes {no_inline} {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tfx_host.array_count %a : !tfx_host.array<f64>
  scf.for %i = %first to %count step %one {
    %x = tfx_host.array_get %a[%i] : !tfx_host.array<f64>
    tfx_host.print "{}"(%x) : f64
  }
  tfx_host.print "end"()
  return
}
func.func @main(%n: i64 {tfx.name = "n"}) {
  %two = arith.constant 2 : index
  %seven = arith.constant 7.0 : f64
  %squares = func.call @squares(%n) : (i64) -> !tfx_host.array<f64>
  %changed = tfx_host.array_set %seven into %squares[%two] : !tfx_host.array<f64>
  // CHECK:      0.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 4.0
  // CHECK-NEXT: 9.0
  // CHECK-NEXT: 16.0
  // CHECK-NEXT: end
  func.call @show(%squares) : (!tfx_host.array<f64>) -> ()
  // CHECK-NEXT: 0.0
  // CHECK-NEXT: 1.0
  // CHECK-NEXT: 7.0
  // CHECK-NEXT: 9.0
  // CHECK-NEXT: 16.0
  // CHECK-NEXT: end
  func.call @show(%changed) : (!tfx_host.array<f64>) -> ()

  // Structs with strings and tensors.
  %count = arith.index_cast %n : i64 to index
  %name = tfx_host.string "origin"
  %zeros = tfx_tensor.const dense<0.0> : tensor<2xf64>
  %ones = tfx_tensor.const dense<1.0> : tensor<2xf64>
  %point = tfx_host.make_struct(%seven, %name, %zeros) : (f64, !tfx_host.string, tensor<2xf64>) -> !tfx_host.struct<@Point>
  %points = tfx_host.array_fill %point, %count : !tfx_host.array<!tfx_host.struct<@Point>>
  %other = tfx_host.string "other"
  %last = tfx_host.make_struct(%seven, %other, %ones) : (f64, !tfx_host.string, tensor<2xf64>) -> !tfx_host.struct<@Point>
  %set = tfx_host.array_set %last into %points[%two] : !tfx_host.array<!tfx_host.struct<@Point>>
  %a = tfx_host.array_get %points[%two] : !tfx_host.array<!tfx_host.struct<@Point>>
  %b = tfx_host.array_get %set[%two] : !tfx_host.array<!tfx_host.struct<@Point>>
  %a.name = tfx_host.extract %a["name"] : !tfx_host.struct<@Point> -> !tfx_host.string
  %b.name = tfx_host.extract %b["name"] : !tfx_host.struct<@Point> -> !tfx_host.string
  %a.row = tfx_host.extract %a["row"] : !tfx_host.struct<@Point> -> tensor<2xf64>
  %b.row = tfx_host.extract %b["row"] : !tfx_host.struct<@Point> -> tensor<2xf64>
  // CHECK-NEXT: origin {{\[}}0. 0.], other {{\[}}1. 1.]
  tfx_host.print "{} {}, {} {}"(%a.name, %a.row, %b.name, %b.row) : !tfx_host.string, tensor<2xf64>, !tfx_host.string, tensor<2xf64>
  return
}
