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
    SessionRunArgs, TensorType,
};
use tfx_graphdef::{
    Registry,
    proto::{FunctionDef, GraphDef, NodeDef, TensorShapeProto, attr_value::Value, op_def::ArgDef},
};

/// A tensor for feeding and fetching: a data type, sizes, and elements as bytes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) dtype: i32,
    pub(crate) sizes: Vec<i64>,
    pub(crate) bytes: Vec<u8>,
}

impl Tensor {
    fn new<T: Element>(sizes: &[i64], values: &[T]) -> Self {
        Self {
            dtype: T::NUMBER,
            sizes: sizes.to_vec(),
            bytes: values.iter().flat_map(|value| value.write()).collect(),
        }
    }

    pub(crate) fn floats(sizes: &[i64], values: &[f32]) -> Self {
        Self::new(sizes, values)
    }

    pub(crate) fn ints(sizes: &[i64], values: &[i32]) -> Self {
        Self::new(sizes, values)
    }

    pub(crate) fn longs(sizes: &[i64], values: &[i64]) -> Self {
        Self::new(sizes, values)
    }

    pub(crate) fn bools(sizes: &[i64], values: &[bool]) -> Self {
        Self::new(sizes, values)
    }

    /// Returns a tensor of the crate with elements of type `T`.
    fn typed<T: Element>(&self) -> Box<dyn Feed> {
        let sizes: Vec<_> = self.sizes.iter().map(|&size| size as u64).collect();
        let elements = self.bytes.chunks_exact(size_of::<T>()).map(T::read);
        let elements: Vec<_> = elements.collect();
        let filled = tensorflow::Tensor::new(&sizes).with_values(&elements);
        Box::new(filled.expect("as many elements as the sizes say"))
    }
}

/// A tensor of the crate with elements of any type.
trait Feed {
    fn feed<'t>(&'t self, arguments: &mut SessionRunArgs<'t>, operation: &Operation, index: i32);
}

impl<T: TensorType> Feed for tensorflow::Tensor<T> {
    fn feed<'t>(&'t self, arguments: &mut SessionRunArgs<'t>, operation: &Operation, index: i32) {
        arguments.add_feed(operation, index, self);
    }
}

/// An element.
trait Element: TensorType + Copy {
    /// TensorFlow's number of the type.
    const NUMBER: i32;
    fn read(bytes: &[u8]) -> Self;
    fn write(self) -> Vec<u8>;
}

macro_rules! elements {
    ($($variant:ident = $number:literal: $type:ty, $read:expr, $write:expr;)*) => {
        $(impl Element for $type {
            const NUMBER: i32 = $number;

            fn read(bytes: &[u8]) -> Self {
                $read(bytes.try_into().expect("an element has the size of its type"))
            }

            fn write(self) -> Vec<u8> {
                $write(self).to_vec()
            }
        })*

        fn held(tensor: &Tensor) -> Box<dyn Feed> {
            match tensor.dtype {
                $($number => tensor.typed::<$type>(),)*
                other => panic!("no test has tensors of type {other}"),
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
                    let sizes: Vec<_> = tensor.dims().iter().map(|&size| size as i64).collect();
                    Ok(Tensor::new::<$type>(&sizes, &tensor))
                })*
                other => panic!("no test has tensors of type {other}"),
            }
        }
    };
}

elements! {
    Float = 1: f32, f32::from_le_bytes, f32::to_le_bytes;
    Double = 2: f64, f64::from_le_bytes, f64::to_le_bytes;
    Int8 = 6: i8, i8::from_le_bytes, i8::to_le_bytes;
    Int16 = 5: i16, i16::from_le_bytes, i16::to_le_bytes;
    Int32 = 3: i32, i32::from_le_bytes, i32::to_le_bytes;
    Int64 = 9: i64, i64::from_le_bytes, i64::to_le_bytes;
    UInt8 = 4: u8, u8::from_le_bytes, u8::to_le_bytes;
    UInt16 = 17: u16, u16::from_le_bytes, u16::to_le_bytes;
    UInt32 = 22: u32, u32::from_le_bytes, u32::to_le_bytes;
    UInt64 = 23: u64, u64::from_le_bytes, u64::to_le_bytes;
    Bool = 10: bool, |[byte]: [u8; 1]| byte != 0, |truth| [u8::from(truth)];
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
        let held: Vec<_> = feeds.iter().map(|(_, tensor)| held(tensor)).collect();
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

    /// Runs the exported graph of a function with this number of results once.
    pub(crate) fn run_exported<'t>(
        &self,
        graph: &GraphDef,
        function: &str,
        inputs: impl ExactSizeIterator<Item = &'t Tensor>,
        results: usize,
    ) -> Result<Vec<Tensor>, String> {
        let names = |kind: &str, count| -> Vec<String> {
            (0..count)
                .map(|index| format!("{function}/{kind}_{index}"))
                .collect()
        };
        let (names, fetches) = (names("arg", inputs.len()), names("result", results));
        let feeds = names.iter().map(String::as_str).zip(inputs.cloned());
        let fetches: Vec<_> = fetches.iter().map(String::as_str).collect();
        self.run(graph, &feeds.collect::<Vec<_>>(), &fetches)
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

/// Returns the body of a function as a graph of its own: arguments become placeholders.
fn body(graph: &GraphDef, function: &FunctionDef) -> GraphDef {
    let signature = function.signature.as_ref().unwrap();
    let node = |name: String, op: &str, input, attributes: &[(&str, Value)]| NodeDef {
        name,
        op: op.into(),
        input,
        attr: attributes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone().into()))
            .collect(),
        ..Default::default()
    };
    let placeholder = |argument: &ArgDef| {
        let dtype = ("dtype", Value::Type(argument.r#type));
        let shape = ("shape", Value::Shape(TensorShapeProto::unknown()));
        node(
            argument.name.clone(),
            "Placeholder",
            vec![],
            &[dtype, shape],
        )
    };
    let mut nodes: Vec<_> = signature.input_arg.iter().map(placeholder).collect();
    for inner in &function.node_def {
        let mut inner = inner.clone();
        for input in &mut inner.input {
            *input = graph_input(function, input);
        }
        nodes.push(inner);
    }
    // The results of the function must exist as well.
    for (index, result) in signature.output_arg.iter().enumerate() {
        let input = graph_input(function, &function.ret[&result.name]);
        let types = [("T", Value::Type(result.r#type))];
        nodes.push(node(
            format!("returned_{index}"),
            "Identity",
            vec![input],
            &types,
        ));
    }
    GraphDef {
        node: nodes,
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
        let length = |attribute: &str| match &node.attr.get(attribute)?.value {
            Some(Value::I(number)) => Some(*number as usize),
            Some(Value::List(list)) => Some(list.r#type.len()),
            _ => None,
        };
        let number = length(&argument.number_attr);
        flat += number.or(length(&argument.type_list_attr)).unwrap_or(1);
    }
    panic!("{name} has no output {output}");
}
