//! Construction of GraphDefs, and their execution under a watchdog on all executors.
//!
//! ```text
//! Function "P" [nodes] ... ──image──► Image ──► Program on the embedded executor, and on TensorFlow
//!                                               if it is installed
//! ```

#![allow(dead_code, reason = "each test binary uses a part")]

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use prost::Message;
use tfx_graphdef::{
    GRAPH_DEF_VERSION, naming,
    proto::{
        AttrValue, FunctionDef, FunctionDefLibrary, GraphDef, NameAttrList, NodeDef, OpDef,
        TensorProto, TensorShapeProto, VersionDef,
        attr_value::{ListValue, Value},
        op_def::ArgDef,
        tensor_shape_proto::Dim,
    },
};
use tfx_runtime::{Channel, DType, Direction, ExecutorKind, Image, Tensor};

/// An attribute.
pub(crate) fn attr(value: Value) -> AttrValue {
    AttrValue { value: Some(value) }
}

pub(crate) fn type_attr(dtype: DType) -> AttrValue {
    attr(Value::Type(dtype.tensorflow()))
}

pub(crate) fn types_attr(dtypes: &[DType]) -> AttrValue {
    let r#type = dtypes.iter().map(|dtype| dtype.tensorflow()).collect();
    attr(Value::list(ListValue {
        r#type,
        ..ListValue::default()
    }))
}

pub(crate) fn function_attr(name: &str) -> AttrValue {
    attr(Value::Func(NameAttrList {
        name: name.into(),
        ..NameAttrList::default()
    }))
}

pub(crate) fn node(name: &str, op: &str, inputs: &[&str], attrs: &[(&str, AttrValue)]) -> NodeDef {
    NodeDef {
        name: name.into(),
        op: op.into(),
        input: inputs.iter().map(|&input| input.into()).collect(),
        attr: attrs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        ..NodeDef::default()
    }
}

pub(crate) fn located(mut node: NodeDef, location: &str) -> NodeDef {
    node.attr.insert(
        naming::LOCATION_ATTRIBUTE.into(),
        attr(Value::S(location.as_bytes().to_vec())),
    );
    node
}

pub(crate) fn tensor_proto(tensor: &Tensor) -> TensorProto {
    let dim = tensor
        .shape()
        .iter()
        .map(|&size| Dim {
            size: size as i64,
            ..Dim::default()
        })
        .collect();
    TensorProto {
        dtype: tensor.dtype().tensorflow(),
        tensor_shape: Some(TensorShapeProto {
            dim,
            unknown_rank: false,
        }),
        tensor_content: tensor.bytes().to_vec(),
        ..TensorProto::default()
    }
}

pub(crate) fn constant(name: &str, tensor: &Tensor) -> NodeDef {
    node(
        name,
        "Const",
        &[],
        &[
            ("dtype", type_attr(tensor.dtype())),
            ("value", attr(Value::tensor(tensor_proto(tensor)))),
        ],
    )
}

fn type_named(name: &str) -> DType {
    let mut all = (0..64).filter_map(DType::from_tensorflow);
    let found = all.find(|dtype| dtype.name() == name);
    found.unwrap_or_else(|| panic!("there is no type {name}"))
}

/// A function; `results` are names with types and outputs of nodes, such as "sum:z:0".
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) inputs: Vec<(String, DType)>,
    pub(crate) results: Vec<(String, DType, String)>,
    pub(crate) nodes: Vec<NodeDef>,
    pub(crate) keep: Vec<String>,
}

impl Function {
    pub(crate) fn new(
        name: &str,
        inputs: &[(&str, DType)],
        results: &[(&str, DType, &str)],
    ) -> Self {
        Function {
            name: name.into(),
            inputs: inputs
                .iter()
                .map(|(name, dtype)| ((*name).into(), *dtype))
                .collect(),
            results: results
                .iter()
                .map(|(name, dtype, output)| ((*name).into(), *dtype, (*output).into()))
                .collect(),
            nodes: Vec::new(),
            keep: Vec::new(),
        }
    }

    /// Reads a signature such as `f(x: i32, c: resource) -> (r: i32 = sum:z:0)`.
    pub(crate) fn parse(signature: &str) -> Self {
        let (name, parameters) = signature.split_once('(').expect("parameters");
        let (parameters, results) = parameters.split_once(") -> (").expect("results");
        let typed = |text: &str| {
            let (name, of) = text.split_once(": ").expect("a name and a type");
            (name.to_owned(), type_named(of))
        };
        let result = |text: &str| {
            let (text, output) = text.split_once(" = ").expect("an output of a node");
            let (name, dtype) = typed(text);
            (name, dtype, output.to_owned())
        };
        let results = results.trim_end_matches(')').split_terminator(", ");
        Function {
            inputs: parameters.split_terminator(", ").map(typed).collect(),
            results: results.map(result).collect(),
            ..Function::new(name, &[], &[])
        }
    }

    pub(crate) fn nodes(mut self, nodes: impl IntoIterator<Item = NodeDef>) -> Self {
        self.nodes.extend(nodes);
        self
    }

    pub(crate) fn keep(mut self, names: &[&str]) -> Self {
        self.keep.extend(names.iter().map(|&name| name.to_owned()));
        self
    }

    /// The image of a program of this function.
    pub(crate) fn image(self, channels: Vec<Channel>) -> Arc<Image> {
        image(channels, [self])
    }

    fn def(self) -> FunctionDef {
        let argument = |name: &str, dtype: DType| ArgDef {
            name: name.into(),
            r#type: dtype.tensorflow(),
            ..ArgDef::default()
        };
        FunctionDef {
            signature: Some(OpDef {
                name: self.name,
                input_arg: self
                    .inputs
                    .iter()
                    .map(|(name, dtype)| argument(name, *dtype))
                    .collect(),
                output_arg: self
                    .results
                    .iter()
                    .map(|(name, dtype, _)| argument(name, *dtype))
                    .collect(),
                is_stateful: !self.keep.is_empty(),
                control_output: self.keep.clone(),
                ..OpDef::default()
            }),
            node_def: self.nodes,
            ret: self
                .results
                .into_iter()
                .map(|(name, _, output)| (name, output))
                .collect(),
            control_ret: self
                .keep
                .into_iter()
                .map(|name| (name.clone(), name))
                .collect(),
            ..FunctionDef::default()
        }
    }
}

/// A channel of capacity 1.
fn channel(id: i32, direction: Direction, dtype: DType) -> Channel {
    Channel {
        id,
        direction,
        dtype,
        capacity: 1,
        location: Some(format!("p.mlir:{id}:1")),
    }
}

pub(crate) fn to_host(id: i32, dtype: DType) -> Channel {
    channel(id, Direction::ToHost, dtype)
}

pub(crate) fn to_graph(id: i32, dtype: DType) -> Channel {
    channel(id, Direction::ToGraph, dtype)
}

pub(crate) fn send(name: &str, channel: &str, value: &str, dtype: DType) -> NodeDef {
    node(
        name,
        "QueueEnqueueV2",
        &[channel, value],
        &[("Tcomponents", types_attr(&[dtype]))],
    )
}

pub(crate) fn receive(name: &str, channel: &str, dtype: DType) -> NodeDef {
    node(
        name,
        "QueueDequeueV2",
        &[channel],
        &[("component_types", types_attr(&[dtype]))],
    )
}

/// An operation on one type.
pub(crate) fn node_of(dtype: DType, name: &str, op: &str, inputs: &[&str]) -> NodeDef {
    node(name, op, inputs, &[("T", type_attr(dtype))])
}

/// A binary operation on i32.
pub(crate) fn binary(name: &str, op: &str, left: &str, right: &str) -> NodeDef {
    node_of(DType::I32, name, op, &[left, right])
}

/// A receive that follows another node.
pub(crate) fn receive_after(name: &str, channel: &str, node: &str, dtype: DType) -> NodeDef {
    let mut receive = receive(name, channel, dtype);
    receive.input.push(format!("^{node}"));
    receive
}

pub(crate) fn placeholder(name: &str, dtype: DType) -> NodeDef {
    let any = TensorShapeProto {
        unknown_rank: true,
        ..TensorShapeProto::default()
    };
    let shape = attr(Value::Shape(any));
    node(
        name,
        "Placeholder",
        &[],
        &[("dtype", type_attr(dtype)), ("shape", shape)],
    )
}

pub(crate) fn while_loop(
    name: &str,
    inputs: &[&str],
    dtypes: &[DType],
    condition: &str,
    body: &str,
) -> NodeDef {
    node(
        name,
        "While",
        inputs,
        &[
            ("T", types_attr(dtypes)),
            ("cond", function_attr(condition)),
            ("body", function_attr(body)),
            (naming::LOWER_ATTRIBUTE, attr(Value::B(true))),
        ],
    )
}

pub(crate) fn branch(
    name: &str,
    inputs: &[&str],
    ins: &[DType],
    outs: &[DType],
    then: &str,
    otherwise: &str,
) -> NodeDef {
    node(
        name,
        "If",
        inputs,
        &[
            ("Tcond", type_attr(DType::Bool)),
            ("Tin", types_attr(ins)),
            ("Tout", types_attr(outs)),
            ("then_branch", function_attr(then)),
            ("else_branch", function_attr(otherwise)),
            (naming::LOWER_ATTRIBUTE, attr(Value::B(true))),
        ],
    )
}

/// A vector, whose elements are on the heap, so that the test observes its owners.
pub(crate) fn vector(value: i32) -> Tensor {
    Tensor::from_slice(&[8], &[value; 8]).expect("a tensor")
}

pub(crate) fn boolean(value: bool) -> Tensor {
    Tensor::scalar(tfx_interpreter::Bool::from(value))
}

/// A program with a loop of `n` iterations: functions `name`, `name_cond` and `name_body`.
pub(crate) struct CountedLoop<'a> {
    pub(crate) name: &'a str,
    /// The inputs of the program, `n` among them. Each is an iteration argument, after the counter
    /// `i`.
    pub(crate) inputs: &'a [(&'a str, DType)],
    /// The iteration arguments whose final values are results.
    pub(crate) results: &'a [&'a str],
    /// The inputs that an iteration changes, and their outputs of nodes of the body.
    pub(crate) updates: &'a [(&'a str, &'a str)],
    /// The nodes of the body.
    pub(crate) body: Vec<NodeDef>,
    /// The effects of the body.
    pub(crate) keep: &'a [&'a str],
}

impl CountedLoop<'_> {
    pub(crate) fn functions(self) -> Vec<Function> {
        let carried: Vec<_> = [("i", DType::I32)]
            .iter()
            .chain(self.inputs)
            .copied()
            .collect();
        let position = |name: &str| carried.iter().position(|(carried, _)| *carried == name);
        let names = self.inputs.iter().map(|(name, _)| *name);
        let start: Vec<_> = ["zero:output:0"].into_iter().chain(names).collect();
        let types: Vec<_> = carried.iter().map(|(_, dtype)| *dtype).collect();
        let (condition, body) = (format!("{}_cond", self.name), format!("{}_body", self.name));
        let result = |name: &&str| {
            let position = position(name).expect("an iteration argument");
            let output = format!("loop:output:{position}");
            ((*name).to_owned(), types[position], output)
        };
        let next = |&(name, dtype): &(&str, DType)| {
            let update = self.updates.iter().find(|(updated, _)| *updated == name);
            let update = update.map_or(name, |(_, output)| output);
            let update = if name == "i" { "next:z:0" } else { update };
            (format!("{name}_out"), dtype, update.to_owned())
        };
        let mut main = Function::new(self.name, self.inputs, &[]);
        main.results = self.results.iter().map(result).collect();
        main.nodes = vec![
            constant("zero", &Tensor::scalar(0)),
            while_loop("loop", &start, &types, &condition, &body),
        ];
        let mut iteration = Function::new(&body, &carried, &[]).keep(self.keep);
        iteration.results = carried.iter().map(next).collect();
        iteration.nodes = self.body;
        iteration.nodes.push(constant("one", &Tensor::scalar(1)));
        iteration
            .nodes
            .push(binary("next", "AddV2", "i", "one:output:0"));
        if !self.keep.is_empty() {
            main = main.keep(&["loop"]);
        }
        let less = Function::new(&condition, &carried, &[("go", DType::Bool, "less:z:0")]);
        vec![
            main,
            less.nodes([binary("less", "Less", "i", "n")]),
            iteration,
        ]
    }
}

/// The image of a program, whose function is the first of `functions` and has its name.
pub(crate) fn image(
    channels: Vec<Channel>,
    functions: impl IntoIterator<Item = Function>,
) -> Arc<Image> {
    let functions: Vec<Function> = functions.into_iter().collect();
    let main = &functions[0];
    let name = &main.name.clone();
    let arguments: Vec<DType> = main
        .inputs
        .iter()
        .map(|(_, dtype)| *dtype)
        .filter(|&dtype| dtype != DType::Resource)
        .collect();
    let results: Vec<DType> = main.results.iter().map(|(_, dtype, _)| *dtype).collect();
    let mut nodes = Vec::new();
    let mut call_inputs = Vec::new();
    let mut call_types = Vec::new();
    for (index, &dtype) in arguments.iter().enumerate() {
        let argument = naming::argument_node(name, index);
        nodes.push(placeholder(&argument, dtype));
        call_inputs.push(argument);
        call_types.push(dtype);
    }
    for channel in &channels {
        let queue = naming::channel_node(name, channel.id);
        nodes.push(node(
            &queue,
            "FIFOQueueV2",
            &[],
            &[
                ("component_types", types_attr(&[channel.dtype])),
                ("shapes", attr(Value::list(ListValue::default()))),
                ("capacity", attr(Value::I(channel.capacity as i64))),
            ],
        ));
        match channel.direction {
            Direction::ToHost => nodes.push(receive(
                &naming::receive_node(name, channel.id),
                &queue,
                channel.dtype,
            )),
            Direction::ToGraph => {
                let value = naming::value_node(name, channel.id);
                nodes.push(placeholder(&value, channel.dtype));
                nodes.push(send(
                    &naming::send_node(name, channel.id),
                    &queue,
                    &value,
                    channel.dtype,
                ));
            }
        }
        nodes.push(node(
            &naming::close_node(name, channel.id),
            "QueueCloseV2",
            &[&queue],
            &[("cancel_pending_enqueues", attr(Value::B(true)))],
        ));
        call_inputs.push(queue);
        call_types.push(DType::Resource);
    }
    let inputs: Vec<&str> = call_inputs.iter().map(String::as_str).collect();
    let call = naming::call_node(name);
    nodes.push(node(
        &call,
        "StatefulPartitionedCall",
        &inputs,
        &[
            ("Tin", types_attr(&call_types)),
            ("Tout", types_attr(&results)),
            ("f", function_attr(&main.name)),
        ],
    ));
    for (index, &dtype) in results.iter().enumerate() {
        nodes.push(node(
            &naming::result_node(name, index),
            "Identity",
            &[&format!("{call}:{index}")],
            &[("T", type_attr(dtype))],
        ));
    }
    let graph = GraphDef {
        node: nodes,
        library: Some(FunctionDefLibrary {
            function: functions.into_iter().map(Function::def).collect(),
            ..FunctionDefLibrary::default()
        }),
        versions: Some(VersionDef {
            producer: GRAPH_DEF_VERSION,
            ..VersionDef::default()
        }),
        ..GraphDef::default()
    };
    Arc::new(Image::new(
        name,
        graph.encode_to_vec(),
        arguments.len(),
        results.len(),
        channels,
    ))
}

/// The executors of this machine; reports if TensorFlow is not one of them.
pub(crate) fn executors() -> Vec<ExecutorKind> {
    let mut kinds = vec![ExecutorKind::Embedded];
    match tensorflow() {
        Ok(()) => kinds.extend([ExecutorKind::TensorFlow, ExecutorKind::TensorFlowQueues]),
        Err(problem) => eprintln!("skipped on TensorFlow: {problem}"),
    }
    kinds
}

/// Loads TensorFlow.
pub(crate) fn tensorflow() -> Result<(), tfx_runtime::Failure> {
    tfx_runtime::ffi::tensorflow::available()
}

/// The time limit of a test: TensorFlow loads in less than a second, and a lost wake-up blocks
/// indefinitely.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Runs `test` in a thread, and fails if it exceeds the time limit.
pub(crate) fn within_time<R: Send + 'static>(test: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, outcome) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let _ = done.send(test());
    });
    match outcome.recv_timeout(WATCHDOG) {
        Ok(value) => value,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the test hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match thread.join() {
            Err(payload) => std::panic::resume_unwind(payload),
            Ok(()) => unreachable!("a thread that does not panic sends its value"),
        },
    }
}

/// Far more time than a thread needs to release a value, even on a loaded machine.
const MOMENT: Duration = Duration::from_secs(2);

/// Polls a value until it is `expected`, for at most a moment: TensorFlow's threads may release
/// tensors after the run that used them has returned.
pub(crate) fn soon<T: PartialEq>(expected: &T, mut poll: impl FnMut() -> T) -> T {
    let since = Instant::now();
    loop {
        let seen = poll();
        if seen == *expected || since.elapsed() > MOMENT {
            return seen;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs `test` on each executor under the watchdog.
pub(crate) fn on_each_executor(test: impl Fn(ExecutorKind) + Send + Sync + 'static) {
    let test = Arc::new(test);
    for kind in executors() {
        let test = Arc::clone(&test);
        within_time(move || test(kind));
    }
}
