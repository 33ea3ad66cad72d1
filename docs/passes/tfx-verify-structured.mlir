func.func @f(%c: i1, %a: i32) -> i32 {
  return %a : i32
}
