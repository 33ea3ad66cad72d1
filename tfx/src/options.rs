//! The options of the compiler, and of the passes that an embedder runs alone.
//!
//! ```text
//!   CompileOptions ─┬─ extract: ExtractOptions ─┬─ deabstract: DeabstractOptions
//!                   ├─ xla: XlaOptions          ├─ derivatives: DifferentiateOptions
//!                   └─ native: NativeOptions    ├─ copies: CopyAnalysisOptions
//!                                               └─ shapes: InferShapesOptions
//! ```
//!
//! One declaration gives the fields of the struct, the options of the pipeline
//! (`tfx-extract{copies=all}`) and those of the command line (`--copies all`).

pub use tfx_ad::{DifferentiateOptions, Tape};
pub use tfx_copy_analysis::{CopyAnalysisOptions, Mode};
pub use tfx_deabstraction::{
    DeabstractOptions, Dynamic, DynamicOptions, InliningOptions, UnrollingOptions,
};
pub use tfx_ir::options::{OptionValue, Options};
pub use tfx_shapes::{InferShapesOptions, Shapes};
pub use tfx_streams::{OffloadTo, PipelineSchedule};

use tfx_native::TASK_COST;

use crate::codegen::{has_address_sanitizer, host_vector_bytes};
use crate::error::{Error, ErrorKind};

tfx_ir::composed_options! {
    /// The options of `tfx-extract`.
    pub struct ExtractOptions {
        /// The options of deabstraction.
        deabstract: DeabstractOptions,
        /// The options of derivatives.
        derivatives: DifferentiateOptions as {
            "tape" => "derivative-tapes",
            "memory" => "derivative-memory",
            "remarks" => "derivative-remarks",
        },
        /// The options of copy analysis.
        copies: CopyAnalysisOptions as {
            "mode" => "copies",
            "scalars" => "copy-scalars",
            "werror" => "copy-errors",
            "remarks" => "copy-remarks",
        },
        /// The options of shape inference.
        shapes: InferShapesOptions,
    }
}

tfx_ir::options! {
    /// The compilation of graphs by XLA.
    pub struct XlaOptions {
        /// Have XLA compile the parts of the graphs that it supports; the rest runs as without this
        /// option.
        xla: bool = false,
        /// Report for each loop and operation whether XLA compiles it.
        xla_explain: bool = false,
    }
}

tfx_ir::options! {
    /// The compilation of graphs to machine code.
    pub struct NativeOptions {
        /// Compile the supported parts of the graphs to machine code, which the native executor
        /// runs.
        native: bool = false,
        /// Report for each operation whether it is compiled to machine code.
        native_explain: bool = false,
        /// The size in bytes of the vector registers of the target: 16, 32 or 64; or 0 for code
        /// for each of them, of which the machine takes the widest. Code in memory has those of
        /// this machine.
        native_vectors: u64 = 0,
        /// The cost of a task, at least, in multiplications of a product: loops that cost less are
        /// not split for several threads.
        native_task_cost: i64 = TASK_COST,
        /// Have AddressSanitizer check each access of the machine code to memory. The process needs
        /// its runtime.
        native_sanitize: bool = false,
    }
}

impl NativeOptions {
    /// Selects the vectors of this machine, unless others are selected.
    pub fn for_this_machine(&mut self) {
        if self.native_vectors == 0 {
            self.native_vectors = host_vector_bytes();
        }
    }

    /// Returns whether this process can run code with these options.
    ///
    /// # Errors
    /// The code needs AddressSanitizer, which the process does not have.
    pub fn check_process(&self) -> Result<(), Error> {
        if !self.native_sanitize || has_address_sanitizer() {
            return Ok(());
        }
        let message = "checks of memory accesses need AddressSanitizer in this process; \
            set LD_PRELOAD to its library, the file that 'cc -print-file-name=libasan.so' prints";
        Err(Error::new(ErrorKind::Argument, message))
    }
}

tfx_ir::options! {
    /// The schedules of graphs.
    pub struct StreamsOptions {
        /// The number of streams of a schedule, at most: the native executor runs parts of graphs
        /// on several streams of the CPU. 0 for no schedules.
        streams: u64 = 0,
        /// The time in nanoseconds that a schedule must be able to save.
        streams_gain: u64 = 20000,
        /// The time of a launch in nanoseconds: shorter operations share a kernel.
        streams_launch: u64 = 3000,
        /// The order of pipelines, loops whose body is at several places: gpipe, 1f1b, interleaved
        /// or zero-bubble.
        streams_pipeline: PipelineSchedule = PipelineSchedule::OneForwardOneBackward,
        /// Compute what backwards of pipelines read again right before them, and do not keep it.
        streams_recompute: bool = false,
        /// The device that runs operations where it is faster, as estimated, if the program has no
        /// copies between places: none, cuda, cuda:1 and so on.
        streams_offload: OffloadTo = OffloadTo(None),
        /// Let this device run each operation that it has code for, whatever the estimates.
        streams_offload_all: bool = false,
        /// Report each schedule with its kernels and the size of its memory.
        streams_explain: bool = false,
    }
}

tfx_ir::composed_options! {
    /// The options of `tfx-compile-graph` and `tfx-compile`.
    pub struct CompileOptions {
        /// The options of `tfx-extract`.
        extract: ExtractOptions,
        /// The compilation of graphs by XLA.
        xla: XlaOptions,
        /// The compilation of graphs to machine code.
        native: NativeOptions,
        /// The schedules of graphs.
        streams: StreamsOptions,
    }
}
