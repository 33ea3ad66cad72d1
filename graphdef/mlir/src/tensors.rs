//! Constants: the `TensorProto` of an MLIR elements attribute.
//!
//! ```text
//! dense<0.01> : tensor<f32>          float_val: 0.01            one value for all elements
//! dense<[1, 2]> : tensor<2xi32>      tensor_content: "\001..."  bytes as they are in memory
//! dense<["a"]> : tensor<1x!string>   string_val: "a"
//! ```
//!
//! MLIR stores elements as TensorFlow does: in whole bytes, little-endian, in row-major order. Only
//! `i1` and strings are read one by one. A splat stays one value, so
//! `dense<0.0> : tensor<1000x1000xf32>` takes four bytes. The cost is linear in the stored
//! elements.

use melior::ir::{Attribute, AttributeLike, attribute::DenseElementsAttribute};
use tfx_dialects::tensor;
use tfx_graphdef::{
    DataType,
    element::{byte_size, display_name},
    proto::TensorProto,
};
use tfx_ir::Value;

use crate::{error::ConversionError, ffi, types};

/// The largest size of a constant tensor, in bytes: more than the memory of the machines that run
/// graphs. A splat reaches it with one stored element, whose copies exist only at run time. Sizes
/// up to here do not overflow in later computations.
pub const MOST_BYTES: u64 = 1 << 40;

/// Converts a constant.
///
/// # Errors
///
/// TensorFlow does not have the element type, or no constants of it; the tensor is larger than
/// [`MOST_BYTES`].
pub fn tensor(attribute: Attribute) -> Result<TensorProto, ConversionError> {
    let Ok(dense) = DenseElementsAttribute::try_from(attribute) else {
        let text = abbreviated(&attribute.to_string());
        return Err(ConversionError::NotDense(text));
    };
    let data_type = types::expect_data_type(attribute.r#type())?;
    let size = byte_size(data_type).unwrap_or(1) as u64;
    let sizes = types::sizes(attribute.r#type()).into_iter().flatten();
    let sizes: Vec<u64> = sizes.flatten().collect();
    let bytes = sizes
        .iter()
        .try_fold(size, |product, &size| product.checked_mul(size));
    if !sizes.contains(&0) && bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
        let ty = attribute.r#type().to_string();
        return Err(ConversionError::TooLarge(ty));
    }
    let mut proto = TensorProto {
        dtype: data_type as i32,
        tensor_shape: Some(types::shape(attribute.r#type())),
        ..Default::default()
    };
    fill(&mut proto, data_type, dense)?;
    Ok(proto)
}

/// Returns the elements of an integer constant; none for other values.
pub fn integers(value: Value<'_>) -> Option<Vec<i64>> {
    let constant = value.defining_op().and_then(tensor::Const::cast)?;
    let sizes = types::sizes(value.ty())?.into_iter();
    let count = sizes.product::<Option<u64>>()?;
    let stored = stored_integers(&tensor(constant.value()).ok()?)?;
    match stored[..] {
        [only] => Some(vec![only; usize::try_from(count).ok()?]),
        _ => Some(stored),
    }
}

fn stored_integers(proto: &TensorProto) -> Option<Vec<i64>> {
    let data_type = DataType::try_from(proto.dtype).ok()?;
    let bytes = &proto.tensor_content;
    Some(match data_type {
        DataType::DtInt32 if !bytes.is_empty() => {
            let (chunks, _) = bytes.as_chunks();
            chunks
                .iter()
                .map(|&bytes| i32::from_le_bytes(bytes).into())
                .collect()
        }
        DataType::DtInt64 if !bytes.is_empty() => {
            let (chunks, _) = bytes.as_chunks();
            chunks
                .iter()
                .map(|&bytes| i64::from_le_bytes(bytes))
                .collect()
        }
        DataType::DtInt32 => proto.int_val.iter().map(|&value| value.into()).collect(),
        DataType::DtInt64 => proto.int64_val.clone(),
        _ => return None,
    })
}

/// Returns whether an attribute has integers of whole bytes, none of which is zero.
pub(crate) fn has_no_zero(attribute: Attribute) -> bool {
    let size = types::width(types::element_type(attribute.r#type()));
    let size = size.map_or(0, |bits| bits as usize / 8);
    match DenseElementsAttribute::try_from(attribute) {
        Ok(dense) if size > 0 => ffi::stored_bytes(dense, size)
            .chunks(size)
            .all(|number| number.iter().any(|byte| *byte != 0)),
        _ => false,
    }
}

fn fill(
    proto: &mut TensorProto,
    data_type: DataType,
    dense: DenseElementsAttribute,
) -> Result<(), ConversionError> {
    // A splat stores one element, even if it has none.
    let stored = if dense.is_splat() { 1 } else { dense.len() };
    let readable = 0..stored.min(dense.len());
    match data_type {
        DataType::DtString => {
            let strings = readable.map(|index| ffi::string_element(dense, index).to_vec());
            proto.string_val = strings.collect();
        }
        DataType::DtBool => {
            let bool = |index| {
                dense
                    .bool_element(index)
                    .expect("an attribute of i1 has bools")
            };
            proto.bool_val = readable.map(bool).collect();
        }
        _ => {
            let size = byte_size(data_type);
            let size = size.ok_or(ConversionError::Constant(display_name(data_type)))?;
            let bytes = ffi::stored_bytes(dense, size);
            if stored != 1 || !single(proto, data_type, bytes) {
                // The only type without a field for a single value is one of 4 bits.
                proto.tensor_content = bytes.repeat(dense.len() / stored.max(1));
            }
        }
    }
    Ok(())
}

/// Writes one value, which stands for all elements, into the field of its type. Returns false if
/// the type has no such field.
fn single(proto: &mut TensorProto, data_type: DataType, bytes: &[u8]) -> bool {
    macro_rules! read {
        ($type:ty) => {
            <$type>::from_le_bytes(
                bytes
                    .try_into()
                    .expect("an element has the size of its type"),
            )
        };
    }
    match data_type {
        DataType::DtFloat => proto.float_val.push(read!(f32)),
        DataType::DtDouble => proto.double_val.push(read!(f64)),
        DataType::DtHalf | DataType::DtBfloat16 => proto.half_val.push(i32::from(read!(u16))),
        DataType::DtInt8 => proto.int_val.push(i32::from(read!(i8))),
        DataType::DtUint8 => proto.int_val.push(i32::from(read!(u8))),
        DataType::DtInt16 => proto.int_val.push(i32::from(read!(i16))),
        DataType::DtUint16 => proto.int_val.push(i32::from(read!(u16))),
        DataType::DtInt32 => proto.int_val.push(read!(i32)),
        DataType::DtInt64 => proto.int64_val.push(read!(i64)),
        DataType::DtUint32 => proto.uint32_val.push(read!(u32)),
        DataType::DtUint64 => proto.uint64_val.push(read!(u64)),
        DataType::DtComplex64 => {
            let parts = bytes.as_chunks().0;
            proto.scomplex_val = parts.iter().copied().map(f32::from_le_bytes).collect();
        }
        DataType::DtComplex128 => {
            let parts = bytes.as_chunks().0;
            proto.dcomplex_val = parts.iter().copied().map(f64::from_le_bytes).collect();
        }
        DataType::DtInt2 | DataType::DtInt4 => proto.int_val.push(i32::from(read!(i8))),
        DataType::DtUint2 | DataType::DtUint4 => proto.int_val.push(i32::from(read!(u8))),
        DataType::DtFloat8E5m2
        | DataType::DtFloat8E4m3fn
        | DataType::DtFloat8E4m3fnuz
        | DataType::DtFloat8E4m3b11fnuz
        | DataType::DtFloat8E5m2fnuz => proto.float8_val = bytes.to_vec(),
        _ => return false,
    }
    true
}

/// The number of characters of an attribute in a message: enough to recognise it.
const SHOWN: usize = 40;

/// Returns the start of a text that may be megabytes long.
pub(crate) fn abbreviated(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    fn read(text: &str) -> Result<TensorProto, ConversionError> {
        let context = context();
        tensor(Attribute::parse(&context, text).unwrap())
    }

    #[test]
    fn one_value_stands_for_all() {
        let splat = read("dense<0.5> : tensor<100x100xf32>").unwrap();
        assert_eq!(
            (splat.float_val.as_slice(), splat.tensor_content.len()),
            ([0.5].as_slice(), 0)
        );
        assert_eq!(read("dense<-3> : tensor<i8>").unwrap().int_val, [-3]);
        assert_eq!(read("dense<-3> : tensor<2xi64>").unwrap().int64_val, [-3]);
        assert_eq!(
            read("dense<1.0> : tensor<bf16>").unwrap().half_val,
            [0x3F80]
        );
        assert_eq!(read("dense<true> : tensor<9xi1>").unwrap().bool_val, [true]);
        let complex = read("dense<(1.0, -1.0)> : tensor<600000000xcomplex<f32>>").unwrap();
        assert_eq!(complex.scomplex_val, [1.0, -1.0]);
        let small = read("dense<1.0> : tensor<600000000xf8E5M2>").unwrap();
        assert_eq!(small.float8_val, [0x3C]);
    }

    #[test]
    fn constants_have_a_limit() {
        let most = read("dense<0> : tensor<1099511627776xi8>").unwrap();
        assert_eq!(most.int_val, [0]);
        assert!(read("dense<0> : tensor<0x4611686018427387904xi32>").is_ok());
        for text in [
            "tensor<1099511627777xi8>",
            "tensor<4611686018427387904x4xi32>",
            "tensor<1099511627777x!tfx_tensor.string>",
        ] {
            let value = if text.contains("string") { "\"\"" } else { "0" };
            assert_eq!(
                read(&format!("dense<{value}> : {text}"))
                    .unwrap_err()
                    .to_string(),
                format!("a constant of {text} is larger than 1 TiB, which no executor can hold")
            );
        }
    }

    #[test]
    fn several_values_are_bytes() {
        let list = read("dense<[[1, 2], [-1, 256]]> : tensor<2x2xi16>").unwrap();
        assert_eq!(list.tensor_content, [1, 0, 2, 0, 255, 255, 0, 1]);
        let bools: Vec<_> = (0..11).map(|index| index % 3 == 0).collect();
        let text = format!("dense<{bools:?}> : tensor<11xi1>");
        assert_eq!(read(&text).unwrap().bool_val, bools);
        let text = "dense<[(1.0, -1.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>";
        let parts = [1.0f32, -1.0, 2.0, 0.0];
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
        assert_eq!(read(text).unwrap().tensor_content, bytes);
    }

    #[test]
    fn no_values_are_no_bytes() {
        let empty = read("dense<> : tensor<0x2xf32>").unwrap();
        assert!(empty.tensor_content.is_empty() && empty.float_val.is_empty());
        assert_eq!(empty.tensor_shape.unwrap().dim.len(), 2);
    }

    #[test]
    fn strings_are_any_bytes() {
        let strings = read(r#"dense<["a\FFb", ""]> : tensor<2x!tfx_tensor.string>"#).unwrap();
        assert_eq!(strings.string_val, [b"a\xFFb".to_vec(), vec![]]);
    }

    #[test]
    fn other_attributes_are_errors() {
        let message = |text| read(text).unwrap_err().to_string();
        assert_eq!(
            message("dense<1> : tensor<i7>"),
            "TensorFlow has no element type i7"
        );
        assert_eq!(
            message("dense_resource<blob> : tensor<2xf32>"),
            "a constant must be written as dense<...>, not as dense_resource<blob> : tensor<2xf32>"
        );
    }
}
