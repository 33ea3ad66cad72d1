//! The registered pipelines: the road from source to code, in stages.
//!
//! ```text
//!   tfx-deabstract     source            ──> SSA over a CFG, scalars and tensors only
//!   tfx-extract        source            ──> host functions and graphs with channels, and what is said of their copies
//!   tfx-compile-graph  source            ──> the same, with graphs that a GraphDef can say
//!   tfx-compile        source            ──> the LLVM dialect, with each GraphDef as a constant
//! ```

/// From source to SSA over a CFG.
pub const DEABSTRACT: &str = "tfx-deabstract";
/// From source to host functions and graphs.
pub const EXTRACT: &str = "tfx-extract";
/// From source to graphs that a GraphDef can say.
pub const COMPILE_GRAPH: &str = "tfx-compile-graph";
/// From source to the LLVM dialect.
pub const COMPILE: &str = "tfx-compile";

/// The proof that what partition made fits, with a reject as an error of the compiler.
const PROVE: &str = "tfx-verify-protocol{internal=true}";

/// What upstream does after `tfx-lower-host`: everything to the LLVM dialect.
const TO_LLVM: &str = "canonicalize,arith-expand,convert-math-to-llvm,convert-math-to-libm,convert-index-to-llvm,convert-arith-to-llvm,\
    convert-ub-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts";

/// Name, description and text of each pipeline.
pub(crate) fn all() -> [(&'static str, &'static str, String); 4] {
    [
        (
            DEABSTRACT,
            "Remove every abstraction: SSA over a CFG, scalars and tensors only",
            tfx_deabstraction::PIPELINE.to_owned(),
        ),
        (
            EXTRACT,
            "Split a program into host functions and graphs, and say what it copies",
            extract(),
        ),
        (
            COMPILE_GRAPH,
            "tfx-extract, and then graphs in functional form",
            compile_graph(),
        ),
        (
            COMPILE,
            "Compile a program to the LLVM dialect, with each GraphDef as a constant",
            compile(""),
        ),
    ]
}

/// `tfx-extract` as a list of passes. Operations are checked while they are those of the source, but with known types.
pub(crate) fn extract() -> String {
    format!(
        "tfx-specialize,tfx-check-operations,{},func.func(tfx-sese),tfx-partition,{PROVE},tfx-copy-analysis",
        tfx_deabstraction::SPECIALIZED_PIPELINE
    )
}

fn compile_graph() -> String {
    format!("{},tfx_tensor.graph(tfx-legalize-graph)", extract())
}

/// `tfx-compile` as a list of passes, with the entry function that it describes; the default one for an empty name.
pub(crate) fn compile(entry: &str) -> String {
    format!("{},{}", compile_graph(), lower(entry))
}

/// What follows once graphs are in functional form.
fn lower(entry: &str) -> String {
    let option = if entry.is_empty() {
        String::new()
    } else {
        format!("{{entry={entry}}}")
    };
    format!("func.func(convert-scf-to-cf),tfx-lower-host{option},{TO_LLVM}")
}
