//! Differential tests of native code for each kernel of the interpreter, on random inputs.
//!
//! ```text
//!   table of the interpreter's tests ──> inputs, attributes ─┬─> interpreter's kernel ─────────────┐
//!                                                           └─> one program for each operation:   ├─> within
//!                                                               known sizes, unknown sizes ──────┘   the bound
//! ```
//!
//! The interpreter's kernels are compared with TensorFlow's (`interpreter/tests/eager`). A call
//! that the interpreter rejects is not made: native code gives up, and the interpreter reports the
//! failure. `TFX_KERNELS=Add,Sub` chooses operations, `TFX_KERNEL_CALLS` the number of calls.

#[path = "../../../interpreter/tests/eager/compare.rs"]
mod compare;
#[path = "../../../interpreter/tests/eager/data.rs"]
mod data;
#[path = "../../../interpreter/tests/eager/images.rs"]
mod images;
#[path = "../../../interpreter/tests/eager/matrices.rs"]
mod matrices;
#[path = "../../../interpreter/tests/eager/parts.rs"]
mod parts;
mod program;
#[path = "../../../interpreter/tests/eager/table.rs"]
mod table;

use std::collections::BTreeMap;

use tfx::Error;
use tfx::run::CallOptions;
use tfx::runtime::{ExecutorKind, stats};
use tfx_interpreter::DType;

use data::Data;
use program::{Call, Sizes};
use table::{NATIVE, Row};

/// The number of calls of each operation for each element type, unless `TFX_KERNEL_CALLS` is set.
const CALLS: usize = 3;

/// The element types that are compiled.
const DTYPES: [DType; 5] = [DType::F32, DType::F64, DType::I32, DType::I64, DType::Bool];

#[test]
fn native_code_computes_what_the_interpreter_does() {
    let (rows, calls) = table::chosen(CALLS);
    let mut problems = Vec::new();
    let mut compiled = BTreeMap::new();
    for row in &rows {
        let found = compare_row(row, calls, &mut problems);
        if !found.is_empty() {
            compiled.insert(row.op, found);
        }
    }
    assert!(
        problems.is_empty(),
        "{} differ:\n{}",
        problems.len(),
        problems.join("\n")
    );
    let is_chosen = |op: &str| rows.iter().any(|row| row.op == op);
    let listed = NATIVE.iter().filter(|(op, _)| is_chosen(op));
    let listed: BTreeMap<_, _> = listed.map(|&(op, dtypes)| (op, dtypes.to_vec())).collect();
    if compiled != listed {
        let found: String = compiled
            .iter()
            .map(|(op, dtypes)| entry(op, dtypes))
            .collect();
        panic!("table.rs lists other operations as compiled; it should list these:\n{found}");
    }
}

/// Returns a line of the list in table.rs.
fn entry(op: &str, dtypes: &[DType]) -> String {
    let names: Vec<_> = dtypes.iter().map(|dtype| format!("{dtype:?}")).collect();
    format!("    ({op:?}, &[{}]),\n", names.join(", "))
}

/// Compares the calls of an operation, and returns the element types for which it is compiled.
fn compare_row(row: &Row, calls: usize, problems: &mut Vec<String>) -> Vec<DType> {
    let mut made = Vec::new();
    let dtypes = DTYPES.iter().filter(|dtype| row.dtypes.contains(dtype));
    for &dtype in dtypes {
        let mut data = Data::new(row.op, dtype);
        for _ in 0..calls {
            let inputs = (row.make)(&mut data, dtype);
            // Only calls that the interpreter computes, and that have results in a program.
            if let Some(expected) = inputs.results(row.op).filter(|list| !list.is_empty()) {
                made.push((dtype, Call::new(row.op, inputs, expected)));
            }
        }
    }
    let mut compiled = Vec::new();
    let load = |made: &[(DType, Call)]| {
        let calls: Vec<_> = made.iter().map(|(_, call)| call).collect();
        program::load(&calls)
    };
    let mut loaded = load(&made);
    if loaded.as_ref().is_err_and(has_no_result) {
        made.retain(|(_, call)| !program::load(&[call]).is_err_and(|error| has_no_result(&error)));
        loaded = load(&made);
    }
    let executable = match loaded {
        Ok(executable) => executable,
        Err(error) => {
            problems.push(format!("{}: {error}", row.op));
            return compiled;
        }
    };
    let options = CallOptions {
        executor: Some(ExecutorKind::Native),
        ..CallOptions::default()
    };
    for (index, (dtype, call)) in made.iter().enumerate() {
        for sizes in [Sizes::Known, Sizes::Unknown] {
            let name = sizes.function(index);
            let before = stats::native_calls();
            let function = executable.function(&name).expect("it is public");
            let problem = match function.call_with(&call.arguments(), &options) {
                Ok(mut results) => {
                    let mut expected = call.expected.clone();
                    results.truncate(call.made.compared);
                    expected.truncate(call.made.compared);
                    let scale = || call.made.scale(row.op);
                    compare::difference(&results, &expected, row.bound, scale)
                }
                Err(error) => Some(error.to_string()),
            };
            if let Some(problem) = problem {
                problems.push(format!("{} of {dtype}, {name}: {problem}\n{call}", row.op));
                return compiled;
            }
            // Of known sizes, some results are constants.
            let is_compiled = stats::native_calls().finished > before.finished;
            if is_compiled && !compiled.contains(dtype) {
                compiled.push(*dtype);
            }
        }
    }
    compiled
}

/// Returns true if shape inference rejects the operation, as that of TensorFlow does: the window of
/// a convolution may exceed the image in a single call, but not in a graph.
fn has_no_result(error: &Error) -> bool {
    error.to_string().contains("has no result for")
}
