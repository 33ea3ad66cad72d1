; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx --test random writes and compiles this file:
;   llc -mcpu=sm_70 -O0 random.ll -o random.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 random.ll -o random.sm_90.O3.ptx
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctpop.i64(i64)
declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)
declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)

define ptx_kernel void @random0(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fdiv double %v3, %v3
  %v5 = fsub double %v4, %v4
  %v6u = fcmp uno float %v2, %v2
  %v6b = bitcast float %v2 to i32
  %v6 = select i1 %v6u, i32 7, i32 %v6b
  %v7s = and i32 %v0, 31
  %v7 = shl i32 %v0, %v7s
  %v8s = and i32 %v7, 31
  %v8 = ashr i32 %v6, %v8s
  %v9 = fsub double %v4, %v5
  %v10s = or i32 %v6, 1
  %v10 = urem i32 %v6, %v10s
  %v11s = fcmp olt float %v2, %v2
  %v11 = select i1 %v11s, float %v2, float %v2
  %v12 = fdiv float %v2, %v2
  %v13u = fcmp uno double %v5, %v5
  %v13b = bitcast double %v5 to i64
  %v13 = select i1 %v13u, i64 7, i64 %v13b
  %v14 = sext i32 %v10 to i64
  %v15 = mul i64 %v14, %v13
  %v16s = and i64 %v1, 63
  %v16 = lshr i64 %v15, %v16s
  %v17 = call i64 @llvm.ctpop.i64(i64 %v15)
  %v18s = and i64 %v17, 63
  %v18 = ashr i64 %v17, %v18s
  %v19 = xor i64 %v18, %v18
  %v20 = or i64 %v13, %v19
  %v21 = or i64 %v13, %v19
  %v22 = and i64 %v15, %v20
  %v23s = icmp slt i64 %v20, %v14
  %v23 = select i1 %v23s, i64 %v14, i64 %v1
  %v24 = or i32 %v8, %v8
  %v25s = or i64 %v18, 1
  %v25 = urem i64 %v13, %v25s
  %v26 = call i64 @llvm.ctpop.i64(i64 %v14)
  %v27 = add i32 %v24, %v10
  %v28 = and i32 %v8, %v0
  %v29s = and i64 %v17, 63
  %v29 = ashr i64 %v22, %v29s
  %v30s = or i32 %v24, 1
  %v30 = udiv i32 %v24, %v30s
  %v31 = and i32 %v27, %v28
  %v32s = icmp slt i32 %v24, %v7
  %v32 = select i1 %v32s, i32 %v7, i32 %v8
  %v33s = or i64 %v22, 1
  %v33 = udiv i64 %v26, %v33s
  %v34 = or i32 %v27, %v32
  %v35 = xor i32 %v28, %v8
  %v36 = add i32 %v34, %v8
  %v37s = or i32 %v34, 1
  %v37 = udiv i32 %v34, %v37s
  %v38 = sub i64 %v21, %v26
  %v39s = and i32 %v32, 31
  %v39 = shl i32 %v24, %v39s
  %v40s = and i64 %v33, 63
  %v40 = shl i64 %v29, %v40s
  %v41 = call i32 @llvm.ctpop.i32(i32 %v34)
  %v42s = or i32 %v31, 1
  %v42 = urem i32 %v32, %v42s
  %v43s = or i32 %v39, 1
  %v43 = udiv i32 %v32, %v43s
  %v44 = add i32 %v24, %v31
  %v45s = or i64 %v26, 1
  %v45 = urem i64 %v21, %v45s
  %v46 = uitofp i64 %v38 to double
  %v47 = sext i32 %v36 to i64
  %v48s = and i32 %v36, 31
  %v48 = ashr i32 %v37, %v48s
  %v49s = and i64 %v33, 63
  %v49 = ashr i64 %v45, %v49s
  %v50 = mul i32 %v31, %v32
  %v51 = mul i64 %v47, %v49
  %v52 = uitofp i32 %v28 to float
  %v53 = xor i32 %v30, %v8
  %v54 = sext i32 %v28 to i64
  %v55s = fcmp olt double %v3, %v5
  %v55 = select i1 %v55s, double %v5, double %v46
  %v56s = or i64 %v1, 1
  %v56 = udiv i64 %v54, %v56s
  %v57 = fmul double %v46, %v3
  %v58 = fneg float %v52
  %v59s = icmp slt i32 %v34, %v7
  %v59 = select i1 %v59s, i32 %v7, i32 %v43
  %v60 = mul i64 %v54, %v21
  %v61 = mul i32 %v44, %v39
  %v62u = fcmp uno float %v52, %v52
  %v62b = bitcast float %v52 to i32
  %v62 = select i1 %v62u, i32 7, i32 %v62b
  %v63s = and i32 %v53, 31
  %v63 = shl i32 %v6, %v63s
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %z0 = zext i32 %v48 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %v49, ptr %py1
  %z2 = zext i32 %v50 to i64
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %z2, ptr %py2
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %v51, ptr %py3
  %r4u = fcmp uno float %v52, %v52
  %r4b = bitcast float %v52 to i32
  %r4 = select i1 %r4u, i32 7, i32 %r4b
  %z4 = zext i32 %r4 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %z5 = zext i32 %v53 to i64
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %z5, ptr %py5
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %v54, ptr %py6
  %r7u = fcmp uno double %v55, %v55
  %r7b = bitcast double %v55 to i64
  %r7 = select i1 %r7u, i64 7, i64 %r7b
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %r7, ptr %py7
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %v56, ptr %py8
  %r9u = fcmp uno double %v57, %v57
  %r9b = bitcast double %v57 to i64
  %r9 = select i1 %r9u, i64 7, i64 %r9b
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %r9, ptr %py9
  %r10u = fcmp uno float %v58, %v58
  %r10b = bitcast float %v58 to i32
  %r10 = select i1 %r10u, i32 7, i32 %r10b
  %z10 = zext i32 %r10 to i64
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %z10, ptr %py10
  %z11 = zext i32 %v59 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %v60, ptr %py12
  %z13 = zext i32 %v61 to i64
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %z13, ptr %py13
  %z14 = zext i32 %v62 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %z15 = zext i32 %v63 to i64
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %z15, ptr %py15
  ret void
}

define ptx_kernel void @random1(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = call float @llvm.fma.f32(float %v2, float %v2, float %v2)
  %v5s = fcmp olt float %v4, %v2
  %v5 = select i1 %v5s, float %v2, float %v2
  %v6u = fcmp uno double %v3, %v3
  %v6b = bitcast double %v3 to i64
  %v6 = select i1 %v6u, i64 7, i64 %v6b
  %v7s = icmp slt i64 %v1, %v1
  %v7 = select i1 %v7s, i64 %v1, i64 %v1
  %v8 = fsub double %v3, %v3
  %v9 = call double @llvm.sqrt.f64(double %v3)
  %v10 = fptrunc double %v9 to float
  %v11 = fadd float %v5, %v5
  %v12 = fsub double %v9, %v9
  %v13s = fcmp olt float %v11, %v11
  %v13 = select i1 %v13s, float %v11, float %v10
  %v14 = call float @llvm.sqrt.f32(float %v11)
  %v15 = call double @llvm.fma.f64(double %v8, double %v12, double %v8)
  %v16u = fcmp uno float %v10, %v10
  %v16b = bitcast float %v10 to i32
  %v16 = select i1 %v16u, i32 7, i32 %v16b
  %v17s = or i32 %v16, 1
  %v17 = udiv i32 %v16, %v17s
  %v18 = fsub double %v15, %v15
  %v19 = call float @llvm.sqrt.f32(float %v10)
  %v20u = fcmp uno float %v11, %v11
  %v20b = bitcast float %v11 to i32
  %v20 = select i1 %v20u, i32 7, i32 %v20b
  %v21 = fsub double %v3, %v8
  %v22 = mul i32 %v16, %v17
  %v23u = fcmp uno double %v9, %v9
  %v23b = bitcast double %v9 to i64
  %v23 = select i1 %v23u, i64 7, i64 %v23b
  %v24 = fptrunc double %v3 to float
  %v25s = and i32 %v20, 31
  %v25 = shl i32 %v20, %v25s
  %v26s = and i32 %v16, 31
  %v26 = shl i32 %v22, %v26s
  %v27s = and i32 %v26, 31
  %v27 = ashr i32 %v26, %v27s
  %v28s = and i32 %v20, 31
  %v28 = ashr i32 %v20, %v28s
  %v29 = sext i32 %v26 to i64
  %v30 = trunc i64 %v23 to i32
  %v31u = fcmp uno float %v19, %v19
  %v31b = bitcast float %v19 to i32
  %v31 = select i1 %v31u, i32 7, i32 %v31b
  %v32s = and i32 %v0, 31
  %v32 = lshr i32 %v16, %v32s
  %v33 = fadd double %v18, %v9
  %v34 = sub i64 %v6, %v29
  %v35u = fcmp uno double %v33, %v33
  %v35b = bitcast double %v33 to i64
  %v35 = select i1 %v35u, i64 7, i64 %v35b
  %v36 = uitofp i32 %v30 to float
  %v37s = fcmp olt float %v10, %v5
  %v37 = select i1 %v37s, float %v5, float %v2
  %v38 = sub i32 %v25, %v31
  %v39 = sext i32 %v25 to i64
  %v40u = fcmp uno float %v36, %v36
  %v40b = bitcast float %v36 to i32
  %v40 = select i1 %v40u, i32 7, i32 %v40b
  %v41s = fcmp olt double %v9, %v18
  %v41 = select i1 %v41s, double %v18, double %v8
  %v42 = fneg float %v4
  %v43s = or i32 %v40, 1
  %v43 = urem i32 %v40, %v43s
  %v44 = uitofp i32 %v43 to float
  %v45 = fptrunc double %v41 to float
  %v46s = and i32 %v20, 31
  %v46 = lshr i32 %v32, %v46s
  %v47 = fsub double %v18, %v8
  %v48 = uitofp i32 %v38 to float
  %v49s = or i32 %v31, 1
  %v49 = udiv i32 %v30, %v49s
  %v50 = sext i32 %v20 to i64
  %v51s = icmp slt i32 %v40, %v16
  %v51 = select i1 %v51s, i32 %v16, i32 %v38
  %v52 = or i32 %v49, %v26
  %v53s = and i32 %v22, 31
  %v53 = ashr i32 %v22, %v53s
  %v54 = fmul float %v48, %v24
  %v55 = fneg double %v21
  %v56 = fptrunc double %v47 to float
  %v57 = fadd double %v47, %v21
  %v58u = fcmp uno double %v47, %v47
  %v58b = bitcast double %v47 to i64
  %v58 = select i1 %v58u, i64 7, i64 %v58b
  %v59 = call i32 @llvm.ctpop.i32(i32 %v22)
  %v60 = sitofp i32 %v53 to double
  %v61 = call i64 @llvm.ctpop.i64(i64 %v39)
  %v62 = sitofp i32 %v20 to double
  %v63 = fmul double %v41, %v33
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno float %v48, %v48
  %r0b = bitcast float %v48 to i32
  %r0 = select i1 %r0u, i32 7, i32 %r0b
  %z0 = zext i32 %r0 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %v50, ptr %py2
  %z3 = zext i32 %v51 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %z4 = zext i32 %v52 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %z5 = zext i32 %v53 to i64
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %z5, ptr %py5
  %r6u = fcmp uno float %v54, %v54
  %r6b = bitcast float %v54 to i32
  %r6 = select i1 %r6u, i32 7, i32 %r6b
  %z6 = zext i32 %r6 to i64
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %z6, ptr %py6
  %r7u = fcmp uno double %v55, %v55
  %r7b = bitcast double %v55 to i64
  %r7 = select i1 %r7u, i64 7, i64 %r7b
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %r7, ptr %py7
  %r8u = fcmp uno float %v56, %v56
  %r8b = bitcast float %v56 to i32
  %r8 = select i1 %r8u, i32 7, i32 %r8b
  %z8 = zext i32 %r8 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %r9u = fcmp uno double %v57, %v57
  %r9b = bitcast double %v57 to i64
  %r9 = select i1 %r9u, i64 7, i64 %r9b
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %r9, ptr %py9
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %v58, ptr %py10
  %z11 = zext i32 %v59 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %r12u = fcmp uno double %v60, %v60
  %r12b = bitcast double %v60 to i64
  %r12 = select i1 %r12u, i64 7, i64 %r12b
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %r12, ptr %py12
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %v61, ptr %py13
  %r14u = fcmp uno double %v62, %v62
  %r14b = bitcast double %v62 to i64
  %r14 = select i1 %r14u, i64 7, i64 %r14b
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %r14, ptr %py14
  %r15u = fcmp uno double %v63, %v63
  %r15b = bitcast double %v63 to i64
  %r15 = select i1 %r15u, i64 7, i64 %r15b
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %r15, ptr %py15
  ret void
}

define ptx_kernel void @random2(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4s = or i64 %v1, 1
  %v4 = udiv i64 %v1, %v4s
  %v5 = sub i64 %v4, %v4
  %v6s = or i64 %v4, 1
  %v6 = urem i64 %v5, %v6s
  %v7 = call i64 @llvm.ctpop.i64(i64 %v4)
  %v8s = or i64 %v5, 1
  %v8 = urem i64 %v5, %v8s
  %v9s = or i64 %v8, 1
  %v9 = udiv i64 %v8, %v9s
  %v10 = call i64 @llvm.ctpop.i64(i64 %v8)
  %v11 = mul i64 %v5, %v1
  %v12s = and i64 %v8, 63
  %v12 = ashr i64 %v5, %v12s
  %v13 = call i64 @llvm.ctpop.i64(i64 %v7)
  %v14s = or i64 %v7, 1
  %v14 = urem i64 %v6, %v14s
  %v15s = icmp slt i64 %v11, %v1
  %v15 = select i1 %v15s, i64 %v1, i64 %v10
  %v16 = add i64 %v12, %v14
  %v17s = or i64 %v12, 1
  %v17 = urem i64 %v1, %v17s
  %v18 = or i64 %v15, %v10
  %v19 = sitofp i64 %v12 to float
  %v20s = and i64 %v18, 63
  %v20 = ashr i64 %v9, %v20s
  %v21 = fmul double %v3, %v3
  %v22 = xor i64 %v16, %v5
  %v23s = icmp slt i64 %v13, %v6
  %v23 = select i1 %v23s, i64 %v6, i64 %v9
  %v24s = icmp slt i64 %v11, %v13
  %v24 = select i1 %v24s, i64 %v13, i64 %v23
  %v25 = trunc i64 %v23 to i32
  %v26 = call double @llvm.fma.f64(double %v21, double %v3, double %v3)
  %v27 = or i64 %v7, %v7
  %v28 = or i64 %v4, %v6
  %v29 = or i64 %v20, %v12
  %v30s = and i32 %v25, 31
  %v30 = ashr i32 %v25, %v30s
  %v31s = and i64 %v17, 63
  %v31 = shl i64 %v9, %v31s
  %v32 = fsub float %v2, %v19
  %v33 = call double @llvm.fma.f64(double %v21, double %v3, double %v3)
  %v34 = fdiv double %v21, %v33
  %v35 = call float @llvm.fma.f32(float %v19, float %v2, float %v32)
  %v36s = or i64 %v18, 1
  %v36 = udiv i64 %v18, %v36s
  %v37 = fpext float %v19 to double
  %v38s = or i64 %v22, 1
  %v38 = urem i64 %v24, %v38s
  %v39 = call i64 @llvm.ctpop.i64(i64 %v16)
  %v40 = call i64 @llvm.ctpop.i64(i64 %v16)
  %v41 = sub i64 %v20, %v29
  %v42 = fmul double %v37, %v3
  %v43 = uitofp i64 %v40 to double
  %v44 = call float @llvm.sqrt.f32(float %v32)
  %v45 = fadd double %v43, %v43
  %v46 = trunc i64 %v41 to i32
  %v47 = fdiv double %v33, %v37
  %v48 = fdiv double %v26, %v3
  %v49s = fcmp olt double %v21, %v47
  %v49 = select i1 %v49s, double %v47, double %v42
  %v50s = and i64 %v9, 63
  %v50 = shl i64 %v41, %v50s
  %v51 = sub i64 %v28, %v11
  %v52s = fcmp olt double %v45, %v21
  %v52 = select i1 %v52s, double %v21, double %v47
  %v53s = icmp slt i64 %v13, %v7
  %v53 = select i1 %v53s, i64 %v7, i64 %v41
  %v54 = fadd double %v52, %v34
  %v55 = uitofp i32 %v46 to float
  %v56 = fpext float %v44 to double
  %v57 = mul i64 %v11, %v39
  %v58u = fcmp uno double %v33, %v33
  %v58b = bitcast double %v33 to i64
  %v58 = select i1 %v58u, i64 7, i64 %v58b
  %v59s = and i64 %v57, 63
  %v59 = shl i64 %v57, %v59s
  %v60s = icmp slt i64 %v36, %v13
  %v60 = select i1 %v60s, i64 %v13, i64 %v17
  %v61 = sub i64 %v31, %v12
  %v62s = and i64 %v57, 63
  %v62 = shl i64 %v57, %v62s
  %v63 = fdiv double %v42, %v56
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno double %v48, %v48
  %r0b = bitcast double %v48 to i64
  %r0 = select i1 %r0u, i64 7, i64 %r0b
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %r0, ptr %py0
  %r1u = fcmp uno double %v49, %v49
  %r1b = bitcast double %v49 to i64
  %r1 = select i1 %r1u, i64 7, i64 %r1b
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %r1, ptr %py1
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %v50, ptr %py2
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %v51, ptr %py3
  %r4u = fcmp uno double %v52, %v52
  %r4b = bitcast double %v52 to i64
  %r4 = select i1 %r4u, i64 7, i64 %r4b
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %r4, ptr %py4
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %v53, ptr %py5
  %r6u = fcmp uno double %v54, %v54
  %r6b = bitcast double %v54 to i64
  %r6 = select i1 %r6u, i64 7, i64 %r6b
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %r6, ptr %py6
  %r7u = fcmp uno float %v55, %v55
  %r7b = bitcast float %v55 to i32
  %r7 = select i1 %r7u, i32 7, i32 %r7b
  %z7 = zext i32 %r7 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %r8u = fcmp uno double %v56, %v56
  %r8b = bitcast double %v56 to i64
  %r8 = select i1 %r8u, i64 7, i64 %r8b
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %r8, ptr %py8
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %v57, ptr %py9
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %v58, ptr %py10
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %v59, ptr %py11
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %v60, ptr %py12
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %v61, ptr %py13
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %v62, ptr %py14
  %r15u = fcmp uno double %v63, %v63
  %r15b = bitcast double %v63 to i64
  %r15 = select i1 %r15u, i64 7, i64 %r15b
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %r15, ptr %py15
  ret void
}

define ptx_kernel void @random3(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4s = fcmp olt float %v2, %v2
  %v4 = select i1 %v4s, float %v2, float %v2
  %v5u = fcmp uno float %v4, %v4
  %v5b = bitcast float %v4 to i32
  %v5 = select i1 %v5u, i32 7, i32 %v5b
  %v6s = fcmp olt float %v2, %v4
  %v6 = select i1 %v6s, float %v4, float %v2
  %v7 = fadd double %v3, %v3
  %v8 = fsub float %v6, %v6
  %v9s = fcmp olt float %v2, %v4
  %v9 = select i1 %v9s, float %v4, float %v4
  %v10 = call float @llvm.sqrt.f32(float %v6)
  %v11s = fcmp olt float %v2, %v6
  %v11 = select i1 %v11s, float %v6, float %v9
  %v12 = fadd float %v10, %v6
  %v13 = fmul double %v7, %v7
  %v14 = fneg double %v13
  %v15 = call float @llvm.fma.f32(float %v9, float %v2, float %v4)
  %v16 = fsub float %v6, %v8
  %v17 = fadd float %v15, %v6
  %v18 = fmul float %v6, %v16
  %v19 = fadd float %v6, %v4
  %v20 = fmul float %v17, %v16
  %v21 = fsub float %v6, %v11
  %v22 = fmul double %v7, %v13
  %v23 = call float @llvm.sqrt.f32(float %v15)
  %v24s = fcmp olt float %v10, %v6
  %v24 = select i1 %v24s, float %v6, float %v17
  %v25 = fdiv float %v16, %v4
  %v26 = fsub float %v17, %v9
  %v27 = fneg double %v22
  %v28u = fcmp uno double %v22, %v22
  %v28b = bitcast double %v22 to i64
  %v28 = select i1 %v28u, i64 7, i64 %v28b
  %v29 = fneg float %v20
  %v30 = call float @llvm.fma.f32(float %v24, float %v23, float %v29)
  %v31s = fcmp olt float %v23, %v8
  %v31 = select i1 %v31s, float %v8, float %v2
  %v32u = fcmp uno float %v24, %v24
  %v32b = bitcast float %v24 to i32
  %v32 = select i1 %v32u, i32 7, i32 %v32b
  %v33 = fdiv double %v14, %v13
  %v34 = fadd float %v19, %v8
  %v35u = fcmp uno float %v10, %v10
  %v35b = bitcast float %v10 to i32
  %v35 = select i1 %v35u, i32 7, i32 %v35b
  %v36 = fneg float %v15
  %v37s = and i32 %v35, 31
  %v37 = ashr i32 %v32, %v37s
  %v38 = call float @llvm.fma.f32(float %v31, float %v21, float %v12)
  %v39s = and i32 %v37, 31
  %v39 = lshr i32 %v32, %v39s
  %v40u = fcmp uno double %v33, %v33
  %v40b = bitcast double %v33 to i64
  %v40 = select i1 %v40u, i64 7, i64 %v40b
  %v41 = fdiv float %v23, %v10
  %v42s = fcmp olt float %v36, %v25
  %v42 = select i1 %v42s, float %v25, float %v18
  %v43 = call float @llvm.sqrt.f32(float %v11)
  %v44u = fcmp uno float %v42, %v42
  %v44b = bitcast float %v42 to i32
  %v44 = select i1 %v44u, i32 7, i32 %v44b
  %v45 = fmul float %v24, %v10
  %v46 = uitofp i64 %v40 to double
  %v47u = fcmp uno float %v34, %v34
  %v47b = bitcast float %v34 to i32
  %v47 = select i1 %v47u, i32 7, i32 %v47b
  %v48u = fcmp uno float %v18, %v18
  %v48b = bitcast float %v18 to i32
  %v48 = select i1 %v48u, i32 7, i32 %v48b
  %v49 = add i32 %v47, %v32
  %v50 = call float @llvm.fma.f32(float %v34, float %v19, float %v18)
  %v51 = fdiv float %v24, %v41
  %v52 = fdiv float %v30, %v25
  %v53 = and i32 %v47, %v48
  %v54s = fcmp olt double %v33, %v14
  %v54 = select i1 %v54s, double %v14, double %v13
  %v55 = fsub float %v51, %v19
  %v56 = fsub float %v24, %v29
  %v57u = fcmp uno double %v22, %v22
  %v57b = bitcast double %v22 to i64
  %v57 = select i1 %v57u, i64 7, i64 %v57b
  %v58 = fmul float %v55, %v4
  %v59 = fdiv double %v54, %v33
  %v60 = call float @llvm.sqrt.f32(float %v58)
  %v61 = call i32 @llvm.ctpop.i32(i32 %v35)
  %v62u = fcmp uno float %v58, %v58
  %v62b = bitcast float %v58 to i32
  %v62 = select i1 %v62u, i32 7, i32 %v62b
  %v63 = fsub float %v38, %v24
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %z0 = zext i32 %v48 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %r2u = fcmp uno float %v50, %v50
  %r2b = bitcast float %v50 to i32
  %r2 = select i1 %r2u, i32 7, i32 %r2b
  %z2 = zext i32 %r2 to i64
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %z2, ptr %py2
  %r3u = fcmp uno float %v51, %v51
  %r3b = bitcast float %v51 to i32
  %r3 = select i1 %r3u, i32 7, i32 %r3b
  %z3 = zext i32 %r3 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %r4u = fcmp uno float %v52, %v52
  %r4b = bitcast float %v52 to i32
  %r4 = select i1 %r4u, i32 7, i32 %r4b
  %z4 = zext i32 %r4 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %z5 = zext i32 %v53 to i64
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %z5, ptr %py5
  %r6u = fcmp uno double %v54, %v54
  %r6b = bitcast double %v54 to i64
  %r6 = select i1 %r6u, i64 7, i64 %r6b
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %r6, ptr %py6
  %r7u = fcmp uno float %v55, %v55
  %r7b = bitcast float %v55 to i32
  %r7 = select i1 %r7u, i32 7, i32 %r7b
  %z7 = zext i32 %r7 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %r8u = fcmp uno float %v56, %v56
  %r8b = bitcast float %v56 to i32
  %r8 = select i1 %r8u, i32 7, i32 %r8b
  %z8 = zext i32 %r8 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %v57, ptr %py9
  %r10u = fcmp uno float %v58, %v58
  %r10b = bitcast float %v58 to i32
  %r10 = select i1 %r10u, i32 7, i32 %r10b
  %z10 = zext i32 %r10 to i64
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %z10, ptr %py10
  %r11u = fcmp uno double %v59, %v59
  %r11b = bitcast double %v59 to i64
  %r11 = select i1 %r11u, i64 7, i64 %r11b
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %r11, ptr %py11
  %r12u = fcmp uno float %v60, %v60
  %r12b = bitcast float %v60 to i32
  %r12 = select i1 %r12u, i32 7, i32 %r12b
  %z12 = zext i32 %r12 to i64
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %z12, ptr %py12
  %z13 = zext i32 %v61 to i64
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %z13, ptr %py13
  %z14 = zext i32 %v62 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %r15u = fcmp uno float %v63, %v63
  %r15b = bitcast float %v63 to i32
  %r15 = select i1 %r15u, i32 7, i32 %r15b
  %z15 = zext i32 %r15 to i64
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %z15, ptr %py15
  ret void
}

define ptx_kernel void @random4(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fneg double %v3
  %v5 = call double @llvm.sqrt.f64(double %v3)
  %v6 = add i64 %v1, %v1
  %v7 = xor i64 %v6, %v1
  %v8 = and i64 %v7, %v6
  %v9s = icmp slt i64 %v7, %v6
  %v9 = select i1 %v9s, i64 %v6, i64 %v6
  %v10 = mul i64 %v8, %v9
  %v11 = fneg double %v4
  %v12 = fsub double %v11, %v3
  %v13 = fptrunc double %v4 to float
  %v14 = fmul float %v13, %v2
  %v15 = fptrunc double %v11 to float
  %v16 = fneg double %v11
  %v17u = fcmp uno float %v13, %v13
  %v17b = bitcast float %v13 to i32
  %v17 = select i1 %v17u, i32 7, i32 %v17b
  %v18 = fadd float %v14, %v2
  %v19 = call float @llvm.sqrt.f32(float %v2)
  %v20u = fcmp uno double %v4, %v4
  %v20b = bitcast double %v4 to i64
  %v20 = select i1 %v20u, i64 7, i64 %v20b
  %v21 = sitofp i64 %v20 to float
  %v22u = fcmp uno float %v19, %v19
  %v22b = bitcast float %v19 to i32
  %v22 = select i1 %v22u, i32 7, i32 %v22b
  %v23s = and i64 %v9, 63
  %v23 = lshr i64 %v7, %v23s
  %v24 = fadd double %v16, %v3
  %v25 = fdiv float %v14, %v15
  %v26 = mul i32 %v22, %v22
  %v27u = fcmp uno float %v25, %v25
  %v27b = bitcast float %v25 to i32
  %v27 = select i1 %v27u, i32 7, i32 %v27b
  %v28s = icmp slt i32 %v17, %v0
  %v28 = select i1 %v28s, i32 %v0, i32 %v27
  %v29s = and i32 %v22, 31
  %v29 = shl i32 %v26, %v29s
  %v30 = call double @llvm.fma.f64(double %v16, double %v3, double %v3)
  %v31s = or i32 %v22, 1
  %v31 = urem i32 %v28, %v31s
  %v32s = and i32 %v0, 31
  %v32 = shl i32 %v26, %v32s
  %v33 = call float @llvm.fma.f32(float %v15, float %v21, float %v25)
  %v34 = or i32 %v31, %v0
  %v35 = call float @llvm.fma.f32(float %v14, float %v13, float %v21)
  %v36u = fcmp uno double %v12, %v12
  %v36b = bitcast double %v12 to i64
  %v36 = select i1 %v36u, i64 7, i64 %v36b
  %v37s = or i64 %v10, 1
  %v37 = udiv i64 %v8, %v37s
  %v38 = sitofp i32 %v29 to double
  %v39s = and i64 %v36, 63
  %v39 = ashr i64 %v36, %v39s
  %v40 = call float @llvm.fma.f32(float %v15, float %v33, float %v13)
  %v41 = fdiv float %v19, %v15
  %v42s = or i32 %v17, 1
  %v42 = udiv i32 %v26, %v42s
  %v43 = fmul double %v38, %v11
  %v44u = fcmp uno float %v15, %v15
  %v44b = bitcast float %v15 to i32
  %v44 = select i1 %v44u, i32 7, i32 %v44b
  %v45 = fsub float %v14, %v21
  %v46 = fsub float %v45, %v35
  %v47 = fsub float %v40, %v33
  %v48 = sitofp i32 %v22 to double
  %v49s = or i32 %v32, 1
  %v49 = urem i32 %v29, %v49s
  %v50 = fdiv float %v40, %v45
  %v51s = and i32 %v31, 31
  %v51 = ashr i32 %v49, %v51s
  %v52s = fcmp olt float %v45, %v19
  %v52 = select i1 %v52s, float %v19, float %v41
  %v53 = fpext float %v25 to double
  %v54 = fneg double %v24
  %v55s = icmp slt i32 %v32, %v26
  %v55 = select i1 %v55s, i32 %v26, i32 %v17
  %v56 = fptrunc double %v53 to float
  %v57u = fcmp uno double %v43, %v43
  %v57b = bitcast double %v43 to i64
  %v57 = select i1 %v57u, i64 7, i64 %v57b
  %v58s = icmp slt i32 %v31, %v17
  %v58 = select i1 %v58s, i32 %v17, i32 %v49
  %v59 = fneg float %v41
  %v60 = fdiv double %v48, %v16
  %v61 = fpext float %v59 to double
  %v62 = mul i32 %v17, %v29
  %v63 = call i64 @llvm.ctpop.i64(i64 %v57)
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno double %v48, %v48
  %r0b = bitcast double %v48 to i64
  %r0 = select i1 %r0u, i64 7, i64 %r0b
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %r0, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %r2u = fcmp uno float %v50, %v50
  %r2b = bitcast float %v50 to i32
  %r2 = select i1 %r2u, i32 7, i32 %r2b
  %z2 = zext i32 %r2 to i64
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %z2, ptr %py2
  %z3 = zext i32 %v51 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %r4u = fcmp uno float %v52, %v52
  %r4b = bitcast float %v52 to i32
  %r4 = select i1 %r4u, i32 7, i32 %r4b
  %z4 = zext i32 %r4 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %r5u = fcmp uno double %v53, %v53
  %r5b = bitcast double %v53 to i64
  %r5 = select i1 %r5u, i64 7, i64 %r5b
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %r5, ptr %py5
  %r6u = fcmp uno double %v54, %v54
  %r6b = bitcast double %v54 to i64
  %r6 = select i1 %r6u, i64 7, i64 %r6b
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %r6, ptr %py6
  %z7 = zext i32 %v55 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %r8u = fcmp uno float %v56, %v56
  %r8b = bitcast float %v56 to i32
  %r8 = select i1 %r8u, i32 7, i32 %r8b
  %z8 = zext i32 %r8 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %v57, ptr %py9
  %z10 = zext i32 %v58 to i64
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %z10, ptr %py10
  %r11u = fcmp uno float %v59, %v59
  %r11b = bitcast float %v59 to i32
  %r11 = select i1 %r11u, i32 7, i32 %r11b
  %z11 = zext i32 %r11 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %r12u = fcmp uno double %v60, %v60
  %r12b = bitcast double %v60 to i64
  %r12 = select i1 %r12u, i64 7, i64 %r12b
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %r12, ptr %py12
  %r13u = fcmp uno double %v61, %v61
  %r13b = bitcast double %v61 to i64
  %r13 = select i1 %r13u, i64 7, i64 %r13b
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %r13, ptr %py13
  %z14 = zext i32 %v62 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %v63, ptr %py15
  ret void
}

define ptx_kernel void @random5(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fneg double %v3
  %v5 = fneg double %v4
  %v6 = call float @llvm.sqrt.f32(float %v2)
  %v7 = call float @llvm.sqrt.f32(float %v2)
  %v8 = fmul double %v4, %v4
  %v9s = fcmp olt double %v8, %v8
  %v9 = select i1 %v9s, double %v8, double %v5
  %v10 = call float @llvm.fma.f32(float %v7, float %v7, float %v2)
  %v11u = fcmp uno double %v9, %v9
  %v11b = bitcast double %v9 to i64
  %v11 = select i1 %v11u, i64 7, i64 %v11b
  %v12u = fcmp uno double %v8, %v8
  %v12b = bitcast double %v8 to i64
  %v12 = select i1 %v12u, i64 7, i64 %v12b
  %v13 = uitofp i64 %v12 to double
  %v14u = fcmp uno double %v13, %v13
  %v14b = bitcast double %v13 to i64
  %v14 = select i1 %v14u, i64 7, i64 %v14b
  %v15s = or i64 %v12, 1
  %v15 = udiv i64 %v14, %v15s
  %v16s = icmp slt i64 %v12, %v14
  %v16 = select i1 %v16s, i64 %v14, i64 %v12
  %v17 = mul i64 %v14, %v11
  %v18s = or i64 %v16, 1
  %v18 = urem i64 %v15, %v18s
  %v19 = sub i64 %v18, %v18
  %v20 = call double @llvm.fma.f64(double %v5, double %v4, double %v5)
  %v21 = fmul double %v8, %v9
  %v22 = fsub double %v5, %v9
  %v23 = uitofp i64 %v18 to double
  %v24u = fcmp uno double %v23, %v23
  %v24b = bitcast double %v23 to i64
  %v24 = select i1 %v24u, i64 7, i64 %v24b
  %v25s = and i64 %v16, 63
  %v25 = ashr i64 %v24, %v25s
  %v26 = fmul double %v21, %v22
  %v27 = fdiv float %v10, %v6
  %v28 = fneg double %v13
  %v29 = xor i64 %v11, %v19
  %v30 = trunc i64 %v16 to i32
  %v31 = sitofp i64 %v24 to float
  %v32s = fcmp olt double %v13, %v28
  %v32 = select i1 %v32s, double %v28, double %v9
  %v33 = add i64 %v24, %v15
  %v34s = and i64 %v15, 63
  %v34 = shl i64 %v18, %v34s
  %v35 = xor i64 %v18, %v15
  %v36 = fadd double %v32, %v8
  %v37s = icmp slt i32 %v30, %v0
  %v37 = select i1 %v37s, i32 %v0, i32 %v30
  %v38 = or i64 %v29, %v1
  %v39s = or i64 %v14, 1
  %v39 = urem i64 %v14, %v39s
  %v40s = and i64 %v11, 63
  %v40 = ashr i64 %v38, %v40s
  %v41 = fneg double %v32
  %v42 = sitofp i64 %v11 to float
  %v43u = fcmp uno double %v26, %v26
  %v43b = bitcast double %v26 to i64
  %v43 = select i1 %v43u, i64 7, i64 %v43b
  %v44s = or i64 %v35, 1
  %v44 = urem i64 %v33, %v44s
  %v45 = mul i64 %v17, %v25
  %v46 = and i64 %v17, %v24
  %v47s = and i64 %v24, 63
  %v47 = lshr i64 %v12, %v47s
  %v48 = fsub double %v5, %v23
  %v49 = add i64 %v40, %v46
  %v50 = call i64 @llvm.ctpop.i64(i64 %v29)
  %v51 = sub i64 %v18, %v19
  %v52 = uitofp i64 %v43 to double
  %v53 = call double @llvm.sqrt.f64(double %v52)
  %v54u = fcmp uno double %v22, %v22
  %v54b = bitcast double %v22 to i64
  %v54 = select i1 %v54u, i64 7, i64 %v54b
  %v55 = uitofp i64 %v46 to double
  %v56 = mul i64 %v35, %v46
  %v57 = fadd double %v52, %v3
  %v58u = fcmp uno double %v32, %v32
  %v58b = bitcast double %v32 to i64
  %v58 = select i1 %v58u, i64 7, i64 %v58b
  %v59s = or i64 %v17, 1
  %v59 = urem i64 %v15, %v59s
  %v60s = or i64 %v44, 1
  %v60 = udiv i64 %v58, %v60s
  %v61 = fdiv double %v57, %v28
  %v62 = uitofp i64 %v49 to double
  %v63u = fcmp uno double %v61, %v61
  %v63b = bitcast double %v61 to i64
  %v63 = select i1 %v63u, i64 7, i64 %v63b
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno double %v48, %v48
  %r0b = bitcast double %v48 to i64
  %r0 = select i1 %r0u, i64 7, i64 %r0b
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %r0, ptr %py0
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %v49, ptr %py1
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %v50, ptr %py2
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %v51, ptr %py3
  %r4u = fcmp uno double %v52, %v52
  %r4b = bitcast double %v52 to i64
  %r4 = select i1 %r4u, i64 7, i64 %r4b
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %r4, ptr %py4
  %r5u = fcmp uno double %v53, %v53
  %r5b = bitcast double %v53 to i64
  %r5 = select i1 %r5u, i64 7, i64 %r5b
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %r5, ptr %py5
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %v54, ptr %py6
  %r7u = fcmp uno double %v55, %v55
  %r7b = bitcast double %v55 to i64
  %r7 = select i1 %r7u, i64 7, i64 %r7b
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %r7, ptr %py7
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %v56, ptr %py8
  %r9u = fcmp uno double %v57, %v57
  %r9b = bitcast double %v57 to i64
  %r9 = select i1 %r9u, i64 7, i64 %r9b
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %r9, ptr %py9
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %v58, ptr %py10
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %v59, ptr %py11
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %v60, ptr %py12
  %r13u = fcmp uno double %v61, %v61
  %r13b = bitcast double %v61 to i64
  %r13 = select i1 %r13u, i64 7, i64 %r13b
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %r13, ptr %py13
  %r14u = fcmp uno double %v62, %v62
  %r14b = bitcast double %v62 to i64
  %r14 = select i1 %r14u, i64 7, i64 %r14b
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %r14, ptr %py14
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %v63, ptr %py15
  ret void
}

define ptx_kernel void @random6(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fmul double %v3, %v3
  %v5 = fadd double %v4, %v4
  %v6 = call double @llvm.fma.f64(double %v5, double %v4, double %v4)
  %v7 = add i32 %v0, %v0
  %v8 = fpext float %v2 to double
  %v9 = fmul double %v4, %v4
  %v10 = fptrunc double %v8 to float
  %v11 = fptrunc double %v9 to float
  %v12 = call float @llvm.fma.f32(float %v11, float %v10, float %v2)
  %v13 = call double @llvm.fma.f64(double %v6, double %v8, double %v9)
  %v14 = fadd double %v13, %v8
  %v15 = fneg double %v9
  %v16 = fsub float %v10, %v11
  %v17u = fcmp uno float %v12, %v12
  %v17b = bitcast float %v12 to i32
  %v17 = select i1 %v17u, i32 7, i32 %v17b
  %v18 = fneg float %v12
  %v19 = fneg double %v9
  %v20 = sext i32 %v17 to i64
  %v21 = fdiv float %v12, %v10
  %v22 = fpext float %v10 to double
  %v23u = fcmp uno double %v15, %v15
  %v23b = bitcast double %v15 to i64
  %v23 = select i1 %v23u, i64 7, i64 %v23b
  %v24 = fmul float %v11, %v21
  %v25u = fcmp uno double %v8, %v8
  %v25b = bitcast double %v8 to i64
  %v25 = select i1 %v25u, i64 7, i64 %v25b
  %v26u = fcmp uno double %v22, %v22
  %v26b = bitcast double %v22 to i64
  %v26 = select i1 %v26u, i64 7, i64 %v26b
  %v27u = fcmp uno double %v13, %v13
  %v27b = bitcast double %v13 to i64
  %v27 = select i1 %v27u, i64 7, i64 %v27b
  %v28 = call i64 @llvm.ctpop.i64(i64 %v1)
  %v29s = or i64 %v20, 1
  %v29 = udiv i64 %v26, %v29s
  %v30 = fneg float %v21
  %v31 = call double @llvm.fma.f64(double %v9, double %v14, double %v6)
  %v32u = fcmp uno double %v15, %v15
  %v32b = bitcast double %v15 to i64
  %v32 = select i1 %v32u, i64 7, i64 %v32b
  %v33 = fadd double %v14, %v6
  %v34 = fsub float %v10, %v24
  %v35s = and i32 %v7, 31
  %v35 = lshr i32 %v17, %v35s
  %v36 = fmul double %v33, %v14
  %v37 = fdiv float %v30, %v16
  %v38 = uitofp i64 %v25 to double
  %v39s = fcmp olt float %v34, %v21
  %v39 = select i1 %v39s, float %v21, float %v11
  %v40 = call float @llvm.sqrt.f32(float %v24)
  %v41 = fsub double %v19, %v13
  %v42s = or i64 %v28, 1
  %v42 = udiv i64 %v28, %v42s
  %v43 = fmul double %v36, %v36
  %v44 = fmul float %v37, %v18
  %v45 = fadd float %v18, %v37
  %v46u = fcmp uno float %v37, %v37
  %v46b = bitcast float %v37 to i32
  %v46 = select i1 %v46u, i32 7, i32 %v46b
  %v47 = sitofp i64 %v32 to float
  %v48u = fcmp uno float %v24, %v24
  %v48b = bitcast float %v24 to i32
  %v48 = select i1 %v48u, i32 7, i32 %v48b
  %v49 = call float @llvm.sqrt.f32(float %v21)
  %v50 = call double @llvm.sqrt.f64(double %v13)
  %v51u = fcmp uno float %v21, %v21
  %v51b = bitcast float %v21 to i32
  %v51 = select i1 %v51u, i32 7, i32 %v51b
  %v52u = fcmp uno double %v33, %v33
  %v52b = bitcast double %v33 to i64
  %v52 = select i1 %v52u, i64 7, i64 %v52b
  %v53s = and i64 %v27, 63
  %v53 = lshr i64 %v28, %v53s
  %v54 = call i32 @llvm.ctpop.i32(i32 %v51)
  %v55 = fsub float %v49, %v10
  %v56 = call float @llvm.sqrt.f32(float %v45)
  %v57s = and i64 %v53, 63
  %v57 = shl i64 %v28, %v57s
  %v58s = or i64 %v27, 1
  %v58 = udiv i64 %v52, %v58s
  %v59u = fcmp uno double %v33, %v33
  %v59b = bitcast double %v33 to i64
  %v59 = select i1 %v59u, i64 7, i64 %v59b
  %v60 = call double @llvm.sqrt.f64(double %v6)
  %v61u = fcmp uno float %v45, %v45
  %v61b = bitcast float %v45 to i32
  %v61 = select i1 %v61u, i32 7, i32 %v61b
  %v62 = call float @llvm.fma.f32(float %v49, float %v12, float %v55)
  %v63 = fneg float %v18
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %z0 = zext i32 %v48 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %r1u = fcmp uno float %v49, %v49
  %r1b = bitcast float %v49 to i32
  %r1 = select i1 %r1u, i32 7, i32 %r1b
  %z1 = zext i32 %r1 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %r2u = fcmp uno double %v50, %v50
  %r2b = bitcast double %v50 to i64
  %r2 = select i1 %r2u, i64 7, i64 %r2b
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %r2, ptr %py2
  %z3 = zext i32 %v51 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %v52, ptr %py4
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %v53, ptr %py5
  %z6 = zext i32 %v54 to i64
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %z6, ptr %py6
  %r7u = fcmp uno float %v55, %v55
  %r7b = bitcast float %v55 to i32
  %r7 = select i1 %r7u, i32 7, i32 %r7b
  %z7 = zext i32 %r7 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %r8u = fcmp uno float %v56, %v56
  %r8b = bitcast float %v56 to i32
  %r8 = select i1 %r8u, i32 7, i32 %r8b
  %z8 = zext i32 %r8 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %v57, ptr %py9
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %v58, ptr %py10
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %v59, ptr %py11
  %r12u = fcmp uno double %v60, %v60
  %r12b = bitcast double %v60 to i64
  %r12 = select i1 %r12u, i64 7, i64 %r12b
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %r12, ptr %py12
  %z13 = zext i32 %v61 to i64
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %z13, ptr %py13
  %r14u = fcmp uno float %v62, %v62
  %r14b = bitcast float %v62 to i32
  %r14 = select i1 %r14u, i32 7, i32 %r14b
  %z14 = zext i32 %r14 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %r15u = fcmp uno float %v63, %v63
  %r15b = bitcast float %v63 to i32
  %r15 = select i1 %r15u, i32 7, i32 %r15b
  %z15 = zext i32 %r15 to i64
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %z15, ptr %py15
  ret void
}

define ptx_kernel void @random7(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fdiv double %v3, %v3
  %v5s = fcmp olt float %v2, %v2
  %v5 = select i1 %v5s, float %v2, float %v2
  %v6 = fpext float %v5 to double
  %v7 = and i64 %v1, %v1
  %v8 = sitofp i64 %v7 to float
  %v9 = fdiv double %v4, %v3
  %v10 = and i64 %v1, %v7
  %v11s = and i64 %v1, 63
  %v11 = shl i64 %v7, %v11s
  %v12 = fmul float %v5, %v2
  %v13s = and i64 %v10, 63
  %v13 = shl i64 %v1, %v13s
  %v14 = fadd double %v3, %v6
  %v15 = xor i64 %v11, %v10
  %v16s = and i64 %v1, 63
  %v16 = shl i64 %v10, %v16s
  %v17 = fptrunc double %v6 to float
  %v18u = fcmp uno float %v5, %v5
  %v18b = bitcast float %v5 to i32
  %v18 = select i1 %v18u, i32 7, i32 %v18b
  %v19u = fcmp uno float %v17, %v17
  %v19b = bitcast float %v17 to i32
  %v19 = select i1 %v19u, i32 7, i32 %v19b
  %v20s = or i64 %v16, 1
  %v20 = udiv i64 %v16, %v20s
  %v21 = add i64 %v11, %v13
  %v22 = call i64 @llvm.ctpop.i64(i64 %v21)
  %v23 = mul i64 %v16, %v22
  %v24 = sitofp i64 %v16 to float
  %v25 = sitofp i32 %v18 to double
  %v26 = uitofp i64 %v22 to double
  %v27 = and i64 %v13, %v15
  %v28 = add i32 %v19, %v18
  %v29u = fcmp uno double %v26, %v26
  %v29b = bitcast double %v26 to i64
  %v29 = select i1 %v29u, i64 7, i64 %v29b
  %v30 = sitofp i64 %v23 to float
  %v31u = fcmp uno double %v26, %v26
  %v31b = bitcast double %v26 to i64
  %v31 = select i1 %v31u, i64 7, i64 %v31b
  %v32 = trunc i64 %v20 to i32
  %v33s = icmp slt i32 %v19, %v0
  %v33 = select i1 %v33s, i32 %v0, i32 %v28
  %v34s = or i32 %v33, 1
  %v34 = urem i32 %v18, %v34s
  %v35 = fsub float %v30, %v2
  %v36 = fneg float %v30
  %v37 = add i32 %v33, %v32
  %v38 = or i32 %v33, %v37
  %v39 = sitofp i64 %v31 to float
  %v40 = or i64 %v11, %v31
  %v41 = call double @llvm.sqrt.f64(double %v26)
  %v42 = fadd float %v36, %v39
  %v43 = fsub float %v42, %v30
  %v44s = and i64 %v40, 63
  %v44 = ashr i64 %v40, %v44s
  %v45 = fmul float %v39, %v5
  %v46s = and i64 %v44, 63
  %v46 = lshr i64 %v44, %v46s
  %v47u = fcmp uno float %v30, %v30
  %v47b = bitcast float %v30 to i32
  %v47 = select i1 %v47u, i32 7, i32 %v47b
  %v48 = sitofp i64 %v40 to float
  %v49s = or i32 %v28, 1
  %v49 = udiv i32 %v47, %v49s
  %v50s = icmp slt i32 %v49, %v32
  %v50 = select i1 %v50s, i32 %v32, i32 %v34
  %v51 = sitofp i64 %v44 to float
  %v52 = call i32 @llvm.ctpop.i32(i32 %v28)
  %v53 = fmul float %v30, %v43
  %v54s = fcmp olt double %v9, %v25
  %v54 = select i1 %v54s, double %v25, double %v26
  %v55u = fcmp uno double %v9, %v9
  %v55b = bitcast double %v9 to i64
  %v55 = select i1 %v55u, i64 7, i64 %v55b
  %v56 = sitofp i64 %v44 to float
  %v57s = and i64 %v23, 63
  %v57 = shl i64 %v55, %v57s
  %v58 = fdiv double %v26, %v25
  %v59 = fpext float %v48 to double
  %v60s = or i32 %v0, 1
  %v60 = udiv i32 %v38, %v60s
  %v61 = sext i32 %v49 to i64
  %v62s = fcmp olt float %v45, %v5
  %v62 = select i1 %v62s, float %v5, float %v35
  %v63 = or i32 %v49, %v32
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno float %v48, %v48
  %r0b = bitcast float %v48 to i32
  %r0 = select i1 %r0u, i32 7, i32 %r0b
  %z0 = zext i32 %r0 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %z2 = zext i32 %v50 to i64
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %z2, ptr %py2
  %r3u = fcmp uno float %v51, %v51
  %r3b = bitcast float %v51 to i32
  %r3 = select i1 %r3u, i32 7, i32 %r3b
  %z3 = zext i32 %r3 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %z4 = zext i32 %v52 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %r5u = fcmp uno float %v53, %v53
  %r5b = bitcast float %v53 to i32
  %r5 = select i1 %r5u, i32 7, i32 %r5b
  %z5 = zext i32 %r5 to i64
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %z5, ptr %py5
  %r6u = fcmp uno double %v54, %v54
  %r6b = bitcast double %v54 to i64
  %r6 = select i1 %r6u, i64 7, i64 %r6b
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %r6, ptr %py6
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %v55, ptr %py7
  %r8u = fcmp uno float %v56, %v56
  %r8b = bitcast float %v56 to i32
  %r8 = select i1 %r8u, i32 7, i32 %r8b
  %z8 = zext i32 %r8 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %v57, ptr %py9
  %r10u = fcmp uno double %v58, %v58
  %r10b = bitcast double %v58 to i64
  %r10 = select i1 %r10u, i64 7, i64 %r10b
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %r10, ptr %py10
  %r11u = fcmp uno double %v59, %v59
  %r11b = bitcast double %v59 to i64
  %r11 = select i1 %r11u, i64 7, i64 %r11b
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %r11, ptr %py11
  %z12 = zext i32 %v60 to i64
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %z12, ptr %py12
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %v61, ptr %py13
  %r14u = fcmp uno float %v62, %v62
  %r14b = bitcast float %v62 to i32
  %r14 = select i1 %r14u, i32 7, i32 %r14b
  %z14 = zext i32 %r14 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %z15 = zext i32 %v63 to i64
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %z15, ptr %py15
  ret void
}

define ptx_kernel void @random8(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fadd float %v2, %v2
  %v5 = uitofp i32 %v0 to float
  %v6 = fmul float %v5, %v2
  %v7s = or i64 %v1, 1
  %v7 = urem i64 %v1, %v7s
  %v8u = fcmp uno float %v5, %v5
  %v8b = bitcast float %v5 to i32
  %v8 = select i1 %v8u, i32 7, i32 %v8b
  %v9 = fadd float %v6, %v4
  %v10u = fcmp uno float %v9, %v9
  %v10b = bitcast float %v9 to i32
  %v10 = select i1 %v10u, i32 7, i32 %v10b
  %v11 = call double @llvm.sqrt.f64(double %v3)
  %v12 = call float @llvm.sqrt.f32(float %v5)
  %v13s = fcmp olt float %v9, %v9
  %v13 = select i1 %v13s, float %v9, float %v4
  %v14 = mul i32 %v10, %v10
  %v15s = and i32 %v8, 31
  %v15 = lshr i32 %v14, %v15s
  %v16 = fsub float %v4, %v2
  %v17 = sub i32 %v15, %v15
  %v18 = fadd float %v6, %v9
  %v19s = or i32 %v14, 1
  %v19 = urem i32 %v14, %v19s
  %v20u = fcmp uno float %v13, %v13
  %v20b = bitcast float %v13 to i32
  %v20 = select i1 %v20u, i32 7, i32 %v20b
  %v21s = fcmp olt float %v16, %v2
  %v21 = select i1 %v21s, float %v2, float %v12
  %v22 = or i32 %v0, %v15
  %v23s = icmp slt i32 %v20, %v17
  %v23 = select i1 %v23s, i32 %v17, i32 %v19
  %v24s = icmp slt i32 %v17, %v10
  %v24 = select i1 %v24s, i32 %v10, i32 %v15
  %v25 = uitofp i32 %v20 to float
  %v26 = uitofp i32 %v23 to float
  %v27 = uitofp i32 %v17 to float
  %v28 = fpext float %v16 to double
  %v29u = fcmp uno float %v6, %v6
  %v29b = bitcast float %v6 to i32
  %v29 = select i1 %v29u, i32 7, i32 %v29b
  %v30s = icmp slt i32 %v22, %v14
  %v30 = select i1 %v30s, i32 %v14, i32 %v22
  %v31 = xor i32 %v15, %v17
  %v32s = and i32 %v22, 31
  %v32 = shl i32 %v20, %v32s
  %v33s = and i64 %v7, 63
  %v33 = shl i64 %v7, %v33s
  %v34 = uitofp i32 %v15 to float
  %v35 = and i32 %v29, %v15
  %v36u = fcmp uno float %v25, %v25
  %v36b = bitcast float %v25 to i32
  %v36 = select i1 %v36u, i32 7, i32 %v36b
  %v37 = uitofp i32 %v32 to float
  %v38u = fcmp uno float %v27, %v27
  %v38b = bitcast float %v27 to i32
  %v38 = select i1 %v38u, i32 7, i32 %v38b
  %v39 = fneg double %v28
  %v40 = mul i32 %v38, %v29
  %v41 = or i32 %v36, %v20
  %v42 = fneg float %v34
  %v43 = fneg float %v13
  %v44 = call i32 @llvm.ctpop.i32(i32 %v36)
  %v45u = fcmp uno float %v25, %v25
  %v45b = bitcast float %v25 to i32
  %v45 = select i1 %v45u, i32 7, i32 %v45b
  %v46 = call float @llvm.sqrt.f32(float %v25)
  %v47u = fcmp uno float %v26, %v26
  %v47b = bitcast float %v26 to i32
  %v47 = select i1 %v47u, i32 7, i32 %v47b
  %v48 = fsub float %v34, %v12
  %v49s = or i32 %v40, 1
  %v49 = urem i32 %v31, %v49s
  %v50 = add i32 %v47, %v24
  %v51 = uitofp i32 %v45 to float
  %v52 = sub i32 %v40, %v49
  %v53s = or i32 %v47, 1
  %v53 = udiv i32 %v38, %v53s
  %v54 = sitofp i32 %v47 to double
  %v55u = fcmp uno float %v46, %v46
  %v55b = bitcast float %v46 to i32
  %v55 = select i1 %v55u, i32 7, i32 %v55b
  %v56s = or i32 %v0, 1
  %v56 = urem i32 %v50, %v56s
  %v57 = add i32 %v20, %v8
  %v58 = uitofp i32 %v52 to float
  %v59 = call float @llvm.sqrt.f32(float %v34)
  %v60 = call i32 @llvm.ctpop.i32(i32 %v38)
  %v61 = fmul float %v43, %v13
  %v62 = add i32 %v60, %v0
  %v63s = or i32 %v23, 1
  %v63 = urem i32 %v29, %v63s
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno float %v48, %v48
  %r0b = bitcast float %v48 to i32
  %r0 = select i1 %r0u, i32 7, i32 %r0b
  %z0 = zext i32 %r0 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %z2 = zext i32 %v50 to i64
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %z2, ptr %py2
  %r3u = fcmp uno float %v51, %v51
  %r3b = bitcast float %v51 to i32
  %r3 = select i1 %r3u, i32 7, i32 %r3b
  %z3 = zext i32 %r3 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %z4 = zext i32 %v52 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %z5 = zext i32 %v53 to i64
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %z5, ptr %py5
  %r6u = fcmp uno double %v54, %v54
  %r6b = bitcast double %v54 to i64
  %r6 = select i1 %r6u, i64 7, i64 %r6b
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %r6, ptr %py6
  %z7 = zext i32 %v55 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %z8 = zext i32 %v56 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %z9 = zext i32 %v57 to i64
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %z9, ptr %py9
  %r10u = fcmp uno float %v58, %v58
  %r10b = bitcast float %v58 to i32
  %r10 = select i1 %r10u, i32 7, i32 %r10b
  %z10 = zext i32 %r10 to i64
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %z10, ptr %py10
  %r11u = fcmp uno float %v59, %v59
  %r11b = bitcast float %v59 to i32
  %r11 = select i1 %r11u, i32 7, i32 %r11b
  %z11 = zext i32 %r11 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %z12 = zext i32 %v60 to i64
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %z12, ptr %py12
  %r13u = fcmp uno float %v61, %v61
  %r13b = bitcast float %v61 to i32
  %r13 = select i1 %r13u, i32 7, i32 %r13b
  %z13 = zext i32 %r13 to i64
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %z13, ptr %py13
  %z14 = zext i32 %v62 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %z15 = zext i32 %v63 to i64
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %z15, ptr %py15
  ret void
}

define ptx_kernel void @random9(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fadd double %v3, %v3
  %v5 = call double @llvm.sqrt.f64(double %v4)
  %v6 = fadd double %v3, %v5
  %v7 = fmul double %v3, %v3
  %v8 = fptrunc double %v6 to float
  %v9 = call double @llvm.fma.f64(double %v7, double %v7, double %v7)
  %v10 = call double @llvm.fma.f64(double %v7, double %v4, double %v9)
  %v11 = fptrunc double %v10 to float
  %v12 = call double @llvm.fma.f64(double %v10, double %v3, double %v4)
  %v13 = fmul double %v12, %v7
  %v14 = call double @llvm.fma.f64(double %v10, double %v4, double %v12)
  %v15 = call double @llvm.sqrt.f64(double %v4)
  %v16u = fcmp uno float %v11, %v11
  %v16b = bitcast float %v11 to i32
  %v16 = select i1 %v16u, i32 7, i32 %v16b
  %v17 = fmul double %v14, %v15
  %v18 = fdiv double %v14, %v14
  %v19 = call double @llvm.fma.f64(double %v14, double %v10, double %v5)
  %v20u = fcmp uno double %v18, %v18
  %v20b = bitcast double %v18 to i64
  %v20 = select i1 %v20u, i64 7, i64 %v20b
  %v21 = sub i64 %v20, %v1
  %v22 = fdiv double %v13, %v17
  %v23 = call double @llvm.sqrt.f64(double %v19)
  %v24 = fdiv double %v15, %v3
  %v25 = fptrunc double %v24 to float
  %v26 = fmul double %v7, %v18
  %v27u = fcmp uno double %v18, %v18
  %v27b = bitcast double %v18 to i64
  %v27 = select i1 %v27u, i64 7, i64 %v27b
  %v28 = call i64 @llvm.ctpop.i64(i64 %v20)
  %v29s = fcmp olt double %v19, %v24
  %v29 = select i1 %v29s, double %v24, double %v13
  %v30s = fcmp olt double %v9, %v12
  %v30 = select i1 %v30s, double %v12, double %v3
  %v31 = fneg double %v29
  %v32 = fpext float %v2 to double
  %v33s = fcmp olt double %v19, %v5
  %v33 = select i1 %v33s, double %v5, double %v30
  %v34 = fmul double %v32, %v3
  %v35 = fneg double %v32
  %v36u = fcmp uno double %v22, %v22
  %v36b = bitcast double %v22 to i64
  %v36 = select i1 %v36u, i64 7, i64 %v36b
  %v37 = uitofp i64 %v36 to double
  %v38 = fdiv double %v35, %v12
  %v39 = fdiv double %v31, %v9
  %v40 = or i64 %v21, %v20
  %v41 = fmul double %v34, %v17
  %v42u = fcmp uno double %v35, %v35
  %v42b = bitcast double %v35 to i64
  %v42 = select i1 %v42u, i64 7, i64 %v42b
  %v43 = sitofp i64 %v40 to float
  %v44 = and i64 %v28, %v1
  %v45 = fdiv double %v41, %v10
  %v46 = fptrunc double %v33 to float
  %v47 = xor i64 %v28, %v40
  %v48 = xor i64 %v28, %v36
  %v49u = fcmp uno float %v43, %v43
  %v49b = bitcast float %v43 to i32
  %v49 = select i1 %v49u, i32 7, i32 %v49b
  %v50 = call double @llvm.sqrt.f64(double %v41)
  %v51s = or i64 %v28, 1
  %v51 = udiv i64 %v44, %v51s
  %v52 = or i64 %v51, %v48
  %v53u = fcmp uno double %v33, %v33
  %v53b = bitcast double %v33 to i64
  %v53 = select i1 %v53u, i64 7, i64 %v53b
  %v54 = fmul double %v38, %v12
  %v55 = call float @llvm.sqrt.f32(float %v25)
  %v56 = sitofp i32 %v49 to double
  %v57 = uitofp i64 %v52 to double
  %v58 = fdiv float %v55, %v43
  %v59 = fneg float %v43
  %v60 = call double @llvm.sqrt.f64(double %v19)
  %v61 = sitofp i64 %v53 to float
  %v62u = fcmp uno double %v38, %v38
  %v62b = bitcast double %v38 to i64
  %v62 = select i1 %v62u, i64 7, i64 %v62b
  %v63 = fneg double %v26
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %v48, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %r2u = fcmp uno double %v50, %v50
  %r2b = bitcast double %v50 to i64
  %r2 = select i1 %r2u, i64 7, i64 %r2b
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %r2, ptr %py2
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %v51, ptr %py3
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %v52, ptr %py4
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %v53, ptr %py5
  %r6u = fcmp uno double %v54, %v54
  %r6b = bitcast double %v54 to i64
  %r6 = select i1 %r6u, i64 7, i64 %r6b
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %r6, ptr %py6
  %r7u = fcmp uno float %v55, %v55
  %r7b = bitcast float %v55 to i32
  %r7 = select i1 %r7u, i32 7, i32 %r7b
  %z7 = zext i32 %r7 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %r8u = fcmp uno double %v56, %v56
  %r8b = bitcast double %v56 to i64
  %r8 = select i1 %r8u, i64 7, i64 %r8b
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %r8, ptr %py8
  %r9u = fcmp uno double %v57, %v57
  %r9b = bitcast double %v57 to i64
  %r9 = select i1 %r9u, i64 7, i64 %r9b
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %r9, ptr %py9
  %r10u = fcmp uno float %v58, %v58
  %r10b = bitcast float %v58 to i32
  %r10 = select i1 %r10u, i32 7, i32 %r10b
  %z10 = zext i32 %r10 to i64
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %z10, ptr %py10
  %r11u = fcmp uno float %v59, %v59
  %r11b = bitcast float %v59 to i32
  %r11 = select i1 %r11u, i32 7, i32 %r11b
  %z11 = zext i32 %r11 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %r12u = fcmp uno double %v60, %v60
  %r12b = bitcast double %v60 to i64
  %r12 = select i1 %r12u, i64 7, i64 %r12b
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %r12, ptr %py12
  %r13u = fcmp uno float %v61, %v61
  %r13b = bitcast float %v61 to i32
  %r13 = select i1 %r13u, i32 7, i32 %r13b
  %z13 = zext i32 %r13 to i64
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %z13, ptr %py13
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %v62, ptr %py14
  %r15u = fcmp uno double %v63, %v63
  %r15b = bitcast double %v63 to i64
  %r15 = select i1 %r15u, i64 7, i64 %r15b
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %r15, ptr %py15
  ret void
}

define ptx_kernel void @random10(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = mul i64 %v1, %v1
  %v5 = call i64 @llvm.ctpop.i64(i64 %v4)
  %v6s = or i64 %v4, 1
  %v6 = udiv i64 %v5, %v6s
  %v7 = fsub float %v2, %v2
  %v8s = or i64 %v5, 1
  %v8 = urem i64 %v5, %v8s
  %v9 = xor i64 %v4, %v5
  %v10 = uitofp i64 %v8 to double
  %v11s = and i64 %v6, 63
  %v11 = ashr i64 %v6, %v11s
  %v12 = call float @llvm.fma.f32(float %v7, float %v7, float %v7)
  %v13 = fneg float %v7
  %v14u = fcmp uno float %v13, %v13
  %v14b = bitcast float %v13 to i32
  %v14 = select i1 %v14u, i32 7, i32 %v14b
  %v15 = add i64 %v9, %v11
  %v16s = and i64 %v6, 63
  %v16 = ashr i64 %v6, %v16s
  %v17 = fmul double %v10, %v3
  %v18 = fsub double %v10, %v3
  %v19s = icmp slt i64 %v11, %v11
  %v19 = select i1 %v19s, i64 %v11, i64 %v8
  %v20u = fcmp uno float %v12, %v12
  %v20b = bitcast float %v12 to i32
  %v20 = select i1 %v20u, i32 7, i32 %v20b
  %v21s = and i64 %v4, 63
  %v21 = shl i64 %v16, %v21s
  %v22 = uitofp i64 %v15 to double
  %v23s = icmp slt i64 %v6, %v19
  %v23 = select i1 %v23s, i64 %v19, i64 %v8
  %v24 = and i64 %v5, %v6
  %v25 = fneg float %v13
  %v26 = xor i32 %v14, %v0
  %v27 = and i64 %v19, %v21
  %v28 = and i64 %v23, %v1
  %v29 = fmul double %v17, %v18
  %v30 = call i64 @llvm.ctpop.i64(i64 %v4)
  %v31 = trunc i64 %v11 to i32
  %v32 = fmul double %v3, %v22
  %v33s = fcmp olt float %v13, %v25
  %v33 = select i1 %v33s, float %v25, float %v7
  %v34u = fcmp uno float %v12, %v12
  %v34b = bitcast float %v12 to i32
  %v34 = select i1 %v34u, i32 7, i32 %v34b
  %v35 = sub i32 %v34, %v20
  %v36 = sub i32 %v31, %v31
  %v37 = fdiv float %v25, %v12
  %v38 = fneg float %v25
  %v39 = call float @llvm.sqrt.f32(float %v37)
  %v40 = sitofp i64 %v15 to float
  %v41s = and i64 %v6, 63
  %v41 = shl i64 %v30, %v41s
  %v42 = fdiv float %v25, %v13
  %v43 = fsub float %v38, %v25
  %v44 = fneg float %v43
  %v45u = fcmp uno double %v22, %v22
  %v45b = bitcast double %v22 to i64
  %v45 = select i1 %v45u, i64 7, i64 %v45b
  %v46 = fmul float %v2, %v13
  %v47u = fcmp uno float %v33, %v33
  %v47b = bitcast float %v33 to i32
  %v47 = select i1 %v47u, i32 7, i32 %v47b
  %v48 = sitofp i64 %v19 to float
  %v49 = call float @llvm.fma.f32(float %v12, float %v25, float %v40)
  %v50 = call i64 @llvm.ctpop.i64(i64 %v45)
  %v51 = fadd float %v25, %v39
  %v52u = fcmp uno float %v51, %v51
  %v52b = bitcast float %v51 to i32
  %v52 = select i1 %v52u, i32 7, i32 %v52b
  %v53 = trunc i64 %v30 to i32
  %v54 = mul i32 %v53, %v35
  %v55s = and i32 %v36, 31
  %v55 = ashr i32 %v26, %v55s
  %v56 = sext i32 %v14 to i64
  %v57s = and i32 %v20, 31
  %v57 = shl i32 %v54, %v57s
  %v58 = call double @llvm.sqrt.f64(double %v17)
  %v59 = trunc i64 %v19 to i32
  %v60 = fadd float %v49, %v37
  %v61 = fpext float %v25 to double
  %v62 = uitofp i64 %v50 to double
  %v63 = fneg double %v32
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %r0u = fcmp uno float %v48, %v48
  %r0b = bitcast float %v48 to i32
  %r0 = select i1 %r0u, i32 7, i32 %r0b
  %z0 = zext i32 %r0 to i64
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %z0, ptr %py0
  %r1u = fcmp uno float %v49, %v49
  %r1b = bitcast float %v49 to i32
  %r1 = select i1 %r1u, i32 7, i32 %r1b
  %z1 = zext i32 %r1 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %v50, ptr %py2
  %r3u = fcmp uno float %v51, %v51
  %r3b = bitcast float %v51 to i32
  %r3 = select i1 %r3u, i32 7, i32 %r3b
  %z3 = zext i32 %r3 to i64
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %z3, ptr %py3
  %z4 = zext i32 %v52 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %z5 = zext i32 %v53 to i64
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %z5, ptr %py5
  %z6 = zext i32 %v54 to i64
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %z6, ptr %py6
  %z7 = zext i32 %v55 to i64
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %z7, ptr %py7
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %v56, ptr %py8
  %z9 = zext i32 %v57 to i64
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %z9, ptr %py9
  %r10u = fcmp uno double %v58, %v58
  %r10b = bitcast double %v58 to i64
  %r10 = select i1 %r10u, i64 7, i64 %r10b
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %r10, ptr %py10
  %z11 = zext i32 %v59 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %r12u = fcmp uno float %v60, %v60
  %r12b = bitcast float %v60 to i32
  %r12 = select i1 %r12u, i32 7, i32 %r12b
  %z12 = zext i32 %r12 to i64
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %z12, ptr %py12
  %r13u = fcmp uno double %v61, %v61
  %r13b = bitcast double %v61 to i64
  %r13 = select i1 %r13u, i64 7, i64 %r13b
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %r13, ptr %py13
  %r14u = fcmp uno double %v62, %v62
  %r14b = bitcast double %v62 to i64
  %r14 = select i1 %r14u, i64 7, i64 %r14b
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %r14, ptr %py14
  %r15u = fcmp uno double %v63, %v63
  %r15b = bitcast double %v63 to i64
  %r15 = select i1 %r15u, i64 7, i64 %r15b
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %r15, ptr %py15
  ret void
}

define ptx_kernel void @random11(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr { i32, float, i64, double }, ptr %x, i32 %i
  %px0 = getelementptr i8, ptr %px, i32 0
  %v0 = load i32, ptr %px0
  %px2 = getelementptr i8, ptr %px, i32 4
  %v2 = load float, ptr %px2
  %px1 = getelementptr i8, ptr %px, i32 8
  %v1 = load i64, ptr %px1
  %px3 = getelementptr i8, ptr %px, i32 16
  %v3 = load double, ptr %px3
  %v4 = fneg float %v2
  %v5 = fsub double %v3, %v3
  %v6 = fmul float %v4, %v4
  %v7 = fadd float %v4, %v4
  %v8 = mul i64 %v1, %v1
  %v9 = xor i32 %v0, %v0
  %v10 = call float @llvm.sqrt.f32(float %v2)
  %v11 = uitofp i64 %v8 to double
  %v12 = fneg double %v5
  %v13u = fcmp uno float %v7, %v7
  %v13b = bitcast float %v7 to i32
  %v13 = select i1 %v13u, i32 7, i32 %v13b
  %v14 = uitofp i32 %v9 to float
  %v15u = fcmp uno float %v10, %v10
  %v15b = bitcast float %v10 to i32
  %v15 = select i1 %v15u, i32 7, i32 %v15b
  %v16 = uitofp i32 %v13 to float
  %v17 = call double @llvm.fma.f64(double %v3, double %v5, double %v12)
  %v18 = sext i32 %v15 to i64
  %v19u = fcmp uno double %v11, %v11
  %v19b = bitcast double %v11 to i64
  %v19 = select i1 %v19u, i64 7, i64 %v19b
  %v20 = fptrunc double %v17 to float
  %v21 = fsub float %v16, %v2
  %v22 = fadd float %v20, %v4
  %v23s = or i64 %v18, 1
  %v23 = urem i64 %v8, %v23s
  %v24 = fdiv float %v14, %v14
  %v25 = call float @llvm.sqrt.f32(float %v6)
  %v26 = call float @llvm.sqrt.f32(float %v25)
  %v27 = fneg double %v11
  %v28u = fcmp uno float %v14, %v14
  %v28b = bitcast float %v14 to i32
  %v28 = select i1 %v28u, i32 7, i32 %v28b
  %v29 = fsub double %v17, %v17
  %v30 = call float @llvm.fma.f32(float %v20, float %v10, float %v20)
  %v31 = fdiv float %v26, %v10
  %v32 = fpext float %v31 to double
  %v33 = fdiv double %v27, %v3
  %v34 = fdiv double %v11, %v11
  %v35u = fcmp uno float %v26, %v26
  %v35b = bitcast float %v26 to i32
  %v35 = select i1 %v35u, i32 7, i32 %v35b
  %v36 = and i32 %v28, %v0
  %v37u = fcmp uno double %v29, %v29
  %v37b = bitcast double %v29 to i64
  %v37 = select i1 %v37u, i64 7, i64 %v37b
  %v38 = fadd float %v21, %v14
  %v39s = or i32 %v13, 1
  %v39 = urem i32 %v36, %v39s
  %v40 = fdiv double %v29, %v5
  %v41 = fneg float %v31
  %v42u = fcmp uno double %v27, %v27
  %v42b = bitcast double %v27 to i64
  %v42 = select i1 %v42u, i64 7, i64 %v42b
  %v43u = fcmp uno double %v40, %v40
  %v43b = bitcast double %v40 to i64
  %v43 = select i1 %v43u, i64 7, i64 %v43b
  %v44 = call i32 @llvm.ctpop.i32(i32 %v39)
  %v45 = call float @llvm.sqrt.f32(float %v41)
  %v46u = fcmp uno float %v20, %v20
  %v46b = bitcast float %v20 to i32
  %v46 = select i1 %v46u, i32 7, i32 %v46b
  %v47s = fcmp olt double %v34, %v11
  %v47 = select i1 %v47s, double %v11, double %v29
  %v48 = xor i64 %v37, %v42
  %v49u = fcmp uno float %v22, %v22
  %v49b = bitcast float %v22 to i32
  %v49 = select i1 %v49u, i32 7, i32 %v49b
  %v50s = or i32 %v28, 1
  %v50 = urem i32 %v46, %v50s
  %v51 = sext i32 %v39 to i64
  %v52 = fadd float %v24, %v45
  %v53s = or i64 %v42, 1
  %v53 = urem i64 %v51, %v53s
  %v54 = trunc i64 %v51 to i32
  %v55 = fdiv double %v11, %v3
  %v56 = fptrunc double %v47 to float
  %v57 = sext i32 %v44 to i64
  %v58u = fcmp uno float %v52, %v52
  %v58b = bitcast float %v52 to i32
  %v58 = select i1 %v58u, i32 7, i32 %v58b
  %v59 = trunc i64 %v57 to i32
  %v60 = uitofp i64 %v57 to double
  %v61 = xor i32 %v58, %v59
  %v62 = or i32 %v39, %v59
  %v63s = and i64 %v23, 63
  %v63 = ashr i64 %v43, %v63s
  %py = getelementptr [16 x i64], ptr %y, i32 %i
  %py0 = getelementptr i64, ptr %py, i32 0
  store i64 %v48, ptr %py0
  %z1 = zext i32 %v49 to i64
  %py1 = getelementptr i64, ptr %py, i32 1
  store i64 %z1, ptr %py1
  %z2 = zext i32 %v50 to i64
  %py2 = getelementptr i64, ptr %py, i32 2
  store i64 %z2, ptr %py2
  %py3 = getelementptr i64, ptr %py, i32 3
  store i64 %v51, ptr %py3
  %r4u = fcmp uno float %v52, %v52
  %r4b = bitcast float %v52 to i32
  %r4 = select i1 %r4u, i32 7, i32 %r4b
  %z4 = zext i32 %r4 to i64
  %py4 = getelementptr i64, ptr %py, i32 4
  store i64 %z4, ptr %py4
  %py5 = getelementptr i64, ptr %py, i32 5
  store i64 %v53, ptr %py5
  %z6 = zext i32 %v54 to i64
  %py6 = getelementptr i64, ptr %py, i32 6
  store i64 %z6, ptr %py6
  %r7u = fcmp uno double %v55, %v55
  %r7b = bitcast double %v55 to i64
  %r7 = select i1 %r7u, i64 7, i64 %r7b
  %py7 = getelementptr i64, ptr %py, i32 7
  store i64 %r7, ptr %py7
  %r8u = fcmp uno float %v56, %v56
  %r8b = bitcast float %v56 to i32
  %r8 = select i1 %r8u, i32 7, i32 %r8b
  %z8 = zext i32 %r8 to i64
  %py8 = getelementptr i64, ptr %py, i32 8
  store i64 %z8, ptr %py8
  %py9 = getelementptr i64, ptr %py, i32 9
  store i64 %v57, ptr %py9
  %z10 = zext i32 %v58 to i64
  %py10 = getelementptr i64, ptr %py, i32 10
  store i64 %z10, ptr %py10
  %z11 = zext i32 %v59 to i64
  %py11 = getelementptr i64, ptr %py, i32 11
  store i64 %z11, ptr %py11
  %r12u = fcmp uno double %v60, %v60
  %r12b = bitcast double %v60 to i64
  %r12 = select i1 %r12u, i64 7, i64 %r12b
  %py12 = getelementptr i64, ptr %py, i32 12
  store i64 %r12, ptr %py12
  %z13 = zext i32 %v61 to i64
  %py13 = getelementptr i64, ptr %py, i32 13
  store i64 %z13, ptr %py13
  %z14 = zext i32 %v62 to i64
  %py14 = getelementptr i64, ptr %py, i32 14
  store i64 %z14, ptr %py14
  %py15 = getelementptr i64, ptr %py, i32 15
  store i64 %v63, ptr %py15
  ret void
}
