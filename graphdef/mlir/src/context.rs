//! The context of the functions of one graph.

use std::collections::HashMap;

use tfx_dialects::tensor;
use tfx_graphdef::naming;
use tfx_ir::{
    Op,
    diag::{self, Diagnostic},
};

use crate::{captures::Captures, channels::channels, effects::Effects};

/// The context of the functions of one graph.
pub(crate) struct GraphContext<'e, 'a> {
    pub(crate) program: &'e str,
    pub(crate) captures: Captures<'a>,
    pub(crate) effects: &'e Effects<'a>,
    pub(crate) names: &'e GraphNames<'a>,
    pub(crate) graphs: &'e HashMap<&'a str, Op<'a>>,
    /// Set if XLA compiles the graph. Its control flow is not lowered then.
    pub(crate) is_compiled: bool,
}

/// The names of graphs, by symbol.
pub(crate) struct GraphNames<'a>(pub(crate) HashMap<&'a str, String>);

impl GraphNames<'_> {
    /// Returns the name of the function of a graph.
    pub(crate) fn of_symbol(&self, symbol: &str) -> String {
        self.0
            .get(symbol)
            .cloned()
            .unwrap_or_else(|| naming::program_name(symbol))
    }
}

/// Reports a call of a graph that has channels. They belong to a program that the host starts.
pub(crate) fn check_callee<'a>(
    call: tensor::Call<'a>,
    graphs: &HashMap<&'a str, Op<'a>>,
) -> Result<(), Diagnostic<'a>> {
    let symbol = call.callee();
    match graphs.get(symbol) {
        Some(&graph) if !channels(graph).is_empty() => {
            let message = format!(
                "@{symbol} has channels, so the host has to start it; a graph can only call graphs \
                 without channels"
            );
            Err(diag::error(call.location(), message)
                .note(graph.location(), "its channels are declared here"))
        }
        _ => Ok(()),
    }
}
