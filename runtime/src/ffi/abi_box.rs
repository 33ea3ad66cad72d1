//! Boxes, the heap objects of host code, such as class instances, closures and arrays:
//! `docs/program-image.md`, section 6.
//!
//! ```text
//!   box ──► | count | type ──► TfxBoxType {"@Node", kinds: [tensor, box]}
//!           | slots |
//!           | slot 0: a tensor    ──► TfxTensor
//!           | slot 1: another box ──► ...
//! ```
//!
//! Compiled code accesses slots directly; this module allocates, counts and frees boxes. The count
//! is atomic, since host code may have threads. Freeing a box releases the values in its slots.
//! Boxes that die with it wait in a list that is threaded through their counts, so freeing a list
//! of a million nodes takes neither stack nor memory.
//!
//! Cycles of boxes are not freed.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ffi::{c_char, c_void},
    sync::atomic::{AtomicU64, Ordering, fence},
};

use super::{
    abi_tensor::{TfxTensor, tfx_tensor_release},
    guard::{guarded, slice},
};
use crate::{failure::Failure, stats};

/// A slot holds a tensor that the box owns, or NULL.
const KIND_TENSOR: u8 = 1;
/// A slot holds a box that the box owns, or NULL.
const KIND_BOX: u8 = 2;

/// The types of the slots of a box. A constant of compiled code.
#[repr(C)]
pub struct TfxBoxType {
    /// The type of the box in the program, for debuggers.
    pub name: *const c_char,
    /// The kind of each slot: 0 plain data, 1 a tensor, 2 a box. Both may be NULL.
    pub kinds: *const u8,
    /// The number of kinds; further slots have the last kind.
    pub num_kinds: u64,
}

/// A class instance, a closure, an existential, an array or a reference. Opaque to C.
pub struct TfxBox {
    _private: [u8; 0],
}

impl TfxBox {
    /// Returns the contents of the slots of a box.
    ///
    /// # Safety
    /// `r#box` is NULL, or a box that no thread writes while the result is in use.
    pub(super) unsafe fn slots<'a>(r#box: *const TfxBox) -> Result<&'a [u64], Failure> {
        let header = r#box.cast_mut().cast::<Header>();
        // SAFETY: as promised by the caller; the slots follow the header.
        unsafe {
            let count = header.as_ref().map(|header| header.slots);
            let count = count.ok_or_else(|| Failure::new("an array is NULL"))?;
            Ok(slice(Header::slot(header, 0).cast::<u64>(), count as i64))
        }
    }
}

/// The header of a box, at the address of its `TfxBox *`. The slots follow, 8 bytes each.
#[repr(C)]
struct Header {
    /// The number of owners.
    count: AtomicU64,
    /// The types of the slots.
    r#type: *const TfxBoxType,
    /// The number of slots.
    slots: u64,
}

impl Header {
    /// Returns the memory layout of a box; `None` if the box exceeds the address space.
    fn layout(slots: u64) -> Option<Layout> {
        let array = Layout::array::<u64>(usize::try_from(slots).ok()?).ok()?;
        Some(Layout::new::<Header>().extend(array).ok()?.0)
    }

    /// Returns the address of a slot.
    ///
    /// # Safety
    /// `this` is a box with more than `index` slots.
    unsafe fn slot(this: *mut Header, index: u64) -> *mut *mut u8 {
        // SAFETY: the slots follow the header, whose size is a multiple of theirs.
        unsafe { this.add(1).cast::<*mut u8>().add(index as usize) }
    }
}

/// Creates a box with one owner and slots of zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_box_new(r#type: *const TfxBoxType, slots: u64) -> *mut TfxBox {
    guarded(std::ptr::null(), || {
        let layout = Header::layout(slots).ok_or_else(|| {
            Failure::new(format!("a box of {slots} values exceeds the address space"))
        })?;
        // SAFETY: the layout includes the header, so it is not empty.
        let allocated = unsafe { alloc_zeroed(layout) }.cast::<Header>();
        if allocated.is_null() {
            handle_alloc_error(layout);
        }
        let header = Header {
            count: AtomicU64::new(1),
            r#type,
            slots,
        };
        // SAFETY: the memory was allocated for a header and the slots.
        unsafe { allocated.write(header) };
        stats::BOXES.count_created();
        Ok(allocated.cast())
    })
}

/// Adds an owner, and returns the box. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_box_retain(r#box: *mut TfxBox) -> *mut TfxBox {
    // SAFETY: the ABI promises NULL or a box that the caller holds.
    if let Some(held) = unsafe { r#box.cast::<Header>().as_ref() } {
        held.count.fetch_add(1, Ordering::Relaxed);
    }
    r#box
}

/// Removes an owner. The last one frees the box and all that only the box owns. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_box_release(r#box: *mut TfxBox) {
    let mut dead: *mut Header = std::ptr::null_mut();
    // SAFETY: the ABI promises NULL or a box that the caller owns.
    unsafe { release(r#box.cast(), &mut dead) };
    while !dead.is_null() {
        let next = dead;
        // SAFETY: a box in the list has no owner, and is freed here, once; its count is the link to
        // the next box.
        unsafe {
            dead = (*next).count.load(Ordering::Relaxed) as *mut Header;
            free(next, &mut dead);
        }
    }
}

/// Removes an owner of a box. If it was the last, puts the box at the front of the list.
///
/// # Safety
/// `r#box` is NULL or a box of which the caller is an owner.
unsafe fn release(r#box: *mut Header, dead: &mut *mut Header) {
    // SAFETY: as promised by the caller.
    let Some(held) = (unsafe { r#box.as_ref() }) else {
        return;
    };
    if held.count.fetch_sub(1, Ordering::Release) == 1 {
        // The writes of the other owners happen before the box is freed.
        fence(Ordering::Acquire);
        held.count.store(*dead as u64, Ordering::Relaxed);
        *dead = r#box;
    }
}

/// Releases the values in the slots of a box, and frees it.
///
/// # Safety
/// `r#box` has no owner, and its type is that of its slots.
unsafe fn free(r#box: *mut Header, dead: &mut *mut Header) {
    // SAFETY: as promised by the caller; the kinds are those of the type, and slots of a kind hold
    // a value of it.
    unsafe {
        let (r#type, slots) = (&*(*r#box).r#type, (*r#box).slots);
        let kinds = slice(r#type.kinds, r#type.num_kinds as i64);
        for index in 0..slots {
            let kind = kinds.get(index as usize).or(kinds.last());
            let held = *Header::slot(r#box, index);
            match kind {
                Some(&KIND_TENSOR) => tfx_tensor_release(held.cast::<TfxTensor>()),
                Some(&KIND_BOX) => release(held.cast(), dead),
                _ => {}
            }
        }
        if let Some(layout) = Header::layout(slots) {
            dealloc(r#box.cast(), layout);
        }
    }
    stats::BOXES.count_freed();
}

/// Returns the code of a closure, which is called with the closure and then its arguments: `R
/// code(TfxBox *closure, T1, ...)`. Several results are written through pointers that follow the
/// arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_closure_code(closure: *mut TfxBox) -> *const c_void {
    guarded(std::ptr::null(), || {
        if closure.is_null() {
            return Err(Failure::new("a closure is NULL"));
        }
        // SAFETY: the ABI promises a closure, whose first slot is the address of its code.
        Ok(unsafe { *Header::slot(closure.cast(), 0) }
            .cast_const()
            .cast())
    })
}

/// Returns the number of boxes in this process. It is 0 at the end of a program without cycles of
/// boxes.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_boxes_alive() -> u64 {
    stats::BOXES.alive()
}

/// Returns the number of tensors that host code holds in this process.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_tensors_alive() -> u64 {
    stats::TENSORS.alive()
}
