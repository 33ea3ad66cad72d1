//! What programs and nodes are called: `docs/program-image.md`, section 1, in one place, since the exporter writes the names
//! and the runtime looks for them.
//!
//! ```text
//! @train.graph           -> train_graph                program, function
//! train_graph, 0         -> train_graph/arg_0          top-level nodes
//! train.mlir:16:9 MatMul -> train.mlir_16_9_MatMul     nodes of source operations; then ..._2, ..._3
//! ```
//!
//! TensorFlow's rule for a node name is `[A-Za-z0-9.][A-Za-z0-9_>./-]*`. Each function costs the length of the name.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
};

/// The attribute of a node that holds its source place, `path/file.mlir:16:9`.
pub const LOCATION_ATTRIBUTE: &str = "_tfx_location";

/// The attribute that makes TensorFlow run `While`, `If` and `Case` by its scheduler, without which nothing in them overlaps.
pub const LOWER_ATTRIBUTE: &str = "_lower_using_switch_merge";

/// The attribute of a `While` that is not run so, since it might go on after the program is cancelled.
pub const CANCELLABLE_ATTRIBUTE: &str = "_tfx_cancellable";

/// The attribute of a call that has XLA compile the function, for the shapes that its arguments have.
pub const COMPILE_ATTRIBUTE: &str = "_XlaMustCompile";

/// What goes before a name that would start with a character that TensorFlow does not allow there.
const PREFIX: &str = "tfx";

/// The name of a program, from the symbol of its graph (without `@`): every character outside `[A-Za-z0-9_]` becomes `_`.
///
/// TensorFlow keeps names that start with `_` for itself, so such a name gets a prefix. Two symbols may give one name: a GraphDef
/// with several programs takes them through [`UniqueNames`].
pub fn program_name(symbol: &str) -> String {
    sanitized(symbol, |character| character.is_ascii_alphanumeric())
}

/// The placeholder of the `index`-th input of a program.
pub fn argument_node(program: &str, index: impl Display) -> String {
    format!("{program}/arg_{index}")
}

/// The name, inside the program's function, of its `index`-th input.
pub fn function_argument(index: impl Display) -> String {
    format!("arg_{index}")
}

/// The queue of a channel.
pub fn channel_node(program: &str, channel: impl Display) -> String {
    format!("{program}/{}", function_channel(channel))
}

/// The name, inside the program's function, of its `index`-th result.
pub fn function_result(index: impl Display) -> String {
    format!("result_{index}")
}

/// The name, inside the program's function, of the input that is a channel.
pub fn function_channel(channel: impl Display) -> String {
    format!("channel_{channel}")
}

/// The host's end of a channel to the host: the node that takes a value out.
pub fn receive_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/recv")
}

/// The placeholder that the host feeds with the value for a channel to the graph.
pub fn value_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/value")
}

/// The host's end of a channel to the graph: the node that puts a value in.
pub fn send_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/send")
}

/// The node that closes a channel.
pub fn close_node(program: &str, channel: impl Display) -> String {
    format!("{program}/channel_{channel}/close")
}

/// The call of a program's function.
pub fn call_node(program: &str) -> String {
    format!("{program}/call")
}

/// The `index`-th result of a program.
pub fn result_node(program: &str, index: impl Display) -> String {
    format!("{program}/result_{index}")
}

/// The name of the node of a source operation, before it is made unique: base name of the file, line, column, operation.
pub fn source_node(
    file: &str,
    line: impl Display,
    column: impl Display,
    operation: &str,
) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    node_name(&format!("{base}_{line}_{column}_{operation}"))
}

/// Any text as a name that TensorFlow allows for a node.
pub fn node_name(text: &str) -> String {
    sanitized(text, |character| {
        character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '/')
    })
}

/// Replaces characters that are neither `allowed` nor `_`, and prefixes a name with a bad start.
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

/// Gives every name once: the second `x` is `x_2`, the third `x_3`, and none of them meets a name that was there already.
///
/// Amortised constant time a name: each base remembers its last number.
#[derive(Debug, Default)]
pub struct UniqueNames {
    taken: HashSet<String>,
    last_number: HashMap<String, usize>,
}

impl UniqueNames {
    /// No name is taken yet.
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
