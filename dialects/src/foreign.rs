//! The attributes that describe foreign functions, whose bodies the compiler does not have.
//!
//! ```text
//!   attribute of the declaration        meaning
//!   tfx.pure                            the function has no side effects
//!   tfx.state = "loader"                it reads and writes the state of that name, and no other
//!   tfx.graph_operation = "Relu"        the equivalent operation of a graph
//!   tfx.unchecked                       compiled code does not check the types of its results
//! ```
//!
//! Calls of functions with different states may be reordered; calls that share a state keep their
//! order.

/// The function has no side effects and keeps no state.
pub const PURE: &str = "tfx.pure";
/// The name of the state that the function reads and writes.
pub const STATE: &str = "tfx.state";
/// The caller of the compiled code checks the results of the function itself.
pub const UNCHECKED: &str = "tfx.unchecked";
/// The state of `tfx_host.print`, which a foreign function that prints may share.
pub const STANDARD_OUTPUT: &str = "stdout";
/// The equivalent operation of a graph.
pub const GRAPH_OPERATION: &str = "tfx.graph_operation";
