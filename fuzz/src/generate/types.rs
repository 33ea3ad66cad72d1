//! The types that random programs use.

/// A type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    I1,
    I32,
    I64,
    F32,
    Index,
    /// `tensor<i32>`
    Number,
    /// `tensor<4xi32>`
    Vector,
    /// `tensor<4xf32>`
    Floats,
    /// `tensor<2x2xi32>`
    Matrix,
    /// `tensor<i1>`
    Truth,
    /// A struct of a number and a vector.
    Point,
    /// A struct with a struct in it.
    Frame,
    /// A generic struct, of two numbers.
    Pair,
    /// `tuple<i32, tensor<4xi32>>`
    Tuple,
    /// An enum with three cases.
    Choice,
    /// A function of a number.
    Function,
    /// A function of a vector.
    Map,
    /// Three numbers.
    Array,
}

use Ty::{
    Array, Choice, F32, Floats, Frame, Function, I1, I32, I64, Index, Map, Matrix, Number, Pair,
    Point, Truth, Tuple, Vector,
};

impl Ty {
    /// All but those of functions, which variables and blocks hold, too.
    pub(crate) const DATA: [Ty; 15] = [
        I1, I32, I32, I64, F32, Index, Number, Vector, Vector, Floats, Matrix, Point, Frame, Tuple,
        Choice,
    ];
    /// What the functions of a program take and give.
    pub(crate) const PASSED: [Ty; 12] = [
        I32, I32, I1, F32, Vector, Vector, Floats, Number, Point, Pair, Tuple, Choice,
    ];
    /// What is printed.
    pub(crate) const SHOWN: [Ty; 9] = [I1, I32, I64, F32, Index, Number, Vector, Floats, Matrix];

    /// In MLIR.
    pub(crate) fn text(self) -> &'static str {
        match self {
            I1 => "i1",
            I32 => "i32",
            I64 => "i64",
            F32 => "f32",
            Index => "index",
            Number => "tensor<i32>",
            Vector => "tensor<4xi32>",
            Floats => "tensor<4xf32>",
            Matrix => "tensor<2x2xi32>",
            Truth => "tensor<i1>",
            Point => "!tfx_host.struct<@Point>",
            Frame => "!tfx_host.struct<@Frame>",
            Pair => "!tfx_host.struct<@Pair<i32, tensor<i32>>>",
            Tuple => "tuple<i32, tensor<4xi32>>",
            Choice => "!tfx_host.enum<@Choice>",
            Function => "!tfx_host.closure<(i32) -> i32>",
            Map => "!tfx_host.closure<(tensor<4xi32>) -> tensor<4xi32>>",
            Array => "!tfx_host.array<i32>",
        }
    }

    /// A reference to it.
    pub(crate) fn reference(self) -> String {
        format!("!tfx_host.ref<{}>", self.text())
    }
}
