//! Ten million messages and ten thousand starts in one process: memory does not grow, and nothing
//! leaks.
//!
//!     make soak
//!
//! Ordinary test runs divide both numbers by a hundred. TensorFlow, whose messages and starts take
//! a hundred times longer, divides them by another hundred.

mod support;

use std::sync::Arc;

use support::*;
use tfx_runtime::{DType, ExecutorKind, Image, Program, Tensor, ffi::tensorflow::alive};

const RESOURCE: DType = DType::Resource;
const I32: DType = DType::I32;

/// Set by `make soak`.
const VARIABLE: &str = "TFX_SOAK";

const MESSAGES: usize = 10_000_000;
const STARTS: usize = 10_000;

/// The permitted growth of memory after the first tenth: an allocator keeps pages of ended threads.
const SLACK_BYTES: usize = 8 << 20;

/// Returns the number of repetitions in this run.
fn scaled(kind: ExecutorKind, count: usize) -> usize {
    let count = match kind {
        ExecutorKind::Embedded | ExecutorKind::Native => count,
        ExecutorKind::TensorFlow | ExecutorKind::TensorFlowQueues => count / 100,
    };
    match std::env::var_os(VARIABLE) {
        Some(_) => count,
        None => count / 100,
    }
}

/// Returns the resident memory of this process.
fn resident_bytes() -> usize {
    const PAGE: usize = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux reports memory");
    let pages = statm.split_whitespace().nth(1).expect("a second number");
    pages.parse::<usize>().expect("a number") * PAGE
}

/// Sends each received value back, `n` times.
fn echo() -> Arc<Image> {
    let echo = CountedLoop {
        name: "echo",
        inputs: &[("n", I32), ("channel_0", RESOURCE), ("channel_1", RESOURCE)],
        results: &["i"],
        updates: &[],
        body: vec![
            receive("receive", "channel_0", I32),
            send("send", "channel_1", "receive:components:0", I32),
        ],
        keep: &["send", "receive"],
    };
    let channels = vec![to_graph(0, I32), to_host(1, I32)];
    image(channels, echo.functions())
}

/// Runs a number of round trips. Every other message is a vector, whose elements are on the heap.
fn run(kind: ExecutorKind, image: &Arc<Image>, count: usize) {
    let arguments = vec![Tensor::scalar(count as i32)];
    let program = Program::start_on(kind, Arc::clone(image), arguments).expect("it starts");
    for iteration in 0..count {
        let size = [1, 64][iteration % 2];
        let sent = Tensor::from_slice(&[size], &vec![iteration as i32; size]).expect("a tensor");
        program.send(0, sent.clone()).expect("sent");
        assert_eq!(program.receive(1).expect("received"), sent);
    }
    assert_eq!(
        program.finish().expect("it ends"),
        [Tensor::scalar(count as i32)]
    );
}

/// Repeats `step`, and compares the memory after a tenth with that at the end.
fn check_memory(repeated: &str, count: usize, mut step: impl FnMut()) {
    let first = (count / 10).max(1);
    (0..first).for_each(|_| step());
    let before = resident_bytes();
    (first..count).for_each(|_| step());
    let after = resident_bytes();
    eprintln!("{repeated}: {count} times, {before} bytes, then {after}");
    assert!(
        after <= before + SLACK_BYTES,
        "{repeated}: {before} bytes, then {after}"
    );
}

#[test]
fn memory_does_not_grow() {
    for kind in executors() {
        let image = echo();
        const ROUND_TRIPS: usize = 1000;
        let runs = scaled(kind, MESSAGES) / (2 * ROUND_TRIPS);
        check_memory(&format!("{kind}: runs of 2000 messages"), runs, || {
            run(kind, &image, ROUND_TRIPS);
        });
        check_memory(&format!("{kind}: starts"), scaled(kind, STARTS), || {
            run(kind, &image, 1);
        });
        assert_eq!(Arc::strong_count(&image), 1, "{kind}");
        drop(image);
        assert_eq!(soon(&[0; 5], alive), [0; 5], "{kind}");
    }
}
