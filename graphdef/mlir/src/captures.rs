//! Captures: the values and channels from outside that the regions of an operation use. A function
//! of TensorFlow sees only its arguments.
//!
//! ```text
//! %r = while (%i = %zero) { yield Less(%i, %n) } do { %w = Mul(%x, %y) ... send %w to 3 }
//!                                          ^^               ^^  ^^            channels: {3}
//!      captures: %n, %x, %y     both functions of a While take all of them
//! ```
//!
//! In one walk, each use is propagated outwards until an operation that has recorded the value
//! already. The cost is linear in the IR and in the captures, which the GraphDef has to contain
//! anyway. A small constant is not captured. Each function has its own copy instead, which keeps it
//! a constant for shape inference and XLA.

use std::collections::{BTreeSet, HashMap, HashSet};

use tfx_dialects::{comm::CommOp, tensor};
use tfx_ir::{Block, Op, Value};

use crate::types;

/// The maximal number of elements of a constant that is copied into each function: enough for axes,
/// sizes, rates and small filters.
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
    /// Returns the captures of all operations inside of `graph`.
    pub fn of_graph(graph: Op<'a>) -> Self {
        let mut captures = Self::default();
        for op in graph.walk() {
            captures.record_blocks(op);
            if op == graph {
                continue;
            }
            for value in op.operands() {
                captures.record_use(op, value);
            }
            match CommOp::cast(op) {
                Some(CommOp::Send(send)) => captures.record_channel(graph, op, send.channel()),
                Some(CommOp::Recv(recv)) => captures.record_channel(graph, op, recv.channel()),
                _ => {}
            }
        }
        captures
    }

    /// Returns the values from outside that the regions of `op` use, in the order of their first
    /// use.
    pub fn values(&self, op: Op<'a>) -> &[Value<'a>] {
        self.values.get(&op).map_or(&[], Vec::as_slice)
    }

    /// Returns the channels that the regions of `op` use.
    pub(crate) fn channels(&self, op: Op<'a>) -> Vec<u32> {
        let channels = self.channels.get(&op).into_iter().flatten();
        channels.copied().collect()
    }

    fn record_blocks(&mut self, op: Op<'a>) {
        let depth = op
            .block()
            .and_then(|block| self.depths.get(&block))
            .map_or(0, |depth| depth + 1);
        for block in op.regions().flat_map(|region| region.blocks()) {
            self.depths.insert(block, depth);
        }
    }

    /// Records a use of `value` by `user` in each operation between the user and the value.
    fn record_use(&mut self, user: Op<'a>, value: Value<'a>) {
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

    fn record_channel(&mut self, graph: Op<'a>, user: Op<'a>, channel: u32) {
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

/// Returns whether each function that uses the value has its own copy of it.
pub fn is_copied(value: Value) -> bool {
    let op = value.defining_op();
    op.is_some_and(|op| op.isa::<tensor::Const>())
        && types::elements(value.ty()).is_some_and(|count| count <= SMALL_CONSTANT)
}
