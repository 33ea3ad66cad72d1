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
//! each place in the source and direction, however often that place was inlined; a note says how often that was.
//!
//! A function may say for itself what it wants: see `settings.rs`. What is known of foreign functions is in `foreign.rs`. With `remarks`,
//! what is copied one way in a loop and what both sides compute is named as well: see `remarks.rs`.
//!
//! Order stalls are reported as well, where single copies are not: a value that is received before an effect, and a
//! send behind it, in a loop. See `stalls.rs`.
//!
//! The round-trip rule was proposed for Swift for TensorFlow, whose own warnings were those of `host-to-accelerator`, but not built
//! there. Cost: linear in the size of the module.
//!
//! Not seen: data that foreign functions pass to each other behind the program's back, where no attribute says so. A path that aborts
//! does not count: that the host looks at a value before it goes on is no round trip, if all that it may do is stop.

use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, TypeLike};
use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::Op;
use tfx_ir::diag::Severity;
use tfx_ir::ops::func;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::symbols::SymbolTable;

use crate::calls::Calls;
use crate::flow::Flow;
use crate::foreign::Foreign;
use crate::program::{Direction, Program, programs, value_of};
use crate::said::Said;
use crate::settings::Settings;
use crate::stalls::{self, Stall};
use crate::{remarks, report};

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

tfx_ir::option_enum! {
    /// Whether to warn of something.
    pub enum Switch {
        /// Yes.
        On = "on",
        /// No.
        Off = "off",
    }
}

tfx_ir::options! {
    /// What `tfx-copy-analysis` takes.
    pub struct CopyAnalysisOptions {
        /// Which copies to warn of: 'round-trip', 'host-to-accelerator', 'all' or 'none'.
        mode: Mode = Mode::RoundTrip,
        /// Whether 'host-to-accelerator' and 'all' warn of scalars, and of tensors of rank 0: 'on' or 'off'.
        scalars: Switch = Switch::On,
        /// Whether a warning is an error, and the pass fails.
        werror: bool = false,
        /// Whether to remark on copies one way in loops, and on what both sides compute.
        remarks: bool = false,
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
        "Warn of data that goes from the accelerator to the host and back, and of order stalls";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[WARNINGS];

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, CopyAnalysisOptions>,
    ) -> Result<(), PassFailed> {
        let symbols = SymbolTable::new(module);
        let foreign = Foreign::of(&symbols)?;
        let calls = Calls::of(&symbols, &foreign);
        let mut said = Said::default();
        for func in functions(&symbols) {
            let settings = Settings::of(func, cx.options())?;
            analyze(func, settings, &symbols, (&foreign, &calls), &mut said);
        }
        let told = said.emit();
        cx.count(WARNINGS, told.warnings);
        match told.failed {
            true => Err(PassFailed::already_reported()),
            false => Ok(()),
        }
    }
}

/// The functions that may run programs.
pub(crate) fn functions<'s, 'a>(symbols: &'s SymbolTable<'a>) -> impl Iterator<Item = Op<'a>> + 's {
    symbols
        .ops()
        .filter(|op| op.isa::<func::Func>() && op.attribute(TYPE_PARAMS).is_none())
}

fn analyze<'a>(
    func: Op<'a>,
    settings: Settings,
    symbols: &SymbolTable<'a>,
    (foreign, calls): (&Foreign<'a>, &Calls<'a>),
    said: &mut Said<'a>,
) {
    let programs = programs(func, symbols);
    let needs_flow = settings.mode == Mode::RoundTrip || settings.remarks;
    // Without sends, or where nothing comes in, nothing can make a round trip.
    let sends = programs.iter().any(|program| !program.sends.is_empty());
    let starts = (needs_flow && sends).then(|| calls.starts(func));
    let flow = starts
        .filter(|starts| !starts.is_empty())
        .map(|starts| Flow::from(func, starts, symbols, foreign));
    for program in &programs {
        let flow = flow.as_ref();
        let stalls = flow.map(|flow| stalls::stalls(program, flow, foreign));
        let stalls = stalls.unwrap_or_default();
        warn(program, settings, flow, foreign, said);
        warn_of_stalls(program, settings, &stalls, foreign, said);
        if settings.remarks {
            remarks::of(program, flow, &stalls, said);
        }
    }
}

fn warn<'a>(
    program: &Program<'a>,
    settings: Settings,
    flow: Option<&Flow<'a>>,
    foreign: &Foreign<'a>,
    said: &mut Said<'a>,
) {
    let severity = settings.severity();
    let sends = || program.sends.iter().filter(|op| !is_meant(**op));
    let receives = || program.receives.iter().filter(|op| !is_meant(**op));
    let counts = |op: &Op<'a>| settings.scalars == Switch::On || !is_scalar(*op);
    match settings.mode {
        Mode::RoundTrip => {
            for &send in sends() {
                if let Some(trip) = flow.and_then(|flow| flow.trip_to(send)) {
                    said.say(severity, send, Direction::ToAccelerator, || {
                        report::round_trip(program, send, &trip, foreign)
                    });
                }
            }
        }
        Mode::HostToAccelerator | Mode::All => {
            if settings.mode == Mode::All {
                for &receive in receives().filter(|op| counts(op)) {
                    said.say(severity, receive, Direction::ToHost, || {
                        report::to_host(receive, foreign)
                    });
                }
            }
            for &send in sends().filter(|op| counts(op)) {
                said.say(severity, send, Direction::ToAccelerator, || {
                    report::to_accelerator(program, send)
                });
            }
        }
        Mode::Nothing => {}
    }
}

/// An order stall is a warning in the mode that looks at what stalls the accelerator, if each send waits.
fn warn_of_stalls<'a>(
    program: &Program<'a>,
    settings: Settings,
    stalls: &[Stall<'a>],
    foreign: &Foreign<'a>,
    said: &mut Said<'a>,
) {
    for stall in stalls {
        let severity = match settings.mode {
            Mode::RoundTrip if !stall.conditional => settings.severity(),
            _ if settings.remarks => Severity::Remark,
            _ => continue,
        };
        said.say(severity, stall.receive, Direction::ToHost, || {
            report::order_stall(program, stall, foreign)
        });
    }
}

/// Whether the user marked a copy.
pub(crate) fn is_meant(transfer: Op<'_>) -> bool {
    transfer.attribute("explicit").is_some()
}

/// Whether one number or boolean crosses.
fn is_scalar(transfer: Op<'_>) -> bool {
    let ty = value_of(transfer).ty();
    match ty.is_ranked_tensor() {
        true => RankedTensorType::try_from(ty).is_ok_and(|tensor| tensor.rank() == 0),
        false => !ty.is_unranked_tensor(),
    }
}
