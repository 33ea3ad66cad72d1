//! Problems at the limits of the input, and violations that the checker reports.

use tfx_memory::{
    Buffer, Error, Interval, Lifetimes, Options, Problem, Span, Violation, check, plan,
};

use crate::support::intervals;

fn buffer(size: u64, alignment: u64) -> Buffer {
    Buffer { size, alignment }
}

fn interval(start: u64, end: u64) -> Interval {
    Interval { start, end }
}

fn span(before: &[u64], last: &[u64]) -> Span {
    Span {
        before: before.to_vec(),
        last: last.to_vec(),
    }
}

#[test]
fn invalid_problems_are_errors() {
    let one = |buffer: Buffer, pieces: Vec<Interval>| {
        Problem::new(vec![buffer], Lifetimes::Intervals(vec![pieces])).err()
    };
    let intervals_error = Some(Error::Intervals { buffer: 0 });
    assert_eq!(
        one(buffer(1, 0), vec![interval(0, 1)]),
        Some(Error::Alignment { buffer: 0 })
    );
    assert_eq!(
        one(buffer(u64::MAX, 1), vec![interval(0, 1)]),
        Some(Error::TooLarge { buffer: 0 })
    );
    assert_eq!(
        one(buffer(1, u64::MAX), vec![interval(0, 1)]),
        Some(Error::TooLarge { buffer: 0 })
    );
    assert_eq!(one(buffer(1, 1), vec![]), intervals_error);
    assert_eq!(one(buffer(1, 1), vec![interval(1, 1)]), intervals_error);
    assert_eq!(
        one(buffer(1, 1), vec![interval(0, 2), interval(1, 3)]),
        intervals_error
    );
    let lengths = Problem::new(vec![buffer(1, 1)], Lifetimes::Spans(vec![])).err();
    assert_eq!(
        lengths,
        Some(Error::Lengths {
            buffers: 1,
            lifetimes: 0
        })
    );
    let two =
        |a: Span, b: Span| Problem::new(vec![buffer(1, 1); 2], Lifetimes::Spans(vec![a, b])).err();
    let streams = two(span(&[0], &[1]), span(&[0, 0], &[1, 1]));
    assert_eq!(
        streams,
        Some(Error::Streams {
            streams: 1,
            buffer: 1
        })
    );
    let no_access = two(span(&[0], &[1]), span(&[1], &[1]));
    assert_eq!(no_access, Some(Error::NoAccess { buffer: 1 }));
}

#[test]
fn large_sizes_do_not_overflow() {
    let half = 1 << 61;
    let problem = intervals(
        1 << 20,
        &[(half, 0, 2), (half + 1, 1, 3), (half - 1, 2, u64::MAX)],
    );
    let plan = plan(&problem, &Options::default());
    assert_eq!(plan.size, 2 * half + (1 << 20));
    assert_eq!(check(&problem, &plan.offsets, plan.size), Ok(()));
}

#[test]
fn clocks_of_the_largest_positions_do_not_overflow() {
    let most = u64::MAX;
    let spans = vec![
        span(&[0, 0], &[most, most]),
        span(&[most - 1, most], &[most, 0]),
    ];
    let problem = Problem::new(vec![buffer(5, 1), buffer(7, 1)], Lifetimes::Spans(spans));
    let plan = plan(&problem.expect("the problem is valid"), &Options::default());
    assert_eq!((plan.size, plan.bound), (12, 12));
}

#[test]
fn empty_buffers_need_no_bytes() {
    let problem = intervals(64, &[(0, 0, 10), (64, 0, 10), (0, 3, 4)]);
    let plan = plan(&problem, &Options::default());
    assert_eq!((plan.size, plan.bound), (64, 64));
    assert_eq!(check(&problem, &plan.offsets, plan.size), Ok(()));
}

#[test]
fn no_streams_means_no_buffers() {
    let problem = Problem::new(vec![], Lifetimes::Spans(vec![])).expect("the problem is valid");
    assert_eq!(plan(&problem, &Options::default()).size, 0);
}

#[test]
fn violations_are_reported() {
    let problem = intervals(8, &[(16, 0, 2), (8, 1, 3), (8, 2, 4)]);
    assert_eq!(check(&problem, &[0, 16, 0], 24), Ok(()));
    let overlap = |first, second| Err(Violation::Overlap { first, second });
    assert_eq!(check(&problem, &[0, 8, 0], 24), overlap(0, 1));
    assert_eq!(check(&problem, &[0, 16, 16], 24), overlap(1, 2));
    assert_eq!(
        check(&problem, &[0, 20, 0], 32),
        Err(Violation::Misaligned { buffer: 1 })
    );
    assert_eq!(
        check(&problem, &[0, 24, 0], 24),
        Err(Violation::Outside { buffer: 1 })
    );
    assert_eq!(
        check(&problem, &[0, 16], 24),
        Err(Violation::Length {
            buffers: 3,
            offsets: 2
        })
    );
    let most = u64::MAX - 7;
    assert_eq!(
        check(&problem, &[0, most, 0], u64::MAX),
        Err(Violation::Outside { buffer: 1 })
    );
}

/// A part of a schedule reuses bytes that another stream may still read.
#[test]
fn unordered_streams_share_nothing() {
    let spans = |wait| vec![span(&[0, 0], &[2, 1]), span(&[wait, 1], &[0, 2])];
    let problem = |wait| {
        Problem::new(vec![buffer(8, 8); 2], Lifetimes::Spans(spans(wait))).expect("it is valid")
    };
    assert_eq!(plan(&problem(2), &Options::default()).size, 8);
    assert_eq!(check(&problem(2), &[0, 0], 8), Ok(()));
    let racy = problem(1);
    assert_eq!(plan(&racy, &Options::default()).size, 16);
    assert_eq!(
        check(&racy, &[0, 0], 8),
        Err(Violation::Overlap {
            first: 0,
            second: 1
        })
    );
}
