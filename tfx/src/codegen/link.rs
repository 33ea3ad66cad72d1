//! Linking of foreign functions and of executables.
//!
//! ```text
//!   tfx.link = ["host/f.c", "g.o", "libh.a", "libi.so"]      --link libj.so
//!                    │                                             │
//!     run:    cc -shared  ───────────────> a shared library, loaded along with the JIT's code
//!     build:  cc -c ──────> program.o + f.o + g.o + libh.a + libi.so + runtime ──cc──> executable
//! ```
//!
//! The C compiler is `$CC`, perhaps with arguments, or `cc`. It runs in the folder of the source,
//! so that relative names in a source refer to that folder. Intermediate files are in a temporary
//! folder. An executable is created there and then moved to its destination, so that it is never
//! incomplete.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use tfx_runtime::failure;

use crate::error::{Error, ErrorKind};
use crate::files::TemporaryFolder;
use crate::files::install;
use crate::program::{Foreign, not_linked};
use crate::progress::{self, Stage};

/// The header of the runtime, for foreign functions in C.
const RUNTIME_HEADER: &str = include_str!("../../../runtime/include/tfx_runtime.h");

/// The file names of the runtime's libraries, as cargo and an installation name them.
const STATIC_RUNTIME: &str = "libtfx_runtime.a";
const SHARED_RUNTIME: &str = "libtfx_runtime.so";

/// The system libraries that the runtime's static library needs.
const SYSTEM_LIBRARIES: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

/// The `main` function of an executable, which calls the runtime.
const MAIN: &str = "#include \"tfx_runtime.h\"\n\
    const TfxEntry *tfx_entry(void);\n\
    int main(int argc, char **argv) { return tfx_main(argc, argv, tfx_entry()); }\n";

/// The kind of a linked file, by its extension.
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
            _ => Err(cannot_link(
                path,
                "a foreign function comes from a .c, .o, .a or .so file",
            )),
        }
    }
}

/// The way an executable is linked with the runtime.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum RuntimeLinkage {
    /// In the executable, which then needs no other file.
    #[default]
    Static,
    /// In a shared library, which the executable loads from its current path.
    Shared,
}

/// Options for linking an executable.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Linking {
    /// The location of the runtime.
    pub runtime: RuntimeLinkage,
    /// Keeps debug information of the program, of foreign functions, and of the runtime.
    pub debug: bool,
    /// Links AddressSanitizer's runtime, which code with its checks needs.
    pub sanitize: bool,
}

/// A temporary folder for intermediate files, which contains the header of the runtime.
#[derive(Debug)]
pub struct BuildFolder {
    folder: TemporaryFolder,
}

impl BuildFolder {
    /// Creates a new folder, which is deleted on drop, and if the process exits before.
    ///
    /// # Errors
    /// The system's temporary folder cannot be written.
    pub fn new() -> Result<Self, Error> {
        let folder = TemporaryFolder::new()?;
        write(&folder.path().join("tfx_runtime.h"), RUNTIME_HEADER)?;
        Ok(Self { folder })
    }

    /// Returns the path of an intermediate file.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the shared libraries among `files`, and one shared library of all other files, for
    /// code that is compiled in memory. The latter is the last one, because it may use the others.
    ///
    /// # Errors
    /// A file does not exist or has an unknown extension; the C compiler fails, with its output.
    pub fn shared_libraries(&self, files: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        let (shared, parts) = self.objects(files, false)?;
        let mut libraries: Vec<_> = shared.iter().map(|part| part.object.clone()).collect();
        if !parts.is_empty() {
            let library = self.path("foreign.so");
            let mut command = compiler();
            // Nothing refers to an archive yet, so all of it is linked.
            command.args(["-shared", "-Wl,--whole-archive"]);
            command
                .args(parts.iter().map(|part| &part.object))
                .arg("-Wl,--no-whole-archive");
            // The linker lists the files that define these names.
            let reserved = reserved().into_iter();
            command.args(reserved.map(|name| format!("-Wl,--trace-symbol={name}")));
            let words = run(command.arg("-o").arg(&library).arg("-lm"), &names(&parts))?;
            check_reserved(&words, ": definition of ", &parts)?;
            libraries.push(library);
        }
        Ok(libraries)
    }

    /// Returns the same as [`BuildFolder::shared_libraries`], and deletes the folder: the libraries
    /// in it exist as long as the result, whatever ends the process.
    ///
    /// # Errors
    /// Those of [`BuildFolder::shared_libraries`]; a library that cannot be opened.
    pub fn into_libraries(self, files: &[PathBuf]) -> Result<Libraries, Error> {
        let mut libraries = Libraries::default();
        for path in self.shared_libraries(files)? {
            if !path.starts_with(self.folder.path()) {
                libraries.paths.push(path);
                continue;
            }
            let file = fs::File::open(&path).map_err(|error| Error::file("read", &path, &error))?;
            let number = file.as_raw_fd();
            libraries
                .paths
                .push(format!("/proc/self/fd/{number}").into());
            libraries.files.push(file);
        }
        Ok(libraries)
    }

    /// Returns the inputs of the linker for `files`, without duplicates: the shared libraries, and
    /// all other files with sources compiled.
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
    /// Those of [`BuildFolder::shared_libraries`]; a function in `foreign` that no file defines, at
    /// its source location; a runtime library that does not exist; an output that cannot be
    /// written.
    pub fn executable(
        &self,
        object: &Path,
        files: &[PathBuf],
        foreign: &[Foreign],
        output: &Path,
        linking: Linking,
    ) -> Result<(), Error> {
        progress::enter(Stage::Linking);
        let main = self.path("main.c");
        write(&main, MAIN)?;
        let (shared, parts) = self.objects(files, linking.debug)?;
        let runtime = runtime_library(linking.runtime)?;
        let linked = self.path("program");
        let mut command = compiler();
        command
            .arg(object)
            .arg(self.compile(&main, files.len(), false)?);
        command.args(parts.iter().chain(&shared).map(|part| &part.object));
        // A shared library is loaded from its current path.
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
        if linking.sanitize {
            command.arg("-fsanitize=address");
        }
        if !linking.debug {
            command.arg("-Wl,--strip-debug");
        }
        command.args(SYSTEM_LIBRARIES);
        let about = output.display().to_string();
        run(command.arg("-o").arg(&linked), &about)
            .map_err(|error| explain(error, foreign, &parts))?;
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

    /// Returns a command of the C compiler, in the folder of a source and with the runtime's header
    /// in its include path.
    fn compiler(&self, source: &Path) -> Command {
        let mut command = compiler();
        command.arg("-I").arg(self.folder.path());
        if let Some(folder) = source.parent() {
            command.current_dir(folder);
        }
        command
    }
}

/// Shared libraries that may have no name in the file system.
#[derive(Debug, Default)]
pub struct Libraries {
    paths: Vec<PathBuf>,
    /// Open files: a path may refer to one of them.
    files: Vec<fs::File>,
}

impl Libraries {
    /// Returns the paths, by which this process can load the libraries.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

/// A linked file.
#[derive(Debug)]
struct Part {
    /// The name that the user gave.
    name: PathBuf,
    kind: Kind,
    /// The input of the linker.
    object: PathBuf,
}

/// Returns the names of files as the user gave them.
fn names(parts: &[Part]) -> String {
    let names: Vec<_> = parts
        .iter()
        .map(|part| part.name.display().to_string())
        .collect();
    names.join("', '")
}

/// Returns the names in C that the runtime and each compiled program define.
fn reserved() -> Vec<&'static str> {
    let functions = tfx_runtime::ffi::symbols();
    let names = functions.into_iter().map(|(name, _)| name);
    names.chain(["tfx_entry"]).collect()
}

/// Returns an error if the linker reports that a file of foreign functions defines a name of the
/// runtime. `verb` is what the linker writes before the name.
fn check_reserved(words: &str, verb: &str, parts: &[Part]) -> Result<(), Error> {
    for line in words.lines() {
        let Some((_, rest)) = line.split_once(verb) else {
            continue;
        };
        let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
        let name = &rest[..end.unwrap_or(rest.len())];
        let advice = match name {
            "main" => "which each executable has; give it another name",
            _ if reserved().contains(&name) => {
                "which is a function of the runtime; give it another name, without tfx_ at the beginning"
            }
            _ => continue,
        };
        // The file is in the same line, or in an earlier one, with the function.
        let named_in = |text: &str| {
            let is_named = |part: &&Part| text.contains(&part.object.display().to_string());
            parts.iter().find(is_named)
        };
        let file = match named_in(line).or_else(|| named_in(words)) {
            Some(part) => format!("'{}'", part.name.display()),
            None => "a foreign function".to_owned(),
        };
        let message = format!("cannot link {file}: it defines '{name}', {advice}");
        return Err(Error::new(ErrorKind::Link, message));
    }
    Ok(())
}

/// Converts the linker's error about an undefined function to an error at its declaration, and one
/// about a function of the runtime to an error that names it.
fn explain(error: Error, foreign: &[Foreign], parts: &[Part]) -> Error {
    let words = error.to_string();
    if let Err(reserved) = check_reserved(&words, "multiple definition of `", parts) {
        return reserved;
    }
    let is_missing = |function: &&Foreign| {
        words.contains(&format!("undefined reference to `{}'", function.name))
    };
    foreign.iter().find(is_missing).map_or(error, not_linked)
}

/// Returns a command of the C compiler: `$CC`, which may have arguments, as in `clang -m64`, or
/// `cc`.
fn compiler() -> Command {
    let named = env::var_os("CC").filter(|named| !named.is_empty());
    let named = named.unwrap_or_else(|| "cc".into());
    let words = named.to_str().filter(|_| !Path::new(&named).is_file());
    let mut words = words.into_iter().flat_map(str::split_whitespace);
    let Some(program) = words.next() else {
        return Command::new(named);
    };
    let mut command = Command::new(program);
    command.args(words);
    command
}

/// Runs the C compiler, and returns its messages. The error contains them.
fn run(command: &mut Command, about: &str) -> Result<String, Error> {
    // `explain` parses the output of the linker.
    let output = command.env("LC_ALL", "C").output().map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        let reason = failure::reason(&error);
        let advice = "install gcc, or set CC";
        let message = format!("cannot run the C compiler '{program}': {reason}; {advice}");
        Error::new(ErrorKind::Tool, message)
    })?;
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(words.into_owned() + &String::from_utf8_lossy(&output.stdout));
    }
    let message = format!("cannot compile or link '{about}':\n{}", words.trim_end());
    Err(Error::new(ErrorKind::Tool, message))
}

/// Returns the absolute path of a file that must exist.
fn existing(file: &Path) -> Result<PathBuf, Error> {
    let failed = |error: io::Error| cannot_link(file, &failure::reason(&error));
    let path = fs::canonicalize(file).map_err(failed)?;
    if path.is_dir() {
        Err(failed(io::ErrorKind::IsADirectory.into()))
    } else {
        Ok(path)
    }
}

fn cannot_link(file: &Path, reason: &str) -> Error {
    let message = format!("cannot link '{}': {reason}", file.display());
    Error::new(ErrorKind::Link, message)
}

/// Returns the runtime's library: `$TFX_RUNTIME_LIBRARY`, or a file next to this program, or in
/// `lib` of the installation. The loader finds a shared one by the folder of its absolute path.
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
            let message = format!(
                "the runtime's library {name} is not next to this program; set TFX_RUNTIME_LIBRARY to its path"
            );
            Error::new(ErrorKind::Link, message)
        })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error::file("write", path, &error))
}
