//! Exports the runtime from this executable, because foreign functions in shared libraries call it.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol=tfx_*");
}
