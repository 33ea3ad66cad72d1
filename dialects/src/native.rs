//! The attributes that connect graphs with their native code.
//!
//! ```text
//! tfx_tensor.graph private @g.native(...) attributes {tfx.cluster,
//!     tfx.code = [[[16, @f]], 4096, [[1, 2, -1]], [[1]], [[1, 0]], []]}
//! func.func private @f(...) attributes {tfx.native}
//! ```
//!
//! `tfx-cluster-native` marks the graphs to compile, `tfx-lower-kernels` emits and describes their
//! code, and `tfx-lower-host` writes the descriptions into the images of programs.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use tfx_ir::Op;
use tfx_ir::attribute::symbol;
use tfx_ir::cast::Cast;

/// The attribute of a graph that is to be compiled.
pub const CLUSTER: &str = "tfx.cluster";
/// The attribute of a graph with code.
pub const CODE: &str = "tfx.code";
/// The attribute of a function that is the code of a graph or of a kernel.
pub const FUNCTION: &str = "tfx.native";

/// A size that is known when the code is called: a constant times symbols. A symbol is the size of
/// a dimension of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The constant.
    pub factor: i64,
    /// The symbols, by number; each as often as it is a factor.
    pub symbols: Vec<i64>,
}

/// A part of the working memory whose size is known when the code is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The size of the part in units of bytes.
    pub units: i64,
    /// The position in [`Code::sizes`] of the size of a unit.
    pub size: i64,
}

/// The code for one size of vector registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The size in bytes.
    pub vector_bytes: i64,
    /// The symbol of the function.
    pub function: String,
}

/// The description of the code of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The functions, by size of the vector registers.
    pub versions: Vec<Version>,
    /// The size of the working memory in bytes, apart from [`parts`](Self::parts).
    pub memory: i64,
    /// Each argument: TensorFlow's number of the element type, then the sizes. A negative one is
    /// [`unknown`](Self::unknown).
    pub arguments: Vec<Vec<i64>>,
    /// Each result, likewise.
    pub results: Vec<Vec<i64>>,
    /// The sizes that the function takes.
    pub sizes: Vec<Size>,
    /// The parts of the working memory that follow the first one.
    pub parts: Vec<Part>,
}

impl Code {
    /// Returns the size of a dimension that is at this position of [`sizes`](Self::sizes).
    pub fn unknown(position: usize) -> i64 {
        -1 - position as i64
    }

    /// Returns the description of the code of a graph; `None` if it has no code.
    pub fn of(graph: Op<'_>) -> Option<Self> {
        let [versions, memory, arguments, results, sizes, parts] =
            &elements(graph.attribute(CODE)?)?[..]
        else {
            return None;
        };
        let sizes = rows(*sizes)?.into_iter().map(|row| {
            let (&factor, symbols) = row.split_first()?;
            let symbols = symbols.to_vec();
            Some(Size { factor, symbols })
        });
        let parts = rows(*parts)?.into_iter().map(|row| match row[..] {
            [units, size] => Some(Part { units, size }),
            _ => None,
        });
        let versions = elements(*versions)?.into_iter().map(|version| {
            let [vector_bytes, function] = elements(version)?[..] else {
                return None;
            };
            Some(Version {
                vector_bytes: number(vector_bytes)?,
                function: symbol(function)?.to_owned(),
            })
        });
        Some(Code {
            versions: versions.collect::<Option<_>>()?,
            memory: number(*memory)?,
            arguments: rows(*arguments)?,
            results: rows(*results)?,
            sizes: sizes.collect::<Option<_>>()?,
            parts: parts.collect::<Option<_>>()?,
        })
    }

    /// Describes the code of a graph.
    pub fn set(&self, graph: Op<'_>) {
        let context = graph.context();
        let size = |size: &Size| [&[size.factor][..], &size.symbols].concat();
        let sizes: Vec<_> = self.sizes.iter().map(size).collect();
        let parts: Vec<_> = self
            .parts
            .iter()
            .map(|part| vec![part.units, part.size])
            .collect();
        let version = |version: &Version| {
            let function = FlatSymbolRefAttribute::new(context, &version.function);
            let version = [integer(context, version.vector_bytes), function.into()];
            ArrayAttribute::new(context, &version).into()
        };
        let versions: Vec<Attribute<'_>> = self.versions.iter().map(version).collect();
        let parts = [
            ArrayAttribute::new(context, &versions).into(),
            integer(context, self.memory),
            table(context, &self.arguments),
            table(context, &self.results),
            table(context, &sizes),
            table(context, &parts),
        ];
        graph.set_attribute(CODE, ArrayAttribute::new(context, &parts));
    }
}

/// Returns rows of numbers as an array of arrays.
fn table<'c>(context: &'c Context, rows: &[Vec<i64>]) -> Attribute<'c> {
    let mut arrays: Vec<Attribute<'c>> = Vec::new();
    for row in rows {
        let numbers: Vec<_> = row.iter().map(|&value| integer(context, value)).collect();
        arrays.push(ArrayAttribute::new(context, &numbers).into());
    }
    ArrayAttribute::new(context, &arrays).into()
}

fn rows(table: Attribute<'_>) -> Option<Vec<Vec<i64>>> {
    let row = |row| elements(row)?.into_iter().map(number).collect();
    elements(table)?.into_iter().map(row).collect()
}

pub(crate) fn integer(context: &Context, value: i64) -> Attribute<'_> {
    let ty = IntegerType::new(context, 64).into();
    IntegerAttribute::new(ty, value).into()
}

pub(crate) fn elements(attribute: Attribute<'_>) -> Option<Vec<Attribute<'_>>> {
    let array = ArrayAttribute::cast(attribute)?;
    (0..array.len())
        .map(|index| array.element(index).ok())
        .collect()
}

pub(crate) fn number(attribute: Attribute<'_>) -> Option<i64> {
    let integer = IntegerAttribute::cast(attribute)?;
    Some(integer.value())
}
