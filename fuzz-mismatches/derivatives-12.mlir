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
func.func private @f0(%x0: tensor<3x3xf64>, %x1: f64, %x2: tensor<3x3xf64>, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<periodic<2>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.make_struct(%x1, %n, %x1) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v2 = arith.index_cast %n : i64 to index
  %v3 = arith.remui %v2, %three : index
  %v4 = arith.constant 1 : index
  %v5 = arith.addi %v3, %v4 : index
  %v6 = tfx_host.array_fill %x1, %v5 : !tfx_host.array<f64>
  %v7 = arith.remsi %n, %i2 : i64
  %v8 = arith.cmpi eq, %v7, %i1 : i64
  cf.cond_br %v8, ^b9, ^b10
^b9:
  %v12 = tfx_tensor.from_scalar %x1 : f64
  %v13 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v14 = tfx_tensor.op "Mul"(%v12, %v13) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v15 = tfx_tensor.op "Mul"(%v14, %x2) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v16 = tfx_tensor.op "Tanh"(%v15) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v17 = tfx_host.insert %x1 into %v1["left"] : f64, !tfx_host.struct<@Pair>
  %v18 = tfx_tensor.from_scalar %x1 : f64
  %v19 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v20 = tfx_tensor.op "Mul"(%v18, %v19) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v21 = arith.remsi %n, %i2 : i64
  %v22 = arith.cmpi eq, %v21, %i1 : i64
  cf.cond_br %v22, ^b23, ^b24
^b23:
  %v26 = tfx_ad.stop %x1 : f64
  %v27 = arith.mulf %v26, %half : f64
  %v28 = arith.subf %v27, %v27 : f64
  %v29 = arith.addf %x1, %v28 : f64
  %v30 = math.sin %v29 : f64
  %v31 = tfx_tensor.from_scalar %x1 : f64
  %v32 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v33 = tfx_tensor.op "Mul"(%v31, %v32) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b25(%v33 : tensor<3xf64>)
^b24:
  %v34 = arith.mulf %x1, %x1 : f64
  %v35 = math.sin %v34 : f64
  %v36 = tfx_tensor.from_scalar %v35 : f64
  %v37 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v38 = tfx_tensor.op "Mul"(%v36, %v37) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b25(%v38 : tensor<3xf64>)
^b25(%v39: tensor<3xf64>):
  %v40 = tfx_host.array(%x1, %x1, %x1) : !tfx_host.array<f64>
  cf.br ^b11(%v16, %v40 : tensor<3x3xf64>, !tfx_host.array<f64>)
^b10:
  %v41 = tfx_host.array(%x1, %x1, %x1) : !tfx_host.array<f64>
  cf.br ^b11(%x0, %v41 : tensor<3x3xf64>, !tfx_host.array<f64>)
^b11(%v42: tensor<3x3xf64>, %v43: !tfx_host.array<f64>):
  %v44 = arith.constant 2 : i64
  cf.br ^b45(%i0, %v43, %x0 : i64, !tfx_host.array<f64>, tensor<3x3xf64>)
^b45(%v48: i64, %v49: !tfx_host.array<f64>, %v50: tensor<3x3xf64>):
  %v51 = arith.mulf %x1, %x1 : f64
  %v52 = math.sin %v51 : f64
  %v53 = arith.cmpi slt, %v48, %v44 : i64
  cf.cond_br %v53, ^b46, ^b47(%v49, %v50 : !tfx_host.array<f64>, tensor<3x3xf64>)
^b46:
  %v54 = tfx_tensor.from_scalar %v52 : f64
  %v55 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v56 = tfx_tensor.op "Mul"(%v54, %v55) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v57 = tfx_tensor.op "AddV2"(%v50, %v56) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v58 = tfx_tensor.op "Tanh"(%v57) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v59 = arith.constant 0.42999999999999994 : f64
  %v60 = arith.cmpf ogt, %x1, %v59 : f64
  cf.cond_br %v60, ^b61, ^b62
^b61:
  %v64 = tfx_tensor.from_scalar %v52 : f64
  %v65 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v66 = tfx_tensor.op "Mul"(%v64, %v65) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v67 = tfx_tensor.op "AddV2"(%x2, %v66) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v68 = tfx_tensor.op "Tanh"(%v67) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v69 = tfx_tensor.op "Sum"(%v68, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v70 = tfx_tensor.op "Tanh"(%v69) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b63(%v1, %v42 : !tfx_host.struct<@Pair>, tensor<3x3xf64>)
^b62:
  %v71 = tfx_host.array_count %v49 : !tfx_host.array<f64>
  %v72 = arith.index_cast %v48 : i64 to index
  %v73 = arith.remui %v72, %v71 : index
  %v74 = tfx_host.array_set %v52 into %v49[%v73] : !tfx_host.array<f64>
  cf.br ^b63(%v1, %x2 : !tfx_host.struct<@Pair>, tensor<3x3xf64>)
^b63(%v75: !tfx_host.struct<@Pair>, %v76: tensor<3x3xf64>):
  %v77 = tfx_ad.stop %v52 : f64
  %v78 = arith.mulf %v77, %half : f64
  %v79 = arith.subf %v78, %v78 : f64
  %v80 = arith.addf %v52, %v79 : f64
  %v81 = math.sin %v80 : f64
  %v82 = arith.addi %v48, %i1 : i64
  cf.br ^b45(%v82, %v49, %v58 : i64, !tfx_host.array<f64>, tensor<3x3xf64>)
^b47(%v83: !tfx_host.array<f64>, %v84: tensor<3x3xf64>):
  %v85 = tfx_tensor.from_scalar %x1 : f64
  %v86 = tfx_tensor.op "Sub"(%v85, %v42) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v87 = tfx_tensor.op "Tanh"(%v86) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v88 = arith.remsi %n, %i2 : i64
  %v89 = arith.cmpi eq, %v88, %i1 : i64
  cf.cond_br %v89, ^b90, ^b91
^b90:
  cf.br ^b92(%v83, %v87 : !tfx_host.array<f64>, tensor<3x3xf64>)
^b91:
  %v93 = tfx_tensor.from_scalar %x1 : f64
  %v94 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v95 = tfx_tensor.op "Mul"(%v93, %v94) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b96(%i0, %x1, %v95 : i64, f64, tensor<3xf64>)
^b96(%v99: i64, %v100: f64, %v101: tensor<3xf64>):
  %v102 = math.sin %v100 : f64
  %v103 = arith.addf %v102, %two : f64
  %v104 = arith.divf %v100, %v103 : f64
  %v105 = arith.cmpi slt, %v99, %n : i64
  cf.cond_br %v105, ^b97, ^b98(%v100, %v101 : f64, tensor<3xf64>)
^b97:
  %v106 = tfx_tensor.op "Sum"(%v87, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v107 = tfx_tensor.op "Tanh"(%v106) : (tensor<3xf64>) -> tensor<3xf64>
  %v108 = arith.addi %v99, %i1 : i64
  cf.br ^b96(%v108, %v100, %v101 : i64, f64, tensor<3xf64>)
^b98(%v109: f64, %v110: tensor<3xf64>):
  %v111 = arith.mulf %x1, %v109 : f64
  %v112 = math.sin %v111 : f64
  %v113 = arith.mulf %v109, %v109 : f64
  %v114 = math.sin %v113 : f64
  cf.br ^b92(%v43, %v84 : !tfx_host.array<f64>, tensor<3x3xf64>)
^b92(%v115: !tfx_host.array<f64>, %v116: tensor<3x3xf64>):
  %v117 = arith.subf %x1, %x1 : f64
  %v118 = math.cos %v117 : f64
  %v119 = tfx_host.extract %v1["right"] : !tfx_host.struct<@Pair> -> f64
  %v120 = tfx_tensor.op "Sum"(%v116, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v121 = tfx_tensor.to_scalar %v120 : tensor<f64> -> f64
  %v122 = math.sin %v121 : f64
  %v123 = arith.addf %v119, %v122 : f64
  %v124 = arith.mulf %v123, %half : f64
  %v125 = tfx_host.array_count %v115 : !tfx_host.array<f64>
  %v126 = arith.index_cast %n : i64 to index
  %v127 = arith.remui %v126, %v125 : index
  %v128 = tfx_host.array_get %v115[%v127] : !tfx_host.array<f64>
  %v129 = arith.addf %v124, %v128 : f64
  %v130 = arith.mulf %v129, %half : f64
  return %v130 : f64
}
func.func private @f1(%x0: !tfx_host.struct<@Pair>, %x1: f64, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<2>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x1, %v1 : f64
  %v2 = arith.remsi %n, %i2 : i64
  %v3 = arith.cmpi eq, %v2, %i1 : i64
  cf.cond_br %v3, ^b4, ^b5
^b4:
  %v6 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v7 = tfx_tensor.from_scalar %v6 : f64
  %v8 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v9 = tfx_tensor.op "Mul"(%v7, %v8) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v10 = tfx_tensor.from_scalar %v6 : f64
  %v11 = tfx_tensor.op "Sub"(%v10, %v9) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v12 = tfx_tensor.op "Tanh"(%v11) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v13 = arith.addf %v6, %v6 : f64
  %v14 = arith.mulf %v13, %half : f64
  tfx_host.store %x1, %v1 : f64
  cf.br ^b5
^b5:
  %v15 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v16 = tfx_tensor.from_scalar %v15 : f64
  %v17 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v18 = tfx_tensor.op "Mul"(%v16, %v17) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v19 = tfx_tensor.from_scalar %v15 : f64
  %v20 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v21 = tfx_tensor.op "Mul"(%v19, %v20) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v22 = tfx_tensor.op "AddV2"(%v18, %v21) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v23 = tfx_tensor.op "Tanh"(%v22) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v24 = tfx_host.extract %x0["right"] : !tfx_host.struct<@Pair> -> f64
  %v25 = tfx_host.array(%x1, %x1, %v15) : !tfx_host.array<f64>
  %v26 = tfx_host.array_count %v25 : !tfx_host.array<f64>
  %v27 = arith.index_cast %n : i64 to index
  %v28 = arith.remui %v27, %v26 : index
  %v29 = tfx_host.array_get %v25[%v28] : !tfx_host.array<f64>
  %v30 = arith.addf %v24, %v29 : f64
  %v31 = arith.mulf %v30, %half : f64
  %v32 = arith.index_cast %n : i64 to index
  %v33 = arith.remui %v32, %three : index
  %v34 = arith.constant 1 : index
  %v35 = arith.addi %v33, %v34 : index
  %v36 = tfx_host.array_fill %x1, %v35 : !tfx_host.array<f64>
  %v37 = tfx_host.array_count %v36 : !tfx_host.array<f64>
  %v38 = arith.index_cast %n : i64 to index
  %v39 = arith.remui %v38, %v37 : index
  %v40 = tfx_host.array_get %v36[%v39] : !tfx_host.array<f64>
  %v41 = arith.addf %v31, %v40 : f64
  %v42 = arith.mulf %v41, %half : f64
  return %v42 : f64
}
func.func private @f2(%x0: f64, %x1: tensor<3x3xf64>, %n: i64) -> f64 attributes {tfx_ad.checkpoint = #tfx_ad.checkpoint<binomial<1>>} {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3 : index
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x0, %v1 : f64
  %v2 = arith.remsi %n, %i2 : i64
  %v3 = arith.cmpi eq, %v2, %i1 : i64
  cf.cond_br %v3, ^b4, ^b5
^b4:
  %v6 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v7 = tfx_tensor.from_scalar %v6 : f64
  %v8 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v9 = tfx_tensor.op "Mul"(%v7, %v8) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v10 = tfx_tensor.op "Mul"(%v9, %x1) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v11 = tfx_tensor.op "Tanh"(%v10) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  tfx_host.store %x0, %v1 : f64
  cf.br ^b5
^b5:
  %v12 = tfx_host.load %v1 : !tfx_host.ref<f64>
  cf.br ^b13(%i0, %v12 : i64, f64)
^b13(%v16: i64, %v17: f64):
  %v18 = arith.cmpi slt, %v16, %n : i64
  cf.cond_br %v18, ^b14, ^b15(%v17 : f64)
^b14:
  %v19 = tfx_host.make_struct(%v12, %n, %v17) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v20 = arith.constant 0.39 : f64
  %v21 = arith.cmpf ogt, %v12, %v20 : f64
  cf.cond_br %v21, ^b22, ^b23
^b22:
  %v25 = math.sin %v17 : f64
  %v26 = arith.addf %v25, %two : f64
  %v27 = arith.divf %x0, %v26 : f64
  %v28 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %v12, %v28 : f64
  %v29 = arith.constant -0.020000000000000018 : f64
  %v30 = arith.cmpf ogt, %v17, %v29 : f64
  cf.cond_br %v30, ^b31, ^b32
^b31:
  %v33 = tfx_host.load %v28 : !tfx_host.ref<f64>
  %v34 = arith.index_cast %v16 : i64 to index
  %v35 = arith.remui %v34, %three : index
  %v36 = arith.constant 1 : index
  %v37 = arith.addi %v35, %v36 : index
  %v38 = tfx_host.array_fill %v17, %v37 : !tfx_host.array<f64>
  %v39 = tfx_host.array_count %v38 : !tfx_host.array<f64>
  %v40 = arith.index_cast %v16 : i64 to index
  %v41 = arith.remui %v40, %v39 : index
  %v42 = tfx_host.array_set %v33 into %v38[%v41] : !tfx_host.array<f64>
  %v43 = tfx_tensor.op "MatMul"(%x1, %x1) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v44 = tfx_tensor.op "Tanh"(%v43) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  tfx_host.store %v33, %v28 : f64
  cf.br ^b32
^b32:
  %v45 = tfx_host.load %v28 : !tfx_host.ref<f64>
  %v46 = tfx_host.make_struct(%x0, %n, %v12) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b24(%v46 : !tfx_host.struct<@Pair>)
^b23:
  %v47 = arith.addf %v12, %v17 : f64
  %v48 = arith.mulf %v47, %half : f64
  %v49 = tfx_host.array(%v12, %v48, %v48) : !tfx_host.array<f64>
  %v50 = tfx_host.array_count %v49 : !tfx_host.array<f64>
  %v51 = arith.index_cast %v16 : i64 to index
  %v52 = arith.remui %v51, %v50 : index
  %v53 = tfx_host.array_set %v17 into %v49[%v52] : !tfx_host.array<f64>
  %v54 = tfx_host.make_struct(%v12, %n, %v48) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b24(%v54 : !tfx_host.struct<@Pair>)
^b24(%v55: !tfx_host.struct<@Pair>):
  %v56 = func.call @f1(%v55, %v17, %v16) : (!tfx_host.struct<@Pair>, f64, i64) -> f64
  %v57 = tfx_host.make_struct(%v17, %n, %v56) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v58 = arith.addi %v16, %i1 : i64
  cf.br ^b13(%v58, %v56 : i64, f64)
^b15(%v59: f64):
  %v60 = func.call @f0(%x1, %v59, %x1, %n) : (tensor<3x3xf64>, f64, tensor<3x3xf64>, i64) -> f64
  %v61 = tfx_tensor.op "MatMul"(%x1, %x1) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v62 = tfx_tensor.op "Tanh"(%v61) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v63 = tfx_host.make_struct(%v12, %n, %v59) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  cf.br ^b64(%i0, %v63, %x0 : i64, !tfx_host.struct<@Pair>, f64)
^b64(%v67: i64, %v68: !tfx_host.struct<@Pair>, %v69: f64):
  %v70 = arith.cmpi slt, %v67, %n : i64
  cf.cond_br %v70, ^b65, ^b66(%v68, %v69 : !tfx_host.struct<@Pair>, f64)
^b65:
  %v71 = tfx_tensor.from_scalar %v12 : f64
  %v72 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v73 = tfx_tensor.op "Mul"(%v71, %v72) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v74 = tfx_tensor.op "AddV2"(%v62, %v73) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v75 = tfx_tensor.op "Tanh"(%v74) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v76 = arith.addi %v67, %i1 : i64
  cf.br ^b64(%v76, %v68, %v60 : i64, !tfx_host.struct<@Pair>, f64)
^b66(%v77: !tfx_host.struct<@Pair>, %v78: f64):
  %v79 = tfx_host.make_struct(%v60, %n, %v59) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v80 = tfx_tensor.op "Sum"(%v62, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v81 = tfx_tensor.to_scalar %v80 : tensor<f64> -> f64
  %v82 = math.sin %v81 : f64
  %v83 = tfx_tensor.op "Sum"(%v62, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v84 = tfx_tensor.to_scalar %v83 : tensor<f64> -> f64
  %v85 = math.sin %v84 : f64
  %v86 = arith.addf %v82, %v85 : f64
  %v87 = arith.mulf %v86, %half : f64
  %v88 = tfx_host.array(%v60, %v78, %v78) : !tfx_host.array<f64>
  %v89 = tfx_host.array_count %v88 : !tfx_host.array<f64>
  %v90 = arith.index_cast %n : i64 to index
  %v91 = arith.remui %v90, %v89 : index
  %v92 = tfx_host.array_get %v88[%v91] : !tfx_host.array<f64>
  %v93 = arith.addf %v87, %v92 : f64
  %v94 = arith.mulf %v93, %half : f64
  return %v94 : f64
}
func.func public @probe(%x0: f64, %x1: tensor<3x3xf64>, %n: i64) -> f64 {
  %y = func.call @f2(%x0, %x1, %n) : (f64, tensor<3x3xf64>, i64) -> f64
  return %y : f64
}
func.func private @norm(%x0: f64, %x1: tensor<3x3xf64>, %n: i64) -> f64 {
  %g = tfx_ad.gradient @f2(%x0, %x1, %n) wrt [0] : (f64, tensor<3x3xf64>, i64) -> f64
  %s = func.call @dot.Number(%g, %g) : (f64, f64) -> f64
  return %s : f64
}
func.func private @last(%x1: tensor<3x3xf64>, %n: i64, %x0: f64) -> f64 {
  %y = func.call @f2(%x0, %x1, %n) : (f64, tensor<3x3xf64>, i64) -> f64
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
func.func public @main(%x0: f64, %x1: tensor<3x3xf64>, %n: i64) {
  %v, %g0, %g1 = tfx_ad.gradient @f2(%x0, %x1, %n) wrt [0, 1] value : (f64, tensor<3x3xf64>, i64) -> (f64, f64, tensor<3x3xf64>)
  tfx_host.print "value {}"(%v) : f64
  tfx_host.print "gradient 0 {}"(%g0) : f64
  tfx_host.print "gradient 1 {}"(%g1) : tensor<3x3xf64>
  %d0 = arith.constant 0.1499999999999999 : f64
  %d1 = tfx_tensor.const dense<[[-0.30000000000000004, -0.55, 0.77], [0.32000000000000006, -0.89, -0.38], [0.8500000000000001, -0.07999999999999996, 0.3500000000000001]]> : tensor<3x3xf64>
  %w, %t = tfx_ad.jvp @f2(%x0, %x1, %n) tangents(%d0, %d1 : f64, tensor<3x3xf64>) wrt [0, 1] : (f64, tensor<3x3xf64>, i64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %p0 = func.call @dot.Number(%g0, %d0) : (f64, f64) -> f64
  %s0 = arith.addf %zero, %p0 : f64
  %p1 = func.call @dot.Matrix(%g1, %d1) : (tensor<3x3xf64>, tensor<3x3xf64>) -> f64
  %s1 = arith.addf %s0, %p1 : f64
  %agree.first = func.call @close(%s1, %t) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.first, %s1, %t) : i1, f64, f64
  %unit = arith.constant 1.0 : f64
  %double = arith.constant 2.0 : f64
  %u, %pull = tfx_ad.vjp @f2(%x0, %x1, %n) wrt [0] : (f64, tensor<3x3xf64>, i64) -> (f64, !tfx_host.closure<(f64) -> f64>)
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
  %rr = tfx_ad.gradient @norm(%x0, %x1, %n) wrt [0] : (f64, tensor<3x3xf64>, i64) -> f64
  %vv, %fr = tfx_ad.jvp @norm(%x0, %x1, %n) tangents(%d0 : f64) wrt [0] : (f64, tensor<3x3xf64>, i64) -> (f64, f64)
  %prr = func.call @dot.Number(%rr, %d0) : (f64, f64) -> f64
  %agree.second = func.call @close(%prr, %fr) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.second, %prr, %fr) : i1, f64, f64
  %rest = tfx_host.closure @last(%x1, %n) : (tensor<3x3xf64>, i64) -> !tfx_host.closure<(f64) -> f64>
  %gc = func.call @slope(%rest, %x0) : (!tfx_host.closure<(f64) -> f64>, f64) -> f64
  %pgc = func.call @dot.Number(%gc, %d0) : (f64, f64) -> f64
  %agree.parameter = func.call @close(%pgc, %p0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.parameter, %pgc, %p0) : i1, f64, f64
  %all = tfx_host.closure @f2(%x0, %x1) : (f64, tensor<3x3xf64>) -> !tfx_host.closure<(i64) -> f64>
  %gt = tfx_ad.gradient @applied(%all, %n) wrt [0] : (!tfx_host.closure<(i64) -> f64>, i64) -> tuple<f64, tensor<3x3xf64>>
  %gt.part = tfx_host.tuple_get %gt[0] : tuple<f64, tensor<3x3xf64>>
  %pgt = func.call @dot.Number(%gt.part, %d0) : (f64, f64) -> f64
  %agree.captures = func.call @close(%pgt, %p0) : (f64, f64) -> i1
  tfx_host.print "agree {} {} {}"(%agree.captures, %pgt, %p0) : i1, f64, f64
  return
}
