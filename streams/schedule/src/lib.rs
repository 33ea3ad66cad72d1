//! The checker of stream schedules.
//!
//! A schedule issues kernels, copies and fills on streams, which run concurrently, and orders them
//! by events. [`check`] proves that it has no race, no use after free and no deadlock, and that
//! each read finds the value that the value-level program names. It does not use, and shares no
//! code with, the passes that place commands on streams and buffers in memory.
//!
//! ```text
//!   builder      front ends feed commands: IR, or a decoded command list ──► model
//!   scopes       names and sizes, with rules for single commands
//!   engine       commands on states: clocks of agents, names, queues of streams
//!     accesses   V1, V2, V3, V5 for each access; memory: the last accesses by range
//!     control    loops until a state repeats, branches; state: canonical form and union
//!     names      the meaning of names in a state
//!     calls      calls of parts: summary, what a part requires and ensures
//!   diagnostic   problems as data; text
//! ```
//!
//! | rule | proved for all timings of streams, all branches and all numbers of iterations |
//! |---|---|
//! | V1 | conflicting accesses of overlapping bytes are ordered |
//! | V2 | bytes are allocated before their accesses, and released before their next use |
//! | V3 | each read finds the value that the value-level program names |
//! | V4 | no agents wait for each other, and no wait is for an event without a record |
//! | V5 | the host and asynchronous commands do not access the same bytes at the same time |
//! | V6 | the rules of CUDA |
//!
//! Asynchronous copies never count as complete when they return to the host, whatever the memory,
//! so V5 holds for pageable memory as well.
//!
//! **Exactness.** Straight code, loops, branches and calls are rejected if and only if some
//! execution violates a rule, up to three limits. Above [`Options::states`] at one point, states
//! are united, and schedules may be rejected that are correct. Loops whose state does not repeat
//! soon, and waits that are open at a nested body, are rejected with [`Limit`]. Conditions of
//! branches count as independent.
//!
//! **Not guaranteed.** The accesses of a command, and the values that they name, are those that the
//! front end declares: a kernel that writes elsewhere is not found. One thread issues all commands;
//! another thread is modelled as a stream. Data races inside a kernel are out of scope.
//!
//! ```
//! use tfx_schedule::{Builder, Device, Names, Space, check, read, write};
//!
//! let mut b = Builder::new();
//! let gpu = b.device(Device::Cuda);
//! b.begin_part("main");
//! let [s0, s1] = [b.stream(gpu), b.stream(gpu)];
//! let buffer = b.buffer(64, Space::Device(gpu));
//! let value = b.value();
//! b.launch("producer", s0, &[write(buffer, value)]);
//! b.launch("consumer", s1, &[read(buffer, value)]);
//! b.end_part(Names::default());
//!
//! let schedule = b.finish()?;
//! let report = check(&schedule);
//! assert_eq!(
//!     report.diagnostics[0].display(&schedule).to_string(),
//!     "V1: unordered accesses of bytes 0..64 of buffer 0 in part 'main': the write at producer \
//!      on stream 0 and the read at consumer on stream 1; record an event on stream 0 after \
//!      producer, and wait for it on stream 1 before consumer"
//! );
//! # Ok::<(), tfx_schedule::BuildError>(())
//! ```

#![forbid(unsafe_code)]

mod accesses;
pub mod builder;
mod calls;
mod clock;
mod control;
pub mod diagnostic;
mod engine;
mod memory;
pub mod model;
mod names;
mod rules;
mod scopes;
mod state;
mod summary;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use builder::{BuildError, Builder, Source, read, read_any, scratch, write, write_any};
pub use diagnostic::{Diagnostic, Limit, Problem, Rule};
pub use model::*;

use engine::{Engine, Shared};
use scopes::Program;

/// The work of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The simulated commands, on all paths and iterations.
    pub commands: u64,
    /// The largest number of states that the check kept apart.
    pub states: usize,
    /// The summaries of parts.
    pub summaries: usize,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The problems, in the order of their parts. At most a thousand are listed.
    pub diagnostics: Vec<Diagnostic>,
    /// The work.
    pub statistics: Statistics,
}

impl Report {
    /// Returns whether the schedule is verified.
    pub fn is_verified(&self) -> bool {
        self.diagnostics.is_empty()
    }
}

/// The options of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of states at one point above which states are united. More states are more exact
    /// if there are many branches, and take more time.
    pub states: usize,
}

impl Default for Options {
    /// Returns 32 states: about as many as a loop with a ring of eight buffers has at its end.
    fn default() -> Self {
        Self { states: 32 }
    }
}

/// Checks a schedule.
pub fn check<P>(schedule: &Schedule<P>) -> Report {
    check_with(schedule, Options::default())
}

/// Checks a schedule with options.
pub fn check_with<P>(schedule: &Schedule<P>, options: Options) -> Report {
    let program = Program {
        devices: &schedule.devices,
        parts: &schedule.parts,
        commands: schedule.places.len(),
    };
    let (last_uses, problems) = scopes::resolve(program);
    let is_simulated = problems
        .iter()
        .all(|problem| !matches!(problem.rule(), Rule::Model | Rule::Limit | Rule::Progress));
    let mut shared = Shared {
        program,
        options,
        last_uses: &last_uses,
        summaries: BTreeMap::new(),
        diagnostics: problems.into_iter().collect::<BTreeSet<_>>(),
        statistics: Statistics::default(),
        compared: 0,
        key_words: 0,
    };
    if is_simulated && let Some(entry) = program.parts.len().checked_sub(1) {
        let body = &program.parts[entry].body;
        let mut engine = Engine::entry(&mut shared, PartId(entry as u32));
        let state = engine.initial_state();
        engine.run(body, vec![state]);
        summary::check_unused(&mut shared);
    }
    Report {
        statistics: Statistics {
            summaries: shared.summaries.len(),
            ..shared.statistics
        },
        diagnostics: shared.diagnostics.into_iter().collect(),
    }
}

/// Checks the schedule of a source. Returns the schedule, whose places diagnostics name.
///
/// # Errors
///
/// The source misuses the builder.
pub fn check_source<S: Source>(source: &S) -> Result<(Schedule<S::Place>, Report), BuildError> {
    let mut builder = Builder::new();
    source.feed(&mut builder);
    let schedule = builder.finish()?;
    let report = check(&schedule);
    Ok((schedule, report))
}
