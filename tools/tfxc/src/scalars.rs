//! Negative scalars on the command line: `-3`, `-2.5e-3`, `-inf`, `-nan`.
//!
//! clap parses `-inf` as the flags `-i`, `-n` and `-f`, and does not support exponents in negative
//! numbers. [`mark`] inserts a NUL, which no argument of a process contains, before each negative
//! number, so that clap parses it as a value; [`parse`] removes the NUL again. The value of an
//! option is not changed.

use std::convert::Infallible;
use std::ffi::OsString;

use clap::{Arg, Command};

/// A character that no argument of a process contains.
const MARK: char = '\0';

/// Marks each negative number that is not the value of an option.
pub(crate) fn mark(command: &Command, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let options: Vec<_> = command
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .filter(|option| option.get_action().takes_values())
        .collect();
    let mut is_value = false;
    arguments
        .map(|argument| {
            let text = argument.to_str().unwrap_or_default();
            let is_scalar = !is_value && is_negative_number(text);
            is_value = options.iter().any(|option| is_name_of(option, text));
            if is_scalar {
                format!("{MARK}{text}").into()
            } else {
                argument
            }
        })
        .collect()
}

/// Returns a scalar without its mark.
pub(crate) fn parse(text: &str) -> Result<String, Infallible> {
    Ok(text.trim_start_matches(MARK).to_owned())
}

fn is_negative_number(text: &str) -> bool {
    text.starts_with('-') && text.parse::<f64>().is_ok()
}

/// Returns whether a text is an option whose value is the next argument.
fn is_name_of(option: &Arg, text: &str) -> bool {
    let long = option.get_long().map(|name| format!("--{name}"));
    let short = option.get_short().map(|name| format!("-{name}"));
    [long, short].iter().flatten().any(|name| name == text)
}
