//! The attributes that connect kernels of schedules with their code for accelerators.
//!
//! ```text
//! tfx_stream.schedule @g.schedule(...) attributes {tfx_stream.ptx = ".version 6.0 ..."}
//! tfx_tensor.graph private @g.kernel(...) attributes {tfx.kernel,
//!     tfx.launches = [["tfx_kernel_0", 4096, [0, 0, 1, 0]],
//!                     ["tfx_kernel_1", 32, [1, 0, 2, 256, 3, 0],
//!                      [f32, [1, 4, 8, 16], [0, 0, 16, 64], [1, 1, 16, 128], [2, 0, 8, 32]]]]}
//! ```
//!
//! `tfx-find-device-code` marks the operations that have code. `tfx-lower-gpu` sets the others, and
//! `tfx-lower-host` writes them into the images of programs. A kernel is a sequence of launches of
//! entries of the assembly. The second launch here is also a product of matrices, of 4 x 16 by
//! 16 x 8: its factors are parameters 0 and 1, the second one is transposed, and the result is
//! parameter 2.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, StringAttribute, TypeAttribute};
use melior::ir::{Attribute, Type, TypeLike};
use tfx_ir::Op;
use tfx_ir::attribute::text;
use tfx_ir::cast::Cast;

use crate::native::{elements, integer, number};

/// The attribute of a schedule with the assembly of its kernels.
pub const PTX: &str = "tfx_stream.ptx";
/// The attribute of a kernel with its launches.
pub const LAUNCHES: &str = "tfx.launches";

/// The attribute of an operation that has code for accelerators.
pub const HAS_CODE: &str = "tfx.has_device_code";

/// The type of the elements of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceElement {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl DeviceElement {
    /// Returns TensorFlow's number of the type.
    pub fn data_type(self) -> i32 {
        match self {
            Self::F32 => 1,
            Self::F64 => 2,
        }
    }

    fn ty(self, context: &Context) -> Type<'_> {
        match self {
            Self::F32 => Type::float32(context),
            Self::F64 => Type::float64(context),
        }
    }

    fn of(attribute: Attribute<'_>) -> Option<Self> {
        let ty = TypeAttribute::cast(attribute)?.value();
        if ty.is_f32() {
            return Some(Self::F32);
        }
        ty.is_f64().then_some(Self::F64)
    }
}

/// A matrix of a product, in row-major order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMatrix {
    /// The number of the parameter of the launch that is its address.
    pub parameter: i64,
    /// Set if the memory has the transposed matrix.
    pub is_transposed: bool,
    /// The elements from a row in memory to the next one.
    pub leading: i64,
    /// The elements from a matrix of the batch to the next one.
    pub stride: i64,
}

impl DeviceMatrix {
    /// Returns the numbers of the matrix, in the order of its fields.
    pub fn numbers(self) -> [i64; 4] {
        let is_transposed = i64::from(self.is_transposed);
        [self.parameter, is_transposed, self.leading, self.stride]
    }

    fn of(attribute: Attribute<'_>) -> Option<Self> {
        let [parameter, is_transposed, leading, stride] = numbers(attribute)?[..] else {
            return None;
        };
        Some(Self {
            parameter,
            is_transposed: match is_transposed {
                0 => false,
                1 => true,
                _ => return None,
            },
            leading,
            stride,
        })
    }
}

/// The product of matrices that a launch is, if its entry computes nothing else: `batch` times
/// `rows` x `depth` by `depth` x `columns`. A library may compute it in place of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceProduct {
    /// The type of all elements.
    pub element: DeviceElement,
    /// The number of products.
    pub batch: i64,
    /// The rows of `a` and `c`.
    pub rows: i64,
    /// The columns of `b` and `c`.
    pub columns: i64,
    /// The columns of `a`, which are the rows of `b`.
    pub depth: i64,
    /// The first factor.
    pub a: DeviceMatrix,
    /// The second factor.
    pub b: DeviceMatrix,
    /// The result, which is written.
    pub c: DeviceMatrix,
}

impl DeviceProduct {
    fn of(attribute: Attribute<'_>) -> Option<Self> {
        let [element, sizes, a, b, c] = elements(attribute)?[..] else {
            return None;
        };
        let [batch, rows, columns, depth] = numbers(sizes)?[..] else {
            return None;
        };
        Some(Self {
            element: DeviceElement::of(element)?,
            batch,
            rows,
            columns,
            depth,
            a: DeviceMatrix::of(a)?,
            b: DeviceMatrix::of(b)?,
            c: DeviceMatrix::of(c)?,
        })
    }

    fn attribute(self, context: &Context) -> Attribute<'_> {
        let sizes = [self.batch, self.rows, self.columns, self.depth];
        let mut parts = vec![
            TypeAttribute::new(self.element.ty(context)).into(),
            array(context, &sizes),
        ];
        let matrices = [self.a, self.b, self.c].into_iter();
        parts.extend(matrices.map(|matrix| array(context, &matrix.numbers())));
        ArrayAttribute::new(context, &parts).into()
    }
}

/// A launch of an entry, whose parameters are addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLaunch {
    /// The name of the entry.
    pub entry: String,
    /// The number of threads.
    pub threads: i64,
    /// The parameters: positions of operands of the `tfx_stream.launch`, and distances in bytes.
    pub parameters: Vec<(i64, i64)>,
    /// The product that the entry computes.
    pub product: Option<DeviceProduct>,
}

impl DeviceLaunch {
    /// Returns the launches of a kernel; `None` if it has no code for accelerators.
    pub fn of_kernel(graph: Op<'_>) -> Option<Vec<Self>> {
        let launches = elements(graph.attribute(LAUNCHES)?)?.into_iter();
        let launch = |launch| {
            let parts = elements(launch)?;
            let (entry, threads, parameters, product) = match parts[..] {
                [entry, threads, parameters] => (entry, threads, parameters, None),
                [entry, threads, parameters, product] => (
                    entry,
                    threads,
                    parameters,
                    Some(DeviceProduct::of(product)?),
                ),
                _ => return None,
            };
            let numbers = numbers(parameters)?;
            let pairs = numbers.chunks_exact(2);
            Some(Self {
                entry: text(entry)?.to_owned(),
                threads: number(threads)?,
                parameters: pairs.map(|pair| (pair[0], pair[1])).collect(),
                product,
            })
        };
        launches.map(launch).collect()
    }

    /// Sets the launches of a kernel.
    pub fn set(launches: &[Self], graph: Op<'_>) {
        let context = graph.context();
        let launch = |launch: &Self| -> Attribute<'_> {
            let parameters = launch.parameters.iter();
            let numbers = parameters.flat_map(|&(operand, offset)| [operand, offset]);
            let numbers: Vec<_> = numbers.collect();
            let mut parts = vec![
                StringAttribute::new(context, &launch.entry).into(),
                integer(context, launch.threads),
                array(context, &numbers),
            ];
            parts.extend(launch.product.map(|product| product.attribute(context)));
            ArrayAttribute::new(context, &parts).into()
        };
        let launches: Vec<_> = launches.iter().map(launch).collect();
        graph.set_attribute(LAUNCHES, ArrayAttribute::new(context, &launches));
    }
}

fn numbers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    elements(attribute)?.into_iter().map(number).collect()
}

fn array<'c>(context: &'c Context, numbers: &[i64]) -> Attribute<'c> {
    let numbers: Vec<_> = numbers.iter().map(|it| integer(context, *it)).collect();
    ArrayAttribute::new(context, &numbers).into()
}
