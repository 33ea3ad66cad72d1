// A protocol of layers with an associated type, a generic Dense, an activation, and a Sequential of two layers that is a layer, nested: dense gives
// x * 2 + 1, relu, and a mean reduces the tensor to a number. [-3, 1]: [-5, 3], [0, 3], 1.5.
//
// RUN: tfxc run %s 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfx-opt %s --tfx-deabstract 2>&1 | FileCheck %s --check-prefix=IR
//
// CHECK:      shape kept
// CHECK-NEXT: y = 1.5
//
// IR-NOT: {{warning|remark}}
// IR-NOT: tfx_host.{{var|load|store|closure|apply|array|make_|extract|insert|tuple_get|enum|switch_enum|field_ref|struct|call|witness|protocol}}

!T = tensor<2xf32>
!Self = !tfx_host.param<"Self">
!A = !tfx_host.param<"A">
!B = !tfx_host.param<"B">
tfx_host.protocol @Layer<"Output"> {
  call: (!Self, !T) -> !tfx_host.assoc<!Self, @Layer, "Output">,
  hello: (!Self) -> () = @quiet
}
tfx_host.struct @Dense<"S"> {w: !tfx_host.param<"S">, b: !tfx_host.param<"S">}
tfx_host.struct @Relu {}
tfx_host.struct @Mean {}
tfx_host.struct @Sequential<"A", "B"> {first: !A, second: !B}
!Dense = !tfx_host.struct<@Dense<!T>>
!Relu = !tfx_host.struct<@Relu>
!Mean = !tfx_host.struct<@Mean>
!AB = !tfx_host.struct<@Sequential<!A, !B>>
func.func private @quiet(%l: !tfx_host.param<"L">) attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  return
}
func.func private @dense(%d: !Dense, %x: !T) -> !T {
  %w = tfx_host.extract %d["w"] : !Dense -> !T
  %b = tfx_host.extract %d["b"] : !Dense -> !T
  %p = tfx_tensor.op "Mul"(%x, %w) : (!T, !T) -> !T
  %s = tfx_tensor.op "Add"(%p, %b) : (!T, !T) -> !T
  return %s : !T
}
func.func private @relu(%r: !Relu, %x: !T) -> !T {
  %y = tfx_tensor.op "Relu"(%x) : (!T) -> !T
  return %y : !T
}
func.func private @relu_hello(%r: !Relu) {
  tfx_host.print "shape kept"()
  return
}
func.func private @mean(%r: !Mean, %x: !T) -> tensor<f32> {
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %y = tfx_tensor.op "Mean"(%x, %axis) : (!T, tensor<i32>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @sequential(%s: !AB, %x: !T) -> !tfx_host.assoc<!B, @Layer, "Output">
    attributes {tfx_host.type_params = [#tfx_host.type_param<"A", @Layer>, #tfx_host.type_param<"B", @Layer>]} {
  %a = tfx_host.extract %s["first"] : !AB -> !A
  %b = tfx_host.extract %s["second"] : !AB -> !B
  tfx_host.witness_call @Layer["hello"] of !A (%a) : (!A) -> ()
  tfx_host.witness_call @Layer["hello"] of !B (%b) : (!B) -> ()
  %y = tfx_host.witness_call @Layer["call"] of !A (%a, %x) : (!A, !T) -> !T
  %z = tfx_host.witness_call @Layer["call"] of !B (%b, %y) : (!B, !T) -> !tfx_host.assoc<!B, @Layer, "Output">
  return %z : !tfx_host.assoc<!B, @Layer, "Output">
}
tfx_host.witness_table @Dense_Layer : !Dense conforms @Layer {Output: !T, call = @dense}
tfx_host.witness_table @Relu_Layer : !Relu conforms @Layer {Output: !T, call = @relu, hello = @relu_hello}
tfx_host.witness_table @Mean_Layer : !Mean conforms @Layer {Output: tensor<f32>, call = @mean}
tfx_host.witness_table @Sequential_Layer<"A", "B"> : !AB conforms @Layer {Output: !tfx_host.assoc<!B, @Layer, "Output">, call = @sequential}
!S1 = !tfx_host.struct<@Sequential<!Dense, !Relu>>
!S2 = !tfx_host.struct<@Sequential<!S1, !Mean>>
func.func @main() -> (tensor<f32> {tfx.name = "y"}) {
  %x = tfx_tensor.const dense<[-3.0, 1.0]> : !T
  %w = tfx_tensor.const dense<2.0> : !T
  %b = tfx_tensor.const dense<1.0> : !T
  %d = tfx_host.make_struct(%w, %b) : (!T, !T) -> !Dense
  %r = tfx_host.make_struct() : () -> !Relu
  %m = tfx_host.make_struct() : () -> !Mean
  %s1 = tfx_host.make_struct(%d, %r) : (!Dense, !Relu) -> !S1
  %s2 = tfx_host.make_struct(%s1, %m) : (!S1, !Mean) -> !S2
  %y = tfx_host.witness_call @Layer["call"] of !S2 (%s2, %x) : (!S2, !T) -> tensor<f32>
  return %y : tensor<f32>
}
