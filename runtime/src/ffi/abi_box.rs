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
//! A box of an activation is preceded by its [`Membership`], and its count has the bit [`MEMBER`].
//!
//! Cycles of boxes are not freed, except at the end of an activation.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ffi::{c_char, c_void},
    sync::atomic::{AtomicU64, Ordering, fence},
};

use super::{
    abi_tensor::TfxTensor,
    guard::{guarded, slice},
    objects::{Kind, Membership},
};
use crate::{activation, failure::Failure, stats};

/// A slot holds a tensor that the box owns, or NULL.
const KIND_TENSOR: u8 = 1;
/// A slot holds a box that the box owns, or NULL.
const KIND_BOX: u8 = 2;

/// The bit of a count that tells that a membership precedes the header. Neither a count nor the
/// address of a link reaches it.
const MEMBER: u64 = 1 << 63;

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
    /// Returns the memory layout of a box, and the offset of its header; `None` if the box exceeds
    /// the address space.
    fn layout(slots: u64, is_member: bool) -> Option<(Layout, usize)> {
        let array = Layout::array::<u64>(usize::try_from(slots).ok()?).ok()?;
        let start = if is_member {
            Layout::new::<Membership>()
        } else {
            Layout::new::<()>()
        };
        let (layout, offset) = start.extend(Layout::new::<Header>()).ok()?;
        Some((layout.extend(array).ok()?.0, offset))
    }

    /// Returns the address of the membership before the header.
    ///
    /// # Safety
    /// `this` is a box, which is not freed.
    unsafe fn membership(this: *const Header) -> Option<*const Membership> {
        // SAFETY: as promised by the caller; `tfx_box_new` has put it there. Both types have the
        // alignment of a pointer, so there is no gap.
        unsafe {
            let is_member = (*this).count.load(Ordering::Relaxed) & MEMBER != 0;
            is_member.then(|| this.cast::<Membership>().sub(1))
        }
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
pub unsafe extern "C-unwind" fn tfx_box_new(r#type: *const TfxBoxType, slots: u64) -> *mut TfxBox {
    guarded(std::ptr::null(), || {
        let created = create(r#type, slots)?;
        // SAFETY: a new box. Foreign code calls this function; compiled code adopts the box.
        unsafe { keep(created, 1) };
        Ok(created)
    })
}

/// Creates a box with one owner, which is not foreign code, and slots of zeros.
pub(super) fn create(r#type: *const TfxBoxType, slots: u64) -> Result<*mut TfxBox, Failure> {
    let membership = Membership::of_current();
    let (layout, offset) = Header::layout(slots, membership.is_some()).ok_or_else(|| {
        Failure::new(format!("a box of {slots} values exceeds the address space"))
    })?;
    // SAFETY: the layout includes the header, so it is not empty.
    let allocated = unsafe { alloc_zeroed(layout) };
    if allocated.is_null() {
        handle_alloc_error(layout);
    }
    let member = if membership.is_some() { MEMBER } else { 0 };
    let header = Header {
        count: AtomicU64::new(1 | member),
        r#type,
        slots,
    };
    // SAFETY: the memory was allocated for a membership, a header and the slots.
    let created = unsafe {
        let created = allocated.add(offset).cast::<Header>();
        created.write(header);
        if let Some(membership) = membership {
            membership.add(Kind::Box, created.addr());
            allocated.cast::<Membership>().write(membership);
        }
        created
    };
    stats::BOXES.count_created();
    Ok(created.cast())
}

/// Returns whether a box has no owner but the caller.
///
/// # Safety
/// `r#box` is a box that the caller owns.
pub(super) unsafe fn is_unique(r#box: *const TfxBox) -> bool {
    // SAFETY: as promised by the caller.
    let count = unsafe { &(*r#box.cast::<Header>()).count };
    // The writes of former owners happen before those of the caller.
    count.load(Ordering::Acquire) & !MEMBER == 1
}

/// Returns a box with the same slots, whose values get one more owner.
///
/// # Safety
/// `r#box` is a box that the caller holds and whose slots no thread writes.
pub(super) unsafe fn copy(r#box: *const TfxBox) -> Result<*mut TfxBox, Failure> {
    let header = r#box.cast_mut().cast::<Header>();
    // SAFETY: as promised by the caller; the new box has as many slots.
    unsafe {
        let created = create((*header).r#type, (*header).slots)?;
        let (from, to) = (Header::slot(header, 0), Header::slot(created.cast(), 0));
        std::ptr::copy_nonoverlapping(from, to, (*header).slots as usize);
        retain_contents(created);
        Ok(created)
    }
}

/// Adds an owner of each value in the slots of a box.
///
/// # Safety
/// `r#box` is a box whose slots no thread writes, with values that the caller holds.
pub(super) unsafe fn retain_contents(r#box: *const TfxBox) {
    // SAFETY: as promised by the caller.
    unsafe {
        for (kind, target) in references(r#box) {
            match kind {
                Kind::Tensor => drop(TfxTensor::retain(target as *mut TfxTensor)),
                Kind::Box => drop(retain(target as *mut TfxBox)),
            }
        }
    }
}

/// Returns the box, or a copy if it has other owners.
///
/// # Safety
/// The caller owns the box, which is not NULL and which it gives away.
pub(super) unsafe fn unshared(r#box: *mut TfxBox) -> Result<*mut TfxBox, Failure> {
    // SAFETY: as promised by the caller.
    unsafe {
        if is_unique(r#box) {
            return Ok(r#box);
        }
        let copied = copy(r#box)?;
        release_box(r#box);
        Ok(copied)
    }
}

/// Returns the address and the number of the slots of a box.
///
/// # Safety
/// `r#box` is a box that the caller holds.
pub(super) unsafe fn raw_slots(r#box: *mut TfxBox) -> (*mut u64, u64) {
    let header = r#box.cast::<Header>();
    // SAFETY: as promised by the caller.
    unsafe { (Header::slot(header, 0).cast(), (*header).slots) }
}

/// Adds an owner, and returns the box. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_box_retain(r#box: *mut TfxBox) -> *mut TfxBox {
    // SAFETY: the ABI promises NULL or a box that the caller holds.
    unsafe {
        keep(r#box, 1);
        retain(r#box)
    }
}

/// Adds an owner, which is not foreign code.
///
/// # Safety
/// `r#box` is NULL or a box that the caller holds.
pub(super) unsafe fn retain(r#box: *mut TfxBox) -> *mut TfxBox {
    // SAFETY: as promised by the caller.
    if let Some(held) = unsafe { r#box.cast::<Header>().as_ref() } {
        held.count.fetch_add(1, Ordering::Relaxed);
    }
    r#box
}

/// Adds references of foreign code, or removes them.
///
/// # Safety
/// `r#box` is NULL or a box that the caller holds.
pub(super) unsafe fn keep(r#box: *const TfxBox, references: i64) {
    // SAFETY: as promised by the caller.
    if let Some(membership) = unsafe { membership(r#box) } {
        membership.keep(references);
    }
}

/// Returns the membership of a box in an activation.
///
/// # Safety
/// `r#box` is NULL or a box that outlives the result.
pub(super) unsafe fn membership<'a>(r#box: *const TfxBox) -> Option<&'a Membership> {
    if r#box.is_null() {
        return None;
    }
    // SAFETY: as promised by the caller.
    unsafe { Header::membership(r#box.cast()).map(|membership| &*membership) }
}

/// Returns the tensors and boxes that the slots of a box refer to.
///
/// # Safety
/// `r#box` is a box whose slots no thread writes.
pub(super) unsafe fn references(r#box: *const TfxBox) -> impl Iterator<Item = (Kind, usize)> {
    let header = r#box.cast_mut().cast::<Header>();
    // SAFETY: as promised by the caller; the type is a constant.
    let (kinds, slots) = unsafe {
        let r#type = &*(*header).r#type;
        (
            slice(r#type.kinds, r#type.num_kinds as i64),
            (*header).slots,
        )
    };
    let reference = move |index: u64| {
        let kind = match kinds.get(index as usize).or(kinds.last()) {
            Some(&KIND_TENSOR) => Kind::Tensor,
            Some(&KIND_BOX) => Kind::Box,
            _ => return None,
        };
        // SAFETY: as promised by the caller; a slot of a kind holds a value of it.
        let target = unsafe { *Header::slot(header, index) };
        (!target.is_null()).then(|| (kind, target.addr()))
    };
    (0..slots).filter_map(reference)
}

/// Makes a box have that number of owners.
///
/// # Safety
/// `r#box` is a box of an activation without other owners.
pub(super) unsafe fn set_owners(r#box: *mut TfxBox, owners: u64) {
    // SAFETY: as promised by the caller.
    unsafe { &(*r#box.cast::<Header>()).count }.store(owners | MEMBER, Ordering::Relaxed);
}

/// Frees a box. Releases the values in its slots, except those that the caller frees.
///
/// # Safety
/// `r#box` is a box without owners.
pub(super) unsafe fn free_alone(r#box: *mut TfxBox, frees: impl Fn(Kind, usize) -> bool) {
    // SAFETY: as promised by the caller; a slot owns its value.
    unsafe {
        for (kind, target) in references(r#box) {
            match kind {
                _ if frees(kind, target) => {}
                Kind::Tensor => TfxTensor::release(target as *mut TfxTensor),
                Kind::Box => release_box(target as *mut TfxBox),
            }
        }
        deallocate(r#box.cast());
    }
}

/// Removes an owner. The last one frees the box and all that only the box owns. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_box_release(r#box: *mut TfxBox) {
    // SAFETY: the ABI promises NULL or a box that the caller owns.
    unsafe {
        keep(r#box, -1);
        release_box(r#box);
    }
}

/// Removes an owner, which is not foreign code.
///
/// # Safety
/// `r#box` is NULL or a box that the caller owns.
pub(super) unsafe fn release_box(r#box: *mut TfxBox) {
    let mut dead: *mut Header = std::ptr::null_mut();
    // SAFETY: as promised by the caller.
    unsafe { release(r#box.cast(), &mut dead) };
    while !dead.is_null() {
        let next = dead;
        // SAFETY: a box in the list has no owner, and is freed here, once; its count is the link to
        // the next box.
        unsafe {
            dead = ((*next).count.load(Ordering::Relaxed) & !MEMBER) as *mut Header;
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
    let before = held.count.fetch_sub(1, Ordering::Release);
    if before & !MEMBER == 1 {
        // The writes of the other owners happen before the box is freed.
        fence(Ordering::Acquire);
        held.count
            .store(*dead as u64 | (before & MEMBER), Ordering::Relaxed);
        *dead = r#box;
    }
}

/// Releases the values in the slots of a box, and frees it.
///
/// # Safety
/// `r#box` has no owner, and its type is that of its slots.
unsafe fn free(r#box: *mut Header, dead: &mut *mut Header) {
    // SAFETY: as promised by the caller; a slot owns its value.
    unsafe {
        for (kind, target) in references(r#box.cast()) {
            match kind {
                Kind::Tensor => TfxTensor::release(target as *mut TfxTensor),
                Kind::Box => release(target as *mut Header, dead),
            }
        }
        deallocate(r#box);
    }
}

/// Deallocates a box.
///
/// # Safety
/// `r#box` has no owner, and the values in its slots are released.
unsafe fn deallocate(r#box: *mut Header) {
    // SAFETY: as promised by the caller; the layout is that of the allocation.
    unsafe {
        let membership = Header::membership(r#box).map(|membership| membership.read());
        if let Some(membership) = &membership {
            membership.remove(Kind::Box, r#box.addr());
        }
        if let Some((layout, offset)) = Header::layout((*r#box).slots, membership.is_some()) {
            dealloc(r#box.cast::<u8>().sub(offset), layout);
        }
    }
    stats::BOXES.count_freed();
}

/// Returns the code of a closure, which is called with the closure and then its arguments: `R
/// code(TfxBox *closure, T1, ...)`. Several results are written through pointers that follow the
/// arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_closure_code(closure: *mut TfxBox) -> *const c_void {
    guarded(std::ptr::null(), || {
        if closure.is_null() {
            return Err(Failure::new("a closure is NULL"));
        }
        if let Some(objects) = activation::current_objects() {
            objects.escape();
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
pub extern "C-unwind" fn tfx_boxes_alive() -> u64 {
    stats::BOXES.alive()
}

/// Returns the number of tensors that host code holds in this process.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn tfx_tensors_alive() -> u64 {
    stats::TENSORS.alive()
}
