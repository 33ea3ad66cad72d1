//! Safe Rust over melior: walks, changes of regions, typed operations, symbol tables, diagnostics,
//! the Pass trait.
//!
//! # One lifetime
//!
//! [`Op`], [`Block`], [`Region`] and [`Value`] are `Copy` references with one lifetime `'a`: the
//! run of the pass, or the scope that holds the module. Types, attributes and locations are
//! melior's, with the same `'a`: `Type<'a>`, `Attribute<'a>`, `Location<'a>`. All of them convert
//! from and into melior's with `From`.
//!
//! Equality, hash and order of the four are those of the address, so they can be keys of a
//! `HashMap` and nodes of a petgraph. Addresses differ from run to run: neither their order nor the
//! order of a hash map may reach the output.
//!
//! # The contract
//!
//! IR is a graph that passes change while they hold references into it, which Rust's borrow checker
//! cannot follow, in melior or here. As with an index into a `Vec`, a pass must not use a reference
//! after it has erased the referent; MLIR does not detect this. All other preconditions of MLIR (an
//! index in range, no uses left of an erased operation) are checked here. A violation is a panic,
//! which the bridge turns into an error of the pass.
//!
//! # A pass
//!
//! ```
//! use melior::{Context, dialect::DialectRegistry, utility::register_all_dialects};
//! use tfx_ir::ops::arith;
//! use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
//! use tfx_ir::{Op, diag, module, pass, pipeline};
//!
//! tfx_ir::options! {
//!     /// The options of `example-no-division`.
//!     pub struct NoDivisionOptions {
//!         /// Report a division as an error instead of a warning.
//!         strict: bool = false,
//!     }
//! }
//!
//! /// Complains about integer divisions.
//! #[derive(Default)]
//! struct NoDivision;
//!
//! const FOUND: Statistic = Statistic::new("found", "Divisions found");
//!
//! impl Pass for NoDivision {
//!     type Options = NoDivisionOptions;
//!     const NAME: &'static str = "ExampleNoDivision";
//!     const ARGUMENT: &'static str = "example-no-division";
//!     const DESCRIPTION: &'static str = "Complain about integer divisions";
//!     const ANCHOR: Anchor = Anchor::Function;
//!     const STATISTICS: &'static [Statistic] = &[FOUND];
//!
//!     fn run<'a>(&mut self, func: Op<'a>, cx: &PassContext<'a, NoDivisionOptions>) -> PassResult {
//!         for op in func.walk().filter_map(arith::DivSI::cast) {
//!             cx.count(FOUND, 1);
//!             let message = "this division is slow: multiply by the inverse instead";
//!             if cx.options().strict {
//!                 Err(diag::error(op.location(), message))?;
//!             }
//!             diag::warning(op.location(), message).note(func.location(), "in this function").emit();
//!         }
//!         Ok(())
//!     }
//! }
//!
//! pass::register::<NoDivision>();
//!
//! let registry = DialectRegistry::new();
//! register_all_dialects(&registry);
//! let context = Context::new();
//! context.append_dialect_registry(&registry);
//! let text = "func.func @f(%a: i32) -> i32 {\n  %b = arith.divsi %a, %a : i32\n  return %b : i32\n}\n";
//! let module = module::parse(&context, text, "f.mlir").unwrap();
//!
//! let collector = diag::Collector::new(&context);
//! pipeline::run(module::as_op(&module), "builtin.module(func.func(example-no-division))").unwrap();
//! let reported = collector.take();
//! assert_eq!(reported[0].place.as_ref().unwrap().to_string(), "f.mlir:2:8");
//! assert_eq!(reported[0].notes[0].message, "in this function");
//!
//! let strict = "builtin.module(func.func(example-no-division{strict=true}))";
//! assert!(pipeline::run(module::as_op(&module), strict).is_err());
//! ```

pub mod attribute;
pub mod cast;
pub mod diag;
pub mod gpu;
pub mod location;
pub mod lsp;
pub mod module;
pub mod ops;
pub mod opt;
pub mod options;
pub mod pass;
pub mod pipeline;
pub mod scalar_ops;
pub mod scalars;
pub mod size;
pub mod symbols;
pub mod termination;
pub mod trip_count;
pub mod view;

mod block;
mod builder;
mod effects;
mod ffi;
mod op;
mod region;
mod rewrite;
pub mod upstream;
mod value;
mod walk;

pub use block::Block;
pub use builder::{Builder, OpBuilder};
pub use effects::{Effects, Folded, Trait};
pub use op::{Op, SuccessorOperands, signature_of};
pub use region::Region;
pub use rewrite::{Mapping, replace_types};
pub use value::{Definition, Use, Value};
pub use walk::Walk;
