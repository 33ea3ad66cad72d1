//! The challenging instances of minimalloc, which fit into 1 MiB.
//!
//! The files `A.1048576.csv` to `K.1048576.csv` are in `benchmarks/challenging` of
//! <https://github.com/google/minimalloc> (Apache-2.0). They are not in this repository: the tests
//! read them from the folder that `TFX_MINIMALLOC` names, and pass without it. Squares that are cut
//! into buffers (`random.rs`) are the substitute that is always there.

use std::path::PathBuf;

use tfx_memory::{Options, check, plan};

use crate::support::read_csv;

/// The variable that names the folder.
const FOLDER: &str = "TFX_MINIMALLOC";
/// The variable with which the tests that take longer run.
const TEST_ALL: &str = "TFX_TEST_ALL";
/// Enough for each instance: all but I take a few seconds at most.
const VISITS: u64 = 60_000_000_000;

fn fits(name: char) {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return eprintln!("{FOLDER} is not set: instance {name} is skipped");
    };
    let path = PathBuf::from(folder).join(format!("{name}.1048576.csv"));
    let text = std::fs::read_to_string(&path).expect("the file exists");
    let problem = read_csv(&text);
    let capacity = 1 << 20;
    let plan = plan(
        &problem,
        &Options {
            capacity,
            visits: VISITS,
        },
    );
    assert_eq!(check(&problem, &plan.offsets, plan.size), Ok(()));
    assert!(plan.size <= capacity, "{name}: {plan}");
}

#[test]
fn instances_fit_into_a_mebibyte() {
    "ABCDEFGHJK".chars().for_each(fits);
}

#[test]
fn the_hardest_instance_fits_into_a_mebibyte() {
    match std::env::var_os(TEST_ALL) {
        Some(_) => fits('I'),
        None => eprintln!("{TEST_ALL} is not set: instance I is skipped"),
    }
}
