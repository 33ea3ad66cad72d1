//! `tfx-in-source`: runs passes on functions that are not yet split from their graphs.
//!
//! ```text
//!   func.func(tfx-in-source{passes={tfx-unstructure,convert-scf-to-cf}})
//!
//!   func @train     source form                         runs the passes
//!   func @infer     starts a graph, and is structured    stays as it is
//! ```
//!
//! The deabstraction pipeline contains upstream passes, which do not know extracted functions: see
//! `tfx_dialects::extracted` for these and why they must not change. The passes run as a dynamic
//! pipeline, so that they are timed, verified and printed like all others.
//!
//! Cost: one walk of the function, and the passes.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::extracted::is_extracted;
use tfx_ir::Op;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};

/// The pass; the module describes it.
#[derive(Default)]
pub struct InSource;

tfx_ir::options! {
    /// The options of `tfx-in-source`.
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
        "Run passes on functions that are not yet split from their graphs";
    const ANCHOR: Anchor = Anchor::Function;

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [DialectHandle::arith(), DialectHandle::cf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, func: Op<'a>, cx: &PassContext<'a, InSourceOptions>) -> PassResult {
        if is_extracted(func) {
            return Ok(());
        }
        cx.run_pipeline(func, &cx.options().passes)
    }
}

/// Returns the pipeline that runs `passes`, a pipeline on functions, on the functions of the
/// source.
pub(crate) fn in_source(passes: &str) -> String {
    InSource::in_pipeline(&InSourceOptions {
        passes: format!("{{{passes}}}"),
    })
}
