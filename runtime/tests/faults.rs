//! Every call of the runtime that can fail fails in turn, in every trip of a loop: an error that says so, soon, and nothing left behind.
//!
//! ```text
//!   a good run, recorded  ──►  (point, how often)  ──►  each point, each time: run again, fail there, look at what is left
//! ```
//!
//! Points and times come from the recording, so a new point of the runtime is tried without a word here. Faults are a matter of the whole process,
//! so each test takes its turn.

mod support;

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use support::*;
use tfx_runtime::{
    DType, Direction, ExecutorKind, Failure, Image, Program, Tensor, fault, ffi::tensorflow::alive,
};

const RESOURCE: DType = DType::Resource;
const I32: DType = DType::I32;

const TRIPS: i32 = 20;

/// From a failure until everything is over.
const SOON: Duration = Duration::from_millis(100);

/// A machine that does something else for a moment may be late, but not each time.
const ATTEMPTS: usize = 5;

static TURN: Mutex<()> = Mutex::new(());

/// Each trip sends `x`, receives `y`, and goes on with `x + 1000 / y`.
fn divider() -> Arc<Image> {
    let inputs = [
        ("i", I32),
        ("x", I32),
        ("n", I32),
        ("a", RESOURCE),
        ("b", RESOURCE),
    ];
    image(
        "faults",
        vec![
            Function::new(
                "faults",
                &[
                    ("x", I32),
                    ("n", I32),
                    ("channel_0", RESOURCE),
                    ("channel_1", RESOURCE),
                ],
                &[("r", I32, "loop:output:1")],
            )
            .nodes([
                constant("zero", &Tensor::scalar(0)),
                while_loop(
                    "loop",
                    &["zero:output:0", "x", "n", "channel_0", "channel_1"],
                    &inputs.map(|(_, dtype)| dtype),
                    "faults_cond",
                    "faults_body",
                ),
            ])
            .keep(&["loop"]),
            Function::new("faults_cond", &inputs, &[("go", DType::Bool, "less:z:0")])
                .nodes([binary("less", "Less", "i", "n")]),
            Function::new(
                "faults_body",
                &inputs,
                &[
                    ("i_out", I32, "add:z:0"),
                    ("x_out", I32, "sum:z:0"),
                    ("n_out", I32, "n"),
                    ("a_out", RESOURCE, "a"),
                    ("b_out", RESOURCE, "b"),
                ],
            )
            .nodes([
                constant("one", &Tensor::scalar(1)),
                constant("thousand", &Tensor::scalar(1000)),
                send("send", "a", "x", I32),
                node(
                    "receive",
                    "QueueDequeueV2",
                    &["b", "^send"],
                    &[("component_types", types_attr(&[I32]))],
                ),
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
                binary("add", "AddV2", "i", "one:output:0"),
            ])
            .keep(&["send", "receive"]),
        ],
        vec![
            channel(0, Direction::ToHost, I32),
            channel(1, Direction::ToGraph, I32),
        ],
    )
}

/// A vector that lies on the heap, so that who holds it can be seen.
fn vector(value: i32) -> Tensor {
    Tensor::from_slice(&[8], &[value; 8]).expect("a tensor")
}

/// Host code of the program; `meddle` runs before each answer. The values that it handed out stay in `handed_out`.
fn drive(
    kind: ExecutorKind,
    image: &Arc<Image>,
    handed_out: &mut Vec<Tensor>,
    mut meddle: impl FnMut(i32, &Program) -> i32,
) -> Result<Tensor, Failure> {
    handed_out.push(vector(1));
    let arguments = vec![handed_out[0].clone(), Tensor::scalar(TRIPS)];
    let program = Program::start_on(kind, Arc::clone(image), arguments)?;
    for trip in 0..TRIPS {
        let x = program.receive(0)?;
        drop(x);
        let answer = vector(meddle(trip, &program));
        handed_out.push(answer.clone());
        program.send(1, answer)?;
    }
    let results = program.finish()?;
    Ok(results[0].clone())
}

/// What comes out where each answer is 10.
fn good_result() -> Tensor {
    vector(1 + TRIPS * 100)
}

/// Threads of this process that run graphs.
fn graph_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux tells its threads");
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .filter(|name| name.starts_with("tfx faults"))
        .count()
}

/// What a run must not leave behind.
fn left_behind(image: &Arc<Image>, mut handed_out: Vec<Tensor>) -> Vec<String> {
    soon(&Vec::new(), || still_there(image, &mut handed_out))
}

fn still_there(image: &Arc<Image>, handed_out: &mut [Tensor]) -> Vec<String> {
    let mut left = Vec::new();
    let mut count = |what: &str, count: usize| {
        if count > 0 {
            left.push(format!("{count} {what}"));
        }
    };
    count("threads", graph_threads());
    count("queues", Arc::strong_count(image) - 1);
    let is_shared = |tensor: &mut Tensor| usize::from(tensor.bytes_mut().is_none());
    count("tensors", handed_out.iter_mut().map(is_shared).sum());
    let kinds = ["graphs", "sessions", "values", "lent tensors", "channels"];
    let kept = image.kept_sessions();
    let expected = [kept, kept, 0, 0, 0];
    for ((number, expected), what) in alive().into_iter().zip(expected).zip(kinds) {
        count(what, number - expected);
    }
    left
}

/// Runs an image of its own with `prepare` before it, until it ends soon enough; what it comes to must satisfy `is_right`. The next start of the image must
/// be as if nothing had been.
fn check(
    what: &str,
    kind: ExecutorKind,
    prepare: impl Fn(),
    meddle: impl Fn(i32, &Program) -> (i32, Option<Instant>),
    is_right: impl Fn(&Result<Tensor, Failure>) -> bool,
) {
    let mut taken = Duration::ZERO;
    for _ in 0..ATTEMPTS {
        let image = &divider();
        let mut handed_out = Vec::new();
        let mut failed = None;
        prepare();
        let outcome = drive(kind, image, &mut handed_out, |trip, program| {
            let (answer, since) = meddle(trip, program);
            failed = failed.or(since);
            answer
        });
        let ended = Instant::now();
        let failed = fault::off().1.or(failed).expect("something has failed");
        assert!(is_right(&outcome), "{kind}: {what}: {outcome:?}");
        assert_eq!(left_behind(image, handed_out), [""; 0], "{kind}: {what}");
        let again = drive(kind, image, &mut Vec::new(), |_, _| 10);
        assert_eq!(again, Ok(good_result()), "{kind}: after {what}");
        taken = ended.saturating_duration_since(failed);
        if taken < SOON {
            return;
        }
    }
    panic!("{kind}: {what}: it took {taken:?}");
}

/// Runs `test` on each executor, each time with an image of its own. The turn ends when `test` itself is gone: an image that it holds keeps a session,
/// which the next test would take for one that was left behind.
fn on_each_executor_in_turn(test: impl Fn(ExecutorKind, &Arc<Image>) + Send + Sync + 'static) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    on_each_executor(move |kind| test(kind, &divider()));
}

#[test]
fn every_call_fails_in_turn() {
    on_each_executor_in_turn(|kind, _| {
        let image = divider();
        let good = |_: i32, _: &Program| 10;
        fault::record();
        let mut handed_out = Vec::new();
        let result = drive(kind, &image, &mut handed_out, good).expect("a good run");
        let passed = fault::off().0;
        assert_eq!(result, good_result());
        assert_eq!(left_behind(&image, handed_out), [""; 0], "{kind}");
        drop(image);
        for wanted in ["start", "thread", "send", "receive", "finish"] {
            assert!(passed.contains_key(wanted), "{kind}: {wanted}");
        }
        assert_eq!((passed["send"], passed["receive"]), (20, 20));
        let mut cases = 0;
        for (point, times) in passed {
            for time in 1..=times {
                check(
                    &format!("{point}:{time}"),
                    kind,
                    || fault::fail(point, time),
                    |_, _| (10, None),
                    |outcome| {
                        let on_purpose = format!("'{point}' number {time} fails on purpose");
                        match outcome {
                            Err(failure) if failure.message.contains(&on_purpose) => true,
                            // The graph's end of a channel fails as if the program were cancelled.
                            Err(failure) if point.ends_with("in the graph") => {
                                failure.message == "the program was cancelled"
                            }
                            Err(_) => false,
                            // The graph has ended well, and nobody waits.
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
fn the_graph_fails_in_each_trip() {
    on_each_executor_in_turn(|kind, _| {
        for wrong in 0..TRIPS {
            check(
                &format!("division by zero in trip {wrong}"),
                kind,
                || (),
                |trip, _| match trip == wrong {
                    true => (0, Some(Instant::now())),
                    false => (10, None),
                },
                |outcome| {
                    let wanted = "f.mlir:7:3: error: Integer division by zero (operation FloorDiv)";
                    outcome
                        .as_ref()
                        .is_err_and(|failure| failure.to_string() == wanted)
                },
            );
        }
    });
}

#[test]
fn somebody_cancels_in_each_trip() {
    on_each_executor_in_turn(|kind, _| {
        for wrong in 0..TRIPS {
            check(
                &format!("cancelled in trip {wrong}"),
                kind,
                || (),
                |trip, program| {
                    let since = (trip == wrong).then(Instant::now);
                    if since.is_some() {
                        program.cancel();
                    }
                    (10, since)
                },
                |outcome| {
                    let wanted = "the program was cancelled";
                    outcome
                        .as_ref()
                        .is_err_and(|failure| failure.message == wanted)
                },
            );
        }
    });
}

/// The host asks for more than the graph sends, and says more than the graph takes.
#[test]
fn the_host_goes_on_after_the_graph_has_ended() {
    on_each_executor_in_turn(|kind, image| {
        let arguments = vec![vector(1), Tensor::scalar(0)];
        let program =
            Program::start_on(kind, Arc::clone(image), arguments).expect("the program starts");
        let failure = program.receive(0).expect_err("nothing comes");
        assert_eq!(
            failure.to_string(),
            "error: the graph ended without sending this value\n\
             p.mlir:0:1: note: channel 0 of program 'faults' carries this value",
            "{kind}"
        );
        // One message fits, unless the channel is closed already.
        let failure = (0..3)
            .find_map(|_| program.send(1, vector(1)).err())
            .expect("nobody takes it");
        assert_eq!(
            failure.to_string(),
            "error: the graph ended without taking this value\n\
             p.mlir:1:1: note: channel 1 of program 'faults' carries this value",
            "{kind}"
        );
        assert_eq!(program.finish(), Ok(vec![vector(1)]), "{kind}");
        drop(program);
        assert_eq!(left_behind(image, Vec::new()), [""; 0], "{kind}");
    });
}

/// A result that no machine has memory for is an error of the graph.
#[test]
fn memory_runs_out() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let image = image(
        "large",
        vec![
            Function::new(
                "large",
                &[("n", DType::I64), ("channel_0", RESOURCE)],
                &[("r", DType::F64, "fill:output:0")],
            )
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
            .keep(&["go"]),
        ],
        vec![channel(0, Direction::ToGraph, DType::Bool)],
    );
    on_each_executor(move |kind| {
        let sizes = Tensor::from_slice(&[1], &[1i64 << 50]).expect("a tensor");
        let program =
            Program::start_on(kind, Arc::clone(&image), vec![sizes]).expect("the program starts");
        program
            .send(0, Tensor::scalar(tfx_interpreter::Bool::from(true)))
            .expect("sent");
        let since = Instant::now();
        let failure = program.finish().expect_err("there is no such memory");
        assert_eq!(
            failure.location.as_deref(),
            Some("f.mlir:9:1"),
            "{kind}: {failure}"
        );
        assert!(since.elapsed() < SOON * ATTEMPTS as u32, "{kind}");
    });
}

/// A string that TensorFlow keeps on its heap crosses both ways, and one stays in the channel: all are freed.
#[test]
fn long_strings_are_freed() {
    const STRING: DType = DType::String;
    let image = image(
        "strings",
        vec![
            Function::new(
                "strings",
                &[("channel_0", RESOURCE), ("channel_1", RESOURCE)],
                &[],
            )
            .nodes([
                receive("receive", "channel_0", STRING),
                send("send", "channel_1", "receive:components:0", STRING),
            ])
            .keep(&["send"]),
        ],
        vec![
            channel(0, Direction::ToGraph, STRING),
            channel(1, Direction::ToHost, STRING),
        ],
    );
    on_each_executor_in_turn(move |kind, _| {
        let text = vec![b"a text that has more than 22 bytes".to_vec(), Vec::new()];
        let text = Tensor::from_strings(&[2], text).expect("a tensor");
        for _ in 0..20 {
            let program =
                Program::start_on(kind, Arc::clone(&image), Vec::new()).expect("it starts");
            program.send(0, text.clone()).expect("sent");
            assert_eq!(program.receive(1), Ok(text.clone()), "{kind}");
            // Nobody takes this one, if the graph has not ended before.
            let _ = program.send(0, text.clone());
            drop(program);
        }
        assert_eq!(left_behind(&image, Vec::new()), [""; 0], "{kind}");
    });
}

/// One program on many threads, again and again, some of them cancelled: each run sees its own values alone.
#[test]
fn one_program_runs_many_times_at_once() {
    const THREADS: i32 = 8;
    on_each_executor_in_turn(|kind, image| {
        let starts = match kind {
            ExecutorKind::Embedded => 50,
            ExecutorKind::TensorFlow | ExecutorKind::TensorFlowQueues => 5,
        };
        thread::scope(|scope| {
            for thread in 1..=THREADS {
                scope.spawn(move || {
                    for start in 0..starts {
                        let mut handed_out = Vec::new();
                        let is_cancelled = start % 3 == 2;
                        let outcome = drive(kind, image, &mut handed_out, |trip, program| {
                            if is_cancelled && trip == start % TRIPS {
                                program.cancel();
                            }
                            thread
                        });
                        match outcome {
                            Ok(result) if !is_cancelled => {
                                assert_eq!(result, vector(1 + TRIPS * (1000 / thread)));
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
        assert_eq!(left_behind(image, Vec::new()), [""; 0], "{kind}");
    });
}
