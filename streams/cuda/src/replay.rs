//! Straight lists as graphs.
//!
//! ```text
//!   caller's memory ──► mirrors ──► [ graph: captured once ] ──► mirrors ──► caller's memory
//! ```
//!
//! A list of asynchronous commands of devices is issued once while its first stream is captured.
//! The other streams take part between two events: they wait for the first stream at the start, and
//! the first one waits for them at the end. The graph has the addresses of the session's memory,
//! also of the workspaces of products, which are allocated before the capture.

use crate::driver::Graph;
use crate::error::Error;
use crate::executable::Counts;
use crate::host::External;
use crate::issue::Issuer;

/// A captured list.
#[derive(Debug)]
pub(crate) struct Replay {
    graph: Graph,
    /// The stream on which it runs.
    lane: usize,
    /// The uses of the memory of the caller.
    external: Vec<External>,
    /// The products of each run.
    products: Counts,
}

impl Issuer<'_, '_, '_> {
    /// Runs the graph of the session, which is captured first if there is none. Returns false if
    /// the list has no stream of a device.
    pub(crate) fn replay(&mut self) -> Result<bool, Error> {
        let lanes = self.session.lanes.len();
        let mut lanes = (0..lanes).filter(|lane| self.session.cuda(*lane).is_some());
        let Some(lane) = lanes.next() else {
            return Ok(false);
        };
        let others: Vec<usize> = lanes.collect();
        if self.session.replay.is_none() {
            self.prepare_products()?;
            let (graph, products) = self.capture(lane, &others)?;
            let unused = self.unused();
            let external = std::mem::replace(&mut self.external, unused);
            self.session.replay = Some(Replay {
                graph,
                lane,
                external,
                products,
            });
        }
        self.launch_graph()?;
        Ok(true)
    }

    fn launch_graph(&mut self) -> Result<(), Error> {
        // The graph is not in the session while it is used: a failure drops both.
        let Some(replay) = self.session.replay.take() else {
            return Ok(());
        };
        for (position, external) in replay.external.iter().enumerate() {
            self.use_external(position, *external)?;
        }
        let stream = self.session.cuda(replay.lane);
        let (_, stream) = stream.ok_or(Error::Unsupported("a stream that does not exist"))?;
        stream.replay(&replay.graph)?;
        self.counts.graph_replays += 1;
        self.counts += replay.products;
        let lane = replay.lane;
        // Its commands are complete before the graph may be dropped.
        let outcome = self.wait_lane(lane);
        if outcome.is_err() {
            let _ = self.session.synchronize();
        }
        self.session.replay = Some(replay);
        outcome
    }

    /// Captures the list. Returns its products, too.
    fn capture(&mut self, lane: usize, others: &[usize]) -> Result<(Graph, Counts), Error> {
        self.stream(lane)?.begin_capture()?;
        let counts = std::mem::take(&mut self.counts);
        self.is_captured = true;
        let issued = self.issue_all(lane, others);
        self.is_captured = false;
        let captured = std::mem::replace(&mut self.counts, counts);
        // A capture ends in any case: without, the stream stays unusable.
        let graph = self.stream(lane)?.end_capture();
        issued?;
        let products = Counts {
            blas_products: captured.blas_products,
            ptx_products: captured.ptx_products,
            ..Counts::default()
        };
        Ok((graph?, products))
    }

    fn issue_all(&mut self, lane: usize, others: &[usize]) -> Result<(), Error> {
        let start = self.mark(lane)?;
        for other in others {
            start.hold(self.stream(*other)?)?;
        }
        self.entry()?;
        for other in others {
            let end = self.mark(*other)?;
            end.hold(self.stream(lane)?)?;
        }
        Ok(())
    }
}
