//! Cases of XLA's heap simulator and of TVM's unified static memory planner, written again.
//!
//! The numbers are those of `heap_simulator_test.cc` in XLA (algorithms on a heap without a
//! computation) and of `test_tir_usmp_algo.py` in TVM. XLA's *colocated* buffers share an offset; a
//! buffer of which the contents are not needed for some time says the same.

use tfx_memory::{Buffer, Interval, Lifetimes, Options, Plan, Problem, check, plan};

use crate::support::intervals;

fn checked(problem: &Problem) -> Plan {
    let plan = plan(problem, &Options::default());
    assert_eq!(check(problem, &plan.offsets, plan.size), Ok(()));
    assert!(plan.is_optimal, "{plan}");
    plan
}

fn with_gap(rows: &[(u64, &[(u64, u64)])]) -> Problem {
    let buffers = rows.iter().map(|&(size, _)| Buffer { size, alignment: 1 });
    let lifetimes = rows.iter().map(|(_, pieces)| {
        let pieces = pieces.iter().map(|&(start, end)| Interval { start, end });
        pieces.collect()
    });
    let lifetimes = Lifetimes::Intervals(lifetimes.collect());
    Problem::new(buffers.collect(), lifetimes).expect("the problem is valid")
}

#[test]
fn xla_statistics_without_fragmentation() {
    assert_eq!(checked(&intervals(1, &[])).bound, 0);
    let simple = [(10, 0, 4), (20, 1, 5), (30, 2, 6), (30, 3, 7)];
    assert_eq!(checked(&intervals(1, &simple)).bound, 90);
    let mixed = [(10, 0, 7), (20, 1, 2), (30, 3, 4), (5, 5, 6)];
    assert_eq!(checked(&intervals(1, &mixed)).bound, 40);
}

#[test]
fn xla_decreasing_size() {
    let rows = [(10, 0, 4), (30, 1, 5), (20, 2, 6), (40, 3, 7)];
    assert_eq!(checked(&intervals(1, &rows)).size, 100);
}

#[test]
fn xla_decreasing_size_with_alignment() {
    let rows = [(10, 0, 3), (20, 1, 5), (50, 2, 6), (40, 4, 7)];
    assert_eq!(checked(&intervals(20, &rows)).size, 120);
}

#[test]
fn xla_best_fit() {
    let rows = [(10, 0, 3), (20, 1, 6), (40, 2, 7), (30, 4, 8), (50, 5, 9)];
    assert_eq!(checked(&intervals(1, &rows)).size, 140);
}

#[test]
fn xla_colocated() {
    let apart: &[(u64, u64)] = &[(0, 1), (4, 5)];
    assert_eq!(checked(&with_gap(&[(40, apart), (20, &[(2, 3)])])).size, 40);
    assert_eq!(checked(&with_gap(&[(40, apart), (20, &[(2, 6)])])).size, 60);
    assert_eq!(checked(&with_gap(&[(10, apart), (30, &[(2, 6)])])).size, 40);
}

/// XLA places these one by one and with preferred offsets, in 35 bytes.
#[test]
fn xla_chunk_candidates() {
    let rows = [
        (5, 6, 11),
        (10, 3, 6),
        (5, 2, 9),
        (5, 0, 3),
        (10, 11, 14),
        (5, 3, 6),
        (10, 4, 9),
    ];
    assert!(checked(&intervals(1, &rows)).size <= 35);
}

/// A chain of a cast, a convolution and a pooling. TVM plans a fast pool of 200,704 bytes, which
/// holds the last buffer, and a slow one of 1,418,528. One pool of 1,117,718 bytes is enough.
#[test]
fn tvm_linear() {
    let rows = [
        (301_056, 0, 2),     // result of the cast
        (2 * 157_323, 1, 3), // padded input of the convolution
        (802_816, 2, 4),     // result of the convolution
        (4 * 64, 2, 3),      // a row of it
        (200_704, 3, 4),     // result of the pooling
    ];
    assert_eq!(
        checked(&intervals(1, &rows)).size,
        2 * 157_323 + 802_816 + 256
    );
}

/// A residual block. TVM plans 7,920,256 bytes by size, and 7,200,256 by conflicts.
#[test]
fn tvm_fan_out() {
    let rows = [
        (720_000, 0, 8), // the input, which the first and the last convolution read
        (720_000, 1, 3), // first convolution: padded input, a row, result
        (256, 2, 3),
        (720_000, 2, 4),
        (2 * 379_456, 3, 5), // second convolution
        (256, 4, 5),
        (720_000, 4, 6),
        (720_000, 5, 7), // third convolution
        (256, 6, 7),
        (5_760_000, 6, 9),
        (720_000, 7, 9), // fourth convolution, whose result is not in the pool
        (256, 8, 9),
    ];
    assert_eq!(checked(&intervals(1, &rows)).size, 7_200_256);
}
