//! Compiles the C++ layer over LLVM's code generator.

use std::env;
use std::path::PathBuf;

fn main() {
    let prefix = PathBuf::from(
        env::var("MLIR_SYS_220_PREFIX")
            .expect("MLIR_SYS_220_PREFIX names the prefix of LLVM 22 (.cargo/config.toml sets it)"),
    );
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo:rerun-if-changed=cpp");
    let include = prefix.join("include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        // LLVM's headers change the layout of classes with NDEBUG; Debian's libraries are built
        // with it.
        .define("NDEBUG", None)
        .flag_if_supported("-Wno-unused-parameter")
        .flag("-isystem")
        .flag(include.to_str().expect("LLVM's prefix is UTF-8"))
        .opt_level(2)
        .file("cpp/codegen.cpp")
        .file("cpp/jit.cpp")
        .compile("tfx_codegen");
}
