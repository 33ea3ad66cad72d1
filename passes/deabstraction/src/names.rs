//! The operations that the passes of this crate look for.

pub(crate) const FUNC: &str = "func.func";
pub(crate) const CALL: &str = "func.call";
pub(crate) const RETURN: &str = "func.return";

pub(crate) const STRUCT: &str = "tfx_host.struct";
pub(crate) const VAR: &str = "tfx_host.var";
pub(crate) const LOAD: &str = "tfx_host.load";
pub(crate) const STORE: &str = "tfx_host.store";

/// The attribute of a generic function.
pub(crate) const TYPE_PARAMS: &str = "tfx_host.type_params";
