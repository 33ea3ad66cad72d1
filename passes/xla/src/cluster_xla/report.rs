//! What is said of pieces that are compiled, and of loops that are not.
//!
//! ```text
//! warning    nothing of a graph is compiled, with what is in the way
//! remark     a loop without channels that is not compiled: it could be, but for what the note says
//! remark     (explain) each piece that is compiled, and each operation that is not
//! ```

use std::collections::HashSet;

use tfx_ir::{Op, diag};

use super::{judge::Judge, outline::Outlined};

/// How many things a warning lists that are in the way.
const MOST_NOTES: usize = 5;

/// Says what there is to say of one graph.
pub(super) fn report<'a>(graph: Op<'a>, judge: &Judge<'a>, made: &[Outlined<'a>], explain: bool) {
    if made.is_empty() && !graph.is_private() {
        nothing(graph, judge);
    }
    if explain {
        made.iter().for_each(piece);
        operations(graph, judge);
    } else if !made.is_empty() {
        loops(graph, judge);
    }
}

fn nothing<'a>(graph: Op<'a>, judge: &Judge<'a>) {
    let message = "XLA compiles nothing of this graph: it has neither a loop that can be compiled nor enough operations together";
    let mut warning = diag::warning(graph.location(), message);
    let mut said = HashSet::new();
    for op in graph
        .walk()
        .filter(|op| *op != graph && op.num_regions() == 0)
    {
        if let Some(obstacle) = judge.obstacle(op)
            && said.len() < MOST_NOTES
            && said.insert((obstacle.location.to_string(), obstacle.reason.as_str()))
        {
            warning = warning.note(
                obstacle.location,
                format!("not compiled: {}", obstacle.reason),
            );
        }
    }
    warning.emit();
}

fn piece(made: &Outlined<'_>) {
    let loops = match made.weight.loops {
        0 => String::new(),
        1 => "one loop, ".to_owned(),
        loops => format!("{loops} loops, "),
    };
    let message = format!(
        "XLA compiles from here: {loops}{} operations",
        made.weight.operations
    );
    diag::remark(made.call.location(), message).emit();
}

fn operations<'a>(graph: Op<'a>, judge: &Judge<'a>) {
    for op in graph.walk().filter(|op| *op != graph) {
        if let Some(obstacle) = judge.obstacle(op)
            && obstacle.location == op.location()
            && op.num_regions() == 0
        {
            diag::remark(op.location(), format!("not compiled: {}", obstacle.reason)).emit();
        }
    }
}

/// Loops that would be compiled but for something that is not a channel.
fn loops<'a>(graph: Op<'a>, judge: &Judge<'a>) {
    for op in graph.walk().filter(|op| op.is("tfx_tensor.while")) {
        if let Some(obstacle) = judge.obstacle(op)
            && !obstacle.is_channel
        {
            diag::remark(op.location(), "XLA does not compile this loop")
                .note(
                    obstacle.location,
                    format!("not compiled: {}", obstacle.reason),
                )
                .emit();
        }
    }
}
