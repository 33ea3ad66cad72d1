//! Running programs.
//!
//! ```text
//!   start ──► started ──finish────► finished      A program is finished or terminated once.
//!                └────terminate──► terminated     A later call of any thread is an error.
//! ```

use std::{
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::*},
        mpsc,
    },
    thread,
    time::Instant,
};

use tfx_interpreter::Tensor;

use crate::{
    activation,
    executor::{ExecutorKind, Launch, Run},
    failure::Failure,
    image::Image,
    injection, shutdown,
    stats::{self, End, Meters},
    trace,
};

/// The executor of later starts; `None` selects it by the environment.
static CHOICE: RwLock<Option<ExecutorKind>> = RwLock::new(None);

/// Sets the executor of later starts.
pub fn set_executor(kind: ExecutorKind) {
    *CHOICE.write().unwrap_or_else(PoisonError::into_inner) = Some(kind);
}

/// Returns the executor of later starts: that of the activation, or else the one that was set, or
/// else that of the environment, or else the embedded one.
pub fn executor() -> Result<ExecutorKind, Failure> {
    let of_activation = activation::current().and_then(|current| current.options().executor);
    let set = || *CHOICE.read().unwrap_or_else(PoisonError::into_inner);
    ExecutorKind::choose(of_activation.or_else(set))
}

/// The stages of a program.
const STARTED: u8 = 0;
const FINISHED: u8 = 1;
const TERMINATED: u8 = 2;

/// A running program. Dropping it cancels it.
pub struct Program {
    image: Arc<Image>,
    run: Box<dyn Run>,
    meters: Arc<Meters>,
    stage: AtomicU8,
    /// It finished without a failure.
    has_results: AtomicBool,
    /// The numbers of values that were dropped because the graph had failed, by channel.
    dropped: Box<[AtomicUsize]>,
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
        Self::launch(kind, image, arguments, Launch::Concurrent)
    }

    /// Starts a program on a given executor, now or at its end.
    pub fn launch(
        kind: ExecutorKind,
        image: Arc<Image>,
        arguments: Vec<Tensor>,
        launch: Launch,
    ) -> Result<Arc<Self>, Failure> {
        if arguments.len() != image.arguments {
            return Err(Failure::new(format!(
                "program '{}' expects {} inputs, but got {}",
                image.name,
                image.arguments,
                arguments.len()
            )));
        }
        trace::open()?;
        injection::read_environment()?;
        injection::point("start")?;
        shutdown::prepare()?;
        let since = trace::now();
        let meters = Arc::new(Meters::new(&image));
        let run = meters
            .start
            .during(|| kind.executor().start(&image, arguments, &meters, launch))?;
        trace::span("start", &image, since);
        stats::count_start(&image, run.executor());
        let dropped = image.channels.iter().map(|_| AtomicUsize::new(0));
        let program = Arc::new(Program {
            dropped: dropped.collect(),
            image,
            run,
            meters,
            stage: AtomicU8::new(STARTED),
            has_results: AtomicBool::new(false),
        });
        shutdown::register(&program);
        Ok(program)
    }

    /// Returns the name in the graph.
    pub fn name(&self) -> &str {
        &self.image.name
    }

    /// Returns the number of results.
    pub fn results(&self) -> usize {
        self.image.results
    }

    /// Returns the position of a channel if the program runs.
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

    /// Moves from the stage "started" to another one; only the first call succeeds.
    fn end(&self, stage: u8) -> Result<(), Failure> {
        match self.stage.compare_exchange(STARTED, stage, AcqRel, Acquire) {
            Ok(_) => Ok(()),
            Err(_) => self.check_running(),
        }
    }

    /// Waits for the next value of a channel to the host.
    pub fn receive(&self, channel: i32) -> Result<Tensor, Failure> {
        let position = self.position(channel)?;
        let since = trace::now();
        let value = injection::point("receive")
            .and_then(|()| self.run.receive(position))
            .map_err(|failure| self.in_channel(position, failure))?;
        let bytes = value.byte_size();
        self.meters.channels[position].count(bytes);
        trace::message(&self.image, position, bytes, since, true);
        Ok(value)
    }

    /// Sends a value to the graph; waits while the channel is full.
    ///
    /// The host can be behind a graph that has failed: effects of the host may precede the failing
    /// operation in program order. A value for such a graph is dropped as long as the channel would
    /// have room for it, so that the host fails where it waits for the graph: at a receive, at the
    /// end, or at a full channel.
    pub fn send(&self, channel: i32, value: Tensor) -> Result<(), Failure> {
        let position = self.position(channel)?;
        let expected = self.image.channels[position].dtype;
        if value.dtype() != expected {
            return Err(Failure::new(format!(
                "a value of {} is sent, but the channel carries {expected}",
                value.dtype()
            )));
        }
        let (bytes, since) = (value.byte_size(), trace::now());
        let sent = injection::point("send").and_then(|()| self.run.send(position, value));
        if let Err(failure) = sent {
            return self.drop_value(position, failure);
        }
        self.meters.channels[position].count(bytes);
        trace::message(&self.image, position, bytes, since, true);
        Ok(())
    }

    /// Drops a value for a graph that has failed, unless the channel would be full.
    fn drop_value(&self, position: usize, failure: Failure) -> Result<(), Failure> {
        let capacity = self.image.channels[position].capacity;
        if self.run.has_failed() && self.dropped[position].fetch_add(1, Relaxed) < capacity {
            return Ok(());
        }
        Err(self.in_channel(position, failure))
    }

    /// Adds a note with the channel to a failure without a source location.
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

    /// Waits for the end, and returns the results.
    ///
    /// # Errors
    /// The failure of the graph; the program was finished or terminated before.
    pub fn finish(&self) -> Result<Vec<Tensor>, Failure> {
        self.end(FINISHED)?;
        let since = trace::now();
        let results = injection::point("finish")
            .and_then(|()| self.meters.finish.during(|| self.run.finish()));
        trace::span("finish", &self.image, since);
        if results.is_ok() {
            self.has_results.store(true, Release);
        }
        results
    }

    /// Cancels the program, and waits for its end.
    ///
    /// # Errors
    /// The program was finished or terminated before.
    pub fn terminate(&self) -> Result<(), Failure> {
        self.end(TERMINATED)?;
        self.run.cancel();
        // The failure is the cancellation.
        let _ = self.run.finish();
        Ok(())
    }

    /// Requests the end of the program and wakes all threads that wait for it. Does not wait.
    pub fn cancel(&self) {
        self.run.cancel();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.run.cancel();
        // Waits for the thread, so that statistics and trace contain the whole run.
        let _ = self.run.finish();
        let end = match (self.stage.load(Acquire), self.has_results.load(Acquire)) {
            (FINISHED, true) => End::Finished,
            (FINISHED, _) => End::Failed,
            _ => End::Terminated,
        };
        stats::add(&self.image, &self.meters, end);
        if trace::is_on() {
            trace::flush();
        }
    }
}

impl shutdown::Task for Program {
    fn cancel(&self) {
        self.run.cancel();
    }

    fn measure(&self) {
        stats::add(&self.image, &self.meters, End::Running);
    }

    fn has_ended_by(self: Arc<Self>, deadline: Instant) -> bool {
        // Dropping the last reference also waits for the end, so another thread does both.
        let (done, ended) = mpsc::channel();
        let waiter = thread::Builder::new().spawn(move || {
            let _ = self.run.finish();
            drop(self);
            let _ = done.send(());
        });
        let time = deadline.saturating_duration_since(Instant::now());
        let has_ended = ended.recv_timeout(time).is_ok();
        if let Ok(waiter) = waiter
            && has_ended
        {
            let _ = waiter.join();
        }
        has_ended
    }
}
