//! Compares two forms of a function on the reference interpreter.
//!
//! `@decide` and `@choose` return the next decision, and `@observe` shows a value. Both forms run
//! on every sequence of a few decisions, and must have the same trace and the same end.

use tfx_interpreter::{Bool, Tensor};
use tfx_oracle::{Behaviour, End, Error, HostFirst, Library, Limits, Value, World, run};

/// Observations after which a run counts as endless.
const MAX_OBSERVED: usize = 60;
/// Instructions after which a run counts as endless: more than any run needs that ends.
const MAX_INSTRUCTIONS: u64 = 2000;
const ENDLESS: &str = "the run is endless";
/// Arguments of the functions; a function of one parameter takes only the first of the first row.
const ARGUMENTS: [[i64; 3]; 3] = [[5, 0, 1], [0, 1, 0], [-1, 1, 1]];

/// The foreign functions. They enumerate the sequences of decisions in the order of an odometer.
#[derive(Debug)]
struct Decisions {
    /// Each decision with its number of alternatives.
    taken: Vec<(usize, usize)>,
    next: usize,
    max: usize,
    observed: usize,
}

impl Decisions {
    fn take(&mut self, alternatives: usize) -> Result<usize, String> {
        if self.next == self.max {
            return Err("no decision is left".to_owned());
        }
        if self.next == self.taken.len() {
            self.taken.push((0, alternatives));
        }
        let decision = self.taken[self.next].0;
        self.next += 1;
        // A wrong form may request other decisions than the original.
        Ok(decision % alternatives)
    }

    /// Advances to the next sequence; returns whether there is one.
    fn advance(&mut self) -> bool {
        while let Some((decision, alternatives)) = self.taken.pop() {
            if decision + 1 < alternatives {
                self.taken.push((decision + 1, alternatives));
                return true;
            }
        }
        false
    }

    /// Runs a function on the current sequence.
    fn run<'a>(&mut self, library: &Library<'a>, name: &str, arguments: &[i64]) -> Behaviour<'a> {
        (self.next, self.observed) = (0, 0);
        let limits = Limits {
            fuel: MAX_INSTRUCTIONS,
            ..Limits::default()
        };
        let function = library.function(name).expect("a function of that name");
        let arguments = arguments
            .iter()
            .map(|&one| Value::Integer(u64::from(one as u32)));
        run(
            library,
            function,
            arguments.collect(),
            self,
            &mut HostFirst,
            limits,
        )
    }
}

impl World for Decisions {
    fn call(&mut self, name: &str, _: Vec<Tensor>) -> Result<Vec<Tensor>, Error> {
        Ok(match name {
            "decide" => vec![Tensor::scalar(Bool::from(self.take(2)? == 1))],
            "choose" => vec![Tensor::scalar(self.take(3)? as i32 - 1)],
            _ if self.observed == MAX_OBSERVED => return Err(ENDLESS.into()),
            _ => {
                self.observed += 1;
                Vec::new()
            }
        })
    }
}

fn is_endless(end: &End<'_>) -> bool {
    match end {
        End::OutOfFuel => true,
        End::Failed(failure) => failure.error == ENDLESS.into(),
        _ => false,
    }
}

/// Returns how a function runs differently in two modules, if it does on any sequence of `max`
/// decisions.
pub(crate) fn difference(
    before: &Library<'_>,
    after: &Library<'_>,
    name: &str,
    max: usize,
) -> Option<String> {
    let function = before.function(name).expect("a function of that name");
    let parameters = before.parameters(function).len();
    let rows = if parameters > 1 { ARGUMENTS.len() } else { 1 };
    for row in &ARGUMENTS[..rows] {
        let arguments = &row[..parameters];
        let mut decisions = Decisions {
            taken: Vec::new(),
            next: 0,
            max,
            observed: 0,
        };
        loop {
            let mut expected = decisions.run(before, name, arguments);
            let mut found = decisions.run(after, name, arguments);
            let ends_alike = match is_endless(&expected.end) && is_endless(&found.end) {
                true => {
                    // One form executes more instructions than the other, and may stop earlier.
                    let both = expected.trace.len().min(found.trace.len());
                    expected.trace.truncate(both);
                    found.trace.truncate(both);
                    true
                }
                false => expected.end.to_string() == found.end.to_string(),
            };
            if !ends_alike || expected.trace != found.trace {
                return Some(format!(
                    "{:?}, {} instead of {:?}, {} on {arguments:?} with {decisions:?}",
                    found.trace, found.end, expected.trace, expected.end
                ));
            }
            if !decisions.advance() {
                break;
            }
        }
    }
    None
}
