//! Registration of all dialects, passes and pipelines.

use std::sync::Once;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::utility::{register_all_dialects, register_all_passes};

use crate::pipelines;

/// Adds the dialects of tfx and all upstream dialects, with their extensions, to a registry.
pub fn register_dialects(registry: &DialectRegistry) {
    register_all_dialects(registry);
    tfx_dialects::register(registry);
}

/// Registers the passes and pipelines of tfx and of upstream. Further calls have no effect.
pub fn register_all() {
    static ONCE: Once = Once::new();
    ONCE.call_once(register_all_passes);
    register_passes();
}

/// Registers the passes and pipelines of tfx only, for a compiler that registers upstream's itself.
/// Further calls have no effect; threads may call it at once, unlike MLIR's own registry.
pub fn register_passes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tfx_ad::register();
        tfx_deabstraction::register();
        tfx_sese::register();
        tfx_partition::register();
        tfx_protocol::register();
        tfx_copy_analysis::register();
        tfx_shapes::register();
        tfx_streams::register();
        tfx_lowering::register();
        tfx_native::register();
        tfx_xla::register();
        pipelines::register();
    });
}

/// The dialects of source programs.
const SOURCE_DIALECTS: [&str; 11] = [
    "arith",
    "cf",
    "func",
    "index",
    "math",
    "scf",
    "tensor",
    "tfx_ad",
    "tfx_comm",
    "tfx_host",
    "tfx_tensor",
];

/// Prepares a context for compiling programs: appends the dialects of tfx and of upstream to its
/// registry, loads those of source programs, so that their operations can be built, and registers
/// the passes. Other dialects are loaded when a program or a pass needs them.
pub fn prepare(context: &Context) {
    let registry = DialectRegistry::new();
    register_dialects(&registry);
    context.append_dialect_registry(&registry);
    for dialect in SOURCE_DIALECTS {
        context.get_or_load_dialect(dialect);
    }
    register_all();
}
