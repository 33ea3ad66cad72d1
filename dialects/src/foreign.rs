//! The attributes by which a program describes its foreign functions, which the compiler cannot
//! look into.
//!
//! ```text
//!   attribute of the declaration        meaning
//!   tfx.pure                            the function changes nothing
//!   tfx.state = "loader"                it reads and writes the state of that name, and no other
//!   tfx.graph_operation = "Relu"        the graph has an operation that does the same
//! ```
//!
//! Calls of functions whose states differ may change places; calls that share a state may not.

/// The function changes nothing that it is given, and keeps nothing.
pub const PURE: &str = "tfx.pure";
/// The name of the state that the function keeps.
pub const STATE: &str = "tfx.state";
/// The state of `tfx_host.print`, which a foreign function that prints may share.
pub const STANDARD_OUTPUT: &str = "stdout";
/// The operation of the graph that does the same.
pub const GRAPH_OPERATION: &str = "tfx.graph_operation";
