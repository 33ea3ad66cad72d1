//! The names of programs and nodes, which the exporter writes and the runtime looks up
//! (`docs/program-image.md`, section 1).
//!
//! ```text
//! @train.graph           -> train_graph                program, function
//! train_graph, 0         -> train_graph/arg_0          top-level nodes
//! train.mlir:16:9 MatMul -> train.mlir_16_9_MatMul     nodes of source operations; then ..._2, ..._3
//! ```
//!
//! TensorFlow's rule for a node name is `[A-Za-z0-9.][A-Za-z0-9_>./-]*`. Each function is linear in
//! the length of the name.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
};

/// The attribute of a node that holds its source location, `path/file.mlir:16:9`.
pub const LOCATION_ATTRIBUTE: &str = "_tfx_location";

/// The attribute that makes TensorFlow lower `While`, `If` and `Case` to its dataflow scheduler.
/// Without it, nothing in them overlaps.
pub const LOWER_ATTRIBUTE: &str = "_lower_using_switch_merge";

/// The attribute of a `While` that is not lowered, because a lowered loop could continue after the
/// program is cancelled.
pub const CANCELLABLE_ATTRIBUTE: &str = "_tfx_cancellable";

/// The attribute of a call whose function XLA compiles, for the shapes of the arguments.
pub const COMPILE_ATTRIBUTE: &str = "_XlaMustCompile";

/// The prefix of a name that would otherwise start with a character that TensorFlow rejects there.
const PREFIX: &str = "tfx";

/// Returns the name of a program, from the symbol of its graph (without `@`): every character
/// outside `[A-Za-z0-9_]` becomes `_`.
///
/// TensorFlow reserves names that start with `_`, so such a name gets a prefix. Two symbols may
/// yield one name: a GraphDef with several programs makes the names unique with [`UniqueNames`].
pub fn program_name(symbol: &str) -> String {
    sanitized(symbol, |character| character.is_ascii_alphanumeric())
}

/// Returns the placeholder of the `index`-th input of a program.
pub fn argument_node(program: &str, index: impl Display) -> String {
    format!("{program}/arg_{index}")
}

/// Returns the name of the `index`-th input in the function of the program.
pub fn function_argument(index: impl Display) -> String {
    format!("arg_{index}")
}

/// Returns the queue of a channel.
pub fn channel_node(program: &str, channel: impl Display) -> String {
    format!("{program}/{}", function_channel(channel))
}

/// Returns the name of the `index`-th result in the function of the program.
pub fn function_result(index: impl Display) -> String {
    format!("result_{index}")
}

/// Returns the name of the input that is a channel in the function of the program.
pub fn function_channel(channel: impl Display) -> String {
    format!("channel_{channel}")
}

/// Returns the node by which the host receives from a channel.
pub fn receive_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/recv")
}

/// Returns the placeholder for the value that the host sends on a channel.
pub fn value_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/value")
}

/// Returns the node by which the host sends on a channel.
pub fn send_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/send")
}

/// Returns the node that closes a channel.
pub fn close_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/close")
}

/// Returns the call of the function of a program.
pub fn call_node(program: &str) -> String {
    format!("{program}/call")
}

/// Returns the `index`-th result of a program.
pub fn result_node(program: &str, index: impl Display) -> String {
    format!("{program}/result_{index}")
}

/// Returns the name of the node of a source operation, before it is made unique: base name of the
/// file, line, column, operation.
pub fn source_node(
    file: &str,
    line: impl Display,
    column: impl Display,
    operation: &str,
) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    node_name(&format!("{base}_{line}_{column}_{operation}"))
}

/// Converts a text to a name that TensorFlow accepts for a node.
pub fn node_name(text: &str) -> String {
    sanitized(text, |character| {
        character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '/')
    })
}

/// Replaces characters that are neither `allowed` nor `_`, and adds the prefix if it is needed.
fn sanitized(text: &str, allowed: impl Fn(char) -> bool) -> String {
    let mut name: String = text
        .chars()
        .map(|character| if allowed(character) { character } else { '_' })
        .collect();
    if !name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.') {
        name.insert_str(0, PREFIX);
    }
    name
}

/// Makes names unique: the second `x` becomes `x_2`, the third `x_3`, unless that name is taken.
///
/// Takes amortised constant time for each name, because each base remembers its last number.
#[derive(Debug, Default)]
pub struct UniqueNames {
    taken: HashSet<String>,
    last_number: HashMap<String, usize>,
}

impl UniqueNames {
    /// Creates a set without names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes `base`, or the first free of `base_2`, `base_3`, ...
    pub fn take(&mut self, base: &str) -> String {
        if self.taken.insert(base.to_owned()) {
            return base.to_owned();
        }
        let number = self.last_number.entry(base.to_owned()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{base}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_after_symbols() {
        assert_eq!(program_name("train.graph"), "train_graph");
        assert_eq!(program_name("a::b<f32>$é"), "a__b_f32___");
        assert_eq!(program_name("_hidden"), "tfx_hidden");
        assert_eq!(program_name(""), "tfx");
        assert_eq!(program_name("7"), "7");
    }

    #[test]
    fn top_level_nodes_are_those_of_the_program_image() {
        let program = program_name("p.q");
        let names = [
            argument_node(&program, 0),
            channel_node(&program, 3),
            receive_node(&program, 3),
            value_node(&program, 4),
            send_node(&program, 4),
            close_node(&program, 4),
            call_node(&program),
            result_node(&program, 1),
        ];
        assert_eq!(
            names,
            [
                "p_q/arg_0",
                "p_q/channel_3",
                "p_q/channel_3/recv",
                "p_q/channel_4/value",
                "p_q/channel_4/send",
                "p_q/channel_4/close",
                "p_q/call",
                "p_q/result_1",
            ]
        );
        assert_eq!(
            (function_argument(0), function_channel(3)),
            ("arg_0".into(), "channel_3".into())
        );
    }

    #[test]
    fn source_nodes_keep_their_place() {
        assert_eq!(
            source_node("dir.d/train.mlir", 16, 9, "MatMul"),
            "train.mlir_16_9_MatMul"
        );
        assert_eq!(
            source_node("my file (1).mlir", 1, 2, "Add"),
            "my_file__1_.mlir_1_2_Add"
        );
        assert_eq!(source_node("_x.mlir", 1, 2, "Add"), "tfx_x.mlir_1_2_Add");
        assert_eq!(source_node("-", 1, 2, "Add"), "tfx-_1_2_Add");
        assert_eq!(source_node("", 1, 2, "Add"), "tfx_1_2_Add");
    }

    #[test]
    fn names_are_given_once() {
        let mut names = UniqueNames::new();
        let given: Vec<_> = ["x", "x", "x_2", "x", "x_2", "y"]
            .iter()
            .map(|base| names.take(base))
            .collect();
        assert_eq!(given, ["x", "x_2", "x_2_2", "x_3", "x_2_3", "y"]);
    }
}
