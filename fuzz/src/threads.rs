//! Checks that compilation with threads produces the same text at every stage.
//!
//! ```text
//!   one thread ──> text of the last stage ─┐
//!        └── fork ──> child: threads on, all stages, text into a file ──> the same?
//! ```

use std::fs;
use std::io::Write;
use std::time::Duration;

use anyhow::{Result, anyhow};
use melior::Context;
use tfx::{Source, pipelines};
use tfx_ir::module;

use crate::ffi::process::{self, Ending};

/// A multiple of the time of the passes on a loaded machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the text of a program after all stages up to the graphs, compiled with MLIR's default
/// number of threads.
///
/// # Errors
/// A file that cannot be created, a stage that is rejected, a crash.
pub(crate) fn legalized(context: &Context, text: &str) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let (output, errors) = (folder.path().join("out"), folder.path().join("err"));
    let work = || {
        context.enable_multi_threading(true);
        let passes = [
            pipelines::DEABSTRACT,
            pipelines::STRUCTURE,
            pipelines::PARTITION,
            pipelines::PACK,
            pipelines::LEGALIZE,
            pipelines::MERGE_PLACES,
        ];
        let done = Source::new("random.mlir", text)
            .parse(context)
            .and_then(|mut program| program.run(&passes.join(",")).map(|_| program));
        match done {
            Ok(program) => {
                print!("{}", module::as_op(program.module()));
                i32::from(std::io::stdout().flush().is_err())
            }
            Err(error) => {
                eprintln!("{error}");
                1
            }
        }
    };
    let ending = process::run(&output, &errors, TIMEOUT, work);
    match ending? {
        Ending::Exit(0) => Ok(fs::read_to_string(&output)?),
        ending => {
            let errors = fs::read_to_string(&errors).unwrap_or_default();
            Err(anyhow!("with threads, it ends by {ending:?}: {errors}"))
        }
    }
}
