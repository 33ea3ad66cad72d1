//! Foreign functions in shared libraries call the runtime that is inside of this program, so the program exports it.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol=tfx_*");
}
