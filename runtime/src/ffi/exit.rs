//! The end of the process: C's exit handlers.
//!
//! Contract of the unsafe code: an exit handler lives as long as the process, and no panic leaves
//! it.

use std::{
    ffi::{c_int, c_void},
    panic::catch_unwind,
    ptr::null_mut,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
};

use crate::failure::Failure;

unsafe extern "C" {
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), data: *mut c_void) -> c_int;
    fn fflush(file: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Ends the work of the runtime; returns whether it has ended.
pub(crate) type Hook = fn() -> bool;

static IS_EXITING: AtomicBool = AtomicBool::new(false);

/// Returns whether some thread has called `exit`.
pub(super) fn is_exiting() -> bool {
    IS_EXITING.load(SeqCst)
}

/// Registers a hook for `exit`. Handlers run in reverse order, so the hook runs before the handlers
/// of the libraries that are loaded now.
pub(crate) fn at_exit(hook: Hook) -> Result<(), Failure> {
    // SAFETY: see the contract; the data is the hook.
    if unsafe { on_exit(exiting, hook as *mut c_void) } == 0 {
        return Ok(());
    }
    Err(Failure::new("the system cannot register an exit handler"))
}

extern "C" fn exiting(status: c_int, hook: *mut c_void) {
    IS_EXITING.store(true, SeqCst);
    // SAFETY: `at_exit` passes a `Hook`.
    let hook: Hook = unsafe { std::mem::transmute(hook) };
    // The panic hook has reported a panic.
    if catch_unwind(hook).unwrap_or(false) {
        return;
    }
    // SAFETY: flushes the output of C code.
    unsafe { fflush(null_mut()) };
    exit_now(status)
}

/// Ends the process without exit handlers: they would destroy data that a kernel still uses.
pub(super) fn exit_now(status: c_int) -> ! {
    // SAFETY: no code of the process runs afterwards.
    unsafe { _exit(status) }
}
