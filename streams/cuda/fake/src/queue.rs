//! The queues of streams, and the order in which their commands run.
//!
//! ```text
//!   stream 1: [copy][record e]          the commands at the heads of queues may run, waits only
//!   stream 2: [wait e][kernel]          once their record has run, and in graphs all commands
//!   stream 3: [graph: a ─► b, c]        whose predecessors have run
//! ```
//!
//! A step picks one of these, by a random number, or by priorities of streams that change at random
//! moments: then one stream runs far ahead of the others. (The idea is that of PCT: Burckhardt,
//! Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of
//! finding bugs", ASPLOS 2010.) Some seeds run nothing before something waits.

use std::sync::Arc;

use crate::blas::Product;
use crate::capture::Graph;
use crate::codes::{Code, LAUNCH_FAILED};
use crate::memory::{Memory, Place, Reachable};
use crate::state::State;

/// One of this number of steps changes the priorities.
const CHANGE: usize = 12;
/// The most steps at a call that does not wait.
const STEPS: usize = 4;

/// A command that accesses memory.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Copy {
        from: Place,
        to: Place,
        bytes: usize,
    },
    Fill {
        to: u64,
        pattern: Vec<u8>,
        count: usize,
    },
    Kernel {
        module: Arc<tfx_ptx::Module>,
        entry: String,
        grid: [u32; 3],
        block: [u32; 3],
        parameters: Vec<u8>,
    },
    /// A product of matrices is two commands: see `blas.rs`.
    StartProduct(Product),
    EndProduct(Product),
}

impl Work {
    /// Runs the command on a device.
    fn run(&self, device: usize, memory: &mut Memory) -> Result<(), Code> {
        match self {
            Work::Copy { from, to, bytes } => {
                let mut content = vec![0; *bytes];
                memory.read(*from, &mut content)?;
                memory.write(*to, &content)
            }
            Work::Fill { to, pattern, count } => {
                memory.write(Place::Device(*to), &pattern.repeat(*count))
            }
            Work::Kernel {
                module,
                entry,
                grid,
                block,
                parameters,
            } => {
                let mut reachable = Reachable { memory, device };
                let entry = module.entry(entry).ok_or(LAUNCH_FAILED)?;
                let run = module.run(entry, *grid, *block, parameters, &mut reachable);
                run.map_err(|error| match error {
                    tfx_ptx::RunError::Thread {
                        cause: tfx_ptx::Cause::Load { .. } | tfx_ptx::Cause::Store { .. },
                        ..
                    } => crate::codes::ILLEGAL_ADDRESS,
                    _ => LAUNCH_FAILED,
                })
            }
            Work::StartProduct(product) => product.start(&mut Reachable { memory, device }),
            Work::EndProduct(product) => product.end(&mut Reachable { memory, device }),
        }
    }
}

/// A command in a queue.
#[derive(Debug)]
pub(crate) enum Item {
    Work(Work),
    /// The n-th record of an event.
    Record(usize, u64),
    Wait(usize, u64),
    Graph {
        graph: Arc<Graph>,
        /// The nodes that have run.
        done: Vec<bool>,
    },
}

/// A command that may run: the stream, and the node if it is one of a graph.
type Move = (usize, Option<usize>);

impl State {
    /// Runs some commands, or none, at a call that does not wait.
    pub(crate) fn progress(&mut self) {
        if self.pace == 0 || self.random.below(self.pace) != 0 {
            return;
        }
        self.run_some(STEPS + 1);
    }

    /// Runs some commands: less than a number of them.
    pub(crate) fn run_some(&mut self, limit: usize) {
        for _ in 0..self.random.below(limit) {
            if !self.step() {
                return;
            }
        }
    }

    /// Runs commands until a condition holds. Returns false if none can run before.
    pub(crate) fn run_until(&mut self, is_done: impl Fn(&State) -> bool) -> bool {
        while !is_done(self) {
            if !self.step() {
                return false;
            }
        }
        true
    }

    /// Runs a command. Returns false if there is none that may run.
    fn step(&mut self) -> bool {
        let moves = self.moves();
        if moves.is_empty() {
            return false;
        }
        if self.random.below(CHANGE) == 0 {
            self.priorities = self.random.next();
        }
        let index = match self.priorities & 1 {
            0 => self.random.below(moves.len()),
            _ => {
                let seed = self.priorities;
                let rank = |found: &Move| {
                    let mut random = crate::settings::Random(seed ^ found.0 as u64);
                    random.next()
                };
                let ranks = moves
                    .iter()
                    .enumerate()
                    .map(|(index, found)| (rank(found), index));
                ranks.max().map_or(0, |(_, index)| index)
            }
        };
        self.take(moves[index]);
        true
    }

    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (&id, stream) in &self.streams {
            match stream.queue.front() {
                None => {}
                Some(Item::Wait(event, number)) if !self.is_complete(*event, *number) => {}
                Some(Item::Graph { graph, done }) => {
                    let ready = (0..done.len()).filter(|node| {
                        let mut before = graph.nodes[*node].after.iter();
                        !done[*node] && before.all(|before| done[*before])
                    });
                    moves.extend(ready.map(|node| (id, Some(node))));
                }
                Some(_) => moves.push((id, None)),
            }
        }
        moves
    }

    /// Returns whether a record of an event has run. An event without a record is complete.
    pub(crate) fn is_complete(&self, event: usize, number: u64) -> bool {
        let event = self.events.get(&event);
        number == 0 || event.is_none_or(|event| event.complete.contains_key(&number))
    }

    fn take(&mut self, (id, node): Move) {
        self.steps += 1;
        let Some(stream) = self.streams.get_mut(&id) else {
            return;
        };
        let device = stream.device;
        let (device, work) = match (node, stream.queue.front_mut()) {
            (Some(node), Some(Item::Graph { graph, done })) => {
                done[node] = true;
                let graph = Arc::clone(graph);
                if done.iter().all(|done| *done) {
                    stream.queue.pop_front();
                }
                let node = &graph.nodes[node];
                (node.device, node.work.clone())
            }
            _ => match stream.queue.pop_front() {
                Some(Item::Work(work)) => (device, Some(work)),
                Some(Item::Record(event, number)) => {
                    if let Some(event) = self.events.get_mut(&event) {
                        event.complete.insert(number, self.steps);
                    }
                    (device, None)
                }
                _ => (device, None),
            },
        };
        if let Some(work) = work
            && let Err(code) = work.run(device, &mut self.memory)
        {
            self.poison(device, code);
        }
    }

    /// Makes a device unusable, as after a kernel that has accessed other memory.
    pub(crate) fn poison(&mut self, device: usize, code: Code) {
        self.sticky.entry(device).or_insert(code);
        for stream in self.streams.values_mut() {
            if stream.device != device {
                continue;
            }
            for item in stream.queue.drain(..) {
                if let Item::Record(event, number) = item
                    && let Some(event) = self.events.get_mut(&event)
                {
                    event.complete.insert(number, self.steps);
                }
            }
        }
    }
}
