// RUN: tfx-opt %s --tfx-sese=verify=true --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt %s --lift-cf-to-scf --split-input-file --allow-unregistered-dialect -o /dev/null

// Inputs that upstream's pass accepts: a module as anchor, unregistered operations, nested regions and nested modules.

// CHECK-LABEL: func.func @unknown_operations
// CHECK:         %[[C:.*]] = "other.test"() : () -> i1
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      "other.then"() : () -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    "other.end"() : () -> ()
func.func @unknown_operations() {
  %c = "other.test"() : () -> i1
  cf.cond_br %c, ^then, ^end
^then:
  "other.then"() : () -> ()
  cf.br ^end
^end:
  "other.end"() : () -> ()
  return
}

// -----

// A region of an operation inside of a function is structured, too.

// CHECK-LABEL: func.func @region
// CHECK:         scf.execute_region -> i32 {
// CHECK-NEXT:      %[[R:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK:           scf.yield %[[R]] : i32
// CHECK-NEXT:    }
func.func @region(%c: i1, %n: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    cf.cond_br %c, ^then, ^else
  ^then:
    %a = "other.one"(%n) : (i32) -> i32
    scf.yield %a : i32
  ^else:
    %b = "other.two"(%n) : (i32) -> i32
    scf.yield %b : i32
  }
  return %r : i32
}

// -----

// CHECK-LABEL: module @inner
// CHECK:         func.func @nested
// CHECK-NOT:     cf.
// CHECK:         scf.if
module @inner {
  func.func @nested(%c: i1) {
    cf.cond_br %c, ^then, ^end
  ^then:
    "other.then"() : () -> ()
    cf.br ^end
  ^end:
    return
  }
}

// -----

// A switch on 64 bits, with two cases that share a block.

// CHECK-LABEL: func.func @wide_switch
// CHECK:         scf.index_switch
// CHECK:         case -1 {
func.func @wide_switch(%s: i64, %x: f32, %y: f32) -> f32 {
  cf.switch %s : i64, [
    default: ^end(%x : f32),
    -1: ^one,
    7: ^end(%y : f32),
    8: ^one
  ]
^one:
  %z = "other.one"(%x) : (f32) -> f32
  cf.br ^end(%z : f32)
^end(%r: f32):
  return %r : f32
}

// -----

// CHECK-LABEL: func.func @infinite
// CHECK:         scf.if
// CHECK:           scf.while
func.func private @bar(f32) -> f32
func.func @infinite(%x: f32, %c: i1) -> f32 {
  cf.cond_br %c, ^loop(%x: f32), ^end
^loop(%y: f32):
  %0 = call @bar(%y) : (f32) -> f32
  cf.br ^loop(%0 : f32)
^end:
  return %x : f32
}

// -----

// Several functions in a module, one of them a declaration; several results; locations of block arguments.

// CHECK-LABEL: func.func private @outside(i32) -> (i32, f32)
// CHECK-LABEL: func.func @several_results
// CHECK:         %[[R:.*]]:3 = scf.if %{{.*}} -> (i32, f32, i32) {
// CHECK-NEXT:      %[[O:.*]]:2 = func.call @outside
// CHECK-NEXT:      scf.yield %[[O]]#0, %[[O]]#1, %{{.*}} : i32, f32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2 : i32, f32, i32
func.func private @outside(i32) -> (i32, f32)
func.func @several_results(%c: i1, %n: i32, %x: f32) -> (i32, f32, i32) {
  %one = arith.constant 1 : i32
  cf.cond_br %c, ^call(%one : i32), ^end(%one, %x, %n : i32, f32, i32)
^call(%a: i32 loc("an argument")):
  %r:2 = func.call @outside(%a) : (i32) -> (i32, f32)
  cf.br ^end(%r#0, %r#1, %one : i32, f32, i32)
^end(%p: i32 loc("first"), %q: f32 loc("second"), %s: i32):
  return %p, %q, %s : i32, f32, i32
}

// CHECK-LABEL: func.func @after_it
// CHECK:         scf.index_switch
// CHECK-NOT:     cf.{{br|cond_br|switch}}
func.func @after_it(%s: i8) -> i8 {
  cf.switch %s : i8, [default: ^d, 1: ^a, 2: ^b, 3: ^a]
^a:
  %x = "other.a"() : () -> i8
  return %x : i8
^b:
  %y = "other.b"() : () -> i8
  cf.br ^d
^d:
  %z = "other.d"() : () -> i8
  return %z : i8
}
