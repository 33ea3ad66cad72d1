//! Prints the bound, the plan and the time of problems.
//!
//! ```text
//! cargo run --release -p tfx-memory --example memory-plans -- [FILE.csv...]
//! ```
//!
//! The files have the format of minimalloc, `id,lower,upper,size`, and are planned for a capacity
//! of 1 MiB. Without files, the problems are random: programs on one stream and on four streams.

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/planner/support.rs"]
mod support;

use std::time::Instant;

use tfx_memory::{Options, Problem, Random, check, plan};

/// Visits for a file: enough for the published instances.
const VISITS: u64 = 60_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        let problem = support::read_csv(&std::fs::read_to_string(file)?);
        let options = Options {
            capacity: 1 << 20,
            visits: VISITS,
        };
        report(file.rsplit('/').next().unwrap_or(file), &problem, &options)?;
    }
    if files.is_empty() {
        for count in [1_000, 10_000, 100_000] {
            let problem = support::random_program(&mut Random::new(1), count);
            report(
                &format!("program of {count}"),
                &problem,
                &Options::default(),
            )?;
        }
        for count in [1_000, 10_000, 100_000] {
            let problem = support::random_streams(&mut Random::new(1), count, 4);
            report(
                &format!("4 streams, {count}"),
                &problem,
                &Options::default(),
            )?;
        }
        let problem = support::random_intervals(&mut Random::new(2), 10_000);
        report("dense intervals, 10000", &problem, &Options::default())?;
    }
    Ok(())
}

fn report(name: &str, problem: &Problem, options: &Options) -> Result<(), tfx_memory::Violation> {
    let start = Instant::now();
    let plan = plan(problem, options);
    let time = start.elapsed();
    let start = Instant::now();
    check(problem, &plan.offsets, plan.size)?;
    let checked = start.elapsed();
    println!("{name}: {plan}; {time:.3?}, check {checked:.3?}");
    Ok(())
}
