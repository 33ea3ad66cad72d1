//! The memory planner: offsets of buffers in one piece of memory, with a printed lower bound.
//!
//! ```text
//!   problem.rs      buffers, intervals and spans
//!      │
//!   order.rs        lifetimes as chains      instance.rs, component.rs   conflicts, sections
//!      │
//!   bound.rs        maximum live, maximum antichain (flow.rs)
//!   scan.rs         linear scan
//!   greedy.rs       orders with first fit, best fit, lowest
//!   local.rs        local search near the peak
//!   exact.rs        restarts of the search for a plan of a given size (search.rs)
//!      │
//!   plan.rs         the steps, until the bound is reached
//!
//!   check.rs        the checker, which shares no code with the planner
//! ```
//!
//! Lifetimes are intervals on one time line, or elements of a partial order that vector clocks
//! define. The planner is deterministic: its budgets count visits, not time.
//!
//! Example: `a` and `c` share bytes, since `a` is not live any more when `c` is.
//!
//! ```
//! use tfx_memory::{Buffer, Interval, Options, Problem, check, plan};
//!
//! let buffer = |size| Buffer { size, alignment: 64 };
//! let interval = |start, end| Interval { start, end };
//! let problem = Problem::with_intervals(
//!     vec![buffer(1000), buffer(512), buffer(900)],
//!     [interval(0, 2), interval(1, 4), interval(2, 4)],
//! )?;
//! let plan = plan(&problem, &Options::default());
//! assert_eq!(plan.to_string(), "1536 bytes, bound 1536, gap 0.00 %, linear scan");
//! check(&problem, &plan.offsets, plan.size)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `cargo run --release -p tfx-memory --example memory-plans` prints bounds, plans and times.

#![forbid(unsafe_code)]

mod bound;
mod check;
mod component;
mod exact;
pub mod flow;
mod greedy;
mod instance;
mod local;
mod order;
mod plan;
mod problem;
mod random;
mod scan;
mod search;

pub use check::{Violation, check};
pub use plan::{Key, Options, Plan, Step, plan};
pub use problem::{Buffer, Error, Interval, Lifetimes, Problem, Span};
pub use random::Random;
