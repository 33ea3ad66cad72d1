//! All `unsafe` of the crate: child processes, and memory that is lent to the runtime.

pub(crate) mod lent;
pub(crate) mod process;
