//! Programs that are compiled already, in the cache of objects.
//!
//! ```text
//! text of the source, with places ─┐
//! passes, functions of the process ┼─> key ──> functions, diagnostics, keys of the objects
//! build of the compiler, machine ──┘
//! ```
//!
//! A program that is found needs no pass: its objects are linked. The build of the compiler is the
//! build ID of the executable or shared library that contains this crate, which the linker makes of
//! its content; without one, no program is found.
//!
//! Cost: the text of the source, and a file for each object.
//!
//! Not guaranteed: another shared library whose dialects or passes take part in compilation is not
//! a part of the key. Such a compiler does not use this module.

use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use serde::{Deserialize, Serialize};
use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;

use super::cache::{Cache, Key};
use super::{Jit, OptimizationLevel};
use crate::error::Error;
use crate::options::Shapes;
use crate::program::{Compiled, Program};
use crate::progress::{self, Stage};
use crate::{ffi, pipelines};

/// The place of a whole program in a cache.
#[derive(Clone, Debug)]
pub struct CachedProgram<'k> {
    cache: &'k Cache,
    key: Key,
}

/// A compiled program that was found.
#[derive(Debug)]
pub struct FoundProgram {
    /// The code.
    pub jit: Jit,
    /// The warnings and remarks of the compilation.
    pub diagnostics: Vec<Collected>,
    /// The names of the functions that the process can call.
    pub(crate) functions: Vec<String>,
}

/// The stored description of a compiled program.
#[derive(Serialize, Deserialize)]
struct Record {
    functions: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// The objects are for code in one range of addresses.
    in_range: bool,
    /// The keys of the objects.
    objects: Vec<String>,
}

/// A diagnostic, as it is stored.
#[derive(Serialize, Deserialize)]
struct Diagnostic {
    severity: u8,
    place: Option<Position>,
    name: Option<String>,
    places: Vec<Position>,
    message: String,
    notes: Vec<Diagnostic>,
}

/// The file, the line and the column of a place.
type Position = (String, usize, usize);

const SEVERITIES: [Severity; 4] = [
    Severity::Error,
    Severity::Warning,
    Severity::Remark,
    Severity::Note,
];

impl<'k> CachedProgram<'k> {
    /// Returns the place of what [`Program::compile`] and [`Jit::with_cache`] make of a program
    /// that is linked with no files; `None` if tfx has no build ID, or for shape functions of
    /// TensorFlow, of which another version may be installed later.
    pub fn of_run(
        cache: &'k Cache,
        program: &Program<'_>,
        entry: Option<&str>,
        level: OptimizationLevel,
    ) -> Option<Self> {
        let passes = pipelines::compile(program.options(), entry.unwrap_or_default());
        Self::new(cache, program, &passes, std::iter::empty(), level)
    }

    /// Returns the place of a program that some passes compile, and that calls `functions` of this
    /// process.
    pub(crate) fn new<'n>(
        cache: &'k Cache,
        program: &Program<'_>,
        passes: &str,
        functions: impl Iterator<Item = &'n str>,
        level: OptimizationLevel,
    ) -> Option<Self> {
        if program.options().extract.shapes.shapes != Shapes::Builtin {
            return None;
        }
        let build = buildid::build_id()?;
        let target = ffi::describe_host(true).ok()?;
        let places = OperationPrintingFlags::new().enable_debug_info(true, false);
        let source = program.module().as_operation();
        let text = source.to_string_with_flags(places).ok()?;
        let functions: Vec<_> = functions.collect();
        let key = Key::new(&[
            b"program",
            build,
            target.as_bytes(),
            &level.0.to_le_bytes(),
            passes.as_bytes(),
            functions.join("\n").as_bytes(),
            text.as_bytes(),
        ]);
        Some(CachedProgram { cache, key })
    }

    /// Returns the program, if all of it is there.
    ///
    /// # Errors
    /// Code in memory is not possible.
    pub fn find(&self) -> Result<Option<FoundProgram>, Error> {
        let found = || -> Option<(Record, Vec<_>)> {
            let record: Record = serde_json::from_slice(&self.cache.get(self.key)?).ok()?;
            let objects = record.objects.iter();
            let objects = objects.map(|text| self.cache.get(text.parse().ok()?));
            let objects = objects.collect::<Option<_>>()?;
            Some((record, objects))
        };
        let Some((record, objects)) = found() else {
            return Ok(None);
        };
        progress::enter(Stage::CodeGeneration);
        let engine = ffi::Engine::new(&[])?;
        if engine.is_in_range() != record.in_range {
            return Ok(None);
        }
        Ok(Some(FoundProgram {
            jit: Jit::of_objects(engine, objects)?,
            diagnostics: record.diagnostics.iter().map(Collected::from).collect(),
            functions: record.functions,
        }))
    }

    /// Adds the program, whose code is in the cache.
    pub fn add(&self, compiled: &Compiled<'_>, jit: &Jit) {
        let keys = jit.keys.iter().map(|key| Some((*key)?.to_string()));
        let Some(objects) = keys.collect::<Option<_>>() else {
            return;
        };
        let record = Record {
            functions: compiled.callable(),
            diagnostics: compiled
                .diagnostics()
                .iter()
                .map(Diagnostic::from)
                .collect(),
            in_range: jit.engine.is_in_range(),
            objects,
        };
        if let Ok(text) = serde_json::to_vec(&record) {
            self.cache.add([(self.key, &text[..])]);
        }
    }
}

impl From<&Collected> for Diagnostic {
    fn from(of: &Collected) -> Self {
        let position = |place: &Place| (place.file.clone(), place.line, place.column);
        let severity = SEVERITIES.iter().position(|it| *it == of.severity);
        Diagnostic {
            severity: severity.unwrap_or_default() as u8,
            place: of.place.as_ref().map(position),
            name: of.name.clone(),
            places: of.places.iter().map(position).collect(),
            message: of.message.clone(),
            notes: of.notes.iter().map(Diagnostic::from).collect(),
        }
    }
}

impl From<&Diagnostic> for Collected {
    fn from(of: &Diagnostic) -> Self {
        let place = |(file, line, column): &Position| Place {
            file: file.clone(),
            line: *line,
            column: *column,
        };
        Collected {
            severity: SEVERITIES[usize::from(of.severity) % SEVERITIES.len()],
            place: of.place.as_ref().map(place),
            name: of.name.clone(),
            places: of.places.iter().map(place).collect(),
            message: of.message.clone(),
            notes: of.notes.iter().map(Collected::from).collect(),
        }
    }
}
