//! Tapes: stacks of the values that a loop saves for its derivative (`docs/program-image.md`,
//! section 6).
//!
//! ```text
//!   tape ──► | header || used | previous | value | value | ...    the last chunk: a box
//!                                 └──► | header || used | previous | value | ...
//!   NULL     the empty tape
//! ```
//!
//! A push and a pop return a new tape, and take the old one from their caller. If nothing else
//! refers to the last chunk, they change it in place. Otherwise they copy it, and leave the
//! previous chunks shared: a tape can be popped twice, as by two calls of a pullback.
//!
//! Each chunk is larger than the previous one up to [`MOST_SLOTS`], so a loop allocates once in
//! hundreds of iterations, and a short loop takes little memory. No value is ever moved.
//!
//! Cost: constant for each push and pop, and the size of a chunk for each chunk that is shared;
//! linear in the chunks for the length.

use super::{
    abi_box::{self, TfxBox, TfxBoxType},
    guard::guarded,
};
use crate::failure::Failure;

/// The slot with the number of used slots, without the two of the chunk itself.
const USED: usize = 0;
/// The slot with the previous chunk.
const PREVIOUS: usize = 1;
/// The first slot of values.
const FIRST: usize = 2;

/// The values of the first chunk.
const FIRST_VALUES: u64 = 8;
/// The most slots of values of a chunk: one page of memory.
const MOST_SLOTS: u64 = 512;

/// A chunk that is not shared.
#[derive(Clone, Copy)]
struct Chunk {
    slots: *mut u64,
    /// The number of slots for values.
    capacity: u64,
}

impl Chunk {
    /// # Safety
    /// `tape` is a chunk of which the caller is the only owner, as long as the result is in use.
    unsafe fn of(tape: *mut TfxBox) -> Self {
        // SAFETY: as promised by the caller.
        let (slots, size) = unsafe { abi_box::raw_slots(tape) };
        let capacity = size - FIRST as u64;
        Chunk { slots, capacity }
    }

    fn slot(self, index: usize) -> *mut u64 {
        // SAFETY: callers pass an index below the number of slots.
        unsafe { self.slots.add(index) }
    }

    fn used(self) -> u64 {
        // SAFETY: each chunk has this slot.
        unsafe { *self.slot(USED) }
    }

    fn set_used(self, used: u64) {
        // SAFETY: each chunk has this slot, and the caller is its only owner.
        unsafe { *self.slot(USED) = used }
    }

    /// Appends a value of `width` slots.
    ///
    /// # Safety
    /// The chunk has room for it, and the caller is the only owner of the chunk.
    unsafe fn append(self, value: *const u64, width: u64) {
        let used = self.used();
        let target = self.slot(FIRST + used as usize);
        // SAFETY: as promised by the caller.
        unsafe {
            match width {
                // Without a call of `memcpy`, for most values.
                1 => *target = *value,
                _ => std::ptr::copy_nonoverlapping(value, target, width as usize),
            }
        }
        self.set_used(used + width);
    }

    /// Moves the last value, of `width` slots, to `value`. Returns the number of slots that are
    /// still in use.
    ///
    /// # Safety
    /// The chunk has a value, and the caller is the only owner of the chunk.
    unsafe fn remove(self, value: *mut u64, width: u64) -> u64 {
        let used = self.used() - width;
        let source = self.slot(FIRST + used as usize);
        // SAFETY: as promised by the caller.
        unsafe {
            match width {
                1 => *value = source.replace(0),
                _ => {
                    std::ptr::copy_nonoverlapping(source, value, width as usize);
                    std::ptr::write_bytes(source, 0, width as usize);
                }
            }
        }
        self.set_used(used);
        used
    }
}

/// Returns the last chunk of a tape, if it is not shared.
///
/// # Safety
/// `tape` is NULL or a tape that the caller owns.
unsafe fn own_chunk(tape: *mut TfxBox) -> Option<Chunk> {
    // SAFETY: as promised by the caller.
    unsafe { (!tape.is_null() && abi_box::is_unique(tape)).then(|| Chunk::of(tape)) }
}

/// Returns a tape with one more value. Takes the tape and the value, which has `width` slots, from
/// the caller. `type` is the type of the chunks: the slots USED and PREVIOUS, and a kind for each
/// slot of a value.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tape_push(
    tape: *mut TfxBox,
    r#type: *const TfxBoxType,
    value: *const u64,
    width: u64,
) -> *mut TfxBox {
    // Most pushes and pops change one chunk and cannot fail.
    // SAFETY: the ABI promises a tape that the caller owns, and a value of `width` slots.
    unsafe {
        if let Some(chunk) = own_chunk(tape)
            && chunk.used() + width <= chunk.capacity
        {
            chunk.append(value, width);
            return tape;
        }
    }
    guarded(std::ptr::null(), || {
        // SAFETY: as above.
        unsafe {
            let tape = with_room(tape, r#type, width)?;
            Chunk::of(tape).append(value, width);
            Ok(tape)
        }
    })
}

/// Returns the tape without its last value, which is moved to `value`. Takes the tape from the
/// caller.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tape_pop(
    tape: *mut TfxBox,
    value: *mut u64,
    width: u64,
) -> *mut TfxBox {
    // SAFETY: the ABI promises a tape that the caller owns, and room for `width` slots.
    unsafe {
        if let Some(chunk) = own_chunk(tape)
            && chunk.used() > width
        {
            chunk.remove(value, width);
            return tape;
        }
    }
    guarded(std::ptr::null(), || {
        if tape.is_null() {
            return Err(Failure::new("a value is popped from an empty tape"));
        }
        // SAFETY: as above.
        unsafe {
            let tape = abi_box::unshared(tape)?;
            let chunk = Chunk::of(tape);
            if chunk.remove(value, width) > 0 {
                return Ok(tape);
            }
            let previous = chunk.slot(PREVIOUS).replace(0) as *mut TfxBox;
            abi_box::release_box(tape);
            Ok(previous)
        }
    })
}

/// Returns the number of values on a tape, each of which has `width` slots.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn tfx_tape_length(tape: *const TfxBox, width: u64) -> u64 {
    let (mut next, mut slots) = (tape.cast_mut(), 0);
    while !next.is_null() {
        // SAFETY: the ABI promises a tape that the caller holds; its chunks are only read.
        unsafe {
            let chunk = Chunk::of(next);
            slots += chunk.used();
            next = *chunk.slot(PREVIOUS) as *mut TfxBox;
        }
    }
    slots / width
}

/// Returns a chunk with room for one more value, of which the caller is the only owner.
///
/// # Safety
/// The caller owns `tape`, which it gives away.
unsafe fn with_room(
    tape: *mut TfxBox,
    r#type: *const TfxBoxType,
    width: u64,
) -> Result<*mut TfxBox, Failure> {
    let mut capacity = FIRST_VALUES * width;
    if !tape.is_null() {
        // SAFETY: as promised by the caller; other owners only read the chunk.
        let (used, full) = unsafe {
            let chunk = Chunk::of(tape);
            (chunk.used(), chunk.capacity)
        };
        if used + width <= full {
            // SAFETY: as promised by the caller.
            return unsafe { abi_box::unshared(tape) };
        }
        capacity = (2 * full).min(MOST_SLOTS.max(full));
    }
    let created = abi_box::create(r#type, capacity + FIRST as u64)?;
    // SAFETY: a new chunk, which takes the previous one.
    unsafe { *Chunk::of(created).slot(PREVIOUS) = tape as u64 };
    Ok(created)
}
