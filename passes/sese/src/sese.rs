//! `tfx-sese`: replaces the blocks and branches of a function by one block of structured
//! operations.
//!
//! ```text
//!   ^header(%i: i32):                               %r = scf.while (%i = %zero) : (i32) -> i32 {
//!     %go = arith.cmpi slt, %i, %n : i32              %go = arith.cmpi slt, %i, %n : i32
//!     cf.cond_br %go, ^body, ^exit           =>       scf.condition(%go) %i : i32
//!   ^body:                                          } do {
//!     ...                                           ^bb0(%i: i32):
//!     cf.br ^header(%next : i32)                      ...
//!   ^exit:                                            scf.yield %next : i32
//!                                                   }
//! ```
//!
//! Graphs have only functional `If`, `Case` and `While`. The steps, each in its file:
//!
//! 1. `enums`: switches on enums become integer switches;
//!    `node_splitting`: optional copies of blocks;
//! 2. `body`, `cfg`: the control-flow graph; `loop_forest`: its loops, irreducible ones included;
//! 3. `infinite_loops`: rejects infinite loops without observable effects;
//! 4. `units`: splits each loop into the two regions of `scf.while`;
//! 5. `pending`, `tree`: the tree of regions, by counting pending edges;
//! 6. `plan`: the results of each operation;
//! 7. `emit`: the operations.
//!
//! Every control-flow graph is structured: early returns, loops with many exits and latches, jumps
//! into the middle of loops, blocks that abort, infinite loops. No operation is duplicated, unless
//! `node-splitting=N` allows copies of N operations. A path that does not return
//! (`tfx_host.unreachable`) ends in an arm that yields placeholders. Cost: O(E log² E), plus the
//! results; no recursion on the program.
//!
//! Not guaranteed: the minimum number of discriminators. A function of one block does not change.

use tfx_dialects::host;
use tfx_dialects::types::is_generic;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::func;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Op, Region};

use melior::dialect::{DialectHandle, DialectRegistry};

use crate::analysis::Analysis;
use crate::body::Body;
use crate::emit::emit;
use crate::loop_forest::LoopForest;
use crate::print::{PrintTree, print_tree};
use crate::verify_structured::{self, Copy};
use crate::{enums, infinite_loops, node_splitting};

tfx_ir::options! {
    /// The options of `tfx-sese`.
    pub struct SeseOptions {
        /// Print the region tree of each function to standard error: 'true' as text, 'dot' for
        /// Graphviz.
        print_tree: PrintTree = PrintTree::Nothing,
        /// Prove that each structured function behaves like its control-flow graph.
        verify: bool = false,
        /// Keep the original of each function in an attribute, for tfx-verify-structured.
        keep_cfg: bool = false,
        /// Copy up to this number of operations in each region to avoid dispatches.
        node_splitting: u64 = 0,
    }
}

/// `tfx-sese`: see the documentation of the module.
#[derive(Default)]
pub struct Sese;

const BLOCKS: Statistic = Statistic::new("blocks", "Structured blocks");

impl Pass for Sese {
    type Options = SeseOptions;
    const NAME: &'static str = "TfxSese";
    const ARGUMENT: &'static str = "tfx-sese";
    const DESCRIPTION: &'static str =
        "Convert control-flow graphs to scf.if, scf.while and scf.index_switch";
    const ANCHOR: Anchor = Anchor::Any;
    const STATISTICS: &'static [Statistic] = &[BLOCKS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::scf(),
            DialectHandle::func(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, root: Op<'a>, cx: &PassContext<'a, SeseOptions>) -> PassResult {
        let mut functions = Vec::new();
        let mut walk = root.walk();
        while let Some(op) = walk.next() {
            if op.isa::<func::Func>() {
                functions.push(op);
                walk.skip_regions();
            }
        }
        for function in functions {
            let mut contents = contents(function);
            if !contents.functions.is_empty() {
                // Structuring the outer function moves or erases the blocks around them.
                for nested in contents.functions {
                    structure(nested, self::contents(nested), cx)?;
                }
                contents = self::contents(function);
            }
            structure(function, contents, cx)?;
        }
        Ok(())
    }
}

/// Structures the body of a function, after the regions of its operations.
fn structure<'a>(
    function: Op<'a>,
    contents: Contents<'a>,
    cx: &PassContext<'a, SeseOptions>,
) -> Result<(), Diagnostic<'a>> {
    if is_generic(function) {
        return Ok(());
    }
    for switch in contents.switches {
        enums::lower(switch)?;
    }
    if contents.regions.is_empty() {
        return Ok(());
    }
    let options = cx.options();
    let copy = options.verify.then(|| Copy::of(function));
    if options.keep_cfg {
        verify_structured::keep(function)?;
    }
    for (owner, region) in contents.regions {
        node_splitting::run(owner, region, options.node_splitting);
        let body = Body::new(owner, region);
        let forest = LoopForest::new(&body.cfg);
        body.check(&forest)?;
        let never_return = body.cfg.never_return();
        infinite_loops::check(&body, &forest, &never_return)?;
        cx.count(BLOCKS, body.blocks.len() as u64);
        let analysis = Analysis::new(body, forest, &never_return)?;
        print_tree(options.print_tree, &analysis);
        emit(&analysis);
    }
    if let Some(copy) = copy {
        copy.check(function)?;
    }
    Ok(())
}

/// The parts of a function that the pass changes.
#[derive(Default)]
struct Contents<'a> {
    switches: Vec<host::SwitchEnum<'a>>,
    /// Regions with several blocks and their operations, inner before outer ones.
    regions: Vec<(Op<'a>, Region<'a>)>,
    /// Nested functions, inner before outer ones. They are structured on their own.
    functions: Vec<Op<'a>>,
}

/// Collects the contents of a function in one walk.
fn contents(function: Op<'_>) -> Contents<'_> {
    let mut contents = Contents::default();
    for op in function.walk_post() {
        if op.num_successors() > 0 {
            contents.switches.extend(host::SwitchEnum::cast(op));
        }
        if op != function && op.num_regions() > 0 && op.isa::<func::Func>() {
            contents.functions.push(op);
        }
        for region in op.regions() {
            let has_blocks = !region.is_empty() && region.single_block().is_none();
            if has_blocks && (op == function || !is_in_nested_function(op, function)) {
                contents.regions.push((op, region));
            }
        }
    }
    contents
}

/// Returns whether `op` is, or is inside, a function nested in `function`.
fn is_in_nested_function<'a>(op: Op<'a>, function: Op<'a>) -> bool {
    let around = || op.ancestor_of::<func::Func>().map(func::Func::op);
    op.isa::<func::Func>() || around() != Some(function)
}
