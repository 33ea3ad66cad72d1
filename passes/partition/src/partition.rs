//! `tfx-partition`: splits a structured function into a graph and a host function that synchronize
//! only at data dependences.
//!
//! ```text
//!   func @f ──read──► table ──facts──► what is live, what each side has anyway
//!                       │ choose ────► where each value is made
//!                       │ demand ────► what each side runs and receives
//!                       │ place  ────► inputs, results, channels
//!                       ▼ emit
//!   tfx_tensor.graph @f.graph   +   func @f with start, send, recv, finish
//! ```
//!
//! The model is Graph Program Extraction (Swift for TensorFlow, 2018): slice the program for graph
//! operations, and connect the slices by channels. In contrast to that work, slicing follows demand
//! in structured control flow, each side computes the values that it can compute itself, and both
//! slices keep the program order, so that they cannot deadlock.
//!
//! Functions that are marked as graph functions become graphs unchanged, and a call of one is a
//! graph operation: [`crate::graph_functions`]. Functions without graph operations are left alone;
//! markers in them have no meaning and are erased. Functions with control flow are marked, so that
//! a later pipeline does not unstructure them: see `tfx_dialects::extracted`. Cost: linear in the
//! size of the function, times the nesting depth of the uses of values that cross.
//!
//! A transfer is never inside of a loop in which its value is invariant, even if the value is
//! computed there ([`crate::hoist`]), unless a remark explains why. A value crosses once for all of
//! its uses unless transfers in branches are cheaper. Both follow from the positions that
//! [`crate::place`] chooses, and both can be turned off.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use std::cell::OnceCell;
use tfx_dialects::tensor;
use tfx_ir::ops::func;

use melior::dialect::DialectRegistry;
use tfx_dialects::extracted::{EXTRACTED, has_control_flow, mark_extracted};
use tfx_dialects::replicable::is_eager;
use tfx_dialects::types::is_generic;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, PassResult, Statistic};
use tfx_ir::symbols::{SymbolTable, is_graph_function};

use crate::check::{check_graph_functions, check_split};
use crate::choose::choose;
use crate::demand::Demand;
use crate::emit::Sliced;
use crate::emit_graph::emit_graph;
use crate::emit_host::emit_host;
use crate::facts::Facts;
use crate::graph_functions::GraphFunctions;
use crate::handles;
use crate::hoist::hoist;
use crate::markers::erase_markers;
use crate::motion::Motion;
use crate::place::{Plan, place};
use crate::print_plan::Report;
use crate::read::Source;
use crate::weight::Weights;
use crate::writes::Writes;

tfx_ir::options! {
    /// The options of `tfx-partition`.
    pub struct PartitionOptions {
        /// Report for each value its side, how the other side gets it, and why: 'true' as remarks
        /// at the values, 'table' on standard error.
        print_plan: PrintPlan = PrintPlan::Nothing,
        /// Explain the sides of the operations with a name (`arith.mulf`, `Exp`, a called function)
        /// or at a place (`12`, `12:8`): why their values are copied, what prevents replication,
        /// and what another choice would copy.
        explain: String = String::new(),
        /// Move transfers out of the loops in which their values are invariant.
        hoist_sends: bool = true,
        /// Let the host receive a value right before its first use instead of right after the graph
        /// has computed it.
        sink_receives: bool = true,
        /// Send a value once for all of its uses.
        send_once: bool = true,
        /// Report why a loop-invariant value is copied in each iteration.
        remarks: bool = false,
    }
}

impl PartitionOptions {
    fn motion(&self) -> Motion {
        Motion {
            hoist_sends: self.hoist_sends,
            sink_receives: self.sink_receives,
            send_once: self.send_once,
        }
    }
}

tfx_ir::option_enum! {
    /// The form in which the plan is printed.
    pub enum PrintPlan {
        /// It is not printed.
        Nothing = "false",
        /// Remarks at the source locations.
        Remarks = "true",
        /// A table on standard error.
        Table = "table",
    }
}

/// The bits of the number of a channel, as the dialect defines them.
const CHANNEL_BITS: u32 = 32;

/// The pass; the module describes the algorithm.
#[derive(Debug, Default)]
pub struct Partition;

const GRAPHS: Statistic = Statistic::new("graphs", "Extracted graphs");
const GRAPH_FUNCTIONS: Statistic =
    Statistic::new("graph-functions", "Functions that became graph functions");
const CHANNELS: Statistic = Statistic::new("channels", "Channels between graphs and their hosts");

impl Pass for Partition {
    type Options = PartitionOptions;
    const NAME: &'static str = "TfxPartition";
    const ARGUMENT: &'static str = "tfx-partition";
    const DESCRIPTION: &'static str = "Split structured functions into graphs and host programs";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[GRAPHS, GRAPH_FUNCTIONS, CHANNELS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, PartitionOptions>) -> PassResult {
        let mut symbols = SymbolTable::new(module);
        let graph_functions = GraphFunctions::find(&mut symbols);
        let functions: Vec<Op<'a>> = symbols
            .ops()
            .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
            .filter(|op| !is_generic(*op))
            .filter(|op| !is_graph_function(*op))
            .collect();
        // All functions are checked before the pass fails, so that the user sees all errors. Those
        // of each function are emitted here, so that they are in order with its remarks.
        let marked = check_graph_functions(&graph_functions).map_err(PassFailed::from);
        let writes = OnceCell::new();
        let outcomes: Vec<_> = functions
            .into_iter()
            .map(|func| split(func, &graph_functions, &mut symbols, &writes, cx))
            .map(|outcome| outcome.map_err(PassFailed::from))
            .collect();
        marked?;
        let explained = outcomes.into_iter().collect::<Result<Vec<bool>, _>>()?;
        let wanted = &cx.options().explain;
        if !wanted.is_empty() && !explained.contains(&true) {
            let message = format!("no value of a graph or its host program matches '{wanted}'");
            diag::remark(module.location(), message).emit();
        }
        cx.count(GRAPH_FUNCTIONS, graph_functions.marked().count() as u64);
        if cx.options().print_plan == PrintPlan::Remarks {
            graph_functions.print_plan();
        }
        graph_functions.write(&mut symbols);
        Ok(())
    }
}

/// Splits one function. Returns whether it contains something that `explain` selects.
fn split<'a>(
    func: Op<'a>,
    graph_functions: &GraphFunctions<'a>,
    symbols: &mut SymbolTable<'a>,
    writes: &OnceCell<Writes<'a>>,
    cx: &PassContext<'a, PartitionOptions>,
) -> Result<bool, Diagnostics<'a>> {
    let is_root = |op: Op<'a>| {
        matches!(op.name(), tensor::Op::NAME | tensor::Call::NAME) && !is_eager(op)
            || graph_functions
                .callee(op)
                .is_some_and(|callee| !callee.shared)
    };
    if !func.walk().any(is_root) {
        erase_markers(func);
        match has_control_flow(func) {
            true => mark_extracted(func),
            false => erase_unneeded(func),
        }
        return Ok(false);
    }
    let mut operations = func.walk().filter_map(tensor::Op::cast);
    if let Some(op) = operations.find(|op| op.computed().is_some() && !is_eager(op.op())) {
        let message = "a graph operation cannot have a computed attribute: run tfx-constexpr before tfx-partition";
        return Err(diag::error(op.location(), message).into());
    }
    let source = Source::read(func, graph_functions)?;
    let writes = Some(writes).filter(|_| cx.options().hoist_sends);
    if let Some(explained) = slice(func, &source, symbols, writes, cx)? {
        return Ok(explained);
    }
    let source = Source::read(func, graph_functions)?;
    let explained = slice(func, &source, symbols, None, cx)?;
    Ok(explained.expect("only a call with `writes` hoists"))
}

/// Produces both sides of a function that has been read. Returns whether it contains something that
/// `explain` selects. Returns none if computations were hoisted instead, after which the function
/// must be read again; this happens only with `writes`.
fn slice<'a>(
    func: Op<'a>,
    source: &Source<'a>,
    symbols: &mut SymbolTable<'a>,
    writes: Option<&OnceCell<Writes<'a>>>,
    cx: &PassContext<'a, PartitionOptions>,
) -> Result<Option<bool>, Diagnostics<'a>> {
    let facts = Facts::of(&source.function);
    let weights = Weights::of(&source.function);
    let choice = choose(&source.function, &facts, &weights);
    let mut demand = Demand::of(&source.function, &facts, &choice);
    check_split(source, &demand)?;
    handles::check(func, source, &demand, symbols)?;
    let plan = place(&mut demand, &weights, cx.options().motion());
    if let Some(writes) = writes {
        let remarks = cx.options().remarks;
        if hoist(source, &demand, &plan, (symbols, writes), remarks) {
            return Ok(None);
        }
    }
    let explained = report(cx.options(), source, &demand, (&plan, &weights), func);

    let number_type = IntegerType::new(func.context(), CHANNEL_BITS).into();
    let numbers = 0..plan.crossings.len() as i64;
    let numbers = numbers.map(|channel| IntegerAttribute::new(number_type, channel).into());
    let numbers: Vec<_> = numbers.collect();
    let sliced = Sliced {
        source,
        demand: &demand,
        plan: &plan,
        numbers: &numbers,
    };
    let graph = facts
        .needs_graph(&source.function)
        .then(|| emit_graph(func, sliced, symbols));
    emit_host(func, graph, sliced);
    // A function that turns out to need no graph is host code from here on, and no longer source.
    func.remove_attribute(EXTRACTED);
    mark_extracted(func);
    cx.count(GRAPHS, u64::from(graph.is_some()));
    cx.count(CHANNELS, plan.crossings.len() as u64);
    Ok(Some(explained))
}

/// Prints the reports that the options request. Returns whether there was something to explain.
fn report<'a>(
    options: &PartitionOptions,
    source: &Source<'a>,
    demand: &Demand<'_>,
    (plan, weights): (&Plan, &Weights),
    func: Op<'a>,
) -> bool {
    if options.print_plan == PrintPlan::Nothing && options.explain.is_empty() {
        return false;
    }
    let report = Report::new(source, demand, plan);
    match options.print_plan {
        PrintPlan::Nothing => {}
        PrintPlan::Remarks => report.remarks(),
        PrintPlan::Table => eprint!("{}", report.table(func)),
    }
    !options.explain.is_empty() && report.explain(&options.explain, weights)
}

/// Erases unused operations, such as a condition whose branch structuring removed. It proceeds
/// backwards, so that operations whose only user is erased are erased, too.
fn erase_unneeded(func: Op<'_>) {
    let ops: Vec<_> = func.walk().skip(1).collect();
    for op in ops.into_iter().rev() {
        if op.is_trivially_dead() {
            op.erase();
        }
    }
}
