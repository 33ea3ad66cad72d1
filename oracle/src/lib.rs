//! Reference semantics of programs at every stage, which passes must preserve.
//!
//! ```text
//!   source ──────────┐
//!   deabstracted ────┤
//!   structured ──────┼──> Library ──run──> Behaviour: the trace, and how the program ended
//!   partitioned ─────┤                │
//!   legalized ───────┘                └── Schedule: the order of the steps of a host and its graphs
//! ```
//!
//! One machine runs all stages: `func`, `cf`, `scf`, `arith`, `math`, `index` and the three
//! dialects of tfx, before any pass and after. Tensor operations are the kernels of
//! `tfx-interpreter`; foreign functions are those of a [`World`]. After partition the host and each
//! graph that it starts are processes under a schedule, with channels of a given capacity between
//! them. The machine detects deadlocks, messages that are never received, values of a wrong type,
//! and programs that are never finished.
//!
//! Limit: parallelism within one graph is not simulated; a graph runs its operations in program
//! order.

#![forbid(unsafe_code)]

mod code;
mod computed;
mod counts;
mod dual;
mod effects;
mod error;
mod execute;
mod frame;
mod library;
mod machine;
mod messages;
mod random;
mod run;
mod scalar;
mod schedule;
mod taint;
mod tape;
mod translate;
mod value;

pub use counts::{Counts, FunctionCounts, TapeCounts};
pub use error::{Error, Failure};
pub use library::Library;
pub use machine::{Behaviour, End, Limits, Returned, World};
pub use random::Random;
pub use run::run;
pub use schedule::Random as RandomSchedule;
pub use schedule::{Every, Fair, GraphFirst, HostFirst, Schedule};
pub use taint::Transfers;
pub use value::{FunctionId, Value};
