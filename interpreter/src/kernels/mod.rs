//! The kernels of operations.
//!
//! ```text
//! node --build--> attributes read and checked once --> Kernel: tensors -> tensors
//!        ^
//!        +-- table: operation name -> builder; each family of operations has its own part
//! ```
//!
//! A kernel owns its inputs: if an input's elements are not shared, it may write its result over
//! them.

mod arithmetic;
mod broadcast;
mod cast;
mod convolution;
mod create;
mod depthwise;
mod diagonal;
mod einsum;
mod gamma;
mod gradients;
mod indexing;
mod layout;
mod linear;
mod lists;
mod matmul;
mod neural;
mod normalization;
mod number;
mod pool;
mod positions;
mod random;
mod rearrange;
mod reduce;
mod resize;
mod scan;
mod scatter;
mod segment;
mod space;
mod strided_slice;
mod windows;

use std::{collections::HashMap, sync::LazyLock};

use smallvec::SmallVec;
use tfx_graphdef::proto::{AttrValue, NodeDef, TensorShapeProto, attr_value::Value};

use crate::tensor::{DType, Tensor, TensorError, shape_text};

pub use create::constant;
pub use random::Philox;

/// The results of a kernel: most operations have one.
pub type Outputs = SmallVec<[Tensor; 1]>;

/// The reason why a kernel fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KernelError(pub String);

impl From<TensorError> for KernelError {
    fn from(error: TensorError) -> Self {
        KernelError(error.to_string())
    }
}

/// Returns an error with a formatted text.
macro_rules! fail {
    ($($argument:tt)*) => {
        Err($crate::kernels::KernelError(format!($($argument)*)))
    };
}
pub(crate) use fail;

/// The result of a kernel, or why there is none.
pub(crate) type Result<T, E = KernelError> = std::result::Result<T, E>;

type Single = Box<dyn Fn(&mut [Tensor]) -> Result<Tensor> + Send + Sync>;
type Pure = Box<dyn Fn(&mut [Tensor]) -> Result<Outputs> + Send + Sync>;
type Random = Box<dyn Fn(&mut Philox, &mut [Tensor]) -> Result<Outputs> + Send + Sync>;

/// A node, ready to run.
pub enum Kernel {
    /// The only result depends on the inputs alone.
    Single(Single),
    /// The results depend on the inputs alone.
    Pure(Pure),
    /// The results also depend on a generator, which each run initializes with this one.
    Random(Philox, Random),
}

impl Kernel {
    /// Computes the results from the inputs, which it may consume; `None` if they depend on more
    /// than these.
    pub fn compute(&self, inputs: &mut [Tensor]) -> Option<Result<Outputs>> {
        match self {
            Kernel::Single(compute) => {
                Some(compute(inputs).map(|output| smallvec::smallvec![output]))
            }
            Kernel::Pure(compute) => Some(compute(inputs)),
            Kernel::Random(..) => None,
        }
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Kernel::Single(_) => "Single",
            Kernel::Pure(_) => "Pure",
            Kernel::Random(..) => "Random",
        })
    }
}

/// Builds the kernel of a node.
type Builder = fn(&Attributes<'_>) -> Result<Kernel>;
/// An operation's name and builder.
type Entry = (&'static str, Builder);

static BUILDERS: LazyLock<HashMap<&'static str, Builder>> = LazyLock::new(|| {
    [
        arithmetic::KERNELS,
        cast::KERNELS,
        convolution::KERNELS,
        create::KERNELS,
        depthwise::KERNELS,
        diagonal::KERNELS,
        einsum::KERNELS,
        gamma::KERNELS,
        gradients::KERNELS,
        indexing::KERNELS,
        layout::KERNELS,
        linear::KERNELS,
        lists::KERNELS,
        matmul::KERNELS,
        neural::KERNELS,
        normalization::KERNELS,
        pool::KERNELS,
        random::KERNELS,
        rearrange::KERNELS,
        reduce::KERNELS,
        resize::KERNELS,
        scan::KERNELS,
        scatter::KERNELS,
        segment::KERNELS,
        space::KERNELS,
        strided_slice::KERNELS,
    ]
    .into_iter()
    .flatten()
    .copied()
    .collect()
});

/// Returns the names of the operations that have a kernel, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = BUILDERS.keys().copied().collect();
    names.sort_unstable();
    names
}

/// Returns the kernel of a node; `Ok(None)` if its operation has none.
pub fn build(node: &NodeDef) -> Result<Option<Kernel>> {
    match BUILDERS.get(node.op.as_str()) {
        Some(builder) => builder(&Attributes(node)).map(Some),
        None => Ok(None),
    }
}

/// A kernel of a function of its inputs.
fn pure(
    compute: impl Fn(&mut [Tensor]) -> Result<Outputs> + Send + Sync + 'static,
) -> Result<Kernel> {
    Ok(Kernel::Pure(Box::new(compute)))
}

/// A kernel of a function of its inputs with one result.
fn single(
    compute: impl Fn(&mut [Tensor]) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<Kernel> {
    Ok(Kernel::Single(Box::new(compute)))
}

/// Takes an input out, so that it may be written in place.
fn take(inputs: &mut [Tensor], index: usize) -> Result<Tensor> {
    Ok(std::mem::take(input_mut(inputs, index)?))
}

fn input_mut(inputs: &mut [Tensor], index: usize) -> Result<&mut Tensor> {
    match inputs.get_mut(index) {
        Some(input) => Ok(input),
        None => fail!("input {index} is missing"),
    }
}

/// Returns an input for reading.
fn input(inputs: &[Tensor], index: usize) -> Result<&Tensor> {
    match inputs.get(index) {
        Some(input) => Ok(input),
        None => fail!("input {index} is missing"),
    }
}

/// The attributes of a node; an absent one has TensorFlow's default.
pub(crate) struct Attributes<'a>(&'a NodeDef);

impl Attributes<'_> {
    fn value(&self, name: &str) -> Option<&Value> {
        self.0
            .attr
            .get(name)
            .and_then(|AttrValue { value }| value.as_ref())
    }

    fn bool(&self, name: &str, default: bool) -> bool {
        match self.value(name) {
            Some(Value::B(value)) => *value,
            _ => default,
        }
    }

    fn int(&self, name: &str, default: i64) -> i64 {
        match self.value(name) {
            Some(Value::I(value)) => *value,
            _ => default,
        }
    }

    fn float(&self, name: &str, default: f32) -> f32 {
        match self.value(name) {
            Some(Value::F(value)) => *value,
            _ => default,
        }
    }

    fn ints(&self, name: &str) -> Vec<i64> {
        match self.value(name) {
            Some(Value::List(list)) => list.i.clone(),
            _ => Vec::new(),
        }
    }

    fn text(&self, name: &str, default: &str) -> String {
        match self.value(name) {
            Some(Value::S(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => default.to_owned(),
        }
    }

    fn dtype(&self, name: &str, default: DType) -> Result<DType> {
        match self.value(name) {
            Some(Value::Type(number)) => dtype(*number),
            _ => Ok(default),
        }
    }

    fn shape(&self, name: &str) -> Option<&TensorShapeProto> {
        match self.value(name) {
            Some(Value::Shape(shape)) => Some(shape),
            _ => None,
        }
    }
}

/// Returns the element type of a `DataType` number, or an error that names it.
fn dtype(number: i32) -> Result<DType> {
    match DType::from_tensorflow(number) {
        Some(dtype) => Ok(dtype),
        None => fail!(
            "elements of type {} are not known to the embedded executor",
            tfx_graphdef::element::display_name(tfx_graphdef::element::from_number(number))
        ),
    }
}

/// Runs `$body` with `$T` as the Rust type of an element type, which must be one of a named set.
macro_rules! dispatch {
    (@match $dtype:expr, $T:ident, $body:expr, $($variant:ident => $rust:ty),*) => {
        match $dtype {
            $($crate::tensor::DType::$variant => { type $T = $rust; $body })*
            #[allow(unreachable_patterns)]
            other => $crate::kernels::fail!("elements of type {other} are not supported here by the embedded executor"),
        }
    };
    ($dtype:expr, $T:ident in floats => $body:expr) => {
        $crate::kernels::dispatch!(@match $dtype, $T, $body, F32 => f32, F64 => f64)
    };
    ($dtype:expr, $T:ident in integers => $body:expr) => {
        $crate::kernels::dispatch!(@match $dtype, $T, $body, I8 => i8, I16 => i16, I32 => i32, I64 => i64,
            U8 => u8, U16 => u16, U32 => u32, U64 => u64)
    };
    ($dtype:expr, $T:ident in numbers => $body:expr) => {
        $crate::kernels::dispatch!(@match $dtype, $T, $body, F32 => f32, F64 => f64, I8 => i8, I16 => i16, I32 => i32, I64 => i64,
            U8 => u8, U16 => u16, U32 => u32, U64 => u64)
    };
    ($dtype:expr, $T:ident in plain => $body:expr) => {
        $crate::kernels::dispatch!(@match $dtype, $T, $body, F32 => f32, F64 => f64, I8 => i8, I16 => i16, I32 => i32, I64 => i64,
            U8 => u8, U16 => u16, U32 => u32, U64 => u64, Bool => $crate::tensor::Bool,
            F16 => $crate::half::F16, Bf16 => $crate::half::Bf16)
    };
}
pub(crate) use dispatch;

/// Returns a dimension or axis; negative ones count from the end.
fn axis(index: i64, rank: usize) -> Result<usize> {
    let rank_signed = rank as i64;
    if index < -rank_signed || index >= rank_signed {
        return fail!(
            "axis {index} is out of the range [-{rank}, {rank}) of a tensor of rank {rank}"
        );
    }
    Ok(if index < 0 {
        index + rank_signed
    } else {
        index
    } as usize)
}

/// Returns a size that a graph stores as a signed number.
fn size(value: i64) -> Result<usize> {
    match usize::try_from(value) {
        Ok(size) => Ok(size),
        Err(_) => fail!("Dimension {value} must be >= 0"),
    }
}

/// Returns row-major strides, in elements.
fn strides(shape: &[usize]) -> SmallVec<[usize; 4]> {
    let mut strides: SmallVec<[usize; 4]> = smallvec::smallvec![1; shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension] * shape[dimension];
    }
    strides
}

/// Returns an error for inputs whose shapes must be equal.
fn same_shape(left: &Tensor, right: &Tensor) -> Result<()> {
    if left.shape() == right.shape() {
        return Ok(());
    }
    fail!(
        "the shapes {} and {} must be equal",
        shape_text(left.shape()),
        shape_text(right.shape())
    )
}
