//! The border between C and Rust: failures and panics on one side, pointers on the other.

use std::any::Any;
use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};
use std::slice;
use std::sync::Arc;

use tfx::{Error, ErrorKind, Source};

use super::error::TfxError;

/// A failure of a function, and the source that its source locations refer to.
pub(super) struct Failed {
    pub(super) error: Error,
    pub(super) source: Option<Arc<Source>>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self {
            error,
            source: None,
        }
    }
}

impl Failed {
    /// Returns a conversion for errors about a source.
    pub(super) fn of(source: &Arc<Source>) -> impl Fn(Error) -> Self {
        |error| Self {
            error,
            source: Some(Arc::clone(source)),
        }
    }
}

/// Returns the error for an argument of the caller that is not valid.
pub(super) fn argument(message: impl Into<String>) -> Failed {
    Error::new(ErrorKind::Argument, message).into()
}

/// Runs the body of a function that can fail. A failure or a panic becomes the result.
pub(super) fn guarded(body: impl FnOnce() -> Result<(), Failed>) -> *mut TfxError {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let message = format!("internal error: {}", panic_message(&*payload));
        Err(Error::new(ErrorKind::Internal, message).into())
    });
    match outcome {
        Ok(()) => null_mut(),
        Err(failed) => handle(TfxError::new(failed)),
    }
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message")
}

/// Returns text as a string of C. A zero inside of it, at which the string would end, becomes a
/// space.
pub(super) fn c_string(text: impl Into<String>) -> CString {
    let text = text.into().replace('\0', " ");
    CString::new(text).unwrap_or_default()
}

/// Returns a new handle.
pub(super) fn handle<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Destroys a handle. A panic of a destructor ends here.
///
/// # Safety
/// `handle` is NULL or comes from [`handle`] and is not used again.
pub(super) unsafe fn destroy<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: as promised by the caller.
        let owned = unsafe { Box::from_raw(handle) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
    }
}

/// Reads from a handle; NULL and a panic give the default.
///
/// # Safety
/// `handle` is NULL or live.
pub(super) unsafe fn read<'a, T: 'a, R>(
    handle: *const T,
    default: R,
    read: impl FnOnce(&'a T) -> Option<R>,
) -> R {
    // SAFETY: as promised by the caller.
    let value = unsafe { handle.as_ref() };
    let result = catch_unwind(AssertUnwindSafe(|| value.and_then(read)));
    result.ok().flatten().unwrap_or(default)
}

/// Returns a string that the owner of a handle keeps, or NULL.
pub(super) fn pointer(text: Option<&CStr>) -> *const c_char {
    text.map_or(null(), CStr::as_ptr)
}

/// Returns the value of a handle that must not be NULL.
///
/// # Safety
/// `handle` is NULL or live.
pub(super) unsafe fn required<'a, T>(handle: *const T, name: &str) -> Result<&'a T, Failed> {
    // SAFETY: as promised by the caller.
    unsafe { handle.as_ref() }.ok_or_else(|| is_null(name))
}

/// Returns the value of a handle that must not be NULL, to change it.
///
/// # Safety
/// `handle` is NULL or live, and no other function uses it.
pub(super) unsafe fn required_mut<'a, T>(handle: *mut T, name: &str) -> Result<&'a mut T, Failed> {
    // SAFETY: as promised by the caller.
    unsafe { handle.as_mut() }.ok_or_else(|| is_null(name))
}

fn is_null(name: &str) -> Failed {
    argument(format!("the argument '{name}' is NULL"))
}

/// Returns a string that must not be NULL.
///
/// # Safety
/// `text` is NULL or ends with a zero, and outlives the result.
pub(super) unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str, Failed> {
    // SAFETY: as promised by the caller.
    unsafe { optional_text(text, name) }?.ok_or_else(|| is_null(name))
}

/// Returns a string, or `None` for NULL.
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn optional_text<'a>(
    text: *const c_char,
    name: &str,
) -> Result<Option<&'a str>, Failed> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as promised by the caller.
    let text = unsafe { CStr::from_ptr(text) };
    let is_not_utf8 = |_| argument(format!("the argument '{name}' is not UTF-8 text"));
    text.to_str().map(Some).map_err(is_not_utf8)
}

/// Returns a string for a message; NULL is empty.
///
/// # Safety
/// As for [`text`].
pub(super) unsafe fn lossy_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as promised by the caller.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Returns the elements of an array, which may be NULL if it has none.
///
/// # Safety
/// `array` is NULL or has `count` elements, and outlives the result.
pub(super) unsafe fn array<'a, T>(
    array: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], Failed> {
    if count == 0 {
        return Ok(&[]);
    }
    if array.is_null() {
        return Err(is_null(name));
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(argument(format!("the size of '{name}' is not possible")));
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { slice::from_raw_parts(array, count) })
}

/// The place where a function stores its result. It has NULL until then.
pub(super) struct Out<T>(*mut *mut T);

impl<T> Out<T> {
    /// Returns the place, which must not be NULL.
    ///
    /// # Safety
    /// `place` is NULL or can be written until the end of the function.
    pub(super) unsafe fn new(place: *mut *mut T, name: &str) -> Result<Self, Failed> {
        // SAFETY: as promised by the caller.
        unsafe { Self::optional(place) }.ok_or_else(|| is_null(name))
    }

    /// Returns the place, or `None` for NULL: the caller ignores the result.
    ///
    /// # Safety
    /// As for [`Out::new`].
    pub(super) unsafe fn optional(place: *mut *mut T) -> Option<Self> {
        if place.is_null() {
            return None;
        }
        // SAFETY: as promised by the caller.
        unsafe { place.write(null_mut()) };
        Some(Self(place))
    }

    /// Stores a new handle.
    pub(super) fn set(self, value: T) {
        // SAFETY: `new` promises a place that can be written.
        unsafe { self.0.write(handle(value)) };
    }
}

/// An enumeration whose values C passes. `MaybeUninit` permits any number.
pub(super) trait Enumeration: Copy + 'static {
    /// All values with their numbers.
    const VALUES: &'static [Self];
}

/// Returns a value of an enumeration.
pub(super) fn value<E: Enumeration>(raw: MaybeUninit<E>, name: &str) -> Result<E, Failed> {
    const { assert!(size_of::<E>() == size_of::<u32>()) };
    // SAFETY: C passes a number of 32 bits, which is initialized.
    let number = |value: &MaybeUninit<E>| unsafe { value.as_ptr().cast::<u32>().read() };
    let wanted = number(&raw);
    let values = E::VALUES.iter().copied();
    let mut values = values.filter(|value| number(&MaybeUninit::new(*value)) == wanted);
    let message = || format!("the argument '{name}' has {wanted}, which its type does not have");
    values.next().ok_or_else(|| argument(message()))
}

#[cfg(test)]
mod tests {
    use super::super::error::{TfxErrorKind, tfxErrorDestroy, tfxErrorGetKind};
    use super::*;

    struct Panics;

    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }

    /// A panic does not leave a function.
    #[test]
    fn panics_end_at_the_border() {
        let error = guarded(|| panic!("a bug"));
        // SAFETY: a new error, and new handles, each destroyed once.
        unsafe {
            let kind = tfxErrorGetKind(error);
            assert!(matches!(kind, TfxErrorKind::TfxErrorKindInternal));
            tfxErrorDestroy(error);
            let number = handle(1);
            let result = read(number, 2, |_| panic!("a bug"));
            assert_eq!(result, 2);
            destroy(number);
            destroy(handle(Panics));
        }
    }
}
