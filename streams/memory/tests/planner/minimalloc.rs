//! The challenging instances of minimalloc, which fit into 1 MiB.
//!
//! The files `A.1048576.csv` to `K.1048576.csv` are in `benchmarks/challenging` of
//! <https://github.com/google/minimalloc> (Apache-2.0). They are not in this repository: the tests
//! read them from the folder that `TFX_MINIMALLOC` names, and run on request:
//! `TFX_MINIMALLOC=FOLDER cargo test --release -p tfx-memory -- --ignored`. Squares that are cut
//! into buffers (`random.rs`) are the substitute that is always there.

use std::path::PathBuf;

use tfx_memory::{Options, check, plan};

use crate::support::read_csv;

/// The variable that names the folder.
const FOLDER: &str = "TFX_MINIMALLOC";
/// Enough for each instance: all but I take a few seconds at most.
const VISITS: u64 = 60_000_000_000;

fn fits(name: char) {
    let folder = std::env::var_os(FOLDER).expect("TFX_MINIMALLOC names the folder");
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
#[ignore = "reads files that are not in the repository"]
fn instances_fit_into_a_mebibyte() {
    "ABCDEFGHJK".chars().for_each(fits);
}

#[test]
#[ignore = "reads files that are not in the repository"]
fn the_hardest_instance_fits_into_a_mebibyte() {
    fits('I');
}
