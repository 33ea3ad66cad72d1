//! Eager operations in host code: `docs/program-image.md`, section 7.

use std::ffi::{c_char, c_void};

use tfx_graphdef::proto::{
    AttrValue, TensorShapeProto,
    attr_value::{ListValue, Value},
    tensor_shape_proto::Dim,
};
use tfx_interpreter::{Bool, DType, Tensor, TensorError};

use super::{
    abi_box::TfxBox,
    abi_image::TfxImage,
    abi_tensor::{TfxTensor, dtype, tensors, write_results},
    guard::{guarded, slice, text},
};
use crate::{
    failure::Failure,
    operation::{self, Attributes, Template},
};

/// An attribute of an operation, whose value is an argument of each run.
#[repr(C)]
pub struct TfxAttribute {
    /// The name.
    pub name: *const c_char,
    /// 0: one value, in a `TfxTensor` of rank 0; 1: a list, in the `TfxBox` of an array; 2: a list
    /// of shapes, in an array of arrays.
    pub depth: i32,
    /// The type of the values: TensorFlow's DataType number.
    pub dtype: i32,
}

/// An eager operation: a graph operation that host code runs outside of any graph.
#[repr(C)]
pub struct TfxOperation {
    /// A program whose only node lacks the attributes.
    pub image: *const TfxImage,
    /// The number of attributes.
    pub num_attributes: i32,
    /// The attributes.
    pub attributes: *const TfxAttribute,
}

/// Runs an operation to its end, and writes the results. Borrows the inputs and the values of the
/// attributes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_operation_run(
    operation: *const TfxOperation,
    args: *const *mut TfxTensor,
    values: *const *mut c_void,
    results: *mut *mut TfxTensor,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the contract promises an operation, and a value for each attribute.
        let (image, given) = unsafe {
            let operation = operation
                .as_ref()
                .ok_or_else(|| Failure::new("an operation is NULL"))?;
            let image = operation
                .image
                .as_ref()
                .ok_or_else(|| Failure::new("an image is NULL"))?;
            let count = i64::from(operation.num_attributes);
            let attributes = slice(operation.attributes, count);
            let given = attributes.iter().zip(slice(values, count));
            (image, given)
        };
        // SAFETY: the contract promises a handle for each input, and values of the types of the
        // attributes.
        let (arguments, given, name) = unsafe {
            let arguments = tensors(args, image.num_args)?;
            let given = given
                .map(|(attribute, &value)| named(attribute, value))
                .collect::<Result<Attributes, Failure>>()?;
            let name = text(image.name).ok_or_else(|| Failure::new("an image has no name"))?;
            (arguments, given, name)
        };
        let template = Template {
            name: &name,
            // SAFETY: the contract promises the bytes of the GraphDef.
            graph: unsafe { slice(image.graphdef, image.graphdef_size as i64) },
            arguments: arguments.len(),
            results: usize::try_from(image.num_results).unwrap_or(0),
        };
        let values = operation::run(template, given, &arguments)?;
        // SAFETY: the contract promises a place for each result.
        unsafe { write_results(values.into_iter().take(template.results), results) };
        Ok(())
    })
}

/// Returns an attribute with its name.
///
/// # Safety
/// `value` has the type of the attribute.
unsafe fn named(
    attribute: &TfxAttribute,
    value: *const c_void,
) -> Result<(String, AttrValue), Failure> {
    // SAFETY: as promised by the caller.
    unsafe {
        let name = text(attribute.name).ok_or_else(|| Failure::new("an attribute has no name"))?;
        let dtype = dtype(attribute.dtype)?;
        let value = match attribute.depth {
            0 => single(&TfxTensor::borrow(value.cast())?.tensor).map_err(invalid)?,
            1 => Value::list(list(TfxBox::slots(value.cast())?, dtype)?),
            _ => Value::list(shapes(TfxBox::slots(value.cast())?, dtype)?),
        };
        Ok((name, AttrValue { value: Some(value) }))
    }
}

/// Returns the failure of a value of an unexpected type or shape.
fn invalid(error: TensorError) -> Failure {
    Failure::new(error.to_string())
}

/// Returns the value of a tensor of rank 0.
fn single(tensor: &Tensor) -> Result<Value, TensorError> {
    Ok(match tensor.dtype() {
        DType::String => Value::S(tensor.strings()?.first().cloned().unwrap_or_default()),
        DType::Bool => Value::B(tensor.item::<Bool>()?.get()),
        DType::F32 => Value::F(tensor.item::<f32>()?),
        DType::F64 => Value::F(tensor.item::<f64>()? as f32),
        DType::I8 => Value::I(tensor.item::<i8>()?.into()),
        DType::I16 => Value::I(tensor.item::<i16>()?.into()),
        DType::I32 => Value::I(tensor.item::<i32>()?.into()),
        _ => Value::I(tensor.item::<i64>()?),
    })
}

/// Returns the integer in the low bits of a slot.
fn integer(slot: u64, dtype: DType) -> i64 {
    match dtype {
        DType::I8 => (slot as i8).into(),
        DType::I16 => (slot as i16).into(),
        DType::I32 => (slot as i32).into(),
        _ => slot as i64,
    }
}

/// Returns the elements of an array.
///
/// # Safety
/// The slots hold values of type `dtype`; strings as handles.
unsafe fn list(slots: &[u64], dtype: DType) -> Result<ListValue, Failure> {
    let mut list = ListValue::default();
    for &slot in slots {
        match dtype {
            DType::String => {
                // SAFETY: as promised by the caller.
                let string = unsafe { TfxTensor::borrow(slot as *const TfxTensor) }?;
                let strings = string.tensor.strings().map_err(invalid)?;
                list.s.extend(strings.first().cloned());
            }
            DType::Bool => list.b.push(slot & 1 != 0),
            DType::F32 => list.f.push(f32::from_bits(slot as u32)),
            DType::F64 => list.f.push(f64::from_bits(slot) as f32),
            _ => list.i.push(integer(slot, dtype)),
        }
    }
    Ok(list)
}

/// Returns the shapes in an array of arrays of sizes.
///
/// # Safety
/// The slots hold boxes, whose slots hold integers of type `dtype`.
unsafe fn shapes(slots: &[u64], dtype: DType) -> Result<ListValue, Failure> {
    let mut list = ListValue::default();
    for &slot in slots {
        // SAFETY: as promised by the caller.
        let sizes = unsafe { TfxBox::slots(slot as *const TfxBox) }?;
        let mut shape = TensorShapeProto::default();
        for &size in sizes {
            let size = integer(size, dtype);
            if size < -1 {
                return Err(Failure::new(format!(
                    "a shape has a size of {size}; -1 means any size"
                )));
            }
            let name = String::new();
            shape.dim.push(Dim { size, name });
        }
        list.shape.push(shape);
    }
    Ok(list)
}
