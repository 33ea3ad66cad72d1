//! What XLA, which is inside TensorFlow's library, compiles for the CPU.
//!
//! ```text
//! data/xla.txt     types 4 int32 int64                    for each operation: the element types that a type attribute may have,
//!                  Reshape T=0 Tshape=4 !shape            and the operands that XLA must know when it compiles
//! EXCEPTIONS       GatherV2: XLA clamps indices ...       and where what it compiles is not the same
//! ```
//!
//! [`check`] asks both of one use of an operation. It knows nothing of shapes and values: XLA compiles for shapes that are known, and an operand that it must
//! know has to be a constant of the function that is compiled; the caller sees to both.
//!
//! Reading the table costs one pass over 17 KB when it is first asked; a check costs a binary search and the attributes of the operation.
//!
//! Not promised: that XLA rounds as TensorFlow's own kernels do. It fuses operations, and a product that is added to is rounded once.

use std::sync::LazyLock;

use crate::{
    element::{byte_size, from_number},
    proto::{DataType, attr_value::Value},
    resolve::Resolved,
};

/// The table; `data/README.md` says where it comes from.
static TABLE: &str = include_str!("../data/xla.txt");

static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| read(TABLE));

/// One way in which XLA compiles an operation.
#[derive(Debug, PartialEq)]
struct Kernel {
    operation: &'static str,
    /// Type attributes, with what they may be.
    types: Vec<(&'static str, Vec<DataType>)>,
    /// The names of the operands that must be known.
    known: Vec<&'static str>,
}

/// What the use of an operation needs beside static shapes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Needs {
    /// The operands that must be constants of the compiled function, by position.
    pub constants: Vec<usize>,
    /// The operand whose elements must be known to be no zeros, since TensorFlow's kernel fails there and XLA gives some number.
    pub no_zeros: Option<usize>,
    /// The operand whose elements must be known to be shifts by less than so many bits, since TensorFlow's kernel and XLA give different numbers for others.
    pub shifts_below: Option<(usize, u32)>,
}

/// Why XLA does not compile the use of an operation, or should not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It cannot compile the operation.
    Operation,
    /// It compiles the operation for other element types.
    ElementType(DataType),
    /// What it compiles is not the same: the reason, as the rest of a sentence about XLA.
    Differs(&'static str),
}

/// What XLA needs to compile the use of an operation.
///
/// # Errors
///
/// Why it does not compile it.
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

/// Whether XLA has values of that element type on the CPU, which it may carry through loops and branches.
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

/// A type that the kernel does not take.
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

/// The flat operands that some arguments stand for.
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

// ---------------------------------------------------------------------------------------------------------------------
// Where what XLA compiles is not the same.

/// What is particular about an operation.
#[derive(Clone, Copy)]
enum Exception {
    /// It must not be compiled.
    Differs(&'static str),
    /// It divides integers.
    Divides,
    /// It shifts integers of so many bits.
    Shifts(u32),
}

const CLAMPS: &str =
    "does not check indices: where TensorFlow's kernel fails, it reads or writes another element";
const NO_CHECK: &str = "leaves this check out: where TensorFlow's kernel fails, it goes on";
const NO_FAILURE: &str = "gives numbers that mean nothing where TensorFlow's kernel fails, such as for a matrix that is singular";
const OTHER_NUMBERS: &str = "draws other random numbers than TensorFlow's kernel does";
const INACCURATE: &str =
    "gives results that differ by more than rounding from those of TensorFlow's kernel";
const SIZES_BY_VALUE: &str =
    "pads what it cannot know the size of: the size of a result depends on values";

/// Operations that XLA compiles, but not to the same. TensorFlow's automatic clustering leaves out some of them for the same reason
/// (`mark_for_compilation_pass.cc`: inaccurate operations, those that check, random numbers).
const EXCEPTIONS: &[(&str, &[&str])] = &[
    (
        CLAMPS,
        &[
            "Bincount",
            "DenseBincount",
            "DynamicStitch",
            "Gather",
            "GatherNd",
            "GatherV2",
            "InvertPermutation",
            "ParallelDynamicStitch",
            "ReverseSequence",
            "ScatterNd",
            "SegmentMaxV2",
            "SegmentMinV2",
            "SegmentProdV2",
            "SegmentSumV2",
            "SparseSoftmaxCrossEntropyWithLogits",
            "SparseToDense",
            "TensorScatterAdd",
            "TensorScatterMax",
            "TensorScatterMin",
            "TensorScatterSub",
            "TensorScatterUpdate",
            "UnsortedSegmentMax",
            "UnsortedSegmentMin",
            "UnsortedSegmentProd",
            "UnsortedSegmentSum",
        ],
    ),
    (
        NO_CHECK,
        &["Assert", "CheckNumerics", "LowerBound", "UpperBound"],
    ),
    (
        NO_FAILURE,
        &[
            "Cholesky",
            "MatrixInverse",
            "MatrixSolve",
            "MatrixTriangularSolve",
            "TridiagonalSolve",
        ],
    ),
    (
        OTHER_NUMBERS,
        &[
            "StatelessMultinomial",
            "StatelessParameterizedTruncatedNormal",
            "StatelessRandomGetAlg",
            "StatelessRandomGetKeyCounter",
            "StatelessRandomGetKeyCounterAlg",
            "StatelessRandomNormal",
            "StatelessRandomNormalV2",
            "StatelessRandomUniform",
            "StatelessRandomUniformFullInt",
            "StatelessRandomUniformFullIntV2",
            "StatelessRandomUniformInt",
            "StatelessRandomUniformIntV2",
            "StatelessRandomUniformV2",
            "StatelessTruncatedNormal",
            "StatelessTruncatedNormalV2",
            "StochasticCastToInt",
        ],
    ),
    (
        INACCURATE,
        &[
            "Qr",
            "ResizeBilinear",
            "ResizeBilinearGrad",
            "ResizeNearestNeighbor",
            "SelfAdjointEigV2",
            "Svd",
        ],
    ),
    (
        SIZES_BY_VALUE,
        &[
            "DynamicPartition",
            "ListDiff",
            "NonMaxSuppressionV3",
            "NonMaxSuppressionV4",
            "Unique",
            "UniqueV2",
            "Where",
        ],
    ),
];

/// Operations that divide by their second operand; of integers, where that may be zero, they may fail.
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
    let is_integer = || {
        operation
            .operands
            .first()
            .is_some_and(|&data_type| is_integer(data_type))
    };
    if DIVISIONS.contains(&name) {
        return is_integer().then_some(Exception::Divides);
    }
    if SHIFTS.contains(&name) {
        let bytes = operation
            .operands
            .first()
            .and_then(|&data_type| byte_size(data_type));
        return bytes.map(|bytes| Exception::Shifts(bytes as u32 * u8::BITS));
    }
    if name == "Pow" && is_integer() {
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
        let (attributes, computed) = (BTreeMap::new(), Computed::new());
        let operation = Use {
            operation,
            operands,
            results,
            attributes: &attributes,
            computed: &computed,
        };
        check(&resolve(&operation).unwrap())
    }

    #[test]
    fn the_table_is_sorted_and_names_operations_and_operands_of_the_registry() {
        assert!(KERNELS.is_sorted_by(|a, b| a.operation <= b.operation));
        let registry = Registry::get();
        for kernel in KERNELS.iter() {
            // What is not in the registry belongs to compilers of XLA's own.
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
    fn what_would_not_be_the_same_is_not_compiled() {
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
    fn values_of_types_that_only_tensorflow_has_stay_outside() {
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
