//! A program that runs: one executor's run, what crossed, and the list of all of them.
//!
//! ```text
//!   start --> running --finish-----> finished       a program is finished or terminated, and once: what comes later is an error,
//!                     \--terminate--> terminated     whichever thread it comes from
//! ```
//!
//! Every running program is in a list, so that a failure anywhere can cancel them all before the process ends. The list holds weak
//! references: it keeps nothing alive.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, AtomicU8, Ordering::*},
    },
    time::{Duration, Instant},
};

use tfx_interpreter::Tensor;

use crate::{
    executor::{ExecutorKind, Run},
    failure::Failure,
    fault, ffi,
    image::Image,
    queue,
    stats::{self, End, Meters},
    trace,
};

/// The executor that programs of this process start on; `None`: chosen at the first start.
static CHOICE: RwLock<Option<ExecutorKind>> = RwLock::new(None);

static RUNNING: Mutex<Vec<Weak<Program>>> = Mutex::new(Vec::new());

/// How long a process that fails waits for its programs to end before it goes anyway. Everyone who waits is woken at once; what takes longer is a kernel.
const PATIENCE: Duration = Duration::from_millis(80);

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

/// How far a program is.
const STARTED: u8 = 0;
const FINISHED: u8 = 1;
const TERMINATED: u8 = 2;

/// A program that runs. Dropping it cancels it.
pub struct Program {
    image: Arc<Image>,
    run: Box<dyn Run>,
    meters: Arc<Meters>,
    stage: AtomicU8,
    /// Whether it finished well.
    has_results: AtomicBool,
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
        fault::read_environment()?;
        fault::point("start")?;
        cancel_at_exit()?;
        let since = Instant::now();
        let meters = Arc::new(Meters::new(&image));
        let run = meters
            .start
            .during(|| kind.executor().start(&image, arguments, &meters))?;
        trace::span("start", &image, since);
        stats::started(&image, run.place());
        let program = Arc::new(Program {
            image,
            run,
            meters,
            stage: AtomicU8::new(STARTED),
            has_results: AtomicBool::new(false),
        });
        let mut running = running();
        running.retain(|program| program.strong_count() > 0);
        running.push(Arc::downgrade(&program));
        Ok(program)
    }

    /// Its name in the graph.
    pub fn name(&self) -> &str {
        &self.image.name
    }

    /// The number of its results.
    pub fn results(&self) -> usize {
        self.image.results
    }

    /// The position of a channel of a program that runs.
    fn position(&self, channel: i32) -> Result<usize, Failure> {
        self.check_running()?;
        self.image.channel_position(channel).ok_or_else(|| {
            Failure::new(format!(
                "program '{}' has no channel {channel}",
                self.image.name
            ))
        })
    }

    fn check_running(&self) -> Result<(), Failure> {
        let ended = match self.stage.load(Acquire) {
            STARTED => return Ok(()),
            FINISHED => "finished",
            _ => "terminated",
        };
        Err(Failure::new(format!(
            "program '{}' was {ended} before",
            self.image.name
        )))
    }

    /// Ends the program for the one who calls first.
    fn end(&self, stage: u8) -> Result<(), Failure> {
        match self.stage.compare_exchange(STARTED, stage, AcqRel, Acquire) {
            Ok(_) => Ok(()),
            Err(_) => self.check_running(),
        }
    }

    /// The next value of a channel to the host.
    pub fn receive(&self, channel: i32) -> Result<Tensor, Failure> {
        let position = self.position(channel)?;
        let since = trace::now();
        let value = fault::point("receive")
            .and_then(|()| self.run.receive(position))
            .map_err(|failure| self.in_channel(position, failure))?;
        let bytes = value.byte_size();
        self.meters.channels[position].count(bytes);
        trace::message(&self.image, position, bytes, since, true);
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
        let (bytes, since) = (value.byte_size(), trace::now());
        fault::point("send")
            .and_then(|()| self.run.send(position, value))
            .map_err(|failure| self.in_channel(position, failure))?;
        self.meters.channels[position].count(bytes);
        trace::message(&self.image, position, bytes, since, true);
        Ok(())
    }

    /// A failure that has no place of its own says which channel it is about, and where its value comes from.
    fn in_channel(&self, position: usize, failure: Failure) -> Failure {
        let channel = &self.image.channels[position];
        if failure.location.is_some() {
            return failure;
        }
        failure.note(
            channel.location.as_deref(),
            format!(
                "channel {} of program '{}' carries this value",
                channel.id, self.image.name
            ),
        )
    }

    /// Waits for the end, and gives the results.
    ///
    /// # Errors
    /// What the graph failed of; and where the program was finished or terminated before.
    pub fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        self.end(FINISHED)?;
        let since = Instant::now();
        let results =
            fault::point("finish").and_then(|()| self.meters.finish.during(|| self.run.finish()));
        trace::span("finish", &self.image, since);
        if results.is_ok() {
            self.has_results.store(true, Release);
        }
        results
    }

    /// Cancels the program, and waits until nothing of it runs any more.
    ///
    /// # Errors
    /// Where it was finished or terminated before.
    pub fn terminate(&self) -> Result<(), Failure> {
        self.end(TERMINATED)?;
        self.run.cancel();
        // Why it ended is known: it was cancelled.
        let _ = self.run.finish();
        Ok(())
    }

    /// Makes the program end soon, and wakes everyone who waits for it. Returns at once.
    pub fn cancel(&self) {
        self.run.cancel();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.run.cancel();
        // Its thread is waited for, as it will be anyway, so that its run is counted, and in the trace.
        let _ = self.run.finish();
        let end = match (self.stage.load(Acquire), self.has_results.load(Acquire)) {
            (FINISHED, true) => End::Finished,
            (FINISHED, _) => End::Failed,
            _ => End::Terminated,
        };
        stats::ended(&self.image, &self.meters, end);
        if trace::is_on() {
            trace::flush();
        }
    }
}

/// See [`ffi::cancel_at_exit`]; once.
pub(crate) fn cancel_at_exit() -> Result<(), Failure> {
    static DONE: OnceLock<Result<(), Failure>> = OnceLock::new();
    DONE.get_or_init(ffi::cancel_at_exit).clone()
}

/// Whether the process is on its way out.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Cancels every running program, stops the threads of queues, and waits for them for a moment: the process is about to end. Whether they have ended.
pub fn cancel_all() -> bool {
    IS_ENDING.store(true, Relaxed);
    let deadline = Instant::now() + PATIENCE;
    queue::stop_all();
    let programs: Vec<Arc<Program>> = running().iter().filter_map(Weak::upgrade).collect();
    for program in &programs {
        program.cancel();
    }
    // A graph in a long kernel ends when the kernel does, for which nobody should wait long.
    let (done, ended) = std::sync::mpsc::channel();
    let waiter = std::thread::Builder::new().spawn(move || {
        for program in programs {
            let _ = program.run.finish();
        }
        let _ = done.send(());
    });
    let programs_have_ended = ended.recv_timeout(PATIENCE).is_ok();
    if let Ok(waiter) = waiter
        && programs_have_ended
    {
        let _ = waiter.join();
    }
    let have_ended = queue::have_all_ended_by(deadline) && programs_have_ended;
    trace::flush();
    have_ended
}

/// Host code has called `exit`: programs that run must not run on while the process is taken apart. Whether none does any more.
pub(crate) fn cancel_if_running() -> bool {
    let is_idle = running().iter().all(|program| program.strong_count() == 0);
    let is_idle = is_idle && !queue::is_any_open();
    IS_ENDING.load(Relaxed) || is_idle || cancel_all()
}
