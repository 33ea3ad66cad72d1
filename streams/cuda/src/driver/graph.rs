//! Captured commands.

use std::sync::Arc;

use super::api::Handle;
use super::{Context, CudaError};

/// A graph of commands that is ready to run.
#[derive(Debug)]
pub struct Graph {
    context: Arc<Context>,
    handle: Handle,
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: the graph was instantiated, and this is its only release.
        unsafe { (self.context.driver.api.cuGraphExecDestroy)(self.handle) };
    }
}

impl Graph {
    /// Prepares a captured graph, and releases the captured form.
    pub(super) fn instantiate(context: &Arc<Context>, graph: Handle) -> Result<Self, CudaError> {
        let mut handle = 0;
        let api = &context.driver.api;
        // SAFETY: the graph exists, and the pointer is valid for the call.
        let code = unsafe { (api.cuGraphInstantiateWithFlags)(&raw mut handle, graph, 0) };
        // SAFETY: this is the only release of the graph.
        unsafe { (api.cuGraphDestroy)(graph) };
        context.check("cuGraphInstantiateWithFlags", code)?;
        Ok(Self {
            context: Arc::clone(context),
            handle,
        })
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }
}
