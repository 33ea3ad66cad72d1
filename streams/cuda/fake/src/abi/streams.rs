//! Streams and events.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{device_of_stream, enter, put, usable};
use crate::codes::{CAPTURE_UNSUPPORTED, CAPTURED_EVENT, Code, INVALID_HANDLE, NOT_READY, UNKNOWN};
use crate::queue::Item;
use crate::state::{Event, State, Stream};

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;
/// A query runs less than so many commands.
const QUERY_STEPS: usize = 4;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamCreate(stream: *mut usize, flags: u32) -> Code {
    enter("cuStreamCreate", json!({ "flags": flags }), |state| {
        let device = usable(state)?;
        let handle = state.handle();
        // SAFETY: by the contract of the module.
        unsafe { put(stream, handle) }?;
        let created = Stream {
            device,
            queue: VecDeque::new(),
            captured: None,
            is_destroyed: false,
        };
        state.streams.insert(handle, created);
        Ok(json!({ "stream": handle, "device": device }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamDestroy_v2(stream: usize) -> Code {
    enter("cuStreamDestroy", json!({ "stream": stream }), |state| {
        let device = state.stream(stream)?.device;
        state.captures.remove(&stream);
        state.stream(stream)?.is_destroyed = true;
        state.check_device(device)?;
        Ok(Value::Null)
    })
}

/// Returns the device of a stream that does not capture.
fn running(state: &mut State, stream: usize) -> Result<usize, Code> {
    let device = device_of_stream(state, stream)?;
    match state.stream(stream)?.captured {
        Some(_) => Err(CAPTURE_UNSUPPORTED),
        None => Ok(device),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamSynchronize(stream: usize) -> Code {
    enter(
        "cuStreamSynchronize",
        json!({ "stream": stream }),
        |state| {
            let device = running(state, stream)?;
            let is_done = state.run_until(|state| is_idle(state, stream));
            state.check_device(device)?;
            match is_done {
                true => Ok(Value::Null),
                false => Err(UNKNOWN),
            }
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamQuery(stream: usize) -> Code {
    enter("cuStreamQuery", json!({ "stream": stream }), |state| {
        let device = running(state, stream)?;
        state.run_some(QUERY_STEPS);
        state.check_device(device)?;
        match is_idle(state, stream) {
            true => Ok(Value::Null),
            false => Err(NOT_READY),
        }
    })
}

fn is_idle(state: &State, stream: usize) -> bool {
    let stream = state.streams.get(&stream);
    stream.is_none_or(|stream| stream.queue.is_empty())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuStreamWaitEvent(stream: usize, event: usize, flags: u32) -> Code {
    let line = json!({ "stream": stream, "event": event, "flags": flags });
    enter("cuStreamWaitEvent", line, |state| {
        device_of_stream(state, stream)?;
        if !state.capture_wait(stream, event)? {
            let number = state.event(event)?.recorded;
            state.push(stream, Item::Wait(event, number))?;
        }
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(event: *mut usize, flags: u32) -> Code {
    enter("cuEventCreate", json!({ "flags": flags }), |state| {
        let device = usable(state)?;
        let handle = state.handle();
        // SAFETY: by the contract of the module.
        unsafe { put(event, handle) }?;
        let created = Event {
            device,
            has_time: flags & DISABLE_TIMING == 0,
            ..Event::default()
        };
        state.events.insert(handle, created);
        Ok(json!({ "event": handle }))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventDestroy_v2(event: usize) -> Code {
    enter("cuEventDestroy", json!({ "event": event }), |state| {
        let found = state.event(event)?;
        found.is_destroyed = true;
        let device = found.device;
        state.check_device(device)?;
        Ok(Value::Null)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventRecord(event: usize, stream: usize) -> Code {
    let line = json!({ "event": event, "stream": stream });
    enter("cuEventRecord", line, |state| {
        let device = device_of_stream(state, stream)?;
        let captured = state.stream(stream)?.captured.clone();
        let found = state.event(event)?;
        if found.device != device {
            return Err(INVALID_HANDLE);
        }
        found.captured = captured;
        if found.captured.is_none() {
            found.recorded += 1;
            let number = found.recorded;
            state.push(stream, Item::Record(event, number))?;
        }
        Ok(Value::Null)
    })
}

/// Returns the device and the last record of an event that is not captured.
fn recorded(state: &mut State, event: usize) -> Result<(usize, u64), Code> {
    let found = state.event(event)?;
    let (device, number) = (found.device, found.recorded);
    if found.captured.is_some() {
        return Err(CAPTURED_EVENT);
    }
    state.check_device(device)?;
    Ok((device, number))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventSynchronize(event: usize) -> Code {
    enter("cuEventSynchronize", json!({ "event": event }), |state| {
        let (device, number) = recorded(state, event)?;
        let is_done = state.run_until(|state| state.is_complete(event, number));
        state.check_device(device)?;
        match is_done {
            true => Ok(Value::Null),
            false => Err(UNKNOWN),
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventQuery(event: usize) -> Code {
    enter("cuEventQuery", json!({ "event": event }), |state| {
        let (device, number) = recorded(state, event)?;
        state.run_some(QUERY_STEPS);
        state.check_device(device)?;
        match state.is_complete(event, number) {
            true => Ok(Value::Null),
            false => Err(NOT_READY),
        }
    })
}

/// Returns the device of an event with a time, and the step of its last record.
fn time(state: &mut State, event: usize) -> Result<(usize, u64), Code> {
    let (device, number) = recorded(state, event)?;
    let event = state.event(event)?;
    if !event.has_time || number == 0 {
        return Err(INVALID_HANDLE);
    }
    let step = event.complete.get(&number).ok_or(NOT_READY)?;
    Ok((device, *step))
}

/// A command takes a microsecond, and all devices have one clock.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime(milliseconds: *mut f32, start: usize, end: usize) -> Code {
    let line = json!({ "start": start, "end": end });
    enter("cuEventElapsedTime", line, |state| {
        let (first, second) = (time(state, start)?, time(state, end)?);
        if first.0 != second.0 {
            return Err(INVALID_HANDLE);
        }
        let steps = second.1 as f32 - first.1 as f32;
        // SAFETY: by the contract of the module.
        unsafe { put(milliseconds, steps / 1e3) }?;
        Ok(Value::Null)
    })
}
