//! How much memory a run needs at its peak, beyond what the process holds before.
//!
//! ```text
//!   give free memory back ──► forget the peak ──► run ──► peak - before
//! ```
//!
//! The kernel keeps the peak of resident memory (`VmHWM`) and forgets it when `5` is written to `clear_refs` (proc(5)). Memory that was freed but kept by the
//! allocator would be used again without being seen, so it is given back first. Where there is no `/proc` there is no figure.

use std::fs;

/// Runs `work` and gives its result with its peak in bytes, if the system tells.
pub(crate) fn peak<R>(work: impl FnOnce() -> R) -> (R, Option<u64>) {
    give_back();
    let before = fs::write("/proc/self/clear_refs", "5")
        .ok()
        .and_then(|()| status("VmRSS:"));
    let result = work();
    let peak = before.and_then(|before| Some(status("VmHWM:")?.saturating_sub(before)));
    (result, peak)
}

fn give_back() {
    // SAFETY: mi_collect may be called at any time, from any thread.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

/// A line of the kernel's account of this process, in bytes.
fn status(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
