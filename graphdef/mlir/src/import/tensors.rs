//! MLIR constants for the tensors of nodes, the inverse of `crate::tensors`.
//!
//! A `TensorProto` has its elements as bytes, or as a list of numbers. The last number stands for
//! all remaining elements; an empty list means zeros.

use melior::Context;
use melior::ir::{Attribute, Type};
use tfx_graphdef::proto::TensorProto;
use tfx_graphdef::{DataType, element};

use crate::error::ConversionError;
use crate::ffi;
use crate::tensors::MOST_BYTES;
use crate::types::tensor_of;

/// Returns the MLIR element type of a data type.
///
/// # Errors
///
/// MLIR has none.
pub(super) fn element_type(
    context: &Context,
    data_type: DataType,
) -> Result<Type<'_>, ConversionError> {
    let name = element::to_mlir(data_type);
    let name = name.ok_or_else(|| ConversionError::DataType(element::display_name(data_type)))?;
    Ok(Type::parse(context, name).expect("the table has types that MLIR reads"))
}

/// The largest number of bytes of a constant whose elements differ: that of a protobuf message. A
/// message may list less and have the last element repeated.
const MOST_LISTED: u64 = i32::MAX as u64;

/// Returns whether a constant may have different elements.
fn lists_several(tensor: &TensorProto) -> bool {
    let data_type = element::from_number(tensor.dtype);
    !tensor.tensor_content.is_empty() || listed(tensor, data_type).len() > 1
}

/// Converts a constant, and returns its type too.
///
/// # Errors
///
/// MLIR has no such elements, or there are fewer than in the shape.
pub(super) fn constant<'c>(
    context: &'c Context,
    tensor: &TensorProto,
) -> Result<(Attribute<'c>, Type<'c>), ConversionError> {
    let data_type = element::from_number(tensor.dtype);
    let dimensions = tensor.tensor_shape.iter().flat_map(|shape| &shape.dim);
    let sizes = dimensions
        .map(|dim| u64::try_from(dim.size).map_err(|_| ConversionError::UnknownSize))
        .collect::<Result<Vec<_>, _>>()?;
    let known: Vec<_> = sizes.iter().copied().map(Some).collect();
    let ty = tensor_of(context, Some(&known), element_type(context, data_type)?);
    let count = sizes
        .iter()
        .try_fold(1_u64, |product, size| product.checked_mul(*size))
        .and_then(|count| usize::try_from(count).ok())
        .ok_or(ConversionError::TooManyElements)?;
    let width = element::byte_size(data_type).unwrap_or(1);
    let is_large = |most: u64| count as u128 * width as u128 > u128::from(most);
    if is_large(MOST_BYTES) {
        return Err(ConversionError::TooLarge(ty.to_string()));
    }
    // Their elements are listed here one by one, even if all are the same.
    let is_listed = matches!(data_type, DataType::DtString | DataType::DtBool);
    if is_large(MOST_LISTED) && (is_listed || lists_several(tensor)) {
        return Err(ConversionError::TooManyElements);
    }
    let attribute = match data_type {
        DataType::DtString => {
            let strings = filled(tensor.string_val.clone(), count, Vec::new())?;
            ffi::string_elements(ty, &repeated(strings, count))
        }
        DataType::DtBool => {
            let bools = match tensor.tensor_content.as_slice() {
                [] => tensor.bool_val.clone(),
                content => content.iter().map(|byte| *byte != 0).collect(),
            };
            ffi::bool_elements(ty, &repeated(filled(bools, count, false)?, count))
        }
        _ => {
            let width = element::byte_size(data_type);
            let width =
                width.ok_or_else(|| ConversionError::Constant(element::display_name(data_type)))?;
            ffi::elements(ty, &bytes(tensor, data_type, width, count)?)
        }
    };
    Ok((attribute, ty))
}

/// Extends a list to `count` elements by its last one. A single element stays alone.
fn filled<T: Clone>(mut listed: Vec<T>, count: usize, zero: T) -> Result<Vec<T>, ConversionError> {
    if listed.len() > count {
        return Err(ConversionError::Elements {
            given: listed.len(),
            expected: count,
        });
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

/// Repeats a single element.
fn repeated<T: Clone>(filled: Vec<T>, count: usize) -> Vec<T> {
    match filled.as_slice() {
        [single] => vec![single.clone(); count],
        _ => filled,
    }
}

/// Returns the bytes of all elements, or of a single one for all.
fn bytes(
    tensor: &TensorProto,
    data_type: DataType,
    width: usize,
    count: usize,
) -> Result<Vec<u8>, ConversionError> {
    let content = &tensor.tensor_content;
    if content.is_empty() {
        let elements = filled(listed(tensor, data_type), count, vec![0; width])?;
        return Ok(elements.concat());
    }
    let (given, expected) = (content.len(), width * count);
    match given == expected {
        true => Ok(content.clone()),
        false => Err(ConversionError::Bytes { given, expected }),
    }
}

/// Returns the elements that are listed in the field of their type.
fn listed(tensor: &TensorProto, data_type: DataType) -> Vec<Vec<u8>> {
    macro_rules! all {
        ($field:ident $(as $type:ty)?) => {{
            let numbers = tensor.$field.iter().map(|value| *value $(as $type)?);
            numbers.map(|number| number.to_le_bytes().to_vec()).collect()
        }};
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
        // Small floats have their own field.
        DataType::DtFloat8E5m2
        | DataType::DtFloat8E4m3fn
        | DataType::DtFloat8E4m3fnuz
        | DataType::DtFloat8E4m3b11fnuz
        | DataType::DtFloat8E5m2fnuz => tensor.float8_val.iter().map(|byte| vec![*byte]).collect(),
        _ => all!(int_val as i8),
    }
}
