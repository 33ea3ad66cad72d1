//! IR by shape and size.

/// A kind of program that can be made in any size.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Its name on the command line and in the table.
    pub(crate) name: &'static str,
    /// The module of about that many blocks (or whatever the family counts), as text.
    pub(crate) text: fn(usize) -> String,
}
