//! The peak memory of a run, in addition to the memory of the process before it.
//!
//! ```text
//!   release free memory ──► reset the peak ──► run ──► peak - before
//! ```
//!
//! The kernel records the peak of resident memory (`VmHWM`) and resets it when `5` is written to
//! `clear_refs` (proc(5)). Memory that was freed but is kept by the allocator could be reused
//! unnoticed, so it is released first. Without `/proc` there is no figure.

use std::fs;

/// Runs `work`, and returns its result and its peak memory in bytes, if the system reports it.
pub(crate) fn peak<R>(work: impl FnOnce() -> R) -> (R, Option<u64>) {
    release_free_memory();
    let before = fs::write("/proc/self/clear_refs", "5")
        .ok()
        .and_then(|()| status("VmRSS:"));
    let result = work();
    let peak = before.and_then(|before| Some(status("VmHWM:")?.saturating_sub(before)));
    (result, peak)
}

fn release_free_memory() {
    // SAFETY: mi_collect may be called at any time, from any thread.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

/// Returns a line of `/proc/self/status`, in bytes.
fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
