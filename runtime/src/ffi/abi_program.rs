//! Programs in host code: `docs/program-image.md`, sections 2 and 4.

use std::{ffi::c_char, io::Write, sync::Arc};

use tfx_interpreter::Tensor;

use super::{
    abi_tensor::{TfxTensor, dtype},
    fail, guarded, slice, text,
};
use crate::{
    failure::{Failure, reason},
    format,
    image::{Channel, Direction, Image},
    program::Program,
};

/// One channel of a program.
#[repr(C)]
pub struct TfxChannel {
    /// Its number in the program.
    pub id: i32,
    /// 0: to the host, 1: to the graph.
    pub direction: i32,
    /// TensorFlow's DataType number.
    pub dtype: i32,
    /// Messages in flight; at least 1.
    pub capacity: i32,
    /// `file:line:col` of the value that crosses.
    pub location: *const c_char,
}

/// One program.
#[repr(C)]
pub struct TfxImage {
    /// Its name in the graph.
    pub name: *const c_char,
    /// The serialized GraphDef.
    pub graphdef: *const u8,
    /// Its size in bytes.
    pub graphdef_size: u64,
    /// The number of inputs.
    pub num_args: i32,
    /// The number of results.
    pub num_results: i32,
    /// The number of channels.
    pub num_channels: i32,
    /// The channels.
    pub channels: *const TfxChannel,
}

/// A program that runs. Opaque to C.
pub struct TfxProgram {
    program: Arc<Program>,
    results: usize,
}

impl Image {
    /// A copy of what an image says; the GraphDef itself is copied too, since a JIT may unload it.
    ///
    /// # Safety
    /// `image` is what the contract says.
    unsafe fn from_raw(image: &TfxImage) -> Result<Self, Failure> {
        // SAFETY: the contract promises each pointer together with its count.
        unsafe {
            let name = text(image.name).ok_or_else(|| Failure::new("an image has no name"))?;
            let count = |count: i32| usize::try_from(count).unwrap_or(0);
            let channel = |raw: &TfxChannel| {
                Ok(Channel {
                    id: raw.id,
                    direction: if raw.direction == 0 {
                        Direction::ToHost
                    } else {
                        Direction::ToGraph
                    },
                    dtype: dtype(raw.dtype)?,
                    capacity: usize::try_from(raw.capacity).unwrap_or(1).max(1),
                    location: text(raw.location),
                })
            };
            let channels = slice(image.channels, image.num_channels.into())
                .iter()
                .map(channel)
                .collect::<Result<_, Failure>>()?;
            let graph = slice(image.graphdef, image.graphdef_size as i64).to_vec();
            Ok(Image::new(
                name,
                graph,
                count(image.num_args),
                count(image.num_results),
                channels,
            ))
        }
    }
}

/// # Safety
/// `program` is NULL or lives as long as the result.
unsafe fn borrow<'a>(program: *mut TfxProgram) -> Result<&'a TfxProgram, Failure> {
    // SAFETY: as promised by the caller.
    unsafe { program.as_ref() }.ok_or_else(|| Failure::new("a program is NULL"))
}

/// # Safety
/// `program` is NULL or owned by the caller, who gives it up.
unsafe fn take(program: *mut TfxProgram) -> Result<Box<TfxProgram>, Failure> {
    if program.is_null() {
        return Err(Failure::new("a program is NULL"));
    }
    // SAFETY: `tfx_program_start` made it with `Box::into_raw`, and it is freed once.
    Ok(unsafe { Box::from_raw(program) })
}

/// Starts a program with its inputs, which stay the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_program_start(
    image: *const TfxImage,
    args: *const *mut TfxTensor,
    location: *const c_char,
) -> *mut TfxProgram {
    guarded(location, || {
        // SAFETY: the contract promises an image, and as many handles as it has inputs.
        let (image, arguments) = unsafe {
            let image = image
                .as_ref()
                .ok_or_else(|| Failure::new("an image is NULL"))?;
            let arguments = slice(args, image.num_args.into())
                .iter()
                .map(|&handle| Ok(TfxTensor::borrow(handle)?.tensor.clone()));
            (
                Image::from_raw(image)?,
                arguments.collect::<Result<Vec<Tensor>, Failure>>()?,
            )
        };
        let results = image.results;
        let program = Program::start(Arc::new(image), arguments)?;
        Ok(Box::into_raw(Box::new(TfxProgram { program, results })))
    })
}

/// The next value of a channel to the host; waits for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_program_recv(
    program: *mut TfxProgram,
    channel: i32,
    location: *const c_char,
) -> *mut TfxTensor {
    guarded(location, || {
        // SAFETY: the contract promises a running program.
        let value = unsafe { borrow(program) }?.program.receive(channel)?;
        Ok(TfxTensor::handle(value))
    })
}

/// Sends a value, which stays the caller's, to the graph; waits while the channel is full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_program_send(
    program: *mut TfxProgram,
    channel: i32,
    value: *mut TfxTensor,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the contract promises a running program and a handle.
        let (program, value) = unsafe { (borrow(program)?, TfxTensor::borrow(value)?) };
        program.program.send(channel, value.tensor.clone())
    })
}

/// Waits for the end, writes the results, and frees the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_program_finish(
    program: *mut TfxProgram,
    results: *mut *mut TfxTensor,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the contract promises a program that is freed here.
        let program = unsafe { take(program) }?;
        let values = program.program.finish()?;
        for (index, value) in values.into_iter().take(program.results).enumerate() {
            // SAFETY: the contract promises room for every result.
            unsafe { results.add(index).write(TfxTensor::handle(value)) };
        }
        Ok(())
    })
}

/// Cancels a program, and frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_program_terminate(program: *mut TfxProgram, location: *const c_char) {
    guarded(location, || {
        // SAFETY: the contract promises a program that is freed here.
        drop(unsafe { take(program) }?);
        Ok(())
    })
}

/// Prints a line; each `{}` of the format takes the next value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_print(
    format: *const u8,
    size: u64,
    values: *const *mut TfxTensor,
    count: i32,
) {
    guarded(std::ptr::null(), || {
        // SAFETY: the contract promises `size` bytes and `count` handles.
        let (format, values) = unsafe {
            let values = slice(values, count.into())
                .iter()
                .map(|&handle| Ok(TfxTensor::borrow(handle)?.tensor.clone()));
            (
                String::from_utf8_lossy(slice(format, size as i64)),
                values.collect::<Result<Vec<Tensor>, Failure>>()?,
            )
        };
        let line = format::message(&format, &values) + "\n";
        let mut output = std::io::stdout().lock();
        match output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush())
        {
            // A reader that has seen enough is no failure of the program.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::new(format!("cannot print: {}", reason(&error))))
            }
            _ => Ok(()),
        }
    })
}

/// Ends the process with exit code 1 and the message, unless the condition holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_assert(
    condition: bool,
    message: *const u8,
    size: u64,
    location: *const c_char,
) {
    if !condition {
        // SAFETY: the contract promises `size` bytes.
        let message = String::from_utf8_lossy(unsafe { slice(message, size as i64) });
        guarded(location, || {
            Err(Failure::new(format!("assertion failed: {message}")))
        })
    }
}

/// Ends the process with exit code 1 and the message, unless the condition holds: as `tfx_assert`, for what the compiler tests.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_check(
    condition: bool,
    message: *const u8,
    size: u64,
    location: *const c_char,
) {
    if !condition {
        // SAFETY: the contract of both is the same.
        unsafe { tfx_abort(message, size, location) }
    }
}

/// Ends the process with exit code 1 unless an index is inside of an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_check_index(index: i64, count: i64, location: *const c_char) {
    if !(0..count).contains(&index) {
        guarded(location, || {
            let elements = if count == 1 { "element" } else { "elements" };
            Err(Failure::new(format!(
                "index {index} is outside of an array of {count} {elements}"
            )))
        })
    }
}

/// Ends the process with exit code 1 and the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_abort(message: *const u8, size: u64, location: *const c_char) -> ! {
    // SAFETY: the contract promises `size` bytes and a text or NULL.
    let (message, location) = unsafe {
        (
            String::from_utf8_lossy(slice(message, size as i64)),
            text(location),
        )
    };
    fail(&Failure::new(message).at(location.as_deref()))
}
