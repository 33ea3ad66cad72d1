//! A pool of events.
//!
//! A [`Mark`] is a record of an event. When the last owner drops it, the event is free for another
//! record: a wait that was issued before refers to the earlier record.

use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{CudaError, Event, Stream};

/// The free events of each device.
#[derive(Debug)]
pub(crate) struct Events {
    free: Mutex<Vec<Vec<Event>>>,
}

impl Events {
    pub(crate) fn new(devices: usize) -> Arc<Self> {
        let free = (0..devices).map(|_| Vec::new()).collect();
        Arc::new(Self {
            free: Mutex::new(free),
        })
    }

    /// Records an event on a stream of a device. `stamp` is the end of the last command before.
    pub(crate) fn record(
        self: &Arc<Self>,
        device: usize,
        lane: usize,
        stream: &Stream,
        stamp: Option<usize>,
    ) -> Result<Arc<Mark>, CudaError> {
        let event = self.take(device);
        let event = event.map_or_else(|| Event::new(stream.context()), Ok)?;
        stream.record(&event)?;
        Ok(Arc::new(Mark {
            event: Some(event),
            device,
            lane,
            stamp,
            pool: Arc::clone(self),
        }))
    }

    fn take(&self, device: usize) -> Option<Event> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.get_mut(device)?.pop()
    }
}

/// A recorded event.
#[derive(Debug)]
pub(crate) struct Mark {
    event: Option<Event>,
    device: usize,
    /// The stream that has recorded it.
    pub(crate) lane: usize,
    /// The end of the last command before, in a run whose times are recorded.
    pub(crate) stamp: Option<usize>,
    pool: Arc<Events>,
}

impl Mark {
    /// Lets a stream wait.
    pub(crate) fn hold(&self, stream: &Stream) -> Result<(), CudaError> {
        self.event
            .as_ref()
            .map_or(Ok(()), |event| stream.wait(event))
    }

    pub(crate) fn is_complete(&self) -> Result<bool, CudaError> {
        self.event.as_ref().map_or(Ok(true), Event::query)
    }

    pub(crate) fn synchronize(&self) -> Result<(), CudaError> {
        self.event.as_ref().map_or(Ok(()), Event::synchronize)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let free = self.pool.free.lock();
        let mut free = free.unwrap_or_else(PoisonError::into_inner);
        if let (Some(event), Some(list)) = (self.event.take(), free.get_mut(self.device)) {
            list.push(event);
        }
    }
}
