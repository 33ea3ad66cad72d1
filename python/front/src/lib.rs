//! The compiler of Python programs.
//!
//! ```text
//!   file ──syntax──> tree ──lower──> control-flow graph ──infer──> types ──emit──> tfx::Program
//!                                         │                  ▲                         │ load
//!                                         └─── evaluate: one meaning of each operation │
//!                                                            ▼                         ▼
//!                                                          eager tensors         Executable: calls
//! ```
//!
//! An accepted program behaves as CPython runs the same source with eager tensors;
//! `docs/python.md` states the three exceptions. Everything else is an [`Error`] at its line, in
//! the words of Python.
//!
//! The crate needs no Python. An embedding in a Python process tells it what names are bound to
//! ([`World::bind`]), and calls host functions ([`Embedding`]). Programs are built and run through
//! the public library `tfx` alone.

#![forbid(unsafe_code)]

pub mod eager;
mod emit;
mod error;
mod evaluate;
mod format;
mod hir;
mod infer;
mod keep;
mod lower;
mod run_block;
mod runtime;
mod target;
mod value;
mod world;

use std::sync::Arc;

use melior::Context;
use tfx::codegen::Cache;
use tfx::program::Program;
use tfx::run::{Executable, LoadOptions};
use tfx::runtime::ExecutorKind;

pub use emit::{ENTRY, ForeignCall};
pub use error::{Error, Place};
pub use runtime::{
    Embedding, ForeignError, Raised, float_text, format_number, raised_by_check,
    raised_by_operation, take_raised, tensor_text,
};
pub use target::{Attribute, Foreign, Piece};
pub use value::{Constant, Leaf, TensorType, Value, dtype_name, dtype_of_name, tensor_name};
pub use world::{Annotation, Global, Size, World};

/// A type: a value without its numbers.
pub type Type = Value<()>;

/// A compiled program, before machine code.
#[derive(Debug)]
pub struct Compiled<'c> {
    /// The program. Its entry function is [`ENTRY`].
    pub program: Program<'c>,
    /// The foreign functions that it calls.
    pub foreign: Vec<ForeignCall>,
    /// The leaves of the parameters, in order; those of captured values follow them in a call.
    pub parameters: Vec<Leaf>,
    /// The captured values that it reads, by number.
    pub captured: Vec<usize>,
    /// The type of the result.
    pub result: Type,
}

impl Compiled<'_> {
    /// Generates machine code: for the host, and for the graphs too if the native executor is to
    /// run them, as in `tfxc run`. It is kept in the user's cache of compiled code.
    ///
    /// # Errors
    /// Code that cannot be compiled, at its source location.
    pub fn load(self, embedding: &Arc<dyn Embedding>) -> Result<Executable, tfx::Error> {
        let functions = runtime::functions(&self.foreign, embedding);
        let mut options = self.program.options().clone();
        // A call reports an executor that does not exist.
        let executor = ExecutorKind::choose(None);
        options.native.native = executor.is_ok_and(|executor| executor == ExecutorKind::Native);
        options.native.for_this_machine();
        let load = LoadOptions {
            cache: Cache::of_user(),
            whole_programs: true,
            ..LoadOptions::default()
        };
        self.program.with_options(options).load(functions, &load)
    }
}

/// Why a program is rejected.
#[derive(Debug)]
pub enum CompileError {
    /// An error of the Python program.
    Python(Error),
    /// An error of the compiler behind, with places of the Python program.
    Tfx(tfx::Error),
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CompileError::Python(error) => error.fmt(formatter),
            CompileError::Tfx(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for CompileError {}

impl From<CompileError> for tfx::Error {
    fn from(error: CompileError) -> Self {
        match error {
            CompileError::Python(error) => error.into(),
            CompileError::Tfx(error) => error,
        }
    }
}

impl World {
    /// Compiles a function for arguments of some types.
    ///
    /// # Errors
    /// A part of the program that is not compiled, or types that do not fit.
    pub fn compile<'c>(
        &self,
        context: &'c Context,
        function: usize,
        arguments: Vec<Type>,
    ) -> Result<Compiled<'c>, CompileError> {
        // Inference follows the calls of the program.
        let analyzed =
            tfx_python_syntax::on_large_stack(|| infer::Analysis::run(self, function, arguments));
        let (analysis, entry) = analyzed.map_err(CompileError::Python)?;
        let emitted = emit::emit(context, &analysis, entry).map_err(CompileError::Tfx)?;
        Ok(Compiled {
            program: emitted.program,
            foreign: emitted.foreign,
            parameters: emitted.parameters,
            captured: emitted.captured,
            result: emitted.result,
        })
    }

    /// Adds a value of the process, which a call reads when it starts.
    pub fn capture(&mut self, name: &str, ty: Type) -> Global {
        Global::Captured(self.add_captured(name, ty))
    }

    /// Returns the types of the parameters of a function from its annotations.
    ///
    /// # Errors
    /// A parameter without an annotation.
    pub fn annotated(&self, function: usize) -> Result<Vec<Type>, Error> {
        let body = &self.bodies[function];
        let of = &body.function.parameters;
        let all = of.positional.iter().chain(&of.rest).chain(&of.keyword_only);
        let types = all.zip(self.parameters(function));
        types
            .map(|(parameter, (name, annotation))| {
                annotation.ty(self).ok_or_else(|| {
                    let message = format!(
                        "the type of '{name}' is not known; annotate it, as in {name}: Tensor[f32, None, 64]"
                    );
                    self.error(body.file, parameter.span, message)
                })
            })
            .collect()
    }
}
