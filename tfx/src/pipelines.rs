//! The registered pipelines: the road from source to code, in stages.
//!
//! ```text
//!   tfx-deabstract     source            ──> SSA over a CFG, scalars and tensors only
//!   tfx-extract        source            ──> host functions and graphs with channels, and what is said of their copies
//!   tfx-compile-graph  source            ──> the same, with graphs that a GraphDef can say
//!   tfx-compile        source            ──> the LLVM dialect, with each GraphDef as a constant
//! ```

use tfx_copy_analysis::CopyAnalysisOptions;
use tfx_deabstraction::{DeabstractOptions, UNSTRUCTURE};
use tfx_ir::options::{OptionSpec, OptionValue, Options};
use tfx_ir::pipeline;
use tfx_lowering::{ClusterXlaOptions, InferShapesOptions, StripMineOptions};

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

/// What the pipelines take that extract: the options of `tfx-deabstract` and `tfx-infer-shapes`, and those of
/// `tfx-copy-analysis` by longer names.
#[derive(Clone, Debug, Default)]
pub struct ExtractOptions {
    /// How abstraction is removed.
    pub deabstract: DeabstractOptions,
    /// What is said of copies.
    pub copies: CopyAnalysisOptions,
    /// Whose shape functions are asked.
    pub shapes: InferShapesOptions,
    /// What XLA compiles; only for the pipelines that make graphs.
    pub xla: XlaOptions,
}

tfx_ir::options! {
    /// What XLA compiles.
    pub struct XlaOptions {
        /// Whether XLA compiles what it can of the graphs; the rest runs as it does without.
        xla: bool = false,
        /// Whether to say of each loop and operation what becomes of it.
        xla_explain: bool = false,
    }
}

/// What the pipelines take that make graphs.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompileOptions(ExtractOptions);

impl Options for CompileOptions {
    fn specs() -> Vec<OptionSpec> {
        let mut specs = ExtractOptions::specs();
        specs.extend(XlaOptions::specs());
        specs
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        match XlaOptions::specs().iter().any(|spec| spec.name == name) {
            true => self.0.xla.set(name, text),
            false => self.0.set(name, text),
        }
    }
}

/// The option of `tfx-infer-shapes`, which the pipelines call the same.
const SHAPES_OPTION: &str = "shapes";

/// The options of `tfx-copy-analysis`, as a pipeline calls them and as the pass does.
const COPY_OPTIONS: [(&str, &str); 4] = [
    ("copies", "mode"),
    ("copy-scalars", "scalars"),
    ("copy-errors", "werror"),
    ("copy-remarks", "remarks"),
];

impl Options for ExtractOptions {
    fn specs() -> Vec<OptionSpec> {
        let of_pass = CopyAnalysisOptions::specs();
        let renamed = COPY_OPTIONS.iter().filter_map(|(name, meant)| {
            let spec = of_pass.iter().find(|spec| spec.name == *meant)?;
            Some(OptionSpec {
                name,
                ..spec.clone()
            })
        });
        DeabstractOptions::specs()
            .into_iter()
            .chain(renamed)
            .chain(InferShapesOptions::specs())
            .collect()
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        match COPY_OPTIONS.iter().find(|(known, _)| *known == name) {
            Some((_, meant)) => self.copies.set(meant, text),
            None if name == SHAPES_OPTION => self.shapes.set(name, text),
            None => self.deabstract.set(name, text),
        }
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
        |options: &CompileOptions| compile_graph(&options.0),
    );
    pipeline::register(
        COMPILE,
        "Compile a program to the LLVM dialect, with each GraphDef as a constant",
        |options: &CompileOptions| compile(&options.0, ""),
    );
}

/// `tfx-extract` as a list of passes. Operations are checked while they are those of the source, but with known types. Programs that the source starts by
/// itself are proved before there are others, since what is wrong with them is a mistake of the source's.
pub(crate) fn extract(options: &ExtractOptions) -> String {
    format!(
        "tfx-specialize,tfx-check-accelerator-only,tfx-check-operations,tfx-check-host,{},tfx-verify-queues,func.func(tfx-sese),{},tfx-verify-protocol,{},{}",
        tfx_deabstraction::specialized_pipeline(&options.deabstract),
        infer_shapes(&options.shapes),
        partition(&options.copies),
        copy_analysis(&options.copies)
    )
}

/// Shapes of structured functions, so that what crosses has them, too.
pub fn infer_shapes(options: &InferShapesOptions) -> String {
    format!("tfx-infer-shapes{{shapes={}}}", options.shapes.print())
}

/// [`PARTITION`], with what it has to say of copies that could not leave their loops.
fn partition(options: &CopyAnalysisOptions) -> String {
    match options.remarks {
        true => PARTITION.replacen("tfx-partition", "tfx-partition{remarks=true}", 1),
        false => PARTITION.to_owned(),
    }
}

fn copy_analysis(options: &CopyAnalysisOptions) -> String {
    format!(
        "tfx-copy-analysis{{mode={} scalars={} werror={} remarks={}}}",
        options.mode.print(),
        options.scalars.print(),
        options.werror.print(),
        options.remarks.print()
    )
}

pub(crate) fn compile_graph(options: &ExtractOptions) -> String {
    let extract = extract(options);
    if !options.xla.xla {
        return format!("{extract},{PACK},{LEGALIZE}");
    }
    let explain = options.xla.xla_explain;
    let strip_mine = strip_mine(&StripMineOptions { explain });
    let cluster = cluster_xla(&ClusterXlaOptions { explain });
    format!("{extract},{PACK},{strip_mine},{LEGALIZE},{cluster}")
}

fn strip_mine(options: &StripMineOptions) -> String {
    format!(
        "tfx_tensor.graph(tfx-strip-mine{{explain={}}})",
        options.explain.print()
    )
}

fn cluster_xla(options: &ClusterXlaOptions) -> String {
    format!("{CLUSTER_XLA}{{explain={}}}", options.explain.print())
}

/// `tfx-compile` as a list of passes, with the entry function that it describes; the default one for an empty name.
pub(crate) fn compile(options: &ExtractOptions, entry: &str) -> String {
    format!("{},{}", compile_graph(options), lower(entry))
}

/// What follows once graphs are in functional form, up to the LLVM dialect, with the entry function that it describes.
pub fn lower(entry: &str) -> String {
    let option = if entry.is_empty() {
        String::new()
    } else {
        format!("{{entry={entry}}}")
    };
    format!("{UNSTRUCTURE},tfx-lower-host{option},{TO_LLVM}")
}
