//! The last actions of a process that a signal ends, such as Ctrl-C.
//!
//! ```text
//!   SIGINT, SIGTERM, SIGHUP ──► handler: a byte in a pipe ──► thread: the actions, then the signal
//!                                                             again, with its default effect
//! ```
//!
//! A handler may call few functions, so a thread runs the actions. The process still ends by the
//! signal, as its parent expects. A later signal, after [`PATIENCE`], ends it at once: programs
//! such as `timeout` send the first signal twice, to the process and to its group. A process that
//! embeds the runtime keeps its own handlers: only executables and `tfxc` call [`before_signal`].
//!
//! Contract of the unsafe code: the handler calls only `clock_gettime`, `write`, `signal` and
//! `kill`, which POSIX permits in handlers, and it keeps `errno`.

use std::{
    ffi::{c_int, c_long, c_void},
    io::{PipeReader, Read},
    os::fd::IntoRawFd,
    panic::catch_unwind,
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicI32, AtomicI64, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

const SIGHUP: c_int = 1;
const SIGINT: c_int = 2;
const SIGPIPE: c_int = 13;
const SIGTERM: c_int = 15;

/// The signals by which users and systems end a process.
const ENDING: [c_int; 3] = [SIGHUP, SIGINT, SIGTERM];

/// The time that the actions have before another signal ends the process without them: longer than
/// between two signals of one cause, shorter than a user takes to press Ctrl-C again.
const PATIENCE: Duration = Duration::from_millis(300);

/// The clock that nothing sets back.
const CLOCK_MONOTONIC: c_int = 1;

/// The default effect of a signal.
const DEFAULT: usize = 0;

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
    fn write(file: c_int, bytes: *const c_void, size: usize) -> isize;
    fn kill(process: c_int, number: c_int) -> c_int;
    fn getpid() -> c_int;
    fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
    fn __errno_location() -> *mut c_int;
}

/// `struct timespec`.
#[repr(C)]
struct Time {
    seconds: c_long,
    nanoseconds: c_long,
}

/// The time of the first signal in nanoseconds; 0 before it.
static FIRST: AtomicI64 = AtomicI64::new(0);

/// The end of the pipe to which the handler writes.
static PIPE: AtomicI32 = AtomicI32::new(-1);

static ACTIONS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Runs an action, once, before a signal ends this process. Signals that the parent ignores remain
/// ignored. If the system has no pipe or thread left, signals end the process as always.
pub fn before_signal(action: fn()) {
    static HANDLERS: Once = Once::new();
    let mut actions = ACTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if !actions
        .iter()
        .any(|known| std::ptr::fn_addr_eq(*known, action))
    {
        actions.push(action);
    }
    drop(actions);
    HANDLERS.call_once(|| {
        let Ok((reader, writer)) = std::io::pipe() else {
            return;
        };
        let name = "tfx signals".to_owned();
        if thread::Builder::new()
            .name(name)
            .spawn(move || end(reader))
            .is_err()
        {
            return;
        }
        PIPE.store(writer.into_raw_fd(), SeqCst);
        for number in ENDING {
            // SAFETY: see the contract.
            unsafe {
                match signal(number, received as *const () as usize) {
                    DEFAULT => {}
                    // Also a handler of foreign code, which precedes this one.
                    other => {
                        signal(number, other);
                    }
                }
            }
        }
    });
}

/// Makes a broken pipe end this process, as in C; Rust makes it an error of each write.
pub fn end_by_broken_pipe() {
    // SAFETY: restores the default effect.
    unsafe { signal(SIGPIPE, DEFAULT) };
}

extern "C" fn received(number: c_int) {
    let byte = number as u8;
    // SAFETY: see the contract. The thread has the number of the signal even if the pipe is full.
    unsafe {
        let errno = *__errno_location();
        let now = now();
        match FIRST.compare_exchange(0, now, SeqCst, SeqCst) {
            Ok(_) => {
                write(PIPE.load(SeqCst), (&raw const byte).cast(), 1);
            }
            Err(first) if now - first > PATIENCE.as_nanos() as i64 => {
                signal(number, DEFAULT);
                kill(getpid(), number);
            }
            Err(_) => {}
        }
        *__errno_location() = errno;
    }
}

/// Returns the time in nanoseconds since some moment before this process. A handler may call it.
fn now() -> i64 {
    let mut time = Time {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: `time` is valid for writing.
    unsafe { clock_gettime(CLOCK_MONOTONIC, &raw mut time) };
    time.seconds * 1_000_000_000 + time.nanoseconds
}

/// Waits for a signal, runs the actions, and ends the process by the signal.
fn end(mut reader: PipeReader) {
    let mut byte = [0];
    if reader.read_exact(&mut byte).is_err() {
        return;
    }
    let actions = ACTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    // The process ends even if an action panics, which the panic hook has reported.
    let _ = catch_unwind(|| actions.iter().for_each(|action| action()));
    let number = byte[0].into();
    // SAFETY: the default effect of the signal ends the process.
    unsafe {
        signal(number, DEFAULT);
        kill(getpid(), number);
    }
}
