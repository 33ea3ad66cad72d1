//! Each call of the driver fails once.
//!
//! A life of an executable is: load, compile, run twice, drop. First it is counted how often a life
//! calls each function. Then each of these calls fails in a life of its own: the error names the
//! function, the next run gives the right bytes, and nothing is left.

use std::sync::atomic::AtomicBool;

use tfx_commands::{Memory, Options as CpuOptions, Verified};
use tfx_cuda::driver::{Driver, LoadError};
use tfx_cuda::{Error, Executable, Options, RunOptions, Spans};

use crate::programs::{Features, program};
use crate::ptx::All;
use crate::support::{Fake, Seeded, memory};

/// The functions of the driver that an executable calls.
const FUNCTIONS: [&str; 41] = [
    "cuInit",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceCanAccessPeer",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuCtxEnablePeerAccess",
    "cuStreamCreate",
    "cuStreamDestroy",
    "cuStreamSynchronize",
    "cuStreamQuery",
    "cuStreamWaitEvent",
    "cuStreamBeginCapture",
    "cuStreamEndCapture",
    "cuEventCreate",
    "cuEventDestroy",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventElapsedTime",
    "cuMemAlloc",
    "cuMemFree",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemcpyHtoDAsync",
    "cuMemcpyDtoHAsync",
    "cuMemcpyDtoDAsync",
    "cuMemcpyPeerAsync",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuLaunchKernel",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
];

/// Functions that are called to release something, where nobody gets the error.
const RELEASES: [&str; 9] = [
    "cuDevicePrimaryCtxRelease",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuStreamDestroy",
    "cuEventDestroy",
    "cuMemFree",
    "cuMemFreeHost",
    "cuModuleUnload",
    "cuGraphExecDestroy",
];

/// The lists whose calls fail.
const SUBJECTS: u64 = 24;
/// A function that is called more often than this fails in some of its calls only, with the same
/// distance between them.
const MOST: u64 = 40;
/// The first ones, of which each call fails; later ones for functions that these do not call.
const COMPLETE: u64 = 4;

struct Subject {
    verified: Verified,
    all: All,
    expected: Vec<Vec<u8>>,
    /// Set if the host polls streams, because the run may be cancelled.
    polls: bool,
    /// Set if the times of commands are measured.
    is_timed: bool,
}

impl Subject {
    fn new(seed: u64, has_host: bool, polls: bool, is_timed: bool) -> Self {
        let verified = program(
            seed,
            Features {
                devices: 2,
                has_host,
                has_control: has_host,
            },
        );
        let all = All::new(&verified);
        let mut expected = memory(&verified);
        let mut options = CpuOptions {
            decisions: Some(&mut Seeded::new(seed)),
            ..CpuOptions::default()
        };
        tfx_commands::run(&verified, &all.cpu, &mut expected, &mut options).expect("correct");
        Self {
            verified,
            all,
            expected,
            polls,
            is_timed,
        }
    }

    fn executable(&self, fake: &Fake) -> Result<Executable, Failed> {
        let driver = Driver::load(Some(&fake.file)).map_err(Failed::Load)?;
        let verified = self.verified.clone();
        Executable::new(verified, &self.all.ptx, &driver, &Options::default()).map_err(Failed::Run)
    }

    fn run(&self, executable: &Executable, seed: u64) -> Result<(), Failed> {
        let mut bytes = memory(&self.verified);
        let mut list: Vec<Memory<'_>> = bytes.iter_mut().map(|own| Memory::Write(own)).collect();
        let flag = AtomicBool::new(false);
        let mut spans = self.is_timed.then(Spans::default);
        let mut options = RunOptions {
            decisions: Some(&mut Seeded::new(seed)),
            cancelled: self.polls.then_some(&flag),
            spans: spans.as_mut(),
            ..RunOptions::default()
        };
        executable
            .run(&mut list, &mut options)
            .map_err(Failed::Run)?;
        assert_eq!(bytes, self.expected, "a run without an error");
        Ok(())
    }

    /// Lives once. After a failure, another run succeeds.
    fn live(&self, fake: &Fake, seed: u64) -> Result<(), Failed> {
        let executable = self.executable(fake)?;
        let outcome = self
            .run(&executable, seed)
            .and_then(|()| self.run(&executable, seed));
        if outcome.is_err() {
            fake.set("FAIL", "");
            self.run(&executable, seed).expect("a run after a failure");
        }
        outcome
    }
}

#[derive(Debug)]
enum Failed {
    Load(LoadError),
    Run(Error),
}

#[test]
fn each_failed_call_is_an_error_and_leaves_nothing() {
    let fake = Fake::new(2);
    let (mut lives, mut errors) = (0, 0);
    let mut called = std::collections::BTreeSet::new();
    for seed in 0..SUBJECTS {
        let (has_host, polls) = (seed % 2 == 0, seed % 4 < 2);
        let subject = Subject::new(seed, has_host, polls, seed % 8 == 2);
        fake.seed(seed);
        let before = FUNCTIONS.map(|function| fake.count(function));
        subject.live(&fake, seed).expect("a life without a failure");
        let counts = FUNCTIONS.iter().zip(before);
        let counts = counts.map(|(function, before)| (function, fake.count(function) - before));
        for (function, count) in counts.collect::<Vec<_>>() {
            // The first subjects have all that is common.
            if seed >= COMPLETE && called.contains(function) {
                continue;
            }
            for k in (1..=count).step_by(1 + (count / MOST) as usize) {
                called.insert(*function);
                lives += 1;
                fake.seed(seed);
                fake.set("FAIL", &format!("{function}:{k}"));
                let before = fake.count(function);
                let outcome = subject.live(&fake, seed);
                fake.set("FAIL", "");
                let error = match outcome {
                    Ok(()) => {
                        // The number of queries depends on the order of commands.
                        let is_called = fake.count(function) - before >= k;
                        let is_release = RELEASES.contains(function);
                        assert!(is_release || !is_called, "{function}:{k} is no error");
                        continue;
                    }
                    Err(Failed::Load(LoadError::Cuda(error)) | Failed::Run(Error::Cuda(error))) => {
                        error
                    }
                    Err(other) => panic!("{function}:{k}: {other:?}"),
                };
                errors += 1;
                assert_eq!((error.call, error.code), (*function, 2), "{k}");
                fake.assert_empty(&format!("{function}:{k}"));
            }
            fake.assert_empty(function);
        }
    }
    println!(
        "{lives} calls of {} functions, {errors} errors",
        called.len()
    );
    let missing: Vec<_> = FUNCTIONS
        .iter()
        .filter(|name| !called.contains(*name))
        .collect();
    println!("not called: {missing:?}");
    // This one is called after a failure only.
    assert_eq!(missing, [&"cuCtxSynchronize"]);
    assert!(errors > 300, "{errors}");
}

#[test]
fn an_error_of_the_device_ends_the_run() {
    let fake = Fake::new(2);
    let subject = Subject::new(3, true, false, false);
    let mut failed = 0;
    for function in [
        "cuLaunchKernel",
        "cuStreamSynchronize",
        "cuEventRecord",
        "cuMemcpyHtoDAsync",
    ] {
        let executable = subject.executable(&fake).expect("an executable");
        let before = fake.count(function);
        subject
            .run(&executable, 3)
            .expect("a run without a failure");
        if fake.count(function) == before {
            continue;
        }
        failed += 1;
        fake.set("FAIL", &format!("{function}:1:700"));
        let error = subject
            .run(&executable, 3)
            .expect_err("the device is unusable");
        let Failed::Run(Error::Cuda(error)) = error else {
            panic!("{error:?}");
        };
        assert_eq!((error.call, error.code), (function, 700));
        fake.set("FAIL", "");
        let error = subject.run(&executable, 3).expect_err("it stays unusable");
        assert!(
            matches!(error, Failed::Run(Error::Cuda(ref error)) if error.code == 700),
            "{error:?}"
        );
        drop(executable);
        // Another process would start with a usable device.
        fake.set("DEVICES", "2");
        fake.assert_empty(function);
    }
    assert!(failed >= 3, "{failed}");
}
