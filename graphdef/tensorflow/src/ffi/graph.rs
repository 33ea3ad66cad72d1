//! Graphs, their operations, and sessions.

use std::ffi::c_int;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Status, TensorFlow, sys, tensor::Tensor, text, with_status};
use crate::counts::{Counted, GRAPHS, SESSIONS};

/// A graph.
pub struct Graph {
    tensorflow: TensorFlow,
    raw: *mut sys::TF_Graph,
    /// Distinguishes this graph from every other one of the process.
    id: u64,
    _counted: Counted,
}

// SAFETY: TensorFlow guards a graph with a lock of its own.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

/// A node of a graph. Every other graph rejects it.
#[derive(Clone, Copy)]
pub struct Operation {
    raw: *mut sys::TF_Operation,
    graph: u64,
}

// SAFETY: the pointer is used only together with its graph, which TensorFlow guards.
unsafe impl Send for Operation {}
// SAFETY: as above.
unsafe impl Sync for Operation {}

/// An argument of an operation.
pub enum Input<'a, T> {
    /// A single tensor.
    Single(&'a T),
    /// A list of tensors.
    List(&'a [T]),
}

impl<'a, T> Input<'a, T> {
    /// Returns whether the argument is a list, and its tensors.
    pub(super) fn parts(&self) -> (bool, &'a [T]) {
        match *self {
            Input::Single(one) => (false, std::slice::from_ref(one)),
            Input::List(all) => (true, all),
        }
    }
}

impl Graph {
    /// Creates an empty graph.
    pub fn new(tensorflow: TensorFlow) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Graph {
            tensorflow,
            // SAFETY: the function has no arguments.
            raw: unsafe { sys::TF_NewGraph() },
            id: NEXT.fetch_add(1, Relaxed),
            _counted: Counted::new(&GRAPHS),
        }
    }

    /// Creates a graph from a serialized GraphDef.
    ///
    /// # Errors
    /// TensorFlow rejects the GraphDef.
    pub fn import(tensorflow: TensorFlow, graph_def: &[u8]) -> Result<Self, Status> {
        let graph = Graph::new(tensorflow);
        let buffer = sys::TF_Buffer {
            data: graph_def.as_ptr().cast(),
            length: graph_def.len(),
            data_deallocator: None,
        };
        // SAFETY: the buffer borrows `graph_def` for the call, which copies it; the options are
        // deleted after the call.
        unsafe {
            let options = sys::TF_NewImportGraphDefOptions();
            let imported = with_status(|status| {
                sys::TF_GraphImportGraphDef(graph.raw, &buffer, options, status);
            });
            sys::TF_DeleteImportGraphDefOptions(options);
            imported.map(|()| graph)
        }
    }

    /// Returns the node of a name.
    pub fn operation(&self, name: &str) -> Option<Operation> {
        let name = text(name).ok()?;
        // SAFETY: the graph and the name live through the call.
        let raw = unsafe { sys::TF_GraphOperationByName(self.raw, name.as_ptr()) };
        (!raw.is_null()).then_some(Operation {
            raw,
            graph: self.id,
        })
    }

    /// Adds a node that computes `operation` of the first outputs of `inputs`. Attributes are
    /// serialized `AttrValue` messages. TensorFlow infers the shapes of the results.
    ///
    /// # Errors
    /// TensorFlow rejects the node, for example because its operands do not match.
    pub fn add(
        &self,
        operation: &str,
        name: &str,
        inputs: &[Input<'_, Operation>],
        attributes: &[(&str, Vec<u8>)],
    ) -> Result<Operation, Status> {
        // All that can fail comes first: a description must be finished once it is begun.
        let (operation, name) = (text(operation)?, text(name)?);
        let arguments = inputs.iter().map(|input| {
            let (is_list, nodes) = input.parts();
            let outputs = nodes.iter().map(|&node| self.output(node, 0));
            Ok((is_list, outputs.collect::<Result<Vec<_>, _>>()?))
        });
        let arguments: Vec<_> = arguments.collect::<Result<_, _>>()?;
        let attributes = attributes
            .iter()
            .map(|(name, value)| Ok((text(name)?, value)));
        let attributes: Vec<_> = attributes.collect::<Result<_, _>>()?;
        // SAFETY: the graph and the inputs, which are its nodes, live; the calls copy names and
        // bytes; `TF_FinishOperation` frees the description, whatever it reports.
        unsafe {
            let node = sys::TF_NewOperation(self.raw, operation.as_ptr(), name.as_ptr());
            for (is_list, outputs) in &arguments {
                if *is_list {
                    sys::TF_AddInputList(node, outputs.as_ptr(), outputs.len() as c_int);
                } else {
                    sys::TF_AddInput(node, outputs[0]);
                }
            }
            let mut accepted = Ok(());
            for (name, value) in &attributes {
                let (bytes, size) = (value.as_ptr().cast(), value.len());
                accepted = accepted.and(with_status(|status| {
                    sys::TF_SetAttrValueProto(node, name.as_ptr(), bytes, size, status);
                }));
            }
            let finished = with_status(|status| sys::TF_FinishOperation(node, status));
            accepted?;
            Ok(Operation {
                raw: finished?,
                graph: self.id,
            })
        }
    }

    /// Adds the gradients of the outputs `of`, which are nodes and positions, with respect to the
    /// first outputs of `wrt`. The first outputs of `seeds` are the gradients of the outputs `of`.
    /// Returns a node with each gradient; `None` where there is none.
    ///
    /// # Errors
    /// An operation has no gradient in TensorFlow's C API, or it rejects the operands.
    pub fn add_gradients(
        &self,
        of: &[(Operation, usize)],
        wrt: &[Operation],
        seeds: &[Operation],
    ) -> Result<Vec<Option<Operation>>, Status> {
        let outputs = of.iter().map(|&(node, index)| self.output(node, index));
        let mut of: Vec<_> = outputs.collect::<Result<_, _>>()?;
        let firsts = |nodes: &[Operation]| {
            let firsts = nodes.iter().map(|&node| self.output(node, 0));
            firsts.collect::<Result<Vec<_>, _>>()
        };
        let (mut wrt, mut seeds) = (firsts(wrt)?, firsts(seeds)?);
        if seeds.len() != of.len() {
            return Err(Status::internal("each output needs a seed"));
        }
        let none = sys::TF_Output {
            oper: null_mut(),
            index: 0,
        };
        let mut gradients = vec![none; wrt.len()];
        // SAFETY: each array lives through the call and has the length that goes with it; the
        // operations are nodes of this graph.
        with_status(|status| unsafe {
            sys::TF_AddGradients(
                self.raw,
                of.as_mut_ptr(),
                of.len() as c_int,
                wrt.as_mut_ptr(),
                wrt.len() as c_int,
                seeds.as_mut_ptr(),
                status,
                gradients.as_mut_ptr(),
            );
        })?;
        let gradients = gradients.into_iter().enumerate();
        let nodes = gradients.map(|(index, gradient)| {
            if gradient.oper.is_null() {
                return Ok(None);
            }
            let name = text(&format!("gradient/{index}"))?;
            // SAFETY: the gradient is an output of a node of this graph; the call copies the name,
            // and `TF_FinishOperation` frees the description.
            let node = with_status(|status| unsafe {
                let node = sys::TF_NewOperation(self.raw, c"Identity".as_ptr(), name.as_ptr());
                sys::TF_AddInput(node, gradient);
                sys::TF_FinishOperation(node, status)
            });
            Ok(Some(Operation {
                raw: node?,
                graph: self.id,
            }))
        });
        nodes.collect()
    }

    /// Returns the inferred sizes of an output, -1 for those that are unknown; `None` for an
    /// unknown rank.
    ///
    /// # Errors
    /// The node has no such output.
    pub fn shape(&self, operation: Operation, index: usize) -> Result<Option<Vec<i64>>, Status> {
        let output = self.output(operation, index)?;
        // SAFETY: the operation is a node of this graph.
        let count = unsafe { sys::TF_OperationNumOutputs(operation.raw) };
        if output.index >= count {
            return Err(Status::internal(format!(
                "output {index} of a node with {count} outputs"
            )));
        }
        // SAFETY: the output exists; the list has as many sizes as the rank.
        unsafe {
            let rank =
                with_status(|status| sys::TF_GraphGetTensorNumDims(self.raw, output, status))?;
            let Ok(count) = usize::try_from(rank) else {
                return Ok(None);
            };
            let mut sizes = vec![-1; count];
            let first = sizes.as_mut_ptr();
            with_status(|status| {
                sys::TF_GraphGetTensorShape(self.raw, output, first, rank, status);
            })?;
            Ok(Some(sizes))
        }
    }

    /// Returns an output of a node of this graph.
    fn output(&self, operation: Operation, index: usize) -> Result<sys::TF_Output, Status> {
        if operation.graph != self.id {
            return Err(Status::internal("an operation of another graph"));
        }
        Ok(sys::TF_Output {
            oper: operation.raw,
            index: index as c_int,
        })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: created by `new`; no session uses it, because sessions hold the `Arc`.
        unsafe { sys::TF_DeleteGraph(self.raw) }
    }
}

/// A session on a graph. Several threads may run it at once, and another one may close it, which
/// cancels the runs.
pub struct Session {
    graph: Arc<Graph>,
    raw: *mut sys::TF_Session,
    _counted: Counted,
}

// SAFETY: TensorFlow's sessions may be used by several threads.
unsafe impl Send for Session {}
// SAFETY: as above.
unsafe impl Sync for Session {}

impl Session {
    /// Opens a session in this process, or on the server that `target` names (`grpc://host:port`).
    /// `config` is a serialized `ConfigProto`.
    ///
    /// # Errors
    /// The server cannot be reached, or TensorFlow rejects the settings.
    pub fn new(graph: Arc<Graph>, target: Option<&str>, config: &[u8]) -> Result<Self, Status> {
        let target = target.map(text).transpose()?;
        // SAFETY: the session holds the graph; the calls copy the target, the settings and the
        // options.
        let raw = unsafe {
            let options = sys::TF_NewSessionOptions();
            if let Some(target) = &target {
                sys::TF_SetTarget(options, target.as_ptr());
            }
            let (bytes, size) = (config.as_ptr().cast(), config.len());
            let session = with_status(|status| sys::TF_SetConfig(options, bytes, size, status))
                .and_then(|()| {
                    with_status(|status| sys::TF_NewSession(graph.raw, options, status))
                });
            sys::TF_DeleteSessionOptions(options);
            session?
        };
        Ok(Session {
            graph,
            raw,
            _counted: Counted::new(&SESSIONS),
        })
    }

    /// Feeds the first outputs of nodes, runs `targets`, and returns the first outputs of
    /// `fetches`.
    ///
    /// # Errors
    /// The graph fails, or the session is closed.
    pub fn run(
        &self,
        feeds: &[(Operation, &Tensor)],
        fetches: &[Operation],
        targets: &[Operation],
    ) -> Result<Vec<Tensor>, Status> {
        let first = |&operation: &Operation| self.graph.output(operation, 0);
        let fed = feeds.iter().map(|(operation, _)| first(operation));
        let inputs: Vec<_> = fed.collect::<Result<_, _>>()?;
        let values: Vec<_> = feeds.iter().map(|(_, tensor)| tensor.raw).collect();
        let outputs: Vec<_> = fetches.iter().map(first).collect::<Result<_, _>>()?;
        let nodes = targets
            .iter()
            .map(|node| Ok(first(node)?.oper.cast_const()));
        let targets: Vec<_> = nodes.collect::<Result<_, Status>>()?;
        let mut results = vec![null_mut(); outputs.len()];
        // SAFETY: each array lives through the call and has the length that goes with it; the
        // operations are nodes of this session's graph; this function owns the results.
        let ran = with_status(|status| unsafe {
            sys::TF_SessionRun(
                self.raw,
                null(),
                inputs.as_ptr(),
                values.as_ptr(),
                inputs.len() as c_int,
                outputs.as_ptr(),
                results.as_mut_ptr(),
                outputs.len() as c_int,
                targets.as_ptr(),
                targets.len() as c_int,
                null_mut(),
                status,
            );
        });
        let tensorflow = self.graph.tensorflow;
        let results = results.into_iter().filter(|raw| !raw.is_null());
        let results: Vec<_> = results.map(|raw| Tensor::owning(tensorflow, raw)).collect();
        ran.map(|()| results)
    }

    /// Cancels all runs; later runs fail.
    pub fn close(&self) {
        // SAFETY: the session lives. The error of a session that is closed already needs no report.
        let _ = with_status(|status| unsafe { sys::TF_CloseSession(self.raw, status) });
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: created by `new`; nobody runs it, because runs borrow it.
        let _ = with_status(|status| unsafe { sys::TF_DeleteSession(self.raw, status) });
    }
}
