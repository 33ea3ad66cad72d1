//! The virtual clock: streams that run commands, in an order that a rule chooses or a given one.
//!
//! ```text
//!   device 0   F0 F1 F2 F3 .. B0 F4         F4 could start, but four iterations are in flight
//! ```
//!
//! A device *admits* iterations in their order, as long as fewer than its limit are admitted and
//! not ended. A command of an iteration that is not admitted waits. The oldest iteration that has
//! not ended is admitted everywhere, and depends on none but older ones, so the clock never stops
//! early.
//!
//! Each command enters a heap once when it could start, and once when it ends.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::graph::{Graph, Kind};

/// The urgency of a command; the smallest one starts first.
pub(super) type Key = (u8, u64, u32, Reverse<u64>);

/// The times of nodes.
#[derive(Debug)]
pub(super) struct Timeline {
    /// The nodes in the order in which they start.
    pub(super) order: Vec<u32>,
    pub(super) starts: Vec<u64>,
    pub(super) end: u64,
}

/// Returns the times if each stream runs its commands in a given order, without delays.
pub(super) fn replay(graph: &Graph, order: Vec<u32>) -> Timeline {
    let mut free = vec![0u64; graph.queues];
    let mut starts = vec![0u64; graph.nodes.len()];
    let mut end = 0;
    for &number in &order {
        let node = graph.nodes[number as usize];
        let before = graph.predecessors.of(number as usize).iter();
        let ready = before.filter_map(|earlier| {
            let delays = graph.delays.get(&number);
            let is_delay = delays.is_some_and(|delays| delays.contains(earlier));
            let time = graph.nodes[*earlier as usize].time;
            (!is_delay).then(|| starts[*earlier as usize].saturating_add(time))
        });
        let free = &mut free[node.queue as usize];
        let start = ready.max().unwrap_or(0).max(*free);
        *free = start.saturating_add(node.time);
        starts[number as usize] = start;
        end = end.max(*free);
    }
    Timeline { order, starts, end }
}

/// Returns the times if each stream starts the most urgent of the commands that could start, with
/// limits for the iterations in flight on each device.
pub(super) fn list(graph: &Graph, keys: &[Key], limits: &[usize]) -> Timeline {
    let mut clock = Clock::new(graph, keys, limits);
    for node in 0..graph.nodes.len() {
        if clock.open[node] == 0 {
            clock.offer(node as u32);
        }
    }
    clock.dispatch();
    while let Some(Reverse((now, node))) = clock.ends.pop() {
        clock.now = now;
        clock.end(node);
        // All that ends at a time is known before anything starts at it.
        while let Some(&Reverse((time, node))) = clock.ends.peek()
            && time == now
        {
            clock.ends.pop();
            clock.end(node);
        }
        clock.dispatch();
    }
    Timeline {
        order: clock.order,
        starts: clock.starts,
        end: clock.now,
    }
}

struct Clock<'g> {
    graph: &'g Graph,
    keys: &'g [Key],
    now: u64,
    /// For each node, the predecessors that have not ended.
    open: Vec<u32>,
    devices: Vec<Device>,
    /// For each queue, the commands that could start.
    ready: Vec<BinaryHeap<Reverse<(Key, u32)>>>,
    is_busy: Vec<bool>,
    /// The queues that may start a command.
    changed: BTreeSet<u32>,
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    order: Vec<u32>,
    starts: Vec<u64>,
}

/// The iterations on a device.
#[derive(Clone, Debug, Default)]
struct Device {
    limit: usize,
    /// The iterations that are admitted are those before this one.
    next: usize,
    in_flight: usize,
    /// For each iteration, the commands that have not ended.
    left: Vec<u32>,
    /// For each iteration, the commands that could start if it were admitted.
    waiting: Vec<Vec<u32>>,
}

impl<'g> Clock<'g> {
    fn new(graph: &'g Graph, keys: &'g [Key], limits: &[usize]) -> Self {
        let devices = limits.iter().map(|limit| Device {
            limit: *limit,
            left: vec![0; graph.iterations],
            waiting: vec![Vec::new(); graph.iterations],
            ..Device::default()
        });
        let mut devices: Vec<Device> = devices.collect();
        for node in graph.nodes.iter().filter(|node| node.kind == Kind::Work) {
            devices[node.device as usize].left[node.iteration as usize] += 1;
        }
        let mut clock = Self {
            graph,
            keys,
            now: 0,
            open: (0..graph.nodes.len())
                .map(|node| graph.predecessors.of(node).len() as u32)
                .collect(),
            devices,
            ready: vec![BinaryHeap::new(); graph.queues],
            is_busy: vec![false; graph.queues],
            changed: BTreeSet::new(),
            ends: BinaryHeap::new(),
            order: Vec::with_capacity(graph.nodes.len()),
            starts: vec![0; graph.nodes.len()],
        };
        (0..clock.devices.len()).for_each(|device| clock.admit(device));
        clock
    }

    /// Lets a device start further iterations.
    fn admit(&mut self, device: usize) {
        let state = &mut self.devices[device];
        while state.next < state.left.len() {
            if state.left[state.next] > 0 {
                if state.in_flight >= state.limit {
                    break;
                }
                state.in_flight += 1;
            }
            for node in std::mem::take(&mut state.waiting[state.next]) {
                let queue = self.graph.nodes[node as usize].queue;
                self.ready[queue as usize].push(Reverse((self.keys[node as usize], node)));
                self.changed.insert(queue);
            }
            state.next += 1;
        }
    }

    /// Adds a command whose dependences have ended.
    fn offer(&mut self, number: u32) {
        let node = self.graph.nodes[number as usize];
        let device = &mut self.devices[node.device as usize];
        if node.kind != Kind::Free && node.iteration as usize >= device.next {
            device.waiting[node.iteration as usize].push(number);
            return;
        }
        self.ready[node.queue as usize].push(Reverse((self.keys[number as usize], number)));
        self.changed.insert(node.queue);
    }

    fn end(&mut self, number: u32) {
        let node = self.graph.nodes[number as usize];
        self.is_busy[node.queue as usize] = false;
        self.changed.insert(node.queue);
        if node.kind == Kind::Work {
            let device = &mut self.devices[node.device as usize];
            let left = &mut device.left[node.iteration as usize];
            *left -= 1;
            if *left == 0 {
                device.in_flight -= 1;
                self.admit(node.device as usize);
            }
        }
        let graph = self.graph;
        for &later in graph.successors.of(number as usize) {
            let open = &mut self.open[later as usize];
            *open -= 1;
            if *open == 0 {
                self.offer(later);
            }
        }
    }

    /// Starts a command on each queue that is free and has one.
    fn dispatch(&mut self) {
        while let Some(queue) = self.changed.pop_first() {
            if self.is_busy[queue as usize] {
                continue;
            }
            if let Some(Reverse((_, node))) = self.ready[queue as usize].pop() {
                self.is_busy[queue as usize] = true;
                self.starts[node as usize] = self.now;
                self.order.push(node);
                let end = self
                    .now
                    .saturating_add(self.graph.nodes[node as usize].time);
                self.ends.push(Reverse((end, node)));
            }
        }
    }
}
