//! The times of the commands of a run, for a trace.
//!
//! ```text
//!   stream    [before] kernel [after]   [before] wait [after]   [before] copy [after]
//!   device    origin ──────► elapsed ──────►
//!   host      Instant ─────────────────────────────────────────────────► time line
//! ```
//!
//! A recorder records an event with a time before and after each command of a device stream. When
//! all commands are complete, the driver has the times between these events and the *origin* of
//! their device: an event at the start of the run, for which the host has waited, and so knows its
//! time. Commands of the host, and of streams of a CPU, have times of the host.
//!
//! Each wait for another stream has an arrow, from the end of the last command that it waits for to
//! its own end.
//!
//! Cost: two events for each command and wait, up to [`MAX_STAMPS`].
//!
//! Not guaranteed: the clocks of two devices agree only as exactly as the host sees the end of an
//! event, some microseconds; a later start of one command may so seem to be before the end of
//! another one on another device. The events take time themselves.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Instant;

use tfx_schedule::Agent;

use crate::driver::{CudaError, Event, Stream};
use crate::error::Error;
use crate::events::Mark;
use crate::issue::{Frame, Issuer, On, lane_of};
use crate::session::Session;

/// The largest number of events and of times of the host in a run: the driver has memory for each,
/// and a trace with more spans is too large for viewers.
const MAX_STAMPS: usize = 1 << 16;

/// The times of the commands of a run.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// The commands and waits. Those of a stream follow each other.
    pub commands: Vec<Span>,
    /// The events between streams.
    pub arrows: Vec<Arrow>,
    /// The number of commands and waits above the limit, which have no span.
    pub left_out: u64,
}

/// A command or a wait.
#[derive(Clone, Debug)]
pub struct Span {
    /// The number of the stream in the entry part; none for the host.
    pub stream: Option<usize>,
    /// The name of the kernel, or `copy`, `fill` or `wait`.
    pub name: String,
    /// Its start.
    pub start: Instant,
    /// Its end.
    pub end: Instant,
}

/// An event: a stream or the host waits for a stream.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The stream that has recorded the event.
    pub from: usize,
    /// The end of its last command before.
    pub start: Instant,
    /// The stream that waits; none for the host.
    pub to: Option<usize>,
    /// The end of the wait.
    pub end: Instant,
}

/// A point in time.
#[derive(Debug)]
enum Stamp {
    Host(Instant),
    Device(usize, Event),
}

/// A command that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun(Option<usize>);

/// The recorder of a run.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// For each device, an event and its time.
    origins: BTreeMap<usize, (Event, Instant)>,
    stamps: Vec<Stamp>,
    commands: Vec<(Option<usize>, String, [usize; 2])>,
    arrows: Vec<(usize, Option<usize>, [usize; 2])>,
    /// The stamp of the end of the last command of each lane.
    last: BTreeMap<usize, usize>,
    left_out: u64,
}

impl Recorder {
    /// Records the origins of the devices, whose streams are idle.
    pub(crate) fn new(session: &Session) -> Result<Self, Error> {
        let mut recorder = Self::default();
        for (device, stream) in (0..session.lanes.len()).filter_map(|lane| session.cuda(lane)) {
            if let Entry::Vacant(origin) = recorder.origins.entry(device) {
                let event = Event::with_time(stream.context())?;
                stream.record(&event)?;
                event.synchronize()?;
                origin.insert((event, Instant::now()));
            }
        }
        Ok(recorder)
    }

    /// Begins a command of a stream of a device, or of the host.
    fn begin(&mut self, on: Option<(usize, &Stream)>) -> Result<Begun, CudaError> {
        if self.stamps.len() + 1 >= MAX_STAMPS {
            self.left_out += 1;
            return Ok(Begun(None));
        }
        Ok(Begun(Some(self.stamp(on)?)))
    }

    /// Ends a command of a lane; none for the host. Returns whether it has a span.
    fn end(
        &mut self,
        begun: Begun,
        on: Option<(usize, &Stream)>,
        lane: Option<usize>,
        name: &str,
    ) -> Result<bool, CudaError> {
        let Begun(Some(start)) = begun else {
            return Ok(false);
        };
        let end = self.stamp(on)?;
        self.commands.push((lane, name.to_owned(), [start, end]));
        if let Some(lane) = lane {
            self.last.insert(lane, end);
        }
        Ok(true)
    }

    /// Returns the stamp of the end of the last command of a lane.
    pub(crate) fn last(&self, lane: usize) -> Option<usize> {
        self.last.get(&lane).copied()
    }

    /// Adds an arrow from a stamp of a lane to the end of the command that was added last.
    fn arrow(&mut self, from: usize, stamp: Option<usize>) {
        if let (Some(stamp), Some((to, _, [_, end]))) = (stamp, self.commands.last()) {
            self.arrows.push((from, *to, [stamp, *end]));
        }
    }

    fn stamp(&mut self, on: Option<(usize, &Stream)>) -> Result<usize, CudaError> {
        self.stamps.push(match on {
            None => Stamp::Host(Instant::now()),
            Some((device, stream)) => {
                let event = Event::with_time(stream.context())?;
                stream.record(&event)?;
                Stamp::Device(device, event)
            }
        });
        Ok(self.stamps.len() - 1)
    }

    /// Returns the times. All commands are complete.
    pub(crate) fn finish(self) -> Result<Spans, Error> {
        let times = self.stamps.iter().map(|stamp| match stamp {
            Stamp::Host(time) => Ok(*time),
            Stamp::Device(device, event) => {
                let origin = self.origins.get(device);
                let (origin, time) =
                    origin.ok_or(Error::Unsupported("a stream of a device without an origin"))?;
                Ok(*time + event.since(origin)?)
            }
        });
        let times = times.collect::<Result<Vec<Instant>, Error>>()?;
        let of = |[start, end]: [usize; 2]| {
            let start = times[start];
            // Two events of one time may be a fraction of a microsecond apart.
            (start, times[end].max(start))
        };
        let commands = self.commands.into_iter().map(|(stream, name, stamps)| {
            let (start, end) = of(stamps);
            Span {
                stream,
                name,
                start,
                end,
            }
        });
        let arrows = self.arrows.into_iter().map(|(from, to, stamps)| {
            let (start, end) = of(stamps);
            Arrow {
                from,
                start,
                to,
                end,
            }
        });
        Ok(Spans {
            commands: commands.collect(),
            arrows: arrows.collect(),
            left_out: self.left_out,
        })
    }
}

impl Issuer<'_, '_, '_> {
    /// Begins a command, if times are recorded.
    pub(crate) fn begin(&mut self, on: On) -> Result<Begun, Error> {
        match &mut self.recorder {
            Some(recorder) => Ok(recorder.begin(stream_of(self.session, on))?),
            None => Ok(Begun(None)),
        }
    }

    /// Ends a command. Returns whether it has a span.
    pub(crate) fn end(
        &mut self,
        begun: Begun,
        on: On,
        agent: Agent,
        frame: &Frame,
        name: &str,
    ) -> Result<bool, Error> {
        let Some(recorder) = &mut self.recorder else {
            return Ok(false);
        };
        let lane = match agent {
            Agent::Host => None,
            Agent::Stream(stream) => Some(lane_of(stream, frame)?),
        };
        Ok(recorder.end(begun, stream_of(self.session, on), lane, name)?)
    }

    /// Adds arrows from marks to the wait that has ended last.
    pub(crate) fn arrows(&mut self, marks: &[&Arc<Mark>]) {
        if let Some(recorder) = &mut self.recorder {
            marks
                .iter()
                .for_each(|mark| recorder.arrow(mark.lane, mark.stamp));
        }
    }
}

/// Returns the stream whose events measure the commands of an agent, with its device; none for the
/// host.
fn stream_of(session: &Session, on: On) -> Option<(usize, &Stream)> {
    match on {
        On::Host => None,
        On::Lane(lane) => session.cuda(lane),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_spans_is_limited() {
        let mut recorder = Recorder::default();
        let all = MAX_STAMPS / 2 + 5;
        for _ in 0..all {
            let begun = recorder.begin(None).expect("a time of the host");
            let has_span = recorder.end(begun, None, Some(1), "kernel");
            if has_span.expect("a time of the host") {
                recorder.arrow(0, recorder.last(1));
            }
        }
        let spans = recorder.finish().expect("times of the host");
        assert_eq!(spans.commands.len() as u64 + spans.left_out, all as u64);
        assert!(spans.left_out >= 5);
        assert_eq!(spans.arrows.len(), spans.commands.len());
        assert!(spans.commands.iter().all(|span| span.start <= span.end));
    }
}
