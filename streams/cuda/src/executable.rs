//! Executables and runs: see the description of the crate.

use std::ops::AddAssign;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfx_commands::{Decisions, Memory, Verified};
use tfx_schedule::Lifetime;

use crate::driver::{Blas, Current, Driver};
use crate::error::Error;
use crate::issue::Issuer;
use crate::kernels::DeviceKernels;
use crate::plan::Plan;
use crate::session::Session;
use crate::spans::Spans;

/// Options of an executable.
#[derive(Clone, Debug)]
pub struct Options {
    /// The ordinals of the devices for the CUDA devices of the schedule, in their order. Without,
    /// the k-th one is device k.
    pub devices: Option<Vec<u32>>,
    /// Captures a list that is straight as a graph.
    pub replay: bool,
    /// The library that computes products of matrices. Without, their entries compute them.
    pub blas: Option<Arc<Blas>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            devices: None,
            replay: true,
            blas: None,
        }
    }
}

/// Options of a run.
#[derive(Default)]
pub struct RunOptions<'o> {
    /// The decisions of the host; without, loops end as soon as they may, and first arms are taken.
    pub decisions: Option<&'o mut dyn Decisions>,
    /// Ends the run soon after it is set, with [`Error::Cancelled`].
    pub cancelled: Option<&'o AtomicBool>,
    /// Gets what the run has done in addition to what it has.
    pub counts: Option<&'o mut Counts>,
    /// Gets the times of the commands of a run that succeeds. Then no graph is captured or
    /// replayed, and the events that measure the times take some time themselves.
    pub spans: Option<&'o mut Spans>,
}

/// The numbers of commands of runs of an executable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches of PTX kernels, without those of graphs, and without products of cuBLAS.
    pub launches: u64,
    /// Copies between memories, without those of graphs, and of the caller's memory.
    pub copies: u64,
    /// Fills, without those of graphs.
    pub fills: u64,
    /// Waits of streams and of the host, without those of graphs.
    pub waits: u64,
    /// Kernels of CUDA streams that the host has run.
    pub host_kernels: u64,
    /// Runs of a graph.
    pub graph_replays: u64,
    /// Products of matrices by cuBLAS, also those of graphs.
    pub blas_products: u64,
    /// Products of matrices by PTX entries, also those of graphs.
    pub ptx_products: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.launches += other.launches;
        self.copies += other.copies;
        self.fills += other.fills;
        self.waits += other.waits;
        self.host_kernels += other.host_kernels;
        self.graph_replays += other.graph_replays;
        self.blas_products += other.blas_products;
        self.ptx_products += other.ptx_products;
    }
}

/// A verified list with its kernels on devices, which can be run any number of times, also by
/// several threads at a time.
pub struct Executable {
    /// Sessions of runs that have ended. They use the contexts of the plan.
    sessions: Mutex<Vec<Session>>,
    plan: Plan,
    replay: bool,
    counts: Mutex<Counts>,
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable")
            .field("verified", &self.plan.verified)
            .finish_non_exhaustive()
    }
}

impl Executable {
    /// Finds the devices, and compiles the kernels that a list needs.
    ///
    /// # Errors
    ///
    /// A device, kernel or entry is missing, an external root is in the memory of a device, or a
    /// call of the driver fails.
    pub fn new(
        verified: Verified,
        kernels: &DeviceKernels,
        driver: &Arc<Driver>,
        options: &Options,
    ) -> Result<Self, Error> {
        let _current = Current::keep(driver)?;
        Ok(Self {
            sessions: Mutex::default(),
            plan: Plan::new(verified, kernels, Arc::clone(driver), options)?,
            replay: options.replay,
            counts: Mutex::default(),
        })
    }

    /// Runs the list. `memory` has the external roots of the entry part, in their order.
    ///
    /// # Errors
    ///
    /// The memory does not match, a call of the driver or a kernel fails, or the run is cancelled.
    /// No command is running then, and the memory that the list writes has any content.
    pub fn run(
        &self,
        memory: &mut [Memory<'_>],
        options: &mut RunOptions<'_>,
    ) -> Result<(), Error> {
        self.check_sizes(memory)?;
        let _current = Current::keep(&self.plan.driver)?;
        let kept = lock(&self.sessions).pop();
        let mut session = kept.map_or_else(|| Session::new(&self.plan), Ok)?;
        let mut issuer = Issuer::new(&self.plan, &mut session, memory, options);
        let is_timed = issuer.options.spans.is_some();
        let outcome = issuer.run(self.replay && self.plan.is_straight && !is_timed);
        let counts = issuer.counts;
        *lock(&self.counts) += counts;
        if let Some(all) = &mut options.counts {
            **all += counts;
        }
        if outcome.is_ok() {
            lock(&self.sessions).push(session);
        }
        outcome
    }

    /// Returns what all runs have done so far.
    pub fn counts(&self) -> Counts {
        *lock(&self.counts)
    }

    /// Checks that the memory of the caller has the sizes of the external roots.
    fn check_sizes(&self, memory: &[Memory<'_>]) -> Result<(), Error> {
        let Some(entry) = self.plan.parts().last() else {
            return Ok(());
        };
        let roots = entry.roots.iter();
        let external = roots.filter(|root| root.lifetime == Lifetime::External);
        let sizes: Vec<u64> = external.map(|root| root.size).collect();
        let fitting = sizes.iter().zip(memory);
        let fitting = fitting.take_while(|(size, memory)| {
            let bytes = match memory {
                Memory::Read(bytes) => bytes.len(),
                Memory::Write(bytes) => bytes.len(),
            };
            **size == bytes as u64
        });
        let fitting = fitting.count();
        match fitting == sizes.len() && memory.len() == sizes.len() {
            true => Ok(()),
            false => Err(Error::Memory {
                expected: sizes.len(),
                got: fitting.min(memory.len()),
            }),
        }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // Sessions and modules are released in the context of their devices.
        let _current = Current::keep(&self.plan.driver);
        lock(&self.sessions).clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
