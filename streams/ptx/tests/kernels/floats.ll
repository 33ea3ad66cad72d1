; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 floats.ll -o floats.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 floats.ll -o floats.sm_90.O3.ptx
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; The index of the thread in the grid.
define internal i32 @index() noinline {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = mul i32 %b, %n
  %i = add i32 %m, %t
  ret i32 %i
}

declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.fma.f32(float, float, float)

; 19 results for each triple of operands.
define ptx_kernel void @singles(ptr %x, ptr %y, ptr %w, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr float, ptr %x, i32 %i
  %a = load float, ptr %px
  %py = getelementptr float, ptr %y, i32 %i
  %b = load float, ptr %py
  %pw = getelementptr float, ptr %w, i32 %i
  %c = load float, ptr %pw
  %pz = getelementptr [19 x float], ptr %z, i32 %i
  %r0 = fadd float %a, %b
  %p0 = getelementptr float, ptr %pz, i32 0
  store float %r0, ptr %p0
  %r1 = fsub float %a, %b
  %p1 = getelementptr float, ptr %pz, i32 1
  store float %r1, ptr %p1
  %r2 = fmul float %a, %b
  %p2 = getelementptr float, ptr %pz, i32 2
  store float %r2, ptr %p2
  %r3 = fdiv float %a, %b
  %p3 = getelementptr float, ptr %pz, i32 3
  store float %r3, ptr %p3
  %r4 = call float @llvm.fma.f32(float %a, float %b, float %c)
  %p4 = getelementptr float, ptr %pz, i32 4
  store float %r4, ptr %p4
  %r5 = call float @llvm.sqrt.f32(float %a)
  %p5 = getelementptr float, ptr %pz, i32 5
  store float %r5, ptr %p5
  %r6 = fdiv float 1.0, %a
  %p6 = getelementptr float, ptr %pz, i32 6
  store float %r6, ptr %p6
  %r7 = fneg float %a
  %p7 = getelementptr float, ptr %pz, i32 7
  store float %r7, ptr %p7
  %r8 = call float @llvm.fabs.f32(float %a)
  %p8 = getelementptr float, ptr %pz, i32 8
  store float %r8, ptr %p8
  %r9 = call float @llvm.copysign.f32(float %a, float %b)
  %p9 = getelementptr float, ptr %pz, i32 9
  store float %r9, ptr %p9
  %r10 = call float @llvm.minnum.f32(float %a, float %b)
  %p10 = getelementptr float, ptr %pz, i32 10
  store float %r10, ptr %p10
  %r11 = call float @llvm.maxnum.f32(float %a, float %b)
  %p11 = getelementptr float, ptr %pz, i32 11
  store float %r11, ptr %p11
  %r12 = call float @llvm.floor.f32(float %a)
  %p12 = getelementptr float, ptr %pz, i32 12
  store float %r12, ptr %p12
  %r13 = call float @llvm.ceil.f32(float %a)
  %p13 = getelementptr float, ptr %pz, i32 13
  store float %r13, ptr %p13
  %r14 = call float @llvm.trunc.f32(float %a)
  %p14 = getelementptr float, ptr %pz, i32 14
  store float %r14, ptr %p14
  %r15 = call float @llvm.rint.f32(float %a)
  %p15 = getelementptr float, ptr %pz, i32 15
  store float %r15, ptr %p15
  %r16 = call float @llvm.roundeven.f32(float %a)
  %p16 = getelementptr float, ptr %pz, i32 16
  store float %r16, ptr %p16
  %r17 = call float @llvm.minimum.f32(float %a, float %b)
  %p17 = getelementptr float, ptr %pz, i32 17
  store float %r17, ptr %p17
  %r18 = call float @llvm.maximum.f32(float %a, float %b)
  %p18 = getelementptr float, ptr %pz, i32 18
  store float %r18, ptr %p18
  ret void
}

; The results of all comparisons, as bits.
define ptx_kernel void @singles_compare(ptr %x, ptr %y, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr float, ptr %x, i32 %i
  %a = load float, ptr %px
  %py = getelementptr float, ptr %y, i32 %i
  %b = load float, ptr %py
  %c0 = fcmp oeq float %a, %b
  %s0 = select i1 %c0, i32 1, i32 0
  %o0 = or i32 0, %s0
  %c1 = fcmp ogt float %a, %b
  %s1 = select i1 %c1, i32 2, i32 0
  %o1 = or i32 %o0, %s1
  %c2 = fcmp oge float %a, %b
  %s2 = select i1 %c2, i32 4, i32 0
  %o2 = or i32 %o1, %s2
  %c3 = fcmp olt float %a, %b
  %s3 = select i1 %c3, i32 8, i32 0
  %o3 = or i32 %o2, %s3
  %c4 = fcmp ole float %a, %b
  %s4 = select i1 %c4, i32 16, i32 0
  %o4 = or i32 %o3, %s4
  %c5 = fcmp one float %a, %b
  %s5 = select i1 %c5, i32 32, i32 0
  %o5 = or i32 %o4, %s5
  %c6 = fcmp ord float %a, %b
  %s6 = select i1 %c6, i32 64, i32 0
  %o6 = or i32 %o5, %s6
  %c7 = fcmp ueq float %a, %b
  %s7 = select i1 %c7, i32 128, i32 0
  %o7 = or i32 %o6, %s7
  %c8 = fcmp ugt float %a, %b
  %s8 = select i1 %c8, i32 256, i32 0
  %o8 = or i32 %o7, %s8
  %c9 = fcmp uge float %a, %b
  %s9 = select i1 %c9, i32 512, i32 0
  %o9 = or i32 %o8, %s9
  %c10 = fcmp ult float %a, %b
  %s10 = select i1 %c10, i32 1024, i32 0
  %o10 = or i32 %o9, %s10
  %c11 = fcmp ule float %a, %b
  %s11 = select i1 %c11, i32 2048, i32 0
  %o11 = or i32 %o10, %s11
  %c12 = fcmp une float %a, %b
  %s12 = select i1 %c12, i32 4096, i32 0
  %o12 = or i32 %o11, %s12
  %c13 = fcmp uno float %a, %b
  %s13 = select i1 %c13, i32 8192, i32 0
  %o13 = or i32 %o12, %s13
  %pz = getelementptr i32, ptr %z, i32 %i
  store i32 %o13, ptr %pz
  ret void
}

declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.fma.f64(double, double, double)

; 17 results for each triple of operands.
define ptx_kernel void @doubles(ptr %x, ptr %y, ptr %w, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr double, ptr %x, i32 %i
  %a = load double, ptr %px
  %py = getelementptr double, ptr %y, i32 %i
  %b = load double, ptr %py
  %pw = getelementptr double, ptr %w, i32 %i
  %c = load double, ptr %pw
  %pz = getelementptr [17 x double], ptr %z, i32 %i
  %r0 = fadd double %a, %b
  %p0 = getelementptr double, ptr %pz, i32 0
  store double %r0, ptr %p0
  %r1 = fsub double %a, %b
  %p1 = getelementptr double, ptr %pz, i32 1
  store double %r1, ptr %p1
  %r2 = fmul double %a, %b
  %p2 = getelementptr double, ptr %pz, i32 2
  store double %r2, ptr %p2
  %r3 = fdiv double %a, %b
  %p3 = getelementptr double, ptr %pz, i32 3
  store double %r3, ptr %p3
  %r4 = call double @llvm.fma.f64(double %a, double %b, double %c)
  %p4 = getelementptr double, ptr %pz, i32 4
  store double %r4, ptr %p4
  %r5 = call double @llvm.sqrt.f64(double %a)
  %p5 = getelementptr double, ptr %pz, i32 5
  store double %r5, ptr %p5
  %r6 = fdiv double 1.0, %a
  %p6 = getelementptr double, ptr %pz, i32 6
  store double %r6, ptr %p6
  %r7 = fneg double %a
  %p7 = getelementptr double, ptr %pz, i32 7
  store double %r7, ptr %p7
  %r8 = call double @llvm.fabs.f64(double %a)
  %p8 = getelementptr double, ptr %pz, i32 8
  store double %r8, ptr %p8
  %r9 = call double @llvm.copysign.f64(double %a, double %b)
  %p9 = getelementptr double, ptr %pz, i32 9
  store double %r9, ptr %p9
  %r10 = call double @llvm.minnum.f64(double %a, double %b)
  %p10 = getelementptr double, ptr %pz, i32 10
  store double %r10, ptr %p10
  %r11 = call double @llvm.maxnum.f64(double %a, double %b)
  %p11 = getelementptr double, ptr %pz, i32 11
  store double %r11, ptr %p11
  %r12 = call double @llvm.floor.f64(double %a)
  %p12 = getelementptr double, ptr %pz, i32 12
  store double %r12, ptr %p12
  %r13 = call double @llvm.ceil.f64(double %a)
  %p13 = getelementptr double, ptr %pz, i32 13
  store double %r13, ptr %p13
  %r14 = call double @llvm.trunc.f64(double %a)
  %p14 = getelementptr double, ptr %pz, i32 14
  store double %r14, ptr %p14
  %r15 = call double @llvm.rint.f64(double %a)
  %p15 = getelementptr double, ptr %pz, i32 15
  store double %r15, ptr %p15
  %r16 = call double @llvm.roundeven.f64(double %a)
  %p16 = getelementptr double, ptr %pz, i32 16
  store double %r16, ptr %p16
  ret void
}

; The results of all comparisons, as bits.
define ptx_kernel void @doubles_compare(ptr %x, ptr %y, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr double, ptr %x, i32 %i
  %a = load double, ptr %px
  %py = getelementptr double, ptr %y, i32 %i
  %b = load double, ptr %py
  %c0 = fcmp oeq double %a, %b
  %s0 = select i1 %c0, i32 1, i32 0
  %o0 = or i32 0, %s0
  %c1 = fcmp ogt double %a, %b
  %s1 = select i1 %c1, i32 2, i32 0
  %o1 = or i32 %o0, %s1
  %c2 = fcmp oge double %a, %b
  %s2 = select i1 %c2, i32 4, i32 0
  %o2 = or i32 %o1, %s2
  %c3 = fcmp olt double %a, %b
  %s3 = select i1 %c3, i32 8, i32 0
  %o3 = or i32 %o2, %s3
  %c4 = fcmp ole double %a, %b
  %s4 = select i1 %c4, i32 16, i32 0
  %o4 = or i32 %o3, %s4
  %c5 = fcmp one double %a, %b
  %s5 = select i1 %c5, i32 32, i32 0
  %o5 = or i32 %o4, %s5
  %c6 = fcmp ord double %a, %b
  %s6 = select i1 %c6, i32 64, i32 0
  %o6 = or i32 %o5, %s6
  %c7 = fcmp ueq double %a, %b
  %s7 = select i1 %c7, i32 128, i32 0
  %o7 = or i32 %o6, %s7
  %c8 = fcmp ugt double %a, %b
  %s8 = select i1 %c8, i32 256, i32 0
  %o8 = or i32 %o7, %s8
  %c9 = fcmp uge double %a, %b
  %s9 = select i1 %c9, i32 512, i32 0
  %o9 = or i32 %o8, %s9
  %c10 = fcmp ult double %a, %b
  %s10 = select i1 %c10, i32 1024, i32 0
  %o10 = or i32 %o9, %s10
  %c11 = fcmp ule double %a, %b
  %s11 = select i1 %c11, i32 2048, i32 0
  %o11 = or i32 %o10, %s11
  %c12 = fcmp une double %a, %b
  %s12 = select i1 %c12, i32 4096, i32 0
  %o12 = or i32 %o11, %s12
  %c13 = fcmp uno double %a, %b
  %s13 = select i1 %c13, i32 8192, i32 0
  %o13 = or i32 %o12, %s13
  %pz = getelementptr i32, ptr %z, i32 %i
  store i32 %o13, ptr %pz
  ret void
}
