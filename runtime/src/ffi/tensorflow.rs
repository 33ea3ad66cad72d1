//! TensorFlow's C library, looked up at run time: the few functions that an executor needs, behind safe types.
//!
//! ```text
//! library (found once) -> Graph (imported GraphDef) -> Session -> run / close, from any thread
//!                                                        ^ values: in and out without a copy, but for small tensors and strings
//! ```
//!
//! The `tensorflow` crate is not used, for three reasons: its session cannot be closed while another thread runs it, which is the only
//! way to cancel; its tensors have their element type in Rust's type, and a channel knows it only at run time; and its loader finds
//! the library only through environment variables of the process.
//!
//! The library is never unloaded: its threads live as long as the process.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use prost::Message;
pub use tfx_graphdef::library::DIRECTORY_VARIABLE;
use tfx_graphdef::library::{self, LIBRARY};
use tfx_graphdef::proto::{ConfigProto, GraphOptions, RewriterConfig, rewriter_config::Toggle};
use tfx_graphdef::{c_functions, opaque};
use tfx_interpreter::{DType, Elements, Tensor, is_shareable};

use super::slice;
use crate::{failure::Failure, fault};

/// `TF_Code` of success.
const OK: c_int = 0;

opaque!(
    RawStatus,
    RawGraph,
    RawSession,
    RawOperation,
    RawTensor,
    RawImportOptions,
    RawSessionOptions
);

#[repr(C)]
#[derive(Clone, Copy)]
struct RawOutput {
    operation: *mut RawOperation,
    index: c_int,
}

#[repr(C)]
struct RawBuffer {
    data: *const c_void,
    length: usize,
    deallocator: Option<unsafe extern "C" fn(*mut c_void, usize)>,
}

/// `TF_TString`: 24 bytes that only TensorFlow's functions look into.
type RawString = [u64; 3];

c_functions! {
    version = "TF_Version": fn() -> *const c_char;
    new_status = "TF_NewStatus": fn() -> *mut RawStatus;
    delete_status = "TF_DeleteStatus": fn(*mut RawStatus);
    code = "TF_GetCode": fn(*const RawStatus) -> c_int;
    message = "TF_Message": fn(*const RawStatus) -> *const c_char;
    new_graph = "TF_NewGraph": fn() -> *mut RawGraph;
    delete_graph = "TF_DeleteGraph": fn(*mut RawGraph);
    new_import_options = "TF_NewImportGraphDefOptions": fn() -> *mut RawImportOptions;
    delete_import_options = "TF_DeleteImportGraphDefOptions": fn(*mut RawImportOptions);
    import = "TF_GraphImportGraphDef": fn(*mut RawGraph, *const RawBuffer, *const RawImportOptions, *mut RawStatus);
    operation = "TF_GraphOperationByName": fn(*mut RawGraph, *const c_char) -> *mut RawOperation;
    new_session_options = "TF_NewSessionOptions": fn() -> *mut RawSessionOptions;
    delete_session_options = "TF_DeleteSessionOptions": fn(*mut RawSessionOptions);
    set_target = "TF_SetTarget": fn(*mut RawSessionOptions, *const c_char);
    set_config = "TF_SetConfig": fn(*mut RawSessionOptions, *const c_void, usize, *mut RawStatus);
    new_session = "TF_NewSession": fn(*mut RawGraph, *const RawSessionOptions, *mut RawStatus) -> *mut RawSession;
    close_session = "TF_CloseSession": fn(*mut RawSession, *mut RawStatus);
    delete_session = "TF_DeleteSession": fn(*mut RawSession, *mut RawStatus);
    run = "TF_SessionRun": fn(
        *mut RawSession, *const RawBuffer, *const RawOutput, *const *mut RawTensor, c_int, *const RawOutput,
        *mut *mut RawTensor, c_int, *const *const RawOperation, c_int, *mut RawBuffer, *mut RawStatus);
    new_tensor = "TF_NewTensor": fn(
        c_int, *const i64, c_int, *mut c_void, usize, unsafe extern "C" fn(*mut c_void, usize, *mut c_void), *mut c_void)
        -> *mut RawTensor;
    delete_tensor = "TF_DeleteTensor": fn(*mut RawTensor);
    tensor_type = "TF_TensorType": fn(*const RawTensor) -> c_int;
    tensor_rank = "TF_NumDims": fn(*const RawTensor) -> c_int;
    tensor_dimension = "TF_Dim": fn(*const RawTensor, c_int) -> i64;
    tensor_bytes = "TF_TensorByteSize": fn(*const RawTensor) -> usize;
    tensor_data = "TF_TensorData": fn(*const RawTensor) -> *mut c_void;
    string_init = "TF_StringInit": fn(*mut RawString);
    string_copy = "TF_StringCopy": fn(*mut RawString, *const c_char, usize);
    string_free = "TF_StringDealloc": fn(*mut RawString);
    string_data = "TF_StringGetDataPointer": fn(*const RawString) -> *const c_char;
    string_size = "TF_StringGetSize": fn(*const RawString) -> usize;
}

/// The functions of the library, found and loaded at the first call.
fn tensorflow() -> Result<&'static Functions, Failure> {
    static LOADED: OnceLock<Result<Functions, Failure>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// Whether TensorFlow can be loaded; loads it.
pub fn available() -> Result<(), Failure> {
    tensorflow().map(|_| ())
}

/// Which TensorFlow it is, as "2.21.0"; loads it.
pub(super) fn version() -> Result<&'static str, Failure> {
    let functions = tensorflow()?;
    // SAFETY: the string is the library's, and ends with a zero.
    let version = unsafe { CStr::from_ptr((functions.version)()) };
    Ok(version.to_str().unwrap_or_default())
}

fn load() -> Result<Functions, Failure> {
    let functions = library::open()
        .and_then(Functions::load)
        .map_err(|error| missing(&error.to_string()))?;
    // Before TensorFlow takes itself apart no graph must run any more.
    super::cancel_at_exit()?;
    Ok(functions)
}

fn missing(problem: &str) -> Failure {
    Failure::new(format!(
        "TensorFlow cannot be loaded: {problem}; run 'make tensorflow' in the checkout, or set {DIRECTORY_VARIABLE} to a folder with \
         lib/{LIBRARY}, or choose --executor embedded"
    ))
}

/// How many graphs, sessions and tensors of TensorFlow's there are, tensors that it has of ours, and channels: for tests, which look for leaks.
pub fn alive() -> [usize; 5] {
    [&GRAPHS, &SESSIONS, &VALUES, &LENT, &CHANNELS].map(|count| count.load(Relaxed))
}

static GRAPHS: AtomicUsize = AtomicUsize::new(0);
static SESSIONS: AtomicUsize = AtomicUsize::new(0);
static VALUES: AtomicUsize = AtomicUsize::new(0);
static LENT: AtomicUsize = AtomicUsize::new(0);
pub(super) static CHANNELS: AtomicUsize = AtomicUsize::new(0);

/// One of what a count counts, as long as it lives.
pub(super) struct Counted(&'static AtomicUsize);

impl Counted {
    pub(super) fn new(count: &'static AtomicUsize) -> Self {
        count.fetch_add(1, Relaxed);
        Counted(count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// An error of TensorFlow.
#[derive(Clone, Debug)]
pub struct Status {
    /// `TF_Code`.
    pub code: i32,
    /// TensorFlow's message, with its names of nodes.
    pub message: String,
}

/// Calls `call` with a status to write to.
fn with_status<R>(
    functions: &Functions,
    call: impl FnOnce(*mut RawStatus) -> R,
) -> Result<R, Status> {
    // SAFETY: the status is made here, lives through the call, and its message is copied before it is deleted.
    unsafe {
        let status = (functions.new_status)();
        let result = call(status);
        let code = (functions.code)(status);
        let message = CStr::from_ptr((functions.message)(status))
            .to_string_lossy()
            .into_owned();
        (functions.delete_status)(status);
        if code == OK {
            Ok(result)
        } else {
            Err(Status { code, message })
        }
    }
}

/// A graph that TensorFlow imported.
pub struct Graph {
    functions: &'static Functions,
    raw: *mut RawGraph,
    _counted: Counted,
}

// SAFETY: TensorFlow guards a graph with a lock of its own.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

/// A node of a graph.
#[derive(Clone, Copy)]
pub struct Operation(*mut RawOperation);

// SAFETY: an operation is only a name for a node; the session that uses it owns its graph.
unsafe impl Send for Operation {}
// SAFETY: as above.
unsafe impl Sync for Operation {}

impl Graph {
    /// Imports a serialized GraphDef. `Err(Ok(_))`: TensorFlow rejects it; `Err(Err(_))`: there is no TensorFlow.
    pub fn import(graph_def: &[u8]) -> Result<Arc<Self>, Result<Status, Failure>> {
        fault::point("import").map_err(Err)?;
        let functions = tensorflow().map_err(Err)?;
        // SAFETY: the buffer borrows `graph_def` for the call, which copies it; the options are deleted after it.
        unsafe {
            let graph = Graph {
                functions,
                raw: (functions.new_graph)(),
                _counted: Counted::new(&GRAPHS),
            };
            let buffer = RawBuffer {
                data: graph_def.as_ptr().cast(),
                length: graph_def.len(),
                deallocator: None,
            };
            let options = (functions.new_import_options)();
            let imported = with_status(functions, |status| {
                (functions.import)(graph.raw, &buffer, options, status)
            });
            (functions.delete_import_options)(options);
            imported.map_err(Ok)?;
            Ok(Arc::new(graph))
        }
    }

    /// The node of a name.
    pub fn operation(&self, name: &str) -> Option<Operation> {
        let name = CString::new(name).ok()?;
        // SAFETY: the graph lives, and the name ends with a zero.
        let raw = unsafe { (self.functions.operation)(self.raw, name.as_ptr()) };
        (!raw.is_null()).then_some(Operation(raw))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made by `new_graph`, and no session holds it, since sessions hold the `Arc`.
        unsafe { (self.functions.delete_graph)(self.raw) }
    }
}

/// What a session is told.
fn settings(is_remote: bool) -> ConfigProto {
    // TensorFlow's dependency optimizer takes the nodes out that keep a wait for an effect apart from the results of what has it, and its other optimizers the
    // wait after that: messages of a loop in a branch in a loop got lost (random program 216, which `make test` has).
    let rewrite_options = RewriterConfig {
        dependency_optimization: Toggle::Off as i32,
        ..Default::default()
    };
    ConfigProto {
        // The resources of a server are there for all its sessions; those of a program are its own.
        isolate_session_state: is_remote,
        graph_options: Some(GraphOptions {
            rewrite_options: Some(rewrite_options),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// A session on a graph. It may be run by several threads at once, and closed by another, which cancels what runs.
pub struct Session {
    graph: Arc<Graph>,
    raw: *mut RawSession,
    _counted: Counted,
}

// SAFETY: TensorFlow's sessions are made for several threads.
unsafe impl Send for Session {}
// SAFETY: as above.
unsafe impl Sync for Session {}

impl Session {
    /// A session in this process, or on a server: `grpc://host:port`.
    pub fn new(graph: Arc<Graph>, target: Option<&str>) -> Result<Self, Status> {
        fault::point("session").map_err(on_purpose)?;
        let functions = graph.functions;
        let target = target.map(CString::new).transpose();
        let target = target.map_err(|_| internal("a target has no zeros".to_owned()))?;
        let config = settings(target.is_some()).encode_to_vec();
        // SAFETY: the graph lives as long as the session, which holds it; the target and the settings live through the calls, which copy them, as do
        // those that take the options.
        let raw = unsafe {
            let options = (functions.new_session_options)();
            if let Some(target) = &target {
                (functions.set_target)(options, target.as_ptr());
            }
            let session = with_status(functions, |status| {
                (functions.set_config)(options, config.as_ptr().cast(), config.len(), status)
            })
            .and_then(|()| {
                with_status(functions, |status| {
                    (functions.new_session)(graph.raw, options, status)
                })
            });
            (functions.delete_session_options)(options);
            session?
        };
        let _counted = Counted::new(&SESSIONS);
        Ok(Session {
            graph,
            raw,
            _counted,
        })
    }

    /// Feeds values, fetches outputs (operation and index), and runs targets; `what` names this run among faults.
    pub fn run(
        &self,
        what: &'static str,
        feeds: &[(Operation, &Tensor)],
        fetches: &[(Operation, usize)],
        targets: &[Operation],
    ) -> Result<Vec<Tensor>, Status> {
        fault::point(what).map_err(on_purpose)?;
        let functions = self.graph.functions;
        let values = feeds
            .iter()
            .map(|(_, tensor)| Value::new(functions, tensor))
            .collect::<Result<Vec<_>, _>>()?;
        let raw_values: Vec<_> = values.iter().map(|value| value.raw).collect();
        let output = |operation: Operation, index: usize| RawOutput {
            operation: operation.0,
            index: index as c_int,
        };
        let inputs: Vec<_> = feeds
            .iter()
            .map(|(operation, _)| output(*operation, 0))
            .collect();
        let outputs: Vec<_> = fetches
            .iter()
            .map(|&(operation, index)| output(operation, index))
            .collect();
        let mut results = vec![std::ptr::null_mut(); outputs.len()];
        let targets: Vec<*const RawOperation> =
            targets.iter().map(|target| target.0.cast_const()).collect();
        // SAFETY: each array lives through the call and has the length that goes with it; operations are of this session's
        // graph, as only `executor::tensorflow` pairs them; results are owned by us afterwards.
        let ran = with_status(functions, |status| unsafe {
            (functions.run)(
                self.raw,
                std::ptr::null(),
                inputs.as_ptr(),
                raw_values.as_ptr(),
                inputs.len() as c_int,
                outputs.as_ptr(),
                results.as_mut_ptr(),
                outputs.len() as c_int,
                targets.as_ptr(),
                targets.len() as c_int,
                std::ptr::null_mut(),
                status,
            );
        });
        let results: Vec<Value> = results
            .into_iter()
            .filter(|raw| !raw.is_null())
            .map(|raw| Value::owning(functions, raw))
            .collect();
        ran?;
        results.into_iter().map(Value::tensor).collect()
    }

    /// Cancels what runs; every later run fails.
    pub fn close(&self) {
        let functions = self.graph.functions;
        // SAFETY: the session lives. That it is closed already is no error worth telling.
        let _ = with_status(functions, |status| unsafe {
            (functions.close_session)(self.raw, status)
        });
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let functions = self.graph.functions;
        // SAFETY: made by `new_session`, and nobody runs it, since runs borrow it.
        let _ = with_status(functions, |status| unsafe {
            (functions.delete_session)(self.raw, status)
        });
    }
}

/// A tensor of TensorFlow's own.
pub(super) struct Value {
    functions: &'static Functions,
    raw: *mut RawTensor,
    _counted: Counted,
}

impl Value {
    /// What this value owns from now on.
    fn owning(functions: &'static Functions, raw: *mut RawTensor) -> Self {
        let _counted = Counted::new(&VALUES);
        Value {
            functions,
            raw,
            _counted,
        }
    }
}

/// What TensorFlow would say where a fault is injected.
pub(super) fn on_purpose(failure: Failure) -> Status {
    internal(failure.message)
}

fn internal(message: String) -> Status {
    /// `TF_INTERNAL`.
    const INTERNAL: i32 = 13;
    Status {
        code: INTERNAL,
        message,
    }
}

/// For the host's ends of channels.
impl Value {
    /// See [`Value::new`].
    pub(super) fn lend(tensor: &Tensor) -> Result<Self, Status> {
        Value::new(loaded()?, tensor)
    }

    /// What TensorFlow gives away.
    ///
    /// # Safety
    /// It is a `TF_Tensor`, and nobody else's.
    pub(super) unsafe fn received(raw: *mut c_void) -> Result<Self, Status> {
        Ok(Value::owning(loaded()?, raw.cast()))
    }

    /// The `TF_Tensor`, which stays this value's.
    pub(super) fn raw(&self) -> *mut c_void {
        self.raw.cast()
    }
}

/// The functions of the library, where something that needs it is there already.
fn loaded() -> Result<&'static Functions, Status> {
    tensorflow().map_err(|failure| internal(failure.message))
}

impl Value {
    /// A tensor for TensorFlow, which shares our elements and says when it is done with them; strings are copied into its own kind.
    fn new(functions: &'static Functions, tensor: &Tensor) -> Result<Self, Status> {
        fault::point("tensor").map_err(on_purpose)?;
        let dimensions: Vec<i64> = tensor.shape().iter().map(|&size| size as i64).collect();
        let lent = Box::new(Lent {
            strings: Lent::strings(functions, tensor),
            tensor: tensor.clone().aligned(),
            functions,
            _counted: Counted::new(&LENT),
        });
        let (data, size) = match tensor.strings() {
            Ok(strings) => (
                lent.strings.as_ptr().cast_mut().cast(),
                strings.len() * size_of::<RawString>(),
            ),
            // TensorFlow does not write into memory that is not its own.
            Err(_) => (
                lent.tensor.bytes().as_ptr().cast_mut().cast(),
                tensor.byte_size(),
            ),
        };
        let number = tensor.dtype().tensorflow();
        let rank = dimensions.len() as c_int;
        let lent = Box::into_raw(lent);
        // SAFETY: the memory is that of `lent`, which lives until TensorFlow calls `give_back`, once.
        let raw = unsafe {
            let (dimensions, lent) = (dimensions.as_ptr(), lent.cast());
            (functions.new_tensor)(number, dimensions, rank, data, size, give_back, lent)
        };
        if raw.is_null() {
            // SAFETY: it was not taken.
            drop(unsafe { Box::from_raw(lent) });
            return Err(internal(format!("no memory for a tensor of {size} bytes")));
        }
        Ok(Value::owning(functions, raw))
    }

    /// The tensor for our side: where it is, if that is worth it, or a copy.
    pub(super) fn tensor(self) -> Result<Tensor, Status> {
        fault::point("value").map_err(on_purpose)?;
        let functions = self.functions;
        // SAFETY: the tensor lives; TensorFlow says how large its data is, and strings are read by its own functions.
        unsafe {
            let number = (functions.tensor_type)(self.raw);
            let Some(dtype) = DType::from_tensorflow(number) else {
                let name =
                    tfx_graphdef::element::display_name(tfx_graphdef::element::from_number(number));
                return Err(internal(format!(
                    "values of type {name} cannot cross to the host"
                )));
            };
            let shape: Vec<usize> = self.sizes().collect();
            let tensor = if dtype == DType::String {
                let first = self.first().cast::<RawString>();
                let read = |index: usize| {
                    let string = first.add(index);
                    let (start, size) = (
                        (functions.string_data)(string),
                        (functions.string_size)(string),
                    );
                    slice(start.cast::<u8>(), size as i64).to_vec()
                };
                Tensor::from_strings(&shape, (0..self.elements()).map(read).collect())
            } else if is_shareable(self.bytes()) {
                Tensor::from_elements(dtype, &shape, Arc::new(self))
            } else {
                Tensor::from_bytes(dtype, &shape, self.bytes())
            };
            tensor.map_err(|error| internal(error.to_string()))
        }
    }
}

/// Elements that TensorFlow uses: a queue may hold them long after the run that they were given to.
struct Lent {
    tensor: Tensor,
    strings: Vec<RawString>,
    functions: &'static Functions,
    _counted: Counted,
}

impl Lent {
    /// The strings of a tensor as TensorFlow has them; none of others.
    fn strings(functions: &'static Functions, tensor: &Tensor) -> Vec<RawString> {
        let strings = tensor.strings().unwrap_or_default();
        let copied = |string: &Vec<u8>| {
            let mut raw = RawString::default();
            // SAFETY: initialized here, and then given the bytes, which are copied. A string may be moved.
            unsafe {
                (functions.string_init)(&mut raw);
                (functions.string_copy)(&mut raw, string.as_ptr().cast(), string.len());
            }
            raw
        };
        strings.iter().map(copied).collect()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        for string in &mut self.strings {
            // SAFETY: made by `strings`, and nobody uses it any more.
            unsafe { (self.functions.string_free)(string) };
        }
    }
}

/// TensorFlow is done with what was lent to it.
unsafe extern "C" fn give_back(_: *mut c_void, _: usize, lent: *mut c_void) {
    // SAFETY: made by `Value::new`, and given back once.
    drop(unsafe { Box::from_raw(lent.cast::<Lent>()) });
}

// SAFETY: TensorFlow counts the users of a tensor with an atomic counter; which thread they are on does not matter.
unsafe impl Send for Value {}
// SAFETY: as above; nobody writes the elements of a tensor that a session has given out.
unsafe impl Sync for Value {}

/// Reading what TensorFlow has given.
impl Value {
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let functions = self.functions;
        // SAFETY: the tensor lives.
        let rank = unsafe { (functions.tensor_rank)(self.raw) };
        // SAFETY: as above, and it has as many dimensions as it says.
        let size = |dimension| unsafe { (functions.tensor_dimension)(self.raw, dimension) };
        (0..rank).map(move |dimension| size(dimension) as usize)
    }

    fn elements(&self) -> usize {
        self.sizes().product()
    }

    /// The address of the first element; null where there is none. A tensor without elements need not
    /// have a buffer, and TensorFlow follows the pointer to it when it is asked for its address or size.
    fn first(&self) -> *const c_void {
        if self.elements() == 0 {
            return std::ptr::null();
        }
        // SAFETY: the tensor lives, and has a buffer, since it has elements.
        unsafe { (self.functions.tensor_data)(self.raw) }
    }
}

impl Elements for Value {
    fn bytes(&self) -> &[u8] {
        let first = self.first().cast::<u8>();
        if first.is_null() {
            return &[];
        }
        // SAFETY: the tensor lives and has a buffer; TensorFlow says how many bytes its elements have.
        unsafe { slice(first, (self.functions.tensor_bytes)(self.raw) as i64) }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: owned by this value alone; what TensorFlow still uses of it, it counts itself.
        unsafe { (self.functions.delete_tensor)(self.raw) }
    }
}
