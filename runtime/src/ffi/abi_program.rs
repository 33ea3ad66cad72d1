//! Programs in host code: `docs/program-image.md`, sections 2 and 4.

use std::{
    collections::VecDeque,
    ffi::c_char,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use tfx_interpreter::Tensor;

use super::{
    abi_image::{self, TfxImage},
    abi_tensor::TfxTensor,
    fail, guarded, output, slice, text,
};
use crate::{
    failure::{Failure, reason},
    format,
    program::Program,
};

/// A program that runs. Opaque to C.
//
// Its end takes the program out. The handle itself is freed later, when `REMEMBERED` others have ended after it: who uses it meanwhile is told
// what is wrong, at its place in the source.
pub struct TfxProgram {
    program: RwLock<Option<Arc<Program>>>,
    ended: OnceLock<Ended>,
}

/// How and where a program ended.
struct Ended {
    name: String,
    verb: &'static str,
    location: Option<String>,
}

/// How many handles of programs that have ended are kept.
const REMEMBERED: usize = 1024;

/// A handle that came from `Box::into_raw`, and is freed when it leaves the list.
struct Remembered(*mut TfxProgram);

// SAFETY: the address of a value that is itself `Send`.
unsafe impl Send for Remembered {}

static ENDED: Mutex<VecDeque<Remembered>> = Mutex::new(VecDeque::new());

impl TfxProgram {
    fn handle(program: Arc<Program>) -> *mut TfxProgram {
        Box::into_raw(Box::new(TfxProgram {
            program: RwLock::new(Some(program)),
            ended: OnceLock::new(),
        }))
    }

    /// The program of a handle.
    ///
    /// # Safety
    /// `handle` is NULL, or the handle of a program that runs or is remembered.
    unsafe fn program(handle: *const TfxProgram) -> Result<Arc<Program>, Failure> {
        // SAFETY: as promised by the caller.
        let handle = unsafe { handle.as_ref() }.ok_or_else(|| Failure::new("a program is NULL"))?;
        let program = handle
            .program
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        program.clone().ok_or_else(|| handle.has_ended())
    }

    /// Takes the program out of a handle, which does not own one any more.
    ///
    /// # Safety
    /// As for `program`.
    unsafe fn take(
        handle: *mut TfxProgram,
        verb: &'static str,
        location: *const c_char,
    ) -> Result<Arc<Program>, Failure> {
        // SAFETY: as promised by the caller; the ABI promises a text or NULL.
        let (borrowed, location) = unsafe { (handle.as_ref(), text(location)) };
        let borrowed = borrowed.ok_or_else(|| Failure::new("a program is NULL"))?;
        let mut program = borrowed
            .program
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let taken = program.take().ok_or_else(|| borrowed.has_ended())?;
        let _ = borrowed.ended.set(Ended {
            name: taken.name().to_owned(),
            verb,
            location,
        });
        drop(program);
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push_back(Remembered(handle));
        if ended.len() > REMEMBERED
            && let Some(Remembered(oldest)) = ended.pop_front()
        {
            // SAFETY: `handle` made it, and it was put into the list once, by the one call that took its program.
            drop(unsafe { Box::from_raw(oldest) });
        }
        Ok(taken)
    }

    fn has_ended(&self) -> Failure {
        match self.ended.get() {
            Some(Ended {
                name,
                verb,
                location,
            }) => Failure::new(format!("program '{name}' was {verb} before"))
                .note(location.as_deref(), format!("it was {verb} here")),
            None => Failure::new("a program is being ended by another thread"),
        }
    }
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
                abi_image::image(image)?,
                arguments.collect::<Result<Vec<Tensor>, Failure>>()?,
            )
        };
        Ok(TfxProgram::handle(Program::start(image, arguments)?))
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
        let value = unsafe { TfxProgram::program(program) }?.receive(channel)?;
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
        let (program, value) =
            unsafe { (TfxProgram::program(program)?, TfxTensor::borrow(value)?) };
        program.send(channel, value.tensor.clone())
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
        let program = unsafe { TfxProgram::take(program, "finished", location) }?;
        let values = program.finish()?;
        for (index, value) in values.into_iter().take(program.results()).enumerate() {
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
        unsafe { TfxProgram::take(program, "terminated", location) }?.terminate()
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
        output::write(&line)
            .map_err(|error| Failure::new(format!("cannot print: {}", reason(&error))))
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
