//! `tfx-lower-host`: lowers host code to calls of the runtime.
//!
//! ```text
//!   func.func @train(%x: tensor<?xf32>)      func.func @train(%x: !llvm.ptr)
//!     %p = tfx_comm.start @g(%x)       ──>     %p = call @tfx_program_start(image, args, location)
//!     %y = tfx_comm.recv %p from 0             %y = call @tfx_program_recv(%p, 0, location)
//!     tfx_host.print "{}"(%y)                  call @tfx_print(format, size, values, count)
//!                                              call @tfx_tensor_release(%y)
//!   tfx_tensor.graph @g                      @tfx.image.g = {name, GraphDef, channels}
//! ```
//!
//! The input is the output of partition, with legalized graphs and with `scf` lowered to `cf`;
//! `check_host.rs` checks it first. In order:
//!
//! 1. Each graph is exported, and its image becomes a constant (`images.rs`), as does a template of
//!    each eager operation (`eager.rs`).
//! 2. Functions with reserved names are renamed (`reserved.rs`), and the entry is described for
//!    command lines (`entry.rs`).
//! 3. Reference counts are inserted, while values still have their types (`ownership.rs`).
//! 4. Objects, variables (`objects.rs`), arrays (`arrays.rs`), closures (`closures.rs`),
//!    existentials (`existentials.rs`, `dynamic_calls.rs`) and tapes (`tapes.rs`) become boxes on
//!    the heap (`boxes.rs`).
//! 5. Queues (`queues.rs`) and the operations on tensors, strings and programs become calls, and
//!    all their types become `!llvm.ptr` (`host_ops.rs`).
//! 6. Code for calls within a process gets places at which it can be cancelled (`safe_points.rs`).
//! 7. Foreign functions get the signatures of `docs/program-image.md` (`foreign.rs`).
//!
//! The output consists of `func`, `cf`, `arith`, `math` and `llvm`, which upstream's conversions
//! lower.
//!
//! Cost: linear in the host code and the graphs.

use std::collections::BTreeSet;

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::host::HostOp;
use tfx_dialects::native::FUNCTION;
use tfx_dialects::types::is_generic;
use tfx_dialects::{stream, tensor};
use tfx_graphdef::naming::UniqueNames;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::{builtin, func};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::{Op, module};

use crate::calls::Calls;
use crate::check_host::Stage;
use crate::globals::{Bytes, Globals, quote};
use crate::images::Images;
use crate::{check_host, eager, entry, foreign, images, reserved, safe_points};

tfx_ir::options! {
    /// The options of `tfx-lower-host`.
    pub struct LowerHostOptions {
        /// The function that a command line runs; default: `main`, or the only public function with
        /// a body.
        entry: String = String::new(),
        /// Generate code for calls within a process: each public function can be called, calls of
        /// foreign functions can fail, and loops can be cancelled.
        in_process: bool = false,
    }
}

/// `tfx-lower-host`: see the documentation of the module.
#[derive(Debug, Default)]
pub struct LowerHost;

impl Pass for LowerHost {
    type Options = LowerHostOptions;

    const NAME: &'static str = "TfxLowerHost";
    const ARGUMENT: &'static str = "tfx-lower-host";
    const DESCRIPTION: &'static str =
        "Lower host code to calls of the runtime, and graphs to constants";
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

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, LowerHostOptions>) -> PassResult {
        erase_generics(module);
        check_host::check(module, Stage::Lowering)?;
        let module = builtin::Module::cast(module).expect("the pass runs on modules");
        lower(module, cx.options())?;
        Ok(())
    }
}

fn lower<'a>(
    target: builtin::Module<'a>,
    options: &LowerHostOptions,
) -> Result<(), Diagnostic<'a>> {
    let is_native = |function: &func::Func<'a>| function.op().attribute(FUNCTION).is_some();
    let functions = target.walk().filter_map(func::Func::cast);
    let (native, functions): (Vec<_>, Vec<_>) = functions.partition(is_native);
    let mut globals = Globals::default();
    let mut names = UniqueNames::new();
    let mut codes = BTreeSet::new();
    let images = images::emit(target.op(), &mut names, &mut globals, &mut codes)?;
    let operations = eager::emit(&functions, &mut names, &mut globals)?;
    let entry = entry::find(target.op(), &functions, &options.entry)?;
    reserved::rename(target.op(), &functions, entry);
    let mut described: Vec<_> = entry.into_iter().collect();
    if options.in_process {
        described = describe_public(&functions, &images, &mut globals);
    } else if let Some(function) = entry {
        entry::describe(function, "", &images, &mut globals)?;
    }
    let foreign = foreign::handles(&functions);
    let recursive = safe_points::recursive(target.op());
    let mut calls = Calls::new(target, images, operations, globals);
    for &function in &functions {
        calls.function(function)?;
    }
    calls.check_methods()?;
    if options.in_process {
        foreign::bracket(target.op(), &foreign, &mut calls);
        safe_points::insert(&functions, &recursive, &mut calls);
    }
    foreign::set_signatures(target.op(), &functions);
    erase_declarations(target.op());
    let mut referenced = calls.referenced_functions().to_vec();
    referenced.extend(described.into_iter().map(declaration));
    let native = native
        .into_iter()
        .filter(|code| codes.contains(code.sym_name()));
    referenced.extend(native.map(declaration));
    let (text, bytes) = calls.into_parts();
    splice(target, &text, &bytes, &referenced);
    Ok(())
}

/// Describes each public function that a process can call, and returns these functions. The others
/// have parameters or results that only compiled code can pass.
fn describe_public<'a>(
    functions: &[func::Func<'a>],
    images: &Images,
    globals: &mut Globals,
) -> Vec<func::Func<'a>> {
    let mut described = Vec::new();
    for &function in functions {
        let is_public = !function.is_declaration() && !function.is_private();
        let suffix = format!(".{}", function.sym_name());
        if is_public && entry::describe(function, &suffix, images, globals).is_ok() {
            described.push(function);
        }
    }
    described
}

/// Erases generic functions, which have no code.
fn erase_generics(target: Op<'_>) {
    let functions: Vec<_> = target.walk().filter_map(func::Func::cast).collect();
    for function in functions {
        if is_generic(function.op()) {
            function.erase();
        }
    }
}

/// Erases graphs, schedules and declarations of types.
fn erase_declarations(target: Op<'_>) {
    let declarations = target.children().filter(|&op| {
        let is_graph = op.isa::<tensor::Graph>() || op.isa::<stream::Schedule>();
        is_graph || HostOp::cast(op).is_some()
    });
    let declarations: Vec<_> = declarations.collect();
    declarations.into_iter().for_each(Op::erase);
}

/// Returns a declaration of a function, against which its calls are verified when they are parsed.
fn declaration(function: func::Func<'_>) -> String {
    let (name, signature) = (function.sym_name(), entry::signature(function));
    format!("func.func private @{}{signature}\n", quote(name.as_bytes()))
}

/// Parses the constants and declarations, and moves them to the start of the module. The text may
/// refer to functions of the module, each of which `referenced` declares.
fn splice<'a>(target: builtin::Module<'a>, text: &str, bytes: &Bytes, referenced: &[String]) {
    let text = referenced.concat() + text;
    let source = module::parse_unverified(target.context(), &text, "generated by tfx")
        .expect("the generated text is valid IR");
    let source_op: Op<'_> = module::as_op(&source);
    let to = target.body_region().entry();
    let first = to.and_then(|block| block.first());
    let moved: Vec<_> = source_op.children().skip(referenced.len()).collect();
    for op in moved {
        bytes.fill(op);
        match (first, to) {
            (Some(first), _) => op.move_before(first),
            (None, Some(block)) => op.move_to_end(block),
            (None, None) => {}
        }
    }
}
