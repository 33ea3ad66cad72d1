//! The runtime of compiled programs: C ABI, channels, executors.
