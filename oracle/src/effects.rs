//! The observable behaviour of a program: calls of foreign functions, and printed lines.

use tfx_runtime::format;

use crate::code::Foreign;
use crate::error::Error;
use crate::machine::Machine;
use crate::value::{Number, Value, text};

/// Returns the results of a foreign function, and records the call. The calls of a queue are not
/// recorded, since their number is not fixed.
pub(crate) fn call_foreign<'a>(
    machine: &mut Machine<'_, 'a>,
    foreign: &Foreign<'a>,
    values: Vec<Value<'a>>,
    recorded: bool,
) -> Result<Vec<Value<'a>>, Error> {
    let pairs = || values.iter().zip(&foreign.arguments);
    if recorded {
        let texts: Vec<_> = pairs()
            .map(|(value, number)| text(value, *number))
            .collect();
        let line = format!("@{}({})", foreign.name, texts.join(", "));
        machine.world.called(&line)?;
        machine.trace.push(line);
    }
    let tensors: Option<Vec<_>> = pairs()
        .map(|(value, number)| value.to_tensor(*number))
        .collect();
    let tensors = tensors.ok_or_else(|| {
        let name = foreign.name;
        format!(
            "expected numbers, strings and tensors as arguments of the foreign function '@{name}'"
        )
    })?;
    let results = machine.world.call(foreign.name, tensors)?;
    let types = foreign.results.iter().copied();
    let results = results.into_iter().zip(types);
    let results = results.map(|(tensor, ty)| Value::given(&tensor, ty));
    results.collect()
}

/// Returns the message of an assertion or an abort, which is a format only if there are values.
///
/// # Errors
/// As [`printed`].
pub(crate) fn message_of(
    message: &str,
    values: &[Value<'_>],
    numbers: &[Option<Number>],
) -> Result<String, Error> {
    match values {
        [] => Ok(message.to_owned()),
        values => printed(message, values, numbers),
    }
}

/// Returns the printed line of some values, each formatted as the runtime does.
pub(crate) fn printed(
    format: &str,
    values: &[Value<'_>],
    numbers: &[Option<Number>],
) -> Result<String, Error> {
    let mut tensors = Vec::new();
    // The leaves of structs and tuples, which are printed in their place.
    let mut work: Vec<_> = values.iter().zip(numbers.iter().copied()).rev().collect();
    while let Some((value, number)) = work.pop() {
        match (value, value.to_tensor(number)) {
            (_, Some(tensor)) => tensors.push(tensor),
            (Value::List(values), None) => {
                work.extend(values.iter().rev().map(|value| (value, None)))
            }
            (other, None) => return Err(format!("{} cannot be printed", other.kind()).into()),
        }
    }
    Ok(format::message(format, &tensors))
}
