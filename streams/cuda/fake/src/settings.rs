//! The settings: see the description of the crate.

use std::fs::{File, OpenOptions};
use std::io::Write;

use serde_json::Value;

use crate::blas::ALLOC_FAILED;
use crate::codes::{Code, OUT_OF_MEMORY};

const PREFIX: &str = "TFX_FAKE_CUDA_";
/// The bytes of a device.
const MEMORY: u64 = 1 << 30;

/// A call that fails.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) call: String,
    /// The calls before it.
    pub(crate) left: u64,
    pub(crate) code: Code,
}

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) devices: usize,
    pub(crate) memory: u64,
    pub(crate) failure: Option<Failure>,
    trace: Option<File>,
}

impl Settings {
    /// Reads the environment.
    pub(crate) fn new() -> Self {
        let mut settings = Self {
            seed: 0,
            devices: 1,
            memory: MEMORY,
            failure: None,
            trace: None,
        };
        for name in ["SEED", "DEVICES", "MEMORY", "FAIL", "TRACE"] {
            if let Ok(value) = std::env::var(format!("{PREFIX}{name}")) {
                settings.set(name, &value);
            }
        }
        settings
    }

    /// Changes a setting, by its name with or without the prefix. Values without a meaning remove
    /// it, or have no effect.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        match name.strip_prefix(PREFIX).unwrap_or(name) {
            "SEED" => self.seed = value.parse().unwrap_or(self.seed),
            "DEVICES" => self.devices = value.parse().unwrap_or(self.devices),
            "MEMORY" => self.memory = value.parse().unwrap_or(self.memory),
            "FAIL" => self.failure = failure(value),
            "TRACE" => {
                let file = OpenOptions::new().create(true).append(true).open(value);
                self.trace = file.ok();
            }
            _ => {}
        }
    }

    /// Returns the code with which a call fails.
    pub(crate) fn fails(&mut self, call: &str) -> Option<Code> {
        let failure = self.failure.as_mut()?;
        if failure.call != call {
            return None;
        }
        failure.left = failure.left.checked_sub(1)?;
        (failure.left == 0).then_some(failure.code)
    }

    pub(crate) fn has_trace(&self) -> bool {
        self.trace.is_some()
    }

    pub(crate) fn trace(&mut self, line: &Value) {
        if let Some(file) = &mut self.trace {
            // A test that reads an incomplete trace fails.
            let _ = writeln!(file, "{line}");
        }
    }
}

fn failure(text: &str) -> Option<Failure> {
    let mut words = text.split(':');
    let call = words.next()?.trim_end_matches("_v2").to_string();
    Some(Failure {
        left: words.next()?.parse().ok()?,
        code: match words.next() {
            Some(code) => code.parse().ok()?,
            None if call.starts_with("cublas") => ALLOC_FAILED,
            None => OUT_OF_MEMORY,
        },
        call,
    })
}

/// A stream of pseudo-random numbers (SplitMix64: Steele, Lea and Flood, 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a limit, or 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_call_fails_once() {
        let mut settings = Settings::new();
        settings.set("TFX_FAKE_CUDA_FAIL", "cuMemAlloc_v2:2:719");
        assert_eq!(settings.fails("cuMemAlloc"), None);
        assert_eq!(settings.fails("cuInit"), None);
        assert_eq!(settings.fails("cuMemAlloc"), Some(719));
        assert_eq!(settings.fails("cuMemAlloc"), None);
        settings.set("FAIL", "");
        assert!(settings.failure.is_none());
    }
}
