//! Text and bytes that functions return.

use std::ffi::c_char;
use std::ptr::null;

use super::guard::{destroy, read};

/// Text or bytes. A zero follows the last byte, so text is also a string of C.
pub struct TfxBuffer {
    bytes: Vec<u8>,
}

impl TfxBuffer {
    pub(super) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let mut bytes = bytes.into();
        bytes.push(0);
        Self { bytes }
    }
}

/// Returns the bytes, which live as long as the buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxBufferGetData(buffer: *const TfxBuffer) -> *const c_char {
    // SAFETY: by the contract of the module.
    unsafe { read(buffer, null(), |buffer| Some(buffer.bytes.as_ptr().cast())) }
}

/// Returns the number of bytes, without the zero that follows them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxBufferGetSize(buffer: *const TfxBuffer) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(buffer, 0, |buffer| Some(buffer.bytes.len() - 1)) }
}

/// Destroys a buffer. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxBufferDestroy(buffer: *mut TfxBuffer) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(buffer) }
}
