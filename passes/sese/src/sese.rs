//! `tfx-sese`: a function of blocks and branches becomes one block of structured operations.
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
//! Graphs know only functional `If`, `Case` and `While`. The steps, each in its file:
//!
//! 1. `enums`: branches on enums become switches; `body`, `cfg`: the function as a graph of numbers;
//! 2. `loops`: which block is in which loop, irreducible cycles too; `endless`: which a graph could never leave;
//! 3. `landing`: where each edge lands, where each loop is cut into the two regions of `scf.while`;
//! 4. `pending`, `tree`: the tree of regions, by counting pending edges;
//! 5. `plan`: which values are handed out of which operation;
//! 6. `emit`, `ways`: the operations.
//!
//! Any graph is structured: early returns, loops with many exits and latches, jumps into the middle of loops, blocks that abort,
//! loops without an end. No operation is duplicated, unless `node-splitting=N` allows copies of N (see `split.rs`). What does not come back (`tfx_host.unreachable`) ends an arm that yields
//! zeros. Cost: O(E log² E), plus the results that are made; no recursion on the program.
//!
//! Not guaranteed: that fewest flags are used. A function of one block is left as it is.

use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::ops::func;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::{Op, Region};

use melior::dialect::{DialectHandle, DialectRegistry};

use crate::body::{Body, Slots, Terminators};
use crate::emit::Structured;
use crate::landing::Landings;
use crate::loops::LoopForest;
use crate::plan::Plan;
use crate::print::Form;
use crate::tree::Tree;
use crate::verify::{self, Copy};
use crate::{endless, enums, split};

tfx_ir::option_enum! {
    /// How `print-tree` prints.
    pub enum PrintTree {
        /// Not at all.
        Nothing = "false",
        /// As indented text.
        Text = "true",
        /// For Graphviz.
        Dot = "dot",
    }
}

tfx_ir::options! {
    /// What `tfx-sese` takes.
    pub struct SeseOptions {
        /// Print the region tree of each function to standard error: 'true' as text, 'dot' as a graph.
        print_tree: PrintTree = PrintTree::Nothing,
        /// Prove at once that each structured function does what its graph did; so does the environment variable TFX_VERIFY_STRUCTURED.
        verify: bool = false,
        /// Let each function carry the graph that it was, for tfx-verify-structured.
        keep_cfg: bool = false,
        /// Copy up to so many operations in each region where that avoids a value that tells which way to go on.
        node_splitting: u64 = 0,
    }
}

/// The pass.
#[derive(Default)]
pub struct Sese;

const BLOCKS: Statistic = Statistic {
    name: "blocks",
    description: "Blocks that were structured",
};

impl Pass for Sese {
    type Options = SeseOptions;
    const NAME: &'static str = "TfxSese";
    const ARGUMENT: &'static str = "tfx-sese";
    const DESCRIPTION: &'static str =
        "Turn control-flow graphs into scf.if, scf.while and scf.index_switch";
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

    fn run<'a>(
        &mut self,
        root: Op<'a>,
        cx: &PassContext<'a, SeseOptions>,
    ) -> Result<(), PassFailed> {
        let mut functions = Vec::new();
        let mut walk = root.walk();
        while let Some(op) = walk.next() {
            if op.isa::<func::Func>() {
                functions.push(op);
                walk.skip_regions();
            }
        }
        for function in functions {
            let mut inside = look_into(function);
            if !inside.functions.is_empty() {
                // Before the blocks around them are moved, or erased.
                for nested in inside.functions {
                    run_on(nested, look_into(nested), cx)?;
                }
                inside = look_into(function);
            }
            run_on(function, inside, cx)?;
        }
        Ok(())
    }
}

/// Structures the body of a function, and before it whatever regions with several blocks its operations have.
fn run_on<'a>(
    function: Op<'a>,
    inside: Inside<'a>,
    cx: &PassContext<'a, SeseOptions>,
) -> Result<(), PassFailed> {
    if function.attribute(TYPE_PARAMS).is_some() {
        return Ok(());
    }
    let Inside {
        switches, owners, ..
    } = inside;
    for switch in switches {
        enums::lower(switch)?;
    }
    if owners.is_empty() {
        return Ok(());
    }
    let options = cx.options();
    let verify = options.verify || std::env::var_os(verify::ALWAYS).is_some();
    let copy = verify.then(|| Copy::of(function));
    if options.keep_cfg {
        verify::keep(function)?;
    }
    for (owner, region) in owners {
        split::run(owner, region, options.node_splitting);
        let body = Body::new(owner, region);
        let forest = LoopForest::new(&body.cfg);
        body.check(&forest)?;
        let never_return = body.cfg.never_return();
        endless::check(&body, &forest, &never_return)?;
        cx.count(BLOCKS, body.blocks.len() as u64);
        let structured = structure(body, forest, &never_return)?;
        match options.print_tree {
            PrintTree::Nothing => {}
            PrintTree::Text => eprint!("{}", structured.print_tree(Form::Text)),
            PrintTree::Dot => eprint!("{}", structured.print_tree(Form::Dot)),
        }
        structured.emit();
    }
    copy.map_or(Ok(()), |copy| copy.check(function).map(|_| ()))
}

/// What there is to do in a function.
struct Inside<'a> {
    /// Switches on enums.
    switches: Vec<Op<'a>>,
    /// Regions with several blocks and what holds them, those inside others before them.
    owners: Vec<(Op<'a>, Region<'a>)>,
    /// Functions, those inside others before them.
    functions: Vec<Op<'a>>,
}

/// Looks at all operations once. Functions inside of `function` are structured by themselves.
fn look_into(function: Op<'_>) -> Inside<'_> {
    let mut inside = Inside {
        switches: Vec::new(),
        owners: Vec::new(),
        functions: Vec::new(),
    };
    for op in function.walk_post() {
        if op.num_successors() > 0 && op.is(enums::SWITCH) {
            inside.switches.push(op);
        }
        if op != function && op.num_regions() > 0 && op.isa::<func::Func>() {
            inside.functions.push(op);
        }
        for region in op.regions() {
            let has_blocks = !region.is_empty() && region.single_block().is_none();
            if has_blocks && (op == function || !is_inside_function(op, function)) {
                inside.owners.push((op, region));
            }
        }
    }
    inside
}

/// Whether a function inside of `function` is around `op`.
fn is_inside_function<'a>(op: Op<'a>, function: Op<'a>) -> bool {
    op.isa::<func::Func>() || op.ancestor(func::Func::NAME) != Some(function)
}

/// All that is to be known before anything is changed.
fn structure<'a>(
    body: Body<'a>,
    forest: LoopForest,
    never_return: &[bool],
) -> Result<Structured<'a>, PassFailed> {
    let landings = Landings::new(&body.cfg, &forest);
    let tree = Tree::new(&body.cfg, &forest, &landings, never_return);
    let mut slots = Slots::new(&body, &forest);
    let plan = Plan::new(&body, &forest, &landings, &tree, &mut slots);
    let terminators = Terminators::new(&body, &forest, &slots)?;
    Ok(Structured {
        body,
        forest,
        landings,
        tree,
        slots,
        terminators,
        plan,
    })
}
