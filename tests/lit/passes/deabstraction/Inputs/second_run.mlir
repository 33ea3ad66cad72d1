// Code that a second run of deabstraction once changed.

// A function that is empty once its variable and the computations on it are erased.
func.func private @spent(%x: i32) {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  %z = arith.addi %y, %x : i32
  return
}
func.func @calls(%x: i32, %y: i32) {
  func.call @spent(%x) : (i32) -> ()
  func.call @spent(%y) : (i32) -> ()
  return
}

// A closure that an object holds is applied after a branch.
!F = !tfx_host.closure<escaping (i32) -> i32>
tfx_host.class @Keeper {f: !tfx_host.closure<escaping (i32) -> i32>}
func.func private @plus(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}
func.func @kept(%x: i32) -> (i32, !tfx_host.object<@Keeper>) {
  %f = tfx_host.closure @plus(%x) : (i32) -> !F
  %k = tfx_host.new(%f) : (!F) -> !tfx_host.object<@Keeper>
  cf.br ^next(%f : !F)
^next(%g: !F):
  %r = tfx_host.apply %g(%x) : !F
  return %r, %k : i32, !tfx_host.object<@Keeper>
}

// An array that an attribute is computed from is forwarded to an unused argument, and to one whose elements are counted.
func.func @attribute(%p: i1, %x: tensor<1x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i32
  %a = tfx_host.array(%zero) : !tfx_host.array<i32>
  %y = tfx_tensor.op "Squeeze"(%x) computed(squeeze_dims = %a : !tfx_host.array<i32>) : (tensor<1x4xf32>) -> tensor<4xf32>
  cf.cond_br %p, ^read(%a : !tfx_host.array<i32>), ^exit(%a : !tfx_host.array<i32>)
^read(%b: !tfx_host.array<i32>):
  %n = tfx_host.array_count %b : !tfx_host.array<i32>
  tfx_host.print "{}"(%n) : index
  cf.br ^exit(%b : !tfx_host.array<i32>)
^exit(%c: !tfx_host.array<i32>):
  return %y : tensor<4xf32>
}
