//! Programs in host code: `docs/program-image.md`, sections 2 and 4.
//!
//! The end of a program removes the program from its handle. The handle itself is freed when
//! `MOST_ENDED` others have ended after it. Until then, a use of it is reported with the location
//! at which the program ended.

use std::{
    collections::VecDeque,
    ffi::c_char,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};

use super::{
    abi_image::{self, TfxImage},
    abi_tensor::{TfxTensor, tensors, write_results},
    guard::{fail, guarded, slice, text},
    output,
};
use crate::{
    activation,
    executor::Launch,
    failure::Failure,
    format,
    program::{self, Program},
};

/// A running program. Opaque to C.
pub struct TfxProgram {
    program: RwLock<Option<Arc<Program>>>,
    ended: OnceLock<Ended>,
}

/// The end of a program, for messages.
struct Ended {
    name: String,
    verb: &'static str,
    location: Option<String>,
}

/// The number of handles of ended programs that are not yet freed.
const MOST_ENDED: usize = 1024;

/// A handle from `Box::into_raw`, which is freed when it leaves the list.
struct EndedHandle(*mut TfxProgram);

// SAFETY: the address of a value that is itself `Send`.
unsafe impl Send for EndedHandle {}

static ENDED: Mutex<VecDeque<EndedHandle>> = Mutex::new(VecDeque::new());

impl TfxProgram {
    fn handle(program: Arc<Program>) -> *mut TfxProgram {
        let handle = Box::into_raw(Box::new(TfxProgram {
            program: RwLock::new(Some(program)),
            ended: OnceLock::new(),
        }));
        if let Some(activation) = activation::current() {
            activation.open(handle.addr(), OpenProgram(handle));
        }
        handle
    }

    /// Returns the program of a handle.
    ///
    /// # Safety
    /// `handle` is NULL, or a handle that is not freed.
    unsafe fn program(handle: *const TfxProgram) -> Result<Arc<Program>, Failure> {
        // SAFETY: as promised by the caller.
        let handle = unsafe { handle.as_ref() }.ok_or_else(|| Failure::new("a program is NULL"))?;
        let program = handle
            .program
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        program.clone().ok_or_else(|| handle.has_ended())
    }

    /// Takes the program from a handle.
    ///
    /// # Safety
    /// As for `program`.
    unsafe fn take(
        handle: *mut TfxProgram,
        verb: &'static str,
        location: *const c_char,
    ) -> Result<Arc<Program>, Failure> {
        // SAFETY: as promised by the caller; the ABI promises a string or NULL.
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
        if let Some(activation) = activation::current() {
            activation.close(handle.addr());
        }
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.push_back(EndedHandle(handle));
        if ended.len() > MOST_ENDED
            && let Some(EndedHandle(oldest)) = ended.pop_front()
        {
            // SAFETY: `handle` created it, and the one call that took its program added it to the
            // list.
            drop(unsafe { Box::from_raw(oldest) });
        }
        Ok(taken)
    }

    fn is_open(&self) -> bool {
        let program = self.program.read().unwrap_or_else(PoisonError::into_inner);
        program.is_some()
    }

    fn has_ended(&self) -> Failure {
        match self.ended.get() {
            Some(Ended {
                name,
                verb,
                location,
            }) => Failure::new(format!("program '{name}' was {verb} before"))
                .note(location.as_deref(), format!("it was {verb} here")),
            None => Failure::new("another thread is ending this program"),
        }
    }
}

/// A running program of an activation. Dropping it cancels the program, unless compiled code has
/// ended it.
struct OpenProgram(*mut TfxProgram);

// SAFETY: the address of a value that is itself `Send`.
unsafe impl Send for OpenProgram {}

impl Drop for OpenProgram {
    fn drop(&mut self) {
        // SAFETY: a handle is freed only after its program was taken, which drops this value.
        unsafe {
            if (*self.0).is_open() {
                drop(TfxProgram::take(self.0, "cancelled", std::ptr::null()));
            }
        }
    }
}

/// Starts a program with its inputs, which are borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_program_start(
    image: *const TfxImage,
    args: *const *mut TfxTensor,
    location: *const c_char,
) -> *mut TfxProgram {
    // SAFETY: the same contract.
    unsafe { start(image, args, location, Launch::Concurrent) }
}

/// The same for a program that the host finishes next: without channels, it may run in
/// `tfx_program_finish`, on the thread of the host.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_program_start_deferred(
    image: *const TfxImage,
    args: *const *mut TfxTensor,
    location: *const c_char,
) -> *mut TfxProgram {
    // SAFETY: the same contract.
    unsafe { start(image, args, location, Launch::Deferred) }
}

unsafe fn start(
    image: *const TfxImage,
    args: *const *mut TfxTensor,
    location: *const c_char,
    launch: Launch,
) -> *mut TfxProgram {
    guarded(location, || {
        // SAFETY: the contract promises an image, and a handle for each input.
        let (image, arguments) = unsafe {
            let image = image
                .as_ref()
                .ok_or_else(|| Failure::new("an image is NULL"))?;
            (abi_image::image(image)?, tensors(args, image.num_args)?)
        };
        let program = Program::launch(program::executor()?, image, arguments, launch)?;
        Ok(TfxProgram::handle(program))
    })
}

/// Waits for the next value of a channel to the host, and returns it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_program_recv(
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

/// Sends a value, which is borrowed, to the graph; waits while the channel is full.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_program_send(
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

/// Waits for the end of a program, writes the results, and frees the program.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_program_finish(
    program: *mut TfxProgram,
    results: *mut *mut TfxTensor,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the contract promises a program that is freed here.
        let program = unsafe { TfxProgram::take(program, "finished", location) }?;
        let values = program.finish()?;
        // SAFETY: the contract promises a place for each result.
        unsafe { write_results(values.into_iter().take(program.results()), results) };
        Ok(())
    })
}

/// Cancels a program, and frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_program_terminate(
    program: *mut TfxProgram,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the contract promises a program that is freed here.
        unsafe { TfxProgram::take(program, "terminated", location) }?.terminate()
    })
}

/// Prints a line; each `{}` of the format takes the next value.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_print(
    format: *const u8,
    size: u64,
    values: *const *mut TfxTensor,
    count: i32,
) {
    guarded(std::ptr::null(), || {
        // SAFETY: the contract promises `size` bytes and `count` handles.
        let line = unsafe { formatted(format, size, values, count) }? + "\n";
        output::write(&line)
            .map_err(|error| Failure::new(format!("cannot print: {}", output::reason(&error))))
    })
}

/// Ends the process with exit code 1 and the message, unless the condition holds.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_assert(
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

/// `tfx_assert` with a message in which each `{}` is replaced by the next value.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_assert_values(
    condition: bool,
    format: *const u8,
    size: u64,
    values: *const *mut TfxTensor,
    count: i32,
    location: *const c_char,
) {
    if !condition {
        guarded(location, || {
            // SAFETY: the contract promises `size` bytes and `count` handles.
            let message = unsafe { formatted(format, size, values, count) }?;
            Err(Failure::new(format!("assertion failed: {message}")))
        })
    }
}

/// Ends the process with exit code 1 and the message, unless the condition holds: `tfx_assert` for
/// checks that the compiler inserts.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_check(
    condition: bool,
    message: *const u8,
    size: u64,
    location: *const c_char,
) {
    if !condition {
        // SAFETY: both functions have the same contract.
        unsafe { tfx_abort(message, size, location) }
    }
}

/// Ends the process with exit code 1, unless an index is within an array.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_check_index(index: i64, count: i64, location: *const c_char) {
    if !(0..count).contains(&index) {
        guarded(location, || {
            let elements = if count == 1 { "element" } else { "elements" };
            Err(Failure::new(format!(
                "index {index} is outside of an array of {count} {elements}"
            )))
        })
    }
}

/// Returns a format with its values.
///
/// # Safety
/// There are `size` bytes and `count` handles.
unsafe fn formatted(
    format: *const u8,
    size: u64,
    values: *const *mut TfxTensor,
    count: i32,
) -> Result<String, Failure> {
    // SAFETY: as promised by the caller.
    let (format, values) = unsafe {
        (
            String::from_utf8_lossy(slice(format, size as i64)),
            tensors(values, count)?,
        )
    };
    Ok(format::message(&format, &values))
}

/// `tfx_abort` with a message in which each `{}` is replaced by the next value.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_abort_values(
    format: *const u8,
    size: u64,
    values: *const *mut TfxTensor,
    count: i32,
    location: *const c_char,
) {
    guarded(location, || {
        // SAFETY: the contract promises `size` bytes and `count` handles.
        let message = unsafe { formatted(format, size, values, count) }?;
        Err(Failure::new(message))
    })
}

/// Ends the process with exit code 1 and the message.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_abort(
    message: *const u8,
    size: u64,
    location: *const c_char,
) -> ! {
    // SAFETY: the contract promises `size` bytes, and a string or NULL.
    let (message, location) = unsafe {
        (
            String::from_utf8_lossy(slice(message, size as i64)),
            text(location),
        )
    };
    fail(&Failure::new(message).at(location.as_deref()))
}
