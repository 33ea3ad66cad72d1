//! Execution of compiled code in a separate process, which isolates crashes.
//!
//! ```text
//!   compile in memory ──fork──> child: redirect output into files, run, print the results, exit
//!          └── waits, and reads the files
//! ```

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use melior::ir::Module;
use tempfile::TempDir;
use tfx::codegen::{BuildFolder, Jit, OptimizationLevel};
use tfx::runtime::entry::Entry;
use tfx::runtime::{ExecutorKind, format, program, queue};
use tfx_interpreter::Tensor;

use crate::ffi::process::{self, Ending};
use crate::runs::{DIVIDED, is_division};
use crate::world;

/// A multiple of the time of any program on a loaded machine; a program that exceeds it hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Executes compiled programs.
#[derive(Debug)]
pub struct Runner {
    folder: TempDir,
    libraries: Vec<PathBuf>,
    pub(crate) executor: ExecutorKind,
    pub(crate) level: OptimizationLevel,
    _build_folder: BuildFolder,
}

impl Runner {
    /// Compiles the foreign functions. Programs are not optimized: that would test LLVM, and take
    /// most of the time.
    ///
    /// # Errors
    /// There is no C compiler, or temporary files cannot be written.
    pub fn new(executor: ExecutorKind) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let source = folder.path().join("world.c");
        fs::write(&source, world::SOURCE)?;
        let build_folder = BuildFolder::new()?;
        Ok(Runner {
            libraries: build_folder.shared_libraries(&[source])?,
            folder,
            executor,
            level: OptimizationLevel::new(0).unwrap_or_default(),
            _build_folder: build_folder,
        })
    }

    /// Returns the output and the end of a program in the LLVM dialect, line by line, for each list
    /// of arguments.
    ///
    /// # Errors
    /// A call is killed by a signal, or does not terminate.
    pub fn run(&self, module: &Module<'_>, calls: &[Vec<Tensor>]) -> Result<Vec<Vec<String>>> {
        let jit = Jit::new(module, &self.libraries, self.level)?;
        let entry = jit.entry()?;
        calls
            .iter()
            .map(|arguments| self.call(&entry, arguments))
            .collect()
    }

    fn call(&self, entry: &Entry<'_>, arguments: &[Tensor]) -> Result<Vec<String>> {
        let (code, output, errors) = self.in_child(|| self.child(entry, arguments))?;
        let mut lines: Vec<_> = output.lines().map(str::to_owned).collect();
        if code != 0 {
            lines.push(ended(&errors));
        }
        Ok(lines)
    }

    /// Runs a function in a child process, and returns its exit code, its output and its errors.
    ///
    /// # Errors
    /// The child is killed by a signal, or does not terminate.
    pub(crate) fn in_child(&self, work: impl FnOnce() -> i32) -> Result<(i32, String, String)> {
        let (output, errors) = (
            self.folder.path().join("out"),
            self.folder.path().join("err"),
        );
        let ending =
            process::run(&output, &errors, TIMEOUT, work).context("cannot start a process")?;
        let read = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (output, errors) = (
            read(&output).unwrap_or_default(),
            read(&errors).unwrap_or_default(),
        );
        match ending {
            Ending::Exit(code) => Ok((code, output, errors)),
            Ending::Signal(signal) => Err(anyhow!(
                "it is killed by signal {signal}: {}",
                errors.trim()
            )),
            Ending::Late => Err(anyhow!("it does not terminate within {TIMEOUT:?}")),
        }
    }

    /// Runs in the child, and returns its exit code.
    fn child(&self, entry: &Entry<'_>, arguments: &[Tensor]) -> i32 {
        program::set_executor(self.executor);
        match (entry.call)(arguments.to_vec()) {
            Ok(results) => {
                let texts: Vec<_> = results.iter().map(format::tensor).collect();
                println!("returned {}", texts.join(", "));
                drop(results);
                if let Some(left) = left() {
                    println!("{left}");
                }
                i32::from(std::io::stdout().flush().is_err())
            }
            Err(failure) => {
                eprintln!("{failure}");
                1
            }
        }
    }
}

/// Returns the resources that a program has not released when it returns, if there are any.
pub(crate) fn left() -> Option<String> {
    let (boxes, tensors) = (process::tfx_boxes_alive(), process::tfx_tensors_alive());
    // A prefetch thread that failed unnoticed keeps its values.
    (boxes + tensors > 0 && queue::parked_threads() == 0)
        .then(|| format!("{boxes} boxes and {tensors} tensors are not released at the return"))
}

/// Returns the end of a program that reported an error: `file:line:col: error: message`.
pub(crate) fn ended(errors: &str) -> String {
    let message = errors.lines().find_map(|line| line.split_once("error: "));
    match message {
        Some((_, message)) if is_division(message) => DIVIDED.to_owned(),
        Some((_, message)) => format!("aborted: {message}"),
        None => format!("failed without a message: {errors}"),
    }
}
