//! The functions of tests, and those about errors.

use std::ffi::{CStr, c_char};

use super::put;
use crate::codes::{Code, INVALID_VALUE, SUCCESS, texts};
use crate::state::state;

/// Changes a setting.
///
/// # Safety
///
/// Both strings end with a zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn tfx_fake_cuda_set(name: *const c_char, value: *const c_char) {
    // SAFETY: by the contract.
    let [name, value] = [name, value].map(|text| unsafe { CStr::from_ptr(text) });
    state().set(&name.to_string_lossy(), &value.to_string_lossy());
}

/// Returns the number of objects of a kind that exist, or of calls of a function so far.
///
/// # Safety
///
/// The string ends with a zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn tfx_fake_cuda_count(name: *const c_char) -> u64 {
    // SAFETY: by the contract.
    let name = unsafe { CStr::from_ptr(name) };
    state().count(&name.to_string_lossy())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(code: Code, text: *mut *const c_char) -> Code {
    let name = texts(code).map(|(name, _)| name.as_ptr());
    // SAFETY: by the contract of the module.
    let outcome = name.map_or(Err(INVALID_VALUE), |name| unsafe { put(text, name) });
    outcome.err().unwrap_or(SUCCESS)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(code: Code, text: *mut *const c_char) -> Code {
    let description = texts(code).map(|(_, description)| description.as_ptr());
    // SAFETY: by the contract of the module.
    let outcome = description.map_or(Err(INVALID_VALUE), |found| unsafe { put(text, found) });
    outcome.err().unwrap_or(SUCCESS)
}
