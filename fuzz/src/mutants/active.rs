//! The number of the active mutant: 0 (none), unless the environment sets it.

use std::sync::LazyLock;

static ACTIVE: LazyLock<usize> = LazyLock::new(|| {
    let number = std::env::var("TFX_MUTANT");
    number
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
});

/// Returns whether the mutant with this number is active.
pub(crate) fn is(number: usize) -> bool {
    *ACTIVE == number
}
