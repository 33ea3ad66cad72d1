//! TensorFlow's own shape functions, through its C API.
//!
//! ```text
//! operand   Placeholder {dtype, shape}; Const if all elements are known; Pack of those if some are
//! query     a node of the operation on the operands; TensorFlow's error is the mismatch
//! answer    the inferred shape of each result
//! ```
//!
//! All nodes are added to one graph, which never runs. `tfx-tensorflow` finds the library as it
//! does for the runtime, and loads it at the first query.

use std::collections::HashMap;

use prost::Message;
use tfx_graphdef::Resolved;
use tfx_graphdef::element::display_name;
use tfx_graphdef::proto::{
    AttrValue, DataType, TensorProto, TensorShapeProto, attr_value::Value, op_def::ArgDef,
    tensor_shape_proto::Dim,
};
use tfx_graphdef::shapes::{Known, Mismatch, Shape};
use tfx_tensorflow::{Code, Graph, Input, LoadError, Operation, Status, TensorFlow};

/// The shapes of the results of an operation.
pub(super) type Inferred = Result<Vec<Shape>, Mismatch>;

/// The text after TensorFlow's reason in the message of a shape function. It describes the node,
/// whose name the user does not know.
const NODE_IN_MESSAGE: &str = " for '{{node ";

/// The graph to which queries add nodes.
pub(super) struct ShapeGraph {
    graph: Graph,
    /// The number of nodes, which are named after it.
    nodes: usize,
    operands: HashMap<(DataType, Known), Operation>,
}

impl ShapeGraph {
    /// Creates an empty graph.
    ///
    /// # Errors
    /// TensorFlow cannot be loaded.
    pub(super) fn new() -> Result<Self, LoadError> {
        Ok(Self {
            graph: Graph::new(TensorFlow::load()?),
            nodes: 0,
            operands: HashMap::new(),
        })
    }

    /// Returns the shapes of an operation's results; `None` if this TensorFlow cannot infer them.
    pub(super) fn infer(&mut self, resolved: &Resolved, operands: &[Known]) -> Option<Inferred> {
        let names_function = |value: &AttrValue| match &value.value {
            Some(Value::Func(_)) => true,
            Some(Value::List(list)) => !list.func.is_empty(),
            _ => false,
        };
        // Functions are graphs of the module, which this graph does not have.
        if resolved.attributes.values().any(names_function) {
            return None;
        }
        let mut nodes = Vec::with_capacity(operands.len());
        for (&data_type, known) in resolved.operands.iter().zip(operands) {
            nodes.push(self.operand(data_type, known)?);
        }
        let arguments = resolved.definition.input_arg.iter();
        let inputs: Vec<_> = arguments
            .zip(&resolved.operand_arguments)
            .map(|(argument, range)| match is_list(argument) {
                true => Input::List(&nodes[range.clone()]),
                false => Input::Single(&nodes[range.start]),
            })
            .collect();
        let attributes = resolved.attributes.iter();
        let attributes = attributes.filter(|(name, _)| !name.starts_with('_'));
        let attributes = attributes.map(|(name, value)| (name.as_str(), value.encode_to_vec()));
        match self.node(
            &resolved.definition.name,
            &inputs,
            &attributes.collect::<Vec<_>>(),
        ) {
            Ok(node) => Some(Ok((0..resolved.results.len())
                .map(|index| self.shape(node, index))
                .collect())),
            // The code with which shape functions reject operands.
            Err(status) if status.code == Code::TF_INVALID_ARGUMENT => {
                Some(Err(mismatch(resolved, operands, &status.message)))
            }
            Err(_) => None,
        }
    }

    /// Returns a node whose result is known exactly as far as `known`.
    fn operand(&mut self, data_type: DataType, known: &Known) -> Option<Operation> {
        let key = (data_type, known.clone());
        if let Some(&node) = self.operands.get(&key) {
            return Some(node);
        }
        let number = Value::Type(data_type as i32);
        let own_type = ("dtype", attribute(number.clone()));
        let node = match &known.elements {
            Some(elements) if elements.iter().all(Option::is_some) => {
                let value = attribute(Value::tensor(constant(data_type, known, elements)?));
                self.node("Const", &[], &[own_type, ("value", value)])
            }
            Some(elements) if known.shape.rank() == Some(1) => {
                let mut parts = Vec::with_capacity(elements.len());
                for element in elements {
                    let part = Known {
                        shape: Shape::scalar(),
                        elements: element.map(|element| vec![Some(element)]),
                    };
                    parts.push(self.operand(data_type, &part)?);
                }
                let count = attribute(Value::I(parts.len() as i64));
                let attributes = [("N", count), ("T", attribute(number))];
                self.node("Pack", &[Input::List(&parts)], &attributes)
            }
            _ => {
                let shape = attribute(Value::Shape(proto(&known.shape)));
                self.node("Placeholder", &[], &[own_type, ("shape", shape)])
            }
        };
        let node = node.ok()?;
        self.operands.insert(key, node);
        Some(node)
    }

    /// Adds a node.
    fn node(
        &mut self,
        operation: &str,
        inputs: &[Input<'_, Operation>],
        attributes: &[(&str, Vec<u8>)],
    ) -> Result<Operation, Status> {
        self.nodes += 1;
        let name = format!("n{}", self.nodes);
        self.graph.add(operation, &name, inputs, attributes)
    }

    /// Returns the inferred shape of a result.
    fn shape(&self, node: Operation, index: usize) -> Shape {
        let Ok(Some(sizes)) = self.graph.shape(node, index) else {
            return Shape::UNKNOWN;
        };
        let sizes = sizes.into_iter().map(|size| u64::try_from(size).ok());
        Shape::of(sizes.collect::<Vec<_>>())
    }
}

/// Returns whether an argument of an operation is a list of tensors.
fn is_list(argument: &ArgDef) -> bool {
    !argument.number_attr.is_empty() || !argument.type_list_attr.is_empty()
}

/// Returns a serialized attribute.
fn attribute(value: Value) -> Vec<u8> {
    AttrValue { value: Some(value) }.encode_to_vec()
}

fn proto(shape: &Shape) -> TensorShapeProto {
    let dim = |size: &Option<u64>| Dim {
        size: size.map_or(-1, |size| size as i64),
        name: String::new(),
    };
    TensorShapeProto {
        dim: shape.sizes().unwrap_or_default().iter().map(dim).collect(),
        unknown_rank: shape.rank().is_none(),
    }
}

/// Returns a constant of integers; `None` for element types without a field of integers.
fn constant(data_type: DataType, known: &Known, elements: &[Option<i64>]) -> Option<TensorProto> {
    let elements = elements.iter().flatten().copied();
    let mut tensor = TensorProto {
        dtype: data_type as i32,
        tensor_shape: Some(proto(&known.shape)),
        ..Default::default()
    };
    match data_type {
        DataType::DtInt64 => tensor.int64_val = elements.collect(),
        DataType::DtBool => tensor.bool_val = elements.map(|element| element != 0).collect(),
        DataType::DtUint32 => tensor.uint32_val = elements.map(|element| element as u32).collect(),
        DataType::DtUint64 => tensor.uint64_val = elements.map(|element| element as u64).collect(),
        DataType::DtInt8
        | DataType::DtInt16
        | DataType::DtInt32
        | DataType::DtUint8
        | DataType::DtUint16 => tensor.int_val = elements.map(|element| element as i32).collect(),
        _ => return None,
    }
    Some(tensor)
}

/// Returns TensorFlow's reason, with the operation and its operands as the user wrote them.
fn mismatch(resolved: &Resolved, operands: &[Known], message: &str) -> Mismatch {
    let reason = message.split(NODE_IN_MESSAGE).next().unwrap_or(message);
    let text = |(known, &data_type): (&Known, &DataType)| {
        format!("tensor<{}{}>", known.shape, display_name(data_type))
    };
    let operands: Vec<_> = operands.iter().zip(&resolved.operands).map(text).collect();
    Mismatch {
        message: format!(
            "TensorFlow rejects \"{}\" of ({}): {}",
            resolved.definition.name,
            operands.join(", "),
            reason.trim_end_matches('.')
        ),
        advice: None,
    }
}
