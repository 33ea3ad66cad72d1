// Gradients by some of the parameters, Jacobians, Hessians, and functions of several results.
// JAX, tests/api_test.py. JAX draws matrices; here they are fixed. Arrays are tensors of f64, and
// dictionaries are structs.
//
// RUN: tfxc run %s | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow | FileCheck %s %}

func.func private @grad_item(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %is_ne = arith.cmpf une, %x, %zero : f64
  cf.cond_br %is_ne, ^then, ^else
^then:
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
^else:
  return %x : f64
}
func.func private @flagged(%x: f64, %flag: i1) -> f64 {
  %zero = arith.constant 0.0 : f64
  cf.cond_br %flag, ^then, ^else
^then:
  return %x : f64
^else:
  return %zero : f64
}
func.func private @weighted(%x: f64, %y: f64, %z: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  %onex = arith.mulf %one, %x : f64
  %twoy = arith.mulf %two, %y : f64
  %a = arith.addf %onex, %twoy : f64
  %b = arith.mulf %three, %z : f64
  %c = arith.addf %a, %b : f64
  return %c : f64
}
func.func private @square(%x: f64) -> f64 {
  %xx = arith.mulf %x, %x : f64
  return %xx : f64
}
func.func private @linear(%a: tensor<2x3xf64>, %x: tensor<3x1xf64>) -> tensor<2x1xf64> {
  %y = tfx_tensor.op "MatMul"(%a, %x) {transpose_a = false, transpose_b = false} : (tensor<2x3xf64>, tensor<3x1xf64>) -> tensor<2x1xf64>
  return %y : tensor<2x1xf64>
}
func.func private @tanh_linear(%a: tensor<2x3xf64>, %x: tensor<3x1xf64>) -> tensor<2x1xf64> {
  %y = tfx_tensor.op "MatMul"(%a, %x) {transpose_a = false, transpose_b = false} : (tensor<2x3xf64>, tensor<3x1xf64>) -> tensor<2x1xf64>
  %t = tfx_tensor.op "Tanh"(%y) : (tensor<2x1xf64>) -> tensor<2x1xf64>
  return %t : tensor<2x1xf64>
}

// x A x, whose Hessian is A + A transposed.
func.func private @quadratic(%a: tensor<3x3xf64>, %x: tensor<3x1xf64>) -> tensor<1x1xf64> {
  %y = tfx_tensor.op "MatMul"(%a, %x) {transpose_a = false, transpose_b = false} : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  %z = tfx_tensor.op "MatMul"(%x, %y) {transpose_a = true, transpose_b = false} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<1x1xf64>
  return %z : tensor<1x1xf64>
}
func.func private @quadratic.grad(%a: tensor<3x3xf64>, %x: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %d = tfx_ad.gradient @quadratic(%a, %x) wrt [1] : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return %d : tensor<3x1xf64>
}
func.func private @pair(%x: f64, %y: f64) -> (f64, f64) {
  return %x, %y : f64, f64
}
func.func private @first_two(%x: f64, %y: f64, %z: f64) -> (f64, f64) {
  return %x, %y : f64, f64
}

// A vector and the outer product, in a struct.
tfx_host.struct @Outer {x: tensor<2x1xf64>, xy: tensor<2x3xf64>}
func.func private @outer(%x: tensor<2x1xf64>, %y: tensor<1x3xf64>) -> !tfx_host.struct<@Outer> {
  %xy = tfx_tensor.op "Mul"(%x, %y) : (tensor<2x1xf64>, tensor<1x3xf64>) -> tensor<2x3xf64>
  %r = tfx_host.make_struct(%x, %xy) : (tensor<2x1xf64>, tensor<2x3xf64>) -> !tfx_host.struct<@Outer>
  return %r : !tfx_host.struct<@Outer>
}
func.func private @squares(%x: f64, %y: f64) -> (f64, f64) {
  %xx = arith.mulf %x, %x : f64
  %yy = arith.mulf %y, %y : f64
  return %xx, %yy : f64, f64
}
func.func private @squares.slopes(%x: f64, %y: f64) -> (f64, f64) {
  %one = arith.constant 1.0 : f64
  %a, %b, %c, %d = tfx_ad.jvp @squares(%x, %y) tangents(%one, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  return %c, %d : f64, f64
}

// The sum of two squared norms, of vectors of different lengths.
func.func private @norms(%x: tensor<5xf64>, %u: tensor<2xf64>) -> tensor<f64> {
  %xx = tfx_tensor.op "Square"(%x) : (tensor<5xf64>) -> tensor<5xf64>
  %uu = tfx_tensor.op "Square"(%u) : (tensor<2xf64>) -> tensor<2xf64>
  %axes = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %a = tfx_tensor.op "Sum"(%xx, %axes) : (tensor<5xf64>, tensor<1xi32>) -> tensor<f64>
  %c = tfx_tensor.const dense<[0]> : tensor<1xi32>
  %b = tfx_tensor.op "Sum"(%uu, %c) : (tensor<2xf64>, tensor<1xi32>) -> tensor<f64>
  %r = tfx_tensor.op "AddV2"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %r : tensor<f64>
}
func.func private @norms.grad(%x: tensor<5xf64>, %u: tensor<2xf64>) -> (tensor<5xf64>, tensor<2xf64>) {
  %dx, %du = tfx_ad.gradient @norms(%x, %u) wrt [0, 1] : (tensor<5xf64>, tensor<2xf64>) -> (tensor<5xf64>, tensor<2xf64>)
  return %dx, %du : tensor<5xf64>, tensor<2xf64>
}

// A value and another one that is not differentiated: a second result whose cotangent is zero.
func.func private @with_aux(%x: f64) -> (f64, f64) {
  %sin_x = math.sin %x : f64
  %xx = arith.mulf %x, %x : f64
  return %sin_x, %xx : f64, f64
}

// An integer parameter, and one that becomes a float.
func.func private @index(%x: f64, %i: i64) -> f64 {
  %n1 = arith.constant 1 : i64
  %n = arith.addi %i, %n1 : i64
  %xx = arith.mulf %x, %x : f64
  %xxx = arith.mulf %xx, %x : f64
  %fn = arith.sitofp %n : i64 to f64
  %xxxfn = arith.mulf %xxx, %fn : f64
  return %xxxfn : f64
}

func.func public @main() {
  %two = arith.constant 2.0 : f64
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %three = arith.constant 3.0 : f64
  %n2 = arith.constant 2 : i64
  %yes = arith.constant true
  %no = arith.constant false
  // Case: JAX, api_test.py, test_grad_item.
  // CHECK: {{^}}grad_item: 4.0{{$}}
  %d0 = tfx_ad.gradient @grad_item(%two) wrt [0] : (f64) -> f64
  tfx_host.print "grad_item: {}"(%d0) : f64
  // Case: JAX, api_test.py, test_grad_wrap.
  // CHECK-NEXT: {{^}}flagged false: 0.0{{$}}
  %d1 = tfx_ad.gradient @flagged(%one, %no) wrt [0] : (f64, i1) -> f64
  tfx_host.print "flagged false: {}"(%d1) : f64
  // CHECK-NEXT: {{^}}flagged true: 1.0{{$}}
  %d2 = tfx_ad.gradient @flagged(%one, %yes) wrt [0] : (f64, i1) -> f64
  tfx_host.print "flagged true: {}"(%d2) : f64
  // Case: JAX, api_test.py, test_grad_argnums.
  // CHECK-NEXT: {{^}}weighted 0: 1.0{{$}}
  %d3 = tfx_ad.gradient @weighted(%one, %one, %one) wrt [0] : (f64, f64, f64) -> f64
  tfx_host.print "weighted 0: {}"(%d3) : f64
  // CHECK-NEXT: {{^}}weighted 1: 2.0{{$}}
  %d4 = tfx_ad.gradient @weighted(%one, %one, %one) wrt [1] : (f64, f64, f64) -> f64
  tfx_host.print "weighted 1: {}"(%d4) : f64
  // CHECK-NEXT: {{^}}weighted 0 2: 1.0 3.0{{$}}
  %d5.0, %d5.1 = tfx_ad.gradient @weighted(%one, %one, %one) wrt [0, 2] : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "weighted 0 2: {} {}"(%d5.0, %d5.1) : f64, f64
  // Case: JAX, api_test.py, test_value_and_grad_argnums.
  // CHECK-NEXT: {{^}}weighted value 0: 6.0 1.0{{$}}
  %y7, %d6 = tfx_ad.gradient @weighted(%one, %one, %one) wrt [0] value : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "weighted value 0: {} {}"(%y7, %d6) : f64, f64
  // CHECK-NEXT: {{^}}weighted value 1: 6.0 2.0{{$}}
  %y9, %d8 = tfx_ad.gradient @weighted(%one, %one, %one) wrt [1] value : (f64, f64, f64) -> (f64, f64)
  tfx_host.print "weighted value 1: {} {}"(%y9, %d8) : f64, f64
  // CHECK-NEXT: {{^}}weighted value 0 2: 6.0 1.0 3.0{{$}}
  %y11, %d10.0, %d10.1 = tfx_ad.gradient @weighted(%one, %one, %one) wrt [0, 2] value : (f64, f64, f64) -> (f64, f64, f64)
  tfx_host.print "weighted value 0 2: {} {} {}"(%y11, %d10.0, %d10.1) : f64, f64, f64
  // Case: JAX, api_test.py, test_grad_of_jit.
  // CHECK-NEXT: {{^}}square 1: 2.0{{$}}
  %d12 = tfx_ad.gradient @square(%one) wrt [0] : (f64) -> f64
  tfx_host.print "square 1: {}"(%d12) : f64
  // CHECK-NEXT: {{^}}square 2: 4.0{{$}}
  %d13 = tfx_ad.gradient @square(%two) wrt [0] : (f64) -> f64
  tfx_host.print "square 2: {}"(%d13) : f64
  // Case: JAX, api_test.py, test_jacobian, by rows and by columns.
  // CHECK-NEXT: {{^}}linear reverse: {{\[\[ *}}1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}3.{{ *}}]] {{\[\[ *}}4.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}5.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6.{{ *}}]]{{$}}
  %a = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %b = tfx_tensor.const dense<[[1.0], [1.0], [1.0]]> : tensor<3x1xf64>
  %y14, %pullback14 = tfx_ad.vjp @linear(%a, %b) wrt [1] : (tensor<2x3xf64>, tensor<3x1xf64>) -> (tensor<2x1xf64>, !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>)
  %c = tfx_tensor.const dense<[[1.0], [0.0]]> : tensor<2x1xf64>
  %d15 = tfx_host.apply %pullback14(%c) : !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>
  %d = tfx_tensor.const dense<[[0.0], [1.0]]> : tensor<2x1xf64>
  %d16 = tfx_host.apply %pullback14(%d) : !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>
  tfx_host.print "linear reverse: {} {}"(%d15, %d16) : tensor<3x1xf64>, tensor<3x1xf64>
  // CHECK-NEXT: {{^}}linear forward: {{\[\[ *}}6.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}15.{{ *}}]] {{\[\[ *}}2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}5.{{ *}}]]{{$}}
  %e = tfx_tensor.const dense<[[0.0], [1.0], [0.0]]> : tensor<3x1xf64>
  %y17, %t18 = tfx_ad.jvp @linear(%a, %b) tangents(%e : tensor<3x1xf64>) wrt [1] : (tensor<2x3xf64>, tensor<3x1xf64>) -> (tensor<2x1xf64>, tensor<2x1xf64>)
  tfx_host.print "linear forward: {} {}"(%y17, %t18) : tensor<2x1xf64>, tensor<2x1xf64>
  // CHECK-NEXT: {{^}}tanh_linear reverse: {{\[\[ *}}{{0\.143440431[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{0\.232668871[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{0\.321897312[0-9]*}}{{ *}}]]{{$}}
  %f = tfx_tensor.const dense<[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]> : tensor<2x3xf64>
  %y19, %pullback19 = tfx_ad.vjp @tanh_linear(%f, %b) wrt [1] : (tensor<2x3xf64>, tensor<3x1xf64>) -> (tensor<2x1xf64>, !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>)
  %g = tfx_tensor.const dense<[[1.0], [1.0]]> : tensor<2x1xf64>
  %d20 = tfx_host.apply %pullback19(%g) : !tfx_host.closure<(tensor<2x1xf64>) -> tensor<3x1xf64>>
  tfx_host.print "tanh_linear reverse: {}"(%d20) : tensor<3x1xf64>
  // CHECK-NEXT: {{^}}tanh_linear forward: {{\[\[ *}}{{0\.537049566[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{0\.905148253[0-9]*}}{{ *}}]] {{\[\[ *}}{{0\.0711577762[0-9]*}}{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}{{0\.0722826555[0-9]*}}{{ *}}]]{{$}}
  %h = tfx_tensor.const dense<[[1.0], [0.0], [0.0]]> : tensor<3x1xf64>
  %y21, %t22 = tfx_ad.jvp @tanh_linear(%f, %b) tangents(%h : tensor<3x1xf64>) wrt [1] : (tensor<2x3xf64>, tensor<3x1xf64>) -> (tensor<2x1xf64>, tensor<2x1xf64>)
  tfx_host.print "tanh_linear forward: {} {}"(%y21, %t22) : tensor<2x1xf64>, tensor<2x1xf64>
  // Case: JAX, api_test.py, test_hessian, by rows and by columns.
  // CHECK-NEXT: {{^}}hessian reverse: {{\[\[ *}}2.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}10.{{ *}}]] {{\[\[ *}}6.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}10.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}14.{{ *}}]] {{\[\[ *}}10.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}14.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}18.{{ *}}]]{{$}}
  %i = tfx_tensor.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf64>
  %j = tfx_tensor.const dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf64>
  %y23, %pullback23 = tfx_ad.vjp @quadratic.grad(%i, %j) wrt [1] : (tensor<3x3xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, !tfx_host.closure<(tensor<3x1xf64>) -> tensor<3x1xf64>>)
  %d24 = tfx_host.apply %pullback23(%h) : !tfx_host.closure<(tensor<3x1xf64>) -> tensor<3x1xf64>>
  %d25 = tfx_host.apply %pullback23(%e) : !tfx_host.closure<(tensor<3x1xf64>) -> tensor<3x1xf64>>
  %k = tfx_tensor.const dense<[[0.0], [0.0], [1.0]]> : tensor<3x1xf64>
  %d26 = tfx_host.apply %pullback23(%k) : !tfx_host.closure<(tensor<3x1xf64>) -> tensor<3x1xf64>>
  tfx_host.print "hessian reverse: {} {} {}"(%d24, %d25, %d26) : tensor<3x1xf64>, tensor<3x1xf64>, tensor<3x1xf64>
  // CHECK-NEXT: {{^}}hessian forward: {{\[\[ *}}44.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}68.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}92.{{ *}}]] {{\[\[ *}}6.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}10.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}14.{{ *}}]]{{$}}
  %y27, %t28 = tfx_ad.jvp @quadratic.grad(%i, %j) tangents(%e : tensor<3x1xf64>) wrt [1] : (tensor<3x3xf64>, tensor<3x1xf64>) -> (tensor<3x1xf64>, tensor<3x1xf64>)
  tfx_host.print "hessian forward: {} {}"(%y27, %t28) : tensor<3x1xf64>, tensor<3x1xf64>
  // Case: JAX, api_test.py, test_jacobian_on_pytrees, two arguments.
  // CHECK-NEXT: {{^}}pair forward: 0.0 1.0 1.0 0.0{{$}}
  %y29.0, %y29.1, %t30.0, %t30.1 = tfx_ad.jvp @pair(%zero, %one) tangents(%one, %zero : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  tfx_host.print "pair forward: {} {} {} {}"(%y29.0, %y29.1, %t30.0, %t30.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}pair reverse: 1.0 0.0 0.0 1.0{{$}}
  %y31.0, %y31.1, %pullback31 = tfx_ad.vjp @pair(%zero, %one) wrt [0, 1] : (f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64)>)
  %d32.0, %d32.1 = tfx_host.apply %pullback31(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  %d33.0, %d33.1 = tfx_host.apply %pullback31(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64)>
  tfx_host.print "pair reverse: {} {} {} {}"(%d32.0, %d32.1, %d33.0, %d33.1) : f64, f64, f64, f64
  // Case: JAX, api_test.py, test_jacobian_on_pytrees, a part of a tuple.
  // CHECK-NEXT: {{^}}first_two: 1.0 0.0 0.0 0.0 1.0 0.0{{$}}
  %y34.0, %y34.1, %pullback34 = tfx_ad.vjp @first_two(%one, %two, %three) wrt [0, 1, 2] : (f64, f64, f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> (f64, f64, f64)>)
  %d35.0, %d35.1, %d35.2 = tfx_host.apply %pullback34(%one, %zero) : !tfx_host.closure<(f64, f64) -> (f64, f64, f64)>
  %d36.0, %d36.1, %d36.2 = tfx_host.apply %pullback34(%zero, %one) : !tfx_host.closure<(f64, f64) -> (f64, f64, f64)>
  tfx_host.print "first_two: {} {} {} {} {} {}"(%d35.0, %d35.1, %d35.2, %d36.0, %d36.1, %d36.2) : f64, f64, f64, f64, f64, f64
  // Case: JAX, api_test.py, test_jacobian_on_pytrees, a struct of tensors.
  // CHECK-NEXT: {{^}}outer: {{\[\[ *}}1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}2.{{ *}}]] {{\[\[ *}}3. 4. 5.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}6. 8. 10.{{ *}}]] {{\[\[ *}}1.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0.{{ *}}]] {{\[\[ *}}3. 4. 5.{{ *}}]{{$}}
  // CHECK-NEXT: {{^ +}}{{\[ *}}0. 0. 0.{{ *}}]]{{$}}
  %l = tfx_tensor.const dense<[[1.0], [2.0]]> : tensor<2x1xf64>
  %m = tfx_tensor.const dense<[[3.0, 4.0, 5.0]]> : tensor<1x3xf64>
  %n = tfx_tensor.const dense<[[0.0, 0.0, 0.0]]> : tensor<1x3xf64>
  %y37, %t38 = tfx_ad.jvp @outer(%l, %m) tangents(%c, %n : tensor<2x1xf64>, tensor<1x3xf64>) wrt [0, 1] : (tensor<2x1xf64>, tensor<1x3xf64>) -> (!tfx_host.struct<@Outer>, !tfx_host.struct<@Outer>)
  %y37_x = tfx_host.extract %y37["x"] : !tfx_host.struct<@Outer> -> tensor<2x1xf64>
  %y37_xy = tfx_host.extract %y37["xy"] : !tfx_host.struct<@Outer> -> tensor<2x3xf64>
  %t38_x = tfx_host.extract %t38["x"] : !tfx_host.struct<@Outer> -> tensor<2x1xf64>
  %t38_xy = tfx_host.extract %t38["xy"] : !tfx_host.struct<@Outer> -> tensor<2x3xf64>
  tfx_host.print "outer: {} {} {} {}"(%y37_x, %y37_xy, %t38_x, %t38_xy) : tensor<2x1xf64>, tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x3xf64>
  // Case: JAX, api_test.py, test_hessian_on_pytrees.
  // CHECK-NEXT: {{^}}squares 0: 2.0 4.0 2.0 0.0{{$}}
  %y39.0, %y39.1, %t40.0, %t40.1 = tfx_ad.jvp @squares.slopes(%one, %two) tangents(%one, %zero : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  tfx_host.print "squares 0: {} {} {} {}"(%y39.0, %y39.1, %t40.0, %t40.1) : f64, f64, f64, f64
  // CHECK-NEXT: {{^}}squares 1: 2.0 4.0 0.0 2.0{{$}}
  %y41.0, %y41.1, %t42.0, %t42.1 = tfx_ad.jvp @squares.slopes(%one, %two) tangents(%zero, %one : f64, f64) wrt [0, 1] : (f64, f64) -> (f64, f64, f64, f64)
  tfx_host.print "squares 1: {} {} {} {}"(%y41.0, %y41.1, %t42.0, %t42.1) : f64, f64, f64, f64
  // Case: JAX, api_test.py, test_issue1372.
  // CHECK-NEXT: {{^}}norms: {{\[ *}}2. 0. 0. 0. 0.{{ *}}] {{\[ *}}0. 0.{{ *}}] {{\[ *}}0. 0. 0. 0. 0.{{ *}}] {{\[ *}}0. 2.{{ *}}]{{$}}
  %o = tfx_tensor.const dense<[1.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xf64>
  %p = tfx_tensor.const dense<[1.0, 1.0]> : tensor<2xf64>
  %y43.0, %y43.1, %pullback43 = tfx_ad.vjp @norms.grad(%o, %p) wrt [0, 1] : (tensor<5xf64>, tensor<2xf64>) -> (tensor<5xf64>, tensor<2xf64>, !tfx_host.closure<(tensor<5xf64>, tensor<2xf64>) -> (tensor<5xf64>, tensor<2xf64>)>)
  %q = tfx_tensor.const dense<[1.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xf64>
  %r = tfx_tensor.const dense<[0.0, 0.0]> : tensor<2xf64>
  %d44.0, %d44.1 = tfx_host.apply %pullback43(%q, %r) : !tfx_host.closure<(tensor<5xf64>, tensor<2xf64>) -> (tensor<5xf64>, tensor<2xf64>)>
  %s = tfx_tensor.const dense<[0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<5xf64>
  %t = tfx_tensor.const dense<[0.0, 1.0]> : tensor<2xf64>
  %d45.0, %d45.1 = tfx_host.apply %pullback43(%s, %t) : !tfx_host.closure<(tensor<5xf64>, tensor<2xf64>) -> (tensor<5xf64>, tensor<2xf64>)>
  tfx_host.print "norms: {} {} {} {}"(%d44.0, %d44.1, %d45.0, %d45.1) : tensor<5xf64>, tensor<2xf64>, tensor<5xf64>, tensor<2xf64>
  // Case: JAX, api_test.py, test_grad_and_aux_basic, for sin.
  // CHECK-NEXT: {{^}}with_aux: -{{0\.989992496[0-9]*}}{{$}}
  %y46.0, %y46.1, %pullback46 = tfx_ad.vjp @with_aux(%three) wrt [0] : (f64) -> (f64, f64, !tfx_host.closure<(f64, f64) -> f64>)
  %d47 = tfx_host.apply %pullback46(%one, %zero) : !tfx_host.closure<(f64, f64) -> f64>
  tfx_host.print "with_aux: {}"(%d47) : f64
  // Case: JAX, api_test.py, test_grad_of_int_index, for a float.
  // CHECK-NEXT: {{^}}index: 36.0{{$}}
  %d48 = tfx_ad.gradient @index(%two, %n2) wrt [0] : (f64, i64) -> f64
  tfx_host.print "index: {}"(%d48) : f64
  return
}
