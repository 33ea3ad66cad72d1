//! Programs in Python, without Python: a file is read as text, and the annotations of a program are
//! the types of its arguments.

use std::path::Path;

use melior::Context;
use tfx::{Error, ErrorKind, Program, Source};
use tfx_python_front::World;

/// The extension of Python files.
const EXTENSION: &str = "py";

/// Returns whether a source is a Python file.
pub(crate) fn is_python(source: &Source) -> bool {
    Path::new(source.name())
        .extension()
        .is_some_and(|extension| extension == EXTENSION)
}

/// Returns the error for a command that needs what only Python has: values and host functions.
pub(crate) fn runs_in_python(source: &Source) -> Error {
    let name = source.name();
    let message = format!(
        "'{name}' is in Python, which runs it: 'python {name}'; 'report' and 'explain' need no Python"
    );
    Error::new(ErrorKind::Argument, message)
}

/// Compiles a program of a file to IR in source form: that with a name, or the only one. Modules in
/// the folder of the file are read where it imports from them.
///
/// # Errors
/// Text that is not Python, no program or several ones, a parameter without an annotation, or a
/// part of the program that is not compiled, each with its source location.
pub(crate) fn parse<'c>(
    context: &'c Context,
    source: &Source,
    name: Option<&str>,
) -> Result<Program<'c>, Error> {
    let path = Path::new(source.name());
    let mut world = World::of_folder(path.parent().unwrap_or_else(|| Path::new("")));
    let file = world.add_file(source.name(), source.text())?;
    let function = choose(&world, file, source.name(), name)?;
    let types = world.annotated(function)?;
    Ok(world.compile(context, function, types)?.program)
}

/// Returns the number of a program of a file.
fn choose(world: &World, file: usize, path: &str, name: Option<&str>) -> Result<usize, Error> {
    let programs = world.programs(file);
    let names = || {
        let names = programs.iter().map(|(name, _)| format!("'{name}'"));
        names.collect::<Vec<_>>().join(", ")
    };
    let message = match (name, &programs[..]) {
        (None, [(_, function)]) => return Ok(*function),
        (_, []) => format!("'{path}' has no program; write @tfx.program before a function"),
        (None, _) => format!(
            "'{path}' has several programs, {}: choose one with --entry",
            names()
        ),
        (Some(name), _) => {
            if let Some((_, function)) = programs.iter().find(|(of, _)| of == name) {
                return Ok(*function);
            }
            if let Some(error) = world.reason(file, name) {
                return Err(error.into());
            }
            format!(
                "'{path}' has no program '{name}'; its programs are {}",
                names()
            )
        }
    };
    Err(Error::new(ErrorKind::Argument, message))
}
