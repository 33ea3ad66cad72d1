//! A program from its text to its two halves: read, extract, compile.
//!
//! ```text
//!   Source::read ──> Source ──parse(context)──> Program ──extract──> Extraction   (what crosses, what is said)
//!                          GraphDef ──import──────┘    └──compile──> Compiled     (LLVM dialect; run it, write it)
//! ```
//!
//! Nothing is printed: what the parser and the passes say comes back as data, with places. The context is the caller's; a
//! compiler that embeds tfx has its own dialects in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use melior::Context;
use melior::ir::Module;
use melior::ir::attribute::ArrayAttribute;
use tfx_copy_analysis::Traffic;
use tfx_dialects::types::TYPE_PARAMS;
use tfx_graphdef::proto::GraphDef;
use tfx_graphdef_mlir::{Exporter, channels};
use tfx_ir::diag::{Collected, Collector, Severity};
use tfx_ir::location::{self, Place};
use tfx_ir::pass::Pass;
use tfx_ir::pipeline::{self, PipelineError};
use tfx_ir::symbols::SYMBOL_VISIBILITY;
use tfx_ir::{Op, attribute, module};
use tfx_lowering::{InferShapes, InferShapesOptions, Shapes};
use tfx_runtime::failure;

use crate::error::Error;
use crate::files;
use crate::pipelines::CompileOptions;
use crate::{ffi, pipelines};

/// The module attribute that lists the files of foreign functions, relative to the source.
const LINK: &str = "tfx.link";

/// What upstream makes of locations in the LLVM dialect: a description of each function, from which line tables follow.
const LINE_TABLES: &str = "ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly}";

/// The text of a program and where it comes from.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    folder: PathBuf,
}

impl Source {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// A file that cannot be read, or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let failed = |reason: String| Error::new(format!("cannot read '{name}': {reason}"));
        let bytes = files::read(path).map_err(|error| failed(failure::reason(&error)))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            failed("it is not UTF-8 text; IR as bytecode must first go through tfx-opt".to_owned())
        })?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { name, text, folder })
    }

    /// A program that is in memory. Diagnostics call it by `name`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            folder: PathBuf::new(),
        }
    }

    /// What diagnostics call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses and verifies the program.
    ///
    /// # Errors
    /// What is not IR, or has an empty name, at its place.
    pub fn parse<'c>(&self, context: &'c Context) -> Result<Program<'c>, Error> {
        let collector = Collector::new(context);
        let Some(module) = module::parse(context, &self.text, &self.name) else {
            return Err(Error::diagnosed(collector.take()));
        };
        check_names(module::as_op(&module))?;
        let links = links(module::as_op(&module))?;
        let links = links.iter().map(|file| self.folder.join(file)).collect();
        Ok(Program {
            module,
            links,
            options: CompileOptions::default(),
        })
    }
}

/// Refuses an empty name, which MLIR reads but prints as what is no name.
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

/// The files that a module wants to be linked with.
fn links(module: Op<'_>) -> Result<Vec<String>, Error> {
    let Some(attribute) = module.attribute(LINK) else {
        return Ok(Vec::new());
    };
    let wrong = || {
        let place = location::place(module.location());
        Error::at(
            place,
            format!("'{LINK}' wants an array of file names, such as [\"host/f.c\"]"),
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
}

impl<'c> Program<'c> {
    /// A program whose IR the caller has built.
    pub fn new(module: Module<'c>) -> Self {
        Self {
            module,
            links: Vec::new(),
            options: CompileOptions::default(),
        }
    }

    /// The graphs of a GraphDef as a program that is compiled already: its main graph gives `outputs`, or what no other node takes anything of. Shapes that follow
    /// are written into it. Also what was said.
    ///
    /// # Errors
    /// A node that the tensor dialect does not have; operations or shapes that do not fit together, as diagnostics.
    pub fn import(
        context: &'c Context,
        graph: &GraphDef,
        outputs: &[String],
        shapes: Shapes,
    ) -> Result<(Self, Vec<Collected>), Error> {
        let module = tfx_graphdef_mlir::import::import(context, graph, outputs)
            .map_err(|error| Error::new(error.to_string()))?;
        let collector = Collector::new(context);
        if module::as_op(&module).verify().is_err() {
            return Err(Error::diagnosed(collector.take()));
        }
        drop(collector);
        let mut program = Program::new(module);
        let said = program.run(&InferShapes::in_pipeline(&InferShapesOptions { shapes }))?;
        Ok((program, said))
    }

    /// The same program, to be extracted with options, as `tfx-extract{...}` takes them.
    pub fn with_options(self, options: CompileOptions) -> Self {
        Self { options, ..self }
    }

    /// The IR.
    pub fn module(&self) -> &Module<'c> {
        &self.module
    }

    /// The files that the source names for its foreign functions.
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// Splits the program into host functions and graphs, in place.
    ///
    /// # Errors
    /// What cannot be split, at its place.
    pub fn extract(&mut self) -> Result<Extraction, Error> {
        let diagnostics = self.run(&pipelines::extract(&self.options.extract))?;
        Ok(Extraction {
            diagnostics,
            graphs: graphs(module::as_op(&self.module)),
            traffic: tfx_copy_analysis::traffic(module::as_op(&self.module)),
        })
    }

    /// Turns the program into the LLVM dialect. `entry` is the function that a command line runs; `main`, or the only public
    /// function, where it is `None`.
    ///
    /// # Errors
    /// What cannot be compiled, at its place.
    pub fn compile(mut self, entry: Option<&str>) -> Result<Compiled<'c>, Error> {
        if let Some(name) = entry {
            publish(module::as_op(&self.module), name)?;
        }
        let foreign = foreign(module::as_op(&self.module));
        let diagnostics = self.run(&pipelines::compile(
            &self.options,
            entry.unwrap_or_default(),
        ))?;
        Ok(Compiled {
            module: self.module,
            links: self.links,
            foreign,
            diagnostics,
        })
    }

    /// Runs passes by name, such as `tfx-deabstract,func.func(tfx-sese)`. What they say and did not fail for.
    ///
    /// # Errors
    /// What they said, where one failed.
    pub fn run(&mut self, passes: &str) -> Result<Vec<Collected>, Error> {
        run_passes(module::as_op(&self.module), passes)
    }

    /// Turns the program into host functions and graphs that a GraphDef can say.
    ///
    /// # Errors
    /// What cannot be compiled, at its place.
    pub fn compile_graph(&mut self) -> Result<Vec<Collected>, Error> {
        self.run(&pipelines::compile_graph(&self.options))
    }

    /// One GraphDef with all graphs of a program that [`Program::compile_graph`] has been run on.
    ///
    /// # Errors
    /// A program without graphs, or a graph in another form, at its place.
    pub fn graph_def(&self) -> Result<GraphDef, Error> {
        let module = module::as_op(&self.module);
        if !module.children().any(|op| op.is("tfx_tensor.graph")) {
            let first = module.children().next();
            let place = first.and_then(|op| location::place(op.location()));
            let message =
                "there is no graph operation in this program, so there is no GraphDef of it";
            return Err(Error::at(place, message));
        }
        Exporter::new(module).module().map_err(|diag| {
            let collector = Collector::new(module.context());
            diag.emit();
            Error::diagnosed(collector.take())
        })
    }
}

/// Runs passes by name; what they say and did not fail for.
fn run_passes(op: Op<'_>, passes: &str) -> Result<Vec<Collected>, Error> {
    let collector = Collector::new(op.context());
    let result = pipeline::run(op, &format!("builtin.module({passes})"));
    let mut diagnostics = collector.take();
    match result {
        Ok(()) => Ok(diagnostics),
        Err(PipelineError::Syntax(message)) => Err(Error::new(message)),
        Err(PipelineError::Failed) => {
            // Nothing fails in silence, not even what forgot to say why.
            if !diagnostics
                .iter()
                .any(|diagnostic| diagnostic.severity == Severity::Error)
            {
                diagnostics.extend(
                    Error::new("internal error: a pass failed and did not say why")
                        .into_diagnostic(),
                );
            }
            Err(Error::diagnosed(diagnostics))
        }
    }
}

/// Keeps the function that is to be run, which may be private and would vanish where it is inlined.
fn publish(module: Op<'_>, entry: &str) -> Result<(), Error> {
    let functions: Vec<_> = module
        .children()
        .filter(|op| op.is("func.func") && !op.is_declaration())
        .collect();
    let Some(function) = functions
        .iter()
        .find(|function| function.symbol_name() == Some(entry))
    else {
        let names = functions
            .iter()
            .filter_map(|function| function.symbol_name());
        let names: Vec<_> = names.map(|name| format!("'{name}'")).collect();
        let there_are = if names.is_empty() {
            "is none".to_owned()
        } else {
            format!("are {}", names.join(", "))
        };
        return Err(Error::new(format!(
            "there is no function '{entry}' with a body to run; there {there_are}"
        )));
    };
    if function.attribute(TYPE_PARAMS).is_some() {
        let place = location::place(function.location());
        return Err(Error::at(
            place,
            format!(
                "the function '{entry}' is generic and cannot be run by itself; call it with types from another function"
            ),
        ));
    }
    // The name goes through the text of a pipeline, in which other characters have a meaning.
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
    /// Its name, in the IR and in C.
    pub name: String,
    /// Where it is declared.
    pub place: Option<Place>,
}

fn foreign(module: Op<'_>) -> Vec<Foreign> {
    let called: BTreeSet<_> = module.walk().flat_map(called_by).collect();
    let declared = module
        .collect("func.func")
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

/// The functions that an operation calls, now or through what it makes.
fn called_by(op: Op<'_>) -> Vec<&str> {
    match op.name() {
        "func.call" | "tfx_host.closure" | "tfx_host.prefetch" => {
            op.symbol("callee").into_iter().collect()
        }
        "tfx_host.witness_table" => {
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

/// The error for a foreign function that nothing defines.
pub fn not_linked(function: &Foreign) -> Error {
    Error::at(
        function.place.clone(),
        format!(
            "the foreign function '@{}' is not linked: no file defines it; give one with --link, or name one in the module's '{LINK}'",
            function.name
        ),
    )
}

/// The error for a library that the dynamic linker refuses.
fn not_loaded(library: &Path, words: &str) -> Error {
    Error::new(match words.split_once("undefined symbol: ") {
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
    })
}

/// The error for a program in which no function stands out to be run.
pub fn no_entry(source: &Source) -> Error {
    Error::new(format!(
        "'{}' has neither a public function 'main' nor only one public function: say with --entry which one is meant",
        source.name()
    ))
}

/// What [`Program::extract`] found.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// Warnings and remarks, with their notes.
    pub diagnostics: Vec<Collected>,
    /// The graphs, in the order of the program.
    pub graphs: Vec<Graph>,
    /// What each host function and its graph copy while they run, in the order of the program.
    pub traffic: Vec<Traffic>,
}

/// A graph that a host function starts.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Its symbol.
    pub name: String,
    /// The types of its inputs.
    pub inputs: Vec<String>,
    /// The types of its results.
    pub results: Vec<String>,
    /// What crosses while it runs.
    pub channels: Vec<Channel>,
}

/// What crosses between a graph and its host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Channel {
    /// Its number in the graph.
    pub id: u32,
    /// Whether the host receives; else it sends.
    pub to_host: bool,
    /// The type of a message.
    pub ty: String,
}

fn graphs(module: Op<'_>) -> Vec<Graph> {
    let describe = |graph: Op<'_>| {
        let (inputs, results) = graph.signature();
        let channels = channels::channels(graph)
            .into_iter()
            .map(|channel| Channel {
                id: channel.id,
                to_host: channel.direction == channels::Direction::ToHost,
                ty: channel.r#type.to_string(),
            });
        Graph {
            name: graph.symbol_name().unwrap_or_default().to_owned(),
            inputs: inputs.iter().map(ToString::to_string).collect(),
            results: results.iter().map(ToString::to_string).collect(),
            channels: channels.collect(),
        }
    };
    module
        .collect("tfx_tensor.graph")
        .into_iter()
        .map(describe)
        .collect()
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
    /// The IR.
    pub fn module(&self) -> &Module<'c> {
        &self.module
    }

    /// The files that the source names for its foreign functions.
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// The foreign functions that it calls.
    pub fn foreign(&self) -> &[Foreign] {
        &self.foreign
    }

    /// Whether it has a function for a command line to run.
    pub fn has_entry(&self) -> bool {
        module::as_op(&self.module)
            .children()
            .any(|op| op.symbol_name() == Some("tfx_entry"))
    }

    /// Warnings and remarks, with their notes.
    pub fn diagnostics(&self) -> &[Collected] {
        &self.diagnostics
    }

    /// Adds line tables for a debugger: which line of the source an instruction comes from. Variables are not described.
    ///
    /// # Errors
    /// An internal one of upstream's pass.
    pub fn add_line_tables(&mut self) -> Result<(), Error> {
        run_passes(module::as_op(&self.module), LINE_TABLES)?;
        ffi::make_source_files_absolute(&self.module);
        Ok(())
    }

    /// The foreign functions that none of the libraries defines.
    ///
    /// # Errors
    /// A library that cannot be loaded.
    pub fn undefined_functions(&self, libraries: &[PathBuf]) -> Result<Vec<&Foreign>, Error> {
        let mut missing: BTreeSet<_> = self
            .foreign
            .iter()
            .map(|function| function.name.as_str())
            .collect();
        for library in libraries {
            let defined =
                ffi::defined(library, &missing).map_err(|error| not_loaded(library, &error))?;
            missing.retain(|name| !defined.contains(name));
        }
        Ok(self
            .foreign
            .iter()
            .filter(|function| missing.contains(function.name.as_str()))
            .collect())
    }
}
