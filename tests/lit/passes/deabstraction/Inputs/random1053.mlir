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
func.func @main(%p0: f32, %p1: tensor<i32>, %p2: tensor<i32>) -> () {
  %fuel = tfx_host.var : !tfx_host.ref<i32>
  %full = arith.constant 17 : i32
  tfx_host.store %full, %fuel : i32
  %v1 = func.call @decide() : () -> i1
  %v2 = tfx_tensor.const dense<3> : tensor<2x2xi32>
  %v3 = tfx_tensor.op "Sub"(%v2, %v2) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %v4 = tfx_tensor.const dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %v5 = tfx_tensor.op "Neg"(%v4) : (tensor<4xf32>) -> tensor<4xf32>
  cf.br ^b3
^b1(%a1_0: tensor<i32>, %a1_1: i32):
  %f1 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u1 = arith.constant 1 : i32
  %g1 = arith.subi %f1, %u1 : i32
  tfx_host.store %g1, %fuel : i32
  %e1 = arith.cmpi slt, %f1, %u1 : i32
  cf.cond_br %e1, ^out, ^run1
^run1:
  %v6 = arith.constant 1 : index
  %v7 = arith.index_cast %v6 : index to i32
  %v8 = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Choice>
  cf.cond_br %v1, ^b1(%a1_0, %v7 : tensor<i32>, i32), ^b4(%v8 : !tfx_host.enum<@Choice>)
^b2(%a2_0: tuple<i32, tensor<4xi32>>):
  %v9 = func.call @weigh(%v5) : (tensor<4xf32>) -> f32
  %v10 = tfx_tensor.const dense<100> : tensor<4xi32>
  %v11 = tfx_tensor.op "Mul"(%v10, %p2) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %v12 = tfx_tensor.op "Minimum"(%v11, %v11) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %v13 = func.call @decide() : () -> i1
  %v14 = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Choice>
  %v15 = arith.constant -1 : i32
  %v16 = tfx_host.make_struct(%v15, %v10) : (i32, tensor<4xi32>) -> !tfx_host.struct<@Point>
  %v17 = tfx_host.make_struct(%v16, %v5) : (!tfx_host.struct<@Point>, tensor<4xf32>) -> !tfx_host.struct<@Frame>
  cf.cond_br %v13, ^b4(%v14 : !tfx_host.enum<@Choice>), ^b5(%v17, %a2_0 : !tfx_host.struct<@Frame>, tuple<i32, tensor<4xi32>>)
^b3:
  %v18 = func.call @weigh(%v5) : (tensor<4xf32>) -> f32
  %v19 = tfx_tensor.op "Sub"(%v5, %v5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v20 = arith.constant 10 : i32
  %v21 = tfx_tensor.const dense<-7> : tensor<4xi32>
  %v22 = tfx_host.make_struct(%v20, %v21) : (i32, tensor<4xi32>) -> !tfx_host.struct<@Point>
  %v23 = tfx_host.make_struct(%v22, %v4) : (!tfx_host.struct<@Point>, tensor<4xf32>) -> !tfx_host.struct<@Frame>
  %v24 = tfx_host.make_tuple(%v20, %v21) : i32, tensor<4xi32>
  cf.cond_br %v1, ^b6, ^b5(%v23, %v24 : !tfx_host.struct<@Frame>, tuple<i32, tensor<4xi32>>)
^b4(%a4_0: !tfx_host.enum<@Choice>):
  %f4 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u4 = arith.constant 1 : i32
  %g4 = arith.subi %f4, %u4 : i32
  tfx_host.store %g4, %fuel : i32
  %e4 = arith.cmpi slt, %f4, %u4 : i32
  cf.cond_br %e4, ^out, ^run4
^run4:
  %v26 = arith.constant 0 : index
  %v27 = arith.constant 1 : index
  %v28 = arith.constant 1 : index
  %v29 = scf.for %v30 = %v26 to %v27 step %v28 iter_args(%v25 = %v20) -> i32 {
  %v31 = arith.muli %v26, %v30 : index
  %v32 = arith.constant 31 : i32
  %v33 = arith.andi %v25, %v32 : i32
  %v34 = arith.shrsi %v25, %v33 : i32
  scf.yield %v34 : i32
  }
  %v35 = arith.cmpi ugt, %v20, %v20 : i32
  %v36 = func.call @decide() : () -> i1
  %v37 = tfx_tensor.from_scalar %v29 : i32
  cf.cond_br %v36, ^b1(%v37, %v29 : tensor<i32>, i32), ^b5(%v23, %v24 : !tfx_host.struct<@Frame>, tuple<i32, tensor<4xi32>>)
^b5(%a5_0: !tfx_host.struct<@Frame>, %a5_1: tuple<i32, tensor<4xi32>>):
  %f5 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u5 = arith.constant 1 : i32
  %g5 = arith.subi %f5, %u5 : i32
  tfx_host.store %g5, %fuel : i32
  %e5 = arith.cmpi slt, %f5, %u5 : i32
  cf.cond_br %e5, ^out, ^run5
^run5:
  %v38 = tfx_tensor.from_scalar %v1 : i1
  %v39 = tfx_host.make_enum "none"() : () -> !tfx_host.enum<@Choice>
  cf.cond_br %v1, ^b2(%a5_1 : tuple<i32, tensor<4xi32>>), ^b4(%v39 : !tfx_host.enum<@Choice>)
^b6:
  %v40 = tfx_tensor.op "Mul"(%v21, %v21) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tfx_host.print "u {}"(%v40) : tensor<4xi32>
  tfx_host.abort "stop 6"
  tfx_host.unreachable
^out:
  return
}
