#la = #llvm.loop_annotation<unroll = <disable = true>>
func.func private @tfx.kernel.1(%arg0: !llvm.ptr, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
    %3 = llvm.getelementptr %arg0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %c = arith.constant 1.0 : f32
    llvm.store %c, %3 : f32, !llvm.ptr
  } {llvm.loop_annotation = #la}
  return
}
