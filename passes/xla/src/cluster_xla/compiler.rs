//! XLA as a compiler of clusters.

use tfx_dialects::tensor;
use tfx_graphdef::{
    DataType,
    element::{byte_size, display_name},
    proto::TensorProto,
    xla::{self, Needs, Refusal},
};
use tfx_graphdef_mlir::{
    captures::is_copied,
    clusters::{Compiler, Size},
    effects::is_never_zero,
    operations::resolve_op,
    tensors,
};
use tfx_ir::Value;

/// The number of operations from which a cluster without loops is profitable. A call of compiled
/// code costs tens of microseconds: it looks up the code by the shapes of its arguments and creates
/// tensors of the results. TensorFlow executes about this many small operations in that time.
const PROFITABLE_OPERATIONS: usize = 64;

/// XLA, as TensorFlow's library contains it.
pub(super) struct Xla;

impl Compiler for Xla {
    const NAME: &'static str = "XLA";
    const HAS_UNKNOWN_SIZES: bool = false;

    fn has_type(element: DataType) -> bool {
        xla::has_type(element)
    }

    fn check(op: tensor::Op<'_>) -> Result<(), String> {
        let name = op.tf_name();
        let resolved = match resolve_op(op.op(), &|symbol| symbol.to_owned()) {
            Ok(resolved) => resolved,
            Err(error) => return Err(error.message),
        };
        let Needs {
            constants,
            no_zeros,
            shifts_below,
        } = match xla::check(&resolved) {
            Ok(needs) => needs,
            Err(Refusal::Operation) => return Err(format!("XLA has no \"{name}\"")),
            Err(Refusal::ElementType(element)) => {
                return Err(format!(
                    "XLA has no \"{name}\" of {}",
                    display_name(element)
                ));
            }
            Err(Refusal::Differs(how)) => return Err(format!("for \"{name}\", XLA {how}")),
        };
        let operand = |position: usize| op.operands().at(position);
        if let Some(position) = constants
            .into_iter()
            .find(|&position| !is_copied(operand(position)))
        {
            return Err(format!(
                "operand {position} of \"{name}\" is not a constant, but XLA requires its value at compile time"
            ));
        }
        if no_zeros.is_some_and(|divisor| !is_never_zero(operand(divisor))) {
            return Err(format!(
                "\"{name}\" fails for a divisor of 0, but compiled code would not; XLA compiles it if the divisor is a nonzero constant"
            ));
        }
        if let Some((amount, bits)) = shifts_below
            && !all_elements(operand(amount), |element| {
                (0..i128::from(bits)).contains(&element)
            })
        {
            return Err(format!(
                "\"{name}\" by {bits} bits or more has another result in compiled code; XLA compiles it if the amount is a constant less than {bits}"
            ));
        }
        Ok(())
    }

    fn weight(_: tensor::Op<'_>) -> usize {
        1
    }

    fn is_profitable(size: Size) -> bool {
        size.loops > 0 || size.operations >= PROFITABLE_OPERATIONS
    }
}

/// Returns whether a value is an integer constant with a property that holds for all elements.
fn all_elements(value: Value<'_>, holds: impl Fn(i128) -> bool) -> bool {
    let constant = value.defining_op().filter(|_| is_copied(value));
    let elements = constant
        .and_then(tensor::Const::cast)
        .and_then(|constant| integers(&tensors::tensor(constant.value()).ok()?));
    elements.is_some_and(|elements| elements.into_iter().all(holds))
}

/// Returns the elements of an integer constant; one element if all are the same.
fn integers(proto: &TensorProto) -> Option<Vec<i128>> {
    let size = byte_size(DataType::try_from(proto.dtype).ok()?)?;
    // Little-endian, as in memory. The sign is dropped: a negative number fails the properties
    // either way.
    let from_bytes = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << u8::BITS | i128::from(byte))
    };
    let mut elements: Vec<i128> = proto.tensor_content.chunks(size).map(from_bytes).collect();
    elements.extend(proto.int_val.iter().map(|&element| i128::from(element)));
    elements.extend(proto.int64_val.iter().map(|&element| i128::from(element)));
    elements.extend(proto.uint32_val.iter().map(|&element| i128::from(element)));
    elements.extend(proto.uint64_val.iter().map(|&element| i128::from(element)));
    (!elements.is_empty()).then_some(elements)
}
