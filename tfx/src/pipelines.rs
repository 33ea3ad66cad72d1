//! The registered pipelines: the road from source to code, in stages.
//!
//! ```text
//!   tfx-deabstract     source            ──> SSA over a CFG, scalars and tensors only
//!   tfx-extract        source            ──> host functions and graphs with channels, and what is said of their copies
//!   tfx-compile-graph  source            ──> the same, with graphs that a GraphDef can say
//!   tfx-compile        source            ──> the LLVM dialect, with each GraphDef as a constant
//! ```

use tfx_copy_analysis::{CopyAnalysis, CopyAnalysisOptions};
use tfx_deabstraction::{DeabstractOptions, Specialize, UNSTRUCTURE};
use tfx_ir::pass::Pass;
use tfx_ir::pipeline;
use tfx_lowering::{
    CheckHost, CheckOperations, ClusterXla, ClusterXlaOptions, InferShapes, InferShapesOptions,
    LegalizeGraph, LowerHost, LowerHostOptions, StripMine, StripMineOptions,
};
use tfx_partition::{CheckAcceleratorOnly, DelayEffects, PackScalars, Partition, PartitionOptions};
use tfx_protocol::{VerifyProtocol, VerifyProtocolOptions, VerifyQueues};
use tfx_sese::{Sese, SeseOptions};

/// From source to SSA over a CFG.
pub const DEABSTRACT: &str = "tfx-deabstract";
/// From source to host functions and graphs.
pub const EXTRACT: &str = "tfx-extract";
/// From source to graphs that a GraphDef can say. Scalars that cross together are one message then.
pub const COMPILE_GRAPH: &str = "tfx-compile-graph";
/// From source to the LLVM dialect.
pub const COMPILE: &str = "tfx-compile";

/// From SSA over a CFG to structured functions, with the shapes that follow from built-in shape functions. Queues are proved before, where each path
/// is one of the source.
pub const STRUCTURE: &str = "tfx-verify-queues,func.func(tfx-sese),tfx-infer-shapes";
/// From structured functions to host functions and graphs, with the proof that they fit: a reject is an error of the compiler.
pub const PARTITION: &str = "tfx-delay-effects,tfx-partition,tfx-verify-protocol{internal=true}";
/// Scalars that cross together become one message, with the same proof; only after what is said of copies.
pub const PACK: &str = "tfx-pack-scalars,tfx-verify-protocol{internal=true}";
/// From graphs to graphs that a GraphDef can say.
pub const LEGALIZE: &str = "tfx_tensor.graph(tfx-legalize-graph)";

/// Loops that cross in some trips only run the others apart, for XLA to compile.
pub const STRIP_MINE: &str = "tfx_tensor.graph(tfx-strip-mine)";
/// What XLA can compile of legalized graphs becomes compiled calls.
pub const CLUSTER_XLA: &str = "tfx-cluster-xla";

/// What upstream does after `tfx-lower-host`: everything to the LLVM dialect. It is cleaned up there and not before: upstream takes a cast of an `index` to
/// a narrower integer and back for nothing at all (`arith.index_cast`), and so drops the bits that it should.
const TO_LLVM: &str = "convert-math-to-funcs,arith-expand,convert-math-to-llvm,convert-math-to-libm,convert-index-to-llvm,convert-arith-to-llvm,\
    convert-ub-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,symbol-dce,canonicalize";

tfx_ir::composed_options! {
    /// The options of `tfx-extract`.
    pub struct ExtractOptions {
        /// The removal of abstraction.
        deabstract: DeabstractOptions,
        /// The warnings of copies.
        copies: CopyAnalysisOptions as {
            "mode" => "copies",
            "scalars" => "copy-scalars",
            "werror" => "copy-errors",
            "remarks" => "copy-remarks",
        },
        /// The shape functions.
        shapes: InferShapesOptions,
    }
}

tfx_ir::options! {
    /// The compilation of graphs by XLA.
    pub struct XlaOptions {
        /// Have XLA compile the parts of the graphs that it can; the rest runs as it does without.
        xla: bool = false,
        /// Report for each loop and operation whether XLA compiles it.
        xla_explain: bool = false,
    }
}

tfx_ir::composed_options! {
    /// The options of `tfx-compile-graph` and `tfx-compile`.
    pub struct CompileOptions {
        /// The options of extraction.
        extract: ExtractOptions,
        /// The compilation of graphs by XLA.
        xla: XlaOptions,
    }
}

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
        |options: &CompileOptions| compile(options, ""),
    );
}

/// Returns `tfx-extract` as a list of passes. Operations are checked while they are those of the
/// source, but with known types. Programs that the source itself starts are verified before others
/// exist: a mismatch there is an error of the source, not an internal error.
pub(crate) fn extract(options: &ExtractOptions) -> String {
    let remarks = PartitionOptions {
        remarks: options.copies.remarks,
        ..PartitionOptions::default()
    };
    let passes = [
        Specialize::in_pipeline(&()),
        CheckAcceleratorOnly::in_pipeline(&()),
        CheckOperations::in_pipeline(&()),
        CheckHost::in_pipeline(&()),
        tfx_deabstraction::specialized_pipeline(&options.deabstract),
        VerifyQueues::in_pipeline(&()),
        format!("func.func({})", Sese::in_pipeline(&SeseOptions::default())),
        InferShapes::in_pipeline(&options.shapes),
        VerifyProtocol::in_pipeline(&VerifyProtocolOptions::default()),
        DelayEffects::in_pipeline(&()),
        Partition::in_pipeline(&remarks),
        verify_partition(),
        CopyAnalysis::in_pipeline(&options.copies),
    ];
    passes.join(",")
}

/// A rejection of what `tfx-partition` and `tfx-pack-scalars` produced is an internal error.
fn verify_partition() -> String {
    VerifyProtocol::in_pipeline(&VerifyProtocolOptions { internal: true })
}

pub(crate) fn compile_graph(options: &CompileOptions) -> String {
    let XlaOptions { xla, xla_explain } = options.xla;
    let mut passes = vec![
        extract(&options.extract),
        PackScalars::in_pipeline(&()),
        verify_partition(),
    ];
    if xla {
        passes.push(StripMine::in_pipeline(&StripMineOptions {
            explain: xla_explain,
        }));
    }
    passes.push(LegalizeGraph::in_pipeline(&()));
    if xla {
        passes.push(ClusterXla::in_pipeline(&ClusterXlaOptions {
            explain: xla_explain,
        }));
    }
    passes.join(",")
}

/// Returns `tfx-compile` as a list of passes. `entry` names the function that a command line runs;
/// empty for the default.
pub(crate) fn compile(options: &CompileOptions, entry: &str) -> String {
    format!("{},{}", compile_graph(options), lower(entry))
}

/// Returns the passes from graphs in functional form to the LLVM dialect.
pub fn lower(entry: &str) -> String {
    let entry = entry.to_owned();
    let lower_host = LowerHost::in_pipeline(&LowerHostOptions { entry });
    format!("{UNSTRUCTURE},{lower_host},{TO_LLVM}")
}
