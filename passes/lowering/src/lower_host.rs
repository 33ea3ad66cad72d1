//! `tfx-lower-host`: host code becomes calls of the runtime.
//!
//! ```text
//!   func.func @train(%x: tensor<?xf32>)            func.func @train(%x: !llvm.ptr)
//!     %p = tfx_comm.start @g(%x)            ──>      %p = func.call @tfx_program_start(image, args, place)
//!     %y = tfx_comm.recv %p from 0                   %y = func.call @tfx_program_recv(%p, 0, place)
//!     tfx_host.print "{}"(%y)                        func.call @tfx_print(format, size, values, count)
//!                                                    func.call @tfx_tensor_release(%y)
//!   tfx_tensor.graph @g                            llvm.mlir.global @tfx.image.g = {name, GraphDef, channels}
//! ```
//!
//! The input is what partition leaves, with graphs legalized and `scf` turned into `cf`. In order:
//!
//! 1. each graph is exported, and its image becomes a constant (`images.rs`);
//! 2. the entry is described, so that a command line can be matched against it (`entry.rs`);
//! 3. reference counts go in, while values still have their types (`ownership.rs`);
//! 4. each operation on tensors, strings and programs becomes a call, and their types become `!llvm.ptr` (`host_ops.rs`);
//! 5. foreign functions get the signature that `docs/program-image.md` promises (`foreign.rs`).
//!
//! What remains is `func`, `cf`, `arith`, `math` and `llvm`: upstream's conversions do the rest.
//! Cost: linear in the host code and the graphs.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_ir::diag::Diag;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};
use tfx_ir::{Op, module};

use crate::globals::Globals;
use crate::host_ops::Calls;
use crate::{entry, foreign, images};

tfx_ir::options! {
    /// What `tfx-lower-host` takes.
    pub struct LowerHostOptions {
        /// The function that a command line runs; without it `main`, or the only public function with a body.
        entry: String = String::new(),
    }
}

/// The pass `tfx-lower-host`.
#[derive(Debug, Default)]
pub struct LowerHost;

impl Pass for LowerHost {
    type Options = LowerHostOptions;

    const NAME: &'static str = "TfxLowerHost";
    const ARGUMENT: &'static str = "tfx-lower-host";
    const DESCRIPTION: &'static str =
        "Turn host code into calls of the runtime, and graphs into constants";
    const ANCHOR: Anchor = Anchor::Module;

    fn dialects(registry: &DialectRegistry) {
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::cf(),
            DialectHandle::func(),
            DialectHandle::llvm(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, LowerHostOptions>,
    ) -> Result<(), PassFailed> {
        lower(module, &cx.options().entry).map_err(Diag::fail)
    }
}

fn lower<'a>(target: Op<'a>, entry_name: &str) -> Result<(), Diag<'a>> {
    let functions = target.collect("func.func");
    let mut globals = Globals::default();
    let images = images::emit(target, &mut globals)?;
    let entry = entry::find(target, &functions, entry_name)?;
    if let Some(function) = entry {
        entry::describe(function, &mut globals)?;
    }
    let mut calls = Calls::new(target.context(), images, globals);
    for &function in &functions {
        calls.function(function)?;
    }
    foreign::adapt(target, &functions);
    for graph in target.collect("tfx_tensor.graph") {
        graph.erase();
    }
    splice(target, &calls.into_text(), entry);
    Ok(())
}

/// Puts the constants and declarations at the module's start.
fn splice<'a>(target: Op<'a>, text: &str, entry: Option<Op<'a>>) {
    // What calls the entry is checked when it is parsed, so the text needs a declaration of it.
    let declaration = entry.map(|function| {
        let (name, signature) = (
            function.symbol_name().unwrap_or_default(),
            entry::signature(function),
        );
        format!(
            "func.func private @{}{signature}\n",
            crate::globals::quote(name.as_bytes())
        )
    });
    let text = format!("{}{text}", declaration.as_deref().unwrap_or_default());
    let source = module::parse(target.context(), &text, "host constants")
        .expect("what the pass writes is IR");
    let source_op: Op<'_> = module::as_op(&source);
    let (Some(from), Some(to)) = (source_op.region(0).entry(), target.region(0).entry()) else {
        return;
    };
    let mut at = from.first();
    if declaration.is_some()
        && let Some(first) = at
    {
        at = first.next();
    }
    let moved: Vec<_> = std::iter::successors(at, |op| op.next()).collect();
    match to.first() {
        Some(first) => moved.into_iter().for_each(|op| op.move_before(first)),
        None => moved.into_iter().for_each(|op| op.move_to_end(to)),
    }
}
