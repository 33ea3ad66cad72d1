//! The memory of a run: that of the device, and the state spaces that the interpreter provides.
//!
//! ```text
//!   generic address          state space
//!   0 .. 0x2000_0000_0000    global: the memory of the device (trait Memory)
//!   0x2000_0000_0000 ..      global: the variables of the module
//!   0x2100_0000_0000 ..      const     address in the space: minus 0x2100_0000_0000
//!   0x2200_0000_0000 ..      shared                          minus 0x2200_0000_0000
//!   0x2300_0000_0000 ..      local                           minus 0x2300_0000_0000
//!   0x2400_0000_0000 ..      param                           minus 0x2400_0000_0000
//!   0x2500_0000_0000 ..      global: the memory of the device
//! ```
//!
//! An access is one of `1, 2, 4, 8` bytes, or of a vector of them, at a multiple of its size. An
//! access that is not inside the memory of its space is an error. In the local and parameter
//! spaces, that is the memory of all frames of the thread: an access beyond an array may hit
//! another array.

use crate::error::{Cause, Fault};
use crate::model::Space;

/// The size of the range of generic addresses of a state space.
const WINDOW: u64 = 0x0100_0000_0000;
/// The address of the first variable of a module in the global space. Up to
/// `GLOBAL_VARIABLES + 5 * WINDOW`, addresses belong to the interpreter.
pub(crate) const GLOBAL_VARIABLES: u64 = 0x2000_0000_0000;
const CONST_WINDOW: u64 = GLOBAL_VARIABLES + WINDOW;
const SHARED_WINDOW: u64 = GLOBAL_VARIABLES + 2 * WINDOW;
const LOCAL_WINDOW: u64 = GLOBAL_VARIABLES + 3 * WINDOW;
const PARAM_WINDOW: u64 = GLOBAL_VARIABLES + 4 * WINDOW;

/// The most bytes of variables in the global space: enough for tables in tests, and small enough
/// that a damaged text cannot exhaust the memory.
pub(crate) const GLOBAL_LIMIT: u64 = 64 << 20;
/// The most bytes of constants, as on hardware.
pub(crate) const CONST_LIMIT: u64 = 64 << 10;
/// The most bytes of variables in the shared space without an option of the launch, as on hardware.
pub(crate) const SHARED_LIMIT: u64 = 48 << 10;
/// The most bytes of local memory of a thread, as on hardware.
pub(crate) const LOCAL_LIMIT: u64 = 512 << 10;
/// The alignment of the local variables and the parameters of a frame, in bytes.
pub(crate) const FRAME_ALIGN: u64 = 128;
/// The most bytes of parameters of a function and of its calls: the limit of hardware for kernels.
pub(crate) const PARAM_LIMIT: u64 = 32_764;

/// The memory of the device, by addresses of its own outside of `0x2000_0000_0000 ..
/// 0x2500_0000_0000`. An access has at most 32 bytes. A kernel also fails if its address is not a
/// multiple of its size: buffers should start at multiples of 256, as on hardware.
pub trait Memory {
    /// Reads bytes.
    ///
    /// # Errors
    ///
    /// Some of the bytes do not exist.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault>;

    /// Writes bytes.
    ///
    /// # Errors
    ///
    /// Some of the bytes do not exist, or are only read.
    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault>;
}

/// Returns the first generic address of a space.
fn window(space: Space) -> u64 {
    match space {
        Space::Generic | Space::Global => 0,
        Space::Const => CONST_WINDOW,
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
    }
}

/// Returns the generic address of an address in a space.
pub(crate) fn generic(space: Space, address: u64) -> u64 {
    window(space).wrapping_add(address)
}

/// Returns the address in a space of a generic address.
pub(crate) fn from_generic(space: Space, address: u64) -> Result<u64, Cause> {
    let offset = address.wrapping_sub(window(space));
    match space {
        Space::Generic | Space::Global => Ok(address),
        _ if offset < WINDOW => Ok(offset),
        _ => Err(Cause::Space(address)),
    }
}

/// The memory that a thread accesses.
pub(crate) struct Spaces<'m> {
    pub(crate) device: &'m mut dyn Memory,
    pub(crate) global: &'m mut [u8],
    pub(crate) constant: &'m [u8],
    pub(crate) shared: &'m mut [u8],
}

/// The memory of one thread: the local variables and the parameters of its frames.
#[derive(Debug, Default)]
pub(crate) struct Private {
    pub(crate) local: Vec<u8>,
    pub(crate) param: Vec<u8>,
}

/// The memory that has an address.
enum Place<'p> {
    Device,
    Bytes(&'p mut [u8]),
    ReadOnly(&'p [u8]),
}

impl Spaces<'_> {
    pub(crate) fn load(
        &mut self,
        private: &mut Private,
        space: Space,
        address: u64,
        bytes: &mut [u8],
    ) -> Result<(), Cause> {
        check_alignment(address, bytes.len())?;
        let fault = Cause::Load {
            address,
            bytes: bytes.len(),
        };
        let (place, start) = self.place(private, space, address).ok_or(fault)?;
        let source = match place {
            Place::Device => return self.device.load(address, bytes).map_err(|Fault| fault),
            Place::Bytes(memory) => &*memory,
            Place::ReadOnly(memory) => memory,
        };
        let source = slice(start, bytes.len()).and_then(|range| source.get(range));
        bytes.copy_from_slice(source.ok_or(fault)?);
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        private: &mut Private,
        space: Space,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), Cause> {
        check_alignment(address, bytes.len())?;
        let fault = Cause::Store {
            address,
            bytes: bytes.len(),
        };
        let (place, start) = self.place(private, space, address).ok_or(fault)?;
        let target = match place {
            Place::Device => return self.device.store(address, bytes).map_err(|Fault| fault),
            Place::Bytes(memory) => memory,
            Place::ReadOnly(_) => return Err(fault),
        };
        let target = slice(start, bytes.len()).and_then(|range| target.get_mut(range));
        target.ok_or(fault)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Returns the memory of an address, and the position in it.
    fn place<'p>(
        &'p mut self,
        private: &'p mut Private,
        space: Space,
        address: u64,
    ) -> Option<(Place<'p>, u64)> {
        let is_generic = space == Space::Generic;
        let (space, address) = match space {
            Space::Generic => split(address),
            Space::Global if split(address).0 != Space::Global => return None,
            _ => (space, address),
        };
        let place = match space {
            Space::Global if is_variable(address) => {
                return Some((Place::Bytes(self.global), address - GLOBAL_VARIABLES));
            }
            Space::Generic | Space::Global => Place::Device,
            Space::Const => Place::ReadOnly(self.constant),
            Space::Shared => Place::Bytes(self.shared),
            Space::Local => Place::Bytes(&mut private.local),
            // Only instructions that name the space write parameters.
            Space::Param if is_generic => Place::ReadOnly(&private.param),
            Space::Param => Place::Bytes(&mut private.param),
        };
        Some((place, address))
    }
}

/// Returns the space of a generic address, and the address in it.
fn split(address: u64) -> (Space, u64) {
    let space = match address {
        ..CONST_WINDOW => Space::Global,
        CONST_WINDOW..SHARED_WINDOW => Space::Const,
        SHARED_WINDOW..LOCAL_WINDOW => Space::Shared,
        LOCAL_WINDOW..PARAM_WINDOW => Space::Local,
        _ if address < PARAM_WINDOW + WINDOW => Space::Param,
        _ => Space::Global,
    };
    (space, address - window(space))
}

fn is_variable(address: u64) -> bool {
    (GLOBAL_VARIABLES..CONST_WINDOW).contains(&address)
}

fn check_alignment(address: u64, bytes: usize) -> Result<(), Cause> {
    match address.is_multiple_of(bytes as u64) {
        true => Ok(()),
        false => Err(Cause::Misaligned { address, bytes }),
    }
}

fn slice(start: u64, bytes: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(start).ok()?;
    Some(start..start.checked_add(bytes)?)
}
