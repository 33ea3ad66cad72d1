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
func.func private @f0(%x0: f64, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  cf.br ^b1(%i0, %x0 : i64, f64)
^b1(%v4: i64, %v5: f64):
  %v6 = arith.cmpi slt, %v4, %n : i64
  cf.cond_br %v6, ^b2, ^b3(%v5 : f64)
^b2:
  %v7 = arith.mulf %x0, %v5 : f64
  %v8 = math.sin %v7 : f64
  %v9 = tfx_host.make_struct(%v5, %n, %v8) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v10 = tfx_tensor.from_scalar %v8 : f64
  %v11 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v12 = tfx_tensor.op "Mul"(%v10, %v11) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v13 = arith.constant 0 : i64
  cf.br ^b14(%i0, %v9, %v12 : i64, !tfx_host.struct<@Pair>, tensor<3x3xf64>)
^b14(%v17: i64, %v18: !tfx_host.struct<@Pair>, %v19: tensor<3x3xf64>):
  %v20 = arith.cmpi slt, %v17, %v13 : i64
  cf.cond_br %v20, ^b15, ^b16(%v18, %v19 : !tfx_host.struct<@Pair>, tensor<3x3xf64>)
^b15:
  %v21 = tfx_tensor.op "Sum"(%v19, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v22 = tfx_tensor.op "Tanh"(%v21) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b23(%i0, %v22, %v22 : i64, tensor<3xf64>, tensor<3xf64>)
^b23(%v26: i64, %v27: tensor<3xf64>, %v28: tensor<3xf64>):
  %v29 = arith.subf %x0, %v8 : f64
  %v30 = math.cos %v29 : f64
  %v31 = arith.cmpi slt, %v26, %n : i64
  cf.cond_br %v31, ^b24, ^b25(%v28, %v28 : tensor<3xf64>, tensor<3xf64>)
^b24:
  %v32 = tfx_tensor.op "Mul"(%v28, %v19) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v33 = tfx_tensor.op "Tanh"(%v32) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v34 = tfx_tensor.op "AddV2"(%v33, %v28) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3x3xf64>
  %v35 = tfx_tensor.op "Tanh"(%v34) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v36 = arith.constant -0.21000000000000002 : f64
  %v37 = arith.cmpf ogt, %v30, %v36 : f64
  cf.cond_br %v37, ^b25(%v27, %v28 : tensor<3xf64>, tensor<3xf64>), ^b38
^b38:
  %v39 = arith.addf %v5, %v30 : f64
  %v40 = arith.mulf %v39, %half : f64
  %v41 = arith.addi %v26, %i1 : i64
  cf.br ^b23(%v41, %v28, %v22 : i64, tensor<3xf64>, tensor<3xf64>)
^b25(%v42: tensor<3xf64>, %v43: tensor<3xf64>):
  %v44 = tfx_tensor.op "Sum"(%v19, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v45 = tfx_tensor.op "Tanh"(%v44) : (tensor<3xf64>) -> tensor<3xf64>
  %v46 = arith.constant 0.5399999999999999 : f64
  %v47 = arith.cmpf ogt, %v8, %v46 : f64
  cf.cond_br %v47, ^b16(%v18, %v19 : !tfx_host.struct<@Pair>, tensor<3x3xf64>), ^b48
^b48:
  %v49 = arith.constant 0 : i64
  cf.br ^b50(%i0, %v19 : i64, tensor<3x3xf64>)
^b50(%v53: i64, %v54: tensor<3x3xf64>):
  %v55 = arith.cmpi slt, %v53, %v49 : i64
  cf.cond_br %v55, ^b51, ^b52(%v54 : tensor<3x3xf64>)
^b51:
  %v56 = arith.mulf %v8, %v8 : f64
  %v57 = math.sin %v56 : f64
  %v58 = math.sin %v8 : f64
  %v59 = math.exp %v58 : f64
  %v60 = arith.mulf %v59, %half : f64
  %v61 = tfx_tensor.op "Mul"(%v45, %v54) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v62 = tfx_tensor.op "Tanh"(%v61) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v63 = arith.addi %v53, %i1 : i64
  cf.br ^b50(%v63, %v54 : i64, tensor<3x3xf64>)
^b52(%v64: tensor<3x3xf64>):
  %v65 = arith.addi %v17, %i1 : i64
  cf.br ^b14(%v65, %v18, %v19 : i64, !tfx_host.struct<@Pair>, tensor<3x3xf64>)
^b16(%v66: !tfx_host.struct<@Pair>, %v67: tensor<3x3xf64>):
  %v68 = math.sin %v5 : f64
  %v69 = math.exp %v68 : f64
  %v70 = arith.mulf %v69, %half : f64
  %v71 = arith.remsi %v4, %i2 : i64
  %v72 = arith.cmpi eq, %v71, %i1 : i64
  cf.cond_br %v72, ^b3(%v8 : f64), ^b73
^b73:
  %v74 = arith.constant -0.14 : f64
  %v75 = arith.cmpf ogt, %v70, %v74 : f64
  cf.cond_br %v75, ^b76, ^b77
^b76:
  %v79 = tfx_tensor.from_scalar %v70 : f64
  %v80 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v81 = tfx_tensor.op "Mul"(%v79, %v80) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v82 = arith.constant -0.11000000000000004 : f64
  %v83 = arith.cmpf ogt, %v70, %v82 : f64
  cf.cond_br %v83, ^b84, ^b85
^b84:
  %v87 = tfx_tensor.from_scalar %v5 : f64
  %v88 = tfx_tensor.op "Sub"(%v87, %v67) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v89 = tfx_tensor.op "Tanh"(%v88) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v90 = tfx_tensor.from_scalar %v70 : f64
  %v91 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v92 = tfx_tensor.op "Mul"(%v90, %v91) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b86(%v92 : tensor<3xf64>)
^b85:
  %v93 = tfx_tensor.op "MatMul"(%v67, %v67) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v94 = tfx_tensor.op "Tanh"(%v93) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v95 = math.sin %v8 : f64
  %v96 = arith.addf %v95, %two : f64
  %v97 = arith.divf %v70, %v96 : f64
  %v98 = tfx_tensor.op "Sum"(%v94, %axis) : (tensor<3x3xf64>, tensor<1xi32>) -> tensor<3xf64>
  %v99 = tfx_tensor.op "Tanh"(%v98) : (tensor<3xf64>) -> tensor<3xf64>
  cf.br ^b86(%v99 : tensor<3xf64>)
^b86(%v100: tensor<3xf64>):
  %v101 = tfx_host.insert %v8 into %v66["left"] : f64, !tfx_host.struct<@Pair>
  cf.br ^b78(%v101 : !tfx_host.struct<@Pair>)
^b77:
  cf.br ^b78(%v66 : !tfx_host.struct<@Pair>)
^b78(%v102: !tfx_host.struct<@Pair>):
  %v103 = arith.addi %v4, %i1 : i64
  cf.br ^b1(%v103, %v70 : i64, f64)
^b3(%v104: f64):
  %v105 = arith.subf %v104, %v104 : f64
  %v106 = math.cos %v105 : f64
  %v107 = tfx_tensor.from_scalar %v106 : f64
  %v108 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v109 = tfx_tensor.op "Mul"(%v107, %v108) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v110 = tfx_tensor.op "Sum"(%v109, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v111 = tfx_tensor.to_scalar %v110 : tensor<f64> -> f64
  %v112 = math.sin %v111 : f64
  %v113 = tfx_host.make_struct(%v106, %n, %v106) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v114 = tfx_host.extract %v113["right"] : !tfx_host.struct<@Pair> -> f64
  %v115 = arith.addf %v112, %v114 : f64
  %v116 = arith.mulf %v115, %half : f64
  %v117 = tfx_tensor.from_scalar %v104 : f64
  %v118 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v119 = tfx_tensor.op "Mul"(%v117, %v118) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v120 = tfx_tensor.op "Sum"(%v119, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v121 = tfx_tensor.to_scalar %v120 : tensor<f64> -> f64
  %v122 = math.sin %v121 : f64
  %v123 = arith.addf %v116, %v122 : f64
  %v124 = arith.mulf %v123, %half : f64
  return %v124 : f64
}
func.func private @f1(%x0: f64, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_host.var : !tfx_host.ref<f64>
  tfx_host.store %x0, %v1 : f64
  %v2 = arith.constant 0.5 : f64
  %v3 = arith.cmpf ogt, %x0, %v2 : f64
  cf.cond_br %v3, ^b4, ^b5
^b4:
  %v6 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v7 = tfx_tensor.from_scalar %v6 : f64
  %v8 = tfx_tensor.const dense<[[0.3, 0.1, -0.2], [0.5, -0.4, 0.2], [0.1, 0.6, -0.3]]> : tensor<3x3xf64>
  %v9 = tfx_tensor.op "Mul"(%v7, %v8) : (tensor<f64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v10 = tfx_host.make_struct(%v6, %n, %x0) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v11 = arith.constant 2 : i64
  cf.br ^b12(%i0, %v9, %v10 : i64, tensor<3x3xf64>, !tfx_host.struct<@Pair>)
^b12(%v15: i64, %v16: tensor<3x3xf64>, %v17: !tfx_host.struct<@Pair>):
  %v18 = arith.cmpi slt, %v15, %v11 : i64
  cf.cond_br %v18, ^b13, ^b14(%v16, %v17 : tensor<3x3xf64>, !tfx_host.struct<@Pair>)
^b13:
  %v19 = func.call @f0(%v6, %n) : (f64, i64) -> f64
  %v20 = arith.constant -0.35000000000000003 : f64
  %v21 = arith.cmpf ogt, %v6, %v20 : f64
  cf.cond_br %v21, ^b14(%v16, %v17 : tensor<3x3xf64>, !tfx_host.struct<@Pair>), ^b22
^b22:
  %v23 = arith.addi %v15, %i1 : i64
  cf.br ^b12(%v23, %v16, %v17 : i64, tensor<3x3xf64>, !tfx_host.struct<@Pair>)
^b14(%v24: tensor<3x3xf64>, %v25: !tfx_host.struct<@Pair>):
  %v26 = func.call @f0(%v6, %n) : (f64, i64) -> f64
  tfx_host.store %x0, %v1 : f64
  cf.br ^b5
^b5:
  %v27 = tfx_host.load %v1 : !tfx_host.ref<f64>
  %v28 = tfx_host.make_struct(%v27, %n, %v27) : (f64, i64, f64) -> !tfx_host.struct<@Pair>
  %v29 = math.sin %v27 : f64
  %v30 = math.exp %v29 : f64
  %v31 = arith.mulf %v30, %half : f64
  %v32 = tfx_host.extract %v28["left"] : !tfx_host.struct<@Pair> -> f64
  %v33 = tfx_host.extract %v28["right"] : !tfx_host.struct<@Pair> -> f64
  %v34 = arith.addf %v32, %v33 : f64
  %v35 = arith.mulf %v34, %half : f64
  %v36 = arith.addf %v35, %v31 : f64
  %v37 = arith.mulf %v36, %half : f64
  return %v37 : f64
}
func.func private @f2(%x0: tensor<3x3xf64>, %x1: f64, %n: i64) -> f64 {
  %i0 = arith.constant 0 : i64
  %i1 = arith.constant 1 : i64
  %i2 = arith.constant 2 : i64
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2.0 : f64
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %axis = tfx_tensor.const dense<0> : tensor<1xi32>
  %v1 = tfx_tensor.from_scalar %x1 : f64
  %v2 = tfx_tensor.const dense<[0.3, -0.2, 0.7]> : tensor<3xf64>
  %v3 = tfx_tensor.op "Mul"(%v1, %v2) : (tensor<f64>, tensor<3xf64>) -> tensor<3xf64>
  %v4 = arith.constant 3 : i64
  cf.br ^b5(%i0, %v3, %x1 : i64, tensor<3xf64>, f64)
^b5(%v8: i64, %v9: tensor<3xf64>, %v10: f64):
  %v11 = arith.cmpi slt, %v8, %v4 : i64
  cf.cond_br %v11, ^b6, ^b7(%v9, %v10 : tensor<3xf64>, f64)
^b6:
  %v12 = math.sin %v10 : f64
  %v13 = arith.addf %v12, %two : f64
  %v14 = arith.divf %x1, %v13 : f64
  %v15 = arith.addf %v14, %v10 : f64
  %v16 = arith.mulf %v15, %half : f64
  %v17 = tfx_tensor.op "Mul"(%v9, %x0) : (tensor<3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
  %v18 = tfx_tensor.op "Tanh"(%v17) : (tensor<3x3xf64>) -> tensor<3x3xf64>
  %v19 = arith.addi %v8, %i1 : i64
  cf.br ^b5(%v19, %v9, %v10 : i64, tensor<3xf64>, f64)
^b7(%v20: tensor<3xf64>, %v21: f64):
  %v22 = func.call @f1(%v21, %n) : (f64, i64) -> f64
  cf.br ^b23(%i0, %v20 : i64, tensor<3xf64>)
^b23(%v26: i64, %v27: tensor<3xf64>):
  %v28 = arith.cmpi slt, %v26, %n : i64
  cf.cond_br %v28, ^b24, ^b25(%v20 : tensor<3xf64>)
^b24:
  %v29 = tfx_ad.stop %v21 : f64
  %v30 = arith.mulf %v29, %half : f64
  %v31 = arith.subf %v30, %v30 : f64
  %v32 = arith.addf %v22, %v31 : f64
  %v33 = math.sin %v32 : f64
  %v34 = arith.addi %v26, %i1 : i64
  cf.br ^b23(%v34, %v20 : i64, tensor<3xf64>)
^b25(%v35: tensor<3xf64>):
  %v36 = tfx_host.closure @f1(%v21) : (f64) -> !tfx_host.closure<(i64) -> f64>
  %v37 = tfx_host.apply %v36(%n) : !tfx_host.closure<(i64) -> f64>
  %v38 = tfx_host.closure @f0(%v37) : (f64) -> !tfx_host.closure<(i64) -> f64>
  %v39 = tfx_host.apply %v38(%n) : !tfx_host.closure<(i64) -> f64>
  %v40 = tfx_tensor.op "Sum"(%x0, %axes) : (tensor<3x3xf64>, tensor<2xi32>) -> tensor<f64>
  %v41 = tfx_tensor.to_scalar %v40 : tensor<f64> -> f64
  %v42 = math.sin %v41 : f64
  %v43 = arith.addf %v37, %v42 : f64
  %v44 = arith.mulf %v43, %half : f64
  %v45 = arith.addf %v44, %v37 : f64
  %v46 = arith.mulf %v45, %half : f64
  return %v46 : f64
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
  %d0 = tfx_tensor.const dense<[[0.94, -0.79, 0.26], [0.010000000000000009, -0.52, -0.98], [0.8600000000000001, 0.5700000000000001, -0.85]]> : tensor<3x3xf64>
  %d1 = arith.constant 0.09000000000000008 : f64
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
