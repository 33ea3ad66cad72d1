//! `tfx-copy-analysis`: warns of the copies between accelerator and host that cost time.
//!
//! ```text
//!   mode                  warns of
//!   round-trip            a value leaves the accelerator, host code uses it, and the result goes back
//!   host-to-accelerator   every copy to the accelerator
//!   all                   every copy, both ways
//!   none                  nothing
//! ```
//!
//! What a program is given at its start and what it gives at its end never counts. `tfx_comm.to_host` and
//! `tfx_comm.to_accelerator` say that a copy is meant: it is not warned of, and no round trip goes over it. There is one warning for
//! each place in the source and direction, however often that place was inlined.
//!
//! The round-trip rule was proposed for Swift for TensorFlow, whose own warnings were those of `host-to-accelerator`, but not built
//! there. Cost: linear in the size of the module.
//!
//! Not seen: data that foreign functions pass to each other behind the program's back, such as in a global variable.

use std::collections::{HashMap, HashSet};

use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::diag::{Diag, Severity};
use tfx_ir::location::{Place, place};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Region};

use crate::flow::Flow;
use crate::report;

tfx_ir::option_enum! {
    /// Which copies to warn of.
    pub enum Mode {
        /// Those of a round trip: out of the accelerator, through host code, and back.
        RoundTrip = "round-trip",
        /// All to the accelerator.
        HostToAccelerator = "host-to-accelerator",
        /// All.
        All = "all",
        /// None.
        Nothing = "none",
    }
}

tfx_ir::options! {
    /// What `tfx-copy-analysis` takes.
    pub struct CopyAnalysisOptions {
        /// Which copies to warn of: 'round-trip', 'host-to-accelerator', 'all' or 'none'.
        mode: Mode = Mode::RoundTrip,
        /// Whether a warning is an error, and the pass fails.
        werror: bool = false,
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct CopyAnalysis;

const WARNINGS: Statistic = Statistic {
    name: "warnings",
    description: "Copies that were warned of",
};

impl Pass for CopyAnalysis {
    type Options = CopyAnalysisOptions;
    const NAME: &'static str = "TfxCopyAnalysis";
    const ARGUMENT: &'static str = "tfx-copy-analysis";
    const DESCRIPTION: &'static str =
        "Warn of data that goes from the accelerator to the host and back";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[WARNINGS];

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, CopyAnalysisOptions>,
    ) -> Result<(), PassFailed> {
        let symbols = SymbolTable::new(module);
        let mut said = Said {
            seen: HashSet::new(),
            werror: cx.options().werror,
            warnings: 0,
        };
        if cx.options().mode != Mode::Nothing {
            let functions = symbols.ops().filter(|op| op.is("func.func"));
            for func in functions.filter(|op| op.attribute(TYPE_PARAMS).is_none()) {
                for start in func.collect("tfx_comm.start") {
                    let program = Program::of(func, start, &symbols);
                    program.analyze(cx.options().mode, &mut said);
                }
            }
        }
        cx.count(WARNINGS, said.warnings);
        match said.werror && said.warnings > 0 {
            true => Err(PassFailed::already_reported()),
            false => Ok(()),
        }
    }
}

/// A program as its host function sees it.
pub(crate) struct Program<'a> {
    pub(crate) func: Op<'a>,
    /// The host's sends and receives, in program order.
    pub(crate) sends: Vec<Op<'a>>,
    pub(crate) receives: Vec<Op<'a>>,
    /// The graph's receive on each channel.
    pub(crate) graph_receives: HashMap<i64, Op<'a>>,
}

impl<'a> Program<'a> {
    fn of(func: Op<'a>, start: Op<'a>, symbols: &SymbolTable<'a>) -> Self {
        let program = start.result(0);
        let mut transfers: Vec<Op<'a>> = Vec::new();
        let mut graph_receives = HashMap::new();
        for op in func.walk() {
            let of_program = || op.operands().any(|operand| operand == program);
            if matches!(op.name(), "tfx_comm.send" | "tfx_comm.recv") && of_program() {
                transfers.push(op);
            }
        }
        for op in symbols
            .resolve(start, "graph")
            .into_iter()
            .flat_map(Op::walk)
        {
            if let (true, Some(channel)) = (op.is("tfx_comm.recv"), op.integer("channel")) {
                graph_receives.insert(channel, op);
            }
        }
        let (sends, receives) = transfers.into_iter().partition(|op| op.is("tfx_comm.send"));
        Program {
            func,
            sends,
            receives,
            graph_receives,
        }
    }

    fn analyze(&self, mode: Mode, said: &mut Said) {
        let sends = || self.sends.iter().filter(|op| !is_meant(**op));
        let receives = || self.receives.iter().filter(|op| !is_meant(**op));
        match mode {
            Mode::RoundTrip if self.sends.is_empty() || self.receives.is_empty() => {}
            Mode::RoundTrip => {
                let flow = Flow::from(self.func, receives().copied());
                for &send in sends() {
                    if let Some(chain) = flow.chain_to(send) {
                        said.say(send, Direction::ToAccelerator, || {
                            report::round_trip(self, send, &chain)
                        });
                    }
                }
            }
            Mode::HostToAccelerator | Mode::All => {
                if mode == Mode::All {
                    for &receive in receives() {
                        said.say(receive, Direction::ToHost, || report::to_host(receive));
                    }
                }
                for &send in sends() {
                    said.say(send, Direction::ToAccelerator, || {
                        report::to_accelerator(self, send)
                    });
                }
            }
            Mode::Nothing => {}
        }
    }
}

/// Whether the user marked a copy.
fn is_meant(transfer: Op<'_>) -> bool {
    transfer.attribute("explicit").is_some()
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    ToHost,
    ToAccelerator,
}

/// What was said already.
struct Said {
    seen: HashSet<(Place, Direction)>,
    werror: bool,
    warnings: u64,
}

impl Said {
    fn say<'a>(
        &mut self,
        transfer: Op<'a>,
        direction: Direction,
        message: impl FnOnce() -> report::Warning<'a>,
    ) {
        // Without a place every copy is one of its own.
        if let Some(place) = place(transfer.location())
            && !self.seen.insert((place, direction))
        {
            return;
        }
        self.warnings += 1;
        let warning = message();
        let severity = if self.werror {
            Severity::Error
        } else {
            Severity::Warning
        };
        let diag = Diag::new(severity, warning.location, warning.message);
        warning
            .notes
            .into_iter()
            .fold(diag, |diag, (location, note)| diag.note(location, note))
            .emit();
    }
}

/// The loops of the host around an operation, the innermost first.
pub(crate) fn loops_around(op: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    op.ancestors()
        .filter(|op| matches!(op.name(), "scf.for" | "scf.while"))
}

/// The operation that ends a region of one block.
pub(crate) fn end_of(region: Region<'_>) -> Option<Op<'_>> {
    region.single_block()?.last()
}
