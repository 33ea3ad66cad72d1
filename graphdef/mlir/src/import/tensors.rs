//! Constants of nodes as MLIR's: `crate::tensors` the other way round.
//!
//! A `TensorProto` has its elements as bytes, or as a list of numbers of which the last one stands for all that follow; an empty list is zeros.

use melior::Context;
use melior::ir::{Attribute, Type};
use tfx_graphdef::proto::{TensorProto, TensorShapeProto};
use tfx_graphdef::{DataType, element};

use super::function::element_type;
use crate::ffi;
use crate::types::tensor_of;
use tfx_graphdef::element::byte_size;

/// A constant and its type.
///
/// # Errors
///
/// In the user's words, without a place: elements that MLIR cannot write, or fewer than the shape wants.
pub(super) fn constant<'c>(
    context: &'c Context,
    tensor: &TensorProto,
) -> Result<(Attribute<'c>, Type<'c>), String> {
    let data_type = element::from_number(tensor.dtype);
    let empty = TensorShapeProto::default();
    let shape = tensor.tensor_shape.as_ref().unwrap_or(&empty);
    let size = |size: i64| {
        u64::try_from(size).map_err(|_| "a constant has a size that is not known".to_owned())
    };
    let sizes = shape
        .dim
        .iter()
        .map(|dim| size(dim.size))
        .collect::<Result<Vec<_>, _>>()?;
    let known: Vec<_> = sizes.iter().copied().map(Some).collect();
    let ty = tensor_of(context, Some(&known), element_type(context, data_type)?);
    let count = sizes
        .iter()
        .try_fold(1_u64, |product, size| product.checked_mul(*size))
        .and_then(|count| usize::try_from(count).ok())
        .ok_or("a constant has more elements than memory")?;
    let attribute = match data_type {
        DataType::DtString => ffi::string_elements(ty, &strings(tensor, count)?),
        DataType::DtBool => ffi::bool_elements(ty, &bools(tensor, count)?),
        _ => {
            let width = byte_size(data_type).ok_or_else(|| {
                format!(
                    "there is no constant of {}",
                    element::display_name(data_type)
                )
            })?;
            ffi::elements(ty, &bytes(tensor, data_type, width, count)?)
        }
    };
    Ok((attribute, ty))
}

/// As many elements as the shape has; the last one is repeated, and one stands for all.
fn filled<T: Clone>(mut listed: Vec<T>, count: usize, zero: T) -> Result<Vec<T>, String> {
    if listed.len() > count {
        return Err(format!(
            "a constant has {} elements where its shape has {count}",
            listed.len()
        ));
    }
    if listed.is_empty() && count > 0 {
        listed.push(zero);
    }
    if listed.len() > 1 {
        let last = listed[listed.len() - 1].clone();
        listed.resize(count, last);
    }
    Ok(listed)
}

fn strings(tensor: &TensorProto, count: usize) -> Result<Vec<Vec<u8>>, String> {
    let listed = filled(tensor.string_val.clone(), count, Vec::new())?;
    Ok(match listed.as_slice() {
        [one] => vec![one.clone(); count],
        _ => listed,
    })
}

fn bools(tensor: &TensorProto, count: usize) -> Result<Vec<bool>, String> {
    let listed = match tensor.tensor_content.is_empty() {
        true => tensor.bool_val.clone(),
        false => tensor
            .tensor_content
            .iter()
            .map(|byte| *byte != 0)
            .collect(),
    };
    let listed = filled(listed, count, false)?;
    Ok(match listed.as_slice() {
        [one] => vec![*one; count],
        _ => listed,
    })
}

/// The bytes of all elements, or of one that stands for all.
fn bytes(
    tensor: &TensorProto,
    data_type: DataType,
    width: usize,
    count: usize,
) -> Result<Vec<u8>, String> {
    if !tensor.tensor_content.is_empty() {
        let content = &tensor.tensor_content;
        return match content.len() == width * count {
            true => Ok(content.clone()),
            false => Err(format!(
                "a constant has {} bytes where its shape has {}",
                content.len(),
                width * count
            )),
        };
    }
    let elements = filled(listed(tensor, data_type), count, vec![0; width])?;
    Ok(elements.concat())
}

/// The elements that are listed in the field of their type.
fn listed(tensor: &TensorProto, data_type: DataType) -> Vec<Vec<u8>> {
    macro_rules! all {
        ($field:ident) => {
            tensor
                .$field
                .iter()
                .map(|value| value.to_le_bytes().to_vec())
                .collect()
        };
        ($field:ident as $type:ty) => {
            tensor
                .$field
                .iter()
                .map(|value| (*value as $type).to_le_bytes().to_vec())
                .collect()
        };
    }
    let pairs = |parts: Vec<Vec<u8>>| parts.chunks(2).map(<[_]>::concat).collect();
    match data_type {
        DataType::DtFloat => all!(float_val),
        DataType::DtDouble => all!(double_val),
        DataType::DtHalf | DataType::DtBfloat16 => all!(half_val as u16),
        DataType::DtInt64 => all!(int64_val),
        DataType::DtUint32 => all!(uint32_val),
        DataType::DtUint64 => all!(uint64_val),
        DataType::DtInt32 => all!(int_val),
        DataType::DtInt16 | DataType::DtUint16 => all!(int_val as i16),
        DataType::DtComplex64 => pairs(all!(scomplex_val)),
        DataType::DtComplex128 => pairs(all!(dcomplex_val)),
        // The bytes of small floats are in a field of their own.
        DataType::DtFloat8E5m2
        | DataType::DtFloat8E4m3fn
        | DataType::DtFloat8E4m3fnuz
        | DataType::DtFloat8E4m3b11fnuz
        | DataType::DtFloat8E5m2fnuz => tensor.float8_val.iter().map(|byte| vec![*byte]).collect(),
        _ => all!(int_val as i8),
    }
}
