//! The border between C and Rust: failures and panics on one side, pointers on the other.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

use super::{exit, output, stack};
use crate::{
    activation,
    failure::{Failure, STACK_IS_FULL},
    queue, shutdown,
};

/// A function that an embedding process installs for failures. It receives the message. If it
/// returns, the process ends.
pub type TfxFailureHandler = Option<extern "C" fn(message: *const c_char, data: *mut c_void)>;

/// The handler and its data.
struct Handler(TfxFailureHandler, *mut c_void);

// SAFETY: the embedding process owns the data, and permits all threads to call the handler by
// installing it.
unsafe impl Send for Handler {}

static HANDLER: Mutex<Handler> = Mutex::new(Handler(None, std::ptr::null_mut()));

/// Installs a function that is called on a failure, instead of a message on standard error and exit
/// code 1. `NULL` removes it.
///
/// All running programs are cancelled before the call. The function must not return; if it does,
/// the process ends.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_set_failure_handler(handler: TfxFailureHandler, data: *mut c_void) {
    *HANDLER.lock().unwrap_or_else(PoisonError::into_inner) = Handler(handler, data);
}

/// Unwinds to the activation of this thread. If there is none, reports the failure, cancels all
/// running programs, and ends the process with exit code 1. On the thread of a queue, the failure
/// becomes that of the result instead.
pub(super) fn fail(failure: &Failure) -> ! {
    activation::unwind(failure);
    if queue::deliver(failure) {
        loop {
            std::thread::park();
        }
    }
    // Another thread ends the process and has woken this one; `exit` must not be called twice.
    while exit::is_exiting() {
        std::thread::park();
    }
    // The output of the program precedes the failure.
    let _ = output::flush();
    let (handler, data) = {
        let installed = HANDLER.lock().unwrap_or_else(PoisonError::into_inner);
        (installed.0, installed.1)
    };
    let have_ended = match handler {
        Some(handler) => {
            let have_ended = shutdown::cancel_all();
            let message = CString::new(failure.to_string().replace('\0', " ")).unwrap_or_default();
            handler(message.as_ptr(), data);
            have_ended
        }
        None => {
            eprintln!("{failure}");
            shutdown::cancel_all()
        }
    };
    if have_ended {
        std::process::exit(1)
    }
    exit::exit_now(1)
}

/// Fails if the call that this thread works for is cancelled. Loops of host code call it, at a
/// location, in code for calls within a process.
pub(super) extern "C-unwind" fn tfx_poll(location: *const c_char) {
    if activation::is_any_stopped() {
        guarded(location, || Ok(()));
    }
}

/// Fails as `tfx_poll` does, and if the stack of this thread is nearly full. A function that can
/// call itself starts with it, at a location, in code for calls within a process.
pub(super) extern "C-unwind" fn tfx_enter(location: *const c_char) {
    let is_full = stack::is_nearly_full();
    if is_full || activation::is_any_stopped() {
        guarded(location, || match is_full {
            true => Err(Failure::new(STACK_IS_FULL)),
            false => Ok(()),
        });
    }
}

/// Runs the body of a function of the ABI. A failure or a panic ends the process, or unwinds to the
/// activation.
pub(super) fn guarded<R>(location: *const c_char, body: impl FnOnce() -> Result<R, Failure>) -> R {
    let outcome = activation::check().and_then(|()| {
        catch_unwind(AssertUnwindSafe(body))
            .unwrap_or_else(|payload| Err(activation::caught(payload)))
    });
    outcome.unwrap_or_else(|failure| {
        // SAFETY: the ABI promises a string or NULL.
        let location = unsafe { text(location) };
        let elsewhere = failure.location.is_some() && failure.location != location;
        let failure = failure.at(location.as_deref());
        fail(&match location {
            Some(location) if elsewhere => {
                failure.note(Some(&location), "the host communicates with the graph here")
            }
            _ => failure,
        })
    })
}

/// Returns the string at a pointer; `None` for NULL.
///
/// # Safety
/// `pointer` is NULL or points to a string that ends with a zero.
pub(super) unsafe fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as promised by the caller.
    let text = unsafe { CStr::from_ptr(pointer) };
    Some(text.to_string_lossy().into_owned())
}

/// Returns the elements at a pointer; none for NULL or a count of 0 or less.
///
/// # Safety
/// `pointer` is NULL or points to `count` elements that live as long as the result.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, count: i64) -> &'a [T] {
    let count = usize::try_from(count).unwrap_or(0);
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts(pointer, count) }
}
