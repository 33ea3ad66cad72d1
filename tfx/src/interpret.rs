//! Execution of a program by the reference interpreter, at any stage of the compiler.
//!
//! ```text
//!   Program ──interpret──> Entry ──runtime::entry::run──> the results of compiled code
//!                            └── a foreign function ──> a program that only calls it,
//!                                                       compiled on the first call
//! ```

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use tfx_ir::ops::func;

use melior::Context;
use melior::ir::Type;
use tfx_dialects::foreign::UNCHECKED;
use tfx_graphdef_mlir::types;
use tfx_interpreter::{DType, Tensor};
use tfx_ir::diag::{Collector, Diagnostic};
use tfx_ir::{Op, location, module};
use tfx_lowering::entry::{find, parameter_names, result_names};
use tfx_oracle::{
    End, Fair, FunctionId, GraphFirst, HostFirst, Library, Limits, Random, RandomSchedule, Value,
    World,
};
use tfx_runtime::Failure;
use tfx_runtime::entry::{Entry, Parameter};
use tfx_runtime::ffi::output;

pub use tfx_oracle::{Counts, FunctionCounts, TapeCounts};

use crate::codegen::{Jit, OptimizationLevel};
use crate::error::{Error, ErrorKind};
use crate::program::{Program, Source, not_linked};
use crate::registry::prepare;

/// The order in which the processes (a host and its graphs) take their steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Round-robin.
    #[default]
    Fair,
    /// The host, whenever it can run.
    HostFirst,
    /// A graph, whenever one can run.
    GraphFirst,
    /// Random, determined by the seed.
    Random(u64),
}

impl Schedule {
    /// Parses `fair`, `host`, `graph`, or a number, which is the seed of a random schedule.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match (text, text.parse()) {
            ("fair", _) => Ok(Schedule::Fair),
            ("host", _) => Ok(Schedule::HostFirst),
            ("graph", _) => Ok(Schedule::GraphFirst),
            (_, Ok(seed)) => Ok(Schedule::Random(seed)),
            _ => {
                let message = "expected fair, host, graph, or the seed of a random schedule";
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }

    fn create(self) -> Box<dyn tfx_oracle::Schedule> {
        match self {
            Schedule::Fair => Box::new(Fair::default()),
            Schedule::HostFirst => Box::new(HostFirst),
            Schedule::GraphFirst => Box::new(GraphFirst),
            Schedule::Random(seed) => Box::new(RandomSchedule(Random::new(seed))),
        }
    }
}

/// Why a parameter or result of some type is refused.
const COMMAND_LINE: &str = "a command line can neither pass nor print";

/// Options of [`Program::interpret`].
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    /// The function to run; `None` selects `main`, or the only public function.
    pub entry: Option<String>,
    /// Shared libraries that define the foreign functions.
    pub libraries: Vec<PathBuf>,
    /// The maximal number of instructions; `None` means no limit.
    pub fuel: Option<u64>,
    /// The capacity of each channel; `None` means as declared.
    pub capacity: Option<usize>,
    /// The schedule.
    pub schedule: Schedule,
    /// Prints calls of foreign functions, too.
    pub trace: bool,
    /// Receives the counts of the last run; `None` means that nothing is counted.
    pub counts: Option<Rc<RefCell<Counts>>>,
}

impl<'c> Program<'c> {
    /// Returns the entry function, which the reference interpreter executes, or `None` if no
    /// function is `main` or the only public one.
    ///
    /// # Errors
    /// The entry does not exist, or has a parameter that a command line cannot pass.
    pub fn interpret(&self, how: Interpretation) -> Result<Option<Entry<'_>>, Error> {
        let module = module::as_op(self.module());
        let functions: Vec<_> = module.children().filter_map(func::Func::cast).collect();
        let name = how.entry.as_deref().unwrap_or_default();
        let collector = Collector::new(module.context());
        let failed = |diagnostic: Diagnostic<'_>| {
            diagnostic.emit();
            Error::diagnosed(collector.take())
        };
        let Some(function) = find(module, &functions, name).map_err(failed)? else {
            return Ok(None);
        };
        let name = function.sym_name();
        let (inputs, results) = function.signature();
        let place = location::place(function.location()).map(|place| place.to_string());
        let table = |names: Vec<String>, list: &[Type<'_>]| -> Result<Vec<Parameter>, Error> {
            let rows = names.into_iter().zip(list);
            rows.map(|(name, ty)| parameter(function.op(), name, *ty, place.clone(), COMMAND_LINE))
                .collect()
        };
        let parameters = table(parameter_names(function).map_err(failed)?, &inputs)?;
        let outcomes = table(result_names(function).map_err(failed)?, &results)?;
        let library = Library::new(module);
        let Some(id) = library.function(name) else {
            let message = format!(
                "the function '{name}' is generic and cannot be run on its own; call it with type arguments from another function"
            );
            return Err(Error::at(location::place(function.location()), message));
        };
        let foreign = RefCell::new(Linked {
            module,
            libraries: how.libraries.clone(),
            compiled: HashMap::new(),
            trace: how.trace,
        });
        Ok(Some(Entry {
            name: name.to_owned(),
            location: place,
            parameters,
            results: outcomes,
            // The interpreter reports an operation without a kernel when it executes it.
            check: Box::new(|_| Ok(())),
            call: Box::new(move |arguments| {
                run(
                    &library,
                    id,
                    &inputs,
                    arguments,
                    &mut foreign.borrow_mut(),
                    &how,
                )
            }),
        }))
    }
}

/// Returns the description of a parameter or result; `refusal` is the reason if its type has none,
/// such as "a command line can neither pass nor print".
pub(crate) fn parameter(
    function: Op<'_>,
    name: String,
    ty: Type<'_>,
    location: Option<String>,
    refusal: &str,
) -> Result<Parameter, Error> {
    let is_string = ty.to_string() == "!tfx_host.string";
    let known = types::data_type(ty)
        .and_then(|number| DType::from_tensorflow(number as i32))
        .filter(|&dtype| dtype != DType::Variant);
    let dtype = if is_string {
        Some(DType::String)
    } else {
        known
    };
    let dtype = dtype.ok_or_else(|| {
        let message = format!("'{name}' has type {ty}, which {refusal}");
        Error::at(location::place(function.location()), message)
    })?;
    let sizes = types::sizes(ty);
    let size = |size: &Option<u64>| size.map(|size| size as usize);
    Ok(Parameter {
        name,
        is_tensor: melior::ir::TypeLike::is_tensor(&ty) || is_string,
        dtype,
        shape: sizes.map(|sizes| sizes.iter().map(size).collect()),
        location,
    })
}

fn run<'a>(
    library: &Library<'a>,
    function: FunctionId,
    types: &[Type<'a>],
    arguments: Vec<Tensor>,
    world: &mut Linked<'a>,
    how: &Interpretation,
) -> Result<Vec<Tensor>, Failure> {
    let values = arguments.iter().zip(types);
    let values: Result<_, _> = values
        .map(|(tensor, ty)| Value::given(tensor, *ty))
        .collect();
    let limits = Limits {
        fuel: how.fuel.unwrap_or(u64::MAX),
        capacity: how.capacity,
        count: how.counts.is_some(),
        ..Limits::default()
    };
    let behaviour = tfx_oracle::run(
        library,
        function,
        values.map_err(|error: tfx_oracle::Error| Failure::new(error.to_string()))?,
        world,
        &mut *how.schedule.create(),
        limits,
    );
    if let Some(counts) = &how.counts {
        counts.replace(behaviour.counts);
    }
    match behaviour.end {
        End::Returned(results) => results
            .iter()
            .map(|result| {
                result
                    .tensor()
                    .ok_or_else(|| Failure::new("the result was never set"))
            })
            .collect(),
        End::Aborted(op, message) => Err(failure(op, message)),
        End::Failed(failed) => Err(failure(failed.op, failed.error.to_string())),
        End::OutOfFuel => Err(Failure::new(format!(
            "the program is still running after {} instructions; allow more with --fuel",
            limits.fuel
        ))),
        End::Misfit(why) => Err(Failure::new(format!("host and graph do not agree: {why}"))),
    }
}

/// Returns a failure at an operation. An operation of an imported graph has no source location: the
/// message names its node and graph, and the location is that of an enclosing operation, if one has
/// any.
fn failure(op: Op<'_>, message: String) -> Failure {
    if let Some(place) = location::place(op.location()) {
        return Failure::new(message).at(Some(&place.to_string()));
    }
    let node = location::name(op.location()).map(|name| format!("in the node '{name}'"));
    let graph = op.ancestors().find_map(Op::symbol_name);
    let graph = graph.map(|graph| format!("in '@{graph}'"));
    let names: Vec<_> = [Some(message), node, graph].into_iter().flatten().collect();
    let place = op.ancestors().find_map(|op| location::place(op.location()));
    let place = place.map(|place| place.to_string());
    Failure::new(names.join(" ")).at(place.as_deref())
}

/// The foreign functions in shared libraries.
struct Linked<'a> {
    module: Op<'a>,
    libraries: Vec<PathBuf>,
    /// For each function, by name, a compiled program whose entry calls it.
    compiled: HashMap<String, Jit>,
    trace: bool,
}

impl Linked<'_> {
    fn compile(&self, name: &str) -> Result<Jit, Error> {
        let mut declarations = self.module.children().filter(|op| op.isa::<func::Func>());
        let function = declarations
            .find(|op| op.symbol_name() == Some(name))
            .ok_or_else(|| {
                let message = format!("there is no function '@{name}'");
                Error::new(ErrorKind::Internal, message)
            })?;
        let (inputs, results) = function.signature();
        let list = |types: &[Type<'_>]| {
            let texts: Vec<_> = types.iter().map(ToString::to_string).collect();
            texts.join(", ")
        };
        let parameters: Vec<_> = inputs
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("%a{index}: {ty}"))
            .collect();
        let values: Vec<_> = (0..inputs.len())
            .map(|index| format!("%a{index}"))
            .collect();
        let (bound, returned): (_, Vec<_>) = match results.len() {
            0 => (String::new(), Vec::new()),
            count => (
                format!("%r:{count} = "),
                (0..count).map(|index| format!("%r#{index}")).collect(),
            ),
        };
        let (inputs, outputs) = (list(&inputs), list(&results));
        let end = match results.is_empty() {
            true => "return".to_owned(),
            false => format!("return {} : {outputs}", returned.join(", ")),
        };
        // The interpreter checks the results at the call in the program.
        let text = format!(
            "func.func private @\"{name}\"({inputs}) -> ({outputs}) attributes {{{UNCHECKED}}}\n\
             func.func @foreign.call({}) -> ({outputs}) {{\n  {bound}func.call @\"{name}\"({}) : ({inputs}) -> ({outputs})\n  {end}\n}}\n",
            parameters.join(", "),
            values.join(", "),
        );
        let context = Context::new();
        prepare(&context);
        let compiled = Source::new(name, text)
            .parse(&context)?
            .compile(Some("foreign.call"))?;
        if let Some(missing) = compiled.undefined_functions(&self.libraries)?.first() {
            return Err(not_linked(missing));
        }
        Jit::new(
            compiled.module(),
            &self.libraries,
            OptimizationLevel::default(),
        )
    }
}

impl World for Linked<'_> {
    fn call(
        &mut self,
        name: &str,
        arguments: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, tfx_oracle::Error> {
        if !self.compiled.contains_key(name) {
            let message = |error: Error| match error.diagnostics().first() {
                Some(first) => first.message.clone(),
                None => error.to_string(),
            };
            let jit = self.compile(name).map_err(message)?;
            self.compiled.insert(name.to_owned(), jit);
        }
        let entry = self.compiled[name]
            .entry()
            .map_err(|error| error.to_string())?;
        (entry.call)(arguments).map_err(|failure| failure.message.into())
    }

    fn printed(&mut self, line: &str) -> Result<(), tfx_oracle::Error> {
        output::write(&format!("{line}\n"))
            .map_err(|error| format!("cannot print: {}", output::reason(&error)).into())
    }

    fn called(&mut self, line: &str) -> Result<(), tfx_oracle::Error> {
        if self.trace {
            self.printed(line)?;
        }
        Ok(())
    }
}
