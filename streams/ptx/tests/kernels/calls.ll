; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx compiles this file:
;   llc -mcpu=sm_70 -O0 calls.ll -o calls.sm_70.O0.ptx
;   llc -mcpu=sm_90 -O3 calls.ll -o calls.sm_90.O3.ptx
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

%struct = type { i32, i64, i8 }

define internal i32 @mix(i32 %a, i64 %b, <2 x float> %v, i8 %c, i1 %f, ptr byval(%struct) %s) noinline {
  %1 = trunc i64 %b to i32
  %2 = add i32 %a, %1
  %3 = extractelement <2 x float> %v, i32 1
  %4 = call i32 @llvm.fptosi.sat.i32.f32(float %3)
  %5 = sext i8 %c to i32
  %6 = zext i1 %f to i32
  %7 = add i32 %5, %6
  %8 = add i32 %7, %4
  %9 = mul i32 %8, %2
  %pl = getelementptr i8, ptr %s, i64 8
  %l = load i64, ptr %pl
  %lt = trunc i64 %l to i32
  %10 = add i32 %9, %lt
  %pc = getelementptr i8, ptr %s, i64 16
  %cc = load i8, ptr %pc
  %cz = zext i8 %cc to i32
  %11 = xor i32 %10, %cz
  ret i32 %11
}
declare i32 @llvm.fptosi.sat.i32.f32(float)

define ptx_kernel void @arguments(ptr %y, i32 %a, i64 %b, <2 x float> %v, i8 %c, i1 %f, ptr byval(%struct) %s) {
  %r = call i32 @mix(i32 %a, i64 %b, <2 x float> %v, i8 %c, i1 %f, ptr byval(%struct) %s)
  store i32 %r, ptr %y
  ret void
}

define internal i32 @fib(i32 %n) noinline {
  %small = icmp ult i32 %n, 2
  br i1 %small, label %x, label %y
x:
  ret i32 %n
y:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %c = call i32 @fib(i32 %a)
  %d = call i32 @fib(i32 %b)
  %e = add i32 %c, %d
  ret i32 %e
}

define ptx_kernel void @fibonacci(ptr %y) {
  %i = call i32 @index()
  %r = call i32 @fib(i32 %i)
  %py = getelementptr i32, ptr %y, i32 %i
  store i32 %r, ptr %py
  ret void
}

; The depth of the recursion is an argument.
define internal i32 @deep(i32 %n) noinline {
  %array = alloca [4 x i32]
  %k = and i32 %n, 3
  %p = getelementptr i32, ptr %array, i32 %k
  store volatile i32 %n, ptr %p
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %x, label %y
x:
  ret i32 0
y:
  %m = sub i32 %n, 1
  %r = call i32 @deep(i32 %m)
  %v = load volatile i32, ptr %p
  %s = add i32 %v, %r
  ret i32 %s
}

define ptx_kernel void @recursion(ptr %y, i32 %n) {
  %r = call i32 @deep(i32 %n)
  store i32 %r, ptr %y
  ret void
}

define internal { double, i64 } @split(double %a) noinline {
  %i = fptosi double %a to i64
  %f = sitofp i64 %i to double
  %d = fsub double %a, %f
  %r = insertvalue { double, i64 } undef, double %d, 0
  %s = insertvalue { double, i64 } %r, i64 %i, 1
  ret { double, i64 } %s
}

define internal void @increment(ptr %p) noinline {
  %v = load i32, ptr %p
  %w = add i32 %v, 5
  store i32 %w, ptr %p
  ret void
}

; A function that returns two values, and one that changes a local variable by its address.
define ptx_kernel void @results(ptr %y, double %a) {
  %l = alloca i32
  store i32 37, ptr %l
  call void @increment(ptr %l)
  %s = call { double, i64 } @split(double %a)
  %d = extractvalue { double, i64 } %s, 0
  %i = extractvalue { double, i64 } %s, 1
  store double %d, ptr %y
  %y1 = getelementptr i64, ptr %y, i32 1
  store i64 %i, ptr %y1
  %v = load i32, ptr %l
  %y2 = getelementptr i64, ptr %y, i32 2
  store i32 %v, ptr %y2
  ret void
}
