// Scalar code on i1: each operation once on the host and once in the graph, which works on copies that it was given as tensors. Both print the same.
//
// RUN: tfxc run %s -- true false 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- true false 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- false true 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- false true 2>&1 | FileCheck %s %}
// RUN: tfxc run %s -- true true 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow -- true true 2>&1 | FileCheck %s %}
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
// IR-DAG: arith.extsi
// IR-DAG: arith.extui
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
// CHECK-NEXT: extsi_i8: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extui_i8: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extsi_i16: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extui_i16: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extsi_i32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extui_i32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extsi_i64: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: extui_i64: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_cast_index: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: index_castui_index: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: sitofp_f32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: uitofp_f32: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: sitofp_f64: [[V:[^ ]+]] [[V]]{{$}}
// CHECK-NEXT: uitofp_f64: [[V:[^ ]+]] [[V]]{{$}}

func.func @main(%a: i1, %b: i1) {
  %ta = tfx_tensor.from_scalar %a : i1
  %ia = tfx_tensor.op "Identity"(%ta) : (tensor<i1>) -> tensor<i1>
  %ga = tfx_tensor.to_scalar %ia : tensor<i1> -> i1
  %tb = tfx_tensor.from_scalar %b : i1
  %ib = tfx_tensor.op "Identity"(%tb) : (tensor<i1>) -> tensor<i1>
  %gb = tfx_tensor.to_scalar %ib : tensor<i1> -> i1
  %h_addi = arith.addi %a, %b : i1
  %r_addi = arith.addi %ga, %gb : i1
  %w_addi = tfx_tensor.from_scalar %r_addi : i1
  %x_addi = tfx_tensor.op "Identity"(%w_addi) : (tensor<i1>) -> tensor<i1>
  %h_subi = arith.subi %a, %b : i1
  %r_subi = arith.subi %ga, %gb : i1
  %w_subi = tfx_tensor.from_scalar %r_subi : i1
  %x_subi = tfx_tensor.op "Identity"(%w_subi) : (tensor<i1>) -> tensor<i1>
  %h_muli = arith.muli %a, %b : i1
  %r_muli = arith.muli %ga, %gb : i1
  %w_muli = tfx_tensor.from_scalar %r_muli : i1
  %x_muli = tfx_tensor.op "Identity"(%w_muli) : (tensor<i1>) -> tensor<i1>
  %h_maxsi = arith.maxsi %a, %b : i1
  %r_maxsi = arith.maxsi %ga, %gb : i1
  %w_maxsi = tfx_tensor.from_scalar %r_maxsi : i1
  %x_maxsi = tfx_tensor.op "Identity"(%w_maxsi) : (tensor<i1>) -> tensor<i1>
  %h_minsi = arith.minsi %a, %b : i1
  %r_minsi = arith.minsi %ga, %gb : i1
  %w_minsi = tfx_tensor.from_scalar %r_minsi : i1
  %x_minsi = tfx_tensor.op "Identity"(%w_minsi) : (tensor<i1>) -> tensor<i1>
  %h_maxui = arith.maxui %a, %b : i1
  %r_maxui = arith.maxui %ga, %gb : i1
  %w_maxui = tfx_tensor.from_scalar %r_maxui : i1
  %x_maxui = tfx_tensor.op "Identity"(%w_maxui) : (tensor<i1>) -> tensor<i1>
  %h_minui = arith.minui %a, %b : i1
  %r_minui = arith.minui %ga, %gb : i1
  %w_minui = tfx_tensor.from_scalar %r_minui : i1
  %x_minui = tfx_tensor.op "Identity"(%w_minui) : (tensor<i1>) -> tensor<i1>
  %h_andi = arith.andi %a, %b : i1
  %r_andi = arith.andi %ga, %gb : i1
  %w_andi = tfx_tensor.from_scalar %r_andi : i1
  %x_andi = tfx_tensor.op "Identity"(%w_andi) : (tensor<i1>) -> tensor<i1>
  %h_ori = arith.ori %a, %b : i1
  %r_ori = arith.ori %ga, %gb : i1
  %w_ori = tfx_tensor.from_scalar %r_ori : i1
  %x_ori = tfx_tensor.op "Identity"(%w_ori) : (tensor<i1>) -> tensor<i1>
  %h_xori = arith.xori %a, %b : i1
  %r_xori = arith.xori %ga, %gb : i1
  %w_xori = tfx_tensor.from_scalar %r_xori : i1
  %x_xori = tfx_tensor.op "Identity"(%w_xori) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_eq = arith.cmpi eq, %a, %b : i1
  %r_cmpi_eq = arith.cmpi eq, %ga, %gb : i1
  %w_cmpi_eq = tfx_tensor.from_scalar %r_cmpi_eq : i1
  %x_cmpi_eq = tfx_tensor.op "Identity"(%w_cmpi_eq) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ne = arith.cmpi ne, %a, %b : i1
  %r_cmpi_ne = arith.cmpi ne, %ga, %gb : i1
  %w_cmpi_ne = tfx_tensor.from_scalar %r_cmpi_ne : i1
  %x_cmpi_ne = tfx_tensor.op "Identity"(%w_cmpi_ne) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_slt = arith.cmpi slt, %a, %b : i1
  %r_cmpi_slt = arith.cmpi slt, %ga, %gb : i1
  %w_cmpi_slt = tfx_tensor.from_scalar %r_cmpi_slt : i1
  %x_cmpi_slt = tfx_tensor.op "Identity"(%w_cmpi_slt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sle = arith.cmpi sle, %a, %b : i1
  %r_cmpi_sle = arith.cmpi sle, %ga, %gb : i1
  %w_cmpi_sle = tfx_tensor.from_scalar %r_cmpi_sle : i1
  %x_cmpi_sle = tfx_tensor.op "Identity"(%w_cmpi_sle) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sgt = arith.cmpi sgt, %a, %b : i1
  %r_cmpi_sgt = arith.cmpi sgt, %ga, %gb : i1
  %w_cmpi_sgt = tfx_tensor.from_scalar %r_cmpi_sgt : i1
  %x_cmpi_sgt = tfx_tensor.op "Identity"(%w_cmpi_sgt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_sge = arith.cmpi sge, %a, %b : i1
  %r_cmpi_sge = arith.cmpi sge, %ga, %gb : i1
  %w_cmpi_sge = tfx_tensor.from_scalar %r_cmpi_sge : i1
  %x_cmpi_sge = tfx_tensor.op "Identity"(%w_cmpi_sge) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ult = arith.cmpi ult, %a, %b : i1
  %r_cmpi_ult = arith.cmpi ult, %ga, %gb : i1
  %w_cmpi_ult = tfx_tensor.from_scalar %r_cmpi_ult : i1
  %x_cmpi_ult = tfx_tensor.op "Identity"(%w_cmpi_ult) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ule = arith.cmpi ule, %a, %b : i1
  %r_cmpi_ule = arith.cmpi ule, %ga, %gb : i1
  %w_cmpi_ule = tfx_tensor.from_scalar %r_cmpi_ule : i1
  %x_cmpi_ule = tfx_tensor.op "Identity"(%w_cmpi_ule) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_ugt = arith.cmpi ugt, %a, %b : i1
  %r_cmpi_ugt = arith.cmpi ugt, %ga, %gb : i1
  %w_cmpi_ugt = tfx_tensor.from_scalar %r_cmpi_ugt : i1
  %x_cmpi_ugt = tfx_tensor.op "Identity"(%w_cmpi_ugt) : (tensor<i1>) -> tensor<i1>
  %h_cmpi_uge = arith.cmpi uge, %a, %b : i1
  %r_cmpi_uge = arith.cmpi uge, %ga, %gb : i1
  %w_cmpi_uge = tfx_tensor.from_scalar %r_cmpi_uge : i1
  %x_cmpi_uge = tfx_tensor.op "Identity"(%w_cmpi_uge) : (tensor<i1>) -> tensor<i1>
  %h_extsi_i8 = arith.extsi %a : i1 to i8
  %r_extsi_i8 = arith.extsi %ga : i1 to i8
  %w_extsi_i8 = tfx_tensor.from_scalar %r_extsi_i8 : i8
  %x_extsi_i8 = tfx_tensor.op "Identity"(%w_extsi_i8) : (tensor<i8>) -> tensor<i8>
  %h_extui_i8 = arith.extui %a : i1 to i8
  %r_extui_i8 = arith.extui %ga : i1 to i8
  %w_extui_i8 = tfx_tensor.from_scalar %r_extui_i8 : i8
  %x_extui_i8 = tfx_tensor.op "Identity"(%w_extui_i8) : (tensor<i8>) -> tensor<i8>
  %h_extsi_i16 = arith.extsi %a : i1 to i16
  %r_extsi_i16 = arith.extsi %ga : i1 to i16
  %w_extsi_i16 = tfx_tensor.from_scalar %r_extsi_i16 : i16
  %x_extsi_i16 = tfx_tensor.op "Identity"(%w_extsi_i16) : (tensor<i16>) -> tensor<i16>
  %h_extui_i16 = arith.extui %a : i1 to i16
  %r_extui_i16 = arith.extui %ga : i1 to i16
  %w_extui_i16 = tfx_tensor.from_scalar %r_extui_i16 : i16
  %x_extui_i16 = tfx_tensor.op "Identity"(%w_extui_i16) : (tensor<i16>) -> tensor<i16>
  %h_extsi_i32 = arith.extsi %a : i1 to i32
  %r_extsi_i32 = arith.extsi %ga : i1 to i32
  %w_extsi_i32 = tfx_tensor.from_scalar %r_extsi_i32 : i32
  %x_extsi_i32 = tfx_tensor.op "Identity"(%w_extsi_i32) : (tensor<i32>) -> tensor<i32>
  %h_extui_i32 = arith.extui %a : i1 to i32
  %r_extui_i32 = arith.extui %ga : i1 to i32
  %w_extui_i32 = tfx_tensor.from_scalar %r_extui_i32 : i32
  %x_extui_i32 = tfx_tensor.op "Identity"(%w_extui_i32) : (tensor<i32>) -> tensor<i32>
  %h_extsi_i64 = arith.extsi %a : i1 to i64
  %r_extsi_i64 = arith.extsi %ga : i1 to i64
  %w_extsi_i64 = tfx_tensor.from_scalar %r_extsi_i64 : i64
  %x_extsi_i64 = tfx_tensor.op "Identity"(%w_extsi_i64) : (tensor<i64>) -> tensor<i64>
  %h_extui_i64 = arith.extui %a : i1 to i64
  %r_extui_i64 = arith.extui %ga : i1 to i64
  %w_extui_i64 = tfx_tensor.from_scalar %r_extui_i64 : i64
  %x_extui_i64 = tfx_tensor.op "Identity"(%w_extui_i64) : (tensor<i64>) -> tensor<i64>
  %h_index_cast_index = arith.index_cast %a : i1 to index
  %r_index_cast_index = arith.index_cast %ga : i1 to index
  %w_index_cast_index = tfx_tensor.from_scalar %r_index_cast_index : index
  %x_index_cast_index = tfx_tensor.op "Identity"(%w_index_cast_index) : (tensor<i64>) -> tensor<i64>
  %h_index_castui_index = arith.index_castui %a : i1 to index
  %r_index_castui_index = arith.index_castui %ga : i1 to index
  %w_index_castui_index = tfx_tensor.from_scalar %r_index_castui_index : index
  %x_index_castui_index = tfx_tensor.op "Identity"(%w_index_castui_index) : (tensor<i64>) -> tensor<i64>
  %h_sitofp_f32 = arith.sitofp %a : i1 to f32
  %r_sitofp_f32 = arith.sitofp %ga : i1 to f32
  %w_sitofp_f32 = tfx_tensor.from_scalar %r_sitofp_f32 : f32
  %x_sitofp_f32 = tfx_tensor.op "Identity"(%w_sitofp_f32) : (tensor<f32>) -> tensor<f32>
  %h_uitofp_f32 = arith.uitofp %a : i1 to f32
  %r_uitofp_f32 = arith.uitofp %ga : i1 to f32
  %w_uitofp_f32 = tfx_tensor.from_scalar %r_uitofp_f32 : f32
  %x_uitofp_f32 = tfx_tensor.op "Identity"(%w_uitofp_f32) : (tensor<f32>) -> tensor<f32>
  %h_sitofp_f64 = arith.sitofp %a : i1 to f64
  %r_sitofp_f64 = arith.sitofp %ga : i1 to f64
  %w_sitofp_f64 = tfx_tensor.from_scalar %r_sitofp_f64 : f64
  %x_sitofp_f64 = tfx_tensor.op "Identity"(%w_sitofp_f64) : (tensor<f64>) -> tensor<f64>
  %h_uitofp_f64 = arith.uitofp %a : i1 to f64
  %r_uitofp_f64 = arith.uitofp %ga : i1 to f64
  %w_uitofp_f64 = tfx_tensor.from_scalar %r_uitofp_f64 : f64
  %x_uitofp_f64 = tfx_tensor.op "Identity"(%w_uitofp_f64) : (tensor<f64>) -> tensor<f64>
  tfx_host.print "addi: {} {}"(%h_addi, %x_addi) : i1, tensor<i1>
  tfx_host.print "subi: {} {}"(%h_subi, %x_subi) : i1, tensor<i1>
  tfx_host.print "muli: {} {}"(%h_muli, %x_muli) : i1, tensor<i1>
  tfx_host.print "maxsi: {} {}"(%h_maxsi, %x_maxsi) : i1, tensor<i1>
  tfx_host.print "minsi: {} {}"(%h_minsi, %x_minsi) : i1, tensor<i1>
  tfx_host.print "maxui: {} {}"(%h_maxui, %x_maxui) : i1, tensor<i1>
  tfx_host.print "minui: {} {}"(%h_minui, %x_minui) : i1, tensor<i1>
  tfx_host.print "andi: {} {}"(%h_andi, %x_andi) : i1, tensor<i1>
  tfx_host.print "ori: {} {}"(%h_ori, %x_ori) : i1, tensor<i1>
  tfx_host.print "xori: {} {}"(%h_xori, %x_xori) : i1, tensor<i1>
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
  tfx_host.print "extsi_i8: {} {}"(%h_extsi_i8, %x_extsi_i8) : i8, tensor<i8>
  tfx_host.print "extui_i8: {} {}"(%h_extui_i8, %x_extui_i8) : i8, tensor<i8>
  tfx_host.print "extsi_i16: {} {}"(%h_extsi_i16, %x_extsi_i16) : i16, tensor<i16>
  tfx_host.print "extui_i16: {} {}"(%h_extui_i16, %x_extui_i16) : i16, tensor<i16>
  tfx_host.print "extsi_i32: {} {}"(%h_extsi_i32, %x_extsi_i32) : i32, tensor<i32>
  tfx_host.print "extui_i32: {} {}"(%h_extui_i32, %x_extui_i32) : i32, tensor<i32>
  tfx_host.print "extsi_i64: {} {}"(%h_extsi_i64, %x_extsi_i64) : i64, tensor<i64>
  tfx_host.print "extui_i64: {} {}"(%h_extui_i64, %x_extui_i64) : i64, tensor<i64>
  tfx_host.print "index_cast_index: {} {}"(%h_index_cast_index, %x_index_cast_index) : index, tensor<i64>
  tfx_host.print "index_castui_index: {} {}"(%h_index_castui_index, %x_index_castui_index) : index, tensor<i64>
  tfx_host.print "sitofp_f32: {} {}"(%h_sitofp_f32, %x_sitofp_f32) : f32, tensor<f32>
  tfx_host.print "uitofp_f32: {} {}"(%h_uitofp_f32, %x_uitofp_f32) : f32, tensor<f32>
  tfx_host.print "sitofp_f64: {} {}"(%h_sitofp_f64, %x_sitofp_f64) : f64, tensor<f64>
  tfx_host.print "uitofp_f64: {} {}"(%h_uitofp_f64, %x_uitofp_f64) : f64, tensor<f64>
  return
}
