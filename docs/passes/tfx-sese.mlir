func.func @f(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^test(%zero : i32)
^test(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %i, %one : i32
  cf.br ^test(%next : i32)
^exit:
  return %i : i32
}
