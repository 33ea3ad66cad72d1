//! Tests every operation of `arith` and `math` on edge cases, in each implementation: the reference
//! interpreter, compiled host code, the embedded executor and TensorFlow.
//!
//! ```text
//!   row of tfx_ir::scalar_ops ──cases──> operation, types ──program──> a line of results per side
//!        │                                                             │ tfxc interpret, run, and
//!        │                                                             │ run --executor tensorflow
//!        └── Refused ──> an error that names the operation             └──> equal, or close
//! ```
//!
//! `ir/tests/scalars.rs` checks the table against the operations that the dialects register; a new
//! row of the table needs cases here. Operands without a defined result (a shift by the width, a
//! float outside the range of an integer) are omitted; operands that end the program are tested one
//! by one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tfx_ir::scalar_ops::{OPERATIONS, Support};

const INTEGERS: [&str; 5] = ["i8", "i16", "i32", "i64", "index"];
const WITH_BOOLEANS: [&str; 6] = ["i1", "i8", "i16", "i32", "i64", "index"];
const FLOATS: [&str; 2] = ["f32", "f64"];

/// Functions whose last digits depend on the library. All others are exact.
const ROUNDED: [&str; 28] = [
    "math.acos",
    "math.acosh",
    "math.asin",
    "math.asinh",
    "math.atan",
    "math.atan2",
    "math.atanh",
    "math.cos",
    "math.cosh",
    "math.erf",
    "math.erfc",
    "math.exp",
    "math.exp2",
    "math.expm1",
    "math.log",
    "math.log10",
    "math.log1p",
    "math.log2",
    "math.powf",
    "math.rsqrt",
    "math.sin",
    "math.sincos",
    "math.sinh",
    "math.sqrt",
    "math.tan",
    "math.tanh",
    "math.cbrt",
    "math.fpowi",
];

/// The maximal difference of results of [`ROUNDED`], relative to the larger one, by the type of the
/// operands.
fn tolerance(ty: &str) -> f64 {
    match ty {
        "f32" => 4e-6,
        _ => 1e-12,
    }
}

/// An operation on operands of given types.
#[derive(Clone, Debug)]
struct Case {
    name: &'static str,
    /// The operation, with its predicate if it has one.
    mnemonic: String,
    operands: Vec<&'static str>,
    results: Vec<&'static str>,
    /// The text after the operands.
    types: String,
}

impl Case {
    fn text(&self, operands: &[String]) -> String {
        let operands = match (self.name, operands) {
            ("math.clampf", [value, low, high]) => format!("{value} to [{low}, {high}]"),
            _ => operands.join(", "),
        };
        format!("{} {operands} : {}", self.mnemonic, self.types)
    }
}

fn case(
    name: &'static str,
    operands: &[&'static str],
    results: &[&'static str],
    types: String,
) -> Case {
    let mnemonic = name.to_owned();
    let (operands, results) = (operands.to_vec(), results.to_vec());
    Case {
        name,
        mnemonic,
        operands,
        results,
        types,
    }
}

/// Returns the cases of an operation with the given number of operands of one type, and a result of
/// that type.
fn same(name: &'static str, count: usize, types: &[&'static str]) -> Vec<Case> {
    let one = |&ty: &&'static str| case(name, &vec![ty; count], &[ty], ty.to_owned());
    types.iter().map(one).collect()
}

fn casts(name: &'static str, pairs: &[(&'static str, &'static str)]) -> Vec<Case> {
    let one = |&(from, to): &(&'static str, &'static str)| {
        case(name, &[from], &[to], format!("{from} to {to}"))
    };
    pairs.iter().map(one).collect()
}

fn all_pairs(from: &[&'static str], to: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    from.iter()
        .flat_map(|&from| to.iter().map(move |&to| (from, to)))
        .collect()
}

fn with_predicates(cases: Vec<Case>, predicates: &[&str]) -> Vec<Case> {
    let one = |case: &Case, predicate: &str| Case {
        mnemonic: format!("{} {predicate},", case.name),
        results: vec!["i1"],
        ..case.clone()
    };
    cases
        .iter()
        .flat_map(|case| predicates.iter().map(|predicate| one(case, predicate)))
        .collect()
}

/// Returns the cases of an operation.
fn cases(name: &'static str) -> Vec<Case> {
    const WIDER: [(&str, &str); 7] = [
        ("i1", "i8"),
        ("i1", "i64"),
        ("i8", "i16"),
        ("i8", "i64"),
        ("i16", "i32"),
        ("i32", "i64"),
        ("i16", "i64"),
    ];
    let tests = |name| {
        let one = |&ty: &&'static str| case(name, &[ty], &["i1"], ty.to_owned());
        FLOATS.iter().map(one).collect()
    };
    match name {
        // Constants occur as operands of the other cases.
        "arith.constant" => Vec::new(),
        "arith.addf" | "arith.subf" | "arith.mulf" | "arith.divf" | "arith.remf"
        | "arith.maximumf" | "arith.maxnumf" | "arith.minimumf" | "arith.minnumf"
        | "math.atan2" | "math.copysign" | "math.powf" => same(name, 2, &FLOATS),
        "arith.addi" | "arith.subi" | "arith.muli" | "arith.andi" | "arith.ori" | "arith.xori"
        | "arith.maxsi" | "arith.maxui" | "arith.minsi" | "arith.minui" => {
            same(name, 2, &WITH_BOOLEANS)
        }
        "arith.ceildivsi" | "arith.ceildivui" | "arith.divsi" | "arith.divui"
        | "arith.floordivsi" | "arith.remsi" | "arith.remui" | "arith.shli" | "arith.shrsi"
        | "arith.shrui" | "math.ipowi" => same(name, 2, &INTEGERS),
        "arith.addui_extended" => {
            let one = |&ty: &&'static str| case(name, &[ty, ty], &[ty, "i1"], format!("{ty}, i1"));
            INTEGERS[..4].iter().map(one).collect()
        }
        "arith.mulsi_extended" | "arith.mului_extended" => {
            let one = |&ty: &&'static str| case(name, &[ty, ty], &[ty, ty], ty.to_owned());
            INTEGERS[..4].iter().map(one).collect()
        }
        "arith.bitcast" => casts(
            name,
            &[
                ("i32", "f32"),
                ("f32", "i32"),
                ("i64", "f64"),
                ("f64", "i64"),
            ],
        ),
        "arith.cmpf" => with_predicates(
            same(name, 2, &FLOATS),
            &[
                "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
                "ult", "ule", "une", "uno", "true",
            ],
        ),
        "arith.cmpi" => with_predicates(
            same(name, 2, &WITH_BOOLEANS),
            &[
                "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
            ],
        ),
        "arith.extf" => casts(name, &[("f32", "f64")]),
        "arith.truncf" => casts(name, &[("f64", "f32")]),
        "arith.extsi" | "arith.extui" => casts(name, &WIDER),
        "arith.trunci" => casts(name, &WIDER.map(|(narrow, wide)| (wide, narrow))),
        "arith.index_cast" | "arith.index_castui" => {
            let mut pairs = all_pairs(&["index"], &["i8", "i32", "i64"]);
            pairs.extend(all_pairs(&["i8", "i32", "i64"], &["index"]));
            casts(name, &pairs)
        }
        "arith.fptosi" | "arith.fptoui" => {
            casts(name, &all_pairs(&FLOATS, &["i8", "i16", "i32", "i64"]))
        }
        "arith.sitofp" | "arith.uitofp" => casts(
            name,
            &all_pairs(&["i1", "i8", "i16", "i32", "i64"], &FLOATS),
        ),
        "arith.negf" | "math.absf" | "math.acos" | "math.acosh" | "math.asin" | "math.asinh"
        | "math.atan" | "math.atanh" | "math.cbrt" | "math.ceil" | "math.cos" | "math.cosh"
        | "math.erf" | "math.erfc" | "math.exp" | "math.exp2" | "math.expm1" | "math.floor"
        | "math.log" | "math.log10" | "math.log1p" | "math.log2" | "math.round"
        | "math.roundeven" | "math.rsqrt" | "math.sin" | "math.sinh" | "math.sqrt" | "math.tan"
        | "math.tanh" | "math.trunc" => same(name, 1, &FLOATS),
        "arith.select" => {
            let one = |&ty: &&'static str| case(name, &["i1", ty, ty], &[ty], ty.to_owned());
            ["i1", "i8", "i64", "index", "f32", "f64"]
                .iter()
                .map(one)
                .collect()
        }
        "math.absi" | "math.ctlz" | "math.ctpop" | "math.cttz" => same(name, 1, &INTEGERS),
        "math.clampf" | "math.fma" => same(name, 3, &FLOATS),
        "math.fpowi" => {
            let one = |&(float, integer): &(&'static str, &'static str)| {
                case(
                    name,
                    &[float, integer],
                    &[float],
                    format!("{float}, {integer}"),
                )
            };
            all_pairs(&FLOATS, &["i8", "i32", "i64", "index"])
                .iter()
                .map(one)
                .collect()
        }
        "math.isfinite" | "math.isinf" | "math.isnan" | "math.isnormal" => tests(name),
        "math.sincos" => {
            let one = |&ty: &&'static str| case(name, &[ty], &[ty, ty], ty.to_owned());
            FLOATS.iter().map(one).collect()
        }
        "arith.scaling_extf" => vec![case(
            name,
            &[],
            &[],
            "f4E2M1FN, f8E8M0FNU to f32".to_owned(),
        )],
        "arith.scaling_truncf" => vec![case(
            name,
            &[],
            &[],
            "f32, f8E8M0FNU to f4E2M1FN".to_owned(),
        )],
        other => panic!("say here how to try {other}"),
    }
}

/// Returns the edge cases of a type.
fn values(ty: &str) -> &'static [&'static str] {
    match ty {
        "i1" => &["false", "true"],
        "i8" => &["0", "1", "-1", "7", "-128", "127"],
        "i16" => &["0", "1", "-1", "7", "-32768", "32767"],
        "i32" => &["0", "1", "-1", "7", "-2147483648", "2147483647"],
        "f32" | "f64" => &["0.0", "-0.0", "-2.5", "NaN", "0.5", "1.5", "inf", "-inf"],
        _ => &[
            "0",
            "1",
            "-1",
            "7",
            "-9223372036854775808",
            "9223372036854775807",
        ],
    }
}

fn integer(text: &str) -> i128 {
    match text {
        "true" => -1,
        "false" => 0,
        text => text.parse().expect("an integer"),
    }
}

/// Returns whether the result of an operation is defined for these operands.
fn is_defined(case: &Case, operands: &[&str]) -> bool {
    match case.name {
        name if is_division(name) => {
            let (a, b) = (integer(operands[0]), integer(operands[1]));
            let signed =
                name.ends_with("si") && integer(values(case.operands[0])[4]) == a && b == -1;
            b != 0 && !signed
        }
        "math.ipowi" => integer(operands[0]) != 0 || integer(operands[1]) >= 0,
        "arith.shli" | "arith.shrsi" | "arith.shrui" => (0..8).contains(&integer(operands[1])),
        "arith.fptosi" => ["0.0", "-0.0", "0.5", "1.5", "-2.5"].contains(&operands[0]),
        "arith.fptoui" => ["0.0", "-0.0", "0.5", "1.5"].contains(&operands[0]),
        _ => true,
    }
}

fn is_division(name: &str) -> bool {
    name.contains("div") && !name.ends_with('f')
        || name.starts_with("arith.rem") && !name.ends_with('f')
}

/// The number of values for each of three operands.
const FEW: usize = 4;

/// Returns all operands of a case for which the result is defined, as indices into the values.
fn operands(case: &Case) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for ty in &case.operands {
        let longer = |one: &Vec<usize>| {
            let one = one.clone();
            let count = match case.operands.len() {
                3 => values(ty).len().min(FEW),
                _ => values(ty).len(),
            };
            (0..count).map(move |position| [&one[..], &[position]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|positions| {
        let texts: Vec<_> = positions
            .iter()
            .zip(&case.operands)
            .map(|(&at, ty)| values(ty)[at])
            .collect();
        is_defined(case, &texts)
    });
    all
}

/// `true` if a graph must compute the case, too.
fn in_graph(case: &Case) -> bool {
    let row = OPERATIONS.iter().find(|row| row.name == case.name);
    row.is_some_and(|row| matches!(row.support, Support::Both(_)))
}

/// Returns a program whose arguments are all values of all types, and which prints, for each case,
/// a line of results of the host and, if `graphs` contains the case, a line of results of a graph.
fn program(cases: &[Case]) -> String {
    let mut parameters = Vec::new();
    let mut body = String::new();
    for ty in types_of(cases) {
        for at in 0..values(ty).len() {
            parameters.push(format!("%h_{ty}_{at}: {ty}"));
            let tensor = tensor_name(ty);
            body += &format!(
                "  %t_{ty}_{at} = tfx_tensor.from_scalar %h_{ty}_{at} : {ty}\n  \
                 %i_{ty}_{at} = tfx_tensor.op \"Identity\"(%t_{ty}_{at}) : ({tensor}) -> {tensor}\n  \
                 %g_{ty}_{at} = tfx_tensor.to_scalar %i_{ty}_{at} : {tensor} -> {ty}\n",
            );
        }
    }
    for (number, case) in cases.iter().enumerate() {
        body += &lines(number, case, "h");
        if in_graph(case) {
            body += &lines(number, case, "g");
        }
    }
    format!(
        "func.func @main({}) {{\n{body}  return\n}}\n",
        parameters.join(", ")
    )
}

fn types_of(cases: &[Case]) -> Vec<&'static str> {
    let mut types: Vec<_> = cases
        .iter()
        .flat_map(|case| case.operands.clone())
        .collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// Writes the operation on all operands, on one side, and a print of the results.
fn lines(number: usize, case: &Case, side: &str) -> String {
    let mut body = String::new();
    let mut printed = Vec::new();
    for (at, positions) in operands(case).iter().enumerate() {
        let operand = |(position, ty): (&usize, &&str)| format!("%{side}_{ty}_{position}");
        let operands: Vec<_> = positions.iter().zip(&case.operands).map(operand).collect();
        let names: Vec<_> = (0..case.results.len())
            .map(|result| format!("%{side}{number}_{at}_{result}"))
            .collect();
        body += &format!("  {} = {}\n", names.join(", "), case.text(&operands));
        printed.extend(names.into_iter().zip(case.results.iter().copied()));
    }
    if side == "g" {
        let (packing, value, ty) = packed(number, &printed);
        return format!("{body}{packing}  tfx_host.print \"{number} g {{}}\"({value}) : {ty}\n");
    }
    let format: Vec<_> = printed.iter().map(|_| "{}").collect();
    let (values, types): (Vec<_>, Vec<_>) = printed.into_iter().unzip();
    body + &format!(
        "  tfx_host.print \"{number} h {}\"({}) : {}\n",
        format.join(" "),
        values.join(", "),
        types.join(", ")
    )
}

/// Packs scalars of one type into a tensor, which keeps the operation in the graph and its results
/// in one message.
fn packed(number: usize, printed: &[(String, &'static str)]) -> (String, String, String) {
    let tensor = tensor_name(printed[0].1);
    let mut body = String::new();
    for (name, ty) in printed {
        body += &format!("  {name}_t = tfx_tensor.from_scalar {name} : {ty}\n");
    }
    let operands: Vec<_> = printed
        .iter()
        .map(|(name, _)| format!("{name}_t"))
        .collect();
    let count = operands.len();
    let element = tensor.trim_start_matches("tensor<");
    let all = format!("tensor<{count}x{element}");
    body += &format!(
        "  %g{number} = tfx_tensor.op \"Pack\"({}) {{axis = 0}} : ({}) -> {all}\n",
        operands.join(", "),
        vec![tensor; count].join(", ")
    );
    (body, format!("%g{number}"), all)
}

fn tensor_name(ty: &str) -> &'static str {
    match ty {
        "i1" => "tensor<i1>",
        "i8" => "tensor<i8>",
        "i16" => "tensor<i16>",
        "i32" => "tensor<i32>",
        "f32" => "tensor<f32>",
        "f64" => "tensor<f64>",
        _ => "tensor<i64>",
    }
}

//===-- Running -------------------------------------------------------------------------------===//

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the crate lies in the repository")
}

fn has_tensorflow() -> bool {
    let named = env::var_os("TFX_TENSORFLOW_DIR").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join(".tensorflow"));
    folder.join("lib/libtensorflow.so").exists()
}

struct Outcome {
    success: bool,
    lines: Vec<String>,
    errors: String,
}

fn tfxc(words: &[&str], file: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tfxc"));
    command
        .current_dir(root())
        .args(words)
        .arg(file)
        .arg("--")
        .args(arguments);
    let output = command.output().expect("the program starts");
    Outcome {
        success: output.status.success(),
        lines: String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(str::to_owned)
            .collect(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns the results of a line, without its first two words and without the brackets of tensors.
fn results(line: &str) -> Vec<&str> {
    line.split(|character: char| character.is_whitespace() || "[]".contains(character))
        .filter(|word| !word.is_empty())
        .skip(2)
        .collect()
}

/// Returns whether two results are equal, or close enough for an inexact operation.
fn agrees(case: &Case, one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let is_integer = |text: &str| text.parse::<i128>().is_ok();
    let (Ok(a), Ok(b), false) = (
        one.parse::<f64>(),
        other.parse::<f64>(),
        is_integer(one) && is_integer(other),
    ) else {
        return false;
    };
    let near = |a: f64, b: f64| (a - b).abs() <= tolerance(case.operands[0]) * a.abs().max(b.abs());
    let is_rounded = ROUNDED.contains(&case.name) && a.is_finite() && b.is_finite();
    a.to_bits() == b.to_bits()
        || a.is_nan() && b.is_nan()
        || is_rounded && (a, b) != (0.0, 0.0) && near(a, b)
}

/// Returns the differences between two lines of results, in words.
fn differences(case: &Case, who: &str, expected: &str, found: &str) -> Vec<String> {
    let (expected, found) = (results(expected), results(found));
    if expected.len() != found.len() {
        return vec![format!(
            "{who}: {} has {} results, not {}",
            case.mnemonic,
            found.len(),
            expected.len()
        )];
    }
    let all = operands(case);
    let per_operands = case.results.len();
    let differs = |&at: &usize| !agrees(case, expected[at], found[at]);
    (0..expected.len())
        .filter(differs)
        .map(|at| {
            let values: Vec<_> = all[at / per_operands]
                .iter()
                .zip(&case.operands)
                .map(|(&at, ty)| values(ty)[at])
                .collect();
            format!(
                "{who}: {} {} : {}: {} is expected, {} found",
                case.mnemonic,
                values.join(", "),
                case.types,
                expected[at],
                found[at]
            )
        })
        .collect()
}

/// Runs the cases whose first operand has a given type with all implementations, and returns the
/// differences from the interpreter's host results.
fn check(first: &str) -> Vec<String> {
    let runs = |row: &&tfx_ir::scalar_ops::ScalarOp| !matches!(row.support, Support::Refused(_));
    let cases: Vec<_> = OPERATIONS
        .iter()
        .filter(runs)
        .flat_map(|row| cases(row.name))
        .filter(|case| case.operands[0] == first)
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("{first}.mlir"));
    fs::write(&file, program(&cases)).expect("the program is written");
    let arguments: Vec<_> = types_of(&cases)
        .iter()
        .flat_map(|ty| values(ty))
        .copied()
        .collect();
    let mut implementations = vec![
        ("interpreter", vec!["interpret"]),
        ("embedded executor", vec!["run", "--executor", "embedded"]),
        (
            "embedded executor, -O0",
            vec!["run", "--executor", "embedded", "-O0"],
        ),
    ];
    if has_tensorflow() {
        implementations.push(("TensorFlow", vec!["run", "--executor", "tensorflow"]));
    }
    let mut judge: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for (who, words) in implementations {
        let outcome = tfxc(&words, &file, &arguments);
        assert!(outcome.success, "{who}, {first}: {}", outcome.errors);
        for (number, case) in cases.iter().enumerate() {
            let line = |side: &str| {
                let head = format!("{number} {side} ");
                outcome.lines.iter().find(|line| line.starts_with(&head))
            };
            let host = line("h").expect("each case has a line");
            if judge.len() <= number {
                judge.push(host.clone());
            }
            found.extend(differences(
                case,
                &format!("{who}, host"),
                &judge[number],
                host,
            ));
            let graph = line("g").filter(|_| in_graph(case));
            assert_eq!(graph.is_some(), in_graph(case), "{}", case.mnemonic);
            if let Some(graph) = graph {
                found.extend(differences(
                    case,
                    &format!("{who}, graph"),
                    &judge[number],
                    graph,
                ));
            }
        }
    }
    found
}

macro_rules! agree_on {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            let found = check(stringify!($name));
            assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
        }
    )*};
}

/// One test for each type of the first operand.
mod all_agree_on {
    use super::check;

    agree_on!(i1, i8, i16, i32, i64, index, f32, f64);
}

#[test]
fn operations_without_a_value_end_the_program_at_their_place() {
    const DIVISIONS: [&str; 8] = [
        "arith.ceildivsi",
        "arith.ceildivui",
        "arith.divsi",
        "arith.divui",
        "arith.floordivsi",
        "arith.remsi",
        "arith.remui",
        "math.ipowi",
    ];
    let listed: Vec<_> = OPERATIONS
        .iter()
        .map(|row| row.name)
        .filter(|name| is_division(name))
        .collect();
    assert_eq!(listed, DIVISIONS[..7]);
    let folder = tempfile::tempdir().expect("a folder");
    for name in DIVISIONS {
        let file = folder.path().join(format!("{name}.mlir"));
        let text = format!(
            "func.func @main(%a: i16, %b: i16) {{\n  tfx_host.print \"start\"()\n  %q = {name} %a, %b : i16\n  \
             tfx_host.print \"{{}}\"(%q) : i16\n  return\n}}\n"
        );
        fs::write(&file, text).expect("the program is written");
        let by_zero = match name {
            "math.ipowi" => ["0", "-1"],
            _ => ["1", "0"],
        };
        let mut failing = vec![(by_zero, "division by zero")];
        if name.ends_with("si") {
            failing.push((["-32768", "-1"], "the quotient is too large for its type"));
        }
        for (arguments, message) in failing {
            for words in [&["interpret"][..], &["run", "-O0"], &["run", "-O3"]] {
                let outcome = tfxc(words, &file, &arguments);
                assert!(
                    !outcome.success && outcome.lines == ["start"],
                    "{name} {words:?}: {}",
                    outcome.errors
                );
                let expected = format!("{name}.mlir:3:8: error: {message}");
                assert!(
                    outcome.errors.contains(&expected),
                    "{words:?}: {}",
                    outcome.errors
                );
            }
        }
    }
}

#[test]
fn refused_operations_are_refused_by_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = OPERATIONS
        .iter()
        .filter(|row| matches!(row.support, Support::Refused(_)));
    let mut count = 0;
    for row in refused {
        for case in cases(row.name) {
            let (from, to) = case.types.split_once(" to ").expect("a conversion");
            let (value, scale) = from.split_once(", ").expect("a scale");
            let file = folder.path().join("refused.mlir");
            let text = format!(
                "func.func @main() {{\n  %a = arith.constant 1.0 : {value}\n  %s = arith.constant 1.0 : {scale}\n  \
                 %r = {} %a, %s : {}\n  return\n}}\n",
                row.name, case.types
            );
            fs::write(&file, text).expect("the program is written");
            let outcome = tfxc(&["run"], &file, &[]);
            let expected = format!("refused.mlir:4:8: error: '{}' cannot be compiled", row.name);
            assert!(
                !outcome.success && outcome.errors.contains(&expected),
                "to {to}: {}",
                outcome.errors
            );
            assert!(!tfxc(&["interpret"], &file, &[]).success);
            count += 1;
        }
    }
    assert_eq!(count, 2);
}
