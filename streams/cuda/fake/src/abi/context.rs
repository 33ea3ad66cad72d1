//! Contexts.

use serde_json::{Value, json};

use super::{CURRENT, enter, put, usable};
use crate::codes::{CAPTURE_UNSUPPORTED, Code, INVALID_VALUE, PEER_ALREADY_ENABLED, UNKNOWN};

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxGetCurrent(context: *mut usize) -> Code {
    enter("cuCtxGetCurrent", Value::Null, |_| {
        // SAFETY: by the contract of the module.
        unsafe { put(context, CURRENT.get()) }?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSetCurrent(context: usize) -> Code {
    enter("cuCtxSetCurrent", json!({ "context": context }), |state| {
        if context != 0 {
            state.device_of(context)?;
        }
        CURRENT.set(context);
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxSynchronize() -> Code {
    enter("cuCtxSynchronize", Value::Null, |state| {
        let device = usable(state)?;
        let mut streams = state.streams.values();
        if streams.any(|stream| stream.device == device && stream.captured.is_some()) {
            return Err(CAPTURE_UNSUPPORTED);
        }
        let is_done = state.run_until(|state| {
            let mut streams = state.streams.values();
            streams.all(|stream| stream.device != device || stream.queue.is_empty())
        });
        state.check_device(device)?;
        match is_done {
            true => Ok(json!({ "device": device })),
            false => Err(UNKNOWN),
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxEnablePeerAccess(peer: usize, flags: u32) -> Code {
    enter("cuCtxEnablePeerAccess", json!({ "peer": peer }), |state| {
        let device = usable(state)?;
        let peer = state.device_of(peer)?;
        if flags != 0 || device == peer {
            return Err(INVALID_VALUE);
        }
        match state.memory.peers.insert((device, peer)) {
            true => Ok(Value::Null),
            false => Err(PEER_ALREADY_ENABLED),
        }
    })
}
