//! Code generation from the LLVM dialect: in memory, or into a file.
//!
//! ```text
//!   module (llvm dialect) ──units──> objects ──> code in memory ── tfx_entry() ──> the runtime
//!                         │             └── cache
//!                         └─ tfxEmit ──> object file, assembly, LLVM IR ──> link.rs
//! ```
//!
//! Code in memory uses all features of this machine's CPU; code in files uses the baseline of its
//! architecture, so that it runs on other machines.

mod cache;
mod link;
mod programs;
mod units;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fmt, thread};

use melior::ir::Module;
use tfx_ir::diag::Collector;
use tfx_ir::module::as_op;
use tfx_runtime::entry::Entry;

use crate::error::{Error, ErrorKind};
use crate::ffi;
use crate::progress::{self, Stage};

use units::{Unit, Units};

pub use cache::Cache;
pub use link::{BuildFolder, Libraries, Linking, RuntimeLinkage};
pub use programs::{CachedProgram, FoundProgram};

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

/// Returns whether this process has the runtime of AddressSanitizer, which code in memory needs if
/// it is compiled with [`NativeOptions::native_sanitize`](crate::options::NativeOptions).
pub fn has_address_sanitizer() -> bool {
    ffi::has_address_sanitizer()
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
    counts: Counts,
    /// The keys of the objects; `None` without a cache.
    keys: Vec<Option<cache::Key>>,
}

/// The number of the parts of a program that are compiled by themselves: the host, each large
/// kernel, each graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Parts.
    pub parts: usize,
    /// Parts whose code was in the cache.
    pub cached: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { parts, cached } = self;
        let compiled = parts - cached;
        writeln!(
            formatter,
            "machine code: {compiled} parts compiled, {cached} from the cache"
        )
    }
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
        Self::with_cache(module, libraries, level, None)
    }

    /// Compiles a lowered module as [`Jit::new`] does, except for the code in the cache, to which
    /// it adds the rest.
    ///
    /// # Errors
    /// As [`Jit::new`].
    pub fn with_cache(
        module: &Module<'_>,
        libraries: &[PathBuf],
        level: OptimizationLevel,
        cache: Option<&Cache>,
    ) -> Result<Self, Error> {
        progress::enter(Stage::CodeGeneration);
        let paths = libraries.iter().map(|path| utf8(path));
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        let engine = ffi::Engine::new(&paths)?;
        let (objects, counts) = objects(module, level, engine.is_in_range(), cache)?;
        let (keys, objects): (Vec<_>, Vec<_>) = objects.into_iter().unzip();
        let jit = Self::of_objects(engine, objects)?;
        Ok(Self {
            counts,
            keys,
            ..jit
        })
    }

    /// Links objects.
    fn of_objects(engine: ffi::Engine, objects: Vec<Vec<u8>>) -> Result<Self, Error> {
        for object in &objects {
            engine.add(object)?;
        }
        ffi::register_runtime(&engine);
        let counts = Counts {
            parts: objects.len(),
            cached: objects.len(),
        };
        let keys = Vec::new();
        Ok(Self {
            engine,
            counts,
            keys,
        })
    }

    /// Returns the entry function, for [`tfx_runtime::entry::run`].
    ///
    /// # Errors
    /// A module without an entry function.
    pub fn entry(&self) -> Result<Entry<'_>, Error> {
        ffi::entry(&self.engine)
            .ok_or_else(|| Error::new(ErrorKind::Argument, "the module has no entry function"))?
    }

    /// Returns the numbers of compiled parts.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    pub(crate) fn into_engine(self) -> ffi::Engine {
        self.engine
    }
}

/// The number of operations from which native code is compiled without optimizations. Only the code
/// of a very large graph has so many: it is a sequence of calls of kernels, for which LLVM's
/// optimizations do nothing, and its register allocator takes time that is not linear.
const LARGE_GRAPH: usize = 1 << 14;

/// An object, and its key if there is a cache.
type Object = (Option<cache::Key>, Vec<u8>);

/// Returns the objects of a module.
fn objects(
    module: &Module<'_>,
    level: OptimizationLevel,
    in_range: bool,
    cache: Option<&Cache>,
) -> Result<(Vec<Object>, Counts), Error> {
    let Units { host, natives } = units::split(module);
    let mut objects = Vec::new();
    let mut rest = Vec::new();
    let target = ffi::describe_host(in_range)?;
    let collector = Collector::new(as_op(module).context());
    for unit in natives.iter().chain([&host]) {
        let size = as_op(&unit.module).walk().count();
        let level = match size {
            LARGE_GRAPH.. if !std::ptr::eq(unit, &host) => OptimizationLevel(0),
            _ => level,
        };
        let key = cache.map(|_| key(unit, &target, level));
        let cached = key.and_then(|key| cache?.get(key));
        if let Some(object) = cached {
            objects.push((key, object));
            continue;
        }
        let Some(translated) = ffi::Unit::new(&unit.module) else {
            let message = "the module cannot be translated to LLVM IR";
            let error = Error::new(ErrorKind::Link, message);
            return Err(or_diagnostics(&collector, error));
        };
        rest.push((size, key, (translated, level)));
    }
    // The largest first, so that no thread is left with it at the end.
    rest.sort_by_key(|(size, ..)| std::cmp::Reverse(*size));
    let counts = Counts {
        parts: 1 + natives.len(),
        cached: objects.len(),
    };
    let rest = rest.into_iter().map(|(_, key, unit)| (key, unit));
    let (keys, rest): (Vec<_>, Vec<_>) = rest.unzip();
    let compiled = compile(rest, in_range)?;
    if let Some(cache) = cache.filter(|_| !compiled.is_empty()) {
        let named = keys.iter().zip(&compiled);
        cache.add(named.filter_map(|(key, object)| Some(((*key)?, &object[..]))));
    }
    objects.extend(keys.into_iter().zip(compiled));
    Ok((objects, counts))
}

/// Returns the key of the object of a unit: what the code of the C++ layer makes of the unit for
/// this machine.
fn key(unit: &Unit<'_>, target: &str, level: OptimizationLevel) -> cache::Key {
    cache::Key::new(&[
        unit.digest(),
        target.as_bytes(),
        &level.0.to_le_bytes(),
        env!("TFX_LLVM_VERSION").as_bytes(),
        env!("TFX_CODEGEN").as_bytes(),
    ])
}

/// Compiles units, each with its level, on the threads of the machine, and returns their objects in
/// the same order.
fn compile(
    units: Vec<(ffi::Unit, OptimizationLevel)>,
    in_range: bool,
) -> Result<Vec<Vec<u8>>, Error> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(units.len());
    let pending = Mutex::new(units.into_iter().enumerate());
    let compiled = Mutex::new(Vec::new());
    let work = || {
        loop {
            // A statement of its own, so that the lock is not held while the unit is compiled.
            let next = lock(&pending).next();
            let Some((position, (unit, level))) = next else {
                break;
            };
            let object = unit.compile(level.0, in_range);
            lock(&compiled).push((position, object));
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        work();
        // The end of a scope does not wait until its threads have released their locks, which a
        // process that forks now would never do.
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let mut compiled = compiled
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    compiled.sort_unstable_by_key(|(position, _)| *position);
    compiled.into_iter().map(|(_, object)| object).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use melior::Context;

    use super::*;
    use crate::options::CompileOptions;
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
    /// Objects are linked one after the other, however many there are: kernels of different
    /// constants, each of which is one.
    #[test]
    fn many_objects_need_little_stack() {
        const KERNELS: usize = 400;
        const STACK: usize = 256 << 10;
        let context = Context::new();
        prepare(&context);
        let (row, scalar) = ("tensor<300xf32>", "tensor<f32>");
        let mut text = format!(
            "func.func @main(%x: {row}) -> {scalar} {{\n  %axis = tfx_tensor.const dense<0> : \
             tensor<i32>\n  %s0 = tfx_tensor.const dense<0.0> : {scalar}\n"
        );
        for number in 0..KERNELS {
            let next = number + 1;
            text += &format!(
                "  %c{number} = tfx_tensor.const dense<{next}.5> : {scalar}\n  \
                 %p{number} = tfx_tensor.op \"Mul\"(%x, %c{number}) : ({row}, {scalar}) -> {row}\n  \
                 %r{number} = tfx_tensor.op \"Sum\"(%p{number}, %axis) : ({row}, tensor<i32>) -> {scalar}\n  \
                 %s{next} = tfx_tensor.op \"AddV2\"(%s{number}, %r{number}) : ({scalar}, {scalar}) -> {scalar}\n"
            );
        }
        text += &format!("  return %s{KERNELS} : {scalar}\n}}\n");
        let program = Source::new("many.mlir", &text).parse(&context);
        let mut options = CompileOptions::default();
        options.native.native = true;
        options.native.native_vectors = host_vector_bytes();
        let compiled = program.and_then(|program| program.with_options(options).compile(None));
        let compiled = compiled.expect("the program is compiled");
        let jit = Jit::new(compiled.module(), &[], OptimizationLevel::default()).expect("code");
        assert!(jit.counts().parts > KERNELS);
        std::thread::scope(|scope| {
            let linking = std::thread::Builder::new().stack_size(STACK);
            let linking = linking.spawn_scoped(scope, || jit.entry().is_ok());
            let is_linked = linking.expect("a thread").join();
            assert!(is_linked.expect("the thread has ended"));
        });
    }
}
