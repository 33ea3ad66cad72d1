//! An interpreter of PTX text, so that tests of generated GPU kernels need no GPU.
//!
//! ```text
//!   LLVM IR ──llc──► PTX text ──Module::parse──► instructions as data
//!                                                  │ Module::run: grid, block, parameters
//!                                                  ▼
//!                         each thread, one after the other ──loads, stores──► trait Memory
//! ```
//!
//! The subset is what LLVM's NVPTX backend emits for kernels of integers of 1 to 64 bits, `f32` and
//! `f64`: arithmetic, conversions, memory of all state spaces, calls, jump tables, and barriers
//! (`bar.sync`). Results have the bits of the PTX ISA, version 8. Whatever else a text has is
//! refused, with the line and the name of the instruction ([`ParseError`]): also instructions whose
//! bits the ISA does not define, such as `ex2.approx`, and `add.f32` without `.rn`, which
//! assemblers may contract to `fma`.
//!
//! A run fails at an access of memory that does not exist or is not aligned, at an undefined
//! division, at `trap`, and in a thread that executes more than [`INSTRUCTION_LIMIT`] instructions.
//! The error names the line, the block and the thread ([`RunError`]).
//!
//! ```
//! use tfx_ptx::{Fault, Memory, Module};
//!
//! /// One integer, at address 256.
//! struct Device([u8; 4]);
//!
//! impl Memory for Device {
//!     fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
//!         if (address, bytes.len()) != (256, 4) {
//!             return Err(Fault);
//!         }
//!         bytes.copy_from_slice(&self.0);
//!         Ok(())
//!     }
//!
//!     fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
//!         if (address, bytes.len()) != (256, 4) {
//!             return Err(Fault);
//!         }
//!         self.0.copy_from_slice(bytes);
//!         Ok(())
//!     }
//! }
//!
//! let text = "
//!     .version 7.8
//!     .target sm_90
//!     .address_size 64
//!     .visible .entry increment(.param .u64 p) {
//!         .reg .b32 %r<2>;
//!         .reg .b64 %rd<2>;
//!         ld.param.b64 %rd0, [p];
//!         ld.global.b32 %r0, [%rd0];
//!         add.s32 %r1, %r0, 1;
//!         st.global.b32 [%rd0], %r1;
//!         ret;
//!     }";
//! let module = Module::parse(text)?;
//! let mut device = Device([41, 0, 0, 0]);
//! let entry = module.entry("increment").expect("the text has it");
//! let parameters = 256u64.to_le_bytes();
//! module.run(entry, [1, 1, 1], [1, 1, 1], &parameters, &mut device)?;
//! assert_eq!(device.0, [42, 0, 0, 0]);
//!
//! let error = Module::parse(&text.replace("add.s32", "atom.s32")).unwrap_err();
//! assert_eq!(error.to_string(), "line 10: the instruction 'atom.s32' is not in the subset");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not done: `f16` and `bf16`, atomics, shuffles and other operations of warps, textures, `.ftz`
//! and `.sat` of floating-point numbers, calls by address, shared memory whose size the launch
//! sets. Races of threads are not detected. The order of threads is fixed, so a kernel that needs
//! threads to run at the same time without barriers does not end.
//!
//! Cost: parsing is linear in the text; an instruction takes 5 to 20 ns.

#![forbid(unsafe_code)]

mod arithmetic;
mod body;
mod convert;
mod cursor;
mod error;
mod execute;
mod float;
mod instruction;
mod lexer;
mod memory;
mod model;
mod opcode;
mod operand;
mod parse;
mod variable;

pub use error::{Cause, Fault, ParseError, Refusal, RunError};
pub use execute::INSTRUCTION_LIMIT;
pub use memory::Memory;
pub use model::{Entry, Module};
