//! Building programs by type, with source locations.
//!
//! ```text
//!   Builder::new(context, "f.calc")
//!     ├─ declare("log", ..)                        func.func private @log(..)
//!     └─ function("main", ..) ──> FunctionBuilder  func.func @main(..)
//!          ├─ at(line, column)                     the source location of what follows
//!          ├─ graph_op("MatMul", &[a, b], ty)      tfx_tensor.op
//!          ├─ host::Store::build(&mut function, ..) any operation, by its view
//!          └─ add_block, enter, br, cond_br        control flow: any control-flow graph
//!     finish() ──> Program, verified
//! ```
//!
//! A front end gives variables, branches and calls as they are in its language: variables as
//! `tfx_host.var`, control flow as blocks, functions as functions. The compiler finds the rest.
//! Types are melior's. Operations are built by their views (`tfx::dialects`, `tfx::ir::ops`); each
//! operand, result and attribute of an operation is a parameter of `build`.
//!
//! ```
//! use melior::Context;
//! use melior::ir::r#type::IntegerType;
//! use tfx::dialects::host;
//! use tfx::program::{Builder, tensor_type};
//!
//! let context = Context::new();
//! tfx::prepare(&context);
//! let builder = Builder::new(&context, "double.calc");
//! let (f32, i64) = (melior::ir::Type::float32(&context), IntegerType::new(&context, 64).into());
//! let vector = tensor_type(f32, &[None]);
//!
//! // fn double(x: f32[], n: i64) { while n > 0 { x = x + x; print(n); n = n - 1 } return x }
//! let location = builder.location(1, 1);
//! let parameters = [("x", vector, location), ("n", i64, location)];
//! let mut function = builder.function("double", &parameters, &[("y", vector)], location);
//! let (x, n) = (function.variable(vector), function.variable(i64));
//! let arguments = function.arguments();
//! host::Store::build(&mut function, arguments[0], x);
//! host::Store::build(&mut function, arguments[1], n);
//! let (head, body, done) = (function.add_block(&[]), function.add_block(&[]), function.add_block(&[]));
//! function.br(head, &[]);
//!
//! function.at(2, 9).enter(head);
//! let zero = function.constant_int(0, i64);
//! let count = host::Load::build(&mut function, n).value();
//! let more = function.scalar_op("arith.cmpi", &[count, zero]).integer("predicate", 64, 4).infer_results().value();
//! function.cond_br(more, (body, &[]), (done, &[]));
//!
//! function.at(3, 5).enter(body);
//! let value = host::Load::build(&mut function, x).value();
//! let sum = function.graph_op("AddV2", &[value, value], &[vector]).value();
//! host::Store::build(&mut function, sum, x);
//! host::Print::build(&mut function, "{}", &[count]);
//! let one = function.constant_int(1, i64);
//! let less = function.scalar_op("arith.subi", &[count, one]).infer_results().value();
//! host::Store::build(&mut function, less, n);
//! function.br(head, &[]);
//!
//! function.at(6, 5).enter(done);
//! let result = host::Load::build(&mut function, x).value();
//! function.ret(&[result]);
//!
//! let mut program = builder.finish()?;
//! let extraction = program.extract()?;
//! assert!(extraction.diagnostics.is_empty());
//! assert_eq!(extraction.graphs[0].name, "double.graph");
//! # Ok::<(), tfx::Error>(())
//! ```
//!
//! Not guaranteed: that the operations fit together. [`Builder::finish`] verifies the program, and
//! reports what does not fit at its source location.

use std::ops::{Deref, DerefMut};

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::r#type::{DimSize, FunctionType, RankedTensorType};
use melior::ir::{Attribute, Identifier, Location, Module, ShapedTypeLike, Type};
use tfx_dialects::{host, tensor, types};
use tfx_ir::location::Place;
use tfx_ir::ops::func;
use tfx_ir::{Block, OpBuilder, Region, Value, module};

use crate::error::Error;
use crate::program::Program;
use crate::program::words::Words;

/// The attribute of a parameter or a result with its name.
const NAME: &str = "tfx.name";

/// Returns a tensor type; `None` is a dimension that is known only at run time.
pub fn tensor_type<'c>(element: Type<'c>, shape: &[Option<u64>]) -> Type<'c> {
    let sizes: Vec<_> = shape
        .iter()
        .map(|size| size.unwrap_or(i64::MIN as u64))
        .collect();
    RankedTensorType::new(&sizes, element, None).into()
}

/// Returns the sizes of a ranked tensor's dimensions, as for [`tensor_type`]; none for any other
/// type.
pub fn tensor_shape(ty: Type<'_>) -> Option<Vec<Option<u64>>> {
    let ty = RankedTensorType::try_from(ty).ok()?;
    let size = |index| match ty.dim_size(index) {
        Ok(DimSize::Static(size)) => Some(size),
        _ => None,
    };
    Some((0..ty.rank()).map(size).collect())
}

/// Builds a program.
#[derive(Debug)]
pub struct Builder<'c> {
    context: &'c Context,
    module: Module<'c>,
    file: String,
}

impl<'c> Builder<'c> {
    /// Starts a program whose source is `file`, in a context that [`crate::prepare`] has prepared.
    pub fn new(context: &'c Context, file: impl Into<String>) -> Self {
        let file = file.into();
        let module = Module::new(Location::new(context, &file, 0, 0));
        Self {
            context,
            module,
            file,
        }
    }

    /// Gives the words of the source language for operations and attributes of tfx, such as
    /// `("tfx_comm.to_host", "to_host(..)")`. Messages about the program then use these words. They
    /// are in the module attribute `tfx.words`.
    pub fn with_words(self, words: &[(&str, &str)]) -> Self {
        Words::set(words, self.context, &self.module);
        self
    }

    /// Returns the context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// Returns the location of a line and a column of the source, each from 1.
    pub fn location(&self, line: usize, column: usize) -> Location<'c> {
        Location::new(self.context, &self.file, line, column)
    }

    /// Returns the location of a place, such as one of [`crate::Source::place`].
    pub fn location_of(&self, place: &Place) -> Location<'c> {
        Location::new(self.context, &place.file, place.line, place.column)
    }

    /// Returns a builder of declarations, such as `host::Struct`, which inserts at the end of the
    /// program.
    pub fn declarations(&self, location: Location<'c>) -> tfx_ir::Builder<'_> {
        let body = module::as_op(&self.module).region(0).entry();
        tfx_ir::Builder::at_end(body.expect("a module has a block"), location)
    }

    /// Declares a foreign function.
    pub fn declare(
        &self,
        name: &str,
        parameters: &[Type<'c>],
        results: &[Type<'c>],
        location: Location<'c>,
    ) {
        let ty = FunctionType::new(self.context, parameters, results);
        self.declarations(location).func(name, ty, true);
    }

    /// Starts a function that a caller of the program can call. Parameters and results have names,
    /// by which a command line refers to them. [`FunctionBuilder::make_private`] hides it.
    pub fn function<'b>(
        &'b self,
        name: &str,
        parameters: &[(&str, Type<'c>, Location<'c>)],
        results: &[(&str, Type<'c>)],
        location: Location<'c>,
    ) -> FunctionBuilder<'b> {
        let inputs: Vec<_> = parameters.iter().map(|&(_, ty, _)| ty).collect();
        let outputs: Vec<_> = results.iter().map(|&(_, ty)| ty).collect();
        let ty = FunctionType::new(self.context, &inputs, &outputs);
        let mut builder = self.declarations(location);
        let function = func::Func::build(&mut builder, name, ty);
        let names = |names: Vec<&str>| self.names(&names);
        function.set_arg_attrs(names(parameters.iter().map(|&(name, ..)| name).collect()));
        function.set_res_attrs(names(results.iter().map(|&(name, _)| name).collect()));
        let region = function.body();
        let arguments: Vec<_> = parameters
            .iter()
            .map(|&(_, ty, location)| (ty, location))
            .collect();
        let entry = region.add_block(&arguments);
        FunctionBuilder {
            builder: builder.to_end_of(entry, location),
            function,
            region,
            file: &self.file,
        }
    }

    /// Returns the attributes that name parameters or results; none if no name is given.
    fn names(&self, names: &[&str]) -> Option<Attribute<'c>> {
        if names.iter().all(|name| name.is_empty()) {
            return None;
        }
        let named = |name: &&str| {
            let text = StringAttribute::new(self.context, name).into();
            let entry = (Identifier::new(self.context, NAME), text);
            let entries = if name.is_empty() { &[][..] } else { &[entry] };
            DictionaryAttribute::new(self.context, entries).into()
        };
        let attributes: Vec<Attribute<'_>> = names.iter().map(named).collect();
        Some(ArrayAttribute::new(self.context, &attributes).into())
    }

    /// Verifies the program.
    ///
    /// # Errors
    /// Operations that do not fit together, at their source locations.
    pub fn finish(self) -> Result<Program<'c>, Error> {
        let mut program = Program::new(self.module);
        program.verify()?;
        Ok(program)
    }
}

/// Builds the body of a function. It is a [`tfx_ir::Builder`], which all views build with.
#[derive(Debug)]
pub struct FunctionBuilder<'b> {
    builder: tfx_ir::Builder<'b>,
    function: func::Func<'b>,
    region: Region<'b>,
    file: &'b str,
}

impl<'b> Deref for FunctionBuilder<'b> {
    type Target = tfx_ir::Builder<'b>;

    fn deref(&self) -> &Self::Target {
        &self.builder
    }
}

impl DerefMut for FunctionBuilder<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

impl<'b> FunctionBuilder<'b> {
    /// Hides the function from callers of the program.
    pub fn make_private(&self) {
        self.function.set_sym_visibility(Some("private"));
    }

    /// Returns the arguments of the function.
    pub fn arguments(&self) -> Vec<Value<'b>> {
        let entry = self.region.entry();
        entry.into_iter().flat_map(Block::arguments).collect()
    }

    /// Sets the source location of the operations that follow: a line and a column, each from 1.
    pub fn at(&mut self, line: usize, column: usize) -> &mut Self {
        let location = Location::new(self.builder.context(), self.file, line, column);
        self.builder.set_location(location);
        self
    }

    /// Adds a block with arguments at the end of the function. [`FunctionBuilder::enter`] fills it.
    pub fn add_block(&mut self, arguments: &[Type<'b>]) -> Block<'b> {
        let location = self.builder.location();
        let arguments: Vec<_> = arguments.iter().map(|&ty| (ty, location)).collect();
        self.region.add_block(&arguments)
    }

    /// Continues at the end of a block.
    pub fn enter(&mut self, block: Block<'b>) {
        self.builder = self.builder.to_end_of(block, self.builder.location());
    }

    /// Returns whether the current block has its terminator, so that nothing may follow.
    pub fn is_terminated(&self) -> bool {
        let last = self.builder.block().and_then(Block::last);
        last.is_some_and(|op| op.is_terminator())
    }

    /// Creates a variable, and returns the reference to it.
    pub fn variable(&mut self, ty: Type<'b>) -> Value<'b> {
        host::Var::build(&mut self.builder, types::reference(ty)).reference()
    }

    /// Starts a TensorFlow operation, whose attributes are set before `build` or `value`. An
    /// unranked result (`tensor<*xf32>`) gets the shape that the compiler infers.
    pub fn graph_op<'o>(
        &'o mut self,
        name: &str,
        operands: &[Value<'b>],
        results: &[Type<'b>],
    ) -> OpBuilder<'o, 'b> {
        let op = self.builder.op(tensor::Op::NAME).operands(operands);
        op.results(results).string(tensor::Op::TF_NAME_ATTR, name)
    }

    /// Starts a scalar operation by its name, such as `arith.addf`, whose result type MLIR infers
    /// from the operands unless one is added.
    pub fn scalar_op<'o>(&'o mut self, name: &'o str, operands: &[Value<'b>]) -> OpBuilder<'o, 'b> {
        self.builder.op(name).operands(operands)
    }

    /// Returns from the function.
    pub fn ret(&mut self, values: &[Value<'b>]) {
        func::Return::build(&mut self.builder, values);
    }
}
