// Layers of three types behind one protocol in an array that a function builds: a struct, a number and an object, which is shared: all owners see
// the changes of its method. A default method is in the table as well.
//
// RUN: tfxc run %s 2 --stats 2>&1 | FileCheck %s
// RUN: %if tensorflow %{ tfxc run %s 2 --stats --executor tensorflow 2>&1 | FileCheck %s %}
// RUN: tfxc build %s -o %t && %t 2 --stats 2>&1 | FileCheck %s
//
// CHECK:      layer 0: 7 dense
// CHECK-NEXT: layer 1: 0 unnamed
// CHECK-NEXT: layer 2: 8 unnamed
// CHECK-NEXT: layer 0: 7 dense
// CHECK-NEXT: layer 1: 0 unnamed
// CHECK-NEXT: layer 2: 9 unnamed
// CHECK-NEXT: object: 10
// CHECK-NEXT: y = [2352. 7938.]
// CHECK:      objects, closures and arrays: {{[0-9]+}} created, 0 not freed, with 0 tensors

tfx_host.protocol @Layer {
  call: (!tfx_host.param<"Self">, tensor<2xf32>) -> tensor<2xf32>,
  steps: (!tfx_host.param<"Self">) -> i32,
  name: (!tfx_host.param<"Self">) -> !tfx_host.string = @unnamed
}
func.func private @unnamed(%l: !tfx_host.param<"L">) -> !tfx_host.string attributes {tfx_host.type_params = [#tfx_host.type_param<"L", @Layer>]} {
  %s = tfx_host.string "unnamed"
  return %s : !tfx_host.string
}

tfx_host.struct @Dense {w: tensor<2xf32>, n: i32}
func.func private @dense_call(%l: !tfx_host.struct<@Dense>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %w = tfx_host.extract %l["w"] : !tfx_host.struct<@Dense> -> tensor<2xf32>
  %y = tfx_tensor.op "Mul"(%w, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @dense_steps(%l: !tfx_host.struct<@Dense>) -> i32 {
  %n = tfx_host.extract %l["n"] : !tfx_host.struct<@Dense> -> i32
  return %n : i32
}
func.func private @dense_name(%l: !tfx_host.struct<@Dense>) -> !tfx_host.string {
  %s = tfx_host.string "dense"
  return %s : !tfx_host.string
}
tfx_host.witness_table @Dense_Layer : !tfx_host.struct<@Dense> conforms @Layer {call = @dense_call, steps = @dense_steps, name = @dense_name}

func.func private @scale_call(%n: i32, %x: tensor<2xf32>) -> tensor<2xf32> {
  %f = arith.sitofp %n : i32 to f32
  %t = tfx_tensor.from_scalar %f : f32
  %y = tfx_tensor.op "Mul"(%x, %t) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @scale_steps(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  return %zero : i32
}
tfx_host.witness_table @Int_Layer : i32 conforms @Layer {steps = @scale_steps, call = @scale_call}

tfx_host.class @Shared {w: tensor<2xf32>, n: i32}
func.func private @shared_call(%o: !tfx_host.object<@Shared>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = tfx_host.member_ref %o["w"] : !tfx_host.object<@Shared> -> !tfx_host.ref<tensor<2xf32>>
  %w = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  %y = tfx_tensor.op "Mul"(%w, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @shared_steps(%o: !tfx_host.object<@Shared>) -> i32 {
  %one = arith.constant 1 : i32
  %r = tfx_host.member_ref %o["n"] : !tfx_host.object<@Shared> -> !tfx_host.ref<i32>
  %n = tfx_host.load %r : !tfx_host.ref<i32>
  %n1 = arith.addi %n, %one : i32
  tfx_host.store %n1, %r : i32
  return %n1 : i32
}
tfx_host.witness_table @Shared_Layer : !tfx_host.object<@Shared> conforms @Layer {call = @shared_call, steps = @shared_steps}

func.func @main(%n: index) -> (tensor<2xf32> {tfx.name = "y"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %w = tfx_tensor.const dense<[2.0, 3.0]> : tensor<2xf32>
  %d = tfx_host.make_struct(%w, %seven) : (tensor<2xf32>, i32) -> !tfx_host.struct<@Dense>
  %a = tfx_host.erase %d : !tfx_host.struct<@Dense> to !tfx_host.any<@Layer>
  %b = tfx_host.erase %seven : i32 to !tfx_host.any<@Layer>
  %o = tfx_host.new(%w, %seven) : (tensor<2xf32>, i32) -> !tfx_host.object<@Shared>
  %c = tfx_host.erase %o : !tfx_host.object<@Shared> to !tfx_host.any<@Layer>
  %layers = tfx_host.array(%a, %b, %c) : !tfx_host.array<!tfx_host.any<@Layer>>
  %count = tfx_host.array_count %layers : !tfx_host.array<!tfx_host.any<@Layer>>
  %start = tfx_tensor.const dense<[3.0, 2.0]> : tensor<2xf32>
  %y = scf.for %k = %zero to %n step %one iter_args(%z = %start) -> tensor<2xf32> {
    %last = scf.for %i = %zero to %count step %one iter_args(%x = %z) -> tensor<2xf32> {
      %l = tfx_host.array_get %layers[%i] : !tfx_host.array<!tfx_host.any<@Layer>>
      %s = tfx_host.dynamic_call %l["steps"]() : (!tfx_host.any<@Layer>) -> i32
      %name = tfx_host.dynamic_call %l["name"]() : (!tfx_host.any<@Layer>) -> !tfx_host.string
      tfx_host.print "layer {}: {} {}"(%i, %s, %name) : index, i32, !tfx_host.string
      %x1 = tfx_host.dynamic_call %l["call"](%x) : (!tfx_host.any<@Layer>, tensor<2xf32>) -> tensor<2xf32>
      scf.yield %x1 : tensor<2xf32>
    }
    scf.yield %last : tensor<2xf32>
  }
  %s = tfx_host.dynamic_call %o["steps"]() : (!tfx_host.object<@Shared>) -> i32
  tfx_host.print "object: {}"(%s) : i32
  return %y : tensor<2xf32>
}
