//! Running compiled programs in this process.
//!
//! ```text
//!   Program ──load(ForeignFunctions)──> Executable ──function("f")──> Function ──call──> results
//!                                        │                            │
//!                                        └ any number of threads      └ a failure is an `Error`
//! ```
//!
//! A program is compiled once. Each public function of it can be called from any number of threads
//! at once. The foreign functions of the program are closures and functions of this process
//! ([`ForeignFunctions`]), or come from files ([`LoadOptions::link`], `tfx.link`).
//!
//! A failure ends the call and not the process: a failing operation of a graph, a foreign function
//! that returns an error or panics, an assertion, a cancellation, a time limit. The call's programs
//! are cancelled, and its memory is freed ([`tfx_runtime::activation`]). Host effects that precede
//! the failing operation in program order have happened.
//!
//! ```
//! use melior::Context;
//! use tfx::run::{ForeignFunctions, LoadOptions};
//! use tfx::runtime::Tensor;
//! use tfx::{ErrorKind, Source};
//!
//! let context = Context::new();
//! tfx::prepare(&context);
//! let text = r#"
//! func.func private @limit(f32) -> f32
//! func.func @f(%x: tensor<2xf32>, %s: f32) -> tensor<2xf32> {
//!   %l = func.call @limit(%s) : (f32) -> f32
//!   %t = tfx_tensor.from_scalar %l : f32
//!   %y = tfx_tensor.op "Minimum"(%x, %t) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
//!   return %y : tensor<2xf32>
//! }"#;
//! let mut functions = ForeignFunctions::new();
//! functions.add("limit", |s: f32| if s > 0.0 { Ok(s) } else { Err("s must be positive") });
//! let program = Source::new("f.mlir", text).parse(&context)?;
//! let executable = program.load(functions, &LoadOptions::default())?;
//!
//! let f = executable.function("f")?;
//! let x = Tensor::build(&[2], |elements: &mut [f32]| elements.copy_from_slice(&[1.0, 9.0])).unwrap();
//! let results = f.call(&[x.clone(), Tensor::scalar(4.0f32)])?;
//! assert_eq!(results[0].values::<f32>().unwrap(), [1.0, 4.0]);
//!
//! let error = f.call(&[x, Tensor::scalar(-1.0f32)]).unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::ForeignFunction);
//! assert_eq!(
//!     error.to_string(),
//!     "f.mlir:4:8: error: foreign function '@limit' failed: s must be positive"
//! );
//! # Ok::<(), tfx::Error>(())
//! ```

mod functions;
mod trampolines;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fmt, iter};

use tfx_ir::diag::Collected;
use tfx_ir::location;
use tfx_ir::module;
use tfx_ir::ops::func;
use tfx_runtime::entry::Parameter;
use tfx_runtime::ffi::abi_entry::CompiledFunction;
use tfx_runtime::ffi::abi_function::ForeignFunction as BoundFunction;
use tfx_runtime::{Failure, FailureKind, Tensor, activation, program};

pub use functions::{ForeignFunctions, ForeignValue, Function as ForeignFunction, Results};
pub use tfx_runtime::activation::{CallOptions, Cancellation};

use crate::codegen::{BuildFolder, Cache, CachedProgram, FoundProgram, Jit, OptimizationLevel};
use crate::error::{Error, ErrorKind};
use crate::interpret::parameter;
use crate::program::{Program, not_linked};
use crate::{ffi, pipelines};

/// Options of [`Program::load`].
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Files with foreign functions in C (`.c`, `.o`, `.a`, `.so`), besides those of `tfx.link`.
    pub link: Vec<PathBuf>,
    /// The optimization level of the code generator.
    pub level: OptimizationLevel,
    /// The code that is compiled already; for programs of this process alone, none.
    pub cache: Option<Cache>,
    /// The cache has whole programs, too, which then need no pass. The passes and dialects of the
    /// program must be in the executable or shared library that contains tfx, whose build ID stands
    /// for them. Programs with files in `link` are compiled each time.
    pub whole_programs: bool,
}

impl Program<'_> {
    /// Compiles the program in memory, for calls of its public functions.
    ///
    /// # Errors
    /// Code that cannot be compiled, at its source location; a foreign function that neither
    /// `functions` nor a file defines; a foreign function that the program does not declare, or
    /// declares with other types; a file that cannot be linked; options for code that this process
    /// cannot run.
    pub fn load(
        self,
        functions: ForeignFunctions,
        options: &LoadOptions,
    ) -> Result<Executable, Error> {
        self.options().native.check_process()?;
        let bound = functions.bind(&self)?;
        let not_callable = not_callable(&self);
        let passes = pipelines::compile_in_process(self.options());
        let files: Vec<_> = self.links().iter().chain(&options.link).cloned().collect();
        let cache = options.cache.as_ref();
        let whole = cache.filter(|_| options.whole_programs && files.is_empty());
        let whole = whole.and_then(|cache| {
            let names = bound.iter().map(|function| function.name.as_str());
            CachedProgram::new(cache, &self, &passes, names, options.level)
        });
        if let Some(found) = whole
            .as_ref()
            .map(CachedProgram::find)
            .transpose()?
            .flatten()
        {
            let FoundProgram {
                jit,
                diagnostics,
                functions,
            } = found;
            return executable(jit, functions, diagnostics, bound, not_callable, None);
        }
        let compiled = self.compile_by(&passes)?;
        let (libraries, build_folder) = match files.is_empty() {
            true => (Vec::new(), None),
            false => {
                let folder = BuildFolder::new()?;
                (folder.shared_libraries(&files)?, Some(folder))
            }
        };
        let missing = compiled.undefined_functions(&libraries)?;
        let is_bound = |name: &str| bound.iter().any(|function| function.name == name);
        if let Some(missing) = missing.into_iter().find(|missing| !is_bound(&missing.name)) {
            return Err(not_linked(missing));
        }
        trampolines::define(compiled.module(), &bound)?;
        let jit = Jit::with_cache(compiled.module(), &libraries, options.level, cache)?;
        if let Some(whole) = whole {
            whole.add(&compiled, &jit);
        }
        let names = compiled.callable();
        let diagnostics = compiled.into_diagnostics();
        executable(jit, names, diagnostics, bound, not_callable, build_folder)
    }
}

/// Returns the executable of linked code.
fn executable(
    jit: Jit,
    names: Vec<String>,
    diagnostics: Vec<Collected>,
    bound: Vec<BoundFunction>,
    not_callable: BTreeMap<String, Error>,
    build_folder: Option<BuildFolder>,
) -> Result<Executable, Error> {
    let engine = jit.into_engine();
    for function in &bound {
        ffi::register_function(&engine, &trampolines::symbol(function), function);
    }
    let functions = names.into_iter().map(|name| {
        let entry = ffi::compiled_function(&engine, &format!("tfx_entry.{name}"))?;
        Ok((name, entry))
    });
    Ok(Executable {
        functions: functions.collect::<Result<_, Error>>()?,
        not_callable,
        diagnostics,
        _engine: engine,
        _bound: bound,
        _build_folder: build_folder,
    })
}

/// Why a parameter or result of some type is refused.
const CALL: &str = "a call from outside of the program can neither pass nor return";

/// Returns the public functions that only compiled code can call, with the reasons.
fn not_callable(program: &Program<'_>) -> BTreeMap<String, Error> {
    let functions = module::as_op(program.module()).children();
    let public = functions
        .filter_map(func::Func::cast)
        .filter(|function| !function.is_declaration() && !function.is_private());
    let reason = |function: func::Func<'_>| {
        let (inputs, results) = function.signature();
        let names = (0..inputs.len()).map(|index| format!("arg{index}"));
        let names = names.chain((0..results.len()).map(|index| format!("result{index}")));
        let place = location::place(function.location()).map(|place| place.to_string());
        let mut types = names.zip(inputs.into_iter().chain(results));
        let reason = types
            .find_map(|(name, ty)| parameter(function.op(), name, ty, place.clone(), CALL).err());
        reason.map(|reason| (function.sym_name().to_owned(), reason))
    };
    public.filter_map(reason).collect()
}

/// A compiled program in memory. Threads may share it.
pub struct Executable {
    functions: BTreeMap<String, CompiledFunction>,
    not_callable: BTreeMap<String, Error>,
    diagnostics: Vec<Collected>,
    // The functions above are code of the engine, which calls the foreign functions.
    _engine: ffi::Engine,
    _bound: Vec<BoundFunction>,
    _build_folder: Option<BuildFolder>,
}

impl fmt::Debug for Executable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Executable")
            .field("functions", &self.functions.keys())
            .finish_non_exhaustive()
    }
}

impl Executable {
    /// Returns the names of the functions that can be called, sorted.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// Returns the warnings and remarks of the compilation, with their notes.
    pub fn diagnostics(&self) -> &[Collected] {
        &self.diagnostics
    }

    /// Returns a function.
    ///
    /// # Errors
    /// There is no public function of that name; it has a parameter or result that only compiled
    /// code can pass.
    pub fn function(&self, name: &str) -> Result<Function<'_>, Error> {
        if let Some(function) = self.functions.get(name) {
            return Ok(Function { function });
        }
        if let Some(reason) = self.not_callable.get(name) {
            return Err(reason.clone());
        }
        let names: Vec<_> = self.functions().map(|name| format!("'{name}'")).collect();
        let there_are = match names.is_empty() {
            true => "there is none".to_owned(),
            false => format!("there are {}", names.join(", ")),
        };
        let message = format!("there is no public function '{name}'; {there_are}");
        Err(Error::new(ErrorKind::Argument, message))
    }
}

/// A compiled function. Threads may share it.
#[derive(Clone, Copy, Debug)]
pub struct Function<'e> {
    function: &'e CompiledFunction,
}

impl Function<'_> {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.function.parameters
    }

    /// Returns the results.
    pub fn results(&self) -> &[Parameter] {
        &self.function.results
    }

    /// Calls the function with a tensor per parameter, a scalar as a tensor of rank 0, and returns
    /// a tensor per result.
    ///
    /// # Errors
    /// Before anything runs: an argument does not fit its parameter; the executor lacks an
    /// operation of the program. Later: the failure of the program.
    pub fn call(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Error> {
        self.call_with(arguments, &CallOptions::default())
    }

    /// Calls the function with an executor, an output, a cancellation, or a time limit.
    ///
    /// # Errors
    /// As [`Function::call`]; the cancellation; the time limit.
    pub fn call_with(
        &self,
        arguments: &[Tensor],
        options: &CallOptions,
    ) -> Result<Vec<Tensor>, Error> {
        self.check(arguments)?;
        let executor = options.executor.map_or_else(program::executor, Ok)?;
        self.function.check(executor)?;
        // The programs of the call do not read the environment again.
        let options = CallOptions {
            executor: Some(executor),
            ..options.clone()
        };
        let call = || self.function.call(arguments.to_vec());
        Ok(activation::run(options, call)?)
    }

    /// Checks the number, the element types and the shapes of arguments.
    fn check(&self, arguments: &[Tensor]) -> Result<(), Failure> {
        let CompiledFunction {
            name, parameters, ..
        } = self.function;
        let wrong = |message: String| Failure::of_kind(FailureKind::Argument, message);
        if arguments.len() != parameters.len() {
            let (expected, found) = (parameters.len(), arguments.len());
            let message = format!("@{name} expects {expected} arguments, but got {found}");
            return Err(wrong(message).at(self.function.location.as_deref()));
        }
        for (parameter, argument) in iter::zip(parameters, arguments) {
            if let Some((found, expected)) = parameter.mismatch(argument) {
                let of = &parameter.name;
                let message =
                    format!("argument '{of}' of @{name} has {found}, but {expected} is expected");
                return Err(wrong(message).at(parameter.location.as_deref()));
            }
        }
        Ok(())
    }
}
