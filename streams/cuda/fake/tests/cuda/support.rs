//! The fake driver, and runs on it.

use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::sync::Arc;

use libloading::Library;
use tempfile::TempDir;
use tfx_commands::{CommandList, Decisions, Detail, Memory, Verified};
use tfx_cuda::driver::Driver;
use tfx_cuda::{DeviceKernels, Error, Executable, Options, RunOptions};
use tfx_schedule::{CommandId, Lifetime, Schedule};

use crate::schedules::Random;

const FILE: &str = "libtfx_fake_cuda.so";

/// The kinds of objects that a driver counts.
const OBJECTS: [&str; 8] = [
    "allocations",
    "pinned",
    "streams",
    "events",
    "modules",
    "graphs",
    "handles",
    "contexts",
];

/// A copy of the fake driver.
pub(crate) struct Fake {
    pub(crate) file: PathBuf,
    library: Library,
    _folder: TempDir,
}

impl Fake {
    /// Loads a copy with a number of devices.
    pub(crate) fn new(devices: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(FILE);
        std::fs::copy(built(), &file).expect("a copy of the library");
        // SAFETY: the initializers of the library have no preconditions.
        let library = unsafe { Library::new(&file) }.expect("the library");
        let fake = Self {
            file,
            library,
            _folder: folder,
        };
        fake.set("DEVICES", &devices.to_string());
        fake
    }

    pub(crate) fn driver(&self) -> Arc<Driver> {
        Driver::load(Some(&self.file)).expect("the fake driver")
    }

    pub(crate) fn set(&self, name: &str, value: &str) {
        let [name, value] = [name, value].map(|text| CString::new(text).expect("no zero"));
        type Set = unsafe extern "C" fn(*const c_char, *const c_char);
        // SAFETY: the function has this signature; both strings end with a zero.
        unsafe {
            let set = self.library.get::<Set>(b"tfx_fake_cuda_set").expect("it");
            set(name.as_ptr(), value.as_ptr());
        }
    }

    pub(crate) fn seed(&self, seed: u64) {
        self.set("SEED", &seed.to_string());
    }

    pub(crate) fn count(&self, name: &str) -> u64 {
        let name = CString::new(name).expect("no zero");
        type Count = unsafe extern "C" fn(*const c_char) -> u64;
        // SAFETY: the function has this signature; the string ends with a zero.
        unsafe {
            let count = self
                .library
                .get::<Count>(b"tfx_fake_cuda_count")
                .expect("it");
            count(name.as_ptr())
        }
    }

    /// Asserts that no object exists.
    pub(crate) fn assert_empty(&self, text: &str) {
        for kind in OBJECTS {
            assert_eq!(self.count(kind), 0, "{kind} are left: {text}");
        }
    }
}

/// Returns the library that cargo has built with this test.
pub(crate) fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test");
    let folders = test.ancestors().skip(1).take(2);
    let mut files = folders.map(|folder| folder.join(FILE));
    files
        .find(|file| file.exists())
        .expect("the library next to the test")
}

/// Verifies a schedule.
pub(crate) fn verified(schedule: Schedule<Detail>) -> Verified {
    Verified::new(CommandList::new(schedule)).expect("a correct schedule")
}

/// Returns initial memory: a different byte for each buffer.
pub(crate) fn memory(verified: &Verified) -> Vec<Vec<u8>> {
    let parts = &verified.list().schedule().parts;
    let roots = parts.last().expect("an entry part").roots.iter();
    let external = roots.filter(|root| root.lifetime == Lifetime::External);
    let external = external.enumerate();
    external
        .map(|(index, root)| vec![index as u8 + 1; root.size as usize])
        .collect()
}

/// Runs an executable on memory that it may write.
pub(crate) fn run(
    executable: &Executable,
    memory: &mut [Vec<u8>],
    decisions: &mut dyn Decisions,
) -> Result<(), Error> {
    let mut list: Vec<Memory<'_>> = memory
        .iter_mut()
        .map(|bytes| Memory::Write(bytes))
        .collect();
    let mut options = RunOptions {
        decisions: Some(decisions),
        ..RunOptions::default()
    };
    executable.run(&mut list, &mut options)
}

/// Returns an executable on a fake driver.
pub(crate) fn executable(
    fake: &Fake,
    verified: &Verified,
    kernels: &DeviceKernels,
    replay: bool,
) -> Result<Executable, Error> {
    let options = Options {
        replay,
        ..Options::default()
    };
    Executable::new(verified.clone(), kernels, &fake.driver(), &options)
}

/// Decisions that depend on the seed and their number only.
pub(crate) struct Seeded(pub(crate) Random);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }
}

impl Decisions for Seeded {
    fn continues(&mut self, _: CommandId, iteration: u64) -> bool {
        iteration < 5 && self.0.chance(70)
    }

    fn arm(&mut self, _: CommandId, arms: usize) -> usize {
        self.0.below(arms)
    }
}

/// The number of tests, more if the variable is set.
pub(crate) fn some(few: u64, all: u64) -> u64 {
    match std::env::var_os("TFX_TEST_ALL") {
        Some(_) => all,
        None => few,
    }
}
