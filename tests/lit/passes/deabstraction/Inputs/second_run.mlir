// Code that a second run of deabstraction once changed.

// A function that is empty once its variable and the computations on it are erased.
func.func private @spent(%x: i32) {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  %z = arith.addi %y, %x : i32
  return
}
func.func @calls(%x: i32, %y: i32) {
  func.call @spent(%x) : (i32) -> ()
  func.call @spent(%y) : (i32) -> ()
  return
}

// A closure that an object holds is applied after a branch.
!F = !tfx_host.closure<escaping (i32) -> i32>
tfx_host.class @Keeper {f: !tfx_host.closure<escaping (i32) -> i32>}
func.func private @plus(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}
func.func @kept(%x: i32) -> (i32, !tfx_host.object<@Keeper>) {
  %f = tfx_host.closure @plus(%x) : (i32) -> !F
  %k = tfx_host.new(%f) : (!F) -> !tfx_host.object<@Keeper>
  cf.br ^next(%f : !F)
^next(%g: !F):
  %r = tfx_host.apply %g(%x) : !F
  return %r, %k : i32, !tfx_host.object<@Keeper>
}

// An array that an attribute is computed from is forwarded to an unused argument, and to one whose elements are counted.
func.func @attribute(%p: i1, %x: tensor<1x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %a = tfx_host.array(%zero) : !tfx_host.array<i32>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %a : !tfx_host.array<i32>) : (tensor<1x4xf32>) -> tensor<4xf32>
  cf.cond_br %p, ^read(%a : !tfx_host.array<i32>), ^exit(%a : !tfx_host.array<i32>)
^read(%b: !tfx_host.array<i32>):
  %n = tfx_host.array_count %b : !tfx_host.array<i32>
  tfx_host.print "{}"(%n) : index
  cf.br ^exit(%b : !tfx_host.array<i32>)
^exit(%c: !tfx_host.array<i32>):
  return %y : tensor<4xf32>
}

// Scalar code of more operations than are copied, until they are folded, is called at two places
// by other scalar code. That is called by a function with tensors that is not inlined, since it
// calls itself.
func.func private @doubled(%x: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %0, %0 : i32
  %2 = arith.addi %1, %1 : i32
  %3 = arith.addi %2, %2 : i32
  %4 = arith.addi %3, %3 : i32
  %5 = arith.addi %4, %4 : i32
  %6 = arith.addi %5, %5 : i32
  %7 = arith.addi %6, %6 : i32
  %8 = arith.addi %7, %7 : i32
  %9 = arith.addi %8, %8 : i32
  %10 = arith.addi %9, %9 : i32
  %11 = arith.addi %10, %10 : i32
  %12 = arith.addi %11, %11 : i32
  %13 = arith.addi %12, %12 : i32
  %14 = arith.addi %13, %13 : i32
  %15 = arith.addi %14, %14 : i32
  %16 = arith.addi %15, %15 : i32
  %17 = arith.addi %16, %16 : i32
  %18 = arith.addi %17, %17 : i32
  %19 = arith.addi %18, %18 : i32
  %20 = arith.addi %19, %19 : i32
  %21 = arith.addi %20, %20 : i32
  %22 = arith.addi %21, %21 : i32
  %23 = arith.addi %22, %22 : i32
  %24 = arith.addi %23, %23 : i32
  %25 = arith.addi %24, %24 : i32
  %26 = arith.addi %25, %25 : i32
  %27 = arith.addi %26, %26 : i32
  %28 = arith.addi %27, %27 : i32
  %29 = arith.addi %28, %28 : i32
  %30 = arith.addi %29, %29 : i32
  %31 = arith.addi %30, %30 : i32
  %32 = arith.addi %31, %31 : i32
  %33 = arith.addi %32, %32 : i32
  %34 = arith.addi %33, %33 : i32
  %35 = arith.addi %34, %34 : i32
  %36 = arith.addi %35, %35 : i32
  %37 = arith.addi %36, %36 : i32
  %38 = arith.addi %37, %37 : i32
  %39 = arith.addi %38, %38 : i32
  %40 = arith.addi %39, %39 : i32
  %41 = arith.addi %40, %40 : i32
  %42 = arith.addi %41, %41 : i32
  %43 = arith.addi %42, %42 : i32
  %44 = arith.addi %43, %43 : i32
  %45 = arith.addi %44, %44 : i32
  %46 = arith.addi %45, %45 : i32
  %47 = arith.addi %46, %46 : i32
  %48 = arith.addi %47, %47 : i32
  %49 = arith.addi %48, %48 : i32
  %50 = arith.addi %49, %49 : i32
  %51 = arith.addi %50, %50 : i32
  %52 = arith.addi %51, %51 : i32
  %53 = arith.addi %52, %52 : i32
  %54 = arith.addi %53, %53 : i32
  %55 = arith.addi %54, %54 : i32
  %56 = arith.addi %55, %55 : i32
  %57 = arith.addi %56, %56 : i32
  %58 = arith.addi %57, %57 : i32
  %59 = arith.addi %58, %58 : i32
  %60 = arith.addi %59, %59 : i32
  %61 = arith.addi %60, %60 : i32
  %62 = arith.addi %61, %61 : i32
  %63 = arith.addi %62, %62 : i32
  %64 = arith.addi %63, %63 : i32
  %65 = arith.addi %64, %64 : i32
  %66 = arith.addi %65, %65 : i32
  %67 = arith.addi %66, %66 : i32
  %68 = arith.addi %67, %67 : i32
  %69 = arith.addi %68, %68 : i32
  %70 = arith.addi %69, %69 : i32
  %y = arith.addi %x, %70 : i32
  %z = arith.muli %y, %x : i32
  return %z : i32
}
func.func private @sum(%x: i32) -> i32 {
  %a = func.call @doubled(%x) : (i32) -> i32
  %b = func.call @doubled(%a) : (i32) -> i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
func.func @calls_itself(%x: i32, %t: tensor<i32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %is_end = arith.cmpi eq, %x, %zero : i32
  cf.cond_br %is_end, ^end, ^more
^end:
  return %t : tensor<i32>
^more:
  %less = func.call @sum(%x) : (i32) -> i32
  %u = tfx_tensor.op "Neg"(%t) : (tensor<i32>) -> tensor<i32>
  %v = func.call @calls_itself(%less, %u) : (i32, tensor<i32>) -> tensor<i32>
  return %v : tensor<i32>
}
