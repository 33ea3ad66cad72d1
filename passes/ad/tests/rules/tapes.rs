//! Tapes as foreign functions, which the reference interpreter runs.
//!
//! ```text
//!   tfx_ad.push %x to %t : tape<T>   ──►   func.call @push.3(%x, %t) : (T, i64) -> i64
//!   tfx_ad.pop %t : tape<T>          ──►   func.call @pop.3(%t) : (i64) -> (i64, T)
//! ```
//!
//! A tape is the number of its last value, 0 if it is empty. The replacement works on the text of a
//! module, in which each operation is on a line of its own. Cost: linear in the text.

use std::fmt::Write;

use tfx_interpreter::Tensor;

const TAPE: &str = "!tfx_ad.tape<";
const PUSH: &str = "push.";
const POP: &str = "pop.";

/// All values that were pushed, each with the tape that it was pushed on.
#[derive(Debug, Default)]
pub(crate) struct Tapes(Vec<(i64, Tensor)>);

impl Tapes {
    /// Replaces the tapes of a module.
    pub(crate) fn replace(module: &str) -> (String, Self) {
        let mut elements: Vec<String> = Vec::new();
        let lines = module.lines().map(|line| translated(line, &mut elements));
        let mut text = lines.collect::<Vec<_>>().join("\n");
        let mut declarations = String::new();
        for (index, ty) in elements.iter().enumerate() {
            writeln!(
                declarations,
                "func.func private @{PUSH}{index}({ty}, i64) -> i64\n\
                 func.func private @{POP}{index}(i64) -> (i64, {ty})"
            )
            .expect("writing to a string does not fail");
        }
        let end = text.rfind('}').expect("a module has braces");
        text.insert_str(end, &declarations);
        (text, Self::default())
    }

    /// Pushes or pops.
    pub(crate) fn call(
        &mut self,
        name: &str,
        mut arguments: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, String> {
        let tape = arguments.pop().expect("a tape is an argument");
        let tape = tape.item::<i64>().map_err(|error| error.to_string())?;
        if name.starts_with(PUSH) {
            self.0.push((tape, arguments.pop().expect("and a value")));
            return Ok(vec![Tensor::scalar(self.0.len() as i64)]);
        }
        let last = usize::try_from(tape - 1).map_err(|_| "the tape is empty")?;
        let (rest, value) = &self.0[last];
        Ok(vec![Tensor::scalar(*rest), value.clone()])
    }
}

/// Returns a line without tapes. `elements` has the types of their elements.
fn translated(line: &str, elements: &mut Vec<String>) -> String {
    let (results, op) = line.split_once(" = ").unwrap_or(("", line));
    // An operation on tapes prints their type without its name.
    let element = op
        .rsplit_once(" : <")
        .and_then(|(_, ty)| ty.strip_suffix('>'));
    let (Some(op), Some(element)) = (op.strip_prefix("tfx_ad."), element) else {
        let mut line = line.to_owned();
        while let Some(ty) = tape(&line).map(str::to_owned) {
            line = line.replace(&ty, "i64");
        }
        return line;
    };
    let index = elements.iter().position(|known| known == element);
    let index = index.unwrap_or_else(|| {
        elements.push(element.to_owned());
        elements.len() - 1
    });
    let operands = op.split([' ', ',']).filter(|word| word.starts_with('%'));
    let operands = operands.collect::<Vec<_>>().join(", ");
    let (definition, ty) = match op.split(' ').next() {
        Some("push") => (format!("{PUSH}{index}"), format!("({element}, i64) -> i64")),
        Some("pop") => (
            format!("{POP}{index}"),
            format!("(i64) -> (i64, {element})"),
        ),
        _ => return format!("{results} = arith.constant 0 : i64"),
    };
    format!("{results} = func.call @{definition}({operands}) : {ty}")
}

/// Returns the first type of a tape in a text.
fn tape(text: &str) -> Option<&str> {
    let start = text.find(TAPE)?;
    let rest = &text[start + TAPE.len()..];
    let mut open = 1;
    let end = rest.find(|character| {
        open += match character {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        open == 0
    })?;
    Some(&text[start..start + TAPE.len() + end + 1])
}
