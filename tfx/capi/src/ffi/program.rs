//! Programs: parsing, options, pass pipelines, and code.

use std::ffi::c_char;
use std::fs::File;
use std::io::Read;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;

use prost::Message;
use tfx::codegen::{self, Emit, OptimizationLevel};
use tfx::diag::{Collected, Collector};
use tfx::ir::{module, pipeline};
use tfx::options::CompileOptions;
use tfx::program::Compiled;
use tfx::{Error, ErrorKind, Program, Source};

use super::buffer::TfxBuffer;
use super::context::{Shared, TfxContext, extended};
use super::diagnostics::TfxDiagnostics;
use super::error::TfxError;
use super::extraction::TfxExtraction;
use super::guard::{
    Enumeration, Failed, Out, argument, array, destroy, guarded, optional_text, required,
    required_mut, text, value,
};

/// The error for the use of a program after the failure of a pass.
const INCOMPLETE: &str = "a pass of this program has failed, so it can only be printed";

/// The first bytes of MLIR's bytecode.
const BYTECODE: &[u8] = b"ML\xefR";

/// A program as IR.
pub struct TfxProgram {
    // The fields are dropped in this order: the program before its context.
    program: Program<'static>,
    source: Arc<Source>,
    context: Arc<Shared>,
    /// A pass has failed and may have left IR that is not valid, which no other pass expects.
    is_incomplete: bool,
}

impl TfxProgram {
    fn new(program: Program<'static>, source: Arc<Source>, context: Arc<Shared>) -> Self {
        Self {
            program,
            source,
            context,
            is_incomplete: false,
        }
    }

    /// Returns the program, unless a pass has failed.
    pub(super) fn program(&self) -> Result<&Program<'static>, Failed> {
        match self.is_incomplete {
            true => Err(argument(INCOMPLETE)),
            false => Ok(&self.program),
        }
    }

    /// Changes the program in place.
    fn change<R>(
        &mut self,
        change: impl FnOnce(&mut Program<'static>) -> Result<R, Error>,
    ) -> Result<R, Failed> {
        self.program()?;
        let result = change(&mut self.program);
        // An invalid pipeline does not start.
        let started = |error: &Error| error.kind() != ErrorKind::Argument;
        self.is_incomplete = result.as_ref().is_err_and(started);
        result.map_err(Failed::of(&self.source))
    }

    pub(super) fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

/// A program in the LLVM dialect.
pub struct TfxCompiled {
    // The fields are dropped in this order: the program before its context.
    compiled: Compiled<'static>,
    diagnostics: TfxDiagnostics,
    source: Arc<Source>,
    _context: Arc<Shared>,
}

/// The kind of file that `tfxCompiledEmit` writes.
#[allow(clippy::enum_variant_names, reason = "the names are those in C")]
#[derive(Clone, Copy)]
#[repr(C)]
pub enum TfxEmit {
    /// An object file.
    TfxEmitObject = 0,
    /// Assembly.
    TfxEmitAssembly = 1,
    /// LLVM IR as text.
    TfxEmitLlvmIr = 2,
}

use TfxEmit::*;

impl Enumeration for TfxEmit {
    const VALUES: &'static [Self] = &[TfxEmitObject, TfxEmitAssembly, TfxEmitLlvmIr];
}

/// Parses a source, and keeps it for messages.
fn parse(context: &TfxContext, source: Source) -> Result<TfxProgram, Failed> {
    let (context, source) = (Arc::clone(context.context()), Arc::new(source));
    // SAFETY: the handle owns a reference to the context, which it drops after the program.
    let program = source.parse(unsafe { extended(&context) });
    let program = program.map_err(Failed::of(&source))?;
    Ok(TfxProgram::new(program, source, context))
}

/// Parses bytecode. The text of its source is not known.
fn parse_bytecode(context: &TfxContext, name: &str, bytes: &[u8]) -> Result<TfxProgram, Failed> {
    let context = Arc::clone(context.context());
    // SAFETY: as in `parse`.
    let lasting = unsafe { extended(&context) };
    let collector = Collector::new(lasting);
    let module = module::parse_bytecode(lasting, bytes, name);
    let module = module.ok_or_else(|| Error::diagnosed(collector.take()))?;
    drop(collector);
    let source = Arc::new(Source::new(name, ""));
    Ok(TfxProgram::new(Program::new(module), source, context))
}

/// Returns the content of a file of bytecode; `None` for any other file.
fn bytecode_of(path: &Path) -> Option<Vec<u8>> {
    let mut start = [0; BYTECODE.len()];
    let mut file = File::open(path).ok()?;
    file.read_exact(&mut start).ok()?;
    if start != BYTECODE {
        return None;
    }
    let mut bytes = start.to_vec();
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Parses a program in memory: MLIR as text in UTF-8, or as bytecode. Diagnostics refer to it by
/// `name`. Damaged bytecode can crash MLIR's reader: bytecode must come from a trusted writer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramParse(
    context: *mut TfxContext,
    name: *const c_char,
    data: *const c_char,
    size: usize,
    program: *mut *mut TfxProgram,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, context, name, bytes) = unsafe {
            (
                Out::new(program, "program")?,
                required(context, "context")?,
                text(name, "name")?,
                array(data.cast::<u8>(), size, "data")?,
            )
        };
        result.set(if bytes.starts_with(BYTECODE) {
            parse_bytecode(context, name, bytes)?
        } else {
            let is_not_utf8 = |_| argument("the program is neither UTF-8 text nor bytecode");
            let text = std::str::from_utf8(bytes).map_err(is_not_utf8)?;
            parse(context, Source::new(name, text))?
        });
        Ok(())
    })
}

/// Reads a program from a file: MLIR as text or bytecode, a GraphDef (`.pb`, `.pbtxt`), or the
/// folder of a SavedModel. Files of foreign functions that it names are relative to its folder; to
/// the current folder, if it is bytecode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramRead(
    context: *mut TfxContext,
    path: *const c_char,
    program: *mut *mut TfxProgram,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, context, path) = unsafe {
            (
                Out::new(program, "program")?,
                required(context, "context")?,
                text(path, "path")?,
            )
        };
        result.set(match bytecode_of(Path::new(path)) {
            Some(bytes) => parse_bytecode(context, path, &bytes)?,
            None => parse(context, Source::read(Path::new(path))?)?,
        });
        Ok(())
    })
}

/// Destroys a program. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramDestroy(program: *mut TfxProgram) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(program) }
}

/// Copies a program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramCopy(
    program: *const TfxProgram,
    copy: *mut *mut TfxProgram,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of) = unsafe { (Out::new(copy, "copy")?, required(program, "program")?) };
        let (source, context) = (Arc::clone(&of.source), Arc::clone(&of.context));
        result.set(TfxProgram::new(of.program()?.copy(), source, context));
        Ok(())
    })
}

/// Replaces the options of the compiler: those of the pipeline `tfx-compile{...}`, such as
/// `copies=all xla=true`. Options that are not named have their defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramSetOptions(
    program: *mut TfxProgram,
    options: *const c_char,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (of, options) =
            unsafe { (required_mut(program, "program")?, text(options, "options")?) };
        let options: CompileOptions =
            pipeline::parse_options(options).map_err(|error| argument(error.to_string()))?;
        of.program.set_options(options);
        Ok(())
    })
}

/// Stores non-error diagnostics, unless the caller ignores them.
fn store(place: Option<Out<TfxDiagnostics>>, diagnostics: Vec<Collected>, source: &Arc<Source>) {
    if let Some(place) = place {
        place.set(TfxDiagnostics::new(diagnostics, source));
    }
}

/// Runs a textual pass pipeline on the module, such as `tfx-deabstract,func.func(tfx-sese)`. Passes
/// of upstream are known as well. `diagnostics` receives warnings and remarks; NULL ignores them.
/// After the failure of a pass, the program can only be printed and destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramRunPasses(
    program: *mut TfxProgram,
    passes: *const c_char,
    diagnostics: *mut *mut TfxDiagnostics,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (place, of, passes) = unsafe {
            (
                Out::optional(diagnostics),
                required_mut(program, "program")?,
                text(passes, "passes")?,
            )
        };
        let collected = of.change(|program| program.run(passes))?;
        store(place, collected, &of.source);
        Ok(())
    })
}

/// Splits a program into host functions and graphs, in place, and describes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramExtract(
    program: *mut TfxProgram,
    extraction: *mut *mut TfxExtraction,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of) = unsafe {
            (
                Out::new(extraction, "extraction")?,
                required_mut(program, "program")?,
            )
        };
        let extraction = of.change(Program::extract)?;
        result.set(TfxExtraction::new(extraction, &of.source));
        Ok(())
    })
}

/// Compiles a program to host functions and to graphs that a GraphDef can represent, in place.
/// `diagnostics` receives warnings and remarks; NULL ignores them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramCompileGraph(
    program: *mut TfxProgram,
    diagnostics: *mut *mut TfxDiagnostics,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (place, of) = unsafe {
            (
                Out::optional(diagnostics),
                required_mut(program, "program")?,
            )
        };
        let collected = of.change(Program::compile_graph)?;
        store(place, collected, &of.source);
        Ok(())
    })
}

/// Returns one serialized GraphDef with all graphs, after `tfxProgramCompileGraph`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramGetGraphDef(
    program: *const TfxProgram,
    graph_def: *mut *mut TfxBuffer,
) -> *mut TfxError {
    write(program, graph_def, "graphDef", |of| {
        let graph_def = of.program()?.graph_def().map_err(Failed::of(&of.source))?;
        Ok(graph_def.encode_to_vec())
    })
}

/// Prints the IR as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramPrint(
    program: *const TfxProgram,
    text: *mut *mut TfxBuffer,
) -> *mut TfxError {
    write(program, text, "text", |of| {
        Ok(of.program.module().as_operation().to_string().into_bytes())
    })
}

/// Writes the IR as bytecode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramWriteBytecode(
    program: *const TfxProgram,
    bytecode: *mut *mut TfxBuffer,
) -> *mut TfxError {
    write(program, bytecode, "bytecode", |of| {
        Ok(module::bytecode(of.program()?.module()))
    })
}

/// Stores bytes that a function makes from a program.
fn write(
    program: *const TfxProgram,
    place: *mut *mut TfxBuffer,
    name: &str,
    write: impl FnOnce(&TfxProgram) -> Result<Vec<u8>, Failed>,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of) = unsafe { (Out::new(place, name)?, required(program, "program")?) };
        result.set(TfxBuffer::new(write(of)?));
        Ok(())
    })
}

/// Lowers a copy of a program to the LLVM dialect. `entry` is the function that a command line
/// runs; NULL selects `main`, or the only public function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxProgramCompile(
    program: *const TfxProgram,
    entry: *const c_char,
    compiled: *mut *mut TfxCompiled,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of, entry) = unsafe {
            (
                Out::new(compiled, "compiled")?,
                required(program, "program")?,
                optional_text(entry, "entry")?,
            )
        };
        let compiled = of.program()?.copy().compile(entry);
        let compiled = compiled.map_err(Failed::of(&of.source))?;
        result.set(TfxCompiled {
            diagnostics: TfxDiagnostics::new(compiled.diagnostics().to_vec(), &of.source),
            compiled,
            source: Arc::clone(&of.source),
            _context: Arc::clone(&of.context),
        });
        Ok(())
    })
}

/// Returns the warnings and remarks of the compilation. They live as long as the compiled program,
/// and must not be destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCompiledGetDiagnostics(
    compiled: *const TfxCompiled,
) -> *const TfxDiagnostics {
    let diagnostics = |of: &TfxCompiled| Some(&raw const of.diagnostics);
    // SAFETY: by the contract of the module.
    unsafe { super::guard::read(compiled, std::ptr::null(), diagnostics) }
}

/// Adds line tables, by which a debugger maps instructions to source lines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCompiledAddLineTables(compiled: *mut TfxCompiled) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let of = unsafe { required_mut(compiled, "compiled") }?;
        let added = of.compiled.add_line_tables();
        added.map_err(Failed::of(&of.source))
    })
}

/// Prints the LLVM dialect as text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCompiledPrint(
    compiled: *const TfxCompiled,
    text: *mut *mut TfxBuffer,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (result, of) = unsafe { (Out::new(text, "text")?, required(compiled, "compiled")?) };
        let text = of.compiled.module().as_operation().to_string();
        result.set(TfxBuffer::new(text));
        Ok(())
    })
}

/// Writes code to a file, completely or not at all. `level` is the optimization level, from 0 to 3.
/// An executable of it needs the runtime (`libtfx_runtime`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCompiledEmit(
    compiled: *const TfxCompiled,
    path: *const c_char,
    emit: MaybeUninit<TfxEmit>,
    level: u32,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (of, path) = unsafe { (required(compiled, "compiled")?, text(path, "path")?) };
        let emit = match value(emit, "emit")? {
            TfxEmitObject => Emit::Object,
            TfxEmitAssembly => Emit::Assembly,
            TfxEmitLlvmIr => Emit::LlvmIr,
        };
        let emitted = codegen::emit(
            of.compiled.module(),
            Path::new(path),
            emit,
            optimization(level)?,
        );
        emitted.map_err(Failed::of(&of.source))
    })
}

/// Returns an optimization level.
pub(super) fn optimization(level: u32) -> Result<OptimizationLevel, Failed> {
    let message = || format!("there is no optimization level {level}; expected 0 to 3");
    OptimizationLevel::new(level).ok_or_else(|| Error::new(ErrorKind::Argument, message()).into())
}

/// Destroys a compiled program. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxCompiledDestroy(compiled: *mut TfxCompiled) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(compiled) }
}
