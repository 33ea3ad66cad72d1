//! The syntax of Python: a parser, and its tree in a stable form.
//!
//! ```text
//!   text ──ruff_python_parser──> its tree ──convert──> Module: statements, expressions, spans
//! ```
//!
//! The parser has no stable interface. This crate alone knows it: an update of the parser changes
//! `convert.rs`, and nothing else. The tree here has what the front end compiles; every other form
//! is [`ExprKind::Other`] or [`StmtKind::Other`] with its name, so that the front end can reject it
//! in the user's words.
//!
//! Cost: linear in the text. The parser and the conversion recurse on the nesting of the source;
//! CPython bounds the nesting of what it accepts, and [`parse`] runs on a stack that is large
//! enough for this bound. Source that is nested more deeply is an error.

#![forbid(unsafe_code)]

mod convert;
mod lines;
mod tree;

use std::thread;

pub use lines::Lines;
pub use tree::*;

/// The size of the stack of [`on_large_stack`]: memory is used only as far as it is needed.
const STACK: usize = 1 << 30;

/// The number of nested brackets and blocks that a source may have. CPython stops at 200 brackets
/// and at 100 blocks.
const NESTING: usize = 400;

/// The length of a chain of operators, attributes or calls. CPython stops near 6,000.
const CHAIN: usize = 6_000;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The wrong part.
    pub span: Span,
    /// The reason.
    pub message: String,
}

/// Parses a file.
///
/// # Errors
/// Text that is not Python.
pub fn parse(text: &str) -> Result<Module, SyntaxError> {
    check_nesting(text)?;
    on_large_stack(|| {
        let parsed = ruff_python_parser::parse_module(text).map_err(|error| SyntaxError {
            span: convert::span(error.location),
            message: error.error.to_string(),
        })?;
        Ok(convert::module(parsed.into_syntax()))
    })
}

/// Runs code that recurses on the nesting of a source.
///
/// # Panics
/// If the code panics, or the system has no memory for a stack.
pub fn on_large_stack<R: Send>(body: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let thread = thread
            .spawn_scoped(scope, body)
            .expect("the system has memory for a stack");
        match thread.join() {
            Ok(result) => result,
            Err(payload) => std::panic::resume_unwind(payload),
        }
    })
}

/// Rejects text whose brackets are nested too deeply, or whose lines are too long chains, before
/// the parser recurses on it. Brackets in strings and comments count too: the bound is generous.
fn check_nesting(text: &str) -> Result<(), SyntaxError> {
    let (mut depth, mut operators) = (0usize, 0usize);
    for (index, byte) in text.bytes().enumerate() {
        let too_deep = |message: &str| SyntaxError {
            span: Span::at(index as u32),
            message: message.to_owned(),
        };
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                operators += 1;
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 => operators = 0,
            b'+' | b'-' | b'*' | b'/' | b'~' | b'.' | b'<' | b'>' | b'=' | b'|' | b'&' | b'@'
            | b'%' | b'^' | b':' | b' ' => operators += 1,
            _ => {}
        }
        if depth > NESTING {
            return Err(too_deep("too many nested brackets"));
        }
        if operators > CHAIN * 8 {
            return Err(too_deep("an expression that is too long; split it"));
        }
    }
    Ok(())
}
