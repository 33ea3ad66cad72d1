func.func @f(%a: i32, %b: i32) -> i32 {
  %unused = arith.muli %a, %b : i32
  cf.br ^next
^next:
  %r = arith.addi %a, %b : i32
  return %r : i32
}
