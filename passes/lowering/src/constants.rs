//! The elements of constant tensors as bytes.

use tfx_graphdef::DataType;
use tfx_graphdef::proto::{TensorProto, TensorShapeProto, tensor_shape_proto::Dim};

/// Returns the elements in row-major order, little-endian; `None` if host code has no constants of
/// the element type. A single value in the message is repeated for all elements.
pub(crate) fn bytes(proto: &TensorProto) -> Option<Vec<u8>> {
    let count = elements(proto);
    if !proto.tensor_content.is_empty() {
        return Some(proto.tensor_content.clone());
    }
    let one = values(proto)?;
    let stored = one.len();
    let copies = if stored == 1 { count } else { 1 };
    Some(one.concat().repeat(copies))
}

/// The number of elements from which a constant with one value for all of them is not stored as
/// bytes: the call that copies the value is smaller.
const LARGE_SPLAT: usize = 256;

/// Returns whether a constant has many elements and one value for all of them.
pub(crate) fn is_large_splat(proto: &TensorProto) -> bool {
    let is_listed = || match proto.dtype() {
        DataType::DtString => proto.string_val.len() == 1,
        _ => values(proto).is_some_and(|values| values.len() == 1),
    };
    proto.tensor_content.is_empty() && elements(proto) >= LARGE_SPLAT && is_listed()
}

/// Returns a tensor of rank 0 with the only value of a constant.
pub(crate) fn element(proto: TensorProto) -> TensorProto {
    TensorProto {
        tensor_shape: Some(TensorShapeProto::default()),
        ..proto
    }
}

/// Returns the strings of a tensor in row-major order. A single string in the message is repeated
/// for all elements.
pub(crate) fn strings(proto: &TensorProto) -> Vec<Vec<u8>> {
    let mut strings = proto.string_val.clone();
    if let [one] = &strings[..] {
        strings = vec![one.clone(); elements(proto)];
    }
    strings
}

fn elements(proto: &TensorProto) -> usize {
    proto
        .tensor_shape
        .iter()
        .flat_map(|shape| &shape.dim)
        .map(|Dim { size, .. }| *size as usize)
        .product()
}

/// Returns the values in the message, each as bytes.
fn values(proto: &TensorProto) -> Option<Vec<Vec<u8>>> {
    macro_rules! list {
        ($field:ident, $type:ty) => {
            proto
                .$field
                .iter()
                .map(|&value| (value as $type).to_le_bytes().to_vec())
                .collect()
        };
    }
    Some(match proto.dtype() {
        DataType::DtFloat => list!(float_val, f32),
        DataType::DtDouble => list!(double_val, f64),
        DataType::DtHalf | DataType::DtBfloat16 => list!(half_val, u16),
        DataType::DtInt8 | DataType::DtUint8 => list!(int_val, u8),
        DataType::DtInt16 | DataType::DtUint16 => list!(int_val, u16),
        DataType::DtInt32 => list!(int_val, i32),
        DataType::DtInt64 => list!(int64_val, i64),
        DataType::DtUint32 => list!(uint32_val, u32),
        DataType::DtUint64 => list!(uint64_val, u64),
        DataType::DtBool => list!(bool_val, u8),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sizes: &[i64]) -> Option<TensorShapeProto> {
        let dim = sizes
            .iter()
            .map(|&size| Dim {
                size,
                name: String::new(),
            })
            .collect();
        Some(TensorShapeProto {
            dim,
            unknown_rank: false,
        })
    }

    #[test]
    fn a_single_value_is_repeated() {
        let proto = TensorProto {
            dtype: DataType::DtInt16 as i32,
            tensor_shape: shape(&[2, 1]),
            int_val: vec![-2],
            ..Default::default()
        };
        assert_eq!(bytes(&proto), Some(vec![0xfe, 0xff, 0xfe, 0xff]));
    }

    #[test]
    fn listed_values_are_returned() {
        let proto = TensorProto {
            dtype: DataType::DtBool as i32,
            tensor_shape: shape(&[2]),
            bool_val: vec![true, false],
            ..Default::default()
        };
        assert_eq!(bytes(&proto), Some(vec![1, 0]));
    }

    #[test]
    fn a_single_string_is_repeated() {
        let proto = |sizes: &[i64]| TensorProto {
            dtype: DataType::DtString as i32,
            tensor_shape: shape(sizes),
            string_val: vec![b"a".to_vec()],
            ..Default::default()
        };
        assert_eq!(strings(&proto(&[])), [b"a"]);
        assert_eq!(strings(&proto(&[2])), [b"a", b"a"]);
        assert!(strings(&proto(&[2, 0])).is_empty());
        assert_eq!(bytes(&proto(&[])), None);
    }
}
