// RUN: tfx-opt %s --tfx-sese --split-input-file --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt %s --lift-cf-to-scf --split-input-file --allow-unregistered-dialect -o /dev/null

// What upstream's pass takes: the pass by its name on a module, operations that nobody knows, regions in operations, modules in modules.

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

// A switch over all 64 bits, with two cases to one block.

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
