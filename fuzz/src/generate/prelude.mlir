func.func private @mix(i32, i32) -> i32
func.func private @next(i32) -> i32
func.func private @decide() -> i1
func.func private @observe(i32)
func.func private @weigh(tensor<4xf32>) -> f32
func.func private @turn(tensor<4xi32>) -> tensor<4xi32>
func.func private @show(tensor<4xi32>, i32)
func.func private @rewind_batches(i32) attributes {tfx.state = "batches"}
func.func private @next_batch(i32) -> (tensor<4xi32>, i32) attributes {tfx.state = "batches"}

tfx_host.struct @Point {n: i32, v: tensor<4xi32>}
tfx_host.struct @Frame {p: !tfx_host.struct<@Point>, f: tensor<4xf32>}
tfx_host.struct @Pair<"A", "B"> {a: !tfx_host.param<"A">, b: !tfx_host.param<"B">}
tfx_host.enum @Choice {none(), one(i32), both(tensor<4xi32>, i32), two(i32, i32)}

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
  tfx_host.switch_enum %c : !tfx_host.enum<@Choice> ["one" -> ^done, "both" -> ^both(%otherwise : i32), "two" -> ^two, default -> ^done(%otherwise : i32)]
^two(%first: i32, %second: i32):
  %z = arith.subi %first, %second : i32
  cf.br ^done(%z : i32)
^both(%v: tensor<4xi32>, %n: i32, %x: i32):
  %y = arith.subi %n, %x : i32
  cf.br ^done(%y : i32)
^done(%r: i32):
  return %r : i32
}
func.func private @vector_of(%c: !tfx_host.enum<@Choice>, %otherwise: tensor<4xi32>) -> tensor<4xi32> {
  tfx_host.switch_enum %c : !tfx_host.enum<@Choice> ["none" -> ^done(%otherwise : tensor<4xi32>), "two" -> ^two, "one" -> ^one, "both" -> ^both]
^two(%first: i32, %second: i32):
  cf.br ^one(%second : i32)
^one(%n: i32):
  %t = tfx_tensor.from_scalar %n : i32
  %v = tfx_tensor.op "Mul"(%otherwise, %t) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  cf.br ^done(%v : tensor<4xi32>)
^both(%w: tensor<4xi32>, %m: i32):
  cf.br ^done(%w : tensor<4xi32>)
^done(%r: tensor<4xi32>):
  return %r : tensor<4xi32>
}

func.func private @between(%low: i32, %high: i32, %x: i32) -> i32 {
  %a = arith.subi %x, %low : i32
  %b = arith.muli %a, %high : i32
  return %b : i32
}

tfx_host.class @Cell {n: i32, f: !tfx_host.struct<@Frame>}
// The methods are those of @Counting, but dynamic calls do not use it.
func.func private @cell_count(%c: !tfx_host.object<@Cell>, %by: i32) -> i32 {
  %r = tfx_host.member_ref %c["n"] : !tfx_host.object<@Cell> -> !tfx_host.ref<i32>
  %old = tfx_host.load %r : !tfx_host.ref<i32>
  %new = arith.addi %old, %by : i32
  tfx_host.store %new, %r : i32
  return %old : i32
}
func.func private @cell_spread(%c: !tfx_host.object<@Cell>, %v: tensor<4xi32>) -> tensor<4xi32> {
  %f = tfx_host.member_ref %c["f"] : !tfx_host.object<@Cell> -> !tfx_host.ref<!tfx_host.struct<@Frame>>
  %p = tfx_host.field_ref %f["p"] : !tfx_host.ref<!tfx_host.struct<@Frame>> -> !tfx_host.ref<!tfx_host.struct<@Point>>
  %r = tfx_host.field_ref %p["v"] : !tfx_host.ref<!tfx_host.struct<@Point>> -> !tfx_host.ref<tensor<4xi32>>
  %old = tfx_host.load %r : !tfx_host.ref<tensor<4xi32>>
  %new = tfx_tensor.op "Sub"(%v, %old) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tfx_host.store %new, %r : tensor<4xi32>
  return %old : tensor<4xi32>
}
func.func private @point_spread(%p: !tfx_host.struct<@Point>, %v: tensor<4xi32>) -> tensor<4xi32> {
  %w = tfx_host.extract %p["v"] : !tfx_host.struct<@Point> -> tensor<4xi32>
  %y = tfx_tensor.op "Maximum"(%v, %w) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
func.func private @point_count(%p: !tfx_host.struct<@Point>, %by: i32) -> i32 {
  %n = tfx_host.extract %p["n"] : !tfx_host.struct<@Point> -> i32
  %y = arith.subi %n, %by : i32
  return %y : i32
}
func.func private @number_spread(%n: i32, %v: tensor<4xi32>) -> tensor<4xi32> {
  %t = tfx_tensor.from_scalar %n : i32
  %y = tfx_tensor.op "AddV2"(%v, %t) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
func.func private @count_again(%s: !tfx_host.param<"S">, %by: i32) -> i32 attributes {tfx_host.type_params = [#tfx_host.type_param<"S", @Counting>]} {
  %n = tfx_host.witness_call @Counting["count"] of !tfx_host.param<"S"> (%s, %by) : (!tfx_host.param<"S">, i32) -> i32
  %m = tfx_host.witness_call @Counting["count"] of !tfx_host.param<"S"> (%s, %n) : (!tfx_host.param<"S">, i32) -> i32
  return %m : i32
}
tfx_host.protocol @Counting {
  count: (!tfx_host.param<"Self">, i32) -> i32,
  spread: (!tfx_host.param<"Self">, tensor<4xi32>) -> tensor<4xi32>,
  again: (!tfx_host.param<"Self">, i32) -> i32 = @count_again
}
tfx_host.witness_table @Cell_Counting : !tfx_host.object<@Cell> conforms @Counting {count = @cell_count, spread = @cell_spread}
tfx_host.witness_table @Point_Counting : !tfx_host.struct<@Point> conforms @Counting {spread = @point_spread, count = @point_count}
tfx_host.witness_table @Number_Counting : i32 conforms @Counting {count = @add_to, spread = @number_spread, again = @mix}

func.func private @gauss(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %stop, ^stop, ^more
^stop:
  return %zero : i32
^more:
  %m = arith.subi %n, %one : i32
  %r = func.call @gauss(%m) : (i32) -> i32
  %s = arith.addi %r, %n : i32
  return %s : i32
}
func.func private @pile(%n: i32, %t: tensor<4xi32>, %v: !tfx_host.ref<i32>) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %stop, ^stop, ^more
^stop:
  return %t : tensor<4xi32>
^more:
  %old = tfx_host.load %v : !tfx_host.ref<i32>
  %new = arith.addi %old, %n : i32
  tfx_host.store %new, %v : i32
  %m = arith.subi %n, %one : i32
  %u = tfx_tensor.from_scalar %new : i32
  %w = tfx_tensor.op "Sub"(%t, %u) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %x = func.call @pile(%m, %w, %v) : (i32, tensor<4xi32>, !tfx_host.ref<i32>) -> tensor<4xi32>
  %y = tfx_tensor.op "AddV2"(%x, %t) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
func.func private @even(%n: i32, %t: tensor<4xi32>) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  %r = scf.if %stop -> tensor<4xi32> {
    scf.yield %t : tensor<4xi32>
  } else {
    %m = arith.subi %n, %one : i32
    %u = tfx_tensor.op "Neg"(%t) : (tensor<4xi32>) -> tensor<4xi32>
    %x = func.call @odd(%m, %u) : (i32, tensor<4xi32>) -> tensor<4xi32>
    scf.yield %x : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
func.func private @odd(%n: i32, %t: tensor<4xi32>) -> tensor<4xi32> {
  %one = arith.constant 1 : i32
  %m = arith.subi %n, %one : i32
  func.call @observe(%m) : (i32) -> ()
  %x = func.call @even(%m, %t) : (i32, tensor<4xi32>) -> tensor<4xi32>
  %y = tfx_tensor.op "AddV2"(%x, %t) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
func.func private @climb(%n: i32, %f: !tfx_host.closure<(i32) -> i32>, %x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %stop, ^stop(%x : i32), ^more
^stop(%r: i32):
  return %r : i32
^more:
  %m = arith.subi %n, %one : i32
  %y = tfx_host.apply %f(%x) : !tfx_host.closure<(i32) -> i32>
  %z = func.call @climb(%m, %f, %y) : (i32, !tfx_host.closure<(i32) -> i32>, i32) -> i32
  cf.br ^stop(%z : i32)
}

func.func private @doubled(%a: i32, %times: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %most = arith.andi %times, %seven : i32
  cf.br ^head(%zero, %a : i32, i32)
^head(%i: i32, %x: i32):
  %go = arith.cmpi slt, %i, %most : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %y = arith.addi %x, %x : i32
  %z = arith.addi %y, %one : i32
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j, %z : i32, i32)
^exit:
  return %x : i32
}
func.func private @turned(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>, %turn: i1) -> tensor<2x2xi32> {
  %r = tfx_tensor.op "MatMul"(%a, %b) computed(transpose_a = %turn : i1) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  // Large enough for a graph function, except for its computed attribute.
  %s = tfx_tensor.op "Sub"(%r, %a) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %t = tfx_tensor.op "Maximum"(%s, %b) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %u = tfx_tensor.op "Mul"(%t, %r) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %v = tfx_tensor.op "Neg"(%u) : (tensor<2x2xi32>) -> tensor<2x2xi32>
  return %v : tensor<2x2xi32>
}
func.func private @scaled_batch(%by: i32) -> (tensor<4xi32>, i32) {
  %t, %n = func.call @next_batch(%by) : (i32) -> (tensor<4xi32>, i32)
  %s = tfx_tensor.from_scalar %n : i32
  %u = tfx_tensor.op "Mul"(%t, %s) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %u, %n : tensor<4xi32>, i32
}
func.func private @checked_batch(%by: i32) -> (tensor<4xi32>, i32) {
  %t, %n = func.call @next_batch(%by) : (i32) -> (tensor<4xi32>, i32)
  %mask = arith.constant 7 : i32
  %low = arith.andi %n, %mask : i32
  %good = arith.cmpi ne, %low, %mask : i32
  cf.cond_br %good, ^good, ^bad
^bad:
  tfx_host.abort "a bad batch"
  tfx_host.unreachable
^good:
  return %t, %low : tensor<4xi32>, i32
}
func.func private @drained(%q: !tfx_host.queue<tensor<4xi32>, i32>, %most: i32, %v: tensor<4xi32>) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %v : i32, tensor<4xi32>)
^head(%i: i32, %sum: tensor<4xi32>):
  %go = arith.cmpi slt, %i, %most : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %t, %n = tfx_host.next %q : !tfx_host.queue<tensor<4xi32>, i32>
  %even = arith.andi %n, %one : i32
  %stop = arith.cmpi ne, %even, %zero : i32
  %more = tfx_tensor.op "AddV2"(%sum, %t) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %j = arith.addi %i, %one : i32
  cf.cond_br %stop, ^done(%more : tensor<4xi32>), ^head(%j, %more : i32, tensor<4xi32>)
^exit:
  cf.br ^done(%sum : tensor<4xi32>)
^done(%result: tensor<4xi32>):
  return %result : tensor<4xi32>
}
func.func private @noted(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  func.call @observe(%n) : (i32) -> ()
  %m = arith.addi %n, %one : i32
  return %m : i32
}
func.func private @tallied(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  cf.cond_br %stop, ^stop, ^more
^stop:
  return %one : i32
^more:
  func.call @observe(%n) : (i32) -> ()
  %m = arith.subi %n, %one : i32
  %r = func.call @tallied(%m) : (i32) -> i32
  %s = arith.addi %r, %n : i32
  return %s : i32
}
func.func private @renewed(%n: i32, %k: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %trips = arith.andi %n, %three : i32
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %k, %v : i32
  %f0 = tfx_host.closure @bump(%v) : (!tfx_host.ref<i32>) -> !tfx_host.closure<(i32) -> i32>
  cf.br ^head(%f0, %k, %zero : !tfx_host.closure<(i32) -> i32>, i32, i32)
^head(%f: !tfx_host.closure<(i32) -> i32>, %c: i32, %i: i32):
  %y = tfx_host.apply %f(%c) : !tfx_host.closure<(i32) -> i32>
  %go = arith.cmpi slt, %i, %trips : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %g = tfx_host.closure @between(%c, %i) : (i32, i32) -> !tfx_host.closure<(i32) -> i32>
  %d = arith.addi %y, %one : i32
  %j = arith.addi %i, %one : i32
  cf.br ^head(%g, %d, %j : !tfx_host.closure<(i32) -> i32>, i32, i32)
^exit:
  return %y : i32
}
func.func private @chosen(%c: i1, %a: i32, %b: i32, %x: i32) -> i32 {
  cf.cond_br %c, ^left, ^right
^left:
  %f = tfx_host.closure @between(%a, %b) : (i32, i32) -> !tfx_host.closure<(i32) -> i32>
  cf.br ^join(%f : !tfx_host.closure<(i32) -> i32>)
^right:
  %odd = arith.cmpi slt, %a, %b : i32
  %g = tfx_host.closure @between(%b, %x) : (i32, i32) -> !tfx_host.closure<(i32) -> i32>
  %h = tfx_host.closure @ask(%b) : (i32) -> !tfx_host.closure<(i32) -> i32>
  %i = arith.select %odd, %g, %h : !tfx_host.closure<(i32) -> i32>
  cf.br ^join(%i : !tfx_host.closure<(i32) -> i32>)
^join(%k: !tfx_host.closure<(i32) -> i32>):
  %y = tfx_host.apply %k(%x) : !tfx_host.closure<(i32) -> i32>
  return %y : i32
}
func.func private @exchanged(%n: i32, %a: i32, %x: tensor<4xi32>, %m: !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %trips = arith.andi %n, %three : i32
  %t = tfx_tensor.from_scalar %a : i32
  %y = tfx_tensor.op "Mul"(%x, %t) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %f = tfx_host.closure @shift_by(%y) : (tensor<4xi32>) -> !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>
  cf.br ^head(%f, %m, %zero : !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>, !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>, i32)
^head(%g: !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>, %h: !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>, %i: i32):
  %go = arith.cmpi slt, %i, %trips : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %j = arith.addi %i, %one : i32
  cf.br ^head(%h, %g, %j : !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>, !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>, i32)
^exit:
  %z = tfx_host.apply %g(%x) : !tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>
  return %z : tensor<4xi32>
}
func.func private @leaked(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %most = arith.constant 3 : i32
  cf.br ^head(%zero, %one : i32, i32)
^head(%i: i32, %s: i32):
  %go = arith.cmpi slt, %i, %most : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %d = arith.muli %s, %two : i32
  %t = arith.addi %d, %i : i32
  %j = arith.addi %i, %one : i32
  cf.br ^head(%j, %t : i32, i32)
^exit:
  %big = arith.cmpi sgt, %s, %most : i32
  cf.cond_br %big, ^many(%s : i32), ^many(%two : i32)
^many(%k: i32):
  cf.switch %k : i32, [default: ^done(%one : i32), 12: ^done(%s : i32), 11: ^done(%two : i32)]
^done(%a: i32):
  %alpha = arith.sitofp %a : i32 to f32
  %y = tfx_tensor.op "LeakyRelu"(%x) computed(alpha = %alpha : f32) : (tensor<4xf32>) -> tensor<4xf32>
  %u = tfx_tensor.from_scalar %n : i32
  %v = tfx_tensor.op "Cast"(%u) {DstT = f32} : (tensor<i32>) -> tensor<f32>
  %z = tfx_tensor.op "AddV2"(%y, %v) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @picked(%c: i1, %a: i32, %x: i32) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %a, %v : i32
  cf.cond_br %c, ^left, ^right
^left:
  %d = arith.muli %a, %x : i32
  %f = tfx_host.closure @add_to(%d) : (i32) -> !tfx_host.closure<(i32) -> i32>
  cf.br ^join(%f : !tfx_host.closure<(i32) -> i32>)
^right:
  %g = tfx_host.closure @bump(%v) : (!tfx_host.ref<i32>) -> !tfx_host.closure<(i32) -> i32>
  cf.br ^join(%g : !tfx_host.closure<(i32) -> i32>)
^join(%k: !tfx_host.closure<(i32) -> i32>):
  %y = tfx_host.apply %k(%x) : !tfx_host.closure<(i32) -> i32>
  return %y : i32
}
tfx_host.class @Keeper {f: !tfx_host.closure<escaping (i32) -> i32>, l: !tfx_host.array<i32>}
func.func private @adder(%k: i32, %x: i32) -> !tfx_host.closure<(i32) -> i32> {
  %f = tfx_host.closure @between(%k, %x) : (i32, i32) -> !tfx_host.closure<(i32) -> i32>
  return %f : !tfx_host.closure<(i32) -> i32>
}
func.func private @stepper(%k: i32, %x: i32) -> !tfx_host.closure<(i32) -> i32> {
  %odd = arith.cmpi slt, %k, %x : i32
  cf.cond_br %odd, ^near, ^far
^near:
  %f = tfx_host.closure @add_to(%x) : (i32) -> !tfx_host.closure<(i32) -> i32>
  cf.br ^done(%f : !tfx_host.closure<(i32) -> i32>)
^far:
  %g = tfx_host.closure @between(%x, %k) : (i32, i32) -> !tfx_host.closure<(i32) -> i32>
  cf.br ^done(%g : !tfx_host.closure<(i32) -> i32>)
^done(%h: !tfx_host.closure<(i32) -> i32>):
  return %h : !tfx_host.closure<(i32) -> i32>
}
