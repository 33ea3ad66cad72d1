//! Standard output, which a program shares with its foreign functions.
//!
//! ```text
//! tfx_host.print   ── Rust's buffer, flushed at the end of each line ──┐
//!                                                                      ├── file descriptor 1
//! printf, puts     ── C's buffer, flushed when C decides ──────────────┘
//! ```
//!
//! C flushes its buffer of a pipe or a file only when it is full. Two rules keep the lines in
//! program order:
//!
//! * A print first flushes C's buffer, even in the middle of a line.
//! * In executables and in `tfxc`, C's buffer is flushed at the end of each line
//!   ([`share_by_lines`]). Lines thus appear before foreign code crashes or calls `abort` or
//!   `_exit`, which flush nothing.
//!
//! A process that embeds the runtime has only the first rule and keeps its own buffering, as does
//! foreign code that calls `setvbuf`.
//!
//! Contract of the unsafe code: `stdout` is valid for the life of the process and has its own lock.

use std::{
    ffi::{c_char, c_int, c_void},
    fs::File as SystemFile,
    io::{self, Write},
    os::fd::{AsFd, AsRawFd, IntoRawFd},
    ptr::null_mut,
    sync::OnceLock,
};

use crate::{activation, failure};

/// `FILE` of C.
type File = *mut c_void;

unsafe extern "C" {
    static stdout: File;
    fn fflush(file: File) -> c_int;
    fn setvbuf(file: File, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
}

/// `_IOLBF`: flush at the end of a line.
const BY_LINES: c_int = 1;

/// `BUFSIZ`: the default size of C's buffers. A longer line is written in parts.
const BUFFER_BYTES: usize = 8192;

/// Makes C flush its standard output at the end of each line.
pub fn share_by_lines() {
    // SAFETY: see the contract; C allocates the buffer. If it fails, the mode is unchanged, and the
    // rule for prints still holds.
    unsafe { setvbuf(stdout, null_mut(), BY_LINES, BUFFER_BYTES) };
}

/// The number of the last standard file, standard error.
const LAST_STANDARD_FILE: c_int = 2;

/// `EBADF`: a file that is closed, or not open for writing.
const NOT_OPEN: i32 = 9;

/// Occupies the numbers of standard files that are closed: the next file that the process opens
/// would be taken for its standard output. Writes to them still fail.
pub fn occupy_closed_files() {
    while let Ok(file) = SystemFile::open("/dev/null") {
        if file.as_raw_fd() > LAST_STANDARD_FILE {
            return;
        }
        // Open for reading only, as long as the process runs.
        let _ = file.into_raw_fd();
    }
}

/// Checks that standard output is open; Rust's own functions ignore that it is not.
///
/// # Errors
/// It was closed when the process started.
pub fn check_open() -> io::Result<()> {
    static IS_CLOSED: OnceLock<bool> = OnceLock::new();
    let is_closed = || {
        let file = io::stdout().as_fd().try_clone_to_owned();
        // The system checks a write of no bytes, too.
        let written = file.and_then(|file| SystemFile::from(file).write(&[]));
        written.is_err_and(|error| error.raw_os_error() == Some(NOT_OPEN))
    };
    match IS_CLOSED.get_or_init(is_closed) {
        true => Err(io::Error::from_raw_os_error(NOT_OPEN)),
        false => Ok(()),
    }
}

/// Returns the message of an error of standard output.
pub fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(NOT_OPEN) => "standard output is closed".to_owned(),
        _ => failure::reason(error),
    }
}

/// Flushes the output of Rust and C.
///
/// # Errors
/// The error of the system, except a broken pipe.
pub fn flush() -> io::Result<()> {
    write("")
}

/// Writes a text after all earlier output, or passes it to the output of the activation.
///
/// # Errors
/// The error of the system, except a broken pipe: a reader may close it early.
pub fn write(text: &str) -> io::Result<()> {
    let activation = activation::current();
    if let Some(output) = activation
        .as_ref()
        .and_then(|of| of.options().output.as_ref())
    {
        if !text.is_empty() {
            output(text);
        }
        return Ok(());
    }
    if !text.is_empty() {
        check_open()?;
    }
    let mut output = io::stdout().lock();
    let written = flush_c()
        .and_then(|()| output.write_all(text.as_bytes()))
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Flushes C's buffer of standard output.
fn flush_c() -> io::Result<()> {
    // SAFETY: see the contract.
    match unsafe { fflush(stdout) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
