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
func.func @main(%p0: tensor<i32>, %p1: f32) -> (tensor<i32>) {
  %fuel = tfx_host.var : !tfx_host.ref<i32>
  %full = arith.constant 10 : i32
  tfx_host.store %full, %fuel : i32
  %v1 = arith.constant 1 : i32
  %v2 = func.call @next(%v1) : (i32) -> i32
  %v3 = func.call @decide() : () -> i1
  %v4 = tfx_tensor.const dense<2147483647> : tensor<4xi32>
  cf.cond_br %v3, ^b1(%v4, %v2 : tensor<4xi32>, i32), ^b3
^b1(%a1_0: tensor<4xi32>, %a1_1: i32):
  %v5 = tfx_tensor.op "Minimum"(%p0, %p0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %v6 = arith.constant 3 : i32
  %v7 = arith.andi %a1_1, %v6 : i32
  cf.switch %v7 : i32, [default: ^b2(%v5 : tensor<i32>), 0: ^b3, 2: ^b2(%v5 : tensor<i32>)]
^b2(%a2_0: tensor<i32>):
  %f2 = tfx_host.load %fuel : !tfx_host.ref<i32>
  %u2 = arith.constant 1 : i32
  %g2 = arith.subi %f2, %u2 : i32
  tfx_host.store %g2, %fuel : i32
  %e2 = arith.cmpi slt, %f2, %u2 : i32
  cf.cond_br %e2, ^out, ^run2
^run2:
  %v8 = arith.minsi %v2, %v2 : i32
  %v9 = tfx_host.make_struct(%v2, %a2_0) : (i32, tensor<i32>) -> !tfx_host.struct<@Pair<i32, tensor<i32>>>
  %v10 = tfx_host.extract %v9["b"] : !tfx_host.struct<@Pair<i32, tensor<i32>>> -> tensor<i32>
  %v11 = arith.subf %p1, %p1 : f32
  %v12 = tfx_host.closure @ask(%v2) : (i32) -> !tfx_host.closure<(i32) -> i32>
  %v13 = tfx_host.call @repeat<[i32]>(%v12, %v8, %v8) : (!tfx_host.closure<(i32) -> i32>, i32, i32) -> i32
  %v14 = tfx_host.make_enum "both"(%v4, %v8) : (tensor<4xi32>, i32) -> !tfx_host.enum<@Choice>
  %v15 = arith.subi %v2, %v13 : i32
  %v16 = func.call @number_of(%v14, %v15) : (!tfx_host.enum<@Choice>, i32) -> i32
  %v17 = tfx_tensor.const dense<0.25> : tensor<4xf32>
  %v18 = tfx_tensor.op "Minimum"(%v17, %v17) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tfx_host.print "u {}"(%v18) : tensor<4xf32>
  cf.br ^b3
^b3:
  %v19 = arith.index_cast %v1 : i32 to index
  %v20 = arith.minui %v19, %v19 : index
  %v21 = tfx_tensor.op "Mul"(%v4, %p0) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %v22 = arith.minsi %v20, %v20 : index
  %v24 = arith.constant 0 : index
  %v25 = arith.constant 3 : index
  %v26 = arith.constant 1 : index
  %v27 = scf.for %v28 = %v24 to %v25 step %v26 iter_args(%v23 = %v1) -> i32 {
  %v29 = arith.extsi %v2 : i32 to i64
  %v30 = arith.select %v3, %v29, %v29 : i64
  scf.yield %v23 : i32
  }
  %v31 = tfx_host.make_enum "one"(%v27) : (i32) -> !tfx_host.enum<@Choice>
  %v32 = func.call @vector_of(%v31, %v4) : (!tfx_host.enum<@Choice>, tensor<4xi32>) -> tensor<4xi32>
  cf.cond_br %v3, ^b2(%p0 : tensor<i32>), ^b2(%p0 : tensor<i32>)
^out:
  return %p0 : tensor<i32>
}
