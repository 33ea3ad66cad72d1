//! The elements of constants.

use tfx_graphdef::proto::TensorProto;

use crate::element::Element;

/// Returns the bits of the elements of a constant: one, if all are equal; else all.
pub(super) fn elements(proto: &TensorProto, element: Element) -> Vec<u64> {
    let bytes = &proto.tensor_content;
    match element {
        _ if !bytes.is_empty() => {
            let size = element.size() as usize;
            // Little-endian, as in memory.
            let bits = |bytes: &[u8]| {
                bytes
                    .iter()
                    .rev()
                    .fold(0, |bits, &byte| bits << u8::BITS | u64::from(byte))
            };
            bytes.chunks(size).map(bits).collect()
        }
        Element::F32 => proto
            .float_val
            .iter()
            .map(|value| value.to_bits().into())
            .collect(),
        Element::F64 => proto
            .double_val
            .iter()
            .map(|value| value.to_bits())
            .collect(),
        Element::I32 => proto.int_val.iter().map(|&value| value as u64).collect(),
        Element::I64 => proto.int64_val.iter().map(|&value| value as u64).collect(),
        Element::Bool => proto.bool_val.iter().map(|&value| value.into()).collect(),
    }
}

/// Returns elements as they are in memory.
pub(super) fn bytes(elements: &[u64], element: Element) -> Vec<u8> {
    let size = element.size() as usize;
    elements
        .iter()
        .flat_map(|bits| bits.to_le_bytes()[..size].to_vec())
        .collect()
}
