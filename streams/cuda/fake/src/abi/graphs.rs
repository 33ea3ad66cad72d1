//! Capture and graphs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{device_of_stream, enter, put, usable};
use crate::codes::{CAPTURE_UNSUPPORTED, Code, INVALID_HANDLE};
use crate::queue::Item;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamBeginCapture_v2(stream: usize, mode: u32) -> Code {
    let line = json!({ "stream": stream, "mode": mode });
    enter("cuStreamBeginCapture", line, |state| {
        device_of_stream(state, stream)?;
        state.begin_capture(stream)?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamEndCapture(stream: usize, graph: *mut usize) -> Code {
    enter("cuStreamEndCapture", json!({ "stream": stream }), |state| {
        let captured = state.end_capture(stream)?;
        let handle = state.handle();
        // SAFETY: by the contract of the module.
        unsafe { put(graph, handle) }?;
        state.graphs.insert(handle, captured);
        Ok(json!({ "graph": handle }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphInstantiateWithFlags(
    executable: *mut usize,
    graph: usize,
    flags: u64,
) -> Code {
    let line = json!({ "graph": graph, "flags": flags });
    enter("cuGraphInstantiateWithFlags", line, |state| {
        usable(state)?;
        let captured = state.graphs.get(&graph).cloned().ok_or(INVALID_HANDLE)?;
        let handle = state.handle();
        // SAFETY: by the contract of the module.
        unsafe { put(executable, handle) }?;
        state.executables.insert(handle, Arc::new(captured));
        Ok(json!({ "executable": handle }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphLaunch(executable: usize, stream: usize) -> Code {
    let line = json!({ "executable": executable, "stream": stream });
    enter("cuGraphLaunch", line, |state| {
        device_of_stream(state, stream)?;
        if state.stream(stream)?.captured.is_some() {
            return Err(CAPTURE_UNSUPPORTED);
        }
        let graph = state
            .executables
            .get(&executable)
            .cloned()
            .ok_or(INVALID_HANDLE)?;
        let done = vec![false; graph.nodes.len()];
        state.push(stream, Item::Graph { graph, done })?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphExecDestroy(executable: usize) -> Code {
    let line = json!({ "executable": executable });
    enter("cuGraphExecDestroy", line, |state| {
        state
            .executables
            .remove(&executable)
            .ok_or(INVALID_HANDLE)?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphDestroy(graph: usize) -> Code {
    enter("cuGraphDestroy", json!({ "graph": graph }), |state| {
        state.graphs.remove(&graph).ok_or(INVALID_HANDLE)?;
        Ok(Value::Null)
    })
}
