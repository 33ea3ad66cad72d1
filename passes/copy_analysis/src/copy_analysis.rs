//! `tfx-copy-analysis`: reports the copies between accelerator and host that cost time.
//!
//! ```text
//!   mode                  warns about
//!   round-trip            a value leaves the accelerator, host code uses it, and the result returns
//!   host-to-accelerator   every copy to the accelerator
//!   all                   every copy
//!   none                  nothing
//! ```
//!
//! Program inputs and results never count. `tfx_comm.to_host` and `tfx_comm.to_accelerator` mark a
//! copy as intentional: neither it nor a round trip through it is reported. Each source
//! location and direction has one warning; a note counts the places where it was inlined.
//!
//! The mode `round-trip` also warns about order stalls (`stalls.rs`). The option `remarks` adds
//! remarks on one-way copies in loops and on values that both sides compute (`remarks.rs`). A
//! function may override the options for its own program; a function that is inlined uses the
//! options of its caller:
//!
//! ```text
//!   func.func @train(...) attributes {tfx.copy_analysis = {mode = "all", scalars = false}}
//! ```
//!
//! The round-trip rule was proposed for Swift for TensorFlow but not implemented there; its own
//! warnings were those of `host-to-accelerator`. Cost: linear in the size of the module.
//!
//! Not reported: data that foreign functions pass to each other without an attribute that declares
//! it (`foreign.rs`), and values that only decide whether the program aborts.

use melior::ir::TypeLike;
use melior::ir::attribute::DictionaryAttribute;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{ShapedTypeLike, Type};
use tfx_dialects::transfer::Transfer;
use tfx_ir::diag::{self, Diagnostic, Severity};
use tfx_ir::options::Options;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, attribute};

use crate::calls::Calls;
use crate::diagnostics::Diagnostics;
use crate::flow::Flow;
use crate::foreign::Foreign;
use crate::program::{Program, functions, programs};
use crate::stalls::{self, Stall};
use crate::{messages, remarks};

tfx_ir::option_enum! {
    /// The copies to warn about.
    pub enum Mode {
        /// Round trips: from the accelerator through host code and back.
        RoundTrip = "round-trip",
        /// All copies to the accelerator.
        HostToAccelerator = "host-to-accelerator",
        /// All copies.
        All = "all",
        /// No copy.
        Nothing = "none",
    }
}

tfx_ir::options! {
    /// The options of `tfx-copy-analysis`.
    pub struct CopyAnalysisOptions {
        /// The copies to warn about: 'round-trip', 'host-to-accelerator', 'all' or 'none'.
        mode: Mode = Mode::RoundTrip,
        /// Include scalars and tensors of rank 0 in 'host-to-accelerator' and 'all'.
        scalars: bool = true,
        /// Treat warnings as errors.
        werror: bool = false,
        /// Remark on one-way copies in loops, and on values that both sides compute.
        remarks: bool = false,
    }
}

/// The attribute of a function that overrides the options of the pass.
const COPY_ANALYSIS: &str = "tfx.copy_analysis";
const EXAMPLE: &str = "{mode = \"all\", scalars = false, werror = true, remarks = true}";

impl CopyAnalysisOptions {
    /// Returns the options for `func`.
    fn overridden_by<'a>(&self, func: Op<'a>) -> Result<Self, Diagnostic<'a>> {
        let mut options = self.clone();
        let Some(attribute) = func.attribute(COPY_ANALYSIS) else {
            return Ok(options);
        };
        let wrong = |reason: String| {
            let name = func.symbol_name().unwrap_or_default();
            let message = format!("invalid '{COPY_ANALYSIS}' of function '@{name}': {reason}");
            diag::error(func.location(), message)
        };
        let dictionary = DictionaryAttribute::try_from(attribute)
            .map_err(|_| wrong(format!("expected a dictionary, such as {EXAMPLE}")))?;
        for (name, value) in
            (0..dictionary.len()).filter_map(|index| dictionary.element(index).ok())
        {
            let name = attribute::name(name);
            let text = attribute::text(value).map_or_else(|| value.to_string(), str::to_owned);
            options
                .set(name, &text)
                .map_err(|reason| wrong(format!("in '{name}', {reason}")))?;
        }
        Ok(options)
    }

    fn severity(&self) -> Severity {
        match self.werror {
            true => Severity::Error,
            false => Severity::Warning,
        }
    }

    /// Returns whether the modes that report single copies include values of a type.
    fn includes(&self, ty: Type<'_>) -> bool {
        let is_tensor = match ty.is_ranked_tensor() {
            true => RankedTensorType::try_from(ty).is_ok_and(|tensor| tensor.rank() > 0),
            false => ty.is_unranked_tensor(),
        };
        is_tensor || self.scalars
    }
}

/// The pass; the module describes the rules.
#[derive(Debug, Default)]
pub struct CopyAnalysis;

const WARNINGS: Statistic = Statistic::new("warnings", "Warnings and errors about copies");

impl Pass for CopyAnalysis {
    type Options = CopyAnalysisOptions;
    const NAME: &'static str = "TfxCopyAnalysis";
    const ARGUMENT: &'static str = "tfx-copy-analysis";
    const DESCRIPTION: &'static str =
        "Report values that make a round trip from the accelerator to the host, and order stalls";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[WARNINGS];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, CopyAnalysisOptions>) -> PassResult {
        let symbols = SymbolTable::new(module);
        let foreign = Foreign::of(&symbols)?;
        let calls = Calls::of(&symbols, &foreign);
        let mut diagnostics = Diagnostics::default();
        for func in functions(&symbols) {
            let options = cx.options().overridden_by(func)?;
            analyze(
                func,
                &options,
                &symbols,
                (&foreign, &calls),
                &mut diagnostics,
            );
        }
        cx.count(WARNINGS, diagnostics.warnings());
        Ok(diagnostics.finish()?)
    }
}

fn analyze<'a>(
    func: Op<'a>,
    options: &CopyAnalysisOptions,
    symbols: &SymbolTable<'a>,
    (foreign, calls): (&Foreign<'a>, &Calls<'a>),
    diagnostics: &mut Diagnostics<'a>,
) {
    let programs = programs(func, symbols);
    let needs_flow = options.mode == Mode::RoundTrip || options.remarks;
    // Without a send, or without a received value, there is no round trip.
    let sends = programs.iter().any(|program| !program.sends.is_empty());
    let starts = (needs_flow && sends).then(|| calls.starts(func));
    let flow = starts
        .filter(|starts| !starts.is_empty())
        .map(|starts| Flow::new(func, starts, symbols, foreign));
    let flow = flow.as_ref();
    for program in &programs {
        let stalls = flow.map(|flow| stalls::stalls(program, flow, foreign));
        let stalls = stalls.unwrap_or_default();
        report_copies(program, options, flow, foreign, diagnostics);
        report_stalls(program, options, &stalls, foreign, diagnostics);
        if options.remarks {
            remarks::of(program, flow, &stalls, diagnostics);
        }
    }
}

fn report_copies<'a>(
    program: &Program<'a>,
    options: &CopyAnalysisOptions,
    flow: Option<&Flow<'a>>,
    foreign: &Foreign<'a>,
    diagnostics: &mut Diagnostics<'a>,
) {
    let severity = options.severity();
    if options.mode == Mode::RoundTrip {
        for send in program.reported_sends() {
            if let Some(trip) = flow.and_then(|flow| flow.round_trip(send)) {
                let transfer = Transfer::Send(send);
                diagnostics.report_round_trip(severity, transfer, trip.places(), || {
                    messages::round_trip(program, send, &trip, foreign)
                });
            }
        }
    }
    if options.mode == Mode::All {
        let receives = program.reported_receives();
        for receive in receives.filter(|receive| options.includes(receive.value().ty())) {
            diagnostics.report(severity, Transfer::Recv(receive), || {
                messages::to_host(receive, foreign)
            });
        }
    }
    if matches!(options.mode, Mode::All | Mode::HostToAccelerator) {
        let sends = program.reported_sends();
        for send in sends.filter(|send| options.includes(send.value().ty())) {
            diagnostics.report(severity, Transfer::Send(send), || {
                messages::to_accelerator(program, send)
            });
        }
    }
}

/// Reports an order stall as a warning in the mode `round-trip` if every send stalls, and as a
/// remark otherwise.
fn report_stalls<'a>(
    program: &Program<'a>,
    options: &CopyAnalysisOptions,
    stalls: &[Stall<'a>],
    foreign: &Foreign<'a>,
    diagnostics: &mut Diagnostics<'a>,
) {
    for stall in stalls {
        let severity = match options.mode {
            Mode::RoundTrip if !stall.conditional => options.severity(),
            _ if options.remarks => Severity::Remark,
            _ => continue,
        };
        diagnostics.report(severity, Transfer::Recv(stall.receive), || {
            messages::order_stall(program, stall, foreign)
        });
    }
}
