// An index that one path does not have, and that is not read after it: it once was a constant of a type that LLVM does not have.
//
// RUN: tfxc run %s 3 true | FileCheck %s
// RUN: tfxc run %s 3 false | FileCheck %s --check-prefix=WITHOUT
//
// CHECK:      it is 3
// CHECK-NEXT: r = 3
// WITHOUT-NOT: it is
// WITHOUT:     r = 3

func.func @main(%n: index, %p: i1) -> (index {tfx.name = "r"}) {
  %x = scf.if %p -> index {
    scf.yield %n : index
  } else {
    %u = tfx_host.undef : index
    scf.yield %u : index
  }
  scf.if %p {
    tfx_host.print "it is {}"(%x) : index
  }
  return %n : index
}
