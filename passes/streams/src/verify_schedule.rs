//! `tfx-verify-schedule`: proves that schedules have no race, no use after free and no deadlock,
//! and that each read finds the value that it names.
//!
//! ```text
//!   %v = launch %s @produce(%b write)
//!   %e = record %s                          without this event and
//!   wait %t for %e                          this wait: an error at @consume, with notes at
//!   launch %t @consume(%b read as %v)       @produce, the buffer, and both streams
//! ```
//!
//! The pass feeds each public `tfx_stream.schedule`, with the parts that it calls, to
//! `tfx-schedule`, which has the rules V1 to V6, the algorithm and its limits ([`crate::feed`]).
//! Parts that no public schedule calls are checked as well, for streams and buffers that are all
//! different. The problems that are found become errors in terms of the source
//! ([`crate::explain`]). Nothing changes.
//!
//! The checker shares no code with passes that place commands on streams or buffers in memory.
//!
//! Cost: nearly linear in the commands of straight code. Parts that several public schedules call
//! are checked for each of them.
//!
//! Not guaranteed: that kernels and functions of the host access only what the schedule declares,
//! and that the caller of a public schedule passes different streams and disjoint buffers, on which
//! no other commands run. Reads that name no value are checked for races only; the statistic
//! `unnamed-reads` counts them.

use std::collections::BTreeSet;

use melior::dialect::DialectRegistry;
use tfx_ir::Op;
use tfx_ir::diag::{Diagnostic, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_schedule::{Options, check_with};

use crate::access;
use crate::explain::Explainer;
use crate::feed::feed;
use crate::parts::{CallGraph, Program, schedules};

tfx_ir::options! {
    /// The options of `tfx-verify-schedule`.
    pub struct VerifyScheduleOptions {
        /// The number of paths at one point above which they are united.
        states: u64 = 32,
    }
}

/// The pass `tfx-verify-schedule`.
#[derive(Debug, Default)]
pub struct VerifySchedule;

const SCHEDULES: Statistic = Statistic::new("schedules", "Verified schedules and parts");
const COMMANDS: Statistic = Statistic::new(
    "commands",
    "Simulated commands, on all paths and iterations",
);
const UNNAMED_READS: Statistic = Statistic::new(
    "unnamed-reads",
    "Reads that name no value, in all public schedules",
);

impl Pass for VerifySchedule {
    type Options = VerifyScheduleOptions;
    const NAME: &'static str = "TfxVerifySchedule";
    const ARGUMENT: &'static str = "tfx-verify-schedule";
    const DESCRIPTION: &'static str =
        "Verify that schedules have no race, no use after free, no deadlock and no wrong value";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[SCHEDULES, COMMANDS, UNNAMED_READS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, VerifyScheduleOptions>,
    ) -> PassResult {
        let symbols = SymbolTable::new(module);
        let schedules = schedules(module);
        let count = schedules.len() as u64;
        let mut errors = Errors::default();
        for schedule in &schedules {
            errors.extend(access::check(*schedule, &symbols));
        }
        for program in CallGraph::new(schedules).programs()? {
            verify(module, &program, cx, &mut errors);
        }
        errors.list.finish()?;
        cx.count(SCHEDULES, count);
        Ok(())
    }
}

/// The errors so far. A problem in a part that several schedules call is reported once.
#[derive(Debug, Default)]
struct Errors<'a> {
    list: Diagnostics<'a>,
    known: BTreeSet<String>,
}

impl<'a> Errors<'a> {
    fn extend(&mut self, errors: impl IntoIterator<Item = Diagnostic<'a>>) {
        let errors = errors.into_iter();
        let known = &mut self.known;
        self.list
            .extend(errors.filter(|error| known.insert(format!("{error:?}"))));
    }
}

fn verify<'a>(
    module: Op<'a>,
    program: &Program<'a>,
    cx: &PassContext<'a, VerifyScheduleOptions>,
    errors: &mut Errors<'a>,
) {
    let fed = match feed(program) {
        Ok(fed) => fed,
        Err(found) => return errors.extend(found),
    };
    let states = usize::try_from(cx.options().states).unwrap_or(usize::MAX);
    let report = check_with(
        &fed.schedule,
        Options {
            states: states.max(1),
        },
    );
    let explainer = Explainer::new(&fed, program, module.location());
    errors.extend(report.diagnostics.iter().map(|d| explainer.explain(d)));
    cx.count(COMMANDS, report.statistics.commands);
    cx.count(UNNAMED_READS, fed.unnamed_reads);
}
