//! Tests of the shared library: its symbols, and a program in C that has no MLIR of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the folder of the shared library: that of this test's executable, or the one above.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("this program has a path");
    let mut folders = test.ancestors().skip(1);
    let folder = folders.find(|folder| folder.join("libtfx_c.so").is_file());
    folder.expect("cargo has built the library").to_owned()
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8(output.stdout).expect("the output is text")
}

/// Compiles a program into a folder with the library, and returns its path. `link` are further
/// arguments of the linker.
fn compile(source: &Path, folder: &Path, link: &[&str]) -> PathBuf {
    let soname = concat!(
        "libtfx_c.so.",
        env!("CARGO_PKG_VERSION_MAJOR"),
        ".",
        env!("CARGO_PKG_VERSION_MINOR")
    );
    let library = library_folder().join("libtfx_c.so");
    for link in ["libtfx_c.so", soname] {
        std::os::unix::fs::symlink(&library, folder.join(link)).expect("a link");
    }
    let program = folder.join("program");
    let compiler = env::var_os("CC").unwrap_or("cc".into());
    run(Command::new(compiler)
        .args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"])
        .arg(source)
        .args(["-Iinclude", "-I../../runtime/include", "-o"])
        .arg(&program)
        .arg("-L")
        .arg(folder)
        .args(["-ltfx_c", "-pthread", "-Wl,-rpath,$ORIGIN"])
        .args(link)
        .current_dir(FOLDER));
    program
}

/// Runs a test of `capi.c`.
fn run_test(name: &str, link: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = compile(Path::new("tests/capi.c"), folder.path(), link);
    run(Command::new(program).arg(name).arg(folder.path()));
}

macro_rules! tests {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            run_test(stringify!($name), &[]);
        }
    )*};
}

tests!(
    programs,
    extraction,
    diagnostics,
    calls,
    options,
    code,
    null,
    tensors,
    threads,
    contexts,
    addresses
);

/// The program of `docs/c-api.md` prints what the page shows.
#[test]
fn the_example_of_the_page_runs() {
    let page = Path::new(FOLDER).join("../../docs/c-api.md");
    let page = fs::read_to_string(page).expect("the page is read");
    let block = |language: &str| {
        let start = page.split_once(&format!("```{language}\n"));
        let (_, rest) = start.expect("the page has the block");
        rest.split_once("```").expect("the block ends").0
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("train.c");
    fs::write(&source, block("c")).expect("the folder can be written");
    let output = run(&mut Command::new(compile(&source, folder.path(), &[])));
    assert_eq!(output, block("text"));
}

/// A process may have another MLIR and LLVM, in shared libraries.
#[test]
fn another_mlir_is_in_the_process() {
    let prefix = env::var("MLIR_SYS_220_PREFIX").expect("cargo sets the prefix of MLIR");
    if !Path::new(&prefix).join("lib/libMLIR.so").is_file() {
        eprintln!("skipped: this MLIR has no shared library");
        return;
    }
    let folder = format!("-L{prefix}/lib");
    let path = format!("-Wl,-rpath,{prefix}/lib");
    let link = ["-Wl,--no-as-needed", &folder, &path, "-lMLIR", "-lLLVM"];
    for name in ["programs", "calls", "code"] {
        run_test(name, &link);
    }
}

/// MLIR inside of the library is hidden.
#[test]
fn only_functions_of_tfx_are_exported() {
    let library = library_folder().join("libtfx_c.so");
    let symbols = run(Command::new("nm")
        .args(["-D", "--defined-only", "--format=posix"])
        .arg(&library));
    let names: Vec<_> = symbols
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let others: Vec<_> = names
        .iter()
        .filter(|name| !name.starts_with("tfx"))
        .collect();
    assert!(others.is_empty(), "{others:?}");
    let declared = |header: &Path| {
        let text = fs::read_to_string(header).expect("the header is read");
        let words = text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
        let functions = words.filter(|word| names.contains(word));
        functions.map(str::to_owned).collect::<Vec<_>>()
    };
    // Each function of the library is declared.
    let mut declarations = declared(&Path::new(FOLDER).join("include/tfx-c.h"));
    declarations.extend(declared(
        &Path::new(FOLDER).join("../../runtime/include/tfx_runtime.h"),
    ));
    let is_declared = |name: &&&str| declarations.iter().any(|declaration| declaration == **name);
    let missing: Vec<_> = names.iter().filter(|name| !is_declared(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
