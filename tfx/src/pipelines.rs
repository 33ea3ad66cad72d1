//! The registered pipelines: the road from source to code, in stages.
//!
//! ```text
//!   tfx-deabstract     source            ──> SSA over a CFG, scalars and tensors only
//!   tfx-extract        source            ──> host functions and graphs with channels, and what is said of their copies
//!   tfx-compile-graph  source            ──> the same, with graphs that a GraphDef can say
//!   tfx-compile        source            ──> the LLVM dialect, with each GraphDef as a constant
//! ```

use tfx_deabstraction::DeabstractOptions;
use tfx_ir::pipeline;

/// From source to SSA over a CFG.
pub const DEABSTRACT: &str = "tfx-deabstract";
/// From source to host functions and graphs.
pub const EXTRACT: &str = "tfx-extract";
/// From source to graphs that a GraphDef can say.
pub const COMPILE_GRAPH: &str = "tfx-compile-graph";
/// From source to the LLVM dialect.
pub const COMPILE: &str = "tfx-compile";

/// From structured functions to host functions and graphs, with the proof that they fit: a reject is an error of the compiler.
pub const PARTITION: &str = "tfx-partition,tfx-verify-protocol{internal=true}";
/// Scalars that cross together become one message, with the same proof.
pub const PACK: &str = "tfx-pack-scalars,tfx-verify-protocol{internal=true}";
/// From graphs to graphs that a GraphDef can say.
pub const LEGALIZE: &str = "tfx_tensor.graph(tfx-legalize-graph)";

/// What upstream does after `tfx-lower-host`: everything to the LLVM dialect.
const TO_LLVM: &str = "canonicalize,arith-expand,convert-math-to-llvm,convert-math-to-libm,convert-index-to-llvm,convert-arith-to-llvm,\
    convert-ub-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts";

/// Registers all of them.
pub(crate) fn register() {
    pipeline::register(
        DEABSTRACT,
        "Remove every abstraction: SSA over a CFG, scalars and tensors only",
        tfx_deabstraction::pipeline,
    );
    pipeline::register(
        EXTRACT,
        "Split a program into host functions and graphs, and say what it copies",
        extract,
    );
    pipeline::register(
        COMPILE_GRAPH,
        "tfx-extract, and then graphs in functional form",
        compile_graph,
    );
    pipeline::register(
        COMPILE,
        "Compile a program to the LLVM dialect, with each GraphDef as a constant",
        |options| compile(options, ""),
    );
}

/// `tfx-extract` as a list of passes. Operations are checked while they are those of the source, but with known types.
pub(crate) fn extract(options: &DeabstractOptions) -> String {
    format!(
        "tfx-specialize,tfx-check-accelerator-only,tfx-check-operations,{},func.func(tfx-sese),{PARTITION},tfx-copy-analysis",
        tfx_deabstraction::specialized_pipeline(options)
    )
}

fn compile_graph(options: &DeabstractOptions) -> String {
    format!("{},{PACK},{LEGALIZE}", extract(options))
}

/// `tfx-compile` as a list of passes, with the entry function that it describes; the default one for an empty name.
pub(crate) fn compile(options: &DeabstractOptions, entry: &str) -> String {
    format!("{},{}", compile_graph(options), lower(entry))
}

/// What follows once graphs are in functional form, up to the LLVM dialect, with the entry function that it describes.
pub fn lower(entry: &str) -> String {
    let option = if entry.is_empty() {
        String::new()
    } else {
        format!("{{entry={entry}}}")
    };
    format!("func.func(convert-scf-to-cf),tfx-lower-host{option},{TO_LLVM}")
}
