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

/// Appends `%x{i + 1}` of type `ty`, computed from `%x{i}` by a nest of loops of the given depth:
/// each level has an operation, and the innermost one also has the operation that `innermost`
/// returns for a value. Writing to a string does not fail.
pub(crate) fn nest_of_loops(
    text: &mut String,
    i: usize,
    depth: usize,
    ty: &str,
    innermost: impl Fn(&str) -> String,
) {
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
    let _ = writeln!(text, "  %h = {}", innermost(&format!("%v{}", depth - 1)));
    for level in (0..depth).rev() {
        let inner = match level + 1 {
            inner if inner == depth => "%h".to_owned(),
            inner => format!("%r{inner}"),
        };
        let _ = writeln!(text, "  scf.yield {inner} : {ty}\n  }}");
    }
}
