//! What the regions of an operation use from outside: TensorFlow's functions see nothing that is not handed to them.
//!
//! ```text
//! %r = while (%i = %zero) { yield Less(%i, %n) } do { %w = Mul(%x, %y) ... send %w to 3 }
//!                                          ^^               ^^  ^^            channels: {3}
//!      captures: %n, %x, %y     both functions of a While take all of them
//! ```
//!
//! One walk; each use is followed outwards until an operation that knows the value already. Linear in the IR and in the captures, which
//! the GraphDef has to spell out anyway. A small constant is no capture: each function has its own copy, which keeps it a constant for
//! shape inference and XLA.

use std::collections::{BTreeSet, HashMap, HashSet};
use tfx_dialects::{comm, tensor};

use tfx_ir::{Block, Op, Value};

use crate::{channels::channel_of, types};

/// The largest constant, in elements, that each function has its own copy of: enough for axes, sizes, rates and small filters.
const SMALL_CONSTANT: u64 = 64;

/// The captures of each operation with regions.
#[derive(Default)]
pub struct Captures<'a> {
    values: HashMap<Op<'a>, Vec<Value<'a>>>,
    channels: HashMap<Op<'a>, BTreeSet<u32>>,
    seen: HashSet<(Op<'a>, Value<'a>)>,
    depths: HashMap<Block<'a>, usize>,
}

impl<'a> Captures<'a> {
    /// The captures of all operations inside of `graph`.
    pub fn of_graph(graph: Op<'a>) -> Self {
        let mut captures = Self::default();
        for op in graph.walk() {
            captures.note_blocks(op);
            if op == graph {
                continue;
            }
            for value in op.operands() {
                captures.note_use(op, value);
            }
            if matches!(op.name(), comm::Send::NAME | comm::Recv::NAME) {
                captures.note_channel(graph, op, channel_of(op));
            }
        }
        captures
    }

    /// The values from outside that the regions of `op` use, in the order of their first use.
    pub fn values(&self, op: Op<'a>) -> &[Value<'a>] {
        self.values.get(&op).map_or(&[], Vec::as_slice)
    }

    /// The channels that the regions of `op` use.
    pub(crate) fn channels(&self, op: Op<'a>) -> Vec<u32> {
        self.channels
            .get(&op)
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    fn note_blocks(&mut self, op: Op<'a>) {
        let depth = op
            .block()
            .and_then(|block| self.depths.get(&block))
            .map_or(0, |depth| depth + 1);
        for block in op.regions().flat_map(|region| region.blocks()) {
            self.depths.insert(block, depth);
        }
    }

    /// Notes a use of `value` by `user` in each operation between the user and the value.
    fn note_use(&mut self, user: Op<'a>, value: Value<'a>) {
        if is_copied(value) {
            return;
        }
        let defined = self.depth(value.block());
        let mut inside = user;
        while self.depth(inside.block()) > defined {
            let Some(around) = inside.parent() else {
                return;
            };
            if !self.seen.insert((around, value)) {
                return;
            }
            self.values.entry(around).or_default().push(value);
            inside = around;
        }
    }

    fn note_channel(&mut self, graph: Op<'a>, user: Op<'a>, channel: u32) {
        let around = user.ancestors().take_while(|&op| op != graph);
        for op in around {
            if !self.channels.entry(op).or_default().insert(channel) {
                return;
            }
        }
    }

    fn depth(&self, block: Option<Block<'a>>) -> usize {
        block
            .and_then(|block| self.depths.get(&block))
            .copied()
            .unwrap_or_default()
    }
}

/// Whether each function that uses the value has its own copy of what makes it.
pub fn is_copied(value: Value) -> bool {
    let size = |r#type| {
        types::sizes(r#type)?
            .into_iter()
            .try_fold(1u64, |count, size| count.checked_mul(size?))
    };
    value
        .defining_op()
        .is_some_and(|op| op.isa::<tensor::Const>())
        && size(value.ty()).is_some_and(|size| size <= SMALL_CONSTANT)
}
