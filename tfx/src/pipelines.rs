//! The registered pipelines, and the stages from source to code.
//!
//! ```text
//!   tfx-deabstract     source ──> SSA over a CFG, scalars and tensors only
//!   tfx-extract        source ──> host functions and graphs with channels, warnings about copies
//!   tfx-compile-graph  source ──> the same, with graphs in functional form, for a GraphDef
//!   tfx-compile        source ──> the LLVM dialect, with each GraphDef as a constant
//! ```

use tfx_ad::Differentiate;
use tfx_copy_analysis::CopyAnalysis;
use tfx_deabstraction::{Specialize, UNSTRUCTURE};
use tfx_ir::pass::Pass;
use tfx_ir::pipeline;
use tfx_lowering::{CheckHost, LegalizeGraph, LowerHost, LowerHostOptions};
use tfx_native::{
    ClusterNative, ClusterNativeOptions, FindDeviceCode, FindDeviceCodeOptions, LowerGpu,
    LowerGpuOptions, LowerKernels, LowerKernelsOptions, LowerLists,
};
use tfx_partition::{CheckAcceleratorOnly, DelayEffects, PackScalars, Partition, PartitionOptions};
use tfx_protocol::{VerifyProtocol, VerifyProtocolOptions, VerifyQueues};
use tfx_sese::{Sese, SeseOptions};
use tfx_shapes::{CheckOperations, FoldConstants, InferShapes};
use tfx_streams::{
    AssignStreams, AssignStreamsOptions, BufferizeStreams, BufferizeStreamsOptions, InsertEvents,
    LowerStreams, Offload, OffloadOptions, Pipeline, PipelineOptions, PlaceGraphs, PlaceOptions,
    PlanMemory, PlanMemoryOptions, VerifyMemory, VerifyMemoryOptions, VerifySchedule,
    VerifyScheduleOptions,
};
use tfx_xla::{ClusterXla, ClusterXlaOptions, StripMine, StripMineOptions};

use crate::options::{CompileOptions, ExtractOptions, NativeOptions, StreamsOptions, XlaOptions};

/// The pipeline from source to SSA over a CFG.
pub const DEABSTRACT: &str = "tfx-deabstract";
/// The pipeline from source to host functions and graphs.
pub const EXTRACT: &str = "tfx-extract";
/// The pipeline from source to graphs in functional form, for a GraphDef. It also packs scalars
/// that are sent together into one message.
pub const COMPILE_GRAPH: &str = "tfx-compile-graph";
/// The pipeline from source to the LLVM dialect.
pub const COMPILE: &str = "tfx-compile";

/// The stage from SSA over a CFG to structured functions, with the shapes that the built-in shape
/// functions infer. Queues are verified before structuring, while each path is a path of the
/// source.
pub const STRUCTURE: &str = "tfx-verify-queues,func.func(tfx-sese),tfx-infer-shapes";
/// The stage from structured functions to host functions and graphs, with protocol verification. A
/// rejection by the verifier is an internal error. Partition erases calls whose results are unused:
/// `symbol-dce` erases the functions that only these called.
pub const PARTITION: &str =
    "tfx-delay-effects,tfx-partition,symbol-dce,tfx-verify-protocol{internal=true}";
/// The stage that packs scalars that are sent together into one message, with protocol
/// verification. It comes after copy analysis, which reports individual copies.
pub const PACK: &str = "tfx-pack-scalars,tfx-verify-protocol{internal=true}";
/// The stage from graphs to graphs in functional form.
pub const LEGALIZE: &str = "tfx_tensor.graph(tfx-legalize-graph)";

/// The stage that lets all operations of legalized graphs run at one place, for executors without
/// streams.
pub const MERGE_PLACES: &str = "tfx-place{merge=true}";

/// The stage that strip-mines loops that send or receive in some iterations only: an inner loop
/// runs the other iterations, for XLA to compile.
pub const STRIP_MINE: &str = "tfx_tensor.graph(tfx-strip-mine)";
/// The stage that outlines the parts of legalized graphs that XLA can compile into compiled
/// functions.
pub const CLUSTER_XLA: &str = "tfx-cluster-xla";
/// The stage that makes lists of tensors tensors, for native code.
pub const LOWER_LISTS: &str = "tfx-fold-constants,tfx-lower-lists";
/// The stage that outlines the parts of legalized graphs that have native code.
pub const CLUSTER_NATIVE: &str = "tfx-cluster-native";

/// The stage from schedules whose commands have streams to verified command lists, in which
/// iterations of loops overlap.
pub const OVERLAP: &str = "tfx-overlap,tfx-insert-events,tfx-plan-memory,tfx-verify-memory,\
    tfx-verify-schedule,tfx-lower-streams";

/// Upstream's pass that erases private symbols that nothing refers to.
const SYMBOL_DCE: &str = "symbol-dce";

/// The upstream passes after `tfx-lower-host`: they convert everything to the LLVM dialect.
/// Canonicalization comes last: upstream folds a cast of an `index` to a narrower integer and back
/// to the original value (`arith.index_cast`), and thus keeps bits that the cast must drop.
const TO_LLVM: &str = "convert-math-to-funcs,arith-expand,convert-math-to-llvm,convert-math-to-libm,convert-index-to-llvm,convert-arith-to-llvm,\
    convert-ub-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,symbol-dce,canonicalize";

/// Registers all pipelines.
pub(crate) fn register() {
    pipeline::register(
        DEABSTRACT,
        "Remove every abstraction: SSA over a CFG, scalars and tensors only",
        tfx_deabstraction::pipeline,
    );
    pipeline::register(
        EXTRACT,
        "Split a program into host functions and graphs, and report its copies",
        extract,
    );
    pipeline::register(
        COMPILE_GRAPH,
        "Run tfx-extract, and bring the graphs into functional form",
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
    let partition = PartitionOptions {
        remarks: options.copies.remarks,
        ..PartitionOptions::default()
    };
    extract_with(options, &partition)
}

/// Returns `tfx-extract` with other options of `tfx-partition`.
pub(crate) fn extract_with(options: &ExtractOptions, partition: &PartitionOptions) -> String {
    let passes = [
        Specialize::in_pipeline(&()),
        CheckAcceleratorOnly::in_pipeline(&()),
        CheckOperations::in_pipeline(&()),
        CheckHost::in_pipeline(&()),
        Differentiate::in_pipeline(&options.derivatives),
        tfx_deabstraction::specialized_pipeline(&options.deabstract),
        VerifyQueues::in_pipeline(&()),
        format!("func.func({})", Sese::in_pipeline(&SeseOptions::default())),
        InferShapes::in_pipeline(&options.shapes),
        VerifyProtocol::in_pipeline(&VerifyProtocolOptions::default()),
        DelayEffects::in_pipeline(&()),
        Partition::in_pipeline(partition),
        SYMBOL_DCE.to_owned(),
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
    let mut passes = vec![extract(&options.extract), after_extract(options)];
    if options.native.native {
        passes.push(ClusterNative::in_pipeline(&ClusterNativeOptions {
            explain: options.native.native_explain,
        }));
    }
    passes.join(",")
}

/// Returns the passes from extracted graphs to the schedules that the native executor runs.
pub(crate) fn schedules(options: &CompileOptions) -> String {
    after_extract(&CompileOptions {
        native: NativeOptions {
            native: true,
            ..options.native.clone()
        },
        ..options.clone()
    })
}

/// Returns the passes from extracted graphs to graphs in functional form, with their schedules.
fn after_extract(options: &CompileOptions) -> String {
    let XlaOptions { xla, xla_explain } = options.xla;
    let NativeOptions {
        native,
        native_explain,
        ..
    } = options.native;
    let mut passes = vec![PackScalars::in_pipeline(&()), verify_partition()];
    if xla || native {
        passes.push(StripMine::in_pipeline(&StripMineOptions {
            explain: xla_explain || native_explain,
        }));
    }
    passes.push(LegalizeGraph::in_pipeline(&()));
    let has_streams = options.streams.streams > 0;
    if !has_streams {
        passes.push(MERGE_PLACES.to_owned());
    }
    if xla {
        passes.push(ClusterXla::in_pipeline(&ClusterXlaOptions {
            explain: xla_explain,
        }));
    }
    if native {
        passes.extend([
            FoldConstants::in_pipeline(&()),
            LowerLists::in_pipeline(&()),
        ]);
    }
    if has_streams {
        passes.push(schedule(&options.streams));
    }
    passes.join(",")
}

/// Returns the passes that make schedules of parts of legalized graphs, and prove them.
pub fn schedule(options: &StreamsOptions) -> String {
    let StreamsOptions {
        streams,
        streams_launch: launch,
        streams_gain: gain,
        streams_pipeline,
        streams_recompute: recompute,
        streams_offload: device,
        streams_offload_all: all,
        streams_explain: explain,
    } = *options;
    let passes = [
        FindDeviceCode::in_pipeline(&FindDeviceCodeOptions {
            all: device.0.is_some(),
        }),
        Offload::in_pipeline(&OffloadOptions {
            device,
            all,
            gain,
            explain,
            ..OffloadOptions::default()
        }),
        PlaceGraphs::in_pipeline(&PlaceOptions {
            merge: false,
            explain,
        }),
        BufferizeStreams::in_pipeline(&BufferizeStreamsOptions {
            launch,
            gain,
            pipelines: true,
            explain,
        }),
        LowerGpu::in_pipeline(&LowerGpuOptions::default()),
        Pipeline::in_pipeline(&PipelineOptions {
            schedule: streams_pipeline,
            recompute,
            explain,
            ..PipelineOptions::default()
        }),
        AssignStreams::in_pipeline(&AssignStreamsOptions {
            streams,
            launch,
            event: launch,
            ..AssignStreamsOptions::default()
        }),
        InsertEvents::in_pipeline(&()),
        PlanMemory::in_pipeline(&PlanMemoryOptions {
            print_plan: explain,
            ..PlanMemoryOptions::default()
        }),
        VerifyMemory::in_pipeline(&VerifyMemoryOptions::default()),
        VerifySchedule::in_pipeline(&VerifyScheduleOptions::default()),
        LowerStreams::in_pipeline(&()),
    ];
    passes.join(",")
}

/// Returns `tfx-compile` as a list of passes. `entry` names the function that a command line runs;
/// empty for the default.
pub(crate) fn compile(options: &CompileOptions, entry: &str) -> String {
    let lower = lower_native(entry, &options.native);
    format!("{},{lower}", compile_graph(options))
}

/// Returns the passes from graphs in functional form to the LLVM dialect.
pub fn lower(entry: &str) -> String {
    lower_native(entry, &NativeOptions::default())
}

/// Returns the passes from graphs in functional form to the LLVM dialect, with native code if the
/// options ask for it.
pub fn lower_native(entry: &str, native: &NativeOptions) -> String {
    let options = LowerHostOptions {
        entry: entry.to_owned(),
        ..LowerHostOptions::default()
    };
    lower_with(&options, native)
}

/// Returns `tfx-compile` as a list of passes, for calls of all public functions within a process.
pub(crate) fn compile_in_process(options: &CompileOptions) -> String {
    let lower_options = LowerHostOptions {
        in_process: true,
        ..LowerHostOptions::default()
    };
    let mut native = options.native.clone();
    native.for_this_machine();
    let lower = lower_with(&lower_options, &native);
    format!("{},{lower}", compile_graph(options))
}

/// Returns the passes from graphs in functional form to the LLVM dialect. The code of graphs is
/// emitted while they are there.
fn lower_with(options: &LowerHostOptions, native: &NativeOptions) -> String {
    let mut passes = Vec::new();
    if native.native {
        passes.push(LowerKernels::in_pipeline(&LowerKernelsOptions {
            vector_bytes: native.native_vectors,
            task_cost: native.native_task_cost,
            sanitize: native.native_sanitize,
        }));
    }
    passes.extend([
        UNSTRUCTURE.to_owned(),
        LowerHost::in_pipeline(options),
        TO_LLVM.to_owned(),
    ]);
    passes.join(",")
}
