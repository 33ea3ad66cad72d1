//! Checks that LLVM and MLIR 22 are installed, before build scripts of libraries need them.

#[path = "src/llvm.rs"]
#[allow(dead_code, unreachable_pub)] // The library uses all of it.
mod llvm;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/llvm.rs");
    if let Err(error) = llvm::Llvm::find() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}
