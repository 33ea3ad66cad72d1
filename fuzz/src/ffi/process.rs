//! Child processes by `fork`.
//!
//! Contract: [`run`] is called by a process with one thread only, so that the child finds no lock held by a thread that it does not have. The
//! workers of this crate have one: they turn MLIR's threads off, and graphs run in children.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

// SAFETY: the runtime, which is in this program, defines both so (`runtime/src/ffi/abi_box.rs`); they read a counter.
unsafe extern "C" {
    /// How many boxes there are in this process.
    pub(crate) safe fn tfx_boxes_alive() -> u64;
    /// How many tensors host code holds in this process.
    pub(crate) safe fn tfx_tensors_alive() -> u64;
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// By the alarm that was set for it.
    Late,
}

/// Ends this process after so long, unless it asks for another alarm before. Children have alarms of their own.
pub(crate) fn alarm(timeout: Duration) {
    let seconds = timeout.as_secs().try_into().unwrap_or(u32::MAX);
    // SAFETY: a system call without pointers.
    unsafe { libc::alarm(seconds) };
}

/// Lets this process and its children have no more address space than so many bytes.
pub(crate) fn limit_memory(bytes: Option<u64>) {
    let Some(bytes) = bytes else { return };
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: a system call on a limit that is there. Where it fails, nothing is limited.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
}

/// Runs a function in a child, with its output and errors in files; its result is the exit code.
pub(crate) fn run(
    output: &Path,
    errors: &Path,
    timeout: Duration,
    work: impl FnOnce() -> i32,
) -> io::Result<Ending> {
    let (output, errors) = (File::create(output)?, File::create(errors)?);
    // SAFETY: this process has one thread, as the contract of this module says.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        alarm(timeout);
        // SAFETY: plain system calls on descriptors that are open; `_exit` runs nothing of the parent's.
        unsafe {
            libc::dup2(output.as_raw_fd(), libc::STDOUT_FILENO);
            libc::dup2(errors.as_raw_fd(), libc::STDERR_FILENO);
        }
        let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(101);
        // SAFETY: as above.
        unsafe { libc::_exit(code) }
    }
    let mut status = 0;
    loop {
        // SAFETY: the child is this process's own, and `status` is a place for its state.
        if unsafe { libc::waitpid(child, &raw mut status, 0) } == child {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(match status {
        _ if libc::WIFEXITED(status) => Ending::Exit(libc::WEXITSTATUS(status)),
        _ if libc::WTERMSIG(status) == libc::SIGALRM => Ending::Late,
        _ => Ending::Signal(libc::WTERMSIG(status)),
    })
}
