//! Code generation from the LLVM dialect: in memory, or into a file.
//!
//! ```text
//!   module (llvm dialect) ──ExecutionEngine──> code in memory ── tfx_entry() ──> the runtime
//!                         └─ tfxEmit ───────> object file, assembly, LLVM IR ──> link.rs
//! ```
//!
//! Code in memory uses all features of this machine's CPU; code in files uses the baseline of its
//! architecture, so that it runs on other machines.

mod link;

use std::fmt;
use std::path::{Path, PathBuf};

use melior::ir::Module;
use tfx_ir::diag::Collector;
use tfx_ir::module::as_op;
use tfx_runtime::entry::Entry;

use crate::error::{Error, ErrorKind};
use crate::ffi;
use crate::progress::{self, Stage};

pub use link::{BuildFolder, Libraries, Linking, RuntimeLinkage};

/// The kind of file that [`emit`] writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(i32)]
pub enum Emit {
    /// An object file.
    Object = 0,
    /// Assembly.
    Assembly = 1,
    /// LLVM IR as text.
    LlvmIr = 2,
}

/// The optimization level of the code generator, `0` to `3`, as in C compilers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct OptimizationLevel(u32);

impl OptimizationLevel {
    /// Returns the level with this number, or `None` above `3`.
    pub fn new(level: u32) -> Option<Self> {
        (level <= 3).then_some(Self(level))
    }
}

impl Default for OptimizationLevel {
    fn default() -> Self {
        Self(2)
    }
}

/// Returns the size in bytes of the widest vector registers of this machine that code in memory
/// uses: 64, 32 or 16.
pub fn host_vector_bytes() -> u64 {
    tfx_runtime::vector_bytes()
}

/// Writes a lowered module to a file. The file is written completely or not at all.
///
/// # Errors
/// A module that is not in the LLVM dialect; a file that cannot be written.
pub fn emit(
    module: &Module<'_>,
    path: &Path,
    what: Emit,
    level: OptimizationLevel,
) -> Result<(), Error> {
    progress::enter(Stage::CodeGeneration);
    let name = utf8(path)?;
    let collector = Collector::new(as_op(module).context());
    ffi::emit(module, name, what as i32, level.0).map_err(|error| or_diagnostics(&collector, error))
}

/// Returns a file name as MLIR takes it.
fn utf8(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| {
        let message = format!("the file name '{}' is not UTF-8", path.display());
        Error::new(ErrorKind::Argument, message)
    })
}

/// Returns the diagnostics of MLIR as an error, or `error` if there are none.
fn or_diagnostics(collector: &Collector<'_>, error: Error) -> Error {
    match collector.take() {
        diagnostics if diagnostics.is_empty() => error,
        diagnostics => Error::diagnosed(diagnostics),
    }
}

/// A compiled program in memory.
pub struct Jit {
    engine: ffi::Engine,
}

impl fmt::Debug for Jit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Jit").finish_non_exhaustive()
    }
}

impl Jit {
    /// Compiles a lowered module. `libraries` are loaded for its foreign functions, and must define
    /// all of them: see [`crate::program::Compiled::undefined_functions`].
    ///
    /// # Errors
    /// A module that is not in the LLVM dialect; a file name that is not UTF-8.
    pub fn new(
        module: &Module<'_>,
        libraries: &[PathBuf],
        level: OptimizationLevel,
    ) -> Result<Self, Error> {
        progress::enter(Stage::CodeGeneration);
        let engine = engine(module, libraries, level)?;
        Ok(Self { engine })
    }

    /// Returns the entry function, for [`tfx_runtime::entry::run`].
    ///
    /// # Errors
    /// A module without an entry function.
    pub fn entry(&self) -> Result<Entry<'_>, Error> {
        ffi::entry(&self.engine)
            .ok_or_else(|| Error::new(ErrorKind::Argument, "the module has no entry function"))?
    }
}

/// Compiles a lowered module, see [`Jit::new`].
pub(crate) fn engine(
    module: &Module<'_>,
    libraries: &[PathBuf],
    level: OptimizationLevel,
) -> Result<ffi::Engine, Error> {
    let paths = libraries.iter().map(|path| utf8(path));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    let collector = Collector::new(as_op(module).context());
    let engine = ffi::Engine::new(module, &paths, level.0)
        .map_err(|error| or_diagnostics(&collector, error))?;
    ffi::register_runtime(&engine);
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use melior::Context;

    use super::*;
    use crate::{Source, prepare};

    /// An operation of another dialect is an error at its source location, in memory and in files.
    #[test]
    fn other_dialects_are_refused() {
        let context = Context::new();
        prepare(&context);
        let text = "func.func @f() {\n  return\n}\n";
        let program = Source::new("f.mlir", text).parse(&context);
        let program = program.expect("the program is IR");
        let level = OptimizationLevel::default();
        let failed = Jit::new(program.module(), &[], level).expect_err("there is no code");
        assert!(failed.to_string().starts_with("f.mlir:1:1: error: "));
        let path = std::env::temp_dir().join("tfx-codegen-test.o");
        let failed = emit(program.module(), &path, Emit::Object, level);
        let failed = failed.expect_err("there is no code");
        assert!(failed.to_string().starts_with("f.mlir:1:1: error: "));
        assert!(!path.exists());
    }
}
