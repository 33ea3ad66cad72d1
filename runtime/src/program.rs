//! A program that runs: one executor's run, what crossed, and the list of all of them.
//!
//! Every running program is in a list, so that a failure anywhere can cancel them all before the process ends. The list holds weak
//! references: it keeps nothing alive.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak},
    time::{Duration, Instant},
};

use tfx_interpreter::Tensor;

use crate::{
    executor::{ExecutorKind, Run},
    failure::Failure,
    image::Image,
    stats::{self, Traffic},
    trace,
};

/// The executor that programs of this process start on; `None`: chosen at the first start.
static CHOICE: RwLock<Option<ExecutorKind>> = RwLock::new(None);

static RUNNING: Mutex<Vec<Weak<Program>>> = Mutex::new(Vec::new());

/// How long a process that fails waits for its programs to end before it goes anyway.
const PATIENCE: Duration = Duration::from_secs(2);

fn running() -> MutexGuard<'static, Vec<Weak<Program>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Chooses the executor of programs that start from now on.
pub fn set_executor(kind: ExecutorKind) {
    *CHOICE.write().unwrap_or_else(PoisonError::into_inner) = Some(kind);
}

/// The executor that programs start on: as set, or by the environment, or embedded.
pub fn executor() -> Result<ExecutorKind, Failure> {
    ExecutorKind::choose(*CHOICE.read().unwrap_or_else(PoisonError::into_inner))
}

/// A program that runs. Dropping it cancels it.
pub struct Program {
    image: Arc<Image>,
    run: Box<dyn Run>,
    traffic: Mutex<Vec<Traffic>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Program")
            .field("name", &self.image.name)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Starts a program on the executor of this process.
    pub fn start(image: Arc<Image>, arguments: Vec<Tensor>) -> Result<Arc<Self>, Failure> {
        Self::start_on(executor()?, image, arguments)
    }

    /// Starts a program on a given executor.
    pub fn start_on(
        kind: ExecutorKind,
        image: Arc<Image>,
        arguments: Vec<Tensor>,
    ) -> Result<Arc<Self>, Failure> {
        if arguments.len() != image.arguments {
            return Err(Failure::new(format!(
                "program '{}' has {} inputs, but {} are given",
                image.name,
                image.arguments,
                arguments.len()
            )));
        }
        trace::open()?;
        let since = Instant::now();
        let run = kind.executor().start(&image, arguments)?;
        trace::span("start", &image, since);
        let traffic = Mutex::new(vec![Traffic::default(); image.channels.len()]);
        let program = Arc::new(Program {
            image,
            run,
            traffic,
        });
        stats::started(&program.image);
        let mut running = running();
        running.retain(|program| program.strong_count() > 0);
        running.push(Arc::downgrade(&program));
        Ok(program)
    }

    fn position(&self, channel: i32) -> Result<usize, Failure> {
        self.image.channel_position(channel).ok_or_else(|| {
            Failure::new(format!(
                "program '{}' has no channel {channel}",
                self.image.name
            ))
        })
    }

    fn count(&self, position: usize, bytes: usize, since: Instant) {
        trace::message(&self.image, position, bytes, Some(since), true);
        let mut traffic = self.traffic.lock().unwrap_or_else(PoisonError::into_inner);
        traffic[position].add(bytes, since.elapsed());
    }

    /// The next value of a channel to the host.
    pub fn receive(&self, channel: i32) -> Result<Tensor, Failure> {
        let position = self.position(channel)?;
        let since = Instant::now();
        let value = self.run.receive(position)?;
        self.count(position, value.byte_size(), since);
        Ok(value)
    }

    /// Sends a value to the graph.
    pub fn send(&self, channel: i32, value: Tensor) -> Result<(), Failure> {
        let position = self.position(channel)?;
        let wanted = self.image.channels[position].dtype;
        if value.dtype() != wanted {
            return Err(Failure::new(format!(
                "a value of {} is sent, but the channel carries {wanted}",
                value.dtype()
            )));
        }
        let (bytes, since) = (value.byte_size(), Instant::now());
        self.run.send(position, value)?;
        self.count(position, bytes, since);
        Ok(())
    }

    /// Waits for the end, and gives the results.
    pub fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        let since = Instant::now();
        let results = self.run.finish();
        trace::span("finish", &self.image, since);
        results
    }

    /// Makes the program end soon, and wakes everyone who waits for it. Returns at once.
    pub fn cancel(&self) {
        self.run.cancel();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.run.cancel();
        let traffic = self
            .traffic
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        stats::ended(&self.image, traffic);
        if trace::is_on() {
            // Its thread is waited for, as it will be anyway, so that its run is in the trace.
            let _ = self.run.finish();
            trace::flush();
        }
    }
}

/// Cancels every running program, and waits for them for a moment: the process is about to end.
pub fn cancel_all() {
    let programs: Vec<Arc<Program>> = running().iter().filter_map(Weak::upgrade).collect();
    for program in &programs {
        program.cancel();
    }
    // A graph in a long kernel ends when the kernel does, for which nobody should wait long.
    let (done, ended) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        for program in programs {
            let _ = program.finish();
        }
        let _ = done.send(());
    });
    if ended.recv_timeout(PATIENCE).is_ok() {
        let _ = waiter.join();
    }
    trace::flush();
}
