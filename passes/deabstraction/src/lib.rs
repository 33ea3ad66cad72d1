//! The deabstraction pass family.
