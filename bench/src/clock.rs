//! Two clocks: the one on the wall, and that of the processor, which stands still while others run.

use std::time::{Duration, Instant};

use clap::ValueEnum;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// What passes, whoever has the processor: for an idle machine
    Wall,
    /// What this thread has had of the processor: for a machine that others use
    Cpu,
}

impl Clock {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
        }
    }

    /// Runs `work` and gives its result with the seconds that it took.
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

/// What this thread has had of the processor so far.
fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock is one of every Linux, and it writes the time into the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
