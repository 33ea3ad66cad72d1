; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 conversions.ll -o conversions.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 conversions.ll -o conversions.sm_90.O3.ptx
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

; Each result is extended to 64 bits.
define ptx_kernel void @from_single(ptr %x, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr float, ptr %x, i32 %i
  %a = load float, ptr %px
  %pz = getelementptr [7 x i64], ptr %z, i32 %i
  %r0 = fptosi float %a to i16
  %w0 = sext i16 %r0 to i64
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %w0, ptr %p0
  %r1 = fptosi float %a to i32
  %w1 = sext i32 %r1 to i64
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %w1, ptr %p1
  %r2 = fptosi float %a to i64
  %w2 = add i64 %r2, 0
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %w2, ptr %p2
  %r3 = fptoui float %a to i16
  %w3 = zext i16 %r3 to i64
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %w3, ptr %p3
  %r4 = fptoui float %a to i32
  %w4 = zext i32 %r4 to i64
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %w4, ptr %p4
  %r5 = fptoui float %a to i64
  %w5 = add i64 %r5, 0
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %w5, ptr %p5
  %r6 = fpext float %a to double
  %w6 = bitcast double %r6 to i64
  %p6 = getelementptr i64, ptr %pz, i32 6
  store i64 %w6, ptr %p6
  ret void
}

define ptx_kernel void @from_double(ptr %x, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr double, ptr %x, i32 %i
  %a = load double, ptr %px
  %pz = getelementptr [7 x i64], ptr %z, i32 %i
  %r0 = fptosi double %a to i16
  %w0 = sext i16 %r0 to i64
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %w0, ptr %p0
  %r1 = fptosi double %a to i32
  %w1 = sext i32 %r1 to i64
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %w1, ptr %p1
  %r2 = fptosi double %a to i64
  %w2 = add i64 %r2, 0
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %w2, ptr %p2
  %r3 = fptoui double %a to i16
  %w3 = zext i16 %r3 to i64
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %w3, ptr %p3
  %r4 = fptoui double %a to i32
  %w4 = zext i32 %r4 to i64
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %w4, ptr %p4
  %r5 = fptoui double %a to i64
  %w5 = add i64 %r5, 0
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %w5, ptr %p5
  %r6 = fptrunc double %a to float
  %b6 = bitcast float %r6 to i32
  %w6 = zext i32 %b6 to i64
  %p6 = getelementptr i64, ptr %pz, i32 6
  store i64 %w6, ptr %p6
  ret void
}

define ptx_kernel void @from_i8(ptr %x, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr i8, ptr %x, i32 %i
  %a = load i8, ptr %px
  %pz = getelementptr [6 x i64], ptr %z, i32 %i
  %r0 = sitofp i8 %a to float
  %b0 = bitcast float %r0 to i32
  %w0 = zext i32 %b0 to i64
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %w0, ptr %p0
  %r1 = uitofp i8 %a to float
  %b1 = bitcast float %r1 to i32
  %w1 = zext i32 %b1 to i64
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %w1, ptr %p1
  %r2 = sitofp i8 %a to double
  %w2 = bitcast double %r2 to i64
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %w2, ptr %p2
  %r3 = uitofp i8 %a to double
  %w3 = bitcast double %r3 to i64
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %w3, ptr %p3
  %r4 = sext i8 %a to i64
  %w4 = add i64 %r4, 0
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %w4, ptr %p4
  %r5 = zext i8 %a to i64
  %w5 = add i64 %r5, 0
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %w5, ptr %p5
  ret void
}

define ptx_kernel void @from_i16(ptr %x, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr i16, ptr %x, i32 %i
  %a = load i16, ptr %px
  %pz = getelementptr [6 x i64], ptr %z, i32 %i
  %r0 = sitofp i16 %a to float
  %b0 = bitcast float %r0 to i32
  %w0 = zext i32 %b0 to i64
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %w0, ptr %p0
  %r1 = uitofp i16 %a to float
  %b1 = bitcast float %r1 to i32
  %w1 = zext i32 %b1 to i64
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %w1, ptr %p1
  %r2 = sitofp i16 %a to double
  %w2 = bitcast double %r2 to i64
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %w2, ptr %p2
  %r3 = uitofp i16 %a to double
  %w3 = bitcast double %r3 to i64
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %w3, ptr %p3
  %r4 = sext i16 %a to i64
  %w4 = add i64 %r4, 0
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %w4, ptr %p4
  %r5 = zext i16 %a to i64
  %w5 = add i64 %r5, 0
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %w5, ptr %p5
  ret void
}

define ptx_kernel void @from_i32(ptr %x, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr i32, ptr %x, i32 %i
  %a = load i32, ptr %px
  %pz = getelementptr [8 x i64], ptr %z, i32 %i
  %r0 = sitofp i32 %a to float
  %b0 = bitcast float %r0 to i32
  %w0 = zext i32 %b0 to i64
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %w0, ptr %p0
  %r1 = uitofp i32 %a to float
  %b1 = bitcast float %r1 to i32
  %w1 = zext i32 %b1 to i64
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %w1, ptr %p1
  %r2 = sitofp i32 %a to double
  %w2 = bitcast double %r2 to i64
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %w2, ptr %p2
  %r3 = uitofp i32 %a to double
  %w3 = bitcast double %r3 to i64
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %w3, ptr %p3
  %r4 = sext i32 %a to i64
  %w4 = add i64 %r4, 0
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %w4, ptr %p4
  %r5 = zext i32 %a to i64
  %w5 = add i64 %r5, 0
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %w5, ptr %p5
  %r6 = trunc i32 %a to i8
  %w6 = zext i8 %r6 to i64
  %p6 = getelementptr i64, ptr %pz, i32 6
  store i64 %w6, ptr %p6
  %r7 = trunc i32 %a to i16
  %w7 = zext i16 %r7 to i64
  %p7 = getelementptr i64, ptr %pz, i32 7
  store i64 %w7, ptr %p7
  ret void
}

define ptx_kernel void @from_i64(ptr %x, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr i64, ptr %x, i32 %i
  %a = load i64, ptr %px
  %pz = getelementptr [6 x i64], ptr %z, i32 %i
  %r0 = sitofp i64 %a to float
  %b0 = bitcast float %r0 to i32
  %w0 = zext i32 %b0 to i64
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %w0, ptr %p0
  %r1 = uitofp i64 %a to float
  %b1 = bitcast float %r1 to i32
  %w1 = zext i32 %b1 to i64
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %w1, ptr %p1
  %r2 = sitofp i64 %a to double
  %w2 = bitcast double %r2 to i64
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %w2, ptr %p2
  %r3 = uitofp i64 %a to double
  %w3 = bitcast double %r3 to i64
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %w3, ptr %p3
  %r4 = trunc i64 %a to i8
  %w4 = zext i8 %r4 to i64
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %w4, ptr %p4
  %r5 = trunc i64 %a to i16
  %w5 = zext i16 %r5 to i64
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %w5, ptr %p5
  ret void
}
