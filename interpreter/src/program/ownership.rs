//! Tests of the ownership of lists: a loop that appends to a list never copies it.
//!
//! ```text
//! While(i, list)   cond: Length(list) < n        reads the list, and gives it back
//!                  body: PushBack(list, i)       has the only reference, so it appends in place
//! ```

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use tfx_graphdef::{
    naming,
    proto::{
        AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef,
        attr_value::{ListValue, Value},
        op_def::ArgDef,
    },
};

use super::{Channels, Closed, NoNatives, Program, RunError};
use crate::{DType, Tensor, list::copies};

/// The number of elements that a loop appends.
const ELEMENTS: i32 = 100_000;

struct NoChannels;

impl Channels for NoChannels {
    fn send(&self, _: usize, _: Tensor) -> Result<(), Closed> {
        Err(Closed)
    }

    fn receive(&self, _: usize) -> Result<Tensor, Closed> {
        Err(Closed)
    }
}

fn types(dtypes: &[DType]) -> Value {
    Value::list(ListValue {
        r#type: dtypes.iter().map(|dtype| dtype.tensorflow()).collect(),
        ..ListValue::default()
    })
}

fn function_named(name: &str) -> Value {
    Value::Func(NameAttrList {
        name: name.into(),
        ..NameAttrList::default()
    })
}

fn node(name: &str, op: &str, inputs: &[&str], attributes: &[(&str, Value)]) -> NodeDef {
    let attribute = |(name, value): &(&str, Value)| {
        let value = Some(value.clone());
        ((*name).to_owned(), AttrValue { value })
    };
    NodeDef {
        name: name.into(),
        op: op.into(),
        input: inputs.iter().map(|&input| input.into()).collect(),
        attr: attributes.iter().map(attribute).collect(),
        ..NodeDef::default()
    }
}

/// An operation on lists of i32.
fn of_list(name: &str, op: &str, inputs: &[&str]) -> NodeDef {
    let element = Value::Type(DType::I32.tensorflow());
    node(name, op, inputs, &[("element_dtype", element)])
}

/// A function of `(i: i32, n: i32, list: variant)`, whose results are outputs of nodes.
fn function(name: &str, results: &[(DType, &str)], nodes: Vec<NodeDef>) -> FunctionDef {
    let argument = |name: String, dtype: DType| ArgDef {
        name,
        r#type: dtype.tensorflow(),
        ..ArgDef::default()
    };
    let parameters = [
        ("i", DType::I32),
        ("n", DType::I32),
        ("list", DType::Variant),
    ];
    let results = results.iter().enumerate();
    let (outputs, ret): (Vec<_>, HashMap<_, _>) = results
        .map(|(number, &(dtype, output))| {
            let name = format!("r{number}");
            (argument(name.clone(), dtype), (name, output.to_owned()))
        })
        .unzip();
    FunctionDef {
        signature: Some(OpDef {
            name: name.into(),
            input_arg: parameters
                .into_iter()
                .map(|(name, dtype)| argument(name.into(), dtype))
                .collect(),
            output_arg: outputs,
            ..OpDef::default()
        }),
        node_def: nodes,
        ret: ret.into_iter().collect(),
        ..FunctionDef::default()
    }
}

/// The main function with these nodes, of which the arguments are `i` and `n`.
fn main_of(nodes: Vec<NodeDef>, result: (DType, &str)) -> FunctionDef {
    let mut main = function("main", &[result], nodes);
    let signature = main.signature.as_mut().expect("it has one");
    signature.input_arg.truncate(2);
    main
}

fn run(functions: Vec<FunctionDef>, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, RunError> {
    let program = prepare(functions).expect("a program");
    program.run(arguments, &NoChannels, &AtomicBool::new(false))
}

fn prepare(functions: Vec<FunctionDef>) -> Result<Program, super::PrepareError> {
    let call = naming::call_node("main");
    let arguments: Vec<String> = (0..2)
        .map(|number| naming::argument_node("main", number))
        .collect();
    let inputs: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let attributes = [("f", function_named("main"))];
    let graph = GraphDef {
        node: vec![
            node(&call, "StatefulPartitionedCall", &inputs, &attributes),
            node(
                &naming::result_node("main", 0),
                "Identity",
                &[&format!("{call}:0")],
                &[],
            ),
        ],
        library: Some(FunctionDefLibrary {
            function: functions,
            ..FunctionDefLibrary::default()
        }),
        ..GraphDef::default()
    };
    Program::prepare(&graph, "main", &NoNatives)
}

/// An empty list, for elements of the shape of `i`.
fn empty_list() -> Vec<NodeDef> {
    vec![
        node("rank", "Shape", &["i"], &[]),
        node("any", "Sub", &["i", "one:y:0"], &[]),
        node("one", "OnesLike", &["i"], &[]),
        of_list("empty", "EmptyTensorList", &["rank:output:0", "any:z:0"]),
    ]
}

fn while_node(name: &str, list: &str) -> NodeDef {
    let carried = [DType::I32, DType::I32, DType::Variant];
    let attributes = [
        ("T", types(&carried)),
        ("cond", function_named("cond")),
        ("body", function_named("body")),
    ];
    node(name, "While", &["i", "n", list], &attributes)
}

/// The loop of this page; `body` ends with the node `push`.
fn loop_functions(body: Vec<NodeDef>) -> Vec<FunctionDef> {
    let next = [
        (DType::I32, "next:z:0"),
        (DType::I32, "n"),
        (DType::Variant, "push:output_handle:0"),
    ];
    let condition = vec![
        of_list("length", "TensorListLength", &["list"]),
        node("less", "Less", &["length:length:0", "n"], &[]),
    ];
    let mut nodes = vec![
        node("unit", "OnesLike", &["i"], &[]),
        node("next", "AddV2", &["i", "unit:y:0"], &[]),
    ];
    nodes.extend(body);
    vec![
        function("cond", &[(DType::Bool, "less:z:0")], condition),
        function("body", &next, nodes),
    ]
}

fn push() -> Vec<NodeDef> {
    vec![of_list("push", "TensorListPushBack", &["list", "i"])]
}

fn stack(list: &str) -> Vec<NodeDef> {
    vec![
        node("shape", "Shape", &["i"], &[]),
        of_list("all", "TensorListStack", &[list, "shape:output:0"]),
    ]
}

const RESULT: (DType, &str) = (DType::I32, "all:tensor:0");

/// Runs a program with lists, and checks its result and that no element of a list was copied.
fn check(functions: Vec<FunctionDef>) {
    copies::take();
    let arguments = vec![Tensor::scalar(0), Tensor::scalar(ELEMENTS)];
    let results = run(functions, arguments).expect("it runs");
    let expected: Vec<i32> = (0..ELEMENTS).collect();
    assert_eq!(results[0].values::<i32>(), Ok(&expected[..]));
    assert_eq!(copies::take(), 0, "elements were copied");
}

fn main_with_loop() -> FunctionDef {
    let mut nodes = empty_list();
    nodes.push(while_node("loop", "empty:handle:0"));
    nodes.extend(stack("loop:output:2"));
    main_of(nodes, RESULT)
}

#[test]
fn a_loop_appends_in_place() {
    let mut functions = vec![main_with_loop()];
    functions.extend(loop_functions(push()));
    check(functions);
}

/// The functions of two loops stay functions: each iteration pushes frames.
#[test]
fn a_loop_of_functions_with_several_users_appends_in_place() {
    let mut nodes = empty_list();
    nodes.push(while_node("first", "empty:handle:0"));
    // It ends at once, since the list is full.
    nodes.push(while_node("second", "first:output:2"));
    nodes.extend(stack("second:output:2"));
    let mut functions = vec![main_of(nodes, RESULT)];
    functions.extend(loop_functions(push()));
    check(functions);
}

#[test]
fn a_branch_and_a_call_in_a_loop_append_in_place() {
    let given = [DType::I32, DType::I32, DType::Variant];
    let attributes = [
        ("Tcond", Value::Type(DType::I32.tensorflow())),
        ("Tin", types(&given)),
        ("Tout", types(&[DType::Variant])),
        ("then_branch", function_named("then")),
        ("else_branch", function_named("else")),
    ];
    let choice = node("choice", "If", &["i", "i", "n", "list"], &attributes);
    let results = [(DType::Variant, "push:output_handle:0")];
    let call = [
        ("Tin", types(&given)),
        ("Tout", types(&[DType::Variant])),
        ("f", function_named("called")),
    ];
    let inputs = ["i", "n", "choice:output:0"];
    let body = vec![
        choice,
        node("call", "StatefulPartitionedCall", &inputs, &call),
        of_list("set", "TensorListSetItem", &["call:output:0", "i", "i"]),
        node("push", "Identity", &["set:output_handle:0"], &[]),
    ];
    let mut functions = vec![main_with_loop()];
    functions.extend(loop_functions(body));
    let body = functions.last_mut().expect("the body");
    body.ret.insert("r2".into(), "push:output:0".into());
    functions.push(function("then", &results, push()));
    functions.push(function("else", &results, push()));
    functions.push(function("called", &[(DType::Variant, "list")], Vec::new()));
    check(functions);
}

/// The counter of the tests above counts.
#[test]
fn a_list_that_is_used_again_is_copied() {
    let mut nodes = empty_list();
    nodes.push(while_node("loop", "empty:handle:0"));
    let inputs = ["loop:output:2", "i"];
    nodes.push(of_list("more", "TensorListPushBack", &inputs));
    nodes.push(of_list(
        "count",
        "TensorListLength",
        &["more:output_handle:0"],
    ));
    nodes.extend(stack("loop:output:2"));
    nodes.push(node(
        "sum",
        "AddV2",
        &["all:tensor:0", "count:length:0"],
        &[],
    ));
    let mut functions = vec![main_of(nodes, (DType::I32, "sum:z:0"))];
    functions.extend(loop_functions(push()));
    copies::take();
    let arguments = vec![Tensor::scalar(0), Tensor::scalar(ELEMENTS)];
    let results = run(functions, arguments).expect("it runs");
    let first = results[0].values::<i32>().map(|values| values[0]);
    assert_eq!(first, Ok(ELEMENTS + 1));
    assert_eq!(copies::take(), ELEMENTS as usize);
}

#[test]
fn lists_do_not_cross_to_the_host() {
    let mut nodes = empty_list();
    nodes.push(node("list", "Identity", &["empty:handle:0"], &[]));
    let main = main_of(nodes, (DType::Variant, "list:output:0"));
    let error = prepare(vec![main]).expect_err("a list as a result");
    let message = "values of type !tfx_tensor.variant cannot cross to the host";
    assert!(error.message.starts_with(message), "{error}");
}
