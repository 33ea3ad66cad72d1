//! IR by shape and size.

use std::fmt::Write;

/// A kind of program that can be generated in any size.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The name on the command line and in the table.
    pub(crate) name: &'static str,
    /// Returns a module with about the given number of blocks or operations, depending on the
    /// family, as text.
    pub(crate) text: fn(usize) -> String,
}

impl Shape {
    pub(crate) const fn new(name: &'static str, text: fn(usize) -> String) -> Self {
        Shape { name, text }
    }
}

/// Returns pieces of a program, each on lines of its own. `piece` gets `i` and `i + 1`.
pub(crate) fn pieces(count: usize, piece: impl Fn(usize, usize) -> String) -> String {
    (0..count).map(|i| piece(i, i + 1) + "\n").collect()
}

/// Returns `%x{i + 1}` of type `ty`, computed from `%x{i}` by a nest of loops of the given depth:
/// each level has an operation, and the innermost one also has the operation that `innermost`
/// returns for a value. Writing to a string does not fail.
pub(crate) fn nest_of_loops(
    i: usize,
    depth: usize,
    ty: &str,
    innermost: impl Fn(&str) -> String,
) -> String {
    let mut text = String::new();
    for level in 0..depth {
        let (from, to) = match level {
            0 => (format!("%x{i}"), format!("%x{}", i + 1)),
            _ => (format!("%v{}", level - 1), format!("%r{level}")),
        };
        let _ = writeln!(
            text,
            "  {to} = scf.for %i{level} = %zero to %n step %one iter_args(%w{level} = {from}) -> ({ty}) {{
  %v{level} = tfx_tensor.op \"Exp\"(%w{level}) : ({ty}) -> {ty}"
        );
    }
    let _ = write!(text, "  %h = {}", innermost(&format!("%v{}", depth - 1)));
    for level in (0..depth).rev() {
        let inner = match level + 1 {
            inner if inner == depth => "%h".to_owned(),
            inner => format!("%r{inner}"),
        };
        let _ = write!(text, "\n  scf.yield {inner} : {ty}\n  }}");
    }
    text
}
