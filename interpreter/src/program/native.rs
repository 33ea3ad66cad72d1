//! Functions of a graph with native code, which a step calls in place of their nodes.

use std::{fmt::Debug, sync::Arc, sync::atomic::AtomicBool};

use crate::tensor::Tensor;

/// A function of a graph as native code. Its results are those of its nodes, apart from rounding.
pub trait NativeFunction: Debug + Send + Sync {
    /// Computes the results. Returns none if it gives up: it is not compiled for these arguments,
    /// or an operation fails. Then the nodes run, which report the failure. A run that is cancelled
    /// ends soon, with any results.
    ///
    /// # Errors
    /// The reason why it cannot run, such as a lack of memory.
    fn run(
        &self,
        arguments: &[Tensor],
        cancelled: &AtomicBool,
    ) -> Result<Option<Vec<Tensor>>, String>;
}

/// The functions of a graph with native code.
pub trait Natives {
    /// Returns the code of the function of this name.
    fn find(&self, function: &str) -> Option<Arc<dyn NativeFunction>>;
}

/// No native code: the interpreter runs every node.
#[derive(Clone, Copy, Debug)]
pub struct NoNatives;

impl Natives for NoNatives {
    fn find(&self, _: &str) -> Option<Arc<dyn NativeFunction>> {
        None
    }
}
