//! Numbers of the values of a structured function, in program order.
//!
//! ```text
//!   func @f(%0, %1)
//!     %2 = op
//!     %3 = scf.while (%4 = ..) { %6 = op } do { ^(%5): %7 = op }
//! ```
//!
//! The results of an operation come first, then the arguments of its regions, then what is inside.
//! So one comparison tells whether a value that is used inside is defined outside. Cost: one walk.

use rustc_hash::FxHashMap;
use tfx_ir::{Op, Value};

/// The number of a value.
pub(crate) type ValueId = usize;

/// The values of a function.
#[derive(Default)]
pub(crate) struct Values<'a> {
    ids: FxHashMap<Value<'a>, ValueId>,
    values: Vec<Value<'a>>,
    /// For each operation with regions, the first number inside.
    inside: FxHashMap<Op<'a>, ValueId>,
}

impl<'a> Values<'a> {
    pub(crate) fn of(function: Op<'a>) -> Self {
        let mut values = Self::default();
        for op in function.walk() {
            op.results().for_each(|value| values.add(value));
            if op.num_regions() > 0 {
                values.inside.insert(op, values.values.len());
            }
            for block in op.regions().flat_map(|region| region.blocks()) {
                block.arguments().for_each(|value| values.add(value));
            }
        }
        values
    }

    fn add(&mut self, value: Value<'a>) {
        self.ids.insert(value, self.values.len());
        self.values.push(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of a value of the function.
    pub(crate) fn id(&self, value: Value<'a>) -> ValueId {
        self.ids[&value]
    }

    /// Returns the value of a number.
    pub(crate) fn value(&self, id: ValueId) -> Value<'a> {
        self.values[id]
    }

    /// Returns whether a value that is used in the regions of `op` is defined outside of them.
    pub(crate) fn is_outside(&self, id: ValueId, op: Op<'a>) -> bool {
        id < self.inside[&op]
    }
}
