//! Two clocks: wall-clock time, and CPU time, which excludes time in which other threads run.

use std::time::{Duration, Instant};

use clap::ValueEnum;

/// The clock of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// Wall-clock time: for an idle machine
    Wall,
    /// CPU time of this thread: for a shared machine
    Cpu,
}

impl Clock {
    /// Returns the name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
        }
    }

    /// Runs `work`, and returns its result and the elapsed seconds.
    pub(crate) fn time<R>(self, work: impl FnOnce() -> R) -> (R, f64) {
        match self {
            Self::Wall => {
                let since = Instant::now();
                let result = work();
                (result, since.elapsed().as_secs_f64())
            }
            Self::Cpu => {
                let before = thread_time();
                let result = work();
                (result, (thread_time() - before).as_secs_f64())
            }
        }
    }
}

/// Returns the CPU time of this thread.
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: every Linux has this clock, and the call writes the time to the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
