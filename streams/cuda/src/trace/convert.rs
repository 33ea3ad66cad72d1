//! The schedule of a trace.
//!
//! ```text
//!   begin s ─ copy s ─ record e ─ wait t ─ launch t ─ ... ─ end s      captured: a list of calls
//!   launch graph on u:   u ─record─► s' ─ copy ─ record ─► t' ─ launch ...
//!                        u ◄──wait── s' at the end
//! ```
//!
//! A graph has a stream of its own for each stream that was captured, which all of its launches
//! use: launches of one graph run one after the other.

use std::collections::BTreeMap;

use tfx_commands::Use;
use tfx_schedule::{
    Access, Agent, BufferId, Builder, Device, DeviceId, EventId, Lifetime, Names, Schedule, Space,
    StreamId, read_any, scratch, write_any,
};

use super::call::Call;
use super::{Table, TraceError};

/// An allocation.
#[derive(Clone, Copy)]
struct Region {
    buffer: BufferId,
    bytes: u64,
}

/// The last record of an event.
#[derive(Clone, Copy)]
enum Recorded {
    Event(EventId),
    /// In the capture that has begun on a stream.
    Captured(u64),
}

/// A stream, and the device to which it belongs.
#[derive(Clone, Copy)]
struct Lane {
    stream: StreamId,
    device: DeviceId,
}

struct Converter<'t> {
    b: Builder<String>,
    table: &'t Table,
    /// By ordinal.
    devices: BTreeMap<u64, DeviceId>,
    streams: BTreeMap<u64, Lane>,
    events: BTreeMap<u64, Recorded>,
    /// By address.
    memory: BTreeMap<u64, Region>,
    /// The origins of streams that capture.
    capturing: BTreeMap<u64, u64>,
    /// The calls of captures, by origin, and of graphs with their origins.
    captured: BTreeMap<u64, Vec<Call>>,
    graphs: BTreeMap<u64, (u64, Vec<Call>)>,
    executables: BTreeMap<u64, (u64, Vec<Call>)>,
    /// The streams of a graph, by executable and captured stream.
    lanes: BTreeMap<(u64, u64), Lane>,
}

/// Returns the schedule of calls.
pub(super) fn schedule(calls: &[Call], table: &Table) -> Result<Schedule<String>, TraceError> {
    let mut converter = Converter {
        b: Builder::new(),
        table,
        devices: BTreeMap::new(),
        streams: BTreeMap::new(),
        events: BTreeMap::new(),
        memory: BTreeMap::new(),
        capturing: BTreeMap::new(),
        captured: BTreeMap::new(),
        graphs: BTreeMap::new(),
        executables: BTreeMap::new(),
        lanes: BTreeMap::new(),
    };
    converter.b.begin_part("trace");
    let succeeded = calls.iter().filter(|call| call.result == 0);
    for call in succeeded {
        converter.call(call)?;
    }
    converter.b.end_part(Names::default());
    Ok(converter.b.finish()?)
}

impl Converter<'_> {
    fn call(&mut self, call: &Call) -> Result<(), TraceError> {
        match call.call.as_str() {
            "cuStreamCreate" => self.create_stream(call),
            // A handle has a workspace of its own.
            "cuMemAlloc" | "cublasCreate" => {
                let device = self.device(call.device()?);
                self.allocate(call, Space::Device(device))
            }
            "cuMemHostAlloc" => self.allocate(call, Space::Pinned),
            "cuMemFree" | "cuMemFreeHost" | "cublasDestroy" => self.release(call),
            "cuStreamSynchronize" | "cuStreamQuery" => {
                let lane = self.lane(call, call.stream()?)?;
                self.host_waits(call, lane);
                Ok(())
            }
            "cuCtxSynchronize" => self.synchronize(call),
            "cuEventSynchronize" | "cuEventQuery" => {
                if let Some(Recorded::Event(event)) = self.events.get(&call.event()?) {
                    self.b.host_wait(place(call), &[*event]);
                }
                Ok(())
            }
            "cuStreamBeginCapture" => {
                let stream = call.stream()?;
                self.capturing.insert(stream, stream);
                self.captured.insert(stream, Vec::new());
                Ok(())
            }
            "cuStreamEndCapture" => self.end_capture(call),
            "cuGraphInstantiateWithFlags" => {
                let graph = call.graph()?;
                let calls = self.graphs.get(&graph).cloned();
                let calls = calls.ok_or_else(|| unknown(call, graph))?;
                self.executables.insert(call.executable()?, calls);
                Ok(())
            }
            "cuGraphLaunch" => self.launch_graph(call),
            "cuEventRecord" => self.record(call),
            "cuStreamWaitEvent" => self.wait(call),
            _ => self.work(call),
        }
    }

    // --------------------------------------------------------------------------------- objects

    fn device(&mut self, ordinal: u64) -> DeviceId {
        let b = &mut self.b;
        let device = self.devices.entry(ordinal);
        *device.or_insert_with(|| b.device(Device::Cuda))
    }

    fn create_stream(&mut self, call: &Call) -> Result<(), TraceError> {
        let device = self.device(call.device()?);
        let stream = self.b.stream(device);
        self.streams.insert(call.stream()?, Lane { stream, device });
        Ok(())
    }

    fn lane(&self, call: &Call, stream: u64) -> Result<Lane, TraceError> {
        let lane = self.streams.get(&stream).copied();
        lane.ok_or_else(|| unknown(call, stream))
    }

    fn allocate(&mut self, call: &Call, space: Space) -> Result<(), TraceError> {
        let bytes = call.bytes()?;
        let root = self.b.root(bytes, space, Lifetime::Managed);
        let buffer = self.b.slice(root, 0, bytes);
        self.b.alloc(place(call), Agent::Host, buffer);
        self.memory
            .insert(call.address()?, Region { buffer, bytes });
        Ok(())
    }

    fn release(&mut self, call: &Call) -> Result<(), TraceError> {
        let address = call.address()?;
        let region = self.memory.remove(&address);
        let region = region.ok_or(TraceError::Address {
            line: call.line,
            address,
            bytes: 0,
        })?;
        self.b.free(place(call), Agent::Host, region.buffer);
        Ok(())
    }

    /// Returns the buffer of a range.
    fn range(&mut self, call: &Call, address: u64, bytes: u64) -> Result<BufferId, TraceError> {
        let missing = TraceError::Address {
            line: call.line,
            address,
            bytes,
        };
        let below = self.memory.range(..=address).next_back();
        let (start, region) = below.ok_or_else(|| missing.clone())?;
        let offset = address - start;
        match offset.checked_add(bytes) {
            Some(end) if end <= region.bytes => Ok(self.b.view(region.buffer, offset, bytes)),
            _ => Err(missing),
        }
    }

    // ------------------------------------------------------------------------------------ waits

    fn host_waits(&mut self, call: &Call, lane: Lane) {
        let event = self.b.record(place(call), lane.stream);
        self.b.host_wait(place(call), &[event]);
    }

    fn synchronize(&mut self, call: &Call) -> Result<(), TraceError> {
        let device = self.device(call.device()?);
        let lanes = self.streams.values().filter(|lane| lane.device == device);
        let lanes: Vec<Lane> = lanes.copied().collect();
        lanes
            .into_iter()
            .for_each(|lane| self.host_waits(call, lane));
        Ok(())
    }

    fn record(&mut self, call: &Call) -> Result<(), TraceError> {
        let (stream, event) = (call.stream()?, call.event()?);
        if let Some(origin) = self.capture(call, stream) {
            self.events.insert(event, Recorded::Captured(origin));
            return Ok(());
        }
        let lane = self.lane(call, stream)?;
        let recorded = self.b.record(place(call), lane.stream);
        self.events.insert(event, Recorded::Event(recorded));
        Ok(())
    }

    fn wait(&mut self, call: &Call) -> Result<(), TraceError> {
        let (stream, event) = (call.stream()?, call.event()?);
        let is_capturing = self.capturing.contains_key(&stream);
        match self.events.get(&event).copied() {
            Some(Recorded::Captured(origin)) => {
                self.capturing.insert(stream, origin);
                self.capture(call, stream);
            }
            _ if is_capturing => return Err(TraceError::Capture { line: call.line }),
            // An event without a record is complete.
            None => {}
            Some(Recorded::Event(recorded)) => {
                let lane = self.lane(call, stream)?;
                self.b.wait(place(call), lane.stream, &[recorded]);
            }
        }
        Ok(())
    }

    // ------------------------------------------------------------------------------------- work

    fn work(&mut self, call: &Call) -> Result<(), TraceError> {
        let is_work = matches!(
            call.call.as_str(),
            "cuMemcpyHtoDAsync"
                | "cuMemcpyDtoHAsync"
                | "cuMemcpyDtoDAsync"
                | "cuMemcpyPeerAsync"
                | "cuMemsetD8Async"
                | "cuMemsetD16Async"
                | "cuMemsetD32Async"
                | "cuLaunchKernel"
        ) || is_product(call);
        if !is_work || self.capture(call, call.stream()?).is_some() {
            return Ok(());
        }
        let lane = self.lane(call, call.stream()?)?;
        self.work_on(call, lane.stream)
    }

    /// Adds a copy, fill, launch or product to a stream.
    fn work_on(&mut self, call: &Call, stream: StreamId) -> Result<(), TraceError> {
        if call.call == "cuLaunchKernel" {
            let accesses = self.accesses(call)?;
            self.b.launch(place(call), stream, &accesses);
            return Ok(());
        }
        if is_product(call) {
            let accesses = self.accesses_of_product(call)?;
            self.b.launch(place(call), stream, &accesses);
            return Ok(());
        }
        let bytes = call.bytes()?;
        if bytes == 0 {
            return Ok(());
        }
        let to = self.range(call, call.to()?, bytes)?;
        if call.call.starts_with("cuMemset") {
            self.b.fill(place(call), stream, write_any(to));
            return Ok(());
        }
        let from = self.range(call, call.from()?, bytes)?;
        self.b
            .copy(place(call), stream, read_any(from), write_any(to));
        Ok(())
    }

    fn accesses(&mut self, call: &Call) -> Result<Vec<Access>, TraceError> {
        let parameters = self.table.get(&call.kernel);
        let parameters = parameters.ok_or_else(|| TraceError::Kernel {
            line: call.line,
            kernel: call.kernel.clone(),
        })?;
        let mut accesses = Vec::new();
        for ((use_of, bytes), address) in parameters.iter().zip(&call.parameters) {
            if *bytes == 0 {
                continue;
            }
            let buffer = self.range(call, *address, *bytes)?;
            match use_of {
                Use::Read => accesses.push(read_any(buffer)),
                Use::Write => accesses.push(write_any(buffer)),
                Use::Update => accesses.extend([read_any(buffer), write_any(buffer)]),
                Use::Scratch => accesses.push(scratch(buffer)),
            }
        }
        Ok(accesses)
    }

    fn accesses_of_product(&mut self, call: &Call) -> Result<Vec<Access>, TraceError> {
        let mut accesses = Vec::new();
        for [address, bytes] in &call.reads {
            accesses.push(read_any(self.range(call, *address, *bytes)?));
        }
        for [address, bytes] in &call.writes {
            accesses.push(write_any(self.range(call, *address, *bytes)?));
        }
        for [address, bytes] in &call.scratch {
            accesses.push(scratch(self.range(call, *address, *bytes)?));
        }
        Ok(accesses)
    }

    // ----------------------------------------------------------------------------------- graphs

    /// Adds a call to the capture of its stream, if it captures. Returns the origin.
    fn capture(&mut self, call: &Call, stream: u64) -> Option<u64> {
        let origin = *self.capturing.get(&stream)?;
        self.captured.entry(origin).or_default().push(call.clone());
        Some(origin)
    }

    fn end_capture(&mut self, call: &Call) -> Result<(), TraceError> {
        let origin = call.stream()?;
        self.capturing.retain(|_, own| *own != origin);
        let calls = self.captured.remove(&origin).unwrap_or_default();
        self.graphs.insert(call.graph()?, (origin, calls));
        Ok(())
    }

    fn launch_graph(&mut self, call: &Call) -> Result<(), TraceError> {
        let executable = call.executable()?;
        let lane = self.lane(call, call.stream()?)?;
        let graph = self.executables.get(&executable).cloned();
        let (origin, calls) = graph.ok_or_else(|| unknown(call, executable))?;
        let first = self.graph_lane(call, executable, origin)?;
        let start = self.b.record(place(call), lane.stream);
        self.b.wait(place(call), first.stream, &[start]);
        let mut events: BTreeMap<u64, EventId> = BTreeMap::new();
        for inner in &calls {
            let own = self.graph_lane(inner, executable, inner.stream()?)?;
            match inner.call.as_str() {
                "cuEventRecord" => {
                    let event = self.b.record(place(inner), own.stream);
                    events.insert(inner.event()?, event);
                }
                "cuStreamWaitEvent" => {
                    let event = inner.event()?;
                    let event = events.get(&event).ok_or_else(|| unknown(inner, event))?;
                    self.b.wait(place(inner), own.stream, &[*event]);
                }
                _ => self.work_on(inner, own.stream)?,
            }
        }
        let end = self.b.record(place(call), first.stream);
        self.b.wait(place(call), lane.stream, &[end]);
        Ok(())
    }

    fn graph_lane(
        &mut self,
        call: &Call,
        executable: u64,
        stream: u64,
    ) -> Result<Lane, TraceError> {
        if let Some(lane) = self.lanes.get(&(executable, stream)) {
            return Ok(*lane);
        }
        let device = self.lane(call, stream)?.device;
        let lane = Lane {
            stream: self.b.stream(device),
            device,
        };
        self.lanes.insert((executable, stream), lane);
        Ok(lane)
    }
}

fn is_product(call: &Call) -> bool {
    matches!(
        call.call.as_str(),
        "cublasSgemmStridedBatched" | "cublasDgemmStridedBatched"
    )
}

fn unknown(call: &Call, handle: u64) -> TraceError {
    TraceError::Handle {
        line: call.line,
        handle,
    }
}

fn place(call: &Call) -> String {
    match call.kernel.is_empty() {
        true => format!("line {}: {}", call.line, call.call),
        false => format!("line {}: {} '{}'", call.line, call.call, call.kernel),
    }
}
