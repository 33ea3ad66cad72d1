//! `tfx-scalarize`: replaces structs, tuples and enums by their leaves, everywhere.
//!
//! ```text
//!   %p = make_struct(%x, %y)                     br ^next(%x, %y)
//!   br ^next(%p)                                 ^next(%a, %b):
//!   ^next(%q: Point):                  ──►         call @use(%a)
//!     %a = extract %q["x"]
//!     call @use(%a)
//! ```
//!
//! # Algorithm
//!
//! Branches on enums become branches on their tags (`enums.rs`), and inout parameters become values
//! (`inout.rs`). Then every value is mapped to the list of its leaves (`layout.rs` has their
//! order). The blocks are visited in reverse postorder, so the leaves of an operand are known at
//! its user. `make_struct`, `extract` and similar operations only rearrange leaves and vanish. A
//! variable becomes one variable for each leaf; parameters, results, calls, captures, block
//! arguments, branch operands and the fields of classes are exploded in place: an aggregate is
//! replaced by its leaves, in order, in private and public functions and in declarations of foreign
//! ones alike. The leaves of a name (`tfx.name`) are named `name.field`. Generic types are laid out
//! for their type arguments.
//!
//! An enum is its tag and the union of its payloads. Slots that a case does not use hold a
//! placeholder.
//!
//! # Cost
//!
//! Linear in the input and the output: each leaf of each aggregate value is handled once for each
//! operation that moves it.
//!
//! # Non-guarantees
//!
//! If an operation that this pass does not know needs a whole struct or tuple (structured control
//! flow; `tfx-deabstract` turns that into blocks first), the aggregate is rebuilt there;
//! `tfx-verify-deabstracted` reports the rest. Bodies of generic functions are left alone: their
//! types are not known. Fields of generic classes are unchanged. Unreachable blocks are erased.

mod operations;
mod signatures;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;
use tfx_dialects::host;
use tfx_dialects::types::is_generic;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::func;

use melior::dialect::{DialectHandle, DialectRegistry};
use melior::ir::{Location, Type};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Op, Region, SuccessorOperands, Value};

use crate::aggregates::{gather, spread};
use crate::layout::Layouts;
use crate::sweep::erase_unused_types;
use crate::{cfg, enums, inout};

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Scalarize;

const REMOVED: Statistic = Statistic::new("aggregates-removed", "Erased operations on aggregates");

impl Pass for Scalarize {
    type Options = ();
    const NAME: &'static str = "TfxScalarize";
    const ARGUMENT: &'static str = "tfx-scalarize";
    const DESCRIPTION: &'static str = "Replace structs, tuples and enums by their leaves";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[REMOVED];

    fn dialects(registry: &DialectRegistry) {
        for dialect in [DialectHandle::arith(), DialectHandle::cf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        cx.count(REMOVED, scalarize(module)?);
        Ok(())
    }
}

/// Replaces the aggregates of a module. Returns the number of operations that vanished.
fn scalarize(module: Op<'_>) -> Result<u64, Diagnostic<'_>> {
    let top_level: Vec<_> = module.children().collect();
    let functions: Vec<_> = top_level
        .iter()
        .copied()
        .filter(|op| op.isa::<func::Func>() && !is_generic(*op))
        .collect();
    functions
        .iter()
        .flat_map(|func| func.regions())
        .for_each(cfg::erase_unreachable_blocks);
    enums::lower_switches(module, &functions);
    inout::convert(module, &functions)?;
    let mut scalarizer = Scalarizer {
        layouts: Layouts::new(module),
        leaves: HashMap::default(),
        exploded: HashMap::default(),
        dead: Vec::new(),
        kept: HashSet::default(),
        loads: Vec::new(),
    };
    for func in functions {
        scalarizer.function(func)?;
    }
    for class in top_level.iter().filter_map(|op| host::Class::cast(*op)) {
        scalarizer.class(class)?;
    }
    for protocol in top_level.iter().filter_map(|op| host::Protocol::cast(*op)) {
        // The functions of its tables have the leaves of the types that it declares.
        protocol.set_flat(true);
    }
    let removed = scalarizer.finish();
    erase_unused_types(module);
    Ok(removed)
}

struct Scalarizer<'a> {
    layouts: Layouts<'a>,
    /// The leaves of each value that is not its own only leaf.
    leaves: HashMap<Value<'a>, Vec<Value<'a>>>,
    /// The old arguments of a block that new ones replace. They are erased at the end, when they
    /// are unused.
    exploded: HashMap<Block<'a>, Range<usize>>,
    /// The operations to erase at the end.
    dead: Vec<Op<'a>>,
    /// Those of them that are tuples of leaves, as an erasure takes them.
    kept: HashSet<Op<'a>>,
    /// The loads of the leaves of variables. An unused leaf was not read: it may not have been
    /// written yet.
    loads: Vec<Op<'a>>,
}

impl<'a> Scalarizer<'a> {
    fn function(&mut self, func: Op<'a>) -> Result<(), Diagnostic<'a>> {
        self.signature(func)?;
        let mut regions: Vec<Region<'a>> =
            func.regions().filter(|region| !region.is_empty()).collect();
        while let Some(region) = regions.pop() {
            cfg::erase_unreachable_blocks(region);
            let blocks = cfg::reverse_postorder(region);
            // Before operations are added: the operation that spreads an argument must not be
            // replaced again.
            let ops: Vec<_> = blocks.iter().flat_map(|block| block.ops()).collect();
            for block in blocks {
                if block.is_entry() && region.parent() == Some(func) {
                    self.explode_parameters(block)?;
                } else {
                    self.explode_arguments(block)?;
                }
            }
            for op in ops {
                regions.extend(op.regions().filter(|region| !region.is_empty()));
                self.operation(op)?;
            }
        }
        Ok(())
    }

    /// Returns whether a type is not its own only leaf.
    fn is_aggregate(&mut self, ty: Type<'a>, user: Location<'a>) -> Result<bool, Diagnostic<'a>> {
        Ok(self.layouts.of(ty, user)?.is_some())
    }

    /// Returns the leaves of an operand. A whole aggregate is spread before `user`; any other value
    /// is its own leaf.
    fn leaves_of(
        &mut self,
        value: Value<'a>,
        user: Op<'a>,
    ) -> Result<Vec<Value<'a>>, Diagnostic<'a>> {
        match self.leaves.get(&value) {
            Some(leaves) => Ok(leaves.clone()),
            None => spread(&mut Builder::before(user), &mut self.layouts, value),
        }
    }

    fn all_leaves_of(
        &mut self,
        values: impl IntoIterator<Item = Value<'a>>,
        user: Op<'a>,
    ) -> Result<Vec<Value<'a>>, Diagnostic<'a>> {
        let lists = values.into_iter().map(|value| self.leaves_of(value, user));
        Ok(lists.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Maps a value to its leaves.
    fn stand_for(&mut self, value: Value<'a>, leaves: Vec<Value<'a>>) {
        match leaves[..] {
            [only] if only.ty() == value.ty() => value.replace_all_uses_with(only),
            _ => {
                self.leaves.insert(value, leaves);
            }
        }
    }

    /// Replaces an operation by leaves for its only result.
    fn replace(&mut self, op: Op<'a>, leaves: Vec<Value<'a>>) {
        self.stand_for(op.result(0), leaves);
        self.dead.push(op);
    }
}

/// Block arguments and branches.
impl<'a> Scalarizer<'a> {
    fn explode_parameters(&mut self, entry: Block<'a>) -> Result<(), Diagnostic<'a>> {
        let exploded = self.aggregate_arguments(entry)?;
        self.replace_arguments(entry, &exploded)
    }

    /// By argument: whether it is an aggregate.
    fn aggregate_arguments(&mut self, block: Block<'a>) -> Result<Vec<bool>, Diagnostic<'a>> {
        let arguments = block.arguments();
        let is_aggregate = |value: Value<'a>| self.is_aggregate(value.ty(), value.location());
        arguments.map(is_aggregate).collect()
    }

    /// Explodes the arguments that every branch to the block forwards; spreads the others.
    fn explode_arguments(&mut self, block: Block<'a>) -> Result<(), Diagnostic<'a>> {
        let aggregates = self.aggregate_arguments(block)?;
        if !aggregates.contains(&true) {
            return Ok(());
        }
        let forwarded = first_forwarded(block);
        for index in (0..forwarded.min(aggregates.len())).filter(|index| aggregates[*index]) {
            let argument = block.argument(index);
            let mut builder = Builder::at_start(block, argument.location());
            let leaves = spread(&mut builder, &mut self.layouts, argument)?;
            self.leaves.insert(argument, leaves);
        }
        let exploded: Vec<_> = aggregates
            .iter()
            .enumerate()
            .map(|(index, yes)| *yes && index >= forwarded)
            .collect();
        self.replace_arguments(block, &exploded)
    }

    /// From the first exploded one on, adds new arguments for all.
    fn replace_arguments(
        &mut self,
        block: Block<'a>,
        exploded: &[bool],
    ) -> Result<(), Diagnostic<'a>> {
        let Some(first) = exploded.iter().position(|exploded| *exploded) else {
            return Ok(());
        };
        for (index, explode) in exploded.iter().enumerate().skip(first) {
            let old = block.argument(index);
            let add = |ty: &Type<'a>| block.add_argument(*ty, old.location());
            if *explode {
                let types = self.layouts.leaves(old.ty(), old.location())?;
                self.leaves.insert(old, types.iter().map(add).collect());
            } else {
                old.replace_all_uses_with(add(&old.ty()));
            }
        }
        self.exploded.insert(block, first..exploded.len());
        Ok(())
    }

    /// Forwards leaves from the first exploded argument on, and whole values before it.
    fn branch(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        for number in 0..op.num_successors() {
            let Some(exploded) = self.exploded.get(&op.successor(number)).cloned() else {
                continue;
            };
            let operands = || {
                op.successor_operands(number)
                    .expect("a branch forwards each exploded argument")
            };
            let values = operands().values();
            // The last operands, whatever the branch produces before them.
            let first = values.len() - exploded.len();
            let leaves = self.all_leaves_of(values[first..].iter().copied(), op)?;
            operands().append(&leaves);
            for index in (first..values.len()).rev() {
                // While the block has both old and new arguments, the branch seems to produce more
                // of them itself.
                operands().erase(operands().produced() + index);
            }
        }
        self.keep(op)
    }
}

/// Returns the first argument of a block from which on every branch to it forwards the values; a
/// branch produces those before. For a block with another entry, such as the first of a region, it
/// is past the last.
fn first_forwarded(block: Block<'_>) -> usize {
    let incoming = block.incoming();
    let first = incoming.iter().map(|(branch, number)| {
        let operands = branch.successor_operands(*number);
        operands.map_or(usize::MAX, SuccessorOperands::produced)
    });
    let first = first.max().filter(|_| !block.is_entry());
    first.unwrap_or(usize::MAX)
}

/// Operations that do not know leaves.
impl<'a> Scalarizer<'a> {
    /// Rebuilds the operands of an operation, and spreads its results.
    fn keep(&mut self, op: Op<'a>) -> Result<(), Diagnostic<'a>> {
        for (index, operand) in op.operands().enumerate() {
            if let Some(leaves) = self.leaves.get(&operand).cloned() {
                let mut builder = Builder::before(op);
                let whole = gather(&mut builder, &mut self.layouts, operand.ty(), &leaves)?;
                op.set_operand(index, whole);
            }
        }
        for result in op.results() {
            if !result.is_unused() && self.is_aggregate(result.ty(), op.location())? {
                let leaves = spread(&mut Builder::after(op), &mut self.layouts, result)?;
                self.leaves.insert(result, leaves);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> u64 {
        self.dead.retain(|op| !self.kept.contains(op));
        let count = self.dead.len() as u64;
        // Users were visited after definitions, except in regions, which were deferred: drop all
        // references first.
        self.dead.iter().for_each(|op| op.drop_all_references());
        self.dead.into_iter().rev().for_each(Op::erase);
        self.loads
            .into_iter()
            .filter(|load| load.is_unused())
            .for_each(Op::erase);
        for (block, range) in self.exploded {
            range.rev().for_each(|index| block.erase_argument(index));
        }
        count
    }
}
