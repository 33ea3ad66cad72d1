//! Generates typed Rust views of MLIR operations from their ODS definitions.
//!
//! ```text
//!   CommOps.td ──llvm-tblgen --dump-json──► records ──model──► Operation ──emit──► comm.rs
//!                                                              arguments, results,
//!                                                              regions, successors
//! ```
//!
//! A string such as `"tfx_comm.send"` or an index such as `op.operand(1)` still compiles after the
//! definition changes; a use of a view does not. Each operation becomes a `Copy` type over
//! `tfx_ir::Op` with one accessor for each operand, result, region, successor and attribute, under
//! the names of ODS, and one `build` function whose parameters are the required parts in the order
//! of ODS. The operations of a dialect also form an `enum`, for exhaustive `match`.
//!
//! Build scripts call [`generate`] for a dialect and include the file that it writes. The cost is
//! one run of `llvm-tblgen`, 20 to 150 ms a dialect.
//!
//! Not covered: properties without an attribute form, `SameVariadicOperandSize`, and more than one
//! variadic group of results. [`generate`] fails on the last two and leaves out the first.

mod cpp;
mod emit;
mod llvm;
mod model;

pub use cpp::compile_cpp;
pub use llvm::Llvm;
pub use model::Dialect;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Writes the views of `dialect` to `output`.
///
/// `prefix` is the installation prefix of LLVM; `includes` are more folders to search for `.td`
/// files.
///
/// # Errors
///
/// `llvm-tblgen` is missing or fails, a mnemonic in [`Dialect::only`] does not exist, or a
/// definition is outside of what this crate covers.
pub fn generate(
    dialect: &Dialect<'_>,
    prefix: &Path,
    includes: &[PathBuf],
    output: &Path,
) -> io::Result<()> {
    let records = records(dialect, prefix, includes)?;
    let views = model::read(&records, dialect).map_err(io::Error::other)?;
    fs::write(output, emit::emit(&views, dialect))
}

fn records(
    dialect: &Dialect<'_>,
    prefix: &Path,
    includes: &[PathBuf],
) -> io::Result<serde_json::Value> {
    let tblgen = prefix.join("bin/llvm-tblgen");
    let mut command = Command::new(&tblgen);
    command.arg("--dump-json").arg(dialect.definitions);
    command.arg("-I").arg(prefix.join("include"));
    for include in includes {
        command.arg("-I").arg(include);
    }
    let output = command.output().map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot run {}: {error}", tblgen.display()),
        )
    })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{command:?} failed:\n{message}")));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
