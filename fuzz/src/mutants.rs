//! Mutation testing of the whole pipeline: each mutant of a list is put into the compiler, and random programs look for it.
//!
//! ```text
//!   sources + fuzz/mutants/*.toml ──> a copy with all mutants, built once ──> TFX_MUTANT=1 tfx-fuzz worker ...   caught after 3 programs, by: compiled
//!                                                                           TFX_MUTANT=2 tfx-fuzz worker ...   not killed
//! ```
//!
//! A mutant is caught by the first program that shows a mismatch: a wrong line, a stage that is rejected, a crash, a hang, too much memory. One that is listed with a
//! reason why none can find it must not be killed.
//!
//! Cost: one build, and the programs until a mutant is killed.

pub mod list;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tfx::Error;
use tfx::runtime::ExecutorKind;

use crate::check::Depth;
use crate::generate::Overrides;
use crate::pool::{self, Bounds, Check, Job, WorkerProgram};
use crate::print_line;
use list::Mutant;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct MutationRun {
    /// The sources, of which git knows the files.
    pub sources: PathBuf,
    /// Where the copy is, and its build.
    pub folder: PathBuf,
    /// The first seed.
    pub seed: u64,
    /// How many programs may try to find a mutant.
    pub count: u64,
    /// How many processes.
    pub workers: u64,
    /// Parts of the names of the mutants that are tried; all, if there is none.
    pub names: Vec<String>,
}

/// Many times what a program takes: what takes longer does not end.
const TIMEOUT: Duration = Duration::from_secs(12);
/// Many times what a program takes. A loop that does not end fills memory faster than time.
const MEMORY: u64 = 8 << 30;
/// The least part of the mutants that has to be killed, in percent.
const MIN_KILLED_PERCENT: usize = 98;
/// The number that no mutant has.
const NONE: usize = 0;
/// The variable that says which mutant is on; `mutants/answer.rs` reads it.
const VARIABLE: &str = "TFX_MUTANT";

/// Tries all, with a line for each and one at the end. Says whether enough were killed, and every other one is explained.
///
/// # Errors
/// Lists that do not fit the sources, and a build that fails.
pub fn run(options: &MutationRun) -> Result<bool, Error> {
    let mutants = list::read(&options.sources.join("fuzz/mutants")).map_err(Error::new)?;
    let program = build(options, &mutants)?;
    let is_wanted = |mutant: &Mutant| {
        options.names.is_empty() || options.names.iter().any(|part| mutant.name.contains(part))
    };
    let tried = (1..).zip(&mutants).filter(|(_, mutant)| is_wanted(mutant));
    print_line("| mutant | kind | caught after | by |\n|---|---|---|---|")?;
    let (mut all, mut killed, mut unexpected) = (0, 0, 0);
    for (number, mutant) in tried {
        let found = search(options, &program, (number, mutant))?;
        all += 1;
        killed += usize::from(found.is_some());
        unexpected += usize::from(found.is_some() == mutant.survives.is_some());
        print_line(&line(mutant, found.as_ref()))?;
    }
    print_line(&format!(
        "{all} mutants, {killed} caught ({}.{} %), {unexpected} unexplained",
        100 * killed / all.max(1),
        1000 * killed / all.max(1) % 10
    ))?;
    Ok(100 * killed >= MIN_KILLED_PERCENT * all && unexpected == 0)
}

/// How a mutant was found.
struct Kill {
    /// How many programs were tried, this one included.
    programs: u64,
    /// The first stage that was wrong.
    stage: String,
    /// In what way.
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
            "| {name} | {kind} | {} | {}: {}, though it is said to survive |",
            found.programs, found.stage, found.what
        ),
        (None, Some(why)) => format!("| {name} | {kind} | never | {why} |"),
        (None, None) => format!("| {name} | {kind} | never | **not explained** |"),
    }
}

/// Runs programs until one shows the mutant. One that shows a mismatch without it is none of the mutant's, and one that shows none when it runs
/// again, such as a process that was late on a busy machine, neither.
fn search(
    options: &MutationRun,
    program: &Path,
    (number, mutant): (usize, &Mutant),
) -> Result<Option<Kill>, Error> {
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
                what: what(&message),
            }));
        }
        seed = found + 1;
    }
    Ok(None)
}

/// The first seed of so many whose program shows a mismatch while a mutant is on.
fn first_mismatch(
    options: &MutationRun,
    program: &Path,
    (number, mutant): (usize, &Mutant),
    (seed, count): (u64, u64),
) -> Result<Option<(u64, String)>, Error> {
    let (depth, check) = depth_and_check(mutant);
    let job = Job {
        seed,
        count,
        overrides: Overrides::default(),
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
    let outcome =
        pool::run(&job).map_err(|error| Error::new(format!("cannot run workers: {error}")))?;
    Ok(outcome.mismatches.into_iter().next())
}

/// How far a program is checked for a mutant, and for what: up to the end of the pass family that the
/// mutant is in, for what comes later takes most of the time.
fn depth_and_check(mutant: &Mutant) -> (Depth, Check) {
    let is_in = |pass: &str| mutant.file.starts_with(pass);
    // What a graph cannot run shows when one is made of it.
    let is_shown_by_partition = mutant.file.ends_with("/graph_functions.rs");
    let interpreted = Check::Stages(None);
    if is_in("passes/copy_analysis") {
        // Which changes no program, only what is reported of it.
        (Depth::All, Check::Copies)
    } else if is_in("passes/deabstraction") && !is_shown_by_partition {
        (Depth::Deabstracted, interpreted)
    } else if is_in("passes/sese") {
        (Depth::Structured, interpreted)
    } else if is_in("passes/partition") || is_shown_by_partition {
        (Depth::Partitioned, interpreted)
    } else if is_in("passes/lowering/src/legalize_graph") {
        (Depth::All, interpreted)
    } else {
        (Depth::All, Check::Stages(Some(ExecutorKind::Embedded)))
    }
}

/// The stage that a message is about.
fn stage(message: &str) -> &str {
    match message.split_once(": ") {
        Some(("the compiler does not survive it", _)) | None => "compiler",
        Some((stage, _)) => stage,
    }
}

/// In a few words, what a message says.
fn what(message: &str) -> &'static str {
    const KNOWN: [(&str, &str); 9] = [
        ("does not survive", "it crashes or does not end"),
        ("it is rejected", "rejected"),
        ("does not parse", "does not parse"),
        ("does not print", "does not print as it was parsed"),
        ("it ends by signal", "it crashes"),
        ("it has not ended", "it does not end"),
        ("the source says", "shows something else"),
        ("not stable", "not stable"),
        (
            "left on the host",
            "leaves an operation of a graph on the host",
        ),
    ];
    let known = KNOWN.iter().find(|(part, _)| message.contains(part));
    known.map_or("differs", |(_, what)| what)
}

/// Copies the sources with all mutants, and builds what checks programs there.
fn build(options: &MutationRun, list: &[Mutant]) -> Result<PathBuf, Error> {
    let failed = |what: &str, why: String| Error::new(format!("cannot {what}: {why}"));
    let mut files = list::files(&options.sources, list).map_err(Error::new)?;
    let tree = options.folder.join("tree");
    for name in known_to_git(&options.sources)? {
        if !files.contains_key(&name)
            && let Ok(bytes) = fs::read(options.sources.join(&name))
        {
            write(&tree.join(&name), &bytes)
                .map_err(|error| failed("copy the sources", error.to_string()))?;
        }
        // What is left are new files.
        if let Some(text) = files.remove(&name) {
            write(&tree.join(&name), text.as_bytes())
                .map_err(|error| failed("write the mutants", error.to_string()))?;
        }
    }
    for (name, text) in files {
        write(&tree.join(&name), text.as_bytes())
            .map_err(|error| failed("write the mutants", error.to_string()))?;
    }
    let target = std::path::absolute(options.folder.join("build"))
        .map_err(|error| failed("name the build", error.to_string()))?;
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--package", "tfx-fuzz"])
        .current_dir(&tree)
        .env("CARGO_TARGET_DIR", &target)
        // What is around a mutant is not beautiful.
        .env("RUSTFLAGS", "-Awarnings")
        .status()
        .map_err(|error| failed("start cargo", error.to_string()))?;
    match status.success() {
        true => Ok(target.join("release/tfx-fuzz")),
        false => Err(failed(
            "build the compiler with mutants",
            status.to_string(),
        )),
    }
}

/// Writes a file, unless it is the same already: what has not changed is not built again.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)
}

/// The files of the sources, from their root; those that are new and not ignored, too.
fn known_to_git(sources: &Path) -> Result<Vec<String>, Error> {
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
        .ok_or_else(|| Error::new("cannot list the sources: git does not know them"))?;
    let names = String::from_utf8(output.stdout)
        .map_err(|_| Error::new("cannot list the sources: a name is no text"))?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}
