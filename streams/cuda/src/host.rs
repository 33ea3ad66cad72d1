//! Work: launches, copies, fills, kernels of the host, and the memory of the caller.
//!
//! ```text
//!   launch      addresses of the operands              asynchronous
//!   product     by cuBLAS, or by its launch            asynchronous
//!   copy        to or from a device                    asynchronous
//!               in memory of the host                  the host waits for the stream, and copies
//!   fill        of a device, as words or from a copy   asynchronous
//!   host kernel wait ─► copy operands ─► call ─► copy what is written back
//! ```
//!
//! Work that the host does for a stream comes after the stream is complete, and before anything
//! that is issued later. So all orders that the checker has proved are kept.
//!
//! Kernels of the host get copies of their operands: memory that devices access is never a Rust
//! reference. Cost: two copies of the bytes, and a wait.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tfx_commands::{Detail, Memory, Operand, Use, uses};
use tfx_schedule::{Access, Command, CommandId, Work};

use crate::driver::{DeviceMemory, PinnedMemory, Stream};
use crate::error::Error;
use crate::issue::{Frame, Issuer, On};
use crate::kernels::HostKernel;
use crate::memory::{Block, Bytes, Kind, Range, zeros};
use crate::plan::{Code, Ready};

/// The alignment of operands in memory between devices and the host: a cache line.
const ALIGNMENT: u64 = 64;

/// The flag of kernels in runs that nobody cancels.
static NEVER: AtomicBool = AtomicBool::new(false);

const NO_BYTES: Error = Error::Unsupported("a buffer without bytes");
const OVERLAP: Error = Error::Unsupported("operands that overlap");

/// The use of a buffer of the caller by a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct External {
    /// Set if a command uses it. Its mirror has its bytes then.
    is_used: bool,
    /// The first command that writes it.
    written_by: Option<CommandId>,
}

impl Issuer<'_, '_, '_> {
    pub(crate) fn work(
        &mut self,
        command: &Command,
        on: On,
        kind: Work,
        accesses: &[Access],
        frame: &Frame,
    ) -> Result<(), Error> {
        let ranges = uses(accesses, kind, |buffer| self.resolve(frame, buffer));
        let ranges = ranges.ok_or(NO_BYTES)?;
        for (range, use_of) in &ranges {
            self.touch(command.id, range, *use_of)?;
        }
        match (kind, ranges.as_slice()) {
            (Work::Copy, [(from, _), (to, _)]) => self.copy(on, from, to),
            (Work::Fill, [(to, _)]) => self.fill(on, command.id, to),
            (Work::Copy | Work::Fill, _) => Err(Error::Unsupported("a copy of other operands")),
            _ => match (self.plan.code(command), on) {
                (Code::Ptx(launches), On::Lane(lane)) => {
                    self.launch(command, lane, launches, &ranges)
                }
                (Code::Host(name, kernel), _) => self.host_kernel(on, name, kernel, &ranges),
                (Code::Decision, On::Host) => self.decide(command.id, &ranges),
                _ => Err(Error::Unsupported("a command without a kernel")),
            },
        }
    }

    fn launch(
        &mut self,
        command: &Command,
        lane: usize,
        launches: &[Ready],
        ranges: &[(Range, Use)],
    ) -> Result<(), Error> {
        for ready in launches {
            let addresses = ready.operands.iter().map(|parameter| {
                let (range, _) = ranges.get(parameter.operand)?;
                range.address().checked_add(parameter.offset)
            });
            let addresses = addresses.collect::<Option<Vec<u64>>>().ok_or(NO_BYTES)?;
            if self.multiply(command, lane, ready, ranges, &addresses)? {
                continue;
            }
            let stream = self.stream(lane)?;
            stream.launch(&ready.function, ready.blocks, &addresses)?;
            self.counts.launches += 1;
            self.counts.ptx_products += u64::from(ready.product.is_some());
        }
        Ok(())
    }

    // --------------------------------------------------------------------------------- copies

    fn copy(&mut self, on: On, from: &Range, to: &Range) -> Result<(), Error> {
        if from.length != to.length {
            return Err(Error::Unsupported("a copy of another size"));
        }
        if from.length == 0 {
            return Ok(());
        }
        self.counts.copies += 1;
        if let (Bytes::Host(source), Bytes::Host(target)) = (&from.block.bytes, &to.block.bytes) {
            self.complete(on)?;
            return Ok(target.copy(to.start, source, from.start, from.length)?);
        }
        match on {
            On::Lane(lane) => issue_copy(self.stream(lane)?, from, to),
            On::Host => {
                // The device of the source, or else that of the destination.
                let device = device_of(from).or(device_of(to)).ok_or(NO_BYTES)?;
                let stream = self.session.service(self.plan, device)?;
                issue_copy(stream, from, to)?;
                Ok(stream.synchronize()?)
            }
        }
    }

    /// Waits until the host may do the work of an agent.
    fn complete(&mut self, on: On) -> Result<(), Error> {
        match on {
            On::Host => Ok(()),
            On::Lane(lane) => self.wait_lane(lane),
        }
    }

    // ---------------------------------------------------------------------------------- fills

    fn fill(&mut self, on: On, id: CommandId, to: &Range) -> Result<(), Error> {
        let Detail::Fill(pattern) = self.plan.verified.list().detail(id) else {
            return Err(Error::Unsupported("a fill without a pattern"));
        };
        if to.length == 0 || pattern.is_empty() {
            return Ok(());
        }
        self.counts.fills += 1;
        match (&to.block.bytes, on) {
            (Bytes::Host(_), _) => {
                self.complete(on)?;
                to.write(&repeated(pattern, to.length)?)
            }
            (Bytes::Device(memory), On::Lane(lane)) => {
                let target = (memory, to.start);
                match Words::of(pattern, to) {
                    Some(words) => words.fill(self.stream(lane)?, target, to.length),
                    None => self.fill_from_copy(lane, id, pattern, target, to.length),
                }
            }
            (Bytes::Device(_), On::Host) => {
                Err(Error::Unsupported("a fill of a device by the host"))
            }
        }
    }

    /// Fills by a copy of memory with the repeated pattern, which the session keeps.
    fn fill_from_copy(
        &mut self,
        lane: usize,
        id: CommandId,
        pattern: &[u8],
        target: (&DeviceMemory, u64),
        length: u64,
    ) -> Result<(), Error> {
        if !self.session.patterns.contains_key(&id) {
            let memory = PinnedMemory::new(self.plan.any_context()?, length)?;
            memory.write(0, &repeated(pattern, length)?)?;
            self.session.patterns.insert(id, memory);
        }
        let memory = self.session.patterns.get(&id).ok_or(NO_BYTES)?;
        let stream = self.stream(lane)?;
        Ok(stream.upload(target, (memory, 0), length)?)
    }

    // --------------------------------------------------------------------------- host kernels

    fn host_kernel(
        &mut self,
        on: On,
        name: &str,
        kernel: &HostKernel,
        ranges: &[(Range, Use)],
    ) -> Result<(), Error> {
        for (index, (range, use_of)) in ranges.iter().enumerate() {
            let mut others = ranges[index + 1..].iter();
            let is_written = |use_of: Use| use_of != Use::Read;
            if is_written(*use_of)
                && others.any(|(other, used)| is_written(*used) && range.overlaps(other))
            {
                return Err(OVERLAP);
            }
        }
        let places = self.download(on, ranges)?;
        self.complete(on)?;
        let mut bytes = self.gather(ranges, &places)?;
        self.counts.host_kernels += u64::from(on != On::Host);
        let flag = self.options.cancelled.unwrap_or(&NEVER);
        call(name, kernel, ranges, &mut bytes, flag)?;
        self.scatter(on, ranges, &places, &bytes)
    }

    /// Copies operands of devices into scratch memory. Returns the position of each there.
    fn download(&mut self, on: On, ranges: &[(Range, Use)]) -> Result<Vec<Option<u64>>, Error> {
        let mut total = 0u64;
        let places = ranges.iter().map(|(range, _)| {
            device_of(range).map(|_| {
                let start = total;
                total = total.saturating_add(range.length.next_multiple_of(ALIGNMENT));
                start
            })
        });
        let places: Vec<Option<u64>> = places.collect();
        if total == 0 {
            return Ok(places);
        }
        let On::Lane(lane) = on else {
            return Err(Error::Unsupported("work of the host in memory of a device"));
        };
        let scratch = self.session.scratch.as_ref();
        if scratch.is_none_or(|scratch| scratch.size() < total) {
            // The host has waited for all earlier uses.
            let memory = PinnedMemory::new(self.plan.any_context()?, total)?;
            self.session.scratch = Some(memory);
        }
        let scratch = self.session.scratch.as_ref().ok_or(NO_BYTES)?;
        let stream = self.stream(lane)?;
        let mut copies = 0;
        for ((range, use_of), place) in ranges.iter().zip(&places) {
            if let (Bytes::Device(memory), Some(place)) = (&range.block.bytes, place)
                && matches!(use_of, Use::Read | Use::Update)
                && range.length > 0
            {
                stream.download((scratch, *place), (memory, range.start), range.length)?;
                copies += 1;
            }
        }
        self.counts.copies += copies;
        Ok(places)
    }

    /// Returns the bytes of operands; zeros for those that are only written.
    fn gather(
        &self,
        ranges: &[(Range, Use)],
        places: &[Option<u64>],
    ) -> Result<Vec<Vec<u8>>, Error> {
        let bytes = ranges.iter().zip(places).map(|((range, use_of), place)| {
            if !matches!(use_of, Use::Read | Use::Update) {
                return zeros(range.length);
            }
            let Some(place) = place else {
                return range.to_vec();
            };
            let mut bytes = zeros(range.length)?;
            if let Some(scratch) = &self.session.scratch {
                scratch.read(*place, &mut bytes)?;
            }
            Ok(bytes)
        });
        bytes.collect()
    }

    /// Copies the operands that a kernel has written to their memory.
    fn scatter(
        &mut self,
        on: On,
        ranges: &[(Range, Use)],
        places: &[Option<u64>],
        bytes: &[Vec<u8>],
    ) -> Result<(), Error> {
        let mut copies = 0;
        for (((range, use_of), place), bytes) in ranges.iter().zip(places).zip(bytes) {
            if !matches!(use_of, Use::Write | Use::Update) || bytes.is_empty() {
                continue;
            }
            match (&range.block.bytes, place, on, &self.session.scratch) {
                (Bytes::Device(memory), Some(place), On::Lane(lane), Some(scratch)) => {
                    scratch.write(*place, bytes)?;
                    let target = (memory, range.start);
                    self.stream(lane)?
                        .upload(target, (scratch, *place), range.length)?;
                    copies += 1;
                }
                _ => range.write(bytes)?,
            }
        }
        self.counts.copies += copies;
        match copies {
            0 => Ok(()),
            // The scratch memory is free for the next kernel.
            _ => self.complete(on),
        }
    }

    /// Reads a decision. The host has waited for the command that writes the byte.
    fn decide(&mut self, id: CommandId, ranges: &[(Range, Use)]) -> Result<(), Error> {
        let [(range, Use::Read)] = ranges else {
            return Err(Error::Unsupported("a decision of other operands"));
        };
        let byte = range.first_byte()?;
        self.decided.insert(id, byte != 0);
        Ok(())
    }

    // -------------------------------------------------------------------- memory of the caller

    /// Returns that no buffer of the caller is used.
    pub(crate) fn unused(&self) -> Vec<External> {
        vec![External::default(); self.memory.len()]
    }

    /// Fills the mirror of the caller's memory before its first use.
    fn touch(&mut self, id: CommandId, range: &Range, use_of: Use) -> Result<(), Error> {
        let Some(position) = range.block.external else {
            return Ok(());
        };
        let mut external = self.external.get(position).copied().unwrap_or_default();
        let is_new = !external.is_used;
        external.is_used = true;
        if use_of != Use::Read {
            external.written_by.get_or_insert(id);
        }
        match self.is_captured {
            // The graph is launched after the mirrors are filled.
            true => drop(self.external.get_mut(position).map(|slot| *slot = external)),
            false if is_new || use_of != Use::Read => self.use_external(position, external)?,
            false => {}
        }
        Ok(())
    }

    /// Notes a use of the caller's memory, and fills its mirror if it is the first one.
    pub(crate) fn use_external(&mut self, position: usize, use_of: External) -> Result<(), Error> {
        let memory = self.memory.get(position).ok_or(NO_BYTES)?;
        if let (Some(command), Memory::Read(_)) = (use_of.written_by, memory) {
            return Err(Error::ReadOnly(command.0));
        }
        let slot = self.external.get_mut(position).ok_or(NO_BYTES)?;
        let is_new = use_of.is_used && !slot.is_used;
        *slot = use_of;
        if is_new && let Some(mirror) = mirror(&self.session.roots, position) {
            mirror.write(
                0,
                match memory {
                    Memory::Read(bytes) => bytes,
                    Memory::Write(bytes) => bytes,
                },
            )?;
        }
        Ok(())
    }

    /// Copies what the run has written to the memory of the caller. All commands are complete.
    pub(crate) fn store_external(&mut self) -> Result<(), Error> {
        for (position, external) in self.external.iter().enumerate() {
            if external.written_by.is_some()
                && let Some(Memory::Write(bytes)) = self.memory.get_mut(position)
                && let Some(mirror) = mirror(&self.session.roots, position)
            {
                mirror.read(0, bytes)?;
            }
        }
        Ok(())
    }
}

fn mirror(roots: &[Arc<Block>], position: usize) -> Option<&PinnedMemory> {
    let block = roots
        .iter()
        .find(|block| block.external == Some(position))?;
    match &block.bytes {
        Bytes::Host(memory) => Some(memory),
        Bytes::Device(_) => None,
    }
}

fn device_of(range: &Range) -> Option<usize> {
    match range.block.kind {
        Kind::Device(device) => Some(device),
        Kind::Host => None,
    }
}

/// Issues a copy, at least one side of which is on a device.
fn issue_copy(stream: &Stream, from: &Range, to: &Range) -> Result<(), Error> {
    let bytes = from.length;
    match (&from.block.bytes, &to.block.bytes) {
        (Bytes::Host(source), Bytes::Device(target)) => {
            stream.upload((target, to.start), (source, from.start), bytes)?;
        }
        (Bytes::Device(source), Bytes::Host(target)) => {
            stream.download((target, to.start), (source, from.start), bytes)?;
        }
        (Bytes::Device(source), Bytes::Device(target)) => {
            stream.copy((target, to.start), (source, from.start), bytes)?;
        }
        (Bytes::Host(_), Bytes::Host(_)) => return Err(NO_BYTES),
    }
    Ok(())
}

/// Calls a kernel with its operands.
fn call(
    name: &str,
    kernel: &HostKernel,
    ranges: &[(Range, Use)],
    bytes: &mut [Vec<u8>],
    flag: &AtomicBool,
) -> Result<(), Error> {
    let operands = ranges
        .iter()
        .zip(bytes)
        .map(|((_, use_of), bytes)| match use_of {
            Use::Read => Operand::Read(bytes),
            Use::Write => Operand::Write(bytes),
            Use::Update => Operand::Update(bytes),
            Use::Scratch => Operand::Scratch(bytes),
        });
    let mut operands: Vec<Operand<'_>> = operands.collect();
    let called = catch_unwind(AssertUnwindSafe(|| kernel(&mut operands, flag)));
    match called {
        Ok(Ok(())) => Ok(()),
        Ok(Err(reason)) => Err(Error::Failed {
            kernel: name.to_string(),
            reason,
        }),
        Err(_) => Err(Error::Panicked(name.to_string())),
    }
}

/// The words that a fill repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    One(u8),
    Two(u16),
    Four(u32),
}

impl Words {
    /// Returns the words of a pattern, if the range consists of them.
    fn of(pattern: &[u8], to: &Range) -> Option<Self> {
        Self::at(pattern, to.address(), to.length)
    }

    fn at(pattern: &[u8], address: u64, length: u64) -> Option<Self> {
        let first = *pattern.first()?;
        if pattern.iter().all(|byte| *byte == first) {
            return Some(Self::One(first));
        }
        let fits = |size: u64| address.is_multiple_of(size) && length.is_multiple_of(size);
        match *pattern {
            [a, b] if fits(2) => Some(Self::Two(u16::from_le_bytes([a, b]))),
            [a, b, c, d] if [a, b] == [c, d] && fits(2) => {
                Some(Self::Two(u16::from_le_bytes([a, b])))
            }
            [a, b, c, d] if fits(4) => Some(Self::Four(u32::from_le_bytes([a, b, c, d]))),
            _ => None,
        }
    }

    fn fill(self, stream: &Stream, target: (&DeviceMemory, u64), bytes: u64) -> Result<(), Error> {
        match self {
            Self::One(value) => stream.fill8(target, value, bytes)?,
            Self::Two(value) => stream.fill16(target, value, bytes / 2)?,
            Self::Four(value) => stream.fill32(target, value, bytes / 4)?,
        }
        Ok(())
    }
}

/// Returns a pattern, repeated to a length.
fn repeated(pattern: &[u8], length: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = zeros(length)?;
    let whole = pattern.iter().cycle();
    bytes
        .iter_mut()
        .zip(whole)
        .for_each(|(byte, new)| *byte = *new);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_use_the_smallest_words_that_fit() {
        let at = Words::at;
        assert_eq!(at(&[7, 7, 7], 1, 5), Some(Words::One(7)));
        assert_eq!(at(&[1, 2], 2, 6), Some(Words::Two(0x0201)));
        assert_eq!(at(&[1, 2], 1, 6), None);
        assert_eq!(at(&[1, 2], 2, 5), None);
        assert_eq!(at(&[1, 2, 1, 2], 2, 6), Some(Words::Two(0x0201)));
        assert_eq!(at(&[1, 2, 3, 4], 4, 8), Some(Words::Four(0x0403_0201)));
        assert_eq!(at(&[1, 2, 3, 4], 2, 8), None);
        assert_eq!(at(&[1, 2, 3], 0, 9), None);
    }
}
