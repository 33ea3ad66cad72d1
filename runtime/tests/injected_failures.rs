//! Each call of the runtime that can fail fails in turn, in each iteration of a loop: the error
//! names the failure, everything ends soon, and nothing leaks.
//!
//! ```text
//!   a recorded run ──► (point, count) ──► each point, each time: run, inject, check for leaks
//! ```
//!
//! The recording lists the points, so the tests include new points of the runtime. Injection
//! affects the whole process, so the tests run one at a time.

mod support;

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use support::*;
use tfx_runtime::{
    DType, ExecutorKind, Failure, Image, Program, Tensor, executor::tensorflow::idle_sessions,
    ffi::tensorflow::alive, injection,
};

const RESOURCE: DType = DType::Resource;
const I32: DType = DType::I32;

const ITERATIONS: i32 = 20;

/// The time limit from a failure to the end of the program.
const SOON: Duration = Duration::from_millis(100);

/// A loaded machine may exceed the limit, but not in each attempt.
const ATTEMPTS: usize = 5;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Each iteration sends `x`, receives `y`, and continues with `x + 1000 / y`.
fn divider() -> Arc<Image> {
    let divider = CountedLoop {
        name: "failing",
        inputs: &[
            ("x", I32),
            ("n", I32),
            ("channel_0", RESOURCE),
            ("channel_1", RESOURCE),
        ],
        results: &["x"],
        updates: &[("x", "sum:z:0")],
        body: vec![
            constant("thousand", &Tensor::scalar(1000)),
            send("send", "channel_0", "x", I32),
            receive_after("receive", "channel_1", "send", I32),
            located(
                binary(
                    "quotient",
                    "FloorDiv",
                    "thousand:output:0",
                    "receive:components:0",
                ),
                "f.mlir:7:3",
            ),
            binary("sum", "AddV2", "x", "quotient:z:0"),
        ],
        keep: &["send", "receive"],
    };
    let channels = vec![to_host(0, I32), to_graph(1, I32)];
    image(channels, divider.functions())
}

/// The host code of the program, which answers with the results of `answer`. `sent` are its values.
fn drive(
    kind: ExecutorKind,
    image: &Arc<Image>,
    sent: &mut Vec<Tensor>,
    mut answer: impl FnMut(i32, &Program) -> i32,
) -> Result<Tensor, Failure> {
    sent.push(vector(1));
    let arguments = vec![sent[0].clone(), Tensor::scalar(ITERATIONS)];
    let program = Program::start_on(kind, Arc::clone(image), arguments)?;
    for iteration in 0..ITERATIONS {
        let x = program.receive(0)?;
        drop(x);
        let value = vector(answer(iteration, &program));
        sent.push(value.clone());
        program.send(1, value)?;
    }
    let results = program.finish()?;
    Ok(results[0].clone())
}

/// The result if each answer is 10.
fn good_result() -> Tensor {
    vector(1 + ITERATIONS * 100)
}

/// Returns the number of threads that run graphs.
fn graph_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux lists threads");
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.starts_with("tfx failing"))
        .count()
}

/// Returns the leaks of a run.
fn leaks(image: &Arc<Image>, mut sent: Vec<Tensor>) -> Vec<String> {
    soon(&Vec::new(), || current_leaks(image, &mut sent))
}

fn current_leaks(image: &Arc<Image>, sent: &mut [Tensor]) -> Vec<String> {
    let mut leaks = Vec::new();
    let mut count = |kind: &str, count: usize| {
        if count > 0 {
            leaks.push(format!("{count} {kind}"));
        }
    };
    count("threads", graph_threads());
    count("queues", Arc::strong_count(image) - 1);
    let is_shared = |tensor: &mut Tensor| usize::from(tensor.bytes_mut().is_none());
    count("tensors", sent.iter_mut().map(is_shared).sum());
    let kinds = ["graphs", "sessions", "values", "lent tensors", "channels"];
    let idle = idle_sessions(image);
    let expected = [idle, idle, 0, 0, 0];
    for ((number, expected), kind) in alive().into_iter().zip(expected).zip(kinds) {
        count(kind, number - expected);
    }
    leaks
}

/// Runs a new image after `prepare`, until it ends soon enough. The outcome must satisfy
/// `is_right`, and the next start of the image must succeed.
fn check(
    failure: &str,
    kind: ExecutorKind,
    prepare: impl Fn(),
    answer: impl Fn(i32, &Program) -> (i32, Option<Instant>),
    is_right: impl Fn(&Result<Tensor, Failure>) -> bool,
) {
    let mut taken = Duration::ZERO;
    for _ in 0..ATTEMPTS {
        let image = &divider();
        let mut sent = Vec::new();
        let mut failed = None;
        prepare();
        let outcome = drive(kind, image, &mut sent, |iteration, program| {
            let (value, since) = answer(iteration, program);
            failed = failed.or(since);
            value
        });
        let ended = Instant::now();
        let failed = injection::off().1.or(failed).expect("something has failed");
        assert!(is_right(&outcome), "{kind}: {failure}: {outcome:?}");
        assert_eq!(leaks(image, sent), [""; 0], "{kind}: {failure}");
        let again = drive(kind, image, &mut Vec::new(), |_, _| 10);
        assert_eq!(again, Ok(good_result()), "{kind}: after {failure}");
        taken = ended.saturating_duration_since(failed);
        if taken < SOON {
            return;
        }
    }
    panic!("{kind}: {failure}: it took {taken:?}");
}

/// Runs `test` on each executor with a new image, one test at a time. The guard outlives `test`: an
/// image that it owns may keep a session, which the next test would report as a leak.
fn on_each_executor_alone(test: impl Fn(ExecutorKind, &Arc<Image>) + Send + Sync + 'static) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    on_each_executor(move |kind| test(kind, &divider()));
}

#[test]
fn every_call_fails_in_turn() {
    on_each_executor_alone(|kind, _| {
        let image = divider();
        let ten = |_: i32, _: &Program| 10;
        injection::record();
        let mut sent = Vec::new();
        let result = drive(kind, &image, &mut sent, ten).expect("a successful run");
        let passed = injection::off().0;
        assert_eq!(result, good_result());
        assert_eq!(leaks(&image, sent), [""; 0], "{kind}");
        drop(image);
        for point in ["start", "thread", "send", "receive", "finish"] {
            assert!(passed.contains_key(point), "{kind}: {point}");
        }
        assert_eq!((passed["send"], passed["receive"]), (20, 20));
        let mut cases = 0;
        for (point, times) in passed {
            for time in 1..=times {
                check(
                    &format!("{point}:{time}"),
                    kind,
                    || injection::fail(point, time),
                    |_, _| (10, None),
                    |outcome| {
                        let injected = format!("injected failure of '{point}' number {time}");
                        match outcome {
                            Err(failure) if failure.message.contains(&injected) => true,
                            // The graph's end of a channel fails as if the program were cancelled.
                            Err(failure) if point.ends_with("in the graph") => {
                                failure.message == "the program was cancelled"
                            }
                            Err(_) => false,
                            // The graph has succeeded, and no thread waits.
                            Ok(_) => point == "close",
                        }
                    },
                );
                cases += 1;
            }
        }
        eprintln!("{kind}: {cases} failures");
    });
}

#[test]
fn the_graph_fails_in_each_iteration() {
    on_each_executor_alone(|kind, _| {
        for failing in 0..ITERATIONS {
            check(
                &format!("division by zero in iteration {failing}"),
                kind,
                || (),
                |iteration, _| match iteration == failing {
                    true => (0, Some(Instant::now())),
                    false => (10, None),
                },
                |outcome| {
                    let expected =
                        "f.mlir:7:3: error: Integer division by zero (operation FloorDiv)";
                    outcome
                        .as_ref()
                        .is_err_and(|failure| failure.to_string() == expected)
                },
            );
        }
    });
}

#[test]
fn programs_are_cancelled_in_each_iteration() {
    on_each_executor_alone(|kind, _| {
        for cancelled in 0..ITERATIONS {
            check(
                &format!("cancelled in iteration {cancelled}"),
                kind,
                || (),
                |iteration, program| {
                    let since = (iteration == cancelled).then(Instant::now);
                    if since.is_some() {
                        program.cancel();
                    }
                    (10, since)
                },
                |outcome| {
                    let expected = "the program was cancelled";
                    outcome
                        .as_ref()
                        .is_err_and(|failure| failure.message == expected)
                },
            );
        }
    });
}

/// The host receives more than the graph sends, and sends more than the graph receives.
#[test]
fn the_host_continues_after_the_graph_has_ended() {
    on_each_executor_alone(|kind, image| {
        let arguments = vec![vector(1), Tensor::scalar(0)];
        let program =
            Program::start_on(kind, Arc::clone(image), arguments).expect("the program starts");
        let failure = program.receive(0).expect_err("no value is sent");
        assert_eq!(
            failure.to_string(),
            "error: the graph ended without sending this value\n\
             p.mlir:0:1: note: channel 0 of program 'failing' carries this value",
            "{kind}"
        );
        // One message fits, unless the channel is closed already.
        let failure = (0..3)
            .find_map(|_| program.send(1, vector(1)).err())
            .expect("it is not received");
        assert_eq!(
            failure.to_string(),
            "error: the graph ended without receiving this value\n\
             p.mlir:1:1: note: channel 1 of program 'failing' carries this value",
            "{kind}"
        );
        assert_eq!(program.finish(), Ok(vec![vector(1)]), "{kind}");
        drop(program);
        assert_eq!(leaks(image, Vec::new()), [""; 0], "{kind}");
    });
}

/// An allocation that no machine can satisfy is a failure of the graph.
#[test]
fn memory_runs_out() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let image = Function::parse("large(n: i64, channel_0: resource) -> (r: f64 = fill:output:0)")
        .nodes([
            constant("zero", &Tensor::scalar(0.0f64)),
            receive("go", "channel_0", DType::Bool),
            located(
                node(
                    "fill",
                    "Fill",
                    &["n", "zero:output:0", "^go"],
                    &[
                        ("T", type_attr(DType::F64)),
                        ("index_type", type_attr(DType::I64)),
                    ],
                ),
                "f.mlir:9:1",
            ),
        ])
        .keep(&["go"])
        .image(vec![to_graph(0, DType::Bool)]);
    on_each_executor(move |kind| {
        let sizes = Tensor::from_slice(&[1], &[1i64 << 50]).expect("a tensor");
        let program =
            Program::start_on(kind, Arc::clone(&image), vec![sizes]).expect("the program starts");
        program.send(0, boolean(true)).expect("sent");
        let since = Instant::now();
        let failure = program.finish().expect_err("the allocation fails");
        assert_eq!(
            failure.location.as_deref(),
            Some("f.mlir:9:1"),
            "{kind}: {failure}"
        );
        assert!(since.elapsed() < SOON * ATTEMPTS as u32, "{kind}");
    });
}

/// Strings on TensorFlow's heap are sent in both directions, and one remains in the channel: all
/// are freed.
#[test]
fn long_strings_are_freed() {
    const STRING: DType = DType::String;
    let image = Function::parse("strings(channel_0: resource, channel_1: resource) -> ()")
        .nodes([
            receive("receive", "channel_0", STRING),
            send("send", "channel_1", "receive:components:0", STRING),
        ])
        .keep(&["send"])
        .image(vec![to_graph(0, STRING), to_host(1, STRING)]);
    on_each_executor_alone(move |kind, _| {
        let text = vec![b"a text that has more than 22 bytes".to_vec(), Vec::new()];
        let text = Tensor::from_strings(&[2], text).expect("a tensor");
        for _ in 0..20 {
            let program =
                Program::start_on(kind, Arc::clone(&image), Vec::new()).expect("it starts");
            program.send(0, text.clone()).expect("sent");
            assert_eq!(program.receive(1), Ok(text.clone()), "{kind}");
            // The graph does not receive this one.
            let _ = program.send(0, text.clone());
            drop(program);
        }
        assert_eq!(leaks(&image, Vec::new()), [""; 0], "{kind}");
    });
}

/// Many threads start one program repeatedly, and cancel some runs. Each run receives only its own
/// values.
#[test]
fn one_program_runs_many_times_at_once() {
    const THREADS: i32 = 8;
    on_each_executor_alone(|kind, image| {
        let starts = match kind {
            ExecutorKind::Embedded | ExecutorKind::Native => 50,
            ExecutorKind::TensorFlow | ExecutorKind::TensorFlowQueues => 5,
        };
        thread::scope(|scope| {
            for thread in 1..=THREADS {
                scope.spawn(move || {
                    for start in 0..starts {
                        let mut sent = Vec::new();
                        let is_cancelled = start % 3 == 2;
                        let outcome = drive(kind, image, &mut sent, |iteration, program| {
                            if is_cancelled && iteration == start % ITERATIONS {
                                program.cancel();
                            }
                            thread
                        });
                        match outcome {
                            Ok(result) if !is_cancelled => {
                                assert_eq!(result, vector(1 + ITERATIONS * (1000 / thread)));
                            }
                            Err(failure) if is_cancelled => {
                                assert_eq!(failure.message, "the program was cancelled");
                            }
                            other => panic!("{kind}: {other:?}"),
                        }
                    }
                });
            }
        });
        assert_eq!(leaks(image, Vec::new()), [""; 0], "{kind}");
    });
}
