//! Reference semantics of programs at every stage: what a pass must not change.
//!
//! ```text
//!   source ──────────┐
//!   deabstracted ────┤
//!   structured ──────┼──> Library ──run──> Behaviour: what was printed and called, and how it ended
//!   partitioned ─────┤                │
//!   legalized ───────┘                └── Schedule: whose turn it is, where a host and its graphs run side by side
//! ```
//!
//! One machine runs them all: `func`, `cf`, `scf`, `arith`, `math`, `index` and the three dialects of tfx, before any pass and after. Tensor
//! operations are the kernels of `tfx-interpreter`; foreign functions are those of a [`World`]. After partition the host and each graph
//! that it starts are processes which take turns, with channels of a given capacity between them; a deadlock, a message that nobody takes, a
//! value of the wrong type and a program that is never finished are found.
//!
//! Not promised: what one graph does in parallel. Here a graph runs its operations in their order.

#![forbid(unsafe_code)]

mod code;
mod computed;
mod frame;
mod library;
mod machine;
mod messages;
mod outside;
mod random;
mod scalar;
mod schedule;
mod steps;
mod taint;
mod translate;
mod value;

pub use library::{FunctionId, Library};
pub use machine::{Behaviour, End, Limits, Returned, World, run};
pub use random::Random;
pub use schedule::Random as RandomSchedule;
pub use schedule::{Every, Fair, GraphFirst, HostFirst, Schedule};
pub use taint::Transfers;
pub use translate::Fault;
pub use value::Value;
