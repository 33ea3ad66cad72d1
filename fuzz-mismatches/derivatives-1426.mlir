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
func.func private @f0(%x0: tensor<3xf64>, %x1: tensor<3x3xf64>, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.make_struct(%half, %n, %half) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v2 = arith.mulf %half, %half : f64
  %v3 = math.sin %v2 : f64
  cf.br ^b4(%i0, %v3, %x1 : i64, f64, tensor<3x3xf64>)
^b4(%v7: i64, %v8: f64, %v9: tensor<3x3xf64>):
  %v10 = arith.cmpi slt, %v7, %n : i64
  cf.cond_br %v10, ^b5, ^b6(%v3, %x1 : f64, tensor<3x3xf64>)
^b5:
  %v11 = tfx_tensor.op "Mul"(%x0, %v9) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v12 = tfx_tensor.op "Tanh"(%v11) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v13 = arith.constant 0.57 : f64
  %v14 = arith.cmpf ogt, %v3, %v13 : f64
  cf.cond_br %v14, ^b6(%v8, %v12 : f64, tensor<3x3xf64>), ^b15
^b15:
  %v16 = arith.addi %v7, %i1 : i64
  cf.br ^b4(%v16, %v3, %v12 : i64, f64, tensor<3x3xf64>)
^b6(%v17: f64, %v18: tensor<3x3xf64>):
  %v19 = tfx_host.make_struct(%v17, %n, %v17) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v20 = tfx_tensor.op "MatMul"(%v18, %x1) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v21 = tfx_tensor.op "Tanh"(%v20) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v22 = tfx_host.make_struct(%v3, %n, %v3) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v23 = tfx_tensor.op "Sum"(%v21, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v24 = tfx_tensor.to_scalar %v23 : tensor<f64> -> f64
  %v25 = math.sin %v24 : f64
  %v26 = tfx_host.extract %v1["right"] : !tfx_host.struct<@Pair> -> f64
  %v27 = arith.addf %v25, %v26 : f64
  %v28 = arith.mulf %v27, %half : f64
  %v29 = tfx_tensor.op "Sum"(%x0, %axis) : (tensor<3xf64>, tensor<1xi32>) -> tensor<f64>
  %v30 = tfx_tensor.to_scalar %v29 : tensor<f64> -> f64
  %v31 = math.sin %v30 : f64
  %v32 = arith.addf %v28, %v31 : f64
  %v33 = arith.mulf %v32, %half : f64
  return %v33 : f64
}
func.func private @f1(%x0: f64, %x1: !tfx_host.struct<@Pair>, %x2: !tfx_host.struct<@Pair>, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  cf.br ^b1(%i0, %x2 : i64, !tfx_host.struct<@Pair>)
^b1(%v4: i64, %v5: !tfx_host.struct<@Pair>):
  %v6 = tfx_tensor.from_scalar %x0 : f64
  %v7 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v8 = tfx_tensor.op "Mul"(%v6, %v7) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v9 = arith.constant 2 : i64
  cf.br ^b10(%i0, %v8, %x0 : i64, tensor<3x3xf64>, f64)
^b10(%v13: i64, %v14: tensor<3x3xf64>, %v15: f64):
  %v16 = arith.cmpi slt, %v13, %v9 : i64
  cf.cond_br %v16, ^b11, ^b12(%v14, %v15 : tensor<3x3xf64>, f64)
^b11:
  %v17 = tfx_tensor.from_scalar %v15 : f64
  %v18 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v19 = tfx_tensor.op "Mul"(%v17, %v18) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v20 = func.call @f0(%v19, %v14, %n) : (tensor<3xf64>, tensor<3x3xf64>, i64) -> f64
  %v21 = tfx_tensor.op "MatMul"(%v14, %v14) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v22 = tfx_tensor.op "Tanh"(%v21) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v23 = tfx_tensor.from_scalar %v15 : f64
  %v24 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v25 = tfx_tensor.op "Mul"(%v23, %v24) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b26(%i0, %v25, %v5 : i64, tensor<3xf64>, !tfx_host.struct<@Pair>)
^b26(%v29: i64, %v30: tensor<3xf64>, %v31: !tfx_host.struct<@Pair>):
  %v32 = arith.cmpi slt, %v29, %n : i64
  cf.cond_br %v32, ^b27, ^b28(%v30, %v31 : tensor<3xf64>, !tfx_host.struct<@Pair>)
^b27:
  %v33 = tfx_host.insert %v20 into %v31["right"] : f64, !tfx_host.struct<@Pair>
  %v34 = arith.mulf %v20, %v20 : f64
  %v35 = math.sin %v34 : f64
  %v36 = arith.addi %v29, %i1 : i64
  cf.br ^b26(%v36, %v30, %v33 : i64, tensor<3xf64>, !tfx_host.struct<@Pair>)
^b28(%v37: tensor<3xf64>, %v38: !tfx_host.struct<@Pair>):
  %v39 = arith.addi %v13, %i1 : i64
  cf.br ^b10(%v39, %v14, %v20 : i64, tensor<3x3xf64>, f64)
^b12(%v40: tensor<3x3xf64>, %v41: f64):
  %v42 = arith.cmpi slt, %v4, %n : i64
  cf.cond_br %v42, ^b2, ^b3(%x1 : !tfx_host.struct<@Pair>)
^b2:
  %v43 = arith.subf %v41, %v41 : f64
  %v44 = math.cos %v43 : f64
  %v45 = arith.addi %v4, %i1 : i64
  cf.br ^b1(%v45, %v5 : i64, !tfx_host.struct<@Pair>)
^b3(%v46: !tfx_host.struct<@Pair>):
  %v47 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x0, %v47 : f64
  %v48 = arith.remsi %n, %i2 : i64
  %v49 = arith.cmpi eq, %v48, %i1 : i64
  cf.cond_br %v49, ^b50, ^b51
^b50:
  %v52 = tfx_host.load %v47 : !tfx_host.ref<f64>
  %v53 = tfx_tensor.from_scalar %v52 : f64
  %v54 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v55 = tfx_tensor.op "Mul"(%v53, %v54) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v56 = arith.constant -0.12 : f64
  %v57 = arith.cmpf ogt, %x0, %v56 : f64
  cf.cond_br %v57, ^b58, ^b59
^b58:
  %v61 = tfx_tensor.from_scalar %v52 : f64
  %v62 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v63 = tfx_tensor.op "Mul"(%v61, %v62) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  cf.br ^b60(%v63 : tensor<3x3xf64>)
^b59:
  %v64 = tfx_tensor.from_scalar %v52 : f64
  %v65 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v66 = tfx_tensor.op "Mul"(%v64, %v65) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v67 = tfx_tensor.from_scalar %v52 : f64
  %v68 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v69 = tfx_tensor.op "Mul"(%v67, %v68) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v70 = tfx_tensor.op "Mul"(%v69, %v66) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v71 = tfx_tensor.op "Tanh"(%v70) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v72 = arith.constant 0.02999999999999997 : f64
  %v73 = arith.cmpf ogt, %v52, %v72 : f64
  cf.cond_br %v73, ^b74, ^b75
^b74:
  cf.br ^b76(%v52, %v52 : f64, f64)
^b75:
  %v77 = math.sin %v52 : f64
  %v78 = math.exp %v77 : f64
  %v79 = arith.mulf %v78, %half : f64
  %v80 = arith.mulf %v52, %v79 : f64
  %v81 = math.sin %v80 : f64
  cf.br ^b76(%x0, %v81 : f64, f64)
^b76(%v82: f64, %v83: f64):
  cf.br ^b60(%v71 : tensor<3x3xf64>)
^b60(%v84: tensor<3x3xf64>):
  %v85 = tfx_tensor.from_scalar %v52 : f64
  %v86 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v87 = tfx_tensor.op "Mul"(%v85, %v86) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v88 = tfx_host.closure @f0(%v87, %v84) : (tensor<3xf64>, tensor<3x3xf64>) -> !tfx_host.closure<(i64) -> f64>
  %v89 = tfx_host.apply %v88(%n) : !tfx_host.closure<(i64) -> f64>
  tfx_host.store %x0, %v47 : f64
  cf.br ^b51
^b51:
  %v90 = tfx_host.load %v47 : !tfx_host.ref<f64>
  %v91 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %v90, %v91 : f64
  %v92 = arith.constant -0.050000000000000044 : f64
  %v93 = arith.cmpf ogt, %x0, %v92 : f64
  cf.cond_br %v93, ^b94, ^b95
^b94:
  %v96 = tfx_host.load %v91 : !tfx_host.ref<f64>
  %v97 = arith.remsi %n, %i2 : i64
  %v98 = arith.cmpi eq, %v97, %i1 : i64
  cf.cond_br %v98, ^b99, ^b100
^b99:
  %v102 = tfx_tensor.from_scalar %v90 : f64
  %v103 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v104 = tfx_tensor.op "Mul"(%v102, %v103) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v105 = tfx_tensor.op "Sum"(%v104, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v106 = tfx_tensor.op "Tanh"(%v105) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b101(%x2 : !tfx_host.struct<@Pair>)
^b100:
  cf.br ^b101(%v46 : !tfx_host.struct<@Pair>)
^b101(%v107: !tfx_host.struct<@Pair>):
  %v108 = arith.constant 0.019999999999999962 : f64
  %v109 = arith.cmpf ogt, %v90, %v108 : f64
  cf.cond_br %v109, ^b110, ^b111
^b110:
  cf.br ^b112(%x2, %v90 : !tfx_host.struct<@Pair>, f64)
^b111:
  cf.br ^b113(%i0, %v107, %v46 : i64, !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b113(%v116: i64, %v117: !tfx_host.struct<@Pair>, %v118: !tfx_host.struct<@Pair>):
  %v119 = arith.mulf %v96, %v96 : f64
  %v120 = math.sin %v119 : f64
  %v121 = arith.cmpi slt, %v116, %n : i64
  cf.cond_br %v121, ^b114, ^b115(%v46, %v118 : !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b114:
  %v122 = tfx_tensor.from_scalar %v120 : f64
  %v123 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v124 = tfx_tensor.op "Mul"(%v122, %v123) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v125 = tfx_tensor.from_scalar %v120 : f64
  %v126 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v127 = tfx_tensor.op "Mul"(%v125, %v126) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v128 = tfx_host.closure @f0(%v124, %v127) : (tensor<3xf64>, tensor<3x3xf64>) -> !tfx_host.closure<(i64) -> f64>
  %v129 = tfx_host.apply %v128(%n) : !tfx_host.closure<(i64) -> f64>
  %v130 = tfx_tensor.from_scalar %v90 : f64
  %v131 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v132 = tfx_tensor.op "Mul"(%v130, %v131) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v133 = tfx_tensor.from_scalar %v129 : f64
  %v134 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v135 = tfx_tensor.op "Mul"(%v133, %v134) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v136 = tfx_host.closure @f0(%v132, %v135) : (tensor<3xf64>, tensor<3x3xf64>) -> !tfx_host.closure<(i64) -> f64>
  %v137 = tfx_host.apply %v136(%v116) : !tfx_host.closure<(i64) -> f64>
  %v138 = tfx_host.insert %x0 into %v46["left"] : f64, !tfx_host.struct<@Pair>
  %v139 = arith.constant -0.21000000000000002 : f64
  %v140 = arith.cmpf ogt, %v96, %v139 : f64
  cf.cond_br %v140, ^b115(%v117, %v118 : !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>), ^b141
^b141:
  %v142 = tfx_tensor.from_scalar %x0 : f64
  %v143 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v144 = tfx_tensor.op "Mul"(%v142, %v143) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v145 = tfx_tensor.from_scalar %v129 : f64
  %v146 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v147 = tfx_tensor.op "Mul"(%v145, %v146) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v148 = func.call @f0(%v144, %v147, %v116) : (tensor<3xf64>, tensor<3x3xf64>, i64) -> f64
  %v149 = arith.addi %v116, %i1 : i64
  cf.br ^b113(%v149, %v117, %v138 : i64, !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b115(%v150: !tfx_host.struct<@Pair>, %v151: !tfx_host.struct<@Pair>):
  %v152 = tfx_tensor.from_scalar %v90 : f64
  %v153 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v154 = tfx_tensor.op "Mul"(%v152, %v153) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v155 = tfx_tensor.from_scalar %v90 : f64
  %v156 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v157 = tfx_tensor.op "Mul"(%v155, %v156) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v158 = func.call @f0(%v154, %v157, %n) : (tensor<3xf64>, tensor<3x3xf64>, i64) -> f64
  %v159 = math.sin %v90 : f64
  %v160 = arith.addf %v159, %two : f64
  %v161 = arith.divf %v158, %v160 : f64
  cf.br ^b112(%v107, %v161 : !tfx_host.struct<@Pair>, f64)
^b112(%v162: !tfx_host.struct<@Pair>, %v163: f64):
  tfx_host.store %v163, %v91 : f64
  cf.br ^b95
^b95:
  %v164 = tfx_host.load %v91 : !tfx_host.ref<f64>
  %v165 = tfx_host.extract %v46["right"] : !tfx_host.struct<@Pair> -> f64
  %v166 = tfx_host.extract %x2["right"] : !tfx_host.struct<@Pair> -> f64
  %v167 = arith.addf %v165, %v166 : f64
  %v168 = arith.mulf %v167, %half : f64
  %v169 = tfx_host.extract %x2["right"] : !tfx_host.struct<@Pair> -> f64
  %v170 = arith.addf %v168, %v169 : f64
  %v171 = arith.mulf %v170, %half : f64
  return %v171 : f64
}
func.func private @f2(%x0: tensor<3x3xf64>, %x1: f64, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.make_struct(%x1, %n, %x1) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v2 = tfx_host.insert %x1 into %v1["left"] : f64, !tfx_host.struct<@Pair>
  cf.br ^b3(%i0, %x0 : i64, tensor<3x3xf64>)
^b3(%v6: i64, %v7: tensor<3x3xf64>):
  %v8 = arith.mulf %x1, %x1 : f64
  %v9 = math.sin %v8 : f64
  %v10 = arith.cmpi slt, %v6, %n : i64
  cf.cond_br %v10, ^b4, ^b5(%v7 : tensor<3x3xf64>)
^b4:
  %v11 = tfx_tensor.op "MatMul"(%v7, %x0) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v12 = tfx_tensor.op "Tanh"(%v11) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v13 = arith.addf %v9, %x1 : f64
  %v14 = arith.mulf %v13, %half : f64
  %v15 = tfx_tensor.op "MatMul"(%v12, %v7) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v16 = tfx_tensor.op "Tanh"(%v15) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v17 = arith.constant -0.39 : f64
  %v18 = arith.cmpf ogt, %v14, %v17 : f64
  cf.cond_br %v18, ^b5(%v7 : tensor<3x3xf64>), ^b19
^b19:
  %v20 = tfx_tensor.from_scalar %v14 : f64
  %v21 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v22 = tfx_tensor.op "Mul"(%v20, %v21) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v23 = tfx_tensor.from_scalar %v9 : f64
  %v24 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v25 = tfx_tensor.op "Mul"(%v23, %v24) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b26(%i0, %v22, %v25 : i64, tensor<3xf64>, tensor<3xf64>)
^b26(%v29: i64, %v30: tensor<3xf64>, %v31: tensor<3xf64>):
  %v32 = arith.constant -0.39 : f64
  %v33 = arith.cmpf ogt, %v9, %v32 : f64
  cf.cond_br %v33, ^b34, ^b35
^b34:
  %v37 = tfx_host.insert %v14 into %v2["left"] : f64, !tfx_host.struct<@Pair>
  %v38 = arith.mulf %v14, %v9 : f64
  %v39 = math.sin %v38 : f64
  %v40 = tfx_host.make_struct(%v39, %n, %v14) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b36(%v37, %v37 : !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b35:
  %v41 = tfx_host.closure @f0(%v30, %v16) : (tensor<3xf64>, tensor<3x3xf64>) -> !tfx_host.closure<(i64) -> f64>
  %v42 = tfx_host.apply %v41(%n) : !tfx_host.closure<(i64) -> f64>
  %v43 = tfx_tensor.op "MatMul"(%v16, %v7) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v44 = tfx_tensor.op "Tanh"(%v43) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v45 = func.call @f1(%v42, %v2, %v2, %v29) : (f64, !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>, i64) -> f64
  cf.br ^b36(%v2, %v2 : !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>)
^b36(%v46: !tfx_host.struct<@Pair>, %v47: !tfx_host.struct<@Pair>):
  %v48 = arith.cmpi slt, %v29, %n : i64
  cf.cond_br %v48, ^b27, ^b28(%v31, %v30 : tensor<3xf64>, tensor<3xf64>)
^b27:
  %v49 = arith.remsi %n, %i2 : i64
  %v50 = arith.cmpi eq, %v49, %i1 : i64
  cf.cond_br %v50, ^b51, ^b52
^b51:
  %v54 = math.sin %v14 : f64
  %v55 = math.exp %v54 : f64
  %v56 = arith.mulf %v55, %half : f64
  %v57 = tfx_tensor.op "Sum"(%v7, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v58 = tfx_tensor.op "Tanh"(%v57) : (tensor<3xf64>) -> tensor<3xf64>
  %v59 = arith.mulf %v56, %v14 : f64
  %v60 = math.sin %v59 : f64
  cf.br ^b53(%v56 : f64)
^b52:
  %v61 = tfx_tensor.op "Sum"(%v7, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v62 = tfx_tensor.op "Tanh"(%v61) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b53(%v14 : f64)
^b53(%v63: f64):
  cf.br ^b64(%i0, %v7 : i64, tensor<3x3xf64>)
^b64(%v67: i64, %v68: tensor<3x3xf64>):
  %v69 = tfx_host.insert %v63 into %v47["left"] : f64, !tfx_host.struct<@Pair>
  %v70 = arith.cmpi slt, %v67, %n : i64
  cf.cond_br %v70, ^b65, ^b66(%v68 : tensor<3x3xf64>)
^b65:
  %v71 = math.sin %v63 : f64
  %v72 = arith.addf %v71, %two : f64
  %v73 = arith.divf %v14, %v72 : f64
  %v74 = func.call @f1(%v14, %v69, %v47, %v67) : (f64, !tfx_host.struct<@Pair>, !tfx_host.struct<@Pair>, i64) -> f64
  %v75 = arith.addi %v67, %i1 : i64
  cf.br ^b64(%v75, %v16 : i64, tensor<3x3xf64>)
^b66(%v76: tensor<3x3xf64>):
  %v77 = arith.constant 2 : i64
  cf.br ^b78(%i0, %v47 : i64, !tfx_host.struct<@Pair>)
^b78(%v81: i64, %v82: !tfx_host.struct<@Pair>):
  %v83 = func.call @f0(%v31, %x0, %v81) : (tensor<3xf64>, tensor<3x3xf64>, i64) -> f64
  %v84 = arith.cmpi slt, %v81, %v77 : i64
  cf.cond_br %v84, ^b79, ^b80(%v47 : !tfx_host.struct<@Pair>)
^b79:
  %v85 = tfx_host.insert %v9 into %v2["left"] : f64, !tfx_host.struct<@Pair>
  %v86 = arith.constant -0.24000000000000002 : f64
  %v87 = arith.cmpf ogt, %v83, %v86 : f64
  cf.cond_br %v87, ^b80(%v46 : !tfx_host.struct<@Pair>), ^b88
^b88:
  %v89 = arith.mulf %v9, %v83 : f64
  %v90 = math.sin %v89 : f64
  %v91 = arith.addi %v81, %i1 : i64
  cf.br ^b78(%v91, %v47 : i64, !tfx_host.struct<@Pair>)
^b80(%v92: !tfx_host.struct<@Pair>):
  %v93 = arith.addi %v29, %i1 : i64
  cf.br ^b26(%v93, %v31, %v31 : i64, tensor<3xf64>, tensor<3xf64>)
^b28(%v94: tensor<3xf64>, %v95: tensor<3xf64>):
  %v96 = arith.addi %v6, %i1 : i64
  cf.br ^b3(%v96, %v12 : i64, tensor<3x3xf64>)
^b5(%v97: tensor<3x3xf64>):
  %v98 = arith.addf %x1, %x1 : f64
  %v99 = arith.mulf %v98, %half : f64
  %v100 = tfx_tensor.op "Sum"(%v97, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v101 = tfx_tensor.to_scalar %v100 : tensor<f64> -> f64
  %v102 = math.sin %v101 : f64
  %v103 = arith.addf %v99, %v102 : f64
  %v104 = arith.mulf %v103, %half : f64
  return %v104 : f64
}
func.func public @probe(%x0: tensor<3x3xf64>, %x1: f64, %n: i64) -> f64 {
  %y = func.call @f2(%x0, %x1, %n) : (tensor<3x3xf64>, f64, i64) -> f64
  return %y : f64
}
func.func private @norm(%x0: tensor<3x3xf64>, %x1: f64, %n: i64) -> f64 {
  %g = tfx_ad.gradient @f2(%x0, %x1, %n) wrt [0] : (tensor<3x3xf64>, f64, i64) -> tensor<3x3xf64>
  %s = func.call @dot.Matrix(%g, %g) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  return %s : f64
}
func.func public @main(%x0: tensor<3x3xf64>, %x1: f64, %n: i64) {
  %v, %g0, %g1 = tfx_ad.gradient @f2(%x0, %x1, %n) wrt [0, 1] value : (tensor<3x3xf64>, f64, i64) -> (f64, tensor<3x3xf64>, f64)
  tfx_host.print "value {}"(%v) : f64
  tfx_host.print "gradient 0 {}"(%g0) : tensor<3x3xf64>
  tfx_host.print "gradient 1 {}"(%g1) : f64
  %d0 = tfx_tensor.const dense<[[0.1100000000000001, 0.8500000000000001, 0.45999999999999996], [-0.42000000000000004, -0.22999999999999998, -0.85], [-0.85, -0.71, 0.22999999999999998]]> : tensor<3x3xf64>
  %d1 = arith.constant -0.08999999999999997 : f64
  %w, %t = tfx_ad.jvp @f2(%x0, %x1, %n) tangents(%d0, %d1 : tensor<3x3xf64>, f64) wrt [0, 1] : (tensor<3x3xf64>, f64, i64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %p0 = func.call @dot.Matrix(%g0, %d0) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  %s0 = arith.addf %zero, %p0 : f64
  %p1 = func.call @dot.Number(%g1, %d1) : (f64, f64) -> f64
  %s1 = arith.addf %s0, %p1 : f64
  %agree.first = func.call @close(%s1, %t) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.first, %s1, %t) : i1, f64, f64
  %unit = arith.constant 1.0 : f64
  %double = arith.constant 2.0 : f64
  %u, %pull = tfx_ad.vjp @f2(%x0, %x1, %n) wrt [0] : (tensor<3x3xf64>, f64, i64) -> (f64, !tfx_host.closure<(f64) -> tensor<3x3xf64>>)
  %a0 = tfx_host.apply %pull(%unit) : !tfx_host.closure<(f64) -> tensor<3x3xf64>>
  %pa0 = func.call @dot.Matrix(%a0, %d0) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  %ea0 = arith.mulf %p0, %unit : f64
  %agree.pullback0 = func.call @close(%pa0, %ea0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.pullback0, %pa0, %ea0) : i1, f64, f64
  %a1 = tfx_host.apply %pull(%double) : !tfx_host.closure<(f64) -> tensor<3x3xf64>>
  %pa1 = func.call @dot.Matrix(%a1, %d0) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  %ea1 = arith.mulf %p0, %double : f64
  %agree.pullback1 = func.call @close(%pa1, %ea1) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.pullback1, %pa1, %ea1) : i1, f64, f64
  %rr = tfx_ad.gradient @norm(%x0, %x1, %n) wrt [0] : (tensor<3x3xf64>, f64, i64) -> tensor<3x3xf64>
  %vv, %fr = tfx_ad.jvp @norm(%x0, %x1, %n) tangents(%d0 : tensor<3x3xf64>) wrt [0] : (tensor<3x3xf64>, f64, i64) -> (f64, f64)
  %prr = func.call @dot.Matrix(%rr, %d0) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  %agree.second = func.call @close(%prr, %fr) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.second, %prr, %fr) : i1, f64, f64
  return
}
