//! `Tensor`: an immutable tensor, whose operations run at once.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyBytes, PyDict, PyInt, PyTuple, PyType};
use tfx::runtime;
use tfx_python_front::eager::{self as front, Operation};
use tfx_python_front::{dtype_name, tensor_text};

use crate::convert::{error_of, from_python, to_python};

/// An immutable tensor.
#[pyclass(frozen, module = "tfx")]
#[derive(Debug)]
pub(crate) struct Tensor {
    pub(crate) value: runtime::Tensor,
}

/// Runs an operation on objects; `NotImplemented` for an operand that is none of a tensor.
fn operate(
    py: Python<'_>,
    operation: &Operation<'_>,
    operands: &[&Bound<'_, PyAny>],
) -> PyResult<Py<PyAny>> {
    let converted = operands.iter().map(|operand| from_python(operand));
    let Ok(operands) = converted.collect::<PyResult<Vec<_>>>() else {
        return Ok(py.NotImplemented());
    };
    let result = py.detach(|| front::run(operation, operands, Vec::new()));
    let value = result.map_err(|message| error_of(py, &message.0, PyTypeError::new_err))?;
    to_python(py, &value)
}

/// The operators of Python, each with the operands in their order.
macro_rules! operators {
    ($($method:ident $reflected:ident $name:literal;)*) => {
        #[pymethods]
        impl Tensor {
            $(
                fn $method(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                    operate(this.py(), &Operation::Binary($name), &[this.as_any(), other])
                }

                fn $reflected(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                    operate(this.py(), &Operation::Binary($name), &[other, this.as_any()])
                }
            )*

            fn __pow__(
                this: &Bound<'_, Self>,
                other: &Bound<'_, PyAny>,
                _modulus: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Binary("pow"), &[this.as_any(), other])
            }

            fn __rpow__(
                this: &Bound<'_, Self>,
                other: &Bound<'_, PyAny>,
                _modulus: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Binary("pow"), &[other, this.as_any()])
            }

            fn __richcmp__(
                this: &Bound<'_, Self>,
                other: &Bound<'_, PyAny>,
                op: CompareOp,
            ) -> PyResult<Py<PyAny>> {
                let name = match op {
                    CompareOp::Lt => "<",
                    CompareOp::Le => "<=",
                    CompareOp::Eq => "==",
                    CompareOp::Ne => "!=",
                    CompareOp::Gt => ">",
                    CompareOp::Ge => ">=",
                };
                operate(this.py(), &Operation::Compare(name), &[this.as_any(), other])
            }

            fn __neg__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Unary("-"), &[this.as_any()])
            }

            fn __pos__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Unary("+"), &[this.as_any()])
            }

            fn __invert__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Unary("~"), &[this.as_any()])
            }

            fn __abs__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Function("abs"), &[this.as_any()])
            }

            #[pyo3(signature = (digits=None))]
            fn __round__(
                this: &Bound<'_, Self>,
                digits: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<Py<PyAny>> {
                match digits {
                    None => operate(this.py(), &Operation::Function("round"), &[this.as_any()]),
                    Some(_) => Err(PyTypeError::new_err(
                        "round() of a tensor has no digits; write tfx.round(x * 100) / 100",
                    )),
                }
            }

            fn __divmod__(
                this: &Bound<'_, Self>,
                other: &Bound<'_, PyAny>,
            ) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
                Ok((Self::__floordiv__(this, other)?, Self::__mod__(this, other)?))
            }

            fn __rdivmod__(
                this: &Bound<'_, Self>,
                other: &Bound<'_, PyAny>,
            ) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
                Ok((Self::__rfloordiv__(this, other)?, Self::__rmod__(this, other)?))
            }

            fn __getitem__(this: &Bound<'_, Self>, index: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                let shown = operate(this.py(), &Operation::Subscript, &[this.as_any(), index])?;
                match shown.is(this.py().NotImplemented()) {
                    true => Err(PyTypeError::new_err("this is no index of a tensor")),
                    false => Ok(shown),
                }
            }

            fn __bool__(this: &Bound<'_, Self>) -> PyResult<bool> {
                operate(this.py(), &Operation::Truth, &[this.as_any()])?.extract(this.py())
            }

            /// The number in a tensor of rank 0.
            fn item(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                operate(this.py(), &Operation::Scalar, &[this.as_any()])
            }

            fn __int__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                let item = Self::item(this)?;
                this.py().get_type::<PyInt>().call1((item,)).map(Bound::unbind)
            }

            fn __float__(this: &Bound<'_, Self>) -> PyResult<f64> {
                Self::item(this)?.extract(this.py())
            }

            fn __index__(this: &Bound<'_, Self>) -> PyResult<i64> {
                Self::item(this)?.extract(this.py())
            }

            fn __format__(this: &Bound<'_, Self>, specification: &str) -> PyResult<String> {
                if specification.is_empty() {
                    return Ok(this.get().__repr__());
                }
                let item = Self::item(this)?;
                let formatted = item.call_method1(this.py(), "__format__", (specification,))?;
                formatted.extract(this.py())
            }
        }
    };
}

operators! {
    __add__ __radd__ "add";
    __sub__ __rsub__ "sub";
    __mul__ __rmul__ "mul";
    __matmul__ __rmatmul__ "matmul";
    __truediv__ __rtruediv__ "truediv";
    __floordiv__ __rfloordiv__ "floordiv";
    __mod__ __rmod__ "mod";
    __lshift__ __rlshift__ "lshift";
    __rshift__ __rrshift__ "rshift";
    __and__ __rand__ "and";
    __or__ __ror__ "or";
    __xor__ __rxor__ "xor";
}

#[pymethods]
impl Tensor {
    /// An array of NumPy leaves an operator with a tensor to the tensor.
    #[classattr]
    fn __array_priority__() -> u32 {
        100
    }

    /// The sizes.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        Ok(PyTuple::new(py, self.value.shape())?.unbind())
    }

    /// The element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let all = py.import("tfx")?.getattr("_dtypes")?;
        Ok(all.get_item(dtype_name(self.value.dtype()))?.unbind())
    }

    /// The number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.value.rank()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.value.elements()
    }

    /// The elements in row-major order.
    fn tobytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.value.bytes())
    }

    fn __repr__(&self) -> String {
        tensor_text(&self.value)
    }

    fn __len__(&self) -> PyResult<usize> {
        let sizes = self.value.shape().first().copied();
        sizes.ok_or_else(|| PyTypeError::new_err("len() of a tensor of rank 0"))
    }

    fn __iter__(this: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let count = this.get().__len__()?;
        let rows = (0..count).map(|row| this.as_any().get_item(row));
        let rows = rows.collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(this.py(), rows)?
            .try_iter()?
            .into_any()
            .unbind())
    }

    /// Methods and the attributes `T`, `mT` and `at` are those of the package.
    fn __getattr__(this: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        let found = this.py().import("tfx")?.getattr("_attribute")?;
        Ok(found.call1((this, name))?.unbind())
    }

    /// `Tensor[f32, None, 64]` in an annotation.
    #[classmethod]
    fn __class_getitem__(
        class: &Bound<'_, PyType>,
        item: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let alias = class.py().import("types")?.getattr("GenericAlias")?;
        Ok(alias.call1((class, item))?.unbind())
    }
}

/// Runs an operation: its kind, its name, its operands.
#[pyfunction]
#[pyo3(signature = (kind, name, operands, keywords=None))]
pub(crate) fn eager(
    py: Python<'_>,
    kind: &str,
    name: &str,
    operands: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let operation = match kind {
        "function" => Operation::Function(name),
        "binary" => Operation::Binary(name),
        "compare" => Operation::Compare(name),
        "unary" => Operation::Unary(name),
        "subscript" => Operation::Subscript,
        "at" => Operation::At(name),
        "scalar" => Operation::Scalar,
        "truth" => Operation::Truth,
        _ => Operation::Attribute(name),
    };
    let operands = operands
        .iter()
        .map(|operand| from_python(&operand))
        .collect::<PyResult<Vec<_>>>()?;
    let mut named = Vec::new();
    for (name, value) in keywords.into_iter().flat_map(|of| of.iter()) {
        named.push((name.extract::<String>()?, from_python(&value)?));
    }
    let result = py.detach(|| front::run(&operation, operands, named));
    let value = result.map_err(|message| error_of(py, &message.0, PyTypeError::new_err))?;
    to_python(py, &value)
}

/// Formats a number by a specification.
#[pyfunction]
pub(crate) fn format_number(value: f64, is_int: bool, specification: &str) -> PyResult<String> {
    tfx_python_front::format_number(value, is_int, specification)
        .ok_or_else(|| PyValueError::new_err("Invalid format specifier"))
}
