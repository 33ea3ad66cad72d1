//! The objects of the driver, behind one lock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::blas::Handle;
use crate::capture::{Captured, Graph};
use crate::codes::{Code, INVALID_CONTEXT, INVALID_HANDLE};
use crate::memory::Memory;
use crate::queue::Item;
use crate::settings::{Random, Settings};

/// The first handle of a context: that of device 0.
const CONTEXTS: usize = 0xc000;
/// The first handle of other objects.
const OBJECTS: usize = 0x1_0000;

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) device: usize,
    pub(crate) queue: VecDeque<Item>,
    pub(crate) captured: Option<Captured>,
    /// Set after it is destroyed: its commands still run.
    pub(crate) is_destroyed: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Event {
    pub(crate) device: usize,
    /// The number of records, and those that have run, with the step of each: another stream may
    /// run a later one first.
    pub(crate) recorded: u64,
    pub(crate) complete: BTreeMap<u64, u64>,
    /// Set if records have a time.
    pub(crate) has_time: bool,
    pub(crate) captured: Option<Captured>,
    pub(crate) is_destroyed: bool,
}

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) device: usize,
    pub(crate) code: Arc<tfx_ptx::Module>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) module: usize,
    pub(crate) entry: String,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) random: Random,
    /// Some commands run at one of this number of calls; at none if it is 0.
    pub(crate) pace: usize,
    pub(crate) priorities: u64,
    pub(crate) is_initialized: bool,
    /// The number of commands that have run: the clock of events, in microseconds.
    pub(crate) steps: u64,
    /// By function.
    pub(crate) calls: BTreeMap<&'static str, u64>,
    /// The retained contexts of each device.
    pub(crate) retained: BTreeMap<usize, u64>,
    /// The errors of devices that are unusable.
    pub(crate) sticky: BTreeMap<usize, Code>,
    pub(crate) memory: Memory,
    pub(crate) streams: BTreeMap<usize, Stream>,
    pub(crate) events: BTreeMap<usize, Event>,
    pub(crate) modules: BTreeMap<usize, Module>,
    pub(crate) functions: BTreeMap<usize, Function>,
    /// Graphs that are being captured, by the stream where they have begun.
    pub(crate) captures: BTreeMap<usize, Graph>,
    pub(crate) graphs: BTreeMap<usize, Graph>,
    pub(crate) executables: BTreeMap<usize, Arc<Graph>>,
    /// The handles of cuBLAS.
    pub(crate) blas: BTreeMap<usize, Handle>,
    next: usize,
}

static STATE: OnceLock<Mutex<State>> = OnceLock::new();

/// Returns the state.
pub(crate) fn state() -> MutexGuard<'static, State> {
    let state = STATE.get_or_init(|| Mutex::new(State::new()));
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn new() -> Self {
        let mut state = Self {
            settings: Settings::new(),
            random: Random(0),
            pace: 0,
            priorities: 0,
            is_initialized: false,
            steps: 0,
            calls: BTreeMap::new(),
            retained: BTreeMap::new(),
            sticky: BTreeMap::new(),
            memory: Memory::default(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            captures: BTreeMap::new(),
            graphs: BTreeMap::new(),
            executables: BTreeMap::new(),
            blas: BTreeMap::new(),
            next: OBJECTS,
        };
        state.seed();
        state
    }

    /// Starts a new sequence of random numbers.
    pub(crate) fn seed(&mut self) {
        self.random = Random(self.settings.seed);
        self.pace = [0, 1, 3, 10][self.random.below(4)];
        self.priorities = self.random.next();
    }

    /// Changes a setting. A number of devices is one of devices without errors.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.set(name, value);
        self.seed();
        if name.ends_with("DEVICES") {
            self.sticky.clear();
        }
    }

    /// Returns a number of objects that exist, or of calls of a function.
    pub(crate) fn count(&self, name: &str) -> u64 {
        let count = match name {
            "allocations" => self.memory.allocations(),
            "pinned" => self.memory.pinned(),
            "streams" => live(self.streams.values().map(|stream| stream.is_destroyed)),
            "events" => live(self.events.values().map(|event| event.is_destroyed)),
            "modules" => self.modules.len(),
            "graphs" => self.graphs.len() + self.executables.len() + self.captures.len(),
            "handles" => self.blas.len(),
            "contexts" => self.retained.values().sum::<u64>() as usize,
            _ => return self.calls.get(name).copied().unwrap_or(0),
        };
        count as u64
    }

    pub(crate) fn handle(&mut self) -> usize {
        self.next += 0x10;
        self.next
    }

    // --------------------------------------------------------------------------------- objects

    pub(crate) fn context(device: usize) -> usize {
        CONTEXTS + 0x10 * device
    }

    /// Returns the device of a context that is retained.
    pub(crate) fn device_of(&self, context: usize) -> Result<usize, Code> {
        let device = context.checked_sub(CONTEXTS).map(|offset| offset / 0x10);
        let retained = |device: &usize| self.retained.get(device).is_some_and(|count| *count > 0);
        device.filter(retained).ok_or(INVALID_CONTEXT)
    }

    pub(crate) fn stream(&mut self, id: usize) -> Result<&mut Stream, Code> {
        let stream = self.streams.get_mut(&id);
        stream
            .filter(|stream| !stream.is_destroyed)
            .ok_or(INVALID_HANDLE)
    }

    pub(crate) fn event(&mut self, id: usize) -> Result<&mut Event, Code> {
        let event = self.events.get_mut(&id);
        event
            .filter(|event| !event.is_destroyed)
            .ok_or(INVALID_HANDLE)
    }

    /// Returns the error of a device that is unusable.
    pub(crate) fn check_device(&self, device: usize) -> Result<(), Code> {
        self.sticky.get(&device).map_or(Ok(()), |code| Err(*code))
    }

    /// Puts a command into the queue of a stream.
    pub(crate) fn push(&mut self, stream: usize, item: Item) -> Result<(), Code> {
        self.stream(stream)?.queue.push_back(item);
        Ok(())
    }
}

fn live(is_destroyed: impl Iterator<Item = bool>) -> usize {
    is_destroyed.filter(|is_destroyed| !is_destroyed).count()
}
