//! The execution of kernels.
//!
//! ```text
//!   grid ── block ── thread ──► frames:  kernel │ function │ function
//!                     │         slots      …    │    …     │    …       one stack each of slots,
//!                     │         local      …    │    …     │    …       local variables and
//!                     ▼         parameters …    │    …     │    …       parameters
//!                  ends, or waits at a barrier
//! ```
//!
//! Blocks run one after the other, and so do the threads of a block: each until it ends or waits
//! at a barrier. When all threads of a block wait at the same barrier, they go on, in the same
//! order. So a kernel whose threads race has one of its possible results, always the same.
//!
//! Registers, local and shared variables have the bytes `0xa5` before they are written, and
//! predicates are false.
//!
//! Cost: no allocation per instruction, and one per frame at most the first time.

use std::sync::PoisonError;

use crate::arithmetic::{binary, compare, insert, ternary, unary};
use crate::body::UNWRITTEN;
use crate::convert::{convert, extend};
use crate::error::{Cause, RunError};
use crate::memory::{FRAME_ALIGN, LOCAL_LIMIT, Memory, Private, Spaces, from_generic, generic};
use crate::model::{
    Address, Argument, Call, Entry, Function, LOCAL_BASE, Module, Op, PARAM_BASE, SPECIAL, Vector,
    low,
};
use crate::parse::THREAD_LIMIT;

/// The most instructions of a thread: a loop that does not end is reported after less than a
/// second, and the kernels of tests execute fewer.
pub const INSTRUCTION_LIMIT: u64 = 1 << 26;
/// The most nested calls: frames without local variables do not exhaust the memory.
const FRAME_LIMIT: usize = 1024;
/// The most slots of all frames of a thread.
const STACK_SLOTS: usize = 1 << 22;
/// The largest grid, as on hardware.
const GRID_LIMIT: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];
/// The largest block in each dimension, as on hardware.
const BLOCK_LIMIT: [u32; 3] = [1024, 1024, 64];

impl Module {
    /// Runs a kernel with all blocks of a grid, one thread after the other. `parameters` has the
    /// bytes of all parameters, at [`Entry::parameter_offsets`].
    ///
    /// # Errors
    ///
    /// The kernel is not one of this module, the arguments do not fit it, or an instruction fails.
    pub fn run(
        &self,
        entry: &Entry,
        grid: [u32; 3],
        block: [u32; 3],
        parameters: &[u8],
        memory: &mut dyn Memory,
    ) -> Result<(), RunError> {
        if self.entry(&entry.name) != Some(entry) {
            return Err(RunError::Entry(entry.name.clone()));
        }
        let (expected, got) = (entry.size(), parameters.len());
        if expected != got {
            return Err(RunError::Parameters { expected, got });
        }
        let function = &self.functions[entry.function as usize];
        check_grid(function, grid, block)?;
        let global = self.global.as_ref();
        let mut global = global.map(|it| it.lock().unwrap_or_else(PoisonError::into_inner));
        let mut shared = vec![UNWRITTEN; self.shared_bytes];
        let spaces = Spaces {
            device: memory,
            global: global.as_deref_mut().map_or(&mut [], Vec::as_mut_slice),
            constant: &self.constant,
            shared: &mut shared,
        };
        let mut launch = Launch {
            functions: &self.functions,
            entry,
            parameters,
            grid,
            block,
            spaces,
            idle: Vec::new(),
        };
        indices(grid).try_for_each(|index| launch.run_block(index))
    }
}

fn check_grid(function: &Function, grid: [u32; 3], block: [u32; 3]) -> Result<(), RunError> {
    let is_inside = |size: [u32; 3], limit: [u32; 3]| {
        let mut sizes = size.iter().zip(limit);
        sizes.all(|(&size, limit)| (1..=limit).contains(&size))
    };
    let threads: u64 = block.iter().map(|&size| u64::from(size)).product();
    let is_allowed = is_inside(grid, GRID_LIMIT)
        && is_inside(block, BLOCK_LIMIT)
        && threads <= function.threads.unwrap_or(THREAD_LIMIT).min(THREAD_LIMIT)
        && function.required.is_none_or(|required| required == block);
    match is_allowed {
        true => Ok(()),
        false => Err(RunError::Grid { grid, block }),
    }
}

/// Returns the indices below a size, where the first dimension changes fastest.
fn indices([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

/// The frame of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    function: u32,
    /// The index of the next instruction.
    next: u32,
    /// The positions of the frame's slots, local variables and parameters.
    slots: usize,
    local: usize,
    param: usize,
}

/// A thread that has not ended.
#[derive(Debug, Default)]
struct Thread {
    index: [u32; 3],
    frame: Frame,
    /// The frames of the callers.
    callers: Vec<Frame>,
    slots: Vec<u64>,
    private: Private,
    executed: u64,
}

/// The reason why a thread stops.
enum Stop {
    End,
    Barrier(u8),
}

/// The reason why the execution leaves a frame.
enum Leave {
    Call,
    Return,
    Stop(Stop),
}

/// A grid that runs.
struct Launch<'m> {
    functions: &'m [Function],
    entry: &'m Entry,
    parameters: &'m [u8],
    grid: [u32; 3],
    block: [u32; 3],
    spaces: Spaces<'m>,
    /// Threads that have ended, whose memory is used again.
    idle: Vec<Thread>,
}

/// Blocks and threads.
impl Launch<'_> {
    fn run_block(&mut self, block: [u32; 3]) -> Result<(), RunError> {
        self.spaces.shared.fill(UNWRITTEN);
        let mut waiting = Vec::new();
        for index in indices(self.block) {
            let thread = self.start(block, index);
            self.advance(block, thread, &mut waiting)?;
        }
        let threads = self.block.iter().product::<u32>() as usize;
        while let Some((first, id)) = waiting.first() {
            let is_complete = waiting.len() == threads && waiting.iter().all(|(_, i)| i == id);
            if !is_complete {
                return Err(self.error(block, first, Cause::Barrier));
            }
            for (thread, _) in std::mem::take(&mut waiting) {
                self.advance(block, thread, &mut waiting)?;
            }
        }
        Ok(())
    }

    /// Creates a thread at the start of the kernel.
    fn start(&mut self, block: [u32; 3], index: [u32; 3]) -> Thread {
        let function = &self.functions[self.entry.function as usize];
        let mut thread = self.idle.pop().unwrap_or_default();
        thread.index = index;
        thread.executed = 0;
        thread.frame = Frame {
            function: self.entry.function,
            ..Frame::default()
        };
        thread.callers.clear();
        thread.slots.clear();
        thread.slots.extend_from_slice(&function.initial);
        let special = [index, self.block, block, self.grid];
        let special = special.iter().flatten().map(|&value| u64::from(value));
        thread
            .slots
            .iter_mut()
            .zip(special)
            .for_each(|(slot, value)| *slot = value);
        let Private { local, param } = &mut thread.private;
        local.clear();
        local.resize(function.local_bytes as usize, UNWRITTEN);
        param.clear();
        param.extend_from_slice(self.parameters);
        param.resize(function.param_bytes as usize, UNWRITTEN);
        thread
    }

    /// Runs a thread until it ends or waits.
    fn advance(
        &mut self,
        block: [u32; 3],
        mut thread: Thread,
        waiting: &mut Vec<(Thread, u8)>,
    ) -> Result<(), RunError> {
        match self.run_thread(&mut thread) {
            Ok(Stop::End) => self.idle.push(thread),
            Ok(Stop::Barrier(id)) => waiting.push((thread, id)),
            Err(cause) => return Err(self.error(block, &thread, cause)),
        }
        Ok(())
    }

    fn error(&self, block: [u32; 3], thread: &Thread, cause: Cause) -> RunError {
        let lines = &self.functions[thread.frame.function as usize].lines;
        let instruction = (thread.frame.next as usize).saturating_sub(1);
        RunError::Thread {
            kernel: self.entry.name.clone(),
            line: lines.get(instruction).copied().unwrap_or_default(),
            block,
            thread: thread.index,
            cause,
        }
    }

    fn run_thread(&mut self, thread: &mut Thread) -> Result<Stop, Cause> {
        loop {
            match self.run_frame(thread)? {
                Leave::Call => self.call(thread)?,
                Leave::Return if thread.callers.is_empty() => return Ok(Stop::End),
                Leave::Return => self.finish_call(thread),
                Leave::Stop(stop) => return Ok(stop),
            }
        }
    }

    /// Runs instructions until the frame changes or the thread stops.
    fn run_frame(&mut self, thread: &mut Thread) -> Result<Leave, Cause> {
        let function = &self.functions[thread.frame.function as usize];
        let Thread {
            frame,
            slots,
            private,
            executed,
            ..
        } = thread;
        let slots = &mut slots[frame.slots..];
        loop {
            let op = &function.ops[frame.next as usize];
            frame.next += 1;
            *executed += 1;
            if *executed > INSTRUCTION_LIMIT {
                return Err(Cause::Instructions(INSTRUCTION_LIMIT));
            }
            match op {
                Op::Branch { target } => frame.next = *target,
                Op::BranchIf {
                    predicate,
                    value,
                    target,
                } => {
                    if (slots[*predicate as usize] != 0) == *value {
                        frame.next = *target;
                    }
                }
                Op::BranchTable { index, table } => {
                    let index = slots[*index as usize];
                    frame.next = table_target(&function.tables[*table as usize], index)?;
                }
                Op::Load { .. } | Op::LoadVector { .. } => {
                    self.spaces.load_op(op, slots, private)?
                }
                Op::Store { .. } | Op::StoreVector { .. } => {
                    self.spaces.store_op(op, slots, private)?;
                }
                Op::Call(_) => return Ok(Leave::Call),
                Op::Return => return Ok(Leave::Return),
                Op::Exit => return Ok(Leave::Stop(Stop::End)),
                Op::Barrier { id } => return Ok(Leave::Stop(Stop::Barrier(*id))),
                Op::Trap => return Err(Cause::Trap),
                _ => compute(op, slots)?,
            }
        }
    }
}

fn table_target(table: &[u32], index: u64) -> Result<u32, Cause> {
    let target = table.get(index as usize).copied();
    target.ok_or(Cause::Branch {
        index: index as u32,
        targets: table.len(),
    })
}

/// Calls.
impl Launch<'_> {
    /// Returns the call that a frame executes.
    fn call_of(&self, frame: Frame) -> Option<&Call> {
        let ops = &self.functions[frame.function as usize].ops;
        match ops.get((frame.next as usize).checked_sub(1)?) {
            Some(Op::Call(call)) => Some(call),
            _ => None,
        }
    }

    /// Creates the frame of a function, and copies its arguments.
    fn call(&self, thread: &mut Thread) -> Result<(), Cause> {
        let caller = thread.frame;
        let Some(call) = self.call_of(caller) else {
            return Ok(());
        };
        let function = &self.functions[call.function as usize];
        let Thread { slots, private, .. } = thread;
        let frame = Frame {
            function: call.function,
            next: 0,
            slots: slots.len(),
            local: private.local.len().next_multiple_of(FRAME_ALIGN as usize),
            param: private.param.len().next_multiple_of(FRAME_ALIGN as usize),
        };
        let local_end = frame.local + function.local_bytes as usize;
        let slots_end = frame.slots + function.initial.len();
        if thread.callers.len() >= FRAME_LIMIT
            || local_end > LOCAL_LIMIT as usize
            || slots_end > STACK_SLOTS
        {
            return Err(Cause::Stack);
        }
        slots.extend_from_slice(&function.initial);
        slots.copy_within(caller.slots..caller.slots + SPECIAL, frame.slots);
        slots[frame.slots + LOCAL_BASE as usize] = frame.local as u64;
        slots[frame.slots + PARAM_BASE as usize] = frame.param as u64;
        private.local.resize(local_end, UNWRITTEN);
        let param_end = frame.param + function.param_bytes as usize;
        private.param.resize(param_end, UNWRITTEN);
        for &Argument {
            caller: from,
            callee: to,
            bytes,
        } in &call.arguments
        {
            let start = caller.param + from as usize;
            let source = start..start + bytes as usize;
            private.param.copy_within(source, frame.param + to as usize);
        }
        thread.callers.push(caller);
        thread.frame = frame;
        Ok(())
    }

    /// Copies the result of a function, and removes its frame.
    fn finish_call(&self, thread: &mut Thread) {
        let Some(caller) = thread.callers.pop() else {
            return;
        };
        let callee = std::mem::replace(&mut thread.frame, caller);
        let call = self.call_of(caller);
        let private = &mut thread.private;
        if let Some(Argument {
            caller: to,
            callee: from,
            bytes,
        }) = call.and_then(|c| c.result)
        {
            let start = callee.param + from as usize;
            let source = start..start + bytes as usize;
            private
                .param
                .copy_within(source, caller.param + to as usize);
        }
        thread.slots.truncate(callee.slots);
        private.local.truncate(callee.local);
        private.param.truncate(callee.param);
    }
}

/// Computes an instruction that accesses only slots.
fn compute(op: &Op, slots: &mut [u64]) -> Result<(), Cause> {
    let get = |slot: &u32| slots[*slot as usize];
    let (d, value) = match op {
        Op::Move { d, a } => (d, get(a)),
        Op::Unary { op, ty, d, a } => (d, unary(*op, *ty, get(a))),
        Op::Binary { op, ty, d, a, b } => (d, binary(*op, *ty, get(a), get(b))?),
        Op::Ternary { op, ty, d, a, b, c } => (d, ternary(*op, *ty, [get(a), get(b), get(c)])),
        Op::Insert { ty, d, sources } => {
            let [field, base, start, length] = sources.each_ref().map(get);
            (d, insert(*ty, field, base, start, length))
        }
        Op::Compare { op, ty, d, a, b } => (d, u64::from(compare(*op, *ty, get(a), get(b)))),
        Op::Select { d, a, b, predicate } => (d, get(if get(predicate) != 0 { a } else { b })),
        Op::Convert { conversion, d, a } => (d, convert(*conversion, get(a))),
        Op::Pack { d, elements } => (d, pack(elements, slots)),
        Op::Unpack { a, elements } => {
            let value = get(a);
            unpack(elements, value, slots);
            return Ok(());
        }
        Op::ToGeneric { space, d, a } => (d, generic(*space, get(a))),
        Op::FromGeneric { space, d, a } => (d, from_generic(*space, get(a))?),
        // The others are executed by `run_frame`.
        _ => return Ok(()),
    };
    slots[*d as usize] = value;
    Ok(())
}

fn pack(elements: &Vector, slots: &[u64]) -> u64 {
    let used = elements.slots[..usize::from(elements.count)].iter().rev();
    used.fold(0, |value, slot| {
        value << elements.ty.bits() | slots[*slot as usize]
    })
}

fn unpack(elements: &Vector, value: u64, slots: &mut [u64]) {
    let bits = elements.ty.bits();
    for (index, slot) in elements.slots[..usize::from(elements.count)]
        .iter()
        .enumerate()
    {
        slots[*slot as usize] = low(value >> (index as u32 * bits), bits);
    }
}

/// The most bytes of an access.
const ACCESS: usize = 32;

/// Accesses of memory.
impl Spaces<'_> {
    fn load_op(&mut self, op: &Op, slots: &mut [u64], private: &mut Private) -> Result<(), Cause> {
        let mut bytes = [0; ACCESS];
        match op {
            Op::Load {
                address,
                ty,
                register,
                d,
            } => {
                let bytes = &mut bytes[..ty.bytes()];
                self.load(private, address.space, place(*address, slots), bytes)?;
                slots[*d as usize] = extend(read(bytes), *ty, *register);
            }
            Op::LoadVector { address, elements } => {
                let size = elements.ty.bytes();
                let bytes = &mut bytes[..size * usize::from(elements.count)];
                self.load(private, address.space, place(*address, slots), bytes)?;
                for (index, element) in bytes.chunks(size).enumerate() {
                    let value = extend(read(element), elements.ty, elements.registers[index]);
                    slots[elements.slots[index] as usize] = value;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn store_op(&mut self, op: &Op, slots: &[u64], private: &mut Private) -> Result<(), Cause> {
        match op {
            Op::Store { address, ty, a } => {
                let bytes = slots[*a as usize].to_le_bytes();
                let bytes = &bytes[..ty.bytes()];
                self.store(private, address.space, place(*address, slots), bytes)
            }
            Op::StoreVector { address, elements } => {
                let mut bytes = [0; ACCESS];
                let size = elements.ty.bytes();
                let bytes = &mut bytes[..size * usize::from(elements.count)];
                for (index, element) in bytes.chunks_mut(size).enumerate() {
                    let value = slots[elements.slots[index] as usize].to_le_bytes();
                    element.copy_from_slice(&value[..size]);
                }
                self.store(private, address.space, place(*address, slots), bytes)
            }
            _ => Ok(()),
        }
    }
}

/// Returns the address of an access.
fn place(address: Address, slots: &[u64]) -> u64 {
    slots[address.base as usize].wrapping_add_signed(i64::from(address.offset))
}

/// Returns an integer of at most 8 bytes, the lowest first.
fn read(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |value, byte| value << 8 | u64::from(*byte))
}
