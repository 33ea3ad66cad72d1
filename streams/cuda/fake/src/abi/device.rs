//! Devices.

use std::ffi::c_char;

use serde_json::{Value, json};

use super::{enter, put};
use crate::codes::{Code, INVALID_DEVICE, INVALID_VALUE, NO_DEVICE};
use crate::state::State;

/// CUDA 12.4.
const VERSION: i32 = 12040;
const NAME: &[u8] = b"Fake CUDA device\0";
/// The attributes `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`, with their values.
const ATTRIBUTES: [(i32, i32); 2] = [(75, 9), (76, 0)];

fn check(state: &State, device: i32) -> Result<usize, Code> {
    let device = usize::try_from(device).map_err(|_| INVALID_DEVICE)?;
    let is_valid = device < state.settings.devices;
    is_valid.then_some(device).ok_or(INVALID_DEVICE)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuInit(flags: u32) -> Code {
    enter("cuInit", json!({ "flags": flags }), |state| {
        if state.settings.devices == 0 {
            return Err(NO_DEVICE);
        }
        state.is_initialized = true;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut i32) -> Code {
    enter("cuDriverGetVersion", Value::Null, |_| {
        // SAFETY: by the contract of the module.
        unsafe { put(version, VERSION) }?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut i32) -> Code {
    enter("cuDeviceGetCount", Value::Null, |state| {
        // SAFETY: by the contract of the module.
        unsafe { put(count, state.settings.devices as i32) }?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut i32, ordinal: i32) -> Code {
    enter("cuDeviceGet", json!({ "ordinal": ordinal }), |state| {
        check(state, ordinal)?;
        // SAFETY: by the contract of the module.
        unsafe { put(device, ordinal) }?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: i32, device: i32) -> Code {
    enter("cuDeviceGetName", json!({ "device": device }), |state| {
        check(state, device)?;
        let length = usize::try_from(length).unwrap_or(0);
        if name.is_null() || length < NAME.len() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the array has this length, by the contract of the module.
        unsafe { std::ptr::copy(NAME.as_ptr().cast(), name, NAME.len()) };
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) -> Code {
    enter(
        "cuDeviceGetAttribute",
        json!({ "device": device }),
        |state| {
            check(state, device)?;
            let found = ATTRIBUTES.iter().find(|(known, _)| *known == attribute);
            let (_, found) = found.ok_or(INVALID_VALUE)?;
            // SAFETY: by the contract of the module.
            unsafe { put(value, *found) }?;
            Ok(Value::Null)
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceCanAccessPeer(can: *mut i32, device: i32, peer: i32) -> Code {
    enter(
        "cuDeviceCanAccessPeer",
        json!({ "device": device }),
        |state| {
            let is_other = check(state, device)? != check(state, peer)?;
            // SAFETY: by the contract of the module.
            unsafe { put(can, i32::from(is_other)) }?;
            Ok(Value::Null)
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: i32) -> Code {
    enter(
        "cuDevicePrimaryCtxRetain",
        json!({ "device": device }),
        |state| {
            let device = check(state, device)?;
            let handle = State::context(device);
            // SAFETY: by the contract of the module.
            unsafe { put(context, handle) }?;
            *state.retained.entry(device).or_default() += 1;
            Ok(json!({ "context": handle }))
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(device: i32) -> Code {
    enter(
        "cuDevicePrimaryCtxRelease",
        json!({ "device": device }),
        |state| {
            let device = check(state, device)?;
            let count = state.retained.get_mut(&device);
            let count = count.filter(|count| **count > 0);
            *count.ok_or(crate::codes::INVALID_CONTEXT)? -= 1;
            Ok(Value::Null)
        },
    )
}
