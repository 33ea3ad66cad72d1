; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 memory.ll -o memory.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 memory.ll -o memory.sm_90.O3.ptx
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

@table = addrspace(4) constant [4 x float] [float 1.0, float -2.5, float 0x7FF0000000000000, float -0.0]
@numbers = addrspace(1) global [3 x i32] [i32 1, i32 -2, i32 3]
@pointer = addrspace(1) global ptr addrspacecast (ptr addrspace(1) getelementptr (i32, ptr addrspace(1) @numbers, i32 1) to ptr)
@record = addrspace(1) global { i32, ptr addrspace(1) } { i32 7, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @numbers, i64 8) }
@counter = addrspace(1) global i64 40

; Stores comparisons as bytes: flags[i] = x[i] < y[i], bytes[i] = bytes[i] + flags[i] * 3.
define ptx_kernel void @flags(ptr %x, ptr %y, ptr %flags, ptr %bytes, i1 %invert) {
  %i = call i32 @index()
  %px = getelementptr float, ptr %x, i32 %i
  %py = getelementptr float, ptr %y, i32 %i
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %c = fcmp olt float %vx, %vy
  %d = xor i1 %c, %invert
  %pf = getelementptr i1, ptr %flags, i32 %i
  store i1 %d, ptr %pf
  %e = load i1, ptr %pf
  %pb = getelementptr i8, ptr %bytes, i32 %i
  %b = load i8, ptr %pb
  %s = select i1 %e, i8 3, i8 0
  %r = add i8 %b, %s
  store i8 %r, ptr %pb
  ret void
}

; Elements of all widths, as vectors where they are aligned.
define ptx_kernel void @vectors(ptr %x, ptr %y, <2 x float> %p, <4 x i8> %q) {
  %i = call i32 @index()
  %px = getelementptr i8, ptr %x, i32 0
  %v4 = load <4 x float>, ptr %px, align 16
  %p0 = extractelement <2 x float> %p, i32 0
  %p1 = extractelement <2 x float> %p, i32 1
  %s0 = insertelement <4 x float> %v4, float %p0, i32 2
  %s1 = insertelement <4 x float> %s0, float %p1, i32 0
  %w4 = fadd <4 x float> %s1, %v4
  store <4 x float> %w4, ptr %y, align 16
  %px2 = getelementptr i8, ptr %x, i32 16
  %v2 = load <2 x double>, ptr %px2, align 16
  %w2 = fmul <2 x double> %v2, <double 3.0, double -0.5>
  %py2 = getelementptr i8, ptr %y, i32 16
  store <2 x double> %w2, ptr %py2, align 16
  %px3 = getelementptr i8, ptr %x, i32 32
  %b4 = load <4 x i8>, ptr %px3, align 4
  %c4 = add <4 x i8> %b4, %q
  %py3 = getelementptr i8, ptr %y, i32 32
  store <4 x i8> %c4, ptr %py3, align 4
  %px4 = getelementptr i8, ptr %x, i32 36
  %h2 = load <2 x i16>, ptr %px4, align 4
  %g2 = mul <2 x i16> %h2, <i16 7, i16 -9>
  %py4 = getelementptr i8, ptr %y, i32 36
  store <2 x i16> %g2, ptr %py4, align 4
  %px5 = getelementptr i8, ptr %x, i32 40
  %sb = load i8, ptr %px5
  %w = sext i8 %sb to i64
  %py5 = getelementptr i8, ptr %y, i32 40
  store i64 %w, ptr %py5
  ret void
}

; A histogram in a local array, with local pointers in generic form.
define ptx_kernel void @histogram(ptr %x, i32 %n, ptr %y) {
  %i = call i32 @index()
  %bins = alloca [8 x i32], align 8
  call void @llvm.memset.p0.i64(ptr align 8 %bins, i8 0, i64 32, i1 false)
  %start = mul i32 %i, %n
  br label %body
body:
  %k = phi i32 [ 0, %0 ], [ %k1, %body ]
  %j = add i32 %start, %k
  %px = getelementptr i8, ptr %x, i32 %j
  %v = load i8, ptr %px
  %b = and i8 %v, 7
  %z = zext i8 %b to i32
  %pb = getelementptr i32, ptr %bins, i32 %z
  %old = load i32, ptr %pb
  %new = add i32 %old, 1
  store i32 %new, ptr %pb
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %body, label %copy
copy:
  %c = phi i32 [ 0, %body ], [ %c1, %copy ]
  %pc = getelementptr i32, ptr %bins, i32 %c
  %count = load i32, ptr %pc
  %row = mul i32 %i, 8
  %index = add i32 %row, %c
  %py = getelementptr i32, ptr %y, i32 %index
  store i32 %count, ptr %py
  %c1 = add i32 %c, 1
  %again = icmp ult i32 %c1, 8
  br i1 %again, label %copy, label %end
end:
  ret void
}

; Constants, pointers in variables, and a variable that runs change.
define ptx_kernel void @variables(ptr %y, i32 %i) {
  %pt = getelementptr float, ptr addrspace(4) @table, i32 %i
  %t = load float, ptr addrspace(4) %pt
  store float %t, ptr %y
  %gt = addrspacecast ptr addrspace(4) %pt to ptr
  %u = load float, ptr %gt
  %y1 = getelementptr i32, ptr %y, i32 1
  store float %u, ptr %y1
  %p = load ptr, ptr addrspace(1) @pointer
  %a = load i32, ptr %p
  %pr = getelementptr i8, ptr addrspace(1) @record, i32 8
  %q = load ptr addrspace(1), ptr addrspace(1) %pr
  %b = load i32, ptr addrspace(1) %q
  %r = load i32, ptr addrspace(1) @record
  %ab = mul i32 %a, 100
  %abr = add i32 %ab, %b
  %s = mul i32 %abr, %r
  %y2 = getelementptr i32, ptr %y, i32 2
  store i32 %s, ptr %y2
  %old = load i64, ptr addrspace(1) @counter
  %new = add i64 %old, 1
  store i64 %new, ptr addrspace(1) @counter
  %y4 = getelementptr i32, ptr %y, i32 4
  store i64 %new, ptr %y4
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

@partial = internal addrspace(3) global [64 x i32] undef

; The sum of a block, as a tree in shared memory.
define ptx_kernel void @tree(ptr %x, ptr %y) {
  %i = call i32 @index()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr %x, i32 %i
  %v = load i32, ptr %px
  %ps = getelementptr i32, ptr addrspace(3) @partial, i32 %t
  store i32 %v, ptr addrspace(3) %ps
  br label %head
head:
  %half = phi i32 [ 32, %0 ], [ %next, %join ]
  call void @llvm.nvvm.barrier0()
  %in = icmp ult i32 %t, %half
  br i1 %in, label %add, label %join
add:
  %o = add i32 %t, %half
  %po = getelementptr i32, ptr addrspace(3) @partial, i32 %o
  %a = load i32, ptr addrspace(3) %ps
  %b = load i32, ptr addrspace(3) %po
  %s = add i32 %a, %b
  store i32 %s, ptr addrspace(3) %ps
  br label %join
join:
  %next = lshr i32 %half, 1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %head, label %end
end:
  %b0 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %py = getelementptr i32, ptr %y, i32 %b0
  %first = icmp eq i32 %t, 0
  br i1 %first, label %store, label %done
store:
  %r = load i32, ptr addrspace(3) @partial
  store i32 %r, ptr %py
  br label %done
done:
  ret void
}
declare void @llvm.nvvm.barrier0()
