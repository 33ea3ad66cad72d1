//! Problems for tests and for the example: random ones, and files of minimalloc.

use tfx_memory::{Buffer, Interval, Lifetimes, Problem, Random, Span};

/// Returns a problem with one interval for each buffer, given as size, start and end.
pub(crate) fn intervals(alignment: u64, rows: &[(u64, u64, u64)]) -> Problem {
    let buffers = rows.iter().map(|&(size, _, _)| Buffer { size, alignment });
    let lifetimes = rows.iter().map(|&(_, start, end)| Interval { start, end });
    Problem::with_intervals(buffers.collect(), lifetimes).expect("the problem is valid")
}

/// Reads a file of minimalloc: `id,lower,upper,size` in each row.
pub(crate) fn read_csv(text: &str) -> Problem {
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<u64> = line.split(',').skip(1).flat_map(str::parse).collect();
        (cells[2], cells[0], cells[1])
    });
    intervals(1, &rows.collect::<Vec<_>>())
}

/// Returns buffers of a program of `count` steps, as a compiler sees them: most are used soon
/// after they are written, some much later, and sizes vary by three orders of magnitude.
pub(crate) fn random_program(random: &mut Random, count: u64) -> Problem {
    let rows: Vec<_> = (0..count)
        .map(|start| {
            let size = 64 << random.below(10);
            let length = match random.below(10) {
                0 => random.below(300),
                _ => random.below(20),
            };
            (size * (1 + random.below(4)), start, start + 1 + length)
        })
        .collect();
    intervals(64, &rows)
}

/// Returns rectangles that a square of `side` x `side` units is cut into, so that a plan of `side`
/// units exists, without those that `drop` percent select.
pub(crate) fn cut(random: &mut Random, side: u64, count: usize, unit: u64, drop: u64) -> Problem {
    let mut pieces = vec![(0, side, 0, side)];
    while pieces.len() < count {
        let index = random.below(pieces.len() as u64) as usize;
        let (start, end, low, high) = pieces[index];
        // Buffers are longer than high, or higher than long.
        let (time, bytes) = (end - start, high - low);
        if time.max(bytes) < 2 {
            continue;
        }
        let first = if time > 1 && (bytes < 2 || random.below(2) == 0) {
            let middle = start + 1 + random.below(time - 1);
            pieces.push((middle, end, low, high));
            (start, middle, low, high)
        } else {
            let middle = low + 1 + random.below(bytes - 1);
            pieces.push((start, end, middle, high));
            (start, end, low, middle)
        };
        pieces[index] = first;
    }
    let mut rows: Vec<_> = pieces
        .iter()
        .map(|&(start, end, low, high)| ((high - low) * unit, start, end))
        .collect();
    rows.retain(|_| random.below(100) >= drop);
    intervals(unit, &rows)
}

/// A way to draw alignments.
pub(crate) fn random_buffers(random: &mut Random, count: usize) -> Vec<Buffer> {
    let mixed = random.below(3) == 0;
    let common = [1, 4, 20][random.below(3) as usize];
    let buffer = |_| Buffer {
        size: random.below(40),
        alignment: if mixed { 1 << random.below(4) } else { common },
    };
    (0..count).map(buffer).collect()
}

/// Returns random buffers with intervals; a few have gaps.
pub(crate) fn random_intervals(random: &mut Random, count: usize) -> Problem {
    let buffers = random_buffers(random, count);
    let horizon = 2 + random.below(2 * count as u64);
    let gaps = random.below(3) == 0;
    let mut lifetime = |_| {
        let start = random.below(horizon);
        let end = start + 1 + random.below(horizon / 2 + 1);
        let mut pieces = vec![Interval { start, end }];
        if gaps && random.below(2) == 0 {
            let start = end + random.below(3);
            let end = start + 1 + random.below(3);
            pieces.push(Interval { start, end });
        }
        pieces
    };
    let lifetimes = (0..count).map(&mut lifetime).collect();
    Problem::new(buffers, Lifetimes::Intervals(lifetimes)).expect("the problem is valid")
}

/// Returns random buffers of an execution on several streams: commands are issued in a random
/// order, some after a wait for the last command of another stream, and each buffer is accessed by
/// one to three commands.
pub(crate) fn random_streams(random: &mut Random, count: usize, streams: usize) -> Problem {
    let commands = 3 * count;
    let mut known = vec![vec![0u64; streams]; streams];
    let mut log: Vec<(usize, Vec<u64>)> = Vec::new();
    for _ in 0..commands {
        let stream = random.below(streams as u64) as usize;
        if random.below(3) == 0 {
            let other = known[random.below(streams as u64) as usize].clone();
            for (own, other) in known[stream].iter_mut().zip(other) {
                *own = (*own).max(other);
            }
        }
        log.push((stream, known[stream].clone()));
        known[stream][stream] += 1;
    }
    let spans = (0..count).map(|_| {
        let first = random.below(commands as u64) as usize;
        let mut accesses = vec![first];
        for _ in 0..random.below(3) {
            let later = first as u64 + random.below(6);
            accesses.push((later as usize).min(commands - 1));
        }
        let mut span = Span {
            before: vec![u64::MAX; streams],
            last: vec![0; streams],
        };
        for (stream, clock) in accesses.iter().map(|&access| &log[access]) {
            for (before, known) in span.before.iter_mut().zip(clock) {
                *before = (*before).min(*known);
            }
            span.last[*stream] = span.last[*stream].max(clock[*stream] + 1);
        }
        span
    });
    let spans = spans.collect();
    Problem::new(random_buffers(random, count), Lifetimes::Spans(spans)).expect("it is valid")
}
