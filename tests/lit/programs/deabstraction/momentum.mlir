// Training with an optimizer struct that holds state, behind a mutating method: v = v / 2 + (w - 8); w = w - v / 2. From w = 0, v = 0: v = -8, w =
// 4; v = -8, w = 8; v = -4, w = 10.
//
// RUN: tfxc run %s 3 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 3 --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      w 4.0
// CHECK-NEXT: w 8.0
// CHECK-NEXT: w 10.0
// CHECK-NEXT: v = -4.0
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<f32>
tfx_host.struct @Momentum {velocity: !T, decay: !T, rate: !T}
tfx_host.struct @Model {w: !T, target: !T}
!O = !tfx_host.struct<@Momentum>
!M = !tfx_host.struct<@Model>
func.func private @gradient(%m: !M) -> !T {
  %w = tfx_host.extract %m["w"] : !M -> !T
  %t = tfx_host.extract %m["target"] : !M -> !T
  %g = tfx_tensor.op "Sub"(%w, %t) : (!T, !T) -> !T
  return %g : !T
}
func.func private @update(%o: !tfx_host.ref<!O>, %w: !tfx_host.ref<!T>, %g: !T) {
  %rv = tfx_host.field_ref %o["velocity"] : !tfx_host.ref<!O> -> !tfx_host.ref<!T>
  %self = tfx_host.load %o : !tfx_host.ref<!O>
  %decay = tfx_host.extract %self["decay"] : !O -> !T
  %rate = tfx_host.extract %self["rate"] : !O -> !T
  %v = tfx_host.load %rv : !tfx_host.ref<!T>
  %d = tfx_tensor.op "Mul"(%v, %decay) : (!T, !T) -> !T
  %n = tfx_tensor.op "Add"(%d, %g) : (!T, !T) -> !T
  tfx_host.store %n, %rv : !T
  %s = tfx_tensor.op "Mul"(%n, %rate) : (!T, !T) -> !T
  %old = tfx_host.load %w : !tfx_host.ref<!T>
  %new = tfx_tensor.op "Sub"(%old, %s) : (!T, !T) -> !T
  tfx_host.store %new, %w : !T
  return
}
func.func @main(%steps: index) -> (!T {tfx.name = "v"}) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %zero = tfx_tensor.const dense<0.0> : !T
  %half = tfx_tensor.const dense<0.5> : !T
  %eight = tfx_tensor.const dense<8.0> : !T
  %o0 = tfx_host.make_struct(%zero, %half, %half) : (!T, !T, !T) -> !O
  %m0 = tfx_host.make_struct(%zero, %eight) : (!T, !T) -> !M
  %o = tfx_host.var : !tfx_host.ref<!O>
  tfx_host.store %o0, %o : !O
  %m = tfx_host.var : !tfx_host.ref<!M>
  tfx_host.store %m0, %m : !M
  scf.for %i = %i0 to %steps step %i1 {
    %now = tfx_host.load %m : !tfx_host.ref<!M>
    %g = func.call @gradient(%now) : (!M) -> !T
    %rw = tfx_host.field_ref %m["w"] : !tfx_host.ref<!M> -> !tfx_host.ref<!T>
    func.call @update(%o, %rw, %g) : (!tfx_host.ref<!O>, !tfx_host.ref<!T>, !T) -> ()
    %w = tfx_host.load %rw : !tfx_host.ref<!T>
    tfx_host.print "w {}"(%w) : !T
  }
  %end = tfx_host.load %o : !tfx_host.ref<!O>
  %v = tfx_host.extract %end["velocity"] : !O -> !T
  return %v : !T
}
