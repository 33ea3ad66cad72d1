//! Command lists on the fake driver.
//!
//! Each test loads a copy of the library, and so has a driver with a state of its own.

mod blas;
mod copies;
mod decisions;
mod failures;
mod launches;
mod load;
mod order;
mod products;
mod programs;
mod ptx;
mod random;
mod replay;
mod support;
mod times;
mod traces;

#[path = "../../../../schedule/tests/support/mod.rs"]
mod schedules;
