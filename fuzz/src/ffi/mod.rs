//! All `unsafe` code of the crate: child processes, and memory lent to the runtime.

pub(crate) mod lender;
pub(crate) mod process;
