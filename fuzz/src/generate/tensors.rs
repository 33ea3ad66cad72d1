//! Tensor operations, and conversions between scalars and tensors.

use super::body::Body;
use super::types::Ty;

impl Body<'_> {
    pub(super) fn tensor(&mut self) {
        const TWO: [&str; 6] = ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "BitwiseXor"];
        let two = *self.random.pick(&TWO);
        match self.random.below(14) {
            kind @ 0..5 => {
                let ty = [Ty::Vector, Ty::Vector, Ty::Number, Ty::Matrix, Ty::Floats][kind];
                let (a, b) = (self.any(ty), self.any(ty));
                let name = if ty == Ty::Floats && two == "BitwiseXor" {
                    "AddV2"
                } else {
                    two
                };
                self.op(name, &[(&a, ty), (&b, ty)], ty);
            }
            5 => {
                let (a, b) = (self.any(Ty::Vector), self.any(Ty::Number));
                self.combined(two, &a, &b);
            }
            6 => {
                let a = self.any(Ty::Vector);
                let name = *self.random.pick(&["Sum", "Max", "Min", "Prod"]);
                self.reduced(name, &a, Ty::Vector);
            }
            7 => {
                let (a, b) = (self.any(Ty::Matrix), self.any(Ty::Matrix));
                self.op("MatMul", &[(&a, Ty::Matrix), (&b, Ty::Matrix)], Ty::Matrix);
            }
            8 => {
                let (scalar, tensor) = *self
                    .random
                    .pick(&[(Ty::I32, Ty::Number), (Ty::I1, Ty::Truth)]);
                let value = self.any(scalar);
                self.value(
                    tensor,
                    &format!("tfx_tensor.from_scalar {value} : {scalar}"),
                );
            }
            9 => {
                // A decision of the graph.
                let (scalar, tensor) = *self
                    .random
                    .pick(&[(Ty::I32, Ty::Number), (Ty::I1, Ty::Truth)]);
                let value = self.any(tensor);
                self.value(
                    scalar,
                    &format!("tfx_tensor.to_scalar {value} : {tensor} -> {scalar}"),
                );
            }
            10 => {
                let (truth, a, b) = (
                    self.any(Ty::Truth),
                    self.any(Ty::Vector),
                    self.any(Ty::Vector),
                );
                let list = [(&truth[..], Ty::Truth), (&a, Ty::Vector), (&b, Ty::Vector)];
                self.op("SelectV2", &list, Ty::Vector);
            }
            11..13 => self.table(),
            _ => {
                let ty = *self.random.pick(&[Ty::Vector, Ty::Floats, Ty::Number]);
                let marker = *self.random.pick(&["to_host", "to_accelerator"]);
                let value = self.any(ty);
                match self.random.chance(50) {
                    true => self.op("Neg", &[(&value, ty)], ty),
                    false => self.value(ty, &format!("tfx_comm.{marker} {value} : {ty}")),
                };
            }
        }
    }

    /// Writes an operation with a computed attribute, which does not depend on the input.
    pub(super) fn computed(&mut self) {
        if self.random.chance(25) {
            let (floats, number) = (self.any(Ty::Floats), self.any(Ty::I32));
            self.called(
                "leaked",
                &[(&floats, Ty::Floats), (&number, Ty::I32)],
                Ty::Floats,
            );
            return;
        }
        let depth = self.random.below(3);
        let number = self.known(depth);
        match self.random.below(5) {
            kind @ 0..3 => {
                let one = self.value(Ty::I32, "arith.constant 1 : i32");
                let low = self.value(Ty::I32, &format!("arith.andi {number}, {one} : i32"));
                let odd = self.value(Ty::I1, &format!("arith.cmpi eq, {low}, {one} : i32"));
                let (a, b) = (self.any(Ty::Matrix), self.any(Ty::Matrix));
                let matrix = Ty::Matrix.text();
                let operation = match kind {
                    0 => format!(
                        "func.call @turned({a}, {b}, {odd}) : ({matrix}, {matrix}, i1) -> {matrix}"
                    ),
                    _ => format!(
                        "tfx_tensor.op \"MatMul\"({a}, {b}) computed(transpose_{} = {odd} : i1) : ({matrix}, {matrix}) -> {matrix}",
                        self.random.pick(&["a", "b"])
                    ),
                };
                self.value(Ty::Matrix, &operation);
            }
            3 => {
                let floats = self.any(Ty::Floats);
                let alpha = self.value(Ty::F32, &format!("arith.sitofp {number} : i32 to f32"));
                self.value(Ty::Floats, &format!(
                    "tfx_tensor.op \"LeakyRelu\"({floats}) computed(alpha = {alpha} : f32) : (tensor<4xf32>) -> tensor<4xf32>"
                ));
            }
            _ => {
                // A single row, whose index is computed as 0.
                let (vector, shape, row) = (self.any(Ty::Vector), self.fresh(), self.fresh());
                let zero = self.value(Ty::I32, &format!("arith.subi {number}, {number} : i32"));
                let list = Ty::Array.text();
                let dims = self.value(Ty::Array, &format!("tfx_host.array({zero}) : {list}"));
                self.line(&format!(
                    "{shape} = tfx_tensor.const dense<[1, 4]> : tensor<2xi32>"
                ));
                self.line(&format!(
                    "{row} = tfx_tensor.op \"Reshape\"({vector}, {shape}) : (tensor<4xi32>, tensor<2xi32>) -> tensor<1x4xi32>"
                ));
                self.value(Ty::Vector, &format!(
                    "tfx_tensor.op \"Squeeze\"({row}) computed(squeeze_dims = {dims} : {list}) : (tensor<1x4xi32>) -> tensor<4xi32>"
                ));
            }
        }
    }
}
