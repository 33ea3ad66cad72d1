//! `tfx-verify-structured`: an independent check of what `tfx-sese` made.
//!
//! It shares no code with the structurer and knows nothing of how it works: it is given two functions, a graph of blocks and a
//! structured one, and proves that they do the same.
//!
//! ```text
//!   original                   structured                       walk.rs: both run in step, each edge of the original once.
//!   ^a: x; cond_br c ^b ^c     x                                    An operation of one meets its like in the other; between them
//!   ^b: y; br ^d               %f = scf.if c { y; yield true }      only choices stand that the edge (c is true) decides.
//!   ^c: br ^d                       else { yield false }        values.rs: whatever an operation reads in one, its like reads in
//!   ^d: z                      z                                    the other, back along all edges to where it was made.
//! ```
//!
//! Since both are deterministic once the branches are decided, running in step on every edge means that each path of the original
//! is one of the structured form, with the same operations on the same values, and the other way round. Method: translation
//! validation by a simulation relation (Necula, Translation validation for an optimizing compiler, PLDI 2000).
//!
//! # Where the original comes from
//!
//! `tfx-sese` leaves nothing behind by default. `tfx-sese{keep-cfg=true}` leaves the function as it was, as text with all
//! locations, in the attribute `tfx.cfg`; this pass reads and removes it. So the two need not be neighbours in a pipeline, or in
//! the same process. `tfx-sese{verify=true}` does the same check at once, on a copy in memory.
//!
//! A `tfx_host.switch_enum` is taken as the switch on its tag that it is rewritten to first (see `enums.rs`).
//!
//! Two ways to one place may need different answers there, where a function branches several times on one value, or on values that are
//! equal by chance. The walk then refuses, and `exact.rs` is asked: it keeps paths apart that know different things, and needs no guess, but takes as
//! many steps as there are combinations of what is known. So it is only asked then, and gives up after a number of steps.
//!
//! Cost: the edges, times the structured operations that one edge crosses; and for each value that operations read, the edges over
//! which it is handed. A wrong guess costs one more walk. Not guaranteed: that a form which other passes have changed since is
//! understood; nor a large function, or one with operations that hold regions, in which branches have so much to do with each other that the
//! walk refuses. Of 30,000 random functions of mixed branches, which are far from what people write, none is refused (`tests/proofs.rs`); of the
//! structured forms of hundreds that were broken in one place each, none is accepted that runs otherwise (`tests/mutations.rs`).

mod exact;
mod graph;
mod likely;
mod meet;
mod places;
mod source;
mod values;
mod walk;
mod way;

use melior::ir::operation::{OperationLike, OperationPrintingFlags, OperationRef};
use rustc_hash::FxHashSet;
use tfx_ir::ops::func;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::{Block, Builder, Mapping, Op, diag, module};

use self::walk::{Finish, Walker};

/// Where `tfx-sese{keep-cfg=true}` keeps the original.
const KEPT: &str = "tfx.cfg";

/// The pass.
#[derive(Default)]
pub struct VerifyStructured;

const EDGES: Statistic = Statistic {
    name: "edges",
    description: "Edges of control-flow graphs that were followed in the structured form",
};

impl Pass for VerifyStructured {
    type Options = ();
    const NAME: &'static str = "TfxVerifyStructured";
    const ARGUMENT: &'static str = "tfx-verify-structured";
    const DESCRIPTION: &'static str =
        "Prove that structured functions do what the graphs did that tfx-sese kept";
    const ANCHOR: Anchor = Anchor::Any;
    const STATISTICS: &'static [Statistic] = &[EDGES];

    fn run<'a>(&mut self, root: Op<'a>, cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        for function in root.collect(func::Func::NAME) {
            let edges = verify_kept(function)?;
            cx.count(EDGES, edges as u64);
        }
        Ok(())
    }
}

/// Checks one function against the original that it carries.
fn verify_kept(function: Op<'_>) -> Result<usize, PassFailed> {
    if function.is_declaration() {
        return Ok(0);
    }
    let Some(text) = function.string(KEPT) else {
        // What tfx-sese leaves as it is carries nothing, but then it is one block without structured operations.
        let found = function.walk().find(|op| op.dialect() == "scf");
        if let Some(op) = found {
            diag::warning(
                function.location(),
                "this function cannot be verified: nothing tells what its control-flow graph was",
            )
            .note(op.location(), "it has structured control flow")
            .note(
                function.location(),
                "run tfx-sese{keep-cfg=true} before tfx-verify-structured",
            )
            .emit();
        }
        return Ok(0);
    };
    let malformed = || {
        let message = format!("'{KEPT}' does not hold a function");
        diag::error(function.location(), message).fail()
    };
    let original =
        module::parse_unverified(function.context(), text, "tfx.cfg").ok_or_else(malformed)?;
    let functions = module::as_op(&original).collect(func::Func::NAME);
    let first = functions.first().ok_or_else(malformed)?;
    let outcome = check(*first, function);
    function.remove_attribute(KEPT);
    outcome
}

/// Lets `function` carry what it is now, for [`VerifyStructured`].
pub(crate) fn keep(function: Op<'_>) -> Result<(), PassFailed> {
    let flags = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form()
        .use_local_scope();
    let text = OperationRef::from(function).to_string_with_flags(flags);
    let text = text.map_err(|error| diag::error(function.location(), error.to_string()).fail())?;
    function.set_string(KEPT, &text);
    Ok(())
}

/// A copy of a function that is in no module.
pub(crate) struct Copy<'a> {
    holder: Block<'a>,
    function: Op<'a>,
}

impl<'a> Copy<'a> {
    /// Copies `function` as it is now.
    pub(crate) fn of(function: Op<'a>) -> Self {
        let holder = Block::new(&[]);
        let mut builder = Builder::at_end(holder, function.location());
        Self {
            holder,
            function: builder.clone_op(function, &mut Mapping::new()),
        }
    }

    /// Checks that `structured` does what the function did when it was copied.
    pub(crate) fn check(&self, structured: Op<'a>) -> Result<usize, PassFailed> {
        check(self.function, structured)
    }
}

impl Drop for Copy<'_> {
    fn drop(&mut self) {
        self.holder.erase();
    }
}

/// Walks that are done again, each without one more wrong guess. Wrong ones need values that are equal by chance where the first way
/// leads; more than a few are never seen.
const MAX_WALKS: usize = 50;

/// Proves that `structured` does what `original` does; gives the number of edges.
fn check<'a>(original: Op<'a>, structured: Op<'a>) -> Result<usize, PassFailed> {
    let mut refuted = FxHashSet::default();
    let mut walks = 0;
    loop {
        let walker = Walker::new(original, structured, refuted);
        let mut walker = walker.map_err(|difference| difference.report())?;
        walker.run();
        walks += 1;
        match walker.finish(walks == MAX_WALKS) {
            Ok(edges) => return Ok(edges),
            Err(Finish::Again(more)) => refuted = more,
            Err(Finish::Differs(difference)) => {
                return exact::agrees(original, structured).ok_or_else(|| difference.report());
            }
        }
    }
}

/// A difference between the two: a fault of tfx and not of the user's program.
struct Difference<'a> {
    structured: Op<'a>,
    original: Op<'a>,
    what: String,
}

fn differ<'a>(structured: Op<'a>, original: Op<'a>, what: &str) -> Difference<'a> {
    Difference {
        structured,
        original,
        what: what.to_owned(),
    }
}

impl Difference<'_> {
    fn report(&self) -> PassFailed {
        let message = format!(
            "internal error: the structured form of this function is wrong: {}",
            self.what
        );
        let location = self.structured.location();
        diag::error(location, message)
            .note(
                self.original.location(),
                "where the control-flow graph is here",
            )
            .note(
                location,
                "this is a fault of tfx: please report it with this input",
            )
            .fail()
    }
}
