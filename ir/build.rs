//! Compiles the C++ half of the bridge against the MLIR that `mlir-sys` links, and generates the
//! typed views of upstream's operations.

use std::env;
use std::path::PathBuf;

/// The C++ files of the bridge, each the counterpart of one Rust module.
const SOURCES: [&str; 5] = [
    "cpp/pass.cpp",
    "cpp/diag.cpp",
    "cpp/ir.cpp",
    "cpp/opt.cpp",
    "cpp/lsp.cpp",
];

/// Upstream's dialects that passes use: the namespace, the `enum` of the operations, the file below
/// `mlir/` and the operations (none: all). A file of intrinsics is a module of its own.
const VIEWS: [(&str, &str, &str, &[&str]); 11] = [
    ("arith", "ArithOp", "Dialect/Arith/IR/ArithOps.td", &[]),
    ("builtin", "BuiltinOp", "IR/BuiltinOps.td", &[]),
    (
        "cf",
        "CfOp",
        "Dialect/ControlFlow/IR/ControlFlowOps.td",
        &[],
    ),
    ("func", "FuncOp", "Dialect/Func/IR/FuncOps.td", &[]),
    ("index", "IndexOp", "Dialect/Index/IR/IndexOps.td", &[]),
    ("llvm", "LlvmOp", "Dialect/LLVMIR/LLVMOps.td", &LLVM),
    (
        "llvm",
        "LlvmIntrinsic",
        "Dialect/LLVMIR/LLVMIntrinsicOps.td",
        &[
            "intr.fma",
            "intr.masked.load",
            "intr.masked.store",
            "intr.is.fpclass",
            "intr.maximum",
            "intr.minimum",
            "intr.prefetch",
        ],
    ),
    ("math", "MathOp", "Dialect/Math/IR/MathOps.td", &[]),
    ("scf", "ScfOp", "Dialect/SCF/IR/SCFOps.td", &SCF),
    (
        "tensor",
        "TensorOp",
        "Dialect/Tensor/IR/TensorOps.td",
        &TENSOR,
    ),
    ("ub", "UbOp", "Dialect/UB/IR/UBOps.td", &[]),
];

const LLVM: [&str; 34] = [
    "add",
    "addrspacecast",
    "alloca",
    "and",
    "bitcast",
    "br",
    "call",
    "cond_br",
    "extractvalue",
    "func",
    "getelementptr",
    "icmp",
    "insertelement",
    "insertvalue",
    "inttoptr",
    "load",
    "mlir.addressof",
    "mlir.constant",
    "mlir.global",
    "mlir.undef",
    "mlir.zero",
    "mul",
    "or",
    "ptrtoint",
    "return",
    "sext",
    "shufflevector",
    "store",
    "sub",
    "switch",
    "trunc",
    "unreachable",
    "xor",
    "zext",
];
const SCF: [&str; 7] = [
    "condition",
    "execute_region",
    "for",
    "if",
    "index_switch",
    "while",
    "yield",
];
const TENSOR: [&str; 9] = [
    "cast",
    "dim",
    "empty",
    "extract",
    "from_elements",
    "insert",
    "rank",
    "reshape",
    "splat",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let llvm = tfx_ods::Llvm::find().unwrap_or_else(|error| panic!("{error}"));
    views(&llvm);
    println!("cargo:rerun-if-changed=cpp");

    tfx_ods::compile_cpp("tfx_ir_bridge", &llvm.include, |build| {
        build.include("cpp").files(SOURCES);
    });
}

/// Writes `<namespace>.rs` or `<namespace>_intrinsics.rs` into `OUT_DIR` for each of [`VIEWS`].
fn views(llvm: &tfx_ods::Llvm) {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    for (namespace, enumeration, file, only) in VIEWS {
        let dialect = tfx_ods::Dialect {
            definitions: &llvm.include.join("mlir").join(file),
            namespace,
            only,
            enumeration,
            ir: "crate",
        };
        let suffix = if file.contains("Intrinsic") {
            "_intrinsics.rs"
        } else {
            ".rs"
        };
        let output = out.join(format!("{namespace}{suffix}"));
        tfx_ods::generate(&dialect, &llvm.prefix, &[], &output)
            .unwrap_or_else(|error| panic!("the views of '{namespace}': {error}"));
    }
}
