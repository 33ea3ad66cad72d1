//! Which fault is on: none, unless the environment names one by its number.

use std::sync::LazyLock;

static ON: LazyLock<usize> = LazyLock::new(|| {
    let number = std::env::var("TFX_MUTANT");
    number
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
});

/// Whether it is this one.
pub(crate) fn is(number: usize) -> bool {
    *ON == number
}
