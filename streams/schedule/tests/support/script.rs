//! Short schedules of kernels on numbered streams and buffers of one device.

use tfx_schedule::{
    Access, Agent, BufferId, Builder, Device, DeviceId, EventId, Names, Op, Problem, Report, Rule,
    Schedule, Space, StreamId, Trips, check, read_any, write_any,
};

use super::Random;
use super::judge::{Limits, Verdict, judge};
use super::mutate::{self, mutate};

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
        self.b
            .copy(name.to_string(), stream, read_any(from), write_any(to));
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
        compare_mutants(&schedule);
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
    pub(crate) fn accepted_if(self, is_ordered: bool) {
        match is_ordered {
            true => self.accepted(),
            false => drop(self.rejected(Rule::Order)),
        }
    }
}

/// The random mutants of a correct schedule.
const MUTANTS: u64 = 60;
/// The limits of the judge, which does not unroll long loops, and sees no errors of names in bodies
/// that are not executed.
const LIMITS: Limits = Limits {
    iterations: 10,
    paths: 40,
    enumerated: 20,
};
const MAX_TRIPS: u64 = 20;

/// Compares the decisions about mutants with those of the judge, which has no rules of CUDA.
fn compare_mutants(schedule: &Schedule<String>) {
    let mut commands = schedule.parts.iter().flat_map(|part| &part.body.commands);
    let is_excluded = commands.any(|command| match &command.op {
        Op::Loop(inner) => match inner.trips {
            Trips::Exactly(trips) => !(1..=MAX_TRIPS).contains(&trips),
            Trips::AtLeast(_) => false,
        },
        _ => false,
    });
    if is_excluded {
        return;
    }
    for seed in 0..MUTANTS {
        let mut random = Random::new(seed);
        let mutation = *random.pick(&mutate::ALL);
        let Some(mutant) = mutate(schedule, mutation, &mut random) else {
            continue;
        };
        let report = check(&mutant);
        let is_correct = judge(&mutant, LIMITS) == Verdict::Correct;
        let is_other = report.diagnostics.iter().any(|diagnostic| {
            let is_order = matches!(diagnostic.problem, Problem::Unordered { .. });
            matches!(diagnostic.rule(), Rule::Cuda | Rule::Model) && !is_order
        });
        if is_other {
            continue;
        }
        let texts = texts(&mutant, &report);
        assert_eq!(
            report.is_verified(),
            is_correct,
            "{mutation:?} {seed}: {texts:#?} {mutant:#?}"
        );
    }
}

pub(crate) fn texts(schedule: &Schedule<String>, report: &Report) -> Vec<String> {
    let diagnostics = report.diagnostics.iter();
    diagnostics
        .map(|d| d.display(schedule).to_string())
        .collect()
}
