//! Tensor operations with computed attributes, which exist in the source, and on the host if it
//! runs them by itself.
//!
//! The attributes are filled in and checked when the operation runs, by the registry that checks
//! those that a user writes.

use melior::ir::Type;
use smallvec::SmallVec;
use tfx_graphdef::proto::attr_value::ListValue;
use tfx_graphdef::proto::{
    AttrValue, NodeDef, TensorProto, TensorShapeProto, attr_value, tensor_shape_proto,
};
use tfx_graphdef::resolve::Computed;
use tfx_graphdef::{DataType, Resolved, Use, resolve};
use tfx_graphdef_mlir::operations::{ValueType, resolve_op_as, split_operands, value_type};
use tfx_interpreter::kernels::{self, Kernel};
use tfx_ir::{Op, Value as IrValue};

use crate::error::Error;
use crate::value::{Value, signed};

/// An operation without the attributes whose values are its last operands.
pub(crate) struct Template<'a> {
    resolved: Resolved,
    /// The number of operands that TensorFlow takes; those after them are values of attributes.
    tensors: usize,
    attributes: Box<[(&'a str, ValueType)]>,
}

impl<'a> Template<'a> {
    /// Returns the template of an operation whose types are those of `concrete`.
    pub(crate) fn new(op: Op<'a>, concrete: impl Fn(Type<'a>) -> Type<'a>) -> Result<Self, Error> {
        let (tensors, computed) = split_operands(op);
        let attribute = |(name, value): (&'a str, IrValue<'a>)| {
            let ty = value_type(concrete(value.ty()));
            let ty = ty.ok_or("the value of an attribute has a type that no attribute has")?;
            Ok((name, ty))
        };
        let attributes: Result<_, Error> = computed.into_iter().map(attribute).collect();
        Ok(Template {
            attributes: attributes?,
            tensors: tensors.len(),
            resolved: resolve_op_as(op, &str::to_owned, concrete).map_err(|error| error.message)?,
        })
    }

    /// Runs the operation.
    pub(crate) fn run(&self, values: &[Value<'a>]) -> Result<SmallVec<[Value<'a>; 1]>, Error> {
        let template = &self.resolved;
        let operation = template.definition.name.as_str();
        let mut attributes = template.attributes.clone();
        for ((name, ty), value) in self.attributes.iter().zip(&values[self.tensors..]) {
            let value = match operation {
                "Const" => constant(value, *ty)?,
                _ => attribute(value, *ty)?,
            };
            attributes.insert((*name).to_owned(), AttrValue { value: Some(value) });
        }
        let resolved = resolve(&Use {
            operation,
            operands: &template.operands,
            results: &template.results,
            attributes: &attributes,
            computed: &Computed::new(),
        });
        let node = NodeDef {
            op: operation.to_owned(),
            attr: resolved?.attributes,
            ..NodeDef::default()
        };
        if operation == "Const" {
            let tensor = kernels::constant(&node)?;
            return Ok([Value::Tensor(tensor)].into_iter().collect());
        }
        let inputs = values[..self.tensors].iter();
        let inputs = inputs.map(|value| value.tensor().cloned());
        let mut inputs = inputs.collect::<Result<Vec<_>, Error>>()?;
        let outputs = match kernels::build(&node)? {
            // Each run of such an operation starts from its initial state, as a program does.
            Some(Kernel::Random(mut generator, compute)) => {
                Some(compute(&mut generator, &mut inputs))
            }
            Some(kernel) => kernel.compute(&mut inputs),
            None => None,
        };
        let outputs = outputs.ok_or_else(|| no_kernel(operation))??;
        Ok(outputs.into_iter().map(Value::Tensor).collect())
    }
}

/// The error for an operation without a kernel.
pub(crate) fn no_kernel(operation: &str) -> Error {
    format!("the reference interpreter has no kernel for the operation {operation}").into()
}

/// Returns the value of a `Const`: an array is a tensor of rank 1.
fn constant(value: &Value<'_>, ty: ValueType) -> Result<attr_value::Value, Error> {
    let mut proto = TensorProto {
        dtype: ty.element as i32,
        tensor_shape: Some(TensorShapeProto::default()),
        ..TensorProto::default()
    };
    let one = [value.clone()];
    let values = match value {
        Value::List(values) => {
            let size = values.len() as i64;
            let name = String::new();
            let shape = proto.tensor_shape.get_or_insert_default();
            shape.dim.push(tensor_shape_proto::Dim { size, name });
            &values[..]
        }
        _ => &one,
    };
    for value in values {
        match (single(value, ty)?, ty.element) {
            (attr_value::Value::B(truth), _) => proto.bool_val.push(truth),
            (attr_value::Value::S(text), _) => proto.string_val.push(text),
            (attr_value::Value::I(number), DataType::DtInt64) => proto.int64_val.push(number),
            (attr_value::Value::I(number), _) => proto.int_val.push(number as i32),
            (attr_value::Value::F(_), DataType::DtDouble) => match value {
                Value::F64(value) => proto.double_val.push(*value),
                _ => return Err(Error::expected("an f64", value.kind())),
            },
            (attr_value::Value::F(number), _) => proto.float_val.push(number),
            _ => return Err("a list cannot be an element of a constant".into()),
        }
    }
    Ok(attr_value::Value::tensor(proto))
}

/// Converts a value of the host to an attribute; integers are signed, as in TensorFlow's
/// attributes.
fn attribute(value: &Value<'_>, ty: ValueType) -> Result<attr_value::Value, Error> {
    let mut list = ListValue::default();
    match value {
        Value::List(values) if ty.depth == 2 => {
            for value in values.iter() {
                list.shape.push(shape(value, ty)?);
            }
        }
        Value::List(values) => {
            for value in values.iter() {
                match single(value, ty)? {
                    attr_value::Value::B(truth) => list.b.push(truth),
                    attr_value::Value::I(number) => list.i.push(number),
                    attr_value::Value::F(number) => list.f.push(number),
                    attr_value::Value::S(text) => list.s.push(text),
                    _ => {
                        return Err(Error::expected(
                            "a list of numbers or strings",
                            value.kind(),
                        ));
                    }
                }
            }
        }
        _ => return single(value, ty),
    }
    Ok(attr_value::Value::list(list))
}

fn single(value: &Value<'_>, ty: ValueType) -> Result<attr_value::Value, Error> {
    Ok(match value {
        Value::Integer(bits) => match ty.element {
            DataType::DtBool => attr_value::Value::B(*bits != 0),
            _ => attr_value::Value::I(integer(*bits, ty)),
        },
        Value::F32(value) => attr_value::Value::F(*value),
        Value::F64(value) => attr_value::Value::F(*value as f32),
        Value::String(bytes) => attr_value::Value::S(bytes.to_vec()),
        other => return Err(Error::expected("a number or a string", other.kind())),
    })
}

fn integer(bits: u64, ty: ValueType) -> i64 {
    match ty.element {
        DataType::DtInt8 => signed(bits, 8),
        DataType::DtInt16 => signed(bits, 16),
        DataType::DtInt32 => signed(bits, 32),
        _ => signed(bits, 64),
    }
}

fn shape(value: &Value<'_>, ty: ValueType) -> Result<TensorShapeProto, Error> {
    let Value::List(sizes) = value else {
        return Err(Error::expected("an array of sizes", value.kind()));
    };
    let mut shape = TensorShapeProto::default();
    for size in sizes.iter() {
        let size = integer(size.bits()?, ty);
        shape.dim.push(tensor_shape_proto::Dim {
            size,
            name: String::new(),
        });
    }
    Ok(shape)
}
