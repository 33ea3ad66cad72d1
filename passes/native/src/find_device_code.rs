//! `tfx-find-device-code`: marks the operations of graphs that have code for CUDA devices.
//!
//! ```text
//! %a = MatMul(%x, %w)            %a = MatMul(%x, %w) {tfx.has_device_code}
//! %b = Sin(%a)              ──►  %b = Sin(%a)
//! ```
//!
//! An operation has code if `tfx-lower-gpu` can launch it alone: it is planned as a kernel of its
//! own, together with the constants among its operands. `tfx-offload` moves only such operations to
//! a device, and `tfx-bufferize-streams` separates the others from them, so that an operation that
//! runs on the host takes no others along.
//!
//! Only graphs with copies that name CUDA devices are examined, unless `all` is set. Loops and
//! branches are not marked, but the operations inside are.
//!
//! Cost: a plan for each operation.
//!
//! Not guaranteed: that a kernel of several marked operations has code, such as one with too many
//! bytes of constants. `tfx-lower-gpu` warns of it.

use std::collections::HashMap;

use melior::dialect::DialectRegistry;
use melior::ir::Attribute;
use melior::ir::r#type::FunctionType;
use tfx_dialects::comm::Copy;
use tfx_dialects::launches::HAS_CODE;
use tfx_dialects::places::accelerator;
use tfx_dialects::schedules::{KERNEL, SCHEDULE};
use tfx_dialects::tensor;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Builder, Mapping, Op, Value};

use crate::expansions;
use crate::lower_kernels::gpu::{self, Entries};

tfx_ir::options! {
    /// The options of `tfx-find-device-code`.
    pub struct FindDeviceCodeOptions {
        /// Examine all graphs, also those without copies to CUDA devices.
        all: bool = false,
    }
}

const FOUND: Statistic = Statistic::new("found", "Operations with code for CUDA devices");

/// `tfx-find-device-code`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct FindDeviceCode;

impl Pass for FindDeviceCode {
    type Options = FindDeviceCodeOptions;
    const NAME: &'static str = "TfxFindDeviceCode";
    const ARGUMENT: &'static str = "tfx-find-device-code";
    const DESCRIPTION: &'static str = "Mark the operations that have code for CUDA devices";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[FOUND];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, FindDeviceCodeOptions>,
    ) -> PassResult {
        let graphs = module.collect(tensor::Graph::NAME);
        let by_symbol = gpu::by_symbol(&graphs);
        let is_done = |graph: &Op<'a>| {
            let has = |name| graph.attribute(name).is_some();
            has(SCHEDULE) || has(KERNEL)
        };
        let examined = graphs.iter().filter(|graph| !is_done(graph));
        let examined = examined.filter(|graph| cx.options().all || names_accelerator(**graph));
        for graph in examined {
            let ops = graph.walk().filter(|op| {
                let is_constant = op.isa::<tensor::Const>();
                !is_constant && (op.isa::<tensor::Op>() || op.isa::<tensor::Call>())
            });
            for op in ops.collect::<Vec<_>>() {
                if has_code(op, *graph, &by_symbol) {
                    op.set_attribute(HAS_CODE, Attribute::unit(cx.context()));
                    cx.count(FOUND, 1);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a copy of a graph names a CUDA device.
fn names_accelerator(graph: Op<'_>) -> bool {
    let mut copies = graph.walk().filter_map(Copy::cast);
    copies.any(|copy| accelerator(copy).is_some())
}

/// Returns whether an operation alone is a kernel with code: that of a graph after `place`, which
/// exists only here.
fn has_code<'a>(op: Op<'a>, place: Op<'a>, graphs: &HashMap<&'a str, Op<'a>>) -> bool {
    let context = op.context();
    let empty = FunctionType::new(context, &[], &[]);
    let mut builder = Builder::after(place).at(op.location());
    let graph = tensor::Graph::build(&mut builder, "alone", empty);
    let block = graph.body().add_block(&[]);
    let mut mapping = Mapping::new();
    let mut builder = Builder::at_end(block, op.location());
    for operand in op.operands() {
        let producer = operand.defining_op();
        match producer.filter(|producer| producer.isa::<tensor::Const>()) {
            Some(constant) => drop(builder.clone_op(constant, &mut mapping)),
            None => mapping.map(operand, block.add_argument(operand.ty(), op.location())),
        }
    }
    let alone = builder.clone_op(op, &mut mapping);
    let results: Vec<Value<'a>> = alone.results().collect();
    tensor::Return::build(&mut builder, &results);
    let inputs: Vec<_> = block.arguments().map(|argument| argument.ty()).collect();
    let types: Vec<_> = results.iter().map(|value| value.ty()).collect();
    graph.set_function_type(FunctionType::new(context, &inputs, &types));
    expansions::expand(graph.op());
    let compiled = gpu::compile(graph.op(), graphs, &mut Entries::default());
    graph.op().erase();
    compiled.is_ok()
}
