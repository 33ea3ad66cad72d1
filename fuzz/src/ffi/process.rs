//! Child processes by `fork`.
//!
//! Contract: only a process with a single thread calls [`run`], so that the child cannot wait for a
//! lock that another thread holds. The workers of this crate have one thread: they disable MLIR's
//! threads, and graphs run in children.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Duration;

// SAFETY: the runtime, which is linked into this executable, defines both with these signatures
// (`runtime/src/ffi/abi_box.rs`); they read a counter.
unsafe extern "C" {
    /// Returns the number of boxes in this process.
    pub(crate) safe fn tfx_boxes_alive() -> u64;
    /// Returns the number of tensors that host code holds in this process.
    pub(crate) safe fn tfx_tensors_alive() -> u64;
}

/// The end of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// By its timeout.
    Late,
}

/// Ends this process after a timeout, unless it sets another one before. Children have timeouts of
/// their own.
pub(crate) fn alarm(timeout: Duration) {
    let seconds = timeout.as_secs().try_into().unwrap_or(u32::MAX);
    // SAFETY: a system call without pointers.
    unsafe { libc::alarm(seconds) };
}

/// Limits the address space of this process and its children.
pub(crate) fn limit_memory(bytes: Option<u64>) {
    let Some(bytes) = bytes else { return };
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: the limit outlives the system call. If the call fails, nothing is limited.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
}

/// Runs a function in a child process, with its output and errors in files. The result of the
/// function is the exit code.
pub(crate) fn run(
    output: &Path,
    errors: &Path,
    timeout: Duration,
    work: impl FnOnce() -> i32,
) -> io::Result<Ending> {
    let (output, errors) = (File::create(output)?, File::create(errors)?);
    // SAFETY: this process has one thread, by the contract of this module.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        alarm(timeout);
        // SAFETY: system calls on open descriptors; `_exit` runs no exit handlers of the parent.
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
        // SAFETY: the child belongs to this process, and `status` outlives the call.
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
