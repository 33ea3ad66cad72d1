; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 elementwise.ll -o elementwise.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 elementwise.ll -o elementwise.sm_90.O3.ptx
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

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.rint.f32(float)

define ptx_kernel void @saxpy(float %a, ptr %x, ptr %y, i32 %n) {
  %i = call i32 @index()
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %o = sext i32 %i to i64
  %px = getelementptr float, ptr %x, i64 %o
  %py = getelementptr float, ptr %y, i64 %o
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul float %vx, %a
  %r = fadd float %m, %vy
  store float %r, ptr %py
  br label %end
end:
  ret void
}

; z[i][j] = x[i] * y[j] - x[i], where y is read-only for the kernel.
define ptx_kernel void @broadcast(ptr addrspace(1) %x, ptr addrspace(1) noalias readonly %y,
                                  ptr addrspace(1) noalias %z, i32 %rows, i32 %columns) {
  %i = call i32 @index()
  %count = mul i32 %rows, %columns
  %in = icmp ult i32 %i, %count
  br i1 %in, label %body, label %end
body:
  %row = udiv i32 %i, %columns
  %column = urem i32 %i, %columns
  %px = getelementptr float, ptr addrspace(1) %x, i32 %row
  %py = getelementptr float, ptr addrspace(1) %y, i32 %column
  %vx = load float, ptr addrspace(1) %px
  %vy = load float, ptr addrspace(1) %py, !invariant.load !0
  %m = fmul float %vx, %vy
  %r = fsub float %m, %vx
  %pz = getelementptr float, ptr addrspace(1) %z, i32 %i
  store float %r, ptr addrspace(1) %pz
  br label %end
end:
  ret void
}

; The exponential function: 2^k * p(r), with x = k * ln 2 + r.
define ptx_kernel void @exp(ptr %x, ptr %y, i32 %n) {
  %i = call i32 @index()
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %px = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %px
  %low = fcmp olt float %v, -87.0
  %v1 = select i1 %low, float -87.0, float %v
  %high = fcmp ogt float %v1, 88.0
  %v2 = select i1 %high, float 88.0, float %v1
  %s = fmul float %v2, 0x3FF7154760000000
  %k = call float @llvm.rint.f32(float %s)
  %nk = fneg float %k
  %r0 = call float @llvm.fma.f32(float %nk, float 0x3FE6300000000000, float %v2)
  %r = call float @llvm.fma.f32(float %nk, float 0xBF2BD01060000000, float %r0)
  %p5 = call float @llvm.fma.f32(float %r, float 0x3F56C16C20000000, float 0x3F81111120000000)
  %p4 = call float @llvm.fma.f32(float %p5, float %r, float 0x3FA5555560000000)
  %p3 = call float @llvm.fma.f32(float %p4, float %r, float 0x3FC5555560000000)
  %p2 = call float @llvm.fma.f32(float %p3, float %r, float 0.5)
  %p1 = call float @llvm.fma.f32(float %p2, float %r, float 1.0)
  %p0 = call float @llvm.fma.f32(float %p1, float %r, float 1.0)
  %ki = fptosi float %k to i32
  %biased = add i32 %ki, 127
  %bits = shl i32 %biased, 23
  %scale = bitcast i32 %bits to float
  %e = fmul float %p0, %scale
  %py = getelementptr float, ptr %y, i32 %i
  store float %e, ptr %py
  br label %end
end:
  ret void
}
!0 = !{}
