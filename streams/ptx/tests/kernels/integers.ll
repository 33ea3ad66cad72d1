; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 integers.ll -o integers.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 integers.ll -o integers.sm_90.O3.ptx
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

declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i32 @llvm.cttz.i32(i32, i1)
declare i32 @llvm.bitreverse.i32(i32)
declare i64 @llvm.bitreverse.i64(i64)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.smax.i64(i64, i64)
declare i32 @llvm.abs.i32(i32, i1)
declare i16 @llvm.abs.i16(i16, i1)

; 32 results of 32 bits for each pair of operands.
define ptx_kernel void @words(ptr %x, ptr %y, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr i32, ptr %x, i32 %i
  %py = getelementptr i32, ptr %y, i32 %i
  %a = load i32, ptr %px
  %b = load i32, ptr %py
  %pz = getelementptr [32 x i32], ptr %z, i32 %i
  %r0 = add i32 %a, %b
  %p0 = getelementptr i32, ptr %pz, i32 0
  store i32 %r0, ptr %p0
  %r1 = sub i32 %a, %b
  %p1 = getelementptr i32, ptr %pz, i32 1
  store i32 %r1, ptr %p1
  %r2 = mul i32 %a, %b
  %p2 = getelementptr i32, ptr %pz, i32 2
  store i32 %r2, ptr %p2
  %t3_n = or i32 %b, 1
  %r3 = sdiv i32 123456789, %t3_n
  %p3 = getelementptr i32, ptr %pz, i32 3
  store i32 %r3, ptr %p3
  %t4_n = or i32 %b, 1
  %r4 = udiv i32 %a, %t4_n
  %p4 = getelementptr i32, ptr %pz, i32 4
  store i32 %r4, ptr %p4
  %t5_n = or i32 %b, 1
  %r5 = urem i32 %a, %t5_n
  %p5 = getelementptr i32, ptr %pz, i32 5
  store i32 %r5, ptr %p5
  %t6_n = and i32 %b, 1023
  %t6_m = add i32 %t6_n, 1
  %r6 = srem i32 %a, %t6_m
  %p6 = getelementptr i32, ptr %pz, i32 6
  store i32 %r6, ptr %p6
  %r7 = sdiv i32 %a, 7
  %p7 = getelementptr i32, ptr %pz, i32 7
  store i32 %r7, ptr %p7
  %r8 = udiv i32 %a, 10
  %p8 = getelementptr i32, ptr %pz, i32 8
  store i32 %r8, ptr %p8
  %r9 = srem i32 %a, -13
  %p9 = getelementptr i32, ptr %pz, i32 9
  store i32 %r9, ptr %p9
  %t10_s = and i32 %b, 31
  %r10 = shl i32 %a, %t10_s
  %p10 = getelementptr i32, ptr %pz, i32 10
  store i32 %r10, ptr %p10
  %t11_s = and i32 %b, 31
  %r11 = lshr i32 %a, %t11_s
  %p11 = getelementptr i32, ptr %pz, i32 11
  store i32 %r11, ptr %p11
  %t12_s = and i32 %b, 31
  %r12 = ashr i32 %a, %t12_s
  %p12 = getelementptr i32, ptr %pz, i32 12
  store i32 %r12, ptr %p12
  %r13 = call i32 @llvm.ctpop.i32(i32 %a)
  %p13 = getelementptr i32, ptr %pz, i32 13
  store i32 %r13, ptr %p13
  %r14 = call i32 @llvm.ctlz.i32(i32 %a, i1 false)
  %p14 = getelementptr i32, ptr %pz, i32 14
  store i32 %r14, ptr %p14
  %r15 = call i32 @llvm.cttz.i32(i32 %a, i1 false)
  %p15 = getelementptr i32, ptr %pz, i32 15
  store i32 %r15, ptr %p15
  %r16 = call i32 @llvm.bitreverse.i32(i32 %a)
  %p16 = getelementptr i32, ptr %pz, i32 16
  store i32 %r16, ptr %p16
  %r17 = call i32 @llvm.bswap.i32(i32 %a)
  %p17 = getelementptr i32, ptr %pz, i32 17
  store i32 %r17, ptr %p17
  %r18 = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 11)
  %p18 = getelementptr i32, ptr %pz, i32 18
  store i32 %r18, ptr %p18
  %r19 = call i32 @llvm.fshr.i32(i32 %a, i32 %b, i32 %a)
  %p19 = getelementptr i32, ptr %pz, i32 19
  store i32 %r19, ptr %p19
  %r20 = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %p20 = getelementptr i32, ptr %pz, i32 20
  store i32 %r20, ptr %p20
  %r21 = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  %p21 = getelementptr i32, ptr %pz, i32 21
  store i32 %r21, ptr %p21
  %r22 = call i32 @llvm.abs.i32(i32 %a, i1 false)
  %p22 = getelementptr i32, ptr %pz, i32 22
  store i32 %r22, ptr %p22
  %t23_x = sext i32 %a to i64
  %t23_y = sext i32 %b to i64
  %t23_m = mul i64 %t23_x, %t23_y
  %t23_h = ashr i64 %t23_m, 32
  %r23 = trunc i64 %t23_h to i32
  %p23 = getelementptr i32, ptr %pz, i32 23
  store i32 %r23, ptr %p23
  %t24_x = zext i32 %a to i64
  %t24_y = zext i32 %b to i64
  %t24_m = mul i64 %t24_x, %t24_y
  %t24_h = lshr i64 %t24_m, 32
  %r24 = trunc i64 %t24_h to i32
  %p24 = getelementptr i32, ptr %pz, i32 24
  store i32 %r24, ptr %p24
  %t25_x = lshr i32 %a, 5
  %r25 = and i32 %t25_x, 1023
  %p25 = getelementptr i32, ptr %pz, i32 25
  store i32 %r25, ptr %p25
  %t26_c = icmp slt i32 %a, %b
  %t26_d = icmp ult i32 %a, %b
  %t26_e = xor i1 %t26_c, %t26_d
  %r26 = select i1 %t26_e, i32 %a, i32 17
  %p26 = getelementptr i32, ptr %pz, i32 26
  store i32 %r26, ptr %p26
  %t27_x = trunc i32 %a to i16
  %t27_y = trunc i32 %b to i16
  %t27_m = mul i16 %t27_x, %t27_y
  %t27_s = add i16 %t27_m, %t27_x
  %r27 = sext i16 %t27_s to i32
  %p27 = getelementptr i32, ptr %pz, i32 27
  store i32 %r27, ptr %p27
  %t28_x = trunc i32 %a to i8
  %t28_y = trunc i32 %b to i8
  %t28_z = or i8 %t28_y, 1
  %t28_q = udiv i8 %t28_x, %t28_z
  %r28 = zext i8 %t28_q to i32
  %p28 = getelementptr i32, ptr %pz, i32 28
  store i32 %r28, ptr %p28
  %t29_x = trunc i32 %a to i16
  %t29_y = call i16 @llvm.abs.i16(i16 %t29_x, i1 false)
  %r29 = zext i16 %t29_y to i32
  %p29 = getelementptr i32, ptr %pz, i32 29
  store i32 %r29, ptr %p29
  %t30_n = xor i32 %a, -1
  %t30_o = or i32 %t30_n, %b
  %r30 = and i32 %t30_o, 16711935
  %p30 = getelementptr i32, ptr %pz, i32 30
  store i32 %r30, ptr %p30
  %t31_x = shl i32 %a, 20
  %r31 = ashr i32 %t31_x, 24
  %p31 = getelementptr i32, ptr %pz, i32 31
  store i32 %r31, ptr %p31
  ret void
}

; 16 results of 64 bits for each pair of operands.
define ptx_kernel void @longs(ptr %x, ptr %y, ptr %z) {
  %i = call i32 @index()
  %px = getelementptr i64, ptr %x, i32 %i
  %py = getelementptr i64, ptr %y, i32 %i
  %a = load i64, ptr %px
  %b = load i64, ptr %py
  %pz = getelementptr [16 x i64], ptr %z, i32 %i
  %r0 = add i64 %a, %b
  %p0 = getelementptr i64, ptr %pz, i32 0
  store i64 %r0, ptr %p0
  %r1 = sub i64 %a, %b
  %p1 = getelementptr i64, ptr %pz, i32 1
  store i64 %r1, ptr %p1
  %r2 = mul i64 %a, %b
  %p2 = getelementptr i64, ptr %pz, i32 2
  store i64 %r2, ptr %p2
  %t3_n = or i64 %b, 1
  %r3 = udiv i64 %a, %t3_n
  %p3 = getelementptr i64, ptr %pz, i32 3
  store i64 %r3, ptr %p3
  %t4_n = or i64 %b, 1
  %r4 = urem i64 %a, %t4_n
  %p4 = getelementptr i64, ptr %pz, i32 4
  store i64 %r4, ptr %p4
  %t5_n = and i64 %b, 65535
  %t5_m = add i64 %t5_n, 1
  %r5 = sdiv i64 %a, %t5_m
  %p5 = getelementptr i64, ptr %pz, i32 5
  store i64 %r5, ptr %p5
  %r6 = sdiv i64 %a, 10
  %p6 = getelementptr i64, ptr %pz, i32 6
  store i64 %r6, ptr %p6
  %t7_s = and i64 %b, 63
  %r7 = shl i64 %a, %t7_s
  %p7 = getelementptr i64, ptr %pz, i32 7
  store i64 %r7, ptr %p7
  %t8_s = and i64 %b, 63
  %r8 = lshr i64 %a, %t8_s
  %p8 = getelementptr i64, ptr %pz, i32 8
  store i64 %r8, ptr %p8
  %t9_s = and i64 %b, 63
  %r9 = ashr i64 %a, %t9_s
  %p9 = getelementptr i64, ptr %pz, i32 9
  store i64 %r9, ptr %p9
  %r10 = call i64 @llvm.ctpop.i64(i64 %a)
  %p10 = getelementptr i64, ptr %pz, i32 10
  store i64 %r10, ptr %p10
  %r11 = call i64 @llvm.ctlz.i64(i64 %a, i1 false)
  %p11 = getelementptr i64, ptr %pz, i32 11
  store i64 %r11, ptr %p11
  %r12 = call i64 @llvm.bitreverse.i64(i64 %a)
  %p12 = getelementptr i64, ptr %pz, i32 12
  store i64 %r12, ptr %p12
  %r13 = call i64 @llvm.fshl.i64(i64 %a, i64 %b, i64 45)
  %p13 = getelementptr i64, ptr %pz, i32 13
  store i64 %r13, ptr %p13
  %r14 = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  %p14 = getelementptr i64, ptr %pz, i32 14
  store i64 %r14, ptr %p14
  %t15_x = sext i64 %a to i128
  %t15_y = zext i64 %b to i128
  %t15_m = mul i128 %t15_x, %t15_y
  %t15_h = lshr i128 %t15_m, 64
  %r15 = trunc i128 %t15_h to i64
  %p15 = getelementptr i64, ptr %pz, i32 15
  store i64 %r15, ptr %p15
  ret void
}
