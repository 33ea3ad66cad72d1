//! Copies, fills and launches.

use std::ffi::c_void;

use serde_json::{Value, json};

use super::{Outcome, current, device_of_stream, enter};
use crate::codes::{Code, INVALID_HANDLE, INVALID_VALUE};
use crate::memory::Place;
use crate::queue::{Item, Work};
use crate::state::State;

/// The most threads of a block.
const THREADS: u64 = 1024;

/// Captures a command, or puts it into the queue.
pub(super) fn issue(state: &mut State, stream: usize, work: Work) -> Outcome {
    if let Some(work) = state.capture(stream, work)? {
        state.push(stream, Item::Work(work))?;
    }
    Ok(Value::Null)
}

/// Issues a copy whose operands are checked.
fn copy(state: &mut State, stream: usize, from: Place, to: Place, bytes: usize) -> Outcome {
    device_of_stream(state, stream)?;
    for place in [from, to] {
        let is_valid = match place {
            Place::Device(address) => state.memory.device_of(address, bytes).is_some(),
            Place::Host(address) => state.memory.is_host(address, bytes),
        };
        if !is_valid {
            return Err(INVALID_VALUE);
        }
    }
    issue(state, stream, Work::Copy { from, to, bytes })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const c_void,
    bytes: usize,
    stream: usize,
) -> Code {
    let from = from.expose_provenance();
    let line = json!({ "to": to, "from": from, "bytes": bytes, "stream": stream });
    enter("cuMemcpyHtoDAsync", line, |state| {
        copy(state, stream, Place::Host(from), Place::Device(to), bytes)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: u64,
    bytes: usize,
    stream: usize,
) -> Code {
    let to = to.expose_provenance();
    let line = json!({ "to": to, "from": from, "bytes": bytes, "stream": stream });
    enter("cuMemcpyDtoHAsync", line, |state| {
        copy(state, stream, Place::Device(from), Place::Host(to), bytes)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> Code {
    let line = json!({ "to": to, "from": from, "bytes": bytes, "stream": stream });
    enter("cuMemcpyDtoDAsync", line, |state| {
        let device = device_of_stream(state, stream)?;
        let devices = [to, from].map(|address| state.memory.device_of(address, bytes));
        if devices != [Some(device); 2] {
            return Err(INVALID_VALUE);
        }
        copy(state, stream, Place::Device(from), Place::Device(to), bytes)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: usize,
    from: u64,
    from_context: usize,
    bytes: usize,
    stream: usize,
) -> Code {
    let line = json!({ "to": to, "from": from, "bytes": bytes, "stream": stream });
    enter("cuMemcpyPeerAsync", line, |state| {
        for (address, context) in [(to, to_context), (from, from_context)] {
            let device = state.device_of(context)?;
            if state.memory.device_of(address, bytes) != Some(device) {
                return Err(INVALID_VALUE);
            }
        }
        copy(state, stream, Place::Device(from), Place::Device(to), bytes)
    })
}

/// Issues a fill whose operand is checked.
fn fill(call: &'static str, to: u64, pattern: &[u8], count: usize, stream: usize) -> Code {
    let width = pattern.len();
    let line = json!({ "to": to, "bytes": count.saturating_mul(width), "stream": stream });
    enter(call, line, |state| {
        let device = device_of_stream(state, stream)?;
        let bytes = count.checked_mul(width).ok_or(INVALID_VALUE)?;
        let is_valid =
            to.is_multiple_of(width as u64) && state.memory.device_of(to, bytes) == Some(device);
        if !is_valid {
            return Err(INVALID_VALUE);
        }
        let pattern = pattern.to_vec();
        issue(state, stream, Work::Fill { to, pattern, count })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: usize) -> Code {
    fill("cuMemsetD8Async", to, &[value], count, stream)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: usize) -> Code {
    fill("cuMemsetD16Async", to, &value.to_le_bytes(), count, stream)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: usize) -> Code {
    fill("cuMemsetD32Async", to, &value.to_le_bytes(), count, stream)
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "the signature of the driver API")]
unsafe extern "C" fn cuLaunchKernel(
    function: usize,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    _shared: u32,
    stream: usize,
    parameters: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> Code {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let line = json!({ "grid": grid, "block": block, "stream": stream });
    enter("cuLaunchKernel", line, |state| {
        let device = device_of_stream(state, stream)?;
        let found = state
            .functions
            .get(&function)
            .cloned()
            .ok_or(INVALID_HANDLE)?;
        let module = state.modules.get(&found.module).ok_or(INVALID_HANDLE)?;
        if module.device != device || current(state)? != device {
            return Err(INVALID_HANDLE);
        }
        let threads = block.iter().map(|size| u64::from(*size)).product::<u64>();
        if grid.contains(&0) || threads == 0 || threads > THREADS {
            return Err(INVALID_VALUE);
        }
        let code = std::sync::Arc::clone(&module.code);
        let entry = code.entry(&found.entry).ok_or(INVALID_HANDLE)?;
        // SAFETY: the array has a pointer for each parameter, by the contract of the module.
        let (packed, values) = unsafe { pack(entry, parameters) }?;
        issue(
            state,
            stream,
            Work::Kernel {
                module: code,
                entry: found.entry.clone(),
                grid,
                block,
                parameters: packed,
            },
        )?;
        Ok(json!({ "kernel": found.entry, "parameters": values, "device": device }))
    })
}

/// Copies parameters. Returns their packed bytes, and those of eight bytes as numbers.
///
/// # Safety
///
/// The array has a pointer for each parameter of the entry, which is valid for a read of its size.
unsafe fn pack(
    entry: &tfx_ptx::Entry,
    parameters: *mut *mut c_void,
) -> Result<(Vec<u8>, Vec<u64>), Code> {
    let (mut packed, mut values) = (Vec::new(), Vec::new());
    let sizes = entry
        .parameter_bytes()
        .iter()
        .zip(entry.parameter_offsets());
    for (index, (size, offset)) in sizes.enumerate() {
        if parameters.is_null() {
            return Err(INVALID_VALUE);
        }
        let mut bytes = vec![0u8; *size];
        // SAFETY: by the contract.
        unsafe {
            let value = (*parameters.add(index)).cast::<u8>();
            std::ptr::copy(value, bytes.as_mut_ptr(), *size);
        }
        if let Ok(bytes) = <[u8; 8]>::try_from(bytes.as_slice()) {
            values.push(u64::from_le_bytes(bytes));
        }
        packed.resize(*offset, 0);
        packed.extend(bytes);
    }
    Ok((packed, values))
}
