//! A canonical order of observable behaviour, as far as the states of foreign functions determine
//! the order.
//!
//! ```text
//!   trace         canonical       @next and @decide share a state, and prints have another, so
//!   @next(1)      @next(1)        only the order within each counts; @observe has no declared
//!   1             @decide()       state, so no line moves across it
//!   @decide()     1
//!   @observe(1)   @observe(1)
//! ```
//!
//! Behaviours that differ only in the order of independent lines have the same canonical order
//! (Mazurkiewicz traces). Calls of pure functions are independent of all states. Cost: linear,
//! apart from sorting.

use std::collections::HashMap;

/// The states of the foreign functions that a program declares.
pub(crate) struct Order {
    /// The states by function; the state of a pure function is its name.
    states: HashMap<String, String>,
}

impl Order {
    /// Reads the declarations of a program.
    pub(crate) fn of(text: &str) -> Self {
        let declarations = text.lines().filter_map(|line| {
            let declared = line.trim_start().strip_prefix("func.func private @")?;
            let (name, rest) = declared.split_once('(')?;
            let state = match rest.split_once("tfx.state = \"") {
                Some((_, state)) => state.split('"').next()?,
                None => rest.contains("tfx.pure").then_some(name)?,
            };
            Some((name.to_owned(), state.to_owned()))
        });
        Order {
            states: declarations.collect(),
        }
    }

    /// Returns the lines in canonical order.
    pub(crate) fn canonical(&self, mut lines: Vec<String>) -> Vec<String> {
        if self.states.is_empty() {
            return lines;
        }
        let is_fixed = |line: &String| self.state(line).is_none();
        for between in lines.split_mut(is_fixed) {
            between.sort_by(|one, other| self.state(one).cmp(&self.state(other)));
        }
        lines
    }

    /// Returns the state of a line, or `None` if no line may move across it. Printed lines come
    /// last.
    fn state(&self, line: &str) -> Option<(bool, &str)> {
        let Some(call) = line.strip_prefix('@') else {
            return Some((true, ""));
        };
        let (name, _) = call.split_once('(')?;
        Some((false, self.states.get(name)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "func.func private @next(i32) -> i32 attributes {tfx.state = \"world\"}\n\
        func.func private @mix(i32, i32) -> i32 attributes {tfx.pure}\n\
        func.func private @observe(i32)\n";

    fn canonical(lines: &[&str]) -> Vec<String> {
        Order::of(TEXT).canonical(lines.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn independent_lines_change_places() {
        let one = canonical(&["1", "@next(1)", "2", "@mix(1, 2)", "@next(2)"]);
        assert_eq!(
            one,
            canonical(&["@next(1)", "@next(2)", "@mix(1, 2)", "1", "2"])
        );
    }

    #[test]
    fn lines_of_a_state_do_not() {
        assert_ne!(
            canonical(&["@next(1)", "@next(2)"]),
            canonical(&["@next(2)", "@next(1)"])
        );
        assert_ne!(canonical(&["1", "2"]), canonical(&["2", "1"]));
    }

    #[test]
    fn a_function_without_a_state_keeps_its_place() {
        assert_ne!(
            canonical(&["@observe(1)", "1"]),
            canonical(&["1", "@observe(1)"])
        );
    }

    #[test]
    fn without_states_all_lines_keep_their_places() {
        let lines = vec!["@next(1)".to_owned(), "1".to_owned()];
        assert_eq!(Order::of("").canonical(lines.clone()), lines);
    }
}
