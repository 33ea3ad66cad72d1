// Scalar code on f32: each operation once on the host and once in the graph, which works on copies that it was given as tensors. Both print the same.
//
// RUN: tfxc run %s -- 1.5 -2.5 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- 1.5 -2.5 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- nan 1 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- nan 1 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- 7.5 2 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- 7.5 2 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- -0.0 0.0 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- -0.0 0.0 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- inf -inf 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- inf -inf 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// IR: tfx_tensor.graph @main.graph(
// IR-NOT: channels
// IR-DAG: arith.addf
// IR-DAG: arith.subf
// IR-DAG: arith.mulf
// IR-DAG: arith.divf
// IR-DAG: arith.remf
// IR-DAG: arith.negf
// IR-DAG: arith.cmpf
// IR-DAG: math.absf
// IR-DAG: math.ceil
// IR-DAG: math.floor
// IR-DAG: math.roundeven
// IR-DAG: math.trunc
// IR-DAG: math.sqrt
// IR-DAG: arith.extf
// IR: tfx_tensor.return
//
// CHECK: addf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: subf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: mulf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: divf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: remf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: negf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_false: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_oeq: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ogt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_oge: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_olt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ole: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_one: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ord: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ueq: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ugt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_uge: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ult: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_ule: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_une: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_uno: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpf_true: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: absf: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: ceil: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: floor: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: roundeven: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: trunc: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: sqrt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: float: [[V:[^ ]+]] [[V]]{{$}}

func.func @main(%a: f32, %b: f32) {
  %ta = tfx_tensor.from_scalar %a : f32
  %ia = tfx_tensor.op "Identity"(%ta) : (tensor<f32>) -> tensor<f32>
  %ga = tfx_tensor.to_scalar %ia : tensor<f32> -> f32
  %tb = tfx_tensor.from_scalar %b : f32
  %ib = tfx_tensor.op "Identity"(%tb) : (tensor<f32>) -> tensor<f32>
  %gb = tfx_tensor.to_scalar %ib : tensor<f32> -> f32
  %h_addf = arith.addf %a, %b : f32
  %r_addf = arith.addf %ga, %gb : f32
  %w_addf = tfx_tensor.from_scalar %r_addf : f32
  %x_addf = tfx_tensor.op "Identity"(%w_addf) : (tensor<f32>) -> tensor<f32>
  %h_subf = arith.subf %a, %b : f32
  %r_subf = arith.subf %ga, %gb : f32
  %w_subf = tfx_tensor.from_scalar %r_subf : f32
  %x_subf = tfx_tensor.op "Identity"(%w_subf) : (tensor<f32>) -> tensor<f32>
  %h_mulf = arith.mulf %a, %b : f32
  %r_mulf = arith.mulf %ga, %gb : f32
  %w_mulf = tfx_tensor.from_scalar %r_mulf : f32
  %x_mulf = tfx_tensor.op "Identity"(%w_mulf) : (tensor<f32>) -> tensor<f32>
  %h_divf = arith.divf %a, %b : f32
  %r_divf = arith.divf %ga, %gb : f32
  %w_divf = tfx_tensor.from_scalar %r_divf : f32
  %x_divf = tfx_tensor.op "Identity"(%w_divf) : (tensor<f32>) -> tensor<f32>
  %h_remf = arith.remf %a, %b : f32
  %r_remf = arith.remf %ga, %gb : f32
  %w_remf = tfx_tensor.from_scalar %r_remf : f32
  %x_remf = tfx_tensor.op "Identity"(%w_remf) : (tensor<f32>) -> tensor<f32>
  %h_negf = arith.negf %a : f32
  %r_negf = arith.negf %ga : f32
  %w_negf = tfx_tensor.from_scalar %r_negf : f32
  %x_negf = tfx_tensor.op "Identity"(%w_negf) : (tensor<f32>) -> tensor<f32>
  %h_cmpf_false = arith.cmpf false, %a, %b : f32
  %r_cmpf_false = arith.cmpf false, %ga, %gb : f32
  %w_cmpf_false = tfx_tensor.from_scalar %r_cmpf_false : i1
  %x_cmpf_false = tfx_tensor.op "Identity"(%w_cmpf_false) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_oeq = arith.cmpf oeq, %a, %b : f32
  %r_cmpf_oeq = arith.cmpf oeq, %ga, %gb : f32
  %w_cmpf_oeq = tfx_tensor.from_scalar %r_cmpf_oeq : i1
  %x_cmpf_oeq = tfx_tensor.op "Identity"(%w_cmpf_oeq) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ogt = arith.cmpf ogt, %a, %b : f32
  %r_cmpf_ogt = arith.cmpf ogt, %ga, %gb : f32
  %w_cmpf_ogt = tfx_tensor.from_scalar %r_cmpf_ogt : i1
  %x_cmpf_ogt = tfx_tensor.op "Identity"(%w_cmpf_ogt) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_oge = arith.cmpf oge, %a, %b : f32
  %r_cmpf_oge = arith.cmpf oge, %ga, %gb : f32
  %w_cmpf_oge = tfx_tensor.from_scalar %r_cmpf_oge : i1
  %x_cmpf_oge = tfx_tensor.op "Identity"(%w_cmpf_oge) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_olt = arith.cmpf olt, %a, %b : f32
  %r_cmpf_olt = arith.cmpf olt, %ga, %gb : f32
  %w_cmpf_olt = tfx_tensor.from_scalar %r_cmpf_olt : i1
  %x_cmpf_olt = tfx_tensor.op "Identity"(%w_cmpf_olt) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ole = arith.cmpf ole, %a, %b : f32
  %r_cmpf_ole = arith.cmpf ole, %ga, %gb : f32
  %w_cmpf_ole = tfx_tensor.from_scalar %r_cmpf_ole : i1
  %x_cmpf_ole = tfx_tensor.op "Identity"(%w_cmpf_ole) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_one = arith.cmpf one, %a, %b : f32
  %r_cmpf_one = arith.cmpf one, %ga, %gb : f32
  %w_cmpf_one = tfx_tensor.from_scalar %r_cmpf_one : i1
  %x_cmpf_one = tfx_tensor.op "Identity"(%w_cmpf_one) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ord = arith.cmpf ord, %a, %b : f32
  %r_cmpf_ord = arith.cmpf ord, %ga, %gb : f32
  %w_cmpf_ord = tfx_tensor.from_scalar %r_cmpf_ord : i1
  %x_cmpf_ord = tfx_tensor.op "Identity"(%w_cmpf_ord) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ueq = arith.cmpf ueq, %a, %b : f32
  %r_cmpf_ueq = arith.cmpf ueq, %ga, %gb : f32
  %w_cmpf_ueq = tfx_tensor.from_scalar %r_cmpf_ueq : i1
  %x_cmpf_ueq = tfx_tensor.op "Identity"(%w_cmpf_ueq) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ugt = arith.cmpf ugt, %a, %b : f32
  %r_cmpf_ugt = arith.cmpf ugt, %ga, %gb : f32
  %w_cmpf_ugt = tfx_tensor.from_scalar %r_cmpf_ugt : i1
  %x_cmpf_ugt = tfx_tensor.op "Identity"(%w_cmpf_ugt) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_uge = arith.cmpf uge, %a, %b : f32
  %r_cmpf_uge = arith.cmpf uge, %ga, %gb : f32
  %w_cmpf_uge = tfx_tensor.from_scalar %r_cmpf_uge : i1
  %x_cmpf_uge = tfx_tensor.op "Identity"(%w_cmpf_uge) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ult = arith.cmpf ult, %a, %b : f32
  %r_cmpf_ult = arith.cmpf ult, %ga, %gb : f32
  %w_cmpf_ult = tfx_tensor.from_scalar %r_cmpf_ult : i1
  %x_cmpf_ult = tfx_tensor.op "Identity"(%w_cmpf_ult) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_ule = arith.cmpf ule, %a, %b : f32
  %r_cmpf_ule = arith.cmpf ule, %ga, %gb : f32
  %w_cmpf_ule = tfx_tensor.from_scalar %r_cmpf_ule : i1
  %x_cmpf_ule = tfx_tensor.op "Identity"(%w_cmpf_ule) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_une = arith.cmpf une, %a, %b : f32
  %r_cmpf_une = arith.cmpf une, %ga, %gb : f32
  %w_cmpf_une = tfx_tensor.from_scalar %r_cmpf_une : i1
  %x_cmpf_une = tfx_tensor.op "Identity"(%w_cmpf_une) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_uno = arith.cmpf uno, %a, %b : f32
  %r_cmpf_uno = arith.cmpf uno, %ga, %gb : f32
  %w_cmpf_uno = tfx_tensor.from_scalar %r_cmpf_uno : i1
  %x_cmpf_uno = tfx_tensor.op "Identity"(%w_cmpf_uno) : (tensor<i1>) -> tensor<i1>
  %h_cmpf_true = arith.cmpf true, %a, %b : f32
  %r_cmpf_true = arith.cmpf true, %ga, %gb : f32
  %w_cmpf_true = tfx_tensor.from_scalar %r_cmpf_true : i1
  %x_cmpf_true = tfx_tensor.op "Identity"(%w_cmpf_true) : (tensor<i1>) -> tensor<i1>
  %h_absf = math.absf %a : f32
  %r_absf = math.absf %ga : f32
  %w_absf = tfx_tensor.from_scalar %r_absf : f32
  %x_absf = tfx_tensor.op "Identity"(%w_absf) : (tensor<f32>) -> tensor<f32>
  %h_ceil = math.ceil %a : f32
  %r_ceil = math.ceil %ga : f32
  %w_ceil = tfx_tensor.from_scalar %r_ceil : f32
  %x_ceil = tfx_tensor.op "Identity"(%w_ceil) : (tensor<f32>) -> tensor<f32>
  %h_floor = math.floor %a : f32
  %r_floor = math.floor %ga : f32
  %w_floor = tfx_tensor.from_scalar %r_floor : f32
  %x_floor = tfx_tensor.op "Identity"(%w_floor) : (tensor<f32>) -> tensor<f32>
  %h_roundeven = math.roundeven %a : f32
  %r_roundeven = math.roundeven %ga : f32
  %w_roundeven = tfx_tensor.from_scalar %r_roundeven : f32
  %x_roundeven = tfx_tensor.op "Identity"(%w_roundeven) : (tensor<f32>) -> tensor<f32>
  %h_trunc = math.trunc %a : f32
  %r_trunc = math.trunc %ga : f32
  %w_trunc = tfx_tensor.from_scalar %r_trunc : f32
  %x_trunc = tfx_tensor.op "Identity"(%w_trunc) : (tensor<f32>) -> tensor<f32>
  %h_sqrt = math.sqrt %a : f32
  %r_sqrt = math.sqrt %ga : f32
  %w_sqrt = tfx_tensor.from_scalar %r_sqrt : f32
  %x_sqrt = tfx_tensor.op "Identity"(%w_sqrt) : (tensor<f32>) -> tensor<f32>
  %h_float = arith.extf %a : f32 to f64
  %r_float = arith.extf %ga : f32 to f64
  %w_float = tfx_tensor.from_scalar %r_float : f64
  %x_float = tfx_tensor.op "Identity"(%w_float) : (tensor<f64>) -> tensor<f64>
  tfx_host.print "addf: {} {}"(%h_addf, %x_addf) : f32, tensor<f32>
  tfx_host.print "subf: {} {}"(%h_subf, %x_subf) : f32, tensor<f32>
  tfx_host.print "mulf: {} {}"(%h_mulf, %x_mulf) : f32, tensor<f32>
  tfx_host.print "divf: {} {}"(%h_divf, %x_divf) : f32, tensor<f32>
  tfx_host.print "remf: {} {}"(%h_remf, %x_remf) : f32, tensor<f32>
  tfx_host.print "negf: {} {}"(%h_negf, %x_negf) : f32, tensor<f32>
  tfx_host.print "cmpf_false: {} {}"(%h_cmpf_false, %x_cmpf_false) : i1, tensor<i1>
  tfx_host.print "cmpf_oeq: {} {}"(%h_cmpf_oeq, %x_cmpf_oeq) : i1, tensor<i1>
  tfx_host.print "cmpf_ogt: {} {}"(%h_cmpf_ogt, %x_cmpf_ogt) : i1, tensor<i1>
  tfx_host.print "cmpf_oge: {} {}"(%h_cmpf_oge, %x_cmpf_oge) : i1, tensor<i1>
  tfx_host.print "cmpf_olt: {} {}"(%h_cmpf_olt, %x_cmpf_olt) : i1, tensor<i1>
  tfx_host.print "cmpf_ole: {} {}"(%h_cmpf_ole, %x_cmpf_ole) : i1, tensor<i1>
  tfx_host.print "cmpf_one: {} {}"(%h_cmpf_one, %x_cmpf_one) : i1, tensor<i1>
  tfx_host.print "cmpf_ord: {} {}"(%h_cmpf_ord, %x_cmpf_ord) : i1, tensor<i1>
  tfx_host.print "cmpf_ueq: {} {}"(%h_cmpf_ueq, %x_cmpf_ueq) : i1, tensor<i1>
  tfx_host.print "cmpf_ugt: {} {}"(%h_cmpf_ugt, %x_cmpf_ugt) : i1, tensor<i1>
  tfx_host.print "cmpf_uge: {} {}"(%h_cmpf_uge, %x_cmpf_uge) : i1, tensor<i1>
  tfx_host.print "cmpf_ult: {} {}"(%h_cmpf_ult, %x_cmpf_ult) : i1, tensor<i1>
  tfx_host.print "cmpf_ule: {} {}"(%h_cmpf_ule, %x_cmpf_ule) : i1, tensor<i1>
  tfx_host.print "cmpf_une: {} {}"(%h_cmpf_une, %x_cmpf_une) : i1, tensor<i1>
  tfx_host.print "cmpf_uno: {} {}"(%h_cmpf_uno, %x_cmpf_uno) : i1, tensor<i1>
  tfx_host.print "cmpf_true: {} {}"(%h_cmpf_true, %x_cmpf_true) : i1, tensor<i1>
  tfx_host.print "absf: {} {}"(%h_absf, %x_absf) : f32, tensor<f32>
  tfx_host.print "ceil: {} {}"(%h_ceil, %x_ceil) : f32, tensor<f32>
  tfx_host.print "floor: {} {}"(%h_floor, %x_floor) : f32, tensor<f32>
  tfx_host.print "roundeven: {} {}"(%h_roundeven, %x_roundeven) : f32, tensor<f32>
  tfx_host.print "trunc: {} {}"(%h_trunc, %x_trunc) : f32, tensor<f32>
  tfx_host.print "sqrt: {} {}"(%h_sqrt, %x_sqrt) : f32, tensor<f32>
  tfx_host.print "float: {} {}"(%h_float, %x_float) : f64, tensor<f64>
  return
}
