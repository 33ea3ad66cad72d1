// A switch on an index that is 0 in its lowest 32 bits, but is not 0.
//
// RUN: tfxc run %s 0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tfxc run %s 4294967296 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: tfxc run %s -- -3 2>&1 | FileCheck %s --check-prefix=MINUS
// RUN: tfxc run %s -- -4294967296 2>&1 | FileCheck %s --check-prefix=OTHER
//
// ZERO:  r = 1
// WIDE:  r = 2
// OTHER: r = 3
// MINUS: r = 4

func.func @main(%n: i64) -> (i32 {tfx.name = "r"}) {
  %i = arith.index_cast %n : i64 to index
  %r = scf.index_switch %i -> i32
  case 0 {
    %a = arith.constant 1 : i32
    scf.yield %a : i32
  }
  case 4294967296 {
    %a = arith.constant 2 : i32
    scf.yield %a : i32
  }
  case -3 {
    %a = arith.constant 4 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 3 : i32
    scf.yield %a : i32
  }
  return %r : i32
}
