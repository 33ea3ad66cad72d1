//! TensorFlow's data types, by the names that MLIR users write.
//!
//! One table serves both directions. A type that MLIR cannot express (a quantized integer) has only
//! TensorFlow's name, which is used in messages and cannot be read back. A *reference* type
//! (`DT_FLOAT_REF`, a legacy of TensorFlow 1) counts as its value type.

use crate::proto::DataType;

/// The number of `DT_X_REF` is the number of `DT_X` plus this.
const REFERENCE_OFFSET: i32 = 100;

/// The element types, as MLIR prints them, with their data types.
const NAMES: &[(&str, DataType)] = &[
    ("f32", DataType::DtFloat),
    ("f64", DataType::DtDouble),
    ("f16", DataType::DtHalf),
    ("bf16", DataType::DtBfloat16),
    ("i1", DataType::DtBool),
    ("i2", DataType::DtInt2),
    ("i4", DataType::DtInt4),
    ("i8", DataType::DtInt8),
    ("i16", DataType::DtInt16),
    ("i32", DataType::DtInt32),
    ("i64", DataType::DtInt64),
    // Host code gives an index 64 bits. `to_mlir` never returns this row, because `i64` comes
    // first.
    ("index", DataType::DtInt64),
    ("ui2", DataType::DtUint2),
    ("ui4", DataType::DtUint4),
    ("ui8", DataType::DtUint8),
    ("ui16", DataType::DtUint16),
    ("ui32", DataType::DtUint32),
    ("ui64", DataType::DtUint64),
    ("complex<f32>", DataType::DtComplex64),
    ("complex<f64>", DataType::DtComplex128),
    ("f8E5M2", DataType::DtFloat8E5m2),
    ("f8E4M3FN", DataType::DtFloat8E4m3fn),
    ("f8E4M3FNUZ", DataType::DtFloat8E4m3fnuz),
    ("f8E4M3B11FNUZ", DataType::DtFloat8E4m3b11fnuz),
    ("f8E5M2FNUZ", DataType::DtFloat8E5m2fnuz),
    ("f4E2M1FN", DataType::DtFloat4E2m1fn),
    ("!tfx_tensor.string", DataType::DtString),
    ("!tfx_tensor.resource", DataType::DtResource),
    ("!tfx_tensor.variant", DataType::DtVariant),
];

/// Returns the data type of an MLIR element type, given as MLIR prints it; `None` if TensorFlow has
/// none.
pub fn from_mlir(name: &str) -> Option<DataType> {
    NAMES
        .iter()
        .find(|(written, _)| *written == name)
        .map(|(_, data_type)| *data_type)
}

/// Returns all element types that TensorFlow has, as MLIR prints them.
pub fn mlir_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(written, _)| *written)
}

/// Returns the MLIR element type of a data type, as MLIR prints it; `None` if MLIR has none.
pub fn to_mlir(data_type: DataType) -> Option<&'static str> {
    let data_type = dereferenced(data_type);
    NAMES
        .iter()
        .find(|(_, listed)| *listed == data_type)
        .map(|(written, _)| *written)
}

/// Returns the name of a data type in messages: MLIR's name, or TensorFlow's if MLIR has none.
pub fn display_name(data_type: DataType) -> &'static str {
    to_mlir(data_type).unwrap_or_else(|| dereferenced(data_type).as_str_name())
}

/// Returns the value type of a reference type, and any other type unchanged.
pub fn dereferenced(data_type: DataType) -> DataType {
    let number = data_type as i32;
    if number <= REFERENCE_OFFSET {
        return data_type;
    }
    from_number(number - REFERENCE_OFFSET)
}

/// Returns the data type of a number in a protobuf field; `DT_INVALID` for a number that TensorFlow
/// does not use.
pub fn from_number(number: i32) -> DataType {
    DataType::try_from(number).unwrap_or(DataType::DtInvalid)
}

/// Returns the size of an element in bytes; `None` if elements have no fixed size.
pub fn byte_size(data_type: DataType) -> Option<usize> {
    Some(match data_type {
        DataType::DtInt2
        | DataType::DtUint2
        | DataType::DtInt4
        | DataType::DtUint4
        | DataType::DtInt8
        | DataType::DtUint8
        | DataType::DtFloat8E5m2
        | DataType::DtFloat8E4m3fn
        | DataType::DtFloat8E4m3fnuz
        | DataType::DtFloat8E4m3b11fnuz
        | DataType::DtFloat8E5m2fnuz
        | DataType::DtFloat4E2m1fn => 1,
        DataType::DtInt16 | DataType::DtUint16 | DataType::DtHalf | DataType::DtBfloat16 => 2,
        DataType::DtInt32 | DataType::DtUint32 | DataType::DtFloat => 4,
        DataType::DtInt64 | DataType::DtUint64 | DataType::DtDouble | DataType::DtComplex64 => 8,
        DataType::DtComplex128 => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for &(name, data_type) in NAMES {
            assert_eq!(from_mlir(name), Some(data_type));
            let expected = if name == "index" { "i64" } else { name };
            assert_eq!(to_mlir(data_type), Some(expected));
        }
        assert_eq!(from_mlir("i7"), None);
        assert_eq!(from_mlir("string"), None);
    }

    #[test]
    fn every_data_type_has_a_name() {
        let (mut written, mut only_tensorflow) = (0, vec![]);
        for data_type in (1..100).filter_map(|number| DataType::try_from(number).ok()) {
            match to_mlir(data_type) {
                Some(_) => written += 1,
                None => only_tensorflow.push(display_name(data_type)),
            }
        }
        assert_eq!(written, NAMES.len() - 1);
        assert_eq!(
            only_tensorflow,
            [
                "DT_QINT8",
                "DT_QUINT8",
                "DT_QINT32",
                "DT_QINT16",
                "DT_QUINT16"
            ]
        );
    }

    #[test]
    fn references_count_as_their_values() {
        assert_eq!(dereferenced(DataType::DtFloatRef), DataType::DtFloat);
        assert_eq!(to_mlir(DataType::DtStringRef), Some("!tfx_tensor.string"));
        assert_eq!(from_number(77), DataType::DtInvalid);
    }
}
