//! The representations of a program: source text, IR, extracted, compiled.
//!
//! ```text
//!   Source::read ──> Source ──parse(context)──> Program ──extract──> Extraction  (host and graphs)
//!                          GraphDef ──import──────┘    └──compile──> Compiled    (LLVM dialect)
//! ```
//!
//! Nothing is printed: diagnostics of the parser and of the passes are returned as data with source
//! locations. The context belongs to the caller; a compiler that embeds tfx has its own dialects in
//! it.

mod builder;
mod model;
mod words;

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use melior::Context;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Module, Type};
use tfx_copy_analysis::Traffic;
use tfx_dialects::types::is_generic;
use tfx_dialects::{host, tensor};
use tfx_graphdef::proto::GraphDef;
use tfx_graphdef_mlir::{Exporter, channels};
use tfx_ir::diag::{Collected, Collector, Diagnostic, Severity};
use tfx_ir::location::{self, Place};
use tfx_ir::ops::func;
use tfx_ir::pass::Pass;
use tfx_ir::pipeline::{self, PipelineError};
use tfx_ir::symbols::SYMBOL_VISIBILITY;
use tfx_ir::{Op, attribute, module};
use tfx_runtime::failure::listed;
use tfx_shapes::{InferShapes, InferShapesOptions, Shapes};
use tfx_streams::{Description, SimulateStreamsOptions};

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::options::CompileOptions;
use crate::program::model::Model;
use crate::program::words::Words;
use crate::progress::{self, Stage};
use crate::{ffi, pipelines};

pub use builder::{Builder, FunctionBuilder, tensor_shape, tensor_type};

/// The module attribute that lists the files of foreign functions, relative to the source.
const LINK: &str = "tfx.link";

/// The upstream pass that attaches a debug scope to each function, from which LLVM derives line
/// tables.
const LINE_TABLES: &str = "ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}";

/// The text of a program, with its name and the folder of its file.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    folder: PathBuf,
    /// The graph, if the file is not a program in text form.
    model: Option<Model>,
    /// The offsets at which lines start, once a place is requested.
    line_starts: OnceLock<Vec<usize>>,
}

impl Source {
    /// Reads a program in text form, or standard input for `-`; a GraphDef (`.pb`, `.pbtxt`); or a
    /// SavedModel, by its folder. The program of a graph is a function that runs it.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn read(path: &Path) -> Result<Self, Error> {
        if let Some(file) = model::file_of(path) {
            return Ok(Self {
                model: Some(model::read(&file)?),
                ..Self::new(file.display().to_string(), "")
            });
        }
        let bytes = files::read(path)?;
        let name = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|_| {
            let reason = "it is not UTF-8 text; IR as bytecode must first go through tfx-opt";
            Error::new(ErrorKind::File, format!("cannot read '{name}': {reason}"))
        })?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self {
            folder,
            ..Self::new(name, text)
        })
    }

    /// Creates a source from text in memory. Diagnostics refer to it by `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            folder: PathBuf::new(),
            model: None,
            line_starts: OnceLock::new(),
        }
    }

    /// Returns the name that diagnostics use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of the program.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the place of a byte of the text, for a front end that counts bytes. It takes time
    /// logarithmic in the number of lines.
    pub fn place(&self, offset: usize) -> Place {
        let starts = self.line_starts.get_or_init(|| {
            let newlines = self.text.match_indices('\n').map(|(offset, _)| offset + 1);
            std::iter::once(0).chain(newlines).collect()
        });
        let line = starts.partition_point(|&start| start <= offset);
        Place {
            file: self.name.clone(),
            line,
            column: offset - starts[line - 1] + 1,
        }
    }

    /// Parses and verifies the program.
    ///
    /// # Errors
    /// Syntax and verifier errors, and operations with an empty symbol name, at their source
    /// locations.
    pub fn parse<'c>(&self, context: &'c Context) -> Result<Program<'c>, Error> {
        if let Some(model) = &self.model {
            return self.import(context, model);
        }
        progress::enter(Stage::Parsing);
        let collector = Collector::new(context);
        let Some(module) = module::parse(context, &self.text, &self.name) else {
            return Err(Error::diagnosed(collector.take()));
        };
        let links = check_symbols_and_attributes(module::as_op(&module))?;
        let links = links.iter().map(|file| self.folder.join(file)).collect();
        Ok(Program {
            module,
            links,
            options: CompileOptions::default(),
            is_verified: true,
        })
    }
}

impl Source {
    /// Imports a graph, and adds a function that runs it. Warnings of shape inference come again
    /// when the program is compiled.
    fn import<'c>(&self, context: &'c Context, model: &Model) -> Result<Program<'c>, Error> {
        let import = |outputs: &[String]| {
            let imported = Program::import(context, &model.graph, outputs, Shapes::Builtin);
            imported.map(|(program, _)| program)
        };
        let imported = import(&model.outputs());
        let imported = imported.and_then(|program| match model.other_outputs(&program.module) {
            Some(outputs) => import(&outputs),
            None => Ok(program),
        });
        let imported = imported.and_then(|program| {
            model.add_host_function(context, &program.module)?;
            Ok(program)
        });
        imported.map_err(|error| match error.diagnostics() {
            [] => Error::new(error.kind(), format!("{}: {error}", self.name)),
            _ => error,
        })
    }
}

/// Checks what no verifier of MLIR does: the names of symbols, and the attributes of the module
/// that tfx reads. Returns the files that the program links.
fn check_symbols_and_attributes(module: Op<'_>) -> Result<Vec<String>, Error> {
    check_names(module)?;
    Words::of(module)?;
    links(module)
}

/// Rejects empty symbol names: MLIR parses them, but prints a form that does not parse again.
fn check_names(module: Op<'_>) -> Result<(), Error> {
    let mut symbols = module.children();
    let Some(nameless) = symbols.find(|op| op.symbol_name() == Some("")) else {
        return Ok(());
    };
    let message = format!(
        "the name of this '{}' is empty; give it a name of at least one letter",
        nameless.name()
    );
    Err(Error::at(location::place(nameless.location()), message))
}

/// Returns the files that the module attribute `tfx.link` lists.
fn links(module: Op<'_>) -> Result<Vec<String>, Error> {
    let Some(attribute) = module.attribute(LINK) else {
        return Ok(Vec::new());
    };
    let wrong = || {
        let place = location::place(module.location());
        Error::at(
            place,
            format!("'{LINK}' expects an array of file names, such as [\"host/f.c\"]"),
        )
    };
    let list = ArrayAttribute::try_from(attribute).map_err(|_| wrong())?;
    let names = (0..list.len()).map(|index| list.element(index).ok().and_then(attribute::text));
    names
        .map(|name| name.map(str::to_owned).ok_or_else(wrong))
        .collect()
}

/// A program as IR.
#[derive(Debug)]
pub struct Program<'c> {
    module: Module<'c>,
    links: Vec<PathBuf>,
    options: CompileOptions,
    /// The parser has verified the IR, or `verify` has.
    is_verified: bool,
}

impl<'c> Program<'c> {
    /// Creates a program from IR that the caller has built. The files in its `tfx.link` are
    /// relative to the current folder. The first step of the compiler verifies the IR.
    pub fn new(module: Module<'c>) -> Self {
        let links = links(module::as_op(&module)).unwrap_or_default();
        Self {
            module,
            links: links.into_iter().map(PathBuf::from).collect(),
            options: CompileOptions::default(),
            is_verified: false,
        }
    }

    /// Imports the graphs of a GraphDef as a program that is already compiled, and returns it with
    /// the non-error diagnostics. The main graph returns the values in `outputs`, or, if the list
    /// is empty, all values that no other node uses. Inferred shapes are written into the IR.
    ///
    /// # Errors
    /// A node that the tensor dialect cannot represent; inconsistent operations or shapes, as
    /// diagnostics.
    pub fn import(
        context: &'c Context,
        graph: &GraphDef,
        outputs: &[String],
        shapes: Shapes,
    ) -> Result<(Self, Vec<Collected>), Error> {
        let module = tfx_graphdef_mlir::import::import(context, graph, outputs)
            .map_err(|error| Error::new(ErrorKind::Program, error.to_string()))?;
        let collector = Collector::new(context);
        if module::as_op(&module).verify().is_err() {
            return Err(Error::diagnosed(collector.take()));
        }
        drop(collector);
        let mut program = Program::new(module);
        let diagnostics = program.run(&InferShapes::in_pipeline(&InferShapesOptions { shapes }))?;
        Ok((program, diagnostics))
    }

    /// Sets the options, which correspond to those of `tfx-extract{...}` and `tfx-compile{...}`.
    pub fn with_options(self, options: CompileOptions) -> Self {
        Self { options, ..self }
    }

    /// Returns a copy, which can be compiled while the program itself stays as it is.
    pub fn copy(&self) -> Self {
        Self {
            module: module::copy(&self.module),
            links: self.links.clone(),
            options: self.options.clone(),
            is_verified: self.is_verified,
        }
    }

    /// Replaces the options, see [`Program::with_options`].
    pub fn set_options(&mut self, options: CompileOptions) {
        self.options = options;
    }

    /// Returns the IR.
    pub fn module(&self) -> &Module<'c> {
        &self.module
    }

    /// Returns the options.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Returns the files that the source lists for its foreign functions.
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// Verifies IR that the caller has built, as the parser does for text: passes rely on it.
    fn verify(&mut self) -> Result<(), Error> {
        if self.is_verified {
            return Ok(());
        }
        let module = module::as_op(&self.module);
        if let Some(unknown) = module.walk().find(|op| !op.is_registered()) {
            let message = format!(
                "the operation '{}' is not registered in this context; load its dialect, or convert it before",
                unknown.name()
            );
            return Err(Error::at(location::place(unknown.location()), message));
        }
        let collector = Collector::new(module.context());
        if module.verify().is_err() {
            return Err(Error::diagnosed(collector.take()));
        }
        drop(collector);
        check_symbols_and_attributes(module)?;
        self.is_verified = true;
        Ok(())
    }

    /// Splits the program into host functions and graphs, in place.
    ///
    /// # Errors
    /// Code that cannot be split, at its source location.
    pub fn extract(&mut self) -> Result<Extraction<'c>, Error> {
        let diagnostics = self.run(&pipelines::extract(&self.options.extract))?;
        Ok(Extraction {
            diagnostics,
            graphs: graphs(&self.module),
            traffic: tfx_copy_analysis::traffic(module::as_op(&self.module)),
        })
    }

    /// Returns the schedules of the graphs of an extracted program, as the native executor runs
    /// them with these options, and the non-error diagnostics of the passes that make them. The
    /// program stays as it is, and no code is emitted. The simulated times of a launch and of an
    /// event are those of the options.
    ///
    /// # Errors
    /// Code that cannot be compiled, at its source location.
    pub fn schedules(&self) -> Result<(Vec<Description>, Vec<Collected>), Error> {
        let mut copy = self.copy();
        let diagnostics = copy.run(&pipelines::schedules(&self.options))?;
        let model = SimulateStreamsOptions {
            launch: self.options.streams.streams_launch,
            event: self.options.streams.streams_launch,
            ..SimulateStreamsOptions::default()
        };
        let module = module::as_op(&copy.module);
        let described = tfx_streams::describe(module, &model).map_err(|errors| {
            let collector = Collector::new(module.context());
            errors.into_iter().for_each(Diagnostic::emit);
            Error::diagnosed(collector.take())
        });
        Ok((described?, diagnostics))
    }

    /// Lowers the program to the LLVM dialect. `entry` is the function that a command line runs;
    /// `None` selects `main`, or the only public function.
    ///
    /// # Errors
    /// Code that cannot be compiled, at its source location.
    pub fn compile(self, entry: Option<&str>) -> Result<Compiled<'c>, Error> {
        if let Some(name) = entry {
            publish(module::as_op(&self.module), name)?;
        }
        let passes = pipelines::compile(&self.options, entry.unwrap_or_default());
        self.compile_by(&passes)
    }

    /// Lowers the program to the LLVM dialect by a pipeline.
    pub(crate) fn compile_by(mut self, passes: &str) -> Result<Compiled<'c>, Error> {
        let foreign = foreign(module::as_op(&self.module));
        let diagnostics = self.run(passes)?;
        Ok(Compiled {
            module: self.module,
            links: self.links,
            foreign,
            diagnostics,
        })
    }

    /// Runs a textual pass pipeline, such as `tfx-deabstract,func.func(tfx-sese)`, and returns its
    /// non-error diagnostics.
    ///
    /// # Errors
    /// The diagnostics of the pipeline, if a pass fails; a syntax error in the pipeline.
    pub fn run(&mut self, passes: &str) -> Result<Vec<Collected>, Error> {
        self.verify()?;
        run_passes(module::as_op(&self.module), passes)
    }

    /// Compiles the program to host functions and to graphs in the functional form that a GraphDef
    /// can represent, and returns the non-error diagnostics.
    ///
    /// # Errors
    /// Code that cannot be compiled, at its source location.
    pub fn compile_graph(&mut self) -> Result<Vec<Collected>, Error> {
        self.run(&pipelines::compile_graph(&self.options))
    }

    /// Returns one GraphDef with all graphs, after [`Program::compile_graph`].
    ///
    /// # Errors
    /// A program without graphs, or a graph that is not in functional form, at its source location.
    pub fn graph_def(&self) -> Result<GraphDef, Error> {
        let module = module::as_op(&self.module);
        if !module.children().any(|op| op.isa::<tensor::Graph>()) {
            let first = module.children().next();
            let place = first.and_then(|op| location::place(op.location()));
            let message =
                "this program has no graph operation, so it cannot be exported as a GraphDef";
            return Err(Error::at(place, message));
        }
        Exporter::new(module).module().map_err(|diag| {
            let collector = Collector::new(module.context());
            diag.emit();
            Error::diagnosed(collector.take())
        })
    }
}

/// The environment variable that has the IR verified after each pass, if it is not empty. The
/// verifier finds mistakes of passes, and takes a quarter of the time of compilation.
const VERIFY_EACH: &str = "TFX_VERIFY_EACH";

fn verifies_each_pass() -> bool {
    cfg!(debug_assertions) || env::var_os(VERIFY_EACH).is_some_and(|value| !value.is_empty())
}

/// Runs a textual pass pipeline and returns its non-error diagnostics.
fn run_passes(op: Op<'_>, passes: &str) -> Result<Vec<Collected>, Error> {
    progress::enter(Stage::Passes);
    let words = Words::of(op)?;
    let collector = Collector::new(op.context());
    let pipeline = format!("builtin.module({passes})");
    let result = match verifies_each_pass() {
        true => pipeline::run(op, &pipeline),
        false => pipeline::run_unverified(op, &pipeline).and_then(|()| {
            // Code generation relies on valid IR, as passes do.
            op.verify().map_err(|_| PipelineError::Failed)
        }),
    };
    let mut diagnostics = collector.take();
    words.apply(&mut diagnostics);
    match result {
        Ok(()) => Ok(diagnostics),
        Err(PipelineError::Syntax(message)) => Err(Error::new(ErrorKind::Argument, message)),
        Err(PipelineError::Failed) => {
            // A failure is never silent, even if the pass did not report its reason.
            if !diagnostics
                .iter()
                .any(|diagnostic| diagnostic.severity == Severity::Error)
            {
                let message = "internal error: a pass failed without a diagnostic";
                diagnostics.push(Collected::error(None, message));
            }
            Err(Error::diagnosed(diagnostics))
        }
    }
}

/// Makes the function that will be run public: a private function would be erased once it is
/// inlined.
fn publish(module: Op<'_>, entry: &str) -> Result<(), Error> {
    let functions: Vec<_> = module
        .children()
        .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
        .collect();
    let Some(function) = functions
        .iter()
        .find(|function| function.symbol_name() == Some(entry))
    else {
        let names = functions
            .iter()
            .filter_map(|function| function.symbol_name());
        let there_are = if functions.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there are {}", listed(names))
        };
        let message = format!("there is no function '{entry}' with a body to run; {there_are}");
        return Err(Error::new(ErrorKind::Argument, message));
    };
    if is_generic(*function) {
        let place = location::place(function.location());
        return Err(Error::at(
            place,
            format!(
                "the function '{entry}' is generic and cannot be run on its own; call it with type arguments from another function"
            ),
        ));
    }
    // The name becomes part of the text of a pipeline, in which other characters have a meaning.
    if !entry
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_$.-".contains(c))
    {
        let advice = "call it from a function whose name has only letters, digits and _ $ . -";
        let place = location::place(function.location());
        return Err(Error::at(
            place,
            format!("the function '{entry}' cannot be run by its name; {advice}"),
        ));
    }
    function.remove_attribute(SYMBOL_VISIBILITY);
    Ok(())
}

/// A foreign function that the program declares.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// The name, in the IR and in C.
    pub name: String,
    /// The source location of the declaration.
    pub place: Option<Place>,
}

fn foreign(module: Op<'_>) -> Vec<Foreign> {
    let called: BTreeSet<_> = module.walk().flat_map(called_by).collect();
    let declared = module
        .collect(func::Func::NAME)
        .into_iter()
        .filter(|function| function.is_declaration());
    let used = declared.filter(|function| {
        function
            .symbol_name()
            .is_some_and(|name| called.contains(name))
    });
    used.map(|function| Foreign {
        name: function.symbol_name().unwrap_or_default().to_owned(),
        place: location::place(function.location()),
    })
    .collect()
}

/// Returns the functions that an operation calls, directly or through a closure, a thread or a
/// table that it creates.
fn called_by(op: Op<'_>) -> Vec<&str> {
    match op.name() {
        func::Call::NAME | host::Closure::NAME | host::Prefetch::NAME => {
            op.symbol("callee").into_iter().collect()
        }
        host::WitnessTable::NAME => {
            let methods = op.attribute("methods").map(ArrayAttribute::try_from);
            let Some(Ok(methods)) = methods else {
                return Vec::new();
            };
            (0..methods.len())
                .filter_map(|index| attribute::symbol(methods.element(index).ok()?))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the error for a foreign function that no file defines.
pub fn not_linked(function: &Foreign) -> Error {
    Error::at(
        function.place.clone(),
        format!(
            "the foreign function '@{}' is not linked: no file defines it; give one with --link, or name one in the module's '{LINK}'",
            function.name
        ),
    )
}

/// Returns the error for a library that the dynamic linker cannot load.
fn not_loaded(library: &Path, words: &str) -> Error {
    let message = match words.split_once("undefined symbol: ") {
        Some((_, symbol)) => {
            format!(
                "the foreign functions use '{symbol}', which no file defines; give one that does with --link"
            )
        }
        None => {
            let library = library.display().to_string();
            let words = words.strip_prefix(&library).unwrap_or(words);
            format!(
                "cannot load '{library}': {}",
                words.trim_start_matches(": ")
            )
        }
    };
    Error::new(ErrorKind::Link, message)
}

/// Returns the error for a program without a unique entry function.
pub fn no_entry(source: &Source) -> Error {
    let message = format!(
        "'{}' has neither a public function 'main' nor exactly one public function; select a function with --entry",
        source.name()
    );
    Error::new(ErrorKind::Argument, message)
}

/// The result of [`Program::extract`].
#[derive(Clone, Debug)]
pub struct Extraction<'c> {
    /// The warnings and remarks, with their notes.
    pub diagnostics: Vec<Collected>,
    /// The graphs, in program order.
    pub graphs: Vec<Graph<'c>>,
    /// The copies between each host function and its graph while both run, in program order.
    pub traffic: Vec<Traffic>,
}

/// A graph that a host function starts.
#[derive(Clone, Debug)]
pub struct Graph<'c> {
    /// The symbol.
    pub name: String,
    /// The types of the program inputs.
    pub inputs: Vec<Type<'c>>,
    /// The types of the results.
    pub results: Vec<Type<'c>>,
    /// The channels between the graph and its host.
    pub channels: Vec<Channel<'c>>,
}

/// A channel between a graph and its host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Channel<'c> {
    /// The number of the channel, which is unique in the graph.
    pub id: u32,
    /// `true` if the graph sends and the host receives; `false` for the other direction.
    pub to_host: bool,
    /// The type of the messages.
    pub ty: Type<'c>,
}

fn graphs<'c>(module: &Module<'c>) -> Vec<Graph<'c>> {
    let types = |types: Vec<Type<'_>>| -> Vec<Type<'c>> {
        let types = types.into_iter();
        types.map(|ty| ffi::of_context(ty, module)).collect()
    };
    let describe = |graph: Op<'_>| {
        let (inputs, results) = graph.signature();
        let channels = channels::channels(graph)
            .into_iter()
            .map(|channel| Channel {
                id: channel.id,
                to_host: channel.to_host,
                ty: ffi::of_context(channel.ty, module),
            });
        Graph {
            name: graph.symbol_name().unwrap_or_default().to_owned(),
            inputs: types(inputs),
            results: types(results),
            channels: channels.collect(),
        }
    };
    let graphs = module::as_op(module).collect(tensor::Graph::NAME);
    graphs.into_iter().map(describe).collect()
}

/// A program in the LLVM dialect.
#[derive(Debug)]
pub struct Compiled<'c> {
    module: Module<'c>,
    links: Vec<PathBuf>,
    foreign: Vec<Foreign>,
    diagnostics: Vec<Collected>,
}

impl<'c> Compiled<'c> {
    /// Returns the IR.
    pub fn module(&self) -> &Module<'c> {
        &self.module
    }

    /// Returns the files that the source lists for its foreign functions.
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// Returns the foreign functions that the program calls.
    pub fn foreign(&self) -> &[Foreign] {
        &self.foreign
    }

    /// Returns whether the program has an entry function, which a command line can run.
    pub fn has_entry(&self) -> bool {
        module::as_op(&self.module)
            .children()
            .any(|op| op.symbol_name() == Some("tfx_entry"))
    }

    /// Returns the names of the functions that a process can call.
    pub(crate) fn callable(&self) -> Vec<String> {
        let symbols = module::as_op(&self.module).children();
        let names = symbols.filter_map(|op| op.symbol_name()?.strip_prefix("tfx_entry."));
        names.map(str::to_owned).collect()
    }

    /// Returns the warnings and remarks, with their notes.
    pub fn diagnostics(&self) -> &[Collected] {
        &self.diagnostics
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Collected> {
        self.diagnostics
    }

    /// Adds line tables, by which a debugger maps instructions to source lines. Variables are not
    /// described.
    ///
    /// # Errors
    /// Only an internal error of the upstream pass.
    pub fn add_line_tables(&mut self) -> Result<(), Error> {
        run_passes(module::as_op(&self.module), LINE_TABLES)?;
        ffi::make_source_files_absolute(&self.module);
        Ok(())
    }

    /// Returns the foreign functions that none of the libraries defines.
    ///
    /// # Errors
    /// A library cannot be loaded.
    pub fn undefined_functions(&self, libraries: &[PathBuf]) -> Result<Vec<&Foreign>, Error> {
        let mut missing: BTreeSet<_> = self
            .foreign
            .iter()
            .map(|function| function.name.as_str())
            .collect();
        for library in libraries {
            let defined = ffi::defined(library, &missing)
                .map_err(|error| not_loaded(library, &error.to_string()))?;
            missing.retain(|name| !defined.contains(name));
        }
        Ok(self
            .foreign
            .iter()
            .filter(|function| missing.contains(function.name.as_str()))
            .collect())
    }
}
