//! GraphDefs made by hand, and programs of them run under a watchdog on both executors.
//!
//! ```text
//! Function "P" [nodes] ... -> Graph -> Image -> Program on embedded, and on TensorFlow where it is found
//! ```

#![allow(dead_code, reason = "each test file uses a part")]

use std::{
    collections::BTreeMap,
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

/// A function; `results` are "name" with what it is, such as "sum:z:0".
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
                .map(|(name, dtype, what)| ((*name).into(), *dtype, (*what).into()))
                .collect(),
            nodes: Vec::new(),
            keep: Vec::new(),
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
                .map(|(name, _, what)| (name, what))
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

/// One channel of a test program.
pub(crate) fn channel(id: i32, direction: Direction, dtype: DType) -> Channel {
    Channel {
        id,
        direction,
        dtype,
        capacity: 1,
        location: Some(format!("p.mlir:{id}:1")),
    }
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

/// An operation of two numbers of type i32.
pub(crate) fn binary(name: &str, op: &str, left: &str, right: &str) -> NodeDef {
    node(name, op, &[left, right], &[("T", type_attr(DType::I32))])
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

/// The image of program `name`, whose function is the first of `functions`.
pub(crate) fn image(name: &str, functions: Vec<Function>, channels: Vec<Channel>) -> Arc<Image> {
    let main = &functions[0];
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
        let any = TensorShapeProto {
            unknown_rank: true,
            ..TensorShapeProto::default()
        };
        nodes.push(node(
            &argument,
            "Placeholder",
            &[],
            &[
                ("dtype", type_attr(dtype)),
                ("shape", attr(Value::Shape(any))),
            ],
        ));
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
                let any = TensorShapeProto {
                    unknown_rank: true,
                    ..TensorShapeProto::default()
                };
                nodes.push(node(
                    &value,
                    "Placeholder",
                    &[],
                    &[
                        ("dtype", type_attr(channel.dtype)),
                        ("shape", attr(Value::Shape(any))),
                    ],
                ));
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

/// The executors of this machine; says so where TensorFlow is not among them.
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

/// What a blocking test may take: TensorFlow loads in less than a second, and a lost wake-up blocks for ever.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Runs `test` in a thread, and fails where it takes too long.
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
            Ok(()) => unreachable!("a thread that ends well sends its value"),
        },
    }
}

/// Long for a thread that only has to let go of something, on a machine with much else to do.
const MOMENT: Duration = Duration::from_secs(2);

/// What `look` sees once it is `expected`, or after a moment: TensorFlow's threads let go of tensors after the run that used them has returned.
pub(crate) fn soon<T: PartialEq>(expected: &T, mut look: impl FnMut() -> T) -> T {
    let since = Instant::now();
    loop {
        let seen = look();
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

/// Attributes of one type `T`.
pub(crate) fn of_type(dtype: DType) -> BTreeMap<String, AttrValue> {
    BTreeMap::from([("T".to_owned(), type_attr(dtype))])
}
