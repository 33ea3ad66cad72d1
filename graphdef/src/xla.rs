//! The operations that XLA, a part of TensorFlow's library, compiles for the CPU.
//!
//! ```text
//! data/xla.txt     types 4 int32 int64           for each operation: the element types that a type
//!                  Reshape T=0 Tshape=4 !shape   attribute may have, and the operands that must be
//!                                                constants at compilation
//! EXCEPTIONS       GatherV2: XLA clamps indices  operations whose compiled form behaves differently
//! ```
//!
//! [`check`] applies both to one use of an operation. It does not consider shapes and values. The
//! caller ensures that all shapes are known, and that the operands that must be constants are
//! constants of the compiled function.
//!
//! The first call reads the table in one pass over 17 KB. A check costs a binary search and a pass
//! over the attributes of the operation.
//!
//! Not guaranteed: that XLA rounds as TensorFlow's own kernels do. It fuses operations, and rounds
//! a fused multiplication and addition once.

use std::sync::LazyLock;

use crate::{
    element::{byte_size, from_number},
    proto::{DataType, attr_value::Value},
    resolve::Resolved,
};

/// The table; `data/README.md` describes its origin.
static TABLE: &str = include_str!("../data/xla.txt");

static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| read(TABLE));

/// A kernel of XLA for an operation.
#[derive(Debug, PartialEq)]
struct Kernel {
    operation: &'static str,
    /// Type attributes, with the element types that they may be.
    types: Vec<(&'static str, Vec<DataType>)>,
    /// The names of the operands that must be constants.
    known: Vec<&'static str>,
}

/// The requirements on the operands of an operation, in addition to static shapes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Needs {
    /// The operands that must be constants of the compiled function, by position.
    pub constants: Vec<usize>,
    /// The operand that must be known to contain no zeros: TensorFlow's kernel fails for zeros, and
    /// XLA returns an arbitrary number.
    pub no_zeros: Option<usize>,
    /// The operand that must be known to contain shift amounts below this number of bits: for other
    /// amounts, TensorFlow's kernel and XLA return different numbers.
    pub shifts_below: Option<(usize, u32)>,
}

/// The reason why an operation is not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// XLA cannot compile the operation.
    Operation,
    /// XLA does not compile the operation for this element type.
    ElementType(DataType),
    /// The compiled operation behaves differently. The text is the rest of a sentence about XLA.
    Differs(&'static str),
}

/// Returns the requirements of XLA for the use of an operation.
///
/// # Errors
///
/// XLA does not compile the operation, or would change its behaviour.
pub fn check(operation: &Resolved) -> Result<Needs, Refusal> {
    let name = operation.definition.name.as_str();
    let kernels = kernels(name);
    if kernels.is_empty() || operation.definition.is_stateful {
        return Err(Refusal::Operation);
    }
    let mut refused = None;
    let kernel = kernels.iter().find(|kernel| {
        let wrong = wrong_type(kernel, operation);
        refused = refused.or(wrong);
        wrong.is_none()
    });
    let Some(kernel) = kernel else {
        return Err(refused.map_or(Refusal::Operation, Refusal::ElementType));
    };
    let mut needs = Needs {
        constants: positions(&kernel.known, operation),
        no_zeros: None,
        shifts_below: None,
    };
    match exception(name, operation) {
        Some(Exception::Differs(reason)) => return Err(Refusal::Differs(reason)),
        Some(Exception::Divides) => needs.no_zeros = Some(1),
        Some(Exception::Shifts(bits)) => needs.shifts_below = Some((1, bits)),
        None => {}
    }
    Ok(needs)
}

/// Returns whether XLA has values of this element type on the CPU, and can pass them through loops
/// and branches.
pub fn has_type(data_type: DataType) -> bool {
    let constant = kernels("Const")
        .first()
        .and_then(|kernel| kernel.types.first());
    data_type != DataType::DtString && constant.is_some_and(|(_, types)| types.contains(&data_type))
}

fn kernels(name: &str) -> &'static [Kernel] {
    let first = KERNELS.partition_point(|kernel| kernel.operation < name);
    let rest = &KERNELS[first..];
    &rest[..rest.partition_point(|kernel| kernel.operation == name)]
}

/// Returns an element type of the operation that the kernel does not accept.
fn wrong_type(kernel: &Kernel, operation: &Resolved) -> Option<DataType> {
    kernel.types.iter().find_map(|(attribute, allowed)| {
        let value = operation.attributes.get(*attribute)?.value.as_ref()?;
        let given = match value {
            Value::Type(number) => std::slice::from_ref(number),
            Value::List(list) => &list.r#type,
            _ => &[],
        };
        given
            .iter()
            .map(|&number| from_number(number))
            .find(|data_type| !allowed.contains(data_type))
    })
}

/// Returns the positions of the operands that belong to the named arguments.
fn positions(names: &[&str], operation: &Resolved) -> Vec<usize> {
    let arguments = operation.definition.input_arg.iter();
    arguments
        .zip(&operation.operand_arguments)
        .filter(|(argument, _)| names.contains(&argument.name.as_str()))
        .flat_map(|(_, operands)| operands.clone())
        .collect()
}

fn read(table: &'static str) -> Vec<Kernel> {
    let mut sets: Vec<Vec<DataType>> = Vec::new();
    let mut kernels = Vec::new();
    for line in table.lines() {
        let mut words = line.split(' ');
        let first = words.next().unwrap_or_default();
        if first == "types" {
            sets.push(words.skip(1).map(data_type).collect());
            continue;
        }
        let mut kernel = Kernel {
            operation: first,
            types: Vec::new(),
            known: Vec::new(),
        };
        for word in words {
            match (word.strip_prefix('!'), word.split_once('=')) {
                (Some(operand), _) => kernel.known.push(operand),
                (None, Some((attribute, set))) => {
                    let set: usize = set.parse().expect("xla.txt numbers its sets of types");
                    kernel.types.push((attribute, sets[set].clone()));
                }
                (None, None) => unreachable!("xla.txt has attributes and operands: {word}"),
            }
        }
        kernels.push(kernel);
    }
    kernels
}

fn data_type(name: &str) -> DataType {
    DataType::from_str_name(&format!("DT_{}", name.to_uppercase()))
        .expect("xla.txt names types as TensorFlow does")
}

// ---------------------------------------------------- operations whose compiled form differs

/// The reason why an operation needs a special case.
#[derive(Clone, Copy)]
enum Exception {
    /// The operation must not be compiled.
    Differs(&'static str),
    /// The operation divides integers.
    Divides,
    /// The operation shifts integers of this number of bits.
    Shifts(u32),
}

const CLAMPS: &str =
    "does not check indices: where TensorFlow's kernel fails, it reads or writes another element";
const NO_CHECK: &str = "omits this check: where TensorFlow's kernel fails, it continues";
const NO_FAILURE: &str = "returns arbitrary numbers where TensorFlow's kernel fails, such as for a \
                          singular matrix";
const OTHER_NUMBERS: &str = "draws other random numbers than TensorFlow's kernel does";
const INACCURATE: &str =
    "returns results that differ by more than rounding from those of TensorFlow's kernel";
const SIZES_BY_VALUE: &str = "pads results whose size depends on values";

macro_rules! exceptions {
    ($($reason:ident: $($name:literal)*;)*) => { &[$(($reason, &[$($name),*])),*] };
}

/// Operations that XLA compiles, but with different behaviour. TensorFlow's automatic clustering
/// excludes some of them for the same reasons (`mark_for_compilation_pass.cc`: inaccurate
/// operations, operations with checks, random numbers).
const EXCEPTIONS: &[(&str, &[&str])] = exceptions! {
    CLAMPS:
        "Bincount" "DenseBincount" "DynamicStitch" "Gather" "GatherNd" "GatherV2"
        "InvertPermutation" "ParallelDynamicStitch" "ReverseSequence" "ScatterNd" "SegmentMaxV2"
        "SegmentMinV2" "SegmentProdV2" "SegmentSumV2" "SparseSoftmaxCrossEntropyWithLogits"
        "SparseToDense" "TensorScatterAdd" "TensorScatterMax" "TensorScatterMin" "TensorScatterSub"
        "TensorScatterUpdate" "UnsortedSegmentMax" "UnsortedSegmentMin" "UnsortedSegmentProd"
        "UnsortedSegmentSum";
    NO_CHECK: "Assert" "CheckNumerics" "LowerBound" "UpperBound";
    NO_FAILURE: "Cholesky" "MatrixInverse" "MatrixSolve" "MatrixTriangularSolve" "TridiagonalSolve";
    OTHER_NUMBERS:
        "StatelessMultinomial" "StatelessParameterizedTruncatedNormal" "StatelessRandomGetAlg"
        "StatelessRandomGetKeyCounter" "StatelessRandomGetKeyCounterAlg" "StatelessRandomNormal"
        "StatelessRandomNormalV2" "StatelessRandomUniform" "StatelessRandomUniformFullInt"
        "StatelessRandomUniformFullIntV2" "StatelessRandomUniformInt" "StatelessRandomUniformIntV2"
        "StatelessRandomUniformV2" "StatelessTruncatedNormal" "StatelessTruncatedNormalV2"
        "StochasticCastToInt";
    INACCURATE:
        "Qr" "ResizeBilinear" "ResizeBilinearGrad" "ResizeNearestNeighbor" "SelfAdjointEigV2" "Svd";
    SIZES_BY_VALUE:
        "DynamicPartition" "ListDiff" "NonMaxSuppressionV3" "NonMaxSuppressionV4" "Unique"
        "UniqueV2" "Where";
};

/// Operations that divide by their second operand. A division of integers fails if it is zero.
pub const DIVISIONS: [&str; 6] = [
    "Div",
    "FloorDiv",
    "FloorMod",
    "Mod",
    "TruncateDiv",
    "TruncateMod",
];

/// Operations that shift by their second operand.
const SHIFTS: [&str; 2] = ["LeftShift", "RightShift"];

fn exception(name: &str, operation: &Resolved) -> Option<Exception> {
    let data_type = operation.operands.first().copied().unwrap_or_default();
    if DIVISIONS.contains(&name) {
        return is_integer(data_type).then_some(Exception::Divides);
    }
    if SHIFTS.contains(&name) {
        let bytes = byte_size(data_type);
        return bytes.map(|bytes| Exception::Shifts(bytes as u32 * u8::BITS));
    }
    if name == "Pow" && is_integer(data_type) {
        return Some(Exception::Differs(NO_CHECK));
    }
    EXCEPTIONS
        .iter()
        .find(|(_, names)| names.binary_search(&name).is_ok())
        .map(|(reason, _)| Exception::Differs(reason))
}

fn is_integer(data_type: DataType) -> bool {
    matches!(
        data_type,
        DataType::DtInt8
            | DataType::DtInt16
            | DataType::DtInt32
            | DataType::DtInt64
            | DataType::DtUint8
            | DataType::DtUint16
            | DataType::DtUint32
            | DataType::DtUint64
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Registry, Use, resolve, resolve::Computed};

    fn used(
        operation: &str,
        operands: &[DataType],
        results: &[DataType],
    ) -> Result<Needs, Refusal> {
        let operation = resolve(&Use {
            operation,
            operands,
            results,
            attributes: &BTreeMap::new(),
            computed: &Computed::new(),
        });
        check(&operation.unwrap())
    }

    #[test]
    fn the_table_is_sorted_and_names_operations_and_operands_of_the_registry() {
        assert!(KERNELS.is_sorted_by(|a, b| a.operation <= b.operation));
        let registry = Registry::get();
        for kernel in KERNELS.iter() {
            // Operations outside of the registry belong to XLA's own front ends.
            let Some(definition) = registry.lookup(kernel.operation) else {
                assert!(kernel.operation.starts_with("Xla"), "{}", kernel.operation);
                continue;
            };
            for (attribute, _) in &kernel.types {
                assert!(
                    definition.attr.iter().any(|known| known.name == *attribute),
                    "{}: {attribute}",
                    kernel.operation
                );
            }
        }
    }

    #[test]
    fn exceptions_are_sorted_and_are_operations_that_xla_compiles() {
        for (reason, names) in EXCEPTIONS {
            assert!(names.is_sorted(), "{reason}");
            for name in *names {
                assert!(!kernels(name).is_empty(), "{name}");
            }
        }
        for name in DIVISIONS.into_iter().chain(SHIFTS) {
            assert!(!kernels(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn operations_are_checked_with_their_types() {
        use DataType::{DtFloat, DtInt32, DtString};
        assert_eq!(
            used("MatMul", &[DtFloat; 2], &[DtFloat]),
            Ok(Needs::default())
        );
        assert_eq!(
            used("MatMul", &[DataType::DtUint8; 2], &[DataType::DtUint8]),
            Err(Refusal::ElementType(DataType::DtUint8))
        );
        assert_eq!(
            used("StringLength", &[DtString], &[DtInt32]),
            Err(Refusal::Operation)
        );
        assert_eq!(
            used("RandomUniform", &[DtInt32], &[DtFloat]),
            Err(Refusal::Operation)
        );
        let shape = used("Reshape", &[DtFloat, DtInt32], &[DtFloat]).unwrap();
        assert_eq!(shape.constants, [1]);
        let axis = used("ConcatV2", &[DtFloat, DtFloat, DtInt32], &[DtFloat]).unwrap();
        assert_eq!(axis.constants, [2]);
    }

    #[test]
    fn operations_with_other_behaviour_are_not_compiled() {
        use DataType::{DtFloat, DtInt32};
        let gather = used("GatherV2", &[DtFloat, DtInt32, DtInt32], &[DtFloat]);
        assert_eq!(gather, Err(Refusal::Differs(CLAMPS)));
        let divides = |data_type| {
            used("FloorMod", &[data_type; 2], &[data_type])
                .unwrap()
                .no_zeros
        };
        assert_eq!((divides(DtInt32), divides(DtFloat)), (Some(1), None));
        let shift = used("LeftShift", &[DtInt32; 2], &[DtInt32]).unwrap();
        assert_eq!(shift.shifts_below, Some((1, 32)));
        assert_eq!(
            used("Pow", &[DtInt32; 2], &[DtInt32]),
            Err(Refusal::Differs(NO_CHECK))
        );
    }

    #[test]
    fn xla_has_no_values_of_types_that_only_tensorflow_has() {
        assert!(has_type(DataType::DtFloat) && has_type(DataType::DtBool));
        for data_type in [
            DataType::DtString,
            DataType::DtResource,
            DataType::DtVariant,
        ] {
            assert!(!has_type(data_type));
        }
    }
}
