// RUN: tfx-opt %s --pass-pipeline='builtin.module(func.func(tfx-ssa))' --split-input-file | FileCheck %s

// PROGRAMS.md, add_all: the variable is promoted.

// CHECK-LABEL: func.func @add_all(
// CHECK-SAME:    %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<f32>
// CHECK-NEXT:    %[[R0:.*]] = tfx_tensor.op "AddV2"(%[[A]], %[[B]])
// CHECK-NEXT:    %[[R1:.*]] = tfx_tensor.op "AddV2"(%[[R0]], %[[C]])
// CHECK-NEXT:    %[[R2:.*]] = tfx_tensor.op "AddV2"(%[[R1]], %[[D]])
// CHECK-NEXT:    return %[[R2]]
func.func @add_all(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>) -> tensor<f32> {
  %r = tfx_host.var : !tfx_host.ref<tensor<f32>>
  %r0 = tfx_tensor.op "AddV2"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_host.store %r0, %r : tensor<f32>
  %r1 = tfx_host.load %r : !tfx_host.ref<tensor<f32>>
  %r2 = tfx_tensor.op "AddV2"(%r1, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_host.store %r2, %r : tensor<f32>
  %r3 = tfx_host.load %r : !tfx_host.ref<tensor<f32>>
  %r4 = tfx_tensor.op "AddV2"(%r3, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  tfx_host.store %r4, %r : tensor<f32>
  %r5 = tfx_host.load %r : !tfx_host.ref<tensor<f32>>
  return %r5 : tensor<f32>
}

// -----

// A join gets one argument; a variable that is not read after the join gets none.

// CHECK-LABEL: func.func @conditional(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[THEN:.*]], ^[[ELSE:.*]]
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    cf.br ^[[JOIN:.*]](%[[X]] : i32)
// CHECK-NEXT:  ^[[ELSE]]:
// CHECK-NEXT:    cf.br ^[[JOIN]](%[[Y]] : i32)
// CHECK-NEXT:  ^[[JOIN]](%[[R:.*]]: i32):
// CHECK-NEXT:    return %[[R]] : i32
func.func @conditional(%p: i1, %x: i32, %y: i32) -> i32 {
  %r = tfx_host.var : !tfx_host.ref<i32>
  %unused = tfx_host.var : !tfx_host.ref<i32>
  cf.cond_br %p, ^then, ^else
^then:
  tfx_host.store %x, %r : i32
  tfx_host.store %x, %unused : i32
  cf.br ^join
^else:
  tfx_host.store %y, %r : i32
  tfx_host.store %y, %unused : i32
  cf.br ^join
^join:
  %z = tfx_host.load %r : !tfx_host.ref<i32>
  return %z : i32
}

// -----

// A loop-carried value. It is added after the existing operands of a branch; a block that is named twice gets it twice.

// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[N:.*]]: i32)
// CHECK:         cf.br ^[[HEADER:.*]](%[[ZERO:.*]], %[[ZERO]] : i32, i32)
// CHECK-NEXT:  ^[[HEADER]](%[[I:.*]]: i32, %[[SUM:.*]]: i32):
// CHECK:         cf.cond_br %{{.*}}, ^[[BODY:.*]], ^[[EXIT:.*]](%[[SUM]] : i32)
// CHECK-NEXT:  ^[[BODY]]:
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[SUM]], %[[I]]
// CHECK-NEXT:    %[[I1:.*]] = arith.addi %[[I]]
// CHECK-NEXT:    %[[ODD:.*]] = arith.trunci
// CHECK-NEXT:    cf.cond_br %[[ODD]], ^[[HEADER]](%[[I1]], %[[NEXT]] : i32, i32), ^[[HEADER]](%[[I]], %[[NEXT]] : i32, i32)
// CHECK-NEXT:  ^[[EXIT]](%[[R:.*]]: i32):
// CHECK-NEXT:    return %[[R]] : i32
func.func @loop(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %zero, %sum : i32
  cf.br ^header(%zero : i32)
^header(%i: i32):
  %go = arith.cmpi slt, %i, %n : i32
  %s0 = tfx_host.load %sum : !tfx_host.ref<i32>
  cf.cond_br %go, ^body, ^exit(%s0 : i32)
^body:
  %s = tfx_host.load %sum : !tfx_host.ref<i32>
  %t = arith.addi %s, %i : i32
  tfx_host.store %t, %sum : i32
  %i1 = arith.addi %i, %one : i32
  %odd = arith.trunci %i : i32 to i1
  cf.cond_br %odd, ^header(%i1 : i32), ^header(%i : i32)
^exit(%r: i32):
  return %r : i32
}

// -----

// A loop with two entries, and a swap: each variable gets the other's value of the previous iteration.

// CHECK-LABEL: func.func @irreducible(
// CHECK-SAME:    %[[P:.*]]: i1, %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[LEFT:.*]](%[[Y]], %[[X]] : i32, i32), ^[[RIGHT:.*]](%[[Y]], %[[X]] : i32, i32)
// CHECK-NEXT:  ^[[LEFT]](%[[LB:.*]]: i32, %[[LA:.*]]: i32):
// CHECK-NEXT:    cf.br ^[[RIGHT]](%[[LA]], %[[LB]] : i32, i32)
// CHECK-NEXT:  ^[[RIGHT]](%[[RB:.*]]: i32, %[[RA:.*]]: i32):
// CHECK-NEXT:    %[[C:.*]] = arith.cmpi
// CHECK-NEXT:    cf.cond_br %[[C]], ^[[LEFT]](%[[RB]], %[[RA]] : i32, i32), ^[[EXIT:.*]]
// CHECK-NEXT:  ^[[EXIT]]:
// CHECK-NEXT:    return %[[RA]], %[[RB]]
func.func @irreducible(%p: i1, %x: i32, %y: i32) -> (i32, i32) {
  %b = tfx_host.var : !tfx_host.ref<i32>
  %a = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %a : i32
  tfx_host.store %y, %b : i32
  cf.cond_br %p, ^left, ^right
^left:
  %a0 = tfx_host.load %a : !tfx_host.ref<i32>
  %b0 = tfx_host.load %b : !tfx_host.ref<i32>
  tfx_host.store %b0, %a : i32
  tfx_host.store %a0, %b : i32
  cf.br ^right
^right:
  %a1 = tfx_host.load %a : !tfx_host.ref<i32>
  %b1 = tfx_host.load %b : !tfx_host.ref<i32>
  %c = arith.cmpi slt, %a1, %b1 : i32
  cf.cond_br %c, ^left, ^exit
^exit:
  return %a1, %b1 : i32, i32
}

// -----

// A variable that is declared in a loop is new in every iteration: nothing is carried.

// CHECK-LABEL: func.func @declared_in_loop(
// CHECK:       ^bb1:
// CHECK-NEXT:    %[[X:.*]] = call @next()
// CHECK-NEXT:    call @use(%[[X]])
// CHECK-NEXT:    cf.br ^bb1{{$}}
// CHECK-NEXT:  }
func.func private @next() -> i32
func.func private @use(i32)
func.func @declared_in_loop() {
  cf.br ^loop
^loop:
  %v = tfx_host.var : !tfx_host.ref<i32>
  %x = func.call @next() : () -> i32
  tfx_host.store %x, %v : i32
  %y = tfx_host.load %v : !tfx_host.ref<i32>
  func.call @use(%y) : (i32) -> ()
  cf.br ^loop
}

// -----

// A switch on an enum forwards the value after the payload; a read in an unreachable block does not count.

tfx_host.enum @Option {none(), some(i32)}

// CHECK-LABEL: func.func @terminators(
// CHECK-SAME:    %[[O:.*]]: !tfx_host.enum<@Option>, %[[F:.*]]: i32, %[[X:.*]]: i32)
// CHECK:         cf.switch %[[F]] : i32, [
// CHECK-NEXT:      default: ^[[ENUM:.*]](%[[X]] : i32),
// CHECK-NEXT:      7: ^[[OTHER:.*]]
// CHECK:       ^[[OTHER]]:
// CHECK-NEXT:    cf.br ^[[ENUM]](%[[F]] : i32)
// CHECK-NEXT:  ^[[ENUM]](%[[V:.*]]: i32):
// CHECK-NEXT:    tfx_host.switch_enum %[[O]] : !tfx_host.enum<@Option> ["none" -> ^[[NONE:.*]], "some" -> ^[[END:.*]](%[[V]] : i32)]
// CHECK-NEXT:  ^[[NONE]]:
// CHECK-NEXT:    cf.br ^[[END]](%[[F]], %[[F]] : i32, i32)
// CHECK-NEXT:  ^[[END]](%{{.*}}: i32, %[[R:.*]]: i32):
// CHECK-NEXT:    return %[[R]] : i32
// CHECK-NEXT:  }
func.func @terminators(%o: !tfx_host.enum<@Option>, %f: i32, %x: i32) -> i32 {
  %v = tfx_host.var : !tfx_host.ref<i32>
  tfx_host.store %x, %v : i32
  cf.switch %f : i32, [
    default: ^enum,
    7: ^other
  ]
^other:
  tfx_host.store %f, %v : i32
  cf.br ^enum
^enum:
  tfx_host.switch_enum %o : !tfx_host.enum<@Option> ["none" -> ^none, "some" -> ^end]
^none:
  tfx_host.store %f, %v : i32
  cf.br ^end(%f : i32)
^end(%payload: i32):
  %r = tfx_host.load %v : !tfx_host.ref<i32>
  return %r : i32
^dead:
  %w = tfx_host.var : !tfx_host.ref<i32>
  %s = tfx_host.load %w : !tfx_host.ref<i32>
  return %s : i32
}
