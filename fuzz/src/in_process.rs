//! Calls of compiled programs in one process, with foreign functions that are closures.
//!
//! ```text
//!   source ──load(closures)──> Executable ──fork──> child: all calls, one after the other
//!                                                      after each: the behaviour of the source,
//!                                                      and nothing is left, also after a failure
//! ```
//!
//! The program is compiled into a cache, and the executable that runs is the one found there.
//!
//! The closures are the foreign functions of the reference interpreter. Each prints its call into
//! the output of the program. A call that fails must leave the process in order for the next one.

use std::io::Write as _;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, anyhow};
use tfx::Program;
use tfx::codegen::{Cache, has_address_sanitizer};
use tfx::run::{CallOptions, ForeignFunctions, Function, LoadOptions};
use tfx::runtime::{ExecutorKind, format};
use tfx_interpreter::Tensor;
use tfx_ir::module;
use tfx_ir::ops::func;
use tfx_oracle::World;

use crate::compiled::{Runner, ended, left};
use crate::runs::MAIN;
use crate::world::Foreign;

/// The line in the child's output that ends a call. No program prints it.
const END: &str = "-- end of the call";

/// The state of the foreign functions, and the output of the current call.
#[derive(Debug, Default)]
struct Session {
    foreign: Foreign,
    lines: Vec<String>,
}

type Shared = Arc<Mutex<Session>>;

fn locked(session: &Shared) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the output and the end of a source program, line by line, for each list of arguments.
///
/// # Errors
/// The program cannot be compiled; a call is killed by a signal, does not terminate, or leaves
/// objects.
pub(crate) fn run(
    runner: &Runner,
    program: Program<'_>,
    calls: &[Vec<Tensor>],
) -> Result<Vec<Vec<String>>> {
    let session = Shared::default();
    let folder = tempfile::tempdir()?;
    let options = LoadOptions {
        level: runner.level,
        cache: Some(Cache::at(folder.path())),
        whole_programs: true,
        ..LoadOptions::default()
    };
    let mut compilation = program.options().clone();
    compilation.native.native = runner.executor == ExecutorKind::Native;
    compilation.native.native_sanitize = compilation.native.native && has_address_sanitizer();
    let program = program.with_options(compilation);
    let load = |program: Program<'_>| {
        let functions = foreign_functions(&program, &session);
        program.load(functions, &options)
    };
    let compiled = load(program.copy())?;
    let executable = load(program)?;
    if executable.diagnostics() != compiled.diagnostics() {
        return Err(anyhow!("the program in the cache has other diagnostics"));
    }
    drop(compiled);
    let main = executable.function(MAIN)?;
    let work = || {
        for arguments in calls {
            let lines = call(main, arguments, runner, &session);
            println!("{}\n{END}", lines.join("\n"));
        }
        i32::from(std::io::stdout().flush().is_err())
    };
    let (code, output, errors) = runner.in_child(work)?;
    let lines: Vec<_> = output.lines().collect();
    let ended = lines.split(|line| *line == END).take(calls.len());
    let ended = ended.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect());
    let ended: Vec<Vec<String>> = ended.collect();
    match code {
        0 => Ok(ended),
        _ => Err(anyhow!("the process fails: {errors}")),
    }
}

/// Returns the output and the end of one call.
fn call(
    main: Function<'_>,
    arguments: &[Tensor],
    runner: &Runner,
    session: &Shared,
) -> Vec<String> {
    *locked(session) = Session::default();
    let sink = Arc::clone(session);
    let options = CallOptions {
        executor: Some(runner.executor),
        output: Some(Arc::new(move |text: &str| {
            let lines = text.lines().map(str::to_owned);
            locked(&sink).lines.extend(lines);
        })),
        ..CallOptions::default()
    };
    let result = main.call_with(arguments, &options);
    let mut lines = mem::take(&mut locked(session).lines);
    match result {
        Ok(results) => {
            let texts: Vec<_> = results.iter().map(format::tensor).collect();
            lines.push(format!("returned {}", texts.join(", ")));
        }
        Err(error) => lines.push(ended(&error.to_string())),
    }
    lines.extend(left());
    lines
}

/// Returns the foreign functions that a program declares, as closures.
fn foreign_functions(program: &Program<'_>, session: &Shared) -> ForeignFunctions {
    let mut functions = ForeignFunctions::new();
    let declared = module::as_op(program.module()).children();
    let declared = declared
        .filter_map(func::Func::cast)
        .filter(|function| function.is_declaration());
    for function in declared {
        let (name, session) = (function.sym_name().to_owned(), Arc::clone(session));
        functions.add_dynamic(function.sym_name(), move |arguments| {
            let mut session = locked(&session);
            // The thread of a queue calls this function, at a time that is not determined.
            if name != "next_batch" {
                let texts: Vec<_> = arguments.iter().map(format::tensor).collect();
                session.lines.push(format!("@{name}({})", texts.join(", ")));
            }
            let called = session.foreign.call(&name, arguments.to_vec());
            called.map_err(|error| error.to_string().into())
        });
    }
    functions
}
