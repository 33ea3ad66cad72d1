//! Everything unsafe: the C ABI that host code calls, and the shim of TensorFlow.
//!
//! ```text
//! abi_tensor   TfxTensor: handles, scalars, elements           contract: docs/program-image.md, sections 2 to 7,
//! dlpack       ... exchanged with other libraries                        and include/tfx_runtime.h
//! abi_box      TfxBox: objects, closures, arrays
//! abi_image    TfxImage, kept from start to start
//! abi_program  TfxProgram: start, send, recv, ...
//! abi_queue    TfxQueue: results that a thread computes ahead
//! abi_operation  TfxOperation: one operation by itself
//! abi_entry    TfxEntry, tfx_main
//! output       standard output, shared with foreign functions
//! tensorflow   sessions and tensors of TensorFlow (`tfx-tensorflow` has the unsafe part)
//! channels     ... and the channels that the shim adds
//! ```
//!
//! No panic leaves a function of the ABI, and no failure: what host code cannot handle ends the process (`fail`).

// Generated documentation of C functions is the header's; each says what its pointers must be by their types.
#![allow(clippy::missing_safety_doc)]

pub mod abi_box;
pub mod abi_entry;
pub mod abi_image;
pub mod abi_operation;
pub mod abi_program;
pub mod abi_queue;
pub mod abi_tensor;
pub mod channels;
pub mod dlpack;
pub mod output;
pub mod tensorflow;

use self as handler;

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    failure::{Failure, panic_text},
    program, queue,
};

/// What an embedding process wants to do about a failure. It gets the message; where it returns, the process ends.
pub type TfxFailureHandler = Option<extern "C" fn(message: *const c_char, data: *mut c_void)>;

/// The handler and its data.
struct Handler(TfxFailureHandler, *mut c_void);

// SAFETY: the data belongs to the embedding process, which promises by installing the handler that any thread may call it.
unsafe impl Send for Handler {}

static HANDLER: Mutex<Handler> = Mutex::new(Handler(None, std::ptr::null_mut()));

/// Installs what happens on a failure, instead of a message on standard error and exit code 1. `NULL` takes it away.
///
/// By the time it is called all running programs are cancelled. It must not return; where it does, the process ends.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_set_failure_handler(handler: TfxFailureHandler, data: *mut c_void) {
    *HANDLER.lock().unwrap_or_else(PoisonError::into_inner) = Handler(handler, data);
}

/// Tells the failure, cancels every running program, and ends the process with exit code 1. The thread of a queue
/// hands it to whom takes the result that there is none of.
fn fail(failure: &Failure) -> ! {
    if queue::deliver(failure) {
        loop {
            std::thread::park();
        }
    }
    // Another thread ends the process, which is why this one was woken; `exit` must not be called twice.
    while IS_EXITING.load(Ordering::SeqCst) {
        std::thread::park();
    }
    // What the program printed before comes first.
    let _ = output::flush();
    let (handler, data) = {
        let installed = HANDLER.lock().unwrap_or_else(PoisonError::into_inner);
        (installed.0, installed.1)
    };
    let have_ended = match handler {
        Some(handler) => {
            let have_ended = program::cancel_all();
            let message = CString::new(failure.to_string().replace('\0', " ")).unwrap_or_default();
            handler(message.as_ptr(), data);
            have_ended
        }
        None => {
            eprintln!("{failure}");
            program::cancel_all()
        }
    };
    if have_ended {
        std::process::exit(1)
    }
    // A graph is in a long kernel. `exit` would take apart what the kernel uses.
    // SAFETY: ends the process, and runs nothing of it any more.
    unsafe { _exit(1) }
}

unsafe extern "C" {
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
    fn fflush(file: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Whether somebody has called `exit`.
static IS_EXITING: AtomicBool = AtomicBool::new(false);

/// Has host code's call of `exit` cancel what runs, before what was loaded until now is taken apart: what is asked for last is done first.
pub(crate) fn cancel_at_exit() -> Result<(), Failure> {
    // SAFETY: the function lives as long as the process, and no panic leaves it.
    if unsafe { on_exit(exiting, std::ptr::null_mut()) } == 0 {
        return Ok(());
    }
    Err(Failure::new(
        "the system has no room for what is to be done at the end of the process",
    ))
}

extern "C" fn exiting(status: c_int, _: *mut c_void) {
    IS_EXITING.store(true, Ordering::SeqCst);
    // That a panic was told is all that can be done about it here.
    if catch_unwind(program::cancel_if_running).unwrap_or(false) {
        return;
    }
    // SAFETY: as in `fail`; what C code has printed is written first.
    unsafe {
        fflush(std::ptr::null_mut());
        _exit(status)
    }
}

/// Runs the body of a function of the ABI; a failure or a panic ends the process.
fn guarded<R>(location: *const c_char, body: impl FnOnce() -> Result<R, Failure>) -> R {
    let outcome = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|payload| Err(Failure::new(panic_text(&*payload))));
    outcome.unwrap_or_else(|failure| {
        // SAFETY: the ABI promises a text that ends with a zero, or NULL.
        let location = unsafe { text(location) };
        let elsewhere = failure.location.is_some() && failure.location != location;
        let failure = failure.at(location.as_deref());
        fail(&match location {
            Some(location) if elsewhere => {
                failure.note(Some(&location), "the host met the graph here")
            }
            _ => failure,
        })
    })
}

/// The text behind a pointer; `None` for NULL.
///
/// # Safety
/// `pointer` is NULL or points to a text that ends with a zero.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as promised by the caller.
    Some(
        unsafe { CStr::from_ptr(pointer) }
            .to_string_lossy()
            .into_owned(),
    )
}

/// The elements behind a pointer; none for NULL or a count of 0 or less.
///
/// # Safety
/// `pointer` is NULL or points to `count` elements that live as long as the result.
unsafe fn slice<'a, T>(pointer: *const T, count: i64) -> &'a [T] {
    let count = usize::try_from(count).unwrap_or(0);
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}

/// The functions of the ABI by name, for a JIT that must be told their addresses.
pub fn symbols() -> Vec<(&'static str, *const ())> {
    macro_rules! addresses {
        ($($module:ident::{$($name:ident),* $(,)?}),* $(,)?) => {
            vec![$($((stringify!($name), $module::$name as *const ()),)*)*]
        };
    }
    addresses! {
        abi_tensor::{
            tfx_tensor_retain, tfx_tensor_release, tfx_tensor_from_bytes, tfx_tensor_from_strings, tfx_tensor_string, tfx_tensor_new, tfx_tensor_dtype,
            tfx_tensor_rank, tfx_tensor_dim, tfx_tensor_num_elements, tfx_tensor_data, tfx_tensor_text, tfx_tensor_text_size,
            tfx_scalar_i1, tfx_scalar_i8, tfx_scalar_i16, tfx_scalar_i32, tfx_scalar_i64, tfx_scalar_f32, tfx_scalar_f64,
            tfx_item_i1, tfx_item_i8, tfx_item_i16, tfx_item_i32, tfx_item_i64, tfx_item_f32, tfx_item_f64,
        },
        abi_box::{tfx_box_new, tfx_box_retain, tfx_box_release, tfx_closure_code, tfx_boxes_alive, tfx_tensors_alive},
        dlpack::{tfx_tensor_to_dlpack, tfx_tensor_from_dlpack},
        abi_program::{
            tfx_program_start, tfx_program_recv, tfx_program_send, tfx_program_finish, tfx_program_terminate,
            tfx_print, tfx_assert, tfx_check, tfx_check_index, tfx_abort,
        },
        abi_queue::{tfx_queue_open, tfx_queue_next, tfx_queue_close},
        abi_operation::{tfx_operation_run},
        abi_entry::{tfx_main},
        handler::{tfx_set_failure_handler},
    }
}
