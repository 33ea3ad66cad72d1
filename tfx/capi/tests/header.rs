//! `include/tfx-c.h` is up to date, and C and C++ compilers accept both headers.

use std::path::Path;
use std::process::{Command, Stdio};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_header_is_up_to_date() {
    let config = cbindgen::Config::from_root_or_default(FOLDER);
    let source = Path::new(FOLDER).join("src/ffi/mod.rs");
    let builder = cbindgen::Builder::new()
        .with_config(config)
        .with_src(source);
    let mut text = Vec::new();
    builder
        .generate()
        .expect("the sources are read")
        .write(&mut text);
    let text = String::from_utf8(text).expect("a header is text");
    let path = Path::new(FOLDER).join("include/tfx-c.h");
    if std::env::var_os("TFX_UPDATE_HEADER").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let header = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        header == text,
        "{} is out of date: run this test with TFX_UPDATE_HEADER=1",
        path.display()
    );
}

#[test]
fn c_and_c_plus_plus_accept_the_header() {
    for (compiler, language, standard) in [("cc", "c", "-std=c11"), ("c++", "c++", "-std=c++17")] {
        let output = Command::new(compiler)
            .args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror"])
            .args([standard, "-x", language, "-include", "tfx-c.h", "-"])
            .args(["-Iinclude", "-I../../runtime/include"])
            .stdin(Stdio::null())
            .current_dir(FOLDER)
            .output()
            .expect("the compiler runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
