//! The sese pass family: from control-flow graphs to structured control flow.
//!
//! [`register`] makes the passes known to pipelines. See [`Sese`].

mod body;
mod cfg;
mod choose;
mod emit;
mod endless;
mod landing;
mod loops;
mod pending;
mod plan;
mod print;
mod repeat;
mod sese;
mod tree;
#[cfg(test)]
mod tree_tests;
mod ways;

pub use sese::{Sese, SeseOptions};

/// Makes the passes of this family known to pipelines.
pub fn register() {
    tfx_ir::pass::register::<Sese>();
}
