//! Conversion between Python objects and values.

use pyo3::exceptions::{
    PyArithmeticError, PyAssertionError, PyAttributeError, PyException, PyIndexError, PyKeyError,
    PyLookupError, PyNameError, PyNotImplementedError, PyOSError, PyOverflowError,
    PyRecursionError, PyRuntimeError, PyStopIteration, PyTypeError, PyUnboundLocalError,
    PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PySlice, PyString, PyTuple};
use tfx::runtime::{self, Bool};
use tfx_python_front::eager::EagerValue;
use tfx_python_front::{TensorType, Value, dtype_of_name};

use crate::calls::as_tensor;
use crate::tensor::Tensor;

/// The exception of a class of Python.
pub(crate) fn exception(class: &str, message: Option<String>) -> PyErr {
    macro_rules! raised {
        ($($name:literal => $class:ty),*) => {
            match (class, message) {
                $(($name, Some(message)) => <$class>::new_err(message),
                ($name, None) => <$class>::new_err(()),)*
                (_, Some(message)) => PyException::new_err(message),
                (_, None) => PyException::new_err(()),
            }
        };
    }
    raised!(
        "ArithmeticError" => PyArithmeticError,
        "AssertionError" => PyAssertionError,
        "AttributeError" => PyAttributeError,
        "IndexError" => PyIndexError,
        "KeyError" => PyKeyError,
        "LookupError" => PyLookupError,
        "NameError" => PyNameError,
        "NotImplementedError" => PyNotImplementedError,
        "OSError" => PyOSError,
        "OverflowError" => PyOverflowError,
        "RecursionError" => PyRecursionError,
        "RuntimeError" => PyRuntimeError,
        "StopIteration" => PyStopIteration,
        "TypeError" => PyTypeError,
        "UnboundLocalError" => PyUnboundLocalError,
        "ValueError" => PyValueError,
        "ZeroDivisionError" => PyZeroDivisionError
    )
}

/// The exception for a message that may start with a class.
pub(crate) fn error_of(_: Python<'_>, message: &str, otherwise: fn(String) -> PyErr) -> PyErr {
    match tfx_python_front::raised_by_check(message) {
        Some(raised) => exception(&raised.class, raised.message),
        None => otherwise(message.to_owned()),
    }
}

/// Returns the type of a tensor, all of whose sizes are known.
pub(crate) fn type_of(tensor: &runtime::Tensor) -> TensorType {
    let sizes = tensor.shape().iter();
    TensorType {
        dtype: tensor.dtype(),
        shape: sizes.map(|&size| Some(size as u64)).collect(),
    }
}

/// Converts an operand of an eager call.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<EagerValue> {
    if value.is_none() {
        return Ok(Value::None);
    }
    if let Ok(tensor) = value.cast::<Tensor>() {
        let tensor = tensor.get().value.clone();
        let ty = type_of(&tensor);
        return Ok(Value::Tensor(tensor, ty));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        let value = value.is_true();
        return Ok(Value::Bool(
            runtime::Tensor::scalar(Bool::from(value)),
            Some(value),
        ));
    }
    if value.is_instance_of::<PyInt>() {
        let value: i64 = value
            .extract()
            .map_err(|_| PyOverflowError::new_err("int is 64 bits in tfx"))?;
        return Ok(Value::Int(runtime::Tensor::scalar(value), Some(value)));
    }
    if let Ok(value) = value.cast::<PyFloat>() {
        let value = value.value();
        return Ok(Value::Float(
            runtime::Tensor::scalar(value),
            Some(value.to_bits()),
        ));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_cow()?;
        let tensor = runtime::Tensor::from_strings(&[], vec![text.as_bytes().to_vec()]);
        return Ok(Value::Str(
            tensor.unwrap_or_default(),
            Some(text.as_ref().into()),
        ));
    }
    if let Ok(parts) = value.cast::<PyTuple>() {
        let parts = parts.iter().map(|part| from_python(&part));
        return Ok(Value::Tuple(parts.collect::<PyResult<_>>()?));
    }
    if let Ok(parts) = value.cast::<PyList>() {
        let parts = parts.iter().map(|part| from_python(&part));
        return Ok(Value::List(parts.collect::<PyResult<_>>()?));
    }
    if value.is_instance_of::<PySlice>() {
        let part = |name: &str| from_python(&value.getattr(name)?);
        let parts = [part("start")?, part("stop")?, part("step")?];
        return Ok(Value::Slice(Box::new(parts)));
    }
    if value.is(value.py().Ellipsis()) {
        return Ok(Value::Ellipsis);
    }
    // An element type: `tfx.f32`, `float`, `bool`.
    if let Ok(name) = value.getattr("__name__")
        && let Ok(name) = name.extract::<String>()
    {
        if let Some(dtype) = dtype_of_name(&name) {
            return Ok(Value::DType(dtype));
        }
        if matches!(name.as_str(), "int" | "float") {
            return Ok(Value::Builtin(name));
        }
    }
    if let Some(tensor) = as_tensor(value)? {
        let ty = type_of(&tensor);
        return Ok(Value::Tensor(tensor, ty));
    }
    let name = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "an operand of a tensor is a tensor or a scalar, not '{name}'"
    )))
}

/// Converts the result of an eager call.
pub(crate) fn to_python(py: Python<'_>, value: &EagerValue) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::DType(dtype) => {
            let name = tfx_python_front::dtype_name(*dtype);
            py.import("tfx")?
                .getattr("_dtypes")?
                .get_item(name)?
                .unbind()
        }
        Value::Tensor(tensor, _) => wrap(py, tensor.clone())?,
        Value::Bool(_, Some(value)) => PyBool::new(py, *value).to_owned().into_any().unbind(),
        Value::Int(_, Some(value)) => value.into_pyobject(py)?.into_any().unbind(),
        Value::Float(_, Some(bits)) => {
            let value = f64::from_bits(*bits);
            value.into_pyobject(py)?.into_any().unbind()
        }
        Value::Tuple(parts) => {
            let parts = parts.iter().map(|part| to_python(py, part));
            let parts = parts.collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, parts)?.into_any().unbind()
        }
        _ => py.None(),
    })
}

/// Makes an object of the class `tfx.Tensor`.
pub(crate) fn wrap(py: Python<'_>, tensor: runtime::Tensor) -> PyResult<Py<PyAny>> {
    Ok(Py::new(py, Tensor { value: tensor })?.into_any())
}

/// Returns the tensor of an object of the class `tfx.Tensor`.
pub(crate) fn unwrap(value: &Bound<'_, PyAny>) -> Option<runtime::Tensor> {
    Some(value.cast::<Tensor>().ok()?.get().value.clone())
}
