//! `include/tfx_runtime.h` is up to date, and C and C++ compilers accept it.

use std::{path::Path, process::Command};

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
    let path = Path::new(FOLDER).join("include/tfx_runtime.h");
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
        let arguments = [
            "-fsyntax-only",
            "-Wall",
            "-Wextra",
            "-Werror",
            standard,
            "-x",
            language,
            "tests/support/foreign.c",
        ];
        let run = Command::new(compiler)
            .args(arguments)
            .arg("-Iinclude")
            .current_dir(FOLDER)
            .output();
        match run {
            Ok(output) => assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(problem) => eprintln!("skipped: there is no {compiler}: {problem}"),
        }
    }
}
