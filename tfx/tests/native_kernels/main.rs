//! Differential tests of native code for each kernel of the interpreter, on random inputs.
//!
//! ```text
//!   table of the interpreter's tests ──> inputs, attributes ─┬─> interpreter's kernel ─────────────┐
//!                                                           └─> one program for each operation:   ├─> within
//!                                                               known sizes, unknown sizes ──────┘   the bound
//! ```
//!
//! A second program has loops that are split into tasks wherever that is possible. Its results have
//! the same bits with one thread and with several.
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
use std::num::NonZeroUsize;

use tfx::Error;
use tfx::run::{CallOptions, Executable};
use tfx::runtime::{ExecutorKind, injection, parallel, stats};
use tfx_interpreter::{DType, Tensor};
use tfx_native::TASK_COST;

use data::Data;
use program::{Call, Sizes};
use table::{NATIVE, Row};

/// The number of calls of each operation for each element type, unless `TFX_KERNEL_CALLS` is set.
const CALLS: usize = 3;

/// Operations of which few random calls have native code, such as those whose blocks must divide
/// the images. These have [`MORE`] times as many calls.
const SELDOM_COMPILED: [&str; 3] = ["BatchToSpaceND", "MirrorPad", "SpaceToDepth"];
const MORE: usize = 4;

/// The cost of tasks by which loops of few iterations are split.
const SMALL_TASKS: i64 = 1;

/// The number of threads for tasks, which is not that of processors.
const THREADS: usize = 3;

/// The element types that are compiled.
const DTYPES: [DType; 5] = [DType::F32, DType::F64, DType::I32, DType::I64, DType::Bool];

#[test]
fn native_code_computes_what_the_interpreter_does() {
    let (rows, calls) = table::chosen(CALLS);
    injection::fill_results(true);
    let mut problems = Vec::new();
    let mut compiled = BTreeMap::new();
    for row in &rows {
        let calls = match SELDOM_COMPILED.contains(&row.op) {
            true => MORE * calls,
            false => calls,
        };
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
    let load = |made: &[(DType, Call)], task_cost| {
        let calls: Vec<_> = made.iter().map(|(_, call)| call).collect();
        program::load(&calls, task_cost)
    };
    let mut loaded = load(&made, TASK_COST);
    if loaded.as_ref().is_err_and(has_no_result) {
        let has_none =
            |call: &Call| program::load(&[call], TASK_COST).is_err_and(|it| has_no_result(&it));
        made.retain(|(_, call)| !has_none(call));
        loaded = load(&made, TASK_COST);
    }
    let both = loaded.and_then(|usual| Ok((usual, load(&made, SMALL_TASKS)?)));
    let (usual, in_tasks) = match both {
        Ok(both) => both,
        Err(error) => {
            problems.push(format!("{}: {error}", row.op));
            return compiled;
        }
    };
    for (index, (dtype, call)) in made.iter().enumerate() {
        for sizes in [Sizes::Known, Sizes::Unknown] {
            let name = sizes.function(index);
            let before = stats::native_calls();
            let results = run(&usual, &name, call, 1);
            // Of known sizes, some results are constants.
            let is_compiled = stats::native_calls().finished > before.finished;
            let problem = differs(row, call, &results).or_else(|| {
                let [one, several] = [1, THREADS].map(|count| run(&in_tasks, &name, call, count));
                let problem = differs(row, call, &one).map(|problem| format!("tasks: {problem}"));
                let same = || {
                    one.ok()
                        .zip(several.ok())
                        .is_some_and(|(one, other)| same(&one, &other))
                };
                problem.or_else(|| (!same()).then(|| "threads change the results".to_owned()))
            });
            if let Some(problem) = problem {
                problems.push(format!("{} of {dtype}, {name}: {problem}\n{call}", row.op));
                return compiled;
            }
            if is_compiled && !compiled.contains(dtype) {
                compiled.push(*dtype);
            }
        }
    }
    compiled
}

/// Calls a function with a number of threads.
fn run(
    executable: &Executable,
    name: &str,
    call: &Call,
    threads: usize,
) -> Result<Vec<Tensor>, String> {
    parallel::set_threads(NonZeroUsize::new(threads).expect("there is a thread"));
    let options = CallOptions {
        executor: Some(ExecutorKind::Native),
        ..CallOptions::default()
    };
    let function = executable.function(name).expect("it is public");
    let results = function.call_with(&call.arguments(), &options);
    results.map_err(|error| error.to_string())
}

/// Returns the difference of the results of a call from those of the interpreter.
fn differs(row: &Row, call: &Call, results: &Result<Vec<Tensor>, String>) -> Option<String> {
    match results {
        Ok(results) => {
            let (mut results, mut expected) = (results.clone(), call.expected.clone());
            results.truncate(call.made.compared);
            expected.truncate(call.made.compared);
            let scale = || call.made.scale(row.op);
            compare::difference(&results, &expected, row.bound, scale)
        }
        Err(error) => Some(error.clone()),
    }
}

/// Returns whether results have the same bits.
fn same(one: &[Tensor], other: &[Tensor]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(one, other)| one.bytes() == other.bytes())
}

/// Returns true if shape inference rejects the operation, as that of TensorFlow does: the window of
/// a convolution may exceed the image in a single call, but not in a graph.
fn has_no_result(error: &Error) -> bool {
    error.to_string().contains("has no result for")
}
