// RUN: tfx-opt %s --tfx-sese --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{node-splitting=8 verify=true}))' --split-input-file | FileCheck %s --check-prefix=SPLIT
// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-sese{node-splitting=8 keep-cfg=true},tfx-verify-structured))' --split-input-file -o /dev/null

// A block that two conditions share is selected by a flag; or it is copied, and needs no flag.

// NONE-LABEL:  func.func @shared
// NONE:          %[[FLAG:.*]] = scf.if %{{.*}} -> (i1)
// NONE:          scf.if %[[FLAG]]
// NONE-COUNT-1:  call @other
// NONE-NOT:      call @other

// SPLIT-LABEL: func.func @shared
// SPLIT-NEXT:    scf.if %{{.*}} {
// SPLIT-NEXT:      scf.if %{{.*}} {
// SPLIT-NEXT:        func.call @observe
// SPLIT-NEXT:      } else {
// SPLIT-NEXT:        func.call @other
// SPLIT-NEXT:      }
// SPLIT-NEXT:    } else {
// SPLIT-NEXT:      func.call @other
// SPLIT-NEXT:    }
// SPLIT-NEXT:    return
func.func private @observe(i32)
func.func private @other(i32)
func.func @shared(%c: i1, %d: i1, %n: i32) {
  cf.cond_br %c, ^second, ^failed
^second:
  cf.cond_br %d, ^both, ^failed
^both:
  func.call @observe(%n) : (i32) -> ()
  cf.br ^end
^failed:
  func.call @other(%n) : (i32) -> ()
  cf.br ^end
^end:
  return
}

// -----

// A cycle with two entries has a flag that tells where the first iteration starts; or the blocks of the second entry are copied before the loop.

// NONE-LABEL:  func.func @two_entries
// NONE:          scf.while (%{{.*}} = %{{.*}}, %[[AT:.*]] = %{{.*}}) : (i32, i1) -> i32 {
// NONE-NEXT:       scf.if %[[AT]]

// SPLIT-LABEL: func.func @two_entries
// SPLIT:         scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
func.func private @observe(i32)
func.func private @decide() -> i1
func.func @two_entries(%c: i1, %n: i32) -> i32 {
  cf.cond_br %c, ^b(%n : i32), ^a(%n : i32)
^a(%x: i32):
  func.call @observe(%x) : (i32) -> ()
  %p = func.call @decide() : () -> i1
  cf.cond_br %p, ^b(%x : i32), ^end(%x : i32)
^b(%y: i32):
  %z = arith.addi %y, %n : i32
  %q = func.call @decide() : () -> i1
  cf.cond_br %q, ^a(%z : i32), ^end(%z : i32)
^end(%r: i32):
  return %r : i32
}

// -----

// The blocks are too large for eight operations: no copies.

// SPLIT-LABEL: func.func @too_large
// SPLIT:         scf.if %{{.*}} -> (i1)
// SPLIT-COUNT-9: call @observe
// SPLIT-NOT:     call @observe
func.func private @observe(i32)
func.func @too_large(%c: i1, %d: i1, %n: i32, %m: i32) {
  cf.cond_br %c, ^second, ^failed
^second:
  cf.cond_br %d, ^end, ^failed
^failed:
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  func.call @observe(%n) : (i32) -> ()
  cf.br ^end
^end:
  return
}
