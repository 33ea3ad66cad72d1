//! Programs on all executors: starts, messages, failures and ends.

mod support;

use std::{sync::Arc, time::Duration};

use support::*;
use tfx_runtime::{DType, ExecutorKind, Image, Launch, Program, Tensor};

const RESOURCE: DType = DType::Resource;
const I32: DType = DType::I32;
const F32: DType = DType::F32;
const BOOL: DType = DType::Bool;

fn start(kind: ExecutorKind, image: &Arc<Image>, arguments: &[i32]) -> Arc<Program> {
    let arguments = arguments
        .iter()
        .map(|&value| Tensor::scalar(value))
        .collect();
    Program::start_on(kind, Arc::clone(image), arguments).expect("the program starts")
}

fn integer(tensor: &Tensor) -> i32 {
    tensor.item().expect("an i32")
}

fn results(program: &Program) -> Vec<i32> {
    program
        .finish()
        .expect("the program succeeds")
        .iter()
        .map(integer)
        .collect()
}

/// `y = x * w + b` on f32.
#[test]
fn a_plain_call_has_results() {
    let image = Function::parse("plain(x: f32, w: f32, b: f32) -> (y: f32 = sum:z:0)")
        .nodes([
            node_of(F32, "product", "MatMul", &["x", "w"]),
            node_of(F32, "sum", "AddV2", &["product:product:0", "b"]),
        ])
        .image(vec![]);
    on_each_executor(move |kind| {
        let matrix = |values: &[f32]| Tensor::from_slice(&[2, 2], values).expect("a tensor");
        let arguments = vec![
            matrix(&[1.0, 2.0, 3.0, 4.0]),
            matrix(&[0.0, 1.0, 1.0, 0.0]),
            Tensor::scalar(0.5f32),
        ];
        for _ in 0..2 {
            let program = Program::start_on(kind, Arc::clone(&image), arguments.clone());
            let results = program.and_then(|program| program.finish());
            assert_eq!(results, Ok(vec![matrix(&[2.5, 1.5, 4.5, 3.5])]), "{kind}");
        }
    });
}

/// Counts to `n`; each third iteration sends the counter.
fn counter() -> Arc<Image> {
    let counter = CountedLoop {
        name: "counter",
        inputs: &[("n", I32), ("channel_0", RESOURCE)],
        results: &["i"],
        updates: &[],
        body: vec![
            constant("three", &Tensor::scalar(3)),
            constant("zero", &Tensor::scalar(0)),
            binary("rest", "FloorMod", "i", "three:output:0"),
            binary("now", "Equal", "rest:z:0", "zero:output:0"),
            branch(
                "tell",
                &["now:z:0", "i", "channel_0"],
                &[I32, RESOURCE],
                &[],
                "counter_send",
                "counter_nothing",
            ),
        ],
        keep: &["tell"],
    };
    let mut functions = counter.functions();
    functions.extend([
        Function::parse("counter_send(i: i32, c: resource) -> ()")
            .nodes([send("send", "c", "i", I32)])
            .keep(&["send"]),
        Function::parse("counter_nothing(i: i32, c: resource) -> ()")
            .nodes([node("nothing", "NoOp", &[], &[])])
            .keep(&["nothing"]),
    ]);
    image(vec![to_host(0, I32)], functions)
}

#[test]
fn a_loop_sends_in_each_third_iteration() {
    let image = counter();
    on_each_executor(move |kind| {
        let program = start(kind, &image, &[10]);
        let seen: Vec<i32> = (0..4)
            .map(|_| integer(&program.receive(0).expect("a value")))
            .collect();
        assert_eq!(seen, [0, 3, 6, 9], "{kind}");
        assert_eq!(results(&program), [10], "{kind}");
    });
}

#[test]
fn the_last_values_of_a_finished_graph_are_received() {
    let image = counter();
    on_each_executor(move |kind| {
        // One value in the channel, and a graph that has ended.
        let program = start(kind, &image, &[1]);
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(
            integer(&program.receive(0).expect("the value is still there")),
            0,
            "{kind}"
        );
        let problem = program.receive(0).expect_err("there is no second value");
        assert_eq!(
            problem.message, "the graph ended without sending this value",
            "{kind}"
        );
        assert_eq!(results(&program), [1], "{kind}");
    });
}

#[test]
fn a_second_start_is_independent_of_the_first() {
    let image = counter();
    on_each_executor(move |kind| {
        let first = start(kind, &image, &[4]);
        assert_eq!(integer(&first.receive(0).expect("a value")), 0);
        // The value 3 of the first start remains in its channel.
        std::thread::sleep(Duration::from_millis(50));
        drop(first);
        let second = start(kind, &image, &[1]);
        assert_eq!(integer(&second.receive(0).expect("a value")), 0, "{kind}");
        assert_eq!(results(&second), [1], "{kind}");
    });
}

/// Doubles while the host sends true; the condition of the loop receives the boolean.
#[test]
fn a_condition_is_received() {
    let image = image(
        vec![to_graph(0, BOOL)],
        [
            Function::parse("pressed(x: i32, channel_0: resource) -> (r: i32 = loop:output:0)")
                .nodes([while_loop(
                    "loop",
                    &["x", "channel_0"],
                    &[I32, RESOURCE],
                    "pressed_cond",
                    "pressed_body",
                )])
                .keep(&["loop"]),
            Function::parse("pressed_cond(x: i32, c: resource) -> (go: i1 = go:components:0)")
                .nodes([receive("go", "c", BOOL)])
                .keep(&["go"]),
            Function::parse(
                "pressed_body(x: i32, c: resource) -> (next: i32 = twice:z:0, c_out: resource = c)",
            )
            .nodes([binary("twice", "AddV2", "x", "x")]),
        ],
    );
    on_each_executor(move |kind| {
        let program = start(kind, &image, &[1]);
        for go in [true, true, true, false] {
            program.send(0, boolean(go)).expect("sent");
        }
        assert_eq!(results(&program), [8], "{kind}");
    });
}

/// Each iteration sends `x` and receives the next `x`.
fn simulator() -> Arc<Image> {
    let simulator = CountedLoop {
        name: "simulator",
        inputs: &[
            ("x", I32),
            ("n", I32),
            ("channel_0", RESOURCE),
            ("channel_1", RESOURCE),
        ],
        results: &["x"],
        updates: &[("x", "mix:z:0")],
        body: vec![
            send("send", "channel_0", "x", I32),
            receive_after("receive", "channel_1", "send", I32),
            binary("other", "Mul", "x", "x"),
            binary("mix", "AddV2", "receive:components:0", "other:z:0"),
        ],
        keep: &["send", "receive"],
    };
    let channels = vec![to_host(0, I32), to_graph(1, I32)];
    image(channels, simulator.functions())
}

fn simulate(program: &Program, count: usize) {
    for _ in 0..count {
        let x = integer(&program.receive(0).expect("x"));
        program
            .send(1, Tensor::scalar(x.wrapping_add(1)))
            .expect("sent");
    }
}

fn simulated(mut x: i32, count: usize) -> i32 {
    for _ in 0..count {
        x = x.wrapping_mul(x).wrapping_add(x.wrapping_add(1));
    }
    x
}

#[test]
fn the_host_answers_in_each_iteration() {
    let image = simulator();
    on_each_executor(move |kind| {
        let program = start(kind, &image, &[2, 100]);
        simulate(&program, 100);
        assert_eq!(results(&program), [simulated(2, 100)], "{kind}");
    });
}

#[test]
fn two_programs_run_at_once() {
    let image = simulator();
    on_each_executor(move |kind| {
        let programs = [start(kind, &image, &[2, 20]), start(kind, &image, &[3, 20])];
        for _ in 0..20 {
            programs.iter().for_each(|program| simulate(program, 1));
        }
        let seen = programs.each_ref().map(|program| results(program));
        assert_eq!(seen, [[simulated(2, 20)], [simulated(3, 20)]], "{kind}");
    });
}

/// Counts to `n`, without channels.
fn silent_counter() -> Arc<Image> {
    let counter = CountedLoop {
        name: "silent",
        inputs: &[("n", I32)],
        results: &["i"],
        updates: &[],
        body: vec![],
        keep: &[],
    };
    image(vec![], counter.functions())
}

/// More iterations than any executor runs during the test.
const ENDLESS: i32 = i32::MAX;

#[test]
fn a_deferred_program_has_results() {
    let (silent, counter) = (silent_counter(), counter());
    on_each_executor(move |kind| {
        let arguments = vec![Tensor::scalar(7)];
        let program = Program::launch(kind, Arc::clone(&silent), arguments, Launch::Deferred);
        let program = program.expect("starts");
        assert_eq!(results(&program), [7], "{kind}");
        assert!(program.finish().is_err(), "{kind}");
        // A graph with channels runs concurrently.
        let arguments = vec![Tensor::scalar(1)];
        let program = Program::launch(kind, Arc::clone(&counter), arguments, Launch::Deferred);
        let program = program.expect("starts");
        assert_eq!(integer(&program.receive(0).expect("a value")), 0, "{kind}");
        assert_eq!(results(&program), [1], "{kind}");
    });
}

#[test]
fn a_deferred_program_that_is_not_finished_does_not_run() {
    let image = silent_counter();
    on_each_executor(move |kind| {
        let start = || {
            let arguments = vec![Tensor::scalar(ENDLESS)];
            Program::launch(kind, Arc::clone(&image), arguments, Launch::Deferred).expect("starts")
        };
        drop(start());
        assert_eq!(start().terminate(), Ok(()), "{kind}");
        let cancelled = start();
        cancelled.cancel();
        let problem = cancelled.finish().expect_err("it was cancelled");
        assert_eq!(problem.message, "the program was cancelled", "{kind}");
    });
}

#[test]
fn a_deferred_program_is_cancelled_while_it_runs() {
    let image = silent_counter();
    on_each_executor(move |kind| {
        let arguments = vec![Tensor::scalar(ENDLESS)];
        let program = Program::launch(kind, Arc::clone(&image), arguments, Launch::Deferred);
        let program = program.expect("starts");
        let runner = Arc::clone(&program);
        let running = std::thread::spawn(move || runner.finish());
        std::thread::sleep(Duration::from_millis(50));
        program.cancel();
        let problem = running.join().expect("no panic");
        let problem = problem.expect_err("it was cancelled");
        assert_eq!(problem.message, "the program was cancelled", "{kind}");
    });
}

#[test]
fn a_branch_is_taken() {
    let image = image(
        vec![],
        [
            Function::parse("branch(p: i1, a: i32, b: i32) -> (r: i32 = if:output:0)").nodes([
                branch(
                    "if",
                    &["p", "a", "b"],
                    &[I32, I32],
                    &[I32],
                    "branch_add",
                    "branch_sub",
                ),
            ]),
            Function::parse("branch_add(a: i32, b: i32) -> (r: i32 = r:z:0)")
                .nodes([binary("r", "AddV2", "a", "b")]),
            Function::parse("branch_sub(a: i32, b: i32) -> (r: i32 = r:z:0)")
                .nodes([binary("r", "Sub", "a", "b")]),
        ],
    );
    on_each_executor(move |kind| {
        for (condition, expected) in [(true, 7), (false, 3)] {
            let arguments = vec![boolean(condition), Tensor::scalar(5), Tensor::scalar(2)];
            let program = Program::start_on(kind, Arc::clone(&image), arguments).expect("starts");
            assert_eq!(results(&program), [expected], "{kind}");
        }
    });
}

/// Receives a divisor, and sends the quotient.
fn divider() -> Arc<Image> {
    let signature = "divider(x: i32, channel_0: resource, channel_1: resource) -> \
         (r: i32 = p.mlir_7_3_FloorDiv:z:0)";
    Function::parse(signature)
        .nodes([
            receive("by", "channel_0", I32),
            located(
                binary("p.mlir_7_3_FloorDiv", "FloorDiv", "x", "by:components:0"),
                "dir/p.mlir:7:3",
            ),
            send("send", "channel_1", "p.mlir_7_3_FloorDiv:z:0", I32),
        ])
        .keep(&["send", "by"])
        .image(vec![to_graph(0, I32), to_host(1, I32)])
}

#[test]
fn a_graph_error_wakes_the_host() {
    let image = divider();
    on_each_executor(move |kind| {
        let program = start(kind, &image, &[6]);
        let receiver = Arc::clone(&program);
        // Waits before the failure.
        let waiting = std::thread::spawn(move || receiver.receive(1));
        std::thread::sleep(Duration::from_millis(50));
        program.send(0, Tensor::scalar(0)).expect("sent");
        let problem = waiting
            .join()
            .expect("no panic")
            .expect_err("the graph fails");
        assert_eq!(
            problem.to_string(),
            "dir/p.mlir:7:3: error: Integer division by zero (operation FloorDiv)",
            "{kind}"
        );
        assert_eq!(
            program.receive(1).expect_err("the graph failed"),
            problem,
            "{kind}"
        );
        assert_eq!(
            program.finish().expect_err("the graph failed"),
            problem,
            "{kind}"
        );
    });
}

#[test]
fn a_program_ends_once() {
    let image = counter();
    on_each_executor(move |kind| {
        let finished = start(kind, &image, &[0]);
        assert_eq!(results(&finished), [0], "{kind}");
        let terminated = start(kind, &image, &[5]);
        assert_eq!(terminated.terminate(), Ok(()), "{kind}");
        for (program, how) in [(finished, "finished"), (terminated, "terminated")] {
            let expected = format!("program 'counter' was {how} before");
            let problem = |result: Result<(), tfx_runtime::Failure>| {
                result.expect_err("it has ended").message
            };
            assert_eq!(problem(program.terminate()), expected, "{kind}");
            assert_eq!(problem(program.finish().map(drop)), expected, "{kind}");
            assert_eq!(problem(program.receive(0).map(drop)), expected, "{kind}");
            assert_eq!(
                problem(program.send(0, Tensor::scalar(1))),
                expected,
                "{kind}"
            );
        }
    });
}

#[test]
fn a_waiting_graph_is_terminated() {
    let image = divider();
    on_each_executor(move |kind| {
        let program = start(kind, &image, &[6]);
        let receiver = Arc::clone(&program);
        let waiting = std::thread::spawn(move || receiver.receive(1));
        std::thread::sleep(Duration::from_millis(50));
        program.cancel();
        let problem = waiting.join().expect("no panic").expect_err("cancelled");
        assert_eq!(problem.message, "the program was cancelled", "{kind}");
        drop(program);
        // Also directly after the start.
        drop(start(kind, &image, &[6]));
    });
}

#[test]
fn a_busy_graph_is_terminated() {
    let image = image(
        vec![],
        [
            Function::parse("busy(x: i32) -> (r: i32 = loop:output:0)").nodes([while_loop(
                "loop",
                &["x"],
                &[I32],
                "busy_cond",
                "busy_body",
            )]),
            Function::parse("busy_cond(x: i32) -> (go: i1 = go:z:0)")
                .nodes([binary("go", "Equal", "x", "x")]),
            Function::parse("busy_body(x: i32) -> (next: i32 = next:z:0)")
                .nodes([binary("next", "Mul", "x", "x")]),
        ],
    );
    on_each_executor(move |kind| {
        let program = start(kind, &image, &[1]);
        std::thread::sleep(Duration::from_millis(50));
        drop(program);
    });
}

#[test]
fn invalid_values_are_reported() {
    let image = divider();
    on_each_executor(move |kind| {
        let missing = Program::start_on(kind, Arc::clone(&image), vec![]).expect_err("no input");
        assert_eq!(
            missing.message,
            "program 'divider' expects 1 inputs, but got 0"
        );
        let program = start(kind, &image, &[6]);
        let wrong = program
            .send(0, Tensor::scalar(1.0f32))
            .expect_err("wrong type");
        assert_eq!(
            wrong.message, "a value of f32 is sent, but the channel carries i32",
            "{kind}"
        );
        assert!(program.send(9, Tensor::scalar(1)).is_err());
        assert!(
            program.receive(0).is_err(),
            "{kind}: the channel has the opposite direction"
        );
    });
}

#[test]
fn wrong_shapes_fail_in_the_graph() {
    let image = Function::parse("shapes(x: f32, y: f32) -> (r: f32 = p.mlir_2_1_AddV2:z:0)")
        .nodes([located(
            node_of(F32, "p.mlir_2_1_AddV2", "AddV2", &["x", "y"]),
            "p.mlir:2:1",
        )])
        .image(vec![]);
    on_each_executor(move |kind| {
        let arguments = [2, 3]
            .map(|size| Tensor::zeros(F32, &[size]).expect("a tensor"))
            .to_vec();
        let program = Program::start_on(kind, Arc::clone(&image), arguments).expect("starts");
        let problem = program.finish().expect_err("the shapes do not fit");
        assert_eq!(
            problem.to_string(),
            "p.mlir:2:1: error: Incompatible shapes: [2] vs. [3] (operation AddV2)",
            "{kind}"
        );
    });
}

#[test]
fn operations_without_a_kernel_are_reported_before_the_start() {
    let image = Function::parse("missing(x: f32) -> (r: f32 = r:y:0)")
        .nodes([located(
            node_of(F32, "r", "BesselI0e", &["x"]),
            "p.mlir:3:4",
        )])
        .image(vec![]);
    let problem = Program::start_on(ExecutorKind::Embedded, image, vec![Tensor::scalar(1.0f32)])
        .expect_err("no kernel");
    assert_eq!(
        problem.to_string(),
        "p.mlir:3:4: error: the embedded executor has no kernel for the operation BesselI0e; \
         run the program with --executor tensorflow"
    );
}

/// Neither preparation nor execution recurses over nested calls.
#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    const DEPTH: i32 = 20_000;
    let level = |number: i32| {
        let name = format!("deep_{number}");
        let callee = format!("deep_{}", number + 1);
        let call = node(
            "call",
            "StatefulPartitionedCall",
            &["x"],
            &[
                ("Tin", types_attr(&[I32])),
                ("Tout", types_attr(&[I32])),
                ("f", function_attr(&callee)),
            ],
        );
        let function = |output| Function::new(&name, &[("x", I32)], &[("r", I32, output)]);
        if number == DEPTH {
            return function("twice:z:0").nodes([binary("twice", "AddV2", "x", "x")]);
        }
        function("call:output:0").nodes([call])
    };
    let image = image(vec![], (0..=DEPTH).map(level));
    within_time(move || {
        let program = start(ExecutorKind::Embedded, &image, &[21]);
        assert_eq!(results(&program), [42]);
    });
}
