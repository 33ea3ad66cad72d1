// An invariant sum is computed and printed in a branch of a loop. It is computed before the
// loop and crosses once there, under the conditions under which the first iteration would compute it:
// not at all if the branch is not taken, or if the loop runs no iteration.
//
// RUN: tfxc run %s true 1.5 1000 --stats >%t.out 2>&1
// RUN: FileCheck %s --check-prefix=ONCE <%t.out
// RUN: grep -c '^shown 3.0$' %t.out | FileCheck %s --check-prefix=LINES
// RUN: tfxc run %s false 1.5 1000 --stats 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: tfxc run %s true 1.5 0 --stats 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: %if tensorflow %{ tfxc run %s true 1.5 1000 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefix=ONCE %}
// RUN: %if tensorflow %{ tfxc run %s true 1.5 0 --stats --executor tensorflow 2>&1 | FileCheck %s --check-prefix=NEVER %}
// RUN: tfxc interpret %s true 1.5 2 | FileCheck %s --check-prefix=SHOWN
//
// LINES: 1000
//
// SHOWN:      shown 3.0
// SHOWN-NEXT: shown 3.0
// SHOWN-NEXT: w = 4.5
//
// ONCE:     shown 3.0
// ONCE:     {{0 +to host +f32 +1 +4 }}
// ONCE-NOT: {{1 +to}}
//
// NEVER-NOT: shown
// NEVER:     {{0 +to host +f32 +0 +0 }}
// NEVER-NOT: {{1 +to}}

!T = tensor<f32>
func.func @main(%some: i1, %x: f32, %n: i32) -> (!T {tfx.name = "w"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tfx_tensor.from_scalar %x : f32
  %w = scf.for %i = %zero to %n step %one iter_args(%v = %a) -> (!T) : i32 {
    scf.if %some {
      %sum = tfx_tensor.op "AddV2"(%a, %a) : (!T, !T) -> !T
      tfx_host.print "shown {}"(%sum) : !T
    }
    %u = tfx_tensor.op "Maximum"(%v, %v) : (!T, !T) -> !T
    %r = tfx_tensor.op "AddV2"(%u, %a) : (!T, !T) -> !T
    scf.yield %r : !T
  }
  return %w : !T
}
