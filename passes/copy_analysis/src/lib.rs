//! The copy_analysis pass family.
