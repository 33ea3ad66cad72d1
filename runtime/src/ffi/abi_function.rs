//! Foreign functions that are functions of the embedding process.
//!
//! ```text
//!   compiled code ──► @f(%x, %n)             generated: stores the arguments in slots
//!                       └─► tfx_function_call(f, slots)
//!                             └─► ForeignFunction::call: a closure of the embedding process
//! ```
//!
//! A slot has the address of an argument or of a result, as for an entry function. Results are
//! checked against their declared types: compiled code relies on these.

use std::{
    cell::Cell,
    ffi::{c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
};

use tfx_interpreter::Tensor;

use super::{
    abi_entry::{read_cell, write_cell},
    abi_tensor::TfxTensor,
    guard::{guarded, text},
};
use crate::{
    activation,
    entry::Parameter,
    failure::{Failure, FailureKind, panic_message},
};

/// The error of a foreign function.
pub type ForeignError = Box<dyn std::error::Error + Send + Sync>;

/// The body of a foreign function.
pub type ForeignCall = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>, ForeignError> + Send + Sync;

/// A function of the embedding process that compiled code calls.
pub struct ForeignFunction {
    /// The name of the foreign function.
    pub name: String,
    /// `file:line:col` of its declaration.
    pub location: Option<String>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The results.
    pub results: Vec<Parameter>,
    /// Receives a tensor per parameter, and returns a tensor per result.
    pub call: Box<ForeignCall>,
}

impl std::fmt::Debug for ForeignFunction {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ForeignFunction")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl ForeignFunction {
    /// Calls the function, and checks the results.
    fn run(&self, arguments: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
        let call = catch_unwind(AssertUnwindSafe(|| (self.call)(arguments)));
        let results = match call {
            Ok(results) => results.map_err(|error| self.failure(&error.to_string()))?,
            Err(payload) => {
                // A function of the runtime that the foreign function has called may have failed.
                let problem = match activation::unwound(&*payload) {
                    Some(failure) => failure.message.clone(),
                    None => format!("it panicked: {}", panic_message(&*payload)),
                };
                return Err(self.failure(&problem));
            }
        };
        if results.len() != self.results.len() {
            let (count, expected) = (results.len(), self.results.len());
            let problem = format!("it returned {count} values, but {expected} are declared");
            return Err(self.failure(&problem));
        }
        for (parameter, result) in self.results.iter().zip(&results) {
            if let Some((found, expected)) = parameter.mismatch(result) {
                let problem = format!("it returned {found}, but {expected} is declared");
                return Err(self.failure(&problem));
            }
        }
        Ok(results)
    }

    fn failure(&self, problem: &str) -> Failure {
        let message = format!("foreign function '@{}' failed: {problem}", self.name);
        Failure::of_kind(FailureKind::ForeignFunction, message)
    }
}

thread_local! {
    /// The location of the call that this thread is about to make, or NULL.
    static CALL: Cell<*const c_char> = const { Cell::new(std::ptr::null()) };
}

/// Precedes a call of a foreign function at a location.
pub(super) extern "C-unwind" fn tfx_foreign_call(location: *const c_char) {
    CALL.set(location);
}

/// Calls a foreign function. `slots` has the address of each argument, then of each result.
///
/// # Safety
/// The function lives as long as the compiled code; the slots are those of its declaration.
pub(super) unsafe extern "C-unwind" fn tfx_function_call(
    function: *const ForeignFunction,
    slots: *const *mut c_void,
) {
    let location = CALL.replace(std::ptr::null());
    guarded(location, || {
        // SAFETY: as promised by the caller.
        let function = unsafe { &*function };
        let slot = |index: usize| {
            // SAFETY: as promised by the caller.
            unsafe { *slots.add(index) }
        };
        let argument = |(index, parameter)| {
            // SAFETY: the slot holds a borrowed handle or a scalar.
            let cell = unsafe { read_cell(parameter, slot(index)) };
            match parameter.is_tensor {
                // SAFETY: as above.
                true => Ok(unsafe { TfxTensor::borrow(cell as *const TfxTensor) }?
                    .tensor
                    .clone()),
                false => Ok(super::abi_entry::scalar(
                    parameter.dtype,
                    cell.to_ne_bytes(),
                )),
            }
        };
        let arguments = function.parameters.iter().enumerate().map(argument);
        let arguments = arguments.collect::<Result<Vec<_>, Failure>>()?;
        let results = function.run(&arguments).map_err(|failure| {
            // SAFETY: constants of compiled code.
            let location = unsafe { text(location) };
            let declared = function.location.as_deref();
            failure.at(location.as_deref().or(declared))
        })?;
        let start = function.parameters.len();
        for ((index, parameter), result) in function.results.iter().enumerate().zip(results) {
            // SAFETY: the slot is the place of a handle or of a scalar.
            unsafe { write_cell(parameter, slot(start + index), result) };
        }
        Ok(())
    })
}
