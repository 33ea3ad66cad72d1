//! TensorFlow's own shape functions, through its C API.
//!
//! ```text
//! operands   Placeholder {dtype, shape}, or Const where all elements are known, or Pack of those where some are
//! question   TF_NewOperation, TF_AddInput, TF_SetAttrValueProto, TF_FinishOperation       its error is the mismatch
//! answer     TF_GraphGetTensorShape of each result
//! ```
//!
//! All questions go into one graph, which is never run. The library is found as the runtime finds it, loaded when it is first asked for, and never
//! unloaded. This is the one module of this crate with `unsafe`. Its contract: the functions have the signatures of TensorFlow's `c_api.h`, which promises
//! to keep them; a graph is used by one thread; an operation is not used after its graph.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

use prost::Message;
use tfx_graphdef::Resolved;
use tfx_graphdef::element::display_name;
use tfx_graphdef::library::{self, DIRECTORY_VARIABLE, LIBRARY};
use tfx_graphdef::proto::{
    AttrValue, DataType, TensorProto, TensorShapeProto, attr_value::Value, op_def::ArgDef,
    tensor_shape_proto::Dim,
};
use tfx_graphdef::shapes::{Known, Mismatch, Shape};
use tfx_graphdef::{c_functions, opaque};

use super::rules::Inferred;

/// `TF_Code` of success, and of an argument that is wrong: what shape functions say.
const OK: c_int = 0;
const INVALID_ARGUMENT: c_int = 3;

/// What follows TensorFlow's reason in the message of a shape function: the node, in words that are not the user's.
const NODE_IN_MESSAGE: &str = " for '{{node ";

opaque!(RawStatus, RawGraph, RawOperation, RawDescription);

#[repr(C)]
#[derive(Clone, Copy)]
struct RawOutput {
    operation: *mut RawOperation,
    index: c_int,
}

c_functions! {
    new_status = "TF_NewStatus": fn() -> *mut RawStatus;
    delete_status = "TF_DeleteStatus": fn(*mut RawStatus);
    code = "TF_GetCode": fn(*const RawStatus) -> c_int;
    message = "TF_Message": fn(*const RawStatus) -> *const c_char;
    new_graph = "TF_NewGraph": fn() -> *mut RawGraph;
    delete_graph = "TF_DeleteGraph": fn(*mut RawGraph);
    new_operation = "TF_NewOperation": fn(*mut RawGraph, *const c_char, *const c_char) -> *mut RawDescription;
    add_input = "TF_AddInput": fn(*mut RawDescription, RawOutput);
    add_inputs = "TF_AddInputList": fn(*mut RawDescription, *const RawOutput, c_int);
    set_attribute = "TF_SetAttrValueProto": fn(*mut RawDescription, *const c_char, *const c_void, usize, *mut RawStatus);
    finish = "TF_FinishOperation": fn(*mut RawDescription, *mut RawStatus) -> *mut RawOperation;
    rank = "TF_GraphGetTensorNumDims": fn(*mut RawGraph, RawOutput, *mut RawStatus) -> c_int;
    sizes = "TF_GraphGetTensorShape": fn(*mut RawGraph, RawOutput, *mut i64, c_int, *mut RawStatus);
}

/// The functions of the library, found and loaded at the first call.
fn tensorflow() -> Result<&'static Functions, String> {
    static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Functions, String> {
    let missing = |error: libloading::Error| {
        format!(
            "TensorFlow's shape functions are asked for, but TensorFlow cannot be loaded: {error}; run 'make tensorflow' in the checkout, or set \
             {DIRECTORY_VARIABLE} to a folder with lib/{LIBRARY}, or write shapes=builtin"
        )
    };
    library::open().and_then(Functions::load).map_err(missing)
}

/// Why TensorFlow refuses something.
struct Refusal {
    code: c_int,
    message: String,
}

/// A graph that questions are put into.
pub(super) struct ShapeGraph {
    functions: &'static Functions,
    graph: *mut RawGraph,
    status: *mut RawStatus,
    /// Names of nodes are numbers.
    nodes: usize,
    operands: HashMap<(DataType, Known), RawOutput>,
}

impl Drop for ShapeGraph {
    fn drop(&mut self) {
        // SAFETY: both were made by `new` and are used no more.
        unsafe {
            (self.functions.delete_graph)(self.graph);
            (self.functions.delete_status)(self.status);
        }
    }
}

impl ShapeGraph {
    /// An empty graph.
    ///
    /// # Errors
    /// TensorFlow is not there.
    pub(super) fn new() -> Result<Self, String> {
        let functions = tensorflow()?;
        // SAFETY: both are owned by the new value, which deletes them.
        let (graph, status) = unsafe { ((functions.new_graph)(), (functions.new_status)()) };
        Ok(Self {
            functions,
            graph,
            status,
            nodes: 0,
            operands: HashMap::new(),
        })
    }

    /// What an operation gives; `None` where this TensorFlow does not say.
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
        let mut inputs = Vec::with_capacity(operands.len());
        for (&data_type, known) in resolved.operands.iter().zip(operands) {
            inputs.push(self.operand(data_type, known)?);
        }
        let groups: Vec<_> = (resolved.definition.input_arg.iter())
            .zip(&resolved.operand_arguments)
            .map(|(argument, range)| (is_list(argument), &inputs[range.clone()]))
            .collect();
        let own = resolved.attributes.iter();
        let own = own.filter(|(name, _)| !name.starts_with('_'));
        let own: Vec<_> = own
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        match self.node(&resolved.definition.name, &groups, &own) {
            Ok(operation) => Some(Ok((0..resolved.results.len())
                .map(|index| self.shape(operation, index))
                .collect())),
            Err(refusal) if refusal.code == INVALID_ARGUMENT => {
                Some(Err(mismatch(resolved, operands, &refusal.message)))
            }
            Err(_) => None,
        }
    }

    /// A node that gives a tensor of which just so much is known.
    fn operand(&mut self, data_type: DataType, known: &Known) -> Option<RawOutput> {
        let key = (data_type, known.clone());
        if let Some(&output) = self.operands.get(&key) {
            return Some(output);
        }
        let own_type = ("dtype", attribute(Value::Type(data_type as i32)));
        let operation = match &known.elements {
            Some(elements) if elements.iter().all(Option::is_some) => {
                let value = attribute(Value::tensor(constant(data_type, known, elements)?));
                self.node("Const", &[], &[own_type, ("value", value)])
                    .ok()?
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
                let of = attribute(Value::Type(data_type as i32));
                self.node("Pack", &[(true, &parts)], &[("N", count), ("T", of)])
                    .ok()?
            }
            _ => {
                let shape = attribute(Value::Shape(proto(&known.shape)));
                self.node("Placeholder", &[], &[own_type, ("shape", shape)])
                    .ok()?
            }
        };
        let output = RawOutput {
            operation,
            index: 0,
        };
        self.operands.insert(key, output);
        Some(output)
    }

    /// Adds a node. `inputs`: for each argument whether it is a list, and what it is.
    fn node(
        &mut self,
        operation: &str,
        inputs: &[(bool, &[RawOutput])],
        attributes: &[(&str, AttrValue)],
    ) -> Result<*mut RawOperation, Refusal> {
        let functions = self.functions;
        self.nodes += 1;
        let text = |text: &str| {
            CString::new(text).expect("names of operations and attributes have no zeros")
        };
        let (kind, name) = (text(operation), text(&format!("n{}", self.nodes)));
        // SAFETY: the graph and the inputs, which are nodes of it, live; texts and bytes are copied by the calls; `finish` ends the description
        // whatever it says.
        unsafe {
            let description = (functions.new_operation)(self.graph, kind.as_ptr(), name.as_ptr());
            for (list, outputs) in inputs {
                if *list {
                    (functions.add_inputs)(description, outputs.as_ptr(), outputs.len() as c_int);
                } else {
                    outputs
                        .iter()
                        .for_each(|&output| (functions.add_input)(description, output));
                }
            }
            let mut refused = Ok(());
            for (name, value) in attributes {
                let (name, bytes) = (text(name), value.encode_to_vec());
                (functions.set_attribute)(
                    description,
                    name.as_ptr(),
                    bytes.as_ptr().cast(),
                    bytes.len(),
                    self.status,
                );
                refused = refused.and(self.said());
            }
            let operation = (functions.finish)(description, self.status);
            refused.and(self.said()).map(|()| operation)
        }
    }

    /// What the last call said.
    fn said(&self) -> Result<(), Refusal> {
        // SAFETY: the status lives; its message is copied before the next call changes it.
        unsafe {
            let code = (self.functions.code)(self.status);
            if code == OK {
                return Ok(());
            }
            let message = CStr::from_ptr((self.functions.message)(self.status));
            Err(Refusal {
                code,
                message: message.to_string_lossy().into_owned(),
            })
        }
    }

    /// The shape of a result.
    fn shape(&self, operation: *mut RawOperation, index: usize) -> Shape {
        let output = RawOutput {
            operation,
            index: index as c_int,
        };
        // SAFETY: the operation is a node of the graph; the list has room for as many sizes as the rank.
        unsafe {
            let rank = (self.functions.rank)(self.graph, output, self.status);
            let Ok(count) = usize::try_from(rank) else {
                return Shape::UNKNOWN;
            };
            let mut sizes = vec![-1i64; count];
            (self.functions.sizes)(self.graph, output, sizes.as_mut_ptr(), rank, self.status);
            let sizes = sizes.into_iter().map(|size| u64::try_from(size).ok());
            Shape::of(sizes.collect::<Vec<_>>())
        }
    }
}

/// Whether an argument of an operation is a list of tensors.
fn is_list(argument: &ArgDef) -> bool {
    !argument.number_attr.is_empty() || !argument.type_list_attr.is_empty()
}

fn attribute(value: Value) -> AttrValue {
    AttrValue { value: Some(value) }
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

/// A constant of integers; `None` where TensorFlow lists such elements in no field that is used here.
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

/// TensorFlow's reason, with the operation and its operands as the user wrote them.
fn mismatch(resolved: &Resolved, operands: &[Known], message: &str) -> Mismatch {
    let reason = message.split(NODE_IN_MESSAGE).next().unwrap_or(message);
    let text = |(known, &data_type): (&Known, &DataType)| {
        format!("tensor<{}{}>", known.shape, display_name(data_type))
    };
    let operands: Vec<_> = operands.iter().zip(&resolved.operands).map(text).collect();
    Mismatch {
        message: format!(
            "TensorFlow refuses \"{}\" of ({}): {}",
            resolved.definition.name,
            operands.join(", "),
            reason.trim_end_matches('.')
        ),
        advice: None,
    }
}
