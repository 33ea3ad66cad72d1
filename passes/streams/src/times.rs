//! Estimates of the times of operations, in nanoseconds on one processor.
//!
//! ```text
//!   MatMul [64, 64] [64, 64]      524,288 operations / 64 per ns           8 us
//!   Tanh [1024]                     1,024 functions x 0.5 ns               0.5 us
//!   Reshape, Transpose, ...         bytes of the operands and results / 8 per ns
//!   while { ... }                   the iterations, or 10, times what is inside
//! ```
//!
//! They only decide which operations share a kernel, on which streams kernels are, and what a
//! device runs for the host. The rates of the host are those of compiled code on a core with AVX2,
//! rounded.
//!
//! Cost: linear in the IR.

use std::collections::HashMap;

use tfx_dialects::tensor;
use tfx_graphdef_mlir::clusters::Analysis;
use tfx_graphdef_mlir::operations::resolve_op;
use tfx_graphdef_mlir::types;
use tfx_interpreter::DType;
use tfx_interpreter::flops::{Cost, Sizes};
use tfx_ir::{Op, Value};

use crate::bufferize_streams::{bytes, known_trips};

/// The iterations of a loop whose number is not known.
pub(crate) const ITERATIONS: u64 = 10;

/// The work of a processor in a nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rates {
    /// Floating-point operations.
    pub(crate) flops: u64,
    /// Functions, such as exponentials.
    pub(crate) functions: u64,
    /// Bytes of memory.
    pub(crate) bytes: u64,
    /// The time of an operation without work.
    pub(crate) launch: u64,
}

/// The rates of a core of the host.
pub(crate) const HOST: Rates = Rates {
    flops: 64,
    functions: 2,
    bytes: 8,
    launch: 0,
};

/// The rates of kernels without tiles, on a device of a data center of 2018.
pub(crate) const DEVICE: Rates = Rates {
    flops: 1000,
    functions: 200,
    bytes: 500,
    launch: 0,
};

/// The times of the operations of graphs, with what is inside of them.
#[derive(Default)]
pub(crate) struct Times<'a>(HashMap<Op<'a>, u64>);

impl<'a> Times<'a> {
    /// Estimates the times of all operations that are analyzed.
    pub(crate) fn of_module(analysis: &Analysis<'a>, rates: Rates) -> Self {
        let mut graphs: Vec<_> = analysis.callers_first().collect();
        graphs.reverse();
        let mut times = Self::default();
        for graph in graphs {
            for op in graph.walk_post() {
                let own = match op.isa::<tensor::Call>() {
                    true => analysis.callee(op).map_or(0, |callee| times.of(callee)),
                    false => own(op, rates),
                };
                let time = times.0.entry(op).or_default();
                *time = time.saturating_add(own);
                if let Some(repeated) = tensor::While::cast(op) {
                    let iterations = known_trips(repeated).unwrap_or(ITERATIONS);
                    *time = time.saturating_mul(iterations);
                }
                let time = *time;
                if let Some(parent) = op.parent().filter(|_| op != graph) {
                    let sum = times.0.entry(parent).or_default();
                    *sum = sum.saturating_add(time);
                }
            }
        }
        times
    }

    /// Returns the time of an operation.
    pub(crate) fn of(&self, op: Op<'a>) -> u64 {
        self.0.get(&op).copied().unwrap_or(0)
    }
}

/// Returns the time of an operation without those inside.
fn own(op: Op<'_>, rates: Rates) -> u64 {
    let Some(view) = tensor::Op::cast(op) else {
        return 0;
    };
    let values = op.operands().chain(op.results());
    let moved = values.fold(0u64, |sum, value| {
        sum.saturating_add(bytes(value.ty()).unwrap_or(0))
    });
    let attributes = resolve_op(op, &str::to_owned).map(|resolved| resolved.attributes);
    let cost = Cost::of(view.tf_name(), &attributes.unwrap_or_default());
    let flops = cost.map(|cost| {
        let operands: Vec<_> = op.operands().filter_map(sizes).collect();
        let results: Vec<_> = op.results().filter_map(sizes).collect();
        cost.flops(&operands, &results)
    });
    let flops = flops.unwrap_or_default();
    let over = |amount: u64, rate: u64| amount / rate.max(1);
    let computed = over(flops.all, rates.flops) + over(flops.functions, rates.functions);
    let time = computed.max(over(moved, rates.bytes));
    time.saturating_add(rates.launch)
}

fn sizes(value: Value<'_>) -> Option<Sizes> {
    let dtype = DType::from_tensorflow(types::data_type(value.ty())? as i32)?;
    let shape = types::sizes(value.ty())?.into_iter();
    let shape: Option<Vec<usize>> = shape.map(|size| usize::try_from(size?).ok()).collect();
    Some(Sizes::new(dtype, shape?))
}
