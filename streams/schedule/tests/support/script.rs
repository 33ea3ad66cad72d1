//! Short schedules of kernels on numbered streams and buffers of one device.

use tfx_schedule::{
    Access, Agent, Builder, BufferId, Device, DeviceId, EventId, Names, Report, Rule, Schedule,
    Space, StreamId, check, read_any, write_any,
};

/// The size of a buffer in bytes.
pub(crate) const SIZE: u64 = 64;

/// A builder of the entry part.
pub(crate) struct Script {
    pub(crate) b: Builder<String>,
    pub(crate) gpu: DeviceId,
    pub(crate) s: Vec<StreamId>,
    pub(crate) m: Vec<BufferId>,
}

impl Script {
    /// Returns a script with streams and device buffers.
    pub(crate) fn new(streams: usize, buffers: usize) -> Self {
        Self::after(Builder::new(), streams, buffers, Space::Device(DeviceId(0)))
    }

    /// Returns a script with buffers in a space, after parts that use the device 0.
    pub(crate) fn after(
        mut b: Builder<String>,
        streams: usize,
        buffers: usize,
        space: Space,
    ) -> Self {
        let gpu = b.device(Device::Cuda);
        b.begin_part("main");
        Self {
            gpu,
            s: (0..streams).map(|_| b.stream(DeviceId(0))).collect(),
            m: (0..buffers).map(|_| b.buffer(SIZE, space)).collect(),
            b,
        }
    }

    /// Adds a kernel that reads and writes buffers.
    pub(crate) fn kernel(&mut self, name: &str, stream: usize, reads: &[usize], writes: &[usize]) {
        let reads = reads.iter().map(|&buffer| read_any(self.m[buffer]));
        let writes = writes.iter().map(|&buffer| write_any(self.m[buffer]));
        let accesses: Vec<Access> = reads.chain(writes).collect();
        self.b.launch(name.to_string(), self.s[stream], &accesses);
    }

    /// Adds accesses of the host.
    pub(crate) fn host(&mut self, name: &str, reads: &[usize], writes: &[usize]) {
        let reads = reads.iter().map(|&buffer| read_any(self.m[buffer]));
        let writes = writes.iter().map(|&buffer| write_any(self.m[buffer]));
        let accesses: Vec<Access> = reads.chain(writes).collect();
        self.b.host(name.to_string(), &accesses);
    }

    pub(crate) fn copy(&mut self, name: &str, stream: usize, from: usize, to: usize) {
        let [from, to] = [self.m[from], self.m[to]];
        let stream = self.s[stream];
        self.b.copy(name.to_string(), stream, read_any(from), write_any(to));
    }

    pub(crate) fn record(&mut self, stream: usize) -> EventId {
        self.b.record("record".to_string(), self.s[stream])
    }

    pub(crate) fn wait(&mut self, stream: usize, event: EventId) {
        self.b.wait("wait".to_string(), self.s[stream], &[event]);
    }

    pub(crate) fn host_wait(&mut self, event: EventId) {
        self.b.host_wait("host_wait".to_string(), &[event]);
    }

    /// Lets a stream wait for what another one has done so far.
    pub(crate) fn order(&mut self, from: usize, to: usize) {
        let event = self.record(from);
        self.wait(to, event);
    }

    /// Lets the host wait for what a stream has done so far.
    pub(crate) fn synchronize(&mut self, stream: usize) {
        let event = self.record(stream);
        self.host_wait(event);
    }

    pub(crate) fn agent(&self, stream: usize) -> Agent {
        Agent::Stream(self.s[stream])
    }

    pub(crate) fn finish(mut self) -> Schedule<String> {
        self.b.end_part(Names::default());
        self.b.finish().expect("the bodies are nested")
    }

    /// Asserts that the schedule is verified.
    pub(crate) fn accepted(self) {
        let schedule = self.finish();
        let report = check(&schedule);
        assert!(report.is_verified(), "{:#?}", texts(&schedule, &report));
    }

    /// Asserts that diagnostics are of one rule, and returns their texts.
    pub(crate) fn rejected(self, rule: Rule) -> Vec<String> {
        let schedule = self.finish();
        let report = check(&schedule);
        let texts = texts(&schedule, &report);
        assert!(!report.is_verified());
        let rules: Vec<Rule> = report.diagnostics.iter().map(|d| d.rule()).collect();
        assert!(rules.iter().all(|&found| found == rule), "{texts:#?}");
        texts
    }

    /// Asserts that the schedule is verified, or that rule V1 rejects it.
    pub(crate) fn is_ordered(self, is_ordered: bool) {
        match is_ordered {
            true => self.accepted(),
            false => drop(self.rejected(Rule::Order)),
        }
    }
}

pub(crate) fn texts(schedule: &Schedule<String>, report: &Report) -> Vec<String> {
    let diagnostics = report.diagnostics.iter();
    diagnostics.map(|d| d.display(schedule).to_string()).collect()
}
