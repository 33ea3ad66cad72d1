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
func.func @main(%p0: i1, %p1: tensor<4xf32>, %p2: i1, %p3: i1, %p4: i32) -> (i32, tensor<i32>, tensor<2x2xi32>) {
  %fuel = tfx_host.var : !tfx_host.ref<i32>
  %full = arith.constant 6 : i32
  tfx_host.store %full, %fuel : i32
  %v1 = tfx_tensor.const dense<-1> : tensor<4xi32>
  %v2 = tfx_tensor.op "Maximum"(%v1, %v1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %v3 = arith.extsi %p4 : i32 to i64
  %v4 = arith.constant 31 : i64
  %v5 = arith.andi %v3, %v4 : i64
  %v6 = arith.shrsi %v3, %v5 : i64
  %v7 = arith.constant 0 : i32
  %v9 = arith.constant 0 : index
  %v10 = arith.constant 4 : index
  %v11 = arith.constant 1 : index
  %v12 = scf.for %v13 = %v9 to %v10 step %v11 iter_args(%v8 = %v7) -> i32 {
  %v14 = tfx_tensor.from_scalar %p4 : i32
  %v15 = tfx_tensor.op "BitwiseXor"(%v2, %v14) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  scf.yield %v8 : i32
  }
  %v16 = func.call @decide() : () -> i1
  %v17 = tfx_host.make_struct(%p4, %v2) : (i32, tensor<4xi32>) -> !tfx_host.struct<@Point>
  %v18 = tfx_tensor.from_scalar %v12 : i32
  cf.cond_br %v16, ^b1(%v17, %v18 : !tfx_host.struct<@Point>, tensor<i32>), ^b2
^b1(%a1_0: !tfx_host.struct<@Point>, %a1_1: tensor<i32>):
  %f1 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u1 = arith.constant 1 : i32
  %g1 = arith.subi %f1, %u1 : i32
  tfx_host.store %g1, %fuel : i32
  %e1 = arith.cmpi slt, %f1, %u1 : i32
  cf.cond_br %e1, ^out, ^run1
^run1:
  %v19 = tfx_tensor.op "Less"(%a1_1, %v18) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %v20 = tfx_tensor.op "SelectV2"(%v19, %v2, %v1) : (tensor<i1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %v21 = tfx_tensor.op "SelectV2"(%v19, %v1, %v2) : (tensor<i1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %v22 = tfx_tensor.op "SelectV2"(%v19, %v20, %v2) : (tensor<i1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %v23 = tfx_tensor.op "AddV2"(%p1, %p1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v24 = func.call @weigh(%v23) : (tensor<4xf32>) -> f32
  %v25 = arith.addi %v12, %v12 : i32
  %v26 = arith.ori %v3, %v6 : i64
  %v27 = tfx_tensor.from_scalar %v25 : i32
  cf.br ^b2
^b2:
  %v28 = tfx_tensor.const dense<2> : tensor<2xi32>
  %v29 = tfx_tensor.op "Reshape"(%v2, %v28) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %v30 = tfx_tensor.op "MatMul"(%v29, %v29) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %v31 = tfx_tensor.op "Less"(%v18, %v18) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %v32 = tfx_tensor.to_scalar %v31 : tensor<i1> -> i1
  %v33 = tfx_tensor.op "Maximum"(%v18, %v18) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %v34 = scf.if %v32 -> i32 {
  %v35 = arith.constant 31 : i32
  %v36 = arith.andi %v12, %v35 : i32
  %v37 = arith.shrui %v12, %v36 : i32
  %v38 = arith.sitofp %v35 : i32 to f32
  %v39 = arith.cmpf oeq, %v38, %v38 : f32
  %v40 = func.call @weigh(%p1) : (tensor<4xf32>) -> f32
  scf.yield %v7 : i32
  } else {
  %v41 = tfx_tensor.op "Minimum"(%v2, %v18) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %v42 = arith.constant 100.0 : f32
  %v43 = arith.addf %v42, %v42 : f32
  %v44 = tfx_tensor.op "SelectV2"(%v31, %v41, %v41) : (tensor<i1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  scf.yield %v12 : i32
  }
  cf.cond_br %v32, ^b1(%v17, %v33 : !tfx_host.struct<@Point>, tensor<i32>), ^b1(%v17, %v33 : !tfx_host.struct<@Point>, tensor<i32>)
^out:
  %v45 = tfx_tensor.from_scalar %p4 : i32
  %v46 = tfx_tensor.const dense<2147483647> : tensor<4xi32>
  %v47 = tfx_tensor.const dense<2> : tensor<2xi32>
  %v48 = tfx_tensor.op "Reshape"(%v46, %v47) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  return %p4, %v45, %v48 : i32, tensor<i32>, tensor<2x2xi32>
}
