//! The sese pass family.

mod cfg;
mod landing;
mod loops;
mod pending;
mod tree;
#[cfg(test)]
mod tree_tests;
