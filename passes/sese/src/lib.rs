//! The sese pass family: from control-flow graphs to structured control flow.
//!
//! [`register`] makes the passes known to pipelines. See [`Sese`] and [`VerifyStructured`].

#![forbid(unsafe_code)]

mod body;
mod cfg;
mod choose;
mod constants;
mod emit;
mod endless;
mod entries;
mod enums;
mod grouped;
mod landing;
mod loops;
mod number;
mod pending;
mod plan;
mod print;
mod repeat;
mod results;
mod sese;
mod split;
mod tree;
#[cfg(test)]
mod tree_tests;
mod verify;
mod ways;

pub use sese::{PrintTree, Sese, SeseOptions};
pub use verify::VerifyStructured;

/// Makes the passes of this family known to pipelines.
pub fn register() {
    tfx_ir::pass::register::<Sese>();
    tfx_ir::pass::register::<VerifyStructured>();
}
