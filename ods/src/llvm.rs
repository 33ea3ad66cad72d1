//! The installation of LLVM and MLIR 22 that build scripts use.
//!
//! ```text
//!   $MLIR_SYS_220_PREFIX/bin/llvm-config ──┐
//!                                          ├──► version 22? ──► prefix, headers
//!   llvm-config on the PATH ───────────────┘
//! ```
//!
//! `mlir-sys` searches in the same way, so headers and libraries match. Its error does not say what
//! to do; the build script of this crate runs before, and does.

use std::path::PathBuf;
use std::process::Command;
use std::{env, io};

/// The major version of LLVM for which tfx is written. The C++ interface of MLIR changes with it.
const MAJOR: &str = "22";
/// The variable with which `mlir-sys` is told the prefix.
const PREFIX: &str = "MLIR_SYS_220_PREFIX";

/// An installation of LLVM and MLIR.
#[derive(Debug)]
pub struct Llvm {
    /// Its prefix, with `bin`.
    pub prefix: PathBuf,
    /// The folder of its headers, with `mlir`.
    pub include: PathBuf,
}

impl Llvm {
    /// Returns the installation that the environment names, or that is found on the PATH. Cargo
    /// runs the build script again when the variable changes.
    ///
    /// # Errors
    ///
    /// There is none of version 22, or it has no headers of MLIR.
    pub fn find() -> Result<Llvm, io::Error> {
        println!("cargo:rerun-if-env-changed={PREFIX}");
        let config = match env::var_os(PREFIX) {
            Some(prefix) => PathBuf::from(prefix).join("bin/llvm-config"),
            None => PathBuf::from("llvm-config"),
        };
        let version = query(&config, "--version").map_err(|error| missing(&error.to_string()))?;
        if version.split('.').next() != Some(MAJOR) {
            let config = config.display();
            return Err(missing(&format!("'{config}' is of LLVM {version}")));
        }
        let include = PathBuf::from(query(&config, "--includedir")?);
        if !include.join("mlir").is_dir() {
            let config = config.display();
            return Err(missing(&format!(
                "the LLVM of '{config}' has no headers of MLIR"
            )));
        }
        let prefix = PathBuf::from(query(&config, "--prefix")?);
        Ok(Llvm { prefix, include })
    }
}

/// Returns the error for a reason, with what to do.
fn missing(reason: &str) -> io::Error {
    // Debian's name, which mlir-sys does not know.
    let advice = match query(&PathBuf::from(format!("llvm-config-{MAJOR}")), "--prefix") {
        Ok(prefix) => format!(
            "LLVM {MAJOR} is in {prefix}: put {prefix}/bin first on the PATH, or set {PREFIX} and \
             TABLEGEN_220_PREFIX to {prefix}"
        ),
        Err(_) => format!(
            "on Debian 12, install libmlir-22-dev, mlir-22-tools, llvm-22-dev, llvm-22-tools, \
             libclang-22-dev and libpolly-22-dev, and put /usr/lib/llvm-22/bin first on the PATH; or \
             set {PREFIX} and TABLEGEN_220_PREFIX to the prefix of another installation"
        ),
    };
    io::Error::other(format!(
        "tfx needs LLVM and MLIR {MAJOR}, but {reason}; {advice}"
    ))
}

/// Runs `llvm-config` with one option.
fn query(config: &PathBuf, option: &str) -> Result<String, io::Error> {
    let failed = |reason: &dyn std::fmt::Display| {
        io::Error::other(format!("'{}' does not run ({reason})", config.display()))
    };
    let output = Command::new(config)
        .arg(option)
        .output()
        .map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&output.status));
    }
    let text = String::from_utf8(output.stdout).map_err(|error| failed(&error))?;
    Ok(text.trim().to_owned())
}
