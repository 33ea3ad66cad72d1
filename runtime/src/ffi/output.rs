//! Standard output, which a program shares with its foreign functions.
//!
//! ```text
//! tfx_host.print   ── Rust's buffer, written at the end of each line ──┐
//!                                                                      ├── file descriptor 1
//! printf, puts     ── C's buffer, written ... when C likes ────────────┘
//! ```
//!
//! Into a pipe or a file C writes its buffer when it is full. Two rules make the lines come out in the
//! order of the program:
//!
//! * a print writes what C has buffered first, also where that is not a whole line;
//! * an executable and `tfxc` have C write each line at its end ([`share_by_lines`]). Hence lines come
//!   out before foreign code crashes or calls `abort` or `_exit`, which write no buffers.
//!
//! A process that embeds the runtime has only the first rule: how its output is buffered is its own
//! matter, as it is that of foreign code which calls `setvbuf`.

use std::{
    ffi::{c_char, c_int, c_void},
    io::{self, Write},
    ptr::null_mut,
};

/// `FILE` of C.
type File = *mut c_void;

unsafe extern "C" {
    static stdout: File;
    fn fflush(file: File) -> c_int;
    fn setvbuf(file: File, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
}

/// `_IOLBF`: write at the end of a line.
const BY_LINES: c_int = 1;

/// `BUFSIZ`: the size of C's own buffers. A longer line is written in parts.
const BUFFER_BYTES: usize = 8192;

/// Has C write each line of its standard output when it ends.
pub fn share_by_lines() {
    // SAFETY: `stdout` is C's for the life of the process, and C makes a buffer where none is given.
    // Where it has none, it keeps the mode that it has, and the rule for prints still holds.
    unsafe { setvbuf(stdout, null_mut(), BY_LINES, BUFFER_BYTES) };
}

/// Writes what was printed until now, by C as well.
///
/// # Errors
/// What the system says, unless nobody reads any more.
pub fn flush() -> io::Result<()> {
    write("")
}

/// Writes a text, after what was printed before it.
///
/// # Errors
/// As for [`flush`]: that a reader has seen enough is no failure of the program.
pub fn write(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let written = flush_c()
        .and_then(|()| output.write_all(text.as_bytes()))
        .and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes what C has buffered for its standard output.
fn flush_c() -> io::Result<()> {
    // SAFETY: `stdout` is C's for the life of the process, and has a lock of its own.
    match unsafe { fflush(stdout) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
