// The distance from a checkpoint to the next one, for %length iterations until the end, at least
// 2, and %slots checkpoints, this one included, at least 1.
//
// With c slots, no iteration of C(c + r, c) runs more than r times again. For the smallest r that
// suffices, the distance is C(c + r - 2, c), or more if the iterations after it would be more than
// C(c - 1 + r, c - 1), those that the other slots suffice for. The bound on the slots keeps the
// products below 2^63 for 2^42 iterations.
func.func private @to_next_checkpoint(%length: i64, %slots: i64) -> i64
    attributes {tfx_ad.helper} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %most = arith.constant 1048576 : i64
  %last = arith.subi %length, %one : i64
  %is_single = arith.cmpi sle, %slots, %one : i64
  %distance = scf.if %is_single -> (i64) {
    scf.yield %last : i64
  } else {
    %c = arith.minsi %slots, %most : i64
    %reach:4 = scf.while (%r = %zero, %now = %one, %before = %zero, %first = %zero)
        : (i64, i64, i64, i64) -> (i64, i64, i64, i64) {
      %is_short = arith.cmpi slt, %now, %length : i64
      scf.condition(%is_short) %r, %now, %before, %first : i64, i64, i64, i64
    } do {
    ^bb0(%r: i64, %now: i64, %before: i64, %first: i64):
      %next = arith.addi %r, %one : i64
      %factor = arith.addi %c, %next : i64
      %product = arith.muli %now, %factor : i64
      %reached = arith.divsi %product, %next : i64
      scf.yield %next, %reached, %now, %before : i64, i64, i64, i64
    }
    %of_others = arith.subi %reach#1, %reach#2 : i64
    %least = arith.subi %length, %of_others : i64
    %far = arith.maxsi %reach#3, %least : i64
    %some = arith.maxsi %far, %one : i64
    %bounded = arith.minsi %some, %last : i64
    scf.yield %bounded : i64
  }
  return %distance : i64
}
