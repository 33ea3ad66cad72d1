// RUN: tfx-opt %s --pass-pipeline='builtin.module(tfx-scalarize)' --split-input-file --verify-diagnostics

// expected-note @below {{it is declared here}}
tfx_host.struct @List {head: i32, tail: !tfx_host.struct<@Cell>}
tfx_host.struct @Cell {list: !tfx_host.struct<@List>}

// expected-error @below {{'!tfx_host.struct<@List>' contains itself, so its size is infinite; put the inner value into a class}}
func.func @infinite(%l: !tfx_host.struct<@List>) {
  return
}

// -----

// It grows indefinitely without repeating itself.

// expected-note @below {{it is declared here}}
tfx_host.struct @Grow<"T"> {inner: !tfx_host.struct<@Grow<tuple<!tfx_host.param<"T">>>>}

// expected-error @below {{'!tfx_host.struct<@Grow<i32>>' contains itself}}
func.func @grows(%g: !tfx_host.struct<@Grow<i32>>) {
  return
}

// -----

// Each step doubles it: 2^17 leaves.

!t1 = tuple<i32, i32>
!t2 = tuple<!t1, !t1>
!t3 = tuple<!t2, !t2>
!t4 = tuple<!t3, !t3>
!t5 = tuple<!t4, !t4>

tfx_host.struct @A {a: !t5, b: !t5}
tfx_host.struct @B {a: !tfx_host.struct<@A>, b: !tfx_host.struct<@A>}
tfx_host.struct @C {a: !tfx_host.struct<@B>, b: !tfx_host.struct<@B>}
tfx_host.struct @D {a: !tfx_host.struct<@C>, b: !tfx_host.struct<@C>}
tfx_host.struct @E {a: !tfx_host.struct<@D>, b: !tfx_host.struct<@D>}
tfx_host.struct @F {a: !tfx_host.struct<@E>, b: !tfx_host.struct<@E>}
tfx_host.struct @G {a: !tfx_host.struct<@F>, b: !tfx_host.struct<@F>}
tfx_host.struct @H {a: !tfx_host.struct<@G>, b: !tfx_host.struct<@G>}
tfx_host.struct @I {a: !tfx_host.struct<@H>, b: !tfx_host.struct<@H>}
tfx_host.struct @J {a: !tfx_host.struct<@I>, b: !tfx_host.struct<@I>}
tfx_host.struct @K {a: !tfx_host.struct<@J>, b: !tfx_host.struct<@J>}
tfx_host.struct @L {a: !tfx_host.struct<@K>, b: !tfx_host.struct<@K>}

// expected-error @below {{'!tfx_host.struct<@L>' has more than 65536 leaves; keep its values in a tensor instead}}
func.func @large(%l: !tfx_host.struct<@L>) {
  return
}

// -----

// expected-error @below {{uses '@Nowhere', but no tfx_host.struct of that name is declared}}
func.func @undeclared(%l: !tfx_host.struct<@Nowhere>) {
  return
}
