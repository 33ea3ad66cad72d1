//! Boxes: what host code keeps on the heap, such as class instances, closures and arrays. `docs/program-image.md`, section 6.
//!
//! ```text
//!   box ──► | count | type ──► TfxBoxType {"@Node", kinds: [tensor, box]}
//!           | slots |
//!           | slot 0: a tensor    ──► TfxTensor
//!           | slot 1: another box ──► ...
//! ```
//!
//! Compiled code reads and writes slots in place; here boxes are made, counted and freed. The count is atomic: host code may have threads.
//! A box that dies lets go of what its slots hold. Boxes that die with it wait in a list that is threaded through their counts, which
//! nobody needs any more: freeing a list of a million nodes takes neither stack nor memory.
//!
//! Not freed: boxes that hold each other in a circle.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ffi::{c_char, c_void},
    sync::atomic::{AtomicU64, Ordering, fence},
};

use super::{
    abi_tensor::{TfxTensor, tfx_tensor_release},
    guarded, slice,
};
use crate::{failure::Failure, stats};

/// A slot holds a tensor that the box owns, or NULL.
const KIND_TENSOR: u8 = 1;
/// A slot holds a box that the box owns, or NULL.
const KIND_BOX: u8 = 2;

/// What the slots of a box are. A constant of compiled code.
#[repr(C)]
pub struct TfxBoxType {
    /// What such a box is in the program, for debuggers.
    pub name: *const c_char,
    /// Of each slot: 0 plain data, 1 a tensor, 2 a box. Both may be NULL.
    pub kinds: *const u8,
    /// How many kinds are listed; further slots are of the last kind.
    pub num_kinds: u64,
}

/// A class instance, a closure, an existential, an array or a reference. Opaque to C.
pub struct TfxBox {
    _private: [u8; 0],
}

impl TfxBox {
    /// What is in the slots of a box.
    ///
    /// # Safety
    /// `r#box` is NULL or a box that nobody writes while the result is in use.
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

/// What a `TfxBox *` points to. The slots follow, 8 bytes each.
#[repr(C)]
struct Header {
    /// How many owners there are.
    count: AtomicU64,
    /// What the slots are.
    r#type: *const TfxBoxType,
    /// How many slots there are.
    slots: u64,
}

impl Header {
    /// How a box of that many slots lies in memory; nothing where it would be larger than memory.
    fn layout(slots: u64) -> Option<Layout> {
        let array = Layout::array::<u64>(usize::try_from(slots).ok()?).ok()?;
        Some(Layout::new::<Header>().extend(array).ok()?.0)
    }

    /// What slot `index` holds.
    ///
    /// # Safety
    /// `this` is a box with more than `index` slots.
    unsafe fn slot(this: *mut Header, index: u64) -> *mut *mut u8 {
        // SAFETY: the slots follow the header, whose size is a multiple of theirs.
        unsafe { this.add(1).cast::<*mut u8>().add(index as usize) }
    }
}

/// A box with one owner and slots of zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_box_new(r#type: *const TfxBoxType, slots: u64) -> *mut TfxBox {
    guarded(std::ptr::null(), || {
        let layout = Header::layout(slots)
            .ok_or_else(|| Failure::new(format!("{slots} values are more than memory can hold")))?;
        // SAFETY: the layout has the header at least.
        let made = unsafe { alloc_zeroed(layout) }.cast::<Header>();
        if made.is_null() {
            handle_alloc_error(layout);
        }
        let header = Header {
            count: AtomicU64::new(1),
            r#type,
            slots,
        };
        // SAFETY: it was allocated for a header and the slots.
        unsafe { made.write(header) };
        stats::BOXES.made();
        Ok(made.cast())
    })
}

/// One more owner; returns the box. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_box_retain(r#box: *mut TfxBox) -> *mut TfxBox {
    // SAFETY: the ABI promises NULL or a box that the caller holds.
    if let Some(held) = unsafe { r#box.cast::<Header>().as_ref() } {
        held.count.fetch_add(1, Ordering::Relaxed);
    }
    r#box
}

/// One owner less; the last one frees it, with all that only it owns. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfx_box_release(r#box: *mut TfxBox) {
    let mut dead: *mut Header = std::ptr::null_mut();
    // SAFETY: the ABI promises NULL or a box that the caller owns.
    unsafe { give_up(r#box.cast(), &mut dead) };
    while !dead.is_null() {
        let next = dead;
        // SAFETY: what is in the list has no owner left and is freed here, once; its count is the link to the next.
        unsafe {
            dead = (*next).count.load(Ordering::Relaxed) as *mut Header;
            free(next, &mut dead);
        }
    }
}

/// Takes an owner from a box; where it was the last, the box goes to the front of the list.
///
/// # Safety
/// `r#box` is NULL or has an owner that the caller speaks for.
unsafe fn give_up(r#box: *mut Header, dead: &mut *mut Header) {
    // SAFETY: as promised by the caller.
    let Some(held) = (unsafe { r#box.as_ref() }) else {
        return;
    };
    if held.count.fetch_sub(1, Ordering::Release) == 1 {
        // What other owners wrote before they let go is seen by whoever frees it.
        fence(Ordering::Acquire);
        held.count.store(*dead as u64, Ordering::Relaxed);
        *dead = r#box;
    }
}

/// Lets go of what a box owns, and frees it.
///
/// # Safety
/// `r#box` has no owner, and its type is what the contract says.
unsafe fn free(r#box: *mut Header, dead: &mut *mut Header) {
    // SAFETY: as promised by the caller; the kinds are those of the type, and slots of a kind hold a value of it.
    unsafe {
        let (r#type, slots) = (&*(*r#box).r#type, (*r#box).slots);
        let kinds = super::slice(r#type.kinds, r#type.num_kinds as i64);
        for index in 0..slots {
            let kind = kinds.get(index as usize).or(kinds.last());
            let held = *Header::slot(r#box, index);
            match kind {
                Some(&KIND_TENSOR) => tfx_tensor_release(held.cast::<TfxTensor>()),
                Some(&KIND_BOX) => give_up(held.cast(), dead),
                _ => {}
            }
        }
        if let Some(layout) = Header::layout(slots) {
            dealloc(r#box.cast(), layout);
        }
    }
    stats::BOXES.freed();
}

/// The code of a closure, to be called with the closure, then its arguments: `R code(TfxBox *closure, T1, ...)`. Several results are written
/// through pointers that follow the arguments.
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

/// How many boxes there are in this process. At the end of a program without circles of boxes, none.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_boxes_alive() -> u64 {
    stats::BOXES.alive()
}

/// How many tensors host code holds in this process.
#[unsafe(no_mangle)]
pub extern "C" fn tfx_tensors_alive() -> u64 {
    stats::TENSORS.alive()
}
