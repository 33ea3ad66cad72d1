//! Reduction of a program while it shows the same mismatch.
//!
//! `shrink.rs` has the algorithm. Each candidate is checked in a separate process, so that a
//! program that crashes the compiler can be reduced, too. A candidate that is not well defined has
//! another symptom, and is rejected.

use std::path::Path;
use std::time::Duration;

use melior::Context;

use crate::check::Checker;
use crate::compiled::Runner;
use crate::ffi::process::{self, Ending};
use crate::generate::Generated;
use crate::shrink;

/// A multiple of the time of one check on a loaded machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Returns the smallest program found with the same symptom, or `None` if the program shows no
/// mismatch.
pub fn reduce(
    context: &Context,
    runner: Option<&Runner>,
    program: &Generated,
) -> Option<Generated> {
    let original = symptom(context, runner, program)?;
    let of = |text: &str| Generated {
        text: text.to_owned(),
        in_place: None,
        ..program.clone()
    };
    let text = shrink::smallest(context, &program.text, |text| {
        symptom(context, runner, &of(text)).as_ref() == Some(&original)
    });
    Some(of(&text))
}

/// Returns the symptom of a program, in a form that programs with the same bug share.
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
        Ending::Late => Some("it does not terminate".to_owned()),
    }
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Returns a message without the parts that reduction changes: numbers, and values and names in
/// quotation marks.
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
