//! A program that shows a mismatch, made smaller as long as it shows it.
//!
//! How is in `shrink.rs`. Each candidate is checked in a process of its own, so a program that kills the compiler shrinks, too. One that is no
//! longer well defined shows something else, and is not taken.

use std::path::Path;
use std::time::Duration;

use melior::Context;

use crate::check::Checker;
use crate::compiled::Runner;
use crate::ffi::process::{self, Ending};
use crate::generate::Generated;
use crate::shrink;

/// Longer than one check takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The smallest program that was found that shows what this one does; nothing where it shows no mismatch.
pub fn reduce(
    context: &Context,
    runner: Option<&Runner>,
    program: &Generated,
) -> Option<Generated> {
    let wanted = symptom(context, runner, program)?;
    let of = |text: &str| Generated {
        text: text.to_owned(),
        in_place: None,
        ..program.clone()
    };
    let text = shrink::smallest(context, &program.text, |text| {
        symptom(context, runner, &of(text)).as_ref() == Some(&wanted)
    });
    Some(of(&text))
}

/// What a program shows, in so many words that another one which shows it has the same fault.
fn symptom(context: &Context, runner: Option<&Runner>, program: &Generated) -> Option<String> {
    let folder = tempfile::tempdir().ok()?;
    let (output, errors) = (folder.path().join("out"), folder.path().join("err"));
    let work = || {
        if let Err(mismatch) = Checker::new(context, runner).check(program) {
            print!("{}", essence(&mismatch.to_string()));
        }
        i32::from(std::io::Write::flush(&mut std::io::stdout()).is_err())
    };
    match process::run(&output, &errors, TIMEOUT, work).ok()? {
        Ending::Exit(0) => read(&output).filter(|text| !text.is_empty()),
        Ending::Exit(code) => Some(format!("exit code {code}")),
        Ending::Signal(signal) => Some(format!("signal {signal}")),
        Ending::Late => Some("it does not end".to_owned()),
    }
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// A message without what changes when a program shrinks: numbers, values and names in quotation marks.
fn essence(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let mut text = String::new();
    let mut quoted = false;
    for character in first.chars() {
        match character {
            '\'' => quoted = !quoted,
            _ if quoted || character.is_ascii_digit() => {}
            _ => text.push(character),
        }
    }
    text
}
