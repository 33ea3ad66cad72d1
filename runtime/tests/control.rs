//! Control flow of graphs on each executor: the operands of branches and loops, and their
//! lifetimes.

mod support;

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use support::*;
use tfx_graphdef::proto::{NameAttrList, attr_value::ListValue, attr_value::Value};
use tfx_runtime::{DType, ExecutorKind, Image, Program, Tensor};

const I32: DType = DType::I32;
const BOOL: DType = DType::Bool;

/// Runs a program without channels, and returns its results.
fn run(kind: ExecutorKind, image: &Arc<Image>, arguments: Vec<Tensor>) -> Vec<Tensor> {
    let program = Program::start_on(kind, Arc::clone(image), arguments).expect("it starts");
    program.finish().expect("it succeeds")
}

/// The iteration arguments change simultaneously: none is overwritten before it is yielded.
#[test]
fn a_loop_rotates_its_values() {
    let rotate = CountedLoop {
        name: "rotate",
        inputs: &[("n", I32), ("a", I32), ("b", I32), ("c", I32)],
        results: &["a", "b", "c"],
        updates: &[("a", "b"), ("b", "c"), ("c", "a")],
        body: vec![],
        keep: &[],
    };
    let image = image(vec![], rotate.functions());
    on_each_executor(move |kind| {
        for count in 0..7 {
            let arguments = vec![Tensor::scalar(count), vector(0), vector(1), vector(2)];
            let expected = [0, 1, 2].map(|index| vector((index + count) % 3));
            let results = run(kind, &image, arguments);
            assert_eq!(results, expected, "{kind}: {count} iterations");
        }
    });
}

/// One value is two operands of a branch, which reads the first one last. The value is used after
/// the branch, or not.
#[test]
fn a_value_is_two_operands_of_a_branch() {
    on_each_executor(|kind| {
        for is_needed in [false, true] {
            let mut nodes = vec![branch(
                "if",
                &["p", "x", "x"],
                &[I32, I32],
                &[I32, I32],
                "twice_add",
                "twice_swap",
            )];
            let result = match is_needed {
                false => "if:output:0",
                true => "sum:z:0",
            };
            if is_needed {
                nodes.push(binary("sum", "AddV2", "if:output:0", "x"));
            }
            let image = image(
                vec![],
                [
                    Function::parse(&format!(
                        "twice(p: i1, x: i32) -> (r: i32 = {result}, s: i32 = if:output:1)"
                    ))
                    .nodes(nodes),
                    Function::parse(
                        "twice_add(a: i32, b: i32) -> (r: i32 = third:z:0, s: i32 = second:z:0)",
                    )
                    .nodes([
                        binary("first", "Mul", "b", "b"),
                        binary("second", "AddV2", "first:z:0", "a"),
                        binary("third", "AddV2", "second:z:0", "a"),
                    ]),
                    Function::parse("twice_swap(a: i32, b: i32) -> (r: i32 = b, s: i32 = a)"),
                ],
            );
            let more = if is_needed { 3 } else { 0 };
            let results = run(kind, &image, vec![boolean(true), vector(3)]);
            assert_eq!(results, [vector(15 + more), vector(12)], "{kind}");
            let results = run(kind, &image, vec![boolean(false), vector(3)]);
            assert_eq!(results, [vector(3 + more), vector(3)], "{kind}");
        }
    });
}

/// Several nodes in a loop use the same functions as branches.
#[test]
fn branches_are_shared() {
    let shared = CountedLoop {
        name: "shared",
        inputs: &[("n", I32), ("x", I32)],
        results: &["x"],
        updates: &[("x", "second:output:0")],
        body: vec![
            constant("two", &Tensor::scalar(2)),
            binary("is_early", "Less", "i", "two:output:0"),
            branch(
                "first",
                &["is_early:z:0", "x"],
                &[I32],
                &[I32],
                "shared_double",
                "shared_more",
            ),
            branch(
                "second",
                &["is_early:z:0", "first:output:0"],
                &[I32],
                &[I32],
                "shared_more",
                "shared_negative",
            ),
        ],
        keep: &[],
    };
    let mut functions = shared.functions();
    functions.extend([
        Function::parse("shared_double(x: i32) -> (r: i32 = r:z:0)")
            .nodes([binary("r", "AddV2", "x", "x")]),
        Function::parse("shared_more(x: i32) -> (r: i32 = r:z:0)").nodes([
            constant("one", &Tensor::scalar(1)),
            binary("r", "AddV2", "x", "one:output:0"),
        ]),
        Function::parse("shared_negative(x: i32) -> (r: i32 = r:y:0)").nodes([node_of(
            I32,
            "r",
            "Neg",
            &["x"],
        )]),
    ]);
    let image = image(vec![], functions);
    on_each_executor(move |kind| {
        // 1, then twice 2x + 1, then -(x + 1).
        for (count, expected) in [(0, 1), (1, 3), (2, 7), (3, -8), (4, 7)] {
            let results = run(kind, &image, vec![Tensor::scalar(count), vector(1)]);
            assert_eq!(results, [vector(expected)], "{kind}: {count} iterations");
        }
    });
}

/// An index outside of the branches selects the last one. The loop runs all of them in sequence.
#[test]
fn a_case_selects_in_each_iteration() {
    let carried = [("i", I32), ("x", I32)];
    let branches = ["case_a", "case_b", "case_c"];
    let list = ListValue {
        func: branches
            .map(|name| NameAttrList {
                name: name.to_owned(),
                ..Default::default()
            })
            .into(),
        ..Default::default()
    };
    let case = node(
        "case",
        "Case",
        &["i", "x"],
        &[
            ("Tin", types_attr(&[I32])),
            ("Tout", types_attr(&[I32])),
            ("branches", attr(Value::list(list))),
        ],
    );
    let mut functions = vec![
        Function::parse("case(x: i32) -> (r: i32 = loop:output:1)").nodes([
            constant("first", &Tensor::scalar(-1)),
            while_loop(
                "loop",
                &["first:output:0", "x"],
                &[I32; 2],
                "case_cond",
                "case_body",
            ),
        ]),
        Function::new("case_cond", &carried, &[("go", BOOL, "less:z:0")]).nodes([
            constant("end", &Tensor::scalar(5)),
            binary("less", "Less", "i", "end:output:0"),
        ]),
        Function::new(
            "case_body",
            &carried,
            &[("i_out", I32, "next:z:0"), ("x_out", I32, "case:output:0")],
        )
        .nodes([
            constant("one", &Tensor::scalar(1)),
            binary("next", "AddV2", "i", "one:output:0"),
            case,
        ]),
    ];
    for (digit, name) in (1..).zip(branches) {
        let function = Function::new(name, &[("x", I32)], &[("r", I32, "r:z:0")]).nodes([
            constant("ten", &Tensor::scalar(10)),
            constant("digit", &Tensor::scalar(digit)),
            binary("shifted", "Mul", "x", "ten:output:0"),
            binary("r", "AddV2", "shifted:z:0", "digit:output:0"),
        ]);
        functions.push(function);
    }
    let image = image(vec![], functions);
    on_each_executor(move |kind| {
        let results = run(kind, &image, vec![vector(0)]);
        assert_eq!(results, [vector(312_333)], "{kind}");
    });
}

/// A value that the selected branch does not read is dropped while the program still runs.
#[test]
fn values_that_a_branch_does_not_read_are_dropped() {
    let image = image(
        vec![to_graph(0, I32)],
        [
            Function::parse("drop(p: i1, x: i32, channel_0: resource) -> (r: i32 = sum:z:0)")
                .nodes([
                    branch("if", &["p", "x"], &[I32], &[I32], "drop_read", "drop_zero"),
                    receive_after("receive", "channel_0", "if", I32),
                    binary("sum", "AddV2", "if:output:0", "receive:components:0"),
                ])
                .keep(&["receive"]),
            Function::parse("drop_read(x: i32) -> (r: i32 = r:z:0)")
                .nodes([binary("r", "AddV2", "x", "x")]),
            Function::parse("drop_zero(x: i32) -> (r: i32 = zero:output:0)")
                .nodes([constant("zero", &vector(0))]),
        ],
    );
    within_time(move || {
        let mut value = vector(3);
        let arguments = vec![boolean(false), value.clone()];
        let program = Program::start_on(ExecutorKind::Embedded, image, arguments).expect("starts");
        let since = Instant::now();
        while value.bytes_mut().is_none() {
            assert!(
                since.elapsed() < Duration::from_secs(30),
                "it is still held"
            );
            thread::sleep(Duration::from_millis(1));
        }
        program.send(0, vector(4)).expect("sent");
        assert_eq!(program.finish(), Ok(vec![vector(4)]));
    });
}
