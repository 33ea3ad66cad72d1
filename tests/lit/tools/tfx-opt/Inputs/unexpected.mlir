func.func @f(%a: i32) -> i64 {
  %b = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i64
  return %b : i64
}
