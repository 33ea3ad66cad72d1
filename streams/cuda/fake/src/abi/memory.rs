//! Allocation.

use std::ffi::c_void;

use serde_json::{Value, json};

use super::{current, enter, put, usable};
use crate::codes::{Code, INVALID_VALUE};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Code {
    enter("cuMemAlloc", json!({ "bytes": bytes }), |state| {
        let device = usable(state)?;
        if address.is_null() {
            return Err(INVALID_VALUE);
        }
        let limit = state.settings.memory;
        let found = state
            .memory
            .allocate(device, bytes, limit, &mut state.random)?;
        // SAFETY: by the contract of the module.
        unsafe { put(address, found) }?;
        Ok(json!({ "address": found, "device": device }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFree_v2(address: u64) -> Code {
    enter("cuMemFree", json!({ "address": address }), |state| {
        state.memory.free(address)?;
        let device = current(state)?;
        state.check_device(device)?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: u32) -> Code {
    enter(
        "cuMemHostAlloc",
        json!({ "bytes": bytes, "flags": flags }),
        |state| {
            usable(state)?;
            if address.is_null() {
                return Err(INVALID_VALUE);
            }
            let found = state.memory.allocate_host(bytes)?;
            let pointer = std::ptr::with_exposed_provenance_mut(found);
            // SAFETY: by the contract of the module.
            unsafe { put(address, pointer) }?;
            Ok(json!({ "address": found }))
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemFreeHost(address: *mut c_void) -> Code {
    let address = address.addr();
    enter("cuMemFreeHost", json!({ "address": address }), |state| {
        state.memory.free_host(address)?;
        Ok(Value::Null)
    })
}
