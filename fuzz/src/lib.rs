//! Random testing of the compiler: every stage is compared with the reference interpreter.
//!
//! ```text
//!   seed ──generate──> program ──check──> each stage, under all schedules, behaves as the source
//!                         │
//!   pool: worker processes; a crash is a mismatch of the current program
//!
//!   seed ──bytes::sample──> damaged IR, pipelines, GraphDefs, arrays ──bytes::run──> safe?
//!
//!   mutants/*.toml ──mutants──> one build with all mutants, each activated in turn ──> killed?
//! ```

pub mod bytes;
pub mod check;
pub mod compiled;
mod context;
pub mod copies;
pub mod counts;
mod derivatives;
pub mod generate;
mod idempotence;
mod in_process;
pub mod mismatch;
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

/// Prints a line. A reader that closes the pipe early is not an error.
///
/// # Errors
/// The line cannot be written.
pub fn print_line(line: &str) -> anyhow::Result<()> {
    Ok(tfx::files::print(format!("{line}\n"))?)
}
