//! The sese pass family.
