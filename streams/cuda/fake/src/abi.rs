//! The exported functions.
//!
//! # Contract
//!
//! Callers keep the rules of the driver API and of cuBLAS: pointers to results are valid for a
//! write, or null; strings end with a zero; arrays have their lengths; host memory of a copy lives
//! until the copy is complete. Objects are handles, which are looked up, so that invalid ones are
//! errors.
//!
//! Each function takes the lock, counts the call, fails if the settings say so, and appends a line
//! to the trace. Functions that release something do so also if they fail by a setting.

pub(crate) mod host;

mod blas;
mod context;
mod control;
mod copies;
mod device;
mod graphs;
mod memory;
mod modules;
mod streams;

use std::cell::Cell;

use serde_json::{Value, json};

use crate::codes::{
    Code, ILLEGAL_ADDRESS, INVALID_CONTEXT, INVALID_VALUE, LAUNCH_FAILED, NOT_INITIALIZED, SUCCESS,
};
use crate::state::{State, state};

thread_local! {
    /// The current context of a thread; 0 for none.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Functions that release something.
const RELEASES: [&str; 9] = [
    "cublasDestroy",
    "cuCtxSetCurrent",
    "cuDevicePrimaryCtxRelease",
    "cuEventDestroy",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuMemFree",
    "cuMemFreeHost",
    "cuStreamDestroy",
];

/// The result of a function: more fields for its line of the trace.
type Outcome = Result<Value, Code>;

/// Runs a function of the driver or of cuBLAS. `arguments` are the fields of its line in the trace.
fn enter(call: &'static str, arguments: Value, run: impl FnOnce(&mut State) -> Outcome) -> Code {
    let mut state = state();
    *state.calls.entry(call).or_default() += 1;
    let failure = state.settings.fails(call);
    let is_run = failure.is_none() || RELEASES.contains(&call) || call == "cuModuleUnload";
    let outcome = match (is_run, state.is_initialized || call == "cuInit") {
        (_, false) if call.starts_with("cublas") => Err(crate::blas::NOT_INITIALIZED),
        (_, false) => Err(NOT_INITIALIZED),
        (true, _) => {
            let outcome = run(&mut state);
            state.progress();
            outcome
        }
        (false, _) => Ok(Value::Null),
    };
    let outcome = match failure {
        Some(code) => {
            if let (ILLEGAL_ADDRESS | LAUNCH_FAILED, Ok(device)) = (code, current(&state)) {
                state.poison(device, code);
            }
            Err(code)
        }
        None => outcome,
    };
    let code = outcome.as_ref().err().copied().unwrap_or(SUCCESS);
    if state.settings.has_trace() {
        let mut line = json!({ "call": call, "result": code });
        for fields in [arguments, outcome.unwrap_or_default()] {
            if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
                line.extend(fields);
            }
        }
        state.settings.trace(&line);
    }
    code
}

/// Returns the device of the current context, whatever its state.
fn current(state: &State) -> Result<usize, Code> {
    match CURRENT.get() {
        0 => Err(INVALID_CONTEXT),
        context => state.device_of(context),
    }
}

/// Returns the device of the current context, if it is usable.
fn usable(state: &State) -> Result<usize, Code> {
    let device = current(state)?;
    state.check_device(device)?;
    Ok(device)
}

/// Returns the device of a stream, if both exist and are usable.
fn device_of_stream(state: &mut State, stream: usize) -> Result<usize, Code> {
    let device = state.stream(stream)?.device;
    state.check_device(device)?;
    Ok(device)
}

/// Writes a result.
///
/// # Safety
///
/// The pointer is null, or valid for a write.
unsafe fn put<T>(pointer: *mut T, value: T) -> Result<(), Code> {
    if pointer.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: by the contract.
    unsafe { pointer.write(value) };
    Ok(())
}
