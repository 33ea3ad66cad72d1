//! Tests of each rule, against central differences.
//!
//! ```text
//!   table.rs: operation, examples ──programs.rs──> programs ──judge.rs──> pullback = difference
//!        │                                                   world.rs: kernels
//!        └──> docs/derivative-rules.md
//! ```
//!
//! Each example is judged with static shapes, with unknown ranks, and in a loop. Each rule has an
//! example, and each operation that a rule uses has a rule.

mod example;
mod judge;
mod mutants;
mod programs;
mod table;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use example::{ex, floats};
use judge::Judge;
use melior::Context;
use mutants::{Mutant, mutants};
use programs::{Order, Typing};
use table::{Row, table};
use tfx_interpreter::Tensor;
use tfx_ir::diag::Collector;
use tfx_ir::scalar_ops::{Form, OPERATIONS, ScalarOp, Support};
use world::{Kernels, Problem};

/// The operations to judge, separated by commas; all of them if it is not set.
const ONLY: &str = "TFX_RULES";

/// Set to judge all programs of each example.
const TEST_ALL: &str = "TFX_TEST_ALL";

/// The programs that are judged of each example.
const JUDGED: [(Typing, Order); 3] = [
    (Typing::Static, Order::First),
    (Typing::Loop, Order::First),
    (Typing::Loop, Order::Second),
];
/// The programs that are judged as well if [`TEST_ALL`] is set: those of loops contain them.
const JUDGED_TOO: [(Typing, Order); 2] = [
    (Typing::Dynamic, Order::First),
    (Typing::Dynamic, Order::Second),
];

/// The verdict about a rule.
#[derive(Default)]
struct Verdict {
    problems: Vec<String>,
    /// The operations that nothing here can execute.
    skipped: BTreeSet<String>,
}

#[test]
fn pullbacks_are_derivatives() {
    let found = judge_all(&chosen(), |judge, row| judge_row(judge, row));
    let skipped: BTreeSet<_> = found.iter().flat_map(|it| &it.skipped).collect();
    if !skipped.is_empty() {
        eprintln!("skipped, since TensorFlow is not there: the programs with {skipped:?}");
    }
    let problems: Vec<_> = found.iter().flat_map(|it| &it.problems).collect();
    let text: String = problems.iter().map(|it| format!("\n{it}")).collect();
    assert!(problems.is_empty(), "{} problems:{text}", problems.len());
}

/// Judges each of a list, on all cores. Returns the verdicts in order.
fn judge_all<T: Sync, V: Send>(all: &[T], verdict: impl Fn(&Judge<'_>, &T) -> V + Sync) -> Vec<V> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    let judge_some = || {
        let context = context();
        let judge = Judge {
            context: &context,
            kernels: Kernels::load(),
        };
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(index) else { return };
            let verdict = verdict(&judge, one);
            found.lock().expect("no test panics").insert(index, verdict);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (0..threads).for_each(|_| drop(scope.spawn(judge_some)));
    });
    let found = found.into_inner().expect("no test panics");
    found.into_values().collect()
}

/// Returns the rows of the operations in [`ONLY`].
fn chosen() -> Vec<&'static Row> {
    let only = std::env::var(ONLY).unwrap_or_default();
    let only: Vec<_> = only.split(',').filter(|name| !name.is_empty()).collect();
    let is_chosen = |row: &&Row| only.is_empty() || only.contains(&row.op);
    table().filter(is_chosen).collect()
}

fn judge_row(judge: &Judge<'_>, row: &Row) -> Verdict {
    let mut verdict = Verdict::default();
    let mut judged = JUDGED.to_vec();
    if std::env::var_os(TEST_ALL).is_some() {
        judged.extend(JUDGED_TOO);
    }
    for (number, example) in row.examples.iter().enumerate() {
        for &(typing, order) in &judged {
            if order == Order::Second && !example.has_second {
                continue;
            }
            match judge.judge(row.op, example, typing, order) {
                Ok(()) => {}
                Err(Problem::NoKernel(op)) => drop(verdict.skipped.insert(op)),
                Err(Problem::Wrong(problem)) => verdict.problems.push(format!(
                    "{}, example {number}, {typing:?}, {order:?}: {problem}",
                    row.op
                )),
            }
        }
    }
    verdict
}

/// The operations whose gradients in TensorFlow's C API are not compared, and the reasons.
const DIFFERENT: [(&str, &str); 6] = [
    (
        "Atan2",
        "of a broadcast operand, TensorFlow's has the wrong shape",
    ),
    ("ConcatV2", "TensorFlow crashes"),
    ("GatherV2", "TensorFlow's fails for a negative axis"),
    ("Mean", "TensorFlow crashes"),
    ("OneHot", "TensorFlow has none with respect to the values"),
    ("PadV2", "TensorFlow has none with respect to the padding"),
];

#[test]
fn pullbacks_are_tensorflows_gradients() {
    let context = context();
    let judge = Judge {
        context: &context,
        kernels: Kernels::load(),
    };
    let (mut problems, mut compared, mut unknown) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let is_compared = |row: &&Row| {
        let mut others = DIFFERENT.iter();
        !row.op.contains('.') && others.all(|(op, _)| *op != row.op)
    };
    for row in chosen().into_iter().filter(is_compared) {
        let examples = row.examples.iter().enumerate();
        for (number, example) in examples.filter(|(_, example)| example.is_compared) {
            match judge.compare(row.op, example) {
                Ok(true) => _ = compared.insert(row.op),
                Ok(false) => _ = unknown.insert(row.op),
                Err(Problem::NoKernel(_)) => {}
                Err(Problem::Wrong(problem)) => {
                    problems.push(format!("{}, example {number}: {problem}", row.op));
                }
            }
        }
    }
    unknown.retain(|op| !compared.contains(op));
    let count = compared.len();
    eprintln!("{count} operations compared; TensorFlow has no gradients of {unknown:?}");
    let text: String = problems.iter().map(|it| format!("\n{it}")).collect();
    assert!(problems.is_empty(), "{} problems:{text}", problems.len());
}

/// The head of the table in the documentation.
const HEAD: &str = "| operation | derivatives | |\n|---|---|---|\n";

#[test]
fn the_table_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/derivative-rules.md");
    let page = std::fs::read_to_string(&path).expect("docs/derivative-rules.md is there");
    let (text, _) = page.split_once(HEAD).expect("it has a table");
    let rows: String = table().map(|row| format!("{row}\n")).collect();
    let wanted = format!("{text}{HEAD}{rows}");
    if std::env::var_os("TFX_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &wanted).expect("written");
    }
    let page = std::fs::read_to_string(&path).expect("docs/derivative-rules.md is there");
    assert!(
        page == wanted,
        "{} is out of date: run this test with TFX_UPDATE_DOCS=1",
        path.display()
    );
}

fn context() -> Context {
    let context = Context::new();
    tfx::prepare(&context);
    context
}

#[test]
fn zero_stays_zero() {
    let context = context();
    let judge = Judge {
        context: &context,
        kernels: Kernels::load(),
    };
    let problems = SINGULAR.iter().filter_map(|row| not_zero(&judge, row));
    let problems: Vec<_> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns why a zero cotangent does not stay zero; none if it does.
fn not_zero(judge: &Judge<'_>, (op, operands): &Singular) -> Option<String> {
    let is_zero = |tangent: &Tensor| floats(tangent).iter().all(|&value| value == 0.0);
    match judge.derivatives(op, &ex("", operands), 0.0) {
        Ok(found) if found.iter().flatten().all(is_zero) => None,
        Err(Problem::NoKernel(_)) => None,
        found => Some(format!("{op}{operands:?}: {found:?}")),
    }
}

#[test]
fn derivatives_follow_conventions() {
    let context = context();
    let judge = Judge {
        context: &context,
        kernels: Kernels::load(),
    };
    let problems = CONVENTIONS
        .iter()
        .filter_map(|row| unconventional(&judge, row));
    let problems: Vec<_> = problems.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Returns how a derivative differs from its convention; none if it does not.
fn unconventional(judge: &Judge<'_>, (op, operands, expected): &Convention) -> Option<String> {
    let found = match judge.derivatives(op, &ex("", operands), 1.0) {
        Ok([backward, _]) => backward.iter().flat_map(floats).collect::<Vec<_>>(),
        Err(Problem::NoKernel(_)) => return None,
        Err(Problem::Wrong(problem)) => return Some(format!("{op}{operands:?}: {problem}")),
    };
    (found != *expected).then(|| format!("{op}{operands:?}: {found:?}, not {expected:?}"))
}

/// The number of mutants, of which one is judged unless [`TEST_ALL`] is set.
const SAMPLE: usize = 16;

/// The operations whose rules only second derivatives of others judge.
const JUDGED_BY: [(&str, &str); 2] = [
    ("FusedBatchNormGradV3", "FusedBatchNormV3"),
    ("tfx_ad.scale", "math.sqrt"),
];

/// The fate of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Killed,
    Survived,
    /// MLIR rejects the text, so that it is no mutant.
    Invalid,
}

#[test]
fn mutants_are_killed() {
    let only = std::env::var(ONLY).unwrap_or_default();
    let only: Vec<_> = only.split(',').filter(|name| !name.is_empty()).collect();
    let is_chosen =
        |mutant: &Mutant| only.is_empty() || mutant.ops.iter().any(|op| only.contains(&&**op));
    let step = match std::env::var_os(TEST_ALL).is_some() || !only.is_empty() {
        true => 1,
        false => SAMPLE,
    };
    let mutants: Vec<_> = mutants()
        .into_iter()
        .step_by(step)
        .filter(is_chosen)
        .collect();
    if !Kernels::load().are_there() {
        return eprintln!("skipped, since TensorFlow is not there");
    }
    let fates = judge_all(&mutants, fate);
    let fated = |fate: Fate| {
        let pairs = mutants.iter().zip(&fates);
        let fated = pairs.filter(move |(_, found)| **found == fate);
        fated.map(|(mutant, _)| mutant)
    };
    let killed = fated(Fate::Killed).count();
    let (same, others): (Vec<_>, Vec<_>) =
        fated(Fate::Survived).partition(|mutant| mutants::is_equivalent(&mutant.name));
    let (untested, survivors): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|mutant| mutant.is_untested());
    eprintln!(
        "{killed} killed, {} survived, {} compute the same, {} cannot run here, {} are no rules",
        survivors.len(),
        same.len(),
        untested.len(),
        fated(Fate::Invalid).count()
    );
    let others = fated(Fate::Killed).chain(fated(Fate::Invalid));
    let wrong = others.filter(|mutant| mutants::is_equivalent(&mutant.name));
    let lines = |mutants: &[&Mutant]| -> String {
        let names = mutants.iter().map(|mutant| format!("\n{}", mutant.name));
        names.collect()
    };
    let wrong: Vec<_> = wrong.collect();
    assert!(survivors.is_empty(), "survivors:{}", lines(&survivors));
    assert!(wrong.is_empty(), "listed, but killed:{}", lines(&wrong));
}

/// Judges a mutant until the first problem.
fn fate(judge: &Judge<'_>, mutant: &Mutant) -> Fate {
    if !mutant.is_valid(judge.context) {
        return Fate::Invalid;
    }
    let _messages = Collector::new(judge.context);
    let is_killed = tfx_ad::with_rules(mutant.file, &mutant.text, || {
        let mut ops: Vec<&str> = mutant.ops.iter().map(String::as_str).collect();
        let by = JUDGED_BY.iter().filter(|(op, _)| ops.contains(op));
        let by: Vec<_> = by.map(|(_, by)| *by).collect();
        ops.extend(by);
        let is_judge = |op: &str| ops.contains(&op);
        let rows: Vec<_> = table().filter(|row| is_judge(row.op)).collect();
        let fails = |(typing, order)| {
            rows.iter().any(|row| {
                let examples = row.examples.iter();
                let mut examples = examples.filter(|it| it.has_second || order == Order::First);
                examples.any(|example| judge.judge(row.op, example, typing, order).is_err())
            })
        };
        fails(JUDGED[0])
            || SINGULAR
                .iter()
                .any(|row| is_judge(row.0) && not_zero(judge, row).is_some())
            || CONVENTIONS
                .iter()
                .any(|row| is_judge(row.0) && unconventional(judge, row).is_some())
            || JUDGED[1..].iter().any(|judged| fails(*judged))
    });
    if is_killed {
        Fate::Killed
    } else {
        Fate::Survived
    }
}

#[test]
fn each_rule_has_examples() {
    let mut listed: Vec<_> = table().map(|row| row.op.to_owned()).collect();
    listed.sort_unstable();
    assert_eq!(listed, tfx_ad::operations_with_rules(&context()));
    let without = table().filter(|row| row.examples.is_empty() && row.note.is_empty());
    assert_eq!(without.map(|row| row.op).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn each_scalar_operation_on_floats_has_a_rule() {
    let has_floats = |row: &&ScalarOp| match row.support {
        Support::Both(form) => matches!(form, Form::Floats | Form::FloatCast | Form::Select),
        Support::Host(_) => HOST_FLOATS.contains(&row.name),
        Support::Refused(_) => false,
    };
    let names: Vec<_> = table().map(|row| row.op).collect();
    let missing = OPERATIONS.iter().filter(has_floats).map(|row| row.name);
    let missing: Vec<_> = missing.filter(|name| !names.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
}

/// The operations of [`Support::Host`] on floats.
const HOST_FLOATS: [&str; 4] = ["math.cbrt", "math.fma", "math.fpowi", "math.sincos"];

/// The derivative of `Selu` for positive numbers.
const SELU: f64 = 1.0507009873554805;

type Convention = (&'static str, &'static [&'static str], &'static [f64]);
type Singular = (&'static str, &'static [&'static str]);

/// Operands at which an operation has no derivative, or another one than differences, and the
/// tangents of all operands for the cotangent 1.
const CONVENTIONS: &[Convention] = &[
    ("arith.maximumf", &["f64 = 2", "f64 = 2"], &[1.0, 0.0]),
    ("arith.minimumf", &["f64 = 2", "f64 = 2"], &[1.0, 0.0]),
    ("arith.maxnumf", &["f64 = 2", "f64 = 2"], &[1.0, 0.0]),
    ("arith.maxnumf", &["f64 = 2", "f64 = NaN"], &[1.0, 0.0]),
    ("arith.maxnumf", &["f64 = NaN", "f64 = 2"], &[0.0, 1.0]),
    ("arith.minnumf", &["f64 = 2", "f64 = 2"], &[1.0, 0.0]),
    ("arith.minnumf", &["f64 = 2", "f64 = NaN"], &[1.0, 0.0]),
    ("arith.minnumf", &["f64 = NaN", "f64 = 2"], &[0.0, 1.0]),
    (
        "math.clampf",
        &["f64 = 1", "f64 = 1", "f64 = 2"],
        &[1.0, 0.0, 0.0],
    ),
    (
        "math.clampf",
        &["f64 = 2", "f64 = 1", "f64 = 2"],
        &[1.0, 0.0, 0.0],
    ),
    ("math.absf", &["f64 = 0"], &[0.0]),
    ("math.copysign", &["f64 = -3", "f64 = 2"], &[-1.0, 0.0]),
    ("math.powf", &["f64 = 0", "f64 = 2"], &[0.0, 0.0]),
    ("math.powf", &["f64 = 0", "f64 = 0"], &[0.0, 0.0]),
    ("math.powf", &["f64 = -2", "f64 = 2"], &[-4.0, 0.0]),
    ("math.fpowi", &["f64 = 0", "i32 = 1"], &[1.0]),
    ("Maximum", &["2 = 2 3", "2 = 2 4"], &[1.0, 0.0, 0.0, 1.0]),
    ("Minimum", &["2 = 2 3", "2 = 2 4"], &[1.0, 1.0, 0.0, 0.0]),
    (
        "ClipByValue",
        &["2 = 1 2", "[] = 1", "[] = 2"],
        &[1.0, 1.0, 0.0, 0.0],
    ),
    ("DivNoNan", &["1 = 1", "1 = 0"], &[0.0, 0.0]),
    ("Xlogy", &["2 = 0 2", "2 = 2 1"], &[0.0, 0.0, 0.0, 2.0]),
    ("Xlogy", &["1 = 0", "1 = 0"], &[0.0, 0.0]),
    ("Xlog1py", &["2 = 0 2", "2 = 1 0"], &[0.0, 0.0, 0.0, 2.0]),
    ("Xlog1py", &["1 = 0", "1 = -1"], &[0.0, 0.0]),
    ("Xdivy", &["2 = 0 2", "2 = 2 4"], &[0.0, 0.25, 0.0, -0.125]),
    ("Xdivy", &["1 = 0", "1 = 0"], &[0.0, 0.0]),
    ("EluGrad", &["1 = 3", "1 = 0"], &[1.0, 0.0]),
    ("SeluGrad", &["1 = 3", "1 = 0"], &[SELU, 0.0]),
    (
        "Pow",
        &["3 = 0 0 -2", "3 = 2 0 2"],
        &[0.0, 0.0, -4.0, 0.0, 0.0, 0.0],
    ),
    ("Abs", &["1 = 0"], &[0.0]),
    ("Relu", &["1 = 0"], &[0.0]),
    ("Relu6", &["2 = 0 6"], &[0.0, 0.0]),
    ("LeakyRelu", &["1 = 0"], &[0.20000000298023224]),
    ("Elu", &["1 = 0"], &[1.0]),
    ("Max", &["3 = 2 1 2", "[]xi32 = 0"], &[0.5, 0.0, 0.5]),
    ("Min", &["3 = 2 1 1", "[]xi32 = 0"], &[0.0, 0.5, 0.5]),
    ("EuclideanNorm", &["2 = 0 0", "[]xi32 = 0"], &[0.0, 0.0]),
    ("StopGradient", &["2 = 1 2"], &[0.0, 0.0]),
];

/// Operands at which a partial derivative is infinite or not a number.
const SINGULAR: &[Singular] = &[
    ("arith.divf", &["f64 = 1", "f64 = 0"]),
    ("arith.divf", &["f64 = 0", "f64 = 0"]),
    ("math.acos", &["f64 = 1"]),
    ("math.asin", &["f64 = -1"]),
    ("math.atanh", &["f64 = 1"]),
    ("math.acosh", &["f64 = 1"]),
    ("math.atan2", &["f64 = 0", "f64 = 0"]),
    ("math.sqrt", &["f64 = 0"]),
    ("math.cbrt", &["f64 = 0"]),
    ("math.log", &["f64 = 0"]),
    ("math.log2", &["f64 = 0"]),
    ("math.log10", &["f64 = 0"]),
    ("math.log1p", &["f64 = -1"]),
    ("math.rsqrt", &["f64 = 0"]),
    ("math.exp", &["f64 = 1000"]),
    ("math.exp2", &["f64 = 2000"]),
    ("math.expm1", &["f64 = 1000"]),
    ("math.sinh", &["f64 = 1000"]),
    ("math.cosh", &["f64 = 1000"]),
    ("math.powf", &["f64 = 0", "f64 = 0.5"]),
    ("math.powf", &["f64 = 0", "f64 = -1"]),
    ("math.powf", &["f64 = -1", "f64 = 0.5"]),
    ("math.fpowi", &["f64 = 0", "i32 = -1"]),
    ("Div", &["2 = 1 0", "2 = 0 0"]),
    ("DivNoNan", &["2 = 1 0", "2 = 0 0"]),
    ("Pow", &["3 = 0 0 -1", "3 = 0.5 -1 0.5"]),
    ("Atan2", &["1 = 0", "1 = 0"]),
    ("Xlogy", &["2 = 0 1", "2 = 0 0"]),
    ("Xdivy", &["2 = 0 1", "2 = 0 0"]),
    ("Xlog1py", &["2 = 0 1", "2 = -1 -1"]),
    ("MulNoNan", &["1 = inf", "1 = 0"]),
    ("Tan", &["1 = inf"]),
    ("Erfinv", &["1 = 1"]),
    ("Lgamma", &["1 = 0"]),
    ("Digamma", &["1 = 0"]),
    ("Polygamma", &["1 # 1", "1 = 0"]),
    ("RsqrtGrad", &["1 = inf", "1 = 1"]),
    ("Sqrt", &["1 = 0"]),
    ("Rsqrt", &["1 = 0"]),
    ("Reciprocal", &["1 = 0"]),
    ("Exp", &["1 = 1000"]),
    ("Expm1", &["1 = 1000"]),
    ("Log", &["2 = 0 -1"]),
    ("Log1p", &["1 = -1"]),
    ("Asin", &["1 = 1"]),
    ("Acos", &["1 = -1"]),
    ("Acosh", &["1 = 1"]),
    ("Atanh", &["1 = 1"]),
    ("Sinh", &["1 = 1000"]),
    ("Cosh", &["1 = 1000"]),
    ("SqrtGrad", &["1 = 0", "1 = 1"]),
    ("EuclideanNorm", &["2 = 0 0", "[]xi32 = 0"]),
];
