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
func.func private @f0(%x0: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = math.sin %x0 : f64
  %v2 = math.exp %v1 : f64
  %v3 = arith.mulf %v2, %half : f64
  %v4 = math.cos %v3 : f64
  %v5 = arith.addf %v4, %two : f64
  %v6 = math.log %v5 : f64
  %v7 = tfx_host.make_struct(%v6, %n, %v6) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v8 = arith.constant 1 : i64
  cf.br ^b9(%i0, %v7, %v3 : i64, !tfx_host.struct<@Pair>, f64)
^b9(%v12: i64, %v13: !tfx_host.struct<@Pair>, %v14: f64):
  %v15 = arith.index_cast %v12 : i64 to index
  %v16 = arith.remui %v15, %three : index
  %v17 = arith.constant 1 : index
  %v18 = arith.addi %v16, %v17 : index
  %v19 = tfx_host.array_fill %v14, %v18 : !tfx_host.array<f64>
  %v20 = tfx_host.array_count %v19 : !tfx_host.array<f64>
  %v21 = arith.index_cast %v12 : i64 to index
  %v22 = arith.remui %v21, %v20 : index
  %v23 = tfx_host.array_set %v6 into %v19[%v22] : !tfx_host.array<f64>
  %v24 = arith.cmpi slt, %v12, %v8 : i64
  cf.cond_br %v24, ^b10, ^b11(%v13, %v3 : !tfx_host.struct<@Pair>, f64)
^b10:
  %v25 = tfx_tensor.from_scalar %v14 : f64
  %v26 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v27 = tfx_tensor.op "Mul"(%v25, %v26) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v28 = arith.constant -0.010000000000000009 : f64
  %v29 = arith.cmpf ogt, %v14, %v28 : f64
  cf.cond_br %v29, ^b30, ^b31
^b30:
  %v33 = tfx_tensor.from_scalar %v14 : f64
  %v34 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v35 = tfx_tensor.op "Mul"(%v33, %v34) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v36 = tfx_tensor.op "Sum"(%v35, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v37 = tfx_tensor.op "Tanh"(%v36) : (tensor<3xf64>) -> tensor<3xf64>
  %v38 = tfx_host.array_count %v23 : !tfx_host.array<f64>
  %v39 = arith.index_cast %n : i64 to index
  %v40 = arith.remui %v39, %v38 : index
  %v41 = tfx_host.array_set %v14 into %v23[%v40] : !tfx_host.array<f64>
  %v42 = tfx_tensor.from_scalar %v3 : f64
  %v43 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v44 = tfx_tensor.op "Mul"(%v42, %v43) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  cf.br ^b32(%v44 : tensor<3x3xf64>)
^b31:
  %v45 = arith.negf %v3 : f64
  %v46 = arith.constant 0 : i64
  cf.br ^b47(%i0, %v6 : i64, f64)
^b47(%v50: i64, %v51: f64):
  %v52 = tfx_tensor.from_scalar %v51 : f64
  %v53 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v54 = tfx_tensor.op "Mul"(%v52, %v53) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v55 = tfx_tensor.from_scalar %v14 : f64
  %v56 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v57 = tfx_tensor.op "Mul"(%v55, %v56) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v58 = tfx_tensor.op "AddV2"(%v54, %v57) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v59 = tfx_tensor.op "Tanh"(%v58) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v60 = arith.cmpi slt, %v50, %v46 : i64
  cf.cond_br %v60, ^b48, ^b49(%v6 : f64)
^b48:
  %v61 = math.cos %v45 : f64
  %v62 = arith.addf %v61, %two : f64
  %v63 = math.log %v62 : f64
  %v64 = arith.negf %v45 : f64
  %v65 = arith.remsi %n, %i2 : i64
  %v66 = arith.cmpi eq, %v65, %i1 : i64
  cf.cond_br %v66, ^b49(%v63 : f64), ^b67
^b67:
  %v68 = tfx_tensor.from_scalar %v63 : f64
  %v69 = tfx_tensor.op "Sub"(%v68, %v59) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v70 = tfx_tensor.op "Tanh"(%v69) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v71 = arith.addi %v50, %i1 : i64
  cf.br ^b47(%v71, %v63 : i64, f64)
^b49(%v72: f64):
  %v73 = tfx_tensor.from_scalar %v45 : f64
  %v74 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v75 = tfx_tensor.op "Mul"(%v73, %v74) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  cf.br ^b32(%v75 : tensor<3x3xf64>)
^b32(%v76: tensor<3x3xf64>):
  %v77 = arith.constant 3 : i64
  cf.br ^b78(%i0, %v3, %v23 : i64, f64, !tfx_host.array<f64>)
^b78(%v81: i64, %v82: f64, %v83: !tfx_host.array<f64>):
  %v84 = arith.cmpi slt, %v81, %v77 : i64
  cf.cond_br %v84, ^b79, ^b80(%v82, %v23 : f64, !tfx_host.array<f64>)
^b79:
  %v85 = tfx_tensor.from_scalar %v82 : f64
  %v86 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v87 = tfx_tensor.op "Mul"(%v85, %v86) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b88(%i0, %v76, %v87 : i64, tensor<3x3xf64>, tensor<3xf64>)
^b88(%v91: i64, %v92: tensor<3x3xf64>, %v93: tensor<3xf64>):
  %v94 = tfx_tensor.op "Mul"(%v93, %v92) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v95 = tfx_tensor.op "Tanh"(%v94) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v96 = arith.cmpi slt, %v91, %n : i64
  cf.cond_br %v96, ^b89, ^b90(%v95, %v93 : tensor<3x3xf64>, tensor<3xf64>)
^b89:
  %v97 = tfx_tensor.op "AddV2"(%v95, %v93) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v98 = tfx_tensor.op "Tanh"(%v97) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v99 = arith.addi %v91, %i1 : i64
  cf.br ^b88(%v99, %v92, %v93 : i64, tensor<3x3xf64>, tensor<3xf64>)
^b90(%v100: tensor<3x3xf64>, %v101: tensor<3xf64>):
  %v102 = arith.subf %v82, %v82 : f64
  %v103 = math.cos %v102 : f64
  %v104 = arith.addi %v81, %i1 : i64
  cf.br ^b78(%v104, %v6, %v23 : i64, f64, !tfx_host.array<f64>)
^b80(%v105: f64, %v106: !tfx_host.array<f64>):
  %v107 = arith.addf %v3, %v6 : f64
  %v108 = arith.mulf %v107, %half : f64
  %v109 = arith.addi %v12, %i1 : i64
  cf.br ^b9(%v109, %v13, %v6 : i64, !tfx_host.struct<@Pair>, f64)
^b11(%v110: !tfx_host.struct<@Pair>, %v111: f64):
  %v112 = tfx_host.extract %v110["left"] : !tfx_host.struct<@Pair> -> f64
  %v113 = arith.addf %v112, %v111 : f64
  %v114 = arith.mulf %v113, %half : f64
  %v115 = tfx_tensor.from_scalar %v6 : f64
  %v116 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v117 = tfx_tensor.op "Mul"(%v115, %v116) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v118 = tfx_tensor.op "Sum"(%v117, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v119 = tfx_tensor.to_scalar %v118 : tensor<f64> -> f64
  %v120 = math.sin %v119 : f64
  %v121 = arith.addf %v114, %v120 : f64
  %v122 = arith.mulf %v121, %half : f64
  return %v122 : f64
}
func.func public @probe(%x0: f64, %n: i64) -> f64 {
  %y = func.call @f0(%x0, %n) : (f64, i64) -> f64
  return %y : f64
}
func.func private @norm(%x0: f64, %n: i64) -> f64 {
  %g = tfx_ad.gradient @f0(%x0, %n) wrt [0] : (f64, i64) -> f64
  %s = func.call @dot.Number(%g, %g) : (f64, f64) -> f64
  return %s : f64
}
func.func private @last(%n: i64, %x0: f64) -> f64 {
  %y = func.call @f0(%x0, %n) : (f64, i64) -> f64
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
func.func public @main(%x0: f64, %n: i64) {
  %v, %g0 = tfx_ad.gradient @f0(%x0, %n) wrt [0] value : (f64, i64) -> (f64, f64)
  tfx_host.print "value {}"(%v) : f64
  tfx_host.print "gradient 0 {}"(%g0) : f64
  %d0 = arith.constant -0.21999999999999997 : f64
  %w, %t = tfx_ad.jvp @f0(%x0, %n) tangents(%d0 : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %p0 = func.call @dot.Number(%g0, %d0) : (f64, f64) -> f64
  %s0 = arith.addf %zero, %p0 : f64
  %agree.first = func.call @close(%s0, %t) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.first, %s0, %t) : i1, f64, f64
  %unit = arith.constant 1.0 : f64
  %double = arith.constant 2.0 : f64
  %u, %pull = tfx_ad.vjp @f0(%x0, %n) wrt [0] : (f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
  %a0 = tfx_host.apply %pull(%unit) : !tfx_host.closure<(f64) -> f64>
  %pa0 = func.call @dot.Number(%a0, %d0) : (f64, f64) -> f64
  %ea0 = arith.mulf %p0, %unit : f64
  %agree.pullback0 = func.call @close(%pa0, %ea0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.pullback0, %pa0, %ea0) : i1, f64, f64
  %a1 = tfx_host.apply %pull(%double) : !tfx_host.closure<(f64) -> f64>
  %pa1 = func.call @dot.Number(%a1, %d0) : (f64, f64) -> f64
  %ea1 = arith.mulf %p0, %double : f64
  %agree.pullback1 = func.call @close(%pa1, %ea1) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.pullback1, %pa1, %ea1) : i1, f64, f64
  %rr = tfx_ad.gradient @norm(%x0, %n) wrt [0] : (f64, i64) -> f64
  %vv, %fr = tfx_ad.jvp @norm(%x0, %n) tangents(%d0 : f64) wrt [0] : (f64, i64) -> (f64, f64)
  %prr = func.call @dot.Number(%rr, %d0) : (f64, f64) -> f64
  %agree.second = func.call @close(%prr, %fr) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.second, %prr, %fr) : i1, f64, f64
  %rest = tfx_host.closure @last(%n) : (i64) -> !tfx_host.closure<(f64) -> f64>
  %gc = func.call @slope(%rest, %x0) : (!tfx_host.closure<(f64) -> f64>, f64) -> f64
  %pgc = func.call @dot.Number(%gc, %d0) : (f64, f64) -> f64
  %agree.parameter = func.call @close(%pgc, %p0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.parameter, %pgc, %p0) : i1, f64, f64
  %all = tfx_host.closure @f0(%x0) : (f64) -> !tfx_host.closure<(i64) -> f64>
  %gt = tfx_ad.gradient @applied(%all, %n) wrt [0] : (!tfx_host.closure<(i64) -> f64>, i64) -> tuple<f64>
  %gt.part = tfx_host.tuple_get %gt[0] : tuple<f64>
  %pgt = func.call @dot.Number(%gt.part, %d0) : (f64, f64) -> f64
  %agree.captures = func.call @close(%pgt, %p0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.captures, %pgt, %p0) : i1, f64, f64
  return
}
