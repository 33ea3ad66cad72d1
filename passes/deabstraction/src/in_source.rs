//! `tfx-in-source`: passes on functions, but for those that are split from their graphs already.
//!
//! ```text
//!   func.func(tfx-in-source{passes={tfx-unstructure,convert-scf-to-cf}})
//!
//!   func @train     source form                         runs the passes
//!   func @infer     starts a graph, and is structured    stays as it is
//! ```
//!
//! The deabstraction pipeline has upstream's passes in it, which know nothing of what was extracted: see `tfx_dialects::extracted` for what that is
//! and why it must not change. The passes run as a dynamic pipeline, so that they are timed, verified and printed like any others.
//!
//! Cost: one walk of the function, and the passes.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::extracted::is_extracted;
use tfx_ir::Op;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct InSource;

tfx_ir::options! {
    /// What `tfx-in-source` takes.
    pub struct InSourceOptions {
        /// The passes, as a pipeline on functions.
        passes: String = String::new(),
    }
}

impl Pass for InSource {
    type Options = InSourceOptions;
    const NAME: &'static str = "TfxInSource";
    const ARGUMENT: &'static str = "tfx-in-source";
    const DESCRIPTION: &'static str =
        "Run passes on functions that are not split from a graph already";
    const ANCHOR: Anchor = Anchor::Function;

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [DialectHandle::arith(), DialectHandle::cf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(
        &mut self,
        func: Op<'a>,
        cx: &PassContext<'a, InSourceOptions>,
    ) -> Result<(), PassFailed> {
        if is_extracted(func) {
            return Ok(());
        }
        cx.run_pipeline(func, &cx.options().passes)
    }
}

/// Returns the pipeline that runs `passes`, a pipeline on functions, on the functions of the source.
pub(crate) fn in_source(passes: &str) -> String {
    InSource::in_pipeline(&InSourceOptions {
        passes: format!("{{{passes}}}"),
    })
}
