//! Random kernels of scalar operations, compared with an evaluation of the same operations.
//!
//! ```text
//!   seed ──► operations ──► LLVM IR ──llc──► PTX text ──► results
//!                 └────────► evaluation in Rust ─────────► results, the same bits
//! ```
//!
//! The IR has only operations that are defined for all operands. A NaN is replaced before its bits
//! are observed, because LLVM may change them.

mod common;

use std::fmt::Write;

use common::Argument::Buffer;
use common::{Random, bytes, compile, path, run, texts};

/// The number of kernels.
const KERNELS: u64 = 12;
/// The operations of a kernel.
const OPERATIONS: usize = 60;
/// The values of a kernel that are stored.
const RESULTS: usize = 16;
/// The threads, with an operand of each type in a row of 24 bytes.
const ROWS: usize = 32;

/// A value of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    I32(u32),
    I64(u64),
    F32(f32),
    F64(f64),
}

use Value::{F32, F64, I32, I64};

impl Value {
    /// Returns the type in LLVM IR.
    fn ty(self) -> &'static str {
        match self {
            I32(_) => "i32",
            I64(_) => "i64",
            F32(_) => "float",
            F64(_) => "double",
        }
    }

    /// Returns the bits, extended with zeros, where those of a NaN are 7.
    fn bits(self) -> u64 {
        match self {
            I32(x) => x.into(),
            I64(x) => x,
            F32(x) if x.is_nan() => 7,
            F32(x) => x.to_bits().into(),
            F64(x) if x.is_nan() => 7,
            F64(x) => x.to_bits(),
        }
    }
}

/// An operation: its name, and the indices of its operands.
struct Operation {
    name: &'static str,
    operands: [usize; 3],
}

const INTEGER: [&str; 14] = [
    "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "select",
    "ctpop", "resize",
];
const FLOAT: [&str; 9] = [
    "fadd", "fsub", "fmul", "fdiv", "fneg", "fma", "sqrt", "select", "resize",
];
const CONVERSIONS: [&str; 3] = ["uitofp", "sitofp", "observe"];

/// The types of the values of a kernel: those of the operands, and those of the operations.
struct Kernel {
    operations: Vec<Operation>,
    /// A value of each type.
    types: Vec<Value>,
}

/// Chooses operations whose operands have fitting types.
fn generate(seed: u64) -> Kernel {
    let mut random = Random(seed);
    let mut kernel = Kernel {
        operations: Vec::new(),
        types: vec![I32(0), I64(0), F32(0.0), F64(0.0)],
    };
    while kernel.operations.len() < OPERATIONS {
        let count = kernel.types.len();
        // Late values are preferred, so that expressions are deep.
        let first = count - 1 - random.below(count).min(random.below(count));
        let ty = kernel.types[first].ty();
        let same: Vec<usize> = (0..count).filter(|&i| kernel.types[i].ty() == ty).collect();
        let [second, third] = [(); 2].map(|()| same[random.below(same.len())]);
        let is_integer = ty.starts_with('i');
        let name = match (random.below(5), is_integer) {
            (0, true) => CONVERSIONS[random.below(2)],
            (0, false) => CONVERSIONS[2],
            (_, true) => INTEGER[random.below(INTEGER.len())],
            (_, false) => FLOAT[random.below(FLOAT.len())],
        };
        let operands = [first, second, third];
        let operation = Operation { name, operands };
        let result = evaluate(&operation, &kernel.types);
        kernel.types.push(result);
        kernel.operations.push(operation);
    }
    kernel
}

/// Evaluates an operation.
fn evaluate(operation: &Operation, values: &[Value]) -> Value {
    let [a, b, c] = operation.operands.map(|index| values[index]);
    match (a, b, c) {
        (I32(a), I32(b), I32(c)) => match operation.name {
            "add" => I32(a.wrapping_add(b)),
            "sub" => I32(a.wrapping_sub(b)),
            "mul" => I32(a.wrapping_mul(b)),
            "and" => I32(a & b),
            "or" => I32(a | b),
            "xor" => I32(a ^ b),
            "shl" => I32(a << (b & 31)),
            "lshr" => I32(a >> (b & 31)),
            "ashr" => I32(((a as i32) >> (b & 31)) as u32),
            "udiv" => I32(a / (b | 1)),
            "urem" => I32(a % (b | 1)),
            "select" => I32(if (a as i32) < b as i32 { b } else { c }),
            "ctpop" => I32(a.count_ones()),
            "resize" => I64(a as i32 as u64),
            "uitofp" => F32(a as f32),
            _ => F64(f64::from(a as i32)),
        },
        (I64(a), I64(b), I64(c)) => match operation.name {
            "add" => I64(a.wrapping_add(b)),
            "sub" => I64(a.wrapping_sub(b)),
            "mul" => I64(a.wrapping_mul(b)),
            "and" => I64(a & b),
            "or" => I64(a | b),
            "xor" => I64(a ^ b),
            "shl" => I64(a << (b & 63)),
            "lshr" => I64(a >> (b & 63)),
            "ashr" => I64(((a as i64) >> (b & 63)) as u64),
            "udiv" => I64(a / (b | 1)),
            "urem" => I64(a % (b | 1)),
            "select" => I64(if (a as i64) < b as i64 { b } else { c }),
            "ctpop" => I64(a.count_ones().into()),
            "resize" => I32(a as u32),
            "uitofp" => F64(a as f64),
            _ => F32(a as i64 as f32),
        },
        (F32(a), F32(b), F32(c)) => match operation.name {
            "fadd" => F32(a + b),
            "fsub" => F32(a - b),
            "fmul" => F32(a * b),
            "fdiv" => F32(a / b),
            "fneg" => F32(-a),
            "fma" => F32(a.mul_add(b, c)),
            "sqrt" => F32(a.sqrt()),
            "select" => F32(if a < b { b } else { c }),
            "resize" => F64(a.into()),
            _ => I32(F32(a).bits() as u32),
        },
        (F64(a), F64(b), F64(c)) => match operation.name {
            "fadd" => F64(a + b),
            "fsub" => F64(a - b),
            "fmul" => F64(a * b),
            "fdiv" => F64(a / b),
            "fneg" => F64(-a),
            "fma" => F64(a.mul_add(b, c)),
            "sqrt" => F64(a.sqrt()),
            "select" => F64(if a < b { b } else { c }),
            "resize" => F32(a as f32),
            _ => I64(F64(a).bits()),
        },
        _ => unreachable!("the operands have one type"),
    }
}

/// Returns the suffix of intrinsics of a type.
fn suffix(ty: &str) -> &str {
    match ty {
        "float" => "f32",
        "double" => "f64",
        ty => ty,
    }
}

/// Writes the bits of a value, as a value of `target`, where those of a NaN are 7.
fn observe(ir: &mut String, value: &str, name: &str, ty: &str) -> std::fmt::Result {
    let bits = if ty == "float" { "i32" } else { "i64" };
    writeln!(ir, "  {name}u = fcmp uno {ty} {value}, {value}")?;
    writeln!(ir, "  {name}b = bitcast {ty} {value} to {bits}")?;
    writeln!(ir, "  {name} = select i1 {name}u, {bits} 7, {bits} {name}b")
}

/// Writes an operation as LLVM IR.
fn write_operation(ir: &mut String, kernel: &Kernel, index: usize) -> std::fmt::Result {
    let Operation { name, operands } = &kernel.operations[index];
    let d = format!("%v{}", index + 4);
    let [a, b, c] = operands.map(|operand| format!("%v{operand}"));
    let ty = kernel.types[operands[0]].ty();
    let to = kernel.types[index + 4].ty();
    let suffix = suffix(ty);
    match (*name, ty) {
        ("shl" | "lshr" | "ashr", _) => {
            let mask = if ty == "i32" { 31 } else { 63 };
            writeln!(ir, "  {d}s = and {ty} {b}, {mask}")?;
            writeln!(ir, "  {d} = {name} {ty} {a}, {d}s")
        }
        ("udiv" | "urem", _) => {
            writeln!(ir, "  {d}s = or {ty} {b}, 1")?;
            writeln!(ir, "  {d} = {name} {ty} {a}, {d}s")
        }
        ("select", "i32" | "i64") => {
            writeln!(ir, "  {d}s = icmp slt {ty} {a}, {b}")?;
            writeln!(ir, "  {d} = select i1 {d}s, {ty} {b}, {ty} {c}")
        }
        ("select", _) => {
            writeln!(ir, "  {d}s = fcmp olt {ty} {a}, {b}")?;
            writeln!(ir, "  {d} = select i1 {d}s, {ty} {b}, {ty} {c}")
        }
        ("ctpop" | "sqrt", _) => writeln!(ir, "  {d} = call {ty} @llvm.{name}.{suffix}({ty} {a})"),
        ("fma", _) => {
            let operands = format!("{ty} {a}, {ty} {b}, {ty} {c}");
            writeln!(ir, "  {d} = call {ty} @llvm.fma.{suffix}({operands})")
        }
        ("fneg", _) => writeln!(ir, "  {d} = fneg {ty} {a}"),
        ("resize", "i32") => writeln!(ir, "  {d} = sext {ty} {a} to {to}"),
        ("resize", "i64") => writeln!(ir, "  {d} = trunc {ty} {a} to {to}"),
        ("resize", "float") => writeln!(ir, "  {d} = fpext {ty} {a} to {to}"),
        ("resize", _) => writeln!(ir, "  {d} = fptrunc {ty} {a} to {to}"),
        ("uitofp" | "sitofp", _) => writeln!(ir, "  {d} = {name} {ty} {a} to {to}"),
        ("observe", _) => observe(ir, &a, &d, ty),
        _ => writeln!(ir, "  {d} = {name} {ty} {a}, {b}"),
    }
}

/// Writes a kernel as LLVM IR: it loads a row of operands, and stores the last values.
fn write_kernel(ir: &mut String, number: u64, kernel: &Kernel) -> std::fmt::Result {
    writeln!(
        ir,
        "\ndefine ptx_kernel void @random{number}(ptr %x, ptr %y) {{"
    )?;
    writeln!(ir, "  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")?;
    writeln!(
        ir,
        "  %px = getelementptr {{ i32, float, i64, double }}, ptr %x, i32 %i"
    )?;
    for (index, offset) in [(0, 0), (2, 4), (1, 8), (3, 16)] {
        let ty = kernel.types[index].ty();
        writeln!(ir, "  %px{index} = getelementptr i8, ptr %px, i32 {offset}")?;
        writeln!(ir, "  %v{index} = load {ty}, ptr %px{index}")?;
    }
    for index in 0..OPERATIONS {
        write_operation(ir, kernel, index)?;
    }
    writeln!(
        ir,
        "  %py = getelementptr [{RESULTS} x i64], ptr %y, i32 %i"
    )?;
    for result in 0..RESULTS {
        let index = kernel.types.len() - RESULTS + result;
        let ty = kernel.types[index].ty();
        let bits = match ty {
            "float" | "double" => {
                observe(ir, &format!("%v{index}"), &format!("%r{result}"), ty)?;
                format!("%r{result}")
            }
            _ => format!("%v{index}"),
        };
        let bits = match ty {
            "i32" | "float" => {
                writeln!(ir, "  %z{result} = zext i32 {bits} to i64")?;
                format!("%z{result}")
            }
            _ => bits,
        };
        writeln!(
            ir,
            "  %py{result} = getelementptr i64, ptr %py, i32 {result}"
        )?;
        writeln!(ir, "  store i64 {bits}, ptr %py{result}")?;
    }
    writeln!(ir, "  ret void\n}}")
}

/// Returns the IR of all kernels.
fn write_module() -> String {
    let mut ir = String::from(
        "; TFX_UPDATE_PTX=1 cargo test -p tfx-ptx --test random writes and compiles this file:\n\
         ;   llc -mcpu=sm_70 -O0 random.ll -o random.sm_70.O0.ptx\n\
         ;   llc -mcpu=sm_90 -O3 random.ll -o random.sm_90.O3.ptx\n\
         target triple = \"nvptx64-nvidia-cuda\"\n\
         declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n",
    );
    for (name, types) in [("ctpop", ["i32", "i64"]), ("sqrt", ["float", "double"])] {
        for ty in types {
            ir += &format!("declare {ty} @llvm.{name}.{}({ty})\n", suffix(ty));
        }
    }
    for ty in ["float", "double"] {
        ir += &format!("declare {ty} @llvm.fma.{}({ty}, {ty}, {ty})\n", suffix(ty));
    }
    for number in 0..KERNELS {
        write_kernel(&mut ir, number, &generate(number)).expect("a string has room");
    }
    ir
}

#[test]
fn random_kernels_have_the_results_of_their_evaluation() {
    let ir = write_module();
    if std::env::var_os("TFX_UPDATE_PTX").is_some() {
        std::fs::write(path("random.ll"), &ir).expect("writes");
        compile("random");
    }
    let stored = std::fs::read_to_string(path("random.ll")).expect("the file exists");
    assert!(ir == stored, "random.ll is not what this test generates");

    let mut random = Random(41);
    let words = random.integers(ROWS);
    let longs = random.integers(ROWS);
    let (singles, doubles) = (random.singles(ROWS), random.doubles(ROWS));
    let rows = (0..ROWS).map(|i| {
        [
            I32(words[i] as u32),
            I64(longs[i]),
            F32(singles[i]),
            F64(doubles[i]),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let row_bytes = |i: usize| {
        let first = [bytes(&[words[i] as u32]), bytes(&[singles[i]])].concat();
        [first, bytes(&[longs[i]]), bytes(&[doubles[i]])].concat()
    };
    let input: Vec<u8> = (0..ROWS).flat_map(row_bytes).collect();
    let buffers = [input, vec![0; 8 * RESULTS * ROWS]];
    let texts = texts("random");
    for number in 0..KERNELS {
        let kernel = generate(number);
        let results = rows.iter().flat_map(|row| {
            let mut values = row.to_vec();
            for operation in &kernel.operations {
                values.push(evaluate(operation, &values));
            }
            values[values.len() - RESULTS..]
                .iter()
                .map(|value| value.bits())
                .collect::<Vec<_>>()
        });
        let expected = bytes(&results.collect::<Vec<u64>>());
        for (name, text) in &texts {
            let (kernel, block) = (format!("random{number}"), [ROWS as u32, 1, 1]);
            let arguments = [Buffer(0), Buffer(1)];
            let result = run(text, &kernel, [1, 1, 1], block, &arguments, &buffers);
            let result = result.unwrap_or_else(|error| panic!("{name}, {kernel}: {error}"));
            let differs = (0..expected.len()).find(|&i| result[1][i] != expected[i]);
            assert_eq!(
                differs, None,
                "{name}, {kernel}: the first byte that differs"
            );
        }
    }
}
