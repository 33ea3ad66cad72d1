// Scalar code on index: each operation once on the host and once in the graph, which works on copies that it was given as tensors. Both print the same.
//
// RUN: tfxc run %s -- -9223372036854775808 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- -9223372036854775808 3 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- -7 -3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- -7 -3 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- 9223372036854775807 -9223372036854775808 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- 9223372036854775807 -9223372036854775808 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-extract 2>&1 | FileCheck %s --check-prefix=IR
//
// IR: tfx_tensor.graph @main.graph(
// IR-NOT: channels
// IR-DAG: arith.addi
// IR-DAG: arith.subi
// IR-DAG: arith.muli
// IR-DAG: arith.maxsi
// IR-DAG: arith.minsi
// IR-DAG: arith.maxui
// IR-DAG: arith.minui
// IR-DAG: arith.andi
// IR-DAG: arith.ori
// IR-DAG: arith.xori
// IR-DAG: arith.cmpi
// IR-DAG: arith.divsi
// IR-DAG: arith.divui
// IR-DAG: arith.remsi
// IR-DAG: arith.remui
// IR-DAG: arith.floordivsi
// IR-DAG: arith.ceildivsi
// IR-DAG: arith.ceildivui
// IR-DAG: arith.shli
// IR-DAG: arith.shrsi
// IR-DAG: arith.shrui
// IR-DAG: math.absi
// IR-DAG: arith.index_cast
// IR-DAG: arith.index_castui
// IR: tfx_tensor.return
//
// CHECK: addi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: subi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: muli: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: maxsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: minsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: maxui: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: minui: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: andi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: ori: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: xori: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_eq: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_ne: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_slt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_sle: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_sgt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_sge: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_ult: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_ule: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_ugt: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: cmpi_uge: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: divsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: divui: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: remsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: remui: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: floordivsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: ceildivsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: ceildivui: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: shli: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: shrsi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: shrui: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: absi: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_i1: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_i1: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_i8: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_i8: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_i16: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_i16: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_i32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_i32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_i64: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_i64: [[V:[^ ]+]] [[V]]{{$}}

func.func @main(%a: index, %b: index) {
  %s = arith.constant 5 : index
  %ta = tfx_tensor.from_scalar %a : index
  %ia = tfx_tensor.op "Identity"(%ta) : (tensor<i64>) -> tensor<i64>
  %ga = tfx_tensor.to_scalar %ia : tensor<i64> -> index
  %tb = tfx_tensor.from_scalar %b : index
  %ib = tfx_tensor.op "Identity"(%tb) : (tensor<i64>) -> tensor<i64>
  %gb = tfx_tensor.to_scalar %ib : tensor<i64> -> index
  %h_addi = arith.addi %a, %b : index
  %r_addi = arith.addi %ga, %gb : index
  %w_addi = tfx_tensor.from_scalar %r_addi : index
  %x_addi = tfx_tensor.op "Identity"(%w_addi) : (tensor<i64>) -> tensor<i64>
  %h_subi = arith.subi %a, %b : index
  %r_subi = arith.subi %ga, %gb : index
  %w_subi = tfx_tensor.from_scalar %r_subi : index
  %x_subi = tfx_tensor.op "Identity"(%w_subi) : (tensor<i64>) -> tensor<i64>
  %h_muli = arith.muli %a, %b : index
  %r_muli = arith.muli %ga, %gb : index
  %w_muli = tfx_tensor.from_scalar %r_muli : index
  %x_muli = tfx_tensor.op "Identity"(%w_muli) : (tensor<i64>) -> tensor<i64>
  %h_maxsi = arith.maxsi %a, %b : index
  %r_maxsi = arith.maxsi %ga, %gb : index
  %w_maxsi = tfx_tensor.from_scalar %r_maxsi : index
  %x_maxsi = tfx_tensor.op "Identity"(%w_maxsi) : (tensor<i64>) -> tensor<i64>
  %h_minsi = arith.minsi %a, %b : index
  %r_minsi = arith.minsi %ga, %gb : index
  %w_minsi = tfx_tensor.from_scalar %r_minsi : index
  %x_minsi = tfx_tensor.op "Identity"(%w_minsi) : (tensor<i64>) -> tensor<i64>
  %h_maxui = arith.maxui %a, %b : index
  %r_maxui = arith.maxui %ga, %gb : index
  %w_maxui = tfx_tensor.from_scalar %r_maxui : index
  %x_maxui = tfx_tensor.op "Identity"(%w_maxui) : (tensor<i64>) -> tensor<i64>
  %h_minui = arith.minui %a, %b : index
  %r_minui = arith.minui %ga, %gb : index
  %w_minui = tfx_tensor.from_scalar %r_minui : index
  %x_minui = tfx_tensor.op "Identity"(%w_minui) : (tensor<i64>) -> tensor<i64>
  %h_andi = arith.andi %a, %b : index
  %r_andi = arith.andi %ga, %gb : index
  %w_andi = tfx_tensor.from_scalar %r_andi : index
  %x_andi = tfx_tensor.op "Identity"(%w_andi) : (tensor<i64>) -> tensor<i64>
  %h_ori = arith.ori %a, %b : index
  %r_ori = arith.ori %ga, %gb : index
  %w_ori = tfx_tensor.from_scalar %r_ori : index
  %x_ori = tfx_tensor.op "Identity"(%w_ori) : (tensor<i64>) -> tensor<i64>
  %h_xori = arith.xori %a, %b : index
  %r_xori = arith.xori %ga, %gb : index
  %w_xori = tfx_tensor.from_scalar %r_xori : index
  %x_xori = tfx_tensor.op "Identity"(%w_xori) : (tensor<i64>) -> tensor<i64>
  %h_cmpi_eq = arith.cmpi eq, %a, %b : index
  %r_cmpi_eq = arith.cmpi eq, %ga, %gb : index
  %w_cmpi_eq = tfx_tensor.from_scalar %r_cmpi_eq : i1
  %x_cmpi_eq = tfx_tensor.op "Identity"(%w_cmpi_eq) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ne = arith.cmpi ne, %a, %b : index
  %r_cmpi_ne = arith.cmpi ne, %ga, %gb : index
  %w_cmpi_ne = tfx_tensor.from_scalar %r_cmpi_ne : i1
  %x_cmpi_ne = tfx_tensor.op "Identity"(%w_cmpi_ne) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_slt = arith.cmpi slt, %a, %b : index
  %r_cmpi_slt = arith.cmpi slt, %ga, %gb : index
  %w_cmpi_slt = tfx_tensor.from_scalar %r_cmpi_slt : i1
  %x_cmpi_slt = tfx_tensor.op "Identity"(%w_cmpi_slt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sle = arith.cmpi sle, %a, %b : index
  %r_cmpi_sle = arith.cmpi sle, %ga, %gb : index
  %w_cmpi_sle = tfx_tensor.from_scalar %r_cmpi_sle : i1
  %x_cmpi_sle = tfx_tensor.op "Identity"(%w_cmpi_sle) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sgt = arith.cmpi sgt, %a, %b : index
  %r_cmpi_sgt = arith.cmpi sgt, %ga, %gb : index
  %w_cmpi_sgt = tfx_tensor.from_scalar %r_cmpi_sgt : i1
  %x_cmpi_sgt = tfx_tensor.op "Identity"(%w_cmpi_sgt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sge = arith.cmpi sge, %a, %b : index
  %r_cmpi_sge = arith.cmpi sge, %ga, %gb : index
  %w_cmpi_sge = tfx_tensor.from_scalar %r_cmpi_sge : i1
  %x_cmpi_sge = tfx_tensor.op "Identity"(%w_cmpi_sge) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ult = arith.cmpi ult, %a, %b : index
  %r_cmpi_ult = arith.cmpi ult, %ga, %gb : index
  %w_cmpi_ult = tfx_tensor.from_scalar %r_cmpi_ult : i1
  %x_cmpi_ult = tfx_tensor.op "Identity"(%w_cmpi_ult) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ule = arith.cmpi ule, %a, %b : index
  %r_cmpi_ule = arith.cmpi ule, %ga, %gb : index
  %w_cmpi_ule = tfx_tensor.from_scalar %r_cmpi_ule : i1
  %x_cmpi_ule = tfx_tensor.op "Identity"(%w_cmpi_ule) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ugt = arith.cmpi ugt, %a, %b : index
  %r_cmpi_ugt = arith.cmpi ugt, %ga, %gb : index
  %w_cmpi_ugt = tfx_tensor.from_scalar %r_cmpi_ugt : i1
  %x_cmpi_ugt = tfx_tensor.op "Identity"(%w_cmpi_ugt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_uge = arith.cmpi uge, %a, %b : index
  %r_cmpi_uge = arith.cmpi uge, %ga, %gb : index
  %w_cmpi_uge = tfx_tensor.from_scalar %r_cmpi_uge : i1
  %x_cmpi_uge = tfx_tensor.op "Identity"(%w_cmpi_uge) : (tensor<i1>) -> tensor<i1>
  %h_divsi = arith.divsi %a, %b : index
  %r_divsi = arith.divsi %ga, %gb : index
  %w_divsi = tfx_tensor.from_scalar %r_divsi : index
  %x_divsi = tfx_tensor.op "Identity"(%w_divsi) : (tensor<i64>) -> tensor<i64>
  %h_divui = arith.divui %a, %b : index
  %r_divui = arith.divui %ga, %gb : index
  %w_divui = tfx_tensor.from_scalar %r_divui : index
  %x_divui = tfx_tensor.op "Identity"(%w_divui) : (tensor<i64>) -> tensor<i64>
  %h_remsi = arith.remsi %a, %b : index
  %r_remsi = arith.remsi %ga, %gb : index
  %w_remsi = tfx_tensor.from_scalar %r_remsi : index
  %x_remsi = tfx_tensor.op "Identity"(%w_remsi) : (tensor<i64>) -> tensor<i64>
  %h_remui = arith.remui %a, %b : index
  %r_remui = arith.remui %ga, %gb : index
  %w_remui = tfx_tensor.from_scalar %r_remui : index
  %x_remui = tfx_tensor.op "Identity"(%w_remui) : (tensor<i64>) -> tensor<i64>
  %h_floordivsi = arith.floordivsi %a, %b : index
  %r_floordivsi = arith.floordivsi %ga, %gb : index
  %w_floordivsi = tfx_tensor.from_scalar %r_floordivsi : index
  %x_floordivsi = tfx_tensor.op "Identity"(%w_floordivsi) : (tensor<i64>) -> tensor<i64>
  %h_ceildivsi = arith.ceildivsi %a, %b : index
  %r_ceildivsi = arith.ceildivsi %ga, %gb : index
  %w_ceildivsi = tfx_tensor.from_scalar %r_ceildivsi : index
  %x_ceildivsi = tfx_tensor.op "Identity"(%w_ceildivsi) : (tensor<i64>) -> tensor<i64>
  %h_ceildivui = arith.ceildivui %a, %b : index
  %r_ceildivui = arith.ceildivui %ga, %gb : index
  %w_ceildivui = tfx_tensor.from_scalar %r_ceildivui : index
  %x_ceildivui = tfx_tensor.op "Identity"(%w_ceildivui) : (tensor<i64>) -> tensor<i64>
  %h_shli = arith.shli %a, %s : index
  %r_shli = arith.shli %ga, %s : index
  %w_shli = tfx_tensor.from_scalar %r_shli : index
  %x_shli = tfx_tensor.op "Identity"(%w_shli) : (tensor<i64>) -> tensor<i64>
  %h_shrsi = arith.shrsi %a, %s : index
  %r_shrsi = arith.shrsi %ga, %s : index
  %w_shrsi = tfx_tensor.from_scalar %r_shrsi : index
  %x_shrsi = tfx_tensor.op "Identity"(%w_shrsi) : (tensor<i64>) -> tensor<i64>
  %h_shrui = arith.shrui %a, %s : index
  %r_shrui = arith.shrui %ga, %s : index
  %w_shrui = tfx_tensor.from_scalar %r_shrui : index
  %x_shrui = tfx_tensor.op "Identity"(%w_shrui) : (tensor<i64>) -> tensor<i64>
  %h_absi = math.absi %a : index
  %r_absi = math.absi %ga : index
  %w_absi = tfx_tensor.from_scalar %r_absi : index
  %x_absi = tfx_tensor.op "Identity"(%w_absi) : (tensor<i64>) -> tensor<i64>
  %h_index_cast_i1 = arith.index_cast %a : index to i1
  %r_index_cast_i1 = arith.index_cast %ga : index to i1
  %w_index_cast_i1 = tfx_tensor.from_scalar %r_index_cast_i1 : i1
  %x_index_cast_i1 = tfx_tensor.op "Identity"(%w_index_cast_i1) : (tensor<i1>) -> tensor<i1>
  %h_index_castui_i1 = arith.index_castui %a : index to i1
  %r_index_castui_i1 = arith.index_castui %ga : index to i1
  %w_index_castui_i1 = tfx_tensor.from_scalar %r_index_castui_i1 : i1
  %x_index_castui_i1 = tfx_tensor.op "Identity"(%w_index_castui_i1) : (tensor<i1>) -> tensor<i1>
  %h_index_cast_i8 = arith.index_cast %a : index to i8
  %r_index_cast_i8 = arith.index_cast %ga : index to i8
  %w_index_cast_i8 = tfx_tensor.from_scalar %r_index_cast_i8 : i8
  %x_index_cast_i8 = tfx_tensor.op "Identity"(%w_index_cast_i8) : (tensor<i8>) -> tensor<i8>
  %h_index_castui_i8 = arith.index_castui %a : index to i8
  %r_index_castui_i8 = arith.index_castui %ga : index to i8
  %w_index_castui_i8 = tfx_tensor.from_scalar %r_index_castui_i8 : i8
  %x_index_castui_i8 = tfx_tensor.op "Identity"(%w_index_castui_i8) : (tensor<i8>) -> tensor<i8>
  %h_index_cast_i16 = arith.index_cast %a : index to i16
  %r_index_cast_i16 = arith.index_cast %ga : index to i16
  %w_index_cast_i16 = tfx_tensor.from_scalar %r_index_cast_i16 : i16
  %x_index_cast_i16 = tfx_tensor.op "Identity"(%w_index_cast_i16) : (tensor<i16>) -> tensor<i16>
  %h_index_castui_i16 = arith.index_castui %a : index to i16
  %r_index_castui_i16 = arith.index_castui %ga : index to i16
  %w_index_castui_i16 = tfx_tensor.from_scalar %r_index_castui_i16 : i16
  %x_index_castui_i16 = tfx_tensor.op "Identity"(%w_index_castui_i16) : (tensor<i16>) -> tensor<i16>
  %h_index_cast_i32 = arith.index_cast %a : index to i32
  %r_index_cast_i32 = arith.index_cast %ga : index to i32
  %w_index_cast_i32 = tfx_tensor.from_scalar %r_index_cast_i32 : i32
  %x_index_cast_i32 = tfx_tensor.op "Identity"(%w_index_cast_i32) : (tensor<i32>) -> tensor<i32>
  %h_index_castui_i32 = arith.index_castui %a : index to i32
  %r_index_castui_i32 = arith.index_castui %ga : index to i32
  %w_index_castui_i32 = tfx_tensor.from_scalar %r_index_castui_i32 : i32
  %x_index_castui_i32 = tfx_tensor.op "Identity"(%w_index_castui_i32) : (tensor<i32>) -> tensor<i32>
  %h_index_cast_i64 = arith.index_cast %a : index to i64
  %r_index_cast_i64 = arith.index_cast %ga : index to i64
  %w_index_cast_i64 = tfx_tensor.from_scalar %r_index_cast_i64 : i64
  %x_index_cast_i64 = tfx_tensor.op "Identity"(%w_index_cast_i64) : (tensor<i64>) -> tensor<i64>
  %h_index_castui_i64 = arith.index_castui %a : index to i64
  %r_index_castui_i64 = arith.index_castui %ga : index to i64
  %w_index_castui_i64 = tfx_tensor.from_scalar %r_index_castui_i64 : i64
  %x_index_castui_i64 = tfx_tensor.op "Identity"(%w_index_castui_i64) : (tensor<i64>) -> tensor<i64>
  tfx_host.print "addi: {} {}"(%h_addi, %x_addi) : index, tensor<i64>
  tfx_host.print "subi: {} {}"(%h_subi, %x_subi) : index, tensor<i64>
  tfx_host.print "muli: {} {}"(%h_muli, %x_muli) : index, tensor<i64>
  tfx_host.print "maxsi: {} {}"(%h_maxsi, %x_maxsi) : index, tensor<i64>
  tfx_host.print "minsi: {} {}"(%h_minsi, %x_minsi) : index, tensor<i64>
  tfx_host.print "maxui: {} {}"(%h_maxui, %x_maxui) : index, tensor<i64>
  tfx_host.print "minui: {} {}"(%h_minui, %x_minui) : index, tensor<i64>
  tfx_host.print "andi: {} {}"(%h_andi, %x_andi) : index, tensor<i64>
  tfx_host.print "ori: {} {}"(%h_ori, %x_ori) : index, tensor<i64>
  tfx_host.print "xori: {} {}"(%h_xori, %x_xori) : index, tensor<i64>
  tfx_host.print "cmpi_eq: {} {}"(%h_cmpi_eq, %x_cmpi_eq) : i1, tensor<i1>
  tfx_host.print "cmpi_ne: {} {}"(%h_cmpi_ne, %x_cmpi_ne) : i1, tensor<i1>
  tfx_host.print "cmpi_slt: {} {}"(%h_cmpi_slt, %x_cmpi_slt) : i1, tensor<i1>
  tfx_host.print "cmpi_sle: {} {}"(%h_cmpi_sle, %x_cmpi_sle) : i1, tensor<i1>
  tfx_host.print "cmpi_sgt: {} {}"(%h_cmpi_sgt, %x_cmpi_sgt) : i1, tensor<i1>
  tfx_host.print "cmpi_sge: {} {}"(%h_cmpi_sge, %x_cmpi_sge) : i1, tensor<i1>
  tfx_host.print "cmpi_ult: {} {}"(%h_cmpi_ult, %x_cmpi_ult) : i1, tensor<i1>
  tfx_host.print "cmpi_ule: {} {}"(%h_cmpi_ule, %x_cmpi_ule) : i1, tensor<i1>
  tfx_host.print "cmpi_ugt: {} {}"(%h_cmpi_ugt, %x_cmpi_ugt) : i1, tensor<i1>
  tfx_host.print "cmpi_uge: {} {}"(%h_cmpi_uge, %x_cmpi_uge) : i1, tensor<i1>
  tfx_host.print "divsi: {} {}"(%h_divsi, %x_divsi) : index, tensor<i64>
  tfx_host.print "divui: {} {}"(%h_divui, %x_divui) : index, tensor<i64>
  tfx_host.print "remsi: {} {}"(%h_remsi, %x_remsi) : index, tensor<i64>
  tfx_host.print "remui: {} {}"(%h_remui, %x_remui) : index, tensor<i64>
  tfx_host.print "floordivsi: {} {}"(%h_floordivsi, %x_floordivsi) : index, tensor<i64>
  tfx_host.print "ceildivsi: {} {}"(%h_ceildivsi, %x_ceildivsi) : index, tensor<i64>
  tfx_host.print "ceildivui: {} {}"(%h_ceildivui, %x_ceildivui) : index, tensor<i64>
  tfx_host.print "shli: {} {}"(%h_shli, %x_shli) : index, tensor<i64>
  tfx_host.print "shrsi: {} {}"(%h_shrsi, %x_shrsi) : index, tensor<i64>
  tfx_host.print "shrui: {} {}"(%h_shrui, %x_shrui) : index, tensor<i64>
  tfx_host.print "absi: {} {}"(%h_absi, %x_absi) : index, tensor<i64>
  tfx_host.print "index_cast_i1: {} {}"(%h_index_cast_i1, %x_index_cast_i1) : i1, tensor<i1>
  tfx_host.print "index_castui_i1: {} {}"(%h_index_castui_i1, %x_index_castui_i1) : i1, tensor<i1>
  tfx_host.print "index_cast_i8: {} {}"(%h_index_cast_i8, %x_index_cast_i8) : i8, tensor<i8>
  tfx_host.print "index_castui_i8: {} {}"(%h_index_castui_i8, %x_index_castui_i8) : i8, tensor<i8>
  tfx_host.print "index_cast_i16: {} {}"(%h_index_cast_i16, %x_index_cast_i16) : i16, tensor<i16>
  tfx_host.print "index_castui_i16: {} {}"(%h_index_castui_i16, %x_index_castui_i16) : i16, tensor<i16>
  tfx_host.print "index_cast_i32: {} {}"(%h_index_cast_i32, %x_index_cast_i32) : i32, tensor<i32>
  tfx_host.print "index_castui_i32: {} {}"(%h_index_castui_i32, %x_index_castui_i32) : i32, tensor<i32>
  tfx_host.print "index_cast_i64: {} {}"(%h_index_cast_i64, %x_index_cast_i64) : i64, tensor<i64>
  tfx_host.print "index_castui_i64: {} {}"(%h_index_castui_i64, %x_index_castui_i64) : i64, tensor<i64>
  return
}
