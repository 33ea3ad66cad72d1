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
func.func private @f0(%x0: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<1>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = math.cos %x0 : f64
  %v2 = arith.addf %v1, %two : f64
  %v3 = math.log %v2 : f64
  %v4 = math.cos %x0 : f64
  %v5 = arith.addf %v4, %two : f64
  %v6 = math.log %v5 : f64
  %v7 = tfx_host.array(%v3, %v6, %v3) : !tfx_host.array<f64>
  %v8 = arith.constant -0.09000000000000002 : f64
  %v9 = arith.cmpf ogt, %v6, %v8 : f64
  cf.cond_br %v9, ^b10, ^b11
^b10:
  %v13 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %v6, %v13 : f64
  %v14 = arith.remsi %n, %i2 : i64
  %v15 = arith.cmpi eq, %v14, %i1 : i64
  cf.cond_br %v15, ^b16, ^b17
^b16:
  %v18 = tfx_host.load %v13 : !tfx_host.ref<f64>
  %v19 = tfx_host.make_struct(%v3, %n, %v18) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v20 = arith.index_cast %n : i64 to index
  %v21 = arith.remui %v20, %three : index
  %v22 = arith.constant 1 : index
  %v23 = arith.addi %v21, %v22 : index
  %v24 = tfx_host.array_fill %v6, %v23 : !tfx_host.array<f64>
  cf.br ^b25(%i0, %v19, %v24 : i64, !tfx_host.struct<@Pair>, !tfx_host.array<f64>)
^b25(%v28: i64, %v29: !tfx_host.struct<@Pair>, %v30: !tfx_host.array<f64>):
  %v31 = arith.cmpi slt, %v28, %n : i64
  cf.cond_br %v31, ^b26, ^b27(%v29, %v30 : !tfx_host.struct<@Pair>, !tfx_host.array<f64>)
^b26:
  %v32 = tfx_host.array_count %v30 : !tfx_host.array<f64>
  %v33 = arith.index_cast %v28 : i64 to index
  %v34 = arith.remui %v33, %v32 : index
  %v35 = tfx_host.array_set %v18 into %v30[%v34] : !tfx_host.array<f64>
  %v36 = arith.addi %v28, %i1 : i64
  cf.br ^b25(%v36, %v29, %v35 : i64, !tfx_host.struct<@Pair>, !tfx_host.array<f64>)
^b27(%v37: !tfx_host.struct<@Pair>, %v38: !tfx_host.array<f64>):
  %v39 = math.sin %v6 : f64
  %v40 = math.exp %v39 : f64
  %v41 = arith.mulf %v40, %half : f64
  tfx_host.store %v18, %v13 : f64
  cf.br ^b17
^b17:
  %v42 = tfx_host.load %v13 : !tfx_host.ref<f64>
  %v43 = tfx_host.array(%v42, %x0, %v6) : !tfx_host.array<f64>
  cf.br ^b12(%v43 : !tfx_host.array<f64>)
^b11:
  %v44 = tfx_host.make_struct(%x0, %n, %v6) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b45(%i0, %v44 : i64, !tfx_host.struct<@Pair>)
^b45(%v48: i64, %v49: !tfx_host.struct<@Pair>):
  %v50 = arith.index_cast %n : i64 to index
  %v51 = arith.remui %v50, %three : index
  %v52 = arith.constant 1 : index
  %v53 = arith.addi %v51, %v52 : index
  %v54 = tfx_host.array_fill %v6, %v53 : !tfx_host.array<f64>
  %v55 = tfx_host.array_count %v54 : !tfx_host.array<f64>
  %v56 = arith.index_cast %v48 : i64 to index
  %v57 = arith.remui %v56, %v55 : index
  %v58 = tfx_host.array_set %v6 into %v54[%v57] : !tfx_host.array<f64>
  %v59 = arith.cmpi slt, %v48, %n : i64
  cf.cond_br %v59, ^b46, ^b47(%v49 : !tfx_host.struct<@Pair>)
^b46:
  %v60 = tfx_tensor.from_scalar %v6 : f64
  %v61 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v62 = tfx_tensor.op "Mul"(%v60, %v61) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v63 = tfx_tensor.op "Sum"(%v62, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v64 = tfx_tensor.op "Tanh"(%v63) : (tensor<3xf64>) -> tensor<3xf64>
  %v65 = arith.addi %v48, %i1 : i64
  cf.br ^b45(%v65, %v49 : i64, !tfx_host.struct<@Pair>)
^b47(%v66: !tfx_host.struct<@Pair>):
  %v67 = tfx_tensor.from_scalar %v6 : f64
  %v68 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v69 = tfx_tensor.op "Mul"(%v67, %v68) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v70 = arith.constant -0.09000000000000002 : f64
  %v71 = arith.cmpf ogt, %v6, %v70 : f64
  cf.cond_br %v71, ^b72, ^b73
^b72:
  %v75 = arith.negf %v6 : f64
  %v76 = tfx_tensor.from_scalar %v6 : f64
  %v77 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v78 = tfx_tensor.op "Mul"(%v76, %v77) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  cf.br ^b74(%v78, %v66 : tensor<3x3xf64>, !tfx_host.struct<@Pair>)
^b73:
  %v79 = tfx_tensor.from_scalar %v3 : f64
  %v80 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v81 = tfx_tensor.op "Mul"(%v79, %v80) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v82 = tfx_tensor.from_scalar %v6 : f64
  %v83 = tfx_tensor.op "Sub"(%v82, %v81) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v84 = tfx_tensor.op "Tanh"(%v83) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  cf.br ^b74(%v84, %v66 : tensor<3x3xf64>, !tfx_host.struct<@Pair>)
^b74(%v85: tensor<3x3xf64>, %v86: !tfx_host.struct<@Pair>):
  %v87 = tfx_tensor.from_scalar %v3 : f64
  %v88 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v89 = tfx_tensor.op "Mul"(%v87, %v88) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v90 = arith.remsi %n, %i2 : i64
  %v91 = arith.cmpi eq, %v90, %i1 : i64
  cf.cond_br %v91, ^b92, ^b93
^b92:
  cf.br ^b95(%i0, %v6 : i64, f64)
^b95(%v98: i64, %v99: f64):
  %v100 = arith.cmpi slt, %v98, %n : i64
  cf.cond_br %v100, ^b96, ^b97(%v3 : f64)
^b96:
  %v101 = tfx_host.make_struct(%v3, %n, %v3) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v102 = arith.constant 0.35 : f64
  %v103 = arith.cmpf ogt, %v3, %v102 : f64
  cf.cond_br %v103, ^b97(%v99 : f64), ^b104
^b104:
  %v105 = math.cos %v6 : f64
  %v106 = arith.addf %v105, %two : f64
  %v107 = math.log %v106 : f64
  %v108 = arith.addi %v98, %i1 : i64
  cf.br ^b95(%v108, %v3 : i64, f64)
^b97(%v109: f64):
  %v110 = tfx_tensor.from_scalar %v6 : f64
  %v111 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v112 = tfx_tensor.op "Mul"(%v110, %v111) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b94(%v112 : tensor<3xf64>)
^b93:
  %v113 = tfx_tensor.from_scalar %v6 : f64
  %v114 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v115 = tfx_tensor.op "Mul"(%v113, %v114) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v116 = tfx_host.array(%v3, %v3, %v6) : !tfx_host.array<f64>
  %v117 = arith.constant 0.06 : f64
  %v118 = arith.cmpf ogt, %v3, %v117 : f64
  cf.cond_br %v118, ^b119, ^b120
^b119:
  %v122 = arith.negf %v3 : f64
  %v123 = tfx_tensor.from_scalar %v122 : f64
  %v124 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v125 = tfx_tensor.op "Mul"(%v123, %v124) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v126 = tfx_tensor.op "Mul"(%v125, %v85) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v127 = tfx_tensor.op "Tanh"(%v126) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v128 = arith.addf %v6, %v6 : f64
  %v129 = arith.mulf %v128, %half : f64
  %v130 = tfx_tensor.from_scalar %v6 : f64
  %v131 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v132 = tfx_tensor.op "Mul"(%v130, %v131) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v133 = arith.index_cast %n : i64 to index
  %v134 = arith.remui %v133, %three : index
  %v135 = arith.constant 1 : index
  %v136 = arith.addi %v134, %v135 : index
  %v137 = tfx_host.array_fill %v6, %v136 : !tfx_host.array<f64>
  cf.br ^b121(%v132, %v137 : tensor<3xf64>, !tfx_host.array<f64>)
^b120:
  %v138 = math.sin %v6 : f64
  %v139 = math.exp %v138 : f64
  %v140 = arith.mulf %v139, %half : f64
  %v141 = tfx_host.array(%v140, %v3, %v140) : !tfx_host.array<f64>
  %v142 = tfx_host.array_count %v141 : !tfx_host.array<f64>
  %v143 = arith.index_cast %n : i64 to index
  %v144 = arith.remui %v143, %v142 : index
  %v145 = tfx_host.array_set %v6 into %v141[%v144] : !tfx_host.array<f64>
  %v146 = tfx_tensor.from_scalar %v6 : f64
  %v147 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v148 = tfx_tensor.op "Mul"(%v146, %v147) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v149 = tfx_tensor.op "AddV2"(%v85, %v148) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v150 = tfx_tensor.op "Tanh"(%v149) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v151 = tfx_tensor.from_scalar %v140 : f64
  %v152 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v153 = tfx_tensor.op "Mul"(%v151, %v152) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b121(%v153, %v145 : tensor<3xf64>, !tfx_host.array<f64>)
^b121(%v154: tensor<3xf64>, %v155: !tfx_host.array<f64>):
  %v156 = tfx_tensor.op "MatMul"(%v85, %v85) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v157 = tfx_tensor.op "Tanh"(%v156) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v158 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %v6, %v158 : f64
  %v159 = arith.remsi %n, %i2 : i64
  %v160 = arith.cmpi eq, %v159, %i1 : i64
  cf.cond_br %v160, ^b161, ^b162
^b161:
  %v163 = tfx_host.load %v158 : !tfx_host.ref<f64>
  %v164 = tfx_host.array_count %v155 : !tfx_host.array<f64>
  %v165 = arith.index_cast %n : i64 to index
  %v166 = arith.remui %v165, %v164 : index
  %v167 = tfx_host.array_get %v155[%v166] : !tfx_host.array<f64>
  %v168 = tfx_tensor.op "AddV2"(%v157, %v154) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v169 = tfx_tensor.op "Tanh"(%v168) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  tfx_host.store %v163, %v158 : f64
  cf.br ^b162
^b162:
  %v170 = tfx_host.load %v158 : !tfx_host.ref<f64>
  cf.br ^b94(%v154 : tensor<3xf64>)
^b94(%v171: tensor<3xf64>):
  %v172 = tfx_host.array(%v6, %v3, %v3) : !tfx_host.array<f64>
  cf.br ^b12(%v172 : !tfx_host.array<f64>)
^b12(%v173: !tfx_host.array<f64>):
  %v174 = tfx_host.array_count %v173 : !tfx_host.array<f64>
  %v175 = arith.index_cast %n : i64 to index
  %v176 = arith.remui %v175, %v174 : index
  %v177 = tfx_host.array_get %v173[%v176] : !tfx_host.array<f64>
  %v178 = tfx_host.make_struct(%v6, %n, %v3) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v179 = tfx_host.extract %v178["left"] : !tfx_host.struct<@Pair> -> f64
  %v180 = arith.addf %v177, %v179 : f64
  %v181 = arith.mulf %v180, %half : f64
  %v182 = arith.addf %v181, %v6 : f64
  %v183 = arith.mulf %v182, %half : f64
  return %v183 : f64
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
  %d0 = arith.constant -0.64 : f64
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
