//! Creation of values of every type from visible values.

use super::body::Body;
use super::types::Ty;

/// Floats with special arithmetic: signed zeros, infinities, NaN, the largest and the smallest
/// normal number.
const EXTREMES: [&str; 8] = [
    "0.0",
    "-0.0",
    "1.0",
    "0x7F800000",
    "0xFF800000",
    "0x7FC00000",
    "0x7F7FFFFF",
    "0x00800000",
];

impl Body<'_> {
    /// Chooses whether the next float constant is a special one.
    fn is_extreme(&mut self) -> bool {
        self.mix.extremes > 0 && self.random.chance(self.mix.extremes)
    }

    /// Creates a value from visible values.
    pub(crate) fn make(&mut self, ty: Ty) -> String {
        let number = self.constant();
        match ty {
            Ty::I1 => match self.random.below(8) {
                0 => self.value(ty, "arith.constant true"),
                1 => self.value(ty, "arith.constant false"),
                2 | 3 => {
                    let truth = self.any(Ty::Truth);
                    self.value(
                        ty,
                        &format!("tfx_tensor.to_scalar {truth} : tensor<i1> -> i1"),
                    )
                }
                _ => self.compare(),
            },
            Ty::I32
                if self.values.iter().any(|(_, known)| *known == Ty::I32)
                    && self.random.chance(60) =>
            {
                let (a, b) = (self.any(ty), self.any(ty));
                let name = *self.random.pick(&["addi", "subi", "xori"]);
                self.value(ty, &format!("arith.{name} {a}, {b} : i32"))
            }
            Ty::I64 | Ty::Index if self.random.chance(80) => {
                let number = self.any(Ty::I32);
                let name = if ty == Ty::I64 { "extsi" } else { "index_cast" };
                self.value(ty, &format!("arith.{name} {number} : i32 to {ty}"))
            }
            Ty::F32 if self.random.chance(60) => {
                let number = self.any(Ty::I32);
                self.value(ty, &format!("arith.sitofp {number} : i32 to f32"))
            }
            Ty::Number if self.random.chance(80) => {
                let number = self.any(Ty::I32);
                self.value(ty, &format!("tfx_tensor.from_scalar {number} : i32"))
            }
            Ty::Matrix if self.random.chance(80) => {
                let (vector, shape) = (self.any(Ty::Vector), self.fresh());
                self.line(&format!(
                    "{shape} = tfx_tensor.const dense<2> : tensor<2xi32>"
                ));
                self.value(ty, &format!(
                    "tfx_tensor.op \"Reshape\"({vector}, {shape}) : (tensor<4xi32>, tensor<2xi32>) -> tensor<2x2xi32>"
                ))
            }
            Ty::I32 | Ty::I64 | Ty::Index => {
                self.value(ty, &format!("arith.constant {number} : {ty}"))
            }
            Ty::F32 if self.is_extreme() => {
                let float = *self.random.pick(&EXTREMES);
                self.value(ty, &format!("arith.constant {float} : f32"))
            }
            Ty::Floats if self.is_extreme() => {
                let list = [(); 4].map(|()| *self.random.pick(&EXTREMES)).join(", ");
                self.value(
                    ty,
                    &format!("tfx_tensor.const dense<[{list}]> : tensor<4xf32>"),
                )
            }
            Ty::F32 => {
                const FLOATS: [&str; 6] = ["0.0", "1.0", "-2.5", "0.5", "3.0", "100.0"];
                let float = *self.random.pick(&FLOATS);
                self.value(ty, &format!("arith.constant {float} : f32"))
            }
            Ty::Number | Ty::Vector | Ty::Matrix => {
                self.value(ty, &format!("tfx_tensor.const dense<{number}> : {ty}"))
            }
            Ty::Floats => {
                const LISTS: [&str; 3] = ["[1.0, -2.0, 0.5, 3.0]", "0.25", "[0.0, 1.0, 2.0, 3.0]"];
                let list = *self.random.pick(&LISTS);
                self.value(
                    ty,
                    &format!("tfx_tensor.const dense<{list}> : tensor<4xf32>"),
                )
            }
            Ty::Truth => {
                let (a, b) = (self.any(Ty::Number), self.any(Ty::Number));
                self.value(ty, &format!("tfx_tensor.op \"Less\"({a}, {b}) : (tensor<i32>, tensor<i32>) -> tensor<i1>"))
            }
            Ty::Point => self.aggregate("make_struct", ty, &[Ty::I32, Ty::Vector]),
            Ty::Frame => self.aggregate("make_struct", ty, &[Ty::Point, Ty::Floats]),
            Ty::Pair => self.aggregate("make_struct", ty, &[Ty::I32, Ty::Number]),
            Ty::Tuple => {
                let (n, v) = (self.any(Ty::I32), self.any(Ty::Vector));
                self.value(
                    ty,
                    &format!("tfx_host.make_tuple({n}, {v}) : i32, tensor<4xi32>"),
                )
            }
            Ty::Choice => match self.random.below(4) {
                0 => self.aggregate("make_enum \"none\"", ty, &[]),
                1 => self.aggregate("make_enum \"one\"", ty, &[Ty::I32]),
                2 => self.aggregate("make_enum \"two\"", ty, &[Ty::I32, Ty::I32]),
                _ => self.aggregate("make_enum \"both\"", ty, &[Ty::Vector, Ty::I32]),
            },
            Ty::Array => self.array(ty, Ty::I32),
            Ty::Points => self.array(ty, Ty::Point),
            Ty::Cell => {
                let (number, frame) = (self.any(Ty::I32), self.any(Ty::Frame));
                self.value(
                    ty,
                    &format!(
                        "tfx_host.new({number}, {frame}) : (i32, {}) -> {ty}",
                        Ty::Frame
                    ),
                )
            }
            Ty::Action => self.action(),
            Ty::Row => self.row(),
            Ty::Lists => self.array(ty, Ty::Array),
            Ty::Maker => self.maker(),
            Ty::Text => self.string(),
            Ty::Any => {
                let from = *self.random.pick(&[Ty::I32, Ty::Point, Ty::Cell]);
                let value = self.any(from);
                self.value(ty, &format!("tfx_host.erase {value} : {from} to {ty}"))
            }
            Ty::Function => self.function(),
            Ty::Map => match self.variable(Ty::Vector) {
                Some(variable) if self.random.chance(50) => {
                    self.closure_over("remember", &variable, Ty::Vector, ty)
                }
                _ => {
                    let vector = self.any(Ty::Vector);
                    self.closure("shift_by", &[(&vector, Ty::Vector)], ty)
                }
            },
        }
    }
    /// Creates an array, usually of three elements, so that the lengths of two arrays may be equal
    /// or not.
    fn array(&mut self, ty: Ty, element: Ty) -> String {
        let length = *self.random.pick(&[1, 3, 3, 3, 2, 4]);
        let list: Vec<_> = (0..length).map(|_| self.any(element)).collect();
        self.value(ty, &format!("tfx_host.array({}) : {ty}", list.join(", ")))
    }

    /// Creates an escaping closure, which captures a number, a variable or an object.
    fn action(&mut self) -> String {
        let ty = Ty::Action;
        let variable = self.variable(Ty::I32);
        match (self.random.below(4), variable) {
            (0 | 1, Some(variable)) => self.closure_over("bump", &variable, Ty::I32, ty),
            (2, _) => {
                let cell = self.any(Ty::Cell);
                self.closure("cell_count", &[(&cell, Ty::Cell)], ty)
            }
            _ => {
                let (one, other) = (self.any(Ty::I32), self.any(Ty::I32));
                self.closure("between", &[(&one, Ty::I32), (&other, Ty::I32)], ty)
            }
        }
    }

    fn function(&mut self) -> String {
        let ty = Ty::Function;
        match self.variable(Ty::I32) {
            Some(variable) if self.random.chance(40) => {
                self.closure_over("bump", &variable, Ty::I32, ty)
            }
            _ if self.random.chance(30) => {
                let (one, other) = (self.any(Ty::I32), self.any(Ty::I32));
                self.closure("between", &[(&one, Ty::I32), (&other, Ty::I32)], ty)
            }
            _ => {
                let (number, callee) = (
                    self.any(Ty::I32),
                    *self.random.pick(&["add_to", "add_to", "ask"]),
                );
                self.closure(callee, &[(&number, Ty::I32)], ty)
            }
        }
    }
    fn aggregate(&mut self, operation: &str, ty: Ty, parts: &[Ty]) -> String {
        let values: Vec<_> = parts.iter().map(|&part| self.any(part)).collect();
        let types: Vec<_> = parts.iter().map(|part| part.text()).collect();
        self.value(
            ty,
            &format!(
                "tfx_host.{operation}({}) : ({}) -> {ty}",
                values.join(", "),
                types.join(", ")
            ),
        )
    }
}
