//! Random programs, and every stage of the compiler checked against the reference interpreter.
//!
//! ```text
//!   seed ──generate──> program ──check──> every stage shows what the source shows, under every schedule; compiled code, too
//!                         │
//!   pool: workers, each a process: one that crashes is a mismatch of the program that it was at, and the others go on
//! ```

pub mod check;
pub mod compiled;
pub mod copies;
pub mod generate;
pub mod pool;
pub mod reduce;
pub mod world;

mod process;
