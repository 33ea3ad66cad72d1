//! Differential tests of each kernel against TensorFlow's, on random inputs.
//!
//! ```text
//!   table.rs: operation, element types, bound ──data.rs──> inputs, attributes ─┬─> kernels::build ──> ours ───┐
//!                                                                             └─> TFE_Execute ────> theirs ──┴─> within the bound
//! ```
//!
//! The table has every operation of the interpreter, and `docs/kernels.md` shows it. Both sides
//! must reject the same calls. Denormal numbers count as zero, since TensorFlow flushes them.

mod compare;
mod data;
mod images;
mod matrices;
mod notes;
mod parts;
mod table;
mod tensorflow;

use std::fmt::Write;
use std::path::Path;

use tfx_graphdef::Registry;
use tfx_interpreter::kernels::{self, Kernel};
use tfx_interpreter::{DType, Tensor};

use data::Data;
use notes::{ELSEWHERE, note};
use table::{Bound, Made, NATIVE, Row, TABLE};
use tensorflow::{Call, Eager};

/// The number of calls of each operation for each element type, unless `TFX_KERNEL_CALLS` is set.
const CALLS: usize = 100;
/// The minimal percentage of calls that both sides must compute and not reject.
const COMPUTED: usize = 25;
/// The number of characters of a call in a report.
const SHOWN: usize = 600;

#[test]
fn kernels_compute_what_tensorflow_does() {
    let eager = match Eager::new() {
        Ok(eager) => eager,
        Err(problem) => return eprintln!("skipped: {problem}"),
    };
    let (rows, calls) = table::chosen(CALLS);
    let mut problems = Vec::new();
    for row in rows {
        for &dtype in row.dtypes {
            problems.extend(first_problem(&eager, row, dtype, calls));
        }
    }
    assert!(
        problems.is_empty(),
        "{} differ:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// Returns the first difference of an operation.
fn first_problem(eager: &Eager, row: &Row, dtype: DType, calls: usize) -> Option<String> {
    let mut data = Data::new(row.op, dtype);
    let mut computed = 0;
    for _ in 0..calls {
        let made = (row.make)(&mut data, dtype);
        let problem = match (ours(row, &made), theirs(eager, row, &made)) {
            (Ok(mut ours), Ok(mut theirs)) => {
                computed += 1;
                ours.truncate(made.compared);
                theirs.truncate(made.compared);
                compare::difference(&ours, &theirs, row.bound, || made.scale(row.op))
            }
            (Err(_), Err(_)) => None,
            (Ok(_), Err(error)) => Some(format!("TensorFlow rejects it: {error}")),
            (Err(error), Ok(_)) => Some(format!("only TensorFlow computes it: {error}")),
        };
        if let Some(problem) = problem {
            let inputs = format!("{:?} {:?}", made.inputs, made.attributes);
            let inputs: String = inputs.chars().take(SHOWN).collect();
            return Some(format!("{} of {dtype}: {problem}\n  {inputs}", row.op));
        }
    }
    let is_enough = 100 * computed >= COMPUTED * calls;
    (!is_enough).then(|| {
        format!(
            "{} of {dtype}: {computed} of {calls} calls are computed",
            row.op
        )
    })
}

/// Returns the results of a kernel, which must not depend on whether it may overwrite its inputs.
fn ours(row: &Row, made: &Made) -> Result<Vec<Tensor>, String> {
    let kernel = kernels::build(&made.node(row.op)).map_err(|error| error.to_string())?;
    let kernel = kernel.ok_or("it has no kernel")?;
    let run = |mut inputs: Vec<Tensor>| match &kernel {
        Kernel::Single(compute) => compute(&mut inputs).map(|output| vec![output].into()),
        Kernel::Pure(compute) => compute(&mut inputs),
        Kernel::Random(generator, compute) => compute(&mut generator.clone(), &mut inputs),
    };
    let shared = run(made.inputs.clone());
    let own = run(made.inputs.iter().map(copy).collect());
    if let (Ok(shared), Ok(own)) = (&shared, &own) {
        // Any NaN for a NaN: its sign depends on the order of the operands.
        let difference = compare::difference(shared, own, Bound::Same, || 1.0);
        assert_eq!(difference, None, "{}: written in place", row.op);
    }
    let outputs = own.map_err(|error| error.to_string())?;
    Ok(outputs.into_vec())
}

/// Returns a tensor that shares no elements.
fn copy(tensor: &Tensor) -> Tensor {
    Tensor::from_bytes(tensor.dtype(), tensor.shape(), tensor.bytes()).expect("as many bytes")
}

fn theirs(eager: &Eager, row: &Row, made: &Made) -> Result<Vec<Tensor>, String> {
    eager.run(&Call {
        op: row.op,
        inputs: &made.inputs,
        arguments: &arguments(row.op, made.inputs.len()),
        attributes: &made.attributes,
    })
}

/// Returns, for each argument that is a list, its number of inputs: all lists have the same.
fn arguments(op: &str, inputs: usize) -> Vec<Option<usize>> {
    let definition = Registry::get().lookup(op).expect("a known operation");
    let is_list: Vec<bool> = definition
        .input_arg
        .iter()
        .map(|argument| !argument.number_attr.is_empty() || !argument.type_list_attr.is_empty())
        .collect();
    let lists = is_list.iter().filter(|is_list| **is_list).count();
    let length = (inputs + lists - is_list.len()) / lists.max(1);
    let length = |is_list: bool| is_list.then_some(length);
    is_list.into_iter().map(length).collect()
}

#[test]
fn each_operation_is_in_the_table() {
    let mut listed: Vec<_> = TABLE.iter().map(|row| row.op).collect();
    listed.extend(ELSEWHERE.iter().map(|(op, _)| *op));
    listed.sort_unstable();
    assert_eq!(listed, kernels::names());
}

/// The head of the table in the documentation.
const HEAD: &str =
    "| operation | element types | native code | floats | |\n|---|---|---|---|---|\n";

#[test]
fn the_table_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/kernels.md");
    let page = std::fs::read_to_string(&path).expect("docs/kernels.md is there");
    let (text, _) = page.split_once(HEAD).expect("it has a table");
    let wanted = format!("{text}{HEAD}{}", rows());
    if std::env::var_os("TFX_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &wanted).expect("written");
    }
    let page = std::fs::read_to_string(&path).expect("docs/kernels.md is there");
    assert!(
        page == wanted,
        "{} is out of date: run this test with TFX_UPDATE_DOCS=1",
        path.display()
    );
}

/// Returns the element types for which an operation is compiled to native code.
fn native(op: &str) -> String {
    let compiled = NATIVE.iter().filter(|(compiled, _)| *compiled == op);
    let dtypes = compiled.flat_map(|(_, dtypes)| dtypes.iter().map(|dtype| dtype.name()));
    dtypes.collect::<Vec<_>>().join(" ")
}

fn rows() -> String {
    let mut text = String::new();
    for row in TABLE {
        let dtypes: Vec<_> = row.dtypes.iter().map(|dtype| dtype.name()).collect();
        let has_floats = row.dtypes.contains(&DType::F32);
        let bound = match row.bound {
            _ if !has_floats => String::new(),
            Bound::Same => "the same bits".to_owned(),
            Bound::Ulps(0) => "the same numbers".to_owned(),
            Bound::Ulps(count) => format!("{count} ulp"),
            Bound::OfSelfOrOne(count) => format!("{count} ulp, or of 1"),
            Bound::OfOne(count) => format!("{count} ulp of 1"),
            Bound::OfLargest(count) => format!("{count} ulp of the largest"),
        };
        let types = dtypes.join(" ");
        let native = native(row.op);
        let (op, note) = (row.op, note(row.op));
        writeln!(text, "| {op} | {types} | {native} | {bound} | {note} |")
            .expect("writing to a string does not fail");
    }
    for (op, note) in ELSEWHERE {
        writeln!(text, "| {op} | all | | the same bits | {note} |")
            .expect("writing to a string does not fail");
    }
    text
}
