//! The extension module of the Python package tfx.
//!
//! ```text
//!   tfx/__init__.py ──> _tfx: Tensor (eager), World (compilation), Executable (calls)
//!                         │
//!                         └─ tfx_python_front: the compiler, which knows no Python process
//! ```
//!
//! A call detaches from the interpreter while the program runs; a host function attaches. An
//! exception of a host function is kept by the thread, and raised as itself at the end of the call.
//! Ctrl-C cancels the program (`interrupt.rs`).

#[allow(
    unsafe_op_in_unsafe_fn,
    reason = "the operators of a macro expand to code of PyO3"
)]
mod buffer;
mod calls;
mod convert;
mod interrupt;
#[allow(
    unsafe_op_in_unsafe_fn,
    reason = "the operators of a macro expand to code of PyO3"
)]
mod tensor;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tfx::runtime::parallel;

/// Sets the number of threads that run the native code of a graph.
#[pyfunction]
fn set_threads(threads: i64) -> PyResult<()> {
    let threads = parallel::parse_threads(&threads.to_string());
    let threads = threads.map_err(|error| PyValueError::new_err(error.to_string()))?;
    parallel::set_threads(threads);
    Ok(())
}

/// The module.
#[pymodule]
fn _tfx(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<tensor::Tensor>()?;
    module.add_class::<calls::World>()?;
    module.add_class::<calls::Executable>()?;
    module.add_function(wrap_pyfunction!(tensor::eager, module)?)?;
    module.add_function(wrap_pyfunction!(buffer::tensor_of, module)?)?;
    module.add_function(wrap_pyfunction!(buffer::unversioned_dlpack, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::format_number, module)?)?;
    module.add_function(wrap_pyfunction!(interrupt::wake, module)?)?;
    module.add_function(wrap_pyfunction!(set_threads, module)?)?;
    module.add("VERSION", tfx::VERSION)?;
    Ok(())
}
