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
func.func @main(%p0: i1, %p1: f32, %p2: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %fuel = tfx_host.var : !tfx_host.ref<i32>
  %full = arith.constant 17 : i32
  tfx_host.store %full, %fuel : i32
  %v1 = tfx_tensor.const dense<[1.0, -2.0, 0.5, 3.0]> : tensor<4xf32>
  %x0 = tfx_host.var : !tfx_host.ref<tensor<4xf32>>
  tfx_host.store %v1, %x0 : tensor<4xf32>
  tfx_host.store %v1, %x0 : tensor<4xf32>
  %v2 = arith.constant 3 : i32
  %v3 = tfx_host.make_enum "both"(%p2, %v2) : (tensor<4xi32>, i32) -> !tfx_host.enum<@Choice>
  %v4 = tfx_host.enum_tag %v3 : !tfx_host.enum<@Choice>
  %v5 = tfx_host.make_struct(%v2, %p2) : (i32, tensor<4xi32>) -> !tfx_host.struct<@Point>
  %v6 = tfx_host.make_struct(%v5, %v1) : (!tfx_host.struct<@Point>, tensor<4xf32>) -> !tfx_host.struct<@Frame>
  cf.cond_br %p0, ^b1(%v3, %v1 : !tfx_host.enum<@Choice>, tensor<4xf32>), ^b6(%v6, %v5 : !tfx_host.struct<@Frame>, !tfx_host.struct<@Point>)
^b1(%a1_0: !tfx_host.enum<@Choice>, %a1_1: tensor<4xf32>):
  %f1 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u1 = arith.constant 1 : i32
  %g1 = arith.subi %f1, %u1 : i32
  tfx_host.store %g1, %fuel : i32
  %e1 = arith.cmpi slt, %f1, %u1 : i32
  cf.cond_br %e1, ^out, ^run1
^run1:
  %v7 = tfx_tensor.const dense<2> : tensor<2xi32>
  %v8 = tfx_tensor.op "Reshape"(%p2, %v7) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %v9 = tfx_tensor.op "Minimum"(%v8, %v8) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %v11 = arith.constant 0 : index
  %v12 = arith.constant 1 : index
  %v13 = arith.constant 1 : index
  %v14 = scf.for %v15 = %v11 to %v12 step %v13 iter_args(%v10 = %v2) -> i32 {
  %v16 = tfx_tensor.const dense<0> : tensor<i32>
  %v17 = tfx_tensor.op "Sum"(%p2, %v16) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %v18 = arith.addi %v2, %v10 : i32
  scf.yield %v18 : i32
  }
  %v19 = tfx_tensor.from_scalar %v14 : i32
  %v20 = tfx_tensor.op "BitwiseXor"(%p2, %v19) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %v21 = tfx_host.load %x0 : !tfx_host.ref<tensor<4xf32>>
  %v22 = tfx_host.extract %v6["p"] : !tfx_host.struct<@Frame> -> !tfx_host.struct<@Point>
  %v23 = arith.extsi %v2 : i32 to i64
  %v24 = arith.constant 7 : i64
  %v25 = arith.constant 1 : i64
  %v26 = arith.andi %v23, %v24 : i64
  %v27 = arith.addi %v26, %v25 : i64
  %v28 = arith.ceildivsi %v23, %v27 : i64
  tfx_host.print "u {}"(%v28) : i64
  %v29 = tfx_host.make_tuple(%v14, %v20) : i32, tensor<4xi32>
  cf.cond_br %p0, ^b3(%v29, %v6 : tuple<i32, tensor<4xi32>>, !tfx_host.struct<@Frame>), ^b3(%v29, %v6 : tuple<i32, tensor<4xi32>>, !tfx_host.struct<@Frame>)
^b3(%a3_0: tuple<i32, tensor<4xi32>>, %a3_1: !tfx_host.struct<@Frame>):
  %f3 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u3 = arith.constant 1 : i32
  %g3 = arith.subi %f3, %u3 : i32
  tfx_host.store %g3, %fuel : i32
  %e3 = arith.cmpi slt, %f3, %u3 : i32
  cf.cond_br %e3, ^out, ^run3
^run3:
  %v30 = func.call @number_of(%a1_0, %v2) : (!tfx_host.enum<@Choice>, i32) -> i32
  %v31 = tfx_host.load %x0 : !tfx_host.ref<tensor<4xf32>>
  %v32 = arith.constant 7 : i32
  %v33 = arith.constant 1 : i32
  %v34 = arith.andi %v30, %v32 : i32
  %v35 = arith.addi %v34, %v33 : i32
  %v36 = arith.floordivsi %v30, %v35 : i32
  %v37 = arith.constant 31 : index
  %v38 = arith.andi %v13, %v37 : index
  %v39 = arith.shrui %v12, %v38 : index
  cf.cond_br %p0, ^b4(%v20, %v11 : tensor<4xi32>, index), ^b3(%a3_0, %a3_1 : tuple<i32, tensor<4xi32>>, !tfx_host.struct<@Frame>)
^b4(%a4_0: tensor<4xi32>, %a4_1: index):
  %v40 = tfx_host.call @measure<[!tfx_host.struct<@Point>]>(%v5, %v2) : (!tfx_host.struct<@Point>, i32) -> i32
  %v41 = arith.subi %v40, %v40 : i32
  cf.br ^b1(%v3, %v1 : !tfx_host.enum<@Choice>, tensor<4xf32>)
^b6(%a6_0: !tfx_host.struct<@Frame>, %a6_1: !tfx_host.struct<@Point>):
  %f6 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u6 = arith.constant 1 : i32
  %g6 = arith.subi %f6, %u6 : i32
  tfx_host.store %g6, %fuel : i32
  %e6 = arith.cmpi slt, %f6, %u6 : i32
  cf.cond_br %e6, ^out, ^run6
^run6:
  %v42 = tfx_tensor.op "Neg"(%p2) : (tensor<4xi32>) -> tensor<4xi32>
  %v43 = arith.xori %v4, %v4 : index
  %v44 = tfx_host.insert %v2 into %v5["n"] : i32, !tfx_host.struct<@Point>
  %v45 = tfx_tensor.const dense<2> : tensor<2xi32>
  %v46 = tfx_tensor.op "Reshape"(%v42, %v45) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %v47 = tfx_tensor.op "MatMul"(%v46, %v46) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %v48 = tfx_tensor.from_scalar %v2 : i32
  %v49 = tfx_tensor.op "Maximum"(%v48, %v48) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  cf.cond_br %p0, ^b4(%p2, %v43 : tensor<4xi32>, index), ^b6(%v6, %v44 : !tfx_host.struct<@Frame>, !tfx_host.struct<@Point>)
^out:
  return %p2, %p2 : tensor<4xi32>, tensor<4xi32>
}
