//! Foreign host functions and executables: what a program needs besides its own code.
//!
//! ```text
//!   tfx.link = ["host/f.c", "g.o", "libh.a", "libi.so"]      --link libj.so
//!                    │                                             │
//!     run:    cc -shared  ──────────────> one shared library per file, loaded beside the JIT's code
//!     build:  cc -c ──────> program.o + f.o + g.o + libh.a + libi.so + libtfx_runtime.a (or .so) ──cc──> executable
//! ```
//!
//! The C compiler is `$CC`, or `cc`. It runs in the folder of the source, so that a source may name data beside it. Everything
//! intermediate lies in a temporary folder; an executable is made there too and then moved into place, so none is ever half written.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tempfile::TempDir;

use tfx_runtime::failure;

use crate::compiler::{Foreign, not_linked};
use crate::error::Error;
use crate::files::install;

/// The runtime's header, for foreign functions in C.
const RUNTIME_HEADER: &str = include_str!("../../runtime/include/tfx_runtime.h");

/// The names under which cargo and an installation keep the runtime's libraries.
const STATIC_RUNTIME: &str = "libtfx_runtime.a";
const SHARED_RUNTIME: &str = "libtfx_runtime.so";

/// The libraries of the system that the runtime's static library itself needs.
const SYSTEM_LIBRARIES: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

/// `main` of an executable: the runtime does the rest.
const MAIN: &str = "#include \"tfx_runtime.h\"\n\
    const TfxEntry *tfx_entry(void);\n\
    int main(int argc, char **argv) { return tfx_main(argc, argv, tfx_entry()); }\n";

/// What a linked file is, by its extension.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Source,
    Object,
    Archive,
    Shared,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, Error> {
        match path.extension().and_then(OsStr::to_str) {
            Some("c") => Ok(Self::Source),
            Some("o") => Ok(Self::Object),
            Some("a") => Ok(Self::Archive),
            Some("so") => Ok(Self::Shared),
            _ => Err(Error::new(format!(
                "cannot link '{}': a foreign function comes from a .c, .o, .a or .so file",
                path.display()
            ))),
        }
    }
}

/// Where an executable has the runtime.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum RuntimeLinkage {
    /// In itself: it needs nothing else.
    #[default]
    Static,
    /// In a library beside it, which several share. It is found again where it is now.
    Shared,
}

/// How an executable is linked.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Linking {
    /// Where the runtime is.
    pub runtime: RuntimeLinkage,
    /// Whether to keep debug information: the program's own, that of foreign functions, and the runtime's.
    pub debug: bool,
}

/// A place for intermediate files, with the runtime's header in it.
#[derive(Debug)]
pub struct Workshop {
    folder: TempDir,
}

impl Workshop {
    /// A new, empty one. It vanishes when it is dropped.
    ///
    /// # Errors
    /// When the system's temporary folder cannot be written.
    pub fn new() -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("tfx-")
            .tempdir()
            .map_err(|error| Error::new(format!("cannot make a temporary folder: {error}")))?;
        write(&folder.path().join("tfx_runtime.h"), RUNTIME_HEADER)?;
        Ok(Self { folder })
    }

    /// The path of an intermediate file.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The shared libraries among `files`, and one of all the others, for code that is compiled in memory. It comes last, as it may
    /// use the others.
    ///
    /// # Errors
    /// A file that is not there or of no known kind; what the C compiler said.
    pub fn shared_libraries(&self, files: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        let (shared, parts) = self.objects(files, false)?;
        let mut libraries: Vec<_> = shared.iter().map(|part| part.object.clone()).collect();
        if !parts.is_empty() {
            let library = self.path("foreign.so");
            let mut command = Command::new(compiler());
            // Nothing refers to an archive yet, so all of it goes in.
            command.args(["-shared", "-Wl,--whole-archive"]);
            command
                .args(parts.iter().map(|part| &part.object))
                .arg("-Wl,--no-whole-archive");
            run(command.arg("-o").arg(&library).arg("-lm"), &names(&parts))?;
            libraries.push(library);
        }
        Ok(libraries)
    }

    /// What the linker takes for `files`, each of which counts once: the shared libraries, and all else with sources compiled.
    fn objects(&self, files: &[PathBuf], debug: bool) -> Result<(Vec<Part>, Vec<Part>), Error> {
        let mut seen = BTreeSet::new();
        let mut parts = Vec::new();
        for (index, name) in files.iter().enumerate() {
            let (file, kind) = (existing(name)?, Kind::of(name)?);
            if !seen.insert(file.clone()) {
                continue;
            }
            let object = if kind == Kind::Source {
                self.compile(&file, index, debug)?
            } else {
                file
            };
            parts.push(Part {
                name: name.clone(),
                kind,
                object,
            });
        }
        Ok(parts
            .into_iter()
            .partition(|part| part.kind == Kind::Shared))
    }

    /// Links `object`, the program's code, with `files` and the runtime into an executable.
    ///
    /// # Errors
    /// As [`Workshop::shared_libraries`]; a function of `foreign` that no file defines, at its place; a runtime library that is not there;
    /// an output that cannot be written.
    pub fn executable(
        &self,
        object: &Path,
        files: &[PathBuf],
        foreign: &[Foreign],
        output: &Path,
        linking: Linking,
    ) -> Result<(), Error> {
        let main = self.path("main.c");
        write(&main, MAIN)?;
        let (shared, parts) = self.objects(files, linking.debug)?;
        let runtime = runtime_library(linking.runtime)?;
        let linked = self.path("program");
        let mut command = Command::new(compiler());
        command
            .arg(object)
            .arg(self.compile(&main, files.len(), false)?);
        command.args(parts.iter().chain(&shared).map(|part| &part.object));
        // A shared library is found again where it is now.
        let loaded = shared.iter().map(|part| part.object.as_path());
        let is_shared = linking.runtime == RuntimeLinkage::Shared;
        for folder in loaded
            .chain(is_shared.then_some(runtime.as_path()))
            .filter_map(Path::parent)
        {
            command
                .arg("-Xlinker")
                .arg("-rpath")
                .arg("-Xlinker")
                .arg(folder);
        }
        command.arg(runtime).arg("-Wl,--gc-sections");
        if !linking.debug {
            command.arg("-Wl,--strip-debug");
        }
        command.args(SYSTEM_LIBRARIES);
        let about = output.display().to_string();
        run(command.arg("-o").arg(&linked), &about).map_err(|error| explain(error, foreign))?;
        install(&linked, output)
    }

    /// Compiles a C source to an object file.
    fn compile(&self, source: &Path, number: usize, debug: bool) -> Result<PathBuf, Error> {
        let object = self.path(format!("foreign{number}.o"));
        let mut command = self.compiler(source);
        if debug {
            command.arg("-g");
        }
        run(
            command
                .args(["-c", "-fPIC", "-O2"])
                .arg(source)
                .arg("-o")
                .arg(&object),
            &source.display().to_string(),
        )?;
        Ok(object)
    }

    /// The C compiler, in the folder of a source and with the runtime's header at hand.
    fn compiler(&self, source: &Path) -> Command {
        let mut command = Command::new(compiler());
        command.arg("-I").arg(self.folder.path());
        if let Some(folder) = source.parent() {
            command.current_dir(folder);
        }
        command
    }
}

/// A linked file.
#[derive(Debug)]
struct Part {
    /// As the user calls it.
    name: PathBuf,
    kind: Kind,
    /// What the linker takes.
    object: PathBuf,
}

/// What the user calls some files.
fn names(parts: &[Part]) -> String {
    let names: Vec<_> = parts
        .iter()
        .map(|part| part.name.display().to_string())
        .collect();
    names.join("', '")
}

/// The linker's complaint of a missing function as an error at its declaration.
fn explain(error: Error, foreign: &[Foreign]) -> Error {
    let words = error.to_string();
    let is_missing = |function: &&Foreign| {
        words.contains(&format!("undefined reference to `{}'", function.name))
    };
    foreign.iter().find(is_missing).map_or(error, not_linked)
}

fn compiler() -> std::ffi::OsString {
    env::var_os("CC").unwrap_or_else(|| "cc".into())
}

/// Runs the C compiler; its own words are the error.
fn run(command: &mut Command, about: &str) -> Result<(), Error> {
    // `explain` reads the linker's words.
    let output = command.env("LC_ALL", "C").output().map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        let reason = failure::reason(&error);
        Error::new(format!(
            "cannot run the C compiler '{program}': {reason}; install gcc, or set CC"
        ))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(Error::new(format!(
        "cannot compile or link '{about}':\n{}",
        words.trim_end()
    )))
}

/// The absolute path of a file that must be there.
fn existing(file: &Path) -> Result<PathBuf, Error> {
    let failed = |reason: &str| Error::new(format!("cannot link '{}': {reason}", file.display()));
    let path = fs::canonicalize(file).map_err(|error| failed(&failure::reason(&error)))?;
    if path.is_dir() {
        Err(failed("it is a folder"))
    } else {
        Ok(path)
    }
}

/// The runtime's library: `$TFX_RUNTIME_LIBRARY`, or beside this program, or in `lib` of where it is installed. One that is shared is found
/// by the loader by its whole path's folder.
fn runtime_library(linkage: RuntimeLinkage) -> Result<PathBuf, Error> {
    let name = match linkage {
        RuntimeLinkage::Static => STATIC_RUNTIME,
        RuntimeLinkage::Shared => SHARED_RUNTIME,
    };
    let named = env::var_os("TFX_RUNTIME_LIBRARY").map(PathBuf::from);
    let beside = env::current_exe().ok().and_then(|program| {
        let folder = program.parent()?.to_owned();
        [
            folder.join(name),
            folder.join("../lib").join(name),
            folder.join("..").join(name),
        ]
        .into_iter()
        .find(|path| path.is_file())
    });
    let found = named.or(beside).filter(|path| path.is_file());
    found
        .and_then(|path| fs::canonicalize(path).ok())
        .ok_or_else(|| {
            Error::new(format!(
                "the runtime's library {name} is not beside this program; set TFX_RUNTIME_LIBRARY to it"
            ))
        })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| {
        Error::new(format!(
            "cannot write '{}': {}",
            path.display(),
            failure::reason(&error)
        ))
    })
}
