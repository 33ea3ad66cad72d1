//! The C++ of crates over MLIR.

use std::path::Path;

use cc::Build;

/// Compiles C++ against the headers of LLVM in `include`, and links it as library `name`.
/// `configure` adds the files and other options.
///
/// Under Clippy, which links nothing, nothing is compiled: Cargo runs build scripts for it again.
pub fn compile_cpp(name: &str, include: &Path, configure: impl FnOnce(&mut Build)) {
    println!("cargo:rerun-if-env-changed={WRAPPER}");
    let wrapper = std::env::var_os(WRAPPER).unwrap_or_default();
    if wrapper.to_string_lossy().contains("clippy-driver") {
        return;
    }
    let mut build = Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        // LLVM's headers change the layout of classes with NDEBUG; Debian's libraries were built
        // with it.
        .define("NDEBUG", None)
        // Debug information of MLIR's headers takes a third of the time, and most of the size.
        .debug(false)
        .flag_if_supported("-Wno-unused-parameter")
        .flag("-isystem")
        .flag(include.to_str().expect("LLVM's prefix is UTF-8"));
    configure(&mut build);
    build.compile(name);
}

/// The variable by which Cargo names the program that wraps the compiler of the workspace.
const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";
