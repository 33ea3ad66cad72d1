//! Arrays that compiled code fills or changes (`docs/program-image.md`, section 6).
//!
//! ```text
//!   array ──► | header | element | element | ...     a box, whose elements have equally many slots
//! ```
//!
//! An array is a value: code that replaces an element first makes sure that it is the only owner of
//! the array.
//!
//! Cost: linear in the array for an array that is filled or shared, else constant.

use std::ffi::c_char;

use super::{
    abi_box::{self, TfxBox, TfxBoxType},
    guard::guarded,
};
use crate::failure::Failure;

/// Returns an array of `count` elements with this value, which has `width` slots.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_array_fill(
    r#type: *const TfxBoxType,
    value: *const u64,
    width: u64,
    count: i64,
    location: *const c_char,
) -> *mut TfxBox {
    guarded(location, || {
        let count = u64::try_from(count)
            .map_err(|_| Failure::new(format!("an array cannot have {count} elements")))?;
        let slots = count.checked_mul(width).ok_or_else(|| {
            Failure::new(format!(
                "an array of {count} elements exceeds the address space"
            ))
        })?;
        let created = abi_box::create(r#type, slots)?;
        // SAFETY: the ABI promises a value of `width` slots, which the caller holds; the new box
        // has room for `count` of them, and holds each once more.
        unsafe {
            let (first, _) = abi_box::raw_slots(created);
            for element in 0..count {
                let target = first.add((element * width) as usize);
                std::ptr::copy_nonoverlapping(value, target, width as usize);
            }
            abi_box::retain_contents(created);
        }
        Ok(created)
    })
}

/// Returns an array with these elements of which the caller is the only owner. Takes the array from
/// the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_array_own(array: *mut TfxBox) -> *mut TfxBox {
    // SAFETY: the ABI promises an array that the caller owns.
    guarded(std::ptr::null(), || unsafe { abi_box::unshared(array) })
}
