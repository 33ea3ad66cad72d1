//! Mutation testing: whatever is broken in what `tfx-partition` made, `tfx-verify-protocol` finds it, if it changes what happens on the channels.
//!
//! ```text
//!   programs of tests/lit and examples ──partition──► host and graph ──fault──► mutant ──┬── tfx-verify-protocol
//!                                                                                        └── machine: does it run as before?
//! ```
//!
//! Every kind of fault is tried at every operation of every program. The judge of whether a fault matters is a machine that runs both sides with several inputs
//! and capacities: a mutant that gets stuck, leaves a message or a program behind or mixes up types on any run must be rejected. One that
//! runs as before but gives other results is a wrong program with a right protocol (a wrong tensor was sent), which no look at the two sides can tell.

mod faults;
mod machine;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use melior::Context;
use tfx_ir::diag::Collector;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, module, pipeline};

use crate::faults::{KINDS, is_well_formed};
use crate::machine::{Chance, Outcome, Peaks, run};

/// Where programs come from, and which passes make two sides of them.
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
    ("tests/lit/passes/protocol/aborts.mlir", "tfx-partition"),
    // Both sides are written by hand there.
    (
        "tests/lit/passes/protocol/cancelled_loops.mlir",
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
const VERIFY: &str = "builtin.module(tfx-verify-protocol)";
/// Each mutant is run with these.
const CHANCES: [Chance; 6] = [
    Chance {
        seed: 1,
        capacity: 1,
    },
    Chance {
        seed: 2,
        capacity: 1,
    },
    Chance {
        seed: 3,
        capacity: 1,
    },
    Chance {
        seed: 4,
        capacity: 2,
    },
    Chance {
        seed: 5,
        capacity: usize::MAX,
    },
    Chance {
        seed: 6,
        capacity: 1,
    },
];
/// Inputs for each function where only the channels' contents are looked at.
const SEEDS: u64 = 16;
/// Fewer would mean that the programs have lost their messages.
const FEWEST_CAUGHT: usize = 500;

/// What became of the mutants of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    mutants: usize,
    rejected: usize,
    /// A run went wrong on the channels.
    faulty: usize,
    faulty_and_rejected: usize,
    /// Accepted, and a run gave other results.
    other_data: usize,
    /// Accepted, and no run was different.
    same: usize,
}

#[test]
fn every_fault_on_the_channels_is_caught() {
    let context = Context::new();
    tfx::prepare(&context);
    let collector = Collector::new(&context);
    let programs = programs(&context);
    assert!(programs.len() >= 40, "only {} programs", programs.len());

    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut missed = Vec::new();
    for (name, text) in &programs {
        let original = outcomes(&context, text, None)
            .expect("nothing was changed")
            .1;
        let ops = parse(&context, text, |module| module.walk().count());
        for kind in &KINDS {
            for (op, way) in (0..ops).flat_map(|op| (0..kind.ways).map(move |way| (op, way))) {
                let fault = |module: Op<'_>| {
                    let op = module.walk().nth(op).expect("it was counted");
                    (kind.inject)(op, way) && is_well_formed(module)
                };
                let Some((rejected, runs)) = outcomes(&context, text, Some(&fault)) else {
                    continue;
                };
                let faulty = runs.iter().any(|run| matches!(run, Outcome::Fault(_)));
                let count = counts.entry(kind.name).or_default();
                count.mutants += 1;
                count.rejected += usize::from(rejected);
                count.faulty += usize::from(faulty);
                count.faulty_and_rejected += usize::from(faulty && rejected);
                count.other_data += usize::from(!rejected && !faulty && runs != original);
                count.same += usize::from(!rejected && !faulty && runs == original);
                if faulty && !rejected {
                    missed.push(format!(
                        "{name}: {} at operation {op}, way {way}: {runs:?}",
                        kind.name
                    ));
                }
            }
        }
    }
    drop(collector);
    print(&programs, &counts);
    assert!(missed.is_empty(), "not caught:\n{}", missed.join("\n"));
    for kind in &KINDS {
        let count = counts.get(kind.name).copied().unwrap_or_default();
        assert!(
            count.faulty_and_rejected > 0,
            "no fault of the kind '{}' was tried",
            kind.name
        );
    }
    let caught: usize = counts.values().map(|count| count.faulty_and_rejected).sum();
    assert!(caught >= FEWEST_CAUGHT, "only {caught} faults");
}

fn print(programs: &[(String, String)], counts: &BTreeMap<&str, Count>) {
    println!("{} programs", programs.len());
    println!(
        "| fault | mutants | go wrong in a run | of these caught | rejected in all | accepted: other results | accepted: no difference |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut total = Count::default();
    let row = |name: &str, count: &Count| {
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            count.mutants,
            count.faulty,
            count.faulty_and_rejected,
            count.rejected,
            count.other_data,
            count.same
        );
    };
    for (name, count) in counts {
        row(name, count);
        total.mutants += count.mutants;
        total.rejected += count.rejected;
        total.faulty += count.faulty;
        total.faulty_and_rejected += count.faulty_and_rejected;
        total.other_data += count.other_data;
        total.same += count.same;
    }
    row("all", &total);
}

/// The programs in a folder, or the one of that name.
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

/// The partitioned programs in which something crosses, as text.
fn programs(context: &Context) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut programs = Vec::new();
    for (place, passes) in SOURCES {
        for file in files(&root.join(place)) {
            let text = fs::read_to_string(&file).expect("the file is there");
            for (number, part) in text.split("// -----").enumerate() {
                // Loops need not run so often here.
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

/// The text after partition, if it goes that far and starts a graph; what is wrong with the protocol then is a failure of the test.
fn partition(context: &Context, text: &str, passes: &str) -> Option<String> {
    let module = module::parse(context, text, "program.mlir")?;
    let op = module::as_op(&module);
    let starts_graphs = || op.walk().any(|op| op.is("tfx_comm.start"));
    if starts_graphs() && pipeline::run(op, VERIFY).is_err() {
        // Cut by hand, to fit no protocol: not what partition makes.
        return None;
    }
    pipeline::run(op, &format!("builtin.module({passes})")).ok()?;
    if !starts_graphs() {
        return None;
    }
    let text = op.to_string();
    assert!(
        pipeline::run(op, VERIFY).is_ok(),
        "rejected, though nothing is wrong:\n{text}"
    );
    Some(text)
}

fn parse<T>(context: &Context, text: &str, then: impl FnOnce(Op<'_>) -> T) -> T {
    let module =
        module::parse_unverified(context, text, "partitioned.mlir").expect("it was printed");
    then(module::as_op(&module))
}

/// Whether the verifier rejects the program with that fault, and how it runs. `None` if the fault cannot be made there.
fn outcomes(
    context: &Context,
    text: &str,
    fault: Option<&dyn Fn(Op<'_>) -> bool>,
) -> Option<(bool, Vec<Outcome>)> {
    parse(context, text, |module| {
        if fault.is_some_and(|fault| !fault(module)) {
            return None;
        }
        let symbols = SymbolTable::new(module);
        let functions = symbols
            .ops()
            .filter(|op| op.is("func.func") && !op.is_declaration());
        let functions = functions.filter(|op| op.walk().any(|op| op.is("tfx_comm.start")));
        let runs = functions
            .flat_map(|function| CHANCES.map(|chance| run(function, &symbols, chance).0))
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
                .filter(|op| op.is("func.func") && !op.is_declaration())
            {
                for seed in 0..SEEDS {
                    let chance = Chance {
                        seed,
                        capacity: usize::MAX,
                    };
                    for (channel, held) in run(function, &symbols, chance).1 {
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
