//! Real TensorFlow through its C API: imports GraphDefs, and the body of each function, which runs the shape functions of all nodes.
//!
//! The library is looked for in `TFX_TENSORFLOW_DIR`, then in `.tensorflow` of this folder and those around it, where `make tensorflow`
//! puts it.

#![allow(
    dead_code,
    reason = "shared by several tests, each of which uses a part"
)]

use std::{
    env,
    ffi::{CStr, CString, c_char, c_int, c_void},
    path::{Path, PathBuf},
    ptr,
};

use libloading::{
    Symbol,
    os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY},
};
use prost::Message;
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
    pub(crate) fn floats(sizes: &[i64], values: &[f32]) -> Self {
        let bytes = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        Self {
            dtype: 1,
            sizes: sizes.to_vec(),
            bytes,
        }
    }

    pub(crate) fn ints(sizes: &[i64], values: &[i32]) -> Self {
        let bytes = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        Self {
            dtype: 3,
            sizes: sizes.to_vec(),
            bytes,
        }
    }

    pub(crate) fn longs(sizes: &[i64], values: &[i64]) -> Self {
        let bytes = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        Self {
            dtype: 9,
            sizes: sizes.to_vec(),
            bytes,
        }
    }

    pub(crate) fn bools(sizes: &[i64], values: &[bool]) -> Self {
        Self {
            dtype: 10,
            sizes: sizes.to_vec(),
            bytes: values.iter().map(|&value| u8::from(value)).collect(),
        }
    }
}

/// The library.
pub(crate) struct TensorFlow {
    cc: Library,
    _framework: Library,
}

#[repr(C)]
struct Output {
    operation: *mut c_void,
    index: c_int,
}

impl TensorFlow {
    pub(crate) fn load() -> Self {
        // SAFETY: setting a variable before TensorFlow starts its threads; the tests of one binary may do it at once with the same value.
        unsafe { env::set_var("TF_CPP_MIN_LOG_LEVEL", "3") };
        let folder = folder();
        // SAFETY: TensorFlow's libraries run no code at loading that could go wrong here.
        let open =
            |name: &str| unsafe { Library::open(Some(folder.join(name)), RTLD_LAZY | RTLD_GLOBAL) };
        let framework =
            open("libtensorflow_framework.so.2").expect("TensorFlow's framework library loads");
        let cc = open("libtensorflow_cc.so.2").expect("TensorFlow's library loads");
        Self {
            cc,
            _framework: framework,
        }
    }

    fn function<F>(&self, name: &str) -> Symbol<'_, F>
    where
        F: Copy,
    {
        // SAFETY: the callers of this module name functions of the C API with their types.
        let symbol: libloading::os::unix::Symbol<F> =
            unsafe { self.cc.get(name.as_bytes()) }.expect("TensorFlow has its C API");
        // SAFETY: the symbol is of `cc`, which outlives `self`'s borrow.
        unsafe { std::mem::transmute(symbol) }
    }

    /// Imports a graph and each of its functions; gives TensorFlow's first complaint.
    pub(crate) fn check(&self, graph: &GraphDef) -> Result<(), String> {
        self.import(graph)
            .map(|imported| self.delete_graph(imported))
            .map_err(|error| format!("graph: {error}"))?;
        for function in &graph.library.as_ref().unwrap().function {
            let body = body(graph, function);
            let name = &function.signature.as_ref().unwrap().name;
            self.import(&body)
                .map(|imported| self.delete_graph(imported))
                .map_err(|error| format!("{name}: {error}"))?;
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
        let imported = self.import(graph)?;
        let result = self.run_imported(imported, feeds, fetches);
        self.delete_graph(imported);
        result
    }

    fn import(&self, graph: &GraphDef) -> Result<*mut c_void, String> {
        let bytes = graph.encode_to_vec();
        // SAFETY: each function has the type of the C API; what it makes is freed by the matching function, once.
        unsafe {
            let buffer = self.function::<unsafe extern "C" fn(*const u8, usize) -> *mut c_void>(
                "TF_NewBufferFromString",
            )(bytes.as_ptr(), bytes.len());
            let options = self
                .function::<unsafe extern "C" fn() -> *mut c_void>("TF_NewImportGraphDefOptions")(
            );
            let new = self.function::<unsafe extern "C" fn() -> *mut c_void>("TF_NewGraph")();
            let status = self.new_status();
            self.function::<unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, *mut c_void)>("TF_GraphImportGraphDef")(new, buffer, options, status);
            self.function::<unsafe extern "C" fn(*mut c_void)>("TF_DeleteImportGraphDefOptions")(
                options,
            );
            self.function::<unsafe extern "C" fn(*mut c_void)>("TF_DeleteBuffer")(buffer);
            self.take_status(status)
                .inspect_err(|_| self.delete_graph(new))
                .map(|()| new)
        }
    }

    fn delete_graph(&self, graph: *mut c_void) {
        // SAFETY: the graph is not used afterwards.
        unsafe { self.function::<unsafe extern "C" fn(*mut c_void)>("TF_DeleteGraph")(graph) }
    }

    fn new_status(&self) -> *mut c_void {
        // SAFETY: it takes nothing.
        unsafe { self.function::<unsafe extern "C" fn() -> *mut c_void>("TF_NewStatus")() }
    }

    fn take_status(&self, status: *mut c_void) -> Result<(), String> {
        // SAFETY: the status is alive until it is deleted at the end.
        unsafe {
            let code =
                self.function::<unsafe extern "C" fn(*const c_void) -> c_int>("TF_GetCode")(status);
            let message = self
                .function::<unsafe extern "C" fn(*const c_void) -> *const c_char>("TF_Message")(
                status,
            );
            let message = CStr::from_ptr(message).to_string_lossy().into_owned();
            self.function::<unsafe extern "C" fn(*mut c_void)>("TF_DeleteStatus")(status);
            if code == 0 { Ok(()) } else { Err(message) }
        }
    }

    fn run_imported(
        &self,
        graph: *mut c_void,
        feeds: &[(&str, Tensor)],
        fetches: &[&str],
    ) -> Result<Vec<Tensor>, String> {
        // SAFETY: as in `import`; the arrays have the lengths that are said, and live during the call.
        unsafe {
            let output = |name: &str| {
                let (node, index) = name
                    .rsplit_once(':')
                    .map_or((name, 0), |(node, index)| (node, index.parse().unwrap()));
                let node = CString::new(node).unwrap();
                let find = self
                    .function::<unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void>(
                        "TF_GraphOperationByName",
                    );
                Output {
                    operation: find(graph, node.as_ptr()),
                    index,
                }
            };
            let options =
                self.function::<unsafe extern "C" fn() -> *mut c_void>("TF_NewSessionOptions")();
            let status = self.new_status();
            let session = self.function::<unsafe extern "C" fn(
                *mut c_void,
                *mut c_void,
                *mut c_void,
            ) -> *mut c_void>("TF_NewSession")(graph, options, status);
            self.take_status(status)?;
            let inputs: Vec<_> = feeds.iter().map(|(name, _)| output(name)).collect();
            let values: Vec<_> = feeds
                .iter()
                .map(|(_, tensor)| self.new_tensor(tensor))
                .collect();
            let outputs: Vec<_> = fetches.iter().map(|name| output(name)).collect();
            let mut results = vec![ptr::null_mut::<c_void>(); fetches.len()];
            let status = self.new_status();
            type Run = unsafe extern "C" fn(
                *mut c_void,
                *const c_void,
                *const Output,
                *const *mut c_void,
                c_int,
                *const Output,
                *mut *mut c_void,
                c_int,
                *const *mut c_void,
                c_int,
                *mut c_void,
                *mut c_void,
            );
            self.function::<Run>("TF_SessionRun")(
                session,
                ptr::null(),
                inputs.as_ptr(),
                values.as_ptr(),
                inputs.len() as c_int,
                outputs.as_ptr(),
                results.as_mut_ptr(),
                outputs.len() as c_int,
                ptr::null(),
                0,
                ptr::null_mut(),
                status,
            );
            let outcome = self.take_status(status);
            let delete = self.function::<unsafe extern "C" fn(*mut c_void)>("TF_DeleteTensor");
            values.into_iter().for_each(|value| delete(value));
            let status = self.new_status();
            self.function::<unsafe extern "C" fn(*mut c_void, *mut c_void)>("TF_DeleteSession")(
                session, status,
            );
            self.take_status(status)?;
            outcome.map(|()| {
                results
                    .into_iter()
                    .map(|result| self.read(result))
                    .collect()
            })
        }
    }

    fn new_tensor(&self, tensor: &Tensor) -> *mut c_void {
        // SAFETY: TensorFlow allocates as many bytes as are copied.
        unsafe {
            let new = self
                .function::<unsafe extern "C" fn(c_int, *const i64, c_int, usize) -> *mut c_void>(
                    "TF_AllocateTensor",
                )(
                tensor.dtype,
                tensor.sizes.as_ptr(),
                tensor.sizes.len() as c_int,
                tensor.bytes.len(),
            );
            let data = self
                .function::<unsafe extern "C" fn(*const c_void) -> *mut u8>("TF_TensorData")(
                new
            );
            ptr::copy_nonoverlapping(tensor.bytes.as_ptr(), data, tensor.bytes.len());
            new
        }
    }

    fn read(&self, tensor: *mut c_void) -> Tensor {
        // SAFETY: the tensor is alive until it is deleted at the end; its data has the length that it says.
        unsafe {
            let dtype = self
                .function::<unsafe extern "C" fn(*const c_void) -> c_int>("TF_TensorType")(
                tensor
            );
            let rank =
                self.function::<unsafe extern "C" fn(*const c_void) -> c_int>("TF_NumDims")(tensor);
            let size = self.function::<unsafe extern "C" fn(*const c_void, c_int) -> i64>("TF_Dim");
            let sizes = (0..rank).map(|index| size(tensor, index)).collect();
            let length = self
                .function::<unsafe extern "C" fn(*const c_void) -> usize>("TF_TensorByteSize")(
                tensor,
            );
            let data = self
                .function::<unsafe extern "C" fn(*const c_void) -> *const u8>("TF_TensorData")(
                tensor,
            );
            let bytes = if length == 0 {
                vec![]
            } else {
                std::slice::from_raw_parts(data, length).to_vec()
            };
            self.function::<unsafe extern "C" fn(*mut c_void)>("TF_DeleteTensor")(tensor);
            Tensor {
                dtype,
                sizes,
                bytes,
            }
        }
    }
}

fn folder() -> PathBuf {
    let named = env::var_os("TFX_TENSORFLOW_DIR").map(PathBuf::from);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let candidates = named
        .into_iter()
        .chain(here.ancestors().map(|folder| folder.join(".tensorflow")));
    candidates
        .flat_map(|folder| [folder.join("lib"), folder])
        .find(|folder| folder.join("libtensorflow_cc.so.2").exists())
        .expect("TensorFlow is in .tensorflow/lib: run `make tensorflow`")
}

/// The body of a function as a graph of its own: arguments become placeholders.
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
    // What the function returns must be there too.
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

/// `node:output:index` of a function as `node:flat` of a graph.
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
