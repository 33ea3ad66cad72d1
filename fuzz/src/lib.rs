//! Random programs, and every stage of the compiler checked against the reference interpreter.
//!
//! ```text
//!   seed ──generate──> program ──check──> every stage shows what the source shows, under every schedule; compiled code, too
//!                         │
//!   pool: workers, each a process: one that crashes is a mismatch of the program that it was at, and the others go on
//!
//!   seed ──bytes::sample──> IR, bytecode, pipelines, GraphDefs, arrays that are nearly right ──bytes::run──> taken or refused, and no more
//!
//!   faults: what is made wrong in the passes ──mutants──> a build that has them all, run with one at a time: is it found?
//! ```

pub mod bytes;
pub mod check;
pub mod compiled;
pub mod copies;
pub mod counts;
pub mod generate;
mod idempotence;
pub mod mutants;
pub mod pool;
pub mod reduce;
pub mod shrink;
pub mod world;

mod ffi;
mod order;
mod outlined;
mod runs;
mod threads;

/// Prints a line. A reader that has seen enough is no failure.
///
/// # Errors
/// What cannot be written.
pub fn print_line(line: &str) -> Result<(), tfx::Error> {
    tfx::report::write(&format!("{line}\n"), None)
}
