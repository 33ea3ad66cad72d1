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
func.func private @f0(%x0: tensor<3xf64>, %x1: !tfx_host.struct<@Pair>, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<1>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  cf.br ^b1(%i0, %half, %half : i64, f64, f64)
^b1(%v4: i64, %v5: f64, %v6: f64):
  %v7 = arith.remsi %n, %i2 : i64
  %v8 = arith.cmpi eq, %v7, %i1 : i64
  cf.cond_br %v8, ^b9, ^b10
^b9:
  %v12 = arith.subf %v6, %v5 : f64
  %v13 = math.cos %v12 : f64
  %v14 = tfx_tensor.from_scalar %v6 : f64
  %v15 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v16 = tfx_tensor.op "Mul"(%v14, %v15) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v17 = tfx_tensor.from_scalar %half : f64
  %v18 = tfx_tensor.op "Sub"(%v17, %v16) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v19 = tfx_tensor.op "Tanh"(%v18) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v20 = tfx_host.array(%v13, %v5, %v13) : !tfx_host.array<f64>
  %v21 = tfx_host.array_count %v20 : !tfx_host.array<f64>
  %v22 = arith.index_cast %n : i64 to index
  %v23 = arith.remui %v22, %v21 : index
  %v24 = tfx_host.array_set %v13 into %v20[%v23] : !tfx_host.array<f64>
  cf.br ^b11(%v5 : f64)
^b10:
  %v25 = tfx_tensor.from_scalar %v6 : f64
  %v26 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v27 = tfx_tensor.op "Mul"(%v25, %v26) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v28 = tfx_tensor.op "Mul"(%x0, %v27) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v29 = tfx_tensor.op "Tanh"(%v28) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v30 = math.cos %half : f64
  %v31 = arith.addf %v30, %two : f64
  %v32 = math.log %v31 : f64
  cf.br ^b11(%v6 : f64)
^b11(%v33: f64):
  %v34 = arith.cmpi slt, %v4, %n : i64
  cf.cond_br %v34, ^b2, ^b3(%v6, %v33 : f64, f64)
^b2:
  %v35 = tfx_host.array(%v33, %v6, %v5) : !tfx_host.array<f64>
  %v36 = tfx_host.array_count %v35 : !tfx_host.array<f64>
  %v37 = arith.index_cast %v4 : i64 to index
  %v38 = arith.remui %v37, %v36 : index
  %v39 = tfx_host.array_set %v6 into %v35[%v38] : !tfx_host.array<f64>
  %v40 = arith.addi %v4, %i1 : i64
  cf.br ^b1(%v40, %v33, %v6 : i64, f64, f64)
^b3(%v41: f64, %v42: f64):
  %v43 = arith.remsi %n, %i2 : i64
  %v44 = arith.cmpi eq, %v43, %i1 : i64
  cf.cond_br %v44, ^b45, ^b46
^b45:
  %v48 = arith.remsi %n, %i2 : i64
  %v49 = arith.cmpi eq, %v48, %i1 : i64
  cf.cond_br %v49, ^b50, ^b51
^b50:
  %v53 = math.sin %v41 : f64
  %v54 = math.exp %v53 : f64
  %v55 = arith.mulf %v54, %half : f64
  %v56 = tfx_ad.stop %v41 : f64
  %v57 = arith.mulf %v56, %half : f64
  %v58 = arith.subf %v57, %v57 : f64
  %v59 = arith.addf %v55, %v58 : f64
  %v60 = math.sin %v59 : f64
  %v61 = arith.subf %v41, %v60 : f64
  %v62 = math.cos %v61 : f64
  cf.br ^b52(%v60, %x1 : f64, !tfx_host.struct<@Pair>)
^b51:
  %v63 = tfx_tensor.from_scalar %v42 : f64
  %v64 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v65 = tfx_tensor.op "Mul"(%v63, %v64) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v66 = tfx_tensor.from_scalar %v41 : f64
  %v67 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v68 = tfx_tensor.op "Mul"(%v66, %v67) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v69 = tfx_tensor.op "MatMul"(%v65, %v68) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v70 = tfx_tensor.op "Tanh"(%v69) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v71 = arith.index_cast %n : i64 to index
  %v72 = arith.remui %v71, %three : index
  %v73 = arith.constant 1 : index
  %v74 = arith.addi %v72, %v73 : index
  %v75 = tfx_host.array_fill %v42, %v74 : !tfx_host.array<f64>
  %v76 = arith.constant -0.11000000000000004 : f64
  %v77 = arith.cmpf ogt, %v42, %v76 : f64
  cf.cond_br %v77, ^b78, ^b79
^b78:
  %v81 = tfx_tensor.op "Mul"(%x0, %v70) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v82 = tfx_tensor.op "Tanh"(%v81) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v83 = arith.index_cast %n : i64 to index
  %v84 = arith.remui %v83, %three : index
  %v85 = arith.constant 1 : index
  %v86 = arith.addi %v84, %v85 : index
  %v87 = tfx_host.array_fill %v41, %v86 : !tfx_host.array<f64>
  %v88 = tfx_host.array_count %v87 : !tfx_host.array<f64>
  %v89 = arith.index_cast %n : i64 to index
  %v90 = arith.remui %v89, %v88 : index
  %v91 = tfx_host.array_get %v87[%v90] : !tfx_host.array<f64>
  %v92 = tfx_host.array(%v42, %v91, %v91) : !tfx_host.array<f64>
  cf.br ^b80(%v92, %v82 : !tfx_host.array<f64>, tensor<3x3xf64>)
^b79:
  %v93 = tfx_tensor.op "MatMul"(%v70, %v70) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v94 = tfx_tensor.op "Tanh"(%v93) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v95 = tfx_host.array(%v42, %v41, %v41) : !tfx_host.array<f64>
  cf.br ^b80(%v95, %v94 : !tfx_host.array<f64>, tensor<3x3xf64>)
^b80(%v96: !tfx_host.array<f64>, %v97: tensor<3x3xf64>):
  %v98 = tfx_tensor.op "Sum"(%v97, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v99 = tfx_tensor.op "Tanh"(%v98) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b52(%v42, %x1 : f64, !tfx_host.struct<@Pair>)
^b52(%v100: f64, %v101: !tfx_host.struct<@Pair>):
  %v102 = tfx_tensor.from_scalar %v42 : f64
  %v103 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v104 = tfx_tensor.op "Mul"(%v102, %v103) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v105 = tfx_tensor.op "Sum"(%v104, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v106 = tfx_tensor.op "Tanh"(%v105) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b47(%v101, %v101 : !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b46:
  %v107 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %v42, %v107 : f64
  %v108 = arith.constant -0.33 : f64
  %v109 = arith.cmpf ogt, %v41, %v108 : f64
  cf.cond_br %v109, ^b110, ^b111
^b110:
  %v112 = tfx_host.load %v107 : !tfx_host.ref<f64>
  cf.br ^b113(%i0, %x0, %x0 : i64, tensor<3xf64>, tensor<3xf64>)
^b113(%v116: i64, %v117: tensor<3xf64>, %v118: tensor<3xf64>):
  %v119 = math.cos %half : f64
  %v120 = arith.addf %v119, %two : f64
  %v121 = math.log %v120 : f64
  %v122 = arith.cmpi slt, %v116, %n : i64
  cf.cond_br %v122, ^b114, ^b115(%v117, %v117 : tensor<3xf64>, tensor<3xf64>)
^b114:
  %v123 = arith.subf %v42, %v41 : f64
  %v124 = math.cos %v123 : f64
  %v125 = math.sin %v41 : f64
  %v126 = arith.addf %v125, %two : f64
  %v127 = arith.divf %v124, %v126 : f64
  %v128 = arith.addi %v116, %i1 : i64
  cf.br ^b113(%v128, %v117, %v118 : i64, tensor<3xf64>, tensor<3xf64>)
^b115(%v129: tensor<3xf64>, %v130: tensor<3xf64>):
  tfx_host.store %v42, %v107 : f64
  cf.br ^b111
^b111:
  %v131 = tfx_host.load %v107 : !tfx_host.ref<f64>
  cf.br ^b47(%x1, %x1 : !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b47(%v132: !tfx_host.struct<@Pair>, %v133: !tfx_host.struct<@Pair>):
  %v134 = tfx_host.array(%v41, %v42, %v42) : !tfx_host.array<f64>
  %v135 = tfx_host.array_count %v134 : !tfx_host.array<f64>
  %v136 = arith.index_cast %n : i64 to index
  %v137 = arith.remui %v136, %v135 : index
  %v138 = tfx_host.array_set %v42 into %v134[%v137] : !tfx_host.array<f64>
  %v139 = tfx_tensor.from_scalar %v42 : f64
  %v140 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v141 = tfx_tensor.op "Mul"(%v139, %v140) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v142 = tfx_tensor.op "Sum"(%v141, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v143 = tfx_tensor.op "Tanh"(%v142) : (tensor<3xf64>) -> tensor<3xf64>
  %v144 = tfx_host.array_count %v138 : !tfx_host.array<f64>
  %v145 = arith.index_cast %n : i64 to index
  %v146 = arith.remui %v145, %v144 : index
  %v147 = tfx_host.array_get %v138[%v146] : !tfx_host.array<f64>
  cf.br ^b148(%i0, %x0 : i64, tensor<3xf64>)
^b148(%v151: i64, %v152: tensor<3xf64>):
  %v153 = arith.cmpi slt, %v151, %n : i64
  cf.cond_br %v153, ^b149, ^b150(%v152 : tensor<3xf64>)
^b149:
  %v154 = tfx_tensor.from_scalar %v42 : f64
  %v155 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v156 = tfx_tensor.op "Mul"(%v154, %v155) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v157 = tfx_tensor.op "AddV2"(%v156, %v152) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v158 = tfx_tensor.op "Tanh"(%v157) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v159 = arith.addi %v151, %i1 : i64
  cf.br ^b148(%v159, %x0 : i64, tensor<3xf64>)
^b150(%v160: tensor<3xf64>):
  %v161 = tfx_tensor.op "Sum"(%v160, %axis) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %v162 = tfx_tensor.to_scalar %v161 : tensor<f64> -> f64
  %v163 = math.sin %v162 : f64
  %v164 = tfx_tensor.from_scalar %v42 : f64
  %v165 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v166 = tfx_tensor.op "Mul"(%v164, %v165) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v167 = tfx_tensor.op "Sum"(%v166, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v168 = tfx_tensor.to_scalar %v167 : tensor<f64> -> f64
  %v169 = math.sin %v168 : f64
  %v170 = arith.addf %v163, %v169 : f64
  %v171 = arith.mulf %v170, %half : f64
  %v172 = tfx_tensor.op "Sum"(%v160, %axis) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %v173 = tfx_tensor.to_scalar %v172 : tensor<f64> -> f64
  %v174 = math.sin %v173 : f64
  %v175 = arith.addf %v171, %v174 : f64
  %v176 = arith.mulf %v175, %half : f64
  return %v176 : f64
}
func.func private @f1(%x0: f64, %x1: tensor<3x3xf64>, %x2: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<1>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x2, %v1 : f64
  %v2 = arith.remsi %n, %i2 : i64
  %v3 = arith.cmpi eq, %v2, %i1 : i64
  cf.cond_br %v3, ^b4, ^b5
^b4:
  %v6 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v7 = tfx_host.make_struct(%x0, %n, %x2) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v8 = tfx_host.insert %x2 into %v7["right"] : f64, !tfx_host.struct<@Pair>
  tfx_host.store %v6, %v1 : f64
  cf.br ^b5
^b5:
  %v9 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v10 = tfx_tensor.from_scalar %v9 : f64
  %v11 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v12 = tfx_tensor.op "Mul"(%v10, %v11) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v13 = tfx_host.make_struct(%x2, %n, %x0) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v14 = func.call @f0(%v12, %v13, %n) : (tensor<3xf64>, !tfx_host.struct<@Pair>, i64) -> f64
  %v15 = arith.index_cast %n : i64 to index
  %v16 = arith.remui %v15, %three : index
  %v17 = arith.constant 1 : index
  %v18 = arith.addi %v16, %v17 : index
  %v19 = tfx_host.array_fill %v14, %v18 : !tfx_host.array<f64>
  cf.br ^b20(%i0, %v9, %v19 : i64, f64, !tfx_host.array<f64>)
^b20(%v23: i64, %v24: f64, %v25: !tfx_host.array<f64>):
  %v26 = tfx_ad.stop %v9 : f64
  %v27 = arith.mulf %v26, %half : f64
  %v28 = arith.subf %v27, %v27 : f64
  %v29 = arith.addf %v24, %v28 : f64
  %v30 = math.sin %v29 : f64
  %v31 = arith.cmpi slt, %v23, %n : i64
  cf.cond_br %v31, ^b21, ^b22(%v24, %v25 : f64, !tfx_host.array<f64>)
^b21:
  %v32 = tfx_tensor.from_scalar %v14 : f64
  %v33 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v34 = tfx_tensor.op "Mul"(%v32, %v33) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v35 = tfx_host.make_struct(%v9, %n, %v14) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v36 = tfx_host.closure @f0(%v34, %v35) : (tensor<3xf64>, !tfx_host.struct<@Pair>) -> !tfx_host.closure<(i64) -> f64>
  %v37 = tfx_host.apply %v36(%v23) : !tfx_host.closure<(i64) -> f64>
  %v38 = arith.addi %v23, %i1 : i64
  cf.br ^b20(%v38, %x2, %v25 : i64, f64, !tfx_host.array<f64>)
^b22(%v39: f64, %v40: !tfx_host.array<f64>):
  %v41 = tfx_host.make_struct(%v39, %n, %v39) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v42 = arith.constant 0.16000000000000003 : f64
  %v43 = arith.cmpf ogt, %x2, %v42 : f64
  cf.cond_br %v43, ^b44, ^b45
^b44:
  %v47 = tfx_host.array_count %v40 : !tfx_host.array<f64>
  %v48 = arith.index_cast %n : i64 to index
  %v49 = arith.remui %v48, %v47 : index
  %v50 = tfx_host.array_get %v40[%v49] : !tfx_host.array<f64>
  %v51 = arith.subf %v50, %v9 : f64
  %v52 = math.cos %v51 : f64
  %v53 = tfx_host.make_struct(%v52, %n, %v14) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b46(%v53 : !tfx_host.struct<@Pair>)
^b45:
  %v54 = tfx_host.make_struct(%v14, %n, %v39) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v55 = tfx_tensor.from_scalar %v9 : f64
  %v56 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v57 = tfx_tensor.op "Mul"(%v55, %v56) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v58 = arith.constant 0.32999999999999996 : f64
  %v59 = arith.cmpf ogt, %v39, %v58 : f64
  cf.cond_br %v59, ^b60, ^b61
^b60:
  %v63 = arith.constant 1 : i64
  cf.br ^b64(%i0, %x1 : i64, tensor<3x3xf64>)
^b64(%v67: i64, %v68: tensor<3x3xf64>):
  %v69 = arith.cmpi slt, %v67, %v63 : i64
  cf.cond_br %v69, ^b65, ^b66(%v68 : tensor<3x3xf64>)
^b65:
  %v70 = tfx_tensor.from_scalar %x2 : f64
  %v71 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v72 = tfx_tensor.op "Mul"(%v70, %v71) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v73 = tfx_tensor.op "AddV2"(%x1, %v72) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v74 = tfx_tensor.op "Tanh"(%v73) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v75 = tfx_host.array_count %v40 : !tfx_host.array<f64>
  %v76 = arith.index_cast %n : i64 to index
  %v77 = arith.remui %v76, %v75 : index
  %v78 = tfx_host.array_set %x2 into %v40[%v77] : !tfx_host.array<f64>
  %v79 = arith.addi %v67, %i1 : i64
  cf.br ^b64(%v79, %v74 : i64, tensor<3x3xf64>)
^b66(%v80: tensor<3x3xf64>):
  %v81 = math.cos %x0 : f64
  %v82 = arith.addf %v81, %two : f64
  %v83 = math.log %v82 : f64
  %v84 = tfx_host.make_struct(%v39, %n, %v39) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v85 = tfx_tensor.from_scalar %v83 : f64
  %v86 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v87 = tfx_tensor.op "Mul"(%v85, %v86) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b62(%v84, %v87 : !tfx_host.struct<@Pair>, tensor<3xf64>)
^b61:
  %v88 = arith.negf %v39 : f64
  %v89 = tfx_tensor.from_scalar %v39 : f64
  %v90 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v91 = tfx_tensor.op "Mul"(%v89, %v90) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v92 = tfx_host.make_struct(%v39, %n, %v9) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b93(%i0, %v91, %v92 : i64, tensor<3xf64>, !tfx_host.struct<@Pair>)
^b93(%v96: i64, %v97: tensor<3xf64>, %v98: !tfx_host.struct<@Pair>):
  %v99 = arith.cmpi slt, %v96, %n : i64
  cf.cond_br %v99, ^b94, ^b95(%v97, %v98 : tensor<3xf64>, !tfx_host.struct<@Pair>)
^b94:
  %v100 = arith.subf %v14, %v14 : f64
  %v101 = math.cos %v100 : f64
  %v102 = tfx_host.closure @f0(%v97, %v98) : (tensor<3xf64>, !tfx_host.struct<@Pair>) -> !tfx_host.closure<(i64) -> f64>
  %v103 = tfx_host.apply %v102(%n) : !tfx_host.closure<(i64) -> f64>
  %v104 = tfx_ad.stop %v88 : f64
  %v105 = arith.mulf %v104, %half : f64
  %v106 = arith.subf %v105, %v105 : f64
  %v107 = arith.addf %v88, %v106 : f64
  %v108 = math.sin %v107 : f64
  %v109 = arith.constant 0.20999999999999996 : f64
  %v110 = arith.cmpf ogt, %v9, %v109 : f64
  cf.cond_br %v110, ^b95(%v97, %v98 : tensor<3xf64>, !tfx_host.struct<@Pair>), ^b111
^b111:
  %v112 = arith.mulf %v108, %v103 : f64
  %v113 = math.sin %v112 : f64
  %v114 = arith.addi %v96, %i1 : i64
  cf.br ^b93(%v114, %v97, %v98 : i64, tensor<3xf64>, !tfx_host.struct<@Pair>)
^b95(%v115: tensor<3xf64>, %v116: !tfx_host.struct<@Pair>):
  cf.br ^b62(%v116, %v115 : !tfx_host.struct<@Pair>, tensor<3xf64>)
^b62(%v117: !tfx_host.struct<@Pair>, %v118: tensor<3xf64>):
  %v119 = math.sin %v9 : f64
  %v120 = math.exp %v119 : f64
  %v121 = arith.mulf %v120, %half : f64
  cf.br ^b122(%i0, %v118, %v117 : i64, tensor<3xf64>, !tfx_host.struct<@Pair>)
^b122(%v125: i64, %v126: tensor<3xf64>, %v127: !tfx_host.struct<@Pair>):
  %v128 = arith.cmpi slt, %v125, %n : i64
  cf.cond_br %v128, ^b123, ^b124(%v118, %v127 : tensor<3xf64>, !tfx_host.struct<@Pair>)
^b123:
  %v129 = arith.negf %v121 : f64
  %v130 = tfx_host.array_count %v40 : !tfx_host.array<f64>
  %v131 = arith.index_cast %v125 : i64 to index
  %v132 = arith.remui %v131, %v130 : index
  %v133 = tfx_host.array_get %v40[%v132] : !tfx_host.array<f64>
  %v134 = arith.remsi %v125, %i2 : i64
  %v135 = arith.cmpi eq, %v134, %i1 : i64
  cf.cond_br %v135, ^b124(%v126, %v127 : tensor<3xf64>, !tfx_host.struct<@Pair>), ^b136
^b136:
  %v137 = tfx_host.array_count %v40 : !tfx_host.array<f64>
  %v138 = arith.index_cast %v125 : i64 to index
  %v139 = arith.remui %v138, %v137 : index
  %v140 = tfx_host.array_get %v40[%v139] : !tfx_host.array<f64>
  %v141 = arith.addi %v125, %i1 : i64
  cf.br ^b122(%v141, %v126, %v127 : i64, tensor<3xf64>, !tfx_host.struct<@Pair>)
^b124(%v142: tensor<3xf64>, %v143: !tfx_host.struct<@Pair>):
  cf.br ^b46(%v117 : !tfx_host.struct<@Pair>)
^b46(%v144: !tfx_host.struct<@Pair>):
  %v145 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %v39, %v145 : f64
  %v146 = arith.constant 0.5499999999999999 : f64
  %v147 = arith.cmpf ogt, %v39, %v146 : f64
  cf.cond_br %v147, ^b148, ^b149
^b148:
  %v150 = tfx_host.load %v145 : !tfx_host.ref<f64>
  %v151 = tfx_host.array_count %v40 : !tfx_host.array<f64>
  %v152 = arith.index_cast %n : i64 to index
  %v153 = arith.remui %v152, %v151 : index
  %v154 = tfx_host.array_get %v40[%v153] : !tfx_host.array<f64>
  %v155 = tfx_tensor.op "MatMul"(%x1, %x1) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v156 = tfx_tensor.op "Tanh"(%v155) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  tfx_host.store %v150, %v145 : f64
  cf.br ^b149
^b149:
  %v157 = tfx_host.load %v145 : !tfx_host.ref<f64>
  %v158 = math.sin %v39 : f64
  %v159 = arith.addf %v158, %two : f64
  %v160 = arith.divf %v157, %v159 : f64
  %v161 = tfx_tensor.op "Sum"(%x1, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v162 = tfx_tensor.to_scalar %v161 : tensor<f64> -> f64
  %v163 = math.sin %v162 : f64
  %v164 = tfx_host.extract %v144["right"] : !tfx_host.struct<@Pair> -> f64
  %v165 = arith.addf %v163, %v164 : f64
  %v166 = arith.mulf %v165, %half : f64
  %v167 = tfx_tensor.op "Sum"(%x1, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v168 = tfx_tensor.to_scalar %v167 : tensor<f64> -> f64
  %v169 = math.sin %v168 : f64
  %v170 = arith.addf %v166, %v169 : f64
  %v171 = arith.mulf %v170, %half : f64
  return %v171 : f64
}
func.func public @probe(%x0: f64, %x1: tensor<3x3xf64>, %x2: f64, %n: i64) -> f64 {
  %y = func.call @f1(%x0, %x1, %x2, %n) : (f64, tensor<3x3xf64>, f64, i64) -> f64
  return %y : f64
}
func.func private @norm(%x0: f64, %x1: tensor<3x3xf64>, %x2: f64, %n: i64) -> f64 {
  %g = tfx_ad.gradient @f1(%x0, %x1, %x2, %n) wrt [0] : (f64, tensor<3x3xf64>, f64, i64) -> f64
  %s = func.call @dot.Number(%g, %g) : (f64, f64) -> f64
  return %s : f64
}
func.func private @last(%x1: tensor<3x3xf64>, %x2: f64, %n: i64, %x0: f64) -> f64 {
  %y = func.call @f1(%x0, %x1, %x2, %n) : (f64, tensor<3x3xf64>, f64, i64) -> f64
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
func.func public @main(%x0: f64, %x1: tensor<3x3xf64>, %x2: f64, %n: i64) {
  %v, %g0, %g1, %g2 = tfx_ad.gradient @f1(%x0, %x1, %x2, %n) wrt [0, 1, 2] value : (f64, tensor<3x3xf64>, f64, i64) -> (f64, f64, tensor<3x3xf64>, f64)
  tfx_host.print "value {}"(%v) : f64
  tfx_host.print "gradient 0 {}"(%g0) : f64
  tfx_host.print "gradient 1 {}"(%g1) : tensor<3x3xf64>
  tfx_host.print "gradient 2 {}"(%g2) : f64
  %d0 = arith.constant -0.6599999999999999 : f64
  %d1 = tfx_tensor.const dense<[[-0.83, -0.65, 0.41999999999999993], [0.1399999999999999, 0.3700000000000001, -0.95], [0.48, 0.3899999999999999, -0.62]]> : tensor<3x3xf64>
  %d2 = arith.constant 0.3999999999999999 : f64
  %w, %t = tfx_ad.jvp @f1(%x0, %x1, %x2, %n) tangents(%d0, %d1, %d2 : f64, tensor<3x3xf64>, f64) wrt [0, 1, 2] : (f64, tensor<3x3xf64>, f64, i64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %p0 = func.call @dot.Number(%g0, %d0) : (f64, f64) -> f64
  %s0 = arith.addf %zero, %p0 : f64
  %p1 = func.call @dot.Matrix(%g1, %d1) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  %s1 = arith.addf %s0, %p1 : f64
  %p2 = func.call @dot.Number(%g2, %d2) : (f64, f64) -> f64
  %s2 = arith.addf %s1, %p2 : f64
  %agree.first = func.call @close(%s2, %t) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.first, %s2, %t) : i1, f64, f64
  %unit = arith.constant 1.0 : f64
  %double = arith.constant 2.0 : f64
  %u, %pull = tfx_ad.vjp @f1(%x0, %x1, %x2, %n) wrt [0] : (f64, tensor<3x3xf64>, f64, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
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
  %rr = tfx_ad.gradient @norm(%x0, %x1, %x2, %n) wrt [0] : (f64, tensor<3x3xf64>, f64, i64) -> f64
  %vv, %fr = tfx_ad.jvp @norm(%x0, %x1, %x2, %n) tangents(%d0 : f64) wrt [0] : (f64, tensor<3x3xf64>, f64, i64) -> (f64, f64)
  %prr = func.call @dot.Number(%rr, %d0) : (f64, f64) -> f64
  %agree.second = func.call @close(%prr, %fr) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.second, %prr, %fr) : i1, f64, f64
  %rest = tfx_host.closure @last(%x1, %x2, %n) : (tensor<3x3xf64>, f64, i64) -> !tfx_host.closure<(f64) -> f64>
  %gc = func.call @slope(%rest, %x0) : (!tfx_host.closure<(f64) -> f64>, f64) -> f64
  %pgc = func.call @dot.Number(%gc, %d0) : (f64, f64) -> f64
  %agree.parameter = func.call @close(%pgc, %p0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.parameter, %pgc, %p0) : i1, f64, f64
  %all = tfx_host.closure @f1(%x0, %x1, %x2) : (f64, tensor<3x3xf64>, f64) -> !tfx_host.closure<(i64) -> f64>
  %gt = tfx_ad.gradient @applied(%all, %n) wrt [0] : (!tfx_host.closure<(i64) -> f64>, i64) -> tuple<f64, tensor<3x3xf64>, f64>
  %gt.part = tfx_host.tuple_get %gt[0] : tuple<f64, tensor<3x3xf64>, f64>
  %pgt = func.call @dot.Number(%gt.part, %d0) : (f64, f64) -> f64
  %agree.captures = func.call @close(%pgt, %p0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.captures, %pgt, %p0) : i1, f64, f64
  return
}
