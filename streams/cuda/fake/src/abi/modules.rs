//! Modules and their functions.

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{enter, put, usable};
use crate::codes::{Code, INVALID_HANDLE, INVALID_PTX, INVALID_VALUE, NOT_FOUND};
use crate::state::{Function, Module};

/// `CU_JIT_ERROR_LOG_BUFFER`.
const ERROR_LOG: i32 = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
const ERROR_LOG_BYTES: i32 = 6;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut usize,
    image: *const c_void,
    count: u32,
    options: *mut i32,
    values: *mut *mut c_void,
) -> Code {
    enter("cuModuleLoadDataEx", Value::Null, |state| {
        let device = usable(state)?;
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the text ends with a zero, by the contract of the module.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
        let code = tfx_ptx::Module::parse(&text).map_err(|error| {
            // SAFETY: the arrays have this length, by the contract of the module.
            unsafe { log(&error.to_string(), count as usize, options, values) };
            INVALID_PTX
        })?;
        let handle = state.handle();
        // SAFETY: by the contract of the module.
        unsafe { put(module, handle) }?;
        let code = Arc::new(code);
        state.modules.insert(handle, Module { device, code });
        Ok(json!({ "module": handle, "device": device }))
    })
}

/// Writes a text to the buffer of the options, as far as it has room.
///
/// # Safety
///
/// Both arrays have the length; the buffer has the size that the options say.
unsafe fn log(text: &str, count: usize, options: *mut i32, values: *mut *mut c_void) {
    let option = |wanted: i32| {
        // SAFETY: by the contract.
        (0..count).find_map(|index| unsafe {
            (*options.add(index) == wanted).then(|| *values.add(index))
        })
    };
    let (Some(buffer), Some(size)) = (option(ERROR_LOG), option(ERROR_LOG_BYTES)) else {
        return;
    };
    let length = text.len().min(size.addr().saturating_sub(1));
    // SAFETY: the buffer has room for the text and a zero.
    unsafe {
        std::ptr::copy(text.as_ptr(), buffer.cast(), length);
        buffer.cast::<u8>().add(length).write(0);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleUnload(module: usize) -> Code {
    enter("cuModuleUnload", json!({ "module": module }), |state| {
        state.modules.remove(&module).ok_or(INVALID_HANDLE)?;
        state
            .functions
            .retain(|_, function| function.module != module);
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(
    function: *mut usize,
    module: usize,
    name: *const c_char,
) -> Code {
    enter(
        "cuModuleGetFunction",
        json!({ "module": module }),
        |state| {
            // SAFETY: the name ends with a zero, by the contract of the module.
            let entry = unsafe { CStr::from_ptr(name) }
                .to_string_lossy()
                .into_owned();
            let found = state.modules.get(&module).ok_or(INVALID_HANDLE)?;
            found.code.entry(&entry).ok_or(NOT_FOUND)?;
            let handle = state.handle();
            // SAFETY: by the contract of the module.
            unsafe { put(function, handle) }?;
            state.functions.insert(handle, Function { module, entry });
            Ok(Value::Null)
        },
    )
}
