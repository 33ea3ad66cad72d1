; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 control.ll -o control.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 control.ll -o control.sm_90.O3.ptx
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

; The sum of the elements, by each thread for a part with a stride.
define ptx_kernel void @reduce(ptr %x, ptr %y, i32 %n, i32 %stride) {
  %i = call i32 @index()
  br label %head
head:
  %j = phi i32 [ %i, %0 ], [ %j1, %body ]
  %s = phi float [ 0.0, %0 ], [ %s1, %body ]
  %in = icmp slt i32 %j, %n
  br i1 %in, label %body, label %end
body:
  %px = getelementptr float, ptr %x, i32 %j
  %v = load float, ptr %px
  %s1 = fadd float %s, %v
  %j1 = add i32 %j, %stride
  br label %head
end:
  %py = getelementptr float, ptr %y, i32 %i
  store float %s, ptr %py
  ret void
}

; z = x * y, for matrices of n * n elements: a thread for each element.
define ptx_kernel void @matmul(ptr %x, ptr %y, ptr %z, i32 %n) {
  %row = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %column = call i32 @index()
  %in = icmp ult i32 %column, %n
  br i1 %in, label %start, label %end
start:
  %first = mul i32 %row, %n
  br label %body
body:
  %k = phi i32 [ 0, %start ], [ %k1, %body ]
  %s = phi float [ 0.0, %start ], [ %s1, %body ]
  %ix = add i32 %first, %k
  %rows = mul i32 %k, %n
  %iy = add i32 %rows, %column
  %px = getelementptr float, ptr %x, i32 %ix
  %py = getelementptr float, ptr %y, i32 %iy
  %vx = load float, ptr %px
  %vy = load float, ptr %py
  %m = fmul float %vx, %vy
  %s1 = fadd float %s, %m
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %body, label %store
store:
  %iz = add i32 %first, %column
  %pz = getelementptr float, ptr %z, i32 %iz
  store float %s1, ptr %pz
  br label %end
end:
  ret void
}

; y[i] = x[index[i]], or -1 if the index is out of bounds.
define ptx_kernel void @gather(ptr %x, i64 %size, ptr %indices, ptr %y, i32 %n) {
  %i = call i32 @index()
  %in = icmp slt i32 %i, %n
  br i1 %in, label %body, label %end
body:
  %pi = getelementptr i64, ptr %indices, i32 %i
  %k = load i64, ptr %pi
  %negative = icmp slt i64 %k, 0
  %large = icmp sge i64 %k, %size
  %out = or i1 %negative, %large
  br i1 %out, label %store, label %read
read:
  %px = getelementptr double, ptr %x, i64 %k
  %v = load double, ptr %px
  br label %store
store:
  %r = phi double [ -1.0, %body ], [ %v, %read ]
  %py = getelementptr double, ptr %y, i32 %i
  store double %r, ptr %py
  br label %end
end:
  ret void
}

; Steps of a machine with a jump table, until the state is 7.
define ptx_kernel void @machine(ptr %x, ptr %y) {
  %i = call i32 @index()
  %px = getelementptr i32, ptr %x, i32 %i
  %v = load i32, ptr %px
  br label %head
head:
  %s = phi i32 [ %v, %0 ], [ 5, %a ], [ %sb, %b ], [ 0, %c ], [ %sd, %d ], [ %se, %e ], [ 7, %f ]
  %n = phi i32 [ 0, %0 ], [ %na, %a ], [ %nb, %b ], [ %nc, %c ], [ %nd, %d ], [ %ne, %e ], [ %nf, %f ]
  switch i32 %s, label %end [ i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %d
    i32 4, label %e
    i32 5, label %f
    i32 6, label %b ]
a:
  %na = add i32 %n, 1
  br label %head
b:
  %nb = mul i32 %n, 3
  %sb = sub i32 %s, 1
  br label %head
c:
  %nc = xor i32 %n, 21
  br label %head
d:
  %nd = add i32 %n, 100
  %odd = and i32 %n, 1
  %sd = add i32 %odd, 1
  br label %head
e:
  %ne = sub i32 %n, 9
  %se = sub i32 %s, 1
  br label %head
f:
  %nf = shl i32 %n, 2
  br label %head
end:
  %py = getelementptr i32, ptr %y, i32 %i
  %r = add i32 %n, %s
  store i32 %r, ptr %py
  ret void
}

; A loop that does not end if the argument is 0.
define ptx_kernel void @spin(i32 %step, ptr %y) {
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %n1, %loop ]
  %n1 = add i32 %n, %step
  store volatile i32 %n1, ptr %y
  %more = icmp ult i32 %n1, 1000
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Traps if the argument is 7.
define ptx_kernel void @check(i32 %x, ptr %y) {
  %is = icmp eq i32 %x, 7
  br i1 %is, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  store i32 %x, ptr %y
  ret void
}
declare void @llvm.trap()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
