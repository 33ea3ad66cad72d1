// Scalar code on i64: each operation once on the host and once in the graph, which works on copies that it was given as tensors. Both print the same.
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
// IR-DAG: arith.trunci
// IR-DAG: arith.index_cast
// IR-DAG: arith.index_castui
// IR-DAG: arith.sitofp
// IR-DAG: arith.uitofp
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
// CHECK-NEXT: trunci_i1: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: trunci_i8: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: trunci_i16: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: trunci_i32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_index: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_index: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: sitofp_f32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: uitofp_f32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: sitofp_f64: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: uitofp_f64: [[V:[^ ]+]] [[V]]{{$}}

func.func @main(%a: i64, %b: i64) {
  %s = arith.constant 5 : i64
  %ta = tfx_tensor.from_scalar %a : i64
  %ia = tfx_tensor.op "Identity"(%ta) : (tensor<i64>) -> tensor<i64>
  %ga = tfx_tensor.to_scalar %ia : tensor<i64> -> i64
  %tb = tfx_tensor.from_scalar %b : i64
  %ib = tfx_tensor.op "Identity"(%tb) : (tensor<i64>) -> tensor<i64>
  %gb = tfx_tensor.to_scalar %ib : tensor<i64> -> i64
  %h_addi = arith.addi %a, %b : i64
  %r_addi = arith.addi %ga, %gb : i64
  %w_addi = tfx_tensor.from_scalar %r_addi : i64
  %x_addi = tfx_tensor.op "Identity"(%w_addi) : (tensor<i64>) -> tensor<i64>
  %h_subi = arith.subi %a, %b : i64
  %r_subi = arith.subi %ga, %gb : i64
  %w_subi = tfx_tensor.from_scalar %r_subi : i64
  %x_subi = tfx_tensor.op "Identity"(%w_subi) : (tensor<i64>) -> tensor<i64>
  %h_muli = arith.muli %a, %b : i64
  %r_muli = arith.muli %ga, %gb : i64
  %w_muli = tfx_tensor.from_scalar %r_muli : i64
  %x_muli = tfx_tensor.op "Identity"(%w_muli) : (tensor<i64>) -> tensor<i64>
  %h_maxsi = arith.maxsi %a, %b : i64
  %r_maxsi = arith.maxsi %ga, %gb : i64
  %w_maxsi = tfx_tensor.from_scalar %r_maxsi : i64
  %x_maxsi = tfx_tensor.op "Identity"(%w_maxsi) : (tensor<i64>) -> tensor<i64>
  %h_minsi = arith.minsi %a, %b : i64
  %r_minsi = arith.minsi %ga, %gb : i64
  %w_minsi = tfx_tensor.from_scalar %r_minsi : i64
  %x_minsi = tfx_tensor.op "Identity"(%w_minsi) : (tensor<i64>) -> tensor<i64>
  %h_maxui = arith.maxui %a, %b : i64
  %r_maxui = arith.maxui %ga, %gb : i64
  %w_maxui = tfx_tensor.from_scalar %r_maxui : i64
  %x_maxui = tfx_tensor.op "Identity"(%w_maxui) : (tensor<i64>) -> tensor<i64>
  %h_minui = arith.minui %a, %b : i64
  %r_minui = arith.minui %ga, %gb : i64
  %w_minui = tfx_tensor.from_scalar %r_minui : i64
  %x_minui = tfx_tensor.op "Identity"(%w_minui) : (tensor<i64>) -> tensor<i64>
  %h_andi = arith.andi %a, %b : i64
  %r_andi = arith.andi %ga, %gb : i64
  %w_andi = tfx_tensor.from_scalar %r_andi : i64
  %x_andi = tfx_tensor.op "Identity"(%w_andi) : (tensor<i64>) -> tensor<i64>
  %h_ori = arith.ori %a, %b : i64
  %r_ori = arith.ori %ga, %gb : i64
  %w_ori = tfx_tensor.from_scalar %r_ori : i64
  %x_ori = tfx_tensor.op "Identity"(%w_ori) : (tensor<i64>) -> tensor<i64>
  %h_xori = arith.xori %a, %b : i64
  %r_xori = arith.xori %ga, %gb : i64
  %w_xori = tfx_tensor.from_scalar %r_xori : i64
  %x_xori = tfx_tensor.op "Identity"(%w_xori) : (tensor<i64>) -> tensor<i64>
  %h_cmpi_eq = arith.cmpi eq, %a, %b : i64
  %r_cmpi_eq = arith.cmpi eq, %ga, %gb : i64
  %w_cmpi_eq = tfx_tensor.from_scalar %r_cmpi_eq : i1
  %x_cmpi_eq = tfx_tensor.op "Identity"(%w_cmpi_eq) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ne = arith.cmpi ne, %a, %b : i64
  %r_cmpi_ne = arith.cmpi ne, %ga, %gb : i64
  %w_cmpi_ne = tfx_tensor.from_scalar %r_cmpi_ne : i1
  %x_cmpi_ne = tfx_tensor.op "Identity"(%w_cmpi_ne) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_slt = arith.cmpi slt, %a, %b : i64
  %r_cmpi_slt = arith.cmpi slt, %ga, %gb : i64
  %w_cmpi_slt = tfx_tensor.from_scalar %r_cmpi_slt : i1
  %x_cmpi_slt = tfx_tensor.op "Identity"(%w_cmpi_slt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sle = arith.cmpi sle, %a, %b : i64
  %r_cmpi_sle = arith.cmpi sle, %ga, %gb : i64
  %w_cmpi_sle = tfx_tensor.from_scalar %r_cmpi_sle : i1
  %x_cmpi_sle = tfx_tensor.op "Identity"(%w_cmpi_sle) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sgt = arith.cmpi sgt, %a, %b : i64
  %r_cmpi_sgt = arith.cmpi sgt, %ga, %gb : i64
  %w_cmpi_sgt = tfx_tensor.from_scalar %r_cmpi_sgt : i1
  %x_cmpi_sgt = tfx_tensor.op "Identity"(%w_cmpi_sgt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sge = arith.cmpi sge, %a, %b : i64
  %r_cmpi_sge = arith.cmpi sge, %ga, %gb : i64
  %w_cmpi_sge = tfx_tensor.from_scalar %r_cmpi_sge : i1
  %x_cmpi_sge = tfx_tensor.op "Identity"(%w_cmpi_sge) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ult = arith.cmpi ult, %a, %b : i64
  %r_cmpi_ult = arith.cmpi ult, %ga, %gb : i64
  %w_cmpi_ult = tfx_tensor.from_scalar %r_cmpi_ult : i1
  %x_cmpi_ult = tfx_tensor.op "Identity"(%w_cmpi_ult) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ule = arith.cmpi ule, %a, %b : i64
  %r_cmpi_ule = arith.cmpi ule, %ga, %gb : i64
  %w_cmpi_ule = tfx_tensor.from_scalar %r_cmpi_ule : i1
  %x_cmpi_ule = tfx_tensor.op "Identity"(%w_cmpi_ule) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ugt = arith.cmpi ugt, %a, %b : i64
  %r_cmpi_ugt = arith.cmpi ugt, %ga, %gb : i64
  %w_cmpi_ugt = tfx_tensor.from_scalar %r_cmpi_ugt : i1
  %x_cmpi_ugt = tfx_tensor.op "Identity"(%w_cmpi_ugt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_uge = arith.cmpi uge, %a, %b : i64
  %r_cmpi_uge = arith.cmpi uge, %ga, %gb : i64
  %w_cmpi_uge = tfx_tensor.from_scalar %r_cmpi_uge : i1
  %x_cmpi_uge = tfx_tensor.op "Identity"(%w_cmpi_uge) : (tensor<i1>) -> tensor<i1>
  %h_divsi = arith.divsi %a, %b : i64
  %r_divsi = arith.divsi %ga, %gb : i64
  %w_divsi = tfx_tensor.from_scalar %r_divsi : i64
  %x_divsi = tfx_tensor.op "Identity"(%w_divsi) : (tensor<i64>) -> tensor<i64>
  %h_divui = arith.divui %a, %b : i64
  %r_divui = arith.divui %ga, %gb : i64
  %w_divui = tfx_tensor.from_scalar %r_divui : i64
  %x_divui = tfx_tensor.op "Identity"(%w_divui) : (tensor<i64>) -> tensor<i64>
  %h_remsi = arith.remsi %a, %b : i64
  %r_remsi = arith.remsi %ga, %gb : i64
  %w_remsi = tfx_tensor.from_scalar %r_remsi : i64
  %x_remsi = tfx_tensor.op "Identity"(%w_remsi) : (tensor<i64>) -> tensor<i64>
  %h_remui = arith.remui %a, %b : i64
  %r_remui = arith.remui %ga, %gb : i64
  %w_remui = tfx_tensor.from_scalar %r_remui : i64
  %x_remui = tfx_tensor.op "Identity"(%w_remui) : (tensor<i64>) -> tensor<i64>
  %h_floordivsi = arith.floordivsi %a, %b : i64
  %r_floordivsi = arith.floordivsi %ga, %gb : i64
  %w_floordivsi = tfx_tensor.from_scalar %r_floordivsi : i64
  %x_floordivsi = tfx_tensor.op "Identity"(%w_floordivsi) : (tensor<i64>) -> tensor<i64>
  %h_ceildivsi = arith.ceildivsi %a, %b : i64
  %r_ceildivsi = arith.ceildivsi %ga, %gb : i64
  %w_ceildivsi = tfx_tensor.from_scalar %r_ceildivsi : i64
  %x_ceildivsi = tfx_tensor.op "Identity"(%w_ceildivsi) : (tensor<i64>) -> tensor<i64>
  %h_ceildivui = arith.ceildivui %a, %b : i64
  %r_ceildivui = arith.ceildivui %ga, %gb : i64
  %w_ceildivui = tfx_tensor.from_scalar %r_ceildivui : i64
  %x_ceildivui = tfx_tensor.op "Identity"(%w_ceildivui) : (tensor<i64>) -> tensor<i64>
  %h_shli = arith.shli %a, %s : i64
  %r_shli = arith.shli %ga, %s : i64
  %w_shli = tfx_tensor.from_scalar %r_shli : i64
  %x_shli = tfx_tensor.op "Identity"(%w_shli) : (tensor<i64>) -> tensor<i64>
  %h_shrsi = arith.shrsi %a, %s : i64
  %r_shrsi = arith.shrsi %ga, %s : i64
  %w_shrsi = tfx_tensor.from_scalar %r_shrsi : i64
  %x_shrsi = tfx_tensor.op "Identity"(%w_shrsi) : (tensor<i64>) -> tensor<i64>
  %h_shrui = arith.shrui %a, %s : i64
  %r_shrui = arith.shrui %ga, %s : i64
  %w_shrui = tfx_tensor.from_scalar %r_shrui : i64
  %x_shrui = tfx_tensor.op "Identity"(%w_shrui) : (tensor<i64>) -> tensor<i64>
  %h_absi = math.absi %a : i64
  %r_absi = math.absi %ga : i64
  %w_absi = tfx_tensor.from_scalar %r_absi : i64
  %x_absi = tfx_tensor.op "Identity"(%w_absi) : (tensor<i64>) -> tensor<i64>
  %h_trunci_i1 = arith.trunci %a : i64 to i1
  %r_trunci_i1 = arith.trunci %ga : i64 to i1
  %w_trunci_i1 = tfx_tensor.from_scalar %r_trunci_i1 : i1
  %x_trunci_i1 = tfx_tensor.op "Identity"(%w_trunci_i1) : (tensor<i1>) -> tensor<i1>
  %h_trunci_i8 = arith.trunci %a : i64 to i8
  %r_trunci_i8 = arith.trunci %ga : i64 to i8
  %w_trunci_i8 = tfx_tensor.from_scalar %r_trunci_i8 : i8
  %x_trunci_i8 = tfx_tensor.op "Identity"(%w_trunci_i8) : (tensor<i8>) -> tensor<i8>
  %h_trunci_i16 = arith.trunci %a : i64 to i16
  %r_trunci_i16 = arith.trunci %ga : i64 to i16
  %w_trunci_i16 = tfx_tensor.from_scalar %r_trunci_i16 : i16
  %x_trunci_i16 = tfx_tensor.op "Identity"(%w_trunci_i16) : (tensor<i16>) -> tensor<i16>
  %h_trunci_i32 = arith.trunci %a : i64 to i32
  %r_trunci_i32 = arith.trunci %ga : i64 to i32
  %w_trunci_i32 = tfx_tensor.from_scalar %r_trunci_i32 : i32
  %x_trunci_i32 = tfx_tensor.op "Identity"(%w_trunci_i32) : (tensor<i32>) -> tensor<i32>
  %h_index_cast_index = arith.index_cast %a : i64 to index
  %r_index_cast_index = arith.index_cast %ga : i64 to index
  %w_index_cast_index = tfx_tensor.from_scalar %r_index_cast_index : index
  %x_index_cast_index = tfx_tensor.op "Identity"(%w_index_cast_index) : (tensor<i64>) -> tensor<i64>
  %h_index_castui_index = arith.index_castui %a : i64 to index
  %r_index_castui_index = arith.index_castui %ga : i64 to index
  %w_index_castui_index = tfx_tensor.from_scalar %r_index_castui_index : index
  %x_index_castui_index = tfx_tensor.op "Identity"(%w_index_castui_index) : (tensor<i64>) -> tensor<i64>
  %h_sitofp_f32 = arith.sitofp %a : i64 to f32
  %r_sitofp_f32 = arith.sitofp %ga : i64 to f32
  %w_sitofp_f32 = tfx_tensor.from_scalar %r_sitofp_f32 : f32
  %x_sitofp_f32 = tfx_tensor.op "Identity"(%w_sitofp_f32) : (tensor<f32>) -> tensor<f32>
  %h_uitofp_f32 = arith.uitofp %a : i64 to f32
  %r_uitofp_f32 = arith.uitofp %ga : i64 to f32
  %w_uitofp_f32 = tfx_tensor.from_scalar %r_uitofp_f32 : f32
  %x_uitofp_f32 = tfx_tensor.op "Identity"(%w_uitofp_f32) : (tensor<f32>) -> tensor<f32>
  %h_sitofp_f64 = arith.sitofp %a : i64 to f64
  %r_sitofp_f64 = arith.sitofp %ga : i64 to f64
  %w_sitofp_f64 = tfx_tensor.from_scalar %r_sitofp_f64 : f64
  %x_sitofp_f64 = tfx_tensor.op "Identity"(%w_sitofp_f64) : (tensor<f64>) -> tensor<f64>
  %h_uitofp_f64 = arith.uitofp %a : i64 to f64
  %r_uitofp_f64 = arith.uitofp %ga : i64 to f64
  %w_uitofp_f64 = tfx_tensor.from_scalar %r_uitofp_f64 : f64
  %x_uitofp_f64 = tfx_tensor.op "Identity"(%w_uitofp_f64) : (tensor<f64>) -> tensor<f64>
  tfx_host.print "addi: {} {}"(%h_addi, %x_addi) : i64, tensor<i64>
  tfx_host.print "subi: {} {}"(%h_subi, %x_subi) : i64, tensor<i64>
  tfx_host.print "muli: {} {}"(%h_muli, %x_muli) : i64, tensor<i64>
  tfx_host.print "maxsi: {} {}"(%h_maxsi, %x_maxsi) : i64, tensor<i64>
  tfx_host.print "minsi: {} {}"(%h_minsi, %x_minsi) : i64, tensor<i64>
  tfx_host.print "maxui: {} {}"(%h_maxui, %x_maxui) : i64, tensor<i64>
  tfx_host.print "minui: {} {}"(%h_minui, %x_minui) : i64, tensor<i64>
  tfx_host.print "andi: {} {}"(%h_andi, %x_andi) : i64, tensor<i64>
  tfx_host.print "ori: {} {}"(%h_ori, %x_ori) : i64, tensor<i64>
  tfx_host.print "xori: {} {}"(%h_xori, %x_xori) : i64, tensor<i64>
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
  tfx_host.print "divsi: {} {}"(%h_divsi, %x_divsi) : i64, tensor<i64>
  tfx_host.print "divui: {} {}"(%h_divui, %x_divui) : i64, tensor<i64>
  tfx_host.print "remsi: {} {}"(%h_remsi, %x_remsi) : i64, tensor<i64>
  tfx_host.print "remui: {} {}"(%h_remui, %x_remui) : i64, tensor<i64>
  tfx_host.print "floordivsi: {} {}"(%h_floordivsi, %x_floordivsi) : i64, tensor<i64>
  tfx_host.print "ceildivsi: {} {}"(%h_ceildivsi, %x_ceildivsi) : i64, tensor<i64>
  tfx_host.print "ceildivui: {} {}"(%h_ceildivui, %x_ceildivui) : i64, tensor<i64>
  tfx_host.print "shli: {} {}"(%h_shli, %x_shli) : i64, tensor<i64>
  tfx_host.print "shrsi: {} {}"(%h_shrsi, %x_shrsi) : i64, tensor<i64>
  tfx_host.print "shrui: {} {}"(%h_shrui, %x_shrui) : i64, tensor<i64>
  tfx_host.print "absi: {} {}"(%h_absi, %x_absi) : i64, tensor<i64>
  tfx_host.print "trunci_i1: {} {}"(%h_trunci_i1, %x_trunci_i1) : i1, tensor<i1>
  tfx_host.print "trunci_i8: {} {}"(%h_trunci_i8, %x_trunci_i8) : i8, tensor<i8>
  tfx_host.print "trunci_i16: {} {}"(%h_trunci_i16, %x_trunci_i16) : i16, tensor<i16>
  tfx_host.print "trunci_i32: {} {}"(%h_trunci_i32, %x_trunci_i32) : i32, tensor<i32>
  tfx_host.print "index_cast_index: {} {}"(%h_index_cast_index, %x_index_cast_index) : index, tensor<i64>
  tfx_host.print "index_castui_index: {} {}"(%h_index_castui_index, %x_index_castui_index) : index, tensor<i64>
  tfx_host.print "sitofp_f32: {} {}"(%h_sitofp_f32, %x_sitofp_f32) : f32, tensor<f32>
  tfx_host.print "uitofp_f32: {} {}"(%h_uitofp_f32, %x_uitofp_f32) : f32, tensor<f32>
  tfx_host.print "sitofp_f64: {} {}"(%h_sitofp_f64, %x_sitofp_f64) : f64, tensor<f64>
  tfx_host.print "uitofp_f64: {} {}"(%h_uitofp_f64, %x_uitofp_f64) : f64, tensor<f64>
  return
}
