//! Memory of the host: pinned memory, and what the caller copies.
//!
//! Bytes are copied through addresses, without references, because the program may access them at
//! the same time. Pinned memory is never returned to the allocator.

use std::alloc::{Layout, alloc};

/// The alignment of pinned memory in bytes: a page.
const ALIGNMENT: usize = 4096;
/// The content of new memory, which is undefined in CUDA.
const GARBAGE: u8 = 0xcd;

/// Pinned memory.
#[derive(Debug)]
pub(crate) struct Pinned {
    address: usize,
    size: usize,
    pub(crate) is_live: bool,
}

impl Pinned {
    /// Allocates bytes; none if there is no such memory.
    pub(crate) fn new(size: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).ok()?;
        // SAFETY: the size is not 0.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return None;
        }
        // SAFETY: the memory was allocated with this size.
        unsafe { start.write_bytes(GARBAGE, size) };
        Some(Self {
            address: start.expose_provenance(),
            size,
            is_live: true,
        })
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

/// Copies bytes of the host.
pub(crate) fn read_host(address: usize, bytes: &mut [u8]) {
    let from = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the range is pinned memory that was checked, or memory of a copy, which lives until
    // the copy is complete, by the contract of the module.
    unsafe { std::ptr::copy(from, bytes.as_mut_ptr(), bytes.len()) };
}

/// Copies bytes to the host.
pub(crate) fn write_host(address: usize, bytes: &[u8]) {
    let to = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: as above.
    unsafe { std::ptr::copy(bytes.as_ptr(), to, bytes.len()) };
}
