//! Single operations of TensorFlow, run at once on the kernels of the embedded executor.
//!
//! ```text
//!   name, operands, attributes ──resolve──> a node with all its attributes ──kernel──> results
//! ```
//!
//! A front end that has an eager mode runs the operations that its programs consist of, with the
//! same kernels. An operation whose result is random has no eager form.
//!
//! ```
//! use tfx::eager::{self, Attribute};
//! use tfx::runtime::{DType, Tensor};
//!
//! let x = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
//! let axis = Tensor::from_slice(&[1], &[0i32]).unwrap();
//! let keep = [("keep_dims", Attribute::Bool(true))];
//! let sum = eager::run("Sum", &[x, axis], &keep, &[DType::F32])?;
//! assert_eq!(sum[0].values::<f32>().unwrap(), [4.0, 6.0]);
//! # Ok::<(), tfx::Error>(())
//! ```
//!
//! The cost of a call is that of the kernel, and of the check of the attributes, which takes
//! microseconds.

use std::collections::BTreeMap;

use tfx_graphdef::DataType;
use tfx_graphdef::element::from_number;
use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::proto::{AttrValue, NodeDef};
use tfx_graphdef::resolve::{Computed, Use, resolve};
use tfx_interpreter::kernels;
use tfx_runtime::{DType, Tensor};

use crate::error::{Error, ErrorKind};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f32),
    /// An element type.
    Type(DType),
    /// Text.
    Str(String),
}

impl Attribute {
    fn value(&self) -> AttrValue {
        let value = match self {
            Attribute::Bool(value) => Value::B(*value),
            Attribute::Int(value) => Value::I(*value),
            Attribute::Float(value) => Value::F(*value),
            Attribute::Type(dtype) => Value::Type(dtype.tensorflow()),
            Attribute::Str(text) => Value::S(text.as_bytes().to_vec()),
        };
        AttrValue { value: Some(value) }
    }
}

/// Runs an operation. Attributes that follow from the element types need not be given.
///
/// # Errors
/// Operands, results or attributes that the operation does not have; a failure of the operation.
pub fn run(
    operation: &str,
    operands: &[Tensor],
    attributes: &[(&str, Attribute)],
    results: &[DType],
) -> Result<Vec<Tensor>, Error> {
    let failed = |message: String| Error::new(ErrorKind::Run, message);
    let attributes: BTreeMap<String, AttrValue> = attributes
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.value()))
        .collect();
    let types = |dtypes: &mut dyn Iterator<Item = DType>| -> Vec<DataType> {
        dtypes
            .map(|dtype| from_number(dtype.tensorflow()))
            .collect()
    };
    let operand_types = types(&mut operands.iter().map(Tensor::dtype));
    let result_types = types(&mut results.iter().copied());
    let resolved = resolve(&Use {
        operation,
        operands: &operand_types,
        results: &result_types,
        attributes: &attributes,
        computed: &Computed::default(),
    })
    .map_err(|error| failed(error.to_string()))?;
    let node = NodeDef {
        name: operation.to_owned(),
        op: operation.to_owned(),
        attr: resolved.attributes.into_iter().collect(),
        ..NodeDef::default()
    };
    let kernel = kernels::build(&node).map_err(|error| failed(error.to_string()))?;
    let kernel =
        kernel.ok_or_else(|| failed(format!("the operation '{operation}' has no kernel")))?;
    let mut inputs = operands.to_vec();
    let outputs = kernel
        .compute(&mut inputs)
        .ok_or_else(|| failed(format!("the operation '{operation}' is random")))?;
    outputs
        .map(|outputs| outputs.into_vec())
        .map_err(|error| failed(error.to_string()))
}
