// An index that is cast to a narrower integer and back loses its upper bits. Upstream's canonicalization folds the two casts wrongly.
//
// RUN: tfxc run %s 400 | FileCheck %s
// RUN: tfxc interpret %s 400 | FileCheck %s
//
// CHECK: narrow -2147483648
// CHECK: 715827882
// CHECK: small 255

func.func @main(%n: index) {
  %far = arith.constant 27 : index
  %large = arith.shli %n, %far : index
  %narrow = arith.index_cast %large : index to i32
  %wide = arith.index_cast %narrow : i32 to index
  tfx_host.print "narrow {}"(%wide) : index
  %three = arith.constant -3 : index
  %third = arith.divsi %wide, %three : index
  tfx_host.print "{}"(%third) : index
  %ones = arith.constant -1 : index
  %byte = arith.index_castui %ones : index to i8
  %small = arith.index_castui %byte : i8 to index
  tfx_host.print "small {}"(%small) : index
  return
}
