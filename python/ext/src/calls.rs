//! Compilation and calls.
//!
//! ```text
//!   World.arguments(function, args) ──> Arguments: types (a key of the cache) and leaves
//!   World.compile(function, arguments) ──> Executable
//!   Executable.call(arguments, captured) ──> detached: the program runs; host functions attach
//! ```

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use melior::Context;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PySyntaxError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};
use tfx::report::{Format, Report};
use tfx::run::CallOptions;
use tfx::runtime::{self, Bool};
use tfx::{ErrorKind, Source};
use tfx_python_front::{
    Annotation, CompileError, Compiled, ENTRY, Embedding, ForeignError, Global, Leaf, Size,
    TensorType, Type, Value, World as Files, raised_by_check, raised_by_operation, take_raised,
    tensor_name,
};

use crate::buffer::copied;
use crate::convert::{exception, type_of, unwrap};
use crate::interrupt::Running;
use crate::tensor::Tensor;

thread_local! {
    /// The exception of a host function, until the call ends.
    static HOST_ERROR: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Warnings: the file, the line, and the text of each.
type Warnings = Vec<(String, usize, String)>;

/// The files of a program, and the objects that its names are bound to.
#[pyclass(frozen, module = "tfx._tfx")]
pub(crate) struct World {
    files: Mutex<Files>,
    /// Classes and host functions by number.
    objects: Mutex<Objects>,
    /// The annotated parameters of the functions that calls start; empty after a name is bound.
    parameters: Mutex<BTreeMap<usize, Parameters>>,
}

/// The names and annotations of the parameters of a function.
type Parameters = Arc<[(String, Annotation)]>;

#[derive(Default)]
struct Objects {
    classes: BTreeMap<usize, Py<PyAny>>,
    hosts: BTreeMap<usize, Py<PyAny>>,
}

impl Objects {
    fn copy(&self, py: Python<'_>) -> Self {
        let copy = |of: &BTreeMap<usize, Py<PyAny>>| {
            of.iter().map(|(id, of)| (*id, of.clone_ref(py))).collect()
        };
        Objects {
            classes: copy(&self.classes),
            hosts: copy(&self.hosts),
        }
    }
}

/// Locks without the interpreter lock. The code may not attach while it holds the guard.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks with the interpreter lock, which is released while the thread waits: the thread that holds
/// the guard may need it.
fn lock_attached<'m, T>(py: Python<'_>, mutex: &'m Mutex<T>) -> MutexGuard<'m, T> {
    mutex
        .lock_py_attached(py)
        .unwrap_or_else(PoisonError::into_inner)
}

/// The exception `tfx.CompileError`.
fn compile_error(py: Python<'_>, message: String) -> PyErr {
    let class = py.import("tfx").and_then(|tfx| tfx.getattr("CompileError"));
    match class.and_then(|class| class.call1((message.clone(),))) {
        Ok(error) => PyErr::from_value(error),
        Err(_) => PySyntaxError::new_err(message),
    }
}

fn kind_of(global: &Global) -> (&'static str, usize, String) {
    match global {
        Global::Function(id) => ("function", *id, String::new()),
        Global::Class(id) => ("class", *id, String::new()),
        Global::Host(id) => ("host", *id, String::new()),
        Global::Unusable(_, message) => ("unusable", 0, message.clone()),
        _ => ("other", 0, String::new()),
    }
}

#[pymethods]
impl World {
    #[new]
    fn new() -> Self {
        World {
            files: Mutex::new(Files::new()),
            objects: Mutex::default(),
            parameters: Mutex::default(),
        }
    }

    /// Adds a file, and returns its number.
    fn add_file(&self, py: Python<'_>, path: &str, text: &str) -> PyResult<usize> {
        let added = lock_attached(py, &self.files).add_file(path, text);
        added.map_err(|error| compile_error(py, error.to_string()))
    }

    /// Returns what a `def` or `class` is: its kind and its number.
    fn find(
        &self,
        py: Python<'_>,
        file: usize,
        name: &str,
        line: usize,
    ) -> PyResult<(String, usize)> {
        let mut files = lock_attached(py, &self.files);
        let found = files.find(file, name, line);
        let Some(global) = found else {
            let message = format!("'{name}' has no source in '{}'", files.path(file));
            return Err(compile_error(py, message));
        };
        if let Global::Unusable(..) = &global {
            // The place is that of the file.
            files.bind(file, "<found>", global);
            let error = files.reason(file, "<found>").map(|error| error.to_string());
            return Err(compile_error(py, error.unwrap_or_default()));
        }
        let (kind, id, _) = kind_of(&global);
        Ok((kind.to_owned(), id))
    }

    /// Returns the names that a function, or the methods of a class, read as globals.
    fn names(&self, py: Python<'_>, kind: &str, id: usize) -> Vec<String> {
        let files = lock_attached(py, &self.files);
        let functions = match kind {
            "class" => files.methods_of(id),
            "function" => vec![id],
            _ => Vec::new(),
        };
        let names = functions.into_iter().flat_map(|id| files.names_of(id));
        names
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Binds a name of a file.
    #[pyo3(signature = (file, name, kind, id=0, text=""))]
    fn bind(&self, py: Python<'_>, file: usize, name: &str, kind: &str, id: usize, text: &str) {
        let global = match kind {
            "function" => Global::Function(id),
            "class" => Global::Class(id),
            "host" => Global::Host(id),
            "captured" => Global::Captured(id),
            "module" => Global::Module(text.to_owned()),
            "builtin" => Global::Builtin(text.to_owned()),
            "dtype" => match tfx_python_front::dtype_of_name(text) {
                Some(dtype) => Global::DType(dtype),
                None => Global::Unusable(None, format!("there is no element type '{text}'")),
            },
            _ => Global::Unusable(None, text.to_owned()),
        };
        lock_attached(py, &self.files).bind(file, name, global);
        lock_attached(py, &self.parameters).clear();
    }

    /// Adds a value of the process, and returns its number.
    fn capture(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut files = lock_attached(py, &self.files);
        let mut leaves = Vec::new();
        let objects = lock_attached(py, &self.objects);
        let ty = flatten(
            value,
            &Annotation::Any,
            name,
            &files,
            &objects,
            &mut leaves,
            &mut Sizes::new(),
        )?;
        match files.capture(name, ty) {
            Global::Captured(id) => Ok(id),
            _ => unreachable!("a captured value has a number"),
        }
    }

    /// Keeps the object of a class or of a host function.
    fn set_object(&self, py: Python<'_>, kind: &str, id: usize, object: Py<PyAny>) {
        let mut objects = lock_attached(py, &self.objects);
        match kind {
            "class" => objects.classes.insert(id, object),
            _ => objects.hosts.insert(id, object),
        };
    }

    /// Returns the types and the leaves of the arguments of a function, in the order of its
    /// parameters.
    fn arguments(
        &self,
        py: Python<'_>,
        function: usize,
        values: &Bound<'_, PyTuple>,
    ) -> PyResult<Arguments> {
        let files = lock_attached(py, &self.files);
        let objects = lock_attached(py, &self.objects);
        let parameters = Arc::clone(
            lock_attached(py, &self.parameters)
                .entry(function)
                .or_insert_with(|| files.parameters(function).into()),
        );
        let mut types = Vec::with_capacity(parameters.len());
        let mut leaves = Vec::with_capacity(parameters.len());
        let mut sizes = Sizes::new();
        for ((name, annotation), value) in parameters.iter().zip(values) {
            types.push(flatten(
                &value,
                annotation,
                name,
                &files,
                &objects,
                &mut leaves,
                &mut sizes,
            )?);
        }
        Ok(Arguments { types, leaves })
    }

    /// Compiles a function for types of arguments. Returns the executable, and the warnings: file,
    /// line, text.
    fn compile(
        &self,
        py: Python<'_>,
        function: usize,
        arguments: &Arguments,
    ) -> PyResult<(Executable, Warnings)> {
        let objects = lock_attached(py, &self.objects).copy(py);
        let files = &self.files;
        let types = arguments.types.clone();
        let embedding = Arc::new(PyEmbedding { objects });
        let shared: Arc<dyn Embedding> = embedding.clone();
        let compiled = py.detach(|| -> Result<_, CompileError> {
            let context = Context::new();
            tfx::prepare(&context);
            let compiled = lock(files).compile(&context, function, types)?;
            let (result, captured) = (compiled.result.clone(), compiled.captured.clone());
            let executable = compiled.load(&shared).map_err(CompileError::Tfx)?;
            let warnings = warnings_of(&executable);
            Ok((executable, result, captured, warnings))
        });
        let (executable, result, captured, warnings) =
            compiled.map_err(|error| compile_error(py, error.to_string()))?;
        let executable = Executable {
            executable,
            embedding,
            parameters: arguments.types.clone(),
            result,
            captured,
        };
        Ok((executable, warnings))
    }

    /// Returns the program at a stage: `source`, a pass pipeline, `graphdef`, or `report`.
    fn show(
        &self,
        py: Python<'_>,
        function: usize,
        arguments: &Arguments,
        stage: &str,
    ) -> PyResult<String> {
        let types = arguments.types.clone();
        let shown = py.detach(|| -> Result<String, CompileError> {
            let context = Context::new();
            tfx::prepare(&context);
            let files = lock(&self.files);
            let Compiled { mut program, .. } = files.compile(&context, function, types)?;
            let wrong = CompileError::Tfx;
            match stage {
                "source" => {}
                "graphdef" => {
                    program.compile_graph().map_err(wrong)?;
                    let graph = program.graph_def().map_err(wrong)?;
                    return Ok(format!("{graph:#?}"));
                }
                "report" => {
                    let path = files.path_of(function);
                    let source = Source::new(path, files.text_of(function));
                    let extraction = program.extract().map_err(wrong)?;
                    let report = Report::new(&source, extraction.diagnostics, extraction.traffic);
                    return Ok(report.text(Format::Table));
                }
                pipeline => {
                    program.run(pipeline).map_err(wrong)?;
                }
            }
            Ok(program.module().as_operation().to_string())
        });
        shown.map_err(|error| compile_error(py, error.to_string()))
    }
}

/// Returns the warnings of the copy analysis.
fn warnings_of(executable: &tfx::run::Executable) -> Warnings {
    let diagnostics = executable.diagnostics().iter();
    let warnings = diagnostics.filter(|of| of.severity == tfx::diag::Severity::Warning);
    warnings
        .map(|of| match &of.place {
            Some(place) => (place.file.clone(), place.line, of.to_string()),
            None => (String::new(), 0, of.to_string()),
        })
        .collect()
}

/// The arguments of a call.
#[pyclass(frozen, module = "tfx._tfx")]
pub(crate) struct Arguments {
    types: Vec<Type>,
    leaves: Vec<runtime::Tensor>,
}

#[pymethods]
impl Arguments {
    /// A text that is equal for equal types.
    #[getter]
    fn key(&self) -> String {
        format!("{:?}", self.types)
    }
}

/// The sizes that names of annotations stand for.
type Sizes = BTreeMap<String, usize>;

/// Returns the type of an object, and adds its leaves.
fn flatten(
    value: &Bound<'_, PyAny>,
    annotation: &Annotation,
    name: &str,
    files: &Files,
    objects: &Objects,
    leaves: &mut Vec<runtime::Tensor>,
    sizes: &mut Sizes,
) -> PyResult<Type> {
    let wrong = |expected: &str| {
        let found = value.get_type().name().map(|name| name.to_string());
        let found = found.unwrap_or_default();
        let name = match name.starts_with("the ") {
            true => name.to_owned(),
            false => format!("'{name}'"),
        };
        PyTypeError::new_err(format!("{name} is {expected}, but got {found}"))
    };
    // What the annotation says, if the value is of another type.
    let expected = match annotation {
        Annotation::None => "None",
        Annotation::Bool => "a bool",
        Annotation::Int => "an int",
        Annotation::Float => "a float",
        Annotation::Str => "a str",
        Annotation::Tensor(..) => "a tensor",
        Annotation::Tuple(_) => "another tuple",
        Annotation::Class(_) => "an object of another class",
        _ => "a value of another type",
    };
    if value.is_none() {
        return match annotation {
            Annotation::Any | Annotation::None => Ok(Value::None),
            _ => Err(wrong(expected)),
        };
    }
    if let Annotation::Tensor(dtype, of) = annotation {
        let tensor = as_tensor(value)?.ok_or_else(|| wrong("a tensor"))?;
        let shape = of.iter().map(|size| match size {
            Size::Static(size) => Some(*size),
            _ => None,
        });
        let ty = TensorType {
            dtype: *dtype,
            shape: shape.collect(),
        };
        let mut sizes_of = ty.shape.iter().zip(tensor.shape());
        let fits = ty.dtype == tensor.dtype()
            && ty.rank() == tensor.rank()
            && sizes_of.all(|(size, &found)| size.is_none_or(|size| size == found as u64));
        if !fits {
            return Err(PyTypeError::new_err(format!(
                "'{name}' is {}, but got {}",
                tensor_name(&ty),
                tensor_name(&type_of(&tensor))
            )));
        }
        for (size, &found) in of.iter().zip(tensor.shape()) {
            if let Size::Named(size) = size
                && let Some(before) = sizes.insert(size.clone(), found)
                && before != found
            {
                return Err(PyTypeError::new_err(format!(
                    "the size '{size}' is {before}, and {found} in '{name}'"
                )));
            }
        }
        leaves.push(tensor);
        return Ok(Value::Tensor((), ty));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return match annotation {
            // A boolean is an integer, and stays a boolean.
            Annotation::Any | Annotation::Bool | Annotation::Int => {
                leaves.push(runtime::Tensor::scalar(Bool::from(flag.is_true())));
                Ok(Value::Bool((), None))
            }
            Annotation::Float => {
                let number = f64::from(u8::from(flag.is_true()));
                leaves.push(runtime::Tensor::scalar(number));
                Ok(Value::Float((), None))
            }
            _ => Err(wrong(expected)),
        };
    }
    if value.is_instance_of::<PyInt>() {
        if *annotation == Annotation::Float {
            leaves.push(runtime::Tensor::scalar(value.extract::<f64>()?));
            return Ok(Value::Float((), None));
        }
        if !matches!(annotation, Annotation::Any | Annotation::Int) {
            return Err(wrong(expected));
        }
        let number: i64 = value
            .extract()
            .map_err(|_| pyo3::exceptions::PyOverflowError::new_err("int is 64 bits in tfx"))?;
        leaves.push(runtime::Tensor::scalar(number));
        return Ok(Value::Int((), None));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        if !matches!(annotation, Annotation::Any | Annotation::Float) {
            return Err(wrong(expected));
        }
        leaves.push(runtime::Tensor::scalar(number.value()));
        return Ok(Value::Float((), None));
    }
    if let Ok(text) = value.cast::<PyString>() {
        if !matches!(annotation, Annotation::Any | Annotation::Str) {
            return Err(wrong(expected));
        }
        let bytes = text.to_cow()?.as_bytes().to_vec();
        leaves.push(runtime::Tensor::from_strings(&[], vec![bytes]).unwrap_or_default());
        return Ok(Value::Str((), None));
    }
    // A named tuple has a class of its own, and is another value.
    if let Ok(parts) = value.cast_exact::<PyTuple>() {
        let of = match annotation {
            Annotation::Tuple(of) if of.len() == parts.len() => of.clone(),
            Annotation::Any => vec![Annotation::Any; parts.len()],
            _ => return Err(wrong(expected)),
        };
        let parts = parts
            .iter()
            .zip(&of)
            .enumerate()
            .map(|(index, (part, of))| {
                let name = format!("{name}[{index}]");
                flatten(&part, of, &name, files, objects, leaves, sizes)
            });
        return Ok(Value::Tuple(parts.collect::<PyResult<_>>()?));
    }
    if let Ok(parts) = value.cast_exact::<PyList>() {
        let parts = parts.iter().enumerate().map(|(index, part)| {
            let name = format!("{name}[{index}]");
            flatten(
                &part,
                &Annotation::Any,
                &name,
                files,
                objects,
                leaves,
                sizes,
            )
        });
        return Ok(Value::List(parts.collect::<PyResult<_>>()?));
    }
    let class = value.get_type();
    if let Some((id, _)) = objects.classes.iter().find(|(_, of)| of.is(&class)) {
        if matches!(annotation, Annotation::Class(of) if of != id) {
            return Err(wrong(&files.class_name(match annotation {
                Annotation::Class(of) => *of,
                _ => *id,
            })));
        }
        let names = files.field_names(*id);
        let annotations = files.field_annotations(*id);
        let fields = names.iter().zip(&annotations).map(|(field, of)| {
            let name = format!("{name}.{field}");
            // A field holds what it was given: only parameters convert numbers.
            let of = match of {
                Annotation::Bool | Annotation::Int | Annotation::Float => &Annotation::Any,
                of => of,
            };
            flatten(
                &value.getattr(field)?,
                of,
                &name,
                files,
                objects,
                leaves,
                sizes,
            )
        });
        return Ok(Value::Struct(*id, fields.collect::<PyResult<_>>()?));
    }
    if let Some(tensor) = as_tensor(value)? {
        if *annotation != Annotation::Any {
            return Err(wrong(expected));
        }
        let ty = TensorType {
            dtype: tensor.dtype(),
            shape: vec![None; tensor.rank()],
        };
        leaves.push(tensor);
        return Ok(Value::Tensor((), ty));
    }
    Err(wrong(
        "a tensor, a scalar, a tuple or an object of a @tfx.struct",
    ))
}

/// Returns an object as a tensor, if it is an array.
pub(crate) fn as_tensor(value: &Bound<'_, PyAny>) -> PyResult<Option<runtime::Tensor>> {
    if let Some(tensor) = unwrap(value) {
        return Ok(Some(tensor));
    }
    let py = value.py();
    // Names that Python knows already: each call has arguments.
    if !value.hasattr(intern!(py, "__array__"))? && !value.hasattr(intern!(py, "__dlpack__"))? {
        return Ok(None);
    }
    if let Some(tensor) = copied(value)? {
        return Ok(Some(tensor));
    }
    let made = py.import("tfx")?.getattr("asarray")?.call1((value,))?;
    Ok(unwrap(&made))
}

/// A compiled program.
#[pyclass(frozen, module = "tfx._tfx")]
pub(crate) struct Executable {
    executable: tfx::run::Executable,
    embedding: Arc<PyEmbedding>,
    parameters: Vec<Type>,
    result: Type,
    captured: Vec<usize>,
}

#[pymethods]
impl Executable {
    /// The numbers of the captured values that a call needs, in their order.
    #[getter]
    fn captured(&self) -> Vec<usize> {
        self.captured.clone()
    }

    /// Returns whether the program is compiled for the types of these arguments.
    fn accepts(&self, arguments: &Arguments) -> bool {
        self.parameters == arguments.types
    }

    /// Calls the program.
    fn call(
        &self,
        py: Python<'_>,
        arguments: &Arguments,
        captured: &Bound<'_, PyList>,
    ) -> PyResult<Py<PyAny>> {
        let mut leaves = Cow::Borrowed(&arguments.leaves);
        if !captured.is_empty() {
            let (leaves, none) = (leaves.to_mut(), Files::new());
            for value in captured.iter() {
                flatten(
                    &value,
                    &Annotation::Any,
                    "a global",
                    &none,
                    &self.embedding.objects,
                    leaves,
                    &mut Sizes::new(),
                )?;
            }
        }
        let running = Running::new();
        let options = CallOptions {
            cancellation: Some(running.cancellation.clone()),
            ..CallOptions::default()
        };
        let outer = HOST_ERROR.take();
        let result = py.detach(|| {
            let function = self.executable.function(ENTRY)?;
            function.call_with(&leaves, &options)
        });
        drop(running);
        let host_error = HOST_ERROR.replace(outer);
        let values = result.map_err(|error| self.failure(py, &error, host_error))?;
        let mut values = values.into_iter();
        build(
            py,
            &self.result,
            &mut values,
            &self.embedding.objects,
            false,
        )
    }
}

impl Executable {
    /// Returns the exception of a failed call.
    fn failure(&self, py: Python<'_>, error: &tfx::Error, host_error: Option<PyErr>) -> PyErr {
        let raised = take_raised();
        let place = error.diagnostics().first().and_then(|of| of.place.clone());
        let text = error.diagnostics().first().map(|of| of.message.clone());
        let text = text.unwrap_or_else(|| error.to_string());
        let failed = match (error.kind(), host_error, raised) {
            (ErrorKind::ForeignFunction, Some(error), _) => error,
            (ErrorKind::ForeignFunction, None, Some(raised)) => {
                exception(&raised.class, raised.message)
            }
            (ErrorKind::Cancelled, ..) => match py.check_signals() {
                Err(error) => error,
                Ok(()) => PyKeyboardInterrupt::new_err(()),
            },
            (ErrorKind::Argument, ..) => PyTypeError::new_err(text),
            _ => match raised_by_check(&text).or_else(|| raised_by_operation(&text)) {
                Some(raised) => exception(&raised.class, raised.message),
                None => PyRuntimeError::new_err(text),
            },
        };
        if let Some(place) = place {
            let note = format!(
                "in the program, at {}:{}:{}",
                place.file, place.line, place.column
            );
            // A note is help only: without it, the exception is the same.
            let _ = failed.value(py).call_method1("add_note", (note,));
        }
        failed
    }
}

/// The exception for a leaf of another type.
fn internal(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("internal error: {error}"))
}

/// Makes an object of a type from leaves.
fn build(
    py: Python<'_>,
    ty: &Type,
    leaves: &mut dyn Iterator<Item = runtime::Tensor>,
    objects: &Objects,
    as_arrays: bool,
) -> PyResult<Py<PyAny>> {
    let mut next = || {
        leaves
            .next()
            .ok_or_else(|| PyRuntimeError::new_err("internal error: a leaf is missing"))
    };
    Ok(match ty {
        Value::None => py.None(),
        Value::Bool(..) => {
            let value = next()?.item::<Bool>().map_err(internal)?.get();
            PyBool::new(py, value).to_owned().into_any().unbind()
        }
        Value::Int(..) => {
            let value = next()?.item::<i64>().map_err(internal)?;
            value.into_pyobject(py)?.into_any().unbind()
        }
        Value::Float(..) => {
            let value = next()?.item::<f64>().map_err(internal)?;
            value.into_pyobject(py)?.into_any().unbind()
        }
        Value::Str(..) => {
            let tensor = next()?;
            let text = tensor.strings().map_err(internal)?.first().cloned();
            let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
            text.into_pyobject(py)?.into_any().unbind()
        }
        Value::Tensor(..) => {
            let tensor = Py::new(py, Tensor { value: next()? })?.into_any();
            match as_arrays {
                true => tensor.call_method0(py, "__array__")?,
                false => tensor,
            }
        }
        Value::Tuple(parts) | Value::List(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.push(build(py, part, leaves, objects, as_arrays)?);
            }
            match ty {
                Value::Tuple(_) => PyTuple::new(py, all)?.into_any().unbind(),
                _ => PyList::new(py, all)?.into_any().unbind(),
            }
        }
        Value::Struct(class, fields) => {
            let mut all = Vec::new();
            for field in fields {
                all.push(build(py, field, leaves, objects, as_arrays)?);
            }
            let class = objects
                .classes
                .get(class)
                .ok_or_else(|| PyRuntimeError::new_err("internal error: a class has no object"))?;
            class.call1(py, PyTuple::new(py, all)?)?
        }
        _ => {
            return Err(PyTypeError::new_err(
                "a program returns tensors, scalars, tuples and objects; a function stays inside",
            ));
        }
    })
}

/// The side of Python: output and host functions.
struct PyEmbedding {
    objects: Objects,
}

impl Embedding for PyEmbedding {
    fn print(&self, text: &str) -> Result<(), ForeignError> {
        Python::attach(|py| {
            let written = (|| {
                let out = py.import("sys")?.getattr("stdout")?;
                out.call_method1("write", (text,))
            })();
            kept(written.map(|_| ()))
        })
    }

    fn call(
        &self,
        host: usize,
        types: &[Type],
        leaves: &[runtime::Tensor],
        result: &Type,
    ) -> Result<Vec<runtime::Tensor>, ForeignError> {
        Python::attach(|py| {
            let called = (|| {
                let mut leaves = leaves.iter().cloned();
                let mut arguments = Vec::new();
                for ty in types {
                    arguments.push(build(py, ty, &mut leaves, &self.objects, true)?);
                }
                let function = self.objects.hosts.get(&host).ok_or_else(|| {
                    PyRuntimeError::new_err("internal error: a host function has no object")
                })?;
                let value = function.call1(py, PyTuple::new(py, arguments)?)?;
                let mut leaves = Vec::new();
                let annotation = annotation_of(result);
                let none = Files::new();
                let name = "the result of a host function";
                let value = value.bind(py);
                let found = flatten(
                    value,
                    &annotation,
                    name,
                    &none,
                    &self.objects,
                    &mut leaves,
                    &mut Sizes::new(),
                )?;
                // The code after the call has the declared type: it would print 1 for True.
                let mut pairs = found.leaves().into_iter().zip(result.leaves());
                if pairs.any(|((_, found), (_, of))| (found, of) == (Leaf::Bool, Leaf::Int)) {
                    return Err(PyTypeError::new_err(format!(
                        "{name} is an int, but got bool; return int(..)"
                    )));
                }
                Ok(leaves)
            })();
            kept(called)
        })
    }
}

/// Keeps an exception for the end of the call.
fn kept<R>(result: PyResult<R>) -> Result<R, ForeignError> {
    result.map_err(|error| {
        let text = error.to_string();
        HOST_ERROR.replace(Some(error));
        text.into()
    })
}

/// The annotation of a type.
fn annotation_of(ty: &Type) -> Annotation {
    match ty {
        Value::None => Annotation::None,
        Value::Bool(..) => Annotation::Bool,
        Value::Int(..) => Annotation::Int,
        Value::Float(..) => Annotation::Float,
        Value::Str(..) => Annotation::Str,
        Value::Tensor((), ty) => {
            let size = |size: &Option<u64>| size.map_or(Size::Any, Size::Static);
            Annotation::Tensor(ty.dtype, ty.shape.iter().map(size).collect())
        }
        Value::Tuple(parts) => Annotation::Tuple(parts.iter().map(annotation_of).collect()),
        Value::Struct(class, _) => Annotation::Class(*class),
        _ => Annotation::Any,
    }
}
