//! Random numbers of a key and a counter, as those of the seed from which these are made.
//!
//! ```text
//! %key, %counter = StatelessRandomGetKeyCounter(%seed)
//! StatelessRandomUniformV2(%shape, %key, %counter, %one)
//!     ──►  StatelessRandomUniform(%shape, %seed)
//! ```
//!
//! Both give the same numbers. TensorFlow's Python functions build the first form; keys and
//! counters are unsigned integers, for which there is no native code. Kept is the first form of a
//! generator other than Philox, and of keys from elsewhere.
//!
//! Cost: linear in the operations.

use tfx_dialects::tensor;
use tfx_graphdef_mlir::tensors;
use tfx_ir::{Builder, Op, Value};

use crate::lower_lists::tf;

/// The numbers by which operations name Philox; 3 leaves the choice to the device.
const PHILOX: [i64; 2] = [1, 3];

/// Replaces keys and counters by seeds.
pub(crate) fn expose(module: Op<'_>) {
    let ops = module.walk().filter_map(tensor::Op::cast);
    for op in ops.collect::<Vec<_>>() {
        let name = match op.tf_name() {
            "StatelessRandomUniformV2" => "StatelessRandomUniform",
            "StatelessRandomNormalV2" => "StatelessRandomNormal",
            _ => continue,
        };
        let Some(maker) = maker(op.op()) else {
            continue;
        };
        let mut builder = Builder::before(op.op());
        let operands = [op.op().operand(0), maker.operand(0)];
        let numbers = tf(&mut builder, name, &operands, op.op().result(0).ty());
        op.op().replace_with(&[numbers]);
        if maker.is_unused() {
            maker.erase();
        }
    }
}

/// Returns the operation that makes both the key and the counter of random numbers.
fn maker<'a>(op: Op<'a>) -> Option<Op<'a>> {
    let [key, counter, algorithm] = [1, 2, 3].map(|index| op.operand(index));
    let maker = tensor::Op::cast(key.defining_op()?)?;
    let is_maker = maker.tf_name() == "StatelessRandomGetKeyCounter"
        && [key, counter] == [0, 1].map(|result| maker.op().result(result));
    let is_philox = |algorithm: Value<'_>| match tensors::integers(algorithm).as_deref() {
        Some([number]) => PHILOX.contains(number),
        _ => false,
    };
    (is_maker && is_philox(algorithm)).then(|| maker.op())
}
