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
//! The input is what partition leaves, with graphs legalized and `scf` turned into `cf`, and is checked first (`check_host.rs`). In order:
//!
//! 1. each graph is exported, and its image becomes a constant (`images.rs`), as does a template of each eager operation (`eager.rs`);
//! 2. functions with names that code calls get others (`reserved.rs`), and the entry is described, so that a command line can be matched against it (`entry.rs`);
//! 3. reference counts go in, while values still have their types (`ownership.rs`);
//! 4. objects, variables, arrays (`boxes.rs`), closures (`closures.rs`) and existentials (`existentials.rs`) become boxes on the heap;
//! 5. queues (`queues.rs`) and each operation on tensors, strings and programs becomes a call, and all their types become `!llvm.ptr` (`host_ops.rs`);
//! 6. foreign functions get the signature that `docs/program-image.md` promises (`foreign.rs`).
//!
//! What remains is `func`, `cf`, `arith`, `math` and `llvm`: upstream's conversions do the rest.
//! Cost: linear in the host code and the graphs.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::types::TYPE_PARAMS;
use tfx_graphdef::naming::UniqueNames;
use tfx_ir::diag::Diag;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};
use tfx_ir::{Op, module};

use crate::check_host::Stage;
use crate::globals::{Bytes, Globals, quote};
use crate::host_ops::Calls;
use crate::{check_host, eager, entry, foreign, images, reserved};

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
        erase_generics(module);
        check_host::check(module, Stage::Lowering)?;
        lower(module, &cx.options().entry).map_err(Diag::fail)
    }
}

fn lower<'a>(target: Op<'a>, entry_name: &str) -> Result<(), Diag<'a>> {
    let functions = target.collect("func.func");
    let mut globals = Globals::default();
    let mut names = UniqueNames::new();
    let images = images::emit(target, &mut names, &mut globals)?;
    let operations = eager::emit(&functions, &mut names, &mut globals)?;
    let entry = entry::find(target, &functions, entry_name)?;
    reserved::rename(target, &functions, entry);
    if let Some(function) = entry {
        entry::describe(function, &mut globals)?;
    }
    let mut calls = Calls::new(target, images, operations, globals);
    for &function in &functions {
        calls.function(function)?;
    }
    calls.check_methods()?;
    foreign::adapt(target, &functions);
    erase_declarations(target);
    let mut referenced = calls.referenced_functions().to_vec();
    referenced.extend(entry.map(declaration));
    let (text, bytes) = calls.into_parts();
    splice(target, &text, &bytes, &referenced);
    Ok(())
}

/// Generic functions have no code.
fn erase_generics(target: Op<'_>) {
    let functions = target.collect("func.func").into_iter();
    functions
        .filter(|function| function.attribute(TYPE_PARAMS).is_some())
        .for_each(Op::erase);
}

/// Erases what code no longer refers to: graphs, and the declarations of types.
fn erase_declarations(target: Op<'_>) {
    let declarations = target
        .children()
        .filter(|op| op.is("tfx_tensor.graph") || op.dialect() == "tfx_host");
    declarations
        .collect::<Vec<_>>()
        .into_iter()
        .for_each(Op::erase);
}

/// A declaration of the entry: what calls it is checked when it is parsed.
fn declaration(function: Op<'_>) -> String {
    let (name, signature) = (
        function.symbol_name().unwrap_or_default(),
        entry::signature(function),
    );
    format!("func.func private @{}{signature}\n", quote(name.as_bytes()))
}

/// Puts the constants and declarations at the module's start. The text may refer to functions of the module, one for each of `referenced`.
fn splice<'a>(target: Op<'a>, text: &str, bytes: &Bytes, referenced: &[String]) {
    let text = referenced.concat() + text;
    let source = module::parse_unverified(target.context(), &text, "generated by tfx")
        .expect("what the pass writes is IR");
    let source_op: Op<'_> = module::as_op(&source);
    let (Some(from), Some(to)) = (source_op.region(0).entry(), target.region(0).entry()) else {
        return;
    };
    let moved: Vec<_> = from.ops().skip(referenced.len()).collect();
    moved.iter().for_each(|&op| bytes.fill(op));
    match to.first() {
        Some(first) => moved.into_iter().for_each(|op| op.move_before(first)),
        None => moved.into_iter().for_each(|op| op.move_to_end(to)),
    }
}
