//! The partition pass family.
