//! Compiles the C++ layer over LLVM's code generator.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // The LLVM that the build script of tfx-dialects has found.
    let include = env::var_os("DEP_TFX_DIALECTS_LLVM").expect("tfx-dialects names the headers");
    let include = PathBuf::from(include);
    println!("cargo:rerun-if-changed=cpp");
    println!(
        "cargo:rustc-env=TFX_LLVM_VERSION={}",
        llvm_version(&include)
    );
    println!("cargo:rustc-env=TFX_CODEGEN={:016x}", digest_of_sources());
    tfx_ods::compile_cpp("tfx_codegen", &include, |build| {
        build.opt_level(2);
        build.file("cpp/codegen.cpp").file("cpp/jit.cpp");
    });
}

/// Returns a digest of the C++ layer, on which compiled code depends.
fn digest_of_sources() -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in ["target.h", "jit.cpp"] {
        let path = Path::new("cpp").join(name);
        let text = fs::read(&path).expect("the sources of the crate are complete");
        text.hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns LLVM's version from its headers, such as 22.1.8.
fn llvm_version(include: &Path) -> String {
    let header = include.join("llvm/Config/llvm-config.h");
    let text = fs::read_to_string(&header).expect("LLVM's headers are installed");
    let mut definitions = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define LLVM_VERSION_STRING "));
    let version = definitions.next().expect("LLVM's headers have a version");
    version.trim_matches('"').to_owned()
}
