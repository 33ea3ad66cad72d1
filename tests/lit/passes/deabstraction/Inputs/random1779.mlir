func.func private @mix(i32, i32) -> i32
func.func private @next(i32) -> i32
func.func private @decide() -> i1
func.func private @observe(i32)
func.func private @weigh(tensor<4xf32>) -> f32
func.func private @turn(tensor<4xi32>) -> tensor<4xi32>
func.func private @show(tensor<4xi32>, i32)

tfx_host.struct @Point {n: i32, v: tensor<4xi32>}
tfx_host.struct @Frame {p: !tfx_host.struct<@Point>, f: tensor<4xf32>}
tfx_host.struct @Pair<"A", "B"> {a: !tfx_host.param<"A">, b: !tfx_host.param<"B">}
tfx_host.enum @Choice {none(), one(i32), both(tensor<4xi32>, i32)}

tfx_host.protocol @Sized {
  size: (!tfx_host.param<"Self">) -> i32,
  grown: (!tfx_host.param<"Self">, i32) -> !tfx_host.param<"Self">,
  twice: (!tfx_host.param<"Self">) -> i32 = @twice_size
}
func.func private @twice_size(%s: !tfx_host.param<"S">) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"S", @Sized>]} {
  %n = tfx_host.witness_call @Sized["size"] of !tfx_host.param<"S"> (%s) : (!tfx_host.param<"S">) -> i32
  %m = arith.addi %n, %n : i32
  return %m : i32
}
func.func private @point_size(%p: !tfx_host.struct<@Point>) -> i32 {
  %n = tfx_host.extract %p["n"] : !tfx_host.struct<@Point> -> i32
  return %n : i32
}
func.func private @point_grown(%p: !tfx_host.struct<@Point>, %by: i32) -> !tfx_host.struct<@Point> {
  %v = tfx_host.extract %p["v"] : !tfx_host.struct<@Point> -> tensor<4xi32>
  %t = tfx_tensor.from_scalar %by : i32
  %w = tfx_tensor.op "AddV2"(%v, %t) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %q = tfx_host.insert %w into %p["v"] : tensor<4xi32>, !tfx_host.struct<@Point>
  return %q : !tfx_host.struct<@Point>
}
tfx_host.witness_table @Point_Sized : !tfx_host.struct<@Point> conforms @Sized {size = @point_size, grown = @point_grown}
func.func private @number_size(%n: i32) -> i32 {
  return %n : i32
}
func.func private @number_grown(%n: i32, %by: i32) -> i32 {
  %m = arith.muli %n, %by : i32
  return %m : i32
}
func.func private @number_twice(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %m = arith.shli %n, %one : i32
  return %m : i32
}
tfx_host.witness_table @Number_Sized : i32 conforms @Sized {size = @number_size, grown = @number_grown, twice = @number_twice}
func.func private @measure(%s: !tfx_host.param<"S">, %by: i32) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"S", @Sized>]} {
  %t = tfx_host.witness_call @Sized["grown"] of !tfx_host.param<"S"> (%s, %by) : (!tfx_host.param<"S">, i32) -> !tfx_host.param<"S">
  %n = tfx_host.witness_call @Sized["size"] of !tfx_host.param<"S"> (%t) : (!tfx_host.param<"S">) -> i32
  %m = tfx_host.witness_call @Sized["twice"] of !tfx_host.param<"S"> (%s) : (!tfx_host.param<"S">) -> i32
  %r = arith.xori %n, %m : i32
  return %r : i32
}

func.func private @choose(%c: i1, %a: !tfx_host.param<"T">, %b: !tfx_host.param<"T">) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  cf.cond_br %c, ^done(%a : !tfx_host.param<"T">), ^done(%b : !tfx_host.param<"T">)
^done(%r: !tfx_host.param<"T">):
  return %r : !tfx_host.param<"T">
}
func.func private @exchange(%v: !tfx_host.ref<!tfx_host.param<"T">>, %new: !tfx_host.param<"T">) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %old = tfx_host.load %v : !tfx_host.ref<!tfx_host.param<"T">>
  tfx_host.store %new, %v : !tfx_host.param<"T">
  return %old : !tfx_host.param<"T">
}
func.func private @repeat(%f: !tfx_host.closure<(!tfx_host.param<"T">) -> !tfx_host.param<"T">>, %n: i32, %x: !tfx_host.param<"T">) -> !tfx_host.param<"T">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"T">]} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %trips = arith.andi %n, %three : i32
  cf.br ^head(%zero, %x : i32, !tfx_host.param<"T">)
^head(%i: i32, %y: !tfx_host.param<"T">):
  %go = arith.cmpi slt, %i, %trips : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %z = tfx_host.apply %f(%y) : !tfx_host.closure<(!tfx_host.param<"T">) -> !tfx_host.param<"T">>
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j, %z : i32, !tfx_host.param<"T">)
^exit:
  return %y : !tfx_host.param<"T">
}
func.func private @add_to(%k: i32, %x: i32) -> i32 {
  %y = arith.addi %k, %x : i32
  return %y : i32
}
func.func private @bump(%v: !tfx_host.ref<i32>, %x: i32) -> i32 {
  %old = tfx_host.load %v : !tfx_host.ref<i32>
  %new = arith.addi %old, %x : i32
  tfx_host.store %new, %v : i32
  return %old : i32
}
func.func private @ask(%k: i32, %x: i32) -> i32 {
  %y = func.call @mix(%k, %x) : (i32, i32) -> i32
  return %y : i32
}
func.func private @shift_by(%t: tensor<4xi32>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tfx_tensor.op "Sub"(%x, %t) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
func.func private @remember(%v: !tfx_host.ref<tensor<4xi32>>, %x: tensor<4xi32>) -> tensor<4xi32> {
  %old = tfx_host.load %v : !tfx_host.ref<tensor<4xi32>>
  tfx_host.store %x, %v : tensor<4xi32>
  %y = tfx_tensor.op "AddV2"(%old, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
func.func private @number_of(%c: !tfx_host.enum<@Choice>, %otherwise: i32) -> i32 {
  tfx_host.switch_enum %c : !tfx_host.enum<@Choice> ["one" -> ^done, "both" -> ^both(%otherwise : i32), default -> ^done(%otherwise : i32)]
^both(%v: tensor<4xi32>, %n: i32, %x: i32):
  %y = arith.subi %n, %x : i32
  cf.br ^done(%y : i32)
^done(%r: i32):
  return %r : i32
}
func.func private @vector_of(%c: !tfx_host.enum<@Choice>, %otherwise: tensor<4xi32>) -> tensor<4xi32> {
  tfx_host.switch_enum %c : !tfx_host.enum<@Choice> ["none" -> ^done(%otherwise : tensor<4xi32>), "one" -> ^one, "both" -> ^both]
^one(%n: i32):
  %t = tfx_tensor.from_scalar %n : i32
  %v = tfx_tensor.op "Mul"(%otherwise, %t) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  cf.br ^done(%v : tensor<4xi32>)
^both(%w: tensor<4xi32>, %m: i32):
  cf.br ^done(%w : tensor<4xi32>)
^done(%r: tensor<4xi32>):
  return %r : tensor<4xi32>
}
func.func @main(%p0: f32, %p1: i1) -> (tensor<i32>, tensor<2x2xi32>, tensor<2x2xi32>) {
  %fuel = tfx_host.var : !tfx_host.ref<i32>
  %full = arith.constant 3 : i32
  tfx_host.store %full, %fuel : i32
  %v1 = arith.constant 5 : i32
  %v2 = arith.extsi %v1 : i32 to i64
  tfx_host.print "p3 {}"(%v2) : i64
  func.call @observe(%v1) : (i32) -> ()
  %v4 = tfx_tensor.const dense<[1.0, -2.0, 0.5, 3.0]> : tensor<4xf32>
  %v5 = tfx_tensor.op "AddV2"(%v4, %v4) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfx_host.print "p6 {}"(%p0) : f32
  %v7 = tfx_tensor.const dense<100> : tensor<4xi32>
  %v8 = tfx_tensor.const dense<2> : tensor<2xi32>
  %v9 = tfx_tensor.op "Reshape"(%v7, %v8) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  cf.cond_br %p1, ^b1(%v2, %v9 : i64, tensor<2x2xi32>), ^b6
^b1(%a1_0: i64, %a1_1: tensor<2x2xi32>):
  %f1 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u1 = arith.constant 1 : i32
  %g1 = arith.subi %f1, %u1 : i32
  tfx_host.store %g1, %fuel : i32
  %e1 = arith.cmpi slt, %f1, %u1 : i32
  cf.cond_br %e1, ^out, ^run1
^run1:
  %v10 = func.call @mix(%v1, %v1) : (i32, i32) -> i32
  %v11 = arith.trunci %a1_0 : i64 to i32
  %v12 = tfx_tensor.from_scalar %v11 : i32
  cf.cond_br %p1, ^b8(%v12, %p1 : tensor<i32>, i1), ^b3
^b2:
  %v13 = func.call @weigh(%v4) : (tensor<4xf32>) -> f32
  %v14 = tfx_tensor.const dense<2147483647> : tensor<i32>
  %v15 = tfx_tensor.op "Less"(%v14, %v14) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %v16 = tfx_tensor.to_scalar %v15 : tensor<i1> -> i1
  %v17 = scf.if %v16 -> tensor<4xf32> {
  %v18 = tfx_tensor.op "Mul"(%v7, %v7) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  scf.yield %v5 : tensor<4xf32>
  } else {
  %v19 = arith.xori %v1, %v1 : i32
  %v20 = func.call @weigh(%v5) : (tensor<4xf32>) -> f32
  %v21 = arith.index_cast %v19 : i32 to index
  %v22 = arith.andi %v21, %v21 : index
  scf.yield %v5 : tensor<4xf32>
  }
  %v23 = arith.extsi %v1 : i32 to i64
  cf.br ^b1(%v23, %v9 : i64, tensor<2x2xi32>)
^b3:
  %v24 = arith.constant false
  tfx_host.print "p25 {}"(%v24) : i1
  %v26 = arith.constant 3 : i32
  %v27 = arith.andi %v11, %v26 : i32
  cf.switch %v27 : i32, [default: ^b2, 0: ^b5, 2: ^b8(%v12, %v24 : tensor<i32>, i1)]
^b5:
  %v28 = tfx_tensor.const dense<0> : tensor<i32>
  %v29 = tfx_tensor.op "AddV2"(%v28, %v28) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %v30 = func.call @mix(%v1, %v1) : (i32, i32) -> i32
  %v31 = tfx_tensor.op "MatMul"(%v9, %v9) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %v28, %v31, %v31 : tensor<i32>, tensor<2x2xi32>, tensor<2x2xi32>
^b6:
  %v32 = scf.if %p1 -> tensor<4xi32> {
  tfx_host.print "p33 {}"(%p0) : f32
  %v34 = func.call @mix(%v1, %v1) : (i32, i32) -> i32
  %v35 = arith.select %p1, %v1, %v1 : i32
  scf.yield %v7 : tensor<4xi32>
  } else {
  %v36 = tfx_tensor.const dense<5> : tensor<i32>
  %v37 = tfx_comm.to_host %v36 : tensor<i32>
  %v38 = arith.subf %p0, %p0 : f32
  scf.yield %v7 : tensor<4xi32>
  }
  %v39 = func.call @decide() : () -> i1
  cf.cond_br %v39, ^b2, ^b5
^b7(%a7_0: tensor<i32>, %a7_1: i64):
  %v40 = tfx_tensor.op "Maximum"(%a1_1, %v9) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %v41 = func.call @decide() : () -> i1
  cf.cond_br %v41, ^b3, ^b5
^b8(%a8_0: tensor<i32>, %a8_1: i1):
  %f8 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u8 = arith.constant 1 : i32
  %g8 = arith.subi %f8, %u8 : i32
  tfx_host.store %g8, %fuel : i32
  %e8 = arith.cmpi slt, %f8, %u8 : i32
  cf.cond_br %e8, ^out, ^run8
^run8:
  tfx_host.print "p42 {}"(%a1_1) : tensor<2x2xi32>
  %v43 = arith.subf %p0, %p0 : f32
  %v45 = arith.constant 1 : i32
  %v46 = arith.ori %v11, %v45 : i32
  %v47 = arith.xori %v46, %v45 : i32
  %v48 = arith.cmpi ne, %v46, %v47 : i32
  tfx_host.assert %v48, "odd and even"
  %v49 = tfx_tensor.const dense<10> : tensor<4xi32>
  %v50 = tfx_tensor.op "Mul"(%v49, %a8_0) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  tfx_host.print "u {}"(%v50) : tensor<4xi32>
  %v51 = func.call @decide() : () -> i1
  %v52 = tfx_tensor.const dense<2> : tensor<2xi32>
  %v53 = tfx_tensor.op "Reshape"(%v50, %v52) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  cf.cond_br %v51, ^b7(%v12, %a1_0 : tensor<i32>, i64), ^b1(%a1_0, %v53 : i64, tensor<2x2xi32>)
^out:
  %v54 = arith.constant 10 : i32
  %v55 = tfx_tensor.from_scalar %v54 : i32
  %v56 = tfx_tensor.const dense<2147483647> : tensor<2x2xi32>
  return %v55, %v56, %v56 : tensor<i32>, tensor<2x2xi32>, tensor<2x2xi32>
}
