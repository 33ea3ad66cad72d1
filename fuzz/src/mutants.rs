//! Mutation testing of the whole pipeline: random programs test a build of the compiler that
//! contains the mutants of a list.
//!
//! ```text
//!   sources + fuzz/mutants/*.toml ──> one build with all mutants
//!                                       ├─ TFX_MUTANT=1 tfx-fuzz worker ...   killed by program 3
//!                                       └─ TFX_MUTANT=2 tfx-fuzz worker ...   survived
//! ```
//!
//! A mutant is killed by the first program that shows a mismatch: a different line, a rejected
//! stage, a crash, a hang, or too much memory. A mutant that is listed with a reason why no program
//! can kill it must survive.
//!
//! Cost: one build, and the programs until a mutant is killed.

pub mod list;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use tfx::runtime::ExecutorKind;

use crate::check::Depth;
use crate::generate::Overrides;
use crate::pool::{self, Bounds, Check, Job, WorkerProgram};
use crate::print_line;
use list::Mutant;

/// The options of a mutation test.
#[derive(Clone, Debug)]
pub struct MutationRun {
    /// The source tree, a git repository.
    pub sources: PathBuf,
    /// The folder for the mutated copy and its build.
    pub folder: PathBuf,
    /// The first seed.
    pub seed: u64,
    /// The maximal number of programs per mutant.
    pub count: u64,
    /// The number of worker processes.
    pub workers: u64,
    /// The weights of features that override those of the seeds.
    pub overrides: Overrides,
    /// Parts of the names of the mutants to test; all mutants, if empty.
    pub names: Vec<String>,
}

/// A multiple of the time of one program: a program that exceeds it does not terminate.
const TIMEOUT: Duration = Duration::from_secs(12);
/// A multiple of the memory of one program. A loop that does not terminate exhausts memory before
/// time.
const MEMORY: u64 = 8 << 30;
/// The required percentage of killed mutants.
const MIN_KILLED_PERCENT: usize = 98;
/// The number that activates no mutant.
const NONE: usize = 0;
/// The environment variable with the number of the active mutant; `mutants/active.rs` reads it.
const VARIABLE: &str = "TFX_MUTANT";

/// Tests all mutants, and prints a row for each and a summary. Returns whether enough mutants were
/// killed, and exactly those survived that are expected to.
///
/// # Errors
/// Lists that do not match the sources; a build that fails.
pub fn run(options: &MutationRun) -> Result<bool> {
    let mutants = list::read(&options.sources.join("fuzz/mutants"))?;
    let program = build(options, &mutants)?;
    let is_wanted = |mutant: &Mutant| {
        options.names.is_empty() || options.names.iter().any(|part| mutant.name.contains(part))
    };
    let tried = (1..).zip(&mutants).filter(|(_, mutant)| is_wanted(mutant));
    print_line("| mutant | kind | killed after | by |\n|---|---|---|---|")?;
    let (mut all, mut killed, mut unexpected) = (0, 0, 0);
    for (number, mutant) in tried {
        let found = search(options, &program, (number, mutant))?;
        all += 1;
        killed += usize::from(found.is_some());
        unexpected += usize::from(found.is_some() == mutant.survives.is_some());
        print_line(&line(mutant, found.as_ref()))?;
    }
    print_line(&format!(
        "{all} mutants, {killed} killed ({}.{} %), {unexpected} unexpected",
        100 * killed / all.max(1),
        1000 * killed / all.max(1) % 10
    ))?;
    Ok(100 * killed >= MIN_KILLED_PERCENT * all && unexpected == 0)
}

/// The program that killed a mutant.
struct Kill {
    /// The number of programs that ran, including this one.
    programs: u64,
    /// The first stage with a mismatch.
    stage: String,
    /// The kind of the mismatch.
    what: &'static str,
}

fn line(mutant: &Mutant, found: Option<&Kill>) -> String {
    let Mutant { name, kind, .. } = mutant;
    match (found, &mutant.survives) {
        (Some(found), None) => format!(
            "| {name} | {kind} | {} | {}: {} |",
            found.programs, found.stage, found.what
        ),
        (Some(found), Some(_)) => format!(
            "| {name} | {kind} | {} | {}: {}, although it was expected to survive |",
            found.programs, found.stage, found.what
        ),
        (None, Some(why)) => format!("| {name} | {kind} | survived | {why} |"),
        (None, None) => format!("| {name} | {kind} | survived | **unexpected** |"),
    }
}

/// Runs programs until one kills the mutant. A mismatch that also occurs without the mutant does
/// not count, nor does one that does not reproduce, such as a timeout on a loaded machine.
fn search(
    options: &MutationRun,
    program: &Path,
    (number, mutant): (usize, &Mutant),
) -> Result<Option<Kill>> {
    let end = options.seed.wrapping_add(options.count);
    let mut seed = options.seed;
    while seed < end {
        let found = first_mismatch(options, program, (number, mutant), (seed, end - seed))?;
        let Some((found, message)) = found else {
            return Ok(None);
        };
        let again = |number| first_mismatch(options, program, (number, mutant), (found, 1));
        if again(NONE)?.is_none() && again(number)?.is_some() {
            return Ok(Some(Kill {
                programs: found.wrapping_sub(options.seed) + 1,
                stage: stage(&message).to_owned(),
                what: classify(&message),
            }));
        }
        seed = found + 1;
    }
    Ok(None)
}

/// Returns the first of `count` seeds whose program shows a mismatch while the mutant is active.
fn first_mismatch(
    options: &MutationRun,
    program: &Path,
    (number, mutant): (usize, &Mutant),
    (seed, count): (u64, u64),
) -> Result<Option<(u64, String)>> {
    let (depth, check) = depth_and_check(mutant);
    let job = Job {
        seed,
        count,
        overrides: options.overrides.clone(),
        check,
        workers: options.workers,
        folder: None,
        bounds: Bounds {
            timeout: TIMEOUT,
            memory: Some(MEMORY),
            depth,
        },
        stop_at_first: true,
        worker_program: Some(WorkerProgram {
            program: program.to_owned(),
            variable: (VARIABLE.to_owned(), number.to_string()),
        }),
    };
    let outcome = pool::run(&job).context("cannot run workers")?;
    Ok(outcome.mismatches.into_iter().next())
}

/// Returns how far, and by which oracle, programs are checked for a mutant: up to the end of the
/// pass family that contains the mutant, since later stages take most of the time.
fn depth_and_check(mutant: &Mutant) -> (Depth, Check) {
    let is_in = |pass: &str| mutant.file.starts_with(pass);
    // Partition shows whether a graph contains operations that it cannot run.
    let is_shown_by_partition = mutant.file.ends_with("/graph_functions.rs");
    // Code, and schedules, run on the native executor only.
    let is_native = is_in("passes/native") || mutant.file.ends_with("/abi_native.rs");
    let is_streamed = is_in("passes/streams") || is_in("streams") || is_in("runtime/src/schedule");
    let interpreted = Check::Stages(None);
    let (depth, check) = if is_in("passes/copy_analysis") {
        // Copy analysis changes only diagnostics, not programs.
        (Depth::All, Check::Copies)
    } else if is_in("passes/ad") || is_in("passes/deabstraction") && !is_shown_by_partition {
        (Depth::Deabstracted, interpreted)
    } else if is_in("passes/sese") {
        (Depth::Structured, interpreted)
    } else if is_in("passes/partition") || is_shown_by_partition {
        (Depth::Partitioned, interpreted)
    } else if is_in("passes/lowering/src/legalize_graph") {
        (Depth::All, interpreted)
    } else if is_native || is_streamed {
        (Depth::All, Check::Stages(Some(ExecutorKind::Native)))
    } else {
        (Depth::All, Check::Stages(Some(ExecutorKind::Embedded)))
    };
    match check {
        Check::Stages(executor) if mutant.derivatives => (depth, Check::Derivatives(executor)),
        _ => (depth, check),
    }
}

/// Returns the stage of a mismatch.
fn stage(message: &str) -> &str {
    match message.split_once(": ") {
        Some(("the compiler crashes", _)) | None => "compiler",
        Some((stage, _)) => stage,
    }
}

/// Classifies the message of a mismatch.
fn classify(message: &str) -> &'static str {
    const KNOWN: [(&str, &str); 9] = [
        ("the compiler crashes", "crashes or does not terminate"),
        ("it is rejected", "rejected"),
        ("does not parse", "does not parse"),
        ("prints differently", "prints differently after parsing"),
        ("it is killed by signal", "compiled code crashes"),
        ("it does not terminate", "compiled code does not terminate"),
        ("expected '", "different behaviour"),
        ("a second run", "not idempotent"),
        (
            "graph operation remains on the host",
            "leaves a graph operation on the host",
        ),
    ];
    let known = KNOWN.iter().find(|(part, _)| message.contains(part));
    known.map_or("other mismatch", |(_, what)| what)
}

/// Copies the sources, inserts all mutants, and builds tfx-fuzz there.
fn build(options: &MutationRun, list: &[Mutant]) -> Result<PathBuf> {
    let tree = options.folder.join("tree");
    let write = |name: &str, bytes: &[u8]| {
        write(&tree.join(name), bytes).with_context(|| format!("cannot write '{name}'"))
    };
    let mut files = list::files(&options.sources, list)?;
    for name in known_to_git(&options.sources)? {
        if !files.contains_key(&name)
            && let Ok(bytes) = fs::read(options.sources.join(&name))
        {
            write(&name, &bytes)?;
        }
        // The remaining files are new.
        if let Some(text) = files.remove(&name) {
            write(&name, text.as_bytes())?;
        }
    }
    for (name, text) in files {
        write(&name, text.as_bytes())?;
    }
    let target = std::path::absolute(options.folder.join("build"))?;
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--package", "tfx-fuzz"])
        .current_dir(&tree)
        .env("CARGO_TARGET_DIR", &target)
        // Code around mutants causes warnings.
        .env("RUSTFLAGS", "-Awarnings")
        .status()
        .context("cannot start cargo")?;
    ensure!(
        status.success(),
        "cannot build the mutated compiler: {status}"
    );
    Ok(target.join("release/tfx-fuzz"))
}

/// Writes a file unless it has the same contents: unchanged files are not rebuilt.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// Returns the files of the source tree, relative to its root, including new files that are not
/// ignored.
fn known_to_git(sources: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(sources)
        .output()
        .ok()
        .filter(|output| output.status.success())
        .context("cannot list the sources: 'git ls-files' fails")?;
    let names = String::from_utf8(output.stdout)
        .map_err(|_| anyhow!("cannot list the sources: a file name is not UTF-8"))?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}
