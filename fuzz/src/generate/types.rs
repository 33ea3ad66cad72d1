//! The types that random programs use.

use std::fmt;

use tfx_oracle::Random;

use super::Mix;

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
    /// An array of at least one number.
    Array,
    /// An array of at least one struct.
    Points,
    /// An object with a number and a struct.
    Cell,
    /// A function of a number that may outlive its captures.
    Action,
    /// An existential with a method that counts.
    Any,
    /// `tensor<?xi32>`, which may be empty.
    Row,
    /// An array of at least one array of numbers.
    Lists,
    /// A function of a number that returns a function of a number.
    Maker,
    /// A string of the host.
    Text,
}

use Ty::{
    Action, Any, Array, Cell, Choice, F32, Floats, Frame, Function, I1, I32, I64, Index, Lists,
    Maker, Map, Matrix, Number, Pair, Point, Points, Row, Text, Truth, Tuple, Vector,
};

/// The percentage of types of the third group of features, in programs that have them.
const NEWER: usize = 6;

impl Ty {
    /// Scalars and tensors.
    const PLAIN: [Ty; 12] = [
        I1, I32, I32, I64, F32, Index, Number, Vector, Vector, Floats, Matrix, Truth,
    ];
    /// Aggregates.
    const AGGREGATES: [Ty; 6] = [Point, Frame, Pair, Tuple, Choice, Array];
    /// Types of printed values.
    pub(crate) const SHOWN: [Ty; 10] = [
        I1, I32, I64, F32, Index, Number, Vector, Floats, Matrix, Truth,
    ];

    /// Returns a random type of a variable, a block argument or a parameter, according to the mix.
    pub(crate) fn data(random: &mut Random, mix: &Mix) -> Ty {
        let newer = [
            (mix.unknown, Row),
            (mix.nests, Lists),
            (mix.nests, Maker),
            (mix.strings, Text),
        ];
        for (weight, ty) in newer {
            if weight > 0 && random.chance(NEWER) {
                return ty;
            }
        }
        match random.below(20) {
            0..5 if mix.aggregates > 0 => *random.pick(&Self::AGGREGATES),
            5 if mix.aggregates > 0 => Points,
            6 | 7 if mix.closures > 0 => *random.pick(&[Function, Map]),
            8 | 9 if mix.objects > 0 => *random.pick(&[Cell, Action, Any]),
            _ => *random.pick(&Self::PLAIN),
        }
    }

    /// Returns whether a function may return the type: a closure that does not escape can only be
    /// passed.
    pub(crate) fn is_returnable(self) -> bool {
        !matches!(self, Function | Map | Maker)
    }

    /// Returns whether values of the type can be printed.
    pub(crate) fn is_shown(self) -> bool {
        Self::SHOWN.contains(&self) || matches!(self, Row | Text)
    }

    /// Returns whether the type is a scalar.
    pub(crate) fn is_scalar(self) -> bool {
        matches!(self, I1 | I32 | I64 | F32 | Index)
    }

    /// Returns the type in MLIR syntax.
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
            Points => "!tfx_host.array<!tfx_host.struct<@Point>>",
            Cell => "!tfx_host.object<@Cell>",
            Action => "!tfx_host.closure<escaping (i32) -> i32>",
            Any => "!tfx_host.any<@Counting>",
            Row => "tensor<?xi32>",
            Lists => "!tfx_host.array<!tfx_host.array<i32>>",
            Maker => "!tfx_host.closure<(i32) -> !tfx_host.closure<(i32) -> i32>>",
            Text => "!tfx_host.string",
        }
    }

    /// Returns the type of a reference to it.
    pub(crate) fn reference(self) -> String {
        format!("!tfx_host.ref<{self}>")
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
