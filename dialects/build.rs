//! Generates the C++ of the dialects from ODS with `mlir-tblgen`, compiles it with the thin layer
//! around it, and generates the Rust views of the operations with `tfx-ods`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A dialect: its folder, the stem of its files, and whether it has attributes or enums.
struct Dialect {
    folder: &'static str,
    stem: &'static str,
    attributes: bool,
    enums: bool,
}

const DIALECTS: [Dialect; 5] = [
    Dialect {
        folder: "host",
        stem: "Host",
        attributes: true,
        enums: false,
    },
    Dialect {
        folder: "tensor",
        stem: "Tensor",
        attributes: false,
        enums: false,
    },
    Dialect {
        folder: "comm",
        stem: "Comm",
        attributes: true,
        enums: true,
    },
    Dialect {
        folder: "ad",
        stem: "Ad",
        attributes: true,
        enums: true,
    },
    Dialect {
        folder: "stream",
        stem: "Stream",
        attributes: false,
        enums: true,
    },
];

fn main() {
    let tfx_ods::Llvm { prefix, include } =
        tfx_ods::Llvm::find().unwrap_or_else(|error| panic!("{error}"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    for dialect in &DIALECTS {
        generate(dialect, &prefix.join("bin/mlir-tblgen"), &include, &out);
        views(dialect, &prefix, &out);
        println!("cargo:rerun-if-changed={}", dialect.folder);
    }
    println!("cargo:rerun-if-changed=capi");
    compile(&include, &out);
}

/// Runs every generator that the dialect needs. The files are what `#include "StemXxx.h.inc"`
/// expects.
fn generate(dialect: &Dialect, tblgen: &Path, include: &Path, out: &Path) {
    let name = format!("-dialect=tfx_{}", dialect.folder);
    let definitions = format!("{}Dialect.td", dialect.stem);
    let operations = format!("{}Ops.td", dialect.stem);
    let mut jobs = vec![
        ("dialect-decls", "Dialect.h.inc", &definitions),
        ("dialect-defs", "Dialect.cpp.inc", &definitions),
        ("typedef-decls", "Types.h.inc", &definitions),
        ("typedef-defs", "Types.cpp.inc", &definitions),
        ("op-decls", "Ops.h.inc", &operations),
        ("op-defs", "Ops.cpp.inc", &operations),
    ];
    if dialect.attributes {
        jobs.push(("attrdef-decls", "Attrs.h.inc", &definitions));
        jobs.push(("attrdef-defs", "Attrs.cpp.inc", &definitions));
    }
    if dialect.enums {
        jobs.push(("enum-decls", "Enums.h.inc", &definitions));
        jobs.push(("enum-defs", "Enums.cpp.inc", &definitions));
    }
    for (generator, suffix, file) in jobs {
        let mut command = Command::new(tblgen);
        command.arg(format!("-gen-{generator}"));
        if generator.starts_with("dialect") || generator.starts_with("typedef") {
            command.arg(match generator {
                "typedef-decls" | "typedef-defs" => format!("-typedefs{name}"),
                _ => name.clone(),
            });
        }
        command.arg("-I").arg(include).arg("-I").arg(".");
        command
            .arg(Path::new(dialect.folder).join(file))
            .arg("-o")
            .arg(out.join(format!("{}{suffix}", dialect.stem)));
        let status = command
            .status()
            .unwrap_or_else(|error| panic!("{}: {error}; install mlir-22-tools", tblgen.display()));
        assert!(status.success(), "{command:?} failed");
    }
}

/// Writes the Rust views of the operations.
fn views(dialect: &Dialect, prefix: &Path, out: &Path) {
    let Dialect { folder, stem, .. } = dialect;
    let views = tfx_ods::Dialect {
        definitions: &Path::new(folder).join(format!("{stem}Ops.td")),
        namespace: &format!("tfx_{folder}"),
        only: &[],
        enumeration: &format!("{stem}Op"),
        ir: "::tfx_ir",
    };
    tfx_ods::generate(
        &views,
        prefix,
        &[PathBuf::from(".")],
        &out.join(format!("{folder}.rs")),
    )
    .unwrap_or_else(|error| panic!("the views of '{}': {error}", views.namespace));
}

/// Returns the C++ files of a folder, sorted.
fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    files.sort();
    files
}

fn compile(include: &Path, out: &Path) {
    tfx_ods::compile_cpp("tfx_dialects", include, |build| {
        build.include(out).opt_level(2);
        for dialect in &DIALECTS {
            build.include(dialect.folder);
            build.files(sources(dialect.folder));
        }
        build
            .file("capi/Channels.cpp")
            .file("capi/Derivatives.cpp")
            .file("capi/Dialects.cpp")
            .file("capi/HostTypes.cpp")
            .file("capi/Places.cpp")
            .file("capi/StreamTypes.cpp");
    });
    // Other crates' C++ may include the headers of the dialects: they read
    // DEP_TFX_DIALECTS_INCLUDE. They use the same LLVM: DEP_TFX_DIALECTS_LLVM.
    let here = fs::canonicalize(".").expect("the crate's folder exists");
    println!("cargo:include={}:{}", out.display(), here.display());
    println!("cargo:llvm={}", include.display());
}
