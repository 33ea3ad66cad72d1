// RUN: tfx-opt --tfx-check-host --split-input-file --verify-diagnostics %s -o /dev/null

// Types and operations that host code supports, and operations that may stay in a graph.
func.func @fine(%n: index, %p: i1, %x: f64, %odd: i7, %t: tensor<2xcomplex<f32>>) -> !llvm.ptr {
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %d = arith.select %p, %c, %c : tensor<3xi32>
  %q = tfx_tensor.op "Neg"(%t) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %i = index.add %n, %n
  %y = math.fma %x, %x, %x : f64
  %s, %o = arith.addui_extended %odd, %odd : i7, i1
  %u = ub.poison : i32
  %z = llvm.mlir.zero : !llvm.ptr
  return %z : !llvm.ptr
}

// -----

// tfx-pack-scalars packs several scalars into one message on the host.
func.func @messages(%a: f32, %b: f32) -> f32 {
  %one = arith.constant 1 : index
  %m = tensor.from_elements %a, %b : tensor<2xf32>
  %c = tensor.extract %m[%one] : tensor<2xf32>
  return %c : f32
}

// -----

func.func @memory(%n: index, %i: index) -> i32 {
  // expected-error @below {{'memref.alloc' is not supported in host code; use variables (tfx_host.var) and arrays (tfx_host.array) for numbers of the host, and tensors for many numbers}}
  %m = memref.alloc(%n) : memref<?xi32>
  // expected-error @below {{'memref.load' is not supported in host code}}
  %k = memref.load %m[%i] : memref<?xi32>
  // expected-error @below {{'affine.apply' is not supported in host code}}
  %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  return %k : i32
}

// -----

func.func @vectors(%x: f32) -> f32 {
  // expected-error @below {{'vector.broadcast' is not supported in host code; compute with tensors in the graph, by tfx_tensor.op}}
  %v = vector.broadcast %x : f32 to vector<4xf32>
  // expected-error @below {{host code cannot hold a value of type vector<4xf32>}}
  %w = arith.addf %v, %v : vector<4xf32>
  // expected-error @below {{'vector.reduction' is not supported in host code}}
  %r = vector.reduction <add>, %w : vector<4xf32> into f32
  return %r : f32
}

// -----

// expected-error @below {{host code cannot hold a value of type memref<4xf32>: it supports i1 to i64, index, f32, f64, tensors of these, of f16, bf16 and strings, and the types of tfx_host; use a tensor or a !tfx_host.array}}
func.func private @foreign(memref<4xf32>)

// -----

func.func @tensors(%a: tensor<3xi32>, %x: tensor<2xf32>, %p: tensor<2xi1>, %i: index) -> index {
  // expected-error @below {{'arith.addi' supports only scalars in host code, not tensor<3xi32>; write tfx_tensor.op "AddV2" for tensors}}
  %b = arith.addi %a, %a : tensor<3xi32>
  // expected-error @below {{'math.exp' supports only scalars in host code, not tensor<2xf32>; write tfx_tensor.op "Exp" for tensors}}
  %e = math.exp %x : tensor<2xf32>
  // expected-error @below {{'arith.cmpf' supports only scalars in host code, not tensor<2xf32>; compute with tensors in the graph, by tfx_tensor.op}}
  %c = arith.cmpf olt, %x, %e : tensor<2xf32>
  // expected-error @below {{'arith.select' supports only scalars in host code, not tensor<2xi1>}}
  %s = arith.select %c, %x, %e : tensor<2xi1>, tensor<2xf32>
  // expected-error @below {{'tensor.extract' is not supported in host code; write tfx_tensor.op "GatherNd", and convert the element to a scalar by tfx_tensor.to_scalar}}
  %f = tensor.extract %a[%i] : tensor<3xi32>
  // expected-error @below {{'tensor.dim' is not supported in host code; write tfx_tensor.op "Shape", extract the size by tfx_tensor.op "GatherV2", and convert it to a scalar by tfx_tensor.to_scalar}}
  %d = tensor.dim %a, %i : tensor<3xi32>
  return %d : index
}

// -----

// A position that is out of bounds.
func.func @outside(%a: tensor<3xi32>) -> i32 {
  %three = arith.constant 3 : index
  // expected-error @below {{'tensor.extract' is not supported in host code}}
  %f = tensor.extract %a[%three] : tensor<3xi32>
  return %f : i32
}

// -----

func.func @small_floats(%t: tensor<f16>) {
  // expected-error @below {{host code cannot hold a value of type f16: it supports i1 to i64, index, f32, f64, tensors of these, of f16, bf16 and strings, and the types of tfx_host; use a tensor, or convert the tensor to f32, by tfx_tensor.op "Cast"}}
  %h = tfx_tensor.to_scalar %t : tensor<f16> -> f16
  // expected-error @below {{host code cannot hold a value of type bf16}}
  %c = arith.constant 1.0 : bf16
  return
}

// -----

func.func @wide(%a: i64) -> i64 {
  // expected-error @below {{host code cannot hold a value of type i128: it supports i1 to i64, index, f32, f64, tensors of these, of f16, bf16 and strings, and the types of tfx_host; use i64, or several values}}
  %w = arith.extsi %a : i64 to i128
  %n = arith.trunci %w : i128 to i64
  return %n : i64
}

// -----

func.func @rounding(%x: f64) -> f32 {
  %a = arith.truncf %x to_nearest_even : f64 to f32
  // expected-error @below {{'arith.truncf' has a rounding mode, but programs always round to the nearest number, ties to even; omit the mode}}
  %b = arith.truncf %x upward : f64 to f32
  return %b : f32
}

// -----

// The type of a block argument.
func.func @block(%n: i32) {
  // expected-error @below {{host code cannot hold a value of type f16}}
  %r = scf.execute_region -> f16 {
    // expected-error @below {{host code cannot hold a value of type f16}}
    %c = arith.constant 1.0 : f16
    scf.yield %c : f16
  }
  return
}

// -----

// expected-error @below {{a nested module is not compiled, and code outside of it cannot call its functions; move the functions into the outer module}}
module @inner {
  func.func @f(%n: i32) {
    return
  }
}
func.func @main() {
  return
}

// -----

// The lowering renames a private function with a body.
func.func private @tfx_abort() {
  return
}
// expected-error @below {{a public function cannot be called '@tfx_print': names that start with tfx_ or tfx. are reserved for the runtime; give it another name}}
func.func @tfx_print() {
  return
}
// expected-error @below {{a foreign function cannot be called '@tfx_mine': names that start with tfx_ or tfx. are reserved for the runtime; give it another name}}
func.func private @tfx_mine()
func.func @main() {
  return
}
