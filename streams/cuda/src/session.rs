//! The streams, events, memory and graph of a run, which the next one uses again.
//!
//! Each run has a session of its own. When it has ended, the executable keeps the session for the
//! next run; after a failure, it drops it.
//!
//! **Memory of called parts.** The roots of a part that is called belong to one call, and calls may
//! overlap. A block is *spare* after its call, with events of all streams of the part. It is used
//! again once they are complete. So a loop of calls needs at most [`SPARE`] blocks of each size
//! more than the calls that are open: then the host waits for the oldest.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tfx_schedule::{CommandId, Lifetime};

use crate::driver::{Blas, BlasError, BlasHandle, CudaError, PinnedMemory, Stream};
use crate::error::Error;
use crate::events::{Events, Mark};
use crate::memory::{Block, Kind};
use crate::plan::Plan;
use crate::products::Products;
use crate::replay::Replay;

/// The blocks of a size that may wait for their streams: two calls overlap, and the host issues
/// a third.
const SPARE: usize = 3;

/// A stream of the entry part.
#[derive(Debug)]
pub(crate) enum Lane {
    /// Of a CPU: the host executes its commands.
    Cpu,
    Cuda {
        device: usize,
        stream: Stream,
    },
}

/// A block of a call that has been issued.
#[derive(Debug)]
struct Spare {
    block: Arc<Block>,
    marks: Vec<Arc<Mark>>,
}

#[derive(Debug)]
pub(crate) struct Session {
    /// Declared first, and so dropped before what it uses.
    pub(crate) replay: Option<Replay>,
    /// Dropped before the streams that they use.
    products: Products,
    pub(crate) lanes: Vec<Lane>,
    /// Streams for copies of the host, by device.
    services: BTreeMap<usize, Stream>,
    pub(crate) events: Arc<Events>,
    /// The roots of the entry part.
    pub(crate) roots: Vec<Arc<Block>>,
    spare: BTreeMap<(Kind, u64), VecDeque<Spare>>,
    /// The blocks of open calls, which are kept if the run fails: commands may still use them.
    open: Vec<Arc<Block>>,
    /// The bytes of fills that the driver has no function for.
    pub(crate) patterns: BTreeMap<CommandId, PinnedMemory>,
    /// Memory between devices and kernels of the host.
    pub(crate) scratch: Option<PinnedMemory>,
}

impl Session {
    pub(crate) fn new(plan: &Plan) -> Result<Self, Error> {
        let mut session = Self {
            replay: None,
            products: Products::default(),
            lanes: Vec::new(),
            services: BTreeMap::new(),
            events: Events::new(plan.devices()),
            roots: Vec::new(),
            spare: BTreeMap::new(),
            open: Vec::new(),
            patterns: BTreeMap::new(),
            scratch: None,
        };
        let Some(entry) = plan.parts().last() else {
            return Ok(session);
        };
        for stream in &entry.streams {
            let device = stream.device.0 as usize;
            session.lanes.push(match plan.is_cuda(stream.device) {
                true => Lane::Cuda {
                    device,
                    stream: Stream::new(plan.context(device)?)?,
                },
                false => Lane::Cpu,
            });
        }
        let mut external = 0..;
        for root in &entry.roots {
            let position = match root.lifetime {
                Lifetime::External => external.next(),
                Lifetime::Managed => None,
            };
            let kind = Block::kind_of(plan, root);
            session
                .roots
                .push(Block::new(plan, kind, root.size, position)?);
        }
        Ok(session)
    }

    /// Returns the stream of a lane, with its device.
    pub(crate) fn cuda(&self, lane: usize) -> Option<(usize, &Stream)> {
        match self.lanes.get(lane)? {
            Lane::Cpu => None,
            Lane::Cuda { device, stream } => Some((*device, stream)),
        }
    }

    /// Returns the stream on which the host copies from and to a device.
    pub(crate) fn service(&mut self, plan: &Plan, device: usize) -> Result<&Stream, Error> {
        Ok(match self.services.entry(device) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Stream::new(plan.context(device)?)?),
        })
    }

    /// Returns the handle for the products of a lane, which is created if there is none, with the
    /// stream and the workspace of the lane.
    pub(crate) fn blas(
        &mut self,
        blas: &Arc<Blas>,
        lane: usize,
    ) -> Result<&mut BlasHandle, BlasError> {
        let Some(Lane::Cuda { device, stream }) = self.lanes.get(lane) else {
            return Err(CudaError::invalid("cublasSetStream", "a stream of a CPU").into());
        };
        self.products.handle(blas, lane, *device, stream)
    }

    // ---------------------------------------------------------------------------------- blocks

    /// Returns a block for a root of a call. `wait` waits for an event.
    pub(crate) fn take_block(
        &mut self,
        plan: &Plan,
        kind: Kind,
        size: u64,
        wait: impl FnMut(&Mark) -> Result<(), Error>,
    ) -> Result<Arc<Block>, Error> {
        let block = match self.take_spare(kind, size, wait)? {
            Some(block) => block,
            None => Block::new(plan, kind, size, None)?,
        };
        self.open.push(Arc::clone(&block));
        Ok(block)
    }

    /// Returns the oldest spare block of a kind, if nobody uses it, or there are so many that the
    /// host must wait.
    fn take_spare(
        &mut self,
        kind: Kind,
        size: u64,
        mut wait: impl FnMut(&Mark) -> Result<(), Error>,
    ) -> Result<Option<Arc<Block>>, Error> {
        let Some(list) = self.spare.get_mut(&(kind, size)) else {
            return Ok(None);
        };
        let must_wait = list.len() >= SPARE;
        let Some(oldest) = list.front() else {
            return Ok(None);
        };
        for mark in &oldest.marks {
            if must_wait {
                wait(mark)?;
            } else if !mark.is_complete()? {
                return Ok(None);
            }
        }
        Ok(list.pop_front().map(|spare| spare.block))
    }

    /// Keeps a block of a call that has been issued until marks are complete.
    pub(crate) fn give_block(&mut self, block: Arc<Block>, marks: Vec<Arc<Mark>>) {
        self.open.retain(|open| !Arc::ptr_eq(open, &block));
        let list = self.spare.entry((block.kind, block.size)).or_default();
        list.push_back(Spare { block, marks });
    }

    /// Forgets the marks of spare blocks: all commands are complete.
    pub(crate) fn settle(&mut self) {
        let spare = self.spare.values_mut().flatten();
        spare.for_each(|spare| spare.marks.clear());
    }

    // ------------------------------------------------------------------------------------- end

    /// Waits for all streams, whatever happens. Returns the first error.
    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        let lanes = (0..self.lanes.len()).filter_map(|lane| Some(self.cuda(lane)?.1));
        let mut outcome = Ok(());
        for stream in lanes.chain(self.services.values()) {
            // After an error of a call, and not of the device, the stream may still be running.
            let error = stream.synchronize().err();
            if error.is_some() {
                let _ = stream.context().synchronize();
            }
            outcome = outcome.and(error.map_or(Ok(()), Err));
        }
        outcome
    }
}
