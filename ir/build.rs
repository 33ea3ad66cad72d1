//! Compiles the C++ half of the bridge against the MLIR that `mlir-sys` links.

use std::env;
use std::process::Command;

/// The C++ files of the bridge, each the counterpart of one Rust module.
const SOURCES: [&str; 4] = ["cpp/pass.cpp", "cpp/diag.cpp", "cpp/ir.cpp", "cpp/opt.cpp"];

fn main() {
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo:rerun-if-changed=cpp");

    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-fno-rtti")
        // LLVM's headers change the layout of classes with NDEBUG; Debian's libraries were built with it.
        .define("NDEBUG", None)
        .flag_if_supported("-Wno-unused-parameter")
        .include(llvm_include_dir())
        .include("cpp")
        .files(SOURCES);
    build.compile("tfx_ir_bridge");
}

/// Asks the `llvm-config` that `mlir-sys` uses, so that headers and libraries are of one LLVM.
fn llvm_include_dir() -> String {
    let config = match env::var("MLIR_SYS_220_PREFIX") {
        Ok(prefix) => format!("{prefix}/bin/llvm-config"),
        Err(_) => "llvm-config-22".to_owned(),
    };
    let output = Command::new(&config)
        .arg("--includedir")
        .output()
        .unwrap_or_else(|error| {
            panic!("cannot run {config}: {error}; install llvm-22-dev or set MLIR_SYS_220_PREFIX")
        });
    assert!(output.status.success(), "{config} --includedir failed");
    String::from_utf8(output.stdout)
        .expect("a path in UTF-8")
        .trim()
        .to_owned()
}
