// A host condition decides which graph operation runs.
//
// The branch becomes an If of two functions. The condition is known before the graph starts, so it
// is a program input, and no message is sent while the graph runs. The variable is promoted to SSA.
//
//   tfxc run examples/conditional.mlir true
//   tfxc run examples/conditional.mlir false

func.func @conditional(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %p: i1) -> tensor<2xf32> {
  %result = tfx_host.var : !tfx_host.ref<tensor<2xf32>>
  %product = tfx_tensor.op "Mul"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %product, %result : tensor<2xf32>
  cf.cond_br %p, ^plus, ^minus
^plus:
  %r0 = tfx_host.load %result : !tfx_host.ref<tensor<2xf32>>
  %sum = tfx_tensor.op "AddV2"(%r0, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %sum, %result : tensor<2xf32>
  cf.br ^done
^minus:
  %r1 = tfx_host.load %result : !tfx_host.ref<tensor<2xf32>>
  %difference = tfx_tensor.op "Sub"(%r1, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tfx_host.store %difference, %result : tensor<2xf32>
  cf.br ^done
^done:
  %r = tfx_host.load %result : !tfx_host.ref<tensor<2xf32>>
  return %r : tensor<2xf32>
}

func.func @main(%p: i1 {tfx.name = "p"}) -> (tensor<2xf32> {tfx.name = "r"}) {
  %a = tfx_tensor.const dense<[1.0, 2.0]> : tensor<2xf32>
  %b = tfx_tensor.const dense<[3.0, 4.0]> : tensor<2xf32>
  %c = tfx_tensor.const dense<[10.0, 20.0]> : tensor<2xf32>
  %d = tfx_tensor.const dense<[100.0, 200.0]> : tensor<2xf32>
  %r = func.call @conditional(%a, %b, %c, %d, %p)
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, i1) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
