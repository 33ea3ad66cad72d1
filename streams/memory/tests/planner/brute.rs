//! The least size and the best bound of tiny problems, by enumeration.
//!
//! In a plan with the least sum of offsets, each buffer is as low as those below it permit. So
//! some order of the buffers, each placed on top of all conflicting ones before it, gives the least
//! size. The enumeration shares no code with the planner.

use tfx_memory::{Lifetimes, Problem};

/// Returns whether two buffers may not share bytes.
pub(crate) fn conflict(problem: &Problem, a: usize, b: usize) -> bool {
    let happens_before = |a: usize, b: usize| match problem.lifetimes() {
        Lifetimes::Spans(spans) => {
            (spans[a].last.iter().zip(&spans[b].before)).all(|(last, before)| last <= before)
        }
        Lifetimes::Intervals(_) => unreachable!("intervals are compared pairwise"),
    };
    let is_empty = |buffer: usize| problem.buffers()[buffer].size == 0;
    if is_empty(a) || is_empty(b) {
        return false;
    }
    match problem.lifetimes() {
        Lifetimes::Intervals(lifetimes) => lifetimes[a].iter().any(|x| {
            let mut others = lifetimes[b].iter();
            others.any(|y| x.start < y.end && y.start < x.end)
        }),
        Lifetimes::Spans(_) => !happens_before(a, b) && !happens_before(b, a),
    }
}

/// The unit of offsets: the greatest common divisor of alignments.
fn unit(problem: &Problem) -> u64 {
    let divides = |unit: &u64| problem.buffers().iter().all(|b| b.alignment % unit == 0);
    (1..=64).rev().find(divides).unwrap_or(1)
}

/// Returns the least size of a plan, rounded up to the unit.
pub(crate) fn least_size(problem: &Problem) -> u64 {
    let count = problem.buffers().len();
    let all = 0..count;
    let others = |a: usize| all.clone().filter(|&b| conflict(problem, a, b)).collect();
    let conflicts: Vec<Vec<usize>> = all.clone().map(others).collect();
    let mut best = u64::MAX;
    extend(problem, &conflicts, &mut vec![None; count], 0, &mut best);
    best.next_multiple_of(unit(problem))
}

fn extend(
    problem: &Problem,
    conflicts: &[Vec<usize>],
    offsets: &mut Vec<Option<u64>>,
    size: u64,
    best: &mut u64,
) {
    if size >= *best {
        return;
    }
    if offsets.iter().all(Option::is_some) {
        *best = size;
        return;
    }
    for buffer in 0..offsets.len() {
        if offsets[buffer].is_some() {
            continue;
        }
        let shape = problem.buffers()[buffer];
        let below = conflicts[buffer].iter();
        let tops = below.filter_map(|&other| Some(offsets[other]? + problem.buffers()[other].size));
        let offset = tops.max().unwrap_or(0).next_multiple_of(shape.alignment);
        offsets[buffer] = Some(offset);
        extend(
            problem,
            conflicts,
            offsets,
            size.max(offset + shape.size),
            best,
        );
        offsets[buffer] = None;
    }
}

/// Returns the largest sum of sizes, rounded up to the unit, of buffers that conflict pairwise.
pub(crate) fn heaviest_clique(problem: &Problem) -> u64 {
    let unit = unit(problem);
    // Each clique with its weight extends to cliques with the next buffer.
    let mut cliques: Vec<(Vec<usize>, u64)> = vec![(Vec::new(), 0)];
    for (buffer, shape) in problem.buffers().iter().enumerate() {
        let weight = shape.size.next_multiple_of(unit);
        for index in 0..cliques.len() {
            let (members, sum) = &cliques[index];
            if members
                .iter()
                .all(|&other| conflict(problem, buffer, other))
            {
                let members = members.iter().copied().chain([buffer]).collect();
                cliques.push((members, sum + weight));
            }
        }
    }
    cliques.into_iter().map(|(_, sum)| sum).max().unwrap_or(0)
}
