//! Ten million messages and ten thousand starts in one process: its memory stays as it is, and nothing is left.
//!
//!     make soak
//!
//! In an ordinary run of the tests there are a hundred times fewer. On TensorFlow, whose messages and starts take a hundred times longer, there are a
//! hundred times fewer of either.

mod support;

use std::sync::Arc;

use support::*;
use tfx_runtime::{DType, Direction, ExecutorKind, Image, Program, Tensor, ffi::tensorflow::alive};

const RESOURCE: DType = DType::Resource;
const I32: DType = DType::I32;

/// Set by `make soak`.
const VARIABLE: &str = "TFX_SOAK";

const MESSAGES: usize = 10_000_000;
const STARTS: usize = 10_000;

/// What the memory may grow by after the first tenth: an allocator keeps some pages of each thread that was.
const SLACK_BYTES: usize = 8 << 20;

/// How often something is done here.
fn scaled(kind: ExecutorKind, count: usize) -> usize {
    let count = match kind {
        ExecutorKind::Embedded => count,
        ExecutorKind::TensorFlow | ExecutorKind::TensorFlowQueues => count / 100,
    };
    match std::env::var_os(VARIABLE) {
        Some(_) => count,
        None => count / 100,
    }
}

/// The memory of this process that is in use.
fn resident_bytes() -> usize {
    const PAGE: usize = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells its memory");
    let pages = statm.split_whitespace().nth(1).expect("a second number");
    pages.parse::<usize>().expect("a number") * PAGE
}

/// Sends back what it receives, `n` times.
fn echo() -> Arc<Image> {
    let inputs = [("i", I32), ("n", I32), ("a", RESOURCE), ("b", RESOURCE)];
    image(
        "echo",
        vec![
            Function::new(
                "echo",
                &[("n", I32), ("channel_0", RESOURCE), ("channel_1", RESOURCE)],
                &[("r", I32, "loop:output:0")],
            )
            .nodes([
                constant("zero", &Tensor::scalar(0)),
                while_loop(
                    "loop",
                    &["zero:output:0", "n", "channel_0", "channel_1"],
                    &inputs.map(|(_, dtype)| dtype),
                    "echo_cond",
                    "echo_body",
                ),
            ])
            .keep(&["loop"]),
            Function::new("echo_cond", &inputs, &[("go", DType::Bool, "less:z:0")])
                .nodes([binary("less", "Less", "i", "n")]),
            Function::new(
                "echo_body",
                &inputs,
                &[
                    ("i_out", I32, "add:z:0"),
                    ("n_out", I32, "n"),
                    ("a_out", RESOURCE, "a"),
                    ("b_out", RESOURCE, "b"),
                ],
            )
            .nodes([
                constant("one", &Tensor::scalar(1)),
                receive("receive", "a", I32),
                send("send", "b", "receive:components:0", I32),
                binary("add", "AddV2", "i", "one:output:0"),
            ])
            .keep(&["send", "receive"]),
        ],
        vec![
            channel(0, Direction::ToGraph, I32),
            channel(1, Direction::ToHost, I32),
        ],
    )
}

/// A run with `trips` round trips. Every other message is a vector, which lies on the heap.
fn run(kind: ExecutorKind, image: &Arc<Image>, trips: usize) {
    let arguments = vec![Tensor::scalar(trips as i32)];
    let program = Program::start_on(kind, Arc::clone(image), arguments).expect("it starts");
    for trip in 0..trips {
        let size = [1, 64][trip % 2];
        let sent = Tensor::from_slice(&[size], &vec![trip as i32; size]).expect("a tensor");
        program.send(0, sent.clone()).expect("sent");
        assert_eq!(program.receive(1).expect("received"), sent);
    }
    assert_eq!(
        program.finish().expect("it ends"),
        [Tensor::scalar(trips as i32)]
    );
}

/// Does `step` so many times, and looks at the memory after a tenth and at the end.
fn steadily(what: &str, count: usize, mut step: impl FnMut()) {
    let first = (count / 10).max(1);
    (0..first).for_each(|_| step());
    let before = resident_bytes();
    (first..count).for_each(|_| step());
    let after = resident_bytes();
    eprintln!("{what}: {count} times, {before} bytes, then {after}");
    assert!(
        after <= before + SLACK_BYTES,
        "{what}: {before} bytes, then {after}"
    );
}

#[test]
fn memory_stays_as_it_is() {
    for kind in executors() {
        let image = echo();
        const TRIPS: usize = 1000;
        let runs = scaled(kind, MESSAGES) / (2 * TRIPS);
        steadily(&format!("{kind}: runs of 2000 messages"), runs, || {
            run(kind, &image, TRIPS);
        });
        steadily(&format!("{kind}: starts"), scaled(kind, STARTS), || {
            run(kind, &image, 1);
        });
        assert_eq!(Arc::strong_count(&image), 1, "{kind}");
        drop(image);
        assert_eq!(soon(&[0; 5], alive), [0; 5], "{kind}");
    }
}
