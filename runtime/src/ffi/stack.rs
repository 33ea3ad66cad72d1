//! The stack of a thread: how much of it is left.
//!
//! ```text
//!   low            low + MARGIN                              high
//!    │ the margin       │ free          │ frames of the thread │
//!                                       └─ here: a local variable
//! ```
//!
//! The system tells the bounds once for each thread. Code on another stack, such as that of a
//! coroutine, is not checked.

use std::{
    cell::Cell,
    ffi::{c_int, c_void},
    mem::MaybeUninit,
};

/// The part of a stack that is left for what a function calls besides itself: the runtime, foreign
/// functions, and the unwinder. The latter two take some tens of kilobytes.
const MARGIN: usize = 256 << 10;

/// `pthread_attr_t`: 56 bytes on the 64-bit targets of glibc, 64 on some.
#[repr(C, align(8))]
struct Attributes([u8; 64]);

// SAFETY: the declarations are those of POSIX and glibc.
unsafe extern "C" {
    fn pthread_self() -> usize;
    fn pthread_getattr_np(thread: usize, attributes: *mut Attributes) -> c_int;
    fn pthread_attr_getstack(
        attributes: *const Attributes,
        low: *mut *mut c_void,
        size: *mut usize,
    ) -> c_int;
    fn pthread_attr_destroy(attributes: *mut Attributes) -> c_int;
}

thread_local! {
    /// The first and the last address, once they are known; equal if the system does not tell.
    static BOUNDS: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Returns whether less than the margin is left of the stack.
pub(super) fn is_nearly_full() -> bool {
    let local = 0u8;
    let here = std::ptr::from_ref(&local) as usize;
    let (low, high) = BOUNDS.get().unwrap_or_else(|| {
        let bounds = bounds().unwrap_or_default();
        BOUNDS.set(Some(bounds));
        bounds
    });
    (low..high).contains(&here) && here - low < MARGIN.min((high - low) / 2)
}

/// Asks the system for the bounds of the stack of this thread.
fn bounds() -> Option<(usize, usize)> {
    let mut attributes = MaybeUninit::<Attributes>::uninit();
    let (mut low, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are read only after the first call has initialized them, and are
    // destroyed once.
    unsafe {
        if pthread_getattr_np(pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let result = pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut size);
        pthread_attr_destroy(attributes.as_mut_ptr());
        (result == 0).then_some((low as usize, low as usize + size))
    }
}
