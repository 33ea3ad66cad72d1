//! The attributes that connect graphs with their native code.
//!
//! ```text
//! tfx_tensor.graph private @g.native(...) attributes {tfx.cluster, tfx.code = [@f, 4096, [[1, 2, 3]], [[1]]]}
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

/// The description of the code of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The symbol of the function.
    pub function: String,
    /// The size of the working memory in bytes.
    pub memory: u64,
    /// Each argument: TensorFlow's number of the element type, then the sizes.
    pub arguments: Vec<Vec<u64>>,
    /// Each result, likewise.
    pub results: Vec<Vec<u64>>,
}

impl Code {
    /// Returns the description of the code of a graph; `None` if it has no code.
    pub fn of(graph: Op<'_>) -> Option<Self> {
        let [function, memory, arguments, results] = &parts(graph.attribute(CODE)?)?[..] else {
            return None;
        };
        let numbers = |ty| -> Option<Vec<u64>> { parts(ty)?.into_iter().map(number).collect() };
        let types = |list| -> Option<Vec<_>> { parts(list)?.into_iter().map(numbers).collect() };
        Some(Code {
            function: symbol(*function)?.to_owned(),
            memory: number(*memory)?,
            arguments: types(*arguments)?,
            results: types(*results)?,
        })
    }

    /// Describes the code of a graph.
    pub fn set(&self, graph: Op<'_>) {
        let context = graph.context();
        let parts = [
            FlatSymbolRefAttribute::new(context, &self.function).into(),
            integer(context, self.memory),
            types(context, &self.arguments),
            types(context, &self.results),
        ];
        graph.set_attribute(CODE, ArrayAttribute::new(context, &parts));
    }
}

/// Returns types as an array of arrays of numbers.
fn types<'c>(context: &'c Context, types: &[Vec<u64>]) -> Attribute<'c> {
    let mut arrays: Vec<Attribute<'c>> = Vec::new();
    for numbers in types {
        let numbers: Vec<_> = numbers
            .iter()
            .map(|&value| integer(context, value))
            .collect();
        arrays.push(ArrayAttribute::new(context, &numbers).into());
    }
    ArrayAttribute::new(context, &arrays).into()
}

fn integer(context: &Context, value: u64) -> Attribute<'_> {
    let ty = IntegerType::new(context, 64).into();
    IntegerAttribute::new(ty, value as i64).into()
}

fn parts(attribute: Attribute<'_>) -> Option<Vec<Attribute<'_>>> {
    let array = ArrayAttribute::cast(attribute)?;
    (0..array.len())
        .map(|index| array.element(index).ok())
        .collect()
}

fn number(attribute: Attribute<'_>) -> Option<u64> {
    let integer = IntegerAttribute::cast(attribute)?;
    u64::try_from(integer.value()).ok()
}
