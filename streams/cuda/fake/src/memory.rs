//! Memory at fake addresses.
//!
//! ```text
//!   device d: BASE + d * SPACE ... allocation | gap | allocation | gap ...
//! ```
//!
//! Addresses only grow, so that one which was released never has a meaning again. Pinned memory has
//! addresses of the host. It stays after its release, so that a command that uses it too late is an
//! error and no undefined behaviour.

use std::collections::{BTreeMap, BTreeSet};

use crate::abi::host::{Pinned, read_host, write_host};
use crate::codes::{Code, ILLEGAL_ADDRESS, INVALID_VALUE, OUT_OF_MEMORY};
use crate::settings::Random;

/// The first address of the first device: below all memory of programs on Linux.
const BASE: u64 = 0x7_0000_0000;
/// The addresses of a device.
const SPACE: u64 = 1 << 40;
/// The alignment of allocations in bytes, as in CUDA.
const ALIGNMENT: u64 = 512;

/// An allocation of a device.
#[derive(Debug)]
struct Allocation {
    device: usize,
    bytes: Vec<u8>,
}

/// A place that a command uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Device(u64),
    Host(usize),
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// By address.
    allocations: BTreeMap<u64, Allocation>,
    pinned: BTreeMap<usize, Pinned>,
    /// The next address of each device, and the bytes that are in use.
    next: BTreeMap<usize, (u64, u64)>,
    /// Pairs of devices: the first may access the second.
    pub(crate) peers: BTreeSet<(usize, usize)>,
}

impl Memory {
    // ------------------------------------------------------------------------------ allocation

    pub(crate) fn allocate(
        &mut self,
        device: usize,
        size: usize,
        limit: u64,
        random: &mut Random,
    ) -> Result<u64, Code> {
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        let first = BASE + device as u64 * SPACE;
        let (next, used) = self.next.entry(device).or_insert((first, 0));
        if *used + size as u64 > limit {
            return Err(OUT_OF_MEMORY);
        }
        let address = *next;
        *next += (size as u64).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        *used += size as u64;
        let garbage = random.next() as u8;
        let bytes = vec![garbage; size];
        self.allocations
            .insert(address, Allocation { device, bytes });
        Ok(address)
    }

    pub(crate) fn free(&mut self, address: u64) -> Result<(), Code> {
        let allocation = self.allocations.remove(&address).ok_or(INVALID_VALUE)?;
        if let Some((_, used)) = self.next.get_mut(&allocation.device) {
            *used -= allocation.bytes.len() as u64;
        }
        Ok(())
    }

    pub(crate) fn allocate_host(&mut self, size: usize) -> Result<usize, Code> {
        if size == 0 {
            return Err(INVALID_VALUE);
        }
        let pinned = Pinned::new(size).ok_or(OUT_OF_MEMORY)?;
        let address = pinned.address();
        self.pinned.insert(address, pinned);
        Ok(address)
    }

    pub(crate) fn free_host(&mut self, address: usize) -> Result<(), Code> {
        let pinned = self.pinned.get_mut(&address);
        let pinned = pinned
            .filter(|pinned| pinned.is_live)
            .ok_or(INVALID_VALUE)?;
        pinned.is_live = false;
        Ok(())
    }

    pub(crate) fn allocations(&self) -> usize {
        self.allocations.len()
    }

    pub(crate) fn pinned(&self) -> usize {
        self.pinned.values().filter(|pinned| pinned.is_live).count()
    }

    // --------------------------------------------------------------------------------- accesses

    /// Returns the device of a range, if it is within an allocation.
    pub(crate) fn device_of(&self, address: u64, bytes: usize) -> Option<usize> {
        let (start, allocation) = self.allocations.range(..=address).next_back()?;
        let end = (address - start).checked_add(bytes as u64)?;
        (end <= allocation.bytes.len() as u64).then_some(allocation.device)
    }

    /// Returns whether a range of the host can be an operand: it is not in fake addresses, and
    /// within its allocation if it is pinned.
    pub(crate) fn is_host(&self, address: usize, bytes: usize) -> bool {
        let is_fake = (BASE..BASE + 64 * SPACE).contains(&(address as u64));
        !is_fake
            && match self.pinned_at(address) {
                Some(pinned) => {
                    pinned.is_live && address - pinned.address() + bytes <= pinned.size()
                }
                None => address != 0,
            }
    }

    fn pinned_at(&self, address: usize) -> Option<&Pinned> {
        let (start, pinned) = self.pinned.range(..=address).next_back()?;
        (address - start < pinned.size()).then_some(pinned)
    }

    /// Reads bytes when a command runs.
    pub(crate) fn read(&self, place: Place, bytes: &mut [u8]) -> Result<(), Code> {
        match place {
            Place::Device(address) => {
                let range = self.range(address, bytes.len()).ok_or(ILLEGAL_ADDRESS)?;
                bytes.copy_from_slice(range);
            }
            Place::Host(address) => {
                if !self.is_host(address, bytes.len()) {
                    return Err(ILLEGAL_ADDRESS);
                }
                read_host(address, bytes);
            }
        }
        Ok(())
    }

    /// Writes bytes when a command runs.
    pub(crate) fn write(&mut self, place: Place, bytes: &[u8]) -> Result<(), Code> {
        match place {
            Place::Device(address) => {
                let range = self
                    .range_mut(address, bytes.len())
                    .ok_or(ILLEGAL_ADDRESS)?;
                range.copy_from_slice(bytes);
            }
            Place::Host(address) => {
                if !self.is_host(address, bytes.len()) {
                    return Err(ILLEGAL_ADDRESS);
                }
                write_host(address, bytes);
            }
        }
        Ok(())
    }

    fn range(&self, address: u64, bytes: usize) -> Option<&[u8]> {
        let (start, allocation) = self.allocations.range(..=address).next_back()?;
        let start = usize::try_from(address - start).ok()?;
        allocation.bytes.get(start..start.checked_add(bytes)?)
    }

    fn range_mut(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let (start, allocation) = self.allocations.range_mut(..=address).next_back()?;
        let start = usize::try_from(address - start).ok()?;
        allocation.bytes.get_mut(start..start.checked_add(bytes)?)
    }
}

/// The memory that a kernel of a device accesses: its own, that of peers, and pinned memory.
pub(crate) struct Reachable<'m> {
    pub(crate) memory: &'m mut Memory,
    pub(crate) device: usize,
}

impl Reachable<'_> {
    fn place(&self, address: u64, bytes: usize) -> Result<Place, tfx_ptx::Fault> {
        if let Some(device) = self.memory.device_of(address, bytes) {
            let is_reachable =
                device == self.device || self.memory.peers.contains(&(self.device, device));
            return is_reachable
                .then_some(Place::Device(address))
                .ok_or(tfx_ptx::Fault);
        }
        let address = usize::try_from(address).map_err(|_| tfx_ptx::Fault)?;
        match self.memory.pinned_at(address) {
            Some(_) if self.memory.is_host(address, bytes) => Ok(Place::Host(address)),
            _ => Err(tfx_ptx::Fault),
        }
    }
}

impl tfx_ptx::Memory for Reachable<'_> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), tfx_ptx::Fault> {
        let place = self.place(address, bytes.len())?;
        self.memory.read(place, bytes).map_err(|_| tfx_ptx::Fault)
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), tfx_ptx::Fault> {
        let place = self.place(address, bytes.len())?;
        self.memory.write(place, bytes).map_err(|_| tfx_ptx::Fault)
    }
}
