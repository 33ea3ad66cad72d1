//! Mutation testing of `tfx-verify-protocol`: it rejects each mutant of a partitioned program that
//! violates the protocol in a run.
//!
//! ```text
//!   programs of tests/lit and examples ──partition──► host and graph ──mutate──► mutant ──┬── tfx-verify-protocol
//!                                                                                         └── simulator
//! ```
//!
//! Each kind of mutation is applied to each operation of each program. The simulator runs both
//! sides of a mutant with several inputs and capacities. A mutant that reaches a deadlock, leaves a
//! message or a program behind, or confuses types in any run must be rejected. A mutant with the
//! same messages but other results, such as one that sends the wrong tensor, is a wrong program
//! with a correct protocol; the verifier cannot detect it.

mod mutants;
mod simulator;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use melior::Context;
use tfx_dialects::comm;
use tfx_ir::diag::Collector;
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, module, pipeline};

use crate::mutants::{KINDS, is_well_formed};
use crate::simulator::{Outcome, Peaks, Variation, run};

/// The sources of the programs, and the passes that partition them.
const SOURCES: [(&str, &str); 8] = [
    ("tests/lit/passes/partition", "tfx-partition"),
    (
        "tests/lit/passes/partition/partition-motion.mlir",
        "tfx-partition{hoist-sends=false sink-receives=false send-once=false}",
    ),
    (
        "tests/lit/passes/partition/pack-scalars.mlir",
        "tfx-partition,tfx-pack-scalars",
    ),
    (
        "tests/lit/passes/protocol/verify-protocol-aborts.mlir",
        "tfx-partition",
    ),
    // Both sides are in the source.
    (
        "tests/lit/passes/protocol/verify-protocol-cancelled-loops.mlir",
        "tfx-verify-protocol",
    ),
    ("tests/lit/passes/copy_analysis", "tfx-partition"),
    (
        "tests/lit/tools/tfxc/programs",
        "tfx-deabstract,func.func(tfx-sese),tfx-partition",
    ),
    (
        "examples",
        "tfx-deabstract,func.func(tfx-sese),tfx-partition",
    ),
];
const fn variation(seed: u64, capacity: usize) -> Variation {
    Variation { seed, capacity }
}

const VERIFY: &str = "builtin.module(tfx-verify-protocol)";
/// Each mutant runs with each of these.
const VARIATIONS: [Variation; 6] = [
    variation(1, 1),
    variation(2, 1),
    variation(3, 1),
    variation(4, 2),
    variation(5, usize::MAX),
    variation(6, 1),
];
/// The number of inputs of each function for the comparison of occupancies.
const SEEDS: u64 = 16;
/// Fewer would mean that the programs have lost their messages.
const MIN_REJECTED: usize = 500;

/// The mutants of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    mutants: usize,
    rejected: usize,
    /// A run violates the protocol.
    violating: usize,
    both: usize,
    /// Accepted, and a run has other results.
    other_results: usize,
    /// Accepted, and all runs are equal.
    equal: usize,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.mutants += other.mutants;
        self.rejected += other.rejected;
        self.violating += other.violating;
        self.both += other.both;
        self.other_results += other.other_results;
        self.equal += other.equal;
    }
}

#[test]
fn mutants_that_violate_the_protocol_are_rejected() {
    let context = Context::new();
    tfx::prepare(&context);
    let collector = Collector::new(&context);
    let programs = programs(&context);
    assert!(programs.len() >= 40, "only {} programs", programs.len());

    drop(collector);

    // A thread takes the next program; each has a context of its own.
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let tested: Vec<_> = thread::scope(|scope| {
        let threads = (0..threads).map(|_| scope.spawn(|| test_all(&programs, &next)));
        let threads: Vec<_> = threads.collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("no panic");
        threads.into_iter().map(join).collect()
    });
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut missed = Vec::new();
    for (kind, count, messages) in tested.into_iter().flatten() {
        counts.entry(kind).or_default().add(count);
        missed.extend(messages);
    }
    print(&programs, &counts);
    assert!(missed.is_empty(), "not rejected:\n{}", missed.join("\n"));
    for kind in &KINDS {
        let count = counts.get(kind.name).copied().unwrap_or_default();
        assert!(
            count.both > 0,
            "no mutant of the kind '{}' was rejected",
            kind.name
        );
    }
    let rejected: usize = counts.values().map(|count| count.both).sum();
    assert!(rejected >= MIN_REJECTED, "only {rejected} mutants");
}

/// Tests the mutants of one program after the other. Returns the count of each kind, and the
/// mutants that are not rejected.
fn test_all(
    programs: &[(String, String)],
    next: &AtomicUsize,
) -> Vec<(&'static str, Count, Vec<String>)> {
    let context = Context::new();
    tfx::prepare(&context);
    // Rejections are counted, not printed.
    let _collector = Collector::new(&context);
    let mut tested = Vec::new();
    while let Some((name, text)) = programs.get(next.fetch_add(1, Relaxed)) {
        let original = outcomes(&context, text, None).expect("no mutation").1;
        let ops = parse(&context, text, |module| module.walk().count());
        for kind in &KINDS {
            let (mut count, mut missed) = (Count::default(), Vec::new());
            for (op, variant) in
                (0..ops).flat_map(|op| (0..kind.variants).map(move |variant| (op, variant)))
            {
                let mutation = |module: Op<'_>| {
                    let op = module.walk().nth(op).expect("it was counted");
                    (kind.mutate)(op, variant) && is_well_formed(module)
                };
                let Some((rejected, runs)) = outcomes(&context, text, Some(&mutation)) else {
                    continue;
                };
                let violating = runs.iter().any(|run| matches!(run, Outcome::Violation(_)));
                count.add(Count {
                    mutants: 1,
                    rejected: usize::from(rejected),
                    violating: usize::from(violating),
                    both: usize::from(violating && rejected),
                    other_results: usize::from(!rejected && !violating && runs != original),
                    equal: usize::from(!rejected && !violating && runs == original),
                });
                if violating && !rejected {
                    missed.push(format!(
                        "{name}: {} at operation {op}, variant {variant}: {runs:?}",
                        kind.name
                    ));
                }
            }
            tested.push((kind.name, count, missed));
        }
    }
    tested
}

fn print(programs: &[(String, String)], counts: &BTreeMap<&str, Count>) {
    println!("{} programs", programs.len());
    println!(
        "| mutation | mutants | violating | of these rejected | rejected | accepted: other results | accepted: no difference |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut total = Count::default();
    let row = |name: &str, count: &Count| {
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            count.mutants,
            count.violating,
            count.both,
            count.rejected,
            count.other_results,
            count.equal
        );
    };
    for (name, count) in counts {
        row(name, count);
        total.add(*count);
    }
    row("all", &total);
}

/// Returns the programs of a folder, or one file.
fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let mut files: Vec<_> = fs::read_dir(place)
        .expect("the folder is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|ext| ext == "mlir" || ext == "test")
        })
        .collect();
    files.sort();
    files
}

/// Returns the partitioned programs that start a graph, as text.
fn programs(context: &Context) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut programs = Vec::new();
    for (place, passes) in SOURCES {
        for file in files(&root.join(place)) {
            let text = fs::read_to_string(&file).expect("the file is there");
            for (number, part) in text.split("// -----").enumerate() {
                // Fewer iterations are enough here.
                let part = part
                    .replace("constant 1000 :", "constant 7 :")
                    .replace("constant 100 :", "constant 3 :");
                let name = format!(
                    "{} ({number})",
                    file.file_name().unwrap_or_default().to_string_lossy()
                );
                if let Some(text) = partition(context, &part, passes) {
                    programs.push((name, text));
                }
            }
        }
    }
    programs
}

/// Returns the text after partition, if partition succeeds and the program starts a graph. Panics
/// if the protocol is rejected.
fn partition(context: &Context, text: &str, passes: &str) -> Option<String> {
    let module = module::parse(context, text, "program.mlir")?;
    let op = module::as_op(&module);
    let starts_graphs = || op.walk().any(|op| op.isa::<comm::Start>());
    if starts_graphs() && pipeline::run(op, VERIFY).is_err() {
        // Written by hand without a valid protocol: not a result of partition.
        return None;
    }
    pipeline::run(op, &format!("builtin.module({passes})")).ok()?;
    if !starts_graphs() {
        return None;
    }
    let text = op.to_string();
    assert!(
        pipeline::run(op, VERIFY).is_ok(),
        "a correct program is rejected:\n{text}"
    );
    Some(text)
}

fn parse<T>(context: &Context, text: &str, then: impl FnOnce(Op<'_>) -> T) -> T {
    let module =
        module::parse_unverified(context, text, "partitioned.mlir").expect("it was printed");
    then(module::as_op(&module))
}

/// Returns whether the verifier rejects the program after a mutation, and its runs. `None` if the
/// mutation does not apply.
fn outcomes(
    context: &Context,
    text: &str,
    mutation: Option<&dyn Fn(Op<'_>) -> bool>,
) -> Option<(bool, Vec<Outcome>)> {
    parse(context, text, |module| {
        if mutation.is_some_and(|mutate| !mutate(module)) {
            return None;
        }
        let symbols = SymbolTable::new(module);
        let functions = symbols
            .ops()
            .filter(|op| op.isa::<func::Func>() && !op.is_declaration());
        let functions = functions.filter(|op| op.walk().any(|op| op.isa::<comm::Start>()));
        let runs = functions
            .flat_map(|function| VARIATIONS.map(|variation| run(function, &symbols, variation).0))
            .collect();
        let rejected = pipeline::run_unverified(module, VERIFY).is_err();
        Some((rejected, runs))
    })
}

#[test]
fn no_channel_holds_more_than_its_bound() {
    let context = Context::new();
    tfx::prepare(&context);
    let collector = Collector::new(&context);
    let programs = programs(&context);
    drop(collector);
    let mut compared = 0;
    for (name, text) in &programs {
        parse(&context, text, |module| {
            let symbols = SymbolTable::new(module);
            let mut peaks = Peaks::new();
            for function in symbols
                .ops()
                .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
            {
                for seed in 0..SEEDS {
                    let variation = variation(seed, usize::MAX);
                    for (channel, held) in run(function, &symbols, variation).1 {
                        let peak = peaks.entry(channel).or_default();
                        *peak = held.max(*peak);
                    }
                }
            }
            assert!(pipeline::run(module, VERIFY).is_ok(), "{name}");
            for ((graph, channel), held) in peaks {
                let proved = symbols
                    .get(&graph)
                    .and_then(|graph| graph.attribute("tfx_comm.protocol"));
                let proved = proved.expect("it has channels").to_string();
                if !proved.contains(&format!("\"{channel} can grow\"")) {
                    let bound = proved.split(&format!("\"{channel} holds ")).nth(1);
                    let bound: usize = bound
                        .and_then(|rest| rest.split('"').next()?.parse().ok())
                        .expect("a channel that is used has a bound or grows");
                    assert!(
                        held <= bound,
                        "{name}: channel {channel} of @{graph} held {held}: {proved}"
                    );
                    compared += 1;
                }
            }
        });
    }
    assert!(compared > programs.len() / 2, "only {compared} channels");
}
