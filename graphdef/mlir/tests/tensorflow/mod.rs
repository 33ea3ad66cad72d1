//! Stock TensorFlow as the judge of a GraphDef, through the `tensorflow` crate. It imports
//! GraphDefs, and the body of each function, which runs the shape functions of all nodes; and it
//! runs them.
//!
//! `tfx-tensorflow` loads the library for the crate. The crate's own graphs, sessions and tensors
//! are independent of those with which the runtime executes programs.

#![allow(
    dead_code,
    reason = "shared by several tests, each of which uses a part"
)]

use prost::Message;
use tensorflow::{
    DataType, FetchToken, Graph, ImportGraphDefOptions, Operation, Session, SessionOptions,
    SessionRunArgs,
};
use tfx_graphdef::{
    Registry,
    proto::{
        AttrValue, FunctionDef, GraphDef, NodeDef, TensorShapeProto, attr_value::Value as AttrKind,
    },
};

/// A tensor for feeding and fetching: a data type, sizes, and elements as bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) dtype: i32,
    pub(crate) sizes: Vec<i64>,
    pub(crate) bytes: Vec<u8>,
}

impl Tensor {
    fn new<T: Element>(dtype: i32, sizes: &[i64], values: &[T]) -> Self {
        Self {
            dtype,
            sizes: sizes.to_vec(),
            bytes: values.iter().flat_map(|value| value.write()).collect(),
        }
    }

    pub(crate) fn floats(sizes: &[i64], values: &[f32]) -> Self {
        Self::new(1, sizes, values)
    }

    pub(crate) fn ints(sizes: &[i64], values: &[i32]) -> Self {
        Self::new(3, sizes, values)
    }

    pub(crate) fn longs(sizes: &[i64], values: &[i64]) -> Self {
        Self::new(9, sizes, values)
    }

    pub(crate) fn bools(sizes: &[i64], values: &[bool]) -> Self {
        Self::new(10, sizes, values)
    }
}

/// Proof that the library is loaded.
pub(crate) struct TensorFlow;

impl TensorFlow {
    pub(crate) fn load() -> Self {
        tfx_tensorflow::TensorFlow::load().expect("run the tests by `make test`");
        Self
    }

    /// Imports a graph and each of its functions; returns TensorFlow's first error.
    pub(crate) fn check(&self, graph: &GraphDef) -> Result<(), String> {
        import(graph).map_err(|error| format!("graph: {error}"))?;
        for function in &graph.library.as_ref().unwrap().function {
            let name = &function.signature.as_ref().unwrap().name;
            import(&body(graph, function)).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Runs a graph once.
    pub(crate) fn run(
        &self,
        graph: &GraphDef,
        feeds: &[(&str, Tensor)],
        fetches: &[&str],
    ) -> Result<Vec<Tensor>, String> {
        let graph = import(graph)?;
        let session = Session::new(&SessionOptions::new(), &graph).map_err(text)?;
        let held: Vec<_> = feeds.iter().map(|(_, tensor)| Held::new(tensor)).collect();
        let mut arguments = SessionRunArgs::new();
        for ((name, _), tensor) in feeds.iter().zip(&held) {
            let (operation, index) = output(&graph, name)?;
            tensor.feed(&mut arguments, &operation, index);
        }
        let mut tokens = Vec::new();
        for name in fetches {
            let (operation, index) = output(&graph, name)?;
            let dtype = operation.output_type(index as usize);
            tokens.push((arguments.request_fetch(&operation, index), dtype));
        }
        session.run(&mut arguments).map_err(text)?;
        let fetched = tokens
            .into_iter()
            .map(|(token, dtype)| fetch(&mut arguments, token, dtype));
        fetched.collect()
    }
}

fn text(status: tensorflow::Status) -> String {
    status.to_string()
}

fn import(graph: &GraphDef) -> Result<Graph, String> {
    let mut imported = Graph::new();
    imported
        .import_graph_def(&graph.encode_to_vec(), &ImportGraphDefOptions::new())
        .map_err(text)?;
    Ok(imported)
}

/// Returns the output that `node` or `node:index` names.
fn output(graph: &Graph, name: &str) -> Result<(Operation, i32), String> {
    let (node, index) = name
        .rsplit_once(':')
        .map_or((name, 0), |(node, index)| (node, index.parse().unwrap()));
    let operation = graph.operation_by_name_required(node).map_err(text)?;
    Ok((operation, index))
}

/// The element types that tests use: the variant, TensorFlow's number, Rust's type.
macro_rules! element_types {
    ($($variant:ident = $number:literal: $type:ty),* $(,)?) => {
        /// A tensor of the crate, whose Rust type has the element type as a parameter.
        enum Held {
            $($variant(tensorflow::Tensor<$type>)),*
        }

        impl Held {
            fn new(tensor: &Tensor) -> Self {
                let sizes: Vec<_> = tensor.sizes.iter().map(|&size| size as u64).collect();
                match tensor.dtype {
                    $($number => {
                        let elements = tensor.bytes.chunks_exact(size_of::<$type>());
                        let elements: Vec<_> = elements.map(<$type as Element>::read).collect();
                        let filled = tensorflow::Tensor::new(&sizes).with_values(&elements);
                        Self::$variant(filled.expect("as many elements as the sizes say"))
                    })*
                    other => panic!("no test has tensors of type {other}"),
                }
            }

            fn feed<'t>(
                &'t self,
                arguments: &mut SessionRunArgs<'t>,
                operation: &Operation,
                index: i32,
            ) {
                match self {
                    $(Self::$variant(tensor) => arguments.add_feed(operation, index, tensor)),*
                }
            }
        }

        fn fetch(
            arguments: &mut SessionRunArgs<'_>,
            token: FetchToken,
            dtype: DataType,
        ) -> Result<Tensor, String> {
            match dtype {
                $(DataType::$variant => {
                    let tensor = arguments.fetch::<$type>(token).map_err(text)?;
                    Ok(Tensor {
                        dtype: $number,
                        sizes: tensor.dims().iter().map(|&size| size as i64).collect(),
                        bytes: tensor.iter().flat_map(|&element| element.write()).collect(),
                    })
                })*
                other => panic!("no test has tensors of type {other}"),
            }
        }
    };
}

element_types! {
    Float = 1: f32,
    Double = 2: f64,
    Int8 = 6: i8,
    Int16 = 5: i16,
    Int32 = 3: i32,
    Int64 = 9: i64,
    UInt8 = 4: u8,
    UInt16 = 17: u16,
    UInt32 = 22: u32,
    UInt64 = 23: u64,
    Bool = 10: bool,
}

/// An element as bytes.
trait Element: Copy {
    fn read(bytes: &[u8]) -> Self;
    fn write(self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl Element for $type {
            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("an element has the size of its type"))
            }

            fn write(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}

numbers!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);

impl Element for bool {
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }

    fn write(self) -> Vec<u8> {
        vec![u8::from(self)]
    }
}

/// Returns the body of a function as a graph of its own: arguments become placeholders.
fn body(graph: &GraphDef, function: &FunctionDef) -> GraphDef {
    let signature = function.signature.as_ref().unwrap();
    let placeholder = |argument: &tfx_graphdef::proto::op_def::ArgDef| {
        let unknown = TensorShapeProto {
            unknown_rank: true,
            ..Default::default()
        };
        let attribute = |value| AttrValue { value: Some(value) };
        NodeDef {
            name: argument.name.clone(),
            op: "Placeholder".into(),
            attr: [
                (
                    "dtype".to_owned(),
                    attribute(AttrKind::Type(argument.r#type)),
                ),
                ("shape".to_owned(), attribute(AttrKind::Shape(unknown))),
            ]
            .into(),
            ..Default::default()
        }
    };
    let mut node: Vec<_> = signature.input_arg.iter().map(placeholder).collect();
    for inner in &function.node_def {
        let mut inner = inner.clone();
        inner.input = inner
            .input
            .iter()
            .map(|input| graph_input(function, input))
            .collect();
        node.push(inner);
    }
    // The results of the function must exist as well.
    for (index, returned) in function.ret.values().enumerate() {
        let dtype = signature.output_arg[index].r#type;
        node.push(NodeDef {
            name: format!("returned_{index}"),
            op: "Identity".into(),
            input: vec![graph_input(
                function,
                &function.ret[&signature.output_arg[index].name],
            )],
            attr: [(
                "T".to_owned(),
                AttrValue {
                    value: Some(AttrKind::Type(dtype)),
                },
            )]
            .into(),
            ..Default::default()
        });
        assert!(!returned.is_empty());
    }
    GraphDef {
        node,
        ..graph.clone()
    }
}

/// Maps `node:output:index` of a function to `node:flat` of a graph.
fn graph_input(function: &FunctionDef, input: &str) -> String {
    let parts: Vec<_> = input.split(':').collect();
    let [name, output, index] = parts[..] else {
        return input.to_owned();
    };
    let node = function
        .node_def
        .iter()
        .find(|node| node.name == name)
        .expect("an input names a node");
    let definition = Registry::get().lookup(&node.op).unwrap();
    let mut flat = index.parse::<usize>().unwrap();
    for argument in &definition.output_arg {
        if argument.name == output {
            return format!("{name}:{flat}");
        }
        let length = |attribute: &str| match node
            .attr
            .get(attribute)
            .and_then(|attribute| attribute.value.as_ref())
        {
            Some(AttrKind::I(number)) => *number as usize,
            Some(AttrKind::List(list)) => list.r#type.len(),
            _ => 1,
        };
        flat += if !argument.number_attr.is_empty() {
            length(&argument.number_attr)
        } else if !argument.type_list_attr.is_empty() {
            length(&argument.type_list_attr)
        } else {
            1
        };
    }
    panic!("{name} has no output {output}");
}
