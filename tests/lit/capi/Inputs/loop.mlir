func.func @f(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.addi %one, %one : i64
  cf.br ^loop(%zero : i64)
^loop(%i: i64):
  %j = arith.addi %i, %two : i64
  %more = arith.cmpi slt, %j, %n : i64
  cf.cond_br %more, ^loop(%j : i64), ^done
^done:
  return %j : i64
}
