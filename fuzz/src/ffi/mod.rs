//! All `unsafe` of the crate: child processes, and memory that is lent to the runtime.

pub(crate) mod lender;
pub(crate) mod process;
