//! The element types of compiled tensors.

use melior::Context;
use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_graphdef::DataType;

/// The type of the elements of a compiled tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Element {
    F32,
    F64,
    I32,
    I64,
    /// One byte in memory, `i1` as a value.
    Bool,
}

impl Element {
    /// Returns the element type with TensorFlow's number; `None` if no kernel has it.
    pub(crate) fn of(data_type: DataType) -> Option<Self> {
        Some(match data_type {
            DataType::DtFloat => Element::F32,
            DataType::DtDouble => Element::F64,
            DataType::DtInt32 => Element::I32,
            DataType::DtInt64 => Element::I64,
            DataType::DtBool => Element::Bool,
            _ => return None,
        })
    }

    /// Returns TensorFlow's number of the element type.
    pub(crate) fn data_type(self) -> DataType {
        match self {
            Element::F32 => DataType::DtFloat,
            Element::F64 => DataType::DtDouble,
            Element::I32 => DataType::DtInt32,
            Element::I64 => DataType::DtInt64,
            Element::Bool => DataType::DtBool,
        }
    }

    /// Returns the size in memory, in bytes.
    pub(crate) fn size(self) -> u64 {
        match self {
            Element::Bool => 1,
            Element::F32 | Element::I32 => 4,
            Element::F64 | Element::I64 => 8,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Element::F32 | Element::F64)
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Element::I32 | Element::I64)
    }

    /// Returns the type of one element as a value.
    pub(crate) fn value_type(self, context: &Context) -> Type<'_> {
        match self {
            Element::F32 => Type::float32(context),
            Element::F64 => Type::float64(context),
            Element::I32 => IntegerType::new(context, 32).into(),
            Element::I64 => IntegerType::new(context, 64).into(),
            Element::Bool => IntegerType::new(context, 1).into(),
        }
    }

    /// Returns the type of one element in memory.
    pub(crate) fn stored_type(self, context: &Context) -> Type<'_> {
        match self {
            Element::Bool => IntegerType::new(context, 8).into(),
            _ => self.value_type(context),
        }
    }
}
