tfx_host.struct @Pair {left: f64, count: i64, right: f64}
func.func private @close(%a: f64, %b: f64) -> i1 {
  %one = arith.constant 1.0 : f64
  %tolerance = arith.constant 1.0e-9 : f64
  %d = arith.subf %a, %b : f64
  %size = math.absf %d : f64
  %scale = math.absf %a : f64
  %sum = arith.addf %scale, %one : f64
  %bound = arith.mulf %sum, %tolerance : f64
  %fits = arith.cmpf ole, %size, %bound : f64
  return %fits : i1
}
func.func private @dot.Matrix(%a: tensor<3x3xf64>, %b: tensor<3x3xf64>) -> f64 {
  %p = tfx_tensor.op "Mul"(%a, %b) : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}
func.func private @dot.Row(%a: tensor<3xf64>, %b: tensor<3xf64>) -> f64 {
  %p = tfx_tensor.op "Mul"(%a, %b) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %axes = tfx_tensor.const dense<0> : tensor<1xi32>
  %s = tfx_tensor.op "Sum"(%p, %axes) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.to_scalar %s : tensor<f64> -> f64
  return %r : f64
}
func.func private @dot.Number(%a: f64, %b: f64) -> f64 {
  %r = arith.mulf %a, %b : f64
  return %r : f64
}
func.func private @f0(%x0: tensor<3xf64>, %x1: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<3>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = arith.subf %x1, %x1 : f64
  %v2 = math.cos %v1 : f64
  cf.br ^b3(%i0, %x1 : i64, f64)
^b3(%v6: i64, %v7: f64):
  %v8 = arith.remsi %n, %i2 : i64
  %v9 = arith.cmpi eq, %v8, %i1 : i64
  cf.cond_br %v9, ^b10, ^b11
^b10:
  %v13 = tfx_host.array(%v7, %v7, %v2) : !tfx_host.array<f64>
  %v14 = arith.constant 0.5599999999999999 : f64
  %v15 = arith.cmpf ogt, %v7, %v14 : f64
  cf.cond_br %v15, ^b16, ^b17
^b16:
  %v19 = arith.index_cast %v6 : i64 to index
  %v20 = arith.remui %v19, %three : index
  %v21 = arith.constant 1 : index
  %v22 = arith.addi %v20, %v21 : index
  %v23 = tfx_host.array_fill %v7, %v22 : !tfx_host.array<f64>
  %v24 = tfx_host.array_count %v23 : !tfx_host.array<f64>
  %v25 = arith.index_cast %n : i64 to index
  %v26 = arith.remui %v25, %v24 : index
  %v27 = tfx_host.array_get %v23[%v26] : !tfx_host.array<f64>
  %v28 = arith.index_cast %n : i64 to index
  %v29 = arith.remui %v28, %three : index
  %v30 = arith.constant 1 : index
  %v31 = arith.addi %v29, %v30 : index
  %v32 = tfx_host.array_fill %v7, %v31 : !tfx_host.array<f64>
  cf.br ^b18(%v32 : !tfx_host.array<f64>)
^b17:
  %v33 = arith.mulf %v2, %v7 : f64
  %v34 = math.sin %v33 : f64
  %v35 = math.sin %v7 : f64
  %v36 = math.exp %v35 : f64
  %v37 = arith.mulf %v36, %half : f64
  %v38 = arith.index_cast %n : i64 to index
  %v39 = arith.remui %v38, %three : index
  %v40 = arith.constant 1 : index
  %v41 = arith.addi %v39, %v40 : index
  %v42 = tfx_host.array_fill %v34, %v41 : !tfx_host.array<f64>
  cf.br ^b18(%v42 : !tfx_host.array<f64>)
^b18(%v43: !tfx_host.array<f64>):
  cf.br ^b12(%x0 : tensor<3xf64>)
^b11:
  %v44 = arith.constant 3 : i64
  cf.br ^b45(%i0, %v7 : i64, f64)
^b45(%v48: i64, %v49: f64):
  %v50 = tfx_ad.stop %v2 : f64
  %v51 = arith.mulf %v50, %half : f64
  %v52 = arith.subf %v51, %v51 : f64
  %v53 = arith.addf %v2, %v52 : f64
  %v54 = math.sin %v53 : f64
  %v55 = arith.cmpi slt, %v48, %v44 : i64
  cf.cond_br %v55, ^b46, ^b47(%v54 : f64)
^b46:
  %v56 = math.sin %v54 : f64
  %v57 = math.exp %v56 : f64
  %v58 = arith.mulf %v57, %half : f64
  %v59 = tfx_host.make_struct(%v49, %n, %v7) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v60 = tfx_host.insert %v54 into %v59["right"] : f64, !tfx_host.struct<@Pair>
  %v61 = arith.subf %v54, %v58 : f64
  %v62 = math.cos %v61 : f64
  %v63 = arith.addi %v48, %i1 : i64
  cf.br ^b45(%v63, %v62 : i64, f64)
^b47(%v64: f64):
  %v65 = tfx_ad.stop %v7 : f64
  %v66 = arith.mulf %v65, %half : f64
  %v67 = arith.subf %v66, %v66 : f64
  %v68 = arith.addf %v7, %v67 : f64
  %v69 = math.sin %v68 : f64
  cf.br ^b12(%x0 : tensor<3xf64>)
^b12(%v70: tensor<3xf64>):
  %v71 = arith.cmpi slt, %v6, %n : i64
  cf.cond_br %v71, ^b4, ^b5(%v7 : f64)
^b4:
  %v72 = tfx_host.make_struct(%v2, %n, %v7) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v73 = arith.addi %v6, %i1 : i64
  cf.br ^b3(%v73, %v2 : i64, f64)
^b5(%v74: f64):
  %v75 = arith.mulf %v2, %v74 : f64
  %v76 = math.sin %v75 : f64
  %v77 = tfx_tensor.from_scalar %v2 : f64
  %v78 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v79 = tfx_tensor.op "Mul"(%v77, %v78) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v80 = tfx_tensor.from_scalar %v2 : f64
  %v81 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v82 = tfx_tensor.op "Mul"(%v80, %v81) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v83 = tfx_tensor.op "MatMul"(%v79, %v82) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v84 = tfx_tensor.op "Tanh"(%v83) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v85 = arith.index_cast %n : i64 to index
  %v86 = arith.remui %v85, %three : index
  %v87 = arith.constant 1 : index
  %v88 = arith.addi %v86, %v87 : index
  %v89 = tfx_host.array_fill %v76, %v88 : !tfx_host.array<f64>
  %v90 = tfx_host.array_count %v89 : !tfx_host.array<f64>
  %v91 = arith.index_cast %n : i64 to index
  %v92 = arith.remui %v91, %v90 : index
  %v93 = tfx_host.array_get %v89[%v92] : !tfx_host.array<f64>
  %v94 = tfx_host.array(%v74, %v76, %v76) : !tfx_host.array<f64>
  %v95 = tfx_host.array_count %v94 : !tfx_host.array<f64>
  %v96 = arith.index_cast %n : i64 to index
  %v97 = arith.remui %v96, %v95 : index
  %v98 = tfx_host.array_get %v94[%v97] : !tfx_host.array<f64>
  %v99 = arith.addf %v93, %v98 : f64
  %v100 = arith.mulf %v99, %half : f64
  %v101 = arith.addf %v100, %v74 : f64
  %v102 = arith.mulf %v101, %half : f64
  return %v102 : f64
}
func.func public @probe(%x0: tensor<3xf64>, %x1: f64, %n: i64) -> f64 {
  %y = func.call @f0(%x0, %x1, %n) : (tensor<3xf64>, f64, i64) -> f64
  return %y : f64
}
func.func private @norm(%x0: tensor<3xf64>, %x1: f64, %n: i64) -> f64 {
  %g = tfx_ad.gradient @f0(%x0, %x1, %n) wrt [1] : (tensor<3xf64>, f64, i64) -> f64
  %s = func.call @dot.Number(%g, %g) : (f64, f64) -> f64
  return %s : f64
}
func.func private @last(%x0: tensor<3xf64>, %n: i64, %x1: f64) -> f64 {
  %y = func.call @f0(%x0, %x1, %n) : (tensor<3xf64>, f64, i64) -> f64
  return %y : f64
}
func.func private @slope(%f: !tfx_host.closure<(f64) -> f64>, %x: f64) -> f64 {
  %g = tfx_ad.gradient %f of !tfx_host.closure<(f64) -> f64> (%x) wrt [0] : (f64) -> f64
  return %g : f64
}
func.func private @applied(%f: !tfx_host.closure<(i64) -> f64>, %n: i64) -> f64 {
  %y = tfx_host.apply %f(%n) : !tfx_host.closure<(i64) -> f64>
  return %y : f64
}
func.func public @main(%x0: tensor<3xf64>, %x1: f64, %n: i64) {
  %v, %g0, %g1 = tfx_ad.gradient @f0(%x0, %x1, %n) wrt [0, 1] value : (tensor<3xf64>, f64, i64) -> (f64, tensor<3xf64>, f64)
  tfx_host.print "value {}"(%v) : f64
  tfx_host.print "gradient 0 {}"(%g0) : tensor<3xf64>
  tfx_host.print "gradient 1 {}"(%g1) : f64
  %d0 = tfx_tensor.const dense<[0.81, 0.72, 0.1499999999999999]> : tensor<3xf64>
  %d1 = arith.constant 0.33000000000000007 : f64
  %w, %t = tfx_ad.jvp @f0(%x0, %x1, %n) tangents(%d0, %d1 : tensor<3xf64>, f64) wrt [0, 1] : (tensor<3xf64>, f64, i64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %p0 = func.call @dot.Row(%g0, %d0) : (tensor<3xf64>, tensor<3xf64>) -> f64
  %s0 = arith.addf %zero, %p0 : f64
  %p1 = func.call @dot.Number(%g1, %d1) : (f64, f64) -> f64
  %s1 = arith.addf %s0, %p1 : f64
  %agree.first = func.call @close(%s1, %t) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.first, %s1, %t) : i1, f64, f64
  %unit = arith.constant 1.0 : f64
  %double = arith.constant 2.0 : f64
  %u, %pull = tfx_ad.vjp @f0(%x0, %x1, %n) wrt [1] : (tensor<3xf64>, f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %a0 = tfx_host.apply %pull(%unit) : !tfx_host.closure<(f64) -> f64>
  %pa0 = func.call @dot.Number(%a0, %d1) : (f64, f64) -> f64
  %ea0 = arith.mulf %p1, %unit : f64
  %agree.pullback0 = func.call @close(%pa0, %ea0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.pullback0, %pa0, %ea0) : i1, f64, f64
  %a1 = tfx_host.apply %pull(%double) : !tfx_host.closure<(f64) -> f64>
  %pa1 = func.call @dot.Number(%a1, %d1) : (f64, f64) -> f64
  %ea1 = arith.mulf %p1, %double : f64
  %agree.pullback1 = func.call @close(%pa1, %ea1) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.pullback1, %pa1, %ea1) : i1, f64, f64
  %rr = tfx_ad.gradient @norm(%x0, %x1, %n) wrt [1] : (tensor<3xf64>, f64, i64) -> f64
  %vv, %fr = tfx_ad.jvp @norm(%x0, %x1, %n) tangents(%d1 : f64) wrt [1] : (tensor<3xf64>, f64, i64) -> (f64, f64)
  %prr = func.call @dot.Number(%rr, %d1) : (f64, f64) -> f64
  %agree.second = func.call @close(%prr, %fr) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.second, %prr, %fr) : i1, f64, f64
  %rest = tfx_host.closure @last(%x0, %n) : (tensor<3xf64>, i64) -> !tfx_host.closure<(f64) -> f64>
  %gc = func.call @slope(%rest, %x1) : (!tfx_host.closure<(f64) -> f64>, f64) -> f64
  %pgc = func.call @dot.Number(%gc, %d1) : (f64, f64) -> f64
  %agree.parameter = func.call @close(%pgc, %p1) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.parameter, %pgc, %p1) : i1, f64, f64
  %all = tfx_host.closure @f0(%x0, %x1) : (tensor<3xf64>, f64) -> !tfx_host.closure<(i64) -> f64>
  %gt = tfx_ad.gradient @applied(%all, %n) wrt [0] : (!tfx_host.closure<(i64) -> f64>, i64) -> tuple<tensor<3xf64>, f64>
  %gt.part = tfx_host.tuple_get %gt[1] : tuple<tensor<3xf64>, f64>
  %pgt = func.call @dot.Number(%gt.part, %d1) : (f64, f64) -> f64
  %agree.captures = func.call @close(%pgt, %p1) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.captures, %pgt, %p1) : i1, f64, f64
  return
}
