//! Command lists: stream schedules as bytes, and an executor on threads of the CPU.
//!
//! ```text
//!   Schedule + names of kernels ──encode──► bytes in a program image
//!                                             │ decode
//!                                             ▼
//!                            CommandList ──verify──► Verified ──► run on threads
//! ```
//!
//! A list is verified again after it is decoded ([`Verified::new`]), by the checker that also
//! verifies the IR. So a mistake of the encoding, such as a wrong stream, is an error and not a
//! race, and the executor accepts no other lists.
//!
//! ```
//! use std::collections::BTreeMap;
//! use tfx_commands::{CommandList, Detail, Kernels, Operand, Options, Verified, run};
//! use tfx_schedule::{Builder, Device, Names, Space, read, write};
//!
//! let mut b = Builder::new();
//! let cpu = b.device(Device::Cpu);
//! b.begin_part("main");
//! let [s0, s1] = [b.stream(cpu), b.stream(cpu)];
//! let [x, y] = [b.buffer(1, Space::Pageable), b.buffer(1, Space::Pageable)];
//! let [v, w] = [b.value(), b.value()];
//! b.launch(Detail::kernel("one"), s0, &[write(x, v)]);
//! let e = b.record(Detail::None, s0);
//! b.wait(Detail::None, s1, &[e]);
//! b.launch(Detail::kernel("double"), s1, &[read(x, v), write(y, w)]);
//! b.end_part(Names::default());
//! let bytes = CommandList::new(b.finish()?).encode();
//!
//! let verified = Verified::new(CommandList::decode(&bytes)?)?;
//! let mut kernels = Kernels::default();
//! kernels.add("one", |operands| {
//!     if let [Operand::Write(x)] = operands {
//!         x.fill(1);
//!     }
//! });
//! kernels.add("double", |operands| {
//!     if let [Operand::Read(x), Operand::Write(y)] = operands {
//!         y[0] = 2 * x[0];
//!     }
//! });
//! let mut memory = vec![vec![0u8], vec![0u8]];
//! run(&verified, &kernels, &mut memory, &mut Options::default())?;
//! assert_eq!(memory, [[1], [2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod bytes;
mod decisions;
mod decode;
mod encode;
mod list;
#[allow(
    unsafe_code,
    reason = "memory that several threads access, in a verified order"
)]
mod memory;
mod replay;
mod run;
mod stream;
mod sync;
mod workers;

pub use decode::DecodeError;
pub use list::{CommandList, Detail, Rejected, Verified};
pub use memory::{Memory, Operand, Use};
pub use run::{Decisions, Executable, Kernels, Observer, Options, RunError, run, uses};
