// RUN: tfx-opt %s --tfx-lower-host --split-input-file | FileCheck %s

// Fields are read and written in place. A loaded value is retained, a stored value is moved, and the
// former value is released; a field of a generic class has the type of its argument.
tfx_host.class @Model<"T"> {w: !tfx_host.param<"T">, steps: index}
// CHECK-LABEL: func.func private @step(
// CHECK-SAME:    %[[M:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.ptr) -> !llvm.ptr
// CHECK:         %[[READ:.*]] = llvm.getelementptr %[[M]][3]
// CHECK:         %[[OLD:.*]] = llvm.load %[[READ]]
// CHECK:         call @tfx_tensor_retain(%[[OLD]])
// CHECK:         call @tfx_tensor_retain(%[[X]])
// CHECK:         %[[WRITE:.*]] = llvm.getelementptr %[[M]][3]
// CHECK:         %[[BEFORE:.*]] = llvm.load %[[WRITE]]
// CHECK:         llvm.store %[[X]], %[[WRITE]]
// CHECK:         call @tfx_tensor_release(%[[BEFORE]])
// CHECK:         %[[STEPS:.*]] = llvm.getelementptr %[[M]][4]
// CHECK:         %[[N:.*]] = llvm.load %[[STEPS]] {{.*}} -> i64
// CHECK:         arith.index_cast %[[N]] : i64 to index
// CHECK-NOT:     tfx_
// CHECK:         return %[[OLD]]
// CHECK-NOT:   tfx_host
func.func private @step(%m: !tfx_host.object<@Model<tensor<2xf32>>>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model<tensor<2xf32>>> -> !tfx_host.ref<tensor<2xf32>>
  %old = tfx_host.load %r : !tfx_host.ref<tensor<2xf32>>
  tfx_host.store %x, %r : tensor<2xf32>
  %s = tfx_host.member_ref %m["steps"] : !tfx_host.object<@Model<tensor<2xf32>>> -> !tfx_host.ref<index>
  %n = tfx_host.load %s : !tfx_host.ref<index>
  tfx_host.store %n, %s : index
  return %old : tensor<2xf32>
}

// -----

// An object is released after the last use of a reference to a field, here a store, not after the
// reference is created.
// CHECK-LABEL: func.func private @last_use(
// CHECK:         %[[M:.*]] = call @model()
// CHECK:         llvm.store
// CHECK-NEXT:    call @tfx_box_release(%[[M]])
// CHECK-NEXT:    return
tfx_host.class @Model {n: i32}
func.func private @model() -> !tfx_host.object<@Model>
func.func private @last_use(%x: i32) {
  %m = func.call @model() : () -> !tfx_host.object<@Model>
  %r = tfx_host.member_ref %m["n"] : !tfx_host.object<@Model> -> !tfx_host.ref<i32>
  cf.br ^next
^next:
  tfx_host.store %x, %r : i32
  return
}

// -----

// A value whose last use stores it in a box is moved; a value that is used again is retained.
// CHECK-LABEL: func.func private @moves(
// CHECK:         %[[A:.*]] = call @text()
// CHECK-NOT:     tfx_tensor_retain
// CHECK:         tfx_tensor_retain(%[[A]])
// CHECK-NOT:     tfx_tensor_retain
// CHECK:         llvm.store %[[A]]
// CHECK:         llvm.store %[[A]]
// CHECK-NOT:     tfx_tensor_release
// CHECK:         return
func.func private @text() -> !tfx_host.string
func.func private @moves() -> !tfx_host.array<!tfx_host.string> {
  %a = func.call @text() : () -> !tfx_host.string
  %both = tfx_host.array(%a, %a) : !tfx_host.array<!tfx_host.string>
  return %both : !tfx_host.array<!tfx_host.string>
}

// -----

// A variable refers to itself, a reference to a field that escapes refers to its object; the type of
// a box lists the slots to release.
// CHECK-DAG:   constant [[VARIABLE:@tfx.string.[0-9]+]]("\00\01")
// CHECK-DAG:   constant [[REFERENCE:@tfx.string.[0-9]+]]("\00\02")
// CHECK-LABEL: func.func private @references(
// CHECK-SAME:    %[[M:.*]]: !llvm.ptr)
// CHECK-DAG:     %[[VAR:.*]] = call @tfx_box_new({{.*}})
// CHECK:         call @take(
// CHECK:         call @tfx_box_release
// CHECK:         call @tfx_box_release
tfx_host.class @Model {w: tensor<f32>}
func.func private @take(!tfx_host.ref<tensor<f32>>, !tfx_host.ref<tensor<f32>>)
func.func private @references(%m: !tfx_host.object<@Model>) {
  %v = tfx_host.var : !tfx_host.ref<tensor<f32>>
  %r = tfx_host.member_ref %m["w"] : !tfx_host.object<@Model> -> !tfx_host.ref<tensor<f32>>
  func.call @take(%v, %r) : (!tfx_host.ref<tensor<f32>>, !tfx_host.ref<tensor<f32>>) -> ()
  return
}

// -----

// A closure is a thunk and the captures. The thunk has the signature of the closure's type; several
// results are stored to addresses.
// CHECK-LABEL: func.func private @make(
// CHECK-SAME:    %[[X:.*]]: i32, %[[T:.*]]: !llvm.ptr)
// CHECK:         %[[CODE:.*]] = llvm.mlir.addressof @tfx.closure.f.1
// CHECK:         %[[C:.*]] = call @tfx_box_new
// CHECK:         %[[SLOT0:.*]] = llvm.getelementptr %[[C]][3]
// CHECK:         llvm.store %[[CODE]], %[[SLOT0]]
// CHECK:         %[[SLOT1:.*]] = llvm.getelementptr %[[C]][4]
// CHECK:         llvm.store %[[T]], %[[SLOT1]]
// CHECK:         %[[TARGET:.*]] = llvm.load
// CHECK:         llvm.call %[[TARGET]](%[[C]], %[[X]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()
// CHECK:       llvm.func internal @tfx.closure.f.1(%[[SELF:.*]]: !llvm.ptr, %[[A:.*]]: i32, %[[R0:.*]]: !llvm.ptr, %[[R1:.*]]: !llvm.ptr) {
// CHECK:         %[[CAPTURE:.*]] = llvm.getelementptr %[[SELF]][4]
// CHECK:         %[[CAPTURED:.*]] = llvm.load %[[CAPTURE]]
// CHECK:         %[[Y:.*]]:2 = func.call @f(%[[CAPTURED]], %[[A]])
// CHECK:         llvm.store %[[Y]]#0, %[[R0]]
// CHECK:         llvm.store %{{.*}}, %[[R1]]
// CHECK:         llvm.return
func.func private @f(%t: tensor<f32>, %x: i32) -> (i32, index) {
  %n = arith.index_cast %x : i32 to index
  return %x, %n : i32, index
}
func.func private @make(%x: i32, %t: tensor<f32>) -> !tfx_host.closure<escaping (i32) -> (i32, index)> {
  %c = tfx_host.closure @f(%t) : (tensor<f32>) -> !tfx_host.closure<escaping (i32) -> (i32, index)>
  %y:2 = tfx_host.apply %c(%x) : !tfx_host.closure<escaping (i32) -> (i32, index)>
  return %c : !tfx_host.closure<escaping (i32) -> (i32, index)>
}

// -----

// One witness table for each type and protocol, in the order of the protocol; the thunks load the
// leaves of Self.
// CHECK:       llvm.mlir.global private constant @tfx.witness.T()
// CHECK:         llvm.mlir.addressof @tfx.method.T.first
// CHECK:         llvm.mlir.addressof @tfx.method.T.second
// CHECK-NOT:   @tfx.witness.T
// CHECK-LABEL: func.func private @erase(
// CHECK:         llvm.mlir.addressof @tfx.witness.T
// CHECK:         %[[TABLE:.*]] = llvm.load
// CHECK:         %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]][1]
// CHECK:         %[[CODE:.*]] = llvm.load %[[ENTRY]]
// CHECK:         llvm.call %[[CODE]](
// CHECK:       llvm.func internal @tfx.method.T.second(%[[SELF:.*]]: !llvm.ptr, %[[X:.*]]: f32) -> f32
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[SELF]][4]
// CHECK:         %[[B:.*]] = llvm.getelementptr %[[SELF]][5]
// CHECK:         func.call @second(%{{.*}}, %{{.*}}, %[[X]])
tfx_host.struct @S {a: f32, b: tensor<f32>}
tfx_host.protocol @P {first: (!tfx_host.param<"Self">) -> (), second: (!tfx_host.param<"Self">, f32) -> f32} attributes {flat}
func.func private @first(f32, tensor<f32>)
func.func private @second(f32, tensor<f32>, f32) -> f32
tfx_host.witness_table @T : !tfx_host.struct<@S> conforms @P {second = @second, first = @first}
func.func private @erase(%a: f32, %b: tensor<f32>) -> f32 {
  %s = tfx_host.make_tuple(%a, %b) : f32, tensor<f32>
  %x = tfx_host.erase %s {conforming = !tfx_host.struct<@S>} : tuple<f32, tensor<f32>> to !tfx_host.any<@P>
  %y = tfx_host.erase %s {conforming = !tfx_host.struct<@S>} : tuple<f32, tensor<f32>> to !tfx_host.any<@P>
  %r = tfx_host.dynamic_call %x["second"](%a) : (!tfx_host.any<@P>, f32) -> f32
  return %r : f32
}

// -----

// A method that changes Self returns the new leaves after its own results. They replace the old
// leaves, which are retained during the call.
// CHECK-LABEL: func.func private @change(
// CHECK:       llvm.func internal @tfx.method.T.train(%[[SELF:.*]]: !llvm.ptr, %[[X:.*]]: f32) -> i32
// CHECK:         %[[N:.*]] = llvm.load
// CHECK:         %[[W:.*]] = llvm.load
// CHECK:         tfx_tensor_retain(%[[W]])
// CHECK:         %[[NEW:.*]]:3 = func.call @train(%[[N]], %[[W]], %[[X]])
// CHECK:         llvm.store %[[NEW]]#1,
// CHECK:         %[[OLD:.*]] = llvm.load
// CHECK:         llvm.store %[[NEW]]#2,
// CHECK:         tfx_tensor_release(%[[OLD]])
// CHECK:         tfx_tensor_release(%[[W]])
// CHECK:         llvm.return %[[NEW]]#0
tfx_host.struct @S {n: i32, w: tensor<f32>}
tfx_host.protocol @P {train: (!tfx_host.ref<!tfx_host.param<"Self">>, f32) -> i32} attributes {flat}
func.func private @train(%n: i32, %w: tensor<f32>, %x: f32) -> (i32, i32, tensor<f32>) {
  return %n, %n, %w : i32, i32, tensor<f32>
}
tfx_host.witness_table @T : !tfx_host.struct<@S> conforms @P {train = @train}
func.func private @change(%n: i32, %w: tensor<f32>, %x: f32) -> i32 {
  %s = tfx_host.make_tuple(%n, %w) : i32, tensor<f32>
  %a = tfx_host.erase %s {conforming = !tfx_host.struct<@S>} : tuple<i32, tensor<f32>> to !tfx_host.any<@P>
  %r = tfx_host.dynamic_call %a["train"](%x) : (!tfx_host.any<@P>, f32) -> i32
  return %r : i32
}
